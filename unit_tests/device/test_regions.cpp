// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>
#include <ExaktBlas.hpp>
#include <ExaktScatter.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Device.hpp"

// What Kokkos Tools see: one region per call, by the name of the function.

namespace {

using namespace ExaktTest;

struct Seen {
  std::vector<std::string> names;
  int open = 0;
};
Seen seen;

void push(char const* name) {
  seen.names.emplace_back(name);
  ++seen.open;
}
void pop() { --seen.open; }

template <class Call>
void check_region(std::string const& name, Call const& call) {
  INFO(name);
  seen = Seen();
  Kokkos::Tools::Experimental::set_push_region_callback(push);
  Kokkos::Tools::Experimental::set_pop_region_callback(pop);
  call();
  Kokkos::fence();
  Kokkos::Tools::Experimental::set_push_region_callback(nullptr);
  Kokkos::Tools::Experimental::set_pop_region_callback(nullptr);
  // Kokkos' own functions may open regions within ours.
  REQUIRE(!seen.names.empty());
  CHECK(seen.names.front() == name);
  CHECK(std::count_if(seen.names.begin(), seen.names.end(), [](auto const& n) { return n.find("Exakt::") == 0; }) == 1);
  CHECK(seen.open == 0);
}

struct One {
  KOKKOS_FUNCTION double operator()(int) const { return 1; }
};
struct Ones {
  KOKKOS_FUNCTION Kokkos::pair<double, double> operator()(int) const { return {1, 1}; }
};

}  // namespace

TEST_CASE("each call opens and closes one profiling region, named like the function") {
  DeviceVector<double> const x("x", 20), y("y", 20), r("r", 20);
  DeviceMatrix<double> const A("A", 20, 20), B("B", 20, 20), C("C", 20, 20);
  Kokkos::View<int*, Device> const keys("keys", 20), unique("unique", 20), offsets("offsets", 21);
  DeviceVector<double> const sums("sums", 20);
  check_region("Exakt::variance", [=] { Exakt::variance(x); });
  check_region("Exakt::stddev", [=] { Exakt::stddev(Kokkos::subview(r, 0), x); });
  check_region("Exakt::inclusive_scan", [=] { Exakt::inclusive_scan(x, r); });
  check_region("Exakt::exclusive_scan", [=] { Exakt::exclusive_scan(x, x); });
  check_region("Exakt::segmented_sum", [=] { Exakt::segmented_sum(offsets, x, r); });
  check_region("Exakt::sum_by_key", [=] { Exakt::sum_by_key(keys, x, unique, sums); });
  check_region("Exakt::transform_sum", [=] {
    Exakt::SumAccumulator<double> total;
    Exakt::transform_sum(20, One(), total);
  });
  check_region("Exakt::sum", [=] { Exakt::sum(x); });
  check_region("Exakt::sum", [=] { Exakt::sum(r, A); });
  check_region("Exakt::nrm1", [=] { Exakt::nrm1(x); });
  check_region("Exakt::nrm2", [=] { Exakt::nrm2(x); });
  check_region("Exakt::nrm2_squared", [=] { Exakt::nrm2_squared(x); });
  check_region("Exakt::mean", [=] { Exakt::mean(x); });
  check_region("Exakt::dot", [=] { Exakt::dot(x, y); });
  check_region("Exakt::axpby", [=] { Exakt::axpby(2.0, x, 1.0, y); });
  check_region("Exakt::gemv", [=] { Exakt::gemv("N", 1.0, A, x, 0.0, y); });
  check_region("Exakt::gemm", [=] { Exakt::gemm("N", "N", 1.0, A, B, 0.0, C); });
  check_region("Exakt::trsv", [=] { Exakt::trsv("L", "N", "U", A, x); });
  check_region("Exakt::trsm", [=] { Exakt::trsm("L", "L", "N", "U", 1.0, A, B); });
  check_region("Exakt::symv", [=] { Exakt::symv("L", 1.0, A, x, 0.0, y); });
  check_region("Exakt::syrk", [=] { Exakt::syrk("L", "N", 1.0, A, 0.0, C); });
  check_region("Exakt::trmm", [=] { Exakt::trmm("L", "L", "N", "U", 1.0, A, B); });
  check_region("Exakt::ger", [=] { Exakt::ger(1.0, x, y, C); });
  check_region("Exakt::transform_sum", [] { Exakt::transform_sum(20, One()); });
  check_region("Exakt::transform_dot", [] { Exakt::transform_dot(20, Ones()); });
  Exakt::ScatterSum<double> const bins("bins", 20);
  check_region("Exakt::ScatterSum::round_to", [=] { bins.round_to(r); });
  check_region("Exakt::ScatterSum::merge", [=] { bins.merge(bins); });
  DeviceVector<int> const places("places", 20);
  check_region("Exakt::ordered_scatter_add", [=] { Exakt::ordered_scatter_add(places, x, r, 4); });
}
