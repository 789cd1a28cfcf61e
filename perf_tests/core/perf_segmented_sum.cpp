// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Data.hpp"
#include "ExaktPerf_Matrices.hpp"
#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Suite.hpp"

#include <Exakt_Accumulator.hpp>
#include <Exakt_segmented_sum.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace ExaktPerf {
namespace {

using Offsets = Kokkos::View<std::int64_t*, Kokkos::HostSpace>;

/// Segments of about `length` terms: of half as many to one and a half times as many.
Offsets make_offsets(std::int64_t n, std::int64_t length, std::uint64_t seed) {
  std::size_t const segments = static_cast<std::size_t>(std::max<std::int64_t>(n / length, 1));
  Offsets const offsets("offsets", segments + 1);
  std::uint64_t state = seed;
  for (std::size_t s = 0; s < segments; ++s) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::int64_t const jitter = static_cast<std::int64_t>(state >> 33) % (length + 1) - length / 2;
    offsets(s + 1) = std::min(n, std::max(offsets(s), static_cast<std::int64_t>(s + 1) * length + jitter / 2));
  }
  return offsets;
}

/// \brief Several sets of segments, in turns.
///
/// Processors learn where the loops over ten thousand short segments end, if these are the same ones call after call: a
/// plain loop then runs ten times as fast as over segments that it has not seen.
class OffsetsInTurns {
 public:
  OffsetsInTurns(std::int64_t n, std::int64_t length) : m_turn(std::make_shared<std::size_t>(0)) {
    constexpr std::int64_t unlearnable = 2'000'000;
    for (std::int64_t set = 0; set == 0 || set * n < unlearnable; ++set)
      m_sets.push_back(make_offsets(n, length, static_cast<std::uint64_t>(set + 1)));
  }
  Offsets const& last() const { return m_sets[*m_turn]; }
  Offsets const& next() const {
    *m_turn = (*m_turn + 1) % m_sets.size();
    return last();
  }

 private:
  std::vector<Offsets> m_sets;
  std::shared_ptr<std::size_t> m_turn;
};

Comparison compare(Data const& x, std::int64_t length) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  OffsetsInTurns const all_offsets(n, length);
  auto const segments = static_cast<std::int64_t>(all_offsets.last().extent(0)) - 1;
  Data const r("r", static_cast<std::size_t>(segments));
  auto const check = [=](std::string const& way) {
    Offsets const& offsets = all_offsets.last();
    for_samples(r.extent(0), 200, [&](std::size_t s) {
      Exakt::SumAccumulator<double> sum;
      sum.add(x.data() + offsets(s), static_cast<std::size_t>(offsets(s + 1) - offsets(s)));
      require_bits(way, r(s), sum.round());
    });
  };
  Comparison ways(n, sizeof(double), check);
  ways.add_exact("Exakt::segmented_sum", [=] {
    Exakt::segmented_sum(all_offsets.next(), x, r);
    return 0.0;
  });
  ways.add_plain("plain", [=] {
    Offsets const offsets = all_offsets.next();
    Kokkos::parallel_for(Range(0, segments), [=](std::int64_t s) {
      double sum = 0;
      for (std::int64_t i = offsets(s); i < offsets(s + 1); ++i) sum += x(static_cast<std::size_t>(i));
      r(static_cast<std::size_t>(s)) = sum;
    });
    return 0.0;
  });
  ways.add_plain("vectorized", [=] {
    Offsets const offsets = all_offsets.next();
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
