// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../blas/ExaktTest_Triangles.hpp"
#include "ExaktTest_BlasAbi.hpp"
#include "ExaktTest_Catch.hpp"

namespace {

using namespace ExaktTest;

/// f(random, hardness, m, n) often; sometimes with more than one panel of rows.
template <class F>
void for_random_sizes(std::uint64_t stream, F const& f) {
  Random random(stream);
  for (Hardness const hardness : every_hardness)
    for (std::uint64_t run = 0; run < 64 * case_factor(); ++run) {
      std::size_t const most = run % 16 == 15 ? 80 : 12;
      f(random, hardness, random.between<std::size_t>(0, most), random.between<std::size_t>(0, most));
    }
}

TEST_CASE("gemv") {
  for_random_sizes(1, [](Random& random, Hardness hardness, std::size_t m, std::size_t n) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      Interface const interface(random);
      char const mode = random.one_of('N', 'T', 'C');
      std::size_t const rows = mode == 'N' ? m : n, columns = mode == 'N' ? n : m;
      auto const a = any_table<Z>(random, hardness, m, n);
      auto const x = any_table<Z>(random, hardness, columns, 1), y = any_table<Z>(random, hardness, rows, 1);
      Z const alpha = any_factor<Z>(random, hardness), beta = any_factor<Z>(random, hardness);
      INFO(name_of(hardness) << ", " << interface.name_of(name<Z>("gemv")) << ", trans " << mode << ", m = " << m
                             << ", n = " << n);
      Operand<Z> A(a, interface.by_rows, random), X(x, random), Y(y, random);
      call(interface, name<Z>("gemv"), trans(mode), Size(m), Size(n), Scalar{alpha}, A.data(), A.step(), X.data(),
           X.step(), Scalar{beta}, Y.data(), Y.step());
      Expression expression{columns, {}, {}, alpha, beta};
      expression.left = [&](std::size_t i, std::size_t l) { return entry_of(a, mode, i, l); };
      expression.right = [&](std::size_t l, std::size_t) { return Number(x(l, 0)); };
      // Without columns nothing happens, whatever beta is.
      expression.is_written = [&](std::size_t, std::size_t) { return columns > 0; };
      check_expression(expression, y, Y);
      Y.check_rest();
    });
  });
}

TEST_CASE("symv and hemv") {
  for_random_sizes(2, [](Random& random, Hardness hardness, std::size_t n, std::size_t) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      bool const hermitian = PartsOf<Z>::is_complex;
      Interface const interface(random);
      StoredTriangle const triangle{random.coin(), false, hermitian};
      auto const a = any_table<Z>(random, hardness, n, n);
      auto const x = any_table<Z>(random, hardness, n, 1), y = any_table<Z>(random, hardness, n, 1);
      Z const alpha = any_factor<Z>(random, hardness), beta = any_factor<Z>(random, hardness);
      std::string const verb = name<Z>(hermitian ? "hemv" : "symv");
      INFO(name_of(hardness) << ", " << interface.name_of(verb) << ", lower " << triangle.is_lower << ", n = " << n);
      Operand<Z> A(triangle.poisoned(a), interface.by_rows, random), X(x, random), Y(y, random);
      call(interface, verb, uplo(triangle.is_lower), Size(n), Scalar{alpha}, A.data(), A.step(), X.data(), X.step(),
           Scalar{beta}, Y.data(), Y.step());
      Expression expression{n, {}, {}, alpha, beta};
      expression.left = [&](std::size_t i, std::size_t j) -> Number {
        if (!triangle.contains(i, j)) return Number(a(j, i)).conjugated(hermitian);
        return i == j && hermitian ? Number(a(i, j)).without_imaginary_part() : Number(a(i, j));
      };
      expression.right = [&](std::size_t l, std::size_t) { return Number(x(l, 0)); };
      check_expression(expression, y, Y);
      Y.check_rest();
    });
  });
}

TEST_CASE("trmv") {
  for_random_sizes(3, [](Random& random, Hardness hardness, std::size_t n, std::size_t) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      Interface const interface(random);
      StoredTriangle const triangle{random.coin(), random.coin()};
      char const mode = random.one_of('N', 'T', 'C');
      auto const a = any_table<Z>(random, hardness, n, n), x = any_table<Z>(random, hardness, n, 1);
      INFO(name_of(hardness) << ", " << interface.name_of(name<Z>("trmv")) << ", lower " << triangle.is_lower
                             << ", ones " << triangle.has_ones << ", trans " << mode << ", n = " << n);
      Operand<Z> A(triangle.poisoned(a), interface.by_rows, random), X(x, random);
      call(interface, name<Z>("trmv"), uplo(triangle.is_lower), trans(mode), diag(triangle.has_ones), Size(n), A.data(),
           A.step(), X.data(), X.step());
      Expression expression{n, {}, {}, 1, 0};
      expression.left = [&](std::size_t i, std::size_t l) -> std::optional<Number> {
        if (!(mode == 'N' ? triangle.contains(i, l) : triangle.contains(l, i))) return {};
        if (i == l && triangle.has_ones) return 1;
        return entry_of(a, mode, i, l);
      };
      expression.right = [&](std::size_t l, std::size_t) { return Number(x(l, 0)); };
      check_expression(expression, x, X);
      X.check_rest();
    });
  });
}

