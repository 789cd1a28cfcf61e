// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>
#include <ExaktBlas.hpp>
#include <ExaktScatter.hpp>
#ifdef HAS_MPI
#include <ExaktMpi.hpp>
#endif

int main() {
  Exakt::SumAccumulator<double> sum;
  sum += 1e20;
  sum += EXAKT_VERSION_MINOR;
  sum -= 1e20;
  return sum.round() == EXAKT_VERSION_MINOR ? 0 : 1;
}
