// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_NEXTTOTIES_HPP
#define EXAKTTEST_NEXTTOTIES_HPP

/// \file
/// \brief Sums next to ties all of whose roundings go one way: a bound that is too small decides them, wrongly.

#include <algorithm>
#include <cmath>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Oracle.hpp"

namespace ExaktTest {

/// Terms, added in turn to some plain sums, as those of lanes are. Each addition is rounded upwards.
struct RoundedUpwards {
  std::vector<double> terms;
  double error = 0;  // of all sums together

  /// \param near  What terms are next to: so near that additions are rounded by half a unit in the last place.
  explicit RoundedUpwards(std::vector<double> const& near, std::size_t lanes = 1) {
    std::vector<double> sums(lanes, 0.0);
    for (double const term : near) {
      double& sum = sums[terms.size() % lanes];
      double const before = sum;
      sum += term;
      if (bits_of(sum) % 2 != 0) sum = std::nextafter(sum, infinity);  // ties go to even
      double const half_ulp = (sum - std::nextafter(sum, -infinity)) / 2;
      terms.push_back(sum - before - half_ulp);
      error += sum - before - terms.back();
    }
  }
};

/// As many terms of that size; in the second half sums come back.
inline std::vector<double> there_and_back(std::size_t count, double size) {
  std::vector<double> terms(count, size);
  std::fill(terms.begin() + static_cast<std::ptrdiff_t>(count / 2), terms.end(), -size);
  return terms;
}

/// The terms, and two more that bring their sum next to a tie.
inline std::vector<double> next_to_tie(std::vector<double> terms, double aside) {
  double const near = exact_sum(terms).round<double>().value;
  Exact rest;
  rest.add(near).add((std::nextafter(near, infinity) - near) / 2).add(aside);
  for (double const term : terms) rest.subtract(term);
  for (int i = 0; i < 2; ++i) {
    terms.push_back(rest.round<double>().value);
    rest.subtract(terms.back());
  }
  return terms;
}

/// The first terms and the others, next to a tie: below it, whereas roundings take the sum above.
inline std::vector<double> next_to_tie(std::vector<double> first, RoundedUpwards const& others) {
  first.insert(first.end(), others.terms.begin(), others.terms.end());
  return next_to_tie(first, -others.error / 16);
}

/// \brief use(terms): `length` terms whose sum lies next to a tie.
///
/// Where heads have units u, all terms but the first are rests, and next to each sum of them below 2^(53 - k) u each is rounded by
/// nearly half a unit in the last place. The last two bring the sum next to a tie, by a fraction of what these roundings come to.
template <class Use>
void for_each_next_to_tie(std::size_t length, double u, Use const& use) {
  for (int k = 43; k <= 50; ++k)
    for (int part = 1; part <= 5; ++part)
      for (double const sign : {-1.0, 1.0}) {
        std::vector<double> terms(length - 2, (0.5 - 0.51 * std::ldexp(1.0, -k)) * u);
        terms[0] = 1;
        use(next_to_tie(terms, sign * std::ldexp(static_cast<double>(length) * u, -k - part)));
      }
}

/// \brief Rows next to ties, times ones: a term leaves nearly half a unit of the head.
///
/// For every unit that heads for products up to one may have, and for lanes along columns and along rows.
inline Table<double> rows_next_to_ties(std::size_t columns) {
  Table<double> rows(0, columns);
  for (int exponent = -41; exponent <= -31; ++exponent)
    for (std::size_t const lanes : {1, 4, 8}) {
      auto const near = there_and_back(columns - 3, std::ldexp(0.5 - 0x1p-8, exponent));
      auto const row = next_to_tie({1}, RoundedUpwards(near, lanes));
      for (double const sign : {1.0, -1.0}) {
        for (double const term : row) rows.entries.push_back(sign * term);
        ++rows.rows;
      }
    }
  return rows;
}

}  // namespace ExaktTest

#endif
