// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of C in registers, enclosed (Exakt_EnclosedSum.hpp has the method):
//
//     multiply               a head and a rest an entry: four operations a product, and nothing to check
//     multiply_plainly       one operation a product, for products and sums of few bits
//     multiply_carefully     several heads and a rest, for tiles whose sums cancel: 11 with two heads, or 18 with three
//                            (ExaktBlas_GemmHeads-inl.hpp)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ExaktBlas_GemmTiles.cpp"
#include <kernels/Exakt_Targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ExaktBlas_GemmKernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

#include <kernels/Exakt_Lanes-inl.hpp>
//
#include <kernels/Exakt_Transpose-inl.hpp>
//
#include <kernels/Exakt_ErrorFree-inl.hpp>
//
#include <kernels/Exakt_Enclosure-inl.hpp>
//
#include "ExaktBlas_Epilogue-inl.hpp"
//
#include "ExaktBlas_Multiples-inl.hpp"
//
#include "ExaktBlas_Compensated-inl.hpp"
//
#include "ExaktBlas_KnownLines-inl.hpp"
//
#include "ExaktBlas_GemmPacking-inl.hpp"

/// How far it is from one column to the next, from heads to rests, and to a pack of rows.
constexpr std::ptrdiff_t column_step = tile_rows, plane = column_step * tile_columns;
HWY_INLINE std::ptrdiff_t pack_at(int p) { return std::ptrdiff_t{pack_lanes} * p; }
static_assert(tile_rows <= tile_rows_at_most && tile_columns <= tile_columns_at_most);

/// Where the heads of a pack of rows begin.
HWY_INLINE Pack start_of(GemmTile const& tile, int column, int p) {
  return load(tile.row_magnitudes + pack_at(p)) * broadcast(1.5 * tile.headroom * tile.column_magnitudes[column]);
}

[[maybe_unused]] void multiply(GemmTile const& tile, Span some, bool is_first) {
  double* const state = tile.state;
  HeadAndRest sums[tile_columns][packs_of_tile];
  HWY_UNROLL(8)
  for (int c = 0; c < tile_columns; ++c) {
    HWY_UNROLL(8)
    for (int p = 0; p < packs_of_tile; ++p) {
      double const* const from = state + c * column_step + pack_at(p);
      sums[c][p].head = is_first ? start_of(tile, c, p) : load(from);
      sums[c][p].rest = is_first ? broadcast(0) : load(from + plane);
    }
  }
  double const *a = tile.a + some.begin * tile_rows, *b = tile.b + some.begin * tile_columns;
  for (std::size_t k = some.size(); k > 0; --k, a += tile_rows, b += tile_columns) {
    Pack entries[packs_of_tile];
    HWY_UNROLL(8)
    for (int p = 0; p < packs_of_tile; ++p) entries[p] = load(a + pack_at(p));
    HWY_UNROLL(8)
    for (int c = 0; c < tile_columns; ++c) {
      Pack const factor = broadcast_from(b + c);
      HWY_UNROLL(8)
      for (int p = 0; p < packs_of_tile; ++p) sums[c][p].absorb(entries[p], factor);
    }
  }
  HWY_UNROLL(8)
  for (int c = 0; c < tile_columns; ++c) {
    HWY_UNROLL(8)
    for (int p = 0; p < packs_of_tile; ++p) {
      double* const to = state + c * column_step + pack_at(p);
      store(sums[c][p].head, to);
      store(sums[c][p].rest, to + plane);
    }
  }
}

/// A part of all plain sums of a tile.
using PlainTile = Pack[tile_columns][packs_of_tile];

HWY_INLINE void add_products(double const* a, double const* b, PlainTile& sums) {
  Pack entries[packs_of_tile];
  HWY_UNROLL(8)
  for (int p = 0; p < packs_of_tile; ++p) entries[p] = load(a + pack_at(p));
  HWY_UNROLL(8)
  for (int c = 0; c < tile_columns; ++c) {
    Pack const factor = broadcast_from(b + c);
    HWY_UNROLL(8)
    for (int p = 0; p < packs_of_tile; ++p) sums[c][p] = fused_add(entries[p], factor, sums[c][p]);
  }
}

