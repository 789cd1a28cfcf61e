// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_trmv.hpp>

#include "ExaktTest_StructuredMatrices.hpp"

namespace {

using namespace ExaktTest;
using Kokkos::complex;
using Z = complex<double>;

template <class A, class X>
void check_triangular(Random& random, Hardness hardness, std::size_t n, bool has_zeros = false) {
  for (bool const lower : {true, false})
    for (bool const has_ones : {true, false})
      for (char const trans : {'N', 'T', 'C'}) {
        INFO(name_of(hardness) << ", trmv, n = " << n << ", lower " << lower << ", ones " << has_ones << ", trans "
                               << trans);
        StoredTriangle const triangle{lower, has_ones};
        auto a = any_table<A>(random, hardness, n, n);
        auto x = any_table<X>(random, hardness, n, 1);
        if (has_zeros) {
          clear_blocks(random, a);
          clear_blocks(random, x);
        }
        Expression expression{n, {}, {}, 1, 0};
        expression.left = [&](std::size_t i, std::size_t l) -> std::optional<Number> {
          std::size_t const row = trans == 'N' ? i : l, column = trans == 'N' ? l : i;
          if (!triangle.contains(row, column)) return {};
          if (row == column && has_ones) return 1;
          return Number(a(row, column)).conjugated(trans == 'C');
        };
        expression.right = [&](std::size_t l, std::size_t) { return Number(x(l, 0)); };
        auto const result = storages.next_vector(x);
        Exakt::trmv(triangle.uplo(), trans, triangle.diag(), stored(triangle.poisoned(a), storages.next()), result);
        check_expression(expression, x, [&](std::size_t i, std::size_t) { return result(i); });
      }
}

}  // namespace

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

TEST_CASE("trmv of rows and vectors of zeros") {
  Random random(853);
  for (Hardness const hardness : {Hardness::none, Hardness::special}) {
    check_triangular<double, double>(random, hardness, 45, true);
    check_triangular<float, float>(random, hardness, 45, true);
    check_triangular<Z, Z>(random, hardness, 20, true);
  }
  check_triangular<double, double>(random, Hardness::none, 300, true);
}

TEST_CASE("trmv refuses operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  using Vector = HostVector<double>;
  auto const a = poisoned<Matrix>(3, 3), wide = poisoned<Matrix>(3, 2);
  auto const x = poisoned<Vector>(3), y = poisoned<Vector>(3), two = poisoned<Vector>(2);
  auto const column = Kokkos::subview(a, Kokkos::ALL, 1);
  HostMatrix<Z, Kokkos::LayoutLeft> const z("z", 3, 3);
  CHECK(refusal_of([&] { Exakt::trmv("U", "H", "N", a, x); }) == "Exakt::trmv: trans is 'H'; it must be N, T or C");
  CHECK(refusal_of([&] { Exakt::trmv("U", "N", "N", a, two); }) ==
        "Exakt::trmv: A is 3 x 3, x is 2 entries; A.extent(0) must equal x.extent(0)");
  CHECK(refusal_of([&] { Exakt::trmv("U", "N", "N", a, column); }) ==
        "Exakt::trmv: x is 3 entries, A is 3 x 3; they must not share memory");
}
