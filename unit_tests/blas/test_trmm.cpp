// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas3_trmm.hpp>

#include "ExaktTest_StructuredMatrices.hpp"

namespace {

using namespace ExaktTest;
using Kokkos::complex;
using Z = complex<double>;

template <class A, class B, class F>
void check_triangular(Random& random, Hardness hardness, F const& alpha, Sizes sizes, bool every_space = false) {
  auto const [n, m] = sizes;
  for (bool const lower : {true, false})
    for (bool const left : {true, false})
      for (char const trans : {'N', 'T', 'C'}) {
        bool const has_ones = random.coin();
        INFO(name_of(hardness) << ", trmm, n = " << n << ", m = " << m << ", lower " << lower << ", left " << left
                               << ", trans " << trans << ", ones " << has_ones);
        StoredTriangle const triangle{lower, has_ones};
        auto const a = any_table<A>(random, hardness, n, n);
        auto const b = left ? any_table<B>(random, hardness, n, m) : any_table<B>(random, hardness, m, n);
        // op(A), or with A on the right its transpose.
        auto const op = [&](std::size_t i, std::size_t l) -> std::optional<Number> {
          bool const turned = (trans != 'N') == left;
          std::size_t const row = turned ? l : i, column = turned ? i : l;
          if (!triangle.contains(row, column)) return {};
          if (row == column && has_ones) return 1;
          return Number(a(row, column)).conjugated(trans == 'C');
        };
        Expression expression{n, {}, {}, alpha, 0};
        auto const transposed_b = b.transposed();
        auto const& right_side = left ? b : transposed_b;
        expression.left = op;
        expression.right = [&](std::size_t l, std::size_t j) { return Number(right_side(l, j)); };
        auto const check = [&](auto const& space) {
          auto const x = stored(triangle.poisoned(a), storages.next());
          auto const y = stored(b, storages.next());
          Exakt::trmm(space, left ? "L" : "R", triangle.uplo(), trans, triangle.diag(), alpha, x, y);
          check_expression(expression, right_side,
                           [&](std::size_t i, std::size_t j) { return left ? y(i, j) : y(j, i); });
        };
        if (every_space) {
          for_each_host_space(check);
        } else {
          check(Kokkos::DefaultHostExecutionSpace());
        }
      }
}

}  // namespace

TEST_CASE("each entry of trmm is the exact product, rounded once, in every mode; where A has no entry nothing counts") {
  Random random(863);
  for (Hardness const hardness : every_hardness) {
    HardFactors const factors(random);
    check_triangular<double, double>(random, hardness, factors.alpha, some_sizes(random));
    check_triangular<double, double>(random, hardness, 1, {1, 3});
    check_triangular<float, double>(random, hardness, -1, some_sizes(random));
    check_triangular<float, float>(random, hardness, 0, {3, 3});
    check_triangular<complex<double>, complex<double>>(random, hardness, complex<double>(1, -2), some_sizes(random));
    check_triangular<complex<double>, complex<double>>(random, hardness, factors.alpha, some_sizes(random));
    check_triangular<double, complex<float>>(random, hardness, 0.1f, {6, 1});
  }
}

TEST_CASE("trmm with more rows than a panel has, infinities and NaN among them, on every host space") {
  Random random(864);
  check_triangular<double, double>(random, Hardness::special, 0.7,
                                   {Exakt::Impl::panel_of_triangle<Kokkos::DefaultHostExecutionSpace> + 20, 2}, true);
  check_triangular<double, double>(random, Hardness::none, -1,
                                   {Exakt::Impl::panel_of_triangle<Kokkos::DefaultHostExecutionSpace> + 1, 2});
}

TEST_CASE("trmm refuses operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  auto const a = poisoned<Matrix>(3, 3), b = poisoned<Matrix>(3, 2), c = poisoned<Matrix>(3, 2),
             square = poisoned<Matrix>(3, 3), turned = poisoned<Matrix>(2, 3);
  HostMatrix<complex<double>, Kokkos::LayoutLeft> const z("z", 3, 3), factor("factor", 3, 3);
  CHECK(refusal_of([&] { Exakt::trmm("L", "U", "N", "L", 1, a, b); }) == "Exakt::trmm: diag is 'L'; it must be U or N");
  CHECK(refusal_of([&] { Exakt::trmm("R", "U", "N", "N", 1, a, b); }) ==
        "Exakt::trmm: A is 3 x 3, B is 3 x 2; with side 'R', A.extent(0) must equal B.extent(1)");
  CHECK(refusal_of([&] { Exakt::trmm("L", "U", "N", "N", 1, a, a); }) ==
        "Exakt::trmm: B is 3 x 3, A is 3 x 3; they must not share memory");
}
