// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_THINGEMM_HPP
#define EXAKTBLAS_THINGEMM_HPP

/// \file
/// \brief Products with few columns, or with few rows and columns and many products of each entry, on hosts: sums of a block
/// of C up to bounds, a piece of k after the other, while the pieces of A and B stay in the cache. Threads share k where there
/// are few blocks.
///
///     block of rows --> pieces of k --> enclosures --> columns: decided? --> C
///                                                      no: rows as contiguous copies --> as matrix times vector has it
///
/// A piece is multiplied by the kernels of matrix times vector, column by column, or by tiles of packed factors.

#include "../matrix_vector/ExaktBlas_MatrixVector.hpp"
#include "../operands/ExaktBlas_GemmProblem.hpp"
#include "ExaktBlas_DirectGemm.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief Some rows as contiguous doubles, `to_step` apart. \pre matrix_kernels().has_enclosures
template <class T>
void gather_rows(Strided<T const> const& A, Span rows, Span columns, double* to, std::size_t to_step) {
  Strided<T const> const some{A.at(rows.begin, columns.begin), A.row_stride, A.column_stride};
  if constexpr (is_float_v<T>) {
    MatrixKernelsOf<T> const& kernels = matrix_kernels();
    kernels.gather_rows(some, rows.size(), columns.size(), to, to_step);
  } else {
    for (std::size_t r = 0; r < rows.size(); ++r)
      widen(some.at(r, 0), some.column_stride, columns.size(), to + r * to_step);
  }
}

/// Rows of a block that is multiplied by tiles, at most. B is packed again for each block, so that larger ones cost less.
inline constexpr std::size_t rows_of_tiles = 128;

template <class T>
bool has_contiguous_rows(Strided<T const> const& A) {
  return is_float_v<T> && A.column_stride == 1;
}

/// \brief Sums of a block of A B, all of k or some of it, up to bounds.
///
/// Of row rows.begin + i and column j the sum is at i + rows.size()*j. Of triangles those that are not needed are anything.
template <class T, class U, class R>
class EnclosedBlock {
 public:
  EnclosedBlock(GemmProblem<T, U, R> const& problem, Span rows) : m_problem(problem), m_rows(rows) {}

  /// Adds the products of some of k to the enclosures.
  void add(Span depth, EnclosureArrays const& sums) const {
    if (m_rows.size() == 0) return;
    if (by_tiles()) {
      add_by_tiles(depth, sums);
    } else {
      add_by_columns(depth, sums);
    }
  }

  /// Whether packed tiles take less time than one column after the other.
  bool by_tiles() const { return cost_of_tiles() < cost_of_columns(); }

  /// What one of k takes, in units of one product in a tile.
  double cost() const { return std::min(cost_of_tiles(), cost_of_columns()); }

 private:
  static constexpr std::size_t packed_depth = 1024;  // of k at once
  static constexpr std::size_t few_rows = 64;

  double cost_of_columns() const {
    constexpr double of_product = 2.3, of_gathered_entry = 6;
    if (m_problem.part != GemmPart::all) return HUGE_VAL;
    std::size_t const gathered = (is_in_place() ? 0 : m_rows.size()) + (m_problem.B.row_stride == 1 ? 0 : m_problem.n);
    return of_product * static_cast<double>(m_rows.size() * m_problem.n) +
           of_gathered_entry * static_cast<double>(gathered);
  }
  double cost_of_tiles() const {
    constexpr double of_packed_entry = 7;
    constexpr std::size_t least_depth = 2 * packed_depth;
    if (m_problem.k < least_depth) return HUGE_VAL;
    auto const whole = [](std::size_t size, std::size_t unit) {
      return static_cast<double>((size + unit - 1) / unit * unit);
    };
    double const rows = whole(m_rows.size(), gemm_kernels().tile_rows);
    double const columns = whole(m_problem.n, gemm_kernels().tile_columns);
    return rows * columns * (m_problem.part == GemmPart::all ? 1 : 0.6) + of_packed_entry * (rows + columns);
  }

