// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_IAMAX_HPP
#define EXAKTBLAS1_IAMAX_HPP

#include "operands/ExaktBlas_Checks.hpp"

#include <parallel/Exakt_Region.hpp>

namespace Exakt {
namespace Impl::inline EXAKT_ABI {

/// Magnitudes as integers in the same order, which no floating-point environment changes; all NaN are the largest.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t order_of_magnitude(double x) {
  constexpr std::uint64_t magnitude_mask = ~std::uint64_t{0} >> 1;
  return is_nan(x) ? magnitude_mask : bits_of(x) & magnitude_mask;
}

/// The largest of some entries.
template <class X>
struct LargestMagnitude {
  X x;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, std::uint64_t& largest) const {
    std::uint64_t const size = order_of_magnitude(exact_double(x(i)));
    if (size > largest) largest = size;
  }
};

/// The first entry of a magnitude.
template <class X>
struct FirstOfMagnitude {
  X x;
  std::uint64_t size;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, std::size_t& first) const {
    if (i < first && order_of_magnitude(exact_double(x(i))) == size) first = i;
  }
};

/// Counted from one; zero if there is none.
template <class Space, class X>
typename X::size_type number_of_largest(Space const& space, X const& x) {
  if (x.extent(0) == 0) return 0;
  Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>> const policy(space, 0, x.extent(0));
  std::uint64_t size = 0;
  Kokkos::parallel_reduce("Exakt::iamax::size", policy, held<std::uint64_t>(LargestMagnitude<X>{x}),
                          Kokkos::Max<std::uint64_t>(size));
  std::size_t first = 0;
  Kokkos::parallel_reduce("Exakt::iamax::place", policy, held<std::size_t>(FirstOfMagnitude<X>{x, size}),
                          Kokkos::Min<std::size_t>(first));
  return static_cast<typename X::size_type>(first + 1);
}

/// A column per call.
template <class R, class X>
struct LargestOfColumn {
  R r;
  X x;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t j) const {
    std::uint64_t largest = 0;
    std::size_t number = x.extent(0) == 0 ? 0 : 1;
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      std::uint64_t const size = order_of_magnitude(exact_double(x(i, j)));
      if (size <= largest) continue;
      largest = size;
      number = i + 1;
    }
    r(j) = static_cast<typename R::value_type>(number);
  }
};

}  // namespace Impl::inline EXAKT_ABI

/// \brief The number of the first entry of x whose magnitude is largest, counted from one, as in Kokkos Kernels and in
/// the BLAS; zero if x is empty. Waits.
///
/// Exact in every order: a NaN is larger than any number, so the first of them is found.
///
/// \param space  Where to run.
/// \param x      n entries, of any layout, read. Real.
/// \par Cost  Two passes over x.
template <class Space, class X>
requires Kokkos::is_execution_space<Space>::value EXAKT_ABI_TAG typename X::size_type iamax(Space const& space,
                                                                                            X const& x) {
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

/// \brief r(j) := the number of the first entry of largest magnitude in column j of X; of a vector X into an r of rank 0.
///
/// \param space  Where to run; the work on columns is enqueued, not awaited.
/// \param r      An integer for each column.
/// \param x      n x m, of any layout, read. Real.
/// \throws std::invalid_argument  r does not have one entry for each column.
template <class Space, class R, class X>
requires Kokkos::is_execution_space<Space>::value EXAKT_ABI_TAG void iamax(Space const& space, R const& r, X const& x) {
  static_assert(Impl::require_operand<Space, X>() && Impl::require_views<R>());
  static_assert(int(X::rank) == int(R::rank) + 1, "Exakt: r has rank 0 for vectors and rank 1 for multivectors");
  static_assert(std::is_integral_v<typename R::non_const_value_type> && !std::is_const_v<typename R::value_type>,
                "Exakt: r is written, and holds integers");
  Impl::require_entry_per_column("iamax", r, x);
  Impl::in_region("Exakt::iamax", [&] {
    if constexpr (int(X::rank) == 1) {
      Kokkos::deep_copy(space, r, static_cast<typename R::value_type>(Impl::number_of_largest(space, x)));
    } else {
      Kokkos::parallel_for("Exakt::iamax",
                           Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, x.extent(1)),
                           Impl::held(Impl::LargestOfColumn<R, X>{r, x}));
    }
  });
}

/// \brief The same on the execution space of X.
template <class R, class X>
requires(!Kokkos::is_execution_space<R>::value) EXAKT_ABI_TAG void iamax(R const& r, X const& x) {
  static_assert(Impl::require_views<R, X>());
  iamax(typename X::execution_space(), r, x);
}

}  // namespace Exakt

#endif
