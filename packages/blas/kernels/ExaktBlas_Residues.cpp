// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lines as integers, their residues, and the way back. gemm/ozaki/ExaktBlas_Moduli.hpp has the mathematics.
//
// Bytes: an integer of at most 40 L bits is cut into L limbs from the top, X = sum of limb_j * 2^(40 (L - 1 - j)); the
// first is at most 2^40 in magnitude, the others 2^39. Of each limb p = 2^(40 (L - 1 - j)) mod m with |p| <= 128 leads
// to the residue of X:
//
//     |r| = |sum of limb_j * p_j - (m - 1)/2|  <=  5 * 2^47 + 2^7  <  2^50,     a multiple of 1/2, so every sum is
//     exact; q = r / m to the nearest integer, by the reciprocal: off the true quotient by less than 1/2 + 2^50 *
//     2^-53 / m; r - q*m: exact, and at most m/2 + 1/8 in magnitude.
//
// X - q*m = r - q*m + (m - 1)/2 is an integer between -1/2 - 1/8 and m - 1/2 + 1/8: one of 0 ... m - 1. Where a signed
// byte is asked for it is made of X + 128, and 128 is subtracted by turning over its highest bit: -128 ... m - 129.
//
// Four residues together are an integer below 2^32; less 2^31, and its highest bit turned over, it is one that
// processors convert. All of this is exact.
//
// Words: limbs of 36 bits, |p| <= 2046, |r| = |sum of limb_j * p_j| <= 6 * 2^47 < 2^50, or 2^31 * 2^11 of sums of products;
// q is off the true quotient by less than 1/2 + 2^50 * 2^-52 / m, and r - q*m, exact, is an integer of at most m/2 + 1/4:
// (m + 1)/2 in magnitude. Two of them, the second times 2^16, and 2^15 are an integer whose halves of 16 bits carry
// nothing to each other; the highest bit of the lower one turned over is the sign again.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ExaktBlas_Residues.cpp"
#include <kernels/Exakt_Targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ExaktBlas_Kernels.hpp"

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

#include <kernels/Exakt_Lanes-inl.hpp>

/// a * b + c, rounded once or twice: for what is exact either way, or has room.
HWY_INLINE Pack multiply_add(Pack a, double b, Pack c) { return hn::MulAdd(a, broadcast(b), c); }
HWY_INLINE Pack scaled(Pack x, double factor) { return hn::Mul(x, broadcast(factor)); }
template <class Number>
HWY_INLINE Number every(double x) {
  return broadcast(x);
}
HWY_INLINE Pack where_less(Pack x, double limit, Pack then, Pack otherwise) {
  return hn::IfThenElse(hn::Lt(x, broadcast(limit)), then, otherwise);
}

#include "ExaktBlas_Residues-inl.hpp"

constexpr std::size_t lanes = pack_lanes;
static_assert(small_lanes % lanes == 0 && kernel_lanes % lanes == 0);

using Ints = hn::Rebind<std::int32_t, Doubles>;
using IntPack = hn::Vec<Ints>;

HWY_INLINE Pack load_as_doubles(std::int32_t const* from) { return hn::PromoteTo(Doubles(), hn::LoadU(Ints(), from)); }

/// Lanes of 32 bits, each of some small integers.
template <class Small>
HWY_INLINE IntPack load_small(Small const* from) {
  IntPack result = hn::Zero(Ints());
  std::memcpy(&result, from, sizeof(std::int32_t) * lanes);
  return result;
}

/// Number p of each lane, with its sign.
template <class Kind, int p>
HWY_INLINE Pack number_of_lanes(IntPack numbers) {
  constexpr int bits = 8 * sizeof(typename Kind::Integer);
  return hn::PromoteTo(Doubles(), hn::ShiftRight<32 - bits>(hn::ShiftLeft<32 - bits*(p + 1)>(numbers)));
}

// ---- lines

