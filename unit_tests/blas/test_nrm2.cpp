// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_ReductionContract.hpp"

namespace {

using namespace ExaktTest;

struct Nrm2 {
  static constexpr int operands = 1;
  static constexpr bool signs_cancel = false;
  template <class... A>
  static auto call(A const&... arguments) {
    return Exakt::nrm2(arguments...);
  }
  template <class R, class X, class Y>
  static Expected<R> expected(std::vector<X> const& x, std::vector<Y> const&, Rounding mode = Rounding::to_nearest) {
    return exact_dot(x, x).template round_sqrt<R>(mode);
  }
};

}  // namespace

EXAKT_TEST_REDUCTION(Nrm2, "nrm2")

TEST_CASE("no square over- or underflows: norms of the largest and of the smallest numbers") {
  for (int exponent = -1074; exponent <= 1020; ++exponent) {
    double const unit = std::ldexp(1.0, exponent);
    CHECK(same_bits(Exakt::nrm2(contiguous(std::vector<double>{3 * unit, -4 * unit})), 5 * unit));
  }
  for (int exponent = -1074; exponent <= 1010; exponent += 50) {
    double const unit = std::ldexp(1.0, exponent);
    CHECK(same_bits(Exakt::nrm2(contiguous(std::vector<double>(2 * block_size, unit))), 256 * unit));
  }
  double const max = std::numeric_limits<double>::max(), infinity = std::numeric_limits<double>::infinity();
  CHECK(same_bits(Exakt::nrm2(contiguous(std::vector<double>{max})), max));
  CHECK(same_bits(Exakt::nrm2(contiguous(std::vector<double>{max, max})), infinity));
  CHECK(same_bits(Exakt::nrm2(contiguous(std::vector<double>{-infinity, 1})), infinity));
  CHECK(same_bits(Exakt::nrm2(contiguous(std::vector<double>{-0.0})), 0.0));
  CHECK(same_bits(Exakt::nrm2(HostVector<float>()), 0.0f));
  CHECK(std::is_same_v<decltype(Exakt::nrm2(HostVector<float const>())), float>);
  // 2 * (2^-1074)^2: the root is rounded to a number without digits to spare.
  CHECK(same_bits(Exakt::nrm2(contiguous(std::vector<double>(2, 0x1p-1074))), 0x1p-1074));
  CHECK(same_bits(Exakt::nrm2(contiguous(std::vector<double>(3, 0x1p-1074))), 0x1p-1073));
}

TEST_CASE("a norm half way between two numbers goes to the even one, and to the nearer one beside that point") {
  // m = u^2 + v^2 is an odd integer of 54 bits, and the hypotenuse of the legs u^2 - v^2 and 2uv, which have 53.
  Random random(730);
  for (int i = 0; i < 300; ++i) {
    auto const u = random.between<std::int64_t>(90'000'000, 93'000'000),
               v = random.between<std::int64_t>(36'000'000, 38'000'000) / 2 * 2 + (u + 1) % 2;
    double const a = static_cast<double>(u * u - v * v), b = static_cast<double>(2 * u * v);
    const std::int64_t m = u * u + v * v;
    REQUIRE(m % 2 == 1);
    REQUIRE(m > (std::int64_t{1} << 53));
    double const below = static_cast<double>(m - 1), above = static_cast<double>(m + 1),
                 even = m % 4 == 1 ? below : above;
    for (std::size_t const n : {std::size_t{3}, tile_size + 1, block_size + 5}) {
      if (n > 3 && i >= 10) continue;
      std::vector<double> x(n, 0.0);
      x[random.between<std::size_t>(0, n / 2 - 1)] = a;
      x[n / 2] = -b;
      EXAKT_CHECK_BITS(Exakt::nrm2(contiguous(x)), Expected<double>{even});
      x[n - 1] = 0x1p-1074;
      EXAKT_CHECK_BITS(Exakt::nrm2(contiguous(x)), Expected<double>{above});
    }
  }
}
