// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_HALFFORMATS_HPP
#define EXAKTTEST_HALFFORMATS_HPP

/// \file
/// \brief 16-bit formats that no processor or library has to know: where Kokkos has none, its half types are float.

#include <numerics/Exakt_FloatFormat.hpp>

#include <cstdint>

/// Apart from ExaktTest, whose bits_of would be found as well as the library's.
namespace HalfFormats {

struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
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

}  // namespace Exakt

#endif
