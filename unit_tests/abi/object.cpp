// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled twice, with different flags; EXAKT_TEST_OBJECT is the namespace of each.

#include <ExaktBlas1_dot.hpp>
#include <ExaktBlas1_sum.hpp>

#include "ExaktTest_Objects.hpp"

namespace ExaktTest::EXAKT_TEST_OBJECT {

void add(Sum& sum, double const* x, int n) {
  for (int i = 0; i < n; ++i) sum += x[i];
}
void add_at_once(Sum& sum, double const* x, int n) { sum.add(x, static_cast<std::size_t>(n)); }
void add(FloatSum& sum, double const* x, int n) {
  for (int i = 0; i < n; ++i) sum += static_cast<float>(x[i]);
}
void add(Dot& sum, double const* x, double const* y, int n) {
  for (int i = 0; i < n; ++i) sum.add_product(x[i], y[i]);
}
void add(Long& sum, double const* x, int n) {
  for (int i = 0; i < n; ++i) sum += x[i];
}
void add(Filtered& sum, double const* x, int n) {
  for (int i = 0; i < n; ++i) sum += x[i];
}
void add(Sums const& sums, double const* x, int n) {
  for (int i = 0; i < n; ++i) sums(static_cast<std::size_t>(i) % sums.extent(0)) += x[i];
}
void join(SumReducer const& reducer, Sum const& from) {
  Sum copy;
  reducer.init(copy);
  reducer.join(copy, from);
  SumReducer const same = reducer;
  same.join(same.reference(), copy);
}
bool are_equal(Sum const& a, Sum const& b) { return a == b; }
double rounded(Sum const& sum, Exakt::Rounding mode) { return sum.round(mode); }
double root(Dot const& sum) { return sum.round_sqrt(); }

double transformed(Numbers const& x) {
  return Exakt::transform_sum(Kokkos::DefaultHostExecutionSpace(), x.extent(0),
                              [=](std::size_t i) { return x(i) * 0.5; });
}
double sum(Numbers const& x) { return Exakt::sum(x); }
double dot(Numbers const& x, Numbers const& y) { return Exakt::dot(x, y); }

}  // namespace ExaktTest::EXAKT_TEST_OBJECT
