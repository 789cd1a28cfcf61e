// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of small matrices, read where they are. Included inside of the namespace of each instruction set, behind
// what tiles of C are made of.

/// All products of a tile of that many packs of rows and columns.
///
/// \tparam is_whole  Whether there are entries for all lanes.
template <int packs, int columns, bool is_whole>
HWY_INLINE void multiply_in_place(SmallGemm const& problem, std::size_t row, std::size_t column, GemmTile const& tile) {
  HeadAndRest sums[columns][packs];
  double const* b[columns];
  HWY_UNROLL(8)
  for (int c = 0; c < columns; ++c) {
    int const existing = c < tile.columns ? c : tile.columns - 1;
    b[c] = problem.B.at(0, column + static_cast<std::size_t>(existing));
    HWY_UNROLL(8)
    for (int p = 0; p < packs; ++p) {
      sums[c][p].head = start_of(tile, existing, p);
      sums[c][p].rest = broadcast(0);
    }
  }
  int const last = tile.rows - (packs - 1) * pack_lanes;
  std::ptrdiff_t const a_step = problem.A.column_stride, b_step = problem.B.row_stride;
  double const* a = problem.A.at(row, 0);
  for (std::size_t k = problem.k; k > 0; --k, a += a_step) {
    Pack entries[packs];
    HWY_UNROLL(8)
    for (int p = 0; p < packs; ++p)
      entries[p] = is_whole || p + 1 < packs ? load(a + pack_at(p)) : load_some(a + pack_at(p), last);
    HWY_UNROLL(8)
    for (int c = 0; c < columns; ++c) {
      Pack const factor = broadcast_from(b[c]);
      b[c] += b_step;
      HWY_UNROLL(8)
      for (int p = 0; p < packs; ++p) sums[c][p].absorb(entries[p], factor);
    }
  }
  HWY_UNROLL(8)
  for (int c = 0; c < columns; ++c) {
    HWY_UNROLL(8)
    for (int p = 0; p < packs; ++p) {
      double* const to = tile.state + c * column_step + pack_at(p);
      store(sums[c][p].head, to);
      store(sums[c][p].rest, to + plane);
    }
  }
}

template <int packs, bool is_whole>
HWY_INLINE void multiply_in_place(SmallGemm const& problem, std::size_t row, std::size_t column, GemmTile const& tile) {
  constexpr int third = tile_columns / 3;
  if (tile.columns <= third) {
    multiply_in_place<packs, third, is_whole>(problem, row, column, tile);
  } else if (tile.columns <= 2 * third) {
    multiply_in_place<packs, 2 * third, is_whole>(problem, row, column, tile);
  } else {
    multiply_in_place<packs, tile_columns, is_whole>(problem, row, column, tile);
  }
}

/// Products of one column that are worth no look at magnitudes: they are compensated, three times as many operations each.
inline constexpr std::size_t few_products_of_column = 16;

/// \brief Entries of at most pack_lanes rows, which are not read, compensated (SmallTriangle has the bound); false if one is not
/// decided.
HWY_NOINLINE bool multiply_compensated(SmallGemm const& problem, Factors const& factors) {
  int const m = static_cast<int>(problem.m), k = static_cast<int>(problem.k);
  std::uint32_t const all = set_of_first_lanes(m);
  double const of_tails = (k + 2) * 0x1p-52, of_underflows = bound_of_underflows(1, k);
  std::uint32_t decided = all;
  for (std::size_t j = 0; j < problem.n; ++j) {
    double const *a = problem.A.data, *b = problem.B.at(0, j);
    auto const first = two_product_of_packs(load_some(a, m), broadcast_from(b));
    CompensatedPack sum{first.value, first.error, absolute(first.error)};
    for (int l = 1; l < k; ++l) {
      a += problem.A.column_stride;
      b += problem.B.row_stride;
      sum.add(load_some(a, m), broadcast_from(b));
    }
    Pack const bound = broadcast(of_underflows) + broadcast(of_tails) * sum.tails;
    IntervalPack const interval = interval_of(factors, {sum.high, sum.low, bound}, zeros(), broadcast(1), broadcast(1));
    store_some(interval.lower, problem.C.at(0, j), m);
    decided &= set_of_lanes(mask_of_same_bits(interval.lower, interval.upper) & interval.is_valid);
  }
  return decided == all;
}

