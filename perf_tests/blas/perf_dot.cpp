// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Suite.hpp"
#include "ExaktPerf_Vectors.hpp"

namespace ExaktPerf {
namespace {

void add_case(std::int64_t n, int decades, std::vector<Floor> floors = {}) {
  cases().push_back({"dot, n = " + short_form(n) + ", range 1e" + std::to_string(decades), n,
                     [decades](std::int64_t entries) {
                       return compare_dot(log_uniform(entries, decades, 1), log_uniform(entries, decades, 2));
                     },
                     std::move(floors)});
}

Registration const dots([] {
  add_case(100, 10);
  add_case(1'000, 10);
  add_case(100'000, 10, {{"plain", 3.5}, {"KokkosKernels", 1}, {"OpenBLAS", 0.65}});
  add_case(1'000'000, 10, {{"plain", 1.8}, {"KokkosKernels", 1}, {"OpenBLAS", 0.95}});
  add_case(1'000'000, 90);
  add_case(1'000'000, 600);  // products leave the range of doubles
  add_case(50'000'000, 10, {{"plain", 1.3}, {"KokkosKernels", 1}, {"OpenBLAS", 0.93}});
});

}  // namespace
}  // namespace ExaktPerf
