// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_EXTRACTION_HPP
#define EXAKT_EXTRACTION_HPP

/// \file
/// \brief Extraction: many terms into a long accumulator, through integers.
///
/// summation/Exakt_ExtractionLevels.hpp says how a tile is extracted, and proves that nothing is lost.
///
/// A tile is tried with the exponent of the one before. If that is not proved exact, it is done again with e_1 from its
/// own terms, and with more levels; terms too wide for those are added by exponent (Exakt_ExponentBins.hpp,
/// Exakt_ProductBins.hpp) if there are many of them, and else one by one. Tiles of one e_1 share their units: they are
/// added as 64-bit integers, and the long accumulator is touched once in many tiles. Rounding to nearest with subnormal
/// numbers kept is required, and looked at.

#include "../Exakt_LongAccumulator.hpp"
#include "Exakt_ExponentBins.hpp"
#include "Exakt_ExtractionTile.hpp"
#include "Exakt_ProductBins.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// Whether there is a kernel that adds terms of type X, or products of two types, to the digits of Long.
template <class Long, class... X>
inline constexpr bool has_digit_kernel_v = requires(Long& sum) {
  sum.digits_with_room_for(1);
  requires Long::radix_bits == kernel_radix_bits;
  requires Long::lowest_exponent <= (FloatFormat<X>::lsb_exponent + ...);
};

/// \brief Adds terms, or products, to the digits of a long accumulator until one is infinite or NaN.
/// \return How many it has added.
template <class Long, class... X>
int add_to_digits(Long& sum, int count, X const*... x) {
  KernelsOf<X...> const& kernel = kernels();
  // As few carries as a buffer of terms allows.
  constexpr int at_once = Long::carry_limit - 2 < digit_block ? Long::carry_limit - 2 : digit_block;
  static_assert(digit_block <= product_block);
  int done = 0;
  while (done < count) {
    int const some = count - done < at_once ? count - done : at_once;
    std::int64_t* const digits = sum.digits_with_room_for(static_cast<std::uint32_t>(some));
    if (!kernel.add_to_digits((x + done)..., some, Long::lowest_exponent, digits)) break;
    done += some;
  }
  return done;
}

/// The terms of one tile, one by one and in integers: right for every input in every environment.
template <class T, class Long>
EXAKT_NOINLINE_FUNCTION void add_each(T const* terms, int count, Long& sum) {
  int done = 0;
  if constexpr (has_digit_kernel_v<Long, T>) {
    EXAKT_IF_ON_HOST((done = add_to_digits(sum, count, terms);))
  }
  for (; done < count; ++done) sum.add_multiple(terms[done]);
}

/// The products of n pairs, in the same way.
template <class X, class Y, class Long>
EXAKT_NOINLINE_FUNCTION void add_each_product(X const* x, Y const* y, int n, Long& sum) {
  int done = 0;
  if constexpr (has_digit_kernel_v<Long, X, Y>) {
    EXAKT_IF_ON_HOST((done = add_to_digits(sum, n, x, y);))
  }
  for (; done < n; ++done) sum.add_product(x[done], y[done]);
}

/// Thousands of terms of any range.
template <class T, class Long>
EXAKT_NOINLINE_FUNCTION void add_by_exponent(T const* terms, std::size_t n, Long& sum) {
  ExponentBins bins;
  constexpr std::size_t block = ExponentBins::block_size;
  for (std::size_t i = 0; i < n; i += block) {
    std::size_t const count = n - i < block ? n - i : block;
    bins.add(terms + i, static_cast<int>(count), terms_ahead(PrefetchHint::memory, n - i - count), sum);
  }
  bins.drain(sum);
}

/// Hundreds of products of any range, in integers as well.
template <class X, class Y, class Long>
EXAKT_NOINLINE_FUNCTION void add_products_by_exponent(X const* x, Y const* y, std::size_t n, Long& sum) {
  using Bins = ProductBins<X, Y>;
  static_assert(Bins::capacity % Bins::block_size == 0);
  Bins bins;
  for (std::size_t i = 0; i < n; i += Bins::block_size) {
    if (i > 0 && i % Bins::capacity == 0) bins.drain(sum);
    std::size_t const count = n - i < Bins::block_size ? n - i : Bins::block_size;
    bins.add(x + i, y + i, static_cast<int>(count), terms_ahead(PrefetchHint::memory, n - i - count), sum);
  }
  bins.drain(sum);
}

