// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_ORDERED_SCATTER_ADD_HPP
#define EXAKTSCATTER_ORDERED_SCATTER_ADD_HPP

#include "impl/ExaktScatter_Blocks.hpp"

#include <parallel/Exakt_Loop.hpp>

namespace Exakt {

/// \brief NOT exact, and reproducible for the same block_size only: out(indices(j)) += values(j), in a fixed order.
///
/// The weak reproducibility of Defour and Collange (Reproducible floating-point atomic addition in data-parallel
/// environment, section III): each block of block_size terms is sorted by address, the values of one address are added
/// from left to right, and the block's sums are added to `out` in the order of the blocks. Every addition is an
/// ordinary rounded one, but which ones are made depends on the order of the terms and on block_size alone: the same
/// bits for any number of threads and on any backend; but nvcc's --use_fast_math and -ftz=true make zeros of subnormal
/// floats in these additions. (Instead of a lock that passes from block to block, each thread commits all blocks in
/// order, for addresses of its own.) For the exact sum take ScatterSum.
///
/// With block_size 1 it is the plain loop over all terms; with one block for all, each entry of `out` gets one
/// addition.
///
/// \param space       Where to run; waited for.
/// \param indices     n integers, read.
/// \param values      n numbers, float or double, read.
/// \param out         Rank 1, any number of entries of the type of the values; read and written; overlaps neither.
/// \param block_size  At least 1.
/// \throws std::invalid_argument  Another number of values than of indices, an index that `out` does not have,
///                                block_size < 1, or overlapping memory. Nothing is written then.
/// \par Cost  A sort of each block by one thread, and memory for about n indices, n values and 2n positions.
template <Impl::ExecutionSpace Space, class Indices, class Values, class Out>
EXAKT_ABI_TAG void ordered_scatter_add(Space const& space, Indices const& indices, Values const& values, Out const& out,
                                       std::int64_t block_size) {
  static_assert(Impl::require_views<Indices, Values, Out>());
  using Index = typename Indices::non_const_value_type;
  using T = typename Values::non_const_value_type;
  static_assert(Indices::rank == 1 && Values::rank == 1 && Out::rank == 1,
                "Exakt: indices, values and out are vectors, Views of rank 1");
  static_assert(Impl::is_integer_v<Index>, "Exakt: indices are integers of at most 64 bits");
  static_assert(Impl::is_float_v<T> && std::is_same_v<T, typename Out::value_type>,
                "Exakt: out is written, and has the type of the values: float or double");
  static_assert(Impl::require_access<Space, Indices>() && Impl::require_access<Space, Values>() &&
                Impl::require_access<Space, Out>());
  auto const function = "ordered_scatter_add";
  auto const refuse = [&](std::string const& why) { Impl::refuse_scatter(function, why); };
  auto const entries = [](auto const& view) {
    return std::to_string(view.extent(0)) + (view.extent(0) == 1 ? " entry" : " entries");
  };
  if (indices.extent(0) != values.extent(0)) {
    refuse("indices has " + entries(indices) + ", values has " + entries(values) + "; they must be as many");
  }
  if (block_size < 1) refuse("block_size is " + std::to_string(block_size) + "; it must be at least 1");
  if (Impl::share_entries(out, indices) || Impl::share_entries(out, values)) {
    refuse("out has " + entries(out) + ", values has " + entries(values) +
           "; out must not share memory with indices or values");
  }
  Impl::require_separate_entries(function, "out", out);
  auto const n = static_cast<std::int64_t>(indices.extent(0));
  if (n == 0) return;
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  Impl::Region const region("Exakt::ordered_scatter_add");
  Impl::WrongIndices wrong;
  Kokkos::parallel_reduce("Exakt::ordered_scatter_add::check", Range(space, 0, n),
                          Impl::held<Impl::WrongIndices>(Impl::CountWrongIndices<Indices>{indices, out.extent(0)}),
                          wrong);
  if (wrong.count > 0) {
    Index index{};
    Kokkos::View<Index, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const copy(&index);
    Kokkos::deep_copy(space, copy, Kokkos::subview(indices, wrong.first_position));
    space.fence();
    refuse("out has " + entries(out) + ", indices(" + std::to_string(wrong.first_position) + ") is " +
           std::to_string(index) + ", the first of " + std::to_string(wrong.count) +
           " that it does not have; every index must be below out.extent(0) and not negative");
  }

  // One block is as good as one that is longer than the data; positions within a block are 32-bit integers.
  if (block_size > n) block_size = n;
  if (block_size > std::numeric_limits<std::int32_t>::max()) {
    refuse("block_size is " + std::to_string(block_size) + "; it must be below 2^31");
  }
  std::int64_t const blocks = (n + block_size - 1) / block_size;
  using Memory = typename Space::memory_space;
  auto const allocate = [](std::string const& label) { return Kokkos::view_alloc(Kokkos::WithoutInitializing, label); };
  using Sums = Impl::BlockSums<Space, Index, T>;
  Sums const sums{Kokkos::View<Index*, Memory>(allocate("addresses"), n), Kokkos::View<T*, Memory>(allocate("sums"), n),
                  Kokkos::View<std::int64_t*, Memory>(allocate("counts"), blocks), block_size};
  Kokkos::View<std::int32_t*, Memory> const positions(allocate("positions"), n), others(allocate("others"), n);
  Impl::loop("Exakt::ordered_scatter_add::sort", space, blocks,
             Impl::AddWithinBlock<Space, Indices, Values, Sums>{indices, values, sums, positions, others, n,
                                                                Impl::bit_width(out.extent(0) - 1)});
  std::int64_t const concurrency = space.concurrency(), size = static_cast<std::int64_t>(out.extent(0));
  std::int64_t const owners = concurrency < size ? concurrency : size;
  Impl::loop("Exakt::ordered_scatter_add::commit", space, owners, Impl::CommitBlocks<Sums, Out>{sums, out, owners});
  space.fence();
}

/// \brief The same on the execution space of `out`.
template <class Indices, class Values, class Out>
EXAKT_ABI_TAG void ordered_scatter_add(Indices const& indices, Values const& values, Out const& out,
                                       std::int64_t block_size) {
  static_assert(Impl::require_views<Indices, Values, Out>());
  ordered_scatter_add(typename Out::execution_space(), indices, values, out, block_size);
}

}  // namespace Exakt

#endif