/// \brief Plain sums, of even and of odd k, for additions to one wait for each other; what they come to is a term that
/// heads absorb.
///
/// Let products be below P, none of them underflow, and n of them make a plain sum. Where all are multiples of G, and
/// n P <= 2^53 G, nothing is rounded. Where they are doubles, each of the two parts has at most (n + 1)/2 of them, and
/// is off by less than 2^-53 P (1 + 2 + ... + (n + 1)/2), and their sum by 2^-53 n P more: by less than
///
///     2^-53 n (n/4 + 3) P  in all. (1 + 2^-40, for what roundings add to partial sums, is in the 3.)
[[maybe_unused]] void multiply_plainly(GemmTile const& tile, Span some, bool is_first) {
  if (is_first) {
    for (int c = 0; c < tile_columns; ++c) {
      for (int p = 0; p < packs_of_tile; ++p) {
        double* const to = tile.state + c * column_step + pack_at(p);
        store(start_of(tile, c, p), to);
        store(broadcast(0), to + plane);
      }
    }
  }
  double const *a = tile.a + some.begin * tile_rows, *b = tile.b + some.begin * tile_columns;
  std::size_t const most = tile.plain_sums.products;
  for (std::size_t left = some.size(), here; left > 0; left -= here) {
    here = left < most ? left : most;
    PlainTile even, odd;
    HWY_UNROLL(8)
    for (int c = 0; c < tile_columns; ++c) {
      HWY_UNROLL(8)
      for (int p = 0; p < packs_of_tile; ++p) even[c][p] = odd[c][p] = broadcast(0);
    }
    for (std::size_t k = here / 2; k > 0; --k, a += 2 * tile_rows, b += 2 * tile_columns) {
      add_products(a, b, even);
      add_products(a + tile_rows, b + tile_columns, odd);
    }
    if (here % 2 != 0) {
      add_products(a, b, even);
      a += tile_rows;
      b += tile_columns;
    }
    HWY_UNROLL(8)
    for (int c = 0; c < tile_columns; ++c) {
      HWY_UNROLL(8)
      for (int p = 0; p < packs_of_tile; ++p) {
        double* const at = tile.state + c * column_step + pack_at(p);
        HeadAndRest sum(load(at), load(at + plane));
        sum.absorb(even[c][p] + odd[c][p]);
        store(sum.head, at);
        store(sum.rest, at + plane);
      }
    }
  }
}

/// \brief What heads and rests say after `depth` products each.
///
/// Where plain sums are exact, so is the sum of head and rest. In the notation of Exakt_EnclosedSum.hpp, a rest has at
/// most k u/2, u <= 2^-50 k P, where P <= 2^53 G, and is a multiple of G: it has room for 2^53 G.
HWY_INLINE EnclosurePack read_heads(GemmTile const& tile, int column, int p, std::size_t depth) {
  double const* const state = tile.state + column * column_step + pack_at(p);
  Pack const start = start_of(tile, column, p);
  auto sum = enclosure_of_lanes(HeadAndRest(load(state), load(state + plane)), start, static_cast<int>(depth));
  if (tile.plain_sums.are_used()) {
    if (tile.plain_sums.are_exact()) sum.bound = broadcast(0);
    sum.bound = sum.bound + start * broadcast(tile.plain_sums.error * static_cast<double>(depth) / tile.headroom);
  }
  return sum;
}

HWY_INLINE EnclosurePack load_enclosures(double const* from) {
  return {load(from), load(from + plane), load(from + 2 * plane)};
}

[[maybe_unused]] void add_segment(GemmTile const& tile, std::size_t depth, bool is_first) {
  for (int c = 0; c < tile_columns; ++c) {
    for (int p = 0; p < packs_of_tile; ++p) {
      double* const at = tile.enclosures + c * column_step + pack_at(p);
      EnclosurePack sum = is_first ? EnclosurePack{broadcast(0), broadcast(0), broadcast(0)} : load_enclosures(at);
      add_enclosure(sum, read_heads(tile, c, p, depth));
      store(sum.high, at);
      store(sum.low, at + plane);
      store(sum.bound, at + 2 * plane);
    }
  }
}

/// What is known about a pack of entries after all of k.
HWY_INLINE EnclosurePack known_sum(GemmTile const& tile, int column, int p) {
  return tile.enclosures == nullptr ? read_heads(tile, column, p, tile.depth)
                                    : load_enclosures(tile.enclosures + column * column_step + pack_at(p));
}

