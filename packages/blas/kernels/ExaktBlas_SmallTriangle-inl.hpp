// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A small triangle with one right-hand side, whose unknowns are found one after the other. Included by
// ExaktBlas_MatrixVector.cpp for each instruction set, which has short packs in the namespace few_lanes beside its own.

/// beta * y - S for the rows of a triangle, in place of their sums S: it takes a product more.
HWY_INLINE void subtract_from_right_sides(Factors const& factors, SmallTriangle<kernel_lanes>& triangle,
                                          std::size_t rows, double const* y) {
  Pack const beta = broadcast(factors.reads_y ? factors.beta : 0);
  for (std::size_t i = 0; i < rows; i += pack_lanes) {
    store(hn::Neg(load(triangle.high + i)), triangle.high + i);
    store(hn::Neg(load(triangle.low + i)), triangle.low + i);
    add_compensated(y + i, beta, triangle.high + i, triangle.low + i, triangle.tails + i);
  }
}

/// One lane of a pack. (Highway's own lookup asks for its library in Debug builds.)
HWY_INLINE double lane_of(Pack x, std::size_t lane) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return first_lane(Pack{_mm512_permutexvar_pd(hn::Set(Integers(), static_cast<std::int64_t>(lane)).raw, x.raw)});
#else
  double lanes[pack_lanes];
  store(x, lanes);
  return lanes[lane];
#endif
}
HWY_INLINE few_lanes::CompensatedPack lane_of(CompensatedPack const& sums, std::size_t lane) {
  return {few_lanes::broadcast(lane_of(sums.high, lane)), few_lanes::broadcast(lane_of(sums.low, lane)),
          few_lanes::broadcast(lane_of(sums.tails, lane))};
}

HWY_INLINE CompensatedPack load_sums(SmallTriangle<kernel_lanes> const& from, std::size_t row) {
  return {load(from.high + row), load(from.low + row), load(from.tails + row)};
}
HWY_INLINE void store_sums(CompensatedPack const& sums, SmallTriangle<kernel_lanes>& to, std::size_t row) {
  store(sums.high, to.high + row);
  store(sums.low, to.low + row);
  store(sums.tails, to.tails + row);
}

/// \brief Columns of a small triangle where they are: rows are neighbours, and whole packs of them.
///
/// What is above the diagonal is added to sums of rows whose unknowns are known.
struct ColumnsInPlace {
  double const* first;
  std::ptrdiff_t step;
  HWY_INLINE double const* column(std::size_t j) const { return first + static_cast<std::ptrdiff_t>(j) * step; }
};

/// Products with some known unknowns, for packs of rows to whose sums they are added later.
template <class Columns, class T>
struct LaterProducts {
  Columns& columns;
  SmallTriangle<kernel_lanes>& triangle;
  T const* results;
  std::size_t rows;
  FusedAdder adder;
  Span some = {};             // of the columns: a pack of them at most
  std::size_t next_row = ~0;  // of the packs that wait

  HWY_INLINE LaterProducts(Columns& the_columns, SmallTriangle<kernel_lanes>& the_triangle, T const* the_results,
                           std::size_t all_rows)
      : columns(the_columns), triangle(the_triangle), results(the_results), rows(all_rows), next_row(all_rows) {}

  /// A pack of rows, if one waits.
  HWY_INLINE void add_to_one() {
    if (next_row >= rows) return;
    CompensatedPack sums = load_sums(triangle, next_row);
    for (std::size_t c = some.begin; c < some.end; ++c)
      sums.add(load(columns.column(c) + next_row), broadcast(-static_cast<double>(results[c])), adder);
    store_sums(sums, triangle, next_row);
    next_row += pack_lanes;
  }
  HWY_INLINE void add_to_all() {
    while (next_row < rows) add_to_one();
  }
};

