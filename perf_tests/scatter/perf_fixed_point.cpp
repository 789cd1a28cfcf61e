// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief Figure 4 of Small et al.: HP, Hallberg, exact and plain sums of n numbers; and what else is
/// reproducible. Their Figure 5 is the largest n, 2^25, against the number of threads: a run for each.

#include "ExaktPerf_Baselines.hpp"
#include "ExaktPerf_Peers.hpp"
#include "ExaktPerf_Reference.hpp"
#include "ExaktPerf_Suite.hpp"

#include <Exakt.hpp>

namespace ExaktPerf {
namespace {

/// \param add  Adds the terms begin ... end - 1.
template <class Accumulator, class Add>
double accumulate_pieces(Data const& x, Add const& add) {
  Accumulator total;
  reduce_pieces(static_cast<std::int64_t>(x.extent(0)), Exakt::Reducer<Accumulator>(total), add);
  return total.round();
}
template <class Accumulator, class Add>
double accumulate(Data const& x, Add const& add) {
  return accumulate_pieces<Accumulator>(x, [=](std::int64_t begin, std::int64_t end, Accumulator& sum) {
    for (std::int64_t i = begin; i < end; ++i) add(sum, x(i));
  });
}

/// Array by array: add(x, n).
template <class Accumulator>
double accumulate_arrays(Data const& x) {
  return accumulate_pieces<Accumulator>(x, [=](std::int64_t begin, std::int64_t end, Accumulator& sum) {
    sum.add(x.data() + begin, static_cast<std::size_t>(end - begin));
  });
}

/// As it is here, a term under its significand only; as in the paper, converted to all words and added; and arrays.
template <class Accumulator>
void add_all_ways(Comparison& ways, std::string const& name, Data const& x) {
  ways.add_exact(name, [=] { return accumulate<Accumulator>(x, [](Accumulator& sum, double term) { sum += term; }); });
  ways.add_exact(name + ", converted", [=] {
    return accumulate<Accumulator>(x, [](Accumulator& sum, double term) { sum += Accumulator(term); });
  });
  ways.add_exact(name + ", arrays", [=] { return accumulate_arrays<Accumulator>(x); });
}

template <class Accumulator>
void add_plain_way(Comparison& ways, std::string const& name, Data const& x) {
  ways.add_plain(name, [=] { return accumulate<Accumulator>(x, [](Accumulator& sum, double term) { sum += term; }); });
}

Comparison compare(Data const& x) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  Comparison ways(n, sizeof(double), reference(Verb::sum, x));
  // The paper's HP format of 512 bits, and its equivalents of Hallberg's by number of terms (Table 2).
  ways.add_exact("SumAccumulator", [=] {
    using Sum = Exakt::SumAccumulator<double>;
    return accumulate<Sum>(x, [](Sum& sum, double term) { sum += term; });
  });
  add_all_ways<Exakt::HighPrecision<8, 4>>(ways, "HighPrecision<8, 4>", x);
  if (n <= 2048) {
    add_all_ways<Exakt::Hallberg<10, 52>>(ways, "Hallberg", x);
  } else if (n <= 1 << 20) {
    add_all_ways<Exakt::Hallberg<12, 43>>(ways, "Hallberg", x);
  } else {
    add_all_ways<Exakt::Hallberg<14, 37>>(ways, "Hallberg", x);
  }
  add_plain_way<Exakt::Binned<double>>(ways, "Binned", x);
  ways.add_plain("Binned, arrays", [=] { return accumulate_arrays<Exakt::Binned<double>>(x); });
  add_plain_way<Neumaier>(ways, "Neumaier", x);
  ways.add_plain("two passes", [=] { return two_pass_sum(n, x); });
  ways.add_plain("plain",
                 [=] { return plain(n, [=](double& sum, std::int64_t i) { sum += x(static_cast<std::size_t>(i)); }); });
  if (auto const& sum = one_tbb().sum) ways.add_plain("oneTBB", [=] { return sum(x); });
  return ways;
}

Registration const fixed_point([] {
  // The exponents of the paper's data, less 52 at the lower end: then no bit is below HP's last word, and sums are
  // exact.
  constexpr int decades = 100;
  for (std::int64_t const n : {128, 1024, 8192, 65'536, 524'288, 4'194'304, 16'777'216, 33'554'432}) {
    cases().push_back({.name = "fixed point against n, n = " + std::to_string(n),
                       .n = n,
                       .make = [](std::int64_t entries) { return compare(log_uniform(entries, decades)); },
                       .abscissa = static_cast<double>(n)});
  }
});

}  // namespace
}  // namespace ExaktPerf
