// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Data.hpp"
#include "ExaktPerf_Matrices.hpp"
#include "ExaktPerf_Suite.hpp"

#include <Exakt_Accumulator.hpp>
#include <Exakt_inclusive_scan.hpp>

namespace ExaktPerf {
namespace {

/// The scan that a user of Kokkos writes.
struct PlainScan {
  Data x, r;
  void operator()(std::int64_t i, double& sum, bool is_final) const {
    sum += x(static_cast<std::size_t>(i));
    if (is_final) r(static_cast<std::size_t>(i)) = sum;
  }
};

Comparison compare(Data const& x) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  Data const r("r", x.extent(0));
  auto const check = [=](std::string const& way) {
    Exakt::SumAccumulator<double> sum;
    std::size_t const step = x.extent(0) / 50 + 1;
    for (std::size_t begin = 0; begin + step <= x.extent(0); begin += step) {
      sum.add(x.data() + begin, step);
      require_bits(way, r(begin + step - 1), sum.round());
    }
  };
  Comparison ways(n, 2 * sizeof(double), check);
  ways.add_exact("Exakt::inclusive_scan", [=] {
    Exakt::inclusive_scan(x, r);
    return 0.0;
  });
  ways.add_plain("Kokkos::parallel_scan", [=] {
    Kokkos::parallel_scan(Range(0, n), PlainScan{x, r});
    return 0.0;
  });
  // One dependent addition after the other, in one pass: what a single thread can do at best.
  ways.add_plain("plain loop", [=] {
    double sum = 0;
    for (std::size_t i = 0; i < x.extent(0); ++i) r(i) = sum += x(i);
    return 0.0;
  });
  return ways;
}

void add_case(std::int64_t n, int decades, std::vector<Floor> floors = {}) {
  cases().push_back({"inclusive_scan, n = " + short_form(n) + ", range 1e" + std::to_string(decades), n,
                     [decades](std::int64_t entries) { return compare(log_uniform(entries, decades)); },
                     std::move(floors)});
}

Registration const scans([] {
  add_case(1'000, 10);
  add_case(200'000, 10, {{"Kokkos::parallel_scan", 0.4}});
  add_case(30'000'000, 0, {{"Kokkos::parallel_scan", 0.4}});
  add_case(30'000'000, 10, {{"Kokkos::parallel_scan", 0.4}});
  add_case(30'000'000, 90);
});

}  // namespace
}  // namespace ExaktPerf
