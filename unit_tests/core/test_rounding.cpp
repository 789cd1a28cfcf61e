// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Rounding.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cmath>

#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Random.hpp"

namespace {

// 16-bit formats that no processor or library has to know.
struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};

}  // namespace

template <>
struct Exakt::FloatFormat<Half> : Exakt::BinaryFormat<std::uint16_t, 11, 15> {};
template <>
struct Exakt::FloatFormat<Bfloat> : Exakt::BinaryFormat<std::uint16_t, 8, 127> {};

namespace {

using namespace ExaktTest;
using Exakt::Impl::round_to;
using Exakt::Impl::TruncatedReal;

constexpr auto nearest = Rounding::to_nearest, toward_zero = Rounding::toward_zero, upward = Rounding::upward,
               downward = Rounding::downward;
constexpr std::uint64_t one = std::uint64_t{1} << 63;
constexpr double max = std::numeric_limits<double>::max();

// Worked out by hand. A significand of 64 bits with exponent -63 is a number in [1, 2).
static_assert(round_to<double>({one, -63, false, false}, nearest) == 1.0);
static_assert(round_to<double>({one, -63, true, false}, upward) == -1.0);
static_assert(round_to<double>({one + 1024, -63, false, false}, nearest) == 1.0, "a tie goes to even");
static_assert(round_to<double>({one + 1024, -63, false, true}, nearest) == 1.0 + 0x1p-52, "sticky breaks the tie");
static_assert(round_to<double>({one + 2048 + 1024, -63, false, false}, nearest) == 1.0 + 0x1p-51, "a tie goes to even");
static_assert(round_to<double>({one + 1023, -63, false, true}, nearest) == 1.0);
static_assert(round_to<double>({one, -63, false, true}, upward) == 1.0 + 0x1p-52);
static_assert(round_to<double>({one, -63, false, true}, downward) == 1.0);
static_assert(round_to<double>({one, -63, true, true}, downward) == -1.0 - 0x1p-52);
static_assert(round_to<double>({one, -63, true, true}, toward_zero) == -1.0);
static_assert(round_to<double>({~std::uint64_t{0}, -63, false, false}, nearest) == 2.0,
              "a carry through the significand");
static_assert(round_to<double>({~std::uint64_t{0}, 960, false, false}, nearest) == infinity);
static_assert(round_to<double>({~std::uint64_t{0}, 960, false, true}, toward_zero) == max);
static_assert(round_to<double>({~std::uint64_t{0}, 960, true, false}, upward) == -max);
static_assert(round_to<double>({~std::uint64_t{0} - 1023, 960, false, false}, nearest) == infinity,
              "half a unit above the largest number");
static_assert(round_to<double>({~std::uint64_t{0} - 1024, 960, false, true}, nearest) == max);
static_assert(round_to<double>({1, 1024, false, false}, downward) == max);
static_assert(round_to<double>({1, 1024, true, false}, downward) == -infinity);
static_assert(round_to<double>({1, -1074, false, false}, nearest) == 0x1p-1074);
static_assert(round_to<double>({1, -1075, false, false}, nearest) == 0.0);
static_assert(round_to<double>({1, -1075, false, true}, nearest) == 0x1p-1074);
static_assert(round_to<double>({3, -1075, false, false}, nearest) == 0x1p-1073);
static_assert(round_to<double>({one, -1138, false, false}, nearest) == 0.0, "64 bits too far down");
static_assert(round_to<double>({one, -1138, false, true}, nearest) == 0x1p-1074);
static_assert(round_to<double>({one, -1139, false, true}, nearest) == 0.0);
static_assert(round_to<double>({1, -3000, false, false}, upward) == 0x1p-1074);
static_assert(round_to<double>({1, -3000, true, false}, upward) == 0.0);
static_assert(round_to<float>({one + (std::uint64_t{1} << 39), -63, false, false}, nearest) == 1.0f);
static_assert(round_to<float>({one + (std::uint64_t{1} << 39) + 1, -63, false, false}, nearest) == 1.0f + 0x1p-23f,
              "never by way of double");

/// x lies at `quarters`/4 of the way from the number with these bits to the next one, plus `rest`: both neighbours are
/// known, so the right answer is too, for every mode, subnormal numbers and the step to infinity included.
template <class T>
bool rounds_right_between(BitsOf<T> below, int quarters, bool rest, int spare_bits, bool negative) {
  using F = Exakt::FloatFormat<T>;
  static_assert(F::largest + 1 == F::infinity, "so `below + 1` is infinity where it should be");
  auto const parts = Exakt::Impl::integer_parts(std::bit_cast<T>(below));
  TruncatedReal const x{((parts.significand << 2) + static_cast<unsigned>(quarters)) << spare_bits,
                        parts.exponent - 2 - spare_bits, negative, rest};
  bool const exact = quarters == 0 && !rest, odd = (below & 1) != 0;
  bool const above_half = quarters > 2 || (quarters == 2 && rest), tie = quarters == 2 && !rest;
  bool const zero = below == 0 && exact;
  // An exact zero has no sign of its own: -0 downward, +0 otherwise.
  auto const is_right = [&](Rounding mode, bool away) {
    bool const minus = zero ? mode == downward : negative;
    return bits_of(round_to<T>(x, mode)) ==
           bits_of(Exakt::Impl::from_bits<T>(minus, static_cast<BitsOf<T>>(below + away)));
  };
  return is_right(nearest, above_half || (tie && odd)) && is_right(toward_zero, false) &&
         is_right(negative ? downward : upward, !exact) && is_right(negative ? upward : downward, false);
}

template <class T>
bool all_round_right_between(BitsOf<T> below) {
  // Once with as many bits as there are, and once moved up until the highest of 64 bits is taken.
  int const spare = 62 - std::bit_width(Exakt::Impl::integer_parts(std::bit_cast<T>(below)).significand);
  bool const negative = (below >> 1) % 2 != 0;
  bool right = true;
  for (int quarters = 0; quarters < 4; ++quarters)
    for (bool const rest : {false, true})
      right = right && rounds_right_between<T>(below, quarters, rest, 0, negative) &&
              rounds_right_between<T>(below, quarters, rest, spare, !negative);
  return right;
}

template <class T>
void check_all_between(BitsOf<T> below) {
  INFO("from the number with bits 0x" << std::hex << below << " to its successor");
  EXAKT_CHECK(all_round_right_between<T>(below));
}

}  // namespace

