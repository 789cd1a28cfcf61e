// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_gemv.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_NextToTies.hpp"

namespace {

using namespace ExaktTest;
using Exakt::gemv;

template <class R>
void check_entries(StridedVector<R> const& y, std::vector<Expected<R>> const& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) EXAKT_CHECK_BITS(y(i), expected[i]);
}

/// All modes and storages of one product.
template <class T, class X, class R>
void check_product(double alpha, Table<T> const& a, std::vector<X> const& x, double beta, std::vector<R> const& y) {
  INFO(a.rows << " x " << a.columns << ", alpha " << describe_bits(alpha) << ", beta " << describe_bits(beta));
  auto const expected = expected_product(alpha, a, x, beta, y);
  Table<T> const transposed = a.transposed();
  for (Storage const storage : every_storage)
    for (char const* const trans : {"N", "T", "C"}) {
      INFO("storage " << static_cast<int>(storage) << ", trans " << trans);
      auto const matrix = stored(trans[0] == 'N' ? a : transposed, storage);
      StridedVector<X> const factor = storage == Storage::left ? StridedVector<X>(contiguous(x)) : strided(x);
      StridedVector<R> const result = storage == Storage::left ? StridedVector<R>(contiguous(y)) : strided(y);
      gemv(Kokkos::DefaultHostExecutionSpace(), trans, alpha, matrix, factor, beta, result);
      check_entries(result, expected);
    }
}

template <class T, class X, class R>
void check_random_gemv(Random& random, std::uint64_t repetitions) {
  for (std::uint64_t i = 0; i < repetitions * case_factor(); ++i)
    for (Hardness const hardness : every_hardness) {
      INFO(name_of(hardness));
      auto const m = random.between<std::size_t>(0, 40), k = random.between<std::size_t>(0, 70);
      auto const [a, x] = hard_product<T, X>(random, hardness, m, k);
      std::vector<R> y(m);
      for (R& entry : y) entry = hard_number<R>(random, hardness);
      HardFactors const factors(random);
      check_product(factors.alpha, a, x, factors.beta, y);
    }
}

}  // namespace

TEST_CASE("each entry of gemv is the exact alpha * A x + beta * y, rounded once, in every mode and storage") {
  Random random(800);
  check_random_gemv<double, double, double>(random, 3);
}

TEST_CASE("gemv of floats, and of float and double mixed") {
  Random random(801);
  check_random_gemv<float, float, float>(random, 2);
  check_random_gemv<float, double, double>(random, 1);
  check_random_gemv<double, float, float>(random, 1);
}

