// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_VECTORS_HPP
#define EXAKTTEST_VECTORS_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace ExaktTest {

template <class T, class Layout = Kokkos::LayoutRight>
using HostVector = Kokkos::View<T*, Layout, Kokkos::HostSpace>;
template <class T>
using StridedVector = HostVector<T, Kokkos::LayoutStride>;
template <class T, class Layout>
using HostMatrix = Kokkos::View<T**, Layout, Kokkos::HostSpace>;
template <class T>
using HostScalar = Kokkos::View<T, Kokkos::HostSpace>;
template <class T>
using BorrowedVector = Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The entries where they are.
template <class T>
BorrowedVector<T> borrowed(std::vector<T> const& entries) {
  return BorrowedVector<T>(entries.data(), entries.size());
}

/// A new view with NaN in every entry: whoever reads around the entries of a subview will have read one. Filled by the
/// calling thread: to wake the others takes longer than most of the sums here.
template <class View, class... Extents>
View poisoned(Extents... extents) {
  View view(Kokkos::view_alloc(Kokkos::WithoutInitializing, "poisoned"), extents...);
  std::fill_n(view.data(), view.span(), std::numeric_limits<typename View::non_const_value_type>::quiet_NaN());
  return view;
}

template <class View, class T>
View filled(View view, std::vector<T> const& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) view(i) = entries[i];
  return view;
}

template <class T>
HostVector<T> contiguous(std::vector<T> const& entries) {
  return filled(poisoned<HostVector<T>>(entries.size()), entries);
}

/// Starts one entry behind an aligned address.
template <class T>
HostVector<T> misaligned(std::vector<T> const& entries) {
  std::size_t const n = entries.size();
  return filled(Kokkos::subview(poisoned<HostVector<T>>(n + 2), std::pair<std::size_t, std::size_t>(1, n + 1)),
                entries);
}

/// One row (of n columns) or one column (of n rows) of a matrix of poison.
template <class Layout, class T>
auto row_of(std::vector<T> const& entries) {
  return filled(Kokkos::subview(poisoned<HostMatrix<T, Layout>>(3, entries.size()), 1, Kokkos::ALL), entries);
}
template <class Layout, class T>
auto column_of(std::vector<T> const& entries, std::size_t columns = 3) {
  return filled(Kokkos::subview(poisoned<HostMatrix<T, Layout>>(entries.size(), columns), Kokkos::ALL, columns / 2),
                entries);
}

template <class T>
StridedVector<T> strided(std::vector<T> const& entries, std::size_t stride = 3) {
  return column_of<Kokkos::LayoutRight>(entries, stride);
}

template <class View>
using ConstantView = Kokkos::View<typename View::const_data_type, typename View::array_layout, Kokkos::HostSpace>;

template <class Layout, class T>
auto whole_matrix(std::vector<std::vector<T>> const& columns, std::size_t n) {
  auto const matrix = poisoned<HostMatrix<T, Layout>>(n, columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t i = 0; i < n; ++i) matrix(i, j) = columns[j][i];
  return matrix;
}

/// The same entries in a corner of a matrix of poison.
template <class Layout, class T>
HostMatrix<T, Kokkos::LayoutStride> corner_of_poison(std::vector<std::vector<T>> const& columns, std::size_t n) {
  using Range = std::pair<std::size_t, std::size_t>;
  std::size_t const m = columns.size();
  auto const corner = Kokkos::subview(poisoned<HostMatrix<T, Layout>>(n + 3, m + 2), Range(1, n + 1), Range(2, m + 2));
  for (std::size_t j = 0; j < m; ++j)
    for (std::size_t i = 0; i < n; ++i) corner(i, j) = columns[j][i];
  return corner;
}

/// Calls f with a way to make each kind of view of a vector. Parts of matrices have one type, for the library looks at
/// strides, and tests compile in half the time.
template <class F>
void for_each_kind_of_view(F const& f) {
  auto const any_view = [](auto const& view) -> StridedVector<typename std::decay_t<decltype(view)>::value_type> {
    return view;
  };
  f("contiguous", [](auto const& entries) { return contiguous(entries); });
  f("borrowed", [](auto const& entries) { return borrowed(entries); });
  f("misaligned", [](auto const& entries) { return misaligned(entries); });
  f("a column of LayoutLeft", [&](auto const& entries) { return any_view(column_of<Kokkos::LayoutLeft>(entries)); });
  f("a column of LayoutRight", [&](auto const& entries) { return any_view(column_of<Kokkos::LayoutRight>(entries)); });
  f("a row of LayoutLeft", [&](auto const& entries) { return any_view(row_of<Kokkos::LayoutLeft>(entries)); });
  f("a row of LayoutRight", [&](auto const& entries) { return any_view(row_of<Kokkos::LayoutRight>(entries)); });
  f("LayoutStride with stride 1", [](auto const& entries) { return strided(entries, 1); });
  f("LayoutStride with stride 5", [](auto const& entries) { return strided(entries, 5); });
}

}  // namespace ExaktTest

#endif
