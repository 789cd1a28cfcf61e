// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_DENSE_HPP
#define EXAKTBLAS_DENSE_HPP

/// \file
/// \brief Operands of any layout as one type, and dense copies of them.

#include "../matrix_vector/ExaktBlas_MatrixVector.hpp"
#include "../matrix_vector/ExaktBlas_TeamProducts.hpp"
#include "../operands/ExaktBlas_Workspace.hpp"

#include <parallel/Exakt_Loop.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

template <class T, class Device>
using StridesView = Kokkos::View<T**, Kokkos::LayoutStride, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class T, class Device>
using StridesVector = Kokkos::View<T*, Kokkos::LayoutStride, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// A matrix, or its transpose, by its strides; a vector is a matrix of one column. What it is given to is compiled once
/// for all layouts.
template <class T, class V>
StridesView<T, typename V::device_type> by_strides(V const& view, bool transposed) {
  std::size_t extents[2] = {view.extent(0), 1}, strides[2] = {static_cast<std::size_t>(view.stride(0)), 1};
  if constexpr (V::rank == 2) {
    extents[1] = view.extent(1);
    strides[1] = static_cast<std::size_t>(view.stride(1));
  }
  int const row = transposed ? 1 : 0, column = 1 - row;
  return StridesView<T, typename V::device_type>(
      view.data(), Kokkos::LayoutStride(extents[row], strides[row], extents[column], strides[column]));
}
template <class V>
auto read_only(V const& view, bool transposed = false) {
  return by_strides<typename V::const_value_type>(view, transposed);
}
template <class V>
auto written(V const& view, bool transposed = false) {
  return by_strides<typename V::value_type>(view, transposed);
}

/// Some rows and columns of it.
template <class T, class Device>
StridesView<T, Device> part_of(StridesView<T, Device> const& view, Span rows, Span columns) {
  std::size_t const row_stride = view.stride(0), column_stride = view.stride(1);
  // A negative stride wraps around, and so does the product.
  auto const first = static_cast<std::ptrdiff_t>(rows.begin * row_stride + columns.begin * column_stride);
  return StridesView<T, Device>(view.data() + first,
                                Kokkos::LayoutStride(rows.size(), row_stride, columns.size(), column_stride));
}

/// Its first column.
template <class T, class Device>
StridesVector<T, Device> first_column(StridesView<T, Device> const& view) {
  return StridesVector<T, Device>(view.data(),
                                  Kokkos::LayoutStride(view.extent(0), static_cast<std::size_t>(view.stride(0))));
}

/// f(i, j) for the entries of a block: square on hosts, so that neither rows nor columns leave the cache.
template <class F>
struct EntriesOfBlock {
  std::size_t rows, columns, side;
  F f;

  std::size_t down() const { return (rows + side - 1) / side; }
  std::size_t blocks() const { return down() * ((columns + side - 1) / side); }
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t block) const {
    std::size_t const blocks_down = (rows + side - 1) / side;
    std::size_t const first_row = block % blocks_down * side, first_column = block / blocks_down * side;
    std::size_t const last_row = rows - first_row < side ? rows : first_row + side;
    std::size_t const last_column = columns - first_column < side ? columns : first_column + side;
    F const here = f;  // in registers, whatever it writes to
    for (std::size_t j = first_column; j < last_column; ++j)
      for (std::size_t i = first_row; i < last_row; ++i) here(i, j);
  }
};

/// f(i, j) for all entries of a matrix, in any order.
template <class Space, class F>
void for_each_entry(char const* label, Space const& space, std::size_t rows, std::size_t columns, F const& f) {
  constexpr std::size_t side_on_host = 32;
  if (rows == 0 || columns == 0) return;
  EntriesOfBlock<F> const tasks{rows, columns, runs_on_host<Space> ? side_on_host : 1, f};
  if constexpr (runs_on_host<Space>) {
    for_each_task(label, space, tasks.blocks(), rows * columns >= products_worth_threads, tasks);
  } else {
    loop(label, space, tasks.blocks(), tasks);
  }
}

/// Memory of our own, where V has its own.
template <class T, class V>
using DenseMatrix = Kokkos::View<T**, Kokkos::LayoutLeft, typename V::device_type>;

/// An entry as one of a wider type.
template <class To, class From>
KOKKOS_FORCEINLINE_FUNCTION To converted_entry(From const& entry) {
  if constexpr (std::is_same_v<To, From>) {
    return entry;
  } else if constexpr (Scalar<To>::is_complex) {
    using Real = typename Scalar<To>::Real;
    if constexpr (Scalar<From>::is_complex) {
      return To(widened<Real>(Scalar<From>::real(entry)), widened<Real>(Scalar<From>::imaginary(entry)));
    } else {
      return To(widened<Real>(entry), Real{0});
    }
  } else {
    return widened<To>(entry);
  }
}

/// to(i, j) := from(i, j), `from` being anything with entries.
template <class From, class To>
struct CopyEntry {
  From from;
  To to;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, std::size_t j) const {
    to(i, j) = converted_entry<EntryOf<To>>(from(i, j));
  }
};

/// A dense copy of `rows` x `columns` entries from(i, j), where V has its memory.
template <class T, class V, class Space, class From>
DenseMatrix<T, V> dense_copy(char const* label, Space const& space, From const& from, std::size_t rows,
                             std::size_t columns) {
  auto const result = workspace<DenseMatrix<T, V>>("Exakt::dense", rows, columns);
  for_each_entry(label, space, rows, columns, CopyEntry<From, DenseMatrix<T, V>>{from, result});
  return result;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