  /// Other rows are gathered, once for all columns, unless they are many neighbours: lanes for the kernel.
  bool is_in_place() const {
    auto const& A = m_problem.A;
    return has_contiguous_rows(A) || (is_float_v<T> && A.row_stride == 1 && m_rows.size() > few_rows);
  }

  void add_by_columns(Span depth, EnclosureArrays const& sums) const {
    constexpr std::size_t entries_in_cache = 1 << 14, most = 1 << 12, least = 64;
    auto const& A = m_problem.A;
    Strided<U const> const columns_of_B = transposed(m_problem.B);
    Span const columns{0, m_problem.n};
    bool const A_in_place = is_in_place(), B_in_place = std::is_same_v<U, double> && has_contiguous_rows(columns_of_B);
    std::size_t const at_once = std::min(m_rows.size(), A_in_place ? std::size_t{lane_block} : few_rows);
    std::size_t const piece = std::clamp(entries_in_cache / at_once / least * least, least, most);
    // A power of two would be no good for caches.
    std::size_t const step = whole_lines(std::min(piece, depth.size())) + doubles_in_line;
    std::size_t const size = ((A_in_place ? 0 : at_once) + (B_in_place ? 0 : m_problem.n)) * step;
    alignas(64) double local[small_workspace];
    std::unique_ptr<double[]> const memory(size <= small_workspace ? nullptr : new double[size + doubles_in_line]);
    double* const copy_of_B = memory ? first_line(memory.get()) : local;
    double* const copy_of_A = copy_of_B + (B_in_place ? 0 : m_problem.n * step);
    for (Span const some : Pieces{depth, piece}) {
      Strided<double const> x{copy_of_B, static_cast<std::ptrdiff_t>(step), 1};
      if constexpr (std::is_same_v<U, double>) {
        if (B_in_place) x = {columns_of_B.at(0, some.begin), columns_of_B.row_stride, 1};
      }
      if (!B_in_place) gather_rows(columns_of_B, columns, some, copy_of_B, step);
      for (Span const r : Pieces{m_rows, at_once}) {
        auto const enclose = [&]<class Entry>(Strided<Entry const> const& block) {
          MatrixKernelsOf<Entry> const& kernels = matrix_kernels();
          for (std::size_t j = 0; j < m_problem.n; ++j) {
            VectorProducts products{x.at(j, 0), sums.from(j * m_rows.size() + (r.begin - m_rows.begin))};
            kernels.enclose(block, &products, 1, {0, r.size()}, {0, some.size()});
          }
        };
        if constexpr (is_float_v<T>) {
          if (A_in_place) {
            enclose(Strided<T const>{A.at(r.begin, some.begin), A.row_stride, A.column_stride});
            continue;
          }
        }
        gather_rows(A, r, some, copy_of_A, step);
        enclose(Strided<double const>{copy_of_A, static_cast<std::ptrdiff_t>(step), 1});
      }
    }
  }

  void add_by_tiles(Span depth, EnclosureArrays const& sums) const {
    auto const direct = [&](Span some, EnclosureArrays const& of_piece) {
      GemmProblem<T, U, R> part = part_of(m_problem, m_rows, {0, m_problem.n});
      part.A.data = part.A.at(0, some.begin);
      part.B.data = part.B.at(some.begin, 0);
      part.k = some.size();
      GemmEpilogue epilogue{};
      epilogue.sums = of_piece;
      epilogue.row_stride = 1;
      epilogue.column_stride = m_rows.size();
      return DirectProduct<T, U, R>(part, epilogue);
    };
    std::size_t const count = m_rows.size() * m_problem.n;
    std::vector<double> piece(3 * count);
    EnclosureArrays const of_piece{&piece[0], &piece[count], &piece[2 * count]};
    std::unique_ptr<double[]> const memory(
        new double[direct({0, std::min(depth.size(), packed_depth)}, {}).memory_size()]);
    for (Span const some : Pieces{depth, packed_depth}) {
      direct(some, of_piece).run_here(memory.get());
      for (std::size_t i = 0; i < count; ++i) {
        Enclosure sum = sums.get(i);
        add_enclosure(sum, of_piece.get(i));
        sums.set(i, sum);
      }
    }
  }

