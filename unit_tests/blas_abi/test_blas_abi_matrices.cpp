// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../blas/ExaktTest_Triangles.hpp"
#include "ExaktTest_BlasAbi.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Traps.hpp"

namespace {

using namespace ExaktTest;

struct Sizes {
  std::size_t m, n, k;
};

/// f(random, hardness, sizes) often.
template <class F>
void for_random_sizes(std::uint64_t stream, F const& f) {
  Random random(stream);
  auto const size = [&](std::size_t most) { return random.between<std::size_t>(0, most); };
  for (Hardness const hardness : every_hardness)
    for (std::uint64_t run = 0; run < 60 * case_factor(); ++run) {
      std::size_t const most = run % 12 == 11 ? 30 : 9;
      f(random, hardness, Sizes{size(most), size(most), size(most)});
    }
}

template <class Z>
Table<Z> factor_table(Random& random, Hardness hardness, char mode, std::size_t m, std::size_t n) {
  return mode == 'N' ? any_table<Z>(random, hardness, m, n) : any_table<Z>(random, hardness, n, m);
}

TEST_CASE("gemm") {
  for_random_sizes(1, [](Random& random, Hardness hardness, Sizes const& sizes) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      auto const [m, n, k] = sizes;
      Interface const interface(random);
      char const a_mode = random.one_of('N', 'T', 'C'), b_mode = random.one_of('N', 'T', 'C');
      auto const a = factor_table<Z>(random, hardness, a_mode, m, k),
                 b = factor_table<Z>(random, hardness, b_mode, k, n);
      auto const c = any_table<Z>(random, hardness, m, n);
      Z const alpha = any_factor<Z>(random, hardness), beta = any_factor<Z>(random, hardness);
      INFO(name_of(hardness) << ", " << interface.name_of(name<Z>("gemm")) << ", " << a_mode << b_mode << ", m = " << m
                             << ", n = " << n << ", k = " << k);
      Operand<Z> A(a, interface.by_rows, random), B(b, interface.by_rows, random), C(c, interface.by_rows, random);
      call(interface, name<Z>("gemm"), trans(a_mode), trans(b_mode), Size(m), Size(n), Size(k), Scalar{alpha}, A.data(),
           A.step(), B.data(), B.step(), Scalar{beta}, C.data(), C.step());
      Expression expression{k, {}, {}, alpha, beta};
      expression.left = [&](std::size_t i, std::size_t l) { return entry_of(a, a_mode, i, l); };
      expression.right = [&](std::size_t l, std::size_t j) { return entry_of(b, b_mode, l, j); };
      check_expression(expression, c, C);
      C.check_rest();
    });
  });
}

TEST_CASE("a factor that is a signaling NaN traps nothing, also where there is nothing to multiply") {
  Random random(7);
  for_all_numbers([&](auto type) {
    using Z = decltype(type);
    Interface const interface(random);
    Z const one(1), zero(0), beta(std::numeric_limits<typename PartsOf<Z>::Real>::signaling_NaN());
    Z const a(2), b(3);
    Z without_columns(4), without_alpha(4);
    {
      ScopedTraps const traps;
      call(interface, name<Z>("gemm"), trans('N'), trans('N'), Size(1), Size(1), Size(0), Scalar{one}, &a, Size(1), &b,
           Size(1), Scalar{beta}, &without_columns, Size(1));
      call(interface, name<Z>("gemm"), trans('N'), trans('N'), Size(1), Size(1), Size(1), Scalar{zero}, &a, Size(1), &b,
           Size(1), Scalar{beta}, &without_alpha, Size(1));
    }
    CHECK((std::isnan(Number(without_columns).real) && std::isnan(Number(without_alpha).real)));
  });
}

