// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_FEWKEYS_HPP
#define EXAKT_FEWKEYS_HPP

/// \file
/// \brief Sums by key where the keys lie close together: an accumulator for each, and nothing is moved in memory.
///
/// On hosts a tile of terms is ordered by key within the cache; then those of one key are added together, by extraction.
/// On devices all threads add to accumulators in memory.

#include "../Exakt_AtomicAccumulator.hpp"
#include "../summation/Exakt_Extraction.hpp"
#include "Exakt_ScratchMemory.hpp"
#include "Exakt_SortByKey.hpp"
#include "Exakt_TeamSums.hpp"

#include <limits>
#include <optional>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Keys from the least to the most, at most: then a tile has some dozen terms of each.
inline constexpr std::size_t few_keys = 256;

/// The terms of one key so far.
struct KeyTotal {
  using Long = LongAccumulator<double>;
  Long sum;
  Extraction<Long, 3> extraction;
  std::size_t count = 0;
};

/// \brief Adds the terms of a chunk to the totals of their keys. \pre The default floating-point environment.
template <class Keys, class X>
void add_to_totals(Keys const& keys, KeyRange<typename Keys::non_const_value_type> const& range, X const& x,
                   std::size_t begin, std::size_t end, KeyTotal* totals) {
  using Value = typename ColumnTiles<X>::Value;
  constexpr std::size_t tile_size = 8192;
  std::size_t const span = static_cast<std::size_t>(range.offset_of(range.most)) + 1;
  UninitializedArray<Value> const values(tile_size);
  UninitializedArray<std::uint8_t> const offsets(tile_size);
  for (std::size_t tile = begin; tile < end; tile += tile_size) {
    // Both halves side by side: terms of one key wait for the place of the one before.
    std::size_t const count = end - tile < tile_size ? end - tile : tile_size, half = count / 2;
    std::uint32_t places[2][few_keys] = {}, place = 0;
    std::uint8_t* const of_term = offsets.data();
    for (std::size_t i = 0; i < count; ++i) of_term[i] = static_cast<std::uint8_t>(range.offset_of(keys(tile + i)));
    for (std::size_t i = 0; i < half; ++i) {
      ++places[0][of_term[i]];
      ++places[1][of_term[half + i]];
    }
    if (count % 2 != 0) ++places[1][of_term[count - 1]];
    for (std::size_t key = 0; key < span; ++key)
      for (auto& of_half : places) {
        std::uint32_t const of_key = of_half[key];
        of_half[key] = place;
        place += of_key;
      }
    for (std::size_t i = 0; i < half; ++i) {
      values.data()[places[0][of_term[i]]++] = static_cast<Value>(x(tile + i));
      values.data()[places[1][of_term[half + i]]++] = static_cast<Value>(x(tile + half + i));
    }
    if (count % 2 != 0) values.data()[places[1][of_term[count - 1]]++] = static_cast<Value>(x(tile + count - 1));
    for (std::size_t key = 0; key < span; ++key) {  // each place has moved to where the next key begins
      std::size_t const first = key == 0 ? 0 : places[1][key - 1], of_key = places[1][key] - first;
      if (of_key == 0) continue;
      totals[key].extraction.template add<PrefetchHint::cache>(values.data() + first, of_key, totals[key].sum);
      totals[key].count += of_key;
    }
  }
}

/// The totals of all keys from the least to the most; those of keys that are not there have no terms.
template <class Space, class Keys, class X>
std::vector<KeyTotal> totals_of_few_keys(Space const& space, Keys const& keys,
                                         KeyRange<typename Keys::non_const_value_type> const& range, X const& x) {
  ChunksOfTerms const chunks(space, keys.extent(0));
  std::size_t const span = static_cast<std::size_t>(range.offset_of(range.most)) + 1;
  std::vector<KeyTotal> totals(chunks.count * span);
  KeyTotal* const of = totals.data();
  chunks.for_each(space, [=](std::size_t chunk) {
    add_to_totals(keys, range, x, chunks.begin(chunk), chunks.end(chunk), of + chunk * span);
  });
  for (std::size_t key = 0; key < span; ++key)
    for (std::size_t chunk = 0; chunk < chunks.count; ++chunk) {
      KeyTotal& total = totals[chunk * span + key];
      total.extraction.drain(total.sum);
      if (chunk == 0) continue;
      totals[key].sum += total.sum;
      totals[key].count += total.count;
    }
  totals.resize(span);
  return totals;
}

/// The same for devices: 0.3 KB each.
inline constexpr std::uint64_t few_keys_of_device = std::uint64_t{1} << 20;

