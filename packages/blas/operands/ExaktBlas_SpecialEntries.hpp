// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_SPECIALENTRIES_HPP
#define EXAKTBLAS_SPECIALENTRIES_HPP

/// \file
/// \brief Whether there are infinities or NaN among some entries: what is multiplied with zeros must have none.

#include "ExaktBlas_Scalars.hpp"

#include <parallel/Exakt_Loop.hpp>

#include <cstddef>

namespace Exakt::Impl::inline EXAKT_ABI {

template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool is_finite_entry(T const& entry) {
  if constexpr (Scalar<T>::is_complex) {
    return is_finite(Scalar<T>::real(entry)) && is_finite(Scalar<T>::imaginary(entry));
  } else {
    return is_finite(entry);
  }
}

/// Counts them, an entry of a vector or a matrix per call.
template <class X>
struct CountSpecialEntries {
  X x;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, std::size_t& count) const {
    if constexpr (int(X::rank) == 1) {
      count += is_finite_entry(x(i)) ? 0 : 1;
    } else {
      std::size_t const rows = x.extent(0);
      count += is_finite_entry(x(i % rows, i / rows)) ? 0 : 1;
    }
  }
};

template <class Space, class X>
bool has_special_entries(char const* label, Space const& space, X const& x) {
  constexpr std::size_t entries_worth_waking = 65'536;
  CountSpecialEntries<X> const term{x};
  std::size_t count = 0;
  if (is_on_host_v<Space> && x.size() < entries_worth_waking) {
    for (std::size_t i = 0; i < x.size(); ++i) term(i, count);
  } else {
    reduce_loop(label, space, x.size(), held<std::size_t>(term), Kokkos::Sum<std::size_t>(count));
  }
  return count > 0;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