/// \brief Unknown after unknown of a small triangle.
///
/// What each one waits for stays in registers: the sums of its pack of rows, the last product of its row, and the
/// quotient, but not whether that is decided. Meanwhile the product is added to this pack of rows and to the one behind,
/// and the products of the pack of unknowns before to the others, one after the other: to store sums takes as long as to
/// add a product.
template <class Columns, class T>
HWY_INLINE std::size_t solve(Columns& columns, Factors const& factors, SmallTriangle<kernel_lanes>& triangle,
                             std::size_t begin, std::size_t rows, double const* y, double const* divisor,
                             double const* inverse, T* results) {
  if (begin == 0) subtract_from_right_sides(factors, triangle, rows, y);
  Factors const quotient{1, 0, false, factors.has_divisor};
  LaterProducts<Columns, T> later(columns, triangle, results, rows);
  FusedAdder const adder = later.adder;
  constexpr auto lanes = static_cast<std::size_t>(pack_lanes);
  few_lanes::Pack known = few_lanes::broadcast(begin == 0 ? 0 : -static_cast<double>(results[begin - 1]));
  std::size_t first_waiting = begin == 0 ? 0 : begin - 1;  // the column that the rows far behind wait for
  for (std::size_t r = begin; r < rows;) {
    std::size_t const first = r / lanes * lanes, behind = first + lanes, far_behind = behind + lanes;
    std::size_t const at_once = rows > far_behind ? (rows - far_behind - 1) / lanes / lanes + 1 : 0;
    CompensatedPack sums = load_sums(triangle, first), sums_behind = sums;
    if (behind < rows) sums_behind = load_sums(triangle, behind);
    for (; r < rows && r < behind; ++r) {
      few_lanes::CompensatedPack left = lane_of(sums, r - first);
      double const* const column = r > 0 ? columns.column(r - 1) : nullptr;
      if (r > 0) left.add(few_lanes::broadcast(column[r]), known);
      auto const bound = few_lanes::broadcast(triangle.bound[r] + triangle.underflows(r)) +
                         few_lanes::broadcast(triangle.tail_factor(r)) * left.tails;
      auto const interval = few_lanes::interval_of(quotient, {left.high, left.low, bound}, few_lanes::zeros(),
                                                   few_lanes::broadcast(divisor[r]), few_lanes::broadcast(inverse[r]));
      T result[few_lanes::pack_lanes] = {};
      bool const is_decided = (few_lanes::decided_lanes(interval, result) & 1) != 0;
      if (r > 0) {
        Pack const factor = broadcast(few_lanes::first_lane(known));
        sums.add(load(column + first), factor, adder);
        if (behind < rows) sums_behind.add(load(column + behind), factor, adder);
      }
      if (!is_decided) {
        store_sums(sums, triangle, first);
        if (behind < rows) store_sums(sums_behind, triangle, behind);
        later.add_to_all();
        later.some = {first_waiting, r};
        later.next_row = far_behind;
        later.add_to_all();
        return r;
      }
      results[r] = result[0];
      if constexpr (std::is_same_v<T, double>) {
        known = few_lanes::hn::Neg(interval.middle);
      } else {
        known = few_lanes::broadcast(-static_cast<double>(result[0]));
      }
      for (std::size_t p = 0; p < at_once; ++p) later.add_to_one();
    }
    if (r == rows) break;
    store_sums(sums_behind, triangle, behind);
    later.add_to_all();
    later.some = {first_waiting, r - 1};
    later.next_row = far_behind;
    later.add_to_one();  // the pack behind the next unknowns
    first_waiting = r - 1;
  }
  return rows;
}

template <class T>
std::size_t solve(Factors const& factors, SmallTriangle<kernel_lanes>& triangle, std::size_t begin, std::size_t rows,
                  double const* y, double const* divisor, double const* inverse, T* results) {
  if (triangle.in_place == nullptr)
    return solve(triangle, factors, triangle, begin, rows, y, divisor, inverse, results);
  ColumnsInPlace const columns{triangle.in_place, triangle.step};
  return solve(columns, factors, triangle, begin, rows, y, divisor, inverse, results);
}
