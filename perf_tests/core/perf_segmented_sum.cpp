// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Data.hpp"
#include "ExaktPerf_Matrices.hpp"
#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Suite.hpp"

#include <Exakt_Accumulator.hpp>
#include <Exakt_segmented_sum.hpp>

#include <algorithm>

namespace ExaktPerf {
namespace {

using Offsets = Kokkos::View<std::int64_t*, Kokkos::HostSpace>;

/// Segments of about `length` terms: of half as many to one and a half times as many.
Offsets make_offsets(std::int64_t n, std::int64_t length) {
  std::size_t const segments = static_cast<std::size_t>(std::max<std::int64_t>(n / length, 1));
  Offsets const offsets("offsets", segments + 1);
  std::uint64_t state = 1;
  for (std::size_t s = 0; s < segments; ++s) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::int64_t const jitter = static_cast<std::int64_t>(state >> 33) % (length + 1) - length / 2;
    offsets(s + 1) = std::min(n, std::max(offsets(s), static_cast<std::int64_t>(s + 1) * length + jitter / 2));
  }
  return offsets;
}

Comparison compare(Data const& x, std::int64_t length) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  Offsets const offsets = make_offsets(n, length);
  auto const segments = static_cast<std::int64_t>(offsets.extent(0)) - 1;
  Data const r("r", static_cast<std::size_t>(segments));
  auto const check = [=](std::string const& way) {
    for_samples(r.extent(0), 200, [&](std::size_t s) {
      Exakt::SumAccumulator<double> sum;
      sum.add(x.data() + offsets(s), static_cast<std::size_t>(offsets(s + 1) - offsets(s)));
      require_bits(way, r(s), sum.round());
    });
  };
  Comparison ways(n, sizeof(double), check);
  ways.add_exact("Exakt::segmented_sum", [=] {
    Exakt::segmented_sum(offsets, x, r);
    return 0.0;
  });
  ways.add_plain("plain", [=] {
    Kokkos::parallel_for(Range(0, segments), [=](std::int64_t s) {
      double sum = 0;
      for (std::int64_t i = offsets(s); i < offsets(s + 1); ++i) sum += x(static_cast<std::size_t>(i));
      r(static_cast<std::size_t>(s)) = sum;
    });
    return 0.0;
  });
  ways.add_plain("vectorized", [=] {
    Kokkos::parallel_for(Range(0, segments), [=](std::int64_t s) {
      double sum = 0;
      add_vectorized(offsets(s), offsets(s + 1), sum, [=](auto& partial, std::int64_t i) {
        partial += load<std::remove_reference_t<decltype(partial)>>(x.data() + i);
      });
      r(static_cast<std::size_t>(s)) = sum;
    });
    return 0.0;
  });
  return ways;
}

void add_case(std::int64_t n, std::int64_t length, std::vector<Floor> floors = {}) {
  cases().push_back({"segmented_sum, n = " + short_form(n) + ", segments of " + std::to_string(length), n,
                     [length](std::int64_t entries) { return compare(log_uniform(entries, 2), length); },
                     std::move(floors)});
}

// At most 3, 1.7 and 1.2 times the plain way.
Registration const sums([] {
  for (std::int64_t const n : {200'000, 30'000'000}) {
    add_case(n, 10, {{"plain", 1 / 3.0}});
    add_case(n, 100, {{"plain", 1 / 1.7}});
    add_case(n, 1000, {{"plain", 1 / 1.2}});
  }
});

}  // namespace
}  // namespace ExaktPerf
