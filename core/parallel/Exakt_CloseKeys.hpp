// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_CLOSEKEYS_HPP
#define EXAKT_CLOSEKEYS_HPP

/// \file
/// \brief Sums by key on hosts where there are no more keys from the least to the most than terms: an enclosure for each, in
/// place.
///
///     keys, terms --> an enclosure for each key --> decided? --> result
///                                                   no: the terms of all such keys, for another way
///
/// Nothing is moved, and a term is read once. Each thread has the terms of its chunk, and enclosures of its own.

#include "../summation/Exakt_CascadedSum.hpp"
#include "Exakt_Loop.hpp"
#include "Exakt_ScratchMemory.hpp"
#include "Exakt_SortByKey.hpp"

#include <cstddef>
#include <memory>
#include <tuple>
#include <vector>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \tparam Keys, X  Those of the terms.
template <class Space, class Keys, class X>
class CloseKeys {
  using Key = typename Keys::non_const_value_type;
  using Range = KeyRange<Key>;
  using Value = typename ColumnTiles<X>::Value;
  static constexpr char const* label = "Exakt::sum_by_key";

 public:
  /// Whether there are as many terms as keys from the least to the most, and so many threads at most that all their enclosures
  /// take 66 bytes for each term. (The other way sorts in 24 bytes, and takes 3 to 10 times as long.)
  static bool are_close(Space const& space, std::size_t terms, Range const& range) {
    std::uint64_t const above = range.offset_of(range.most);
    return above < terms && above < 2 * terms / ChunksOfTerms(space, terms).count;
  }

  /// \pre are_close()
  CloseKeys(Space const& space, Keys const& keys, Range const& range, X const& x)
      : m_space(space),
        m_keys(keys),
        m_x(x),
        m_range(range),
        m_span(static_cast<std::size_t>(range.offset_of(range.most)) + 1),
        m_chunks(space, keys.extent(0)),
        m_parts(space, m_span),
        m_memory(space, m_chunks.count * m_span * (sizeof(CascadedSum) + sizeof(bool))),
        m_sums(reinterpret_cast<CascadedSum*>(m_memory.data())),
        m_marks(reinterpret_cast<bool*>(m_sums + m_chunks.count * m_span)),
        m_firsts(m_parts.count + 1) {
    for_each_task(label, space, m_chunks.count, true, [this](std::size_t chunk) { add_terms(chunk); });
    for_each_task(label, space, m_parts.count, true, [this](std::size_t part) { merge(part); });
    for (std::size_t part = 0; part < m_parts.count; ++part) m_firsts[part + 1] += m_firsts[part];
  }

  /// How many different keys there are.
  std::size_t count() const { return m_firsts.back(); }

  /// \brief The keys, and the sums that are decided; once. Both are called like Views.
  /// \return How many are left.
  template <class UniqueKeys, class Sums>
  std::size_t write(UniqueKeys const& unique_keys, Sums const& sums) {
    std::vector<std::size_t> left(m_parts.count);
    for_each_task(label, m_space, m_parts.count, true, [&](std::size_t part) {
      std::size_t k = m_firsts[part];
      for (std::size_t above = m_parts.begin(part); above < m_parts.end(part); ++above) {
        if (!m_marks[above]) continue;
        auto const key = static_cast<Key>(static_cast<std::uint64_t>(m_range.least) + above);
        unique_keys(k) = static_cast<typename UniqueKeys::non_const_value_type>(key);
        typename Sums::non_const_value_type result;
        m_marks[above] = !try_round(m_sums[above].enclosure(), result);
        if (m_marks[above]) {
          ++left[part];
        } else {
          sums(k) = result;
        }
        ++k;
      }
    });
    std::size_t all = 0;
    for (std::size_t const of_part : left) all += of_part;
    return all;
  }

  /// f(keys, terms) for the terms of the keys that are left. \pre write() has been called.
  template <class F>
  void with_terms_left(F const& f) const {
    std::vector<std::size_t> firsts(m_chunks.count + 1);
    for_each_task(label, m_space, m_chunks.count, true, [&](std::size_t chunk) {
      std::size_t count = 0;
      for (std::size_t i = m_chunks.begin(chunk); i < m_chunks.end(chunk); ++i) count += is_left(i) ? 1 : 0;
      firsts[chunk + 1] = count;
    });
    for (std::size_t chunk = 0; chunk < m_chunks.count; ++chunk) firsts[chunk + 1] += firsts[chunk];
    UninitializedArray<Key> const keys(firsts.back());
    UninitializedArray<Value> const terms(firsts.back());
    for_each_task(label, m_space, m_chunks.count, true, [&](std::size_t chunk) {
      std::size_t next = firsts[chunk];
      for (std::size_t i = m_chunks.begin(chunk); i < m_chunks.end(chunk); ++i) {
        if (!is_left(i)) continue;
        keys.data()[next] = m_keys(i);
        terms.data()[next++] = static_cast<Value>(m_x(i));
      }
    });
    f(keys.view(), terms.view());
  }

 private:
  bool is_left(std::size_t i) const { return m_marks[m_range.offset_of(m_keys(i))]; }

  void add_terms(std::size_t chunk) const {
    CascadedSum* const sums = m_sums + chunk * m_span;
    bool* const occurs = m_marks + chunk * m_span;
    std::uninitialized_fill_n(sums, m_span, CascadedSum());
    std::uninitialized_fill_n(occurs, m_span, false);
    auto const [keys, x, range] = std::tuple(m_keys, m_x, m_range);  // which no store can change
    std::size_t const end = m_chunks.end(chunk);
    for (std::size_t i = m_chunks.begin(chunk); i < end; ++i) {
      std::uint64_t const above = range.offset_of(keys(i));
      sums[above] += exact_double(x(i));
      occurs[above] = true;
    }
  }

  /// All chunks' sums of some keys into those of the first chunk.
  void merge(std::size_t part) {
    std::size_t count = 0;
    for (std::size_t above = m_parts.begin(part); above < m_parts.end(part); ++above) {
      for (std::size_t chunk = 1; chunk < m_chunks.count; ++chunk) {
        std::size_t const other = chunk * m_span + above;
        if (!m_marks[other]) continue;
        m_marks[above] = true;
        m_sums[above].merge(m_sums[other]);
      }
      count += m_marks[above] ? 1 : 0;
    }
    m_firsts[part + 1] = count;
  }

  Space m_space;
  Keys m_keys;
  X m_x;
  Range m_range;
  std::size_t m_span;
  ChunksOfTerms m_chunks, m_parts;  // of the terms, and of the keys from the least to the most
  ScratchMemory<Space> m_memory;
  CascadedSum* m_sums;
  bool* m_marks;                      // a key occurs; after write(): its sum is left
  std::vector<std::size_t> m_firsts;  // of each part: the number of its first key among those that occur
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
