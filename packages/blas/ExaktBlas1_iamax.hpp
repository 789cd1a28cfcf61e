// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_IAMAX_HPP
#define EXAKTBLAS1_IAMAX_HPP

#include "vectors/ExaktBlas_LargestMagnitude.hpp"

#include <parallel/Exakt_Loop.hpp>

namespace Exakt {

/// \brief The number of the first entry of x whose magnitude is largest, counted from one, as in Kokkos Kernels and in
/// the BLAS; zero if x is empty. Waits.
///
/// Exact in every order: a NaN is larger than any number, so the first of them is found.
///
/// \param space  Where to run.
/// \param x      n entries, of any layout, read. Real.
/// \par Cost  On hosts one pass over x, on devices two.
template <Impl::ExecutionSpace Space, class X>
EXAKT_ABI_TAG typename X::size_type iamax(Space const& space, X const& x) {
  static_assert(Impl::require_operand<Space, X>());
  static_assert(int(X::rank) == 1, "Exakt: the form that returns a number takes vectors");
  typename X::size_type result = 0;
  Impl::in_region("Exakt::iamax", [&] { result = Impl::number_of_largest(space, x); });
  return result;
}

/// \brief The same on the execution space of x.
template <class X>
EXAKT_ABI_TAG auto iamax(X const& x) {
  static_assert(Impl::require_views<X>());
  return iamax(typename X::execution_space(), x);
}

/// \brief r(j) := the number of the first entry of largest magnitude in column j of X; of a vector X into an r of rank
///   0.
///
/// \param space  Where to run; the work on columns is enqueued, not awaited.
/// \param r      An integer for each column.
/// \param x      n x m, of any layout, read. Real.
/// \throws std::invalid_argument  r does not have one entry for each column, or integers too small for the numbers of x, or one place for
///   two columns, or shares memory with x.
template <Impl::ExecutionSpace Space, class R, class X>
EXAKT_ABI_TAG void iamax(Space const& space, R const& r, X const& x) {
  static_assert(Impl::require_operand<Space, X>() && Impl::require_views<R>());
  static_assert(int(X::rank) == int(R::rank) + 1, "Exakt: r has rank 0 for vectors and rank 1 for multivectors");
  static_assert(std::is_integral_v<typename R::non_const_value_type> && !std::is_const_v<typename R::value_type>,
                "Exakt: r is written, and holds integers");
  if constexpr (int(R::rank) == 1) static_assert(Impl::require_access<Space, R>());
  Impl::require_entry_per_column("iamax", r, x);
  Impl::require_room_for_numbers<R>(x);
  Impl::require_no_overlap("iamax", "r", r, "x", x);
  Impl::in_region("Exakt::iamax", [&] {
    if constexpr (int(X::rank) == 1) {
      Kokkos::deep_copy(space, r, static_cast<typename R::value_type>(Impl::number_of_largest(space, x)));
    } else {
      Impl::loop("Exakt::iamax", space, x.extent(1), Impl::LargestOfColumn<R, X>{r, x});
    }
  });
}

/// \brief The same on the execution space of X.
template <Impl::NoExecutionSpace R, class X>
EXAKT_ABI_TAG void iamax(R const& r, X const& x) {
  static_assert(Impl::require_views<R, X>());
  iamax(typename X::execution_space(), r, x);
}

}  // namespace Exakt

#endif
