// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COMPILED_HPP
#define EXAKTBLAS_COMPILED_HPP

/// \file
/// \brief What libExaktBlasKokkos has compiled for the common types and the host spaces of Kokkos, so that a program
/// that calls it need not.
///
/// The functions are declared here and defined in drivers/ only. They and what they take have the same names in object
/// files of any flags, hence nothing here is from Exakt::Impl: plain pointers, counts and strides. What is not compiled
/// (other types, devices, a Kokkos of another version) is instantiated from the headers, as the library is.

#include "../ExaktBlas3_GemmOptions.hpp"

#include <Exakt_Rounding.hpp>
#include <kernels/Exakt_Kernels.hpp>
#include <parallel/Exakt_KokkosCompat.hpp>

#include <Kokkos_Complex.hpp>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace Exakt::Compiled {

/// op() of a matrix, or of a vector as a matrix of one column.
template <class T>
struct Matrix {
  T* data;
  std::ptrdiff_t row_stride, column_stride;
};

/// y := alpha A x + beta y.
template <class T>
struct GemvProblem {
  Matrix<T const> A;
  Matrix<T const> x;
  Matrix<T> y;
  std::size_t rows, columns;
  double alpha, beta;
  bool reads_y;
};

/// A X = beta B, a right-hand side for each column of B, which becomes X.
template <class T>
struct TriangularProblem {
  Matrix<T const> A;
  Matrix<T> B;
  std::size_t n, right_sides;
  bool is_lower, has_unit_diagonal;
  double beta;
  char const* label;
};

/// What of C is looked at afterwards. Other entries may be written, and need not be.
enum class GemmPart { all, lower, upper };

/// C := alpha A B + beta C; A is m x k.
template <class T>
struct GemmProblem {
  Matrix<T const> A, B;
  Matrix<T> C;
  std::size_t m, n, k;
  double alpha, beta;
  bool reads_C;
  GemmPart part;
};

/// A factor of complex numbers; a real one has no imaginary part at all.
struct ComplexFactor {
  double real, imaginary;
  bool is_complex;
};

/// y := alpha A x + beta y of complex numbers.
template <class T>
struct ComplexGemvProblem {
  Matrix<T const> A;
  Matrix<T const> x;
  Matrix<T> y;
  std::size_t rows, columns;
  bool A_conjugated;
  ComplexFactor alpha, beta;
};

/// A X = alpha B of complex numbers, a right-hand side for each column of B, which becomes X.
template <class T>
struct ComplexTriangularProblem {
  Matrix<T const> A;
  Matrix<T> B;
  std::size_t n, right_sides;
  bool is_lower, has_unit_diagonal, A_conjugated;
  ComplexFactor alpha;
  char const* label;
};

/// C := alpha A B + beta C of complex numbers; A is m x k.
template <class T>
struct ComplexGemmProblem {
  Matrix<T const> A, B;
  Matrix<T> C;
  std::size_t m, n, k;
  bool A_conjugated, B_conjugated;
  ComplexFactor alpha, beta;
  GemmPart part;
};

/// y := beta y of rows x columns entries.
template <class Space, class T>
EXAKT_CORE_EXPORT void scale_entries(Space const& space, char const* label, double beta, Matrix<T> const& y,
                                     std::size_t rows, std::size_t columns);

enum class Reduction { sum, nrm1, nrm2, nrm2_squared, mean, dot };

template <class Space, class T>
EXAKT_CORE_EXPORT void gemv(Space const& space, GemvProblem<T> const& problem);

template <class Space, class T>
EXAKT_CORE_EXPORT void solve_triangular(Space const& space, TriangularProblem<T> const& problem);

template <class Space, class T>
EXAKT_CORE_EXPORT void gemm(Space const& space, GemmProblem<T> const& problem, GemmOptions const& options);

template <class Space, class T>
EXAKT_CORE_EXPORT void gemv(Space const& space, ComplexGemvProblem<T> const& problem);

template <class Space, class T>
EXAKT_CORE_EXPORT void solve_triangular(Space const& space, ComplexTriangularProblem<T> const& problem);

template <class Space, class T>
EXAKT_CORE_EXPORT void gemm(Space const& space, ComplexGemmProblem<T> const& problem, GemmOptions const& options);

