// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_MATRIXVECTOR_HPP
#define EXAKTBLAS_MATRIXVECTOR_HPP

/// \file
/// \brief Rows of a real matrix times a vector, on hosts: enclosures, decisions, and exact sums where they are needed.
///
///     block of rows --> enclosures --> decided? --> y
///                       (all rows)    no: a multiple of a unit, and known within less than half of it? --> y
///                                     no: enclosed carefully --> decided, in either way? --> y
///                                                                 no: added exactly --> y

#include "../operands/ExaktBlas_Tasks.hpp"
#include "../reduce/ExaktBlas_Reduce.hpp"
#include "ExaktBlas_RowEnclosures.hpp"

#include <parallel/Exakt_Loop.hpp>

#include <numeric>

namespace Exakt::Impl::inline EXAKT_ABI {

/// op(A) of a view.
template <class V>
auto strided(V const& view, bool transposed) {
  auto const rows = static_cast<std::ptrdiff_t>(view.stride(0)), columns = static_cast<std::ptrdiff_t>(view.stride(1));
  using T = std::remove_pointer_t<decltype(view.data())>;
  return transposed ? Strided<T>{view.data(), columns, rows} : Strided<T>{view.data(), rows, columns};
}

/// Enclosures of a block of rows in local memory, the first `count` of them of nothing yet.
template <int size>
struct alignas(64) EncloseBlock {
  double high[size], low[size], bound[size];
  KOKKOS_FORCEINLINE_FUNCTION explicit EncloseBlock(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) arrays().set(i, empty_sum());
  }
  KOKKOS_FORCEINLINE_FUNCTION EnclosureArrays arrays() { return {high, low, bound}; }
};

/// \brief y(i) := epilogue of the sum of A(i, j) x(j), i in a range of rows.
///
/// x is a contiguous array of doubles, whatever it was before: see VectorOfDoubles.
template <class T, class R>
struct MatrixVector {
  static constexpr int largest_block = lane_block;
  static constexpr bool has_kernels = is_float_v<R>;
  static constexpr std::size_t sums_of_row = 1;
  static std::size_t best_block() { return matrix_kernels().lane_rows; }
  static std::size_t least_block() { return 32; }
  static std::size_t finished_at_once(std::size_t rows) { return rows; }
  /// How many parts the columns are split into, which many threads share.
  std::size_t parts(std::size_t threads) const {
    constexpr std::size_t least_part = 16'384;
    return std::min(4 * threads, (columns + least_part - 1) / least_part);
  }

  Strided<T const> A;
  double const* x;
  std::size_t columns;
  Epilogue epilogue;
  R* y;
  std::ptrdiff_t y_stride;
  double divisor = 1;  // of all rows, if the epilogue has one

  KOKKOS_FORCEINLINE_FUNCTION R& result(std::size_t row) const {
    return y[static_cast<std::ptrdiff_t>(row) * y_stride];
  }
  KOKKOS_FORCEINLINE_FUNCTION double old_result(std::size_t row) const {
    return epilogue.reads_y ? exact_double(result(row)) : 0;
  }

  /// Whether this processor is fast enough at enclosures.
  static bool has_enclosures() { return matrix_kernels().has_enclosures; }

  /// Adds the products of some columns to the enclosures of some rows, at most largest_block; without kernels they
  /// become unknown.
  void enclose(Span rows, Span some_columns, EnclosureArrays const& sums) const {
    if (!has_enclosures()) {
      for (std::size_t i = 0; i < rows.size(); ++i) sums.set(i, {});
    } else if constexpr (is_float_v<T>) {
      VectorProducts products{x, sums};
      kernels_for<T>().enclose(A, &products, 1, rows, some_columns);
    } else {
      double buffer[gathered_rows * gathered_columns];
      VectorProducts products{};
      constexpr auto stride = static_cast<std::ptrdiff_t>(gathered_columns);
      for (Span const some_rows : Pieces{rows, gathered_rows}) {
        for (Span const some : Pieces{some_columns, gathered_columns}) {
          for (std::size_t r = 0; r < some_rows.size(); ++r)
            widen(A.at(some_rows.begin + r, some.begin), A.column_stride, some.size(), buffer + r * gathered_columns);
          products.x = x + some.begin;
          products.sums = sums.from(some_rows.begin - rows.begin);
          kernels_for<double>().enclose({buffer, stride, 1}, &products, 1, {0, some_rows.size()}, {0, some.size()});
        }
      }
    }
  }

