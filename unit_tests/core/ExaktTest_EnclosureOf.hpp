// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_ENCLOSUREOF_HPP
#define EXAKTTEST_ENCLOSUREOF_HPP

#include <summation/Exakt_Enclosure.hpp>

#include <cmath>

#include "ExaktTest_Oracle.hpp"

namespace ExaktTest {

/// All that two doubles tell of it.
inline Exakt::Impl::Enclosure enclosure_of(Exact rest) {
  double const high = rest.round<double>().value, low = rest.subtract(high).round<double>().value;
  return {high, low, 0x1p-100 * std::fabs(high)};
}

}  // namespace ExaktTest

#endif
