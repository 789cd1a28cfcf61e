// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_PRODUCTKERNELS_HPP
#define EXAKTMPI_PRODUCTKERNELS_HPP

/// \file
/// \brief The part of one rank in a matrix-vector product: its sums, exactly or up to bounds, and y from the sums of all.

#include "ExaktMpi_Sums.hpp"

#include <matrix_vector/ExaktBlas_Gemv.hpp>
#include <parallel/Exakt_Loop.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

using Exakt::Impl::add_exactly;
using Exakt::Impl::EncloseBlock;
using Exakt::Impl::Enclosure;
using Exakt::Impl::EntryEpilogue;
using Exakt::Impl::EntryOf;
using Exakt::Impl::exact_rows_at_once;
using Exakt::Impl::ExactParts;
using Exakt::Impl::ExactProducts;
using Exakt::Impl::exponent_above;
using Exakt::Impl::Factor;
using Exakt::Impl::for_each_task;
using Exakt::Impl::held;
using Exakt::Impl::is_finite;
using Exakt::Impl::MatrixVector;
using Exakt::Impl::Operated;
using Exakt::Impl::products_worth_threads;
using Exakt::Impl::RealEntryOf;
using Exakt::Impl::runs_on_host;
using Exakt::Impl::Span;
using Exakt::Impl::Strided;
using Exakt::Impl::sum_of_complex_products;

/// \brief The sums of this rank, one for each y(i): real parts first, then the imaginary parts if there are any.
template <bool complex, class MemorySpace>
struct PartialSums {
  static constexpr std::size_t per_row = complex ? 2 : 1;
  using View = Kokkos::View<ExactProducts*, MemorySpace>;
  View all;
  std::size_t rows;

  explicit PartialSums(std::size_t count) : all("Exakt::Mpi::gemv::sums", per_row * count), rows(count) {}
  /// Some of the sums in a View of more.
  PartialSums(View const& sums, std::size_t begin, std::size_t count)
      : all(Kokkos::subview(sums, std::pair<std::size_t, std::size_t>(begin, begin + per_row * count))), rows(count) {}
  KOKKOS_FORCEINLINE_FUNCTION ExactProducts& at(std::size_t i, std::size_t part = 0) const {
    return all(part * rows + i);
  }
};

/// A row by one team.
template <class Member, class A, class X, bool complex, class MemorySpace>
struct TeamPartialSums {
  Operated<A> matrix;
  X x;
  PartialSums<complex, MemorySpace> sums;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    using Parts = ExactParts<complex>;
    auto const i = static_cast<std::size_t>(member.league_rank());
    Parts sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, matrix.columns()),
        [&](std::size_t j, Parts& partial) { partial.add_product(matrix.entry(i, j), x(j)); }, Reducer<Parts>(sum));
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      for (std::size_t part = 0; part < sums.per_row; ++part) sums.at(i, part) = sum.parts[part].normalized();
    });
  }
};

/// The path of devices; it runs on any space.
template <class Space, class A, class X, bool complex, class MemorySpace>
void sum_by_teams(Space const& space, Operated<A> const& matrix, X const& x,
                  PartialSums<complex, MemorySpace> const& sums) {
  using Policy = Kokkos::TeamPolicy<Space>;
  if (sums.rows == 0) return;
  using Kernel = TeamPartialSums<typename Policy::member_type, A, X, complex, MemorySpace>;
  Kokkos::parallel_for("Exakt::Mpi::gemv", Policy(space, Exakt::Impl::league_of(sums.rows), Kokkos::AUTO),
                       held(Kernel{matrix, x, sums}));
  space.fence();
}

/// \brief How the threads share rows and columns: where blocks of rows are too few for them, in parts of the columns.
struct Shares {
  std::size_t rows, columns, block, blocks, parts;
  bool threaded;

  Shares(std::size_t threads, std::size_t row_count, std::size_t column_count, std::size_t block_of_rows)
      : rows(row_count),
        columns(column_count),
        block(block_of_rows),
        blocks((rows + block - 1) / block),
        parts(1),
        threaded(rows * columns >= products_worth_threads && threads > 1) {
    constexpr std::size_t least_part = 16'384;
    if (blocks < 2 * threads && threaded) parts = std::max(std::size_t{1}, std::min(4 * threads, columns / least_part));
  }
  Span rows_of(std::size_t task) const {
    std::size_t const begin = task % blocks * block;
    return {begin, std::min(rows, begin + block)};
  }
  std::size_t part_of(std::size_t task) const { return task / blocks; }
  Span columns_of(std::size_t task) const {
    return {part_of(task) * columns / parts, (part_of(task) + 1) * columns / parts};
  }
};

/// \brief Rows of a real matrix, on hosts, exactly.
/// \param row  From the index of a sum to the number of its row.
template <class Space, class T, class Row, class Sums>
void sum_rows(Space const& space, Strided<T const> const& A, double const* x, std::size_t columns, Row const& row,
              Sums const& sums) {
  std::size_t const rows = sums.rows;
  Shares const shares(static_cast<std::size_t>(space.concurrency()), rows, columns, exact_rows_at_once);
  std::size_t const parts = shares.parts;
  // Part 0 goes to its place, the others wait.
  auto const waiting = std::make_unique<ExactProducts[]>((parts - 1) * rows);
  auto const place = [first = sums.all.data(), others = waiting.get(), rows](std::size_t part) {
    return part == 0 ? first : others + (part - 1) * rows;
  };
  for_each_task("Exakt::Mpi::gemv", space, shares.blocks * parts, shares.threaded, [=](std::size_t task) {
    Span const some = shares.rows_of(task);
    std::size_t numbers[exact_rows_at_once];
    int count = 0;
    for (std::size_t i = some.begin; i < some.end; ++i) numbers[count++] = row(i);
    add_exactly(A, x, numbers, count, shares.columns_of(task), place(shares.part_of(task)) + some.begin);
  });
  for (std::size_t part = 1; part < parts; ++part)
    for (std::size_t i = 0; i < rows; ++i) sums.at(i) += place(part)[i];
}

