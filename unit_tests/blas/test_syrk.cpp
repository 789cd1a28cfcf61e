// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas3_gemm.hpp>
#include <ExaktBlas3_herk.hpp>
#include <ExaktBlas3_syrk.hpp>

#include "ExaktTest_StructuredMatrices.hpp"

namespace {

using namespace ExaktTest;
using Kokkos::complex;
using Z = complex<double>;

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

}  // namespace

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
  check_own_product<double, double>(random, Hardness::none, false, 0.7, 1.5,
                                    {17, 2060});  // long: a piece after the other
  check_own_product<double, double>(random, Hardness::cancelling, false, 1, 0.3, {11, 2060});
  check_own_product<complex<double>, complex<double>>(random, Hardness::none, true, 0.7, 1.5, {150, 3});
  check_own_product<complex<double>, complex<double>>(random, Hardness::cancelling, false, 1, 0, {70, 5});
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

TEST_CASE("syrk and herk refuse operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  auto const a = poisoned<Matrix>(3, 3), b = poisoned<Matrix>(3, 2), c = poisoned<Matrix>(3, 2),
             square = poisoned<Matrix>(3, 3), turned = poisoned<Matrix>(2, 3);
  HostMatrix<complex<double>, Kokkos::LayoutLeft> const z("z", 3, 3), factor("factor", 3, 3);
  CHECK(refusal_of([&] { Exakt::syrk("L", "H", 1, b, 0, a); }) == "Exakt::syrk: trans is 'H'; it must be N, T or C");
  CHECK(refusal_of([&] { Exakt::syrk("L", "N", 1, b, 0, b); }) == "Exakt::syrk: C is 3 x 2; it must be square");
  CHECK(refusal_of([&] { Exakt::syrk("L", "T", 1, b, 0, a); }) ==
        "Exakt::syrk: A is 3 x 2, C is 3 x 3; with trans 'T', A.extent(1) must equal C.extent(0)");
  CHECK(refusal_of([&] { Exakt::herk("L", "N", 1, a, 0, a); }) ==
        "Exakt::herk: C is 3 x 3, A is 3 x 3; they must not share memory");
  CHECK(refusal_of([&] { Exakt::syrk("L", "C", 1, factor, 0, z); }) == "Exakt::syrk: trans is 'C'; it must be N or T");
  CHECK(refusal_of([&] { Exakt::herk("L", "T", 1, factor, 0, z); }) == "Exakt::herk: trans is 'T'; it must be N or C");
  CHECK(refusal_of([&] { Exakt::herk("L", "N", complex<double>(0, 2), factor, 0, z); }) ==
        "Exakt::herk: alpha has an imaginary part of 2; it must be real");
}
