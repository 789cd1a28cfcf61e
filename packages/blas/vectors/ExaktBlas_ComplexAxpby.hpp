// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COMPLEXAXPBY_HPP
#define EXAKTBLAS_COMPLEXAXPBY_HPP

/// \file
/// \brief y := alpha * x + beta * y of complex numbers: each part of an entry from the enclosures of its products on
/// hosts, exactly where they do not decide it, and on devices.

#include "../matrix_vector/ExaktBlas_ComplexProducts.hpp"
#include "../structured/ExaktBlas_Dense.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// An entry per call, of vectors (column 0) or multivectors.
///
/// \tparam A  double or complex<double>: a real factor leaves the parts of an entry apart, an infinity among them too.
template <class A, class X, class Y>
struct ComplexAxpbyEntry {
  A alpha;
  bool reads_x, has_enclosures;
  EntryEpilogue epilogue;
  X x;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, std::size_t j) const {
    if constexpr (int(Y::rank) == 1) {
      update(x(i), y(i));
    } else {
      update(x(i, j), y(i, j));
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION void update(EntryOf<X> const& added, EntryOf<Y>& entry) const {
    EXAKT_IF_ON_HOST((if (try_update(added, entry)) return;))
    ExactParts<true> sums;
    if (reads_x) sums.add_product(alpha, added);
    entry = epilogue.entry(sums, entry);
  }
  bool try_update(EntryOf<X> const& added, EntryOf<Y>& entry) const {
    if constexpr (is_float_v<RealEntryOf<Y>>) {
      if (!has_enclosures) return false;
      GatheredSums<2> sums;
      if (reads_x) sums.add(alpha, added);
      return try_round_entry(epilogue, sums, entry);
    } else {
      return false;  // enclosures do not decide half types
    }
  }
};

/// \brief y := alpha * x + beta * y, y complex.
template <class Space, class F, class X, class Y>
void update_by_complex_axpby(char const* label, Space const& space, F const& alpha, X const& x, Factor const& beta,
                             Y const& y) {
  using A = std::conditional_t<Scalar<F>::is_complex, Kokkos::complex<double>, double>;
  Factor const a = factor(alpha);
  if (a.is_zero() && beta.is_one()) return;
  A exact_alpha{a.real};
  if constexpr (Scalar<F>::is_complex) exact_alpha = A(a.real, a.imaginary);
  bool has_enclosures = false;
  if constexpr (runs_on_host<Space>) has_enclosures = matrix_kernels().has_enclosures;
  Factor const once{1, 0, false};
  for_each_entry(
      label, space, y.extent(0), int(Y::rank) == 1 ? 1 : y.extent(1),
      ComplexAxpbyEntry<A, X, Y>{exact_alpha, !a.is_zero(), has_enclosures, EntryEpilogue(once, beta), x, y});
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