  /// The sum of one row: what to try before adding exactly. \pre has_enclosures()
  Enclosure enclose_row(std::size_t row, Span some_columns) const {
    if constexpr (is_float_v<T>) {
      return kernels_for<T>().enclose_carefully(A, x, row, some_columns);
    } else {
      Enclosure sum = empty_sum();
      double buffer[gathered_columns];
      for (Span const some : Pieces{some_columns, gathered_columns}) {
        widen(A.at(row, some.begin), A.column_stride, some.size(), buffer);
        add_enclosure(sum,
                      kernels_for<double>().enclose_carefully({buffer, 0, 1}, x + some.begin, 0, {0, some.size()}));
      }
      return sum;
    }
  }

  /// Writes the results of some rows from their enclosures. (Others have several sums of a row, `sum_step` apart.)
  void finish(Span rows, EnclosureArrays const& sums, [[maybe_unused]] std::size_t sum_step = 0) const {
    for (Span const some : Pieces{rows, largest_block}) {
      int numbers[largest_block];
      auto const enclosures = sums.from(some.begin - rows.begin);
      int const others = try_round(some, enclosures, numbers);
      finish_others(some, enclosures, numbers, others);
    }
  }

  /// Writes the results of at most largest_block rows that are decided; of the others there are as many as is returned.
  /// x is not read.
  int try_round(Span rows, EnclosureArrays const& sums, int* undecided) const {
    int const count = static_cast<int>(rows.size());
    if constexpr (is_float_v<R>) {
      if (has_enclosures())
        return kernels_for<R>().try_round(epilogue, sums, divisor, count, &result(rows.begin), y_stride, undecided);
    }
    for (int i = 0; i < count; ++i) undecided[i] = i;
    return count;
  }

  /// Writes the others.
  void finish_others(Span rows, EnclosureArrays const& sums, int const* numbers, int count) const {
    std::size_t undecided[exact_rows_at_once];
    int exact_rows = 0;
    double unit_of_x = 0;  // not looked at yet
    for (int k = 0; k < count; ++k) {
      auto const number = static_cast<std::size_t>(numbers[k]);
      if (round_carefully(rows.begin + number, sums.get(number), unit_of_x)) continue;
      undecided[exact_rows++] = rows.begin + number;
      if (exact_rows == exact_rows_at_once) {
        finish_exactly(undecided, exact_rows);
        exact_rows = 0;
      }
    }
    finish_exactly(undecided, exact_rows);
  }

  /// Without any enclosure.
  void finish_exactly(Span rows) const {
    std::size_t numbers[exact_rows_at_once];
    for (Span const some : Pieces{rows, exact_rows_at_once}) {
      std::iota(numbers, numbers + some.size(), some.begin);
      finish_exactly(numbers, static_cast<int>(some.size()));
    }
  }

  void operator()(Span rows) const {
    if (is_float_v<R> && has_enclosures()) {
      EncloseBlock<largest_block> block(rows.size());
      enclose(rows, {0, columns}, block.arrays());
      finish(rows, block.arrays());
    } else {
      finish_exactly(rows);
    }
  }

 private:
  static constexpr std::size_t gathered_rows = 4, gathered_columns = 512;

  template <class F>
  static MatrixKernelsOf<F> const& kernels_for() {
    return matrix_kernels();
  }

  /// A row that its enclosure has not decided: perhaps a tie, of a multiple of the units of the row and of x.
  bool round_carefully(std::size_t row, Enclosure const& first, double& unit_of_x) const {
    if constexpr (!is_float_v<R>) {
      return false;
    } else {
      if (!has_enclosures()) return false;
      if (unit_of_x == 0) unit_of_x = kernels_for<double>().unit_of_row({x, 0, 1}, 0, columns);
      double const unit = unit_of_row(row) * unit_of_x, y = old_result(row);
      auto const& kernels = kernels_for<R>();
      if (kernels.try_round_multiple(epilogue, first, unit, y, result(row))) return true;
      Enclosure const sum = enclose_row(row, {0, columns});
      return kernels.try_round_row(epilogue, sum, y, divisor, result(row)) ||
             kernels.try_round_multiple(epilogue, sum, unit, y, result(row));
    }
  }

  double unit_of_row(std::size_t row) const {
    if constexpr (is_float_v<T>) {
      return kernels_for<T>().unit_of_row(A, row, columns);
    } else {
      double buffer[gathered_columns], unit = HUGE_VAL;
      for (Span const some : Pieces{{0, columns}, gathered_columns}) {
        widen(A.at(row, some.begin), A.column_stride, some.size(), buffer);
        unit = std::min(unit, kernels_for<double>().unit_of_row({buffer, 0, 1}, 0, some.size()));
      }
      return unit;
    }
  }