void measure(double const* x, std::size_t size, LineMeasure& line) {
  using F = FloatFormat<double>;
  Integers const tag;
  IntegerPack largest = hn::Zero(tag);
  Pack const infinite = hn::BitCast(Doubles(), hn::Set(tag, static_cast<std::int64_t>(F::infinity)));
  Pack lowest = infinite;
  auto const add = [&](Pack entry) {
    Pack const magnitude = absolute(entry);
    IntegerPack const bits = bits_of_pack(magnitude);
    largest = hn::Max(largest, bits);
    // Without its lowest bit: what is missing is that bit. A power of two is its own.
    IntegerPack const without = hn::And(bits, bits - hn::Set(tag, 1));
    auto const is_power = hn::Eq(masked(bits, F::fraction_mask), hn::Zero(tag));
    Pack const bit = magnitude - hn::BitCast(Doubles(), hn::IfThenZeroElse(is_power, without));
    // An infinity minus itself is NaN, which is no minimum; but then there is nothing to know about units.
    lowest = hn::IfThenElse(hn::RebindMask(Doubles(), hn::Eq(bits, hn::Zero(tag))), lowest, hn::Min(bit, lowest));
  };
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) add(load(x + i));
  if (i < size) add(load_some(x + i, static_cast<int>(size - i)));
  std::int64_t of_lanes[lanes], most = 0;
  double bits_of_lanes[lanes], least = HUGE_VAL;
  store(largest, of_lanes);
  store(lowest, bits_of_lanes);
  for (std::size_t l = 0; l < lanes; ++l) {
    most = of_lanes[l] > most ? of_lanes[l] : most;
    least = bits_of_lanes[l] < least ? bits_of_lanes[l] : least;
  }
  if (most == 0) return;
  if (most >= static_cast<std::int64_t>(F::infinity)) {
    line = {LineMeasure::special, 0};
    return;
  }
  auto const last = integer_parts(least), first = integer_parts(bit_cast<double>(most));
  int const unit = last.exponent + bit_width(last.significand) - 1, top = first.exponent + bit_width(first.significand);
  line.top = top > line.top ? top : line.top;
  line.unit = unit < line.unit ? unit : line.unit;
}

/// x * 2^shift. Two factors, for one may be beyond the range. What underflows is far below the unit.
struct Shift {
  double half, other_half;
  HWY_INLINE explicit Shift(int shift) : half(power_of_two(shift / 2)), other_half(power_of_two(shift - shift / 2)) {}
  HWY_INLINE Pack operator()(Pack x) const { return scaled(scaled(x, half), other_half); }
};

// ---- bytes and words

/// A modulus, and what is subtracted and added around a reduction; see above.
template <class Kind>
struct SmallReduction;

template <>
struct SmallReduction<ByteResidues> {
  double m, reciprocal, before, behind;
  std::int32_t signs;

  HWY_INLINE SmallReduction(int t, bool with_sign)
      : m(moduli<ByteResidues>.as_double[t]),
        reciprocal(moduli<ByteResidues>.reciprocal[t]),
        before((with_sign ? 128 : 0) - (m - 1) / 2),
        behind((m - 1) / 2 * (1 + 0x1p8 + 0x1p16 + 0x1p24) - 0x1p31),
        signs(static_cast<std::int32_t>(with_sign ? 0x00808080u : 0x80000000u)) {}

  static HWY_INLINE Pack together(Pack const* rest) {
    Pack const low = multiply_add(rest[1], 0x1p8, rest[0]), high = multiply_add(rest[3], 0x1p8, rest[2]);
    return multiply_add(high, 0x1p16, low);
  }
};

template <>
struct SmallReduction<WordResidues> {
  double m, reciprocal;
  static constexpr double before = 0, behind = 0x1p15;
  static constexpr std::int32_t signs = 0x8000;

  HWY_INLINE SmallReduction(int t, bool)
      : m(moduli<WordResidues>.as_double[t]), reciprocal(moduli<WordResidues>.reciprocal[t]) {}

  static HWY_INLINE Pack together(Pack const* rest) { return multiply_add(rest[1], 0x1p16, rest[0]); }
};

/// Residues of X. \param r  X + before, in small_packs packs.
template <class Kind, class Small>
HWY_INLINE void store_residues(SmallReduction<Kind> const& modulo, Pack const* r, Small* to) {
  Pack rest[small_packs<Kind>];
  HWY_UNROLL(4)
  for (std::size_t p = 0; p < small_packs<Kind>; ++p)
    rest[p] = multiply_add(nearest_whole(r[p], modulo.reciprocal), -modulo.m, r[p]);
  Pack const all = SmallReduction<Kind>::together(rest) + broadcast(modulo.behind);
  IntPack const numbers = hn::Xor(hn::DemoteTo(Ints(), all), hn::Set(Ints(), modulo.signs));
  std::memcpy(to, &numbers, sizeof(std::int32_t) * lanes);
}

