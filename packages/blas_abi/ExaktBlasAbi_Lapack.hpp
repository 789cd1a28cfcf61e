// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLASABI_LAPACK_HPP
#define EXAKTBLASABI_LAPACK_HPP

/// \file
/// \brief LAPACK's factorizations and solvers that OpenBLAS has of its own, past any BLAS. Arguments, their order and
/// their checks are LAPACK's; `info` receives what it says. LAPACK's getf2, potf2 and lauu2, which OpenBLAS has as well
/// and which pbtrf calls, are getrf, potrf and lauum.

#include "ExaktBlasAbi_Call.hpp"

namespace ExaktBlasAbi {

/// A = P L U by halves of columns, with partial pivoting.
template <class T>
void getrf(Call& call, Integer m, Integer n, T* a, Integer lda, Integers pivots, Integers info);
template <class T>
void getrs(Call& call, Trans trans, Integer n, Integer nrhs, T const* a, Integer lda, Integers pivots, T* b,
           Integer ldb, Integers info);
template <class T>
void gesv(Call& call, Integer n, Integer nrhs, T* a, Integer lda, Integers pivots, T* b, Integer ldb, Integers info);

/// A = L L^H or U^H U by halves of columns.
template <class T>
void potrf(Call& call, Uplo uplo, Integer n, T* a, Integer lda, Integers info);
template <class T>
void potrs(Call& call, Uplo uplo, Integer n, Integer nrhs, T const* a, Integer lda, T* b, Integer ldb, Integers info);

/// Inverses of triangles, U U^H or L^H L, both of them for a Cholesky factor, and systems of triangles.
template <class T>
void trtri(Call& call, Uplo uplo, Diag diag, Integer n, T* a, Integer lda, Integers info);
/// The same for a triangle that may have a zero on its diagonal, which is not looked for.
template <class T>
void trti2(Call& call, Uplo uplo, Diag diag, Integer n, T* a, Integer lda, Integers info);
template <class T>
void lauum(Call& call, Uplo uplo, Integer n, T* a, Integer lda, Integers info);
template <class T>
void potri(Call& call, Uplo uplo, Integer n, T* a, Integer lda, Integers info);
template <class T>
void trtrs(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, Integer nrhs, T const* a, Integer lda, T* b,
           Integer ldb, Integers info);

/// A = Q R by reflectors, panels of columns by halves.
template <class T>
void geqrf(Call& call, Integer m, Integer n, T* a, Integer lda, T* tau, T* work, Integer lwork, Integers info);

}  // namespace ExaktBlasAbi

#endif
