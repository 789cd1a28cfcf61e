// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_DIRECTGEMM_HPP
#define EXAKTBLAS_DIRECTGEMM_HPP

/// \file
/// \brief The direct engine of gemm on hosts: products in double arithmetic, enclosed in registers.
///
/// Both factors are packed into panels of doubles once; a task is a block of C, made of tiles
/// (kernels/ExaktBlas_GemmKernels.hpp has their loops). Each entry of a tile has a head and a rest, for which four
/// operations a product are enough: the exponents are known beforehand. Where products have few bits, sums of some are
/// added plainly first, which takes one: exact ones where entries have few bits (integers, floats held in doubles), and
/// such as are good enough for results that are floats. Infinities and NaN, and exponents too close to the ends of the
/// range, are found when the maxima are, and add exactly.

#include "../matrix_vector/ExaktBlas_MatrixVector.hpp"
#include "../operands/ExaktBlas_Workspace.hpp"
#include "ExaktBlas_ExactGemm.hpp"
#include "ExaktBlas_GemmPacking.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <optional>

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr std::size_t depth_of_pass = 512;        // of k: panels of B stay in the first-level cache
inline constexpr std::size_t largest_segment = 1 << 14;  // of k: heads are then read and started anew
inline constexpr std::size_t small_workspace = 1 << 13;  // doubles on the stack instead of an allocation
inline constexpr int worth_careful_tile = 6;             // undecided entries of a tile that take longer one by one

/// One product by the direct engine. \pre matrix_kernels().has_enclosures
template <class T, class U, class R>
class DirectProduct {
 public:
  /// \param epilogue  Of sums that are kept, those of a column are contiguous.
  DirectProduct(GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue)
      : m_problem(problem),
        m_epilogue(epilogue),
        m_rows{nullptr, nullptr, nullptr, nullptr, problem.m, problem.k, m_kernels.tile_rows},
        m_columns{nullptr, nullptr, nullptr, nullptr, problem.n, problem.k, m_kernels.tile_columns},
        m_block(m_rows.panels(), m_columns.panels(), 0) {}

  template <class Space>
  void run(Space const& space) {
    std::size_t const down = m_rows.panels(), across = m_columns.panels();
    if (down == 0 || across == 0) return;
    auto const threads = static_cast<std::size_t>(space.concurrency());
    bool const threaded = m_problem.m * m_problem.n * m_problem.k >= 4 * products_worth_threads;  // all in caches

    m_block = PanelsOfBlock(down, across, threaded ? threads : 0);
    std::size_t const workers = threaded && threads > 1 ? std::min(blocks(), threads) : 1;
    alignas(64) double local[small_workspace];  // for small products
    std::optional<ScratchMemory<Space>> memory;
    std::size_t const size = memory_size(workers);
    if (threaded || size > small_workspace) memory.emplace(space, size * sizeof(double));
    double* const begin = memory ? reinterpret_cast<double*>(memory->data()) : local;
    if (workers == 1) return run_here(begin);
    place_everything(begin);
    auto const engine = *this;
    for_each_task("Exakt::gemm::pack", space, down + across, true, [=](std::size_t panel) { engine.pack(panel); });
    for_each_task("Exakt::gemm", space, workers, true, [=, all = blocks()](std::size_t worker) {
      double* const workspace = engine.m_workspace + worker * engine.workspace_size();
      bool sums_plainly = true;
      // Blocks are taken in turn by whoever is free.
      for (std::size_t task; (task = Kokkos::atomic_fetch_add(engine.m_next, std::size_t{1})) < all;)
        engine.multiply_block(task, workspace, sums_plainly);
    });
  }

  /// \brief The same by the calling thread, which holds the environment already.
  /// \param memory  As many doubles as memory_size() says, of at least one thread.
  void run_here(double* memory) {
    place_everything(memory);
    bool sums_plainly = true;
    for (std::size_t panel = 0; panel < m_rows.panels() + m_columns.panels(); ++panel) pack(panel);
    for (std::size_t task = 0; task < blocks(); ++task) multiply_block(task, m_workspace, sums_plainly);
  }

  std::size_t memory_size(std::size_t workers = 1) const {
    return 2 * doubles_in_line + memory_of(m_rows) + memory_of(m_columns) + workers * workspace_size();
  }

 private:
  // ---- memory: the number of the next task; both factors; for each worker the states of a block, its enclosures if k
  // has several segments, a row and some columns unpacked. Every part begins a cache line.