/// The smallest and the largest key of some.
template <class Key>
struct LeastAndMost {
  Key least = std::numeric_limits<Key>::max(), most = std::numeric_limits<Key>::min();

  KOKKOS_FUNCTION void clear() { *this = LeastAndMost(); }
  KOKKOS_FUNCTION LeastAndMost& operator+=(LeastAndMost const& other) {
    if (other.least < least) least = other.least;
    if (other.most > most) most = other.most;
    return *this;
  }
};

template <class Keys>
struct LookAtKeys {
  using Key = typename Keys::non_const_value_type;
  Keys keys;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, LeastAndMost<Key>& found) const {
    Key const key = keys(i);
    found += {key, key};
  }
};

/// What is there of each key from the least one on: its sum, and whether it has terms.
template <class Space>
struct SumsOfKeys {
  using Long = LongAccumulator<double>;
  using Accumulator = AtomicAccumulator<Long>;
  static constexpr std::size_t word_count = Accumulator::word_count + 1;

  Word* words;
  KOKKOS_FORCEINLINE_FUNCTION Accumulator sum(std::size_t above) const { return {words + above * word_count, 1}; }
  KOKKOS_FORCEINLINE_FUNCTION Word* has_terms(std::size_t above) const {
    return words + above * word_count + Accumulator::word_count;
  }
};

/// A term per call.
template <class Space, class Keys, class X>
struct AddToKey {
  SumsOfKeys<Space> sums;
  Keys keys;
  X x;
  std::uint64_t least;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    auto const above = static_cast<std::size_t>(static_cast<std::uint64_t>(keys(i)) - least);
    auto sum = sums.sum(above);
    add_term(sum, exact_double(x(i)));
    Word* const mark = sums.has_terms(above);
    if (atomic_load(mark) == 0) Kokkos::atomic_fetch_or(mark, Word{1});
  }
};

template <class Space>
struct CountKeys {
  SumsOfKeys<Space> sums;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t above, std::size_t& count) const {
    count += static_cast<std::size_t>(*sums.has_terms(above));
  }
};

/// The keys that have terms, in their order, and their sums, rounded.
template <class Space, class Key, class UniqueKeys, class Sums>
struct WriteKeys {
  SumsOfKeys<Space> sums;
  std::uint64_t least;
  UniqueKeys unique_keys;
  Sums results;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t above, std::size_t& before, bool is_final) const {
    if (*sums.has_terms(above) == 0) return;
    if (is_final) {
      unique_keys(before) = static_cast<typename UniqueKeys::non_const_value_type>(static_cast<Key>(least + above));
      results(before) = sums.sum(above).sum().template round<typename Sums::non_const_value_type>();
    }
    ++before;
  }
};

/// \brief sum_by_key by accumulators in the memory of a space, any; all keys from the least to the most have one.
///
/// \param require_room  require_room(count): whether there is room for so many results, or it throws.
/// \return How many different keys there are; none if there are too many for that.
template <class Space, class Keys, class X, class UniqueKeys, class Sums, class RequireRoom>
std::optional<std::size_t> try_few_keys(Space const& space, Keys const& keys, X const& x, UniqueKeys const& unique_keys,
                                        Sums const& results, RequireRoom const& require_room) {
  using Key = typename Keys::non_const_value_type;
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>;
  constexpr char const* label = "Exakt::sum_by_key";
  std::size_t const n = keys.extent(0);
  if (n == 0) return 0;
  LeastAndMost<Key> range;
  Kokkos::parallel_reduce(label, Range(space, 0, n), LookAtKeys<Keys>{keys}, Reducer<LeastAndMost<Key>>(range));
  auto const least = static_cast<std::uint64_t>(range.least), above = static_cast<std::uint64_t>(range.most) - least;
  if (above >= few_keys_of_device) return {};
  auto const span = static_cast<std::size_t>(above) + 1;

  using Of = SumsOfKeys<Space>;
  ScratchMemory<Space> const memory(space, span * Of::word_count * sizeof(Word));
  Of const sums{reinterpret_cast<Word*>(memory.data())};
  Kokkos::deep_copy(
      space,
      Kokkos::View<Word*, typename Space::memory_space, Kokkos::MemoryUnmanaged>(sums.words, span * Of::word_count),
      Word{0});
  loop(label, space, n, AddToKey<Space, Keys, X>{sums, keys, x, least});
  std::size_t count = 0;
  Kokkos::parallel_reduce(label, Range(space, 0, span), CountKeys<Space>{sums}, count);
  require_room(count);
  Kokkos::parallel_scan(label, Range(space, 0, span),
                        WriteKeys<Space, Key, UniqueKeys, Sums>{sums, least, unique_keys, results});
  space.fence();
  return count;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
