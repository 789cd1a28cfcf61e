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

/// Terms whose bits, moved by one, are below those of the smallest normal number: field 0. Those of one sign.
template <class X>
KOKKOS_INLINE_FUNCTION std::uint64_t count_without_hidden_bit(X const* x, int count, std::uint64_t bin) {
  std::uint64_t found = 0;
  for (int i = 0; i < count; ++i) found += bits_of(static_cast<double>(x[i])) >> stored_bits == bin;
  return found;
}

/// \brief KernelsOf<X>::add_by_exponent.
///
/// The bits of a term are all that its addition waits for: nothing is stored between that a load would have to wait for,
/// and no more is written than the bin, for a store takes a cycle. Signs have bins of their own, as to negate takes two
/// operations a term. All terms get a hidden bit; where some have none, they are counted afterwards, and it is subtracted.
template <class X>
KOKKOS_FORCEINLINE_FUNCTION void add_block_by_exponent(X const* x, int count, std::uint64_t* bins,
                                                       std::uint16_t* overflows) {
  constexpr std::uint64_t positive = 0, negative = exponent_bins / 2;
  std::uint64_t const before[] = {bins[positive], bins[negative]};

  // Bins all over the first-level cache hide the order of the terms from its prefetcher.
  constexpr int line = 64 / static_cast<int>(sizeof(X));
  int i = 0;
  for (; i + line <= count; i += line) {
    prefetch(x + i + prefetch_distance);
    EXAKT_UNROLLED_LOOP
    for (int j = 0; j < line; ++j) add_to_bin(static_cast<double>(x[i + j]), bins, overflows);
  }
  for (; i < count; ++i) add_to_bin(static_cast<double>(x[i]), bins, overflows);

  // At most 2^11 terms, each above 0 and below 2^53, move a bin by less than 2^64: it has moved if there were any.
  static_assert(exponent_block <= 1 << 11);
  for (std::uint64_t const bin : {positive, negative}) {
    if (bins[bin] == before[bin / negative]) continue;
    std::uint64_t const excess = count_without_hidden_bit(x, count, bin) << stored_bits;
    if (bins[bin] < excess) --overflows[bin];
    bins[bin] -= excess;
  }
}
