// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas3_gemm.hpp>
#include <ExaktBlas3_hemm.hpp>
#include <ExaktBlas3_her2k.hpp>
#include <ExaktBlas3_herk.hpp>
#include <ExaktBlas3_symm.hpp>
#include <ExaktBlas3_syr2k.hpp>
#include <ExaktBlas3_syrk.hpp>
#include <ExaktBlas3_trmm.hpp>

#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Expressions.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Refusal.hpp"

namespace {

using namespace ExaktTest;
using Kokkos::complex;

/// Which storages the operands of a call have: all of them, in turn.
class Storages {
 public:
  Storage next() { return every_storage[m_count++ % 5]; }

 private:
  std::size_t m_count = 0;
};
Storages storages;

struct Sizes {
  std::size_t n, m;
};
Sizes some_sizes(Random& random) { return {random.between<std::size_t>(0, 20), random.between<std::size_t>(0, 9)}; }

/// A factor of a hermitian verb.
template <class F>
Number as_real(F const& factor) {
  return Number(factor).real;
}

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

/// syrk and herk.
template <class A, class C, class F, class G>
void check_own_product(Random& random, Hardness hardness, bool hermitian, F const& alpha, G const& beta, Sizes sizes) {
  auto const [n, k] = sizes;
  for (bool const lower : {true, false})
    for (bool const turned : {true, false}) {
      char const* const trans = !turned ? "N" : hermitian ? "C" : "T";
      INFO(name_of(hardness) << ", " << (hermitian ? "herk" : "syrk") << ", n = " << n << ", k = " << k << ", lower "
                             << lower << ", trans " << trans);
      StoredTriangle const triangle{lower, false, hermitian};
      auto const a = turned ? any_table<A>(random, hardness, k, n) : any_table<A>(random, hardness, n, k);
      auto const c = any_table<C>(random, hardness, n, n);
      auto const op = [&](std::size_t i, std::size_t l) -> Number {
        return turned ? Number(a(l, i)).conjugated(hermitian) : Number(a(i, l));
      };
      Expression expression{k, op, {}, alpha, beta};
      if (hermitian) {
        expression.alpha = as_real(alpha);
        expression.beta = as_real(beta);
        expression.has_real_diagonal = true;
      }
      expression.right = [&](std::size_t l, std::size_t j) { return op(j, l).conjugated(hermitian); };
      expression.is_written = [&](std::size_t i, std::size_t j) { return triangle.contains(i, j); };
      auto const old = triangle.poisoned(c);
      auto const x = stored(a, storages.next());
      auto const z = stored(old, storages.next());
      if (hermitian) {
        Exakt::herk(triangle.uplo(), trans, alpha, x, beta, z);
      } else {
        Exakt::syrk(triangle.uplo(), trans, alpha, x, beta, z);
      }
      check_expression(expression, old, z);
    }
}

/// syr2k and her2k.
template <class A, class B, class C, class F, class G>
void check_two_products(Random& random, Hardness hardness, bool hermitian, F const& alpha, G const& beta, Sizes sizes) {
  auto const [n, k] = sizes;
  for (bool const lower : {true, false})
    for (bool const turned : {true, false}) {
      char const* const trans = !turned ? "N" : hermitian ? "C" : "T";
      INFO(name_of(hardness) << ", " << (hermitian ? "her2k" : "syr2k") << ", n = " << n << ", k = " << k << ", lower "
                             << lower << ", trans " << trans);
      StoredTriangle const triangle{lower, false, hermitian};
      auto const a = turned ? any_table<A>(random, hardness, k, n) : any_table<A>(random, hardness, n, k);
      auto const b = turned ? any_table<B>(random, hardness, k, n) : any_table<B>(random, hardness, n, k);
      auto const c = any_table<C>(random, hardness, n, n);
      // Of a complex matrix and a real one, the latter has imaginary parts of zero.
      bool const is_complex = PartsOf<A>::is_complex || PartsOf<B>::is_complex;
      auto const op = [&](auto const& table, std::size_t i, std::size_t l) -> Number {
        Number result = turned ? Number(table(l, i)).conjugated(hermitian) : Number(table(i, l));
        result.is_complex = is_complex;
        return result;
      };
      Number const factor = hermitian && Number(alpha).imaginary == 0 ? as_real(alpha) : Number(alpha);
      Expression expression{k, {}, {}, factor, hermitian ? as_real(beta) : Number(beta)};
      expression.second_alpha = factor.conjugated(hermitian);
      expression.has_real_diagonal = hermitian;
      expression.left = [&](std::size_t i, std::size_t l) { return op(a, i, l); };
      expression.right = [&](std::size_t l, std::size_t j) { return op(b, j, l).conjugated(hermitian); };
      expression.second_left = [&](std::size_t i, std::size_t l) { return op(b, i, l); };
      expression.second_right = [&](std::size_t l, std::size_t j) { return op(a, j, l).conjugated(hermitian); };
      expression.is_written = [&](std::size_t i, std::size_t j) { return triangle.contains(i, j); };
      auto const old = triangle.poisoned(c);
      auto const x = stored(a, storages.next());
      auto const y = stored(b, storages.next());
      auto const z = stored(old, storages.next());
      if (hermitian) {
        Exakt::her2k(triangle.uplo(), trans, alpha, x, y, beta, z);
      } else {
        Exakt::syr2k(triangle.uplo(), trans, alpha, x, y, beta, z);
      }
      check_expression(expression, old, z);
    }
}

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

TEST_CASE("each entry of the triangle of syrk and herk is the exact right side, rounded once; the rest stays") {
  Random random(861);
  for (Hardness const hardness : every_hardness) {
    HardFactors const factors(random);
    check_own_product<double, double>(random, hardness, false, factors.alpha, factors.beta, some_sizes(random));
    check_own_product<double, double>(random, hardness, true, factors.alpha, 0, {1, 1});
    check_own_product<float, double>(random, hardness, false, -1, 0.5f, some_sizes(random));
    check_own_product<float, float>(random, hardness, false, 0.1f, 1, some_sizes(random));
    check_own_product<double, double>(random, hardness, false, 0, factors.beta, {4, 3});
    check_own_product<double, double>(random, hardness, false, 0, 1, {4, 3});
    check_own_product<complex<double>, complex<double>>(random, hardness, false, complex<double>(1, -2), factors.beta,
                                                        some_sizes(random));
    check_own_product<complex<double>, complex<double>>(random, hardness, true, factors.alpha, factors.beta,
                                                        some_sizes(random));
    check_own_product<complex<float>, complex<float>>(random, hardness, true, complex<float>(0.3f, 0), -1, {9, 30});
    check_own_product<double, complex<double>>(random, hardness, true, 0, complex<double>(0.5, 0), {4, 3});
  }
  check_own_product<double, double>(random, Hardness::cancelling, false, 0.7, 1.5, {70, 9});
  check_own_product<complex<double>, complex<double>>(random, Hardness::none, true, 0.7, 1.5, {150, 3});
  check_own_product<complex<double>, complex<double>>(random, Hardness::cancelling, false, 1, 0, {70, 5});
}

TEST_CASE("each entry of the triangle of syr2k and her2k is the exact right side, rounded once; the rest stays") {
  Random random(862);
  for (Hardness const hardness : every_hardness) {
    HardFactors const factors(random);
    check_two_products<double, double, double>(random, hardness, false, factors.alpha, factors.beta,
                                               some_sizes(random));
    check_two_products<float, double, double>(random, hardness, true, -1, 0.5f, some_sizes(random));
    check_two_products<float, float, float>(random, hardness, false, 0.1f, 0, some_sizes(random));
    using Z = complex<double>;
    check_two_products<Z, Z, Z>(random, hardness, false, Z(1, -2), factors.beta, some_sizes(random));
    check_two_products<Z, Z, Z>(random, hardness, true, Z(factors.alpha, 0.3), factors.beta, some_sizes(random));
    check_two_products<Z, Z, Z>(random, hardness, true, Z(factors.alpha, 0), -1, some_sizes(random));
    check_two_products<complex<float>, double, Z>(random, hardness, true, Z(0, 2), 1, {5, 4});
    check_two_products<double, double, Z>(random, hardness, true, Z(3, 2), 0, {5, 4});
    check_two_products<Z, Z, Z>(random, hardness, true, Z(0, 0), 0.5, {3, 2});
  }
}

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
  check_triangular<double, double>(random, Hardness::special, 0.7, {Exakt::Impl::panel_of_triangle + 20, 2}, true);
  check_triangular<double, double>(random, Hardness::none, -1, {Exakt::Impl::panel_of_triangle + 1, 2});
}

