// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../blas/ExaktTest_ComplexQuotient.hpp"
#include "../blas/ExaktTest_Triangles.hpp"
#include "ExaktTest_C.hpp"
#include "ExaktTest_FpEnvironment.hpp"

namespace {

using namespace ExaktTest;

inline constexpr exakt_layout every_layout[] = {EXAKT_ROW_MAJOR, EXAKT_COLUMN_MAJOR};
inline constexpr exakt_transpose every_transpose[] = {EXAKT_NO_TRANS, EXAKT_TRANS, EXAKT_CONJ_TRANS};

/// A matrix of C: NaN behind its lines.
template <class T>
class Stored {
 public:
  Stored(Table<T> const& table, exakt_layout layout, exakt_transpose trans, std::size_t more)
      : m_layout(layout), m_is_transposed(trans != EXAKT_NO_TRANS) {
    bool const by_rows = (layout == EXAKT_ROW_MAJOR) != m_is_transposed;
    std::size_t const lines = by_rows ? table.rows : table.columns, length = by_rows ? table.columns : table.rows;
    m_leading = std::max<std::size_t>(length, 1) + more;
    m_memory.assign(m_leading * lines + 1, nan_of<T>());
    for (std::size_t i = 0; i < table.rows; ++i)
      for (std::size_t j = 0; j < table.columns; ++j) (*this)(i, j) = table(i, j);
  }
  /// The entry of the table.
  T& operator()(std::size_t i, std::size_t j) {
    bool const by_rows = (m_layout == EXAKT_ROW_MAJOR) != m_is_transposed;
    return m_memory[by_rows ? i * m_leading + j : j * m_leading + i];
  }
  T* data() { return m_memory.data(); }
  std::ptrdiff_t leading() const { return static_cast<std::ptrdiff_t>(m_leading); }

