// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Reference.hpp"
#include "ExaktPerf_Suite.hpp"

#include <Exakt_transform_sum.hpp>

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
});

}  // namespace
}  // namespace ExaktPerf
