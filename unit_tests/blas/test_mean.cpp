// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_ReductionContract.hpp"

namespace {

using namespace ExaktTest;

struct Mean {
  static constexpr int operands = 1;
  static constexpr bool signs_cancel = true;
  template <class... A>
  static auto call(A const&... arguments) {
    return Exakt::mean(arguments...);
  }
  template <class R, class X, class Y>
  static Expected<R> expected(std::vector<X> const& x, std::vector<Y> const&, Rounding mode = Rounding::to_nearest) {
    return exact_sum(x).template round_quotient<R>(std::uint64_t{x.size()}, mode);
  }
};

}  // namespace

EXAKT_TEST_REDUCTION(Mean, "mean")

TEST_CASE("the mean of nothing is NaN, of multivectors without rows too") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(same_bits(Exakt::mean(HostVector<double>()), nan));
  CHECK(same_bits(Exakt::mean(HostVector<float>()), static_cast<float>(nan)));
  auto const r = contiguous(std::vector<double>(3, 1.0));
  Exakt::mean(r, poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(0, 3));
  for (int j = 0; j < 3; ++j) CHECK(same_bits(r(j), nan));
}

TEST_CASE("the mean is the exact quotient: equal entries are their own mean, and ties of it go to even") {
  Random random(720);
  for (std::size_t const n : {std::size_t{1}, std::size_t{3}, std::size_t{10}, tile_size - 1, block_size + 11}) {
    double const x = random.value<double>(random.between(-1074, 1023));
    CHECK(same_bits(Exakt::mean(contiguous(std::vector<double>(n, x))), x));
  }
  // The mean lies half way between two numbers, or beside that point by next to nothing.
  for (std::size_t const n : {std::size_t{4}, tile_size, 4 * block_size})
    for (double const beside : {0.0, 0x1p-700, -0x1p-700}) {
      std::vector<double> x(n, 0.0);
      x[0] = static_cast<double>(n);
      x[n / 2] = static_cast<double>(n) * 0x1p-53;
      x[n - 1] = beside;
      CHECK(same_bits(Exakt::mean(contiguous(x)), beside > 0 ? 1 + 0x1p-52 : 1.0));
      x[0] *= 1 + 0x1p-52;
      CHECK(same_bits(Exakt::mean(contiguous(x)), beside < 0 ? 1 + 0x1p-52 : 1 + 0x1p-51));
    }
  double const max = std::numeric_limits<double>::max();
  CHECK(same_bits(Exakt::mean(contiguous(std::vector<double>(5, max))), max));
}
