// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_ger.hpp>
#include <ExaktBlas2_hemv.hpp>
#include <ExaktBlas2_her.hpp>
#include <ExaktBlas2_her2.hpp>
#include <ExaktBlas2_symv.hpp>
#include <ExaktBlas2_syr.hpp>
#include <ExaktBlas2_syr2.hpp>
#include <ExaktBlas2_trmv.hpp>

#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Expressions.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Refusal.hpp"

namespace {

using namespace ExaktTest;
using Kokkos::complex;
using Z = complex<double>;

std::size_t turn = 0;
Storage next_storage() { return every_storage[turn++ % 5]; }
template <class T>
StridedVector<T> next_vector(Table<T> const& column) {
  return stored_vector(column.entries, turn++ % 2 == 0);
}

/// symv and hemv.
template <class A, class X, class Y, class F, class G>
void check_mirrored(Random& random, Hardness hardness, bool hermitian, F const& alpha, G const& beta, std::size_t n) {
  for (bool const lower : {true, false})
    for (Storage const storage : every_storage) {
      INFO(name_of(hardness) << ", " << (hermitian ? "hemv" : "symv") << ", n = " << n << ", lower " << lower
                             << ", storage " << static_cast<int>(storage));
      StoredTriangle const triangle{lower, false, hermitian};
      auto const a = any_table<A>(random, hardness, n, n);
      auto const x = any_table<X>(random, hardness, n, 1);
      auto const y = any_table<Y>(random, hardness, n, 1);
      Expression expression{n, {}, {}, alpha, beta};
      expression.left = [&](std::size_t i, std::size_t j) -> Number {
        if (!triangle.contains(i, j)) return Number(a(j, i)).conjugated(hermitian);
        return i == j && hermitian ? Number(a(i, j)).without_imaginary_part() : Number(a(i, j));
      };
      expression.right = [&](std::size_t l, std::size_t) { return Number(x(l, 0)); };
      auto const matrix = stored(triangle.poisoned(a), storage);
      auto const factor = next_vector(x);
      auto const check = [&](auto const& space) {
        auto const result = next_vector(y);
        if (hermitian) {
          Exakt::hemv(space, triangle.uplo(), alpha, matrix, factor, beta, result);
        } else {
          Exakt::symv(space, triangle.uplo(), alpha, matrix, factor, beta, result);
        }
        check_expression(expression, y, [&](std::size_t i, std::size_t) { return result(i); });
      };
      if (n > 60) {
        for_each_host_space(check);
      } else {
        check(Kokkos::DefaultHostExecutionSpace());
      }
    }
}

template <class A, class X>
void check_triangular(Random& random, Hardness hardness, std::size_t n) {
  for (bool const lower : {true, false})
    for (bool const has_ones : {true, false})
      for (char const trans : {'N', 'T', 'C'}) {
        INFO(name_of(hardness) << ", trmv, n = " << n << ", lower " << lower << ", ones " << has_ones << ", trans "
                               << trans);
        StoredTriangle const triangle{lower, has_ones};
        auto const a = any_table<A>(random, hardness, n, n);
        auto const x = any_table<X>(random, hardness, n, 1);
        Expression expression{n, {}, {}, 1, 0};
        expression.left = [&](std::size_t i, std::size_t l) -> std::optional<Number> {
          std::size_t const row = trans == 'N' ? i : l, column = trans == 'N' ? l : i;
          if (!triangle.contains(row, column)) return {};
          if (row == column && has_ones) return 1;
          return Number(a(row, column)).conjugated(trans == 'C');
        };
        expression.right = [&](std::size_t l, std::size_t) { return Number(x(l, 0)); };
        auto const result = next_vector(x);
        Exakt::trmv(triangle.uplo(), trans, triangle.diag(), stored(triangle.poisoned(a), next_storage()), result);
        check_expression(expression, x, [&](std::size_t i, std::size_t) { return result(i); });
      }
}

/// ger in every spelling.
template <class X, class Y, class A, class F>
void check_outer_of(F const& alpha, Table<X> const& x, Table<Y> const& y, Table<A> const& a) {
  std::size_t const m = a.rows, n = a.columns;
  auto const left = next_vector(x);
  auto const right = next_vector(y);
  for (Storage const storage : every_storage)
    for (int spelling = 0; spelling < 5; ++spelling) {
      bool const conjugates = spelling == 1 || spelling == 4;
      INFO("ger " << m << " x " << n << ", spelling " << spelling << ", storage " << static_cast<int>(storage));
      Expression const expression{1, [&](std::size_t i, std::size_t) { return Number(x(i, 0)); },
                                  [&](std::size_t, std::size_t j) { return Number(y(j, 0)).conjugated(conjugates); },
                                  alpha, 1};
      auto const matrix = stored(a, storage);
      if (spelling == 0) Exakt::ger("T", alpha, left, right, matrix);
      if (spelling == 1) Exakt::ger(Kokkos::DefaultHostExecutionSpace(), "H", alpha, left, right, matrix);
      if (spelling == 2) Exakt::ger(alpha, left, right, matrix);
      if (spelling == 3) Exakt::geru(alpha, left, right, matrix);
      if (spelling == 4) Exakt::gerc(Kokkos::DefaultHostExecutionSpace(), alpha, left, right, matrix);
      check_expression(expression, a, matrix);
    }
}

template <class X, class Y, class A, class F>
void check_outer(Random& random, Hardness hardness, F const& alpha, std::size_t m, std::size_t n) {
  INFO(name_of(hardness));
  auto const x = any_table<X>(random, hardness, m, 1);
  auto const y = any_table<Y>(random, hardness, n, 1);
  check_outer_of(alpha, x, y, any_table<A>(random, hardness, m, n));
}

/// syr, her, syr2, her2, in the spellings of the BLAS and of Kokkos Kernels.
template <class X, class Y, class A, class F>
void check_updates(Random& random, Hardness hardness, bool hermitian, F const& alpha, std::size_t n) {
  auto const x = any_table<X>(random, hardness, n, 1);
  auto const y = any_table<Y>(random, hardness, n, 1);
  auto const a = any_table<A>(random, hardness, n, n);
  auto const left = next_vector(x);
  auto const right = next_vector(y);
  for (bool const lower : {true, false})
    for (bool const of_two : {true, false})
      for (bool const with_trans : {true, false}) {
        INFO(name_of(hardness) << ", n = " << n << ", hermitian " << hermitian << ", lower " << lower << ", of two "
                               << of_two << ", with trans " << with_trans);
        StoredTriangle const triangle{lower, false, hermitian};
        if (hermitian && !of_two && Number(alpha).imaginary != 0) continue;
        Number const factor = hermitian && Number(alpha).imaginary == 0 ? Number(Number(alpha).real) : Number(alpha);
        auto const& other = y;
        Expression expression{1, [&](std::size_t i, std::size_t) { return Number(x(i, 0)); }, {}, factor, 1};
        expression.right = [&](std::size_t, std::size_t j) {
          return (of_two ? Number(other(j, 0)) : Number(x(j, 0))).conjugated(hermitian);
        };
        if (of_two) {
          expression.second_left = [&](std::size_t i, std::size_t) { return Number(other(i, 0)); };
          expression.second_right = [&](std::size_t, std::size_t j) { return Number(x(j, 0)).conjugated(hermitian); };
          expression.second_alpha = factor.conjugated(hermitian);
        }
        expression.has_real_diagonal = hermitian;
        expression.is_written = [&](std::size_t i, std::size_t j) { return triangle.contains(i, j); };
        auto const old = triangle.poisoned(a);
        auto const matrix = stored(old, next_storage());
        char const* const trans = hermitian ? "H" : "T";
        if (of_two && with_trans) {
          Exakt::syr2(trans, triangle.uplo(), alpha, left, right, matrix);
        } else if (of_two) {
          if (hermitian) {
            Exakt::her2(triangle.uplo(), alpha, left, right, matrix);
          } else {
            Exakt::syr2(Kokkos::DefaultHostExecutionSpace(), triangle.uplo(), alpha, left, right, matrix);
          }
        } else if (with_trans) {
          Exakt::syr(Kokkos::DefaultHostExecutionSpace(), trans, triangle.uplo(), alpha, left, matrix);
        } else if (hermitian) {
          Exakt::her(triangle.uplo(), alpha, left, matrix);
        } else {
          Exakt::syr(triangle.uplo(), alpha, left, matrix);
        }
        check_expression(expression, old, matrix);
      }
}

}  // namespace

