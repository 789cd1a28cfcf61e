// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas3_hemm.hpp>
#include <ExaktBlas3_her2k.hpp>
#include <ExaktBlas3_herk.hpp>
#include <ExaktBlas3_symm.hpp>
#include <ExaktBlas3_syr2k.hpp>
#include <ExaktBlas3_syrk.hpp>
#include <ExaktBlas3_trmm.hpp>

#include "ExaktTest_StructuredMatrices.hpp"

namespace {

using namespace ExaktTest;
using Kokkos::complex;
using Z = complex<double>;

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

}  // namespace

TEST_CASE("each entry of the triangle of syr2k and her2k is the exact right side, rounded once; the rest stays") {
  Random random(862);
  for (Hardness const hardness : every_hardness) {
    HardFactors const factors(random);
    check_two_products<double, double, double>(random, hardness, false, factors.alpha, factors.beta,
                                               some_sizes(random));
    check_two_products<float, double, double>(random, hardness, true, -1, 0.5f, some_sizes(random));
    check_two_products<float, float, float>(random, hardness, false, 0.1f, 0, some_sizes(random));
    check_two_products<Z, Z, Z>(random, hardness, false, Z(1, -2), factors.beta, some_sizes(random));
    check_two_products<Z, Z, Z>(random, hardness, true, Z(factors.alpha, 0.3), factors.beta, some_sizes(random));
    check_two_products<Z, Z, Z>(random, hardness, true, Z(factors.alpha, 0), -1, some_sizes(random));
    check_two_products<complex<float>, double, Z>(random, hardness, true, Z(0, 2), 1, {5, 4});
    check_two_products<double, double, Z>(random, hardness, true, Z(3, 2), 0, {5, 4});
    check_two_products<Z, Z, Z>(random, hardness, true, Z(0, 0), 0.5, {3, 2});
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

TEST_CASE("syr2k and her2k refuse operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  auto const a = poisoned<Matrix>(3, 3), b = poisoned<Matrix>(3, 2), c = poisoned<Matrix>(3, 2),
             square = poisoned<Matrix>(3, 3), turned = poisoned<Matrix>(2, 3);
  HostMatrix<complex<double>, Kokkos::LayoutLeft> const z("z", 3, 3), factor("factor", 3, 3);
  CHECK(refusal_of([&] { Exakt::syr2k("L", "N", 1, b, turned, 0, a); }) ==
        "Exakt::syr2k: A is 3 x 2, B is 2 x 3; A.extent(0) must equal B.extent(0)");
  CHECK(refusal_of([&] { Exakt::her2k("L", "N", 1, square, a, 0, a); }) ==
        "Exakt::her2k: C is 3 x 3, B is 3 x 3; they must not share memory");
  CHECK(refusal_of([&] { Exakt::syr2k("L", "N", 1, a, square, 0, a); }) ==
        "Exakt::syr2k: C is 3 x 3, A is 3 x 3; they must not share memory");
}
