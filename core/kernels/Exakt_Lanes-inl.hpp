// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The packs of one instruction set, in terms of Highway: what summation/Exakt_Pack.hpp is to code outside of the
// kernels, with the same names and meanings. Included inside of the namespace of each set.

namespace hn = hwy::HWY_NAMESPACE;

#if defined(EXAKT_LANES_AT_MOST)
using Doubles = hn::CappedTag<double, EXAKT_LANES_AT_MOST>;
#else
using Doubles = hn::ScalableTag<double>;
#endif
using Integers = hn::RebindToSigned<Doubles>;
using Pack = hn::Vec<Doubles>;
using IntegerPack = hn::Vec<Integers>;

inline constexpr int pack_lanes = static_cast<int>(hn::MaxLanes(Doubles()));

// Where the processor has no fused multiply-add, Highway's MulAdd rounds twice.
#if defined(HWY_NATIVE_FMA) && HWY_NATIVE_FMA
inline constexpr bool has_fused_packs = true;
#else
inline constexpr bool has_fused_packs = false;
#endif
/// Whether there are processors of this set that add in units of their own, beside those that multiply.
inline constexpr bool has_separate_adders = has_fused_packs && HWY_ARCH_X86;

HWY_INLINE Pack load(double const* from) { return hn::LoadU(Doubles(), from); }
HWY_INLINE Pack load(float const* from) {
  return hn::PromoteTo(Doubles(), hn::LoadU(hn::Rebind<float, Doubles>(), from));
}
HWY_INLINE void store(Pack x, double* to) { hn::StoreU(x, Doubles(), to); }
/// Rounded to floats, infinite ones if they are too large.
HWY_INLINE void store(Pack x, float* to) {
#if HWY_TARGET == HWY_EMU128 || \
    HWY_TARGET == HWY_SCALAR  // whose DemoteTo makes the largest number of what is too large
  double lanes[pack_lanes];
  store(x, lanes);
  for (int l = 0; l < pack_lanes; ++l) to[l] = static_cast<float>(lanes[l]);
#else
  hn::Rebind<float, Doubles> const narrow;
  hn::StoreU(hn::DemoteTo(narrow, x), narrow, to);
#endif
}
HWY_INLINE IntegerPack load_integers(std::int64_t const* from) { return hn::LoadU(Integers(), from); }
HWY_INLINE void store(IntegerPack x, std::int64_t* to) { hn::StoreU(x, Integers(), to); }

/// The lines that `count` entries begin with are brought to the second cache, or to the first one.
template <class T>
HWY_INLINE void prefetch_lines(T const* first, std::ptrdiff_t count,
                               bool to_second_cache = prefetches_to_second_cache) {
  constexpr std::ptrdiff_t per_line = 64 / sizeof(T);
  if (to_second_cache) {
    for (std::ptrdiff_t i = 0; i < count; i += per_line) __builtin_prefetch(first + i, 0, 2);
  } else {
    for (std::ptrdiff_t i = 0; i < count; i += per_line) __builtin_prefetch(first + i, 0, 3);
  }
}

/// \brief How far ahead of their use lines of arrays that are read from end to end are prefetched.
///
/// Computation between loads starves the prefetcher of most processors. Zen 4's works alone: what is requested there is on
/// its way. Nothing is requested behind an array: a page may be missing there, and to find that out takes Zen 1 60 to 100 ns
/// for each line.
///
/// \param behind  Entries of the array behind those that are read with this distance.
HWY_INLINE int distance_ahead(std::size_t behind) {
  return behind >= prefetch_distance && !prefetches_to_second_cache ? prefetch_distance : 0;
}

/// As many lines as `count` entries begin with. No branch, so that loads and requests can be interleaved.
template <class T>
HWY_INLINE void prefetch_all(T const* first, int count) {
  for (int i = 0; i < count; i += 64 / static_cast<int>(sizeof(T))) prefetch(first + i);
}

/// Up to pack_lanes terms, zeros behind them.
template <class T>
HWY_INLINE Pack load_some(T const* from, int count) {
// Masked loads of AVX leave alone what lies behind the terms; on other targets Highway reads that. (Lanes that are
// stored one by one and loaded together would wait for the stores to end.)
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  hn::Rebind<T, Doubles> const tag;
  auto const some = hn::MaskedLoad(hn::FirstN(tag, static_cast<std::size_t>(count)), tag, from);
  if constexpr (sizeof(T) == sizeof(double)) {
    return some;
  } else {
    return hn::PromoteTo(Doubles(), some);
  }
#else
  T lanes[pack_lanes] = {};
  for (int l = 0; l < count; ++l) lanes[l] = from[l];
  return load(lanes);
#endif
}

HWY_INLINE void store_some(Pack x, double* to, int count) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  hn::BlendedStore(x, hn::FirstN(Doubles(), static_cast<std::size_t>(count)), Doubles(), to);
#else
  double lanes[pack_lanes];
  store(x, lanes);
  for (int l = 0; l < count; ++l) to[l] = lanes[l];
#endif
}

