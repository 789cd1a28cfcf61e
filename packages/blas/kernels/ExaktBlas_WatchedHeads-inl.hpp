// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Heads of products that one operation watches. Included inside of the namespace of each instruction set.
//
// All bits that heads ever had are joined by |. For that x is scaled such that the field E of the head's exponent is a
// multiple of 128: no larger field consists of bits of E, nor does a smaller one down to E - 127. A product that takes a
// head from its binade down there, or further, is nearly as large as the head, so it has no bits below 2^-105 of that: what
// it leaves shows, or is zero, where nothing is lost. From zero on a head shows again, or is below 2^-127 of what it was:
// many of these are less than what the bound has for the rounding of one sum. Where heads end is looked at as well, for one
// that ends at zero has moved further than sums of lanes have room for.

inline constexpr std::uint64_t fields_watched = 128;

/// \brief Where such heads start, for products with an x that is scaled up: that rounds nothing, and a number which becomes
/// infinite shows. Units and bounds are those of the products with x itself.
struct WatchedStart {
  double scaled;           // the start, whose field is a multiple of fields_watched
  double factor, inverse;  // powers of two: of x, and of what takes sums back
  bool fits;               // whether there is such a field

  HWY_INLINE explicit WatchedStart(double start) {
    std::uint64_t const field = bits_of(start) >> (FloatFormat<double>::precision - 1);
    auto const exponent = static_cast<int>((fields_watched - field % fields_watched) % fields_watched);
    factor = power_of_two(exponent);
    inverse = power_of_two(-exponent);
    scaled = start * factor;
    fits = scaled < HUGE_VAL;
  }
};

/// to[i] := factor * x[i].
HWY_INLINE void copy_scaled(double const* x, std::size_t count, double factor, double* to) {
  constexpr std::size_t lanes = pack_lanes;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) store(load(x + i) * broadcast(factor), to + i);
  for (; i < count; ++i) to[i] = x[i] * factor;
}

/// The sums of some packs, and all bits that their heads had.
template <int count>
struct SumsOfPacks {
  HeadAndRest sums[count];
  IntegerPack seen;

  HWY_INLINE explicit SumsOfPacks(Pack start) : seen(zero_integers()) {
    HWY_UNROLL(8)
    for (int s = 0; s < count; ++s) sums[s] = HeadAndRest(start, zeros());
  }
  HWY_INLINE void absorb(int s, Pack entries, Pack factors) {
    sums[s].absorb(entries, factors);
    seen = seen | bits_of_pack(sums[s].head);
  }
  /// Whether some head left its binade, or ends outside. \param start  Of watched heads.
  HWY_INLINE bool has_left(Pack start) const {
    IntegerPack const origin = bits_of_pack(start);
    IntegerPack moves = seen & ~origin;
    HWY_UNROLL(8)
    for (int s = 0; s < count; ++s) moves = moves | (bits_of_pack(sums[s].head) ^ origin);
    return leaves_binade(moves);
  }
};
