// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Peers.hpp"
#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Reference.hpp"
#include "ExaktPerf_Suite.hpp"
#include "ExaktPerf_Vectors.hpp"

#include <ExaktBlas1_mean.hpp>
#include <ExaktBlas1_nrm1.hpp>

namespace ExaktPerf {
namespace {

Comparison compare_nrm1(Data const& x) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  auto const add = [x](auto& sum, std::int64_t i) {
    auto const terms = load<std::remove_reference_t<decltype(sum)>>(x.data() + i);
    sum += terms < 0 ? -terms : terms;
  };
  Comparison ways(n, sizeof(double), reference(Verb::nrm1, x));
  ways.add_exact("Exakt::nrm1", [=] { return Exakt::nrm1(x); });
  ways.add_plain("plain", [=] { return plain(n, add); });
  ways.add_plain("vectorized", [=] { return vectorized(n, add); });
  if (auto const& nrm1 = open_blas().nrm1) ways.add_plain("OpenBLAS", [=] { return nrm1(x); });
  if (auto const& nrm1 = kokkos_kernels().nrm1) ways.add_plain("KokkosKernels", [=] { return nrm1(x); });
  return ways;
}

Comparison compare_mean(Data const& x) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  auto const add = [x](auto& sum, std::int64_t i) {
    sum += load<std::remove_reference_t<decltype(sum)>>(x.data() + i);
  };
  Comparison ways(n, sizeof(double), reference(Verb::mean, x));
  ways.add_exact("Exakt::mean", [=] { return Exakt::mean(x); });
  ways.add_plain("plain", [=] { return plain(n, add) / static_cast<double>(n); });
  ways.add_plain("vectorized", [=] { return vectorized(n, add) / static_cast<double>(n); });
  return ways;
}

void add_case(std::string const& verb, Comparison (*compare)(Data const&), std::int64_t n,
              std::vector<Floor> floors = {}, int decades = 10) {
  cases().push_back({verb + ", n = " + short_form(n) + ", range 1e" + std::to_string(decades), n,
                     [=](std::int64_t entries) { return compare(log_uniform(entries, decades)); }, std::move(floors)});
}

Registration const norms([] {
  for (std::int64_t const n : {100'000, 50'000'000}) {
    add_case("nrm1", compare_nrm1, n);
    add_case("mean", compare_mean, n);
  }
  add_case("nrm2", compare_nrm2, 100'000, {{"plain", 3.0}});
  add_case("nrm2", compare_nrm2, 50'000'000, {{"plain", 1.6}});
  add_case("nrm2", compare_nrm2, 1'000'000, {}, 600);  // squares leave the range of doubles
});

}  // namespace
}  // namespace ExaktPerf
