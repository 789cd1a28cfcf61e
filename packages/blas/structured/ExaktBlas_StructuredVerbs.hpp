// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_STRUCTUREDVERBS_HPP
#define EXAKTBLAS_STRUCTUREDVERBS_HPP

/// \file
/// \brief The verbs of symmetric, hermitian and triangular matrices, as families: the checks of their operands, and
/// which product they are.

#include "ExaktBlas_OuterProducts.hpp"
#include "ExaktBlas_StructuredProducts.hpp"
#include "ExaktBlas_TriangleUpdates.hpp"

#include <parallel/Exakt_Region.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

template <class T>
constexpr bool is_complex_argument() {
  if constexpr (Kokkos::is_view<T>::value) {
    return has_complex_entries<T>;
  } else {
    return Scalar<T>::is_complex;
  }
}

/// What is known at compile time about what is written, and about operands and factors that are read.
template <class Out, class... In>
constexpr bool require_result() {
  static_assert(require_output<Out>());
  if constexpr (are_views_v<Out>) {
    static_assert(is_complex_argument<Out>() || (!is_complex_argument<In>() && ...),
                  "Exakt: a complex result needs a complex output");
  }
  return true;
}

/// alpha or beta of a hermitian result. An imaginary part of zero counts as none.
template <class F>
Factor real_factor(Verb verb, char const* name, F const& f) {
  Factor const result = factor(f);
  if (!is_zero(result.imaginary)) {
    throw std::invalid_argument(std::string(verb.label) + ": " + name + " has an imaginary part of " +
                                number_in_message(result.imaginary) + "; it must be real");
  }
  return {result.real, 0, false};
}

inline constexpr Factor factor_of_one{1, 0, false};

/// symv and hemv: y := alpha A x + beta y.
template <class Space, class F, class A, class X, class G, class Y>
void multiply_vector_by_mirrored(Verb verb, Structure structure, Space const& space, ModeLetter uplo, F const& alpha,
                                 A const& a, X const& x, G const& beta, Y const& y) {
  require_mode(verb.name(), "uplo", uplo, "UL");
  require_square(verb.name(), "A", a);
  require_extents(verb.name(), "A", a, 1, "x", x, 0);
  require_extents(verb.name(), "A", a, 0, "y", y, 0);
  require_no_overlap(verb.name(), "y", y, "A", a);
  require_no_overlap(verb.name(), "y", y, "x", x);
  in_region(verb.label, [&] {
    auto const entries = read_only(a);
    multiply_structured(verb.label, space,
                        Structured<std::decay_t<decltype(entries)>>{entries, structure, uplo.is('L')}, factor(alpha),
                        read_only(x), factor(beta), written(y));
  });
}

/// symm and hemm: C := alpha A B + beta C, or B A; the latter as C^T := alpha A^T B^T + beta C^T.
template <class Space, class F, class A, class B, class G, class C>
void multiply_by_mirrored(Verb verb, Structure structure, Space const& space, ModeLetter side, ModeLetter uplo,
                          F const& alpha, A const& a, B const& b, G const& beta, C const& c) {
  require_mode(verb.name(), "side", side, "LR");
  require_mode(verb.name(), "uplo", uplo, "UL");
  require_square(verb.name(), "A", a);
  bool const on_right = side.is('R');
  std::string const modes = on_right ? std::string("side '") + side.as_given() + "'" : "";
  require_extents(verb.name(), "A", a, 0, "B", b, on_right ? 1 : 0, modes);
  require_extents(verb.name(), "B", b, 0, "C", c, 0);
  require_extents(verb.name(), "B", b, 1, "C", c, 1);
  require_no_overlap(verb.name(), "C", c, "A", a);
  require_no_overlap(verb.name(), "C", c, "B", b);
  in_region(verb.label, [&] {
    auto const entries = read_only(a);
    multiply_structured(verb.label, space,
                        Structured<std::decay_t<decltype(entries)>>{entries, structure, uplo.is('L'), on_right},
                        factor(alpha), read_only(b, on_right), factor(beta), written(c, on_right));
  });
}

