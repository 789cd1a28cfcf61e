// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// \brief Bands and packed triangles.
#include "ExaktBlasAbi_Operands.hpp"

namespace ExaktBlasAbi {
namespace {

template <class T>
using Stored = Exakt::Impl::Stored<T, Kokkos::HostSpace>;
template <class V>
using StructuredView = Exakt::Impl::Structured<V>;

template <class T>
constexpr Structure mirrored = is_complex<T> ? Structure::hermitian : Structure::symmetric;

/// A triangular band of k lines beside its diagonal.
template <class T>
Stored<T> triangular_band(Call const& call, T* a, Uplo uplo, std::ptrdiff_t n, std::ptrdiff_t k, std::ptrdiff_t lda) {
  bool const is_lower = uplo.is('L');
  return call.band(a, n, n, is_lower ? k : 0, is_lower ? 0 : k, lda);
}

/// A triangle of n lines as the memory it takes.
template <class T>
Matrix<T> memory_of_triangle(T* a, std::ptrdiff_t n) {
  return vector_of(a, n * (n + 1) / 2, 1);
}

/// What tbmv and tbsv, tpmv and tpsv ask of their first arguments.
void require_triangle(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n) {
  call.require(1, uplo.is_known());
  call.require(2, trans.is_known());
  call.require(3, diag.is_known());
  call.require_size(4, n);
}

template <class V, class T>
void multiply(Call& call, V const& matrix, Number<T> alpha, Matrix<T const> const& x, Number<T> beta,
              Matrix<T> const& y) {
  call.write(
      [&] {
        Exakt::Impl::multiply_gathered("mv", Space(), matrix, factor(alpha.value), first_column(x), factor(beta.value),
                                       first_column(y));
      },
      y);
}

// ---- what is done to x with a triangle of a band, and with a packed one

template <class T>
using StoredTriangle = StructuredView<Stored<T const>>;

template <class T>
void multiply_in_place(Call& call, StoredTriangle<T> const& matrix, Matrix<T> const& x) {
  call.write([&] { Exakt::Impl::multiply_gathered_in_place("mv", Space(), matrix, x); }, x);
}
template <class T>
void solve_in_place(Call& call, StoredTriangle<T> const& matrix, Matrix<T> const& b) {
  call.write([&] { Exakt::Impl::solve_gathered("sv", Space(), matrix, factor_of_one, b); }, b);
}

template <class T, class Apply>
void apply_band(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, Integer k, T const* a, Integer lda, T* x,
                Integer incx, Apply const& apply) {
  require_triangle(call, uplo, trans, diag, n);
  call.require(5, k >= 0);
  call.require(7, lda > k);
  call.require(9, incx != 0);
  if (call.is_refused() || n == 0) return;
  apply(call, triangle_of(triangular_band(call, a, uplo, n, k, lda), uplo, trans, diag), vector_of(x, n, incx));
}
template <class T, class Apply>
void apply_packed(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, T const* a, T* x, Integer incx,
                  Apply const& apply) {
  require_triangle(call, uplo, trans, diag, n);
  call.require(7, incx != 0);
  if (call.is_refused() || n == 0) return;
  apply(call, triangle_of(call.packed(a, n, uplo.is('L')), uplo, trans, diag), vector_of(x, n, incx));
}

}  // namespace

template <class T>
void gbmv(Call& call, Trans trans, Integer m, Integer n, Integer kl, Integer ku, Number<T> alpha, T const* a,
          Integer lda, T const* x, Integer incx, Number<T> beta, T* y, Integer incy) {
  call.require(1, trans.is_known());
  call.require_size(2, m);
  call.require_size(3, n);
  call.require(4, kl >= 0);
  call.require(5, ku >= 0);
  // Unsigned numbers have room for the sum of two.
  auto const unsigned_of = [](std::ptrdiff_t k) { return static_cast<std::size_t>(k); };
  call.require(8, lda > 0 && unsigned_of(kl) + unsigned_of(ku) < unsigned_of(lda));
  call.require(10, incx != 0);
  call.require(13, incy != 0);
  if (call.is_refused() || m == 0 || n == 0 || (is_zero(alpha) && is_one(beta))) return;
  bool const turned = !trans.is('N');
  using Operands = Exakt::Impl::Operated<Stored<T const>>;
  Operands const A(call.band(a, m, n, kl, ku, lda), turned ? (trans.is('C') ? 'C' : 'T') : 'N');
  multiply<Operands, T>(call, A, alpha, vector_of(x, turned ? m : n, incx), beta, vector_of(y, turned ? n : m, incy));
}

template <class T>
void sbmv(Call& call, Uplo uplo, Integer n, Integer k, Number<T> alpha, T const* a, Integer lda, T const* x,
          Integer incx, Number<T> beta, T* y, Integer incy) {
  call.require(1, uplo.is_known());
  call.require_size(2, n);
  call.require(3, k >= 0);
  call.require(6, lda > k);
  call.require(8, incx != 0);
  call.require(11, incy != 0);
  if (call.is_refused() || n == 0 || (is_zero(alpha) && is_one(beta))) return;
  using View = StructuredView<Stored<T const>>;
  View const A{triangular_band(call, a, uplo, n, k, lda), mirrored<T>, uplo.is('L')};
  multiply<View, T>(call, A, alpha, vector_of(x, n, incx), beta, vector_of(y, n, incy));
}

template <class T>
void spmv(Call& call, Uplo uplo, Integer n, Number<T> alpha, T const* a, T const* x, Integer incx, Number<T> beta, T* y,
          Integer incy) {
  call.require(1, uplo.is_known());
  call.require_size(2, n);
  call.require(6, incx != 0);
  call.require(9, incy != 0);
  if (call.is_refused() || n == 0 || (is_zero(alpha) && is_one(beta))) return;
  using View = StructuredView<Stored<T const>>;
  View const A{call.packed(a, n, uplo.is('L')), mirrored<T>, uplo.is('L')};
  multiply<View, T>(call, A, alpha, vector_of(x, n, incx), beta, vector_of(y, n, incy));
}

template <class T>
void tbmv(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, Integer k, T const* a, Integer lda, T* x,
          Integer incx) {
  apply_band(call, uplo, trans, diag, n, k, a, lda, x, incx, multiply_in_place<T>);
}

template <class T>
void tbsv(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, Integer k, T const* a, Integer lda, T* x,
          Integer incx) {
  apply_band(call, uplo, trans, diag, n, k, a, lda, x, incx, solve_in_place<T>);
}

template <class T>
void tpmv(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, T const* a, T* x, Integer incx) {
  apply_packed(call, uplo, trans, diag, n, a, x, incx, multiply_in_place<T>);
}

template <class T>
void tpsv(Call& call, Uplo uplo, Trans trans, Diag diag, Integer n, T const* a, T* x, Integer incx) {
  apply_packed(call, uplo, trans, diag, n, a, x, incx, solve_in_place<T>);
}

template <class T>
void spr(Call& call, Uplo uplo, Integer n, Number<Real<T>> alpha, T const* x, Integer incx, T* a) {
  call.require(1, uplo.is_known());
  call.require_size(2, n);
  call.require(5, incx != 0);
  if (call.is_refused() || n == 0 || is_zero(alpha)) return;
  auto const X = operated(vector_of(x, n, incx), "N"),
             turned = operated(vector_of(x, n, incx), is_complex<T> ? "C" : "T");
  call.write(
      [&] {
        Exakt::Impl::update_triangle("spr", Space(), NamedTriangle{uplo.is('L'), is_complex<T>}, X, turned,
                                     factor(alpha.value), factor_of_one, call.packed(a, n, uplo.is('L')));
      },
      memory_of_triangle(a, n));
}

template <class T>
void spr2(Call& call, Uplo uplo, Integer n, Number<T> alpha, T const* x, Integer incx, T const* y, Integer incy, T* a) {
  call.require(1, uplo.is_known());
  call.require_size(2, n);
  call.require(5, incx != 0);
  call.require(7, incy != 0);
  if (call.is_refused() || n == 0 || is_zero(alpha)) return;
  auto const X = operated(vector_of(x, n, incx), "N"), Y = operated(vector_of(y, n, incy), "N");
  call.write(
      [&] {
        Exakt::Impl::update_triangle_by_two("spr2", Space(), NamedTriangle{uplo.is('L'), is_complex<T>}, X, Y,
                                            factor(alpha.value), factor_of_one, call.packed(a, n, uplo.is('L')));
      },
      memory_of_triangle(a, n));
}

#define EXAKT_INSTANTIATE(T)                                                                                        \
  template void gbmv(Call&, Trans, Integer, Integer, Integer, Integer, Number<T>, T const*, Integer, T const*,      \
                     Integer, Number<T>, T*, Integer);                                                              \
  template void sbmv(Call&, Uplo, Integer, Integer, Number<T>, T const*, Integer, T const*, Integer, Number<T>, T*, \
                     Integer);                                                                                      \
  template void spmv(Call&, Uplo, Integer, Number<T>, T const*, T const*, Integer, Number<T>, T*, Integer);         \
  template void tbmv(Call&, Uplo, Trans, Diag, Integer, Integer, T const*, Integer, T*, Integer);                   \
  template void tbsv(Call&, Uplo, Trans, Diag, Integer, Integer, T const*, Integer, T*, Integer);                   \
  template void tpmv(Call&, Uplo, Trans, Diag, Integer, T const*, T*, Integer);                                     \
  template void tpsv(Call&, Uplo, Trans, Diag, Integer, T const*, T*, Integer);                                     \
  template void spr<T>(Call&, Uplo, Integer, Number<Real<T>>, T const*, Integer, T*);                               \
  template void spr2(Call&, Uplo, Integer, Number<T>, T const*, Integer, T const*, Integer, T*);
EXAKT_BLAS_FOR_ALL(EXAKT_INSTANTIATE)
#undef EXAKT_INSTANTIATE

}  // namespace ExaktBlasAbi
