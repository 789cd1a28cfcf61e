// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Suite.hpp"

namespace ExaktPerf {

std::vector<Case>& cases() {
  static std::vector<Case> cases;
  return cases;
}

std::string short_form(std::int64_t n) {
  int zeros = 0;
  for (; n != 0 && n % 10 == 0; n /= 10) ++zeros;
  return std::to_string(n) + 'e' + std::to_string(zeros);
}

}  // namespace ExaktPerf
