// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_SORTBYKEY_HPP
#define EXAKT_SORTBYKEY_HPP

/// \file
/// \brief Keys and their terms in ascending order of the keys, on hosts.
///
/// By counting, the least significant digit first (Knuth 5.2.5): as many passes as the range of the keys needs, two for
/// 1e4 of them and one for 10, each by all threads on a chunk of their own.

#include "../numerics/Exakt_FloatFormat.hpp"
#include "Exakt_ColumnTiles.hpp"
#include "Exakt_Loop.hpp"
#include "Exakt_ScratchMemory.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Contiguous pieces of n entries, one for each thread; fewer where waking a thread would take longer than its piece.
struct ChunksOfTerms {
  std::size_t entries, count;

  template <class Space>
  ChunksOfTerms(Space const& space, std::size_t n)
      : entries(n), count(std::min<std::size_t>(static_cast<std::size_t>(space.concurrency()), n / 16384 + 1)) {}

  std::size_t begin(std::size_t chunk) const { return entries / count * chunk + std::min(chunk, entries % count); }
  std::size_t end(std::size_t chunk) const { return begin(chunk + 1); }

  /// f(chunk) for each of them, in the default floating-point environment if that of the caller is.
  template <class Space, class F>
  void for_each(Space const& space, F const& f) const {
    if (count == 1) {
      f(0);
    } else {
      loop("Exakt::sum_by_key::sort", space, count, f);
    }
  }
};

/// What the keys are like. \pre There are some.
template <class Key>
struct KeyRange {
  Key least, most;
  bool is_ascending;

  /// How far the key lies above the least one: in its own order, whatever its sign.
  std::uint64_t offset_of(Key key) const { return static_cast<std::uint64_t>(key) - static_cast<std::uint64_t>(least); }
};

template <class Space, class Keys>
auto range_of_keys(Space const& space, Keys const& keys) {
  using Key = typename Keys::non_const_value_type;
  ChunksOfTerms const chunks(space, keys.extent(0));
  std::vector<KeyRange<Key>> ranges(chunks.count);
  KeyRange<Key>* const of = ranges.data();
  chunks.for_each(space, [=](std::size_t chunk) {
    std::size_t const begin = chunks.begin(chunk);
    std::size_t const end = chunks.end(chunk);
    Key least = keys(begin), most = least;
    Key descends = begin > 0 && keys(begin) < keys(begin - 1) ? 1 : 0;
    // All of one type, in blocks of a length that is known, and no key waits for the one before: so compilers vectorize it.
    auto const look = [&](std::size_t i) {
      Key const key = keys(i), before = keys(i - 1);
      descends = static_cast<Key>(descends | (key < before ? 1 : 0));
      least = key < least ? key : least;
      most = most < key ? key : most;
    };
    constexpr std::size_t block = 64;
    std::size_t i = begin + 1;
    for (; i + block <= end; i += block)
      for (std::size_t k = 0; k < block; ++k) look(i + k);
    for (; i < end; ++i) look(i);
    bool const is_ascending = descends == 0;
    of[chunk] = {least, most, is_ascending};
  });
  KeyRange<Key> all = ranges.front();
  for (KeyRange<Key> const& range : ranges)
    all = {std::min(all.least, range.least), std::max(all.most, range.most), all.is_ascending && range.is_ascending};
  return all;
}

/// Uninitialized memory, freed at the end.
template <class T>
class UninitializedArray {
 public:
  explicit UninitializedArray(std::size_t n) : m_data(new T[n]), m_size(n) {
    ask_for_large_pages(m_data.get(), n * sizeof(T), Kokkos::HostSpace());
  }
  T* data() const { return m_data.get(); }
  auto view() const { return Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(m_data.get(), m_size); }

 private:
  std::unique_ptr<T[]> m_data;
  std::size_t m_size;
};