TEST_CASE("the engines of gemm leave out what no triangle needs, and nothing else") {
  Random random(865);
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  using Exakt::GemmEngine;
  std::vector<GemmEngine> engines{GemmEngine::automatic, GemmEngine::direct};
  if (Exakt::Impl::has_integer_gemm() || Exakt::Impl::has_double_gemm()) engines.push_back(GemmEngine::modular);
  if (Exakt::Impl::has_double_gemm()) engines.push_back(GemmEngine::modular_doubles);
  for (Hardness const hardness : {Hardness::none, Hardness::cancelling})
    for (std::size_t const n : {std::size_t{65}, std::size_t{330}}) {
      std::size_t const k = 40;
      auto const a = stored(any_table<double>(random, hardness, n, k), Storage::left);
      auto const b = stored(any_table<double>(random, hardness, k, n), Storage::right);
      auto const old = any_table<double>(random, hardness, n, n);
      auto const expected = stored(old, Storage::left);
      Exakt::gemm("N", "N", -0.3, a, b, 1.5, expected, {.engine = GemmEngine::direct});
      for (GemmEngine const engine : engines)
        for (bool const lower : {true, false}) {
          INFO(name_of(hardness) << ", n = " << n << ", engine " << static_cast<int>(engine) << ", lower " << lower);
          auto const c = stored(old, Storage::right);
          auto const view = Exakt::Impl::written(c);
          using Factors = Exakt::Impl::Operated<AnyMatrix<double>>;
          Exakt::Impl::update_triangle("Exakt::syrk", Kokkos::DefaultHostExecutionSpace(), {lower, false},
                                       Factors(a, 'N'), Factors(b, 'N'), Exakt::Impl::factor(-0.3),
                                       Exakt::Impl::factor(1.5), view, {.engine = engine});
          for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i < n; ++i)
              EXAKT_CHECK_BITS(c(i, j), (lower ? j <= i : i <= j) ? expected(i, j) : old(i, j));
        }
    }
}