/// Exponents of bounds: none is needed, and nothing is known.
inline constexpr std::int32_t no_bound = std::numeric_limits<std::int32_t>::min(),
                              unknown_bound = std::numeric_limits<std::int32_t>::max();
/// Fewer of this rank are added exactly in no more time.
inline constexpr std::size_t columns_worth_enclosures = 32;

/// \brief Rows of a real matrix, on hosts: each sum in some parts, which are known up to bounds. Without kernels nothing is.
class RowEnclosures {
 public:
  template <class Space, class T>
  RowEnclosures(Space const& space, Strided<T const> const& A, double const* x, std::size_t rows, std::size_t columns)
      : m_rows(rows) {
    MatrixVector<T, double> const product{A, x, columns, {}, nullptr, 0};
    auto const threads = static_cast<std::size_t>(space.concurrency());
    std::size_t const wanted = rows / (4 * threads) / 8 * 8,
                      block = std::clamp<std::size_t>(wanted, 32, product.best_block());
    Shares const shares(threads, rows, columns, block);
    m_parts = shares.parts;
    m_sums = std::make_unique_for_overwrite<Enclosure[]>(m_parts * rows);
    for_each_task("Exakt::Mpi::gemv::enclosure", space, shares.blocks * shares.parts, shares.threaded,
                  [=, sums = m_sums.get()](std::size_t task) {
                    Span const some = shares.rows_of(task);
                    EncloseBlock<product.largest_block> of_block(some.size());
                    product.enclose(some, shares.columns_of(task), of_block.arrays());
                    for (std::size_t i = 0; i < some.size(); ++i)
                      sums[shares.part_of(task) * rows + some.begin + i] = of_block.arrays().get(i);
                  });
  }

  std::size_t parts() const { return m_parts; }
  Enclosure const& part(std::size_t part, std::size_t row) const { return m_sums[part * m_rows + row]; }

 private:
  std::size_t m_rows, m_parts;
  std::unique_ptr<Enclosure[]> m_sums;
};

/// \brief The same as accumulators.
/// \param bounds  Each sum is within 2^bound of the exact one.
template <class Space, class T, class Sums>
void enclose_rows(Space const& space, Strided<T const> const& A, double const* x, std::size_t columns, Sums const& sums,
                  std::int32_t* bounds) {
  std::size_t const rows = sums.rows;
  RowEnclosures const enclosures(space, A, x, rows, columns);
  for_each("Exakt::Mpi::gemv::add_up", rows, 1, [=, enclosures = &enclosures](std::size_t i) {
    double bound = 0;
    bool is_known = true;
    for (std::size_t part = 0; part < enclosures->parts(); ++part) {
      Enclosure const& sum = enclosures->part(part, i);
      is_known = is_known && is_finite(sum.high) && is_finite(sum.low) && is_finite(sum.bound);
      if (!is_known) break;
      sums.at(i) += sum.high;
      sums.at(i) += sum.low;
      bound += sum.bound;
    }
    if (!is_known) sums.at(i).clear();
    // One more, for the roundings of the bound.
    bounds[i] = !is_known || !is_finite(bound) ? unknown_bound : bound == 0 ? no_bound : exponent_above(bound) + 1;
  });
}

/// The exact sums of op(A) x for this rank, complex or on a device.
template <class Space, class A, class X, bool complex, class MemorySpace>
void sum_products(Space const& space, ModeLetter trans, A const& a, X const& x,
                  PartialSums<complex, MemorySpace> const& sums) {
  Operated<A> const matrix(a, trans);
  if constexpr (!runs_on_host<Space>) {
    sum_by_teams(space, matrix, x, sums);
  } else {
    for_each_task("Exakt::Mpi::gemv", space, sums.rows, sums.rows * x.extent(0) > 1000, [=](std::size_t i) {
      auto const sum = sum_of_complex_products([&](std::size_t j) { return matrix.entry(i, j); },
                                               [&](std::size_t j) { return x(j); }, matrix.columns());
      for (std::size_t part = 0; part < 2; ++part) sums.at(i, part) = sum.parts[part];
    });
  }
}

/// \brief y(i) from the exact sums of all ranks.
template <class Y, bool complex, class MemorySpace>
struct CombineEntry {
  PartialSums<complex, MemorySpace> sums;
  EntryEpilogue epilogue;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    ExactProducts parts[PartialSums<complex, MemorySpace>::per_row];
    for (std::size_t part = 0; part < sums.per_row; ++part) parts[part] = sums.at(i, part);
    y(i) = epilogue.entry(parts, y(i));
  }
};

template <class Space, class Y, bool complex, class MemorySpace>
void combine_entries(Space const& space, CombineEntry<Y, complex, MemorySpace> const& combine) {
  std::size_t const n = combine.sums.rows;
  if (runs_on_host<Space> && n < 64) {
    for (std::size_t i = 0; i < n; ++i) combine(i);
  } else {
    Exakt::Impl::loop("Exakt::Mpi::gemv::round", space, n, combine);
    space.fence();
  }
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
