// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief Figures of the verbs: the time of a call against n, from one entry on; sums by several verbs against the
/// range of their terms; gemm against n for data of several kinds.

#include "ExaktPerf_Gemm.hpp"
#include "ExaktPerf_Vectors.hpp"

#include <Exakt_Reducer.hpp>
#include <Exakt_transform_sum.hpp>

namespace ExaktPerf {
namespace {

/// The same number by verbs that read it, its products with ones, or the terms of a function of the user's.
Comparison compare_verbs(Data const& x) {
  using Sum = Exakt::ExactSum<double>;
  auto const n = static_cast<std::int64_t>(x.extent(0));
  Data const ones("ones", x.extent(0));
  Kokkos::deep_copy(ones, 1.0);
  auto const term = [=](std::int64_t i) { return x(static_cast<std::size_t>(i)); };
  auto const add = [=](auto& sum, std::int64_t i) {
    sum += load<std::remove_reference_t<decltype(sum)>>(x.data() + i);
  };
  Comparison ways(n, sizeof(double), reference(Verb::sum, x));
  ways.add_exact("Exakt::sum", [=] { return Exakt::sum(x); });
  ways.add_exact("Exakt::dot, ones", [=] { return Exakt::dot(x, ones); });
  ways.add_exact("Exakt::transform_sum", [=] { return Exakt::transform_sum(Range(0, n), term); });
  ways.add_exact("ExactSum", [=] {
    Sum::value_type total;
    Kokkos::parallel_reduce(
        Range(0, n), [=](std::int64_t i, Sum::value_type& t) { t += term(i); }, Sum(total));
    return total.round();
  });
  ways.add_plain("plain", [=] { return plain(n, add); });
  ways.add_plain("vectorized", [=] { return vectorized(n, add); });
  return ways;
}

void add_times(std::string const& verb, std::int64_t n, Comparison (*compare)(std::int64_t)) {
  cases().push_back({.name = verb + " from 1 on, n = " + std::to_string(n),
                     .n = n,
                     .make = compare,
                     .abscissa = static_cast<double>(n)});
}

Registration const figures([] {
  constexpr int decades = 10;
  for (std::int64_t const n :
       {1,     2,      5,      10,      20,      50,        100,       200,        500,        1'000,
        3'000, 10'000, 30'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000, 30'000'000, 100'000'000}) {
    add_times("sum", n, [](std::int64_t entries) { return compare_sum(log_uniform(entries, decades)); });
    add_times("nrm2", n, [](std::int64_t entries) { return compare_nrm2(log_uniform(entries, decades)); });
    add_times("dot", n, [](std::int64_t entries) {
      return compare_dot(log_uniform(entries, decades, 1), log_uniform(entries, decades, 2));
    });
  }
  for (int const range : {0, 10, 20, 30, 45, 60, 90, 120, 150, 200, 250, 300}) {
    cases().push_back({.name = "verbs against range, range 1e" + std::to_string(range),
                       .n = 2'000'000,
                       .make = [=](std::int64_t entries) { return compare_verbs(log_uniform(entries, range)); },
                       .abscissa = static_cast<double>(range)});
  }
  for (int const n : {16, 32, 64, 128, 256, 512, 1024, 2048}) {
    add_gemm_case("gemm of kinds, uniform", n, uniform_factors, {}, n);
    add_gemm_case("gemm of kinds, normal", n, normal_factors, {}, n);
    add_gemm_case("gemm of kinds, ties", n, tied_factors, {}, n);
    add_gemm_case("gemm of kinds, narrow", n, narrow_factors, {}, n);
    add_gemm_case("gemm of kinds, cancelling", n, cancelling_factors, {}, n);
  }
});

}  // namespace
}  // namespace ExaktPerf
