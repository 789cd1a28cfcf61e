// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_BALANCEDINTEGER_HPP
#define EXAKTBLAS_BALANCEDINTEGER_HPP

/// \file
/// \brief Residues and integers one at a time: on devices, and where one entry of a matrix stands alone.

#include "../../operands/ExaktBlas_Epilogue.hpp"
#include "ExaktBlas_Moduli.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

KOKKOS_FORCEINLINE_FUNCTION double multiply_add(double x, double factor, double y) { return x * factor + y; }
KOKKOS_FORCEINLINE_FUNCTION double scaled(double x, double factor) { return x * factor; }
template <class Number>
KOKKOS_FORCEINLINE_FUNCTION Number every(double x) {
  return x;
}
KOKKOS_FORCEINLINE_FUNCTION double where_less(double x, double limit, double then, double otherwise) {
  return x < limit ? then : otherwise;
}

#include "../../kernels/ExaktBlas_Residues-inl.hpp"

/// X * 2^unit.
template <class Kind>
KOKKOS_INLINE_FUNCTION ExactProducts scaled(BalancedInteger<Kind, double> const& X, int unit) {
  ExactProducts result;
  for (int c = 0; c < X.count(); ++c) {
    // The highest chunks may lie beyond the accumulator, but then they are zero.
    auto const parts = integer_parts_of_integer(static_cast<std::int64_t>(X.chunk[c]));
    if (parts.significand != 0) result.add_scaled(parts.significand, unit + Kind::chunk_bits * c, parts.negative);
  }
  return result;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
