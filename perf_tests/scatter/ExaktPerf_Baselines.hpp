// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_BASELINES_HPP
#define EXAKTPERF_BASELINES_HPP

/// \file
/// \brief Sums that are more accurate than the plain one, or reproducible, without being exact.

#include "ExaktPerf_Plain.hpp"

#include <cmath>

namespace ExaktPerf {

/// \brief Neumaier's sum: the rounding error of each addition is added up, too, and comes in at the end.
struct Neumaier {
  double sum = 0, error = 0;

  KOKKOS_FORCEINLINE_FUNCTION Neumaier& operator+=(double x) {
    double const next = sum + x;
    error += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
    return *this;
  }
  KOKKOS_FORCEINLINE_FUNCTION Neumaier& operator+=(Neumaier const& other) {
    *this += other.sum;
    error += other.error;
    return *this;
  }
  KOKKOS_FUNCTION void clear() { *this = Neumaier(); }
  KOKKOS_FUNCTION double round() const { return sum + error; }
};

/// \brief Demmel and Nguyen's fast reproducible sum in two passes (Fast Reproducible Floating-Point Summation, 2013):
/// the largest magnitude first; then all terms are cut to two slices so coarse that their sums are never rounded.
template <class X>
double two_pass_sum(std::int64_t n, X const& x) {
  double largest = 0;
  Kokkos::parallel_reduce(
      Range(0, n), KOKKOS_LAMBDA(std::int64_t i, double& m) { m = std::abs(x(i)) > m ? std::abs(x(i)) : m; },
      Kokkos::Max<double>(largest));
  if (n == 0 || largest == 0) return 0;
  // n terms of at most 2^e stay below `first`, so that every slice is a multiple of ulp(first), and so are their sums.
  int const e = std::ilogb(largest) + 2 + static_cast<int>(std::ceil(std::log2(static_cast<double>(n))));
  double const first = 1.5 * std::ldexp(1.0, e), second = 1.5 * std::ldexp(1.0, e - 53 + e - std::ilogb(largest));
  double high = 0, low = 0;
  auto const slice = KOKKOS_LAMBDA(double m, double t) {
    double const volatile moved = m + t;
    return moved - m;
  };
  Kokkos::parallel_reduce(
      Range(0, n),
      KOKKOS_LAMBDA(std::int64_t i, double& h, double& l) {
        double const q = slice(first, x(i));
        h += q;
        l += slice(second, x(i) - q);
      },
      high, low);
  return high + low;
}

}  // namespace ExaktPerf

#endif
