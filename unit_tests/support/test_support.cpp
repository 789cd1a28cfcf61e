// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstring>
#include <limits>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_Oracle.hpp"

namespace {

using namespace ExaktTest;

constexpr double dbl_denorm = std::numeric_limits<double>::denorm_min(), dbl_max = std::numeric_limits<double>::max(),
                 dbl_inf = std::numeric_limits<double>::infinity(), dbl_nan = std::numeric_limits<double>::quiet_NaN();
constexpr float flt_denorm = std::numeric_limits<float>::denorm_min(), flt_max = std::numeric_limits<float>::max(),
                flt_inf = std::numeric_limits<float>::infinity();

template <class R>
void check_round(Exact const& x, R nearest, R toward_zero, R upward, R downward) {
  R const expected[] = {nearest, toward_zero, upward, downward};
  for (int i = 0; i < 4; ++i) {
    INFO(name_of(every_rounding[i]));
    EXAKT_CHECK_BITS(x.round<R>(every_rounding[i]).value, expected[i]);
    EXAKT_CHECK_BITS(x.round_by_comparison<R>(every_rounding[i]).value, expected[i]);
  }
}

}  // namespace

TEST_CASE("the matcher tells -0 from +0, and one unit in the last place from none") {
  CHECK(same_bits(0.0, 0.0));
  CHECK_FALSE(same_bits(-0.0, 0.0));
  CHECK_FALSE(same_bits(0.0, -0.0));
  CHECK_FALSE(same_bits(0.0f, -0.0f));
  CHECK_FALSE(same_bits(1.0, std::nextafter(1.0, 2.0)));
  CHECK_FALSE(same_bits(dbl_denorm, 0.0));
}