/// \brief A filter in front of a long accumulator: adds arrays of terms, and keeps the sum in units until it is
/// drained.
///
/// A trivially copyable value; zero bytes are a valid one.
///
/// \tparam Long    The long accumulator behind it, or an AtomicAccumulator.
/// \tparam Levels  Levels to try first, each 40 bits: 2 hold floats over 17 decades, 3 doubles over 20, 4 products of
///                 doubles with their errors.
template <class Long, int Levels>
class Extraction {
  static constexpr int wide_levels = 6;

  // Terms to add by exponent: what makes it worth clearing and draining the bins, and how many before extraction is
  // tried again; and how many it takes where more levels would do as well.
  static constexpr std::size_t shortest_wide_run = extraction_tile_size / 2,
                               longest_wide_run = std::size_t{128} * extraction_tile_size;
  static constexpr std::size_t long_wide_run = std::size_t{2} * extraction_tile_size;
  static constexpr int lowest = Long::lowest_exponent > FloatFormat<double>::lsb_exponent
                                    ? Long::lowest_exponent
                                    : FloatFormat<double>::lsb_exponent;

 public:
  /// What it has learned of the terms to come: for the next filter of such terms, where one does not last.
  struct Guess {
    std::int16_t exponent = 0;    // e_1 of the last tile
    std::int16_t wide_tiles = 0;  // how many tiles to come are taken for wide; if negative, for too wide
  };

  Extraction() = default;

  KOKKOS_FORCEINLINE_FUNCTION explicit Extraction(Guess guess) : m_guess(guess) {}
  KOKKOS_FORCEINLINE_FUNCTION Guess guess() const { return m_guess; }

  /// \param exponent  The first guess of an e with |t| < 2^e for the terms to come.
  KOKKOS_FORCEINLINE_FUNCTION explicit Extraction(int exponent) : m_guess{static_cast<std::int16_t>(exponent), 0} {}

  /// \brief Adds n terms exactly, to itself or to `sum`. T is float or double, each value a multiple of Long's lowest
  /// bit.
  template <PrefetchHint hint = PrefetchHint::memory, class T>
  KOKKOS_FORCEINLINE_FUNCTION void add(T const* terms, std::size_t n, Long& sum) {
    bool const trusted = fp_environment_is_default();
    std::size_t count;
    for (std::size_t begin = 0; begin < n; begin += count) {
      std::size_t const rest = n - begin;
      count = rest < extraction_tile_size ? rest : extraction_tile_size;
      if (trusted && !has_slow_extraction(rest) &&
          add_tile(TermTile<T>(terms + begin, static_cast<int>(count), terms_ahead(hint, rest - count)), sum, rest))
        continue;
      // Bins are integers; floats are converted, which loses subnormal numbers where denormals are zeros.
      if ((trusted || std::is_same_v<T, double>)&&rest >= shortest_wide_run) {
        count = rest < longest_wide_run ? rest : longest_wide_run;
        add_by_exponent(terms + begin, count, sum);
        if (count == longest_wide_run) m_guess.wide_tiles = 0;
      } else {
        add_each(terms + begin, static_cast<int>(count), sum);
      }
    }
  }

  /// \brief Adds n products exactly. X and Y are float or double.
  template <PrefetchHint hint = PrefetchHint::memory, class X, class Y>
  KOKKOS_INLINE_FUNCTION void add_products(X const* x, Y const* y, std::size_t n, Long& sum) {
    using Tile = ProductTile<X, Y>;
    bool const trusted = fp_environment_is_default();
    std::size_t count;
    for (std::size_t begin = 0; begin < n; begin += count) {
      std::size_t const rest = n - begin;
      count = rest < Tile::capacity ? rest : Tile::capacity;
      int const pairs = static_cast<int>(count);
      if (trusted && !has_slow_extraction(2 * rest) &&
          add_tile(Tile(x + begin, y + begin, pairs, terms_ahead(hint, rest - count)), sum, 2 * rest))
        continue;
      if (2 * rest >= shortest_wide_run) {
        count = 2 * rest < longest_wide_run ? rest : longest_wide_run / 2;
        add_products_by_exponent(x + begin, y + begin, count, sum);
        if (count == longest_wide_run / 2) m_guess.wide_tiles = 0;
      } else {
        add_each_product(x + begin, y + begin, pairs, sum);
      }
    }
  }

