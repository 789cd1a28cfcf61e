// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Accumulator.hpp>

#ifdef EXAKT_CORRECTED
using Term = float;
#else
using Term = double;  // would have to be rounded to float before it is added
#endif

void add(Exakt::SumAccumulator<float>& sum, Term term) { sum += term; }