TEST_CASE("each entry of symv and hemv is the exact right side, rounded once, and one triangle of A is read") {
  Random random(850);
  for (Hardness const hardness : every_hardness) {
    HardFactors const factors(random);
    auto const n = random.between<std::size_t>(2, 20);
    check_mirrored<double, double, double>(random, hardness, false, factors.alpha, factors.beta, n);
    check_mirrored<double, double, double>(random, hardness, true, 1, 0, 1);
    check_mirrored<float, double, double>(random, hardness, false, -1, 0.5f, n);
    check_mirrored<float, float, float>(random, hardness, false, 0.1f, 1, n);
    check_mirrored<Z, Z, Z>(random, hardness, false, factors.alpha, Z(1, 0.1), 7);
    check_mirrored<Z, Z, Z>(random, hardness, true, Z(0.3, -2), 0.0, 6);
    check_mirrored<complex<float>, double, Z>(random, hardness, true, factors.alpha, 2, n);
    check_mirrored<double, double, double>(random, hardness, false, 0, factors.beta, 3);
  }
  check_mirrored<double, double, double>(random, Hardness::none, false, 1, 1, 0);
}

TEST_CASE("symv of more rows than a panel has, on every host space") {
  Random random(851);
  check_mirrored<double, double, double>(random, Hardness::none, false, 0.7, 1.5, 2 * Exakt::Impl::panel_of_vector + 5);
  check_mirrored<double, float, float>(random, Hardness::cancelling, false, 1, 0, Exakt::Impl::panel_of_vector + 5);
  check_mirrored<Z, Z, Z>(random, Hardness::special, true, 1, 0, Exakt::Impl::panel_of_vector + 1);
  // Blocks of several squares, on one thread.
  check_mirrored<double, double, double>(random, Hardness::none, false, 1, 0, 300);
  check_mirrored<double, double, double>(random, Hardness::special, false, 0.3, 1, 300);
}