/// The result for vectors of n entries, one or two of them, rounded once to an R.
template <class R, Reduction which, class Space, class T>
EXAKT_CORE_EXPORT R reduce(Space const& space, std::size_t n, Rounding mode, Matrix<T const> const& x,
                           Matrix<T const> const& y = {});

/// \brief The same of complex numbers: norms are real, of other results both parts are rounded once.
/// \param conjugates_x  Of dot.
/// \param result        Written: one number for norms, else two.
template <Reduction which, class Space, class T>
EXAKT_CORE_EXPORT void reduce_complex(Space const& space, std::size_t n, Rounding mode,
                                      Matrix<Kokkos::complex<T> const> const& x,
                                      Matrix<Kokkos::complex<T> const> const& y, bool conjugates_x, T* result);

/// A result in each row of r for each column of n entries.
template <Reduction which, class Space, class T, class R>
EXAKT_CORE_EXPORT void reduce_columns(Space const& space, std::size_t n, Matrix<R> const& r, std::size_t columns,
                                      Matrix<T const> const& X, Matrix<T const> const& Y = {});

}  // namespace Exakt::Compiled

namespace Exakt::Impl::inline EXAKT_ABI {

/// The spaces that it is compiled for; the build defines, for each of them, the version of its Kokkos.
template <class Space>
inline constexpr bool is_compiled_space = false;
#if !defined(EXAKT_HAS_DEVICE)
#if defined(KOKKOS_ENABLE_SERIAL) && defined(EXAKT_BLAS_COMPILED_SERIAL)
template <>
inline constexpr bool is_compiled_space<Kokkos::Serial> = KOKKOS_VERSION == EXAKT_BLAS_COMPILED_SERIAL;
#endif
#if defined(KOKKOS_ENABLE_OPENMP) && defined(EXAKT_BLAS_COMPILED_OPENMP)
template <>
inline constexpr bool is_compiled_space<Kokkos::OpenMP> = KOKKOS_VERSION == EXAKT_BLAS_COMPILED_OPENMP;
#endif
#if defined(KOKKOS_ENABLE_THREADS) && defined(EXAKT_BLAS_COMPILED_THREADS)
template <>
inline constexpr bool is_compiled_space<Kokkos::Threads> = KOKKOS_VERSION == EXAKT_BLAS_COMPILED_THREADS;
#endif
#endif

template <class T>
inline constexpr bool is_compiled_type = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// Whether functions of operands with these entries are compiled: all float or all double.
template <class Space, class T, class... U>
inline constexpr bool is_compiled = is_compiled_space<Space>&& is_compiled_type<T> && (std::is_same_v<T, U> && ...);

/// Products of complex numbers are compiled where there is no Kokkos, in the library for C.
template <class T>
inline constexpr bool is_compiled_complex_type = KOKKOS_VERSION == 0 && (std::is_same_v<T, Kokkos::complex<float>> ||
                                                                         std::is_same_v<T, Kokkos::complex<double>>);
template <class Space, class T, class... U>
inline constexpr bool is_compiled_complex = is_compiled_space<Space>&& is_compiled_complex_type<T> &&
                                            (std::is_same_v<T, U> && ...);

}  // namespace Exakt::Impl::inline EXAKT_ABI

/// EXAKT_BLAS_COMPILE(MACRO): MACRO(space, type) for all that is compiled.
#if defined(KOKKOS_ENABLE_SERIAL)
#define EXAKT_BLAS_COMPILE_SERIAL(MACRO) MACRO(Kokkos::Serial, float) MACRO(Kokkos::Serial, double)
#else
#define EXAKT_BLAS_COMPILE_SERIAL(MACRO)
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
#define EXAKT_BLAS_COMPILE_OPENMP(MACRO) MACRO(Kokkos::OpenMP, float) MACRO(Kokkos::OpenMP, double)
#else
#define EXAKT_BLAS_COMPILE_OPENMP(MACRO)
#endif
#if defined(KOKKOS_ENABLE_THREADS)
#define EXAKT_BLAS_COMPILE_THREADS(MACRO) MACRO(Kokkos::Threads, float) MACRO(Kokkos::Threads, double)
#else
#define EXAKT_BLAS_COMPILE_THREADS(MACRO)
#endif
#define EXAKT_BLAS_COMPILE(MACRO) \
  EXAKT_BLAS_COMPILE_SERIAL(MACRO) EXAKT_BLAS_COMPILE_OPENMP(MACRO) EXAKT_BLAS_COMPILE_THREADS(MACRO)

#endif
