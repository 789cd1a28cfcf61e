// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief What it costs that the calling thread rounds upward, as interval libraries leave it behind.

#include "ExaktPerf_Gemm.hpp"

#include <ExaktBlas1_dot.hpp>
#include <ExaktBlas1_sum.hpp>

#include <cfenv>

namespace ExaktPerf {
namespace {

template <class Call>
auto rounding_upward(Call const& call) {
  return [call] {
    std::fesetround(FE_UPWARD);
    double const result = call();
    std::fesetround(FE_TONEAREST);
    return result;
  };
}

template <class Call>
Comparison compare(std::int64_t n, double expected, Call const& call) {
  Comparison ways(n, sizeof(double), expected);
  ways.add_exact("rounding upward", rounding_upward(call));
  ways.add_exact("default environment", call);
  return ways;
}

Comparison compare_sums(std::int64_t n) {
  Data const x = log_uniform(n, 10);
  return compare(n, reference(Verb::sum, x), [=] { return Exakt::sum(x); });
}

Comparison compare_dots(std::int64_t n) {
  Data const x = log_uniform(n, 10, 1), y = log_uniform(n, 10, 2);
  return compare(n, reference(Verb::dot, x, y), [=] { return Exakt::dot(x, y); });
}

Comparison compare_products(std::int64_t products) {
  int const n = root(products, 3);
  auto const factors = random_factors<double>(n);
  Square const C("C", factors.A.extent(0), factors.B.extent(1));
  // One entry stands for all: tests compare the others.
  return compare(products, exact_entry(factors.A, factors.B, 0, 0), [=] {
    Exakt::gemm("N", "N", 1, factors.A, factors.B, 0, C);
    return C(0, 0);
  });
}

void add_case(std::string const& verb, std::int64_t n, Comparison (*make)(std::int64_t), std::string const& size) {
  cases().push_back({"hostile environment, " + verb + ", n = " + size, n, make});
}

Registration const environments([] {
  for (std::int64_t const n : {100, 100'000}) {
    add_case("sum", n, compare_sums, short_form(n));
    add_case("dot", n, compare_dots, short_form(n));
  }
  add_case("gemm", 512 * 512 * 512, compare_products, "512");
});

}  // namespace
}  // namespace ExaktPerf
