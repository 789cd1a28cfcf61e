// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief The figures of Collange et al. (2015), 4a and 4b, for this library: throughput against the number of entries
/// and against their dynamic range; and the former for dot. perf_tests/plot.py draws what this writes.

#include "ExaktPerf_Mpfr.hpp"
#include "ExaktPerf_Peers.hpp"
#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Reference.hpp"
#include "ExaktPerf_Suite.hpp"
#include "ExaktPerf_Vectors.hpp"

#include <Exakt.hpp>

namespace ExaktPerf {
namespace {

/// Each thread adds its piece to an accumulator of its own, by add(begin, end, accumulator).
template <class Accumulator, class Add>
double accumulate(std::int64_t n, Add const& add) {
  Accumulator total;
  reduce_pieces(n, Exakt::Reducer<Accumulator>(total), add);
  return total.round();
}

template <class Accumulator>
void add_scalar_way(Comparison& ways, std::string const& name, std::int64_t n, Data const& x) {
  ways.add_exact(name, [=] {
    return accumulate<Accumulator>(n, [=](std::int64_t begin, std::int64_t end, Accumulator& sum) {
      for (std::int64_t i = begin; i < end; ++i) sum += x(i);
    });
  });
}

template <int... P>
void add_expansions(Comparison& ways, std::int64_t n, Data const& x, std::integer_sequence<int, P...>) {
  (add_scalar_way<Exakt::Expansion<double, P>>(ways, "Expansion<" + std::to_string(P) + ">", n, x), ...);
}

Comparison compare_sums(Data const& x) {
  constexpr std::int64_t most_for_mpfr = 2'000'000;  // its numbers take four times the memory, and a call 0.1 s
  auto const n = static_cast<std::int64_t>(x.extent(0));
  auto const add = [=](auto& sum, std::int64_t i) {
    sum += load<std::remove_reference_t<decltype(sum)>>(x.data() + i);
  };
  Comparison ways(n, sizeof(double), reference(Verb::sum, x));
  ways.add_exact("Exakt::sum", [=] { return Exakt::sum(x); });
  ways.add_plain("plain", [=] { return plain(n, add); });
  ways.add_plain("vectorized", [=] { return vectorized(n, add); });
  ways.add_exact("Extraction", [=] {
    using Sum = Exakt::SumAccumulator<double>;
    return accumulate<Sum>(n, [=](std::int64_t begin, std::int64_t end, Sum& sum) {
      sum.add(x.data() + begin, static_cast<std::size_t>(end - begin));
    });
  });
  add_scalar_way<Exakt::LongAccumulator<double>>(ways, "LongAccumulator", n, x);
  add_expansions(ways, n, x, std::integer_sequence<int, 2, 3, 4, 5, 6, 7, 8>());
  add_scalar_way<Exakt::Expansion<double, 8, true>>(ways, "Expansion<8>, early exit", n, x);
  if (auto const& sum = kokkos_kernels().sum) ways.add_plain("KokkosKernels", [=] { return sum(x); });
  if (auto const& sum = one_tbb().sum) ways.add_plain("oneTBB", [=] { return sum(x); });
  if (has_mpfr && n <= most_for_mpfr) ways.add_exact("MPFR", mpfr_sum_of(x));
  return ways;
}

Comparison compare_dots(Data const& x, Data const& y) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  Comparison ways = compare_dot(x, y);
  ways.add_exact("Extraction", [=] {
    using Dot = Exakt::DotAccumulator<double>;
    return accumulate<Dot>(n, [=](std::int64_t begin, std::int64_t end, Dot& sum) {
      sum.add_products(x.data() + begin, y.data() + begin, static_cast<std::size_t>(end - begin));
    });
  });
  using Long = Exakt::LongAccumulator<double, 56, Exakt::Terms::products>;
  ways.add_exact("LongAccumulator", [=] {
    return accumulate<Long>(n, [=](std::int64_t begin, std::int64_t end, Long& sum) {
      for (std::int64_t i = begin; i < end; ++i) sum.add_product(x(i), y(i));
    });
  });
  return ways;
}

Registration const figures([] {
  constexpr std::int64_t in_last_level_cache = 2'000'000;
  constexpr int dot_decades = 10;
  for (std::int64_t const n :
       {1'000, 3'000, 10'000, 30'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000, 30'000'000, 100'000'000}) {
    cases().push_back({.name = "sum against n, n = " + short_form(n),
                       .n = n,
                       .make = [](std::int64_t entries) { return compare_sums(log_uniform(entries, 0)); },
                       .abscissa = static_cast<double>(n)});
  }
  for (int const decades : {0, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 90, 110, 130, 150, 175, 200, 250, 300}) {
    cases().push_back({.name = "sum against range, range 1e" + std::to_string(decades),
                       .n = in_last_level_cache,
                       .make = [=](std::int64_t entries) { return compare_sums(log_uniform(entries, decades)); },
                       .abscissa = static_cast<double>(decades)});
  }
  for (std::int64_t const n :
       {1'000, 3'000, 10'000, 30'000, 100'000, 300'000, 1'000'000, 3'000'000, 10'000'000, 50'000'000}) {
    cases().push_back({.name = "dot against n, n = " + short_form(n),
                       .n = n,
                       .make =
                           [](std::int64_t entries) {
                             return compare_dots(log_uniform(entries, dot_decades, 1),
                                                 log_uniform(entries, dot_decades, 2));
                           },
                       .abscissa = static_cast<double>(n)});
  }
});

}  // namespace
}  // namespace ExaktPerf
