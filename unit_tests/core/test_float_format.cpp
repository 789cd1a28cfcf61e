// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numerics/Exakt_FloatFormat.hpp>

#include <cmath>

#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HalfFormats.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Random.hpp"

namespace {

using namespace ExaktTest;
using Exakt::FloatFormat;
namespace Impl = Exakt::Impl;

using Binary64 = FloatFormat<double>;
static_assert(Binary64::precision == 53 && Binary64::max_exponent == 1023 && Binary64::min_exponent == -1022);
static_assert(Binary64::lsb_exponent == -1074 && Binary64::width == 64 && Binary64::exponent_field_max == 2047);
static_assert(Binary64::infinity == 0x7ff0'0000'0000'0000u && Binary64::quiet_nan == 0x7ff8'0000'0000'0000u);
static_assert(Binary64::largest == 0x7fef'ffff'ffff'ffffu && Binary64::sign_mask == 0x8000'0000'0000'0000u);
static_assert(Binary64::hidden_bit == 0x0010'0000'0000'0000u && Binary64::fraction_mask == 0x000f'ffff'ffff'ffffu);

using Binary32 = FloatFormat<float>;
static_assert(Binary32::precision == 24 && Binary32::max_exponent == 127 && Binary32::min_exponent == -126);
static_assert(Binary32::lsb_exponent == -149 && Binary32::width == 32 && Binary32::exponent_field_max == 255);
static_assert(Binary32::infinity == 0x7f80'0000u && Binary32::quiet_nan == 0x7fc0'0000u &&
              Binary32::largest == 0x7f7f'ffffu);

using Binary16 = Exakt::BinaryFormat<std::uint16_t, 11, 15>;
static_assert(Binary16::lsb_exponent == -24 && Binary16::infinity == 0x7c00 && Binary16::largest == 0x7bff);
using Bfloat16 = Exakt::BinaryFormat<std::uint16_t, 8, 127>;
static_assert(Bfloat16::lsb_exponent == -133 && Bfloat16::infinity == 0x7f80 && Bfloat16::quiet_nan == 0x7fc0);

static_assert(Impl::converts_exactly_v<float, double> && Impl::converts_exactly_v<float, float>);
static_assert(!Impl::converts_exactly_v<double, float>);

template <class X, class Y, class Wider>
constexpr bool is_wider() {
  return std::is_same_v<Impl::WiderOf<X, Y>, Wider> && std::is_same_v<Impl::WiderOf<Y const&, X>, Wider>;
}
static_assert(is_wider<float, float, float>() && is_wider<float, double, double>() && is_wider<int, float, float>());
static_assert(is_wider<HalfFormats::DeviceHalf, double, double>() && is_wider<HalfFormats::DeviceHalf, float, float>());
static_assert(is_wider<HalfFormats::DeviceHalf, HalfFormats::DeviceHalf, HalfFormats::DeviceHalf>());
static_assert(is_wider<HalfFormats::DeviceHalf, signed char, HalfFormats::DeviceHalf>());
static_assert(is_wider<HalfFormats::DeviceHalf, HalfFormats::DeviceBfloat, float>());
static_assert(std::is_same_v<Impl::WiderOf<HalfFormats::DeviceHalf>, HalfFormats::DeviceHalf>);

static_assert(Impl::integer_parts(0.0).significand == 0 && !Impl::integer_parts(0.0).negative &&
              Impl::integer_parts(-0.0).negative);
static_assert(Impl::integer_parts(1.0).significand == std::uint64_t{1} << 52 &&
              Impl::integer_parts(1.0).exponent == -52);
static_assert(Impl::integer_parts(-0x1p-1074).significand == 1 && Impl::integer_parts(-0x1p-1074).exponent == -1074);
static_assert(Impl::integer_parts(0x1p-1022).significand == Binary64::hidden_bit &&
              Impl::integer_parts(0x1p-1022).exponent == -1074);

static_assert(Impl::bit_width(0) == 0 && Impl::bit_width(1) == 1 && Impl::bit_width(~std::uint64_t{0}) == 64);

template <class T>
void check_number(T x) {
  INFO(describe_bits(x));
  auto const parts = Impl::integer_parts(x);
  EXAKT_CHECK(parts.negative == std::signbit(x));
  EXAKT_CHECK(Impl::is_finite(x) && !Impl::is_nan(x));
  EXAKT_CHECK(Impl::is_negative(x) == std::signbit(x));
  EXAKT_CHECK(Impl::is_zero_or_normal(x) == (x == 0 || std::isnormal(x)));
  EXAKT_CHECK(parts.significand < std::uint64_t{1} << FloatFormat<T>::precision);
  T const magnitude = std::ldexp(static_cast<T>(parts.significand), parts.exponent);
  EXAKT_CHECK_BITS(parts.negative ? -magnitude : magnitude, x);
  EXAKT_CHECK_BITS(Impl::from_bits<T>(std::signbit(x), Impl::bits_of(std::abs(x))), x);
}

}  // namespace

TEMPLATE_TEST_CASE("a finite number is its sign, its integer significand and its exponent", "", double, float) {
  using Limits = std::numeric_limits<TestType>;
  Random random(300);
  for (int exponent = Limits::min_exponent - Limits::digits; exponent < Limits::max_exponent; ++exponent) {
    for (int i = 0; i < 20; ++i) check_number(random.value<TestType>(exponent));
    check_number(std::ldexp(TestType{1}, exponent));
    check_number(-std::ldexp(TestType{1}, exponent));
  }
  for (TestType const x : {TestType{0}, -TestType{0}, Limits::max(), Limits::lowest(), Limits::min(),
                           std::nextafter(Limits::min(), TestType{0})})
    check_number(x);
}

TEMPLATE_TEST_CASE("infinities and NaN are told apart, whatever the control word says", "", double, float) {
  using Limits = std::numeric_limits<TestType>;
  for (auto const& environment : every_fp_environment()) {
    ScopedFpEnvironment const scope(environment);
    bool const infinity = !Impl::is_finite(Limits::infinity()) && !Impl::is_nan(-Limits::infinity());
    bool const nan = Impl::is_nan(Limits::quiet_NaN()) && Impl::is_nan(Limits::signaling_NaN()) &&
                     !Impl::is_finite(Limits::quiet_NaN());
    bool const subnormal =
        !Impl::is_zero_or_normal(Limits::denorm_min()) && Impl::integer_parts(Limits::denorm_min()).significand == 1;
    EXAKT_CHECK(infinity);
    EXAKT_CHECK(nan);
    EXAKT_CHECK(subnormal);
  }
}
