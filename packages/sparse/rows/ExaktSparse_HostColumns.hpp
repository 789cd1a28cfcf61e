// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_HOSTCOLUMNS_HPP
#define EXAKTSPARSE_HOSTCOLUMNS_HPP

/// \file
/// \brief The transpose of a real matrix times a vector, on hosts: row after row into enclosures of all columns; the
/// columns that these do not decide are transposed.
///
///     rows of thread 0 --> head, rest of each column --+
///     rows of thread 1 --> head, rest of each column --+-> decided? --> y
///                                                          no: transposed --> rows (ExaktSparse_HostRows.hpp)

#include "ExaktSparse_HostRows.hpp"
#include "ExaktSparse_Transposed.hpp"

#include <mutex>
#include <vector>

namespace Exakt::Impl::inline EXAKT_ABI {

/// The sums of some rows, by one thread.
template <class Matrix>
struct HostColumns {
  using T = typename Matrix::Value;
  using Index = KernelIndex<typename Matrix::Index>;

  Matrix A;
  std::size_t entry_count;
  double const* x;
  FirstBadRow* bad;

  /// \brief Sums of all columns. \return The number that heads began at; 0 if there are none large enough.
  double operator()(Span rows, ColumnSums const& sums, Grain& grain) const {
    // Below all exponents, so that the first call finds that of the first products, and adds none.
    int e = -4000, room = 2;
    if (add(rows, sums, e, grain) != Absorbed::too_large) return start_all(sums, 0);
    for (;; room *= 4) {
      e += room;
      if (!HeadStart::fits(e)) return 0;
      double const start = start_all(sums, e);
      grain = of_no_products;
      if (add(rows, sums, e, grain) != Absorbed::too_large) return start;
    }
  }

 private:
  double start_all(ColumnSums const& sums, int e) const {
    double const start = HeadStart(e).start;
    for (std::size_t j = 0; j < A.column_count(); ++j) {
      sums.sums[j] = {start, 0};
      sums.counts[j] = 0;
    }
    return start;
  }

  Absorbed add(Span rows, ColumnSums const& sums, int& e, Grain& grain) const {
    ColumnKernelOf<T, Index> const& kernel = sparse_kernels();
    for (std::size_t first = rows.begin; first < rows.end; first += sparse_block) {
      int const count = rows.end - first < sparse_block ? static_cast<int>(rows.end - first) : sparse_block;
      std::size_t offsets[sparse_block + 1];
      Absorbed state = Absorbed::bad_column;
      if (copy_offsets(A, entry_count, first, count, offsets))
        state = kernel.absorb(sparse_rows(A, offsets), x + first, count, sums, e, grain);
      if (state == Absorbed::bad_column) bad->note(first);
      if (state != Absorbed::all) return state;
    }
    return Absorbed::all;
  }
};

/// y(i) of some columns, and which of them are not decided.
template <class R>
struct RoundColumns {
  ColumnParts sums;
  std::size_t columns;
  Epilogue epilogue;
  R* y;
  std::ptrdiff_t y_stride;
  std::mutex* mutex;
  std::vector<std::size_t>* undecided;

  void operator()(std::size_t block) const {
    ColumnRoundingOf<R> const& kernel = sparse_kernels();
    std::size_t const first = block * sparse_block;
    int const count = columns - first < sparse_block ? static_cast<int>(columns - first) : sparse_block;
    int numbers[sparse_block];
    int const others = kernel.round(sums, first, count, epilogue, y + static_cast<std::ptrdiff_t>(first) * y_stride,
                                    y_stride, numbers);
    if (others == 0) return;
    std::lock_guard<std::mutex> const lock(*mutex);
    for (int k = 0; k < others; ++k) undecided->push_back(first + static_cast<std::size_t>(numbers[k]));
  }
};

/// The columns that are not decided, as rows.
template <class Space, class Matrix, class X, class Y>
void finish_columns(Space const& space, Matrix const& a, Epilogue const& epilogue,
                    std::vector<std::size_t> const& columns, X const& x, Y const& y) {
  using Numbers = Kokkos::View<std::size_t*, Kokkos::HostSpace>;
  SomeColumns<Numbers> some{
      Numbers(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::columns"), a.column_count()), columns.size()};
  for (std::size_t j = 0; j < a.column_count(); ++j) some.numbers(j) = some.none;
  Kokkos::View<EntryOf<Y>*, Kokkos::HostSpace> const results("Exakt::results", columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    some.numbers(columns[j]) = j;
    results(j) = y(columns[j]);
  }
  multiply_on_host(space, transposed(space, a, some), epilogue, x, results);
  for (std::size_t j = 0; j < columns.size(); ++j) y(columns[j]) = results(j);
}

/// \brief y := alpha * A^T x + beta * y. \pre There is a kernel, A is contiguous and has rows and columns, no blocks.
template <class Space, class Matrix, class X, class Y>
void multiply_transposed_on_host(Space const& space, Matrix const& a, Epilogue const& epilogue, X const& x,
                                 Y const& y) {
  using T = typename Matrix::Value;
  using R = EntryOf<Y>;
  ColumnKernelOf<T, KernelIndex<typename Matrix::Index>> const& kernel = sparse_kernels();
  std::size_t const rows = a.row_count(), columns = a.column_count(), entries = a.entry_count();
  bool const may_wrap_counts = entries >> 32 != 0;
  if (kernel.absorb == nullptr || entries < columns || may_wrap_counts)
    return multiply_on_host(space, transposed(space, a), epilogue, x, y);

  VectorOfDoubles<Space, X> const doubles(space, x);
  FirstBadRow bad;
  // Each thread has sums of all columns: that takes no more memory than the entries.
  std::size_t const threads = entries >= products_worth_threads ? static_cast<std::size_t>(space.concurrency()) : 1;
  std::size_t const parts = std::max<std::size_t>(1, std::min({threads, rows, entries / (2 * columns)}));
  Kokkos::View<ColumnSum**, Kokkos::LayoutRight, Kokkos::HostSpace> const sums(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::sums"), parts, columns);
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Kokkos::HostSpace> const counts(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::counts"), parts, columns);
  std::vector<double> start(parts);
  std::vector<Grain> grain(parts, of_no_products);
  std::vector<ColumnSums> of_part(parts);
  for (std::size_t p = 0; p < parts; ++p) of_part[p] = {&sums(p, 0), &counts(p, 0)};
  HostColumns<Matrix> const add{a, static_cast<std::size_t>(a.row_map(rows)), doubles.data(), &bad};
  double* const starts = start.data();
  Grain* const grains = grain.data();
  ColumnSums const* const of_parts = of_part.data();
  for_each_task("Exakt::spmv", space, parts, parts > 1, [=](std::size_t p) {
    starts[p] = add({rows * p / parts, rows * (p + 1) / parts}, of_parts[p], grains[p]);
  });
  if (bad.is_known()) refuse_rows(a, bad.row());
  for (double const one : start)
    if (one == 0) return multiply_on_host(space, transposed(space, a), epilogue, x, y);

  std::mutex mutex;
  std::vector<std::size_t> undecided;
  RoundColumns<R> const round{{of_parts, starts, grains, parts},        columns, epilogue,  y.data(),
                              static_cast<std::ptrdiff_t>(y.stride(0)), &mutex,  &undecided};
  for_each_task("Exakt::spmv", space, (columns + sparse_block - 1) / sparse_block, entries >= products_worth_threads,
                round);
  if (!undecided.empty()) finish_columns(space, a, epilogue, undecided, x, y);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
