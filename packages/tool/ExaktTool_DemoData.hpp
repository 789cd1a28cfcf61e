// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_DEMODATA_HPP
#define EXAKTTOOL_DEMODATA_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace Exakt::Tool {

/// Numbers whose sum, or mean, is known beforehand.
struct DemoData {
  std::vector<double> doubles;
  std::vector<float> floats;  ///< the same numbers, each rounded to float
  bool wants_mean;            ///< else the sum
  double correct_double;
  float correct_float;

  std::size_t size() const { return doubles.size(); }
};

/// \brief Half a million pairs x and -x, and pi, well mixed: the exact sum is pi. The same numbers on every machine.
DemoData cancelling_numbers();

/// \brief NIST StRD NumAcc4, whose enclosed mean is 10000000.2.
DemoData num_acc4();

/// The file data/NumAcc4.txt.
extern std::string_view const num_acc4_text;

/// The numbers 0 ... n-1 in an irregular order, the same on every machine, another for each seed.
std::vector<std::size_t> shuffled_indices(std::size_t n, unsigned seed);

}  // namespace Exakt::Tool

#endif
