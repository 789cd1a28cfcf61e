// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_STOREDVERBS_HPP
#define EXAKTBLAS_STOREDVERBS_HPP

/// \file
/// \brief The verbs of bands, of packed triangles and of triangular systems, as families: checks, and which rows they
/// are.

#include "../triangular/ExaktBlas_Triangular.hpp"
#include "ExaktBlas_GatheredSystems.hpp"
#include "ExaktBlas_StructuredVerbs.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// trsv and trsm: op(A) X = alpha B, or X op(A) = alpha B, which is op(A)^T X^T = alpha B^T. alpha is not zero.
template <class Space, class A, class B>
void solve_triangle(char const* label, Space const& space, bool on_left, ModeLetter uplo, ModeLetter trans,
                    ModeLetter diag, Factor const& alpha, A const& a, B const& b) {
  if constexpr (has_complex_entries<B>) {
    auto const matrix = triangle_in(read_only(a), uplo, trans, diag);
    solve_gathered(label, space, on_left ? matrix : transposed(matrix), alpha, written(b, !on_left));
  } else {
    Operated<A> matrix(a, trans);
    if (!on_left) matrix.transposed = !matrix.transposed;
    std::size_t right_sides = 1;
    if constexpr (B::rank == 2) right_sides = b.extent(on_left ? 1 : 0);
    solve_triangular(label, space, matrix, uplo.is('L') != matrix.transposed, diag.is('U'), alpha.real, b, right_sides,
                     !on_left);
  }
}

// ---- what bands and packed triangles are asked for

/// x and y of y := alpha A x + beta y.
template <class A, class X, class Y>
void require_apart(Verb verb, char const* name, A const& a, X const& x, Y const& y) {
  require_no_overlap(verb.name(), "y", y, name, a);
  require_no_overlap(verb.name(), "y", y, "x", x);
}

/// x has n entries; a packed triangle of n lines has n (n + 1) / 2.
template <class P, class X>
void require_packed(Verb verb, P const& ap, char const* name, X const& x) {
  std::size_t const n = x.extent(0);
  constexpr std::size_t most = std::size_t{1} << 32;  // whose packed triangle no memory holds
  if (n < most && ap.extent(0) == n * (n + 1) / 2) return;
  refuse_shapes(verb.name(), "AP", ap, name, x, "AP has n(n + 1)/2 entries for the n of a vector");
}

/// AB has a column for each entry of a vector, and a row at least: that of the diagonal.
template <class B, class X>
void require_band(Verb verb, B const& ab, char const* name, X const& x) {
  require_extents(verb.name(), "AB", ab, 1, name, x, 0);
  if (ab.extent(0) == 0) {
    throw std::invalid_argument(std::string(verb.label) + ": AB is " + shape_of(ab) +
                                "; it must have the row of the diagonal");
  }
}

template <class B>
auto stored(B const& ab, std::size_t rows, std::size_t below, std::size_t above) {
  return stored_band<typename B::device_type>(ab.data(), static_cast<std::ptrdiff_t>(ab.stride(0)),
                                              static_cast<std::ptrdiff_t>(ab.stride(1)), rows, ab.extent(1), below,
                                              above);
}

/// The matrix that a triangle is stored of: of a band, View of rank 2, or packed, of rank 1.
template <class S>
auto stored_triangle_of(S const& storage, std::size_t n, ModeLetter uplo) {
  bool const is_lower = uplo.is('L');
  if constexpr (S::rank == 2) {
    std::size_t const k = storage.extent(0) - 1;
    return stored(storage, n, is_lower ? k : 0, is_lower ? 0 : k);
  } else {
    return stored_triangle<typename S::device_type>(storage.data(), static_cast<std::ptrdiff_t>(storage.stride(0)), n,
                                                    is_lower);
  }
}
template <class S>
inline constexpr char const* storage_name = S::rank == 2 ? "AB" : "AP";
template <class S, class X>
void require_storage(Verb verb, S const& storage, char const* name, X const& x) {
  if constexpr (S::rank == 2) {
    require_band(verb, storage, name, x);
  } else {
    require_packed(verb, storage, name, x);
  }
}

// ---- families

