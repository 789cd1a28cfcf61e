// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// \brief Every function that runs on several threads, where the floating-point environments of these differ, at sizes at
/// which all threads take part.

#include <Exakt.hpp>
#include <ExaktBlas.hpp>
#include <ExaktScatter.hpp>

#include <cfenv>

#include "ExaktTest_MixedEnvironments.hpp"

namespace {

using namespace ExaktTest;
using Left = HostMatrix<double, Kokkos::LayoutLeft>;
using Right = HostMatrix<double, Kokkos::LayoutRight>;

template <class Matrix>
Matrix matrix_of(Table<double> const& table) {
  Matrix const result("A", table.rows, table.columns);
  for (std::size_t i = 0; i < table.rows; ++i)
    for (std::size_t j = 0; j < table.columns; ++j) result(i, j) = table(i, j);
  return result;
}

template <class Matrix>
Matrix copy_of(Matrix const& matrix) {
  Matrix const copy("copy", matrix.extent(0), matrix.extent(1));
  Kokkos::deep_copy(copy, matrix);
  return copy;
}

constexpr double tiniest = 0x1p-1074;

}  // namespace

TEST_CASE("reductions are right where the environments of threads differ") {
  Random random(1400);
  for (Hardness const hardness : every_hardness) {
    auto const x = hard_vector<double>(random, hardness, 100'003), y = hard_vector<double>(random, hardness, 100'003);
    Space const space;
    check_mixtures(std::string("sum, nrm1, nrm2, mean, dot of ") + name_of(hardness), [&] {
      return Results<double>{Exakt::sum(space, x),          Exakt::nrm1(space, x), Exakt::nrm2(space, x),
                             Exakt::nrm2_squared(space, x), Exakt::mean(space, x), Exakt::dot(space, x, y)};
    });
    using Number = Kokkos::complex<double>;
    HostVector<Number> const z(reinterpret_cast<Number*>(x.data()), 50'000);
    auto const w = Kokkos::subview(
        HostMatrix<Number, Kokkos::LayoutRight>(reinterpret_cast<Number*>(y.data()), 25'000, 2), Kokkos::ALL, 1);
    auto const first_half = Kokkos::subview(z, Kokkos::make_pair(0, 25'000));
    check_mixtures(std::string("complex sum, nrm1, nrm2, mean, dot of ") + name_of(hardness), [&] {
      Number const sum = Exakt::sum(space, z), mean = Exakt::mean(space, w), dot = Exakt::dot(space, first_half, w),
                   square = Exakt::dot(space, z, z);
      return Results<double>{sum.real(), sum.imag(),    mean.real(),   mean.imag(),           dot.real(),
                             dot.imag(), square.real(), square.imag(), Exakt::nrm1(space, w), Exakt::nrm2(space, w)};
    });
    HostMatrix<double, Kokkos::LayoutRight> const columns(x.data(), 20'000, 5);
    check_mixtures(std::string("columns of ") + name_of(hardness), [&] {
      Vector const sums("sums", 5), norms("norms", 5);
      Exakt::sum(space, sums, columns);
      Exakt::nrm2(space, norms, columns);
      auto results = entries_of(sums);
      for (double const norm : entries_of(norms)) results.push_back(norm);
      return results;
    });
  }
}

TEST_CASE("transforms and reducers are right where the environments of threads differ") {
  Random random(1401);
  for (Hardness const hardness : every_hardness) {
    auto const x = hard_vector<double>(random, hardness, 20'001), narrow = hard_vector<float>(random, hardness, 20'001);
    HostVector<float> const floats("floats", narrow.extent(0));
    for (std::size_t i = 0; i < narrow.extent(0); ++i) floats(i) = static_cast<float>(narrow(i));
    check_mixtures(std::string("transforms of ") + name_of(hardness), [&] {
      Exakt::SumAccumulator<double> sum;
      Kokkos::parallel_reduce(
          Kokkos::RangePolicy<Space>(0, x.extent(0)),
          [=](std::size_t i, Exakt::SumAccumulator<double>& partial) { partial += x(i); },
          Exakt::ExactSum<double>(sum));
      Exakt::DotAccumulator<double> dot;
      Kokkos::parallel_reduce(
          Kokkos::RangePolicy<Space>(0, x.extent(0)),
          [=](std::size_t i, Exakt::DotAccumulator<double>& partial) { partial.add_product(x(i), floats(i)); },
          Exakt::ExactDot<double>(dot));
      using Mixed = Kokkos::pair<float, double>;
      using Narrow = Kokkos::pair<float, float>;
      using Wide = Kokkos::pair<double, double>;
      // Lines that begin anywhere in a tile.
      using Plane = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
      Plane const plane({0, 0}, {60, 333});
      return Results<double>{
          sum.round(),
          dot.round(),
          Exakt::transform_sum(x.extent(0), [=](std::size_t i) { return x(i); }),
          Exakt::transform_sum(x.extent(0), [=](std::size_t i) { return floats(i); }),
          Exakt::transform_dot(x.extent(0), [=](std::size_t i) { return Mixed(floats(i), x(i)); }),
          Exakt::transform_dot(x.extent(0), [=](std::size_t i) { return Narrow(floats(i), floats(i)); }),
          Exakt::transform_dot(x.extent(0), [=](std::size_t i) { return Wide(x(i), x(x.extent(0) - 1 - i)); }),
          Exakt::transform_sum(plane, [=](int i, int j) { return x(333 * i + j); }),
          Exakt::transform_dot(plane, [=](int i, int j) { return Wide(x(333 * i + j), narrow(333 * i + j)); })};
    });
  }
}

TEST_CASE("pairs of a float and a double lose no subnormal float") {
  float const subnormal = 0x1p-149f;
  check_mixtures("transform_dot", [&] {
    return Results<double>{Exakt::transform_dot(
        std::size_t{5000}, [=](std::size_t) { return Kokkos::pair<float, double>(subnormal, 0x1p149); })};
  });
  CHECK(Exakt::transform_dot(std::size_t{5000},
                             [=](std::size_t) { return Kokkos::pair<float, double>(subnormal, 0x1p149); }) == 5000);
}

TEST_CASE("pairs of floats of which large ones cancel, so that they are added exactly, lose no subnormal float") {
  using Narrow = Kokkos::pair<float, float>;
  auto const pair = [](std::size_t i) {
    return i % 3 == 0 ? Narrow(0x1p-149f, 0x1p127f) : Narrow(i % 3 == 1 ? 0x1p120f : -0x1p120f, 0x1p100f);
  };
  check_mixtures("transform_dot", [&] { return Results<double>{Exakt::transform_dot(std::size_t{6000}, pair)}; });
  CHECK(Exakt::transform_dot(std::size_t{6000}, pair) == 2000 * 0x1p-22f);
}

TEST_CASE("where exceptions are trapped or the mode is another, a call leaves the exception flags as they were") {
  Vector const x("x", 1000), y("y", 1000);
  Left const A("A", 40, 40), B("B", 40, 40), C("C", 40, 40);
  for (std::size_t i = 0; i < x.extent(0); ++i) x(i) = i % 2 == 0 ? 1.7e308 : -1.7e308;
  for (std::size_t i = 0; i < 1600; ++i) A.data()[i] = B.data()[i] = x(i % 1000) * (i % 3 == 0 ? 0x1p-1000 : 1);
  for (FpSettings const& settings : every_fp_environment()) {
    if (settings.is_default()) continue;
    ScopedFpEnvironment const scope(settings);
    Exakt::sum(x);
    Exakt::nrm2(x);
    Exakt::dot(x, x);
    Exakt::axpby(2.0, x, 1e10, y);
    Exakt::gemv("N", 1e300, A, Kokkos::subview(B, Kokkos::ALL, 0), 0.0, Kokkos::subview(C, Kokkos::ALL, 0));
    Exakt::gemm("N", "N", 1.0, A, B, 0.0, C);
    Exakt::trsm("L", "L", "N", "N", 1.0, A, C);
    int const flags = std::fetestexcept(FE_ALL_EXCEPT);
    CHECK(flags == 0);
  }
}

TEST_CASE("axpby is right where the environments of threads differ") {
  Random random(1402);
  for (Hardness const hardness : every_hardness) {
    // Enough to wake threads; with factors of one many sums are ties.
    constexpr std::size_t n = Exakt::Impl::entries_worth_threads + 234;
    auto const x = hard_vector<double>(random, hardness, n), y = hard_vector<double>(random, hardness, n);
    HostVector<float> const narrow("narrow", x.extent(0));
    for (std::size_t i = 0; i < x.extent(0); ++i) narrow(i) = static_cast<float>(x(i));
    check_mixtures(std::string("axpby of ") + name_of(hardness), [&] {
      Vector const result("y", y.extent(0));
      Kokkos::deep_copy(result, y);
      Exakt::axpby(0.1, x, -0.7, result);
      return entries_of(result);
    });
    check_mixtures(std::string("axpby by one, ") + name_of(hardness), [&] {
      Vector const result("y", y.extent(0));
      Kokkos::deep_copy(result, y);
      Exakt::axpby(-1, x, 1, result);
      return entries_of(result);
    });
    using Complex = Kokkos::complex<double>;
    for (Complex const alpha : {Complex(1), Complex(0.3, -1)})
      check_mixtures(std::string("complex axpby by one, and by a complex factor, ") + name_of(hardness), [&] {
        Vector const result("y", y.extent(0));
        Kokkos::deep_copy(result, y);
        auto const numbers = [](Vector const& parts) {
          return Kokkos::View<Complex*, Kokkos::HostSpace>(reinterpret_cast<Complex*>(parts.data()), n / 2);
        };
        Exakt::axpby(alpha, numbers(x), 1, numbers(result));
        return entries_of(result);
      });
    check_mixtures(std::string("axpby of floats, ") + name_of(hardness), [&] {
      HostVector<float> const result("y", y.extent(0));
      Kokkos::deep_copy(result, narrow);
      Exakt::axpby(0.3f, narrow, 3.0, result);
      return entries_of(result);
    });
  }
}

TEST_CASE("gemv is right where the environments of threads differ") {
  Random random(1403);
  std::size_t const m = 700, n = 300;
  for (Hardness const hardness : every_hardness) {
    auto const [table, entries] = hard_product<double, double>(random, hardness, m, n);
    auto const left = matrix_of<Left>(table);
    auto const right = matrix_of<Right>(table);
    auto const x = contiguous(entries), u = hard_vector<double>(random, hardness, m);
    check_mixtures(std::string("gemv of ") + name_of(hardness), [&] {
      Vector const y("y", m), z("z", m), w("w", n);
      Exakt::gemv("N", 0.1, left, x, 0.0, y);
      Exakt::gemv("N", 0.1, right, x, 1.0, z);
      Exakt::gemv("T", 1.0, left, u, 0.0, w);
      auto results = entries_of(y);
      for (auto const& some : {entries_of(z), entries_of(w)}) results.insert(results.end(), some.begin(), some.end());
      return results;
    });
  }
  // Few rows: columns are shared too.
  auto const [table, entries] = hard_product<double, double>(random, Hardness::cancelling, 3, 70'000);
  auto const right = matrix_of<Right>(table);
  auto const x = contiguous(entries);
  check_mixtures("gemv of long rows", [&] {
    Vector const y("y", 3);
    Exakt::gemv("N", 1.0, right, x, 0.0, y);
    return entries_of(y);
  });
}

TEST_CASE("gemm by either engine is right where the environments of threads differ") {
  Random random(1404);
  std::vector<Exakt::GemmEngine> engines{Exakt::GemmEngine::direct};
  if (Exakt::Impl::has_integer_gemm() || Exakt::Impl::has_double_gemm()) engines.push_back(Exakt::GemmEngine::modular);
  if (Exakt::Impl::has_double_gemm()) engines.push_back(Exakt::GemmEngine::modular_doubles);
  for (Hardness const hardness : every_hardness) {
    auto const [a, b] = hard_factors<double, double>(random, hardness, 70, 80, 24);
    auto const A = matrix_of<Left>(a), B = matrix_of<Left>(b);
    auto const old = matrix_of<Left>(hard_factors<double, double>(random, hardness, 70, 80, 80).first);
    for (auto const engine : engines) {
      check_mixtures(
          std::string("gemm of ") + name_of(hardness) + ", engine " + std::to_string(static_cast<int>(engine)), [&] {
            auto const C = copy_of(old);
            Exakt::gemm("N", "N", 0.1, A, B, -0.7, C, {.engine = engine});
            return entries_of(C);
          });
    }
  }
}

TEST_CASE("small and thin products of gemm are right where the threads that share them differ in their environments") {
  struct Shape {
    std::size_t m, n, k;
  };
  Random random(1407);
  for (Shape const shape : {Shape{90, 100, 80}, {600, 9, 90}, {9, 600, 90}})
    for (Hardness const hardness : every_hardness) {
      auto const [a, b] = hard_factors<double, double>(random, hardness, shape.m, shape.n, shape.k);
      auto const A = matrix_of<Left>(a), B = matrix_of<Left>(b);
      check_mixtures(std::string("gemm of ") + name_of(hardness), [&] {
        Left const C("C", shape.m, shape.n);
        Exakt::gemm("N", "N", 1.0, A, B, 0.0, C);
        return entries_of(C);
      });
    }
}

TEST_CASE("products of gemm that cancel to a term far below are decided by no thread's own rounding") {
  double const t = 0x1p-70 * (1 + 0x1p-52);
  std::size_t const n = 300, k = 8;
  Left const A("A", n, k), B("B", k, n);
  for (std::size_t i = 0; i < n; ++i) {
    A(i, 0) = A(i, 1) = B(0, i) = 1;
    A(i, 2) = t;
    B(1, i) = -1;
    B(2, i) = -(1 + 0x1p-52);
  }
  double const expected = Exact().add_product(t, -(1 + 0x1p-52)).round<double>().value;
  check_mixtures("gemm", [&] {
    Left const C("C", n, n);
    Exakt::gemm("N", "N", 1.0, A, B, 0.0, C, {.engine = Exakt::GemmEngine::direct});
    std::size_t wrong = 0;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) wrong += !same_bits(C(i, j), expected);
    return Results<double>{C(0, 0), C(n - 1, n - 1), static_cast<double>(wrong)};
  });
  Left const C("C", n, n);
  Exakt::gemm("N", "N", 1.0, A, B, 0.0, C);
  EXAKT_CHECK_BITS(C(n - 1, n - 1), Expected<double>{expected});
}

TEST_CASE("subnormal entries of gemm are entries, whichever thread copied them") {
  std::size_t const n = 128, k = 64;
  Left const A("A", n, k), B("B", k, n);
  for (std::size_t i = 0; i < n; ++i) {
    A(i, 0) = A(i, 1) = B(0, i) = 1;
    A(i, 2) = A(i, 3) = A(i, 4) = tiniest;
    B(1, i) = -1;
    B(2, i) = B(3, i) = B(4, i) = 0.25;
  }
  auto const product = [&] {
    Left const C("C", n, n);
    Exakt::gemm("N", "N", 1.0, A, B, 0.0, C, {.engine = Exakt::GemmEngine::direct});
    return entries_of(C);
  };
  check_mixtures("gemm", product);
  for (double const entry : product()) EXAKT_CHECK_BITS(entry, Expected<double>{tiniest});
}

TEST_CASE("trsv and trsm are right where the environments of threads differ") {
  Random random(1405);
  std::size_t const n = 400, right_sides = 40;
  for (Hardness const hardness : {Hardness::none, Hardness::cancelling, Hardness::tiny, Hardness::special}) {
    Left const A("A", n, n), B("B", n, right_sides);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) A(i, j) = hard_number<double>(random, hardness) * 0x1p-7;
      A(j, j) = random.value<double>(2);
      for (std::size_t k = 0; k < right_sides; ++k) B(j, k) = hard_number<double>(random, hardness);
    }
    check_mixtures(std::string("trsm of ") + name_of(hardness), [&] {
      auto const X = copy_of(B);
      Exakt::trsm("L", "L", "N", "N", 0.7, A, X);
      return entries_of(X);
    });
    check_mixtures(std::string("trsv of ") + name_of(hardness), [&] {
      Vector const x("x", n);
      Kokkos::deep_copy(x, Kokkos::subview(B, Kokkos::ALL, 0));
      Exakt::trsv("L", "N", "N", A, x);
      return entries_of(x);
    });
  }
}

TEST_CASE("symmetric and triangular products are right where the environments of threads differ") {
  Random random(1408);
  std::size_t const n = 190, k = 20;
  using Complex = Kokkos::complex<double>;
  for (Hardness const hardness : {Hardness::none, Hardness::cancelling, Hardness::tiny, Hardness::special}) {
    auto const [table, entries] = hard_product<double, double>(random, hardness, n, n);
    auto const A = matrix_of<Left>(table);
    auto const B = matrix_of<Left>(hard_factors<double, double>(random, hardness, n, k, k).first);
    auto const x = contiguous(entries), y = hard_vector<double>(random, hardness, n);
    // More than one thread looks at, the largest among them smaller than any normal number.
    Kokkos::View<float*, Kokkos::HostSpace> const many("many", 50'000);
    for (std::size_t i = 0; i < many.extent(0); ++i) many(i) = 0x1p-149f * static_cast<float>(random.between(-3, 3));
    many(40'000) = 0x1p-140f;
    check_mixtures(std::string("level 2 of ") + name_of(hardness), [&] {
      Vector const u("u", n), v("v", n);
      Exakt::symv("L", 0.1, A, x, 0.0, u);
      Kokkos::deep_copy(v, x);
      Exakt::trmv("U", "T", "N", A, v);
      auto const C = copy_of(A);
      Exakt::ger(0.3, x, y, C);
      Exakt::syr("U", -0.7, x, C);
      Exakt::syr2("L", 1.0, x, y, C);
      auto results = entries_of(C);
      for (auto const& some : {entries_of(u), entries_of(v)}) results.insert(results.end(), some.begin(), some.end());
      results.push_back(static_cast<double>(Exakt::iamax(x)));
      results.push_back(static_cast<double>(Exakt::iamax(many)));
      return results;
    });
    check_mixtures(std::string("level 3 of ") + name_of(hardness), [&] {
      auto const C = copy_of(A), D = copy_of(B), E = copy_of(B);
      Exakt::syrk("L", "N", 0.1, B, -0.7, C);
      Exakt::syr2k("U", "N", 1.0, B, B, 1.0, C);
      Exakt::symm("L", "U", 0.3, A, B, 1.0, D);
      Exakt::trmm("L", "L", "N", "U", 0.1, A, E);
      auto results = entries_of(C);
      for (auto const& some : {entries_of(D), entries_of(E)}) results.insert(results.end(), some.begin(), some.end());
      return results;
    });
    HostMatrix<Complex, Kokkos::LayoutLeft> const Z("Z", 60, 10), H("H", 60, 60);
    for (std::size_t j = 0; j < 10; ++j)
      for (std::size_t i = 0; i < 60; ++i) Z(i, j) = Complex(B(i, j), B(60 + i, j));
    check_mixtures(std::string("hermitian products of ") + name_of(hardness), [&] {
      Kokkos::deep_copy(H, Complex(1, -1));
      Exakt::herk("L", "N", 0.1, Z, 1.0, H);
      Exakt::her2k("U", "N", Complex(0.3, 2), Z, Z, 1.0, H);
      HostMatrix<Complex, Kokkos::LayoutLeft> const X("X", 60, 10);
      Exakt::hemm("L", "L", 1.0, H, Z, 0.0, X);
      Results<double> results;
      for (auto const* matrix : {&H, &X})
        for (std::size_t i = 0; i < matrix->size(); ++i) {
          results.push_back(matrix->data()[i].real());
          results.push_back(matrix->data()[i].imag());
        }
      return results;
    });
  }
}

TEST_CASE("trsm subtracts what is known on whichever thread it is computed") {
  std::size_t const n = 257;
  Left const A("A", n, n);
  for (std::size_t i = 0; i < n; ++i) A(i, i) = 1;
  A(n - 1, 0) = 1;
  auto const solution = [&] {
    Left const X("X", n, 64);
    Kokkos::deep_copy(X, 1.0);
    Exakt::trsm("L", "L", "N", "N", 1.0, A, X);
    return entries_of(X);
  };
  check_mixtures("trsm", solution);
  auto const x = solution();
  for (std::size_t i = 0; i < x.size(); ++i) EXAKT_CHECK_BITS(x[i], Expected<double>{i % n == n - 1 ? 0.0 : 1.0});
}

TEST_CASE("scattered additions are right where the environments of threads differ") {
  Random random(1407);
  std::size_t const n = 20'000, bins = 50;
  HostVector<int> const to("to", n);
  for (std::size_t i = 0; i < n; ++i) to(i) = random.between(0, static_cast<int>(bins) - 1);
  for (Hardness const hardness : every_hardness) {
    auto const x = hard_vector<double>(random, hardness, n), y = hard_vector<double>(random, hardness, n);
    check_mixtures(std::string("scattered additions of ") + name_of(hardness), [&] {
      Exakt::ScatterSum<double, Space> const sums("sums", bins);
      Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, n), [=](std::size_t i) {
        sums.add(to(i), x(i));
        sums.add_product(to(i), x(i), y(i));
      });
      Vector const rounded("rounded", bins), ordered("ordered", bins);
      sums.round_to(rounded);
      Exakt::ordered_scatter_add(Space(), to, x, ordered, 512);
      auto results = entries_of(rounded);
      for (double const one : entries_of(ordered)) results.push_back(one);
      return results;
    });
  }
}

TEST_CASE("sums by teams are right where the environments of threads differ, those of one team as well") {
  Random random(1409);
  using Policy = Kokkos::TeamPolicy<Space>;
  int const most = std::min(3, Policy(1, 1).team_size_max([](Policy::member_type const&) {}, Kokkos::ParallelForTag()));
  for (Hardness const hardness : every_hardness) {
    auto const x = hard_vector<double>(random, hardness, 12'000);
    Left const rows(x.data(), 60, 200);
    for (int size = 1; size <= most; ++size)
      check_mixtures("teams of " + std::to_string(size) + ", " + name_of(hardness), [&] {
        Vector const by_teams("by teams", 180);
        Left const products("products", 10, 6);
        Kokkos::parallel_for(Policy(60, size), [=](auto const& member) {
          auto const i = static_cast<std::size_t>(member.league_rank());
          auto const row = Kokkos::subview(rows, i, Kokkos::ALL);
          double const sum = Exakt::team_sum(member, row), dot = Exakt::team_dot(member, row, row),
                       norm = Exakt::team_nrm2(member, row);
          // Whichever thread is asked.
          if (member.team_rank() == static_cast<int>(i) % size) {
            by_teams(i) = sum;
            by_teams(60 + i) = dot;
            by_teams(120 + i) = norm;
          }
          if (i < 6) {
            auto const block =
                Kokkos::subview(rows, std::pair<std::size_t, std::size_t>(10 * i, 10 * i + 10), Kokkos::ALL);
            Exakt::team_gemv(member, "N", 0.3, block, row, 0.0, Kokkos::subview(products, Kokkos::ALL, i));
          }
        });
        auto results = entries_of(by_teams);
        for (double const product : entries_of(products)) results.push_back(product);
        return results;
      });
  }
}

TEST_CASE("complex products are right where the environments of threads differ") {
  Random random(1406);
  using Complex = Kokkos::complex<double>;
  using Matrix = HostMatrix<Complex, Kokkos::LayoutLeft>;
  for (Hardness const hardness : every_hardness) {
    auto const [a, b] = hard_factors<double, double>(random, hardness, 80, 40, 26);
    Matrix const A("A", 40, 26), B("B", 26, 20);
    for (std::size_t l = 0; l < 26; ++l) {
      for (std::size_t i = 0; i < 40; ++i) A(i, l) = Complex(a(i, l), a(40 + i, l));
      for (std::size_t j = 0; j < 20; ++j) B(l, j) = Complex(b(l, j), b(l, 20 + j));
    }
    auto const parts = [](auto const& entries) {
      Results<double> result;
      for (std::size_t i = 0; i < entries.size(); ++i) {
        result.push_back(entries.data()[i].real());
        result.push_back(entries.data()[i].imag());
      }
      return result;
    };
    check_mixtures(std::string("complex gemm and gemv of ") + name_of(hardness), [&] {
      Matrix const C("C", 40, 20);
      Exakt::gemm("N", "N", 0.1, A, B, 0.0, C);
      HostVector<Complex> const y("y", 40);
      Exakt::gemv("N", Complex(0.5, 3), A, Kokkos::subview(B, Kokkos::ALL, 1), 0.0, y);
      auto results = parts(C);
      for (double const part : parts(y)) results.push_back(part);
      results.push_back(Exakt::dot(Kokkos::subview(B, Kokkos::ALL, 0), Kokkos::subview(B, Kokkos::ALL, 1)).real());
      return results;
    });
  }
}

TEST_CASE("complex gemv of more than one block is right where the environments of threads differ") {
  Random random(1407);
  using Complex = Kokkos::complex<double>;
  for (Hardness const hardness : {Hardness::none, Hardness::cancelling, Hardness::every_exponent}) {
    // More than the small kernel takes.
    auto const [a, x] = hard_factors<double, double>(random, hardness, 2 * 90, 2, 530);
    HostMatrix<Complex, Kokkos::LayoutLeft> const A("A", 90, 530);
    HostMatrix<Complex, Kokkos::LayoutLeft> const turned("A^T", 530, 90);
    HostVector<Complex> const factor("x", 530);
    for (std::size_t l = 0; l < 530; ++l) {
      factor(l) = Complex(x(l, 0), x(l, 1));
      for (std::size_t i = 0; i < 90; ++i) A(i, l) = turned(l, i) = Complex(a(i, l), a(90 + i, l));
    }
    check_mixtures(std::string("large complex gemv of ") + name_of(hardness), [&] {
      Results<double> results;
      HostVector<Complex> const y("y", 90);
      for (bool const by_columns : {true, false}) {
        by_columns ? Exakt::gemv("N", 0.5, A, factor, 0.0, y) : Exakt::gemv("T", 0.5, turned, factor, 0.0, y);
        for (std::size_t i = 0; i < 90; ++i) results.insert(results.end(), {y(i).real(), y(i).imag()});
      }
      return results;
    });
  }
}