 private:
  exakt_layout m_layout;
  bool m_is_transposed;
  std::size_t m_leading;
  std::vector<T> m_memory;
};

using Complex = Kokkos::complex<double>;
using ComplexFloat = Kokkos::complex<float>;

template <class T, class... A>
exakt_status gemv(A... a) {
  if constexpr (std::is_same_v<T, double>)
    return exakt_dgemv(a...);
  else if constexpr (std::is_same_v<T, Complex>)
    return exakt_zgemv(a...);
  else if constexpr (std::is_same_v<T, ComplexFloat>)
    return exakt_cgemv(a...);
  else
    return exakt_sgemv(a...);
}
template <class T, class... A>
exakt_status gemm(A... a) {
  if constexpr (std::is_same_v<T, double>)
    return exakt_dgemm(a...);
  else if constexpr (std::is_same_v<T, Complex>)
    return exakt_zgemm(a...);
  else if constexpr (std::is_same_v<T, ComplexFloat>)
    return exakt_cgemm(a...);
  else
    return exakt_sgemm(a...);
}
template <class T, class... A>
exakt_status trsv(A... a) {
  if constexpr (std::is_same_v<T, double>)
    return exakt_dtrsv(a...);
  else if constexpr (std::is_same_v<T, Complex>)
    return exakt_ztrsv(a...);
  else if constexpr (std::is_same_v<T, ComplexFloat>)
    return exakt_ctrsv(a...);
  else
    return exakt_strsv(a...);
}
template <class T, class... A>
exakt_status trsm(A... a) {
  if constexpr (std::is_same_v<T, double>)
    return exakt_dtrsm(a...);
  else if constexpr (std::is_same_v<T, Complex>)
    return exakt_ztrsm(a...);
  else if constexpr (std::is_same_v<T, ComplexFloat>)
    return exakt_ctrsm(a...);
  else
    return exakt_strsm(a...);
}

template <class T>
Table<T> random_table(Random& random, Hardness hardness, std::size_t m, std::size_t n) {
  Table<T> a(m, n);
  for (T& entry : a.entries) entry = hard_number<T>(random, hardness);
  return a;
}

/// An alpha of zero has a test of its own.
template <class T>
std::pair<T, T> factors_of(Random& random) {
  HardFactors const factors(random);
  T const alpha = static_cast<T>(factors.alpha);
  return {alpha == 0 ? T{-1} : alpha, static_cast<T>(factors.beta)};
}

std::ptrdiff_t signed_size(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

template <class T>
void check_gemv(Random& random, Hardness hardness, std::size_t m, std::size_t n) {
  auto const a = random_table<T>(random, hardness, m, n);
  auto const x = random_table<T>(random, hardness, n, 1).entries, y = random_table<T>(random, hardness, m, 1).entries;
  auto const [alpha, beta] = factors_of<T>(random);
  auto const expected = expected_product<T>(alpha, a, x, beta, y);
  for (exakt_layout const layout : every_layout) {
    for (exakt_transpose const trans : every_transpose) {
      std::ptrdiff_t const incx = random.one_of(1, 2, -1, -3), incy = random.one_of(1, 2, -1, -3);
      INFO("layout " << layout << ", trans " << trans << ", " << m << " x " << n << ", incx " << incx << ", incy "
                     << incy << ", alpha " << alpha << ", beta " << beta);
      Stored<T> matrix(a, layout, trans, random.between<std::size_t>(0, 2));
      Incremented<T> left(x, incx), result(y, incy);
      std::size_t const rows = trans == EXAKT_NO_TRANS ? m : n, columns = trans == EXAKT_NO_TRANS ? n : m;
      REQUIRE(gemv<T>(layout, trans, signed_size(rows), signed_size(columns), alpha, matrix.data(), matrix.leading(),
                      left.data(), incx, beta, result.data(), incy) == EXAKT_SUCCESS);
      for (std::size_t i = 0; i < expected.size(); ++i) EXAKT_CHECK_BITS(result[i], expected[i]);
    }
  }
}

template <class T>
void check_gemm(Random& random, Hardness hardness, std::size_t m, std::size_t n, std::size_t k) {
  auto const a = random_table<T>(random, hardness, m, k), b = random_table<T>(random, hardness, k, n),
             c = random_table<T>(random, hardness, m, n);
  auto const [alpha, beta] = factors_of<T>(random);
  std::vector<std::vector<Expected<T>>> expected;
  for (std::size_t j = 0; j < n; ++j) expected.push_back(expected_product<T>(alpha, a, b.column(j), beta, c.column(j)));
  for (exakt_layout const layout : every_layout) {
    for (exakt_transpose const transa : every_transpose) {
      exakt_transpose const transb = random.one_of(EXAKT_NO_TRANS, EXAKT_TRANS, EXAKT_CONJ_TRANS);
      INFO("layout " << layout << ", trans " << transa << " " << transb << ", " << m << " x " << n << " x " << k);
      Stored<T> left(a, layout, transa, random.between<std::size_t>(0, 2)),
          right(b, layout, transb, random.between<std::size_t>(0, 2)),
          result(c, layout, EXAKT_NO_TRANS, random.between<std::size_t>(0, 2));
      REQUIRE(gemm<T>(layout, transa, transb, signed_size(m), signed_size(n), signed_size(k), alpha, left.data(),
                      left.leading(), right.data(), right.leading(), beta, result.data(),
                      result.leading()) == EXAKT_SUCCESS);
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) EXAKT_CHECK_BITS(result(i, j), expected[j][i]);
    }
  }
}

/// What is stored so that op() of it is `a`.
template <class Z>
Table<Z> before(Table<Z> a, exakt_transpose trans) {
  if (trans == EXAKT_CONJ_TRANS)
    for (Z& entry : a.entries) entry = Z(entry.real(), -entry.imag());
  return a;
}

/// Zero, one, what has a part of zero, and others.
template <class Z>
Z complex_factor(Random& random) {
  Z const factors[] = {Z(0, 0), Z(1, 0), Z(-1, 0), Z(0, 1), Z(0.5f, 0), any_number<Z>(random, Hardness::none)};
  return factors[random.between<std::size_t>(0, 5)];
}

template <class Z>
void check_complex_gemv(Random& random, Hardness hardness, std::size_t m, std::size_t n) {
  auto const a = any_table<Z>(random, hardness, m, n), x = any_table<Z>(random, hardness, n, 1),
             y = any_table<Z>(random, hardness, m, 1);
  for (exakt_layout const layout : every_layout) {
    for (exakt_transpose const trans : every_transpose) {
      std::ptrdiff_t const incx = random.one_of(1, 2, -1, -3), incy = random.one_of(1, 2, -1, -3);
      Z const alpha = complex_factor<Z>(random), beta = complex_factor<Z>(random);
      INFO("layout " << layout << ", trans " << trans << ", " << m << " x " << n << ", incx " << incx << ", incy "
                     << incy << ", alpha " << alpha.real() << " + " << alpha.imag() << "i, beta " << beta.real()
                     << " + " << beta.imag() << "i");
      Stored<Z> matrix(before(a, trans), layout, trans, random.between<std::size_t>(0, 2));
      Incremented<Z> left(x.entries, incx), result(y.entries, incy);
      std::size_t const rows = trans == EXAKT_NO_TRANS ? m : n, columns = trans == EXAKT_NO_TRANS ? n : m;
      REQUIRE(gemv<Z>(layout, trans, signed_size(rows), signed_size(columns), &alpha, matrix.data(), matrix.leading(),
                      left.data(), incx, &beta, result.data(), incy) == EXAKT_SUCCESS);
      Expression const expression{n, [&](std::size_t i, std::size_t l) { return Number(a(i, l)); },
                                  [&](std::size_t l, std::size_t) { return Number(x(l, 0)); }, alpha, beta};
      check_expression(expression, y, [&](std::size_t i, std::size_t) -> Z const& { return result[i]; });
    }
  }
}

template <class Z>
void check_complex_gemm(Random& random, Hardness hardness, std::size_t m, std::size_t n, std::size_t k) {
  auto const a = any_table<Z>(random, hardness, m, k), b = any_table<Z>(random, hardness, k, n),
             c = any_table<Z>(random, hardness, m, n);
  for (exakt_layout const layout : every_layout) {
    for (exakt_transpose const transa : every_transpose) {
      exakt_transpose const transb = random.one_of(EXAKT_NO_TRANS, EXAKT_TRANS, EXAKT_CONJ_TRANS);
      Z const alpha = complex_factor<Z>(random), beta = complex_factor<Z>(random);
      INFO("layout " << layout << ", trans " << transa << " " << transb << ", " << m << " x " << n << " x " << k
                     << ", alpha " << alpha.real() << " + " << alpha.imag() << "i, beta " << beta.real() << " + "
                     << beta.imag() << "i");
      Stored<Z> left(before(a, transa), layout, transa, random.between<std::size_t>(0, 2)),
          right(before(b, transb), layout, transb, random.between<std::size_t>(0, 2)),
          result(c, layout, EXAKT_NO_TRANS, random.between<std::size_t>(0, 2));
      REQUIRE(gemm<Z>(layout, transa, transb, signed_size(m), signed_size(n), signed_size(k), &alpha, left.data(),
                      left.leading(), right.data(), right.leading(), &beta, result.data(),
                      result.leading()) == EXAKT_SUCCESS);
      Expression const expression{k, [&](std::size_t i, std::size_t l) { return Number(a(i, l)); },
                                  [&](std::size_t l, std::size_t j) { return Number(b(l, j)); }, alpha, beta};
      check_expression(expression, c, [&](std::size_t i, std::size_t j) -> Z const& { return result(i, j); });
    }
  }
}

/// op(A), of which the other triangle is NaN where it is stored.
template <class Z>
Table<Z> complex_triangle(Random& random, Hardness hardness, TriangleModes const& modes, std::size_t n) {
  auto a = any_table<Z>(random, hardness, n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j && (j < i) != modes.goes_down()) a(i, j) = nan_of<Z>();
  return a;
}

template <class Z>
void check_complex_triangle(Random& random, Hardness hardness, TriangleModes const& modes, std::size_t n,
                            std::size_t right_sides) {
  auto const a = complex_triangle<Z>(random, hardness, modes, n);
  auto const b = any_table<Z>(random, hardness, n, right_sides);
  auto const uplo = modes.is_upper ? EXAKT_UPPER : EXAKT_LOWER;
  auto const trans = !modes.is_transposed ? EXAKT_NO_TRANS : random.one_of(EXAKT_TRANS, EXAKT_CONJ_TRANS);
  auto const diag = modes.has_unit_diagonal ? EXAKT_UNIT : EXAKT_NON_UNIT;
  Z const alpha = random.one_of(Z(1, 0), Z(-1, 0), Z(0.1f, 2), Z(0, 1));
  auto const system = [&](Number const& factor) {
    return System<Z>{n, [&](std::size_t i, std::size_t j) { return std::optional<Number>(Number(a(i, j))); },
                     modes.goes_down(), modes.has_unit_diagonal, factor};
  };
  for (exakt_layout const layout : every_layout) {
    INFO("layout " << layout << ", trans " << trans << ", n = " << n << ", right sides " << right_sides << ", alpha "
                   << alpha.real() << " + " << alpha.imag() << "i");
    Stored<Z> matrix(before(a, trans), layout, trans, random.between<std::size_t>(0, 2));
    if (right_sides > 0) {
      std::ptrdiff_t const incx = random.one_of(1, 2, -1, -3);
      Incremented<Z> x(b.column(0), incx);
      REQUIRE(trsv<Z>(layout, uplo, trans, diag, signed_size(n), matrix.data(), matrix.leading(), x.data(), incx) ==
              EXAKT_SUCCESS);
      system(1).check(b, 0, [&](std::size_t i) { return x[i]; });
    }
    Stored<Z> left(b, layout, EXAKT_NO_TRANS, 1);
    REQUIRE(trsm<Z>(layout, EXAKT_LEFT, uplo, trans, diag, signed_size(n), signed_size(right_sides), &alpha,
                    matrix.data(), matrix.leading(), left.data(), left.leading()) == EXAKT_SUCCESS);
    // X op(A) = B with op(A)^T in the place of op(A); its conjugate is A^H, if A is conjugated before.
    auto const turned = modes.is_transposed ? EXAKT_NO_TRANS : random.one_of(EXAKT_TRANS, EXAKT_CONJ_TRANS);
    Stored<Z> other(before(a, turned), layout, trans, 0), right(b.transposed(), layout, EXAKT_NO_TRANS, 1);
    REQUIRE(trsm<Z>(layout, EXAKT_RIGHT, uplo, turned, diag, signed_size(right_sides), signed_size(n), &alpha,
                    other.data(), other.leading(), right.data(), right.leading()) == EXAKT_SUCCESS);
    for (std::size_t j = 0; j < right_sides; ++j) {
      system(alpha).check(b, j, [&](std::size_t i) { return left(i, j); });
      system(alpha).check(b, j, [&](std::size_t i) { return right(j, i); });
    }
  }
}

template <class T>
void check_triangle(Random& random, Hardness hardness, TriangleModes const& modes, std::size_t n,
                    std::size_t right_sides) {
  auto const a = hard_triangle<T>(random, hardness, modes, n);
  auto const b = random_table<T>(random, hardness, n, right_sides);
  auto const uplo = modes.is_upper ? EXAKT_UPPER : EXAKT_LOWER;
  auto const trans = modes.is_transposed ? EXAKT_TRANS : EXAKT_NO_TRANS;
  auto const diag = modes.has_unit_diagonal ? EXAKT_UNIT : EXAKT_NON_UNIT;
  T const alpha = random.one_of(T{1}, T{-1}, static_cast<T>(0.1));
  for (exakt_layout const layout : every_layout) {
    INFO("layout " << layout << ", n = " << n << ", right sides " << right_sides << ", alpha " << alpha);
    Stored<T> matrix(a, layout, trans, random.between<std::size_t>(0, 2));

    if (right_sides > 0) {
      auto const expected = solution_of(a, modes, 1.0, b.column(0));
      std::ptrdiff_t const incx = random.one_of(1, 2, -1, -3);
      Incremented<T> x(b.column(0), incx);
      REQUIRE(trsv<T>(layout, uplo, trans, diag, signed_size(n), matrix.data(), matrix.leading(), x.data(), incx) ==
              EXAKT_SUCCESS);
      for (std::size_t i = 0; i < n; ++i) EXAKT_CHECK_BITS(x[i], Expected<T>{expected[i]});
    }

    Stored<T> left(b, layout, EXAKT_NO_TRANS, 1);
    REQUIRE(trsm<T>(layout, EXAKT_LEFT, uplo, trans, diag, signed_size(n), signed_size(right_sides), alpha,
                    matrix.data(), matrix.leading(), left.data(), left.leading()) == EXAKT_SUCCESS);
    // X op(A) = B with op(A)^T in the place of op(A).
    Stored<T> right(b.transposed(), layout, EXAKT_NO_TRANS, 1);
    REQUIRE(trsm<T>(layout, EXAKT_RIGHT, uplo, modes.is_transposed ? EXAKT_NO_TRANS : EXAKT_CONJ_TRANS, diag,
                    signed_size(right_sides), signed_size(n), alpha, matrix.data(), matrix.leading(), right.data(),
                    right.leading()) == EXAKT_SUCCESS);
    for (std::size_t j = 0; j < right_sides; ++j) {
      auto const expected = solution_of(a, modes, alpha, b.column(j));
      for (std::size_t i = 0; i < n; ++i) {
        EXAKT_CHECK_BITS(left(i, j), Expected<T>{expected[i]});
        EXAKT_CHECK_BITS(right(j, i), Expected<T>{expected[i]});
      }
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("each entry of gemv of C is rounded once, in every layout, mode and increment", "", double, float) {
  Random random(1910);
  for (std::uint64_t i = 0; i < 6 * case_factor(); ++i)
    for (Hardness const hardness : every_hardness)
      check_gemv<TestType>(random, hardness, random.between<std::size_t>(0, 40), random.between<std::size_t>(0, 40));
  check_gemv<TestType>(random, Hardness::none, 70, 300);
}

TEMPLATE_TEST_CASE("each entry of gemm of C is rounded once, in every layout and mode", "", double, float) {
  Random random(1911);
  for (std::uint64_t i = 0; i < 3 * case_factor(); ++i)
    for (Hardness const hardness : every_hardness)
      check_gemm<TestType>(random, hardness, random.between<std::size_t>(0, 20), random.between<std::size_t>(0, 20),
                           random.between<std::size_t>(0, 20));
  check_gemm<TestType>(random, Hardness::none, 50, 40, 120);
  check_gemm<TestType>(random, Hardness::cancelling, 50, 40, 60);
}

TEMPLATE_TEST_CASE(
    "both parts of each entry of complex gemv of C are rounded once, in every layout, mode and increment", "", Complex,
    ComplexFloat) {
  Random random(1914);
  for (std::uint64_t i = 0; i < 2 * case_factor(); ++i)
    for (Hardness const hardness : every_hardness)
      check_complex_gemv<TestType>(random, hardness, random.between<std::size_t>(0, 30),
                                   random.between<std::size_t>(0, 30));
  check_complex_gemv<TestType>(random, Hardness::none, 70, 200);
}

TEMPLATE_TEST_CASE("both parts of each entry of complex gemm of C are rounded once, in every layout and mode", "",
                   Complex, ComplexFloat) {
  Random random(1915);
  for (std::uint64_t i = 0; i < 2 * case_factor(); ++i)
    for (Hardness const hardness : every_hardness)
      check_complex_gemm<TestType>(random, hardness, random.between<std::size_t>(0, 12),
                                   random.between<std::size_t>(0, 12), random.between<std::size_t>(0, 12));
  check_complex_gemm<TestType>(random, Hardness::none, 30, 20, 70);
  check_complex_gemm<TestType>(random, Hardness::cancelling, 20, 30, 40);
}

TEMPLATE_TEST_CASE("each unknown of trsv and trsm of C is rounded once, in every layout and mode, from both sides", "",
                   double, float) {
  Random random(1912);
  for_each_triangle([&](TriangleModes const& modes) {
    for (Hardness const hardness : every_hardness) {
      check_triangle<TestType>(random, hardness, modes, random.between<std::size_t>(0, 25),
                               random.between<std::size_t>(0, 4));
    }
    check_triangle<TestType>(random, Hardness::none, modes, 70, 3);
  });
}

TEMPLATE_TEST_CASE("both parts of each unknown of complex trsv and trsm of C are rounded once, from both sides", "",
                   Complex, ComplexFloat) {
  Random random(1917);
  for_each_triangle([&](TriangleModes const& modes) {
    for (Hardness const hardness : every_hardness)
      check_complex_triangle<TestType>(random, hardness, modes, random.between<std::size_t>(0, 12),
                                       random.between<std::size_t>(0, 3));
    check_complex_triangle<TestType>(random, Hardness::none, modes, 40, 2);
  });
}

TEST_CASE("matrix functions of C in every floating-point environment, which stays as it is") {
  Random random(1913);
  for (FpSettings const& settings : every_fp_environment_of_hosts()) {
    INFO(settings.name);
    std::size_t const n = 12;
    auto const a = random_table<double>(random, Hardness::tiny, n, n),
               b = random_table<double>(random, Hardness::none, n, n);
    double const alpha = 0x1p-1060;  // subnormal, and not zero
    std::vector<std::vector<Expected<double>>> expected;
    for (std::size_t j = 0; j < n; ++j)
      expected.push_back(expected_product<double>(alpha, b, b.column(j), 1, a.column(j)));
    Stored<double> left(b, EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, 0), right(b, EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, 0),
        result(a, EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, 0);
    unsigned long before = 0, after = 0;
    exakt_status status;
    {
      ScopedFpEnvironment const hostile(settings);
      before = fp_control_word();
      status = exakt_dgemm(EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, EXAKT_NO_TRANS, n, n, n, alpha, left.data(), left.leading(),
                           right.data(), right.leading(), 1, result.data(), result.leading());
      after = fp_control_word();
    }
    EXAKT_CHECK(status == EXAKT_SUCCESS && before == after);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) EXAKT_CHECK_BITS(result(i, j), expected[j][i]);
  }
}

TEST_CASE("complex products of C in every floating-point environment, which stays as it is") {
  Random random(1916);
  for (FpSettings const& settings : every_fp_environment_of_hosts()) {
    INFO(settings.name);
    std::size_t const n = 6;
    auto const a = any_table<Complex>(random, Hardness::tiny, n, n),
               b = any_table<Complex>(random, Hardness::none, n, n);
    Complex const alpha(0x1p-1060, -0x1p-1070), beta(1, 0x1p-1074);  // subnormal, and not zero
    Stored<Complex> left(b, EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, 0), right(b, EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, 0),
        result(a, EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, 0), column(a, EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, 0);
    auto const size = signed_size(n);
    unsigned long before = 0, after = 0;
    exakt_status of_gemm, of_gemv;
    {
      ScopedFpEnvironment const hostile(settings);
      before = fp_control_word();
      of_gemm = exakt_zgemm(EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, EXAKT_NO_TRANS, size, size, size, &alpha, left.data(),
                            left.leading(), right.data(), right.leading(), &beta, result.data(), result.leading());
      of_gemv = exakt_zgemv(EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, size, size, &alpha, left.data(), left.leading(),
                            right.data(), size, &beta, column.data(), size);
      after = fp_control_word();
    }
    EXAKT_CHECK(of_gemm == EXAKT_SUCCESS && of_gemv == EXAKT_SUCCESS && before == after);
    Expression const expression{n, [&](std::size_t i, std::size_t l) { return Number(b(i, l)); },
                                [&](std::size_t l, std::size_t j) { return Number(b(l, j)); }, alpha, beta};
    check_expression(expression, a, [&](std::size_t i, std::size_t j) -> Complex const& { return result(i, j); });
    for (std::size_t i = 0; i < n; ++i) check_unchanged(column(i, 0), result(i, 0));
    for (std::size_t i = 0; i < n; ++i) check_unchanged(column(i, 1), a(i, 1));
  }
}

TEST_CASE("complex products of C that are none are refused in a sentence") {
  Complex a[4], b[4], c[4] = {Complex(7, 8)};
  Complex const one(1, 0), zero(0, 0);
  auto const layout = EXAKT_ROW_MAJOR;
  auto const none = EXAKT_NO_TRANS;
  check_refused(exakt_zgemm(layout, none, none, 2, 2, 2, nullptr, a, 2, b, 2, &zero, c, 2),
                "exakt_zgemm: alpha is NULL");
  check_refused(exakt_cgemm(layout, none, none, 2, 2, 2, &one, a, 2, b, 2, nullptr, c, 2), "exakt_cgemm: beta is NULL");
  check_refused(exakt_zgemv(layout, none, 2, 2, nullptr, a, 2, b, 1, nullptr, c, 1), "exakt_zgemv: alpha is NULL");
  check_refused(exakt_cgemv(layout, none, 2, 2, &one, a, 2, b, 1, nullptr, c, 1), "exakt_cgemv: beta is NULL");
  check_refused(exakt_zgemm(layout, none, none, 2, 2, -3, &one, a, 2, b, 2, &zero, c, 2),
                "exakt_zgemm: k is -3; it must not be negative");
  check_refused(exakt_cgemm(layout, none, none, 2, 2, 2, &one, a, 1, b, 2, &zero, c, 2),
                "exakt_cgemm: lda is 1; it must be at least 2, for a is stored as 2 x 2 by rows");
  check_refused(exakt_zgemm(layout, none, none, 2, 2, 2, &one, a, 2, nullptr, 2, &zero, c, 2),
                "exakt_zgemm: b is NULL");
  check_refused(exakt_zgemm(layout, none, none, 2, 2, 2, &one, a, 2, b, 2, &zero, b, 2),
                "exakt_zgemm: c and b share memory; one is written, the other read");
  check_refused(exakt_zgemv(layout, none, 2, 2, &one, a, 2, b, 1, &zero, b + 1, -1),
                "exakt_zgemv: y and x share memory; one is written, the other read");
  check_refused(exakt_cgemv(layout, none, 2, 2, &one, a, 2, b, 1, &zero, c, 0),
                "exakt_cgemv: incy is 0; entries of y must differ");
  constexpr std::ptrdiff_t far = PTRDIFF_MAX / 8;
  check_refused(exakt_zgemv(layout, none, 2, 2, &one, a, far, b, 1, &zero, c, 1),
                "exakt_zgemv: a is taken as 2 times 1152921504606846975 entries, which is more than memory holds");
  CHECK((c[0].real() == 7 && c[0].imag() == 8));
  check_refused(exakt_ztrsv(layout, EXAKT_UPPER, none, EXAKT_UNIT, 2, a, 1, b, 1),
                "exakt_ztrsv: lda is 1; it must be at least 2, for a is stored as 2 x 2 by rows");
  check_refused(exakt_ctrsv(layout, EXAKT_UPPER, none, EXAKT_UNIT, 2, a, 2, nullptr, 1), "exakt_ctrsv: x is NULL");
  check_refused(exakt_ztrsm(layout, EXAKT_LEFT, EXAKT_UPPER, none, EXAKT_UNIT, 2, 2, nullptr, a, 2, b, 2),
                "exakt_ztrsm: alpha is NULL");
  check_refused(exakt_ctrsm(layout, EXAKT_LEFT, EXAKT_UPPER, none, EXAKT_UNIT, 2, 2, &one, a, 2, a, 2),
                "exakt_ctrsm: b and a share memory; one is written, the other read");
  // A factor of zero: neither its matrix nor a NaN is read.
  Complex const half(0, 0.5);
  CHECK(exakt_zgemm(layout, none, none, 2, 2, 2, &zero, nullptr, 2, nullptr, 2, &half, c, 2) == EXAKT_SUCCESS);
  CHECK((c[0].real() == -4 && c[0].imag() == 3.5));
  CHECK(exakt_zgemv(layout, none, 2, 2, &zero, nullptr, 2, nullptr, 1, &zero, c, 1) == EXAKT_SUCCESS);
  CHECK((c[0].real() == 0 && c[0].imag() == 0));
  c[3] = nan_of<Complex>();
  CHECK(exakt_ztrsm(layout, EXAKT_LEFT, EXAKT_UPPER, none, EXAKT_UNIT, 2, 2, &zero, nullptr, 2, c, 2) == EXAKT_SUCCESS);
  CHECK((c[3].real() == 0 && c[3].imag() == 0));
}

TEST_CASE("what a factor of zero multiplies is not read, not even its address") {
  double c[] = {1, 2, 3, 4};
  CHECK(exakt_dgemm(EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, EXAKT_NO_TRANS, 2, 2, 2, 0, nullptr, 2, nullptr, 2, 0.5, c, 2) ==
        EXAKT_SUCCESS);
  CHECK(c[3] == 2);
  CHECK(exakt_dgemv(EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, 2, 2, 0, nullptr, 2, nullptr, 1, 0.5, c, 1) == EXAKT_SUCCESS);
  CHECK(c[1] == 0.5);
  c[0] = std::numeric_limits<double>::quiet_NaN();
  double const a[] = {1, 2, 3, 4}, x[] = {1, 1};
  CHECK(exakt_dgemv(EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, 2, 2, 1, a, 2, x, 1, 0, c, 1) == EXAKT_SUCCESS);
  CHECK(c[0] == 3);
  CHECK(exakt_dtrsm(EXAKT_ROW_MAJOR, EXAKT_LEFT, EXAKT_UPPER, EXAKT_NO_TRANS, EXAKT_UNIT, 2, 2, 0, nullptr, 2, c, 2) ==
        EXAKT_SUCCESS);
  CHECK(c[0] == 0);
}

TEST_CASE("one entry of C at any distance") {
  double const a[] = {3}, x[] = {5};
  double y[] = {1};
  CHECK(exakt_dgemv(EXAKT_ROW_MAJOR, EXAKT_NO_TRANS, 1, 1, 2, a, 1, x, PTRDIFF_MIN, 1, y, PTRDIFF_MIN) ==
        EXAKT_SUCCESS);
  CHECK(y[0] == 31);
}

TEST_CASE("matrices that are none are refused in a sentence") {
  double a[4] = {1, 2, 3, 4}, b[4] = {}, c[4] = {};
  auto const layout = EXAKT_ROW_MAJOR;
  auto const none = EXAKT_NO_TRANS;
  check_refused(exakt_dgemm(layout, none, none, 2, 2, -3, 1, a, 2, b, 2, 0, c, 2),
                "exakt_dgemm: k is -3; it must not be negative");
  check_refused(exakt_dgemm(layout, none, none, 2, 2, 2, 1, a, 1, b, 2, 0, c, 2),
                "exakt_dgemm: lda is 1; it must be at least 2, for a is stored as 2 x 2 by rows");
  check_refused(exakt_dgemm(EXAKT_COLUMN_MAJOR, none, EXAKT_TRANS, 2, 3, 2, 1, a, 2, b, 2, 0, c, 2),
                "exakt_dgemm: ldb is 2; it must be at least 3, for b is stored as 3 x 2 by columns");
  check_refused(exakt_dgemm(static_cast<exakt_layout>(1), none, none, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2),
                "exakt_dgemm: layout is 1; it must be EXAKT_ROW_MAJOR or EXAKT_COLUMN_MAJOR");
  check_refused(exakt_dgemm(layout, none, static_cast<exakt_transpose>('N'), 2, 2, 2, 1, a, 2, b, 2, 0, c, 2),
                "exakt_dgemm: transb is 78; it must be EXAKT_NO_TRANS, EXAKT_TRANS or EXAKT_CONJ_TRANS");
  check_refused(exakt_dgemm(layout, none, none, 2, 2, 2, 1, a, 2, nullptr, 2, 0, c, 2), "exakt_dgemm: b is NULL");
  check_refused(exakt_dgemm(layout, none, none, 2, 2, 2, 1, a, 2, b, 2, 0, b, 2),
                "exakt_dgemm: c and b share memory; one is written, the other read");
  check_refused(exakt_dgemv(layout, none, 2, 2, 1, a, 2, b, 1, 0, b + 1, -1),
                "exakt_dgemv: y and x share memory; one is written, the other read");
  check_refused(exakt_dgemv(layout, none, 2, 2, 1, a, 2, b, 1, 0, a + 2, -1),
                "exakt_dgemv: y and a share memory; one is written, the other read");
  check_refused(exakt_dgemm(layout, none, none, 2, 2, 2, 1, a, 2, b, 2, 0, a, 2),
                "exakt_dgemm: c and a share memory; one is written, the other read");
  check_refused(exakt_dtrsv(layout, EXAKT_UPPER, none, EXAKT_UNIT, 2, a, 2, a + 2, 1),
                "exakt_dtrsv: x and a share memory; one is written, the other read");
  check_refused(exakt_dgemv(layout, none, 2, 2, 1, a, 2, b, 1, 0, c, 0),
                "exakt_dgemv: incy is 0; entries of y must differ");
  check_refused(exakt_dtrsv(layout, EXAKT_UPPER, none, EXAKT_UNIT, 2, a, 2, c, 0),
                "exakt_dtrsv: incx is 0; entries of x must differ");
  constexpr std::ptrdiff_t far = PTRDIFF_MAX;
  check_refused(exakt_dgemv(layout, none, 2, 2, 1, a, far, b, 1, 0, c, 1),
                "exakt_dgemv: a is taken as 2 times 9223372036854775807 entries, which is more than memory holds");
  check_refused(exakt_dgemv(layout, none, 2, 2, 1, a, 2, b, 1, 0, c, -far - 1),
                "exakt_dgemv: y is taken as 2 times -9223372036854775808 entries, which is more than memory holds");
  check_refused(exakt_dgemv(layout, none, far, 2, 1, a, 2, b, 1, 0, c, 1),
                "exakt_dgemv: m is 9223372036854775807; no array has so many entries");
  check_refused(exakt_dtrsv(layout, static_cast<exakt_uplo>(0), none, EXAKT_UNIT, 2, a, 2, b, 1),
                "exakt_dtrsv: uplo is 0; it must be EXAKT_UPPER or EXAKT_LOWER");
  check_refused(exakt_dtrsv(layout, EXAKT_UPPER, none, static_cast<exakt_diag>(133), 2, a, 2, b, 1),
                "exakt_dtrsv: diag is 133; it must be EXAKT_NON_UNIT or EXAKT_UNIT");
  check_refused(exakt_dtrsm(layout, static_cast<exakt_side>(0), EXAKT_UPPER, none, EXAKT_UNIT, 2, 2, 1, a, 2, b, 2),
                "exakt_dtrsm: side is 0; it must be EXAKT_LEFT or EXAKT_RIGHT");
  check_refused(exakt_dtrsm(layout, EXAKT_LEFT, EXAKT_UPPER, none, EXAKT_UNIT, 2, 2, 1, a, 2, a, 2),
                "exakt_dtrsm: b and a share memory; one is written, the other read");
  check_refused(exakt_dtrsm(layout, EXAKT_RIGHT, EXAKT_UPPER, none, EXAKT_UNIT, -1, 2, 1, a, 2, b, 2),
                "exakt_dtrsm: m is -1; it must not be negative");
}