TEST_CASE("each entry of trmv is the exact product, rounded once, in every mode; where A has no entry nothing counts") {
  Random random(852);
  for (Hardness const hardness : every_hardness) {
    check_triangular<double, double>(random, hardness, random.between<std::size_t>(0, 20));
    check_triangular<double, double>(random, hardness, 1);
    check_triangular<float, double>(random, hardness, 5);
    check_triangular<float, float>(random, hardness, 9);
    check_triangular<Z, Z>(random, hardness, 8);
    check_triangular<double, complex<float>>(random, hardness, 4);
  }
  check_triangular<double, double>(random, Hardness::special, 2 * Exakt::Impl::panel_of_vector + 3);
  check_triangular<double, double>(random, Hardness::cancelling, 2 * Exakt::Impl::panel_of_vector + 3);
  check_triangular<double, double>(random, Hardness::none, 300);
}

TEST_CASE("each entry of ger, geru and gerc is the exact right side, rounded once, in every spelling and storage") {
  Random random(853);
  for (Hardness const hardness : every_hardness) {
    HardFactors const factors(random);
    auto const m = random.between<std::size_t>(0, 40), n = random.between<std::size_t>(0, 20);
    for (double const alpha : {factors.alpha, 1.0, -1.0, 0.25, 0.0, 0.3})
      check_outer<double, double, double>(random, hardness, alpha, m, n);
    check_outer<double, double, double>(random, hardness, 1, 1, 1);
    check_outer<float, double, double>(random, hardness, -0.1, m, n);
    check_outer<float, float, float>(random, hardness, 0.1f, m, n);
    check_outer<double, float, float>(random, hardness, 3, m, n);
    check_outer<Z, Z, Z>(random, hardness, Z(1, -2), 5, 4);
    check_outer<Z, Z, Z>(random, hardness, 1, 9, 14);
    check_outer<double, Z, Z>(random, hardness, factors.alpha, 3, 4);
    check_outer<complex<float>, complex<float>, complex<float>>(random, hardness, 1, 3, 4);
  }
  check_outer<double, double, double>(random, Hardness::none, 0.7, 600, 3);
  check_outer<double, double, double>(random, Hardness::none, 1, 3, 600);
}

TEST_CASE("ger of numbers so small that products lose bits, and of zeros of either sign") {
  Random random(855);
  auto const tiny = [&] { return random.one_of(0.0, -0.0, random.value<double>(random.between(-1074, -900))); };
  for (double const alpha : {1.0, -1.0, 0.3}) {
    Table<double> x(40, 1), y(20, 1), a(40, 20);
    for (double& entry : x.entries) entry = tiny();
    for (double& entry : y.entries) entry = random.value<double>(random.between(-3, 60));
    for (double& entry : a.entries) entry = tiny();
    check_outer_of(alpha, x, y, a);
  }
}

TEST_CASE("ger next to ties, by less than two doubles hold") {
  // 1 + 2^-52 + 2^-53 - 2^-107: two doubles make it the tie, which rounds up.
  Table<double> x(20, 1), y(20, 1), a(20, 20);
  for (double& entry : x.entries) entry = 1 - 0x1p-27;
  for (double& entry : y.entries) entry = 0x1p-53 * (1 + 0x1p-27);
  for (double& entry : a.entries) entry = 1 + 0x1p-52;
  for (double const alpha : {1.0, -1.0, 1 + 0x1p-52}) check_outer_of(alpha, x, y, a);
  for (double& entry : a.entries) entry = -1 - 0x1p-52;
  check_outer_of(-1.0, x, y, a);
}

