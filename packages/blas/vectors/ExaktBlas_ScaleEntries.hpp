// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_SCALEENTRIES_HPP
#define EXAKTBLAS_SCALEENTRIES_HPP

/// \file
/// \brief y := beta*y, each entry rounded once: what gemv and gemm do where there is nothing to add, because alpha is
/// zero or there are no products.

#include "../drivers/ExaktBlas_Compiled.hpp"
#include "../operands/ExaktBlas_Complex.hpp"

#include <parallel/Exakt_Loop.hpp>
#include <parallel/Exakt_Region.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// beta * y; y itself if beta is one, and not read if beta is zero.
template <class Y>
KOKKOS_INLINE_FUNCTION Y scaled_entry(Factor const& beta, Y const& y) {
  if (beta.is_one()) return y;
  if (beta.is_zero()) return Y{};
  ExactProducts const nothing[Scalar<Y>::parts] = {};
  return EntryEpilogue({1, 0, false}, beta).entry(nothing, y);
}

/// An entry of a vector or of a matrix per call.
template <class Y>
struct ScaleEntries {
  Factor beta;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t number) const {
    if constexpr (Y::rank == 1) {
      y(number) = scaled_entry(beta, y(number));
    } else {
      auto& entry = y(number % y.extent(0), number / y.extent(0));
      entry = scaled_entry(beta, entry);
    }
  }
};

template <class Space, class Y>
void scale_each_entry(char const* label, Space const& space, Factor const& beta, Y const& y) {
  loop(label, space, y.size(), ScaleEntries<Y>{beta, y});
}

template <class Space, class Y>
void scale_entries(char const* label, Space const& space, Factor const& beta, Y const& y) {
  if (beta.is_one() || y.size() == 0) return;
  if constexpr (is_compiled<Space, EntryOf<Y>>) {
    Compiled::scale_entries(space, label, beta.real,
                            Compiled::Matrix<EntryOf<Y>>{y.data(), stride_along(y, 0), stride_along(y, 1)}, y.extent(0),
                            y.extent(1));
  } else {
    scale_each_entry(label, space, beta, y);
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