  std::size_t tile_size() const { return m_rows.width * m_columns.width; }
  std::size_t tiles_in_block() const { return m_block.down * m_block.across; }
  bool has_segments() const { return m_problem.k > largest_segment; }
  std::size_t states_size() const { return 2 * tiles_in_block() * tile_size(); }
  std::size_t enclosures_size() const { return has_segments() ? 3 * tiles_in_block() * tile_size() : 0; }
  std::size_t workspace_size() const {
    return whole_lines(states_size() + enclosures_size() + (m_columns.width + 1) * m_problem.k);
  }

  void place_everything(double* memory) {
    double* const begin = first_line(memory);
    m_next = ::new (static_cast<void*>(begin)) std::size_t{0};
    m_workspace = place(m_columns, place(m_rows, begin + doubles_in_line));
  }

  /// One panel of A, or after those one of B.
  void pack(std::size_t panel) const {
    auto const& A = m_problem.A;
    auto const& B = m_problem.B;
    std::size_t const panels_of_rows = m_rows.panels();
    if (panel < panels_of_rows) {
      pack_panel(m_rows, panel, gemm_kernels_of<T>().pack_rows, A.data, A.row_stride, A.column_stride);
    } else {
      pack_panel(m_columns, panel - panels_of_rows, gemm_kernels_of<U>().pack_columns, B.data, B.column_stride,
                 B.row_stride);
    }
  }

  // ---- blocks

  std::size_t blocks_down() const { return pieces(m_rows.panels(), m_block.down); }
  std::size_t blocks() const { return blocks_down() * pieces(m_columns.panels(), m_block.across); }

  /// The tiles of a block, by panels of A and B.
  struct Block {
    Span down, across;
    double *states, *enclosures, *lines;
    bool sums_plainly;  // where that may not decide
  };

  bool needs_tile(std::size_t i, std::size_t j) const {
    return m_problem.needs(piece(i, m_rows.width, m_problem.m), piece(j, m_columns.width, m_problem.n));
  }

  /// How the products of two panels are added.
  PlainSums plain_sums_of(Block const& block, std::size_t i, std::size_t j) const {
    double const room = 0x1p53 / (m_rows.spreads[i] * m_columns.spreads[j]);  // for products without rounding
    constexpr auto most = static_cast<double>(depth_of_pass);
    if (room >= static_cast<double>(shortest_plain_sum)) return {static_cast<std::size_t>(std::min(room, most)), 0};
    if (!plain_sums_decide<T, U, R> || !block.sums_plainly || m_epilogue.keeps_sums()) return {};
    return {depth_of_pass, 0x1p-53 * (static_cast<double>(std::min(m_problem.k, depth_of_pass)) / 4 + 3)};
  }

  GemmTile tile_at(Block const& block, std::size_t i, std::size_t j) const {
    std::size_t const number = (j - block.across.begin) * block.down.size() + (i - block.down.begin);
    std::size_t const row = i * m_rows.width, column = j * m_columns.width;
    std::size_t const segment = has_segments() ? largest_segment : m_problem.k;
    return {m_rows.panel(i),
            m_columns.panel(j),
            m_rows.magnitudes + row,
            m_columns.magnitudes + column,
            m_rows.units + row,
            m_columns.units + column,
            power_of_two(bit_width(segment) + 1),
            m_problem.k,
            block.states + 2 * number * tile_size(),
            has_segments() ? block.enclosures + 3 * number * tile_size() : nullptr,
            static_cast<int>(std::min(m_rows.width, m_problem.m - row)),
            static_cast<int>(std::min(m_columns.width, m_problem.n - column)),
            plain_sums_of(block, i, j)};
  }

