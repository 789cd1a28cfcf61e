// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLASABI_VERBS_HPP
#define EXAKTBLASABI_VERBS_HPP

/// \file
/// \brief The BLAS's routines that are ours, for entries of type T, with its arguments in its order: checked, then done
/// by packages/blas. What a call without effect returns from early, and the numbers of wrong arguments, are the
/// reference implementation's.

#include "ExaktBlasAbi_Call.hpp"

namespace ExaktBlasAbi {

template <class T>
using Real = typename Exakt::Impl::Scalar<T>::Real;
template <class T>
inline constexpr bool is_complex = Exakt::Impl::Scalar<T>::is_complex;

// ---- vectors

template <class R, class T>
R dot(Call& call, Integer n, T const* x, Integer incx, T const* y, Integer incy);
template <class R, class T>
R dot_plus(Call& call, Integer n, Number<T> b, T const* x, Integer incx, T const* y, Integer incy);  // sdsdot
template <class T, bool conjugated>
T complex_dot(Call& call, Integer n, T const* x, Integer incx, T const* y, Integer incy);
template <class T, bool conjugated>
void complex_dot_to(Call& call, Integer n, T const* x, Integer incx, T const* y, Integer incy, T* result);  // of C
template <class T>
Real<T> asum(Call& call, Integer n, T const* x, Integer incx);
template <class T>
Real<T> nrm2(Call& call, Integer n, T const* x, Integer incx);
template <class T>
void axpy(Call& call, Integer n, Number<T> alpha, T const* x, Integer incx, T* y, Integer incy);
template <class T>
void scal(Call& call, Integer n, Number<T> alpha, T* x, Integer incx);
template <class T>
void scal_by_real(Call& call, Integer n, Number<Real<T>> alpha, T* x, Integer incx);
template <class T>
void rot(Call& call, Integer n, T* x, Integer incx, T* y, Integer incy, Number<Real<T>> c, Number<Real<T>> s);
template <class T>
void rotg(Call& call, T* a, T* b, T* c, T* s);
template <class T>
void complex_rotg(Call& call, T* a, T const* b, Real<T>* c, T* s);
template <class T>
void rotmg(Call& call, T* d1, T* d2, T* x, Number<T> y, T* parameters);
/// The number of the first entry of largest |x|, or |Re x| + |Im x|, from one.
template <class T>
std::size_t iamax(Call& call, Integer n, T const* x, Integer incx);
template <class T>
void rotm(Call& call, Integer n, T* x, Integer incx, T* y, Integer incy, T const* parameters);

// ---- a matrix and vectors; hermitian where T is complex

template <class T>
void gemv(Call& call, Trans trans, Integer m, Integer n, Number<T> alpha, T const* a, Integer lda, T const* x,
          Integer incx, Number<T> beta, T* y, Integer incy);
template <class T>
void symv(Call& call, Uplo uplo, Integer n, Number<T> alpha, T const* a, Integer lda, T const* x, Integer incx,
          Number<T> beta, T* y, Integer incy);
template <class T>
void trmv(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, T const* a, Integer lda, T* x, Integer incx);
template <class T>
void trsv(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, T const* a, Integer lda, T* x, Integer incx);
template <class T, bool conjugated>
void ger(Call& call, Integer m, Integer n, Number<T> alpha, T const* x, Integer incx, T const* y, Integer incy, T* a,
         Integer lda);
template <class T>
void syr(Call& call, Uplo uplo, Integer n, Number<Real<T>> alpha, T const* x, Integer incx, T* a, Integer lda);
template <class T>
void syr2(Call& call, Uplo uplo, Integer n, Number<T> alpha, T const* x, Integer incx, T const* y, Integer incy, T* a,
          Integer lda);

// ---- a band or a packed triangle and vectors; hermitian where T is complex

template <class T>
void gbmv(Call& call, Trans trans, Integer m, Integer n, Integer kl, Integer ku, Number<T> alpha, T const* a,
          Integer lda, T const* x, Integer incx, Number<T> beta, T* y, Integer incy);
template <class T>
void sbmv(Call& call, Uplo uplo, Integer n, Integer k, Number<T> alpha, T const* a, Integer lda, T const* x,
          Integer incx, Number<T> beta, T* y, Integer incy);
template <class T>
void spmv(Call& call, Uplo uplo, Integer n, Number<T> alpha, T const* a, T const* x, Integer incx, Number<T> beta, T* y,
          Integer incy);
template <class T>
void tbmv(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, Integer k, T const* a, Integer lda, T* x,
          Integer incx);
template <class T>
void tbsv(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, Integer k, T const* a, Integer lda, T* x,
          Integer incx);
template <class T>
void tpmv(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, T const* a, T* x, Integer incx);
template <class T>
void tpsv(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, T const* a, T* x, Integer incx);
template <class T>
void spr(Call& call, Uplo uplo, Integer n, Number<Real<T>> alpha, T const* x, Integer incx, T* a);
template <class T>
void spr2(Call& call, Uplo uplo, Integer n, Number<T> alpha, T const* x, Integer incx, T const* y, Integer incy, T* a);

// ---- matrices

template <class T>
void gemm(Call& call, Trans transa, Trans transb, Integer m, Integer n, Integer k, Number<T> alpha, T const* a,
          Integer lda, T const* b, Integer ldb, Number<T> beta, T* c, Integer ldc);
/// One triangle of C: of the newest reference implementation, whose LAPACK calls it; gemmt is an older name of it.
template <class T>
void gemmtr(Call& call, Uplo uplo, Trans transa, Trans transb, Integer n, Integer k, Number<T> alpha, T const* a,
            Integer lda, T const* b, Integer ldb, Number<T> beta, T* c, Integer ldc);
template <class T, bool hermitian>
void symm(Call& call, Side side, Uplo uplo, Integer m, Integer n, Number<T> alpha, T const* a, Integer lda, T const* b,
          Integer ldb, Number<T> beta, T* c, Integer ldc);
/// The factors of a hermitian product are real, but for alpha of her2k.
template <class T, bool hermitian>
using FactorOf = std::conditional_t<hermitian, Real<T>, T>;
template <class T, bool hermitian>
void syrk(Call& call, Uplo uplo, Trans trans, Integer n, Integer k, Number<FactorOf<T, hermitian>> alpha, T const* a,
          Integer lda, Number<FactorOf<T, hermitian>> beta, T* c, Integer ldc);
template <class T, bool hermitian>
void syr2k(Call& call, Uplo uplo, Trans trans, Integer n, Integer k, Number<T> alpha, T const* a, Integer lda,
           T const* b, Integer ldb, Number<FactorOf<T, hermitian>> beta, T* c, Integer ldc);
template <class T>
void trmm(Call& call, Side side, Uplo uplo, Trans trans, Diag diag, Integer m, Integer n, Number<T> alpha, T const* a,
          Integer lda, T* b, Integer ldb);
template <class T>
void trsm(Call& call, Side side, Uplo uplo, Trans trans, Diag diag, Integer m, Integer n, Number<T> alpha, T const* a,
          Integer lda, T* b, Integer ldb);

}  // namespace ExaktBlasAbi

#endif
