// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktBlasAbi_Operations.hpp"

#include <ExaktBlas1_axpy.hpp>
#include <drivers/ExaktBlas_SmallSums.hpp>

#include <cmath>
#include <type_traits>

namespace ExaktBlasAbi {
namespace {

using Exakt::Compiled::Reduction;

/// The order of terms does not matter.
template <class T>
Exakt::Compiled::Matrix<T const> terms_of(T const* x, std::ptrdiff_t n, std::ptrdiff_t increment) {
  return plain(vector_of(x, n, increment));
}

/// \brief The result for a few terms next to each other, if one kernel decides it: what comes between takes as long.
/// \param y  Of dot only.
template <Reduction which, class T>
bool try_few(Call const& call, std::ptrdiff_t n, T const* x, std::ptrdiff_t incx, T const* y, std::ptrdiff_t incy,
             T& result) {
  bool const is_known = n <= Exakt::Impl::small_sum && incx == 1 && incy == 1 && !call.is_compared() &&
                        call.found_default_environment() &&
                        Exakt::Impl::try_small_sum<which>(x, y, static_cast<std::size_t>(n), result);
  if (is_known && !Exakt::Impl::is_finite(result)) [[unlikely]]
    call.restore_flags();
  return is_known;
}

template <class R, class T>
R dot_of(std::ptrdiff_t n, T const* x, std::ptrdiff_t incx, T const* y, std::ptrdiff_t incy) {
  if (incx < 0 && incy < 0) {
    incx = -incx;
    incy = -incy;
  }
  return Exakt::Compiled::reduce<R, Reduction::dot>(Space(), static_cast<std::size_t>(n), Exakt::Rounding::to_nearest,
                                                    terms_of(x, n, incx), terms_of(y, n, incy));
}

template <class T>
T complex_dot_of(std::ptrdiff_t n, T const* x, std::ptrdiff_t incx, T const* y, std::ptrdiff_t incy, bool conjugated) {
  Real<T> parts[2];
  Exakt::Compiled::reduce_complex<Reduction::dot>(Space(), static_cast<std::size_t>(n), Exakt::Rounding::to_nearest,
                                                  terms_of(x, n, incx), terms_of(y, n, incy), conjugated, parts);
  return T(parts[0], parts[1]);
}

template <Reduction norm, class T>
Real<T> norm_of(std::ptrdiff_t n, T const* x, std::ptrdiff_t increment) {
  auto const terms = terms_of(x, n, increment < 0 ? -increment : increment);
  auto const count = static_cast<std::size_t>(n);
  if constexpr (is_complex<T>) {
    Real<T> result;
    Exakt::Compiled::reduce_complex<norm>(Space(), count, Exakt::Rounding::to_nearest, terms, {}, false, &result);
    return result;
  } else {
    return Exakt::Compiled::reduce<T, norm>(Space(), count, Exakt::Rounding::to_nearest, terms);
  }
}

/// y := alpha x + beta y of complex numbers, beta zero or one. x may be y; what a factor of zero multiplies is read.
template <class T>
void complex_axpy(T const& alpha, Matrix<T const> const& x, bool beta, Matrix<T> const& y) {
  using R = Real<T>;
  using Multiples = Exakt::Impl::ComplexMultiples<R, R>;
  Exakt::Impl::Factor const factor{alpha.real(), alpha.imag(), true};
  if (Multiples::suits(factor) && y.stride(0) != 0) {
    Multiples const multiples(factor, x, beta, y);
    for (std::size_t task = 0; task < multiples.tasks_of_column; ++task) multiples(task);
    return;
  }
  // With an increment of zero y is one number: terms come one after the other.
  Exakt::Impl::EntryEpilogue const epilogue({1, 0, false}, {beta ? 1.0 : 0.0, 0, false});
  for (std::size_t i = 0; i < y.extent(0); ++i) {
    Exakt::Impl::ExactParts<true> sums;
    sums.add_product(Complex<double>(alpha.real(), alpha.imag()), x(i, 0));
    y(i, 0) = epilogue.entry(sums, y(i, 0));
  }
}

}  // namespace

template <class R, class T>
R dot(Call& call, Integer n, T const* x, Integer incx, T const* y, Integer incy) {
  call.set_size(n);
  if (n <= 0) return R{0};
  if constexpr (std::is_same_v<R, T>) {
    if (R result; try_few<Reduction::dot>(call, n, x, incx, y, incy, result)) return result;
  }
  return call.result_of<R>([&] { return dot_of<R>(n, x, incx, y, incy); });
}

/// A row times a column, and beta = 1.
template <class R, class T>
R dot_plus(Call& call, Integer n, Number<T> b, T const* x, Integer incx, T const* y, Integer incy) {
  call.set_size(n);
  if (n <= 0) return b.value;
  return call.result_of<R>([&] {
    R result = b.value;
    Exakt::Compiled::gemv(Space(), Exakt::Compiled::GemvProblem<T>{plain(vector_of(x, n, incx), true),
                                                                   plain(vector_of(y, n, incy)),
                                                                   {&result, 1, 1},
                                                                   1,
                                                                   static_cast<std::size_t>(n),
                                                                   1,
                                                                   1,
                                                                   true});
    return result;
  });
}

template <class T, bool conjugated>
T complex_dot(Call& call, Integer n, T const* x, Integer incx, T const* y, Integer incy) {
  call.set_size(n);
  if (n <= 0) return T{};
  return call.result_of<T>([&] { return complex_dot_of(n, x, incx, y, incy, conjugated); });
}

template <class T, bool conjugated>
void complex_dot_to(Call& call, Integer n, T const* x, Integer incx, T const* y, Integer incy, T* result) {
  call.set_size(n);
  call.write([&] { *result = n <= 0 ? T{} : complex_dot_of(n, x, incx, y, incy, conjugated); },
             matrix_of(result, 1, 1, 1, 1));
}

template <class T>
Real<T> asum(Call& call, Integer n, T const* x, Integer incx) {
  call.set_size(n);
  if (n <= 0 || incx <= 0) return 0;
  if constexpr (!is_complex<T>) {
    if (T result; try_few<Reduction::nrm1, T>(call, n, x, incx, nullptr, 1, result)) return result;
  }
  return call.result_of<Real<T>>([&] { return norm_of<Reduction::nrm1>(n, x, incx); });
}

template <class T>
Real<T> nrm2(Call& call, Integer n, T const* x, Integer incx) {
  call.set_size(n);
  if (n <= 0) return 0;
  if constexpr (!is_complex<T>) {
    if (T result; try_few<Reduction::nrm2, T>(call, n, x, incx, nullptr, 1, result)) return result;
  }
  return call.result_of<Real<T>>([&] { return norm_of<Reduction::nrm2>(n, x, incx); });
}

/// A NaN is larger than nothing, and nothing than a NaN that comes first, as in the reference implementation.
template <class T>
std::size_t iamax(Call& call, Integer n, T const* x, Integer incx) {
  std::ptrdiff_t number = 0;
  if (n <= 0 || incx <= 0) return 0;
  Exakt::Impl::in_default_environment([&] {
    auto largest = magnitude_for_pivots(*x);
    for (std::ptrdiff_t i = 1; i < n; ++i) {
      auto const magnitude = magnitude_for_pivots(x[i * incx]);
      if (!(magnitude > largest)) continue;
      largest = magnitude;
      number = i;
    }
  });
  call.restore_flags();
  return static_cast<std::size_t>(number) + 1;
}

template <class T>
void axpy(Call& call, Integer n, Number<T> alpha, T const* x, Integer incx, T* y, Integer incy) {
  call.set_size(n);
  if (n <= 0 || is_zero(alpha)) return;
  auto const X = vector_of(x, n, incx);
  auto const Y = vector_of(y, n, incy);
  call.write(
      [&] {
        if constexpr (is_complex<T>) {
          complex_axpy<T>(alpha.value, X, true, Y);
        } else {
          // With an increment of zero y is one number: terms come one after the other.
          std::ptrdiff_t const at_once = incy == 0 ? 1 : std::ptrdiff_t{n};
          for (std::ptrdiff_t begin = 0; begin < n; begin += at_once)
            Exakt::Impl::update_by_axpby(Space(), alpha.value,
                                         first_column(matrix_of(&X(begin, 0), at_once, incx, 1, 1)), 1,
                                         first_column(matrix_of(&Y(begin, 0), at_once, incy, 1, 1)));
        }
      },
      Y);
}

/// \brief By a real number, part by part: one product each, as every BLAS rounds it.
///
/// A BLAS that multiplies complex numbers instead, or leaves out the product with zero, has other zeros and NaN, and on
/// one processor it does and on another it does not.
template <class T>
void scal_by_real(Call& call, Integer n, Number<Real<T>> alpha, T* x, Integer incx) {
  call.set_size(n);
  if (n <= 0 || incx <= 0) return;
  call.write(
      [&] {
        using R = Real<T>;
        constexpr std::ptrdiff_t parts = is_complex<T> ? 2 : 1;
        auto* const first = reinterpret_cast<R*>(x);
        R const factor = alpha.value;
        if (incx == 1) {
          for (std::ptrdiff_t i = 0; i < parts * n; ++i) first[i] *= factor;
          return;
        }
        for (std::ptrdiff_t i = 0; i < n; ++i)
          for (std::ptrdiff_t part = 0; part < parts; ++part) first[parts * incx * i + part] *= factor;
      },
      vector_of(x, n, incx));
}

template <class T>
void scal(Call& call, Integer n, Number<T> alpha, T* x, Integer incx) {
  call.set_size(n);
  if (n <= 0 || incx <= 0 || is_one(alpha)) return;
  auto const X = vector_of(x, n, incx);
  call.write([&] { complex_axpy<T>(alpha.value, vector_of<T const>(x, n, incx), false, X); }, X);
}

#define EXAKT_INSTANTIATE_REAL(T) template T dot<T, T>(Call&, Integer, T const*, Integer, T const*, Integer);
#define EXAKT_INSTANTIATE_DOTS(T, conjugated)                                                  \
  template T complex_dot<T, conjugated>(Call&, Integer, T const*, Integer, T const*, Integer); \
  template void complex_dot_to<T, conjugated>(Call&, Integer, T const*, Integer, T const*, Integer, T*);
#define EXAKT_INSTANTIATE_COMPLEX(T) \
  EXAKT_INSTANTIATE_DOTS(T, false)   \
  EXAKT_INSTANTIATE_DOTS(T, true) template void scal(Call&, Integer, Number<T>, T*, Integer);
#define EXAKT_INSTANTIATE(T)                                                     \
  template Real<T> asum(Call&, Integer, T const*, Integer);                      \
  template Real<T> nrm2(Call&, Integer, T const*, Integer);                      \
  template std::size_t iamax(Call&, Integer, T const*, Integer);                 \
  template void axpy(Call&, Integer, Number<T>, T const*, Integer, T*, Integer); \
  template void scal_by_real<T>(Call&, Integer, Number<Real<T>>, T*, Integer);
template double dot<double, float>(Call&, Integer, float const*, Integer, float const*, Integer);
template float dot_plus<float, float>(Call&, Integer, Number<float>, float const*, Integer, float const*, Integer);
EXAKT_BLAS_FOR_REAL(EXAKT_INSTANTIATE_REAL)
EXAKT_BLAS_FOR_COMPLEX(EXAKT_INSTANTIATE_COMPLEX)
EXAKT_BLAS_FOR_ALL(EXAKT_INSTANTIATE)
#undef EXAKT_INSTANTIATE

}  // namespace ExaktBlasAbi
