// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// \brief Rotations of pairs.
#include "ExaktBlasAbi_Operands.hpp"

#include <ExaktBlas1_axpy.hpp>
#include <summation/Exakt_PairMoments.hpp>

#include <cmath>

namespace ExaktBlasAbi {
namespace {

/// Entries that are copied at once.
constexpr std::ptrdiff_t block_size = 256;

/// Pairs x_i := a x_i + b y_i, y_i := c x_i + d y_i, both from the old ones, for some vectors' blocks.
template <class R>
struct Rotation {
  R a, b, c, d;

  void apply(std::ptrdiff_t n, R* x, std::ptrdiff_t incx, R* y, std::ptrdiff_t incy) const {
    auto const X = first_column(vector_of(x, n, incx)), Y = first_column(vector_of(y, n, incy));
    std::ptrdiff_t const at_once = incx == 0 || incy == 0 ? 1 : block_size;
    for (std::ptrdiff_t begin = 0; begin < n; begin += at_once)
      apply(&X(begin), incx, &Y(begin), incy, std::min(at_once, n - begin));
  }

 private:
  void apply(R* x, std::ptrdiff_t incx, R* y, std::ptrdiff_t incy, std::ptrdiff_t count) const {
    R old_x[block_size], old_y[block_size];
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      old_x[i] = x[i * incx];
      old_y[i] = y[i * incy];
    }
    auto const update = [&](R alpha, R const* other, R beta, R const* own, R* to, std::ptrdiff_t increment) {
      auto const result = first_column(matrix_of(to, count, increment, 1, 1));
      Exakt::Impl::update_by_axpby(Space(), alpha, first_column(vector_of(other, count, 1)), beta, result);
      // What a factor of zero multiplies is read here.
      if (!Exakt::Impl::is_zero(alpha) && !Exakt::Impl::is_zero(beta)) return;
      for (std::ptrdiff_t i = 0; i < count; ++i)
        if (!std::isfinite(own[i]) || !std::isfinite(other[i]))
          result(i) = Exakt::Impl::exact_axpby<R>(alpha, other[i], beta, own[i]);
    };
    update(b, old_y, a, old_x, x, incx);
    update(c, old_x, d, old_y, y, incy);
  }
};

/// x / sqrt(squares), rounded once. \pre 0 < x^2 <= squares.
template <class R>
R quotient_by_root(R x, Exakt::Impl::ExactProducts const& squares) {
  Exakt::Impl::ExactProducts number, one;
  number.add_product(x, 1.0);
  one.add_product(1.0, 1.0);
  return Exakt::Impl::round_to<R>(
      Exakt::Impl::quotient_by_root(number.normalized().magnitude(), squares.normalized().magnitude(),
                                    one.normalized().magnitude()),
      Exakt::Rounding::to_nearest);
}

}  // namespace

/// \brief The rotation that takes (a, b) to (r, 0): r = +-sqrt(a^2 + b^2), c = a / r and s = b / r of the exact root, each
/// rounded once; r replaces a, and b a number z that tells c and s, as in the reference implementation.
template <class T>
void rotg(Call& call, T* a, T* b, T* c, T* s) {
  auto const rotate = [&] {
    T const x = *a, y = *b;
    if (y == 0) {
      *c = 1;
      *s = *b = 0;
    } else if (x == 0) {
      *c = 0;
      *s = 1;
      *a = y;
      *b = 1;
    } else {
      bool const x_is_larger = std::abs(x) > std::abs(y);
      T const sign = std::copysign(T{1}, x_is_larger ? x : y);
      if (std::isfinite(x) && std::isfinite(y)) {
        Exakt::Impl::ExactProducts squares;
        squares.add_product(x, x);
        squares.add_product(y, y);
        *a = sign * squares.template round_sqrt<T>();
        *c = sign * quotient_by_root(x, squares);
        *s = sign * quotient_by_root(y, squares);
      } else {
        *a = sign * std::sqrt(x * x + y * y);
        *c = x / *a;
        *s = y / *a;
      }
      *b = x_is_larger ? *s : *c != 0 ? 1 / *c : T{1};
    }
  };
  auto const number = [](T* x) { return matrix_of(x, 1, 1, 1, 1); };
  call.set_size(1);
  call.write(rotate, number(a), number(b), number(c), number(s));
}

template <class T>
void rot(Call& call, Integer n, T* x, Integer incx, T* y, Integer incy, Number<Real<T>> c, Number<Real<T>> s) {
  call.set_size(n);
  if (n <= 0) return;
  auto const X = vector_of(x, n, incx), Y = vector_of(y, n, incy);
  Rotation<Real<T>> const rotation{c.value, s.value, -s.value, c.value};
  call.write(
      [&] {
        if constexpr (is_complex<T>) {
          for (int part = 0; part < 2; ++part)
            rotation.apply(n, reinterpret_cast<Real<T>*>(x) + part, 2 * incx, reinterpret_cast<Real<T>*>(y) + part,
                           2 * incy);
        } else {
          rotation.apply(n, x, incx, y, incy);
        }
      },
      X, Y);
}

/// parameters: a flag, and the matrix by columns, which has ones where the flag says so.
template <class T>
void rotm(Call& call, Integer n, T* x, Integer incx, T* y, Integer incy, T const* parameters) {
  call.set_size(n);
  T const flag = parameters[0];
  if (n <= 0 || flag == -2) return;
  Rotation<T> rotation{parameters[1], parameters[3], parameters[2], parameters[4]};
  if (flag == 0) {
    rotation.a = rotation.d = 1;
  } else if (flag > 0) {
    rotation.b = 1;
    rotation.c = -1;
  }
  call.write([&] { rotation.apply(n, x, incx, y, incy); }, vector_of(x, n, incx), vector_of(y, n, incy));
}

#define EXAKT_INSTANTIATE_REAL(T)            \
  template void rotg(Call&, T*, T*, T*, T*); \
  template void rotm(Call&, Integer, T*, Integer, T*, Integer, T const*);
#define EXAKT_INSTANTIATE(T) \
  template void rot<T>(Call&, Integer, T*, Integer, T*, Integer, Number<Real<T>>, Number<Real<T>>);
EXAKT_BLAS_FOR_REAL(EXAKT_INSTANTIATE_REAL)
EXAKT_BLAS_FOR_ALL(EXAKT_INSTANTIATE)

}  // namespace ExaktBlasAbi
