// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Packs of products along a sparse row, and sums of the lanes of many packs.
//
// Included inside the namespace of each instruction set, behind Exakt_Lanes-inl.hpp.

/// Entries that are picked at once, and products in one piece of a row, so that the sum of all heads is a double: 2^11 * 2^40
/// units.
constexpr int sparse_piece = 512 * pack_lanes < 2048 ? 512 * pack_lanes : 2048;
static_assert(sparse_piece / pack_lanes + 1 < (1 << (level_head - 1)));

/// Entries of a matrix that are on their way to a cache.
constexpr std::size_t entries_ahead = 1024;

/// \brief How far behind `count` entries from number k on others are asked for: not behind the last ones of the matrix, where
/// there may be no page, as distance_ahead() says.
template <class T, class Index>
HWY_INLINE std::size_t far_behind(SparseRows<T, Index> const& A, std::size_t k, std::size_t count,
                                  std::size_t ahead = entries_ahead) {
  return k + count + ahead <= A.entry_count ? ahead : 0;
}

/// Rows whose entries of x are picked at once, unless these are too many: processors wait for as many of them together as
/// they can.
constexpr int picked_rows = 32;

/// \brief Entries of x at the columns of a pack.
///
/// By loads and inserts: a hardware gather takes some processors twice as long, and none much less.
template <class Index>
HWY_INLINE Pack pick(double const* x, Index const* c) {
#if HWY_TARGET == HWY_AVX3
  return Pack{_mm512_set_pd(x[c[7]], x[c[6]], x[c[5]], x[c[4]], x[c[3]], x[c[2]], x[c[1]], x[c[0]])};
#elif HWY_TARGET == HWY_AVX2
  return Pack{_mm256_set_pd(x[c[3]], x[c[2]], x[c[1]], x[c[0]])};
#else
  double lanes[pack_lanes];
  for (int l = 0; l < pack_lanes; ++l) lanes[l] = x[c[l]];
  return load(lanes);
#endif
}

/// to[k] := x[columns[k]], and `values` on their way to the cache: nothing waits here for the end of a row. There is time
/// for misses of the first level.
///
/// \param ahead  How many entries before their use values are asked for.
template <class T, class Index>
HWY_INLINE void pick_entries(T const* values, Index const* columns, double const* x, std::size_t count,
                             std::size_t ahead, double* to) {
  std::size_t k = 0;
  for (; k + pack_lanes <= count; k += pack_lanes) {
    prefetch(values + k + ahead);
    store(pick(x, columns + k), to + k);
  }
  for (; k < count; ++k) to[k] = x[columns[k]];
}

/// Entries of a row and the entries of x that belong to them.
template <class T>
struct RowTerms {
  T const* values;
  double const* factors;
  int count;
};

/// f(value, factor) for each pack of them; the last pack is filled up with zeros.
template <class T, class F>
HWY_INLINE void for_each_pack(RowTerms<T> const& row, F const& f) {
  int i = 0;
#pragma GCC unroll 2
  for (; i + pack_lanes <= row.count; i += pack_lanes) f(load(row.values + i), load(row.factors + i));
  if (i < row.count) f(load_some(row.values + i, row.count - i), load_some(row.factors + i, row.count - i));
}

/// A product for a head and its rest.
template <class Sum>
HWY_INLINE void absorb_product(Sum& sum, Pack a, Pack x) {
  if constexpr (has_fused_packs) {
    sum.absorb(a, x);
  } else {
    sum.absorb(two_product_of_packs(a, x));
  }
}

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE Pack sums_of_lanes(Pack const (&v)[pack_lanes]) { return v[0]; }
#else
/// Neighbours added: [a0 + a1, b0 + b1, a2 + a3, b2 + b3, ...].
HWY_INLINE Pack add_neighbours(Pack a, Pack b) {
  return hn::InterleaveLower(Doubles(), a, b) + hn::InterleaveUpper(Doubles(), a, b);
}

/// \brief Lane i is the sum of the lanes of v[i]: half as many operations as one sum after the other.
HWY_INLINE Pack sums_of_lanes(Pack const (&v)[pack_lanes]) {
#if HWY_TARGET == HWY_AVX3
  auto const halves = [](Pack a, Pack b) HWY_ATTR {
    return hn::ConcatLowerLower(Doubles(), b, a) + hn::ConcatUpperUpper(Doubles(), b, a);
  };
  // Blocks of two lanes: those of rows 0, 1 and 4, 5, twice each, and of rows 2, 3 and 6, 7.
  Pack const a = halves(add_neighbours(v[0], v[1]), add_neighbours(v[4], v[5]));
  Pack const b = halves(add_neighbours(v[2], v[3]), add_neighbours(v[6], v[7]));
  return hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a) + hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
#elif HWY_TARGET == HWY_AVX2
  Pack const a = add_neighbours(v[0], v[1]), b = add_neighbours(v[2], v[3]);
  return hn::ConcatLowerLower(Doubles(), b, a) + hn::ConcatUpperUpper(Doubles(), b, a);
#else
  static_assert(pack_lanes == 2);
  return add_neighbours(v[0], v[1]);
#endif
}
#endif
