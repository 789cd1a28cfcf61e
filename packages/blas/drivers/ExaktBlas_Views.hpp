// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_VIEWS_HPP
#define EXAKTBLAS_VIEWS_HPP

/// \file
/// \brief Plain matrices as Views again, all of one layout: what is compiled is compiled once.

#include "ExaktBlas_Compiled.hpp"

namespace Exakt::Compiled {

template <class Data>
using StridedView = Kokkos::View<Data, Kokkos::LayoutStride, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

template <class T>
StridedView<T*> vector_of(Matrix<T> const& x, std::size_t n) {
  return StridedView<T*>(x.data, Kokkos::LayoutStride(n, static_cast<std::size_t>(x.row_stride)));
}

template <class T>
StridedView<T**> matrix_of(Matrix<T> const& a, std::size_t rows, std::size_t columns) {
  return StridedView<T**>(a.data, Kokkos::LayoutStride(rows, static_cast<std::size_t>(a.row_stride), columns,
                                                       static_cast<std::size_t>(a.column_stride)));
}

}  // namespace Exakt::Compiled

#endif
