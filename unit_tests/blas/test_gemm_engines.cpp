// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas3_gemm.hpp>
#include <gemm/ExaktBlas_ThinGemm.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Matrices.hpp"

namespace {

using namespace ExaktTest;
using Exakt::GemmEngine;

/// The modular ones where there are any.
std::vector<GemmEngine> engines() {
  std::vector<GemmEngine> result{GemmEngine::direct, GemmEngine::automatic};
  if (Exakt::Impl::has_integer_gemm()) result.push_back(GemmEngine::modular);
  if (Exakt::Impl::has_double_gemm()) result.push_back(GemmEngine::modular_doubles);
  return result;
}

struct Scaling {
  double alpha = 1, beta = 0;
};

/// Every engine against MPFR in some entries, and against each other in all.
template <class T>
void check_engines(Table<T> const& a, Table<T> const& b, Table<T> const& c, Scaling scaling = {},
                   std::size_t entries = 150, char const* modes = "NN", std::size_t workspace = 0) {
  INFO(a.rows << " x " << b.columns << " x " << a.columns << ", alpha " << describe_bits(scaling.alpha) << ", beta "
              << describe_bits(scaling.beta) << ", modes " << modes);
  std::size_t const turn = a.rows + b.columns;
  auto const first = stored(modes[0] == 'N' ? a : a.transposed(), every_storage[turn % 5]),
             second = stored(modes[1] == 'N' ? b : b.transposed(), every_storage[turn / 5 % 5]);
  AnyMatrix<T> previous;
  for (GemmEngine const engine : engines()) {
    INFO("engine " << static_cast<int>(engine));
    auto const result = stored(c, every_storage[(turn + static_cast<std::size_t>(engine)) % 2]);
    Exakt::gemm(Kokkos::DefaultHostExecutionSpace(), modes[0], modes[1], scaling.alpha, first, second, scaling.beta,
                result, {engine, workspace});
    std::size_t const all = c.rows * c.columns, step = all / entries + 1;
    for (std::size_t e = 0; e < all && engine != GemmEngine::automatic; e += step) {
      std::size_t const i = e % c.rows, j = e / c.rows;
      Exact sum;
      for (std::size_t l = 0; l < a.columns; ++l) sum.add_product(a(i, l), b(l, j));
      ScaledExact total(a.columns == 0 ? 1 : scaling.alpha, sum);
      if (scaling.beta != 0) total.add_product(scaling.beta, c(i, j));
      EXAKT_CHECK_BITS(result(i, j), total.template round<T>());
    }
    for (std::size_t j = 0; j < c.columns && engine != GemmEngine::direct; ++j)
      for (std::size_t i = 0; i < c.rows; ++i) EXAKT_CHECK_BITS(result(i, j), previous(i, j));
    previous = result;
  }
}

/// The automatic engine for every order of the entries of each operand, against the direct one.
void check_storages(Table<double> const& a, Table<double> const& b, Table<double> const& c, Scaling scaling) {
  INFO(a.rows << " x " << b.columns << " x " << a.columns << ", alpha " << describe_bits(scaling.alpha) << ", beta "
              << describe_bits(scaling.beta));
  constexpr Storage orders[] = {Storage::corner_of_left, Storage::corner_of_right};
  auto const expected = stored(c, Storage::left);
  Exakt::gemm("N", "N", scaling.alpha, stored(a, Storage::left), stored(b, Storage::left), scaling.beta, expected,
              {GemmEngine::direct});
  for (Storage const of_a : orders)
    for (Storage const of_b : orders)
      for (Storage const of_c : orders) {
        INFO("storages " << static_cast<int>(of_a) << ", " << static_cast<int>(of_b) << ", " << static_cast<int>(of_c));
        auto const result = stored(c, of_c);
        Exakt::gemm("N", "N", scaling.alpha, stored(a, of_a), stored(b, of_b), scaling.beta, result);
        for (std::size_t j = 0; j < c.columns; ++j)
          for (std::size_t i = 0; i < c.rows; ++i) EXAKT_CHECK_BITS(result(i, j), expected(i, j));
      }
}

double uniform(Random& random) { return static_cast<double>(random.between(-(1l << 53), 1l << 53)) * 0x1p-53; }

/// b so that products cancel in pairs, but for some lowest bits.
void cancel(Table<double>& a, Table<double>& b, double difference) {
  std::size_t const half = a.columns / 2;
  for (std::size_t l = 0; l < half; ++l) {
    for (std::size_t i = 0; i < a.rows; ++i) a(i, l + half) = a(i, l);
    for (std::size_t j = 0; j < b.columns; ++j) b(l + half, j) = -b(l, j) * (j % 2 == 0 ? 1 : 1 + difference);
  }
}

}  // namespace

