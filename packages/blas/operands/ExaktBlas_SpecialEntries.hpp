// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_SPECIALENTRIES_HPP
#define EXAKTBLAS_SPECIALENTRIES_HPP

/// \file
/// \brief Whether there are infinities or NaN among some entries: what is multiplied with zeros must have none.

#include "ExaktBlas_Scalars.hpp"

#include <Exakt_Reducer.hpp>
#include <parallel/Exakt_Loop.hpp>

#include <cstddef>
#include <string>

namespace Exakt::Impl::inline EXAKT_ABI {

template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool is_finite_entry(T const& entry) {
  if constexpr (Scalar<T>::is_complex) {
    return is_finite(Scalar<T>::real(entry)) && is_finite(Scalar<T>::imaginary(entry));
  } else {
    return is_finite(entry);
  }
}

/// How many of them there are.
struct SpecialEntries {
  std::size_t count = 0;

  KOKKOS_FUNCTION void clear() { count = 0; }
  KOKKOS_FUNCTION SpecialEntries& operator+=(SpecialEntries const& other) {
    count += other.count;
    return *this;
  }
};

/// Looks at an entry of a vector or a matrix per call.
template <class X>
struct CountSpecialEntries {
  X x;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, SpecialEntries& found) const {
    if constexpr (int(X::rank) == 1) {
      found.count += is_finite_entry(x(i)) ? 0 : 1;
    } else {
      std::size_t const rows = x.extent(0);
      found.count += is_finite_entry(x(i % rows, i / rows)) ? 0 : 1;
    }
  }
};

template <class Space, class X>
bool has_special_entries(char const* label, Space const& space, X const& x) {
  constexpr std::size_t entries_worth_waking = 65'536;
  CountSpecialEntries<X> const term{x};
  SpecialEntries found;
  if (runs_on_host<Space> && x.size() < entries_worth_waking) {
    for (std::size_t i = 0; i < x.size(); ++i) term(i, found);
  } else {
    reduce_loop(std::string(label), space, x.size(), held<SpecialEntries>(term), Reducer<SpecialEntries>(found));
  }
  return found.count > 0;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