template <class Kind, int limbs, class Small>
void write_limbs(double const* x, std::size_t size, int unit, int count, bool with_sign, Small* residues,
                 std::size_t stride) {
  constexpr std::size_t packs = small_packs<Kind>;
  constexpr double size_of_limb = static_cast<double>(std::uint64_t{1} << Kind::chunk_bits);
  Shift const shift(-(unit + Kind::chunk_bits * (limbs - 1)));
  for (std::size_t i = 0; i < size; i += small_at_once<Kind>) {
    for (std::size_t first = 0; first < small_lanes; first += lanes) {
      Pack limb[packs][limbs];
      for (std::size_t p = 0; p < packs; ++p) {
        Pack rest = shift(load(x + i + p * small_lanes + first));
        for (int j = 0; j < limbs; ++j) {
          limb[p][j] = nearest_whole(rest);
          rest = scaled(rest - limb[p][j], size_of_limb);
        }
      }
      Small* to = residues + i + packs * first;
      for (int t = 0; t < count; ++t, to += stride) {
        SmallReduction<Kind> const modulo(t, with_sign);
        Pack r[packs];
        for (std::size_t p = 0; p < packs; ++p) {
          r[p] = limb[p][limbs - 1] + broadcast(modulo.before);
          for (int j = 0; j < limbs - 1; ++j)
            r[p] = multiply_add(limb[p][j], moduli<Kind>.power[limbs - 1 - j][t], r[p]);
        }
        store_residues(modulo, r, to);
      }
    }
  }
}

template <class Kind, class Small, int limbs = 1>
void write_small(double const* x, std::size_t size, int unit, int bits, int count, bool with_sign, Small* residues,
                 std::size_t stride) {
  if constexpr (limbs < Kind::limbs_at_most) {
    if (bits > limbs * Kind::chunk_bits)
      return write_small<Kind, Small, limbs + 1>(x, size, unit, bits, count, with_sign, residues, stride);
  }
  write_limbs<Kind, limbs>(x, size, unit, count, with_sign, residues, stride);
}

[[maybe_unused]] void write_words(double const* x, std::size_t size, int unit, int bits, int count,
                                  std::int16_t* residues, std::size_t stride) {
  write_small<WordResidues>(x, size, unit, bits, count, true, residues, stride);
}

/// |sum * inverse + y| <= 2^31 * 2^7 + 2^7, of words 2^31 * 2^11 + 2^11: the bounds of residues hold.
template <class Kind>
void reduce_to_small(std::int32_t const* sums, std::size_t size, int t, double inverse, bool add,
                     typename Kind::Integer* y) {
  constexpr std::size_t packs = small_packs<Kind>;
  SmallReduction<Kind> const modulo(t, true);
  for (std::size_t i = 0; i < size; i += small_at_once<Kind>) {
    for (std::size_t first = 0; first < small_lanes; first += lanes) {
      auto* const to = y + i + packs * first;
      Pack r[packs];
      for (std::size_t p = 0; p < packs; ++p)
        r[p] = multiply_add(load_as_doubles(sums + i + p * small_lanes + first), inverse, broadcast(modulo.before));
      if (add) {
        IntPack const before = load_small(to);
        r[0] = r[0] + number_of_lanes<Kind, 0>(before);
        r[1] = r[1] + number_of_lanes<Kind, 1>(before);
        if constexpr (packs > 2) {
          r[2] = r[2] + number_of_lanes<Kind, 2>(before);
          r[3] = r[3] + number_of_lanes<Kind, 3>(before);
        }
      }
      store_residues(modulo, r, to);
    }
  }
}

/// What is known about the sums of a pack of entries, from their integers high + low: exactly if these are short, for
/// then every error that `low` consists of, and their sum, is an integer below 2^53.
HWY_INLINE void store_sums(Pack high, Pack low, std::size_t at, CutLine const& row, CutLines const& columns,
                           double depth, EnclosureArrays const& sums) {
  Pack const scale = scaled(load(columns.scale + at), row.scale);
  Pack const cut = multiply_add(load(columns.size + at), row.cut, scaled(load(columns.cut + at), row.size));
  Pack const size = absolute(high);
  Pack const of_low = where_less(size, exact_balanced_sums, every<Pack>(0), scaled(size, bound_of_balanced_sum));
  Pack const bound = of_low + scaled(cut, depth);
  store(high * scale, sums.high + at);
  store(low * scale, sums.low + at);
  store(bound * scale, sums.bound + at);
}

/// Number p of each lane in all moduli is pack p of the entries.
template <class Kind, int chunks, int p>
HWY_INLINE void add_up_small(typename Kind::Integer const* y, std::size_t stride, Basis<Kind> const& basis, Pack& high,
                             Pack& low) {
  BalancedInteger<Kind, Pack, chunks> const X(basis, [=](int t) HWY_ATTR {
    return number_of_lanes<Kind, p>(load_small(y + static_cast<std::size_t>(t) * stride));
  });
  X.add_up(high, low);
}

template <class Kind, int chunks>
void sums_of_chunks(typename Kind::Integer const* y, std::size_t stride, std::size_t size, Basis<Kind> const& basis,
                    CutLine const& row, CutLines const& columns, double depth, EnclosureArrays const& sums) {
  constexpr std::size_t packs = small_packs<Kind>;
  for (std::size_t i = 0; i < size; i += small_at_once<Kind>) {
    for (std::size_t first = 0; first < small_lanes; first += lanes) {
      Pack high[packs], low[packs];
      auto const* const from = y + i + packs * first;
      add_up_small<Kind, chunks, 0>(from, stride, basis, high[0], low[0]);
      add_up_small<Kind, chunks, 1>(from, stride, basis, high[1], low[1]);
      if constexpr (packs > 2) {
        add_up_small<Kind, chunks, 2>(from, stride, basis, high[2], low[2]);
        add_up_small<Kind, chunks, 3>(from, stride, basis, high[3], low[3]);
      }
      for (std::size_t p = 0; p < packs; ++p)
        store_sums(high[p], low[p], i + p * small_lanes + first, row, columns, depth, sums);
    }
  }
}

template <class Kind, int chunks = 1>
void sums_of_small(typename Kind::Integer const* y, std::size_t stride, std::size_t size, Basis<Kind> const& basis,
                   CutLine const& row, CutLines const& columns, double depth, EnclosureArrays const& sums) {
  if constexpr (chunks < Kind::chunks_at_most) {
    if (basis.chunks > chunks)
      return sums_of_small<Kind, chunks + 1>(y, stride, size, basis, row, columns, depth, sums);
  }
  sums_of_chunks<Kind, chunks>(y, stride, size, basis, row, columns, depth, sums);
}

// ---- doubles

HWY_INLINE Remainder remainder_of(int t) {
  return {moduli<DoubleResidues>.as_double[t], moduli<DoubleResidues>.reciprocal[t]};
}

void write_doubles(double const* x, std::size_t size, int unit, int limbs, int t, double* residues) {
  Shift const shift(-(unit + DoubleResidues::chunk_bits * (limbs - 1)));
  Remainder const modulo = remainder_of(t);
  double power[DoubleResidues::limbs_at_most];
  for (int j = 0; j < limbs; ++j) power[j] = moduli<DoubleResidues>.power[j][t];
  for (std::size_t i = 0; i < size; i += lanes)
    store(residue_of<DoubleResidues>(shift(load(x + i)), limbs, power, modulo), residues + i);
}

void reduce_to_integers(double const* sums, std::size_t size, int t, double inverse, bool add, std::int32_t* y) {
  Remainder const modulo = remainder_of(t);
  for (std::size_t i = 0; i < size; i += lanes) {
    Pack reduced = reduced_sum(load(sums + i), inverse, modulo);
    if (add) reduced = modulo(reduced + load_as_doubles(y + i));
    hn::StoreU(hn::DemoteTo(Ints(), reduced), Ints(), y + i);
  }
}

void sums_of_integers(std::int32_t const* y, std::size_t stride, std::size_t size, Basis<DoubleResidues> const& basis,
                      CutLine const& row, CutLines const& columns, double depth, EnclosureArrays const& sums) {
  for (std::size_t i = 0; i < size; i += lanes) {
    BalancedInteger<DoubleResidues, Pack> const X(
        basis, [=](int t) HWY_ATTR { return load_as_doubles(y + i + static_cast<std::size_t>(t) * stride); });
    Pack high, low;
    X.add_up(high, low);
    store_sums(high, low, i, row, columns, depth, sums);
  }
}

}  // namespace

void set_residue_kernels(ResidueKernels& kernels) {
  auto& bytes = static_cast<ResidueKernelsOf<ByteResidues>&>(kernels);
  bytes.write_bytes = &write_small<ByteResidues, std::uint8_t>;
  bytes.reduce = &reduce_to_small<ByteResidues>;
  bytes.enclose = &sums_of_small<ByteResidues>;
  if constexpr (lanes == kernel_lanes) bytes.multiply = find_byte_products();
  // Sets with more than AVX2 and AVX-512 Foundation have instructions for bytes.
  if constexpr (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3) {
    auto& words = static_cast<ResidueKernelsOf<WordResidues>&>(kernels);
    words.write_words = &write_words;
    words.reduce = &reduce_to_small<WordResidues>;
    words.enclose = &sums_of_small<WordResidues>;
    if (bytes.multiply == nullptr) words.multiply = find_word_products();
  }
  auto& doubles = static_cast<ResidueKernelsOf<DoubleResidues>&>(kernels);
  doubles.write_doubles = &write_doubles;
  doubles.reduce = &reduce_to_integers;
  doubles.enclose = &sums_of_integers;
  kernels.measure = &measure;
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
