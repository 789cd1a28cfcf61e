// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
    m_memory.assign(m_leading * lines + 1, std::numeric_limits<T>::quiet_NaN());
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

template <class T, class... A>
exakt_status gemv(A... a) {
  if constexpr (std::is_same_v<T, double>)
    return exakt_dgemv(a...);
  else
    return exakt_sgemv(a...);
}
template <class T, class... A>
exakt_status gemm(A... a) {
  if constexpr (std::is_same_v<T, double>)
    return exakt_dgemm(a...);
  else
    return exakt_sgemm(a...);
}
template <class T, class... A>
exakt_status trsv(A... a) {
  if constexpr (std::is_same_v<T, double>)
    return exakt_dtrsv(a...);
  else
    return exakt_strsv(a...);
}
template <class T, class... A>
exakt_status trsm(A... a) {
  if constexpr (std::is_same_v<T, double>)
    return exakt_dtrsm(a...);
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
  check_refused(exakt_dgemv(layout, none, 2, 2, 1, a, 2, b, 1, 0, c, 0),
                "exakt_dgemv: incy is 0; entries of y must differ");
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
