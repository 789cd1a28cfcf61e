// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_DEVICECOLUMNS_HPP
#define EXAKTSPARSE_DEVICECOLUMNS_HPP

/// \file
/// \brief The transpose of a real matrix times a vector, on devices: atomic additions of integers, which have no order.
///
///     measure   for each column how many products it has, and a power of two above them
///     add       each product in two integers, 61 bits less what the number of them takes each, and whether that was all of it
///     decide    their sum is known up to less than a unit of the second integer for each product, or exactly; the columns
///               that this does not decide are transposed
///
///     |product| < 2^e = 2^(level_bits - c) units,  fewer than 2^c products  -->  sums below 2^(level_bits + 1) units, errors of
///                                                                                the products among them
///
/// Five operations of the memory for each entry, where a plain loop needs one.

#include "ExaktSparse_DeviceRows.hpp"
#include "ExaktSparse_Transposed.hpp"

#include <parallel/Exakt_ScratchMemory.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// What is added up of a column.
struct ColumnOfIntegers {
  static constexpr int level_bits = 61, nothing = -4000, too_large = 4000;

  Word high, low;
  int exponent;  // products are below 2^this
  int count;
  int is_rounded;

  /// Whether its products can be taken apart: none of them, nor its error, leaves the range.
  KOKKOS_FORCEINLINE_FUNCTION bool fits() const { return exponent < 900 && exponent > -700 && count < (1 << 24); }
  KOKKOS_FORCEINLINE_FUNCTION int bits() const { return level_bits - bit_width(static_cast<std::uint64_t>(count)); }
};

/// x rounded to a multiple of a unit, how many of them, and what remains.
struct UnitsOf {
  std::int64_t units;
  double rest;

  KOKKOS_FORCEINLINE_FUNCTION UnitsOf(double x, int exponent_of_unit)
      : units(static_cast<std::int64_t>(x * power_of_two(-exponent_of_unit))),
        rest(x - static_cast<double>(units) * power_of_two(exponent_of_unit)) {}
};

/// The numbers of the columns that are left.
struct NumbersOfColumns {
  std::size_t* of;
  KOKKOS_FORCEINLINE_FUNCTION std::size_t operator()(std::size_t column) const { return of[column]; }
};

/// What hosts are told, and wait for.
struct FoundInColumns {
  Word undecided;
  int is_bad;  // a row map that decreases, or leaves the entries, or a column that does not exist
};

/// Both steps: F::take(column, a, x) for the products of a row.
template <class Space, class Matrix, class X, class F>
struct ForProductsOfRows {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  static std::size_t scratch_size() { return 0; }

  Matrix A;
  X x;
  ColumnOfIntegers* columns;
  FoundInColumns* found;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    std::size_t const row = number_of_thread(member);
    if (row >= A.row_count()) return;
    auto const range = A.blocks_of(row / A.block());
    if (!A.is_range(range)) {
      Kokkos::atomic_exchange(&found->is_bad, 1);
      return;
    }
    double const factor = exact_double(x(row));
    std::size_t const all_columns = A.column_count();
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, (range.end - range.begin) * A.block()), [&](std::size_t j) {
      std::size_t const column = A.column(range, j);
      if (column < all_columns) {
        F::take(columns[column], exact_double(A.value(range, row % A.block(), j)), factor);
      } else {
        Kokkos::atomic_exchange(&found->is_bad, 1);
      }
    });
  }
};

struct MeasureProduct {
  static KOKKOS_FORCEINLINE_FUNCTION void take(ColumnOfIntegers& column, double a, double x) {
    int e = ColumnOfIntegers::too_large;
    if (is_finite(a) && is_finite(x)) {
      if (a == 0 || x == 0) return;
      e = exponent_above(magnitude_of(a)) + exponent_above(magnitude_of(x));
    }
    Kokkos::atomic_add(&column.count, 1);
    if (atomic_load(&column.exponent) < e) Kokkos::atomic_fetch_max(&column.exponent, e);
  }
};

struct AddProductAsIntegers {
  static KOKKOS_FORCEINLINE_FUNCTION void take(ColumnOfIntegers& column, double a, double x) {
    if (!column.fits() || a == 0 || x == 0) return;
    constexpr double may_underflow = 0x1p-960;
    int const bits = column.bits(), unit = column.exponent - bits;
    auto const product = two_product_by<true>(a, x);  // Dekker's takes no factors next to the end of the range
    UnitsOf const high(product.value, unit), low(high.rest, unit - bits), high_of_error(product.error, unit),
        low_of_error(high_of_error.rest, unit - bits);
    std::int64_t const of_high = high.units + high_of_error.units, of_low = low.units + low_of_error.units;
    if (of_high != 0) Kokkos::atomic_add(&column.high, static_cast<Word>(of_high));
    if (of_low != 0) Kokkos::atomic_add(&column.low, static_cast<Word>(of_low));
    bool const is_rounded = low.rest != 0 || low_of_error.rest != 0 || magnitude_of(product.value) < may_underflow;
    if (is_rounded && atomic_load(&column.is_rounded) == 0) Kokkos::atomic_exchange(&column.is_rounded, 1);
  }
};