/// gbmv: y := alpha op(A) x + beta y.
template <class Space, class F, class B, class X, class G, class Y>
void multiply_by_band(Verb verb, Space const& space, ModeLetter trans, std::size_t below, std::size_t above,
                      F const& alpha, B const& ab, X const& x, G const& beta, Y const& y) {
  require_mode(verb.name(), "trans", trans, "NTC");
  bool const turned = !trans.is('N');
  std::string const modes = turned ? std::string("trans '") + trans.as_given() + "'" : "";
  if (turned) {
    require_extents(verb.name(), "AB", ab, 1, "y", y, 0, modes);
  } else {
    require_extents(verb.name(), "AB", ab, 1, "x", x, 0);
  }
  if (above >= ab.extent(0) || below != ab.extent(0) - 1 - above) {  // no sum, which may be too large for its type
    throw std::invalid_argument(std::string(verb.label) + ": AB is " + shape_of(ab) + ", kl is " +
                                std::to_string(static_cast<std::ptrdiff_t>(below)) + ", ku is " +
                                std::to_string(static_cast<std::ptrdiff_t>(above)) +
                                "; AB.extent(0) must equal kl + ku + 1, neither of them negative");
  }
  require_apart(verb, "AB", ab, x, y);
  in_region(verb.label, [&] {
    auto const matrix = stored(ab, turned ? x.extent(0) : y.extent(0), below, above);
    multiply_gathered(verb.label, space, Operated<std::decay_t<decltype(matrix)>>(matrix, trans), factor(alpha), x,
                      factor(beta), y);
  });
}

/// sbmv, hbmv, spmv and hpmv: y := alpha A x + beta y.
template <class Space, class F, class S, class X, class G, class Y>
void multiply_vector_by_stored(Verb verb, Structure structure, Space const& space, ModeLetter uplo, F const& alpha,
                               S const& storage, X const& x, G const& beta, Y const& y) {
  require_mode(verb.name(), "uplo", uplo, "UL");
  require_storage(verb, storage, "x", x);
  require_storage(verb, storage, "y", y);
  require_apart(verb, storage_name<S>, storage, x, y);
  in_region(verb.label, [&] {
    auto const view = stored_triangle_of(storage, x.extent(0), uplo);
    multiply_gathered(verb.label, space, Structured<std::decay_t<decltype(view)>>{view, structure, uplo.is('L')},
                      factor(alpha), x, factor(beta), y);
  });
}

/// tbmv, tpmv, tbsv and tpsv: x := op(A) x, or the x with op(A) x = b.
template <class Space, class S, class X>
void apply_stored_triangle(Verb verb, bool is_solved, Space const& space, ModeLetter uplo, ModeLetter trans,
                           ModeLetter diag, S const& storage, X const& x) {
  require_triangle_modes(verb, uplo, trans, diag);
  require_storage(verb, storage, "x", x);
  require_no_overlap(verb.name(), "x", x, storage_name<S>, storage);
  if (x.extent(0) == 0) return;
  in_region(verb.label, [&] {
    auto const matrix = triangle_in(stored_triangle_of(storage, x.extent(0), uplo), uplo, trans, diag);
    if (is_solved) {
      solve_gathered(verb.label, space, matrix, factor_of_one, written(x));
    } else {
      multiply_gathered_in_place(verb.label, space, matrix, written(x));
    }
  });
}

/// spr and hpr: A := alpha x x^T + A in a packed triangle.
template <class Space, class X, class P>
void update_packed_by_vector(Verb verb, bool is_hermitian, Space const& space, ModeLetter uplo, Factor const& alpha,
                             X const& x, P const& ap) {
  require_mode(verb.name(), "uplo", uplo, "UL");
  require_packed(verb, ap, "x", x);
  require_no_overlap(verb.name(), "AP", ap, "x", x);
  in_region(verb.label, [&] {
    auto const column = read_only(x);
    using Op = Operated<std::decay_t<decltype(column)>>;
    update_triangle(verb.label, space, {uplo.is('L'), is_hermitian}, Op(column, 'N'),
                    Op(column, is_hermitian ? 'C' : 'T'), alpha, factor_of_one,
                    stored_triangle_of(ap, x.extent(0), uplo));
  });
}

/// spr2 and hpr2: A := alpha x y^T + alpha y x^T + A in a packed triangle.
template <class Space, class X, class Y, class P>
void update_packed_by_two_vectors(Verb verb, bool is_hermitian, Space const& space, ModeLetter uplo,
                                  Factor const& alpha, X const& x, Y const& y, P const& ap) {
  require_mode(verb.name(), "uplo", uplo, "UL");
  require_packed(verb, ap, "x", x);
  require_packed(verb, ap, "y", y);
  require_no_overlap(verb.name(), "AP", ap, "x", x);
  require_no_overlap(verb.name(), "AP", ap, "y", y);
  in_region(verb.label, [&] {
    auto const x_column = read_only(x);
    auto const y_column = read_only(y);
    update_triangle_by_two(verb.label, space, {uplo.is('L'), is_hermitian},
                           Operated<std::decay_t<decltype(x_column)>>(x_column, 'N'),
                           Operated<std::decay_t<decltype(y_column)>>(y_column, 'N'), alpha, factor_of_one,
                           stored_triangle_of(ap, x.extent(0), uplo));
  });
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
