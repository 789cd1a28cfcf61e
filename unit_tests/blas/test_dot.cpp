// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_HalfFormats.hpp"
#include "ExaktTest_ReductionContract.hpp"

namespace {

using namespace ExaktTest;

struct Dot {
  static constexpr int operands = 2;
  template <class... A>
  static auto call(A const&... arguments) {
    return Exakt::dot(arguments...);
  }
  template <class R, class X, class Y>
  static Expected<R> expected(std::vector<X> const& x, std::vector<Y> const& y, Rounding mode = Rounding::to_nearest) {
    Exact sum;
    for (std::size_t i = 0; i < x.size(); ++i) sum.add_product(static_cast<double>(x[i]), static_cast<double>(y[i]));
    return sum.template round<R>(mode);
  }
};

/// The same entries in both columns.
template <class T>
auto row_major(std::vector<T> const& x) {
  HostMatrix<T, Kokkos::LayoutRight> const matrix("matrix", x.size(), 2);
  for (std::size_t i = 0; i < x.size(); ++i) matrix(i, 0) = matrix(i, 1) = x[i];
  return matrix;
}

std::vector<float> narrowed(std::vector<double> const& x) { return {x.begin(), x.end()}; }

}  // namespace

EXAKT_TEST_REDUCTION(Dot, "dot")

TEST_CASE("dot of float and double is the exact sum of the products, rounded once to double") {
  Random random(740);
  CHECK(std::is_same_v<decltype(Exakt::dot(HostVector<float>(), HostVector<float const>())), float>);
  CHECK(std::is_same_v<decltype(Exakt::dot(HostVector<float>(), HostVector<double>())), double>);
  CHECK(std::is_same_v<decltype(Exakt::dot(HostVector<double const>(), HostVector<float>())), double>);
  auto cases = cases_of<Dot, double>(random, 20 * case_factor(), 5 * case_factor());
  for (std::size_t const n : {tile_size, block_size + 9, 3 * block_size + 1})
    cases.push_back({"moderate range", random_terms<double>(random, n)});
  for (auto const& [family, terms] : cases) {
    INFO(family << ", " << terms.size() << " products");
    auto const x = narrowed(terms.x);
    auto const expected = Dot::expected<double>(x, terms.y);
    Kokkos::DefaultHostExecutionSpace const space;
    EXAKT_CHECK_BITS(Exakt::dot(space, borrowed(x), borrowed(terms.y)), expected);
    EXAKT_CHECK_BITS(Exakt::dot(borrowed(terms.y), borrowed(x)), expected);
    EXAKT_CHECK_BITS(Exakt::dot(strided(x), borrowed(terms.y)), expected);
    auto const r = poisoned<HostScalar<float>>();
    Exakt::dot(r, borrowed(x), strided(terms.y));
    EXAKT_CHECK_BITS(r(), Dot::expected<float>(x, terms.y));
  }
}

