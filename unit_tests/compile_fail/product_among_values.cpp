// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Accumulator.hpp>

#ifdef EXAKT_CORRECTED
using Accumulator = Exakt::DotAccumulator<double>;
#else
using Accumulator = Exakt::SumAccumulator<double>;  // has no digits for bits as low as those of a product
#endif

void add(Accumulator& sum, double x, double y) { sum.add_product(x, y); }
