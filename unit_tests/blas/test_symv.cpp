// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_hemv.hpp>
#include <ExaktBlas2_symv.hpp>

#include "ExaktTest_StructuredMatrices.hpp"

namespace {

using namespace ExaktTest;
using Kokkos::complex;
using Z = complex<double>;

/// symv and hemv.
template <class A, class X, class Y, class F, class G>
void check_mirrored(Random& random, Hardness hardness, bool hermitian, F const& alpha, G const& beta, std::size_t n,
                    bool has_zeros = false) {
  for (bool const lower : {true, false})
    for (Storage const storage : every_storage) {
      INFO(name_of(hardness) << ", " << (hermitian ? "hemv" : "symv") << ", n = " << n << ", lower " << lower
                             << ", storage " << static_cast<int>(storage));
      StoredTriangle const triangle{lower, false, hermitian};
      auto a = any_table<A>(random, hardness, n, n);
      auto x = any_table<X>(random, hardness, n, 1);
      if (has_zeros) {
        clear_blocks(random, a);
        clear_blocks(random, x);
      }
      auto const y = any_table<Y>(random, hardness, n, 1);
      Expression expression{n, {}, {}, alpha, beta};
      expression.left = [&](std::size_t i, std::size_t j) -> Number {
        if (!triangle.contains(i, j)) return Number(a(j, i)).conjugated(hermitian);
        return i == j && hermitian ? Number(a(i, j)).without_imaginary_part() : Number(a(i, j));
      };
      expression.right = [&](std::size_t l, std::size_t) { return Number(x(l, 0)); };
      auto const matrix = stored(triangle.poisoned(a), storage);
      auto const factor = storages.next_vector(x);
      auto const check = [&](auto const& space) {
        auto const result = storages.next_vector(y);
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

TEST_CASE("symv of rows and vectors of zeros") {
  Random random(853);
  for (Hardness const hardness : {Hardness::none, Hardness::special})
    for (double const beta : {0.0, 1.0, 2.0}) {
      check_mirrored<double, double, double>(random, hardness, false, -0.3, beta, 45, true);
      check_mirrored<float, float, float>(random, hardness, false, 1, beta, 45, true);
      check_mirrored<Z, Z, Z>(random, hardness, true, 1, beta, 20, true);
    }
  check_mirrored<double, double, double>(random, Hardness::none, false, 1, 0, 300, true);
}

TEST_CASE("symv and hemv refuse operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  using Vector = HostVector<double>;
  auto const a = poisoned<Matrix>(3, 3), wide = poisoned<Matrix>(3, 2);
  auto const x = poisoned<Vector>(3), y = poisoned<Vector>(3), two = poisoned<Vector>(2);
  auto const column = Kokkos::subview(a, Kokkos::ALL, 1);
  HostMatrix<Z, Kokkos::LayoutLeft> const z("z", 3, 3);
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
  CHECK(refusal_of([&] { Exakt::symv("U", 1, a, x, 0, y); }) == "no refusal");
}
