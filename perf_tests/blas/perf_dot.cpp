// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Peers.hpp"
#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Reference.hpp"
#include "ExaktPerf_Suite.hpp"

#include <ExaktBlas1_dot.hpp>

namespace ExaktPerf {
namespace {

Comparison compare(Data const& x, Data const& y) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  auto const add = [x, y](auto& sum, std::int64_t i) {
    using T = std::remove_reference_t<decltype(sum)>;
    sum += load<T>(x.data() + i) * load<T>(y.data() + i);
  };
  Comparison ways(n, 2 * sizeof(double), reference(Verb::dot, x, y));
  ways.add_exact("Exakt::dot", [=] { return Exakt::dot(x, y); });
  ways.add_plain("plain", [=] { return plain(n, add); });
  ways.add_plain("vectorized", [=] { return vectorized(n, add); });
  if (auto const& dot = open_blas().dot) ways.add_plain("OpenBLAS", [=] { return dot(x, y); });
  if (auto const& dot = kokkos_kernels().dot) ways.add_plain("KokkosKernels", [=] { return dot(x, y); });
  return ways;
}

void add_case(std::int64_t n, int decades, std::vector<Floor> floors = {}) {
  cases().push_back({"dot, n = " + short_form(n) + ", range 1e" + std::to_string(decades), n,
                     [decades](std::int64_t entries) {
                       return compare(log_uniform(entries, decades, 1), log_uniform(entries, decades, 2));
                     },
                     std::move(floors)});
}

Registration const dots([] {
  add_case(100, 10);
  add_case(1'000, 10);
  add_case(100'000, 10, {{"plain", 3.5}, {"KokkosKernels", 1}, {"OpenBLAS", 0.65}});
  add_case(1'000'000, 10, {{"plain", 1.8}, {"KokkosKernels", 1}, {"OpenBLAS", 0.95}});
  add_case(1'000'000, 90);
  add_case(50'000'000, 10, {{"plain", 1.3}, {"KokkosKernels", 1}, {"OpenBLAS", 0.93}});
});

}  // namespace
}  // namespace ExaktPerf