/// The magnitude of neighbours over their unit: 2^24 for integers of 24 bits. Those that do not fill a pack are not looked at
/// where there are others.
HWY_INLINE double digits_of(double const* from, std::size_t count) {
  std::size_t const packs = count / static_cast<std::size_t>(pack_lanes);
  int const lanes = packs > 0 ? pack_lanes : static_cast<int>(count);
  std::size_t const steps = packs > 0 ? packs : 1;
  Pack const largest = look_at<LargestMagnitude>(from, pack_lanes, steps, lanes);
  Pack const last = look_at<SmallestUnit>(from, pack_lanes, steps, lanes);
  return largest_lane(largest) / first_lane(unit_below(broadcast(hn::GetLane(hn::MinOfLanes(Doubles(), last)))));
}

/// Whether a column of A and a line of B have so few bits that products may be added plainly, as packed tiles do.
HWY_INLINE bool looks_short(SmallGemm const& problem) {
  constexpr std::size_t worth_packing = 48 * 48 * 48;
  constexpr double room = 0x1p48;  // for sums of 32 of them
  if (!problem.leaves_short || problem.m * problem.n * problem.k < worth_packing) return false;
  std::size_t const of_B = problem.B.row_stride == 1 ? problem.k : problem.n;
  return digits_of(problem.A.data, problem.m) * digits_of(problem.B.data, of_B) <= room;
}

[[maybe_unused]] bool multiply_small(SmallGemm const& problem, Factors const& factors) {
  if (problem.m <= pack_lanes && problem.n * problem.k <= few_products_of_column && !factors.reads_y &&
      multiply_compensated(problem, factors))
    return true;
  if (looks_short(problem)) return false;
  static_assert(packs_of_tile == 2 && tile_columns % 3 == 0);
  constexpr std::size_t most = SmallGemm::lines_at_most + tile_rows;
  alignas(64) double row_magnitudes[most], column_magnitudes[most], row_units[most], column_units[most];
  alignas(64) double state[2 * plane];
  std::size_t const m = problem.m, n = problem.n, k = problem.k;
  Strided<double const> const& A = problem.A;
  Strided<double const> const columns_of_B{problem.B.data, problem.B.column_stride, problem.B.row_stride};
  look_at_lines<LargestMagnitude>(A, m, k, row_magnitudes);
  look_at_lines<LargestMagnitude>(columns_of_B, n, k, column_magnitudes);
  bool units_are_known = false;

  double const headroom = power_of_two(bit_width(k) + 1);
  GemmTile tile;  // filled here once, not with zeros and again for each tile
  tile.a = tile.b = nullptr;
  tile.headroom = headroom;
  tile.depth = k;
  tile.state = state;
  tile.enclosures = nullptr;
  for (std::size_t j = 0; j < n; j += tile_columns) {
    tile.column_magnitudes = column_magnitudes + j;
    tile.column_units = column_units + j;
    tile.columns = static_cast<int>(n - j < tile_columns ? n - j : tile_columns);
    for (std::size_t i = 0; i < m; i += tile_rows) {
      tile.row_magnitudes = row_magnitudes + i;
      tile.row_units = row_units + i;
      tile.rows = static_cast<int>(m - i < tile_rows ? m - i : tile_rows);
      if (tile.rows == tile_rows) {
        multiply_in_place<2, true>(problem, i, j, tile);
      } else if (tile.rows > pack_lanes) {
        multiply_in_place<2, false>(problem, i, j, tile);
      } else if (tile.rows == pack_lanes) {
        multiply_in_place<1, true>(problem, i, j, tile);
      } else {
        multiply_in_place<1, false>(problem, i, j, tile);
      }
      std::uint32_t decided[tile_columns_at_most] = {};
      Strided<double> const C{problem.C.at(i, j), problem.C.row_stride, problem.C.column_stride};
      auto const are_all_decided = [&] {
        std::uint32_t all = set_of_first_lanes(tile.rows);
        for (int c = 0; c < tile.columns; ++c) all &= decided[c];
        return all == set_of_first_lanes(tile.rows);
      };
      bool const is_plain = factors.alpha == 1 && !factors.reads_y;
      if (is_plain && units_are_known) decide_multiples_plain(tile, C, decided);  // a tile before needed it
      if (is_plain && !are_all_decided()) try_round_plain(tile, C, decided);
      if (are_all_decided()) continue;
      if (!units_are_known) {
        look_at_lines<SmallestUnit>(A, m, k, row_units);
        look_at_lines<SmallestUnit>(columns_of_B, n, k, column_units);
        units_are_known = true;
      }
      if (is_plain) {
        decide_multiples_plain(tile, C, decided);
      } else {
        try_round(tile, factors, C, decided);
      }
      if (!are_all_decided()) return false;
    }
  }
  return true;
}
