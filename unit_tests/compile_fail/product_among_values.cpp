// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_LongAccumulator.hpp>

#ifdef EXAKT_CORRECTED
constexpr auto terms = Exakt::Terms::products;
#else
constexpr auto terms = Exakt::Terms::values;  // no digits for bits as low as those of a product
#endif

void add(Exakt::LongAccumulator<double, 56, terms>& sum, double x, double y) { sum.add_product(x, y); }