TEST_CASE("trsv") {
  for_random_sizes(4, [](Random& random, Hardness hardness, std::size_t n, std::size_t) {
    for_real_numbers([&](auto type) {
      using Z = decltype(type);
      Interface const interface(random);
      TriangleModes const modes{random.coin(), random.coin(), random.coin()};
      auto const a = hard_triangle<Z>(random, hardness, modes, n);
      auto const b = any_table<Z>(random, hardness, n, 1);
      INFO(name_of(hardness) << ", " << interface.name_of(name<Z>("trsv")) << ", uplo " << modes.uplo() << ", trans "
                             << modes.trans() << ", diag " << modes.diag() << ", n = " << n);
      Operand<Z> A(modes.is_transposed ? a.transposed() : a, interface.by_rows, random), X(b, random);
      call(interface, name<Z>("trsv"), uplo(!modes.is_upper),
           trans(modes.is_transposed ? random.one_of('T', 'C') : 'N'), diag(modes.has_unit_diagonal), Size(n), A.data(),
           A.step(), X.data(), X.step());
      auto const expected = solution_of(a, modes, 1, b.entries);
      for (std::size_t i = 0; i < n; ++i) EXAKT_CHECK_BITS(X(i, 0), Expected<Z>{expected[i]});
      X.check_rest();
    });
  });
}

TEST_CASE("ger, geru and gerc") {
  for_random_sizes(5, [](Random& random, Hardness hardness, std::size_t m, std::size_t n) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      Interface const interface(random);
      bool const conjugated = PartsOf<Z>::is_complex && random.coin();
      auto const a = any_table<Z>(random, hardness, m, n);
      auto const x = any_table<Z>(random, hardness, m, 1), y = any_table<Z>(random, hardness, n, 1);
      Z const alpha = any_factor<Z>(random, hardness);
      std::string const verb = name<Z>(!PartsOf<Z>::is_complex ? "ger" : conjugated ? "gerc" : "geru");
      INFO(name_of(hardness) << ", " << interface.name_of(verb) << ", m = " << m << ", n = " << n);
      Operand<Z> A(a, interface.by_rows, random), X(x, random), Y(y, random);
      call(interface, verb, Size(m), Size(n), Scalar{alpha}, X.data(), X.step(), Y.data(), Y.step(), A.data(),
           A.step());
      Expression expression{1, {}, {}, alpha, 1};
      expression.left = [&](std::size_t i, std::size_t) { return Number(x(i, 0)); };
      expression.right = [&](std::size_t, std::size_t j) { return Number(y(j, 0)).conjugated(conjugated); };
      check_expression(expression, a, A);
      A.check_rest();
    });
  });
}

TEST_CASE("syr and her, syr2 and her2") {
  for_random_sizes(6, [](Random& random, Hardness hardness, std::size_t n, std::size_t) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      using R = typename PartsOf<Z>::Real;
      bool const hermitian = PartsOf<Z>::is_complex, has_two = random.coin();
      Interface const interface(random);
      StoredTriangle const triangle{random.coin(), false, hermitian};
      auto const a = triangle.poisoned(any_table<Z>(random, hardness, n, n));
      auto const x = any_table<Z>(random, hardness, n, 1), y = any_table<Z>(random, hardness, n, 1);
      std::string const verb = name<Z>(std::string(hermitian ? "her" : "syr") + (has_two ? "2" : ""));
      INFO(name_of(hardness) << ", " << interface.name_of(verb) << ", lower " << triangle.is_lower << ", n = " << n);
      Operand<Z> A(a, interface.by_rows, random), X(x, random), Y(y, random);
      Expression expression{1, {}, {}, 0, 1};
      expression.left = [&](std::size_t i, std::size_t) { return Number(x(i, 0)); };
      expression.is_written = [&](std::size_t i, std::size_t j) { return triangle.contains(i, j); };
      expression.has_real_diagonal = hermitian;
      if (has_two) {
        Z const alpha = any_factor<Z>(random, hardness);
        call(interface, verb, uplo(triangle.is_lower), Size(n), Scalar{alpha}, X.data(), X.step(), Y.data(), Y.step(),
             A.data(), A.step());
        // Without an imaginary part alpha is real.
        expression.alpha = hermitian && Number(alpha).imaginary == 0 ? Number(Number(alpha).real) : Number(alpha);
        expression.right = [&](std::size_t, std::size_t j) { return Number(y(j, 0)).conjugated(hermitian); };
        expression.second_alpha = expression.alpha.conjugated(hermitian);
        expression.second_left = [&](std::size_t i, std::size_t) { return Number(y(i, 0)); };
        expression.second_right = [&](std::size_t, std::size_t j) { return Number(x(j, 0)).conjugated(hermitian); };
      } else {
        R const alpha = any_factor<R>(random, hardness);
        call(interface, verb, uplo(triangle.is_lower), Size(n), Scalar{alpha}, X.data(), X.step(), A.data(), A.step());
        expression.alpha = alpha;
        expression.right = [&](std::size_t, std::size_t j) { return Number(x(j, 0)).conjugated(hermitian); };
      }
      check_expression(expression, a, A);
      A.check_rest();
    });
  });
}

}  // namespace
