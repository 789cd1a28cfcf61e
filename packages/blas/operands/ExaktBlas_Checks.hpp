// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_CHECKS_HPP
#define EXAKTBLAS_CHECKS_HPP

/// \file
/// \brief Checks of the operands of this package's functions, with one wording for all. They stay on in Release.

#include "ExaktBlas_Scalars.hpp"

#include <parallel/Exakt_OperandChecks.hpp>

#include <Kokkos_Core.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// A verb as users know it: "Exakt::symv".
struct Verb {
  char const* label;
  char const* name() const { return label + sizeof("Exakt::") - 1; }
};

/// What can be known at compile time about an operand of rank `rank` of a matrix function, in memory that its team or its
/// space reaches.
template <class V, int rank>
KOKKOS_FUNCTION constexpr bool require_operand_of_team() {
  static_assert(require_views<V>());
  if constexpr (are_views_v<V>) {
    static_assert(int(V::rank) == rank,
                  "Exakt: a matrix has rank 2, a vector rank 1; of a View of another rank take a Kokkos::subview");
    static_assert(require_entries<RealEntryOf<V>>());
  }
  return true;
}

template <class Space, class V, int rank>
constexpr bool require_matrix_operand() {
  static_assert(require_operand_of_team<V, rank>());
  if constexpr (are_views_v<V>) static_assert(require_access<Space, V>());
  return true;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