  GemmProblem<T, U, R> m_problem;
  Span m_rows;
};

/// \brief One such product, as multiply() takes it: of each row there are as many sums as columns of B.
/// \pre matrix_kernels().has_enclosures
template <class T, class U, class R>
struct ThinProduct {
  static constexpr bool has_kernels = true;

  GemmProblem<T, U, R> problem;
  Epilogue epilogue;
  std::size_t columns, sums_of_row;  // of A, and of B

  ThinProduct(GemmProblem<T, U, R> const& problem_, Epilogue const& epilogue_)
      : problem(problem_), epilogue(epilogue_), columns(problem.k), sums_of_row(problem.n) {}

  static bool has_enclosures() { return true; }
  std::size_t best_block() const { return std::max(matrix_kernels().lane_rows / problem.n / 8 * 8, least_block()); }
  std::size_t least_block() const {
    Span const rows{0, std::min(problem.m, rows_of_tiles)};
    return EnclosedBlock(problem, rows).by_tiles() ? rows_of_tiles : 32;
  }
  std::size_t parts(std::size_t threads) const {
    constexpr std::size_t least_part = 2048;
    return std::min(threads, (columns + least_part - 1) / least_part);
  }

  void enclose(Span rows, Span depth, EnclosureArrays const& sums) const {
    EnclosedBlock(problem, rows).add(depth, sums);
  }

  /// Rows that one task finishes: eight of many products, which may have to be copied; neighbours share lines of the cache.
  std::size_t finished_at_once(std::size_t rows) const {
    constexpr std::size_t many_products = 2048;
    return problem.k < many_products ? rows : exact_rows_at_once;
  }

  void finish(Span rows, EnclosureArrays const& sums, std::size_t sum_step) const {
    for (Span const some : Pieces{rows, finished_at_once(rows.size())})
      finish_group(some, sums.from(some.begin - rows.begin), sum_step);
  }

  void operator()(Span rows) const {
    std::size_t const count = rows.size() * problem.n;
    double local[small_workspace];
    std::vector<double> memory(3 * count <= small_workspace ? 0 : 3 * count);
    double* const high = memory.empty() ? local : memory.data();
    EnclosureArrays const sums{high, high + count, high + 2 * count};
    for (std::size_t i = 0; i < count; ++i) sums.set(i, empty_sum());
    enclose(rows, {0, columns}, sums);
    finish(rows, sums, rows.size());
  }

 private:
  static constexpr std::size_t longest_of_copies = 1 << 18;  // of k: eight lines of so many doubles are 16 MB

  /// The sums of some rows of A times a vector, and results from C(i, j) on.
  template <class Entry>
  MatrixVector<Entry, R> column(Strided<Entry const> const& A, double const* x, std::size_t i, std::size_t j) const {
    return {A, x, problem.k, epilogue, problem.C.at(i, j), problem.C.row_stride};
  }

  Span needed_rows(Span rows, std::size_t column) const {
    if (problem.part == GemmPart::lower) return {std::clamp(column, rows.begin, rows.end), rows.end};
    if (problem.part == GemmPart::upper) return {rows.begin, std::clamp(column + 1, rows.begin, rows.end)};
    return rows;
  }

