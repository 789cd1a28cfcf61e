// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TEAMPRODUCTS_HPP
#define EXAKTBLAS_TEAMPRODUCTS_HPP

/// \file
/// \brief Sums of products by one thread of a team: the path of devices and of the team functions, real and complex.

#include "../operands/ExaktBlas_Complex.hpp"
#include "../operands/ExaktBlas_Modes.hpp"

#include <Exakt_Reducer.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// The entries of op(A).
template <class V>
struct Operated {
  using Entry = EntryOf<V>;

  V view;
  bool transposed, conjugated;

  KOKKOS_FUNCTION Operated(V const& a, ModeLetter mode)
      : view(a), transposed(!mode.is('N')), conjugated(has_complex_entries<V> && mode.is('C')) {}

  KOKKOS_FORCEINLINE_FUNCTION std::size_t rows() const { return view.extent(transposed ? 1 : 0); }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t columns() const { return view.extent(transposed ? 0 : 1); }
  /// Whether neighbours in a row are neighbours in memory.
  bool rows_are_contiguous() const {
    return transposed ? view.stride(0) <= view.stride(1) : view.stride(1) <= view.stride(0);
  }
  KOKKOS_FORCEINLINE_FUNCTION Entry entry(std::size_t i, std::size_t j) const {
    Entry const value = transposed ? view(j, i) : view(i, j);
    return conjugated ? conjugate_entry(value) : value;
  }
};

/// The operand of a verb on `Space`.
template <class Space, class V>
auto operated(V const& a, ModeLetter mode) {
  return Operated<decltype(uncounted<Space>(a))>(uncounted<Space>(a), mode);
}

/// The sum of a(j) * x(j), j from `begin` to `end`, by the vector lanes of one thread of a team; all of them get it.
/// \tparam Sum  Exact, or a cascade, for each part of it.
template <class Sum, class Member, class A, class X>
KOKKOS_INLINE_FUNCTION Sum thread_sum_of_products(Member const& member, A const& a, X const& x, std::size_t begin,
                                                  std::size_t end) {
  Sum sum;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(member, end - begin),
      [&](std::size_t j, Sum& partial) { partial.add_product(a(begin + j), x(begin + j)); }, Reducer<Sum>(sum));
  return sum;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