/// Rows of a pack that C has.
HWY_INLINE int lanes_of(GemmTile const& tile, int p) {
  int const left = tile.rows - p * pack_lanes;
  return left < pack_lanes ? left : pack_lanes;
}

/// Sums that are known, and zero up to their bounds; with infinities and NaN they are not.
HWY_INLINE std::uint32_t zero_lanes(EnclosurePack const& sum) {
  return set_of_lanes(mask_of(sum.high == zeros()) & mask_of(sum.low == zeros()) &
                      mask_of(sum.bound < broadcast(HUGE_VAL)));
}

/// \brief Of entries whose sums are zero up to their bounds, those of which each product has a factor of zero.
/// \param entries  A bit for each row, for each column.
[[maybe_unused]] HWY_NOINLINE void keep_zeros(GemmTile const& tile, std::uint32_t* entries) {
  std::uint32_t rows = 0;
  for (int c = 0; c < tile.columns; ++c) rows |= entries[c];
  constexpr std::size_t at_once = 64;
  double const *a = tile.a, *b = tile.b;
  for (std::size_t k = 0; k < tile.depth && rows != 0;) {
    for (std::size_t const end = std::min(tile.depth, k + at_once); k < end; ++k, a += tile_rows, b += tile_columns) {
      std::uint32_t used = 0;
      for (int p = 0; p < packs_of_tile; ++p)
        used |= set_of_lanes(mask_of(load(a + pack_at(p)) != zeros())) << (p * pack_lanes);
      if ((used & rows) == 0) continue;
      for (int c = 0; c < tile.columns; ++c) entries[c] &= b[c] == 0 ? ~std::uint32_t{0} : ~used;
    }
    rows = 0;
    for (int c = 0; c < tile.columns; ++c) rows |= entries[c];
  }
}

/// The bound is zero where each product has a factor of zero.
[[maybe_unused]] void write_sums(GemmTile const& tile, EnclosureArrays const& to, std::size_t column_stride) {
  std::uint32_t zero_entries[tile_columns] = {};
  for (int c = 0; c < tile.columns; ++c) {
    for (int p = 0; p < packs_of_tile && lanes_of(tile, p) > 0; ++p) {
      EnclosurePack const sum = known_sum(tile, c, p);
      auto const at = to.from(static_cast<std::size_t>(c) * column_stride + static_cast<std::size_t>(p * pack_lanes));
      store_some(sum.high, at.high, lanes_of(tile, p));
      store_some(sum.low, at.low, lanes_of(tile, p));
      store_some(sum.bound, at.bound, lanes_of(tile, p));
      zero_entries[c] |= zero_lanes(sum) << (p * pack_lanes) & set_of_first_lanes(tile.rows);
    }
  }
  keep_zeros(tile, zero_entries);
  for (int c = 0; c < tile.columns; ++c) {
    for (std::uint32_t left = zero_entries[c]; left != 0; left &= left - 1)
      to.bound[static_cast<std::size_t>(c) * column_stride + static_cast<std::size_t>(std::countr_zero(left))] = 0;
  }
}

/// Units of the sums of a pack of rows: products of those of both lines.
HWY_INLINE Pack unit_of(GemmTile const& tile, int column, int p) {
  return load(tile.row_units + pack_at(p)) * broadcast(tile.column_units[column]);
}

/// \brief The entries of a pack that are known exactly; `results` receives those.
///
/// Neither a parameter nor the result is a pack: for functions that have such GCC does not clear the upper halves of
/// registers.
template <class R>
HWY_NOINLINE std::uint32_t multiples_of_pack(GemmTile const& tile, int column, int p, EnclosurePack const& sum,
                                             Factors const& factors, double const* old, std::uint32_t wanted,
                                             R* results) {
  R exact[pack_lanes] = {};
  std::uint32_t const known = decided_multiples(factors, sum, load(old), unit_of(tile, column, p), exact) & wanted;
  for (int l = 0; l < pack_lanes; ++l) results[l] = (known >> l & 1) != 0 ? exact[l] : results[l];
  return known;
}

