// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_HALF_HPP
#define EXAKT_HALF_HPP

/// \file
/// \brief Kokkos' half_t and bhalf_t as terms and results. Where the backend has no 16-bit type of its own, Kokkos
/// makes them another name of float, and nothing is left to do here.

#include "numerics/Exakt_FloatFormat.hpp"

#include <Kokkos_Core.hpp>

namespace Exakt {

#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
template <>
inline constexpr bool Impl::has_float_format_v<Kokkos::Experimental::half_t> = true;
template <>
struct FloatFormat<Kokkos::Experimental::half_t> : BinaryFormat<std::uint16_t, 11, 15> {};
#endif

#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
template <>
inline constexpr bool Impl::has_float_format_v<Kokkos::Experimental::bhalf_t> = true;
template <>
struct FloatFormat<Kokkos::Experimental::bhalf_t> : BinaryFormat<std::uint16_t, 8, 127> {};
#endif

}  // namespace Exakt

#endif
