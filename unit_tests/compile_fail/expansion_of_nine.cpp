// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Expansion.hpp>

#ifdef EXAKT_CORRECTED
constexpr int slots = 8;
#else
constexpr int slots = 9;
#endif

void add(Exakt::Expansion<double, slots>& sum, double x) { sum += x; }