  /// \param sums_plainly  Whether to where that may not decide; cleared where it has not.
  void multiply_block(std::size_t number, double* memory, bool& sums_plainly) const {
    Block const block{piece(number % blocks_down(), m_block.down, m_rows.panels()),
                      piece(number / blocks_down(), m_block.across, m_columns.panels()),
                      memory,
                      memory + states_size(),
                      memory + states_size() + enclosures_size(),
                      sums_plainly};
    for_each_pass([&](Span pass, Span segment) {
      for (std::size_t j = block.across.begin; j < block.across.end; ++j) {
        for (std::size_t i = block.down.begin; i < block.down.end; ++i) {
          if (needs_tile(i, j)) multiply_pass(tile_at(block, i, j), pass, segment);
        }
      }
    });

    int heads = 2;  // what cancels has neighbours that do
    std::size_t tiles_again = 0;
    for (std::size_t j = block.across.begin; j < block.across.end; ++j) {
      bool columns_are_unpacked = false, try_carefully = true;
      for (std::size_t i = block.down.begin; i < block.down.end; ++i) {
        if (!needs_tile(i, j)) continue;
        auto tile = tile_at(block, i, j);
        std::size_t const row = i * m_rows.width, column = j * m_columns.width;
        if (m_epilogue.keeps_sums()) {
          m_kernels.write_sums(tile, m_epilogue.sums_from(row, column), m_epilogue.column_stride);
          continue;
        }
        std::uint32_t decided[tile_columns_at_most] = {};  // a bit for each row
        if constexpr (is_float_v<R>) {
          gemm_kernels_of<R>().try_round(tile, m_epilogue, tile_of_result(row, column), decided);
          if (undecided_of(tile, decided) > 0 && is_finite(m_epilogue.alpha) && is_finite(m_epilogue.beta))
            gemm_kernels_of<R>().write_zeros(tile, m_epilogue, tile_of_result(row, column), decided);
          if (tile.plain_sums.are_used() && !tile.plain_sums.are_exact() && undecided_of(tile, decided) > 0) {
            ++tiles_again;
            tile.plain_sums = {};
            for_each_pass([&](Span pass, Span segment) { multiply_pass(tile, pass, segment); });
            gemm_kernels_of<R>().try_round(tile, m_epilogue, tile_of_result(row, column), decided);
          }
          try_round_carefully(tile, row, column, heads, decided);
        }
        finish(tile, row, column, decided, block.lines, columns_are_unpacked, try_carefully);
      }
    }
    constexpr std::size_t at_most = 4;  // one in so many tiles
    if (tiles_again * at_most > tiles_in_block()) sums_plainly = false;
  }

  /// Calls f(pass, segment): of k, from its beginning to its end, once at least.
  template <class F>
  void for_each_pass(F const& f) const {
    Span segment{}, pass{};
    do {
      segment = {segment.end, std::min(segment.end + largest_segment, m_problem.k)};
      do {
        pass = {pass.end, std::min(pass.end + depth_of_pass, segment.end)};
        f(pass, segment);
      } while (pass.end < segment.end);
    } while (segment.end < m_problem.k);
  }

  void multiply_pass(GemmTile const& tile, Span pass, Span segment) const {
    auto const multiply = tile.plain_sums.are_used() ? m_kernels.multiply_plainly : m_kernels.multiply;
    multiply(tile, pass, pass.begin == segment.begin);
    if (has_segments() && pass.end == segment.end) m_kernels.add_segment(tile, segment.size(), segment.begin == 0);
  }

  // ---- entries of a tile

  Strided<R> tile_of_result(std::size_t row, std::size_t column) const {
    return {m_problem.C.at(row, column), m_problem.C.row_stride, m_problem.C.column_stride};
  }

  static int undecided_of(GemmTile const& tile, std::uint32_t const* decided) {
    int count = 0;
    for (int c = 0; c < tile.columns; ++c) count += tile.rows - std::popcount(decided[c]);
    return count;
  }

  /// Where many entries are left, writes those that several heads decide.
  void try_round_carefully(GemmTile const& tile, std::size_t row, std::size_t column, int& heads,
                           std::uint32_t* decided) const {
    if (has_segments()) return;
    if (heads < careful_heads_at_most && !round_carefully(tile, row, column, heads, decided)) ++heads;
    if (heads == careful_heads_at_most) round_carefully(tile, row, column, heads, decided);
  }

  /// False if many entries are left still.
  bool round_carefully(GemmTile const& tile, std::size_t row, std::size_t column, int heads,
                       std::uint32_t* decided) const {
    auto const& careful = m_kernels.careful[heads];
    bool all = true;
    for (int first = 0; first < tile.columns; first += careful.columns) {
      int const end = std::min(first + careful.columns, tile.columns);
      auto const undecided = [&] {
        int count = 0;
        for (int c = first; c < end; ++c) count += tile.rows - std::popcount(decided[c]);
        return count;
      };
      if (undecided() < worth_careful_tile) continue;
      alignas(64) double parts[(careful_heads_at_most + 1) * tile_rows_at_most * tile_columns_at_most];
      careful.multiply(tile, first, parts);
      std::uint32_t exact[tile_columns_at_most];
      gemm_kernels_of<R>().try_round_parts(tile, heads, first, parts, m_epilogue, tile_of_result(row, column), decided,
                                           exact);
      for (int c = first; c < end; ++c) {
        std::size_t const width = m_rows.width, plane = width * static_cast<std::size_t>(careful.columns);
        std::uint32_t const rows = exact[c - first] & ~decided[c];
        add_parts(row, column + static_cast<std::size_t>(c), heads, parts + static_cast<std::size_t>(c - first) * width,
                  plane, rows);
        decided[c] |= rows;
      }
      all = all && undecided() < worth_careful_tile;
    }
    return all;
  }