/// \tparam Offset  Of a key above the least one: an unsigned integer that holds all of them.
template <class Offset, class Value>
class SortedTerms {
 public:
  template <class Space, class Keys, class X>
  SortedTerms(Space const& space, Keys const& keys, KeyRange<typename Keys::non_const_value_type> const& range,
              X const& x)
      : m_chunks(space, keys.extent(0)), m_offsets(keys.extent(0)), m_values(keys.extent(0)) {
    int const bits = bit_width(range.offset_of(range.most)), passes = (bits + most_bits - 1) / most_bits;
    int const digit_bits = passes == 0 ? 0 : (bits + passes - 1) / passes;
    // The first pass reads the operands; the others read what the one before has written.
    auto const key_at = [=](std::size_t i) { return static_cast<Offset>(range.offset_of(keys(i))); };
    auto const value_at = [=](std::size_t i) { return static_cast<Value>(x(i)); };
    sort_digit(space, key_at, value_at, 0, digit_bits, m_offsets.data(), m_values.data());
    if (passes > 1) sort_further_digits(space, passes, digit_bits);
  }

  auto offsets() const { return m_offsets.view(); }
  auto values() const { return m_values.view(); }

 private:
  static constexpr int most_bits = 11;  // 2^11 places to write to are about what caches can hold

  /// A function of its own: it is compiled once for operands of every kind.
  template <class Space>
  void sort_further_digits(Space const& space, int passes, int digit_bits) {
    UninitializedArray<Offset> other_offsets(m_chunks.entries);
    UninitializedArray<Value> other_values(m_chunks.entries);
    for (int pass = 1; pass < passes; ++pass) {
      Offset const* const from = m_offsets.data();
      Value const* const values = m_values.data();
      sort_digit(
          space, [=](std::size_t i) { return from[i]; }, [=](std::size_t i) { return values[i]; }, pass * digit_bits,
          digit_bits, other_offsets.data(), other_values.data());
      std::swap(m_offsets, other_offsets);
      std::swap(m_values, other_values);
    }
  }

  /// Stable. Terms go to where those with lesser digits end, and those of earlier chunks with the same digit.
  template <class Space, class KeyAt, class ValueAt>
  void sort_digit(Space const& space, KeyAt const& key_at, ValueAt const& value_at, int shift, int digit_bits,
                  Offset* offsets, Value* values) const {
    std::size_t const digits = std::size_t{1} << digit_bits;
    auto const chunks = m_chunks;
    std::vector<std::size_t> places(chunks.count * digits);
    std::size_t* const place = places.data();
    auto const digit_of = [=](Offset key) { return static_cast<std::size_t>(key >> shift) & (digits - 1); };
    chunks.for_each(space, [=](std::size_t chunk) {
      std::size_t* const count = place + chunk * digits;
      for (std::size_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) ++count[digit_of(key_at(i))];
    });
    std::size_t before = 0;
    for (std::size_t digit = 0; digit < digits; ++digit)
      for (std::size_t chunk = 0; chunk < chunks.count; ++chunk) {
        std::size_t const count = place[chunk * digits + digit];
        place[chunk * digits + digit] = before;
        before += count;
      }
    chunks.for_each(space, [=](std::size_t chunk) {
      std::size_t* const next = place + chunk * digits;
      for (std::size_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
        Offset const key = key_at(i);
        std::size_t const at = next[digit_of(key)]++;
        offsets[at] = key;
        values[at] = value_at(i);
      }
    });
  }

  ChunksOfTerms m_chunks;
  UninitializedArray<Offset> m_offsets;
  UninitializedArray<Value> m_values;
};

/// Where each run of equal keys begins, and behind the last one where it ends. \pre The keys ascend.
template <class Space, class Keys>
std::vector<std::size_t> runs_of(Space const& space, Keys const& keys) {
  ChunksOfTerms const chunks(space, keys.extent(0));
  std::vector<std::size_t> firsts(chunks.count + 1);
  std::size_t* const first = firsts.data();
  auto const begins = [=](std::size_t i) { return i == 0 || keys(i - 1) != keys(i); };
  chunks.for_each(space, [=](std::size_t chunk) {
    std::size_t count = 0;
    for (std::size_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) count += begins(i) ? 1 : 0;
    first[chunk + 1] = count;
  });
  for (std::size_t chunk = 0; chunk < chunks.count; ++chunk) first[chunk + 1] += first[chunk];
  std::vector<std::size_t> runs(first[chunks.count] + 1, keys.extent(0));
  std::size_t* const run = runs.data();
  chunks.for_each(space, [=](std::size_t chunk) {
    std::size_t next = first[chunk];
    for (std::size_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
      if (begins(i)) run[next++] = i;
  });
  return runs;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