TEST_CASE("gemm of many small integers, which is faster by residues where the processor multiplies bytes") {
  Random random(15);
  std::size_t const m = 150, n = 140, k = 130;
  for_all_numbers([&](auto type) {
    using Z = decltype(type);
    using R = typename PartsOf<Z>::Real;
    Interface const interface(random);
    auto const table = [&](std::size_t rows, std::size_t columns) {
      Table<Z> result(rows, columns);
      auto const integer = [&] { return static_cast<R>(random.between(-3, 3)); };
      for (Z& entry : result.entries) {
        R const real = integer();
        if constexpr (PartsOf<Z>::is_complex) {
          entry = Z(real, integer());
        } else {
          entry = real;
        }
      }
      return result;
    };
    auto const a = table(m, k), b = table(k, n), c = table(m, n);
    R const alpha = R(0.1);
    Operand<Z> A(a, interface.by_rows, random), B(b, interface.by_rows, random), C(c, interface.by_rows, random);
    call(interface, name<Z>("gemm"), trans('N'), trans('N'), Size(m), Size(n), Size(k), Scalar{Z(alpha)}, A.data(),
         A.step(), B.data(), B.step(), Scalar{Z(0)}, C.data(), C.step());
    INFO(interface.name_of(name<Z>("gemm")));
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double real = 0, imaginary = 0;
        for (std::size_t l = 0; l < k; ++l) {
          Number const x(a(i, l)), y(b(l, j));
          real += x.real * y.real - x.imaginary * y.imaginary;
          imaginary += x.real * y.imaginary + x.imaginary * y.real;
        }
        Number const result(C(i, j));
        EXAKT_CHECK(result.real == static_cast<R>(alpha * real));
        EXAKT_CHECK(result.imaginary == static_cast<R>(alpha * imaginary));
      }
    }
    C.check_rest();
  });
}

TEST_CASE("gemmtr, also as gemmt: one triangle of a product") {
  for_random_sizes(6, [](Random& random, Hardness hardness, Sizes const& sizes) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      std::size_t const n = sizes.n, k = sizes.k;
      Interface const interface(random);
      StoredTriangle const triangle{random.coin()};
      char const a_mode = random.one_of('N', 'T', 'C'), b_mode = random.one_of('N', 'T', 'C');
      auto const a = factor_table<Z>(random, hardness, a_mode, n, k),
                 b = factor_table<Z>(random, hardness, b_mode, k, n);
      auto const c = triangle.poisoned(any_table<Z>(random, hardness, n, n));
      Z const alpha = any_factor<Z>(random, hardness), beta = any_factor<Z>(random, hardness);
      std::string const verb = name<Z>(random.coin() ? "gemmtr" : "gemmt");
      INFO(name_of(hardness) << ", " << interface.name_of(verb) << ", " << a_mode << b_mode << ", lower "
                             << triangle.is_lower << ", n = " << n << ", k = " << k);
      Operand<Z> A(a, interface.by_rows, random), B(b, interface.by_rows, random), C(c, interface.by_rows, random);
      call(interface, verb, uplo(triangle.is_lower), trans(a_mode), trans(b_mode), Size(n), Size(k), Scalar{alpha},
           A.data(), A.step(), B.data(), B.step(), Scalar{beta}, C.data(), C.step());
      Expression expression{k, {}, {}, alpha, beta};
      expression.left = [&](std::size_t i, std::size_t l) { return entry_of(a, a_mode, i, l); };
      expression.right = [&](std::size_t l, std::size_t j) { return entry_of(b, b_mode, l, j); };
      expression.is_written = [&](std::size_t i, std::size_t j) { return triangle.contains(i, j); };
      check_expression(expression, c, C);
      C.check_rest();
    });
  });
}

TEST_CASE("symm and hemm") {
  for_random_sizes(2, [](Random& random, Hardness hardness, Sizes const& sizes) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      auto const [m, n, k] = sizes;
      Interface const interface(random);
      bool const hermitian = PartsOf<Z>::is_complex && random.coin(), left = random.coin();
      StoredTriangle const triangle{random.coin(), false, hermitian};
      std::size_t const size = left ? m : n;
      auto const a = any_table<Z>(random, hardness, size, size);
      auto const b = any_table<Z>(random, hardness, m, n), c = any_table<Z>(random, hardness, m, n);
      Z const alpha = any_factor<Z>(random, hardness), beta = any_factor<Z>(random, hardness);
      std::string const verb = name<Z>(hermitian ? "hemm" : "symm");
      INFO(name_of(hardness) << ", " << interface.name_of(verb) << ", left " << left << ", lower " << triangle.is_lower
                             << ", m = " << m << ", n = " << n);
      Operand<Z> A(triangle.poisoned(a), interface.by_rows, random), B(b, interface.by_rows, random),
          C(c, interface.by_rows, random);
      call(interface, verb, side(left), uplo(triangle.is_lower), Size(m), Size(n), Scalar{alpha}, A.data(), A.step(),
           B.data(), B.step(), Scalar{beta}, C.data(), C.step());
      auto const mirrored = [&](std::size_t i, std::size_t j) -> Number {
        if (!triangle.contains(i, j)) return Number(a(j, i)).conjugated(hermitian);
        return i == j && hermitian ? Number(a(i, j)).without_imaginary_part() : Number(a(i, j));
      };
      Expression expression{size, {}, {}, alpha, beta};
      if (left) {
        expression.left = mirrored;
        expression.right = [&](std::size_t l, std::size_t j) { return Number(b(l, j)); };
      } else {
        expression.left = [&](std::size_t i, std::size_t l) { return Number(b(i, l)); };
        expression.right = mirrored;
      }
      check_expression(expression, c, C);
      C.check_rest();
    });
  });
}

/// syrk, herk, syr2k or her2k.
template <class Z, bool hermitian, bool has_two>
void check_triangle_update(Random& random, Hardness hardness, std::size_t n, std::size_t k) {
  using F = std::conditional_t<hermitian, typename PartsOf<Z>::Real, Z>;
  using Alpha = std::conditional_t<has_two, Z, F>;
  Interface const interface(random);
  StoredTriangle const triangle{random.coin(), false, hermitian};
  char const turn = hermitian || (!PartsOf<Z>::is_complex && random.coin()) ? 'C' : 'T';
  char const mode = random.coin() ? 'N' : turn;
  auto const a = factor_table<Z>(random, hardness, mode, n, k), b = factor_table<Z>(random, hardness, mode, n, k);
  auto const c = triangle.poisoned(any_table<Z>(random, hardness, n, n));
  Alpha const alpha = any_factor<Alpha>(random, hardness);
  F const beta = any_factor<F>(random, hardness);
  std::string const verb = name<Z>(std::string(hermitian ? "he" : "sy") + (has_two ? "r2k" : "rk"));
  INFO(name_of(hardness) << ", " << interface.name_of(verb) << ", lower " << triangle.is_lower << ", trans " << mode
                         << ", n = " << n << ", k = " << k);
  Operand<Z> A(a, interface.by_rows, random), B(b, interface.by_rows, random), C(c, interface.by_rows, random);
  auto const op = [&](Table<Z> const& table, std::size_t i, std::size_t l) { return entry_of(table, mode, i, l); };
  Expression expression{k, {}, {}, alpha, beta};
  expression.left = [&](std::size_t i, std::size_t l) { return op(a, i, l); };
  expression.right = [&](std::size_t l, std::size_t j) { return op(has_two ? b : a, j, l).conjugated(hermitian); };
  expression.is_written = [&](std::size_t i, std::size_t j) { return triangle.contains(i, j); };
  expression.has_real_diagonal = hermitian;
  if constexpr (has_two) {
    call(interface, verb, uplo(triangle.is_lower), trans(mode), Size(n), Size(k), Scalar{alpha}, A.data(), A.step(),
         B.data(), B.step(), Scalar{beta}, C.data(), C.step());
    if (hermitian && expression.alpha.imaginary == 0) expression.alpha = expression.alpha.real;
    expression.second_alpha = expression.alpha.conjugated(hermitian);
    expression.second_left = [&](std::size_t i, std::size_t l) { return op(b, i, l); };
    expression.second_right = [&](std::size_t l, std::size_t j) { return op(a, j, l).conjugated(hermitian); };
  } else {
    call(interface, verb, uplo(triangle.is_lower), trans(mode), Size(n), Size(k), Scalar{alpha}, A.data(), A.step(),
         Scalar{beta}, C.data(), C.step());
  }
  check_expression(expression, c, C);
  C.check_rest();
}

TEST_CASE("syrk and herk, syr2k and her2k") {
  for_random_sizes(3, [](Random& random, Hardness hardness, Sizes const& sizes) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      check_triangle_update<Z, false, false>(random, hardness, sizes.n, sizes.k);
      check_triangle_update<Z, false, true>(random, hardness, sizes.n, sizes.k);
      if constexpr (PartsOf<Z>::is_complex) {
        check_triangle_update<Z, true, false>(random, hardness, sizes.n, sizes.k);
        check_triangle_update<Z, true, true>(random, hardness, sizes.n, sizes.k);
      }
    });
  });
}