TEST_CASE("every engine of gemm gives the exact result, rounded once: hard numbers") {
  Random random(840);
  char const* const modes[] = {"NN", "TN", "NT", "TT"};
  int turn = 0;
  for (Hardness const hardness : every_hardness) {
    INFO(name_of(hardness));
    for (std::size_t const m : {1, 3, 70, 130}) {
      std::size_t const n = m == 3 ? 77 : m / 2 + 1, k = m == 70 ? 65 : random.between<std::size_t>(1, 40);
      auto [a, x] = hard_product<double, double>(random, hardness, m, k);
      auto b = table_of<double>(k, n, [&] { return hard_number<double>(random, hardness); });
      if (hardness == Hardness::cancelling) {
        for (std::size_t l = 0; l < k; ++l)
          for (std::size_t j = 0; j < n; ++j) b(l, j) = x[l];
      }
      auto const c = table_of<double>(m, n, [&] { return hard_number<double>(random, hardness); });
      check_engines(a, b, c, {}, 100, modes[turn % 4]);
      check_engines(a, b, c, {random.one_of(-1.0, 0.1, 0x1p-900), random.one_of(1.0, -0.7)}, 100, modes[turn++ % 4]);
    }
  }
}

TEST_CASE("every engine of gemm: many tiles, panels of them, and floats") {
  Random random(841);
  auto const number = [&] { return uniform(random); };
  auto const a = table_of<double>(200, 150, number), b = table_of<double>(150, 300, number),
             c = table_of<double>(200, 300, number);
  check_engines(a, b, c);
  check_engines(a, b, c, {3, -1}, 150, "TN", 1);
  check_engines(a, b, c, {0, 1}, 100);
  auto const float_a = table_of<float>(130, 70, number), float_b = table_of<float>(70, 90, number),
             float_c = table_of<float>(130, 90, number);
  check_engines(float_a, float_b, float_c);
  check_engines(float_a, float_b, float_c, {0.1, 1});
}

TEST_CASE("every engine of gemm: a matrix times its own transpose") {
  Random random(846);
  std::size_t const n = 530, k = 40;
  auto const a = table_of<double>(n, k, [&] { return random.value<double>(random.between(0, 20)); });
  for (Storage const storage : {Storage::left, Storage::right}) {
    auto const x = stored(a, storage), y = stored(a, storage);
    auto const expected = stored(Table<double>(n, n), storage);
    Exakt::gemm("N", "T", -0.1, x, y, 0, expected, {GemmEngine::direct});
    for (GemmEngine const engine : engines()) {
      auto const result = stored(Table<double>(n, n), storage);
      Exakt::gemm("N", "T", -0.1, x, x, 0, result, {engine});
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) EXAKT_CHECK_BITS(result(i, j), expected(i, j));
      // By some of its rows only: not symmetric.
      std::size_t const some = n - 10;
      auto const rectangle = stored(Table<double>(n, some), storage);
      Exakt::gemm("N", "T", -0.1, x, Kokkos::subview(x, std::pair<std::size_t, std::size_t>(0, some), Kokkos::ALL), 0,
                  rectangle, {engine});
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < some; ++j) EXAKT_CHECK_BITS(rectangle(i, j), expected(i, j));
      // The old values of C need not be symmetric.
      for (std::size_t j = 0; j < n; ++j) result(3, j) = 7;
      Exakt::gemm("N", "T", 0.1, x, x, 1, result, {engine});
      EXAKT_CHECK(result(2, 3) != result(3, 2));
    }
  }
}