TEST_CASE("the matcher accepts any quiet NaN for a NaN, and no signalling one") {
  auto const quiet = std::bit_cast<double>(0xfff8'0000'0000'1234u),
             signalling = std::bit_cast<double>(0x7ff0'0000'0000'0001u);
  CHECK(same_bits(quiet, dbl_nan));
  CHECK(same_bits(dbl_nan, quiet));
  CHECK_FALSE(same_bits(signalling, dbl_nan));
  CHECK_FALSE(same_bits(dbl_inf, dbl_nan));
  CHECK_FALSE(same_bits(dbl_nan, dbl_inf));
  CHECK_FALSE(same_bits(std::bit_cast<float>(0x7f80'0001u), std::numeric_limits<float>::quiet_NaN()));
  CHECK(same_bits(std::bit_cast<float>(0xffc0'0001u), std::numeric_limits<float>::quiet_NaN()));
}

TEST_CASE("the matcher does not depend on the floating-point environment") {
  for (auto const& environment : every_fp_environment()) {
    ScopedFpEnvironment const scope(environment);
    bool const same = same_bits(dbl_denorm, dbl_denorm),
               different = same_bits(dbl_denorm, 0.0) || same_bits(dbl_denorm, -dbl_denorm);
    CHECK(same);
    CHECK_FALSE(different);
  }
}

TEST_CASE("the oracle rounds ties to even and honours the direction, as worked out by hand") {
  double const ulp = std::numeric_limits<double>::epsilon(), half = ulp / 2;
  check_round<double>(Exact().add(1.0).add(half), 1.0, 1.0, 1.0 + ulp, 1.0);
  check_round<double>(Exact().add(1.0 + ulp).add(half), 1.0 + 2 * ulp, 1.0 + ulp, 1.0 + 2 * ulp, 1.0 + ulp);
  check_round<double>(Exact().add(-1.0).add(-half), -1.0, -1.0, -1.0, -1.0 - ulp);
  check_round<double>(Exact().add(1.0).add(half).add(dbl_denorm), 1.0 + ulp, 1.0, 1.0 + ulp, 1.0);
  check_round<double>(Exact().add(1.0 + ulp).add(half).add(-dbl_denorm), 1.0 + ulp, 1.0 + ulp, 1.0 + 2 * ulp,
                      1.0 + ulp);
  check_round<float>(Exact().add(1.0).add(0x1p-24), 1.0f, 1.0f, 1.0f + 0x1p-23f, 1.0f);
  // Through double this would round twice: 1 + 2^-24 + 2^-80 is not a tie.
  check_round<float>(Exact().add(1.0).add(0x1p-24).add(0x1p-80), 1.0f + 0x1p-23f, 1.0f, 1.0f + 0x1p-23f, 1.0f);
}

TEST_CASE("the oracle rounds to subnormal numbers once, as worked out by hand") {
  check_round<double>(Exact().add_product(dbl_denorm, 0.5), 0.0, 0.0, dbl_denorm, 0.0);
  check_round<double>(Exact().add_product(dbl_denorm, -0.5), -0.0, -0.0, -0.0, -dbl_denorm);
  check_round<double>(Exact().add_product(dbl_denorm, 0.5).add_product(dbl_denorm, dbl_denorm), dbl_denorm, 0.0,
                      dbl_denorm, 0.0);
  check_round<double>(Exact().add_product(dbl_denorm, 1.5), 2 * dbl_denorm, dbl_denorm, 2 * dbl_denorm, dbl_denorm);
  check_round<double>(Exact().add_product(dbl_denorm, 2.5), 2 * dbl_denorm, 2 * dbl_denorm, 3 * dbl_denorm,
                      2 * dbl_denorm);
  check_round<double>(Exact().add_product(dbl_denorm, 0.25), 0.0, 0.0, dbl_denorm, 0.0);
  // Rounded to 53 bits first, 2^-1074 * (1.5 - 2^-60) would become a tie.
  check_round<double>(Exact().add_product(dbl_denorm, 1.5).add_product(dbl_denorm, -0x1p-60), dbl_denorm, dbl_denorm,
                      2 * dbl_denorm, dbl_denorm);
  // The largest subnormal number plus half a unit is halfway to the smallest normal one, which is even.
  double const normal = std::numeric_limits<double>::min();
  check_round<double>(Exact().add(normal).add_product(dbl_denorm, -0.5), normal, normal - dbl_denorm, normal,
                      normal - dbl_denorm);
  double const fd = flt_denorm;
  check_round<float>(Exact().add(fd / 2), 0.0f, 0.0f, flt_denorm, 0.0f);
  check_round<float>(Exact().add(-fd / 2), -0.0f, -0.0f, -0.0f, -flt_denorm);
  check_round<float>(Exact().add(fd / 2).add(dbl_denorm), flt_denorm, 0.0f, flt_denorm, 0.0f);
  check_round<float>(Exact().add(1.5 * fd), 2 * flt_denorm, flt_denorm, 2 * flt_denorm, flt_denorm);
  check_round<float>(Exact().add(1.5 * fd).add(-dbl_denorm), flt_denorm, flt_denorm, 2 * flt_denorm, flt_denorm);
}

TEST_CASE("the oracle overflows at the threshold and nowhere else, as worked out by hand") {
  double const half_ulp = 0x1p970, below = std::nextafter(half_ulp, 0.0);
  check_round<double>(Exact().add(dbl_max).add(half_ulp), dbl_inf, dbl_max, dbl_inf, dbl_max);
  check_round<double>(Exact().add(dbl_max).add(below), dbl_max, dbl_max, dbl_inf, dbl_max);
  check_round<double>(Exact().add(dbl_max).add(half_ulp).add(-dbl_denorm), dbl_max, dbl_max, dbl_inf, dbl_max);
  check_round<double>(Exact().add(-dbl_max).add(-half_ulp), -dbl_inf, -dbl_max, -dbl_max, -dbl_inf);
  check_round<double>(Exact().add(dbl_max).add(dbl_max).add(-dbl_max), dbl_max, dbl_max, dbl_max, dbl_max);
  check_round<double>(Exact().add_product(dbl_max, dbl_max), dbl_inf, dbl_max, dbl_inf, dbl_max);
  double const float_half_ulp = 0x1p103;
  check_round<float>(Exact().add(flt_max).add(float_half_ulp), flt_inf, flt_max, flt_inf, flt_max);
  check_round<float>(Exact().add(flt_max).add(float_half_ulp).add(-dbl_denorm), flt_max, flt_max, flt_inf, flt_max);
  check_round<float>(Exact().add(-dbl_max), -flt_inf, -flt_max, -flt_max, -flt_inf);
}

TEST_CASE("the oracle's zeros, infinities and NaN follow the rules of the interface") {
  check_round<double>(Exact(), 0.0, 0.0, 0.0, -0.0);
  check_round<double>(Exact().add(-0.0), 0.0, 0.0, 0.0, -0.0);
  check_round<double>(Exact().add(1.0).add(-1.0), 0.0, 0.0, 0.0, -0.0);
  check_round<double>(Exact().add(dbl_inf).add(-dbl_max).add(-dbl_max), dbl_inf, dbl_inf, dbl_inf, dbl_inf);
  check_round<double>(Exact().add(dbl_inf).add(-dbl_inf), dbl_nan, dbl_nan, dbl_nan, dbl_nan);
  check_round<double>(Exact().add(dbl_nan).add(dbl_inf), dbl_nan, dbl_nan, dbl_nan, dbl_nan);
  check_round<double>(Exact().add_product(0.0, dbl_inf), dbl_nan, dbl_nan, dbl_nan, dbl_nan);
  check_round<double>(Exact().add_product(-1.0, dbl_inf), -dbl_inf, -dbl_inf, -dbl_inf, -dbl_inf);
  check_round<double>(Exact().subtract(dbl_inf), -dbl_inf, -dbl_inf, -dbl_inf, -dbl_inf);
}

TEST_CASE("the oracle's quotients and square roots are right where they can be worked out by hand") {
  CHECK(same_bits(Exact().add(1.0).round_quotient<double>(std::uint64_t{3}).value, 1.0 / 3.0));
  CHECK(same_bits(Exact().add(-2.0).round_quotient<double>(std::uint64_t{3}, Rounding::downward).value,
                  -0x1.5555555555556p-1));
  CHECK(same_bits(Exact().add(dbl_denorm).round_quotient<double>(std::uint64_t{2}).value, 0.0));
  CHECK(
      same_bits(Exact().add(dbl_denorm).add(dbl_denorm).add(dbl_denorm).round_quotient<double>(std::uint64_t{2}).value,
                2 * dbl_denorm));
  CHECK(same_bits(Exact().add(dbl_max).add(dbl_max).round_quotient<double>(std::uint64_t{2}).value, dbl_max));
  CHECK(same_bits(Exact().round_quotient<double>(std::uint64_t{0}).value, dbl_nan));
  CHECK(same_bits(Exact().add(-1.0).round_quotient<double>(std::uint64_t{0}).value, -dbl_inf));
  CHECK(same_bits(Exact().add(dbl_inf).round_quotient<double>(std::uint64_t{7}).value, dbl_inf));
  CHECK(same_bits(Exact().add(1.0).round_quotient<double>(dbl_inf).value, 0.0));
  CHECK(same_bits(Exact().add(2.0).round_sqrt<double>().value, std::sqrt(2.0)));
  CHECK(same_bits(Exact().add(2.0).round_sqrt<float>().value, std::sqrt(2.0f)));
  CHECK(same_bits(Exact().add_product(dbl_max, dbl_max).round_sqrt<double>(Rounding::upward).value, dbl_max));
  CHECK(same_bits(Exact().add_product(dbl_denorm, dbl_denorm).round_sqrt<double>().value, dbl_denorm));
  CHECK(same_bits(Exact().add(-dbl_denorm).round_sqrt<double>().value, dbl_nan));
}

TEST_CASE("the oracle's two ways of rounding agree, and division and root agree with the processor's") {
  Random random(1);
  for (std::uint64_t i = 0; i < 20'000 * case_factor(); ++i) {
    double const x = random.value<double>(random.between(-1074, 1023)),
                 y = random.value<double>(random.between(-1074, 1023));
    Exact const product = Exact().add_product(x, y), sum = Exact().add(x).add(y);
    for (Rounding const mode : every_rounding) {
      EXAKT_CHECK_BITS(product.round<double>(mode).value, product.round_by_comparison<double>(mode));
      EXAKT_CHECK_BITS(product.round<float>(mode).value, product.round_by_comparison<float>(mode));
      EXAKT_CHECK_BITS(sum.round<float>(mode).value, sum.round_by_comparison<float>(mode));
    }
    EXAKT_CHECK_BITS(x * y, product.round<double>());
    EXAKT_CHECK_BITS(x + y, sum.round<double>());
    EXAKT_CHECK_BITS(static_cast<float>(x), Exact().add(x).round<float>());
    EXAKT_CHECK_BITS(x / y, Exact().add(x).round_quotient<double>(y));
    EXAKT_CHECK_BITS(std::sqrt(std::abs(x)), Exact().add(std::abs(x)).round_sqrt<double>());
    EXAKT_CHECK_BITS(std::fma(x, 0.5, y), Exact().add_product(x, 0.5).add(y).round<double>());
  }
}

TEST_CASE("the oracle agrees with 128-bit integers") {
  Random random(2);
  for (std::uint64_t i = 0; i < 20'000 * case_factor(); ++i) {
    __extension__ using Wide = __int128;
    Wide integer = 0;
    Exact sum;
    for (int k = random.between(1, 20); k > 0; --k) {
      auto const x = static_cast<std::int64_t>(random.bits()) >> random.between(11, 62);
      auto const y = static_cast<std::int64_t>(random.bits()) >> random.between(11, 62);
      integer += static_cast<Wide>(x) * y;
      sum.add_product(static_cast<double>(x), static_cast<double>(y));
    }
    EXAKT_CHECK_BITS(static_cast<double>(integer), sum.round<double>());
    EXAKT_CHECK_BITS(static_cast<float>(integer), sum.round<float>());
  }
}

TEST_CASE("the oracle keeps every bit when intermediate sums overflow and products lie at both ends") {
  Exact sum;
  for (int i = 0; i < 1000; ++i) sum.add_product(dbl_max, dbl_max).add(dbl_max);
  sum.add_product(dbl_denorm, dbl_denorm);
  for (int i = 0; i < 1000; ++i) sum.subtract_product(dbl_max, dbl_max).subtract(dbl_max);
  check_round<double>(sum, 0.0, 0.0, dbl_denorm, 0.0);
  CHECK(sum.equals(Exact().add_product(dbl_denorm, dbl_denorm)));
}

TEST_CASE("random numbers are the same on every machine") {
  CHECK(Random(1).bits() == Random(1).bits());
  CHECK(Random(1).bits() != Random(2).bits());
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    int const k = random.between(-3, 4);
    CHECK((k >= -3 && k <= 4));
    CHECK(std::ilogb(random.value<float>(-20)) == -20);
  }
}

TEST_CASE("each family contains what its name promises, in every order the same terms") {
  Random random(4);
  for (auto const& family : short_families<double>()) {
    INFO(family.name);
    for (int i = 0; i < 20; ++i) {
      auto const terms = family.make(random);
      Exact const sum = exact_sum(terms);
      for (Order const order : every_order) {
        auto const same_terms = reordered(terms, order, random);
        EXAKT_CHECK(same_terms.size() == terms.size());
        EXAKT_CHECK(exact_sum(same_terms).equals(sum));
      }
      std::string const name = family.name;
      if (name == "total cancellation") EXAKT_CHECK(sum.is_zero());
      if (name == "total cancellation with one tiny survivor") EXAKT_CHECK(!sum.is_zero() && sum.is_finite());
      if (name == "normal terms with a subnormal sum")
        EXAKT_CHECK(std::abs(sum.round<double>().value) < 3 * std::numeric_limits<double>::min());
      if (name == "ties")
        EXAKT_CHECK(!same_bits(sum.round<double>(Rounding::upward).value, sum.round<double>(Rounding::downward).value));
    }
  }
}

TEST_CASE("a guarded array ends, or begins, at an unmapped page and holds the values") {
  for (std::size_t n : {0u, 1u, 2u, 3u, 511u, 512u, 513u, 1025u}) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i);
    for (auto const side : {GuardedArray<double>::Against::page_after, GuardedArray<double>::Against::page_before}) {
      GuardedArray<double> const array(values, side);
      CHECK((n == 0 || std::memcmp(array.data(), values.data(), n * sizeof(double)) == 0));
      auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
      auto const edge = array.data() + (side == GuardedArray<double>::Against::page_after ? n : 0);
      CHECK(reinterpret_cast<std::uintptr_t>(edge) % page == 0);
    }
  }
}

TEST_CASE("a hostile environment is in force inside its scope, on every thread, and gone afterwards") {
  auto const before = fp_control_word();
  for (auto const& environment : every_fp_environment()) {
    INFO(environment.name);
    bool active;
    {
      ScopedFpEnvironment const scope(environment, ScopedFpEnvironment::Threads::all);
      active = fp_settings_are_active(environment);
    }
    CHECK(active);
    CHECK(fp_control_word() == before);
  }
}