/// Writes the entries of a pack that its sums decide, unless they are decided already.
template <class R>
HWY_INLINE void try_round_pack(GemmTile const& tile, int column, int p, EnclosurePack const& sum,
                               Factors const& factors, Strided<R> const& C, std::uint32_t& decided) {
  int const first = p * pack_lanes, lanes = lanes_of(tile, p);
  if (lanes <= 0) return;
  std::uint32_t const wanted = set_of_first_lanes(lanes) & ~(decided >> first);
  R* const to = C.at(static_cast<std::size_t>(first), static_cast<std::size_t>(column));
  auto const decide_multiples = [&](double const* old, std::uint32_t others, R* results) {
    return multiples_of_pack(tile, column, p, sum, factors, old, others, results);
  };
  decided |= try_round_lanes(factors, sum, 1, lanes, wanted, to, C.row_stride, decide_multiples) << first;
}

/// \brief The same for a whole tile of which no entry is decided, with alpha = 1, beta = 0, and columns whose entries are
/// neighbours, as most are: without a branch, for nearly all are decided. Of the others C says nothing.
///
/// Where both ends of an interval are one number, and that is far from the end of the range, so are high and radius.
template <bool is_exact, bool is_whole>
HWY_INLINE void try_round_plain(GemmTile const& tile, Strided<double> const& C, std::uint32_t* decided) {
  int const packs = is_whole ? packs_of_tile : (tile.rows + pack_lanes - 1) / pack_lanes;
  std::uint32_t const wanted = set_of_first_lanes(tile.rows);
  for (int c = 0; c < tile.columns; ++c) {
    std::uint32_t set = is_exact ? wanted : 0;
    double* const to = C.at(0, static_cast<std::size_t>(c));
    HWY_UNROLL(8)
    for (int p = 0; p < packs; ++p) {
      EnclosurePack const sum = known_sum(tile, c, p);
      Pack result = sum.high + sum.low;
      if constexpr (!is_exact) {
        IntervalPack const interval = interval_of({1, 0, false, false}, sum, zeros(), broadcast(1), broadcast(1));
        result = interval.lower;
        auto const is_same = hn::RebindMask(Doubles(), hn::Eq(bits_of_pack(result), bits_of_pack(interval.upper)));
        set |= set_of_lanes(hn::And(is_same, absolute(result) < broadcast(0x1p990))) << (p * pack_lanes);
      }
      if (is_whole) {
        store(result, to + pack_at(p));
      } else {
        store_some(result, to + pack_at(p), lanes_of(tile, p));
      }
    }
    decided[c] = set & wanted;
  }
}

HWY_INLINE void try_round_plain(GemmTile const& tile, Strided<double> const& C, std::uint32_t* decided) {
  bool const is_exact = tile.plain_sums.are_exact() && tile.enclosures == nullptr, is_whole = tile.rows == tile_rows;
  if (is_exact && is_whole) {
    try_round_plain<true, true>(tile, C, decided);
  } else if (is_exact) {
    try_round_plain<true, false>(tile, C, decided);
  } else if (is_whole) {
    try_round_plain<false, true>(tile, C, decided);
  } else {
    try_round_plain<false, false>(tile, C, decided);
  }
}

/// Those that are not decided yet, as far as they are multiples of units.
HWY_INLINE void decide_multiples_plain(GemmTile const& tile, Strided<double> const& C, std::uint32_t* decided) {
  std::uint32_t const all = set_of_first_lanes(tile.rows);
  for (int c = 0; c < tile.columns; ++c) {
    if (decided[c] == all) continue;
    for (int p = 0; p < packs_of_tile; ++p) {
      int const first = p * pack_lanes, lanes = lanes_of(tile, p);
      if (((all & ~decided[c]) >> first) == 0) break;
      KnownValues const exact = known_values({1, 0, false, false}, known_sum(tile, c, p), zeros(), unit_of(tile, c, p));
      double* const to = C.at(static_cast<std::size_t>(first), static_cast<std::size_t>(c));
      hn::Mask<Doubles> const known = hn::RebindMask(Doubles(), hn::MaskFromVec(exact.known));
      store_some(hn::IfThenElse(known, exact.value, load_some(to, lanes)), to, lanes);
      decided[c] |= set_of_lanes(known) << first & all;
    }
  }
}