  EXAKT_NOINLINE_FUNCTION void finish_exactly(std::size_t const* rows, int count) const {
    if (count == 0) return;
    ExactProducts sums[exact_rows_at_once];
    add_exactly(A, x, rows, count, {0, columns}, sums);
    for (int r = 0; r < count; ++r)
      result(rows[r]) = epilogue.template exactly<R>(sums[r], old_result(rows[r]), divisor);
  }
};

/// A contiguous array of doubles with the entries of a vector: the vector itself if it is one, else a copy.
template <class Space, class X>
class VectorOfDoubles {
 public:
  VectorOfDoubles(Space const& space, X const& x) {
    std::size_t const n = x.extent(0);
    if constexpr (std::is_same_v<EntryOf<X>, double>) {
      m_data = x.data();
      if (n < 2 || x.stride(0) == 1) return;
    }
    m_copy = Kokkos::View<double*, Kokkos::HostSpace>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::x"), n);
    auto const copy = m_copy;
    auto const widen_entry = [=](std::size_t i) { copy(i) = exact_double(x(i)); };
    if (n < 10'000) {
      for (std::size_t i = 0; i < n; ++i) widen_entry(i);
    } else {
      loop("Exakt::gemv::copy", space, n, widen_entry);
    }
    m_data = m_copy.data();
  }
  double const* data() const { return m_data; }

 private:
  Kokkos::View<double*, Kokkos::HostSpace> m_copy;
  double const* m_data = nullptr;
};

/// \brief All rows, shared among the threads: in blocks of rows, and where there are few rows, of columns too.
///
/// \param product  MatrixVector, or what does rows in another way. Of each row it may have several sums: those of a block are
///                 as many arrays.
template <class Label, class Space, class Product>
void multiply(Label const& label, Space const& space, Product const& product, std::size_t rows) {
  auto const threads = static_cast<std::size_t>(space.concurrency());
  // One thread goes along the memory as far as it can.
  std::size_t const wanted = threads == 1 ? rows : rows / (4 * threads) / 8 * 8;
  std::size_t const least = product.least_block();
  std::size_t const block = wanted < least ? least : std::min(wanted, product.best_block());
  Pieces const rows_of{{0, rows}, block};
  std::size_t const blocks = rows_of.count(), per_row = product.sums_of_row;
  bool const threaded = rows * product.columns * per_row >= products_worth_threads;

  std::size_t const parts =
      threads == 1 || blocks >= 2 * threads || !threaded || !Product::has_kernels || !product.has_enclosures()
          ? 1
          : product.parts(threads);
  if (parts <= 1) {
    for_each_task(label, space, blocks, threaded, [=](std::size_t i) { product(rows_of[i]); });
    return;
  }

  Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace> const enclosures(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::enclosures"), parts, 3, rows * per_row);
  auto const arrays = [=](std::size_t part, std::size_t sum) {
    return EnclosureArrays{&enclosures(part, 0, sum), &enclosures(part, 1, sum), &enclosures(part, 2, sum)};
  };
  Pieces const columns_of{{0, product.columns}, (product.columns + parts - 1) / parts};
  for_each_task(label, space, blocks * parts, true, [=](std::size_t i) {
    std::size_t const part = i / blocks;
    Span const some_rows = rows_of[i % blocks];
    auto const sums = arrays(part, some_rows.begin * per_row);
    for (std::size_t s = 0; s < some_rows.size() * per_row; ++s) sums.set(s, empty_sum());
    if (part < columns_of.count()) product.enclose(some_rows, columns_of[part], sums);
  });
  Pieces const groups{{0, rows}, product.finished_at_once(block)};
  for_each_task(label, space, groups.count(), true, [=](std::size_t i) {
    Span const some_rows = groups[i], around = rows_of[some_rows.begin / block];
    std::size_t const first = around.begin * per_row + (some_rows.begin - around.begin), step = around.size();
    for (std::size_t s = 0; s < per_row; ++s) {
      for (std::size_t row = 0; row < some_rows.size(); ++row) {
        auto const sum_of_part = [&](std::size_t part) { return arrays(part, first + s * step + row); };
        Enclosure sum = sum_of_part(0).get(0);
        for (std::size_t part = 1; part < parts; ++part) add_enclosure(sum, sum_of_part(part).get(0));
        sum_of_part(0).set(0, sum);
      }
    }
    product.finish(some_rows, arrays(0, first), step);
  });
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
