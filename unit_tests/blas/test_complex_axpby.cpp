// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas1_axpy.hpp>
#include <ExaktBlas1_scal.hpp>

#include "ExaktTest_Refusal.hpp"
#include "ExaktTest_StructuredMatrices.hpp"

namespace {

using namespace ExaktTest;
using Kokkos::complex;

enum class Verb { axpby, axpy, scal };

/// Column by column: alpha times a sum of one product, x(i) * 1, plus beta y.
template <class X, class Y, class F, class G>
void check_columns(Verb verb, F const& alpha, Table<X> const& x, G const& beta, Table<Y> const& old, auto const& y) {
  for (std::size_t j = 0; j < old.columns; ++j) {
    Table<Y> column(old.rows, 1);
    for (std::size_t i = 0; i < old.rows; ++i) column(i, 0) = old(i, j);
    Expression expression{1, {}, {}, alpha, beta};
    if (verb == Verb::axpy) expression.beta = 1;
    if (verb == Verb::scal) expression.beta = 0;
    expression.left = [&](std::size_t i, std::size_t) { return Number(x(i, j)); };
    expression.right = [](std::size_t, std::size_t) { return Number(1); };
    check_expression(expression, column, [&](std::size_t i, std::size_t) -> Y const& { return y(i, j); });
  }
}

template <class X, class Y, class F, class G>
void check(Random& random, Hardness hardness, F const& alpha, G const& beta, Sizes sizes) {
  for (Verb const verb : {Verb::axpby, Verb::axpy, Verb::scal}) {
    auto const x = any_table<X>(random, hardness, sizes.n, sizes.m);
    auto const y = any_table<Y>(random, hardness, sizes.n, sizes.m);
    auto const call = [&](auto const& a, auto const& b) {
      switch (verb) {
        case Verb::axpby:
          return Exakt::axpby(alpha, a, beta, b);
        case Verb::axpy:
          return Exakt::axpy(alpha, a, b);
        case Verb::scal:
          return Exakt::scal(b, alpha, a);
      }
    };
    INFO(name_of(hardness) << ", verb " << int(verb) << ", " << sizes.n << " x " << sizes.m);
    auto const X_view = stored(x, storages.next());
    auto const Y_view = stored(y, storages.next());
    call(X_view, Y_view);
    check_columns(verb, alpha, x, beta, y, Y_view);
    if (sizes.m == 0) continue;
    Table<X> first(sizes.n, 1);
    Table<Y> old(sizes.n, 1);
    for (std::size_t i = 0; i < sizes.n; ++i) {
      first(i, 0) = x(i, 0);
      old(i, 0) = y(i, 0);
    }
    auto const vector = storages.next_vector(first);
    auto const result = storages.next_vector(old);
    call(vector, result);
    check_columns(verb, alpha, first, beta, old, [&](std::size_t i, std::size_t) -> Y const& { return result(i); });
  }
}

}  // namespace

TEST_CASE("axpby, axpy and scal round real and imaginary part of the exact right side once each") {
  Random random(890);
  using Z = complex<double>;
  for (Hardness const hardness : every_hardness)
    for (int run = 0; run < 4; ++run) {
      Z const alpha = any_number<Z>(random, hardness), beta = any_number<Z>(random, hardness);
      check<Z, Z>(random, hardness, alpha, beta, some_sizes(random));
      check<Z, Z>(random, hardness, alpha.real(), beta, some_sizes(random));
      check<Z, Z>(random, hardness, alpha, beta.real(), some_sizes(random));
      check<double, Z>(random, hardness, Z(0.7, -1.3), 1, some_sizes(random));
      check<complex<float>, Z>(random, hardness, -3, Z(0, 1), some_sizes(random));
      check<complex<float>, complex<float>>(random, hardness, complex<float>(0.1f, 7), 0.3f, some_sizes(random));
      // By real factors, which leave the parts apart, and by others whose imaginary part is zero, which do not multiply
      // infinities and NaN likewise.
      check<Z, Z>(random, hardness, alpha.real(), beta.real(), some_sizes(random));
      check<Z, Z>(random, hardness, Z(alpha.real(), 0), beta.real(), some_sizes(random));
      check<Z, Z>(random, hardness, alpha.real(), Z(beta.real(), -0.0), some_sizes(random));
      check<complex<float>, Z>(random, hardness, 1, -1, some_sizes(random));
      check<complex<float>, complex<float>>(random, hardness, -1.0f, complex<float>(1), some_sizes(random));
      check<Z, Z>(random, hardness, 0, Z(2, 1), {5, 2});
      check<Z, Z>(random, hardness, Z(0, 0), 1, {5, 2});
    }
  check<Z, Z>(random, Hardness::none, Z(0.7, 0.1), Z(1, -1), {700, 3});
  check<Z, Z>(random, Hardness::none, 1, Z(1), {40'000, 2});
  check<Z, Z>(random, Hardness::none, Z(0.7, 0.1), 1, {20'000, 2});
}

TEST_CASE("axpy and scal by complex factors of any size, those among them whose products leave the range") {
  using Z = complex<double>;
  Random random(891);
  for (int run = 0; run < 20; ++run) {
    auto const part = [&] {
      return random.one_of(0.0, -0.0, 1.0, 0x1p-1074, 0x1p-900, 0x1p-863, 0x1p-864, 0x1p1020, 0x1p1019,
                           0x1.fffffffffffffp1023, HUGE_VAL, std::nan(""),
                           random.value<double>(random.between(-1074, 1023)));
    };
    for (Hardness const hardness : every_hardness)
      check<Z, Z>(random, hardness, Z(part(), part()), 1, {random.between<std::size_t>(1, 9), 2});
  }
}

TEST_CASE("x may be y, and must not be part of it") {
  Kokkos::View<complex<double>*, Kokkos::HostSpace> const y("y", 5);
  for (int i = 0; i < 5; ++i) y(i) = complex<double>(i, 1);
  Exakt::scal(y, complex<double>(0, 2), y);
  for (int i = 0; i < 5; ++i) CHECK((y(i).real() == -2 && y(i).imag() == 2 * i));
  Random random(892);
  Kokkos::View<complex<double>*, Kokkos::HostSpace> const z("z", 600), old("old", 600), sum("sum", 600);
  for (std::size_t i = 0; i < 600; ++i) z(i) = complex<double>(random.value<double>(0), random.value<double>(3));
  Kokkos::deep_copy(old, z);
  Kokkos::deep_copy(sum, z);
  complex<double> const alpha(0.3, -0.7);
  Exakt::axpy(alpha, z, z);
  Exakt::axpy(alpha, old, sum);
  for (std::size_t i = 0; i < 600; ++i) CHECK((z(i).real() == sum(i).real() && z(i).imag() == sum(i).imag()));
  auto const head = Kokkos::subview(y, std::pair<int, int>(0, 4)), tail = Kokkos::subview(y, std::pair<int, int>(1, 5));
  CHECK(refusal_of([&] { Exakt::scal(head, 2.0, tail); }).starts_with("Exakt::scal: "));
}
