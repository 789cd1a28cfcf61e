// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every prefix of a sum as two doubles, rounded where these decide it.
//
// The sum of what came before is high + low, up to bound. A term t adds to it without error but in the last line:
//
//     s = high + t,  e its error (TwoSum);   high = s;   low = low + e,  f its error;   bound = bound + |f|
//
// While all f are zero, high + low IS the exact sum, and one addition of the two rounds it, ties included: so it is for
// terms whose bits lie within 2 * 53 of each other, as most do. Else every prefix of a block lies within
// bound + 2^-53 |low| of the sum of its two numbers, and Ziv's test decides nearly all of them.
//
// Two loops: the first one depends on the iteration before, four additions in a row, but is all that does; the second
// one, on packs, finds f, rounds and decides.
//
// Included inside a namespace that has packs and two_sum_of_packs: once for each instruction set of the kernels
// (Exakt_Lanes-inl.hpp), where the functions must be compiled for it, and once for all other code
// (summation/Exakt_Pack.hpp), on devices with one lane.

/// Scratch memory of a block of at most `size` terms. The sums are those before each term, and the last ones.
template <int size>
struct ScanBlock {
  double high[size + 1], low[size + 1], error[size];
};

/// The sums of the terms: high, low, and the errors of high.
template <class Block>
KOKKOS_FORCEINLINE_FUNCTION void add_in_order(double const* x, int count, Enclosure const& before, Block& block) {
  double high = before.high, low = before.low;
  for (int i = 0; i < count; ++i) {
    double const t = x[i], s = high + t, t_part = s - high, high_part = s - t_part;
    double const e = (high - high_part) + (t - t_part);
    block.high[i] = high;
    block.low[i] = low;
    block.error[i] = e;
    high = s;
    low = low + e;
  }
  block.high[count] = high;
  block.low[count] = low;
}

/// What is known of a block: the errors of low, and its largest magnitude.
struct ScanEvidence {
  double lost, largest_low;
};

template <class Block>
KOKKOS_FORCEINLINE_FUNCTION ScanEvidence evidence_of(Block const& block, int count) {
  Pack lost = zeros(), low = zeros();
  int i = 0;
  for (; i + pack_lanes <= count; i += pack_lanes) {
    Pack const a = load(block.low + i), b = load(block.error + i), s = load(block.low + i + 1);
    Pack const b_part = s - a, a_part = s - b_part;
    lost = lost + absolute((a - a_part) + (b - b_part));
    low = larger(absolute(s), low);
  }
  ScanEvidence evidence{sum_of_real_lanes(lost), largest_lane(low)};
  for (; i < count; ++i) {
    double const a = block.low[i], b = block.error[i], s = block.low[i + 1], b_part = s - a, a_part = s - b_part;
    evidence.lost += magnitude_of((a - a_part) + (b - b_part));
    if (magnitude_of(s) > evidence.largest_low) evidence.largest_low = magnitude_of(s);
  }
  return evidence;
}

/// \brief Rounds each prefix of a block; `first` is the number of its first term. \return How many are undecided.
template <class R, class Block>
KOKKOS_FORCEINLINE_FUNCTION int round_prefixes(Block const& block, int count, int first, double bound, double radius,
                                               R* r, int* undecided) {
  int rejected = 0;
  if constexpr (sizeof(R) == sizeof(double)) {
    int i = 0;
    if (bound == 0) {
      for (; i + pack_lanes <= count; i += pack_lanes) store(load(block.high + i + 1) + load(block.low + i + 1), r + i);
      for (; i < count; ++i) r[i] = block.high[i + 1] + block.low[i + 1];
      return 0;
    }
    Pack const away = broadcast(radius);
    for (; i + pack_lanes <= count; i += pack_lanes) {
      Pack const high = load(block.high + i + 1), low = load(block.low + i + 1);
      Pack const lower = high + (low - away), upper = high + (low + away);
      store(lower, r + i);
      if (has_bits(~mask_of_same_bits(lower, upper), ~std::uint64_t{0})) {
        std::uint32_t const differ = set_of_lanes(~mask_of_same_bits(lower, upper));
        for (int l = 0; l < pack_lanes; ++l)
          if ((differ >> l & 1) != 0) undecided[rejected++] = first + i + l;
      }
    }
    for (; i < count; ++i) {
      double const lower = block.high[i + 1] + (block.low[i + 1] - radius),
                   upper = block.high[i + 1] + (block.low[i + 1] + radius);
      r[i] = lower;
      if (bits_of(lower) != bits_of(upper)) undecided[rejected++] = first + i;
    }
  } else {
    for (int i = 0; i < count; ++i) {
      double const high = block.high[i + 1], low = block.low[i + 1];
      if (bound == 0 && low == 0 && is_rounded_by_conversion<R>(high)) {
        r[i] = static_cast<R>(high);
      } else if (!try_round_near(high, low, radius, r[i])) {
        undecided[rejected++] = first + i;
      }
    }
  }
  return rejected;
}

/// \brief r[i] := the sum before and x[0] + ... + x[i], rounded once, for i < count; the sum before becomes that of all.
///
/// \param undecided  Takes the numbers of the entries of r whose rounding was not decided, ascending; room for `count`.
/// \return How many these are.
template <int size, class R>
KOKKOS_FORCEINLINE_FUNCTION int scan_terms(double const* x, int count, Enclosure& sum, R* r, int* undecided) {
  int rejected = 0;
  for (int begin = 0; begin < count; begin += size) {
    int const some = count - begin < size ? count - begin : size;
    ScanBlock<size> block;
    add_in_order(x + begin, some, sum, block);
    ScanEvidence const evidence = evidence_of(block, some);
    sum = {block.high[some], block.low[some], sum.bound + evidence.lost};
    // What is infinite or NaN, or overflows on the way, makes NaN of an error, of low, and of the bound.
    if (!(sum.bound < 0x1p1000)) {
      sum.bound = HUGE_VAL;
      for (int i = begin; i < count; ++i) undecided[rejected++] = i;
      return rejected;
    }
    rejected += round_prefixes(block, some, begin, sum.bound, radius_of(sum.bound, evidence.largest_low), r + begin,
                               undecided + rejected);
  }
  return rejected;
}
