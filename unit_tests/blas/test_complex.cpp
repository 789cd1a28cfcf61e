// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas1_dot.hpp>
#include <ExaktBlas1_mean.hpp>
#include <ExaktBlas1_nrm1.hpp>
#include <ExaktBlas1_nrm2.hpp>
#include <ExaktBlas1_nrm2_squared.hpp>
#include <ExaktBlas1_sum.hpp>
#include <ExaktBlas2_gemv.hpp>
#include <ExaktBlas3_gemm.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_NextToTies.hpp"

namespace {

using namespace ExaktTest;
using Kokkos::complex;

template <class T>
struct Parts {
  double real, imaginary;
  Parts(T const& x) : real(static_cast<double>(x)), imaginary(0) {}
};
template <class T>
struct Parts<complex<T>> {
  double real, imaginary;
  Parts(complex<T> const& x) : real(static_cast<double>(x.real())), imaginary(static_cast<double>(x.imag())) {}
};
template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<complex<T>> = true;

template <class Z>
Z any_entry(Random& random, Hardness hardness) {
  if constexpr (is_complex<Z>) {
    using T = typename Z::value_type;
    return Z(hard_number<T>(random, hardness), hard_number<T>(random, hardness));
  } else {
    return hard_number<Z>(random, hardness);
  }
}

template <class Z>
Z conjugate(Z const& z) {
  if constexpr (is_complex<Z>) {
    return Z(z.real(), -z.imag());
  } else {
    return z;
  }
}

/// Real and imaginary part of a sum of products; what is real has no imaginary part, not one of zero.
struct ExactComplex {
  Exact real, imaginary;

  template <class A, class B>
  void add_product(A const& a, B const& b) {
    Parts<A> const x(a);
    Parts<B> const y(b);
    real.add_product(x.real, y.real);
    if (is_complex<A> && is_complex<B>) real.subtract_product(x.imaginary, y.imaginary);
    if (is_complex<B>) imaginary.add_product(x.real, y.imaginary);
    if (is_complex<A>) imaginary.add_product(x.imaginary, y.real);
  }

