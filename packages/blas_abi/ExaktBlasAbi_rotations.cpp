// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// \brief Rotations of pairs.
#include "ExaktBlasAbi_Operations.hpp"

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

using Exakt::Impl::ExactProducts;

template <class R>
ExactProducts exact(R x) {
  ExactProducts result;
  result.add_product(x, 1.0);
  return result;
}
template <class R>
ExactProducts square(R x) {
  ExactProducts result;
  result.add_product(x, x);
  return result;
}
template <class R>
ExactProducts square(Complex<R> const& x) {
  auto result = square(x.real());
  result.add_product(x.imag(), x.imag());
  return result;
}

/// sqrt(|a a'| / (b c)) with the sign of a, rounded once. \pre a' is not zero, b and c are positive.
template <class R>
R root_of_ratio(ExactProducts const& a, ExactProducts const& other_a, ExactProducts const& b, ExactProducts const& c) {
  if (a.normalized().magnitude().leading() < 0) return 0;
  return Exakt::Impl::round_to<R>(
      Exakt::Impl::root_of_ratio(a.normalized().magnitude(), other_a.normalized().magnitude(),
                                 b.normalized().magnitude(), c.normalized().magnitude()),
      Exakt::Rounding::to_nearest);
}

/// x / sqrt(squares), rounded once. \pre squares > 0.
template <class R>
R quotient_by_root(R x, ExactProducts const& squares) {
  auto const number = exact(x);
  return x == 0 ? x : root_of_ratio<R>(number, number, squares, exact(1.0));
}

template <class T>
auto number_at(T* x) {
  return matrix_of(x, 1, 1, 1, 1);
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
        auto const squares = square(Complex<T>(x, y));
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
  call.set_size(1);
  call.write(rotate, number_at(a), number_at(b), number_at(c), number_at(s));
}

/// \brief The same of complex numbers, whose c is real: with F = |a|^2, G = |b|^2 and the exact roots
///
///     c = sqrt(F / (F + G)),    s = a conj(b) / sqrt(F (F + G)),    r = a sqrt((F + G) / F),
///
/// each part rounded once; for a = 0 it is c = 0, s = conj(b) / |b|, r = |b|. r replaces a.
template <class T>
void complex_rotg(Call& call, T* a, T const* b, Real<T>* c, T* s) {
  using R = Real<T>;
  auto const rotate = [&] {
    T const x = *a, y = *b;
    bool const is_finite =
        std::isfinite(x.real()) && std::isfinite(x.imag()) && std::isfinite(y.real()) && std::isfinite(y.imag());
    if (is_zero_entry(y)) {
      *c = 1;
      *s = T(0);
    } else if (!is_finite) {
      R const of_x = std::hypot(x.real(), x.imag()), all = std::hypot(of_x, std::hypot(y.real(), y.imag()));
      R const real = of_x / all, imaginary = all / all;  // infinite or NaN: only c may be a number
      *c = real;
      *s = T(imaginary, imaginary);
      *a = T(all, imaginary);
    } else if (is_zero_entry(x)) {
      auto const squares = square(y);
      *c = 0;
      *s = T(quotient_by_root(y.real(), squares), -quotient_by_root(y.imag(), squares));
      *a = T(squares.template round_sqrt<R>());
    } else {
      auto const of_x = square(x), one = exact(1.0);
      auto squares = of_x;
      squares += square(y);
      ExactProducts real, imaginary;  // of a conj(b)
      real.add_product(x.real(), y.real());
      real.add_product(x.imag(), y.imag());
      imaginary.add_product(x.imag(), y.real());
      imaginary.add_product(-x.real(), y.imag());
      auto const stretched = [&](R part) {
        return part == 0 ? part : std::copysign(root_of_ratio<R>(square(part), squares, of_x, one), part);
      };
      *c = root_of_ratio<R>(of_x, one, squares, one);
      *s = T(root_of_ratio<R>(real, real, of_x, squares), root_of_ratio<R>(imaginary, imaginary, of_x, squares));
      *a = T(stretched(x.real()), stretched(x.imag()));
    }
  };
  call.set_size(1);
  call.write(rotate, number_at(a), number_at(c), number_at(s));
}

