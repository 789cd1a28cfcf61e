// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktC_Entries.hpp"

#include <algorithm>

namespace ExaktC {
namespace {

using Exakt::Compiled::Matrix;

template <class T>
inline constexpr bool is_complex = Exakt::Impl::Scalar<T>::is_complex;

template <class T>
bool is_zero(T const& factor) {
  return Exakt::Impl::factor(factor).is_zero();
}

/// alpha or beta; complex ones are given by their addresses.
template <class T>
T const& factor_at(T const* x, char const* name) {
  require_pointer(x, name);
  return *x;
}

/// A factor as the drivers for T take it. A real one has no imaginary part, not one of zero.
template <class T, class F>
auto factor_for(F const& x) {
  auto const factor = Exakt::Impl::factor(x);
  if constexpr (is_complex<T>)
    return Exakt::Compiled::ComplexFactor{factor.real, factor.imaginary, factor.is_complex};
  else
    return factor.real;
}

void require_layout(exakt_layout layout) {
  require_mode(layout, EXAKT_ROW_MAJOR, EXAKT_COLUMN_MAJOR, "layout", "EXAKT_ROW_MAJOR or EXAKT_COLUMN_MAJOR");
}
bool is_lower(exakt_uplo uplo) {
  require_mode(uplo, EXAKT_UPPER, EXAKT_LOWER, "uplo", "EXAKT_UPPER or EXAKT_LOWER");
  return uplo == EXAKT_LOWER;
}
bool is_unit(exakt_diag diag) {
  require_mode(diag, EXAKT_NON_UNIT, EXAKT_UNIT, "diag", "EXAKT_NON_UNIT or EXAKT_UNIT");
  return diag == EXAKT_UNIT;
}

/// What is stored as rows x columns; not there at all if it is neither read nor written.
template <class T>
Matrix<T> matrix_of(exakt_layout layout, std::size_t rows, std::size_t columns, T* data, std::ptrdiff_t leading,
                    char const* name, bool is_used = true) {
  bool const by_rows = layout == EXAKT_ROW_MAJOR;
  std::size_t const least = std::max<std::size_t>(by_rows ? columns : rows, 1);
  if (leading < 0 || static_cast<std::size_t>(leading) < least) [[unlikely]]
    refuse(std::string("ld") + name + " is " + std::to_string(leading) + "; it must be at least " +
           std::to_string(least) + ", for " + name + " is stored as " + std::to_string(rows) + " x " +
           std::to_string(columns) + " by " + (by_rows ? "rows" : "columns"));
  if (rows > 0 && columns > 0 && is_used) {
    require_pointer(data, name);
    require_reachable(by_rows ? rows : columns, leading, sizeof(T), name);
  }
  return by_rows ? Matrix<T>{data, leading, 1} : Matrix<T>{data, 1, leading};
}

template <class T>
Matrix<T> transposed_if(bool transposed, Matrix<T> const& a) {
  return transposed ? Matrix<T>{a.data, a.column_stride, a.row_stride} : a;
}

/// C := alpha A B + beta C as the drivers for T take it, A and B as they are.
template <class T>
auto product_of(Matrix<T const> const& A, Matrix<T const> const& B, Matrix<T> const& C, std::size_t m, std::size_t n,
                std::size_t k, T const& alpha, T const& beta) {
  if constexpr (is_complex<T>)
    return Exakt::Compiled::ComplexGemmProblem<T>{
        A, B, C, m, n, k, false, false, factor_for<T>(alpha), factor_for<T>(beta), {}};
  else
    return Exakt::Compiled::GemmProblem<T>{A, B, C, m, n, k, factor_for<T>(alpha), factor_for<T>(beta), !is_zero(beta),
                                           {}};
}

template <class T>
void scale(char const* function, T const& beta, Matrix<T> const& y, std::size_t rows, std::size_t columns) {
  if (Exakt::Impl::factor(beta).is_one() || rows == 0 || columns == 0) return;
  if constexpr (is_complex<T>)
    Exakt::Compiled::gemm(Kokkos::Serial(), product_of<T>({}, {}, y, rows, columns, 0, beta, beta),
                          Exakt::GemmOptions{});
  else
    Exakt::Compiled::scale_entries(Kokkos::Serial(), function, static_cast<double>(beta), y, rows, columns);
}

template <class T>
exakt_status gemv(char const* function, exakt_layout layout, exakt_transpose trans, std::ptrdiff_t m, std::ptrdiff_t n,
                  T const* alpha_at, T const* a, std::ptrdiff_t lda, T const* x, std::ptrdiff_t incx, T const* beta_at,
                  T* y, std::ptrdiff_t incy) {
  return guarded(function, [&] {
    require_layout(layout);
    T const &alpha = factor_at(alpha_at, "alpha"), &beta = factor_at(beta_at, "beta");
    bool const transposed = is_transposed(trans, "trans"), conjugated = trans == EXAKT_CONJ_TRANS;
    std::size_t rows = size_of(m, "m"), columns = size_of(n);
    bool const adds_products = !is_zero(alpha);
    auto const A = transposed_if(transposed, matrix_of(layout, rows, columns, a, lda, "a", adds_products));
    if (transposed) std::swap(rows, columns);
    auto const right = vector_of(adds_products ? columns : 0, x, incx, "x");
    auto const result = vector_of(rows, y, incy, "y");
    require_increment(rows, incy, "incy", "y");
    if (!adds_products || columns == 0) return scale(function, beta, result, rows, 1);
    auto const written = entries_of(result, rows, 1);
    require_no_overlap("y", written, "x", entries_of(right, columns, 1));
    require_no_overlap("y", written, "a", entries_of(A, rows, columns));
    if (rows == 0) return;
    if constexpr (is_complex<T>)
      Exakt::Compiled::gemv(Kokkos::Serial(),
                            Exakt::Compiled::ComplexGemvProblem<T>{A, right, result, rows, columns, conjugated,
                                                                   factor_for<T>(alpha), factor_for<T>(beta)});
    else
      Exakt::Compiled::gemv(Kokkos::Serial(),
                            Exakt::Compiled::GemvProblem<T>{A, right, result, rows, columns, factor_for<T>(alpha),
                                                            factor_for<T>(beta), !is_zero(beta)});
  });
}

template <class T>
exakt_status gemm(char const* function, exakt_layout layout, exakt_transpose transa, exakt_transpose transb,
                  std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, T const* alpha_at, T const* a,
                  std::ptrdiff_t lda, T const* b, std::ptrdiff_t ldb, T const* beta_at, T* c, std::ptrdiff_t ldc) {
  return guarded(function, [&] {
    require_layout(layout);
    T const &alpha = factor_at(alpha_at, "alpha"), &beta = factor_at(beta_at, "beta");
    bool const a_is_transposed = is_transposed(transa, "transa"), b_is_transposed = is_transposed(transb, "transb");
    std::size_t const rows = size_of(m, "m"), columns = size_of(n), depth = size_of(k, "k");
    auto const factor = [&](bool transposed, std::size_t r, std::size_t s, T const* data, std::ptrdiff_t leading,
                            char const* name) {
      if (transposed) std::swap(r, s);
      return transposed_if(transposed, matrix_of(layout, r, s, data, leading, name, !is_zero(alpha)));
    };
    auto const A = factor(a_is_transposed, rows, depth, a, lda, "a");
    auto const B = factor(b_is_transposed, depth, columns, b, ldb, "b");
    auto const C = matrix_of(layout, rows, columns, c, ldc, "c");
    if (is_zero(alpha) || depth == 0) return scale(function, beta, C, rows, columns);
    auto const written = entries_of(C, rows, columns);
    require_no_overlap("c", written, "a", entries_of(A, rows, depth));
    require_no_overlap("c", written, "b", entries_of(B, depth, columns));
    if (rows == 0 || columns == 0) return;
    auto problem = product_of(A, B, C, rows, columns, depth, alpha, beta);
    if constexpr (is_complex<T>) {
      problem.A_conjugated = transa == EXAKT_CONJ_TRANS;
      problem.B_conjugated = transb == EXAKT_CONJ_TRANS;
    }
    Exakt::Compiled::gemm(Kokkos::Serial(), problem, Exakt::GemmOptions{});
  });
}

/// A X = alpha B, with the conjugate of A if so.
template <class T, class F>
void solve(char const* function, Matrix<T const> const& A, Matrix<T> const& B, std::size_t n, std::size_t right_sides,
           bool lower, bool unit, bool conjugated, F const& alpha) {
  auto const factor = factor_for<T>(alpha);
  if constexpr (is_complex<T>)
    Exakt::Compiled::solve_triangular(
        Kokkos::Serial(),
        Exakt::Compiled::ComplexTriangularProblem<T>{A, B, n, right_sides, lower, unit, conjugated, factor, function});
  else
    Exakt::Compiled::solve_triangular(
        Kokkos::Serial(), Exakt::Compiled::TriangularProblem<T>{A, B, n, right_sides, lower, unit, factor, function});
}

template <class T>
exakt_status trsv(char const* function, exakt_layout layout, exakt_uplo uplo, exakt_transpose trans, exakt_diag diag,
                  std::ptrdiff_t n, T const* a, std::ptrdiff_t lda, T* x, std::ptrdiff_t incx) {
  return guarded(function, [&] {
    require_layout(layout);
    bool const lower = is_lower(uplo), transposed = is_transposed(trans, "trans"), unit = is_unit(diag);
    bool const conjugated = trans == EXAKT_CONJ_TRANS;
    std::size_t const size = size_of(n);
    auto const A = transposed_if(transposed, matrix_of(layout, size, size, a, lda, "a"));
    auto const unknowns = vector_of(size, x, incx, "x");
    require_increment(size, incx, "incx", "x");
    require_no_overlap("x", entries_of(unknowns, size, 1), "a", entries_of(A, size, size));
    if (size == 0) return;
    solve(function, A, unknowns, size, 1, lower != transposed, unit, conjugated, 1.0);
  });
}

template <class T>
exakt_status trsm(char const* function, exakt_layout layout, exakt_side side, exakt_uplo uplo, exakt_transpose trans,
                  exakt_diag diag, std::ptrdiff_t m, std::ptrdiff_t n, T const* alpha_at, T const* a,
                  std::ptrdiff_t lda, T* b, std::ptrdiff_t ldb) {
  return guarded(function, [&] {
    require_layout(layout);
    T const& alpha = factor_at(alpha_at, "alpha");
    require_mode(side, EXAKT_LEFT, EXAKT_RIGHT, "side", "EXAKT_LEFT or EXAKT_RIGHT");
    bool const on_left = side == EXAKT_LEFT, lower = is_lower(uplo), unit = is_unit(diag);
    // X op(A) = alpha B is op(A)^T X^T = alpha B^T.
    bool const transposed = is_transposed(trans, "trans") == on_left;
    std::size_t const rows = size_of(m, "m"), columns = size_of(n);
    std::size_t const size = on_left ? rows : columns, right_sides = on_left ? columns : rows;
    auto const A = transposed_if(transposed, matrix_of(layout, size, size, a, lda, "a", !is_zero(alpha)));
    auto const B = matrix_of(layout, rows, columns, b, ldb, "b");
    if (is_zero(alpha)) return scale(function, T{}, B, rows, columns);
    require_no_overlap("b", entries_of(B, rows, columns), "a", entries_of(A, size, size));
    if (rows == 0 || columns == 0) return;
    solve(function, A, transposed_if(!on_left, B), size, right_sides, lower != transposed, unit,
          trans == EXAKT_CONJ_TRANS, alpha);
  });
}

}  // namespace
}  // namespace ExaktC