  /// alpha times this plus beta * y, each part rounded once.
  template <class F, class G, class T>
  std::pair<Expected<T>, Expected<T>> combined(F const& alpha, G const& beta, complex<T> const& y) const {
    Parts<F> const a(alpha);
    Parts<G> const b(beta);
    Parts<complex<T>> const old(y);
    ScaledExact re(a.real, real), im(a.real, imaginary);
    if (is_complex<F>) {
      re.add_scaled(-a.imaginary, imaginary);
      im.add_scaled(a.imaginary, real);
    }
    if (b.real != 0 || b.imaginary != 0) {
      re.add_product(b.real, old.real);
      im.add_product(b.real, old.imaginary);
      if (is_complex<G>) {
        re.add_product(-b.imaginary, old.imaginary);
        im.add_product(b.imaginary, old.real);
      }
    }
    return {re.round<T>(), im.round<T>()};
  }
};

template <class T>
void check_parts(complex<T> const& actual, std::pair<Expected<T>, Expected<T>> const& expected) {
  EXAKT_CHECK_BITS(actual.real(), expected.first);
  EXAKT_CHECK_BITS(actual.imag(), expected.second);
}

template <class Z>
Table<Z> table_of_entries(Random& random, Hardness hardness, std::size_t m, std::size_t n) {
  Table<Z> table(m, n);
  for (Z& entry : table.entries) entry = any_entry<Z>(random, hardness);
  return table;
}

/// op(A) as a table.
template <class Z>
Table<Z> applied(Table<Z> const& a, char mode) {
  Table<Z> result = mode == 'N' ? a : a.transposed();
  if (mode == 'C')
    for (Z& entry : result.entries) entry = conjugate(entry);
  return result;
}

template <class View, class Z>
View matrix_of(Table<Z> const& table) {
  View const view("matrix", table.rows, table.columns);
  for (std::size_t i = 0; i < table.rows; ++i)
    for (std::size_t j = 0; j < table.columns; ++j) view(i, j) = table(i, j);
  return view;
}

template <class A, class B, class C, class F, class G>
void check_products(Random& random, Hardness hardness, F const& alpha, G const& beta) {
  INFO(name_of(hardness));
  auto const m = random.between<std::size_t>(1, 9), n = random.between<std::size_t>(1, 7),
             k = random.between<std::size_t>(0, 300);
  for (char const a_mode : {'N', 'T', 'C'})
    for (char const b_mode : {'N', 'C'}) {
      INFO("modes " << a_mode << b_mode << ", k = " << k);
      auto const a =
          a_mode == 'N' ? table_of_entries<A>(random, hardness, m, k) : table_of_entries<A>(random, hardness, k, m);
      auto const b =
          b_mode == 'N' ? table_of_entries<B>(random, hardness, k, n) : table_of_entries<B>(random, hardness, n, k);
      auto const c = table_of_entries<C>(random, hardness, m, n);
      auto const op_a = applied(a, a_mode);
      auto const op_b = applied(b, b_mode);
      auto const x = matrix_of<HostMatrix<A, Kokkos::LayoutLeft>>(a);
      auto const y = matrix_of<HostMatrix<B, Kokkos::LayoutRight>>(b);
      auto const z = matrix_of<HostMatrix<C, Kokkos::LayoutLeft>>(c);
      auto const by_rows = matrix_of<HostMatrix<C, Kokkos::LayoutRight>>(c);
      auto const by_teams = matrix_of<HostMatrix<C, Kokkos::LayoutRight>>(c);
      auto const apart = Kokkos::subview(Kokkos::View<C***, Kokkos::LayoutRight, Kokkos::HostSpace>("C", m, n, 2),
                                         Kokkos::ALL, Kokkos::ALL, 1);
      Kokkos::deep_copy(apart, by_rows);
      auto const first_column = HostVector<C>("y", m), vector_by_teams = HostVector<C>("y", m);
      auto const factor = HostVector<B>("x", k);
      for (std::size_t i = 0; i < m; ++i) first_column(i) = vector_by_teams(i) = c(i, 0);
      for (std::size_t l = 0; l < k; ++l) factor(l) = op_b(l, 0);

      Kokkos::DefaultHostExecutionSpace const space;
      Exakt::gemm(space, a_mode, b_mode, alpha, x, y, beta, z);
      Exakt::gemm(space, a_mode, b_mode, alpha, x, y, beta, by_rows);
      Exakt::gemm(space, a_mode, b_mode, alpha, x, y, beta, apart);
      Exakt::gemv(space, a_mode, alpha, x, factor, beta, first_column);
      Exakt::Impl::TeamGemm().run(space,
                                  Exakt::Impl::plane_problem(Exakt::Impl::Operated<decltype(x)>(x, a_mode),
                                                             Exakt::Impl::Operated<decltype(y)>(y, b_mode), by_teams),
                                  Exakt::Impl::EntryEpilogue(Exakt::Impl::factor(alpha), Exakt::Impl::factor(beta)));
      if (k > 0)
        Exakt::Impl::gemv_by_teams("test", space, Exakt::Impl::Operated<decltype(x)>(x, a_mode), k % 2 == 0, factor,
                                   Exakt::Impl::factor(alpha), Exakt::Impl::factor(beta), vector_by_teams);
      space.fence();
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          ExactComplex sum;
          for (std::size_t l = 0; l < k; ++l) sum.add_product(op_a(i, l), op_b(l, j));
          auto const expected =
              k == 0 ? ExactComplex().combined(1.0, beta, c(i, j)) : sum.combined(alpha, beta, c(i, j));
          check_parts(z(i, j), expected);
          check_parts(by_rows(i, j), expected);
          check_parts(apart(i, j), expected);
          check_parts(by_teams(i, j), expected);
          if (j == 0) check_parts(first_column(i), expected);
          if (j == 0 && k > 0) check_parts(vector_by_teams(i), expected);
        }
    }
}