/// \brief The modified rotation H that makes y zero in sqrt(d1) x, sqrt(d2) y, and the new d1, d2 and x: the reference
/// implementation's steps, each rounded once; that one sets h21 = -1 and h12 = 1 again each time that it scales after the first, we
/// do not. Reproducible, not correctly rounded.
///
/// \param parameters  A flag, and H by columns, those of its entries that are not 1 or -1 by the flag.
template <class T>
void rotmg(Call& call, T* d1, T* d2, T* x, Number<T> y_value, T* parameters) {
  constexpr T scale = 4096, scale_squared = scale * scale;
  // Its own bounds: 4096^2 and its inverse in eight digits, of floats in six.
  constexpr T largest = std::is_same_v<T, float> ? T(1.67772e7) : T(16777216),
              smallest = std::is_same_v<T, float> ? T(5.96046e-8) : T(5.9604645e-8);
  auto const make = [&] {
    T const y = y_value.value;
    T flag = -1, h11 = 0, h12 = 0, h21 = 0, h22 = 0;
    auto const give_up = [&] { *d1 = *d2 = *x = 0; };
    auto const p2 = *d2 * y;
    if (*d1 < 0) {
      give_up();
    } else if (p2 == 0) {
      parameters[0] = -2;
      return;
    } else {
      T const p1 = *d1 * *x, q1 = p1 * *x, q2 = p2 * y;
      if (std::abs(q1) > std::abs(q2)) {
        h21 = -y / *x;
        h12 = p2 / p1;
        T const u = 1 - h12 * h21;
        if (u > 0) {
          flag = 0;
          h11 = h22 = 1;
          *d1 /= u;
          *d2 /= u;
          *x *= u;
        } else {
          h12 = h21 = 0;
          give_up();
        }
      } else if (q2 < 0) {
        give_up();
      } else {
        flag = 1;
        h11 = p1 / p2;
        h22 = *x / y;
        h12 = 1;
        h21 = -1;
        T const u = 1 + h11 * h22, other = *d2 / u;
        *d2 = *d1 / u;
        *d1 = other;
        *x = y * u;
      }
      // Into the range of 1, with a row of H, by powers of two.
      auto const rescale = [&](T& d, T& first, T& second, T& of_vector) {
        while (d != 0 && std::isfinite(d) && (std::abs(d) <= smallest || std::abs(d) >= largest)) {
          bool const is_small = std::abs(d) <= smallest;
          T const factor = is_small ? 1 / scale : scale;
          d *= is_small ? scale_squared : 1 / scale_squared;
          first *= factor;
          second *= factor;
          of_vector *= factor;
          flag = -1;
        }
      };
      T unused = 0;
      rescale(*d1, h11, h12, *x);
      rescale(*d2, h21, h22, unused);
    }
    parameters[0] = flag;
    if (flag != 0) parameters[1] = h11;
    if (flag != 1) parameters[2] = h21;
    if (flag != 1) parameters[3] = h12;
    if (flag != 0) parameters[4] = h22;
  };
  call.set_size(1);
  call.write(make, number_at(d1), number_at(d2), number_at(x), matrix_of(parameters, 5, 1, 1, 1));
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
  using Exakt::Impl::bits_of;  // this is the caller's environment
  if (n <= 0 || bits_of(parameters[0]) == bits_of(T{-2})) return;
  call.write(
      [&] {
        T const flag = parameters[0];
        Rotation<T> rotation{parameters[1], parameters[3], parameters[2], parameters[4]};
        if (flag == 0) {
          rotation.a = rotation.d = 1;
        } else if (flag > 0) {
          rotation.b = 1;
          rotation.c = -1;
        }
        rotation.apply(n, x, incx, y, incy);
      },
      vector_of(x, n, incx), vector_of(y, n, incy));
}

#define EXAKT_INSTANTIATE_REAL(T)                        \
  template void rotg(Call&, T*, T*, T*, T*);             \
  template void rotmg(Call&, T*, T*, T*, Number<T>, T*); \
  template void rotm(Call&, Integer, T*, Integer, T*, Integer, T const*);
#define EXAKT_INSTANTIATE_COMPLEX(T) template void complex_rotg(Call&, T*, T const*, Real<T>*, T*);
#define EXAKT_INSTANTIATE(T) \
  template void rot<T>(Call&, Integer, T*, Integer, T*, Integer, Number<Real<T>>, Number<Real<T>>);
EXAKT_BLAS_FOR_REAL(EXAKT_INSTANTIATE_REAL)
EXAKT_BLAS_FOR_COMPLEX(EXAKT_INSTANTIATE_COMPLEX)
EXAKT_BLAS_FOR_ALL(EXAKT_INSTANTIATE)
#undef EXAKT_INSTANTIATE

}  // namespace ExaktBlasAbi