TEST_CASE("gemv with more rows, columns and panels than one block has") {
  Random random(802);
  for (auto const& [m, k] : {std::pair<std::size_t, std::size_t>{600, 300}, {5, 40'000}, {70, 1100}, {1, 2500}}) {
    auto [a, x] = hard_product<double, double>(random, m == 70 ? Hardness::cancelling : Hardness::none, m, k);
    // Some rows are larger, some only later, some are zero: heads that suited the others do not suit these.
    for (std::size_t j = 0; j < k; ++j) {
      if (m > 4) a(3, j) *= 0x1p300;
      if (m > 4) a(4, j) = 0;
      if (m > 2 && j > k / 2) a(2, j) *= 0x1p100;
      if (j + 1 == k) a(0, j) *= 0x1p40;
    }
    check_product(1.0, a, x, 0.0, std::vector<double>(m, not_a_number));
    check_product(0.3, a, x, -1.5, std::vector<double>(m, 1e10));
  }
}

TEST_CASE("gemv of a few long rows, of which groups leave some") {
  Random random(808);
  for (auto const& [m, k] :
       {std::pair<std::size_t, std::size_t>{1, 511}, {2, 512}, {3, 513}, {5, 4096}, {6, 4097}, {7, 8200}})
    for (Hardness const hardness : every_hardness) {
      INFO(name_of(hardness));
      auto [a, x] = hard_product<double, double>(random, hardness, m, k);
      std::vector<double> const y(m, 0.1);
      check_product(1.0, a, x, 0.0, y);
      check_product(-0.7, a, x, 3.0, y);
      // The last rows: larger behind the sample that tells how large they are, nothing but zeros, an infinity, a NaN.
      for (std::size_t j = k / 2; j < k; ++j) a(m - 1, j) *= 0x1p60;
      for (std::size_t j = 0; m > 1 && j < k; ++j) a(m - 2, j) = j % 2 == 0 ? 0.0 : -0.0;
      check_product(1.0, a, x, 0.0, y);
      a(m - 1, k - 1) = HUGE_VAL;
      if (m > 2) a(m - 3, k / 3) = not_a_number;
      check_product(1.0, a, x, 1.0, y);
    }
}

TEST_CASE("gemv of many short rows: some at a time, as long as they are of one size") {
  Random random(807);
  constexpr std::size_t m = 700, k = 60;
  for (std::size_t const first : {std::size_t{0}, std::size_t{400}, m}) {
    auto [a, x] = hard_product<double, double>(random, Hardness::none, m, k);
    for (std::size_t i = first; i < m; ++i)
      for (std::size_t j = 0; j < k; ++j) a(i, j) = std::ldexp(a(i, j), static_cast<int>(i * 37 % 500) - 490);
    check_product(1.0, a, x, 0.0, std::vector<double>(m, not_a_number));
    // Next to ties of beta * y, so that teams of devices have more than one row to add exactly.
    if (first == 0) check_product(-0.7, a, x, 3.0, std::vector<double>(m, 0.1));
  }
}

TEST_CASE("gemv of small integers: ties in many rows, columns and panels, and some that are broken far below") {
  Random random(806);
  for (auto const& [m, k] : {std::pair<std::size_t, std::size_t>{1100, 70}, {150, 1100}, {9, 3000}}) {
    auto [a, x] = hard_product<double, double>(random, Hardness::ties, m, k);
    // Rows with last bits that no panel has but the last one, and rows of nothing.
    for (std::size_t j = 0; j < k; ++j) a(3, j) = 0;
    for (int const bits : {1, 10, 25, 40, 52}) {
      a(5, k - 1) += std::ldexp(1.0, -bits);
      check_product(1.0, a, x, 0.0, std::vector<double>(m, not_a_number));
    }
    check_product(-1.0, a, x, 0.5, std::vector<double>(m, 0x1p-53));
    check_product(3.0, a, x, 0x1p-60, std::vector<double>(m, -1));
    check_product(1.0, a, x, 0.0, std::vector<float>(m, 1));
  }
}

TEST_CASE("gemv of entries that are multiples of half a unit: next to ties of sums that are multiples of it") {
  // Some row is large, and with it what is taken for the unit of the others, here 2^-51. With this entry the sum of a row
  // is below a tie by half of that.
  constexpr std::size_t m = 64, k = 70;
  for (double const sign : {1.0, -1.0}) {
    for (int size = 0; size < 70; ++size) {
      Table<double> a(m, k);
      for (std::size_t i = 0; i < m; ++i) {
        a(i, 0) = sign;
        a(i, 20) = -sign * (1 + 0x1p-52);
        a(i, 21) = sign * (8 + 0x1p-49);
        a(i, 22) = sign * 0x1p-50;
      }
      a(40, 1) = std::ldexp(1.0, size);
      a(40, 20) = 0;
      check_product(1.0, a, std::vector<double>(k, 1), 0.0, std::vector<double>(m, 0));
    }
  }
}

TEST_CASE("gemv of rows next to ties, all rests of which are rounded one way") {
  // Sums in registers; long rows, in pieces and in panels.
  for (std::size_t const k : {512, 1000}) {
    auto const a = rows_next_to_ties(k);
    std::vector<double> const x(k, 1);
    auto const expected = expected_product(1, a, x, 0, std::vector<double>(a.rows));
    for (Storage const storage : {Storage::left, Storage::right})
      for_each_host_space([&](auto space) {
        INFO(k << " columns, storage " << static_cast<int>(storage));
        StridedVector<double> const y = poisoned<HostVector<double>>(a.rows);
        gemv(space, "N", 1, stored(a, storage), contiguous(x), 0, y);
        check_entries(y, expected);
      });
  }
}

TEMPLATE_TEST_CASE("gemv of rows that begin with zeros: of nothing, of products of 2^-1074, and below", "", double,
                   float) {
  // A factor of 2^-1074 by the least entry, twice that, half of it: what such a product is a multiple of may be no double.
  constexpr std::size_t m = 16, k = 600;
  TestType const least = std::numeric_limits<TestType>::denorm_min();
  double const factor = 0x1p-1074 / static_cast<double>(least);
  for (double const unit : {factor, 2 * factor, factor / 2, 0x1p-20}) {
    Table<TestType> a(m, k);
    std::vector<double> x(k, unit);
    for (std::size_t j = 20; j < k; ++j) {
      x[j] = unit * static_cast<double>(1 + j % 7);
      for (std::size_t i = 2; i < m; ++i) {
        std::size_t const period = i - 1;
        a(i, j) = j % period != 0 ? TestType(0) : j % 2 == 0 ? -least : static_cast<TestType>(j % 5) * least;
      }
      a(1, j) = -TestType(0);
      a(14, j) = j % 7 == 0 ? least : TestType(0);  // times the least factors only
      if (j > 550) a(15, j) = static_cast<TestType>(j);
    }
    check_product(1.0, a, x, 0.0, std::vector<double>(m, not_a_number));
    check_product(0x1p1000, a, x, 0.0, std::vector<double>(m, not_a_number));
    check_product(-0x1p600, a, x, -1.0, std::vector<double>(m, -0.0));
    check_product(0.75, a, x, 1.0, std::vector<double>(m, 0x1p-1074));
  }
}

TEST_CASE("gemv of few entries: rows and products of zeros, with what makes something else of them") {
  Random random(806);
  for (std::size_t const n : {5, 40, 130, 540})
    for (int const kind : {0, 1, 2, 3, 4, 5}) {
#ifdef EXAKT_EMULATE_DEVICE  // for which nothing begins at 512
      if (n > 512 && kind != 4) continue;
#endif
      INFO("n = " << n << ", kind " << kind);
      // Blocks of rows without entries, a diagonal, and a column that is as good as none.
      Table<double> a(n, n), column(n, 1);
      std::vector<double> x(n), y(n, 0.5);
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = i / 3 % 4 == 1 ? random.one_of(0.0, -0.0) : random.value<double>(0);
        if (i / 10 % 3 != 0) a(i, i) = random.value<double>(random.between(-3, 3));
        if (i % 2 == 1) a(i, n / 2) = random.value<double>(0);
        if (kind == 4) a(i, n - 1 - i) = 0x1p80 * random.value<double>(0);
      }
      if (kind == 1) a(n / 2, 3) = HUGE_VAL;  // times zero
      if (kind == 2) x[n - 1] = std::nan("");
      if (kind == 3) a(n / 2, 1) = x[1] = -0x1p-600;
      if (kind == 5) {
        for (double& entry : x) entry = std::trunc(4 * entry);
      }
      for (auto const& [alpha, beta] : {std::pair{1.0, 0.0}, {-0.3, 0.0}, {1.0, 2.0}, {HUGE_VAL, 0.0}}) {
        check_product(alpha, a, x, beta, y);
        if (n < 500 && alpha == 1) {
          auto const narrow = [](std::vector<double> const& from) {
            return std::vector<float>(from.begin(), from.end());
          };
          Table<float> b(n, n);
          b.entries = narrow(a.entries);
          check_product(alpha, b, narrow(x), beta, narrow(y));
        }
      }
    }
}

TEST_CASE("gemv gives the same bits on every host space, for views of every layout") {
  Random random(803);
  auto const product = hard_product<double, double>(random, Hardness::none, 100, 300);
  auto const& a = product.first;
  auto const& x = product.second;
  std::vector<double> const y(100, 0.1);
  auto const expected = expected_product(3.0, a, x, 2.0, y);
  for_each_host_space([&](auto space) {
    auto const check = [&](auto const& matrix) {
      auto const result = contiguous(y);
      gemv(space, 'n', 3, matrix, contiguous(x), 2u, result);
      check_entries<double>(result, expected);
    };
    auto const left = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(100, 300);
    auto const right = poisoned<HostMatrix<double, Kokkos::LayoutRight>>(100, 300);
    for (std::size_t i = 0; i < 100; ++i)
      for (std::size_t j = 0; j < 300; ++j) left(i, j) = right(i, j) = a(i, j);
    check(left);
    check(HostMatrix<double const, Kokkos::LayoutRight>(right));
  });
}

TEST_CASE("the path of devices gives the same bits", "[devices]") {
  Random random(804);
  for (Hardness const hardness : every_hardness) {
    using Shape = std::pair<std::size_t, std::size_t>;
    for (auto const& [rows, columns] : {Shape{70, 50}, Shape{70, 1100}, Shape{3, 5000}}) {
      auto const product = hard_product<double, double>(random, hardness, rows, columns);
      auto const& a = product.first;
      auto const& x = product.second;
      std::vector<double> const y(rows, 0.1);
      auto const expected = expected_product(0.7, a, x, 2.0, y), plain = expected_product(1.0, a, x, 0.0, y);
      for (Storage const storage : {Storage::left, Storage::right}) {
        auto const matrix = stored(a, storage);
        for_each_host_space([&](auto space) {
          StridedVector<double> const result = contiguous(y);
          Exakt::Impl::Operated<AnyMatrix<double>> const operated(matrix, 'N');
          bool const neighbours = operated.rows_are_contiguous();
          Exakt::Impl::gemv_by_teams("test", space, operated, neighbours, contiguous(x), Exakt::Impl::factor(0.7),
                                     Exakt::Impl::factor(2), result);
          space.fence();
          check_entries(result, expected);
          // Some rows after the others, and without factors, where ties are known.
          Exakt::Impl::multiply_by_teams("test", space, operated, neighbours, contiguous(x),
                                         Exakt::Impl::Epilogue{{1, 0, false, false}}, result, 33);
          space.fence();
          check_entries(result, plain);
        });
      }
    }
  }
}

TEST_CASE("with beta = 0 gemv does not look at y; with no columns it scales y") {
  auto const a = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(2, 1);
  a(0, 0) = 3;
  a(1, 0) = -0.0;
  auto const y = contiguous(std::vector<double>{not_a_number, infinity});
  gemv("N", 2.0, a, contiguous(std::vector<double>{1}), 0.0, y);
  CHECK(same_bits(y(0), 6.0));
  CHECK(same_bits(y(1), 0.0));

  auto const empty = HostMatrix<double, Kokkos::LayoutLeft>("empty", 2, 0);
  auto const nothing = HostVector<double>("nothing", 0);
  for (double const alpha : {1.0, infinity, not_a_number}) {
    y(0) = 0.3;
    y(1) = -0x1p-1074;
    gemv("N", alpha, empty, nothing, 0.5, y);
    CHECK(same_bits(y(0), 0.15));
    CHECK(same_bits(y(1), -0.0));
    gemv("N", alpha, empty, nothing, 0, y);
    CHECK(same_bits(y(0), 0.0));
    CHECK(same_bits(y(1), 0.0));
  }
  gemv("T", 1.0, empty, y, 0.0, nothing);
}

TEST_CASE("with alpha = 0 gemv looks neither at A nor at x; y stays as it is if beta is one") {
  auto const a = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(3, 2);
  auto const x = poisoned<HostVector<double>>(2);
  for (double const alpha : {0.0, -0.0}) {
    auto const y = contiguous(std::vector<double>{0.3, -0.0, -infinity});
    gemv("N", alpha, a, x, 1, y);
    CHECK(same_bits(y(0), 0.3));
    CHECK(bits_of(y(1)) == bits_of(-0.0));
    CHECK(same_bits(y(2), -infinity));
    gemv("N", alpha, a, x, -0.5, y);
    CHECK(same_bits(y(0), -0.15));
    CHECK(same_bits(y(1), 0.0));
    CHECK(same_bits(y(2), infinity));
    gemv("N", alpha, a, x, 0, y);
    for (std::size_t i = 0; i < 3; ++i) CHECK(same_bits(y(i), 0.0));
  }
}

TEST_CASE("an infinite alpha is a factor like any other: inf * 0 is NaN") {
  auto const a = poisoned<HostMatrix<double, Kokkos::LayoutRight>>(4, 2);
  double const rows[4][2] = {{1, 2}, {infinity, 1}, {1, -0.5}, {-1, 0}};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 2; ++j) a(i, j) = rows[i][j];
  auto const x = contiguous(std::vector<double>{1, 2});
  auto const result = [&](double alpha) {
    auto const y = contiguous(std::vector<double>(4, 7));
    gemv("N", alpha, a, x, 1, y);
    return std::vector<double>{y(0), y(1), y(2), y(3)};
  };
  auto const with_infinity = result(infinity);
  double const expected_with_infinity[] = {infinity, infinity, not_a_number, -infinity};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(same_bits(with_infinity[i], expected_with_infinity[i]));
  }
}

