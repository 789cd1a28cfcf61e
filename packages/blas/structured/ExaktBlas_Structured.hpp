// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_STRUCTURED_HPP
#define EXAKTBLAS_STRUCTURED_HPP

/// \file
/// \brief Matrices of which one triangle is stored: which entries there are, and where they are read.
///
///     stored, "L"     symmetric, hermitian    triangular    unit triangular
///     a . .           a b'd'                  a 0 0         1 0 0
///     b c .           b c e'                  b c 0         b 1 0       ' conjugates where hermitian, and there
///     d e f           d e f                   d e f         d e 1         imaginary parts of the diagonal are zeros
///
/// Verbs copy the rows that they are about to multiply with into a dense matrix: copies are exact.

#include "ExaktBlas_Dense.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

enum class Structure { symmetric, hermitian, triangular, unit_triangular };

/// The part of an entry that a hermitian matrix has on its diagonal.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T real_entry(T const& entry) {
  if constexpr (Scalar<T>::is_complex) {
    return T(Scalar<T>::real(entry), typename Scalar<T>::Real{0});
  } else {
    return entry;
  }
}

/// The entries of op(A).
template <class V>
struct Structured {
  using Entry = EntryOf<V>;

  V view;  // read_only()
  Structure structure;
  bool is_lower;  // the triangle of the view that is read
  bool transposed = false, conjugated = false;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t size() const { return view.extent(0); }
  KOKKOS_FORCEINLINE_FUNCTION bool has_zeros() const {
    return structure == Structure::triangular || structure == Structure::unit_triangular;
  }

  /// Of op(A), if it is triangular.
  KOKKOS_FORCEINLINE_FUNCTION bool is_lower_triangle() const { return is_lower != transposed; }

  /// Where rows of op(A) have entries at all.
  KOKKOS_FORCEINLINE_FUNCTION Span columns_of(Span rows) const {
    if (!has_zeros()) return {0, size()};
    return is_lower_triangle() ? Span{0, rows.end} : Span{rows.begin, size()};
  }

  KOKKOS_FORCEINLINE_FUNCTION Entry entry(std::size_t i, std::size_t j) const {
    std::size_t const row = transposed ? j : i, column = transposed ? i : j;
    bool const is_stored = is_lower ? column <= row : row <= column;
    if (!is_stored && has_zeros()) return Entry{};
    if (row == column && structure == Structure::unit_triangular) return static_cast<Entry>(1);
    Entry const value = is_stored ? view(row, column) : view(column, row);
    if (row == column && structure == Structure::hermitian) return real_entry(value);
    bool const mirrored = structure == Structure::hermitian && !is_stored;
    return mirrored != conjugated ? conjugate_entry(value) : value;
  }
};

/// op(A) of a triangular A, however `view` stores that. \tparam Uplo, Trans, Diag  Have is(letter).
template <class V, class Uplo, class Trans, class Diag>
Structured<V> triangle_in(V const& view, Uplo const& uplo, Trans const& trans, Diag const& diag) {
  return {view, diag.is('U') ? Structure::unit_triangular : Structure::triangular, uplo.is('L'), !trans.is('N'),
          trans.is('C')};
}

template <class V>
Structured<V> transposed(Structured<V> matrix) {
  matrix.transposed = !matrix.transposed;
  return matrix;
}

/// Some of its rows and columns, zeros included.
template <class V>
struct PartOfStructured {
  Structured<V> matrix;
  std::size_t first_row, first_column;

  KOKKOS_FORCEINLINE_FUNCTION EntryOf<V> operator()(std::size_t i, std::size_t j) const {
    return matrix.entry(first_row + i, first_column + j);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