/// What verbs of a triangular A ask of it.
inline void require_triangle_modes(Verb verb, ModeLetter uplo, ModeLetter trans, ModeLetter diag) {
  require_mode(verb.name(), "uplo", uplo, "UL");
  require_mode(verb.name(), "trans", trans, "NTC");
  require_mode(verb.name(), "diag", diag, "UN");
}
template <class A>
void require_triangle(Verb verb, ModeLetter uplo, ModeLetter trans, ModeLetter diag, A const& a) {
  require_triangle_modes(verb, uplo, trans, diag);
  require_square(verb.name(), "A", a);
}

/// trmv and trmm: X := alpha op(A) X, or X op(A); the latter as X^T := alpha op(A)^T X^T.
template <class Space, class A, class X>
void multiply_in_place(Verb verb, Space const& space, bool on_right, ModeLetter uplo, ModeLetter trans, ModeLetter diag,
                       Factor const& alpha, A const& a, X const& x) {
  in_region(verb.label, [&] {
    auto const matrix = triangle_in(read_only(a), uplo, trans, diag);
    multiply_by_triangle(verb.label, space, on_right ? transposed(matrix) : matrix, alpha, written(x, on_right));
  });
}

/// The letters of trans: a symmetric product of complex numbers has no conjugates, a hermitian one no plain transposes.
template <class C>
char const* letters_of_trans(bool is_hermitian) {
  return !has_complex_entries<C> ? "NTC" : is_hermitian ? "NC" : "NT";
}

/// Of syrk and syr2k: op(A) is n x k, C is n x n.
template <class A, class C>
void require_factor_of_triangle(Verb verb, char const* name, A const& a, ModeLetter trans, C const& c) {
  std::string const modes = trans.is('N') ? "" : std::string("trans '") + trans.as_given() + "'";
  require_extents(verb.name(), name, a, trans.is('N') ? 0 : 1, "C", c, 0, modes);
  require_no_overlap(verb.name(), "C", c, name, a);
}

/// syrk and herk: C := alpha op(A) op(A)^T + beta C in a triangle.
template <class Space, class A, class C>
void update_by_own_product(Verb verb, bool is_hermitian, Space const& space, ModeLetter uplo, ModeLetter trans,
                           Factor const& alpha, A const& a, Factor const& beta, C const& c) {
  require_mode(verb.name(), "uplo", uplo, "UL");
  require_mode(verb.name(), "trans", trans, letters_of_trans<C>(is_hermitian));
  require_square(verb.name(), "C", c);
  require_factor_of_triangle(verb, "A", a, trans, c);
  in_region(verb.label, [&] {
    auto const entries = read_only(a);
    using Op = Operated<std::decay_t<decltype(entries)>>;
    char const turned = is_hermitian ? 'C' : 'T';
    bool const is_turned = !trans.is('N');
    update_triangle(verb.label, space, {uplo.is('L'), is_hermitian}, Op(entries, is_turned ? turned : 'N'),
                    Op(entries, is_turned ? 'N' : turned), alpha, beta, written(c));
  });
}

/// syr2k and her2k: C := alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C in a triangle.
template <class Space, class A, class B, class C>
void update_by_two_products(Verb verb, bool is_hermitian, Space const& space, ModeLetter uplo, ModeLetter trans,
                            Factor const& alpha, A const& a, B const& b, Factor const& beta, C const& c) {
  require_mode(verb.name(), "uplo", uplo, "UL");
  require_mode(verb.name(), "trans", trans, letters_of_trans<C>(is_hermitian));
  require_square(verb.name(), "C", c);
  require_extents(verb.name(), "A", a, 0, "B", b, 0);
  require_extents(verb.name(), "A", a, 1, "B", b, 1);
  require_factor_of_triangle(verb, "A", a, trans, c);
  require_factor_of_triangle(verb, "B", b, trans, c);
  in_region(verb.label, [&] {
    auto const a_entries = read_only(a);
    auto const b_entries = read_only(b);
    ModeLetter const mode = trans.is('N') ? 'N' : is_hermitian ? 'C' : 'T';
    update_triangle_by_two(verb.label, space, {uplo.is('L'), is_hermitian},
                           Operated<std::decay_t<decltype(a_entries)>>(a_entries, mode),
                           Operated<std::decay_t<decltype(b_entries)>>(b_entries, mode), alpha, beta, written(c));
  });
}

