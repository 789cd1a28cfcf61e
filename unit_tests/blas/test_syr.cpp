// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_her.hpp>
#include <ExaktBlas2_her2.hpp>
#include <ExaktBlas2_syr.hpp>
#include <ExaktBlas2_syr2.hpp>

#include "ExaktTest_StructuredMatrices.hpp"

namespace {

using namespace ExaktTest;
using Kokkos::complex;
using Z = complex<double>;

/// syr, her, syr2, her2, in the spellings of the BLAS and of Kokkos Kernels.
template <class X, class Y, class A, class F>
void check_updates(Random& random, Hardness hardness, bool hermitian, F const& alpha, std::size_t n) {
  auto const x = any_table<X>(random, hardness, n, 1);
  auto const y = any_table<Y>(random, hardness, n, 1);
  auto const a = any_table<A>(random, hardness, n, n);
  auto const left = storages.next_vector(x);
  auto const right = storages.next_vector(y);
  // Of a complex vector and a real one the latter has imaginary parts of zero.
  auto const number = [](auto const& entry, bool of_two) {
    Number result(entry);
    if (of_two && (PartsOf<X>::is_complex || PartsOf<Y>::is_complex)) result.is_complex = true;
    return result;
  };
  for (bool const lower : {true, false})
    for (bool const of_two : {true, false})
      for (bool const with_trans : {true, false}) {
        INFO(name_of(hardness) << ", n = " << n << ", hermitian " << hermitian << ", lower " << lower << ", of two "
                               << of_two << ", with trans " << with_trans);
        StoredTriangle const triangle{lower, false, hermitian};
        if (hermitian && !of_two && Number(alpha).imaginary != 0) continue;
        Number const factor = hermitian && Number(alpha).imaginary == 0 ? Number(Number(alpha).real) : Number(alpha);
        auto const of_x = [&](std::size_t i) { return number(x(i, 0), of_two); };
        auto const of_y = [&](std::size_t i) { return number(y(i, 0), of_two); };
        Expression expression{1, [&](std::size_t i, std::size_t) { return of_x(i); }, {}, factor, 1};
        expression.right = [&](std::size_t, std::size_t j) {
          return (of_two ? of_y(j) : of_x(j)).conjugated(hermitian);
        };
        if (of_two) {
          expression.second_left = [&](std::size_t i, std::size_t) { return of_y(i); };
          expression.second_right = [&](std::size_t, std::size_t j) { return of_x(j).conjugated(hermitian); };
          expression.second_alpha = factor.conjugated(hermitian);
        }
        expression.has_real_diagonal = hermitian;
        expression.is_written = [&](std::size_t i, std::size_t j) { return triangle.contains(i, j); };
        auto const old = triangle.poisoned(a);
        auto const matrix = stored(old, storages.next());
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
    for (bool const hermitian : {false, true}) {
      check_updates<double, Z, Z>(random, hardness, hermitian, factors.alpha, 7);
      check_updates<complex<float>, double, Z>(random, hardness, hermitian, Z(0.3, -2), 7);
    }
  }
  check_updates<double, double, double>(random, Hardness::none, false, 0.7, 90);
}

TEST_CASE("syr2 and her2 of a complex vector and a real one: what is infinite or NaN meets imaginary parts of zero") {
  double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (double const special : {infinity, nan}) {
    HostVector<double> const x("x", 2);
    HostVector<Z> const y("y", 2);
    HostMatrix<Z, Kokkos::LayoutLeft> const symmetric("symmetric", 2, 2), hermitian("hermitian", 2, 2);
    x(1) = 2;
    y(0) = Z(special, 1);
    Exakt::syr2("L", 1, x, y, symmetric);
    Exakt::her2("L", 1, y, x, hermitian);
    for (auto const& a : {symmetric, hermitian}) {
      CHECK(same_bits(a(1, 0).real(), special));
      CHECK(same_bits(a(1, 0).imag(), nan));
    }
  }
}

TEST_CASE("syr, her, syr2 and her2 refuse operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  using Vector = HostVector<double>;
  auto const a = poisoned<Matrix>(3, 3), wide = poisoned<Matrix>(3, 2);
  auto const x = poisoned<Vector>(3), y = poisoned<Vector>(3), two = poisoned<Vector>(2);
  auto const column = Kokkos::subview(a, Kokkos::ALL, 1);
  HostMatrix<Z, Kokkos::LayoutLeft> const z("z", 3, 3);
  CHECK(refusal_of([&] { Exakt::syr("U", 1, two, a); }) ==
        "Exakt::syr: A is 3 x 3, x is 2 entries; A.extent(0) must equal x.extent(0)");
  CHECK(refusal_of([&] { Exakt::syr2("U", 1, x, column, a); }) ==
        "Exakt::syr2: A is 3 x 3, y is 3 entries; they must not share memory");
  CHECK(refusal_of([&] { Exakt::syr2("U", 1, column, x, a); }) ==
        "Exakt::syr2: A is 3 x 3, x is 3 entries; they must not share memory");
  CHECK(refusal_of([&] { Exakt::syr("U", 1, column, a); }) ==
        "Exakt::syr: A is 3 x 3, x is 3 entries; they must not share memory");
  CHECK(refusal_of([&] { Exakt::her("U", 1, x, wide); }) == "Exakt::her: A is 3 x 2; it must be square");
  CHECK(refusal_of([&] { Exakt::her("U", Z(1, 0.5), x, z); }) ==
        "Exakt::her: alpha has an imaginary part of 0.5; it must be real");
}
