// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief Figure 2 of Defour and Collange: additions to a number of addresses, from one, which is a sum, to a million.

#include "ExaktPerf_Data.hpp"
#include "ExaktPerf_Suite.hpp"

#include <ExaktScatter.hpp>
#include <Exakt_Accumulator.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace ExaktPerf {
namespace {

using Addresses = Kokkos::View<int*, Kokkos::HostSpace>;

Addresses random_addresses(std::int64_t n, std::int64_t addresses) {
  Addresses result("addresses", static_cast<std::size_t>(n));
  std::uint64_t state = 1;
  for (std::int64_t j = 0; j < n; ++j) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    result(static_cast<std::size_t>(j)) = static_cast<int>((state >> 33) % static_cast<std::uint64_t>(addresses));
  }
  return result;
}

template <class T>
Kokkos::View<T*, Kokkos::HostSpace> converted(Data const& x) {
  Kokkos::View<T*, Kokkos::HostSpace> result("x", x.extent(0));
  for (std::size_t j = 0; j < x.extent(0); ++j) result(j) = static_cast<T>(x(j));
  return result;
}

template <class Bins, class X>
void add_all(Bins const& bins, Addresses const& to, X const& x) {
  Kokkos::parallel_for(
      Range(0, static_cast<std::int64_t>(x.extent(0))), KOKKOS_LAMBDA(std::int64_t j) { bins.add(to(j), x(j)); });
  Kokkos::fence();
}

/// The same through caches, one for some thousand terms.
template <class Bins, class X>
void add_all_cached(Bins const& bins, Addresses const& to, X const& x) {
  constexpr std::int64_t chunk = 4096;
  auto const n = static_cast<std::int64_t>(x.extent(0));
  Kokkos::parallel_for(
      Range(0, (n + chunk - 1) / chunk), KOKKOS_LAMBDA(std::int64_t c) {
        Exakt::ScatterCache cache(bins);
        std::int64_t const begin = c * chunk, end = n - begin < chunk ? n : begin + chunk;
        for (std::int64_t j = begin; j < end; ++j) cache.add(to(j), x(j));
      });
  Kokkos::fence();
}

/// Every bin has the bits of a long accumulator of its own. Done once, before the timing, for calls go on adding.
template <class Bins, class X, class AddAll>
void require_bits(Bins const& bins, Addresses const& to, X const& x, AddAll const& add_all) {
  using T = typename Bins::value_type;
  std::vector<Exakt::LongAccumulator<T>> expected(static_cast<std::size_t>(bins.size()));
  for (std::size_t j = 0; j < x.extent(0); ++j) expected[static_cast<std::size_t>(to(j))] += x(j);
  Kokkos::View<T*, Kokkos::HostSpace> const rounded("rounded", expected.size());
  add_all();
  bins.round_to(rounded);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    T const wanted = expected[i].round();
    if (std::memcmp(&wanted, &rounded(i), sizeof(T)) != 0)
      throw std::runtime_error("bin " + std::to_string(i) + " of " + bins.name() + " has other bits than it should");
  }
  bins.clear();
}

template <class Bins, class X>
void add_way(Comparison& ways, Bins const& bins, Addresses const& to, X const& x) {
  auto const add = [=] {
    add_all(bins, to, x);
    return 0.0;
  };
  require_bits(bins, to, x, add);
  ways.add_exact(bins.name(), add);
}

template <class Bins, class X>
void add_cached_way(Comparison& ways, Bins const& bins, Addresses const& to, X const& x) {
  auto const add = [=] {
    add_all_cached(bins, to, x);
    return 0.0;
  };
  require_bits(bins, to, x, add);
  ways.add_exact(bins.name(), add);
}

template <class T>
void add_atomic_way(Comparison& ways, Addresses const& to, Kokkos::View<T*, Kokkos::HostSpace> const& x,
                    std::int64_t addresses) {
  Kokkos::View<T*, Kokkos::HostSpace> const out("out", static_cast<std::size_t>(addresses));
  ways.add_plain("atomic_add", [=] {
    Kokkos::parallel_for(
        Range(0, static_cast<std::int64_t>(x.extent(0))),
        KOKKOS_LAMBDA(std::int64_t j) { Kokkos::atomic_add(&out(to(j)), x(j)); });
    Kokkos::fence();
    return 0.0;
  });
}

