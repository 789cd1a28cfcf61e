// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLASABI_OPERANDS_HPP
#define EXAKTBLASABI_OPERANDS_HPP

/// \file
/// \brief From the arguments of the BLAS to the operands of packages/blas.

#include "ExaktBlasAbi_Verbs.hpp"

#include <matrix_vector/ExaktBlas_TeamProducts.hpp>
#include <structured/ExaktBlas_GatheredSystems.hpp>
#include <structured/ExaktBlas_StructuredVerbs.hpp>

namespace ExaktBlasAbi {

using Exakt::Impl::Factor;
using Exakt::Impl::factor;
using Exakt::Impl::factor_of_one;
using Exakt::Impl::first_column;
using Exakt::Impl::NamedTriangle;
using Exakt::Impl::Structure;
using Space = Kokkos::Serial;

template <class T>
using Operated = Exakt::Impl::Operated<Matrix<T const>>;
template <class T>
using Structured = Exakt::Impl::Structured<Matrix<T const>>;

template <class T>
Operated<T> operated(Matrix<T const> const& a, Trans trans) {
  return Operated<T>(a, trans.is('N') ? 'N' : trans.is('T') ? 'T' : 'C');
}

/// op(A) of a triangular A, however that is stored.
template <class V>
Exakt::Impl::Structured<V> triangle_of(V const& a, Uplo uplo, Trans trans, Diag diag) {
  return Exakt::Impl::triangle_in(a, uplo, trans, diag);
}

template <class T>
Exakt::Compiled::Matrix<T> plain(Matrix<T> const& a, bool transposed = false) {
  auto const rows = static_cast<std::ptrdiff_t>(a.stride(0)), columns = static_cast<std::ptrdiff_t>(a.stride(1));
  return transposed ? Exakt::Compiled::Matrix<T>{a.data(), columns, rows}
                    : Exakt::Compiled::Matrix<T>{a.data(), rows, columns};
}

/// op(A) X = alpha B for a triangular A; X replaces B.
template <class T>
void solve(char const* label, Structured<T> const& a, Factor const& alpha, Matrix<T> const& b) {
  if constexpr (is_complex<T>) {
    Exakt::Compiled::solve_triangular(
        Space(), Exakt::Compiled::ComplexTriangularProblem<T>{plain(a.view, a.transposed),
                                                              plain(b),
                                                              b.extent(0),
                                                              b.extent(1),
                                                              a.is_lower_triangle(),
                                                              a.structure == Structure::unit_triangular,
                                                              a.conjugated,
                                                              {alpha.real, alpha.imaginary, alpha.is_complex},
                                                              label});
  } else {
    Exakt::Compiled::solve_triangular(
        Space(), Exakt::Compiled::TriangularProblem<T>{plain(a.view, a.transposed), plain(b), b.extent(0), b.extent(1),
                                                       a.is_lower_triangle(), a.structure == Structure::unit_triangular,
                                                       alpha.real, label});
  }
}

template <class T>
bool is_zero(Number<T> const& x) {
  return factor(x.value).is_zero();
}
template <class T>
bool is_one(Number<T> const& x) {
  return factor(x.value).is_one();
}

}  // namespace ExaktBlasAbi

/// EXAKT_BLAS_FOR_REAL(MACRO): MACRO(type) for all.
#define EXAKT_BLAS_FOR_REAL(MACRO) MACRO(float) MACRO(double)
#define EXAKT_BLAS_FOR_COMPLEX(MACRO) MACRO(ComplexFloat) MACRO(ComplexDouble)
#define EXAKT_BLAS_FOR_ALL(MACRO) EXAKT_BLAS_FOR_REAL(MACRO) EXAKT_BLAS_FOR_COMPLEX(MACRO)

#endif
