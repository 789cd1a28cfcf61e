// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_FEWKEYS_HPP
#define EXAKT_FEWKEYS_HPP

/// \file
/// \brief Sums by key on hosts where the keys lie close together: an accumulator for each.
///
/// A tile of terms is ordered by key within the cache; then those of one key are added together, by extraction.

#include "../Exakt_LongAccumulator.hpp"
#include "../summation/Exakt_Extraction.hpp"
#include "Exakt_ColumnTiles.hpp"
#include "Exakt_SortByKey.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