TEST_CASE("every engine of gemm: sums that are zero, ties, and their neighbours") {
  Random random(842);
  auto const integer = [&] { return random.between(-(1l << 26), 1l << 26); };
  auto a = table_of<double>(80, 100, integer), b = table_of<double>(100, 90, integer);
  auto const c = table_of<double>(80, 90, [&] { return random.between(-3, 3) * 0.5; });
  check_engines(a, b, c);
  check_engines(a, b, c, {1, 1});
  cancel(a, b, 0);
  check_engines(a, b, c);
  check_engines(a, b, c, {-1, 1});
  check_engines(a, b, c, {infinity, 0}, 100);
  // A sum of 54 bits that ends in 1 is a tie; 2^-60 more or less is not.
  for (double const tail : {0.0, 0x1p-60, -0x1p-60}) {
    Table<double> one(70, 2), other(2, 70);
    for (std::size_t i = 0; i < 70; ++i) {
      one(i, 0) = 0x1p53 + 2.0 * static_cast<double>(i);
      other(0, i) = 1;
      one(i, 1) = 1;
      other(1, i) = (i % 2 == 0 ? 1 : -1) + tail * (i % 3 == 0 ? 1 : 0);
    }
    check_engines(one, other, Table<double>(70, 70));
  }
}

TEST_CASE("every engine of gemm: wide ranges, also where everything cancels") {
  Random random(843);
  // 20 decades: lines are cut. 120 bits and more that cancel: cut in vain. Too many for any number of moduli; and so
  // are a few lines among others.
  for (int const range : {10, 66, 90, 250, 1000}) {
    INFO("range " << range);
    auto const number = [&] { return std::ldexp(uniform(random), -random.between(0, range)); };
    auto a = table_of<double>(90, 70, number), b = table_of<double>(70, 100, number);
    auto const c = table_of<double>(90, 100, number);
    check_engines(a, b, c, {}, 80);
    cancel(a, b, 0x1p-52);
    check_engines(a, b, c, {}, 80);
    check_engines(a, b, c, {0.1, 7}, 80);
  }
  auto a = table_of<double>(140, 70, [&] { return uniform(random); }),
       b = table_of<double>(70, 100, [&] { return uniform(random); });
  a(3, 5) = 0x1p-1074;
  a(100, 0) = 0x1p1000;
  b(7, 64) = 0x1p-600;
  check_engines(a, b, Table<double>(140, 100));
  a(7, 7) = infinity;
  a(70, 3) = not_a_number;
  b(2, 2) = -infinity;
  for (std::size_t l = 0; l < 70; ++l) a(9, l) = b(l, 9) = 0;
  check_engines(a, b, Table<double>(140, 100));
}

TEST_CASE("every engine of gemm: few columns or rows, whose blocks the automatic one multiplies where they are") {
  Random random(848);
  struct Shape {
    std::size_t m, n, k;
  };
  std::size_t turn = 0;
  // Blocks of one tile, two of them in a square, and of as many as there may be; a block that is left whole has the most
  // entries at 31 columns. Of the last shapes the last rows have few products.
  for (Shape const shape : {Shape{270, 31, 270},
                            {1030, 3, 65},
                            {40, 17, 4000},
                            {262, 2, 31},
                            {9, 300, 258},
                            {32, 32, 3000},
                            {259, 8, 2},
                            {771, 4, 3}}) {
    auto const [m, n, k] = shape;
    for (Hardness const hardness : every_hardness) {
      INFO(name_of(hardness));
      auto const [a, b] = hard_factors<double, double>(random, hardness, m, n, k);
      auto const c = table_of<double>(m, n, [&] { return hard_number<double>(random, hardness); });
      check_engines(a, b, c, {}, 12);
      check_storages(a, b, c, {turn % 3 == 0 ? 0.1 : 1, 0});
      check_storages(a, b, c, {turn % 3 == 0 ? -1 : 0.3, turn % 2 == 0 ? 1 : -0.7});
      ++turn;
    }
    // Numbers that are decided, but for some of a row or of a column; then for infinities and NaN.
    auto const number = [&] { return uniform(random); };
    auto const c = table_of<double>(m, n, number);
    for (bool const in_row : {true, false}) {
      auto a = table_of<double>(m, k, number), b = table_of<double>(k, n, number);
      cancel(a, b, 0x1p-52);
      for (std::size_t line = 0; line < (in_row ? m : n); ++line)
        for (std::size_t l = 0; l < k && line % 100 != 7; ++l) (in_row ? a(line, l) : b(l, line)) = number();
      check_storages(a, b, c, {});
      check_storages(a, b, c, {-1, 1});
      a(m - 1, k - 1) = infinity;
      b(k / 2, n - 1) = not_a_number;
      check_engines(a, b, c, {}, 12);
      check_storages(a, b, c, {-1, 1});
    }
  }
}

TEST_CASE(
    "every engine of gemm: few columns or rows, of which the automatic one encloses a piece of k after the other") {
  Random random(847);
  struct Shape {
    std::size_t m, n, k;
  };
  int turn = 0;
  for (Shape const shape : {Shape{1, 1, 2500},
                            {300, 2, 90},
                            {9, 3, 1500},
                            {700, 5, 70},
                            {10, 9, 1100},
                            {3, 600, 80},
                            {6, 5, 4200},
                            {19, 13, 2050},
                            {13, 20, 3100},
                            {150, 14, 2100}}) {
    auto const [m, n, k] = shape;
    Exakt::Impl::GemmProblem<double, double, double> problem{};
    problem.m = std::max(m, n);
    problem.n = std::min(m, n);
    problem.k = k;
    CHECK(Exakt::Impl::ThinGemm::pays(problem, {}) == Exakt::Impl::matrix_kernels().has_enclosures);
    for (Hardness const hardness : every_hardness) {
      INFO(name_of(hardness));
      auto const [a, b] = hard_factors<double, double>(random, hardness, m, n, k);
      auto const c = table_of<double>(m, n, [&] { return hard_number<double>(random, hardness); });
      check_engines(a, b, c, {turn % 3 == 0 ? 0.1 : 1, turn % 2 * 0.7}, 12, turn % 4 < 2 ? "NN" : "TT");
      if (k > 2000) check_storages(a, b, c, {turn % 3 == 0 ? 0.1 : 1, turn % 2 * 0.7});
      ++turn;
    }
  }
  // So many products that the threads share those of each entry. Nearly all sums are ties, or next to one.
  std::size_t const k = 70'000;
  auto const integer = [&] { return random.between(-3, 3); };
  for (double const tail : {0.0, 0x1p-60}) {
    auto a = table_of<double>(3, k, integer), b = table_of<double>(k, 2, integer);
    for (std::size_t i = 0; i < 3; ++i) a(i, k / 2) = 0x1p53, a(i, k - 1) = 0.5, a(i, 5) = tail;
    for (std::size_t j = 0; j < 2; ++j) b(k / 2, j) = b(k - 1, j) = b(5, j) = 1;
    check_engines(a, b, Table<double>(3, 2));
  }
  auto const number = [&] { return uniform(random); };
  check_engines(table_of<float>(400, 60, number), table_of<float>(60, 4, number), table_of<float>(400, 4, number),
                {1, 3});
}

/// m x k times k x n.
void check_environments(std::size_t m, std::size_t k, std::size_t n) {
  Random random(844);
  auto const number = [&] { return uniform(random); };
  auto const a = table_of<double>(m, k, number), b = table_of<double>(k, n, number);
  auto const x = stored(a, Storage::left), y = stored(b, Storage::right);
  auto const expected = stored(Table<double>(m, n), Storage::left);
  Exakt::gemm("N", "N", 0.1, x, y, 0.0, expected, {GemmEngine::direct});
  auto const check = [&](AnyMatrix<double> const& result) {
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) EXAKT_CHECK_BITS(result(i, j), expected(i, j));
  };
  for (GemmEngine const engine : engines()) {
    for (auto const& environment : every_fp_environment()) {
      for (auto const threads : ScopedFpEnvironment::every_choice) {
        INFO(environment.name);
        auto const result = stored(Table<double>(m, n), Storage::left);
        {
          ScopedFpEnvironment const scope(environment, threads);
          Exakt::gemm("N", "N", 0.1, x, y, 0.0, result, {engine});
        }
        check(result);
      }
    }
    for_each_host_space([&](auto space) {
      auto const result = stored(Table<double>(m, n), Storage::right);
      Exakt::gemm(space, "N", "N", 0.1, x, y, 0.0, result, {engine});
      space.fence();
      check(result);
    });
  }
}

TEST_CASE("every engine of gemm is right in every floating-point environment and on every host space") {
  check_environments(70, 65, 80);
  check_environments(500, 90, 3);
  check_environments(6, 4200, 5);  // column by column, and next by tiles: threads share k
  check_environments(35, 4200, 33);
}

