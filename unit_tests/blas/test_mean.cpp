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

TEMPLATE_TEST_CASE("means of columns side by side: zeros, quotients that are exact, ties, and what no bound decides",
                   "", double, float) {
  using T = TestType;
  using Limits = std::numeric_limits<T>;
  Random random(721);
  T const half_ulp = Limits::epsilon() / 2, infinity = Limits::infinity();
  for (std::size_t const n : {2, 3, 64, 100, 511, 513, 1024, 4096}) {
    auto const size = static_cast<T>(n);
    std::vector<std::vector<T>> columns;
    auto const add = [&](std::vector<T> x) {
      x.resize(n, T(0));
      columns.push_back(x);
    };
    auto const all = [&](T value) { add(std::vector<T>(n, value)); };
    for (T const value : {T(0), -T(0), T(3), T(0.1), Limits::max(), -Limits::max(), Limits::denorm_min(),
                          -Limits::min(), infinity, Limits::quiet_NaN()})
      all(value);
    for (T const sign : {T(1), T(-1)}) {
      add({sign * size, sign * size * half_ulp});                                // of a power of two a tie, to even
      add({sign * size * (1 + 2 * half_ulp), sign * size * half_ulp});           // to even, away from zero
      add({sign * size, sign * size * half_ulp, sign * Limits::denorm_min()});   // above the tie
      add({sign * size, sign * size * half_ulp, -sign * Limits::denorm_min()});  // below the tie
      add({sign * Limits::max(), sign * infinity});
      add({sign * Limits::denorm_min() * size / 2});
    }
    add({infinity, -infinity});
    add({T(1), T(-1)});
    add({Limits::max(), T(1), -Limits::max()});
    // Zeros of either sign, and what begins with them: sums of the least numbers, of others, of what cancels.
    for (std::size_t const zeros : {std::size_t{15}, std::size_t{16}, std::size_t{17}, n / 2}) {
      T const least = Limits::denorm_min();
      for (T const value : {-T(0), least, 5 * least, Limits::min(), T(1), Limits::max(), infinity}) {
        std::vector<T> x(n, T(0));
        for (std::size_t i = 0; i < n; ++i) x[i] = i % 3 == 0 ? T(0) : -T(0);
        for (std::size_t i = zeros; i < n; ++i)
          x[i] = (i - zeros) % 4 == 0 ? value : (i - zeros) % 4 == 1 ? -value : x[i];
        add(x);
        x[n - 1] = n % 3 == 0 ? least : value;
        add(x);
      }
    }
    for (int k = 0; k < 20; ++k) {
      std::vector<T> x(n);
      for (T& entry : x)
        entry = k % 2 == 0 ? static_cast<T>(random.between(-9, 9)) : random.value<T>(random.between(-40, 40));
      columns.push_back(x);
    }
    auto const r = poisoned<HostVector<T>>(columns.size());
    for_each_host_space([&](auto space) {
      Exakt::mean(space, r, whole_matrix<Kokkos::LayoutRight>(columns, n));
      for (std::size_t j = 0; j < columns.size(); ++j) {
        INFO(n << " rows, column " << j);
        EXAKT_CHECK_BITS(r(j), Mean::expected<T>(columns[j], columns[j]));
      }
    });
  }
}
