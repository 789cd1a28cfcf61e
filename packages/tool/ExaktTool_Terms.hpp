// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_TERMS_HPP
#define EXAKTTOOL_TERMS_HPP

#include <cmath>
#include <cstddef>

namespace Exakt::Tool {

/// \brief Calls add(a, b) for products whose sum is x * y; each of the factors is the sum of so many terms.
///
/// The terms of an integer may be of both signs, or zero: an infinity times them would be a NaN. There, their sum, which
/// has the sign of the integer, will do.
template <class Add>
void for_each_product(double const* x, std::size_t x_terms, double const* y, std::size_t y_terms, Add const& add) {
  auto const sum = [](double const* terms, std::size_t n) { return n == 1 ? terms[0] : terms[0] + terms[1]; };
  if (!std::isfinite(x[0]) || !std::isfinite(y[0])) return add(sum(x, x_terms), sum(y, y_terms));
  for (std::size_t k = 0; k < x_terms; ++k)
    for (std::size_t l = 0; l < y_terms; ++l) add(x[k], y[l]);
}

}  // namespace Exakt::Tool

#endif
