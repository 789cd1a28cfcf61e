// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Data.hpp"
#include "ExaktPerf_Matrices.hpp"
#include "ExaktPerf_Suite.hpp"

#include <Exakt_Accumulator.hpp>
#include <Exakt_sum_by_key.hpp>

#include <algorithm>
#include <vector>

namespace ExaktPerf {
namespace {

using Keys = Kokkos::View<int*, Kokkos::HostSpace>;

/// The same algorithm, with plain sums in double.
struct PlainSums {
  std::vector<std::size_t> const& runs;
  double const* x;
  Data sums;
  void operator()(std::int64_t k) const {
    double sum = 0;
    for (std::size_t i = runs[static_cast<std::size_t>(k)]; i < runs[static_cast<std::size_t>(k) + 1]; ++i) sum += x[i];
    sums(static_cast<std::size_t>(k)) = sum;
  }
};

void plain_sums(Keys const& keys, Data const& x, Keys const& unique_keys, Data const& sums) {
  Space const space;
  auto const range = Exakt::Impl::range_of_keys(space, keys);
  Exakt::Impl::SortedTerms<std::uint32_t, double> const terms(space, keys, range, x);
  auto const offsets = terms.offsets();
  auto const runs = Exakt::Impl::runs_of(space, offsets);
  auto const count = static_cast<std::int64_t>(runs.size()) - 1;
  for (std::size_t k = 0; k + 1 < runs.size(); ++k) unique_keys(k) = range.least + static_cast<int>(offsets(runs[k]));
  Kokkos::parallel_for(Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(0, count),
                       PlainSums{runs, terms.values().data(), sums});
}

Comparison compare(Data const& x, std::int64_t number_of_keys) {
  auto const n = x.extent(0);
  Keys const keys("keys", n), unique_keys("unique_keys", n);
  Data const sums("sums", n);
  // Keys are used as indices below, also in a dry run of few terms.
  auto const keys_in_use = std::min<std::uint64_t>(static_cast<std::uint64_t>(number_of_keys), n);
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    keys(i) = static_cast<int>((state >> 33) % keys_in_use);
  }
  auto const check = [=](std::string const& way) {
    for_samples(std::min<std::size_t>(n, 1000) / 100, 3, [&](std::size_t k) {
      Exakt::SumAccumulator<double> sum;
      for (std::size_t i = 0; i < n; ++i)
        if (keys(i) == unique_keys(k)) sum += x(i);
      require_bits(way, sums(k), sum.round());
    });
  };
  Comparison ways(static_cast<std::int64_t>(n), sizeof(double) + sizeof(int), check);
  ways.add_exact("Exakt::sum_by_key", [=] {
    Exakt::sum_by_key(keys, x, unique_keys, sums);
    return 0.0;
  });
  ways.add_plain("sorted, with plain sums", [=] {
    plain_sums(keys, x, unique_keys, sums);
    return 0.0;
  });
  // Keys that are indices, as few programs have them: one addition for each term.
  ways.add_plain("plain additions in place", [=] {
    std::fill_n(sums.data(), keys_in_use, 0.0);
    for (std::size_t i = 0; i < n; ++i) sums(static_cast<std::size_t>(keys(i))) += x(i);
    return 0.0;
  });
  return ways;
}

// At most the time of sorting, with plain sums. Additions in place wait for each other where keys are few, else for memory.
Registration const sums([] {
  for (std::int64_t const number_of_keys : {10, 10'000, 1'000'000})
    cases().push_back({"sum_by_key, n = 1e7, " + short_form(number_of_keys) + " keys",
                       10'000'000,
                       [number_of_keys](std::int64_t n) { return compare(log_uniform(n, 10), number_of_keys); },
                       {{"sorted, with plain sums", 1}, {"plain additions in place", 0.5}}});
});

}  // namespace
}  // namespace ExaktPerf
