// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktScatter.hpp>

#include "ExaktTest_Device.hpp"

// Scatter-add in the default execution space.

namespace {

using namespace ExaktTest;

/// The terms c, c + 512, ... of all, as one thread would take them.
struct AddThroughCache {
  static constexpr int threads = 512;
  Exakt::ScatterSum<double, Device> bins;
  DeviceVector<double> x;
  KOKKOS_FUNCTION void operator()(int c) const {
    Exakt::ScatterCache cache(bins);
    for (int i = c; i < static_cast<int>(x.extent(0)); i += threads) {
      cache.add(i % 3, x(i));
      cache.add_product(3, x(i), x(i));
    }
  }
};

struct AddToBins {
  Exakt::ScatterSum<double, Device> bins;
  DeviceVector<double> x;
  KOKKOS_FUNCTION void operator()(int i) const {
    bins.add(i % 3, x(i));
    bins.add_product(3, x(i), x(i));
  }
};

struct AddForces {
  Exakt::ScatterSum<double* [3], Device> forces;
  DeviceVector<double> x;
  KOKKOS_FUNCTION void operator()(int i) const {
    forces.add(i % 7, i % 3, x(i));
    forces.subtract((i + 1) % 7, i % 3, x(i));
  }
};

struct Assemble {
  Exakt::CrsAssembly<double, Device> sums;
  DeviceVector<double> x;
  KOKKOS_FUNCTION void operator()(int i) const { sums.add(i % 10, i % 10 + i % 3, x(i)); }
};

}  // namespace

TEST_CASE("device: forces and a sparse matrix") {
  Random random(5303);
  auto const entries = numbers(random, 30'000, 30);
  auto const x = on_device(entries);
  Exakt::ScatterSum<double* [3], Device> const forces("forces", 7);
  Kokkos::View<double* [3], Device> const sums("sums", 7);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(0, 30'000), AddForces{forces, x});
  forces.add_to(sums);
  forces.add_to(sums);
  auto const seen = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  std::vector<Exact> exact(21), assembled(30);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    exact[3 * (i % 7) + i % 3].add(entries[i]);
    exact[3 * ((i + 1) % 7) + i % 3].subtract(entries[i]);
    assembled[3 * (i % 10) + i % 3].add(entries[i]);
  }
  for (std::size_t k = 0; k < 21; ++k) {
    double const once = exact[k].round<double>().value;
    EXAKT_CHECK_BITS(seen(k / 3, k % 3), Exact(exact[k]).add(once).round<double>());
    EXAKT_CHECK_BITS(forces.round(k / 3, k % 3), exact[k].round<double>());
  }

  std::vector<int> map, columns;
  for (int i = 0; i <= 10; ++i) map.push_back(3 * i);
  for (int k = 0; k < 30; ++k) columns.push_back(k / 3 + k % 3);
  Exakt::CrsAssembly<double, Device> const matrix(on_device(map), on_device(columns), "matrix", 4096);
  DeviceVector<double> const values("values", 30);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(0, 30'000), Assemble{matrix, x});
  matrix.round_to(values);
  auto const rounded = on_host(values);
  for (std::size_t k = 0; k < 30; ++k) EXAKT_CHECK_BITS(rounded[k], assembled[k].round<double>());
}

TEST_CASE("device: additions to a few bins from all threads at once") {
  Random random(5301);
  auto const entries = numbers(random, 30'000, 60);
  Exakt::ScatterSum<double, Device> const bins("bins", 4);
  DeviceVector<double> const sums("sums", 4);
  std::vector<double> terms[3];
  for (std::size_t i = 0; i < entries.size(); ++i) terms[i % 3].push_back(entries[i]);
  auto const check = [&] {
    bins.round_to(sums);
    auto const seen = on_host(sums);
    for (std::size_t bin = 0; bin < 3; ++bin) EXAKT_CHECK_BITS(seen[bin], exact_sum(terms[bin]).round<double>());
    EXAKT_CHECK_BITS(seen[3], exact_dot(entries, entries).round<double>());
    EXAKT_CHECK_BITS(bins.round(3), exact_dot(entries, entries).round<double>());
  };
  auto const x = on_device(entries);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(0, 30'000), AddToBins{bins, x});
  check();
  bins.clear();
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(0, AddThroughCache::threads), AddThroughCache{bins, x});
  check();
}

TEST_CASE("device: a histogram whose edges are a row of a matrix") {
  auto const edges =
      Kokkos::subview(on_device<Kokkos::LayoutLeft>(std::vector<double>{0, 7, 1, 7, 3, 7}, 2), 0, Kokkos::ALL);
  auto const x = on_device(std::vector<double>{2, 0.5, 3, -1, 0, 1});
  auto const weights = on_device(std::vector<double>{1e300, 1, -1e300, 5, 0x1p-60, 0x1p-60});
  DeviceVector<double> const sums("sums", 2);
  Exakt::histogram(x, weights, edges, sums);
  auto const seen = on_host(sums);
  EXAKT_CHECK_BITS(seen[0], exact_sum(std::vector<double>{1, 0x1p-60}).round<double>());
  EXAKT_CHECK_BITS(seen[1], Expected<double>{0x1p-60});
}

TEST_CASE("device: ordered additions give the bits of the host") {
  Random random(5302);
  auto const entries = numbers(random, 5'000, 20);
  std::vector<int> indices(entries.size());
  for (int& index : indices) index = random.between(0, 49);
  DeviceVector<double> const out("out", 50);
  Exakt::ordered_scatter_add(on_device(indices), on_device(entries), out, 256);
  Kokkos::View<double*, Kokkos::HostSpace> const values("values", entries.size()), expected("expected", 50);
  Kokkos::View<int*, Kokkos::HostSpace> const places("places", entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    values(i) = entries[i];
    places(i) = indices[i];
  }
  Exakt::ordered_scatter_add(Kokkos::DefaultHostExecutionSpace(), places, values, expected, 256);
  auto const seen = on_host(out);
  for (std::size_t j = 0; j < 50; ++j) EXAKT_CHECK_BITS(seen[j], expected(j));
}