TEST_CASE("every engine of gemm: complex numbers") {
  Random random(845);
  using Number = Kokkos::complex<double>;
  using Matrix = HostMatrix<Number, Kokkos::LayoutLeft>;
  std::size_t const m = 70, n = 90, k = 66;
  Matrix const a("A", m, k), b("B", k, n);
  auto const number = [&] { return Number(uniform(random), uniform(random)); };
  for (int const kind : {0, 1, 2}) {
    for (std::size_t l = 0; l < k; ++l) {
      for (std::size_t i = 0; i < m; ++i) a(i, l) = l >= k / 2 && kind > 0 ? a(i, l - k / 2) : number();
      for (std::size_t j = 0; j < n; ++j) b(l, j) = l >= k / 2 && kind > 0 ? -b(l - k / 2, j) : number();
    }
    // A few sums that do not cancel altogether, and in the end special values.
    for (std::size_t j = 0; j < n; j += 3) b(k - 1, j) += Number(0x1p-40, 0x1p-44);
    if (kind == 2) a(3, 3) = Number(infinity, 1), b(5, 5) = Number(0, not_a_number);
    for (double const beta : {0.0, 0.5}) {
      Matrix previous;
      for (GemmEngine const engine : engines()) {
        Matrix const result("C", m, n);
        for (std::size_t e = 0; e < m * n; ++e) result.data()[e] = Number(static_cast<double>(e), 3);
        Exakt::gemm("N", "N", 0.1, a, b, beta, result, {engine});
        for (std::size_t e = 0; e < m * n; ++e) {
          if (engine != GemmEngine::direct) {
            EXAKT_CHECK_BITS(result.data()[e].real(), previous.data()[e].real());
            EXAKT_CHECK_BITS(result.data()[e].imag(), previous.data()[e].imag());
          } else if (e % 43 == 0 && kind < 2) {
            Exact real, imaginary;
            for (std::size_t l = 0; l < k; ++l) {
              Number const x = a(e % m, l), y = b(l, e / m);
              real.add_product(x.real(), y.real()).subtract_product(x.imag(), y.imag());
              imaginary.add_product(x.real(), y.imag()).add_product(x.imag(), y.real());
            }
            EXAKT_CHECK_BITS(result.data()[e].real(),
                             ScaledExact(0.1, real).add_product(beta, static_cast<double>(e)).template round<double>());
            EXAKT_CHECK_BITS(result.data()[e].imag(),
                             ScaledExact(0.1, imaginary).add_product(beta, 3).template round<double>());
          }
        }
        previous = result;
      }
    }
  }
}

TEST_CASE("gemm refuses an engine that there is not") {
  auto const real = stored(Table<double>(2, 2), Storage::left), result = stored(Table<double>(2, 2), Storage::left);
  using Complex = HostMatrix<Kokkos::complex<double>, Kokkos::LayoutLeft>;
  auto const refusal = [](GemmEngine engine, auto alpha, auto const& a, auto const& c) {
    return refusal_of([&] { Exakt::gemm("N", "N", alpha, a, a, 0.0, c, {engine}); });
  };
  std::string const not_for_this = "it needs float or double entries in C and real factors, on a host";
  Complex const a("A", 2, 2), c("C", 2, 2);
  CHECK(refusal(GemmEngine::modular, Kokkos::complex<double>(1, 1), a, c) ==
        "Exakt::gemm: engine is modular; " + not_for_this);
  CHECK(refusal(GemmEngine::modular_doubles, Kokkos::complex<double>(1, 1), a, c) ==
        "Exakt::gemm: engine is modular_doubles; " + not_for_this);
  CHECK(refusal(GemmEngine::modular, 1.0, real, result) ==
        (Exakt::Impl::has_integer_gemm() || Exakt::Impl::has_double_gemm()
             ? "no refusal"
             : "Exakt::gemm: engine is modular; it needs Exakt built with a BLAS, or a processor with AVX2"));
  CHECK(refusal(GemmEngine::modular_doubles, 1.0, real, result) ==
        (Exakt::Impl::has_double_gemm() ? "no refusal"
                                        : "Exakt::gemm: engine is modular_doubles; it needs Exakt built with a BLAS"));
}
