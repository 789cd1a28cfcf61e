// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ATOMICWORDS_HPP
#define EXAKT_ATOMICWORDS_HPP

/// \file
/// \brief Long integers in memory that many threads add to at once: one word after the other, carries found from the
/// old value.
///
/// The additions to one word have an order, whatever the threads do, and each returns the value that it met. So each
/// time a word goes round beyond its 64 bits, exactly one thread sees it, and that thread owes the next word a carry
/// (Defour and Collange, Reproducible floating-point atomic addition in data-parallel environment, section IV). When
/// all have paid, the words hold the exact sum, in whichever order the payments came. No lock, no limit to the number
/// of additions.

#include "Exakt_KokkosCompat.hpp"

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace Exakt {
namespace Impl::inline EXAKT_ABI {

/// \brief The 64-bit integer that all backends have atomic additions for. Of others as wide, std::size_t and std::int64_t, old
/// versions of Kokkos make loops on GPUs, in which a thousand threads at one address take a third of a millisecond.
using Word = unsigned long long;
static_assert(sizeof(Word) == 8);

/// The value of a word that others may be changing.
template <class W>
KOKKOS_FORCEINLINE_FUNCTION W atomic_load(W const* word) {
  EXAKT_IF_ON_HOST((return __atomic_load_n(word, __ATOMIC_RELAXED);))
  EXAKT_IF_ON_DEVICE((return *static_cast<W const volatile*>(word);))
}

/// Words that one thread alone adds to. As in the other two, each operation returns the word as it was before.
struct PlainWords {
  static KOKKOS_FORCEINLINE_FUNCTION constexpr Word fetch_add(Word* word, Word value) {
    Word const before = *word;
    *word = before + value;
    return before;
  }
  static KOKKOS_FORCEINLINE_FUNCTION constexpr Word set_bits(Word* word, Word bits) {
    Word const before = *word;
    *word = before | bits;
    return before;
  }
};

}  // namespace Impl::inline EXAKT_ABI

/// \brief Atomic additions by the hardware's fetch-and-add: never repeated. What `atomic_add` uses.
struct FetchAdd {
  static KOKKOS_FORCEINLINE_FUNCTION Impl::Word fetch_add(Impl::Word* word, Impl::Word value) {
    return Kokkos::atomic_fetch_add(word, value);
  }
  static KOKKOS_FORCEINLINE_FUNCTION Impl::Word set_bits(Impl::Word* word, Impl::Word bits) {
    return Kokkos::atomic_fetch_or(word, bits);
  }
};

/// \brief Atomic additions by compare-and-swap only, as in Small, Kalia, Nakano and Vashishta, section III B 2.
struct CompareAndSwap {
  static KOKKOS_FORCEINLINE_FUNCTION Impl::Word fetch_add(Impl::Word* word, Impl::Word value) {
    return replace(word, [=](Impl::Word before) { return before + value; });
  }
  static KOKKOS_FORCEINLINE_FUNCTION Impl::Word set_bits(Impl::Word* word, Impl::Word bits) {
    return replace(word, [=](Impl::Word before) { return before | bits; });
  }

 private:
  template <class Function>
  static KOKKOS_FORCEINLINE_FUNCTION Impl::Word replace(Impl::Word* word, Function const& after) {
    // A wrong guess costs a round: the exchange then fails and tells the value that was there.
    for (Impl::Word guess = Impl::atomic_load(word);;) {
      Impl::Word const before = Kokkos::atomic_compare_exchange(word, guess, after(guess));
      if (before == guess) return before;
      guess = before;
    }
  }
};

namespace Impl::inline EXAKT_ABI {

/// By how many times 2^64 the signed sum of the two is above the signed word that they leave: -1, 0 or 1.
KOKKOS_FORCEINLINE_FUNCTION constexpr int went_round(Word before, Word added) {
#if defined(__GNUC__) && !defined(EXAKT_DEVICE_SOURCE)
  // Processors have a flag for that.
  long long sum = 0;
  if (!__builtin_add_overflow(static_cast<long long>(before), static_cast<long long>(added), &sum)) return 0;
  return sum < 0 ? 1 : -1;
#else
  Word const after = before + added;
  if ((((before ^ after) & (added ^ after)) >> 63) == 0) return 0;
  return (after >> 63) != 0 ? 1 : -1;
#endif
}

/// fetch_add of a value that is often zero: atomic words are not touched then, and were zero, which tells of no carry.
/// Plain words are written in any case: the test would be mispredicted, and takes longer.
template <class Words>
KOKKOS_FORCEINLINE_FUNCTION constexpr Word fetch_add_unless_zero(Word* word, Word value) {
  if constexpr (std::is_same_v<Words, PlainWords>) {
    return Words::fetch_add(word, value);
  } else {
    return value == 0 ? 0 : Words::fetch_add(word, value);
  }
}

/// Adds a signed value, often zero, to a signed word; returns what went_round tells.
template <class Words>
KOKKOS_FORCEINLINE_FUNCTION constexpr int add_signed(Word* word, Word value) {
#if defined(__GNUC__) && !defined(EXAKT_DEVICE_SOURCE)
  if constexpr (std::is_same_v<Words, PlainWords>) {
    if (!__builtin_is_constant_evaluated()) {
      // An addition and a jump on its overflow. An unsigned integer may be accessed as the signed one of its type.
      auto* const number = reinterpret_cast<long long*>(word);
      if (!__builtin_add_overflow(*number, static_cast<long long>(value), number)) [[likely]]
        return 0;
      return (value >> 63) != 0 ? -1 : 1;
    }
  }
#endif
  return went_round(fetch_add_unless_zero<Words>(word, value), value);
}

/// \brief Adds the signed `value` to digit `index` of sum of digit[i] * 2^(RadixBits*i), whose digits are signed words.
///
/// A digit that goes round has lost 2^64, which is 2^(64 - RadixBits) units of the next.
///
/// \param digit  From an index to the digit's address.
/// \return What the last digit has lost, in units of 2^64.
template <int RadixBits, class Words, class Digit>
KOKKOS_FORCEINLINE_FUNCTION constexpr int add_to_digit(Digit const& digit, int index, int count, Word value) {
  static_assert(RadixBits >= 2 && RadixBits <= 62, "a carry must fit into a digit, and leave room there");
  int lost = went_round(Words::fetch_add(digit(index), value), value);
  while (lost != 0 && ++index < count) {
    value = lost > 0 ? Word{1} << (64 - RadixBits) : ~(Word{1} << (64 - RadixBits)) + 1;
    lost = went_round(Words::fetch_add(digit(index), value), value);
  }
  return lost;
}

/// x or -x, as a word.
KOKKOS_FORCEINLINE_FUNCTION constexpr Word with_sign(Word x, bool negative) {
  Word const mask = Word{0} - static_cast<Word>(negative);
  return (x ^ mask) - mask;
}

}  // namespace Impl::inline EXAKT_ABI
}  // namespace Exakt

#endif