/// Packs of zeros: `Pack{}` is one on x86, and on NEON it is whatever the register holds.
HWY_INLINE Pack zeros() { return hn::Zero(Doubles()); }
HWY_INLINE IntegerPack zero_integers() { return hn::Zero(Integers()); }
HWY_INLINE Pack broadcast(double x) { return hn::Set(Doubles(), x); }
/// \brief One term in all lanes, where that is in the way of additions.
///
/// On Zen 4 a double from memory in eight lanes takes one of the additions' places (VBROADCASTSD), and an integer takes
/// none (VPBROADCASTQ).
HWY_INLINE Pack broadcast_from(double const* term) {
  if constexpr (pack_lanes == 8) {
    return hn::BitCast(Doubles(), hn::Set(Integers(), bit_cast<std::int64_t>(*term)));
  } else {
    return broadcast(*term);
  }
}
HWY_INLINE IntegerPack broadcast_integer(std::int64_t x) { return hn::Set(Integers(), x); }
HWY_INLINE double first_lane(Pack x) { return hn::GetLane(x); }
HWY_INLINE Pack absolute(Pack x) { return hn::Abs(x); }
HWY_INLINE Pack larger(Pack a, Pack b) { return hn::Max(a, b); }
HWY_INLINE Pack smaller(Pack a, Pack b) { return hn::Min(a, b); }

/// a * b + c and a * b - c, rounded once. Where processors cannot, a library call per lane: right, and not for loops.
HWY_INLINE Pack fused_add(Pack a, Pack b, Pack c) {
#if defined(HWY_NATIVE_FMA) && HWY_NATIVE_FMA
  return hn::MulAdd(a, b, c);
#else
  double lanes[3][pack_lanes];
  store(a, lanes[0]);
  store(b, lanes[1]);
  store(c, lanes[2]);
  for (int l = 0; l < pack_lanes; ++l) lanes[2][l] = __builtin_fma(lanes[0][l], lanes[1][l], lanes[2][l]);
  return load(lanes[2]);
#endif
}
HWY_INLINE Pack fused_subtract(Pack a, Pack b, Pack c) {
#if defined(HWY_NATIVE_FMA) && HWY_NATIVE_FMA
  return hn::MulSub(a, b, c);
#else
  return fused_add(a, b, hn::Neg(c));
#endif
}

HWY_INLINE Pack rounded_sum(Pack a, Pack b) { return a + b; }
HWY_INLINE Pack rounded_difference(Pack a, Pack b) { return a - b; }

/// a * b, rounded: the compiler may not fuse it with an addition to come.
HWY_INLINE Pack rounded_product(Pack a, Pack b) {
  if constexpr (has_fused_packs) {
    return fused_add(a, b, broadcast(-0.0));
  } else {
    return hn::Mul(a, b);
  }
}

HWY_INLINE IntegerPack bits_of_pack(Pack x) { return hn::BitCast(Integers(), x); }
HWY_INLINE Pack pack_of_bits(IntegerPack x) { return hn::BitCast(Doubles(), x); }
HWY_INLINE IntegerPack mask_of(hn::Mask<Doubles> condition) {
  return hn::BitCast(Integers(), hn::VecFromMask(Doubles(), condition));
}
HWY_INLINE IntegerPack mask_of_same_bits(Pack a, Pack b) {
  return hn::VecFromMask(Integers(), hn::Eq(bits_of_pack(a), bits_of_pack(b)));
}
HWY_INLINE IntegerPack mask_of_same_bits(IntegerPack x, std::uint64_t bits) {
  return hn::VecFromMask(Integers(), hn::Eq(x, hn::Set(Integers(), static_cast<std::int64_t>(bits))));
}
HWY_INLINE IntegerPack operator~(IntegerPack x) { return hn::Not(x); }
HWY_INLINE IntegerPack masked(IntegerPack x, std::uint64_t mask) {
  return hn::And(x, hn::Set(Integers(), static_cast<std::int64_t>(mask)));
}

HWY_INLINE bool has_bits(IntegerPack x, std::uint64_t mask) {
  return !hn::AllTrue(Integers(), hn::Eq(masked(x, mask), hn::Zero(Integers())));
}
/// A bit for each lane of which the mask is set.
HWY_INLINE std::uint32_t set_of_lanes(hn::Mask<Doubles> mask) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(Doubles(), mask, bits);
  return bits[0];
}
HWY_INLINE std::uint32_t set_of_lanes(IntegerPack mask) {
  return set_of_lanes(hn::RebindMask(Doubles(), hn::MaskFromVec(mask)));
}
HWY_INLINE std::int64_t sum_of_lanes(IntegerPack x) { return hn::GetLane(hn::SumOfLanes(Integers(), x)); }
HWY_INLINE double sum_of_real_lanes(Pack x) { return hn::GetLane(hn::SumOfLanes(Doubles(), x)); }
HWY_INLINE double largest_lane(Pack x) { return hn::GetLane(hn::MaxOfLanes(Doubles(), x)); }

/// The sums of the lanes of a and of those of b.
struct TwoSums {
  double a, b;
};
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE TwoSums sums_of_lanes(Pack a, Pack b) { return {hn::GetLane(a), hn::GetLane(b)}; }
#else
template <class Tag>
HWY_INLINE TwoSums sums_of_alternating_lanes(Tag, hn::Vec<Tag> x) {
  hn::Half<Tag> const half;
  auto const low = hn::LowerHalf(half, x), high = hn::UpperHalf(half, x);
  if constexpr (hn::MaxLanes(Tag()) > 2) {
    return sums_of_alternating_lanes(half, hn::Add(low, high));
  } else {
    return {hn::GetLane(low), hn::GetLane(high)};
  }
}
HWY_INLINE TwoSums sums_of_lanes(Pack a, Pack b) {
  Doubles const tag;
  return sums_of_alternating_lanes(tag, hn::InterleaveLower(tag, a, b) + hn::InterleaveUpper(tag, a, b));
}
#endif
