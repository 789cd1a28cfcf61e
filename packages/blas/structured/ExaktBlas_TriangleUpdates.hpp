// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TRIANGLEUPDATES_HPP
#define EXAKTBLAS_TRIANGLEUPDATES_HPP

/// \file
/// \brief One triangle of C := alpha P Q + beta C: gemm into a temporary matrix, with the mark that the rest of it is not
/// looked at, and a copy of the triangle.

#include "../gemm/ExaktBlas_Gemm.hpp"
#include "ExaktBlas_Structured.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// The triangle of C that is read and written. A hermitian one has a real diagonal: imaginary parts are not read there,
/// and zero afterwards.
struct NamedTriangle {
  bool is_lower, is_hermitian;

  KOKKOS_FORCEINLINE_FUNCTION bool contains(std::size_t i, std::size_t j) const { return is_lower ? j <= i : i <= j; }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T entry(T const& entry, std::size_t i, std::size_t j) const {
    return is_hermitian && i == j ? real_entry(entry) : entry;
  }
};

/// to(i, j) := from(i, j) in the triangle; zeros elsewhere, if asked for.
template <class From, class To>
struct CopyTriangle {
  NamedTriangle triangle;
  From from;
  To to;
  bool with_zeros;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, std::size_t j) const {
    if (triangle.contains(i, j)) {
      to(i, j) = triangle.entry(from(i, j), i, j);
    } else if (with_zeros) {
      to(i, j) = EntryOf<To>{};
    }
  }
};

template <class C>
struct ScaleTriangle {
  NamedTriangle triangle;
  Factor beta;
  C c;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, std::size_t j) const {
    if (triangle.contains(i, j)) c(i, j) = triangle.entry(scaled_entry(beta, triangle.entry(c(i, j), i, j)), i, j);
  }
};

/// c := beta c, in the triangle.
template <class Space, class C>
void scale_triangle(char const* label, Space const& space, NamedTriangle const& triangle, Factor const& beta,
                    C const& c) {
  if (beta.is_one()) return;
  for_each_entry(label, space, c.extent(0), c.extent(1), ScaleTriangle<C>{triangle, beta, c});
}

/// Some rows of op(P), or columns of op(Q).
template <class V>
auto some_lines(Operated<V> const& matrix, Span lines, bool are_rows) {
  auto const view = read_only(matrix.view);
  Span const rows{0, view.extent(0)}, columns{0, view.extent(1)};
  auto const part = matrix.transposed != are_rows ? part_of(view, lines, columns) : part_of(view, rows, lines);
  Operated<std::decay_t<decltype(part)>> result(part, matrix.conjugated ? 'C' : 'T');
  result.transposed = matrix.transposed;
  return result;
}

/// Whether gemm leaves out what a triangle does not need.
template <class Space, class C>
inline constexpr bool gemm_knows_triangles = runs_on_host<Space> && !has_complex_entries<C>;

/// \brief C := alpha op(P) op(Q) + beta C in the triangle. C is written() and overlaps neither P nor Q.
template <class Space, class P, class Q, class C>
void update_triangle(char const* label, Space const& space, NamedTriangle const& triangle, Operated<P> const& p,
                     Operated<Q> const& q, Factor const& alpha, Factor const& beta, C const& c,
                     GemmOptions const& options = {}) {
  std::size_t const n = c.extent(0);
  if (n == 0) return;
  if (alpha.is_zero() || p.columns() == 0) return scale_triangle(label, space, triangle, beta, c);
  using Dense = DenseMatrix<EntryOf<C>, C>;
  auto const whole = workspace<Dense>("Exakt::dense", n, n);
  if (!beta.is_zero()) for_each_entry(label, space, n, n, CopyTriangle<C, Dense>{triangle, c, whole, true});
  // Where gemm does all that it is given, that is the part of some columns that the triangle needs.
  constexpr std::size_t panels = 4, least_panel = runs_on_host<Space> ? 64 : 1024;
  std::size_t const panel = gemm_knows_triangles<Space, C> ? n : std::max((n + panels - 1) / panels, least_panel);
  GemmPart const part = panel < n ? GemmPart::all : triangle.is_lower ? GemmPart::lower : GemmPart::upper;
  for (std::size_t begin = 0; begin < n; begin += panel) {
    Span const columns{begin, n - begin < panel ? n : begin + panel};
    Span const rows = triangle.is_lower ? Span{begin, n} : Span{0, columns.end};
    multiply_matrices(label, space, some_lines(p, rows, true), some_lines(q, columns, false), alpha, beta,
                      part_of(written(whole), rows, columns), options, part);
  }
  for_each_entry(label, space, n, n, CopyTriangle<Dense, C>{triangle, whole, c, false});
}

