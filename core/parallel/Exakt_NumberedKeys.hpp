// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_NUMBEREDKEYS_HPP
#define EXAKT_NUMBEREDKEYS_HPP

/// \file
/// \brief Sums by key on devices: the keys that occur are numbered, and each has an accumulator; nothing is moved.
///
///     keys --> least, most --> a flag for each key between --> numbers of those that occur --> accumulators --> sums
///              a pass          a pass, which sets flags         a scan over the flags          a pass, which adds
///
/// Memory for the flags grows with the range of the keys, that for accumulators with how many different ones there are.

#include "../Exakt_AtomicAccumulator.hpp"
#include "../Exakt_LongAccumulator.hpp"
#include "Exakt_Loop.hpp"
#include "Exakt_ScratchMemory.hpp"
#include "Exakt_TeamSums.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Different keys at most: an accumulator takes 0.3 KB.
inline constexpr std::size_t most_numbered_keys = std::size_t{1} << 20;

/// \brief By how much less than this the least and the most of n keys may differ.
///
/// Each key between takes two bits: 16 bytes for each of n, about what its term and its own key take. And 1 GB in all,
/// which is 2^27 words: Kokkos 3.4 counts in int what it scans.
inline std::uint64_t numbered_range(std::size_t n) {
  return std::min(std::uint64_t{1} << 32, (std::uint64_t{1} << 20) + 64 * static_cast<std::uint64_t>(n));
}

/// \brief The smallest and the largest key of some.
///
/// Of at least 4 bytes each: reductions of Kokkos 3.4 on CUDA copy words of that size.
template <class Key>
struct LeastAndMost {
  using Value = std::conditional_t<(sizeof(Key) < sizeof(int)), int, Key>;
  Value least = std::numeric_limits<Key>::max(), most = std::numeric_limits<Key>::min();

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

/// The number of ones. (std::popcount is not a device function.)
KOKKOS_FORCEINLINE_FUNCTION constexpr int count_ones(std::uint32_t x) {
  x -= (x >> 1) & 0x55555555u;
  x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0fu;
  return static_cast<int>((x * 0x01010101u) >> 24);
}

/// \brief Which keys occur, and what number each of those has, in their order.
///
/// Keys are told by how far they lie above the least one. A word tells of 32 of them:
///
///     | 32 bits: how many occur below all of them | 32 bits: a flag for each that occurs |
struct KeyNumbers {
  static constexpr std::uint64_t keys_per_word = 32;
  Word* words;

  /// Words for keys up to this one.
  static std::size_t word_count(std::uint64_t above) { return static_cast<std::size_t>(above / keys_per_word) + 1; }

  /// Many threads may find the same key: most of them only look.
  KOKKOS_FORCEINLINE_FUNCTION void set_flag(std::uint64_t above) const {
    Word* const word = words + above / keys_per_word;
    Word const flag = Word{1} << above % keys_per_word;
    if ((atomic_load(word) & flag) == 0) FetchAdd::set_bits(word, flag);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t flags(std::size_t word) const {
    return static_cast<std::uint32_t>(words[word]);
  }
  /// \pre Scanned. Where 2^32 keys occur their numbers have lost a bit, but then there are no accumulators for them.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t keys_before(std::size_t word) const {
    return static_cast<std::size_t>(words[word] >> 32);
  }
  /// The number of a key that occurs. \pre Scanned.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t number(std::uint64_t above) const {
    auto const word = static_cast<std::size_t>(above / keys_per_word);
    std::uint32_t const lesser = (std::uint32_t{1} << above % keys_per_word) - 1;
    return keys_before(word) + static_cast<std::size_t>(count_ones(flags(word) & lesser));
  }
};

/// A flag per call.
template <class Keys>
struct FlagKey {
  KeyNumbers numbers;
  Keys keys;
  std::uint64_t least;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    numbers.set_flag(static_cast<std::uint64_t>(keys(i)) - least);
  }
};

/// A word per call.
struct CountKeys {
  KeyNumbers numbers;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t word, std::size_t& count) const {
    count += static_cast<std::size_t>(count_ones(numbers.flags(word)));
  }
};

/// Of a scan: may be called more than once for a word, which keeps its flags.
struct NumberKeys {
  KeyNumbers numbers;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t word, std::size_t& before, bool is_final) const {
    std::uint32_t const flags = numbers.flags(word);
    if (is_final) numbers.words[word] = static_cast<Word>(before) << 32 | flags;
    before += static_cast<std::size_t>(count_ones(flags));
  }
};

