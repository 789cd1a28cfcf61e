// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas3_hemm.hpp>
#include <ExaktBlas3_symm.hpp>

#include "ExaktTest_StructuredMatrices.hpp"

namespace {

using namespace ExaktTest;
using Kokkos::complex;
using Z = complex<double>;

/// symm and hemm, on the left and on the right.
template <class A, class B, class C, class F, class G>
void check_mirrored(Random& random, Hardness hardness, bool hermitian, F const& alpha, G const& beta, Sizes sizes) {
  auto const [n, m] = sizes;
  for (bool const lower : {true, false})
    for (bool const left : {true, false}) {
      INFO(name_of(hardness) << ", " << (hermitian ? "hemm" : "symm") << ", n = " << n << ", m = " << m << ", lower "
                             << lower << ", left " << left);
      StoredTriangle const triangle{lower, false, hermitian};
      auto const a = any_table<A>(random, hardness, n, n);
      auto const b = left ? any_table<B>(random, hardness, n, m) : any_table<B>(random, hardness, m, n);
      auto const c = any_table<C>(random, hardness, b.rows, b.columns);
      auto const mirrored = [&](std::size_t i, std::size_t j) -> Number {
        if (!triangle.contains(i, j)) return Number(a(j, i)).conjugated(hermitian);
        return i == j && hermitian ? Number(a(i, j)).without_imaginary_part() : Number(a(i, j));
      };
      Expression expression{n, {}, {}, alpha, beta};
      if (left) {
        expression.left = mirrored;
        expression.right = [&](std::size_t l, std::size_t j) { return Number(b(l, j)); };
      } else {
        expression.left = [&](std::size_t i, std::size_t l) { return Number(b(i, l)); };
        expression.right = mirrored;
      }
      auto const x = stored(triangle.poisoned(a), storages.next());
      auto const y = stored(b, storages.next());
      auto const z = stored(c, storages.next());
      if (hermitian) {
        Exakt::hemm(left ? "L" : "R", triangle.uplo(), alpha, x, y, beta, z);
      } else {
        Exakt::symm(left ? "L" : "R", triangle.uplo(), alpha, x, y, beta, z);
      }
      check_expression(expression, c, z);
    }
}

}  // namespace

TEST_CASE("each entry of symm and hemm is the exact right side, rounded once, and one triangle of A is read") {
  Random random(860);
  for (Hardness const hardness : every_hardness) {
    HardFactors const factors(random);
    check_mirrored<double, double, double>(random, hardness, false, factors.alpha, factors.beta, some_sizes(random));
    check_mirrored<double, double, double>(random, hardness, true, 1, 1, {1, 1});
    check_mirrored<float, double, double>(random, hardness, false, -1, 0.5f, some_sizes(random));
    check_mirrored<float, float, float>(random, hardness, false, 0.1f, 0, some_sizes(random));
    check_mirrored<complex<double>, complex<double>, complex<double>>(random, hardness, false, factors.alpha,
                                                                      complex<double>(1, 0.1), {7, 3});
    check_mirrored<complex<double>, complex<double>, complex<double>>(random, hardness, true, complex<double>(0.3, -2),
                                                                      0.0, {6, 4});
    check_mirrored<complex<float>, double, complex<double>>(random, hardness, true, factors.alpha, 2,
                                                            some_sizes(random));
    check_mirrored<double, complex<double>, complex<double>>(random, hardness, false, 0, factors.beta, {3, 2});
  }
  check_mirrored<double, double, double>(random, Hardness::cancelling, false, 0.7, 1.5, {130, 5});
  check_mirrored<double, double, double>(random, Hardness::none, false, 0.7, 1.5, {130, 1});
}

TEST_CASE("symm and hemm refuse operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  auto const a = poisoned<Matrix>(3, 3), b = poisoned<Matrix>(3, 2), c = poisoned<Matrix>(3, 2),
             square = poisoned<Matrix>(3, 3), turned = poisoned<Matrix>(2, 3);
  HostMatrix<complex<double>, Kokkos::LayoutLeft> const z("z", 3, 3), factor("factor", 3, 3);
  CHECK(refusal_of([&] { Exakt::symm("X", "U", 1, a, b, 0, c); }) == "Exakt::symm: side is 'X'; it must be L or R");
  CHECK(refusal_of([&] { Exakt::hemm("L", "N", 1, a, b, 0, c); }) == "Exakt::hemm: uplo is 'N'; it must be U or L");
  CHECK(refusal_of([&] { Exakt::symm("L", "U", 1, b, b, 0, c); }) == "Exakt::symm: A is 3 x 2; it must be square");
  CHECK(refusal_of([&] { Exakt::symm("R", "U", 1, a, b, 0, c); }) ==
        "Exakt::symm: A is 3 x 3, B is 3 x 2; with side 'R', A.extent(0) must equal B.extent(1)");
  CHECK(refusal_of([&] { Exakt::symm("L", "U", 1, a, b, 0, a); }) ==
        "Exakt::symm: B is 3 x 2, C is 3 x 3; B.extent(1) must equal C.extent(1)");
  CHECK(refusal_of([&] { Exakt::symm("L", "U", 1, a, b, 0, b); }) ==
        "Exakt::symm: C is 3 x 2, B is 3 x 2; they must not share memory");
  CHECK(refusal_of([&] { Exakt::symm("L", "U", 1, a, square, 0, a); }) ==
        "Exakt::symm: C is 3 x 3, A is 3 x 3; they must not share memory");
}
