// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_ger.hpp>

#include "ExaktTest_StructuredMatrices.hpp"

namespace {

using namespace ExaktTest;
using Kokkos::complex;
using Z = complex<double>;

/// ger in every spelling.
template <class X, class Y, class A, class F>
void check_outer_of(F const& alpha, Table<X> const& x, Table<Y> const& y, Table<A> const& a) {
  std::size_t const m = a.rows, n = a.columns;
  auto const left = storages.next_vector(x);
  auto const right = storages.next_vector(y);
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

}  // namespace

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

TEST_CASE("ger of zeros by factors that are in range together, and of which one alone is too large to be split") {
  for (auto const& [alpha, factor] : {std::pair<double, double>{0x1p-24, 0x1p1000},
                                      {2, 0x1p1000},
                                      {0x1p-824, 0x1p1023},
                                      {0x1p1000, 0x1p-540},
                                      {0x1.9p1020, -0x1.3p-990},
                                      {-0x1.3p-1020, 0x1.9p1020}}) {
    Table<double> x(19, 1), y(3, 1), a(19, 3);
    for (std::size_t i = 0; i < a.rows; ++i) x(i, 0) = i % 3 == 0 ? 1e-300 : i % 3 == 1 ? 0.0 : -0.0;
    for (double& entry : y.entries) entry = factor;
    for (double& entry : a.entries) entry = 3;
    check_outer_of(alpha, x, y, a);
    Table<double> one(1, 1), zero(1, 1);
    one(0, 0) = factor;
    zero(0, 0) = 0;
    check_outer_of(alpha, zero, one, zero);
  }
}

TEST_CASE("ger, geru and gerc refuse operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  using Vector = HostVector<double>;
  auto const a = poisoned<Matrix>(3, 3), wide = poisoned<Matrix>(3, 2);
  auto const x = poisoned<Vector>(3), y = poisoned<Vector>(3), two = poisoned<Vector>(2);
  auto const column = Kokkos::subview(a, Kokkos::ALL, 1);
  HostMatrix<Z, Kokkos::LayoutLeft> const z("z", 3, 3);
  CHECK(refusal_of([&] { Exakt::ger("C", 1, x, two, wide); }) == "Exakt::ger: trans is 'C'; it must be T or H");
  CHECK(refusal_of([&] { Exakt::geru(1, two, two, wide); }) ==
        "Exakt::geru: A is 3 x 2, x is 2 entries; A.extent(0) must equal x.extent(0)");
  CHECK(refusal_of([&] { Exakt::gerc(1, x, y, wide); }) ==
        "Exakt::gerc: A is 3 x 2, y is 3 entries; A.extent(1) must equal y.extent(0)");
  CHECK(refusal_of([&] { Exakt::ger(1, column, x, a); }) ==
        "Exakt::ger: A is 3 x 3, x is 3 entries; they must not share memory");
  CHECK(refusal_of([&] { Exakt::ger(1, x, column, a); }) ==
        "Exakt::ger: A is 3 x 3, y is 3 entries; they must not share memory");
}