  /// Some entries of a column from heads and rests that are their exact sums.
  ///
  /// \param parts  Of row 0: how far each head has moved, and the rest, `plane` from each other.
  void add_parts(std::size_t first_row, std::size_t column, int heads, double const* parts, std::size_t plane,
                 std::uint32_t rows) const {
    auto const& epilogue = m_epilogue;
    for (std::size_t r = 0; r < m_rows.width; ++r) {
      if ((rows >> r & 1) == 0) continue;
      bool is_zero = true;
      for (int h = 0; h <= heads; ++h) is_zero = is_zero && parts[static_cast<std::size_t>(h) * plane + r] == 0;
      R& entry = *m_problem.C.at(first_row + r, column);
      if (is_zero && !epilogue.reads_y && is_finite(epilogue.alpha)) {
        entry = R{0};
        continue;
      }
      ExactProducts sum;
      for (int h = 0; h <= heads; ++h) sum += parts[static_cast<std::size_t>(h) * plane + r];
      entry = epilogue.template exactly<R>(sum, m_epilogue.old_entry(m_problem.C, first_row + r, column), 1);
    }
  }

  /// The entries that are left, one by one.
  void finish(GemmTile const& tile, std::size_t row, std::size_t column, std::uint32_t const* decided, double* lines,
              bool& columns_are_unpacked, bool& try_carefully) const {
    std::size_t const k = m_problem.k, columns = static_cast<std::size_t>(tile.columns);
    std::uint32_t all = ~std::uint32_t{0};
    for (std::size_t c = 0; c < columns; ++c) all &= decided[c];
    for (int r = 0; r < tile.rows; ++r) {
      if ((all >> r & 1) != 0) continue;
      if (!columns_are_unpacked) {
        for (std::size_t c = 0; c < columns; ++c) unpack(m_columns, column + c, lines + (c + 1) * k);
        columns_are_unpacked = true;
      }
      std::size_t const i = row + static_cast<std::size_t>(r);
      unpack(m_rows, i, lines);
      for (std::size_t c = 0; c < columns; ++c) {
        if ((decided[c] >> r & 1) == 0) finish_entry(i, column + c, lines, lines + (c + 1) * k, try_carefully);
      }
    }
  }

  EXAKT_NOINLINE_FUNCTION void finish_entry(std::size_t row, std::size_t column, double const* a, double const* b,
                                            bool& try_carefully) const {
    R& entry = *m_problem.C.at(row, column);
    double const old = m_epilogue.old_entry(m_problem.C, row, column);
    if constexpr (is_float_v<R>) {
      MatrixKernelsOf<double> const& products = matrix_kernels();
      MatrixKernelsOf<R> const& results = matrix_kernels();
      if (try_carefully) {
        Strided<double const> const line{a, 0, 1};
        Span const all{0, m_problem.k};
        auto const sum = products.enclose_carefully(line, b, 0, all);
        if (results.try_round_row(m_epilogue, sum, old, 1, entry)) return;
        try_carefully = false;  // what cancels has neighbours that do
      }
    }
    ExactProducts sum;
    // The first guess is 2^e above all products.
    Extraction<ExactProducts, 4> extraction(exponent_above(m_rows.magnitudes[row] * m_columns.magnitudes[column]) - 1);
    extraction.template add_products<PrefetchHint::cache>(a, b, m_problem.k, sum);
    extraction.drain(sum);
    entry = m_epilogue.template exactly<R>(sum, old, 1);
  }

  GemmProblem<T, U, R> m_problem;
  GemmEpilogue m_epilogue;
  GemmKernels const& m_kernels = gemm_kernels();
  PackedFactor m_rows, m_columns;
  PanelsOfBlock m_block;
  std::size_t* m_next = nullptr;
  double* m_workspace = nullptr;
};

/// The direct engine.
struct DirectGemm {
  template <class Space, class T, class U, class R>
  static void run(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue) {
    if (!matrix_kernels().has_enclosures) return ExactGemm::run(space, problem, epilogue);
    // Lanes of a pack are neighbours in a column of C.
    if constexpr (std::is_same_v<T, U>) {
      if (epilogue.keeps_sums() ? epilogue.row_stride != 1 : problem.C.row_stride != 1 && problem.C.column_stride == 1)
        return DirectProduct<U, T, R>(transposed(problem), transposed(epilogue)).run(space);
    }
    DirectProduct<T, U, R>(problem, epilogue).run(space);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