TEST_CASE("dot of half precision and another type is rounded once, to the wider one") {
  using HalfFormats::DeviceHalf;
  std::vector<DeviceHalf> const one{1};
  EXAKT_CHECK_BITS(Exakt::dot(borrowed(one), borrowed(std::vector<double>{1e5})), 1e5);
  HalfFormats::for_each_mixed_pair([]<class X, class Y, class R>(X, Y, R) {
    for (std::size_t const n : {std::size_t{1}, std::size_t{100}, tile_size + 3, 3 * block_size + 1}) {
      HalfFormats::MixedFactors<X, Y> const factors(static_cast<int>(n));
      auto const x = borrowed(factors.x);
      auto const y = borrowed(factors.y);
      CHECK(std::is_same_v<decltype(Exakt::dot(x, y)), R>);
      auto const expected = Dot::expected<R>(factors.x, factors.y);
      EXAKT_CHECK_BITS(Exakt::dot(x, y), expected);
      EXAKT_CHECK_BITS(Exakt::dot(strided(factors.y), x), expected);
      EXAKT_CHECK_BITS(Exakt::dot(x, y, Rounding::upward), Dot::expected<R>(factors.x, factors.y, Rounding::upward));
      // Pairs that cancel but for the last one.
      auto both_x = factors.x;
      auto both_y = factors.y;
      both_x.insert(both_x.end(), factors.x.begin(), factors.x.end());
      for (Y const entry : factors.y) both_y.push_back(Exakt::Impl::negated(entry));
      both_y.back() = Y(1);
      EXAKT_CHECK_BITS(Exakt::dot(borrowed(both_x), borrowed(both_y)), Dot::expected<R>(both_x, both_y));
      // Columns of which the entries of a row are next to each other are gathered.
      auto const r = poisoned<HostVector<R>>(2);
      Exakt::dot(r, row_major(factors.x), row_major(factors.y));
      for (std::size_t j : {0, 1}) EXAKT_CHECK_BITS(r(j), expected);
    }
  });
  std::vector<Kokkos::complex<double>> const i{{0, 1e5}};
  auto const parts = Exakt::dot(borrowed(one), borrowed(i));
  CHECK(std::is_same_v<decltype(parts), Kokkos::complex<double> const>);
  EXAKT_CHECK_BITS(parts.imag(), 1e5);
}

TEST_CASE("0 * inf among the products is NaN, and products that overflow cancel") {
  double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN(),
               max = std::numeric_limits<double>::max();
  auto const dot = [](std::vector<double> const& x, std::vector<double> const& y) {
    return Exakt::dot(contiguous(x), contiguous(y));
  };
  CHECK(same_bits(dot({0, 1}, {infinity, 1}), nan));
  CHECK(same_bits(dot({-infinity, 1}, {-0.0, 1}), nan));
  CHECK(same_bits(dot({infinity, 1}, {-2, 1}), -infinity));
  CHECK(same_bits(dot({infinity, infinity}, {-2, 1}), nan));
  CHECK(same_bits(dot({0, 1}, {nan, 1}), nan));
  CHECK(same_bits(dot({max, max, 3}, {max, -max, 0.5}), 1.5));
  CHECK(same_bits(dot({max, max}, {max, -1}), infinity));
  CHECK(same_bits(dot({0x1p-1074, 0x1p-1074}, {0.5, 0.5}), 0x1p-1074));
  CHECK(same_bits(dot({0x1p-1074, 0x1p-1074}, {0x1p-1074, 0x1p-1074}), 0.0));
  CHECK(same_bits(dot({-0x1p-1074}, {0x1p-1074}), -0.0));
  CHECK(same_bits(dot({-0.0}, {1}), 0.0));
  for (std::size_t const n : {tile_size - 1, tile_size + 1, block_size + 1}) {
    std::vector<double> x(n, 1.0), y(n, 1.0);
    x[n - 1] = 0;
    y[n - 1] = -infinity;
    CHECK(same_bits(dot(x, y), nan));
    x[n - 1] = 1;
    CHECK(same_bits(dot(x, y), -infinity));
  }
}

TEST_CASE("products of zeros and numbers, one of infinity, and one that underflows") {
  Random random(741);
  for (std::size_t const n : {1, 9, 100, 129, 700, 5000}) {
    std::vector<double> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) {
      double const zero = random.one_of(0.0, -0.0), other = random.value<double>(random.between(-20, 20));
      x[i] = random.coin() ? zero : other;
      y[i] = x[i] == 0 ? other : zero;
    }
    auto const check = [&] {
      INFO(n << " products");
      EXAKT_CHECK_BITS(Exakt::dot(contiguous(x), contiguous(y)), Dot::expected<double>(x, y));
      EXAKT_CHECK_BITS(Exakt::dot(strided(x), contiguous(y)), Dot::expected<double>(x, y));
      EXAKT_CHECK_BITS(Exakt::dot(contiguous(narrowed(x)), contiguous(y)), Dot::expected<double>(narrowed(x), y));
      EXAKT_CHECK_BITS(Exakt::dot(contiguous(x), contiguous(y), Rounding::downward),
                       Dot::expected<double>(x, y, Rounding::downward));
    };
    check();
    std::size_t const place = random.between<std::size_t>(0, n - 1);
    double const before[] = {x[place], y[place]};
    for (auto const& [a, b] : {std::pair{0x1p-100, -0x1p-1000},
                               {0x1p-600, 0x1p-600},
                               {0.0, HUGE_VAL},
                               {-HUGE_VAL, -0.0},
                               {HUGE_VAL, 1.0},
                               {0.0, std::nan("")}}) {
      x[place] = a;
      y[place] = b;
      check();
    }
    x[place] = before[0];
    y[place] = before[1];
  }
}