  void finish_group(Span rows, EnclosureArrays const& sums, std::size_t sum_step) const {
    Strided<T const> const& A = problem.A;
    Strided<U const> const columns_of_B = transposed(problem.B);
    bool const lines_are_short = problem.k <= longest_of_copies;  // several together, which share lines of the cache
    bool const A_is_copied = !has_contiguous_rows(A) && rows.size() <= exact_rows_at_once && lines_are_short;
    std::unique_ptr<double[]> copy_of_A, copy_of_B;
    for (Span const some : Pieces{{0, problem.n}, lines_are_short ? std::size_t{exact_rows_at_once} : 1}) {
      Strided<double const> x{};
      if constexpr (std::is_same_v<U, double>) {
        if (has_contiguous_rows(columns_of_B)) x = {columns_of_B.at(some.begin, 0), columns_of_B.row_stride, 1};
      }
      for (std::size_t j = some.begin; j < some.end; ++j) {
        Span const needed = needed_rows(rows, j);
        EnclosureArrays const of_column = sums.from(j * sum_step + (needed.begin - rows.begin));
        int numbers[MatrixVector<T, R>::largest_block];
        int const others = column(A, nullptr, 0, j).try_round(needed, of_column, numbers);
        if (others == 0) continue;
        if (x.data == nullptr) x = copied(columns_of_B, some, copy_of_B);
        auto const finish = [&](auto const& needed_of_A) {
          column(needed_of_A, x.at(j - some.begin, 0), needed.begin, j)
              .finish_others({0, needed.size()}, of_column, numbers, others);
        };
        if (A_is_copied) {
          Strided<double const> const copy = copied(A, rows, copy_of_A);
          finish(Strided<double const>{copy.at(needed.begin - rows.begin, 0), copy.row_stride, 1});
        } else {
          finish(Strided<T const>{A.at(needed.begin, 0), A.row_stride, A.column_stride});
        }
      }
      copy_of_B.reset();
    }
  }

  /// Some rows as contiguous doubles, which are copied by the first call.
  template <class Entry>
  Strided<double const> copied(Strided<Entry const> const& matrix, Span rows, std::unique_ptr<double[]>& memory) const {
    std::size_t const step = whole_lines(problem.k) + doubles_in_line;
    bool const is_copied = memory != nullptr;
    if (!is_copied) memory.reset(new double[rows.size() * step + doubles_in_line]);
    double* const copy = first_line(memory.get());
    if (!is_copied) gather_rows(matrix, rows, {0, problem.k}, copy, step);
    return {copy, static_cast<std::ptrdiff_t>(step), 1};
  }
};

/// The engine for such products.
struct ThinGemm {
  /// Whether it takes less time than packing all of both factors: in units of one product in a tile of the direct engine.
  template <class T, class U, class R>
  static bool pays(GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue) {
    constexpr double of_column = 2000, of_packed_entry = 24, of_packing = 2400, tile_columns = 6;
    constexpr std::size_t few_columns = 32;
    if (epilogue.keeps_sums() || !matrix_kernels().has_enclosures) return false;
    auto const m = static_cast<double>(problem.m), n = static_cast<double>(problem.n);
    auto const k = static_cast<double>(problem.k);
    std::size_t const rows = std::min(problem.m, rows_of_tiles);
    EnclosedBlock const block(problem, {0, rows});
    bool const are_few =
        problem.n <= few_columns || (problem.m <= rows_of_tiles && problem.n <= rows_of_tiles && block.by_tiles());
    if (!are_few) return false;
    double const blocks = m / static_cast<double>(rows);
    double const here = n * of_column + blocks * block.cost() * k;
    // Plain sums of whole products decide most results that are floats; here sums are kept, and nothing is decided before the end.
    constexpr double of_product = plain_sums_decide<T, U, R> ? 0.65 : 1;
    return here < of_packing + of_packed_entry * (m + n) * k + of_product * m * std::max(n, tile_columns) * k;
  }

  template <class Space, class T, class U, class R>
  static void run(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue) {
    multiply("Exakt::gemm", space, ThinProduct<T, U, R>(problem, epilogue), problem.m);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
