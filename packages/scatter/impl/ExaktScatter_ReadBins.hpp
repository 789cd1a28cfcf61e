// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_READBINS_HPP
#define EXAKTSCATTER_READBINS_HPP

/// \file
/// \brief What kernels over all bins do, after those that added to them.

#include "ExaktScatter_BinShape.hpp"
#include "ExaktScatter_Bins.hpp"

#include <parallel/Exakt_Loop.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// A bin, rounded once to R.
template <class R>
struct RoundBin {
  using result_type = R;
  Rounding mode;
  template <class B>
  KOKKOS_FUNCTION R operator()(B const& bins, std::int64_t i) const {
    return bins.template round<R>(i, mode);
  }
};

/// A bin, exactly.
template <class Long>
struct ReadBin {
  using result_type = Long;
  template <class B>
  KOKKOS_FUNCTION Long operator()(B const& bins, std::int64_t i) const {
    return bins.accumulator(i);
  }
};

/// result(i) := read(bins, first + i).
template <class B, class Read, class Result>
struct ReadBins {
  B bins;
  Read read;
  Result result;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { result(i) = read(bins, first + i); }
};

/// result(i, j, ...) := bin (i, j, ...), rounded.
template <class B, class Shape, class Result>
struct RoundBins {
  using R = typename Result::non_const_value_type;
  B bins;
  Shape shape;
  Result result;
  Rounding mode;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    entry_of(result, shape, i) = bins.template round<R>(i, mode);
  }
};

/// result(i, j, ...) += bin (i, j, ...), the whole rounded.
template <class B, class Shape, class Result>
struct AddBins {
  using R = typename Result::non_const_value_type;
  B bins;
  Shape shape;
  Result result;
  Rounding mode;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto& entry = entry_of(result, shape, i);
    R const before = entry;
    entry = bins.round_with(i, before, mode);
  }
};

/// Bin first + i := sums(i). \pre Nobody else is at these bins.
template <class B, class Sums>
struct AssignBins {
  B bins;
  Sums sums;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (int k = 0; k <= bins.digits; ++k) bins.words(first + i, k) = 0;
    bins.template add_term<false>(first + i, sums(i));
  }
};

template <class B>
struct MergeBins {
  B into, from;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { into.merge(i, from); }
};

/// What other bins refused counts as refused here. Threads may be taking down others, and use new planes.
template <class Report>
struct JoinRefusals {
  Report report;
  ScatterReport refused;
  KOKKOS_FUNCTION void operator()(std::size_t) const {
    join(&report().outside_of_bins, refused.outside_of_bins);
    join(&report().outside_of_range, refused.outside_of_range);
    join(&report().inexact, refused.inexact);
  }
};

/// The bins that both shapes have.
template <class B, class Shape>
struct CopyBins {
  B into, from;
  Shape shape, old_shape;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t const old = old_shape.index_in(shape, i);
    if (old < 0) return;
    for (int k = 0; k <= into.digits; ++k) into.words(i, k) = from.words(old, k);
  }
};

/// f(i) for a block of them, for which the environment is held once; for each alone on devices.
template <class Space, class F>
struct InBlocks {
  static constexpr std::int64_t length =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible ? 64 : 1;
  F f;
  std::int64_t count;
  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    std::int64_t const begin = block * length, end = count - begin < length ? count : begin + length;
    for (std::int64_t i = begin; i < end; ++i) f(i);
  }
};

/// f(i) for 0 <= i < count, in the default environment; waited for.
template <class Space, class F>
void for_each_in_blocks(char const* label, Space const& space, std::int64_t count, F const& f) {
  using Blocks = InBlocks<Space, F>;
  std::int64_t const blocks = (count + Blocks::length - 1) / Blocks::length;
  loop(label, space, blocks, Blocks{f, count});
  space.fence();
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
