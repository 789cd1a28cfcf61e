// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_LongAccumulator.hpp>

#ifdef EXAKT_CORRECTED
constexpr int radix_bits = 60;
#else
constexpr int radix_bits = 63;  // the first carry would overflow the digit
#endif

void add(Exakt::LongAccumulator<double, radix_bits>& sum, double x) { sum += x; }