  /// \brief Adds a tile exactly (Exakt_ExtractionTile.hpp has some), to itself or to `sum`; false, and nothing added,
  /// if that is not proved, or another way is faster. \pre Rounding to nearest, with subnormal numbers kept.
  ///
  /// \param terms  From the first one of the tile on, as far as that matters.
  template <class Tile>
  KOKKOS_FORCEINLINE_FUNCTION bool add_tile(Tile const& tile, Long& sum, std::size_t terms = 0) {
    if (m_guess.wide_tiles < 0) [[unlikely]] {
      ++m_guess.wide_tiles;
      return false;
    }
    return (m_guess.wide_tiles == 0 && add_extracted(tile, sum)) || add_again(tile, sum, terms);
  }

  KOKKOS_FUNCTION bool is_empty() const { return m_tiles == 0; }

  /// \brief The digits that drain() adds to, and perhaps more: always as many, so that no branch depends on the terms.
  KOKKOS_INLINE_FUNCTION DigitRange digits() const {
    if (is_empty()) return Long::no_digits;
    constexpr int unit_bits = 64, bits = unit_bits + level_step * (Levels - 1);
    constexpr int at_most = (bits + 2 * (Long::radix_bits - 1)) / Long::radix_bits;
    int const begin = (level_unit(m_guess.exponent, Levels - 1, lowest) - Long::lowest_exponent) / Long::radix_bits;
    return {begin, begin + at_most < Long::digit_count ? begin + at_most : Long::digit_count};
  }

  /// \brief Moves all that it holds to `sum`.
  EXAKT_NOINLINE_FUNCTION void drain(Long& sum) {
    if (is_empty()) return;
    add_units(m_units, m_guess.exponent, sum);
    for (std::int64_t& unit : m_units) unit = 0;
    m_tiles = 0;
  }

 private:
  template <class Tile>
  KOKKOS_FORCEINLINE_FUNCTION bool add_extracted(Tile const& tile, Long& sum) {
    std::int64_t units[Levels];
    if (!extract(tile, m_guess.exponent, lowest, units)) return false;
    for (int k = 0; k < Levels; ++k) m_units[k] += units[k];
    if (++m_tiles >= extraction_tiles_at_once) [[unlikely]]
      drain(sum);
    return true;
  }

  /// The steps behind the first guess: the exponent of the tile itself, then more levels.
  template <class Tile>
  EXAKT_NOINLINE_FUNCTION bool add_again(Tile const& tile, Long& sum, std::size_t terms) {
    // Wide tiles come in rows: the next ones start here, or are not tried at all.
    constexpr int in_a_row = 15;
    int const wide_before = m_guess.wide_tiles;
    m_guess.wide_tiles = static_cast<std::int16_t>(wide_before > 0 ? wide_before - 1 : in_a_row);
    bool const by_exponent = is_faster_by_exponent(terms);
    if (by_exponent && wide_before > 0) return false;
    int const e = exponent_above_all(tile);
    if (wide_before == 0 && e != m_guess.exponent) {
      drain(sum);
      m_guess.exponent = static_cast<std::int16_t>(e);
      if (add_extracted(tile, sum)) {
        m_guess.wide_tiles = 0;
        return true;
      }
    }
    if (by_exponent) return false;
    std::int64_t units[wide_levels];
    if (!extract(tile, e, lowest, units)) {
      m_guess.wide_tiles = -in_a_row;
      return false;
    }
    add_units(units, e, sum);
    return true;
  }

  /// Whether bins of exponents take less time than more levels. Levels take as much for a pack whatever its width, bins as
  /// much for a term; and some thousand terms' time to be cleared and drained.
  static KOKKOS_FUNCTION bool is_faster_by_exponent([[maybe_unused]] std::size_t terms) {
    EXAKT_IF_ON_HOST((return terms >= long_wide_run && kernels().lanes < 8;))
    EXAKT_IF_ON_DEVICE((return false;))
  }

  /// The same for terms of any range: without a fused multiply-add an error of a product is seventeen operations, and packs are
  /// short or emulated.
  static KOKKOS_FUNCTION bool has_slow_extraction([[maybe_unused]] std::size_t terms) {
    EXAKT_IF_ON_HOST((return terms >= long_wide_run && !has_fused_kernels;))
    EXAKT_IF_ON_DEVICE((return false;))
  }

  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION void add_units(std::int64_t const (&units)[N], int e, Long& sum) {
    for (int k = 0; k < N; ++k) {
      auto const parts = integer_parts_of_integer(units[k]);
      if (parts.significand != 0) sum.add_scaled(parts.significand, level_unit(e, k, lowest), parts.negative);
    }
  }

  std::int64_t m_units[Levels] = {};  // of u_1, u_2, ... for e_1 = m_guess.exponent
  std::int32_t m_tiles = 0;           // in m_units
  Guess m_guess;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
