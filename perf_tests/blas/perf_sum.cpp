// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Suite.hpp"
#include "ExaktPerf_Vectors.hpp"

namespace ExaktPerf {
namespace {

void add_case(std::int64_t n, int decades, std::vector<Floor> floors = {}) {
  cases().push_back({"sum, n = " + short_form(n) + ", range 1e" + std::to_string(decades), n,
                     [decades](std::int64_t entries) { return compare_sum(log_uniform(entries, decades)); },
                     std::move(floors)});
}

void add_full_range(std::int64_t n, std::vector<Floor> floors) {
  cases().push_back({"sum, n = " + short_form(n) + ", full double range", n,
                     [](std::int64_t entries) { return compare_sum(full_range(entries)); }, std::move(floors)});
}

// Below some thousands of entries, what a call costs beside the additions: at most three plain calls.
Registration const sums([] {
  add_case(100, 10, {{"plain", 1 / 3.0}});
  add_case(1'000, 10, {{"plain", 1 / 3.0}});
  add_case(200'000, 0);
  add_case(200'000, 10, {{"plain", 3.5}, {"vectorized", 0.35}});
  add_case(2'000'000, 10, {{"plain", 2.2}, {"vectorized", 0.95}});
  add_case(2'000'000, 90);
  add_case(100'000'000, 20, {{"plain", 1.7}, {"vectorized", 0.9}});
  add_case(100'000'000, 90, {{"plain", 1.2}, {"vectorized", 0.75}});
  // xsum's large accumulator on a 2.5 GHz Xeon with AVX-512, beside which these floors were set.
  add_full_range(2'000'000, {{"plain", 0.8}, {"vectorized", 0.35}, {"xsum", 1, 1.2e9}});
  add_full_range(100'000'000, {{"plain", 0.9}, {"vectorized", 0.45}, {"xsum", 1, 0.79e9}});
  cases().push_back({"sum, n = 2e6, range 1e10, total cancellation",
                     2'000'000,
                     [](std::int64_t entries) { return compare_sum(cancelling(entries, 10)); },
                     {{"plain", 1.2}}});
});

}  // namespace
}  // namespace ExaktPerf