template <class X, class Y, class T>
void check_dot(Random& random, Hardness hardness, std::size_t n) {
  INFO(name_of(hardness) << ", n = " << n);
  HostVector<X> const x("x", n);
  HostVector<Y, Kokkos::LayoutStride> const y(
      Kokkos::subview(HostMatrix<Y, Kokkos::LayoutRight>("y", n, 3), Kokkos::ALL, 1));
  ExactComplex sum;
  for (std::size_t i = 0; i < n; ++i) {
    x(i) = any_entry<X>(random, hardness);
    y(i) = any_entry<Y>(random, hardness);
    sum.add_product(conjugate(x(i)), y(i));
  }
  std::pair<Expected<T>, Expected<T>> const expected{sum.real.round<T>(), sum.imaginary.round<T>()};
  for_each_host_space([&](auto space) {
    check_parts<T>(Exakt::dot(space, x, y), expected);
    Kokkos::View<complex<T>, Kokkos::HostSpace> const r("r");
    Exakt::dot(space, r, x, y);
    space.fence();
    check_parts(r(), expected);
  });
}

/// The reductions of the numbers x, which have these parts, are those of the parts.
template <class T, class Numbers>
void check_reductions(Numbers const& x, HostMatrix<T, Kokkos::LayoutRight> const& parts) {
  std::size_t const n = x.extent(0);
  auto const re = Kokkos::subview(parts, Kokkos::ALL, 0), im = Kokkos::subview(parts, Kokkos::ALL, 1);
  HostVector<T> const all(parts.data(), 2 * n);
  HostMatrix<complex<T>, Kokkos::LayoutLeft> const two("two", n, 2);
  Kokkos::deep_copy(Kokkos::subview(two, Kokkos::ALL, 1), x);
  for_each_host_space([&](auto space) {
    auto const check_sum = [&](auto const& reduce) {
      for (Exakt::Rounding const mode : every_rounding) {
        complex<T> const sum = reduce(x, mode);
        EXAKT_CHECK_BITS(sum.real(), reduce(re, mode));
        EXAKT_CHECK_BITS(sum.imag(), reduce(im, mode));
      }
    };
    check_sum([&](auto const& v, auto mode) { return Exakt::sum(space, v, mode); });
    check_sum([&](auto const& v, auto mode) { return Exakt::mean(space, v, mode); });
    for (Exakt::Rounding const mode : every_rounding) {
      EXAKT_CHECK_BITS(Exakt::nrm1(space, x, mode), Exakt::nrm1(all, mode));
      EXAKT_CHECK_BITS(Exakt::nrm2(space, x, mode), Exakt::nrm2(all, mode));
      EXAKT_CHECK_BITS(Exakt::nrm2_squared(space, x, mode), Exakt::nrm2_squared(all, mode));
    }
    HostVector<complex<T>> const sums("sums", 2);
    HostVector<T> const norms("norms", 2);
    Exakt::sum(space, sums, two);
    Exakt::nrm2(space, norms, two);
    space.fence();
    EXAKT_CHECK_BITS(sums(0).imag(), T(0));
    EXAKT_CHECK_BITS(sums(1).imag(), Exakt::sum(im));
    EXAKT_CHECK_BITS(norms(0), T(0));
    EXAKT_CHECK_BITS(norms(1), Exakt::nrm2(all));
  });
}

}  // namespace