/// syr and her: A := alpha x x^T + A in a triangle.
template <class Space, class X, class A>
void update_by_vector(Verb verb, bool is_hermitian, Space const& space, ModeLetter uplo, Factor const& alpha,
                      X const& x, A const& a) {
  require_mode(verb.name(), "uplo", uplo, "UL");
  require_square(verb.name(), "A", a);
  require_extents(verb.name(), "A", a, 0, "x", x, 0);
  require_no_overlap(verb.name(), "A", a, "x", x);
  in_region(verb.label, [&] {
    auto const column = read_only(x);
    if constexpr (are_added_by_lines<Space, A>) {
      add_outer_products(verb.label, space, alpha.real, column, column, written(a),
                         uplo.is('L') ? OuterPart::lower : OuterPart::upper);
    } else if constexpr (!runs_on_host<Space>) {
      add_outer_products_by_entries(verb.label, space, alpha, column, column, written(a),
                                    uplo.is('L') ? OuterPart::lower : OuterPart::upper, is_hermitian, is_hermitian);
    } else {
      using Op = Operated<std::decay_t<decltype(column)>>;
      update_triangle(verb.label, space, {uplo.is('L'), is_hermitian}, Op(column, 'N'),
                      Op(column, is_hermitian ? 'C' : 'T'), alpha, factor_of_one, written(a));
    }
  });
}

/// syr2 and her2: A := alpha x y^T + alpha y x^T + A in a triangle.
template <class Space, class X, class Y, class A>
void update_by_two_vectors(Verb verb, bool is_hermitian, Space const& space, ModeLetter uplo, Factor const& alpha,
                           X const& x, Y const& y, A const& a) {
  require_mode(verb.name(), "uplo", uplo, "UL");
  require_square(verb.name(), "A", a);
  require_extents(verb.name(), "A", a, 0, "x", x, 0);
  require_extents(verb.name(), "A", a, 0, "y", y, 0);
  require_no_overlap(verb.name(), "A", a, "x", x);
  require_no_overlap(verb.name(), "A", a, "y", y);
  in_region(verb.label, [&] {
    auto const x_column = read_only(x);
    auto const y_column = read_only(y);
    if constexpr (are_added_by_lines<Space, A>) {
      add_outer_products<2>(verb.label, space, alpha.real, x_column, y_column, written(a),
                            uplo.is('L') ? OuterPart::lower : OuterPart::upper);
    } else {
      if constexpr (!runs_on_host<Space>) {
        if (!is_hermitian || is_zero(alpha.imaginary))
          return add_outer_products_by_entries<2>(
              verb.label, space, is_hermitian ? Factor{alpha.real, 0, false} : alpha, x_column, y_column, written(a),
              uplo.is('L') ? OuterPart::lower : OuterPart::upper, is_hermitian, is_hermitian);
      }
      update_triangle_by_two(
          verb.label, space, {uplo.is('L'), is_hermitian}, Operated<std::decay_t<decltype(x_column)>>(x_column, 'N'),
          Operated<std::decay_t<decltype(y_column)>>(y_column, 'N'), alpha, factor_of_one, written(a));
    }
  });
}

/// ger, geru and gerc: A := alpha x y^T + A, or y^H.
template <class Space, class F, class X, class Y, class A>
void update_by_outer_product(Verb verb, bool is_conjugated, Space const& space, F const& alpha, X const& x, Y const& y,
                             A const& a) {
  require_extents(verb.name(), "A", a, 0, "x", x, 0);
  require_extents(verb.name(), "A", a, 1, "y", y, 0);
  require_no_overlap(verb.name(), "A", a, "x", x);
  require_no_overlap(verb.name(), "A", a, "y", y);
  in_region(verb.label, [&] {
    auto const x_column = read_only(x);
    auto const y_column = read_only(y);
    if constexpr (are_added_by_lines<Space, A>) {
      add_outer_products(verb.label, space, factor(alpha).real, x_column, y_column, written(a), OuterPart::all);
    } else if constexpr (!runs_on_host<Space>) {
      add_outer_products_by_entries(verb.label, space, factor(alpha), x_column, y_column, written(a), OuterPart::all,
                                    is_conjugated, false);
    } else {
      multiply_matrices(verb.label, space, Operated<std::decay_t<decltype(x_column)>>(x_column, 'N'),
                        Operated<std::decay_t<decltype(y_column)>>(y_column, is_conjugated ? 'C' : 'T'), factor(alpha),
                        factor_of_one, written(a));
    }
  });
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
