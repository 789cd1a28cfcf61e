// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulators: a case is a sum of what was added, subtracted and merged, rounded to one type in one rounding. Expansion: a
// sum by arrays or term by term, in one rounding. scatter: a case is a bin in one rounding. axpby: a case is an entry. Scans:
// a case is the sum of a beginning. segmented_sum: of a segment.
#include <ExaktBlas1_axpby.hpp>
#include <ExaktScatter_ScatterSum.hpp>
#include <Exakt_Accumulator.hpp>
#include <Exakt_Expansion.hpp>
#include <Exakt_LongAccumulator.hpp>
#include <Exakt_exclusive_scan.hpp>
#include <Exakt_inclusive_scan.hpp>
#include <Exakt_segmented_sum.hpp>
#include <type_traits>

#include "ExaktTest_Families.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Proof.hpp"
#include "ExaktTest_Vectors.hpp"

namespace ExaktTest::Proof {
namespace {

template <class T>
using SumOf = Exakt::SumAccumulator<T>;
template <class T>
using DotOf = Exakt::DotAccumulator<T>;

/// Both types of result in every rounding, after each term to nearest.
template <class T, class Accumulator, class Terms, class Add, class AddExactly>
void try_accumulator(Terms const& terms, Trial& trial, Add const& add, AddExactly const& add_exactly) {
  std::size_t const n = terms.size();
  static IntegerSum sum;
  sum.clear();
  std::vector<T> expected, actual(n + 4);
  std::vector<float> expected_floats, actual_floats(4);
  for (std::size_t i = 0; i < n; ++i) {
    add_exactly(sum, i);
    expected.push_back(sum.round<T>());
  }
  for (Rounding const mode : every_rounding) {
    expected.push_back(sum.round<T>(mode));
    expected_floats.push_back(sum.round<float>(mode));
  }
  // What is added to `other` and taken away again leaves nothing, whatever the order.
  std::vector<std::size_t> part(n);
  for (auto& p : part) p = trial.random.between<std::size_t>(0, 2);
  trial.call([&] {
    Accumulator running, parts[3];
    for (std::size_t i = 0; i < n; ++i) {
      add(running, i);
      actual[i] = running.round();
      add(parts[part[i]], i);
    }
    Accumulator merged = parts[2];
    merged += parts[0];
    merged -= parts[2];
    merged += parts[1];
    merged += parts[2];
    for (std::size_t m = 0; m < 4; ++m) {
      actual[n + m] = merged.round(every_rounding[m]);
      actual_floats[m] = running.template round<float>(every_rounding[m]);
    }
  });
  bool const is_finite = std::isfinite(sum.round<T>(Rounding::toward_zero));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // An infinity that was added and subtracted is NaN, as it is in IEEE 754.
    if (i >= n && !is_finite) continue;
    trial.compare(actual[i], expected[i]);
  }
  for (std::size_t m = 0; m < 4; ++m) trial.compare(actual_floats[m], expected_floats[m]);
}

template <class T, class... Accumulators>
void run_sums(std::size_t family, Trial& trial) {
  auto const run = [&]<class Accumulator>(std::type_identity<Accumulator>) {
    auto const x = short_families<T>()[family].make(trial.random);
    try_accumulator<T, Accumulator>(
        x, trial, [&](Accumulator& a, std::size_t k) { a += x[k]; },
        [&](IntegerSum& sum, std::size_t k) { sum.add(x[k]); });
  };
  for (int i = 0; i < 16; ++i) (run(std::type_identity<Accumulators>()), ...);
}

template <class T, class... Accumulators>
void run_products(std::size_t family, Trial& trial) {
  auto const run = [&]<class Accumulator>(std::type_identity<Accumulator>) {
    auto const terms = short_product_families<T>()[family].make(trial.random);
    try_accumulator<T, Accumulator>(
        terms, trial, [&](Accumulator& a, std::size_t k) { a.add_product(terms.x[k], terms.y[k]); },
        [&](IntegerSum& sum, std::size_t k) { sum.add_product(terms.x[k], terms.y[k]); });
  };
  for (int i = 0; i < 16; ++i) (run(std::type_identity<Accumulators>()), ...);
}

/// Digits that carry all the time and such that hardly do; of which some divide the range of exponents, and others do not.
template <class T>
void run_long_sums(std::size_t family, Trial& trial) {
  run_sums<T, Exakt::LongAccumulator<T, 16>, Exakt::LongAccumulator<T, 23>, Exakt::LongAccumulator<T, 46>,
           Exakt::LongAccumulator<T, 60>>(family, trial);
}
template <class T>
void run_long_products(std::size_t family, Trial& trial) {
  using Exakt::Terms;
  run_products<T, Exakt::LongAccumulator<T, 20, Terms::products>, Exakt::LongAccumulator<T, 30, Terms::products>,
               Exakt::LongAccumulator<T, 60, Terms::products>>(family, trial);
}

/// Some numbers and their opposites among the terms: more packs, and the same sum.
template <class T>
std::vector<T> lengthened(std::vector<T> terms, std::vector<T> const& numbers, Random& random) {
  for (T const x : numbers) {
    if (!std::isfinite(x)) continue;
    terms.push_back(x);
    terms.push_back(-x);
  }
  random.shuffle(terms);
  return terms;
}

/// \param expected  In each rounding.
template <class T, int P, bool EarlyExit>
void try_expansion(std::vector<T> const& x, std::vector<T> const& expected, Trial& trial) {
  std::size_t const first = trial.random.between<std::size_t>(0, x.size());
  std::vector<T> by_arrays, term_by_term;
  trial.call([&] {
    Exakt::Expansion<T, P, EarlyExit> arrays, terms;
    arrays.add(x.data(), first);
    arrays.add(x.data() + first, x.size() - first);
    for (T const term : x) terms += term;
    for (Rounding const mode : every_rounding) {
      by_arrays.push_back(arrays.round(mode));
      term_by_term.push_back(terms.round(mode));
    }
  });
  for (std::size_t m = 0; m < expected.size(); ++m) {
    trial.compare(by_arrays[m], expected[m]);
    trial.compare(term_by_term[m], expected[m]);
  }
}

template <class T>
void run_expansions(std::size_t family, Trial& trial) {
  static IntegerSum sum;
  auto const& make = short_families<T>()[family].make;
  for (int i = 0; i < 16; ++i) {
    auto const x = lengthened(make(trial.random), make(trial.random), trial.random);
    sum.clear();
    for (T const term : x) sum.add(term);
    std::vector<T> expected;
    for (Rounding const mode : every_rounding) expected.push_back(sum.round<T>(mode));
    try_expansion<T, 2, false>(x, expected, trial);
    try_expansion<T, 3, true>(x, expected, trial);
    try_expansion<T, 5, false>(x, expected, trial);
    try_expansion<T, 8, true>(x, expected, trial);
  }
}

/// Terms (bin and number) into bins of one kind, these rounded in each direction.
template <class Bins, class T>
void try_bins(Bins const& bins, std::vector<std::pair<int, T>> const& terms, std::vector<IntegerSum> const& expected,
              Trial& trial) {
  HostVector<T> const rounded("rounded", expected.size());
  for (Rounding const mode : every_rounding) {
    trial.call([&] {
      using Range = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;
      if (mode == Rounding::to_nearest)
        Kokkos::parallel_for(Range(0, terms.size()), [&](std::size_t j) { bins.add(terms[j].first, terms[j].second); });
      bins.round_to(rounded, mode);
    });
    for (std::size_t b = 0; b < expected.size(); ++b) trial.compare(rounded(b), expected[b].template round<T>(mode));
  }
}

/// A bin for each of some vectors; terms come in random order.
template <class T>
void run_scatter(std::size_t family, Trial& trial) {
  constexpr int count = 24;
  std::vector<std::pair<int, T>> terms;
  std::vector<IntegerSum> expected(count);
  for (int b = 0; b < count; ++b)
    for (T const x : short_families<T>()[family].make(trial.random)) {
      terms.push_back({b, x});
      expected[b].add(x);
    }
  trial.random.shuffle(terms);
  // Usual digits have room for more terms than these; full ones carry all the time.
  try_bins(Exakt::ScatterSum<T, Kokkos::HostSpace>("usual", count), terms, expected, trial);
  try_bins(Exakt::ScatterSum<T, Kokkos::HostSpace, 60>("full", count), terms, expected, trial);
}

/// As a T, neither zero nor infinite.
template <class T>
T factor(double x) {
  if (std::abs(x) > std::numeric_limits<T>::max()) return T{3};
  T const result = static_cast<T>(x);
  return result == 0 ? T{-0.75} : result;
}

template <class T>
void run_axpby(std::size_t family, Trial& trial) {
  static IntegerSum sum;
  for (int i = 0; i < 16; ++i) {
    auto const terms = short_product_families<T>()[family].make(trial.random);
    HardFactors const factors(trial.random);
    T const alpha = factor<T>(trial.random.coin() ? 1.0 : factors.alpha);
    T const beta = factor<T>(trial.random.coin() ? 1.0 : factors.beta);
    auto const y = contiguous(terms.y);
    trial.call([&] { Exakt::axpby(alpha, borrowed(terms.x), beta, y); });
    for (std::size_t k = 0; k < terms.size(); ++k) {
      sum.clear();
      sum.add_product(alpha, terms.x[k]);
      sum.add_product(beta, terms.y[k]);
      trial.compare(y(k), sum.round<T>());
      if (trial.asks_mpfr()) {
        Exact exact;
        exact.add_product(alpha, terms.x[k]);
        exact.add_product(beta, terms.y[k]);
        trial.confirm(sum.round<T>(), exact.round<T>());
      }
    }
  }
}

/// Vectors as they are made, several in one array, which is longer than what one thread or one block of it takes.
template <class T>
std::vector<T> chained(std::size_t family, Random& random, std::vector<int>& offsets) {
  std::vector<T> chain;
  offsets = {0};
  for (int vectors = random.between(1, 40); vectors > 0; --vectors) {
    auto const more = short_families<T>()[family].make(random);
    chain.insert(chain.end(), more.begin(), more.end());
    offsets.push_back(static_cast<int>(chain.size()));
    if (random.between(0, 15) == 0) offsets.push_back(offsets.back());
  }
  return chain;
}

template <class T>
void run_scans(std::size_t family, Trial& trial) {
  static IntegerSum sum;
  sum.clear();
  std::vector<int> offsets;
  auto const x = chained<T>(family, trial.random, offsets);
  HostVector<T> const including("including", x.size()), excluding("excluding", x.size());
  trial.call([&] {
    Exakt::inclusive_scan(borrowed(x), including);
    Exakt::exclusive_scan(borrowed(x), excluding);
  });
  T before = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    sum.add(x[k]);
    trial.compare(excluding(k), before);
    before = sum.round<T>();
    trial.compare(including(k), before);
  }
}

