// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_OBJECTS_HPP
#define EXAKTTEST_OBJECTS_HPP

// What two object files with different flags offer each other: accumulators, reducers and Views of them cross the
// borders. That it links at all says that these types have one name.

#include <Exakt.hpp>

namespace ExaktTest {

using Sum = Exakt::SumAccumulator<double>;
using FloatSum = Exakt::SumAccumulator<float>;
using Dot = Exakt::DotAccumulator<double>;
using Long = Exakt::LongAccumulator<double, 32>;
using Filtered = Exakt::Expansion<double, 4>;
using SumReducer = Exakt::ExactSum<double>;
using Sums = Kokkos::View<Sum*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
using Numbers = Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

#define EXAKT_TEST_OBJECT_FUNCTIONS                            \
  void add(Sum& sum, double const* x, int n);                  \
  void add_at_once(Sum& sum, double const* x, int n);          \
  void add(FloatSum& sum, double const* x, int n);             \
  void add(Dot& sum, double const* x, double const* y, int n); \
  void add(Long& sum, double const* x, int n);                 \
  void add(Filtered& sum, double const* x, int n);             \
  void add(Sums const& sums, double const* x, int n);          \
  void join(SumReducer const& reducer, Sum const& from);       \
  bool are_equal(Sum const& a, Sum const& b);                  \
  double rounded(Sum const& sum, Exakt::Rounding mode);        \
  double root(Dot const& sum);                                 \
  double transformed(Numbers const& x);                        \
  double sum(Numbers const& x);                                \
  double dot(Numbers const& x, Numbers const& y);

namespace Baseline {
EXAKT_TEST_OBJECT_FUNCTIONS
}
namespace Native {
EXAKT_TEST_OBJECT_FUNCTIONS
}

}  // namespace ExaktTest

#endif
