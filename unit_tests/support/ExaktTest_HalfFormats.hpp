// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_HALFFORMATS_HPP
#define EXAKTTEST_HALFFORMATS_HPP

/// \file
/// \brief 16-bit formats that no processor or library has to know: where Kokkos has none, its half types are float.

#include <Exakt_LongAccumulator.hpp>
#include <numerics/Exakt_ExactTerm.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

/// Apart from ExaktTest, whose bits_of would be found as well as the library's.
namespace HalfFormats {

struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};

/// As Kokkos' half types where it has them: numbers convert to it implicitly, and it to numbers explicitly only.
template <int precision, int max_exponent>
struct DeviceFormat {
  std::uint16_t bits;

  DeviceFormat() = default;
  template <class T>
  requires std::is_arithmetic_v<T> DeviceFormat(T x) {  // NOLINT(google-explicit-constructor)
    Exakt::LongAccumulator<double> sum;
    sum += static_cast<double>(x);
    bits = sum.template round<DeviceFormat>().bits;
  }
  explicit operator float() const { return static_cast<float>(Exakt::Impl::exact_double(*this)); }
  explicit operator double() const { return Exakt::Impl::exact_double(*this); }
};
using DeviceHalf = DeviceFormat<11, 15>;
using DeviceBfloat = DeviceFormat<8, 127>;

/// f(x, y, wider) with numbers of two types, one of 16 bits among them, and one of the wider type.
template <class F>
void for_each_mixed_pair(F const& f) {
  f(DeviceHalf(), 0.0, 0.0);
  f(0.0f, DeviceHalf(), 0.0f);
  f(DeviceBfloat(), 0.0f, 0.0f);
  f(DeviceHalf(), DeviceBfloat(), 0.0f);
}

/// Factors of n products of these types, of which all digits are in use, and the same as doubles.
template <class X, class Y>
struct MixedFactors {
  std::vector<X> x;
  std::vector<Y> y;
  std::vector<double> wide_x, wide_y;

  explicit MixedFactors(int n) {
    for (int i = 0; i < n; ++i) {
      x.push_back(static_cast<X>((i % 9 - 3) / 7.0));
      y.push_back(static_cast<Y>(5e4 / (i + 1)));
      wide_x.push_back(static_cast<double>(x.back()));
      wide_y.push_back(static_cast<double>(y.back()));
    }
  }
};

}  // namespace HalfFormats

namespace Exakt {

template <>
inline constexpr bool Impl::has_float_format_v<HalfFormats::Half> = true;
template <>
struct FloatFormat<HalfFormats::Half> : BinaryFormat<std::uint16_t, 11, 15> {};
template <>
inline constexpr bool Impl::has_float_format_v<HalfFormats::Bfloat> = true;
template <>
struct FloatFormat<HalfFormats::Bfloat> : BinaryFormat<std::uint16_t, 8, 127> {};
template <int precision, int max_exponent>
inline constexpr bool Impl::has_float_format_v<HalfFormats::DeviceFormat<precision, max_exponent>> = true;
template <int precision, int max_exponent>
struct FloatFormat<HalfFormats::DeviceFormat<precision, max_exponent>>
    : BinaryFormat<std::uint16_t, precision, max_exponent> {};

}  // namespace Exakt

#endif
