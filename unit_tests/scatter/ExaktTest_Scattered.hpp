// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_SCATTERED_HPP
#define EXAKTTEST_SCATTERED_HPP

/// \file
/// \brief The cases of other accumulators, a bin for each.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Cases.hpp"
#include "ExaktTest_Catch.hpp"

namespace ExaktTest {

/// Terms of many cases, each case with a bin of its own, in random order.
template <class Case>
struct Scattered {
  std::vector<int> bin;
  std::vector<int> position;  // within the case
  std::vector<Case> const& cases;

  Scattered(std::vector<Case> const& all, Random& random) : cases(all) {
    std::vector<std::uint64_t> order;
    for (std::size_t c = 0; c < all.size(); ++c)
      for (std::size_t k = 0; k < all[c].terms.size(); ++k) order.push_back(c << 32 | k);
    random.shuffle(order);
    set(order);
  }

  /// Each bin in turn.
  void sort() {
    std::vector<std::uint64_t> order;
    for (std::size_t j = 0; j < bin.size(); ++j)
      order.push_back(static_cast<std::uint64_t>(bin[j]) << 32 | static_cast<std::uint64_t>(position[j]));
    std::sort(order.begin(), order.end());
    set(order);
  }

  int size() const { return static_cast<int>(bin.size()); }

 private:
  void set(std::vector<std::uint64_t> const& order) {
    bin.clear();
    position.clear();
    for (auto const entry : order) {
      bin.push_back(static_cast<int>(entry >> 32));
      position.push_back(static_cast<int>(entry & 0xffffffff));
    }
  }
};

template <class Bins, class Case>
void check_all_bins(Bins const& bins, std::vector<Case> const& cases) {
  using T = typename Bins::value_type;
  Kokkos::View<T*, Kokkos::HostSpace> const rounded("rounded", cases.size());
  Kokkos::View<float*, Kokkos::HostSpace> const narrow("narrow", cases.size());
  for (int mode = 0; mode < 4; ++mode) {
    bins.round_to(rounded, every_rounding[mode]);
    bins.round_to(narrow, every_rounding[mode]);
    for (std::size_t c = 0; c < cases.size(); ++c) {
      INFO(cases[c].family << ", " << cases[c].terms.size() << " terms");
      EXAKT_CHECK_BITS(rounded(c), Expected<T>{cases[c].expected.round[mode]});
      EXAKT_CHECK_BITS(narrow(c), Expected<float>{cases[c].expected.round_to_float[mode]});
    }
  }
  for (std::size_t c = 0; c < cases.size(); c += 7) {
    EXAKT_CHECK_BITS(bins.round(c, Rounding::upward), Expected<T>{cases[c].expected.round[2]});
    auto const sum = bins.accumulator(c);
    EXAKT_CHECK_BITS(sum.round_quotient(cases[c].terms.size()), Expected<T>{cases[c].expected.mean[0]});
    EXAKT_CHECK(sum.is_nan() == cases[c].expected.nan);
  }
}

}  // namespace ExaktTest

#endif
