// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_LONGSUMS_HPP
#define EXAKTSCATTER_LONGSUMS_HPP

/// \file
/// \brief Long accumulators that threads of a kernel take, for the few sums that need one.
///
///     place 0 ... first-1 | first | 2 * first | 4 * first | ...
///     allocated before      allocated by the first thread that comes there; not on devices, whose kernels cannot
///
/// Hosts take one after the other. Of several threads that take one for the same sum one only can have it; the places of the
/// others stay unused. On devices these would be missed: there a place has an owner, and all find the same.

#include <numerics/Exakt_FloatFormat.hpp>
#include <parallel/Exakt_AtomicWords.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

template <class MemorySpace, int WordCount>
class LongSums {
  static constexpr bool grows = std::is_same_v<MemorySpace, Kokkos::HostSpace>;
  static constexpr int segments = 48;

  struct Segments {
    Word* words[segments] = {};

    ~Segments() { free_all(); }
    void free_all() {
      for (auto& segment : words) {
        std::free(segment);
        segment = nullptr;
      }
    }
  };

 public:
  LongSums() = default;

  /// \param first  How many are there from the beginning, at least 1.
  LongSums(std::string const& name, std::int64_t first)
      : m_first_words(name + " long sums", static_cast<std::size_t>(first), static_cast<std::size_t>(WordCount)),
        m_taken(name + " long sums taken"),
        m_owners(name + " owners of long sums", static_cast<std::size_t>(first)),
        m_first(first) {
    if constexpr (grows) m_segments = decltype(m_segments)(name + " segments");
  }

  /// The number of one for sum i, all zeros; -1 if there is none left.
  KOKKOS_FUNCTION std::int64_t take(std::int64_t i) const {
    if constexpr (grows) {
      EXAKT_IF_ON_HOST((return take_next();))
    }
    return owned_by(i);
  }

  /// Its words, null if there is no such one and no memory for it.
  KOKKOS_FUNCTION Word* words_of(std::int64_t number) const {
    if (number < m_first) return m_first_words.data() + number * WordCount;
    if constexpr (grows) {
      EXAKT_IF_ON_HOST((return grown_words_of(number);))
    }
    return nullptr;
  }

  /// All to be taken again. \pre Nobody has one.
  template <class Space>
  void clear(Space const& space) const {
    Kokkos::deep_copy(space, m_first_words, Word{0});
    Kokkos::deep_copy(space, m_taken, Word{0});
    Kokkos::deep_copy(space, m_owners, Word{0});
    if constexpr (grows) m_segments().free_all();
  }

  /// How many there are from the beginning.
  std::int64_t capacity() const { return m_first; }

  /// In bytes.
  std::size_t memory() const {
    std::size_t count = static_cast<std::size_t>(m_first);
    if constexpr (grows) {
      if (m_first_words.data()) {
        for (int s = 0; s < segments; ++s)
          if (m_segments().words[s]) count += static_cast<std::size_t>(m_first) << s;
      }
    }
    return (count * WordCount + m_owners.extent(0)) * sizeof(Word);
  }

 private:
  std::int64_t take_next() const {
    auto const number = static_cast<std::int64_t>(Kokkos::atomic_fetch_add(&m_taken(), Word{1}));
    return words_of(number) != nullptr ? number : -1;
  }

  /// The first place, from i on, that is sum i's or nobody's and then becomes its.
  KOKKOS_FUNCTION std::int64_t owned_by(std::int64_t i) const {
    Word const owner = static_cast<Word>(i) + 1;
    std::int64_t place = i % m_first;
    for (std::int64_t k = 0; k < m_first; ++k) {
      Word* const of_place = &m_owners(static_cast<std::size_t>(place));
      Word before = atomic_load(of_place);
      if (before == 0) before = Kokkos::atomic_compare_exchange(of_place, Word{0}, owner);
      if (before == 0 || before == owner) return place;
      if (++place == m_first) place = 0;
    }
    return -1;
  }

  /// Segment s holds m_first * 2^s of them, from m_first * 2^s on.
  Word* grown_words_of(std::int64_t number) const {
    int const s = bit_width(static_cast<std::uint64_t>(number / m_first)) - 1;
    Word** const segment = &m_segments().words[s];
    Word* words = __atomic_load_n(segment, __ATOMIC_ACQUIRE);
    std::int64_t const count = m_first << s;
    if (words == nullptr) {
      auto* const own = static_cast<Word*>(std::calloc(static_cast<std::size_t>(count), WordCount * sizeof(Word)));
      if (own == nullptr) return nullptr;
      if (__atomic_compare_exchange_n(segment, &words, own, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        words = own;
      } else {
        std::free(own);  // another thread was first
      }
    }
    return words + (number - count) * WordCount;
  }

  Kokkos::View<Word**, Kokkos::LayoutRight, MemorySpace> m_first_words;
  Kokkos::View<Word, MemorySpace> m_taken;    // on hosts, how many
  Kokkos::View<Word*, MemorySpace> m_owners;  // on devices, i + 1 of each; 0 for none
  struct NoSegments {};
  std::conditional_t<grows, Kokkos::View<Segments, Kokkos::HostSpace>, NoSegments> m_segments;
  std::int64_t m_first = 0;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
