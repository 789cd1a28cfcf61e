// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Terms into integers by exponent (summation/Exakt_ExponentBins.hpp).
//
// Included once for each instruction set of the kernels, and once for all other code: devices run it as it is. Plain
// loops over a block, which compilers vectorize.

/// a + b modulo 2^64 in `sum`; whether that is not the sum.
KOKKOS_FORCEINLINE_FUNCTION bool add_overflows(std::int64_t a, std::int64_t b, std::int64_t& sum) {
#if defined(__GNUC__) && !defined(EXAKT_DEVICE_SOURCE)
  return __builtin_add_overflow(a, b, &sum);
#else
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  return ((a ^ sum) & (b ^ sum)) < 0;
#endif
}

/// The exponent field of a double, and the significand that belongs to it.
struct BinnedTerm {
  std::int64_t field, significand;

  KOKKOS_FORCEINLINE_FUNCTION explicit BinnedTerm(double t) {
    using F = FloatFormat<double>;
    constexpr int stored = F::precision - 1, exponent_bits = 63 - stored;
    constexpr std::uint64_t all_fields = (std::uint64_t{1} << exponent_bits) - 1;
    std::uint64_t const bits = bits_of(t), exponent = (bits >> stored) & all_fields;
    // A field of 0 has no hidden bit: adding 2^11 - 1 carries into bit 11 for all others.
    std::uint64_t const hidden = ((exponent + all_fields) & (all_fields + 1)) << (stored - exponent_bits);
    std::uint64_t const magnitude = (bits & ((std::uint64_t{1} << stored) - 1)) | hidden, sign = 0 - (bits >> 63);
    field = static_cast<std::int64_t>(exponent);
    significand = static_cast<std::int64_t>((magnitude ^ sign) - sign);
  }
};

/// KernelsOf<X>::add_by_exponent.
template <class X>
KOKKOS_FORCEINLINE_FUNCTION int add_block_by_exponent(X const* x, int count, std::int64_t* bins, int* overflown) {
  std::int64_t field[exponent_block], significand[exponent_block], above_field = 0;
  for (int i = 0; i < count; ++i) {
    BinnedTerm const term(static_cast<double>(x[i]));
    field[i] = term.field;
    significand[i] = term.significand;
    above_field |= term.field + 1;
  }
  if (above_field > exponent_bins) return -1;  // the field of infinities and NaN, plus 1, has a bit more than others

  int overflows = 0;
  for (int i = 0; i < count; ++i) {
    std::int64_t& bin = bins[field[i]];
    if (add_overflows(bin, significand[i], bin)) [[unlikely]]
      overflown[overflows++] = static_cast<int>(significand[i] < 0 ? ~field[i] : field[i]);
  }
  return overflows;
}