/// op(A) beside op(B), n x 2k.
template <class A, class B>
struct SideBySide {
  Operated<A> a;
  Operated<B> b;
  using Real = std::conditional_t<std::is_same_v<RealEntryOf<A>, RealEntryOf<B>>, RealEntryOf<A>, double>;
  using Entry = std::conditional_t<has_complex_entries<A> || has_complex_entries<B>, Kokkos::complex<Real>, Real>;

  KOKKOS_FORCEINLINE_FUNCTION Entry operator()(std::size_t i, std::size_t l) const {
    std::size_t const k = a.columns();
    return l < k ? converted_entry<Entry>(a.entry(i, l)) : converted_entry<Entry>(b.entry(i, l - k));
  }
};

/// \brief An entry of alpha A B^H + conj(alpha) B A^H + beta C for an alpha with an imaginary part:
///
///     alpha S + conj(alpha) S' = Re alpha (S + S') + i Im alpha (S - S')
template <class A, class B, class C>
struct ExactHer2k {
  SideBySide<A, B> ab;
  SideBySide<B, A> ba;
  NamedTriangle triangle;
  Factor alpha, beta;
  C c;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, std::size_t j) const {
    if (!triangle.contains(i, j)) return;
    std::size_t const k = ab.a.columns();
    auto const left = [&](std::size_t l) { return ab(i, l); };
    auto const right = [&](std::size_t l) { return conjugate_entry(ba(j, l)); };
    auto const negated_second = [&](std::size_t l) {
      auto const entry = ab(i, l);
      return l < k ? entry : negated_entry(entry);
    };
    auto const sum = sum_of_complex_products(left, right, 2 * k);
    auto const difference = sum_of_complex_products(negated_second, right, 2 * k);
    auto const old = triangle.entry(c(i, j), i, j);
    c(i, j) = triangle.entry(EntryEpilogue(alpha, beta).entry(sum.parts, difference.parts, old), i, j);
  }
};

/// \brief C := alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C in the triangle; with H for T, and the conjugate of
/// the second alpha, if it is hermitian. C is written().
template <class Space, class A, class B, class C>
void update_triangle_by_two(char const* label, Space const& space, NamedTriangle const& triangle, Operated<A> const& a,
                            Operated<B> const& b, Factor const& alpha, Factor const& beta, C const& c) {
  using Pair = SideBySide<A, B>;
  std::size_t const n = c.extent(0), k = a.columns();
  if (n == 0) return;
  if (alpha.is_zero() || k == 0) return scale_triangle(label, space, triangle, beta, c);
  Pair const ab{a, b};
  SideBySide<B, A> const ba{b, a};
  if constexpr (has_complex_entries<C>) {
    if (triangle.is_hermitian && !is_zero(alpha.imaginary))
      return for_each_entry(label, space, n, n, ExactHer2k<A, B, C>{ab, ba, triangle, alpha, beta, c});
  }
  auto const left = dense_copy<typename Pair::Entry, A>(label, space, ab, n, 2 * k);
  auto const right = dense_copy<typename Pair::Entry, A>(label, space, ba, n, 2 * k);
  using Factors = Operated<std::decay_t<decltype(left)>>;
  Factor const factor = triangle.is_hermitian ? Factor{alpha.real, 0, false} : alpha;
  update_triangle(label, space, triangle, Factors(left, 'N'), Factors(right, triangle.is_hermitian ? 'C' : 'T'), factor,
                  beta, c);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
