// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Reference.hpp"

#include "ExaktPerf_Mpfr.hpp"

#include <Exakt.hpp>

#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace ExaktPerf {
namespace {

using Accumulator = Exakt::LongAccumulator<double, 56, Exakt::Terms::products>;

template <class Function>
Accumulator accumulated(std::size_t n, Function const& add_entry) {
  Accumulator sum;
  Kokkos::parallel_reduce(
      Range(0, static_cast<std::int64_t>(n)),
      [=](std::int64_t i, Accumulator& partial) { add_entry(static_cast<std::size_t>(i), partial); },
      Exakt::Reducer<Accumulator>(sum));
  return sum;
}

double by_long_accumulator(Verb verb, Data const& x, Data const& y) {
  std::size_t const n = x.extent(0);
  switch (verb) {
    case Verb::nrm1:
      return accumulated(n, [=](std::size_t i, Accumulator& sum) { sum += std::abs(x(i)); }).round();
    case Verb::nrm2:
      return accumulated(n, [=](std::size_t i, Accumulator& sum) { sum.add_product(x(i), x(i)); }).round_sqrt();
    case Verb::dot:
      return accumulated(n, [=](std::size_t i, Accumulator& sum) { sum.add_product(x(i), y(i)); }).round();
    case Verb::mean:
      return accumulated(n, [=](std::size_t i, Accumulator& sum) { sum += x(i); }).round_quotient(n);
    case Verb::sum:
      break;
  }
  return accumulated(n, [=](std::size_t i, Accumulator& sum) { sum += x(i); }).round();
}

}  // namespace

double reference(Verb verb, Data const& x, Data const& y) {
  constexpr std::size_t most_for_mpfr = 2'000'000;  // a fifth of a second
  double const result = by_long_accumulator(verb, x, y);
  if (has_mpfr && x.extent(0) <= most_for_mpfr) {
    double const other = by_mpfr(verb, x, y);
    if (result != other) {
      char text[100];
      std::snprintf(text, sizeof(text), "the references disagree: LongAccumulator %a, MPFR %a", result, other);
      throw std::runtime_error(text);
    }
  }
  return result;
}

}  // namespace ExaktPerf