TEMPLATE_TEST_CASE("sums and means of complex numbers are those of their parts, norms are of both", "", float, double) {
  Random random(841);
  for (Hardness const hardness : every_hardness)
    for (std::size_t const n :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{50}, std::size_t{64}, std::size_t{65},
          std::size_t{128}, std::size_t{129}, tile_size - 1, tile_size + 1, block_size + 3}) {
      INFO(name_of(hardness) << ", n = " << n);
      HostMatrix<TestType, Kokkos::LayoutRight> const parts("parts", n, 2);
      for (std::size_t i = 0; i < 2 * n; ++i) parts.data()[i] = hard_number<TestType>(random, hardness);
      HostVector<complex<TestType>> const contiguous("x", n);
      auto const strided =
          Kokkos::subview(HostMatrix<complex<TestType>, Kokkos::LayoutRight>("x", n, 3), Kokkos::ALL, 1);
      for (std::size_t i = 0; i < n; ++i) strided(i) = contiguous(i) = complex<TestType>(parts(i, 0), parts(i, 1));
      check_reductions<TestType>(contiguous, parts);
      check_reductions<TestType>(strided, parts);
      check_reductions<TestType>(HostVector<complex<TestType> const>(contiguous), parts);
    }
}

TEST_CASE("dot conjugates its first argument, as Kokkos Kernels does, and rounds both parts once") {
  Random random(840);
  for (Hardness const hardness : every_hardness)
    for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{50}, std::size_t{64}, std::size_t{65},
                                std::size_t{128}, std::size_t{129}, tile_size / 2 + 1}) {
      check_dot<complex<double>, complex<double>, double>(random, hardness, n);
      check_dot<complex<float>, complex<float>, float>(random, hardness, n);
      check_dot<double, complex<double>, double>(random, hardness, n);
      check_dot<complex<float>, double, double>(random, hardness, n);
    }
  HostMatrix<complex<double>, Kokkos::LayoutLeft> const x("x", 2, 2);
  x(0, 1) = complex<double>(1, 2);
  x(1, 1) = complex<double>(0, 1);
  HostVector<complex<double>> const r("r", 2);
  Exakt::dot(r, x, x);
  CHECK((r(0) == complex<double>(0, 0) && r(1) == complex<double>(6, 0)));
}

TEST_CASE("gemm and gemv of complex numbers round both parts of each entry once, in every mode") {
  Random random(841);
  for (Hardness const hardness : every_hardness) {
    check_products<complex<double>, complex<double>, complex<double>>(random, hardness, complex<double>(0.3, -2),
                                                                      complex<double>(1, 0.1));
    check_products<double, complex<double>, complex<double>>(random, hardness, 0.7, 2);
    check_products<complex<float>, complex<float>, complex<float>>(random, hardness, complex<float>(1, 0),
                                                                   complex<float>(0, 0));
    // Of infinities and NaN an imaginary part of zero makes something.
    check_products<complex<double>, double, complex<double>>(random, hardness, complex<double>(0.7, 0), 2);
    check_products<complex<double>, complex<double>, complex<double>>(random, hardness, 0.7, complex<double>(2, 0));
    check_products<complex<double>, complex<float>, complex<float>>(random, hardness, 1, -0.3);
  }
}

