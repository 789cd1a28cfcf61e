// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_PRODUCTBINS_HPP
#define EXAKT_PRODUCTBINS_HPP

/// \file
/// \brief Products by sign and exponent: an integer of 128 bits for each sign and eight exponents, for products of any
/// range at one speed.
///
/// Significands are multiplied as integers, the first one shifted by the last three bits of the exponent: 113 bits, of
/// which a bin holds thousands before one is looked at.

#include "../kernels/Exakt_Kernels.hpp"
#include "../numerics/Exakt_IntegerProduct.hpp"
#include "../numerics/Exakt_WideProduct.hpp"

#include <cstddef>

namespace Exakt::Impl::inline EXAKT_ABI {

/// A product of significands, whose sign and exponent are in `key` (IntegerProduct).
KOKKOS_FORCEINLINE_FUNCTION void add_to_bin(std::uint64_t x, std::uint64_t y, std::uint64_t key, std::uint64_t* bins) {
  constexpr std::uint64_t shifts = (1 << product_bin_bits) - 1;
  std::uint64_t* const bin = bins + (key >> product_bin_bits);
  WideProduct const sum = WideProduct{bin[high_words_of_bins], bin[0]} + wide_product(x << (key & shifts), y);
  bin[0] = sum.low;
  bin[high_words_of_bins] = sum.high;
}

/// \brief Sums of products by sign and exponent. X and Y are the types of the factors, float or double each.
///
/// Made for the stack of a function that has hundreds of products to add: to clear and to drain it takes as long as some
/// hundred additions.
template <class X, class Y>
class ProductBins {
  using Product = IntegerProduct<X, Y>;
  static_assert(product_bins << product_bin_bits == 2 << Product::exponent_bits);

 public:
  /// Products that are added at once.
  static constexpr std::size_t block_size = product_block;

  /// Products that all bins together have room for: 2^14 of them, below 2^113 each, stay below 2^127 in drain().
  static constexpr std::size_t capacity = std::size_t{1} << 14;

  /// \brief Adds `count` products, at most a block. \pre No more than `capacity` since all bins were empty.
  ///
  /// \param ahead  How many entries before its use a line is asked for.
  /// \param sum    Takes a block with infinities or NaN.
  template <class Long>
  KOKKOS_INLINE_FUNCTION void add(X const* x, Y const* y, int count, [[maybe_unused]] int ahead, Long& sum) {
    EXAKT_IF_ON_HOST((KernelsOf<X, Y> const& kernel = kernels();
                      if (kernel.add_by_exponent(x, y, count, ahead, m_bins)) return;
                      for (int i = 0; i < count; ++i) sum.add_product(x[i], y[i]);))
    EXAKT_IF_ON_DEVICE((for (int i = 0; i < count; ++i) add_one(x[i], y[i], sum);))
  }

  /// \brief Adds all bins to `sum`, and leaves them empty. Every product was a multiple of its lowest bit.
  template <class Long>
  KOKKOS_INLINE_FUNCTION void drain(Long& sum) {
    // From the lowest bin up, what is above its eight bits goes to the next one; the bits of eight bins are a word.
    WideProduct carry{0, 0};
    int exponent = Product::lsb_exponent;
    for (int first = 0; first < bins_of_sign; first += bins_at_once, exponent += 64) {
      if (are_empty(first) && drain_small_carry(carry, exponent, sum)) continue;
      std::uint64_t word = 0;
      for (int j = 0; j < bins_at_once; ++j) {
        carry = carry + (bin(first + j) - bin(bins_of_sign + first + j));
        word |= (carry.low & bin_mask) << (j * bin_width);
        shift_down(carry);
      }
      add_to(sum, word, exponent, false);
      clear(first);
    }
    bool const negative = (carry.high >> 63) != 0;
    if (negative) carry = WideProduct{0, 0} - carry;
    add_to(sum, carry.low, exponent, negative);
    add_to(sum, carry.high, exponent + 64, negative);
  }

 private:
  static constexpr int bins_of_sign = product_bins / 2, bin_width = 1 << product_bin_bits,
                       bins_at_once = 64 / bin_width;
  static constexpr std::uint64_t bin_mask = (std::uint64_t{1} << bin_width) - 1;
  static_assert(bins_of_sign % bins_at_once == 0);

  template <class Long>
  KOKKOS_INLINE_FUNCTION void add_one(X x, Y y, Long& sum) {
    Product const product(x, y);
    if ((product.specials & Product::special_flag) != 0) {
      sum.add_product(x, y);
    } else {
      add_to_bin(product.x, product.y, product.key, m_bins);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION WideProduct bin(int i) const { return {m_bins[high_words_of_bins + i], m_bins[i]}; }

  /// Few exponents are used in some hundred products. An OR of all is what compilers vectorize.
  KOKKOS_FORCEINLINE_FUNCTION bool are_empty(int first) const {
    std::uint64_t const *const low = m_bins + first, *const high = low + high_words_of_bins;
    std::uint64_t words = 0;
    for (int j = 0; j < bins_at_once; ++j) words |= low[j] | low[bins_of_sign + j] | high[j] | high[bins_of_sign + j];
    return words == 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void clear(int first) {
    std::uint64_t *const low = m_bins + first, *const high = low + high_words_of_bins;
    for (int j = 0; j < bins_at_once; ++j) low[j] = low[bins_of_sign + j] = high[j] = high[bins_of_sign + j] = 0;
  }

  /// In front of empty bins: a carry of 0, or of -1, which would leave a word of ones in each of them.
  template <class Long>
  static KOKKOS_FORCEINLINE_FUNCTION bool drain_small_carry(WideProduct& carry, int exponent, Long& sum) {
    if (carry.high != carry.low || carry.low + 1 > 1) return false;
    add_to(sum, carry.low & 1, exponent, true);
    carry = {0, 0};
    return true;
  }

  /// The carry divided by the radix of bins, rounded down.
  static KOKKOS_FORCEINLINE_FUNCTION void shift_down(WideProduct& carry) {
    carry.low = carry.low >> bin_width | carry.high << (64 - bin_width);
    carry.high = static_cast<std::uint64_t>(static_cast<std::int64_t>(carry.high) >> bin_width);
  }

  template <class Long>
  static KOKKOS_INLINE_FUNCTION void add_to(Long& sum, std::uint64_t units, int exponent, bool negative) {
    if (units == 0) return;
    // Bins begin below the lowest bit of a product, and have zeros there.
    int const zeros = exponent < Long::lowest_exponent ? Long::lowest_exponent - exponent : 0;
    sum.add_scaled(units >> zeros, exponent + zeros, negative);
  }

  std::uint64_t m_bins[high_words_of_bins + product_bins] = {};
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