TEST_CASE("every float is found from everything between it and its successor") {
  // A long run, of 100 times the cases or more, leaves none out.
  std::uint64_t const stride = case_factor() >= 100 ? 1 : 4999 / case_factor();
  constexpr std::uint64_t count = Exakt::FloatFormat<float>::infinity;
  std::uint64_t wrong = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<std::uint64_t>>(
          0, (count - 1) / stride + 1),
      [=](std::uint64_t i, std::uint64_t& partial) {
        partial += !all_round_right_between<float>(static_cast<std::uint32_t>(i * stride));
      },
      wrong);
  CHECK(wrong == 0);
  tally().against_itself += (count - 1) / stride + 1;
  tally().differences += wrong;
}

TEMPLATE_TEST_CASE("every number of a 16-bit format is found from everything between it and its successor", "", Half,
                   Bfloat) {
  for (unsigned bits = 0; bits < Exakt::FloatFormat<TestType>::infinity; ++bits)
    check_all_between<TestType>(static_cast<std::uint16_t>(bits));
}

TEMPLATE_TEST_CASE("numbers next to powers of two, the subnormal boundary and the overflow threshold round right", "",
                   double, float) {
  using F = Exakt::FloatFormat<TestType>;
  using Bits = BitsOf<TestType>;
  for (int biased = 0; biased < F::exponent_field_max; ++biased) {
    Bits const power = static_cast<Bits>(static_cast<Bits>(biased) << (F::precision - 1));
    for (Bits distance = 0; distance < 5; ++distance) {
      check_all_between<TestType>(static_cast<Bits>(power + distance));
      check_all_between<TestType>(static_cast<Bits>(power + F::hidden_bit - 1 - distance));
    }
  }
  for (int bit = 0; bit < F::precision; ++bit) {
    check_all_between<TestType>(static_cast<Bits>(Bits{1} << bit));
    check_all_between<TestType>(static_cast<Bits>((Bits{1} << bit) - 1));
  }
}

TEST_CASE("random doubles are found from everything between them and their successors") {
  Random random(320);
  for (std::uint64_t i = 0; i < 100'000 * case_factor(); ++i) {
    auto const bits = random.bits() >> 1;
    if (bits < Exakt::FloatFormat<double>::infinity) check_all_between<double>(bits);
  }
}

TEMPLATE_TEST_CASE("significands of every length at every exponent agree with MPFR, in every environment", "", double,
                   float) {
  using T = TestType;
  Random random(321);
  for (std::uint64_t i = 0; i < 30'000 * case_factor(); ++i) {
    auto const significand = random.bits() >> random.between(0, 63);
    int const width = std::bit_width(significand);
    int const exponent = random.between(std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits - 70,
                                        std::numeric_limits<T>::max_exponent + 3) -
                         width;
    bool const negative = random.coin();
    // 2^exponent may be out of reach of double: in two factors it is not.
    int const half = exponent / 2;
    Exact exact;
    exact.add_product(std::ldexp(static_cast<double>(significand >> 32), 32 + half), std::ldexp(1.0, exponent - half));
    exact.add_product(std::ldexp(static_cast<double>(significand & 0xffffffff), half),
                      std::ldexp(1.0, exponent - half));
    if (negative) exact.negate();
    INFO(significand << " * 2^" << exponent << (negative ? ", negative" : ""));
    auto const& environment = every_fp_environment()[random.between<std::size_t>(0, every_fp_environment().size() - 1)];
    T rounded[4];
    {
      ScopedFpEnvironment const scope(environment);
      for (int mode = 0; mode < 4; ++mode)
        rounded[mode] = round_to<T>({significand, exponent, negative, false}, every_rounding[mode]);
    }
    for (int mode = 0; mode < 4; ++mode) EXAKT_CHECK_BITS(rounded[mode], exact.round<T>(every_rounding[mode]));
  }
}