TEST_CASE("trmm") {
  for_random_sizes(4, [](Random& random, Hardness hardness, Sizes const& sizes) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      auto const [m, n, k] = sizes;
      Interface const interface(random);
      bool const left = random.coin();
      StoredTriangle const triangle{random.coin(), random.coin()};
      char const mode = random.one_of('N', 'T', 'C');
      std::size_t const size = left ? m : n;
      auto const a = any_table<Z>(random, hardness, size, size), b = any_table<Z>(random, hardness, m, n);
      Z const alpha = any_factor<Z>(random, hardness);
      INFO(name_of(hardness) << ", " << interface.name_of(name<Z>("trmm")) << ", left " << left << ", lower "
                             << triangle.is_lower << ", trans " << mode << ", ones " << triangle.has_ones
                             << ", m = " << m << ", n = " << n);
      Operand<Z> A(triangle.poisoned(a), interface.by_rows, random), B(b, interface.by_rows, random);
      call(interface, name<Z>("trmm"), side(left), uplo(triangle.is_lower), trans(mode), diag(triangle.has_ones),
           Size(m), Size(n), Scalar{alpha}, A.data(), A.step(), B.data(), B.step());
      // The left factor says which products there are: on the right the transposes are multiplied.
      auto const op = [&](std::size_t i, std::size_t l) -> std::optional<Number> {
        if (!(mode == 'N' ? triangle.contains(i, l) : triangle.contains(l, i))) return {};
        if (i == l && triangle.has_ones) return 1;
        return entry_of(a, mode, i, l);
      };
      Expression expression{size, {}, {}, alpha, 0};
      if (left) {
        expression.left = op;
        expression.right = [&](std::size_t l, std::size_t j) { return Number(b(l, j)); };
        check_expression(expression, b, B);
      } else {
        expression.left = [&](std::size_t j, std::size_t l) { return op(l, j); };
        expression.right = [&](std::size_t l, std::size_t i) { return Number(b(i, l)); };
        check_expression(expression, b.transposed(), [&](std::size_t j, std::size_t i) -> Z const& { return B(i, j); });
      }
      B.check_rest();
    });
  });
}

TEST_CASE("trsm") {
  for_random_sizes(5, [](Random& random, Hardness hardness, Sizes const& sizes) {
    for_real_numbers([&](auto type) {
      using Z = decltype(type);
      auto const [m, n, k] = sizes;
      Interface const interface(random);
      bool const left = random.coin();
      // Of the system whose unknowns are columns: on the right it is the transposed one.
      TriangleModes const modes{random.coin(), random.coin(), random.coin()};
      std::size_t const size = left ? m : n;
      auto const a = hard_triangle<Z>(random, hardness, modes, size);
      auto const b = any_table<Z>(random, hardness, m, n);
      Z const alpha = any_factor<Z>(random, hardness);
      bool const is_transposed = modes.is_transposed == left;
      INFO(name_of(hardness) << ", " << interface.name_of(name<Z>("trsm")) << ", left " << left << ", uplo "
                             << modes.uplo() << ", transposed " << is_transposed << ", diag " << modes.diag()
                             << ", m = " << m << ", n = " << n);
      Operand<Z> A(modes.is_transposed ? a.transposed() : a, interface.by_rows, random),
          B(b, interface.by_rows, random);
      call(interface, name<Z>("trsm"), side(left), uplo(!modes.is_upper),
           trans(is_transposed ? random.one_of('T', 'C') : 'N'), diag(modes.has_unit_diagonal), Size(m), Size(n),
           Scalar{alpha}, A.data(), A.step(), B.data(), B.step());
      auto const right_sides = left ? b : b.transposed();
      for (std::size_t j = 0; j < right_sides.columns; ++j) {
        auto const expected = solution_of(a, modes, static_cast<double>(alpha), right_sides.column(j));
        for (std::size_t i = 0; i < size; ++i) EXAKT_CHECK_BITS(left ? B(i, j) : B(j, i), Expected<Z>{expected[i]});
      }
      B.check_rest();
    });
  });
}

}  // namespace