#define EXAKT_MATRIX_FUNCTIONS(letter, T)                                                                             \
  exakt_status exakt_##letter##gemv(exakt_layout layout, exakt_transpose trans, ptrdiff_t m, ptrdiff_t n, T alpha,    \
                                    T const* a, ptrdiff_t lda, T const* x, ptrdiff_t incx, T beta, T* y,              \
                                    ptrdiff_t incy) {                                                                 \
    return ExaktC::gemv("exakt_" #letter "gemv", layout, trans, m, n, &alpha, a, lda, x, incx, &beta, y, incy);       \
  }                                                                                                                   \
  exakt_status exakt_##letter##gemm(exakt_layout layout, exakt_transpose transa, exakt_transpose transb, ptrdiff_t m, \
                                    ptrdiff_t n, ptrdiff_t k, T alpha, T const* a, ptrdiff_t lda, T const* b,         \
                                    ptrdiff_t ldb, T beta, T* c, ptrdiff_t ldc) {                                     \
    return ExaktC::gemm("exakt_" #letter "gemm", layout, transa, transb, m, n, k, &alpha, a, lda, b, ldb, &beta, c,   \
                        ldc);                                                                                         \
  }                                                                                                                   \
  exakt_status exakt_##letter##trsv(exakt_layout layout, exakt_uplo uplo, exakt_transpose trans, exakt_diag diag,     \
                                    ptrdiff_t n, T const* a, ptrdiff_t lda, T* x, ptrdiff_t incx) {                   \
    return ExaktC::trsv("exakt_" #letter "trsv", layout, uplo, trans, diag, n, a, lda, x, incx);                      \
  }                                                                                                                   \
  exakt_status exakt_##letter##trsm(exakt_layout layout, exakt_side side, exakt_uplo uplo, exakt_transpose trans,     \
                                    exakt_diag diag, ptrdiff_t m, ptrdiff_t n, T alpha, T const* a, ptrdiff_t lda,    \
                                    T* b, ptrdiff_t ldb) {                                                            \
    return ExaktC::trsm("exakt_" #letter "trsm", layout, side, uplo, trans, diag, m, n, &alpha, a, lda, b, ldb);      \
  }

EXAKT_MATRIX_FUNCTIONS(d, double)
EXAKT_MATRIX_FUNCTIONS(s, float)

#define EXAKT_COMPLEX_MATRIX_FUNCTIONS(letter, T)                                                                     \
  exakt_status exakt_##letter##gemv(exakt_layout layout, exakt_transpose trans, ptrdiff_t m, ptrdiff_t n,             \
                                    void const* alpha, void const* a, ptrdiff_t lda, void const* x, ptrdiff_t incx,   \
                                    void const* beta, void* y, ptrdiff_t incy) {                                      \
    return ExaktC::gemv("exakt_" #letter "gemv", layout, trans, m, n, static_cast<T const*>(alpha),                   \
                        static_cast<T const*>(a), lda, static_cast<T const*>(x), incx, static_cast<T const*>(beta),   \
                        static_cast<T*>(y), incy);                                                                    \
  }                                                                                                                   \
  exakt_status exakt_##letter##gemm(exakt_layout layout, exakt_transpose transa, exakt_transpose transb, ptrdiff_t m, \
                                    ptrdiff_t n, ptrdiff_t k, void const* alpha, void const* a, ptrdiff_t lda,        \
                                    void const* b, ptrdiff_t ldb, void const* beta, void* c, ptrdiff_t ldc) {         \
    return ExaktC::gemm("exakt_" #letter "gemm", layout, transa, transb, m, n, k, static_cast<T const*>(alpha),       \
                        static_cast<T const*>(a), lda, static_cast<T const*>(b), ldb, static_cast<T const*>(beta),    \
                        static_cast<T*>(c), ldc);                                                                     \
  }                                                                                                                   \
  exakt_status exakt_##letter##trsv(exakt_layout layout, exakt_uplo uplo, exakt_transpose trans, exakt_diag diag,     \
                                    ptrdiff_t n, void const* a, ptrdiff_t lda, void* x, ptrdiff_t incx) {             \
    return ExaktC::trsv("exakt_" #letter "trsv", layout, uplo, trans, diag, n, static_cast<T const*>(a), lda,         \
                        static_cast<T*>(x), incx);                                                                    \
  }                                                                                                                   \
  exakt_status exakt_##letter##trsm(exakt_layout layout, exakt_side side, exakt_uplo uplo, exakt_transpose trans,     \
                                    exakt_diag diag, ptrdiff_t m, ptrdiff_t n, void const* alpha, void const* a,      \
                                    ptrdiff_t lda, void* b, ptrdiff_t ldb) {                                          \
    return ExaktC::trsm("exakt_" #letter "trsm", layout, side, uplo, trans, diag, m, n, static_cast<T const*>(alpha), \
                        static_cast<T const*>(a), lda, static_cast<T*>(b), ldb);                                      \
  }

EXAKT_COMPLEX_MATRIX_FUNCTIONS(z, Kokkos::complex<double>)
EXAKT_COMPLEX_MATRIX_FUNCTIONS(c, Kokkos::complex<float>)
