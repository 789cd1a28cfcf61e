// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of products along one row, on packs: enclosed (Exakt_LongEnclosure.hpp has the method).
//
// Included inside a namespace that has packs, EnclosureChain and widen(): once for each instruction set of the kernels,
// and once for all other code (matrix_vector/ExaktBlas_RowEnclosures.hpp).

/// Products in one piece of a row: fewer than 2^(level_head - 1) for each lane.
inline constexpr int row_piece = 1024 * pack_lanes;
static_assert(row_piece / pack_lanes + 1 < (1 << (level_head - 1)));

/// What a head and a rest say about the sum; `moved` tells whether they may speak.
KOKKOS_FORCEINLINE_FUNCTION Enclosure enclosure_of(EnclosureChain const& chain, HeadStart const& heads, double bound) {
  // High is the multiple of 2^10 units, of at most 44 bits; the rest of the units goes to low, which is rounded.
  std::int64_t const units = sum_of_lanes(bits_of_pack(chain.head) - chain.origin);
  double const high = static_cast<double>(units >> 10) * (heads.unit * 0x1p10);
  double const low = static_cast<double>(units & 1023) * heads.unit + sum_of_real_lanes(chain.rest);
  return {high, low, bound};
}

/// The largest |a * x| of a piece of a row, rounded.
template <class T>
EXAKT_NOINLINE_FUNCTION int exponent_above_products(T const* a, double const* x, int count) {
  Pack largest = zeros();
  int i = 0;
  for (; i + pack_lanes <= count; i += pack_lanes) largest = larger(absolute(load(a + i) * load(x + i)), largest);
  if (i < count) largest = larger(absolute(load_some(a + i, count - i) * load_some(x + i, count - i)), largest);
  return exponent_above(largest_lane(largest));
}

/// One piece of a row with heads that are large enough; false if there are none.
template <class T>
EXAKT_NOINLINE_FUNCTION bool enclose_piece(T const* a, double const* x, int count, Enclosure& sum, int& e) {
  e = exponent_above_products(a, x, count);
  if (!HeadStart::fits(e)) return false;
  HeadStart const heads(e);
  EnclosureChain even(heads.start), odd(heads.start);
  int i = 0;
  for (; i + 2 * pack_lanes <= count; i += 2 * pack_lanes) {
    even.absorb(load(a + i), load(x + i));
    odd.absorb(load(a + i + pack_lanes), load(x + i + pack_lanes));
  }
  for (; i < count; i += pack_lanes) {
    int const some = count - i < pack_lanes ? count - i : pack_lanes;
    even.absorb(load_some(a + i, some), load_some(x + i, some));
  }
  if (has_bits(even.moved | odd.moved, FloatFormat<double>::sign_mask | FloatFormat<double>::infinity)) return false;
  int const per_lane = count / pack_lanes + 2;
  double const bound = bound_of_rests(pack_lanes, per_lane) * heads.unit + bound_of_underflows(pack_lanes, per_lane);
  add_enclosure(sum, enclosure_of(even, heads, bound));
  add_enclosure(sum, enclosure_of(odd, heads, bound));
  return true;
}

/// One row with heads of its own in every piece: what to try before adding exactly.
///
/// \param largest  Receives an exponent above all products.
template <class T>
EXAKT_NOINLINE_FUNCTION Enclosure enclose_carefully(Strided<T const> const& A, double const* x, std::size_t row,
                                                    Span columns, int& largest) {
  constexpr std::size_t gathered = 1024;
  double buffer[gathered];
  Enclosure sum = empty_sum();
  for (std::size_t begin = columns.begin; begin < columns.end; begin += gathered) {
    std::size_t const count = columns.end - begin < gathered ? columns.end - begin : gathered;
    widen(A.at(row, begin), A.column_stride, count, buffer);
    int e;
    bool const known = enclose_piece(buffer, x + begin, static_cast<int>(count), sum, e);
    largest = begin == columns.begin || e > largest ? e : largest;
    if (!known) return {};
  }
  return sum;
}

/// \brief Adds the products of a pack of entries to the compensated sums of their rows: p + r = a * factor exactly,
/// high, e = two_sum(high, p), and e + r is rounded into low and its magnitude added to tails.
KOKKOS_FORCEINLINE_FUNCTION void add_compensated(double const* entries, Pack factor, double* high, double* low,
                                                 double* tails) {
  Pack const a = load(entries), sum = load(high);
  Pack const p = rounded_product(a, factor), r = fused_subtract(a, factor, p);
  Pack const s = sum + p, p_part = s - sum, sum_part = s - p_part;
  Pack const t = ((sum - sum_part) + (p - p_part)) + r;
  store(s, high);
  store(load(low) + t, low);
  store(load(tails) + absolute(t), tails);
}