namespace {

/// gemv on a space, by a team, and as devices do it, of matrices in three layouts.
template <class A, class X, class T>
void check_gemv(Random& random, Hardness hardness, char mode, std::size_t rows, std::size_t columns) {
  INFO(name_of(hardness) << ", mode " << mode << ", " << rows << " x " << columns);
  auto const a = mode == 'N' ? table_of_entries<A>(random, hardness, rows, columns)
                             : table_of_entries<A>(random, hardness, columns, rows);
  auto const x = table_of_entries<X>(random, hardness, columns, 1);
  auto const old = table_of_entries<complex<T>>(random, hardness, rows, 1);
  auto const op_a = applied(a, mode);
  auto const left = matrix_of<HostMatrix<A, Kokkos::LayoutLeft>>(a);
  auto const right = matrix_of<HostMatrix<A, Kokkos::LayoutRight>>(a);
  Kokkos::View<A***, Kokkos::LayoutRight, Kokkos::HostSpace> const wide("wide", a.rows, a.columns, 2);
  auto const strided = Kokkos::subview(wide, Kokkos::ALL, Kokkos::ALL, 1);
  Kokkos::deep_copy(strided, right);
  HostMatrix<X, Kokkos::LayoutRight> const x_columns("x", columns, 2);
  auto const factor = Kokkos::subview(x_columns, Kokkos::ALL, 1);
  for (std::size_t j = 0; j < columns; ++j) factor(j) = x(j, 0);
  constexpr std::size_t ways = 5;
  HostMatrix<complex<T>, Kokkos::LayoutLeft> const y("y", rows, ways);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t way = 0; way < ways; ++way) y(i, way) = old(i, 0);
  using Space = Kokkos::DefaultHostExecutionSpace;
  auto const first = Kokkos::subview(y, Kokkos::ALL, 0), second = Kokkos::subview(y, Kokkos::ALL, 1);
  Exakt::gemv(Space(), mode, -0.3, left, factor, 1.5, first);
  Exakt::gemv(Space(), mode, -0.3, strided, factor, 1.5, Kokkos::subview(y, Kokkos::ALL, 2));
  Kokkos::parallel_for(Kokkos::TeamPolicy<Space>(1, 1),
                       [=](auto const& member) { Exakt::team_gemv(member, mode, -0.3, right, factor, 1.5, second); });
  // Some rows after the others.
  auto const by_teams = [&](auto const& matrix, std::size_t way) {
    Exakt::Impl::Operated<std::decay_t<decltype(matrix)>> const operated(matrix, mode);
    Exakt::Impl::multiply_parts_by_teams(
        "test", Space(), operated, operated.rows_are_contiguous(), factor,
        Exakt::Impl::EntryEpilogue(Exakt::Impl::factor(-0.3), Exakt::Impl::factor(1.5)),
        Kokkos::subview(y, Kokkos::ALL, way), 33);
  };
  by_teams(left, 3);
  by_teams(right, 4);
  Space().fence();
  for (std::size_t i = 0; i < rows; ++i) {
    ExactComplex sum;
    for (std::size_t j = 0; j < columns; ++j) sum.add_product(op_a(i, j), x(j, 0));
    auto const expected = sum.combined(-0.3, 1.5, old(i, 0));
    for (std::size_t way = 0; way < ways; ++way) check_parts(y(i, way), expected);
  }
}

}  // namespace

TEST_CASE("gemv of complex numbers takes more rows and columns than are packed at once") {
  Random random(842);
  for (Hardness const hardness : every_hardness)
    for (char const mode : {'N', 'T', 'C'})
      for (auto const& [rows, columns] : {std::pair<std::size_t, std::size_t>{19, 515}, {261, 30}}) {
        check_gemv<complex<double>, complex<double>, double>(random, hardness, mode, rows, columns);
        check_gemv<complex<float>, float, float>(random, hardness, mode, rows, columns);
        check_gemv<double, complex<double>, double>(random, hardness, mode, rows, columns);
      }
}

TEST_CASE("gemv of complex numbers of which both parts of x multiply the same pieces of rows and columns") {
  Random random(843);
  for (char const mode : {'N', 'T'})
    for (auto const& [rows, columns] : {std::pair<std::size_t, std::size_t>{530, 540}, {30, 1050}})
      check_gemv<complex<double>, complex<double>, double>(random, Hardness::none, mode, rows, columns);
}

