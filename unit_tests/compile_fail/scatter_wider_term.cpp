// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktScatter_ScatterSum.hpp>

#ifdef EXAKT_CORRECTED
using Term = float;
#else
using Term = double;  // would have to be rounded to float before it is added
#endif

void add(Exakt::ScatterSum<float> const& bins, Term term) { bins.add(0, term); }