template <class T>
void run_segments(std::size_t family, Trial& trial) {
  static IntegerSum sum;
  std::vector<int> offsets;
  auto const x = chained<T>(family, trial.random, offsets);
  HostVector<T> const sums("sums", offsets.size() - 1);
  trial.call([&] { Exakt::segmented_sum(borrowed(offsets), borrowed(x), sums); });
  for (std::size_t s = 0; s < sums.size(); ++s) {
    sum.clear();
    for (int k = offsets[s]; k < offsets[s + 1]; ++k) sum.add(x[static_cast<std::size_t>(k)]);
    trial.compare(sums(s), sum.round<T>());
  }
}

template <class Families>
std::vector<char const*> names_of(Families const& families) {
  std::vector<char const*> names;
  for (auto const& family : families) names.push_back(family.name);
  return names;
}

}  // namespace

std::vector<Verb> accumulators() {
  auto const sums = names_of(short_families<double>()), products = names_of(short_product_families<double>());
  return {
      {"SumAccumulator", sums,
       [](std::size_t f, Trial& t) { run_sums<double, SumOf<double>>(f, t), run_sums<float, SumOf<float>>(f, t); }},
      {"DotAccumulator", products,
       [](std::size_t f, Trial& t) {
         run_products<double, DotOf<double>>(f, t), run_products<float, DotOf<float>>(f, t);
       }},
      {"LongAccumulator", sums,
       [](std::size_t f, Trial& t) { run_long_sums<double>(f, t), run_long_sums<float>(f, t); }},
      {"LongAccumulator_of_products", products,
       [](std::size_t f, Trial& t) { run_long_products<double>(f, t), run_long_products<float>(f, t); }},
      {"Expansion", sums, [](std::size_t f, Trial& t) { run_expansions<double>(f, t), run_expansions<float>(f, t); }},
      {"ScatterSum", sums, [](std::size_t f, Trial& t) { run_scatter<double>(f, t), run_scatter<float>(f, t); }},
      {"scans", sums, [](std::size_t f, Trial& t) { run_scans<double>(f, t), run_scans<float>(f, t); }},
      {"segmented_sum", sums, [](std::size_t f, Trial& t) { run_segments<double>(f, t), run_segments<float>(f, t); }},
      {"axpby", products, [](std::size_t f, Trial& t) { run_axpby<double>(f, t), run_axpby<float>(f, t); }}};
}

}  // namespace ExaktTest::Proof