TEST_CASE("products of factors that are 2^500 times smaller than others decide how small products round") {
  // The sum is below 2^-900, so that factors are scaled by the largest ones: 2^-500, and 2^-60.
  Random random(741);
  constexpr std::size_t n = 400;
  for (std::uint64_t k = 0; k < 2000 * case_factor(); ++k) {
    std::vector<double> x(n, 0.0), y(n, 0.0);
    auto const set = [&](double a, double b) {
      auto const i = random.between<std::size_t>(0, n - 1);
      if (x[i] != 0) return;
      x[i] = k % 2 == 0 ? a : b;
      y[i] = k % 2 == 0 ? b : a;
    };
    set(0x1p-500, 0x1p-510);  // 2^-1010, whose last bit is 2^-1062
    int const small = random.between(1, 4);
    for (int j = 0; j < small; ++j) {
      int const distance = random.between(497, 503);
      double const digits = 1 + random.between(0, 7) / 8.0, sign = random.coin() ? 1 : -1;
      set(sign * digits * std::ldexp(1.0, -500 - distance), std::ldexp(1.0, distance - 562));
    }
    INFO(k);
    EXAKT_CHECK_BITS(Exakt::dot(contiguous(x), contiguous(y)), Dot::expected<double>(x, y));
  }
}

TEST_CASE("dot refuses operands of different shapes, by name and shape") {
  auto const refusal_for = [](std::size_t n, std::size_t m) {
    return refusal_of([&] { Exakt::dot(poisoned<HostVector<double>>(n), poisoned<HostVector<float>>(m)); });
  };
  CHECK(refusal_for(3, 1) == "Exakt::dot: x is 3 entries, y is 1 entry; they must be the same");
  CHECK(refusal_for(0, 2) == "Exakt::dot: x is 0 entries, y is 2 entries; they must be the same");
  CHECK(refusal_for(2, 2) == "no refusal");
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  auto const refusal_for_matrices = [](std::size_t m, std::size_t n) {
    auto const r = poisoned<HostVector<double>>(3);
    return refusal_of(
        [&] { Exakt::dot(Kokkos::DefaultHostExecutionSpace(), r, poisoned<Matrix>(5, 3), poisoned<Matrix>(m, n)); });
  };
  CHECK(refusal_for_matrices(5, 4) == "Exakt::dot: x is 5 x 3, y is 5 x 4; they must be the same");
  CHECK(refusal_for_matrices(4, 3) == "Exakt::dot: x is 5 x 3, y is 4 x 3; they must be the same");
  CHECK(refusal_for_matrices(5, 3) == "no refusal");
  auto const r = poisoned<HostScalar<double>>();
  CHECK(refusal_of([&] { Exakt::dot(r, poisoned<HostVector<double>>(4), poisoned<HostVector<double>>(5)); }) ==
        "Exakt::dot: x is 4 entries, y is 5 entries; they must be the same");
  CHECK(is_nan_bits(r()));
  auto const x = poisoned<HostVector<double>>(4), y = poisoned<HostVector<double>>(4);
  CHECK(refusal_of([&] { Exakt::dot(HostScalar<double>(y.data() + 2), x, y); }) ==
        "Exakt::dot: r is a single entry, y is 4 entries; they must not share memory");
}