TEST_CASE("with alpha = 0 nothing that it multiplies is read; with beta = 1 a -0 stays") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  auto const a = poisoned<Matrix>(1, 1), c = poisoned<Matrix>(1, 1);
  auto const check = [&](auto const& call) {
    c(0, 0) = -0.0;
    call(0.0, 1.0);
    CHECK(bits_of(c(0, 0)) == bits_of(-0.0));
    c(0, 0) = 0.3;
    call(-0.0, 0.5);
    CHECK(same_bits(c(0, 0), 0.15));
    c(0, 0) = std::numeric_limits<double>::quiet_NaN();
    call(0.0, 0.0);
    CHECK(bits_of(c(0, 0)) == bits_of(0.0));
  };
  check([&](double alpha, double beta) { Exakt::symm("L", "L", alpha, a, a, beta, c); });
  check([&](double alpha, double beta) { Exakt::hemm("R", "U", alpha, a, a, beta, c); });
  check([&](double alpha, double beta) { Exakt::syrk("L", "N", alpha, a, beta, c); });
  check([&](double alpha, double beta) { Exakt::herk("U", "C", alpha, a, beta, c); });
  check([&](double alpha, double beta) { Exakt::syr2k("L", "T", alpha, a, a, beta, c); });
  check([&](double alpha, double beta) { Exakt::her2k("U", "N", alpha, a, a, beta, c); });
  Exakt::trmm("L", "U", "N", "N", 0.0, a, c);
  CHECK(bits_of(c(0, 0)) == bits_of(0.0));
}

TEST_CASE("the verbs of level 3 refuse operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  auto const a = poisoned<Matrix>(3, 3), b = poisoned<Matrix>(3, 2), c = poisoned<Matrix>(3, 2),
             square = poisoned<Matrix>(3, 3), turned = poisoned<Matrix>(2, 3);
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
  CHECK(refusal_of([&] { Exakt::syrk("L", "H", 1, b, 0, a); }) == "Exakt::syrk: trans is 'H'; it must be N, T or C");
  CHECK(refusal_of([&] { Exakt::syrk("L", "N", 1, b, 0, b); }) == "Exakt::syrk: C is 3 x 2; it must be square");
  CHECK(refusal_of([&] { Exakt::syrk("L", "T", 1, b, 0, a); }) ==
        "Exakt::syrk: A is 3 x 2, C is 3 x 3; with trans 'T', A.extent(1) must equal C.extent(0)");
  CHECK(refusal_of([&] { Exakt::herk("L", "N", 1, a, 0, a); }) ==
        "Exakt::herk: C is 3 x 3, A is 3 x 3; they must not share memory");
  CHECK(refusal_of([&] { Exakt::syr2k("L", "N", 1, b, turned, 0, a); }) ==
        "Exakt::syr2k: A is 3 x 2, B is 2 x 3; A.extent(0) must equal B.extent(0)");
  CHECK(refusal_of([&] { Exakt::her2k("L", "N", 1, square, a, 0, a); }) ==
        "Exakt::her2k: C is 3 x 3, B is 3 x 3; they must not share memory");
  CHECK(refusal_of([&] { Exakt::trmm("L", "U", "N", "L", 1, a, b); }) == "Exakt::trmm: diag is 'L'; it must be U or N");
  CHECK(refusal_of([&] { Exakt::trmm("R", "U", "N", "N", 1, a, b); }) ==
        "Exakt::trmm: A is 3 x 3, B is 3 x 2; with side 'R', A.extent(0) must equal B.extent(1)");
  CHECK(refusal_of([&] { Exakt::trmm("L", "U", "N", "N", 1, a, a); }) ==
        "Exakt::trmm: B is 3 x 3, A is 3 x 3; they must not share memory");
  HostMatrix<complex<double>, Kokkos::LayoutLeft> const z("z", 3, 3), factor("factor", 3, 3);
  CHECK(refusal_of([&] { Exakt::syrk("L", "C", 1, factor, 0, z); }) == "Exakt::syrk: trans is 'C'; it must be N or T");
  CHECK(refusal_of([&] { Exakt::herk("L", "T", 1, factor, 0, z); }) == "Exakt::herk: trans is 'T'; it must be N or C");
  CHECK(refusal_of([&] { Exakt::herk("L", "N", complex<double>(0, 2), factor, 0, z); }) ==
        "Exakt::herk: alpha has an imaginary part of 2.000000; it must be real");
}