/// The sum of the terms of each key, by its number.
struct SumsOfKeys {
  using Accumulator = AtomicAccumulator<LongAccumulator<double>>;
  static constexpr std::size_t word_count = Accumulator::word_count;

  Word* words;
  KOKKOS_FORCEINLINE_FUNCTION Accumulator sum(std::size_t number) const { return {words + number * word_count, 1}; }
};

/// A term per call.
template <class Keys, class X>
struct AddToKey {
  SumsOfKeys sums;
  KeyNumbers numbers;
  Keys keys;
  X x;
  std::uint64_t least;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    auto sum = sums.sum(numbers.number(static_cast<std::uint64_t>(keys(i)) - least));
    add_term(sum, exact_double(x(i)));
  }
};

/// The keys that a word tells of.
template <class Key, class UniqueKeys>
struct WriteKeys {
  KeyNumbers numbers;
  std::uint64_t least;
  UniqueKeys unique_keys;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t word) const {
    std::uint32_t flags = numbers.flags(word);
    if (flags == 0) return;
    std::uint64_t key = least + word * KeyNumbers::keys_per_word;
    for (std::size_t k = numbers.keys_before(word); flags != 0; flags >>= 1, ++key) {
      if ((flags & 1) == 0) continue;
      unique_keys(k) = static_cast<typename UniqueKeys::non_const_value_type>(static_cast<Key>(key));
      ++k;
    }
  }
};

/// A sum per call, rounded.
template <class Sums>
struct WriteSum {
  SumsOfKeys sums;
  Sums results;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t k) const {
    results(k) = sums.sum(k).sum().template round<typename Sums::non_const_value_type>();
  }
};

/// Words for a call, all zero at first.
template <class Space>
class ZeroedWords {
 public:
  ZeroedWords(Space const& space, std::size_t count) : m_memory(space, count * sizeof(Word)) {
    using Words = Kokkos::View<Word*, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(space, Words(data(), count), Word{0});
  }
  Word* data() const { return reinterpret_cast<Word*>(m_memory.data()); }

 private:
  ScratchMemory<Space> m_memory;
};

/// \brief sum_by_key by accumulators in the memory of a space, any; all keys that occur have one.
///
/// \param require_room  require_room(count): whether there is room for so many results, or it throws.
/// \return How many different keys there are; none if they are too many for that, or lie too far apart.
template <class Space, class Keys, class X, class UniqueKeys, class Sums, class RequireRoom>
std::optional<std::size_t> try_numbered_keys(Space const& space, Keys const& keys, X const& x,
                                             UniqueKeys const& unique_keys, Sums const& results,
                                             RequireRoom const& require_room) {
  using Key = typename Keys::non_const_value_type;
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>;
  constexpr char const* label = "Exakt::sum_by_key";
  std::size_t const n = keys.extent(0);
  if (n == 0) return 0;
  LeastAndMost<Key> range;
  Kokkos::parallel_reduce(label, Range(space, 0, n), LookAtKeys<Keys>{keys}, Reducer<LeastAndMost<Key>>(range));
  auto const least = static_cast<std::uint64_t>(range.least), above = static_cast<std::uint64_t>(range.most) - least;
  if (above >= numbered_range(n)) return {};

  std::size_t const word_count = KeyNumbers::word_count(above);
  ZeroedWords<Space> const number_words(space, word_count);
  KeyNumbers const numbers{number_words.data()};
  loop(label, space, n, FlagKey<Keys>{numbers, keys, least});
  // A scan has a total as well, but Kokkos 3.4 copies it without waiting for the stream of the space.
  std::size_t count = 0;
  Kokkos::parallel_reduce(label, Range(space, 0, word_count), CountKeys{numbers}, count);
  require_room(count);
  if (count > most_numbered_keys) return {};
  Kokkos::parallel_scan(label, Range(space, 0, word_count), NumberKeys{numbers});

  ZeroedWords<Space> const sum_words(space, count * SumsOfKeys::word_count);
  SumsOfKeys const sums{sum_words.data()};
  loop(label, space, n, AddToKey<Keys, X>{sums, numbers, keys, x, least});
  loop(label, space, word_count, WriteKeys<Key, UniqueKeys>{numbers, least, unique_keys});
  loop(label, space, count, WriteSum<Sums>{sums, results});
  space.fence();
  return count;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