/// One thread needs no atomics.
template <class T>
void add_plain_loop(Comparison& ways, Addresses const& to, Kokkos::View<T*, Kokkos::HostSpace> const& x,
                    std::int64_t addresses) {
  Kokkos::View<T*, Kokkos::HostSpace> const out("out", static_cast<std::size_t>(addresses));
  ways.add_plain("one plain loop", [=] {
    for (std::size_t j = 0; j < x.extent(0); ++j) out(to(j)) += x(j);
    return 0.0;
  });
}

constexpr std::int64_t block_size = 512;  // as in the paper

/// \param sorted  Each address in turn.
Comparison compare_doubles(std::int64_t n, std::int64_t addresses, bool sorted) {
  Data const x = log_uniform(n, 10);
  Addresses const to = random_addresses(n, addresses);
  if (sorted) std::sort(to.data(), to.data() + n);
  auto const range = Exakt::exponent_range(x);
  Comparison ways(n, sizeof(double) + sizeof(int), 0.0);
  add_way(ways, Exakt::ScatterSum<double, Space>("ScatterSum", addresses), to, x);
  add_cached_way(ways, Exakt::ScatterSum<double, Space>("ScatterCache", addresses), to, x);
  add_way(ways, Exakt::ScatterSum<double, Space>("ScatterSum, bounded", addresses, range), to, x);
  add_way(ways, Exakt::ScatterSum<double, Space, 8>("ScatterSum, bounded, radix 8", addresses, range), to, x);
  add_atomic_way(ways, to, x, addresses);
  add_plain_loop(ways, to, x, addresses);
  Data const out("out", static_cast<std::size_t>(addresses));
  ways.add_plain("ordered", [=] {
    Exakt::ordered_scatter_add(Space(), to, x, out, block_size);
    return 0.0;
  });
  return ways;
}

Comparison compare_floats(std::int64_t n, std::int64_t addresses, bool sorted) {
  auto const x = converted<float>(log_uniform(n, 10));
  Addresses const to = random_addresses(n, addresses);
  if (sorted) std::sort(to.data(), to.data() + n);
  Comparison ways(n, sizeof(float) + sizeof(int), 0.0);
  add_way(ways, Exakt::ScatterSum<float, Space>("ScatterSum", addresses), to, x);
  add_cached_way(ways, Exakt::ScatterSum<float, Space>("ScatterCache", addresses), to, x);
  add_atomic_way(ways, to, x, addresses);
  add_plain_loop(ways, to, x, addresses);
  return ways;
}

Registration const scatter([] {
  constexpr std::int64_t n = 1'000'000;
  constexpr double papers_worst = 1.0 / 21;
  for (std::int64_t const addresses : {1, 4, 16, 64, 256, 1024, 4096, 16384, 131072, 1'000'000}) {
    std::vector<Floor> floors;
    if (addresses == 16384) floors.push_back({"atomic_add", 0.3});
    if (addresses > 16384) floors.push_back({"atomic_add", papers_worst});
    auto const add = [&](std::string const& name, bool sorted, auto const& compare) {
      cases().push_back({.name = name + " against addresses, addresses = " + std::to_string(addresses),
                         .n = n,
                         .make =
                             [=](std::int64_t entries) {
                               // A dry run has few entries, and should not fill gigabytes with nothing.
                               return compare(entries, std::min(addresses, 100 * entries), sorted);
                             },
                         .floors = sorted ? std::vector<Floor>() : floors,
                         .abscissa = static_cast<double>(addresses)});
    };
    add("scatter-add of doubles", false, compare_doubles);
    add("scatter-add of floats", false, compare_floats);
    add("scatter-add of doubles, sorted,", true, compare_doubles);
  }
});

}  // namespace
}  // namespace ExaktPerf
