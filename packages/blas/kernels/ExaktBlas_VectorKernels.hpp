// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_VECTORKERNELS_HPP
#define EXAKTBLAS_VECTORKERNELS_HPP

/// \file
/// \brief The loops from vectors to vectors, compiled for each instruction set.
///
/// They live in libExaktBlas, and the set is the one that core has chosen (kernels/Exakt_Kernels.hpp). As there,
/// pointers, counts and strides come in, and callers hold the default floating-point environment.

#include <kernels/Exakt_Kernels.hpp>
#include <numerics/Exakt_ErrorFree.hpp>

#include <cstddef>

namespace Exakt::Impl::inline EXAKT_COMPILED {

/// Kernels for x and y of one type each, float or double.
template <class X, class Y>
struct VectorKernelsOf {
  /// \brief y := alpha * x + beta * y, rounded once, for those of `count` entries that two doubles and a bound decide.
  ///
  /// The numbers of the other entries, which stay as they are, go to `undecided`, and how many they are is returned.
  /// A vector whose factor is zero is not read. x may be y itself.
  /// \param x_stride, y_stride  Entries from one to the next.
  /// \param ahead               How far ahead of their use entries of x and y are prefetched: terms_ahead().
  int (*axpby)(double alpha, X const* x, std::ptrdiff_t x_stride, double beta, Y* y, std::ptrdiff_t y_stride, int count,
               int ahead, int* undecided);
};

/// (high + low) * x, a contiguous vector by zero, or by the product of two doubles and its error as two_product() splits it.
struct MultipleOf {
  double high, low;
  double const* x;
};

/// Kernels for y of one type, float or double.
template <class Y>
struct OuterKernelOf {
  /// \brief y := the sum of one or two multiples + y, rounded once, for those of `count` entries that two doubles and a bound
  /// decide.
  ///
  /// The numbers of the other entries, which stay as they are, go to `undecided`, and how many they are is returned.
  /// \param terms  How many multiples.
  /// \param ahead  As above, of y.
  int (*add_multiples)(MultipleOf const* multiples, int terms, Y* y, std::ptrdiff_t y_stride, int count, int ahead,
                       int* undecided);
};

/// Of entries of one type, float or double.
template <class X>
struct CopyKernelOf {
  /// Entries, or with a stride of two the parts of complex ones, as doubles next to each other; their negatives too.
  void (*copy)(X const* from, std::ptrdiff_t stride, int count, bool negates, double* to);
  /// Complex numbers next to each other, with their parts swapped, with the second one then negated, or both.
  void (*copy_numbers)(X const* from, std::ptrdiff_t stride, int count, bool swaps, bool negates, X* to);
  /// Their real parts next to each other, and their imaginary ones.
  void (*split_numbers)(X const* from, std::ptrdiff_t stride, int count, X* real, X* imaginary);
};

/// The kernels of one instruction set.
using VectorKernels = KernelTable<VectorKernelsOf<double, double>, VectorKernelsOf<double, float>,
                                  VectorKernelsOf<float, double>, VectorKernelsOf<float, float>, OuterKernelOf<double>,
                                  OuterKernelOf<float>, CopyKernelOf<double>, CopyKernelOf<float>>;

/// Those of the set that core has chosen.
EXAKT_CORE_EXPORT VectorKernels const& choose_vector_kernels();
EXAKT_ABI_TAG inline VectorKernels const& vector_kernels() { return chosen_once<choose_vector_kernels>(); }

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif
