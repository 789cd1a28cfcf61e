// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_BLOCKS_HPP
#define EXAKTSCATTER_BLOCKS_HPP

/// \file
/// \brief The steps of ordered_scatter_add: sort each block, add within it, commit block after block.

#include "ExaktScatter_Checks.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// The block sums of one address each, block after block, sorted by address within a block.
template <class Space, class Index, class T>
struct BlockSums {
  using Memory = typename Space::memory_space;
  Kokkos::View<Index*, Memory> addresses;
  Kokkos::View<T*, Memory> sums;
  Kokkos::View<std::int64_t*, Memory> counts;  // by block
  std::int64_t block_size;
};

/// Sorts the positions of one block by address, stably, by eight bits of the address after the other from the lowest.
///
/// \param bits  Length of the largest address.
/// \return Which of the two arrays holds the sorted positions.
template <class Indices>
KOKKOS_INLINE_FUNCTION std::int32_t* sort_by_address(Indices const& indices, std::int64_t begin, std::int32_t n,
                                                     int bits, std::int32_t* positions, std::int32_t* other) {
  constexpr int step = 8, digits = 1 << step;
  for (std::int32_t i = 0; i < n; ++i) positions[i] = i;
  for (int low = 0; low < bits; low += step) {
    auto const digit = [&](std::int32_t position) {
      return static_cast<int>(static_cast<std::uint64_t>(indices(begin + position)) >> low) & (digits - 1);
    };
    std::int32_t place[digits] = {};
    for (std::int32_t i = 0; i < n; ++i) ++place[digit(i)];
    std::int32_t before = 0;
    for (std::int32_t& entry : place) {
      std::int32_t const count = entry;
      entry = before;
      before += count;
    }
    for (std::int32_t i = 0; i < n; ++i) other[place[digit(positions[i])]++] = positions[i];
    std::int32_t* const sorted = other;
    other = positions;
    positions = sorted;
  }
  return positions;
}

/// The same for few positions, each put to its place among those before it.
template <class Indices>
KOKKOS_INLINE_FUNCTION void insert_by_address(Indices const& indices, std::int64_t begin, std::int32_t n,
                                              std::int32_t* positions) {
  for (std::int32_t i = 0; i < n; ++i) {
    std::int32_t place = i;
    for (; place > 0 && indices(begin + i) < indices(begin + positions[place - 1]); --place) {
      positions[place] = positions[place - 1];
    }
    positions[place] = i;
  }
}

/// Block b: the values of each address, added in their order.
template <class Space, class Indices, class Values, class Sums>
struct AddWithinBlock {
  Indices indices;
  Values values;
  Sums sums;
  Kokkos::View<std::int32_t*, typename Space::memory_space> positions, others;
  std::int64_t n;
  int address_bits;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    constexpr std::int32_t few = 32;  // fewer than a histogram of digits has entries by far
    using T = typename Values::non_const_value_type;
    std::int64_t const begin = block * sums.block_size;
    auto const length = static_cast<std::int32_t>(n - begin < sums.block_size ? n - begin : sums.block_size);
    std::int32_t* sorted = positions.data() + begin;
    if (length <= few) {
      insert_by_address(indices, begin, length, sorted);
    } else {
      sorted = sort_by_address(indices, begin, length, address_bits, sorted, others.data() + begin);
    }
    std::int64_t count = 0;
    for (std::int32_t i = 0; i < length; ++count) {
      auto const address = indices(begin + sorted[i]);
      T sum = values(begin + sorted[i]);
      for (++i; i < length && indices(begin + sorted[i]) == address; ++i) sum += values(begin + sorted[i]);
      sums.addresses(begin + count) = address;
      sums.sums(begin + count) = sum;
    }
    sums.counts(block) = count;
  }
};

/// Addresses [first, last): the sums of all blocks, added to the output in the order of the blocks. Who owns which
/// addresses has no effect on any of them.
template <class Sums, class Out>
struct CommitBlocks {
  Sums sums;
  Out out;
  std::int64_t owners;

  KOKKOS_FUNCTION void operator()(std::int64_t owner) const {
    auto const entries = static_cast<std::int64_t>(out.extent(0));
    std::int64_t const per_owner = (entries + owners - 1) / owners, first = owner * per_owner, last = first + per_owner;
    for (std::int64_t block = 0; block < static_cast<std::int64_t>(sums.counts.extent(0)); ++block) {
      std::int64_t const begin = block * sums.block_size, end = begin + sums.counts(block);
      for (std::int64_t i = lower_bound(begin, end, first); i < end && address(i) < last; ++i) {
        out(address(i)) += sums.sums(i);
      }
    }
  }

 private:
  KOKKOS_FUNCTION std::int64_t address(std::int64_t i) const { return static_cast<std::int64_t>(sums.addresses(i)); }

  KOKKOS_FUNCTION std::int64_t lower_bound(std::int64_t begin, std::int64_t end, std::int64_t wanted) const {
    while (begin < end) {
      std::int64_t const middle = begin + (end - begin) / 2;
      if (address(middle) < wanted) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }
};

/// How many indices are not below `size`, and the first of them in the order of the terms.
struct WrongIndices {
  std::int64_t count = 0, first_position = 0;
};

template <class Indices>
struct CountWrongIndices {
  using value_type = WrongIndices;
  static constexpr std::int64_t behind_all = std::numeric_limits<std::int64_t>::max();
  Indices indices;
  std::uint64_t size;

  KOKKOS_FUNCTION void operator()(std::int64_t i, WrongIndices& wrong) const {
    auto const index = indices(i);
    bool inside = static_cast<std::uint64_t>(index) < size;
    if constexpr (std::is_signed_v<decltype(index)>) inside = inside && index >= 0;
    if (!inside) join(wrong, {1, i});
  }
  KOKKOS_FUNCTION void init(WrongIndices& wrong) const { wrong = {0, behind_all}; }
  KOKKOS_FUNCTION void join(WrongIndices& into, WrongIndices const& from) const {
    into.count += from.count;
    if (from.first_position < into.first_position) into.first_position = from.first_position;
  }
  // FIXME(kokkos<4): older versions call join on volatile references to values of one thread.
  KOKKOS_FUNCTION void join(WrongIndices volatile& into, WrongIndices const volatile& from) const {
    join(const_cast<WrongIndices&>(into), const_cast<WrongIndices const&>(from));
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
