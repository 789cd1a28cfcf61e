// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief The default execution space, a GPU where there is one: sums, dots and scattered additions in its memory,
/// beside plain Kokkos and, compiled by nvcc, CUB and cuBLAS.

#include "ExaktPerf_CudaPeers.hpp"
#include "ExaktPerf_Device.hpp"
#include "ExaktPerf_Matrices.hpp"

#include <ExaktBlas1_dot.hpp>
#include <ExaktBlas1_nrm2.hpp>
#include <ExaktBlas1_sum.hpp>
#include <ExaktScatter.hpp>
#include <Exakt_transform_sum.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ExaktPerf {
namespace {

using DeviceRange = Kokkos::RangePolicy<Device, Kokkos::IndexType<std::int64_t>>;
using ExactSum = Exakt::ExactSum<double>;

template <class Sum>
struct AddEntry {
  DeviceData x;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Sum& sum) const { sum += x(i); }
};
struct AddProduct {
  DeviceData x, y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& sum) const { sum += x(i) * y(i); }
};

double plain_sum(DeviceData const& x) {
  double sum = 0;
  Kokkos::parallel_reduce("plain", DeviceRange(0, static_cast<std::int64_t>(x.extent(0))), AddEntry<double>{x}, sum);
  return sum;
}

double plain_dot(DeviceData const& x, DeviceData const& y) {
  double sum = 0;
  Kokkos::parallel_reduce("plain", DeviceRange(0, static_cast<std::int64_t>(x.extent(0))), AddProduct{x, y}, sum);
  return sum;
}

double reduced(DeviceData const& x) {
  ExactSum::value_type sum;
  Kokkos::parallel_reduce("ExactSum", DeviceRange(0, static_cast<std::int64_t>(x.extent(0))),
                          AddEntry<ExactSum::value_type>{x}, ExactSum(sum));
  return sum.round();
}

Comparison compare_sums(Data const& here) {
  DeviceData const x = on_device(here);
  Comparison ways(static_cast<std::int64_t>(x.extent(0)), sizeof(double), reference(Verb::sum, here));
  ways.add_exact("Exakt::sum", [=] { return Exakt::sum(x); });
  ways.add_plain("plain", [=] { return plain_sum(x); });
  if (auto const sum = cub_sum(x.data(), x.extent(0))) ways.add_plain("CUB", sum);
  return ways;
}

struct Entry {
  DeviceData x;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const { return x(i); }
};

Comparison compare_lambdas(Data const& here) {
  DeviceData const x = on_device(here);
  Comparison ways(static_cast<std::int64_t>(x.extent(0)), sizeof(double), reference(Verb::sum, here));
  ways.add_exact("transform_sum",
                 [=] { return Exakt::transform_sum(static_cast<std::int64_t>(x.extent(0)), Entry{x}); });
  ways.add_exact("ExactSum", [=] { return reduced(x); });
  ways.add_plain("plain", [=] { return plain_sum(x); });
  return ways;
}

Comparison compare_norms(Data const& here) {
  DeviceData const x = on_device(here);
  Comparison ways(static_cast<std::int64_t>(x.extent(0)), sizeof(double), reference(Verb::nrm2, here));
  ways.add_exact("Exakt::nrm2", [=] { return Exakt::nrm2(x); });
  ways.add_plain("plain", [=] { return std::sqrt(plain_dot(x, x)); });
  return ways;
}

Comparison compare_dots(Data const& here, Data const& other) {
  DeviceData const x = on_device(here), y = on_device(other);
  Comparison ways(static_cast<std::int64_t>(x.extent(0)), 2 * sizeof(double), reference(Verb::dot, here, other));
  ways.add_exact("Exakt::dot", [=] { return Exakt::dot(x, y); });
  ways.add_plain("plain", [=] { return plain_dot(x, y); });
  if (auto const dot = cublas_dot(x.data(), y.data(), x.extent(0))) ways.add_plain("cuBLAS", dot);
  return ways;
}

template <class Bins>
struct AddToBins {
  Bins bins;
  DeviceArray<int> to;
  DeviceData x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { bins.add(to(i), x(i)); }
};
struct AddAtomically {
  DeviceData out;
  DeviceArray<int> to;
  DeviceData x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { Kokkos::atomic_add(&out(to(i)), x(i)); }
};