struct ClearColumns {
  ColumnOfIntegers* columns;
  FoundInColumns* found;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t j) const {
    columns[j] = {0, 0, ColumnOfIntegers::nothing, 0, 0};
    if (j == 0) *found = {0, 0};
  }
};

/// y(j) of the columns that are decided; the others get numbers, from 0 on.
template <class Y>
struct DecideColumns {
  ColumnOfIntegers const* columns;
  Epilogue epilogue;
  Y y;
  NumbersOfColumns numbers;
  FoundInColumns* found;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t j) const {
    EntryOf<Y> result{};
    if (try_round_sum(epilogue, enclosure(columns[j]), epilogue.reads_y ? exact_double(y(j)) : 0, result)) {
      y(j) = result;
      numbers.of[j] = SomeColumns<NumbersOfColumns>::none;
    } else {
      numbers.of[j] = static_cast<std::size_t>(Kokkos::atomic_fetch_add(&found->undecided, Word{1}));
    }
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION Enclosure enclosure(ColumnOfIntegers const& column) {
    if (column.count == 0) return empty_sum();
    if (!column.fits()) return {0, 0, HUGE_VAL};
    int const bits = column.bits(), unit = column.exponent - bits;
    WideCascade sum;
    add(sum, column.high, unit);
    add(sum, column.low, unit - bits);
    Enclosure result = sum.enclosure();
    // Each product is two numbers, with a rest below a unit each.
    if (column.is_rounded != 0) result.bound += 2.0 * column.count * power_of_two(unit - bits);
    return result;
  }
  static KOKKOS_FORCEINLINE_FUNCTION void add(WideCascade& sum, Word units, int unit) {
    constexpr int half = 32;
    auto const all = static_cast<std::int64_t>(units);
    std::int64_t const high = all >> half;
    sum += static_cast<double>(high) * power_of_two(unit + half);
    sum += static_cast<double>(all - high * (std::int64_t{1} << half)) * power_of_two(unit);
  }
};

/// The entries of y whose columns have numbers, to or from a vector of as many.
template <bool to_y, class Results, class Y>
struct CopyNumbered {
  NumbersOfColumns numbers;
  Results results;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t j) const {
    std::size_t const number = numbers(j);
    if (number == SomeColumns<NumbersOfColumns>::none) return;
    if constexpr (to_y) {
      y(j) = results(number);
    } else {
      results(number) = y(j);
    }
  }
};

/// \brief y := alpha * A^T x + beta * y, real. Waits for what it finds out about A.
template <class Space, class Matrix, class X, class Y>
void multiply_transposed_on_device(Space const& space, Matrix const& a, EntryEpilogue const& epilogue, X const& x,
                                   Y const& y) {
  using Memory = typename Space::memory_space;
  constexpr char const* label = "Exakt::spmv";
  std::size_t const count = a.column_count();
  bool const may_wrap_counts = a.entry_count() * a.block() * a.block() >> 31 != 0;
  if (may_wrap_counts) return multiply_on_device(space, transposed(space, a), false, epilogue, x, y);
  ScratchMemory<Space> const memory(space,
                                    sizeof(FoundInColumns) + count * (sizeof(ColumnOfIntegers) + sizeof(std::size_t)));
  auto* const found = reinterpret_cast<FoundInColumns*>(memory.data());
  auto* const columns = reinterpret_cast<ColumnOfIntegers*>(found + 1);
  NumbersOfColumns const numbers{reinterpret_cast<std::size_t*>(columns + count)};
  int const lanes = lanes_of_row<Space>(a);
  loop(label, space, count, ClearColumns{columns, found});
  for_each_row(label, space, a.row_count(), lanes,
               ForProductsOfRows<Space, Matrix, X, MeasureProduct>{a, x, columns, found});
  for_each_row(label, space, a.row_count(), lanes,
               ForProductsOfRows<Space, Matrix, X, AddProductAsIntegers>{a, x, columns, found});
  loop(label, space, count, DecideColumns<Y>{columns, epilogue, y, numbers, found});
  FoundInColumns here{};
  using There = Kokkos::View<FoundInColumns, Memory, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(space, Kokkos::View<FoundInColumns, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&here),
                    There(found));
  space.fence();
  if (here.is_bad != 0) refuse_rows_of_device(a);
  if (here.undecided == 0) return;

  auto const left = static_cast<std::size_t>(here.undecided);
  using Results = Kokkos::View<EntryOf<Y>*, Memory>;
  Results const results(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "Exakt::results"), left);
  loop(label, space, count, CopyNumbered<false, Results, Y>{numbers, results, y});
  multiply_on_device(space, transposed(space, a, SomeColumns<NumbersOfColumns>{numbers, left}), false, epilogue, x,
                     results);
  loop(label, space, count, CopyNumbered<true, Results, Y>{numbers, results, y});
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
