// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A row whose enclosure does not decide: its sum in a few integers (Exakt_Extraction-inl.hpp), and the rounding of
// these. Matrices of small integers make exact ties, a tenth of all rows of a stencil, and constant vectors make rows
// that cancel: both are decided here, at a few times the cost of an enclosure.
//
// Included inside the namespace of each instruction set, behind ExaktSparse_Packs-inl.hpp.

/// Products of a row that is extracted here. The units of a level are doubles: 2^9 * 2^40, and 2^10 * 2^39.
inline constexpr int exact_row = 512;
static_assert(exact_row / pack_lanes + 1 < (1 << (level_head - 2)), "heads take two terms for each product");

/// \brief The sum of products in units of Levels levels, as extract_tile() does it; false if that is not proved exact.
template <int Levels, class T>
HWY_INLINE bool extract_row(RowTerms<T> const& row, int e, std::int64_t* units) {
  using F = FloatFormat<double>;
  double start[Levels];
  for (int k = 0; k < Levels; ++k) start[k] = level_start(level_unit(e, k, F::lsb_exponent));
  ExtractionChain<Levels> chain(start);
  int const tail = row.count % pack_lanes, whole = row.count - tail;
  for_each_pack(RowTerms<T>{row.values, row.factors, whole},
                [&](Pack value, Pack factor) HWY_ATTR { chain.absorb(two_product_of_packs(value, factor)); });
  if (tail > 0) {
    // Lanes without a product have none that is too small.
    Pack const least = chain.least;
    chain.absorb(two_product_of_packs(load_some(row.values + whole, tail), load_some(row.factors + whole, tail)));
    chain.least = hn::IfThenElse(hn::FirstN(Doubles(), static_cast<std::size_t>(tail)), chain.least, least);
  }
  IntegerPack const doubtful = masked(chain.left, ~F::sign_mask) | masked(chain.moved, F::sign_mask | F::infinity);
  if (has_bits(doubtful, ~std::uint64_t{0})) return false;
  if (has_bits(mask_of(chain.least < broadcast(smallest_safe_product())), ~std::uint64_t{0})) {
    IntegerPack unsafe = zero_integers();
    for_each_pack(row, [&](Pack value, Pack factor) HWY_ATTR { unsafe = unsafe | splits_unsafely(value, factor); });
    if (has_bits(unsafe, ~std::uint64_t{0})) return false;
  }
  chain.heads.absorbed_with(LevelHeads<Levels>(start), start, units);
  return true;
}

/// factor * d as one or two terms; false if that might not be exact.
inline bool add_scaled_term(double factor, double d, double* terms, int& n) {
  if (!(magnitude_of(d) < 0x1p990)) return false;
  if (d == 0) return magnitude_of(factor) < HUGE_VAL;
  if (factor == 1 || factor == -1) {
    terms[n++] = factor * d;
    return true;
  }
  if (!has_exact_products(factor) || !has_exact_products(d)) return false;
  auto const product = two_product(factor, d);
  if (!has_exact_products(product.value)) return false;
  terms[n++] = product.value;
  terms[n++] = product.error;
  return true;
}

/// \brief alpha * (sum of units) + beta * y, rounded once, if that is decided.
template <int Levels, class R>
bool try_round_units(std::int64_t const* units, int e, Factors const& factors, double y, R& result) {
  double sums[Levels];
  bool is_below_limit = true;
  for (int k = 0; k < Levels; ++k) {
    sums[k] = static_cast<double>(units[k]) * power_of_two(level_unit(e, k, FloatFormat<double>::lsb_exponent));
    is_below_limit = is_below_limit && magnitude_of(sums[k]) < 0x1p990;
  }
  // In registers: so many terms are known beforehand.
  if (factors.alpha == 1 && !factors.reads_y) return is_below_limit && try_round_few(sums, Levels, result);
  double terms[2 * Levels + 2] = {};
  int n = 0;
  for (double const sum : sums) {
    if (!add_scaled_term(factors.alpha, sum, terms, n)) return false;
  }
  if (factors.reads_y && !add_scaled_term(factors.beta, y, terms, n)) return false;
  return try_round_few(terms, n < 2 ? 2 : n, result);
}

/// An exponent above the products; NaN may be overlooked.
template <class T>
HWY_INLINE int exponent_above_products(RowTerms<T> const& row) {
  Pack largest = zeros();
  for_each_pack(row, [&](Pack value, Pack factor)
                         HWY_ATTR { largest = larger(absolute(rounded_product(value, factor)), largest); });
  double const bound = largest_lane(largest);
  return bound == 0 ? FloatFormat<double>::min_exponent : exponent_above(bound);
}

/// Powers of two of the units of six levels, and the sum of all terms, are normal numbers.
HWY_INLINE bool has_normal_units(int e) {
  constexpr int lowest = -1000 + 6 * level_step, highest = 970;
  return e >= lowest && e <= highest;
}

/// Another exponent for the next rows, if theirs is much too large for products below 2^own.
HWY_INLINE void lower(int& e, int own) {
  constexpr int needlessly_large = 20;
  if (own + needlessly_large < e) e = own + 2;
}

/// \brief The result of one row, if it is decided by extraction.
///
/// \param e  Lowered if it is much too large for this row.
template <class T, class R>
HWY_NOINLINE bool finish_row(RowTerms<T> const& row, Factors const& factors, double y, R& result, int& e) {
  constexpr int few = 3, many = 6;
  if (row.count > exact_row) return false;
  int const above = exponent_above_products(row);
  bool const is_of_zeros = above == FloatFormat<double>::min_exponent;
  int const own = is_of_zeros ? 0 : above;
  if (!has_normal_units(own)) return false;
  if (!is_of_zeros) lower(e, own);
  std::int64_t units[many];
  if (extract_row<few>(row, own, units)) return try_round_units<few>(units, own, factors, y, result);
  return extract_row<many>(row, own, units) && try_round_units<many>(units, own, factors, y, result);
}