Comparison compare_scatter(std::int64_t n, int addresses) {
  Data const x_here = log_uniform(n, 10);
  Kokkos::View<int*, Kokkos::HostSpace> const to_here("to", static_cast<std::size_t>(n));
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    to_here(i) = static_cast<int>((state >> 33) % static_cast<std::uint64_t>(addresses));
  }
  DeviceData const x = on_device(x_here), out("out", static_cast<std::size_t>(addresses));
  DeviceArray<int> const to = on_device(to_here);
  using Bins = Exakt::ScatterSum<double, Device>;
  Bins const bins("ScatterSum", addresses);
  auto const add_all = [=] {
    Kokkos::parallel_for("ScatterSum", DeviceRange(0, n), AddToBins<Bins>{bins, to, x});
    Device().fence();
    return 0.0;
  };

  // Once, before the timing, for calls go on adding.
  add_all();
  bins.round_to(Device(), out);
  auto const results = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  std::vector<Exakt::LongAccumulator<double>> expected(static_cast<std::size_t>(std::min(addresses, 1000)));
  for (std::int64_t i = 0; i < n; ++i) {
    if (auto const bin = static_cast<std::size_t>(to_here(i)); bin < expected.size()) expected[bin] += x_here(i);
  }
  for (std::size_t bin = 0; bin < expected.size(); ++bin)
    require_bits("ScatterSum", results(bin), expected[bin].round());
  bins.clear();

  Comparison ways(n, sizeof(double) + sizeof(int), 0.0);
  ways.add_exact("ScatterSum", add_all);
  ways.add_plain("atomic_add", [=] {
    Kokkos::parallel_for("plain", DeviceRange(0, n), AddAtomically{out, to, x});
    Device().fence();
    return 0.0;
  });
  return ways;
}

constexpr std::int64_t many = std::int64_t{1} << 28;  // 2 GiB of doubles

void add_case(std::string const& name, std::int64_t n, std::function<Comparison(std::int64_t)> make,
              std::vector<Floor> floors = {}, double abscissa = 0) {
  cases().push_back({name, n, std::move(make), std::move(floors), abscissa});
}

Registration const on_devices([] {
  for (int const decades : {0, 10, 20, 30, 50, 90, 300, 600}) {
    std::string const range = ", range 1e" + std::to_string(decades);
    add_case(
        "device sum against range" + range, many, [=](std::int64_t n) { return compare_sums(log_uniform(n, decades)); },
        {{"plain", 0.95}}, decades);
    add_case(
        "device dot against range" + range, many,
        [=](std::int64_t n) { return compare_dots(log_uniform(n, decades, 1), log_uniform(n, decades, 2)); },
        {{"plain", 0.95}}, decades);
    add_case(
        "device nrm2 against range" + range, many,
        [=](std::int64_t n) { return compare_norms(log_uniform(n, decades)); }, {{"plain", 0.9}}, decades);
  }
  add_case("device sum, full double range", many, [](std::int64_t n) { return compare_sums(full_range(n)); },
           {{"plain", 0.6}});
  add_case("device transform_sum, range 1e10", many, [](std::int64_t n) { return compare_lambdas(log_uniform(n, 10)); },
           {{"plain", 0.95}});
  for (int exponent = 10; exponent <= 28; exponent += 2) {
    std::int64_t const n = std::int64_t{1} << exponent;
    add_case(
        "device sum against n, n = 2^" + std::to_string(exponent), n,
        [](std::int64_t entries) { return compare_sums(log_uniform(entries, 10)); }, {}, static_cast<double>(n));
  }
  for (int exponent = 0; exponent <= 20; exponent += 4) {
    int const addresses = 1 << exponent;
    std::vector<Floor> floors;
    if (exponent == 20) floors = {{"atomic_add", 0.5}};
    add_case(
        "device scatter-add against addresses, 2^" + std::to_string(exponent), std::int64_t{1} << 24,
        [=](std::int64_t n) { return compare_scatter(n, static_cast<int>(std::min<std::int64_t>(addresses, n))); },
        floors, addresses);
  }
});

}  // namespace
}  // namespace ExaktPerf
