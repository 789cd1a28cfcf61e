// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Reference.hpp"
#include "ExaktPerf_Suite.hpp"

#include <Exakt_transform_sum.hpp>

#include <cmath>

namespace ExaktPerf {
namespace {

// The sum of x*x + 1, the terms rounded as the compiler likes it, in all ways alike.
Comparison compare(Data const& x) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  auto const term = [x]<class T>(T const*, std::int64_t i) {
    T const value = load<T>(x.data() + i);
    return value * value + 1;
  };
  auto const one_term = [=](std::int64_t i) { return term(static_cast<double const*>(nullptr), i); };
  auto const add = [=](auto& sum, std::int64_t i) { sum += term(&sum, i); };

  Data const terms("terms", x.extent(0));
  Kokkos::parallel_for(Range(0, n), [=](std::int64_t i) { terms(static_cast<std::size_t>(i)) = one_term(i); });
  Kokkos::fence();

  Comparison ways(n, sizeof(double), reference(Verb::sum, terms));
  ways.add_exact("Exakt::transform_sum", [=] { return Exakt::transform_sum(Range(0, n), one_term); });
  ways.add_plain("plain", [=] { return plain(n, add); });
  ways.add_plain("vectorized", [=] { return vectorized(n, add); });
  return ways;
}

/// The same over the cells of a square matrix.
Comparison compare_cells(std::int64_t entries) {
  auto const n = static_cast<std::int64_t>(std::sqrt(static_cast<double>(entries)));
  Data const numbers = log_uniform(n * n, 10);
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const A("A", static_cast<std::size_t>(n),
                                                                         static_cast<std::size_t>(n));
  Data const terms("terms", A.size());
  auto const term = [=](std::int64_t i, std::int64_t j) { return A(i, j) * A(i, j) + 1; };
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      A(i, j) = numbers(static_cast<std::size_t>(i * n + j));
      terms(static_cast<std::size_t>(i * n + j)) = term(i, j);
    }
  }

  using Cells = Kokkos::MDRangePolicy<Range::execution_space, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
  Comparison ways(n * n, sizeof(double), reference(Verb::sum, terms));
  ways.add_exact("Exakt::transform_sum", [=] { return Exakt::transform_sum(Cells({0, 0}, {n, n}), term); });
  ways.add_plain("plain", [=] {
    double sum = 0;
    Kokkos::parallel_reduce(
        Cells({0, 0}, {n, n}), [=](std::int64_t i, std::int64_t j, double& partial) { partial += term(i, j); }, sum);
    return sum;
  });
  return ways;
}

void add_case(std::int64_t n, int decades, std::vector<Floor> floors = {}) {
  cases().push_back({"transform_sum of x*x + 1, n = " + short_form(n) + ", range 1e" + std::to_string(decades), n,
                     [decades](std::int64_t entries) { return compare(log_uniform(entries, decades)); },
                     std::move(floors)});
}

Registration const transforms([] {
  add_case(1'000, 10);
  add_case(200'000, 10, {{"plain", 2.0}});
  add_case(2'000'000, 10);
  add_case(100'000'000, 10);
  for (std::int64_t const n : {450, 1'400, 10'000})
    cases().push_back({"transform_sum of x*x + 1 over cells, n = " + short_form(n) + " x " + short_form(n),
                       n * n,
                       compare_cells,
                       {}});
});

}  // namespace
}  // namespace ExaktPerf