namespace {

/// alpha op(A) x + beta y, of columns that are contiguous: A itself, and the conjugate transpose of rows that are.
template <class T>
void check_lanes(Table<complex<T>> const& op_a, Table<complex<T>> const& x, double alpha, double beta = 0,
                 complex<T> const& old = {}) {
  std::size_t const m = op_a.rows, k = op_a.columns;
  auto const plain = matrix_of<HostMatrix<complex<T>, Kokkos::LayoutLeft>>(op_a);
  auto const adjoint = matrix_of<HostMatrix<complex<T>, Kokkos::LayoutRight>>(applied(op_a, 'C'));
  HostVector<complex<T>> const factor("x", k), y("y", m), of_adjoint("y", m);
  for (std::size_t j = 0; j < k; ++j) factor(j) = x(j, 0);
  for (std::size_t i = 0; i < m; ++i) y(i) = of_adjoint(i) = old;
  Exakt::gemv("N", alpha, plain, factor, beta, y);
  Exakt::gemv("C", alpha, adjoint, factor, beta, of_adjoint);
  for (std::size_t i = 0; i < m; ++i) {
    INFO("row " << i << " of " << m << ", " << k << " columns, alpha = " << alpha);
    ExactComplex sum;
    for (std::size_t j = 0; j < k; ++j) sum.add_product(op_a(i, j), x(j, 0));
    auto const expected = sum.combined(alpha, beta, old);
    check_parts(y(i), expected);
    check_parts(of_adjoint(i), expected);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("gemv of complex numbers, a lane for each part: rows that grow, and rows of nothing", "", double,
                   float) {
  using Z = complex<TestType>;
  Random random(844);
  for (auto const& [m, k] : {std::pair<std::size_t, std::size_t>{22, 515}, {540, 70}, {130, 1040}, {12, 600}}) {
    auto a = table_of_entries<Z>(random, Hardness::none, m, k);
    auto x = table_of_entries<Z>(random, Hardness::none, k, 1);
    check_lanes(a, x, 1);
    // A head that leaves its binade and returns.
    x(k - 1, 0) = x(k - 2, 0) = Z(0.5, 0.25);
    a(8, k - 1) = Z(0x1p60, 0x1p60);
    a(8, k - 2) = Z(-0x1p60, -0x1p60);
    check_lanes(a, x, 1);
    for (std::size_t j = 0; j < k; ++j) {
      // Heads that suited the others do not suit these.
      if (j > k / 2) a(1, j) *= TestType(0x1p60);
      if (j + 1 == k) a(2, j) = Z(a(2, j).real() * TestType(0x1p40), a(2, j).imag());
      if (j % 2 == 1) a(8, j) = Z(0, 0x1p60) * conjugate(x(j, 0));
      if (j != k / 3) a(5, j) = 0;
      a(6, j) = 0;
      a(7, j) = Z(0, a(7, j).imag());
    }
    check_lanes(a, x, 1);
    check_lanes(a, x, -0.3);
    a(3, k - 1) = Z(1, std::numeric_limits<TestType>::infinity());
    check_lanes(a, x, 1);
  }
}

TEST_CASE("gemv of complex numbers, a lane for each part: rows of zeros, and of products below 2^-1074") {
  using Z = complex<double>;
  Random random(846);
  constexpr std::size_t m = 16, k = 600;
  Table<Z> a(m, k), x(k, 1);
  for (std::size_t j = 0; j < k; ++j) {
    x(j, 0) = j + 3 < k ? Z(1 + j % 7, 2) : Z(0.5, 0.5);
    for (std::size_t i = 0; i < m; ++i) a(i, j) = i < 8 ? Z() : any_entry<Z>(random, Hardness::none);
  }
  check_lanes(a, x, 1);
  for (std::size_t j = k - 3; j < k; ++j) a(2, j) = Z(0x1p-1074, 0x1p-1074);
  check_lanes(a, x, 1);
  for (std::size_t j = 0; j < k; ++j) a(3, j) = Z(0x1p-1074, -0x1p-1074);
  check_lanes(a, x, 1);
}

TEST_CASE("gemv of complex numbers, a lane for each part: next to ties, all rests of which are rounded one way") {
  // The real parts are sums of the terms in their order; one column more than small products may have.
  using Z = complex<double>;
  constexpr std::size_t k = 513;
  auto const rows = rows_next_to_ties(2 * k);
  Table<Z> a(rows.rows, k), x(k, 1);
  for (std::size_t j = 0; j < k; ++j) {
    x(j, 0) = Z(1, 1);
    for (std::size_t i = 0; i < a.rows; ++i) a(i, j) = Z(rows(i, 2 * j), -rows(i, 2 * j + 1));
  }
  check_lanes(a, x, 1);
}

TEMPLATE_TEST_CASE("gemv of complex numbers of which parts are zeros, with what makes something else of them", "",
                   double, float) {
  using Z = complex<TestType>;
  enum class Entries { real, imaginary, both, none, blocks };
  Random random(849);
  auto const zero = [&] { return random.one_of(TestType(0), -TestType(0)); };
  auto const entry = [&](Entries which) {
    auto const number = any_entry<Z>(random, Hardness::none);
    bool const has_real = which == Entries::real || which == Entries::both,
               has_imaginary = which == Entries::imaginary || which == Entries::both;
    return Z(has_real ? number.real() : zero(), has_imaginary ? number.imag() : zero());
  };
  for (auto const& [m, k] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {5, 3}, {21, 40}, {70, 37}, {530, 9}, {19, 530}})
    for (Entries const of_a : {Entries::real, Entries::imaginary, Entries::both, Entries::none, Entries::blocks})
      for (Entries const of_x : {Entries::real, Entries::imaginary, Entries::both, Entries::none})
        for (int const other : {0, 1, 2, 3}) {
          INFO(m << " x " << k << ", A " << static_cast<int>(of_a) << ", x " << static_cast<int>(of_x) << ", other "
                 << other);
          Table<Z> a(m, k), x(k, 1);
          for (std::size_t j = 0; j < k; ++j) {
            x(j, 0) = entry(of_x);
            for (std::size_t i = 0; i < m; ++i)
              a(i, j) = entry(of_a != Entries::blocks ? of_a : i / 5 % 3 != j / 4 % 3 ? Entries::none : Entries(j % 3));
          }
          if (other == 1) a(m / 2, k - 1) = Z(zero(), std::numeric_limits<TestType>::infinity());
          if (other == 2) x(k / 2, 0) = Z(std::numeric_limits<TestType>::quiet_NaN(), zero());
          if (other == 3) {
            TestType const least = std::numeric_limits<TestType>::denorm_min();
            a(m - 1, k / 2) = Z(zero(), least);
            x(k / 2, 0) = Z(zero(), -least);
          }
          check_lanes(a, x, 1);
          if (m * k > 1000 && other != 0) continue;
          check_lanes(a, x, -0.3, 1, Z(-TestType(0), 2));
          check_lanes(a, x, 1, 2, Z(0, -TestType(0)));
        }
}

TEMPLATE_TEST_CASE("gemv of complex numbers, a lane for each part: ties, and some that are broken far below", "",
                   double, float) {
  using Z = complex<TestType>;
  using Limits = std::numeric_limits<TestType>;
  Random random(845);
  auto const integer = [&] { return static_cast<TestType>(random.between(-3, 3)); };
  // Below one, of so many bits that sums have more than results.
  auto const fraction = [&] {
    constexpr auto units = static_cast<std::int64_t>(2 / Limits::epsilon());
    return static_cast<TestType>(random.between<std::int64_t>(0, units - 1)) * (Limits::epsilon() / 2);
  };
  for (auto const& [m, k] : {std::pair<std::size_t, std::size_t>{22, 515}, {530, 70}, {530, 515}}) {
    Table<Z> a(m, k), x(k, 1);
    for (Z& entry : a.entries) entry = Z(integer(), integer());
    for (Z& entry : x.entries) entry = Z(fraction(), fraction());
    check_lanes(a, x, 1);
    // By entries of one part, whose neighbour is in the sums of both, or by those of x.
    for (std::size_t i = 0; i < m; ++i) a(i, k - 1) = Z(0x1p-110, integer());
    check_lanes(a, x, 1);
    for (std::size_t i = 0; i < m; ++i) a(i, k - 1) = Z(integer(), -0x1p-110);
    check_lanes(a, x, 1);
    for (std::size_t i = 0; i < m; ++i) a(i, k - 1) = Z(1, -1);
    for (Z const last : {Z(0x1p-110, 0), Z(0, -0x1p-110)}) {
      x(k - 1, 0) = last;
      check_lanes(a, x, 1);
    }
  }
}

TEST_CASE("a tie that terms far below decide is not taken for one where products are subtracted") {
  // Re y = -(1 + 2^-53 - 2^-102 + 197 * 2^-107), above the tie; without the last ones, which are lost one by one where all
  // are added in double precision, it is below.
  std::size_t const rows = 9, columns = 200;
  HostMatrix<complex<double>, Kokkos::LayoutLeft> const a("a", rows, columns);
  HostVector<complex<double>> const x("x", columns), y("y", rows);
  for (std::size_t j = 0; j < columns; ++j) {
    x(j) = complex<double>(0, 1);
    for (std::size_t i = 0; i < rows; ++i)
      a(i, j) = complex<double>(0, j == 0 ? 1 : j == 1 ? 0x1p-53 : j == 2 ? -0x1p-102 : 0x1p-107);
  }
  Exakt::gemv("N", 1, a, x, 0, y);
  for (std::size_t i = 0; i < rows; ++i) CHECK((y(i) == complex<double>(-1 - 0x1p-52, 0)));
}

TEST_CASE("with alpha = 0 complex products look neither at A nor at B; the result stays as it is if beta is one") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  HostMatrix<complex<double>, Kokkos::LayoutLeft> const a("a", 1, 1), c("c", 1, 1);
  a(0, 0) = complex<double>(nan, nan);
  auto const y = Kokkos::subview(c, Kokkos::ALL, 0);
  for (auto const& beta : {complex<double>(1, 0), complex<double>(0, 2), complex<double>(0, 0)}) {
    complex<double> const expected = beta == complex<double>(1, 0)   ? complex<double>(-0.0, 3)
                                     : beta == complex<double>(0, 2) ? complex<double>(-6, 0)
                                                                     : complex<double>(0, 0);
    auto const check = [&] {
      CHECK(bits_of(c(0, 0).real()) == bits_of(expected.real()));
      CHECK(bits_of(c(0, 0).imag()) == bits_of(expected.imag()));
    };
    c(0, 0) = complex<double>(-0.0, 3);
    Exakt::gemm("N", "C", complex<double>(0, -0.0), a, a, beta, c);
    check();
    c(0, 0) = complex<double>(-0.0, 3);
    Exakt::gemv("N", 0, a, Kokkos::subview(a, Kokkos::ALL, 0), beta, y);
    check();
  }
}

TEST_CASE("a real factor has no imaginary part: twice an infinity is that infinity") {
  double const infinity = std::numeric_limits<double>::infinity();
  HostMatrix<complex<double>, Kokkos::LayoutLeft> const a("a", 1, 1), c("c", 1, 1);
  HostMatrix<double, Kokkos::LayoutLeft> const b("b", 1, 1);
  a(0, 0) = complex<double>(infinity, 1);
  b(0, 0) = 3;
  Exakt::gemm("N", "N", 2.0, a, b, 0.0, c);
  CHECK(same_bits(c(0, 0).real(), infinity));
  CHECK(same_bits(c(0, 0).imag(), 6.0));
  Exakt::gemm("N", "N", complex<double>(2, 0), a, b, 0.0, c);
  CHECK(same_bits(c(0, 0).real(), infinity));
  CHECK(same_bits(c(0, 0).imag(), std::numeric_limits<double>::quiet_NaN()));
}