TEST_CASE("gemv is right in every floating-point environment") {
  Random random(805);
  for (auto const& [m, k] : {std::pair<std::size_t, std::size_t>{30, 40}, {3, 600}})
    for (Hardness const hardness : every_hardness) {
      auto const [a, x] = hard_product<float, double>(random, hardness, m, k);
      std::vector<float> y(m);
      for (float& entry : y) entry = hard_number<float>(random, hardness);
      auto const expected = expected_product(0.1, a, x, -0.7, y);
      for (Storage const storage : {Storage::left, Storage::right})
        for (auto const& environment : every_fp_environment())
          for (auto const threads : ScopedFpEnvironment::every_choice) {
            INFO(describe(environment, threads) << ", " << name_of(hardness) << ", " << m << " x " << k);
            auto const matrix = stored(a, storage);
            StridedVector<float> const result = contiguous(y);
            auto const factor = contiguous(x);
            {
              ScopedFpEnvironment const scope(environment, threads);
              gemv("N", 0.1, matrix, factor, -0.7, result);
            }
            check_entries(result, expected);
          }
    }
}

TEST_CASE("gemv refuses operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  auto const a = poisoned<Matrix>(3, 4);
  auto const vector = [](std::size_t n) { return poisoned<HostVector<double>>(n); };
  auto const refusal = [&](char const* trans, auto const& x, auto const& y) {
    return refusal_of([&] { gemv(trans, 1.0, a, x, 0.0, y); });
  };
  CHECK(refusal("N", vector(5), vector(3)) ==
        "Exakt::gemv: A is 3 x 4, x is 5 entries; A.extent(1) must equal x.extent(0)");
  CHECK(refusal("N", vector(4), vector(4)) ==
        "Exakt::gemv: A is 3 x 4, y is 4 entries; A.extent(0) must equal y.extent(0)");
  CHECK(refusal("T", vector(4), vector(4)) ==
        "Exakt::gemv: A is 3 x 4, x is 4 entries; with trans 'T', A.extent(0) must equal x.extent(0)");
  CHECK(refusal("c", vector(3), vector(1)) ==
        "Exakt::gemv: A is 3 x 4, y is 1 entry; with trans 'c', A.extent(1) must equal y.extent(0)");
  CHECK(refusal("X", vector(4), vector(3)) == "Exakt::gemv: trans is 'X'; it must be N, T or C");
  CHECK(refusal("", vector(4), vector(3)) == "Exakt::gemv: trans is empty; it must be N, T or C");
  CHECK(refusal(nullptr, vector(4), vector(3)) == "Exakt::gemv: trans is empty; it must be N, T or C");
  CHECK(refusal("N", vector(4), Kokkos::subview(a, Kokkos::ALL, 1)) ==
        "Exakt::gemv: y is 3 entries, A is 3 x 4; they must not share memory");
  auto const x = vector(4);
  CHECK(refusal("N", x, Kokkos::subview(x, std::pair<int, int>(1, 4))) ==
        "Exakt::gemv: y is 3 entries, x is 4 entries; they must not share memory");
  CHECK(refusal("N", vector(4), vector(3)) == "no refusal");
}
