// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Terms into integers by sign and exponent (summation/Exakt_ExponentBins.hpp).
//
// Included once for each instruction set of the kernels, and once for all other code: devices run it as it is.

inline constexpr int stored_bits = FloatFormat<double>::precision - 1;

KOKKOS_FORCEINLINE_FUNCTION void add_to_bin(double t, std::uint64_t* bins, std::uint16_t* overflows) {
  constexpr std::uint64_t hidden = std::uint64_t{1} << stored_bits;
  std::uint64_t const bits = bits_of(t), bin = bits >> stored_bits, significand = (bits & (hidden - 1)) | hidden;
  bins[bin] += significand;
  if (bins[bin] < significand) [[unlikely]]
    ++overflows[bin];
}

/// How many terms belong to a bin.
template <class X>
KOKKOS_INLINE_FUNCTION std::uint64_t count_of_bin(X const* x, int count, std::uint64_t bin) {
  std::uint64_t found = 0;
  for (int i = 0; i < count; ++i) found += (bits_of(static_cast<double>(x[i])) >> stored_bits) == bin;
  return found;
}

/// \brief KernelsOf<X>::add_by_exponent.
///
/// One pass, and nothing of a term is stored but its bin: a store takes a cycle, and significands that wait in a buffer
/// wait for the store. Signs have bins of their own, as a negation takes two operations a term. All terms get a hidden
/// bit; zeros and subnormal numbers, which have none, are counted afterwards where there are any.
template <class X>
KOKKOS_FORCEINLINE_FUNCTION void add_block_by_exponent(X const* x, int count, int ahead, std::uint64_t* bins,
                                                       std::uint16_t* overflows) {
  constexpr std::uint64_t negative = exponent_bins / 2, without_hidden_bit[] = {0, negative};
  std::uint64_t const before[] = {bins[0], bins[negative]};

  // Accesses all over the bins hide from the prefetcher that the terms come in order.
  constexpr int line = 64 / static_cast<int>(sizeof(X));
  int i = 0;
  for (; i + line <= count; i += line) {
    prefetch(x + i + ahead);
    EXAKT_UNROLLED_LOOP
    for (int j = 0; j < line; ++j) add_to_bin(static_cast<double>(x[i + j]), bins, overflows);
  }
  for (; i < count; ++i) add_to_bin(static_cast<double>(x[i]), bins, overflows);

  // At most 2^11 terms, each above 0 and below 2^53, move a bin by less than 2^64: it has moved if there were any.
  static_assert(exponent_block <= 1 << 11);
  for (int sign = 0; sign < 2; ++sign) {
    std::uint64_t const bin = without_hidden_bit[sign];
    if (bins[bin] == before[sign]) continue;
    std::uint64_t const excess = count_of_bin(x, count, bin) << stored_bits;
    if (bins[bin] < excess) --overflows[bin];
    bins[bin] -= excess;
  }
}