/// \param decided  A bit for each row, for each column: those before are kept, and C has their entries.
template <class R>
void try_round(GemmTile const& tile, Factors const& factors, Strided<R> const& C, std::uint32_t* decided) {
  if constexpr (std::is_same_v<R, double>) {
    std::uint32_t any = 0;
    for (int c = 0; c < tile.columns; ++c) any |= decided[c];
    if (factors.alpha == 1 && !factors.reads_y && C.row_stride == 1 && any == 0) {
      try_round_plain(tile, C, decided);
      return decide_multiples_plain(tile, C, decided);
    }
  }
  for (int c = 0; c < tile.columns; ++c) {
    for (int p = 0; p < packs_of_tile; ++p) try_round_pack(tile, c, p, known_sum(tile, c, p), factors, C, decided[c]);
  }
}

/// \brief Zeros of triangles and blocks, which no bound decides.
/// \param decided  A bit for each row, for each column: those before are kept.
template <class R>
void write_zeros(GemmTile const& tile, Factors const& factors, Strided<R> const& C, std::uint32_t* decided) {
  std::uint32_t zero_entries[tile_columns] = {};
  for (int c = 0; c < tile.columns; ++c) {
    std::uint32_t const others = set_of_first_lanes(tile.rows) & ~decided[c];
    for (int p = 0; p < packs_of_tile && others != 0; ++p)
      zero_entries[c] |= zero_lanes(known_sum(tile, c, p)) << (p * pack_lanes) & others;
    // Of zeros that are read nothing but zeros is left, too.
    for (std::uint32_t left = factors.reads_y ? zero_entries[c] : 0; left != 0; left &= left - 1) {
      int const r = std::countr_zero(left);
      if (*C.at(static_cast<std::size_t>(r), static_cast<std::size_t>(c)) != 0)
        zero_entries[c] ^= std::uint32_t{1} << r;
    }
  }
  keep_zeros(tile, zero_entries);
  for (int c = 0; c < tile.columns; ++c) {
    decided[c] |= zero_entries[c];
    for (std::uint32_t left = zero_entries[c]; left != 0; left &= left - 1)
      *C.at(static_cast<std::size_t>(std::countr_zero(left)), static_cast<std::size_t>(c)) = 0;
  }
}

#include "ExaktBlas_GemmHeads-inl.hpp"
//
#include "ExaktBlas_SmallGemm-inl.hpp"

template <class T>
void set(GemmKernelsOf<T>& kernels) {
  kernels = {&pack<tile_rows, T>, &pack<tile_columns, T>, &try_round<T>, &write_zeros<T>, &try_round_parts<T>};
}

template <int heads>
void set(CarefulKernel& kernel) {
  kernel = {careful_columns[heads], &multiply_carefully<heads>};
}

/// \brief What a product costs beside one of bytes, 0.0035 (gemm/ozaki/ExaktBlas_HostBackends.hpp): 0.12 is between two
/// Xeons, 0.14 and 0.09.
///
/// Two of its four operations are additions. AMD's processors do those beside multiply-adds, in pipes of their own: on
/// Zen 5 a product of bytes takes 0.0024, and this 0.0445. (perf_tests/blas/perf_gemm_engines)
double product_cost() {
  if (!has_fused_packs) return 20;
  double cost = 0.12;
#if HWY_ARCH_X86
  if (__builtin_cpu_is("amd")) cost = 0.065;
#endif
  return cost * kernel_lanes / pack_lanes;
}

/// The same by plain sums: one operation, which every processor starts two of at a time.
double plain_product_cost() { return has_fused_packs ? 0.035 * kernel_lanes / pack_lanes : product_cost(); }

GemmKernels set_of_kernels() {
  GemmKernels kernels{};
  kernels.tile_rows = tile_rows;
  kernels.tile_columns = tile_columns;
  kernels.product_cost = product_cost();
  kernels.plain_product_cost = plain_product_cost();
  // All of them need fused steps.
  if constexpr (has_fused_packs) {
    set<double>(kernels);
    set<float>(kernels);
    set<2>(kernels.careful[2]);
    set<3>(kernels.careful[3]);
    kernels.multiply = &multiply;
    kernels.multiply_plainly = &multiply_plainly;
    kernels.multiply_small = &multiply_small;
    kernels.add_segment = &add_segment;
    kernels.write_sums = &write_sums;
  }
  return kernels;
}

}  // namespace

/// Made when the library is loaded, as a part of MatrixKernels.
void set_gemm_kernels(GemmKernels const*& kernels) {
  static GemmKernels const here = set_of_kernels();
  kernels = &here;
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
