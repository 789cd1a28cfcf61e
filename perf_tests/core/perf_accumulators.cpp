// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief The accumulators of the papers: arrays by add(x, n), and term by term in the user's own reduction.

#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Reference.hpp"
#include "ExaktPerf_Suite.hpp"

#include <Exakt_Binned.hpp>
#include <Exakt_Expansion.hpp>
#include <Exakt_Hallberg.hpp>
#include <Exakt_HighPrecision.hpp>
#include <Exakt_Reducer.hpp>

namespace ExaktPerf {
namespace {

template <class Accumulator>
Comparison compare(Data const& x, double expected) {
  using Sum = Exakt::Reducer<Accumulator>;
  auto const n = static_cast<std::int64_t>(x.extent(0));
  auto const add = [x](auto& sum, std::int64_t i) {
    sum += load<std::remove_reference_t<decltype(sum)>>(x.data() + i);
  };
  Comparison ways(n, sizeof(double), expected);
  ways.add_exact("add(x, n)", [=] {
    Accumulator total;
    reduce_pieces(n, Sum(total), [=](std::int64_t begin, std::int64_t end, Accumulator& t) {
      t.add(x.data() + begin, static_cast<std::size_t>(end - begin));
    });
    return total.round();
  });
  ways.add_exact("term by term", [=] {
    Accumulator total;
    Kokkos::parallel_reduce(
        Range(0, n), [=](std::int64_t i, Accumulator& t) { t += x(i); }, Sum(total));
    return total.round();
  });
  ways.add_plain("plain", [=] { return plain(n, add); });
  ways.add_plain("vectorized", [=] { return vectorized(n, add); });
  return ways;
}

template <class Accumulator>
void add_exact_case(std::string const& name, int decades) {
  constexpr std::int64_t n = 2'000'000;
  cases().push_back(
      {name + ", n = " + short_form(n) + ", range 1e" + std::to_string(decades), n, [decades](std::int64_t entries) {
         Data const x = log_uniform(entries, decades);
         return compare<Accumulator>(x, reference(Verb::sum, x));
       }});
}

/// Products, of an array that one thread adds alone.
Comparison compare_products(std::int64_t n, int decades) {
  Data const x = log_uniform(n, decades), y = log_uniform(n, decades, 2);
  Comparison ways(n, 2 * sizeof(double), reference(Verb::dot, x, y));
  ways.add_exact("add_products(x, y, n)", [=] {
    Exakt::DotAccumulator<double> sum;
    sum.add_products(x.data(), y.data(), static_cast<std::size_t>(n));
    return sum.round();
  });
  ways.add_plain("plain loop", [=] {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += x(i) * y(i);
    return sum;
  });
  return ways;
}

void add_products_case(std::int64_t n, int decades) {
  cases().push_back({"DotAccumulator, n = " + short_form(n) + ", range 1e" + std::to_string(decades), n,
                     [decades](std::int64_t entries) { return compare_products(entries, decades); }});
}

/// Reproducible and not exact: what is expected is its own result.
void add_binned_case() {
  using Binned = Exakt::Binned<double, 3>;
  constexpr std::int64_t n = 2'000'000;
  cases().push_back({"Binned<3>, n = " + short_form(n) + ", range 1e10", n, [](std::int64_t entries) {
                       Data const x = log_uniform(entries, 10);
                       Binned sum;
                       for (std::int64_t i = 0; i < entries; ++i) sum += x(i);
                       return compare<Binned>(x, sum.round());
                     }});
}

/// An accumulator's whole life beside a sum in a register.
Comparison compare_few(std::int64_t n) {
  Data const x = log_uniform(n, 10);
  Comparison ways(n, sizeof(double), reference(Verb::sum, x));
  ways.add_exact("made, added to, rounded", [=] {
    Exakt::SumAccumulator<double> sum;
    for (std::int64_t i = 0; i < n; ++i) sum += x(i);
    return sum.round();
  });
  ways.add_plain("plain loop", [=] {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += x(i);
    return sum;
  });
  return ways;
}

Registration const accumulators([] {
  cases().push_back({"SumAccumulator, n = 16, range 1e10", 16, compare_few});
  for (int const decades : {10, 30, 90, 600}) add_exact_case<Exakt::SumAccumulator<double>>("SumAccumulator", decades);
  for (std::int64_t const n : {1000, 100'000}) {
    for (int const decades : {6, 15, 90, 600}) add_products_case(n, decades);
  }
  for (int const decades : {10, 90}) add_exact_case<Exakt::Expansion<double, 4>>("Expansion<4>", decades);
  for (int const decades : {10, 90})
    add_exact_case<Exakt::Expansion<double, 8, true>>("Expansion<8>, early exit", decades);
  add_exact_case<Exakt::HighPrecision<8, 4>>("HighPrecision<8, 4>", 10);
  add_exact_case<Exakt::Hallberg<14, 37>>("Hallberg<14, 37>", 10);
  add_binned_case();
});

}  // namespace
}  // namespace ExaktPerf