TEST_CASE("each entry of the triangle of syr, her, syr2 and her2 is the exact right side; the rest stays") {
  Random random(854);
  for (Hardness const hardness : every_hardness) {
    HardFactors const factors(random);
    auto const n = random.between<std::size_t>(2, 20);
    check_updates<double, double, double>(random, hardness, false, factors.alpha, n);
    check_updates<double, double, double>(random, hardness, true, 1, 1);
    check_updates<float, double, double>(random, hardness, false, -1, n);
    check_updates<float, float, float>(random, hardness, false, 0.1f, n);
    check_updates<Z, Z, Z>(random, hardness, false, Z(1, -2), 6);
    check_updates<Z, Z, Z>(random, hardness, true, factors.alpha, 7);
    check_updates<Z, Z, Z>(random, hardness, true, Z(0.3, -2), 7);
    check_updates<complex<float>, complex<float>, complex<float>>(random, hardness, true, complex<float>(3, 0), 7);
    check_updates<double, double, double>(random, hardness, false, 0, 3);
  }
  check_updates<double, double, double>(random, Hardness::none, false, 0.7, 90);
}

TEST_CASE("the verbs of level 2 refuse operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  using Vector = HostVector<double>;
  auto const a = poisoned<Matrix>(3, 3), wide = poisoned<Matrix>(3, 2);
  auto const x = poisoned<Vector>(3), y = poisoned<Vector>(3), two = poisoned<Vector>(2);
  auto const column = Kokkos::subview(a, Kokkos::ALL, 1);
  CHECK(refusal_of([&] { Exakt::symv("N", 1, a, x, 0, y); }) == "Exakt::symv: uplo is 'N'; it must be U or L");
  CHECK(refusal_of([&] { Exakt::hemv("U", 1, wide, x, 0, y); }) == "Exakt::hemv: A is 3 x 2; it must be square");
  CHECK(refusal_of([&] { Exakt::symv("U", 1, a, two, 0, y); }) ==
        "Exakt::symv: A is 3 x 3, x is 2 entries; A.extent(1) must equal x.extent(0)");
  CHECK(refusal_of([&] { Exakt::symv("U", 1, a, x, 0, two); }) ==
        "Exakt::symv: A is 3 x 3, y is 2 entries; A.extent(0) must equal y.extent(0)");
  CHECK(refusal_of([&] { Exakt::symv("U", 1, a, x, 0, x); }) ==
        "Exakt::symv: y is 3 entries, x is 3 entries; they must not share memory");
  CHECK(refusal_of([&] { Exakt::symv("U", 1, a, x, 0, column); }) ==
        "Exakt::symv: y is 3 entries, A is 3 x 3; they must not share memory");
  CHECK(refusal_of([&] { Exakt::trmv("U", "H", "N", a, x); }) == "Exakt::trmv: trans is 'H'; it must be N, T or C");
  CHECK(refusal_of([&] { Exakt::trmv("U", "N", "N", a, two); }) ==
        "Exakt::trmv: A is 3 x 3, x is 2 entries; A.extent(0) must equal x.extent(0)");
  CHECK(refusal_of([&] { Exakt::trmv("U", "N", "N", a, column); }) ==
        "Exakt::trmv: x is 3 entries, A is 3 x 3; they must not share memory");
  CHECK(refusal_of([&] { Exakt::ger("C", 1, x, two, wide); }) == "Exakt::ger: trans is 'C'; it must be T or H");
  CHECK(refusal_of([&] { Exakt::geru(1, two, two, wide); }) ==
        "Exakt::geru: A is 3 x 2, x is 2 entries; A.extent(0) must equal x.extent(0)");
  CHECK(refusal_of([&] { Exakt::gerc(1, x, y, wide); }) ==
        "Exakt::gerc: A is 3 x 2, y is 3 entries; A.extent(1) must equal y.extent(0)");
  CHECK(refusal_of([&] { Exakt::ger(1, column, x, a); }) ==
        "Exakt::ger: A is 3 x 3, x is 3 entries; they must not share memory");
  CHECK(refusal_of([&] { Exakt::syr("U", 1, two, a); }) ==
        "Exakt::syr: A is 3 x 3, x is 2 entries; A.extent(0) must equal x.extent(0)");
  CHECK(refusal_of([&] { Exakt::syr2("U", 1, x, column, a); }) ==
        "Exakt::syr2: A is 3 x 3, y is 3 entries; they must not share memory");
  CHECK(refusal_of([&] { Exakt::her("U", 1, x, wide); }) == "Exakt::her: A is 3 x 2; it must be square");
  HostMatrix<Z, Kokkos::LayoutLeft> const z("z", 3, 3);
  CHECK(refusal_of([&] { Exakt::her("U", Z(1, 0.5), x, z); }) ==
        "Exakt::her: alpha has an imaginary part of 0.500000; it must be real");
  CHECK(refusal_of([&] { Exakt::symv("U", 1, a, x, 0, y); }) == "no refusal");
}
