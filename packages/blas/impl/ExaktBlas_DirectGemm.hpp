// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_DIRECTGEMM_HPP
#define EXAKTBLAS_DIRECTGEMM_HPP

/// \file
/// \brief The direct engine of gemm on hosts: products in double arithmetic, certified in registers.
///
/// Both factors are packed into panels of doubles once; a task is a block of C:
///
///     A, packed:  panels of rows_of_tile rows        B, packed:  panels of columns_of_tile columns
///                 | k = 0: a a .. a | k = 1: ...                 | k = 0: b b .. b | k = 1: ...
///
///     block of C = tiles of rows_of_tile x columns_of_tile entries; each lane of a tile is an entry with a head
///     and a rest in registers, while k goes by: fma, subtract, fma, add, and nothing to check.
///
/// Nothing has to be checked, for the exponents are known beforehand: with |a_ik| < 2^e_i and |b_kj| < 2^f_j a head
/// that is started at 1.5 * 2^(e_i + f_j + h), h with 2^(h - 1) >= k, never leaves its binade (Exakt_Folds.hpp).
/// Infinities and NaN, and exponents too close to the ends of the range, are found when the maxima are, and add
/// exactly.
///
/// An engine is a class with `run(space)`, made from what this one is made from; another may replace it.

#include "ExaktBlas_MatrixVector.hpp"

namespace Exakt::Impl {

inline constexpr int packs_of_tile = 2, columns_of_tile = 6;
inline constexpr int rows_of_tile = packs_of_tile * pack_lanes;
inline constexpr std::size_t depth_of_pass = 512;        // of k: panels of B stay in the first-level cache
inline constexpr std::size_t largest_segment = 1 << 14;  // of k: heads are then read and started anew

/// Either factor, packed: panels of `width` rows (of A) or columns (of B), behind each other for each k.
template <int width>
struct PackedFactor {
  double* entries;     // panels() * width * depth
  double* magnitudes;  // panels() * width: 2^e, e above all entries of the line; infinite where there is none
  double* splits;      // panels() * width: 1 if products with such another line have errors that are numbers, else 0
  std::size_t lines;   // rows of A, columns of B
  std::size_t depth;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t panels() const { return (lines + width - 1) / width; }
  KOKKOS_FORCEINLINE_FUNCTION double* panel(std::size_t number) const { return entries + number * width * depth; }

  /// Packs one panel; `at(line, k)` is an entry. Lines beyond the last one are zero.
  template <class At>
  KOKKOS_INLINE_FUNCTION void pack(std::size_t number, At const& at) const {
    double* const to = panel(number);
    double largest[width] = {};
    bool is_finite_line[width], splits_exactly_line[width];
    for (std::size_t l = 0; l < width; ++l) is_finite_line[l] = splits_exactly_line[l] = true;
    for (std::size_t k = 0; k < depth; ++k) {
      for (std::size_t l = 0; l < width; ++l) {
        std::size_t const line = number * width + l;
        double const entry = line < lines ? at(line, k) : 0;
        to[k * width + l] = entry;
        double const size = magnitude_of(entry);
        largest[l] = size > largest[l] ? size : largest[l];
        is_finite_line[l] &= size < HUGE_VAL;
        splits_exactly_line[l] &= size == 0 || size >= power_of_two(-480);
      }
    }
    for (std::size_t l = 0; l < width; ++l) {
      int const e = exponent_above(largest[l]);
      // Far from the ends of the range, so that neither heads nor units are.
      bool const usable = is_finite_line[l] && e < 450;
      splits[number * width + l] = splits_exactly_line[l] ? 1 : 0;
      magnitudes[number * width + l] = usable ? power_of_two(e < -400 ? -400 : e) : HUGE_VAL;
    }
  }

  /// One line as a contiguous array.
  KOKKOS_INLINE_FUNCTION void unpack(std::size_t line, double* to) const {
    double const* const from = panel(line / width) + line % width;
    for (std::size_t k = 0; k < depth; ++k) to[k] = from[k * width];
  }
};

using PackedRows = PackedFactor<rows_of_tile>;
using PackedColumns = PackedFactor<columns_of_tile>;

/// Heads and rests of one tile, in memory between passes.
struct alignas(64) TileState {
  double head[columns_of_tile][rows_of_tile], rest[columns_of_tile][rows_of_tile];
};

/// The kernel: all entries of a tile, `depth` values of k.
KOKKOS_FORCEINLINE_FUNCTION void multiply_tile(double const* a, double const* b, std::size_t depth, TileState& state) {
  Pack head[columns_of_tile][packs_of_tile], rest[columns_of_tile][packs_of_tile];
  for (int c = 0; c < columns_of_tile; ++c) {
    for (int p = 0; p < packs_of_tile; ++p) {
      head[c][p] = load(state.head[c] + p * pack_lanes);
      rest[c][p] = load(state.rest[c] + p * pack_lanes);
    }
  }
  for (std::size_t k = 0; k < depth; ++k, a += rows_of_tile, b += columns_of_tile) {
    Pack entries[packs_of_tile];
    for (int p = 0; p < packs_of_tile; ++p) entries[p] = load(a + p * pack_lanes);
    for (int c = 0; c < columns_of_tile; ++c) {
      Pack const factor = broadcast(b[c]);
      for (int p = 0; p < packs_of_tile; ++p) {
        Pack const s = fused_add(entries[p], factor, head[c][p]);
        rest[c][p] = rest[c][p] + fused_subtract(entries[p], factor, s - head[c][p]);
        head[c][p] = s;
      }
    }
  }
  for (int c = 0; c < columns_of_tile; ++c) {
    for (int p = 0; p < packs_of_tile; ++p) {
      store(head[c][p], state.head[c] + p * pack_lanes);
      store(rest[c][p], state.rest[c] + p * pack_lanes);
    }
  }
}

/// C := combination of A B, all of them real and op() already applied: what every engine is made from.
template <class T, class U, class R>
struct GemmProblem {
  Strided<T const> A;  // m x k
  Strided<U const> B;  // k x n
  Strided<R> C;        // m x n
  std::size_t m, n, k;
  Combination combination;

  KOKKOS_FORCEINLINE_FUNCTION double old_entry(std::size_t i, std::size_t j) const {
    return combination.reads_y ? exact_double(*C.at(i, j)) : 0;
  }
};

/// Everything in integers and folds, an entry at a time: for threads whose floating-point environment is not to be
/// trusted, and processors without a fused multiply-add.
template <class T, class U, class R>
struct ExactGemm {
  GemmProblem<T, U, R> problem;

  /// One column of C.
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t j) const {
    constexpr std::size_t gathered = 512;
    double b[gathered], a[gathered];
    for (std::size_t i = 0; i < problem.m; ++i) {
      ExactProducts sum;
      Folds<ExactProducts, 4> folds;
      for (std::size_t begin = 0; begin < problem.k; begin += gathered) {
        std::size_t const size = problem.k - begin < gathered ? problem.k - begin : gathered;
        if (i == 0 || problem.k > gathered) widen(problem.B.at(begin, j), problem.B.row_stride, size, b);
        widen(problem.A.at(i, begin), problem.A.column_stride, size, a);
        folds.add_products(a, b, size, sum);
      }
      folds.drain(sum);
      *problem.C.at(i, j) = problem.combination.template exactly<R>(sum, problem.old_entry(i, j), 1);
    }
  }
};

/// The direct engine.
template <class T, class U, class R>
class DirectGemm {
  using Memory = Kokkos::View<double*, Kokkos::HostSpace>;

 public:
  explicit DirectGemm(GemmProblem<T, U, R> const& problem) : m_problem(problem) {}

  /// Writes what is known about the sums, and nothing to C: for triangular systems.
  ///
  /// \param sums           Of the entry (i, j) at i + j * column_stride.
  DirectGemm(GemmProblem<T, U, R> const& problem, EstimateArrays const& sums, std::size_t column_stride)
      : m_problem(problem), m_sums(sums), m_sums_stride(column_stride) {}

  template <class Space>
  void run(Space const& space) {
    auto const threads = static_cast<std::size_t>(space.concurrency());
    bool const threaded = m_problem.m * m_problem.n * m_problem.k >= products_worth_threads;
    pack(space, threaded);

    // Blocks of C: as large as the caches allow, as many as keep the threads busy.
    m_panels_down = 6;
    m_panels_across = 32;
    std::size_t const down = m_rows.panels(), across = m_columns.panels();
    while (m_panels_across > 4 && tasks(down, m_panels_down) * tasks(across, m_panels_across) < 4 * threads)
      m_panels_across /= 2;
    while (m_panels_down > 1 && tasks(down, m_panels_down) * tasks(across, m_panels_across) < 2 * threads)
      --m_panels_down;

    std::size_t const all = tasks(down, m_panels_down) * tasks(across, m_panels_across);
    std::size_t const workers = threaded && threads > 1 ? (all < threads ? all : threads) : 1;
    m_workspace = reserve("Exakt::gemm::workspace", workers * workspace_size());
    Kokkos::View<std::size_t, Kokkos::HostSpace> const next("Exakt::gemm::next");
    auto const engine = *this;
    for_each_task("Exakt::gemm", space, workers, threaded, [=](std::size_t worker) {
      // Blocks are taken in turn by whoever is free.
      for (std::size_t task; (task = Kokkos::atomic_fetch_add(next.data(), std::size_t{1})) < all;)
        engine.multiply_block(task % tasks(down, engine.m_panels_down), task / tasks(down, engine.m_panels_down),
                              worker);
    });
  }

 private:
  static constexpr std::size_t tile_rows = rows_of_tile, tile_columns = columns_of_tile;

  static std::size_t tasks(std::size_t panels, std::size_t at_once) { return (panels + at_once - 1) / at_once; }
  static Memory reserve(std::string const& label, std::size_t size) {
    return Memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), size);
  }

  template <class Space>
  void pack(Space const& space, bool threaded) {
    std::size_t const k = m_problem.k;
    m_rows = {nullptr, nullptr, nullptr, m_problem.m, k};
    m_columns = {nullptr, nullptr, nullptr, m_problem.n, k};
    m_packed_rows = reserve("Exakt::gemm::A", m_rows.panels() * tile_rows * (k + 2));
    m_packed_columns = reserve("Exakt::gemm::B", m_columns.panels() * tile_columns * (k + 2));
    m_rows.entries = m_packed_rows.data();
    m_rows.magnitudes = m_rows.panel(m_rows.panels());
    m_rows.splits = m_rows.magnitudes + m_rows.panels() * tile_rows;
    m_columns.entries = m_packed_columns.data();
    m_columns.magnitudes = m_columns.panel(m_columns.panels());
    m_columns.splits = m_columns.magnitudes + m_columns.panels() * tile_columns;

    auto const rows = m_rows;
    auto const columns = m_columns;
    auto const A = m_problem.A;
    auto const B = m_problem.B;
    for_each_task("Exakt::gemm::pack", space, rows.panels() + columns.panels(), threaded, [=](std::size_t panel) {
      if (panel < rows.panels()) {
        rows.pack(panel, [&](std::size_t i, std::size_t l) { return exact_double(*A.at(i, l)); });
      } else {
        columns.pack(panel - rows.panels(), [&](std::size_t j, std::size_t l) { return exact_double(*B.at(l, j)); });
      }
    });
  }

  // A worker's memory: the states of a block, its estimates if k has several segments, a row and some columns unpacked.
  std::size_t tiles_in_block() const { return m_panels_down * m_panels_across; }
  bool has_segments() const { return m_problem.k > largest_segment; }
  std::size_t states_size() const { return tiles_in_block() * (sizeof(TileState) / sizeof(double)); }
  std::size_t estimates_size() const { return has_segments() ? 3 * tiles_in_block() * tile_rows * tile_columns : 0; }
  std::size_t workspace_size() const {
    std::size_t const size = states_size() + estimates_size() + (tile_columns + 1) * m_problem.k + 8;
    return (size + 7) / 8 * 8;
  }

  /// 2^h with 2^(h - 1) >= k.
  double headroom() const {
    std::size_t const segment = has_segments() ? largest_segment : m_problem.k;
    return power_of_two(bit_width(segment) + 1);
  }

  /// 1.5 * 2^E for the entries of a column of a tile.
  KOKKOS_FORCEINLINE_FUNCTION Pack start_of(std::size_t row_panel, std::size_t column, int pack) const {
    double const factor = 1.5 * headroom() * m_columns.magnitudes[column];
    return load(m_rows.magnitudes + row_panel * tile_rows + static_cast<std::size_t>(pack * pack_lanes)) * factor;
  }

  void multiply_block(std::size_t block_down, std::size_t block_across, std::size_t worker) const {
    // The states are aligned like registers: whole cache lines.
    double* memory = m_workspace.data() + worker * workspace_size();
    memory += (64 - reinterpret_cast<std::uintptr_t>(memory) % 64) % 64 / sizeof(double);
    TileState* const states = reinterpret_cast<TileState*>(memory);
    double* const estimates = memory + states_size();
    double* const lines = estimates + estimates_size();

    Span const down = part(block_down, m_panels_down, m_rows.panels());
    Span const across = part(block_across, m_panels_across, m_columns.panels());
    bool const trusted = estimates_are_trusted();
    auto const state_of = [&](std::size_t i, std::size_t j) -> TileState& {
      return states[(j - across.begin) * m_panels_down + (i - down.begin)];
    };
    auto const estimate_of_tile = [&](std::size_t i, std::size_t j) {
      return estimates + 3 * tile_rows * tile_columns * ((j - across.begin) * m_panels_down + (i - down.begin));
    };
    if (trusted) {
      std::size_t const segment = has_segments() ? largest_segment : m_problem.k;
      for (std::size_t begin = 0; begin < m_problem.k || begin == 0; begin += segment) {
        std::size_t const end = m_problem.k - begin < segment ? m_problem.k : begin + segment;
        for (std::size_t pass = begin; pass < end || pass == begin; pass += depth_of_pass) {
          std::size_t const depth = end - pass < depth_of_pass ? end - pass : depth_of_pass;
          for (std::size_t j = across.begin; j < across.end; ++j) {
            for (std::size_t i = down.begin; i < down.end; ++i) {
              TileState& state = state_of(i, j);
              if (pass == begin) start_tile(i, j, state);
              multiply_tile(m_rows.panel(i) + pass * tile_rows, m_columns.panel(j) + pass * tile_columns, depth, state);
              if (has_segments() && pass + depth_of_pass >= end)
                add_segment(i, j, state, begin == 0, static_cast<int>(end - begin), estimate_of_tile(i, j));
            }
          }
          if (end == pass) break;
        }
        if (segment == 0) break;
      }
    }
    for (std::size_t j = across.begin; j < across.end; ++j) {
      if (m_sums.high != nullptr) {
        write_sums(down, j, trusted, state_of, estimate_of_tile);
      } else {
        finish_column_panel(down, j, trusted, state_of, estimate_of_tile, lines);
      }
    }
  }

  static Span part(std::size_t number, std::size_t size, std::size_t all) {
    std::size_t const begin = number * size;
    return {begin, all - begin < size ? all : begin + size};
  }

  KOKKOS_FORCEINLINE_FUNCTION void start_tile(std::size_t i, std::size_t j, TileState& state) const {
    for (std::size_t c = 0; c < tile_columns; ++c) {
      for (int p = 0; p < packs_of_tile; ++p) {
        store(start_of(i, j * tile_columns + c, p), state.head[c] + p * pack_lanes);
        store(Pack{}, state.rest[c] + p * pack_lanes);
      }
    }
  }

  /// What heads and rests of a column say after `depth` products each.
  KOKKOS_FORCEINLINE_FUNCTION EstimatePack read_heads(std::size_t i, std::size_t j, std::size_t c, int p, int depth,
                                                      TileState const& state) const {
    Pack const start = start_of(i, j * tile_columns + c, p);
    // The unit is 2^-52 of the head's power of two, 2/3 of the start; see bound_of_rests.
    return {load(state.head[c] + p * pack_lanes) - start, load(state.rest[c] + p * pack_lanes),
            start * (bound_of_rests(1, depth) * 0x1p-52) + bound_of_underflows(1, depth)};
  }

  void add_segment(std::size_t i, std::size_t j, TileState const& state, bool is_first, int depth,
                   double* estimates) const {
    for (std::size_t c = 0; c < tile_columns; ++c) {
      for (int p = 0; p < packs_of_tile; ++p) {
        auto const segment = read_heads(i, j, c, p, depth, state);
        double high[pack_lanes], low[pack_lanes], bound[pack_lanes];
        store(segment.high, high);
        store(segment.low, low);
        store(segment.bound, bound);
        for (int l = 0; l < pack_lanes; ++l) {
          double* const entry = estimates + 3 * (c * tile_rows + static_cast<std::size_t>(p * pack_lanes + l));
          Estimate sum = is_first ? Estimate{} : Estimate{entry[0], entry[1], entry[2]};
          add_estimate(sum, {high[l], low[l], bound[l]});
          entry[0] = sum.high;
          entry[1] = sum.low;
          entry[2] = sum.bound;
        }
      }
    }
  }

  /// Decides and writes the entries of C in some columns of a block.
  template <class StateOf, class EstimateOf>
  void finish_column_panel(Span down, std::size_t j, bool trusted, StateOf const& state_of,
                           EstimateOf const& estimate_of_tile, double* lines) const {
    std::size_t const columns =
        m_problem.n - j * tile_columns < tile_columns ? m_problem.n - j * tile_columns : tile_columns;
    bool columns_are_unpacked = false, try_carefully = trusted;
    for (std::size_t i = down.begin; i < down.end; ++i) {
      std::size_t const rows = m_problem.m - i * tile_rows < tile_rows ? m_problem.m - i * tile_rows : tile_rows;
      std::uint32_t decided[tile_columns] = {};  // a bit for each row
      if (trusted) {
        if constexpr (is_float_v<R>) decide_tile(i, j, rows, columns, state_of(i, j), estimate_of_tile(i, j), decided);
      }
      std::uint32_t all = ~std::uint32_t{0};
      for (std::size_t c = 0; c < columns; ++c) all &= decided[c];
      for (std::size_t r = 0; r < rows; ++r) {
        if ((all >> r & 1) != 0) continue;
        if (!columns_are_unpacked) {
          for (std::size_t c = 0; c < columns; ++c)
            m_columns.unpack(j * tile_columns + c, lines + (c + 1) * m_problem.k);
          columns_are_unpacked = true;
        }
        std::size_t const row = i * tile_rows + r;
        m_rows.unpack(row, lines);
        for (std::size_t c = 0; c < columns; ++c) {
          if ((decided[c] >> r & 1) == 0)
            finish_entry(row, j * tile_columns + c, lines, lines + (c + 1) * m_problem.k, try_carefully);
        }
      }
    }
  }

  template <class StateOf, class EstimateOf>
  void write_sums(Span down, std::size_t j, bool trusted, StateOf const& state_of,
                  EstimateOf const& estimate_of_tile) const {
    for (std::size_t i = down.begin; i < down.end; ++i) {
      for (std::size_t c = 0; c < tile_columns && j * tile_columns + c < m_problem.n; ++c) {
        for (int p = 0; p < packs_of_tile; ++p) {
          std::size_t const row = i * tile_rows + static_cast<std::size_t>(p * pack_lanes);
          if (row >= m_problem.m) break;
          int const lanes = m_problem.m - row < pack_lanes ? static_cast<int>(m_problem.m - row) : pack_lanes;
          auto const to = m_sums.from(row + (j * tile_columns + c) * m_sums_stride);
          auto const sum = known_sum(i, j, c, p, state_of(i, j), estimate_of_tile(i, j));
          store_some(sum.high, to.high, lanes);
          store_some(sum.low, to.low, lanes);
          store_some(trusted ? sum.bound : broadcast(HUGE_VAL), to.bound, lanes);
        }
      }
    }
  }

  /// What is known about a pack of entries of a tile after all of k.
  KOKKOS_FORCEINLINE_FUNCTION EstimatePack known_sum(std::size_t i, std::size_t j, std::size_t c, int p,
                                                     TileState const& state, double const* estimates) const {
    if (!has_segments()) return read_heads(i, j, c, p, static_cast<int>(m_problem.k), state);
    double values[3][pack_lanes];
    for (int l = 0; l < pack_lanes; ++l) {
      double const* const entry = estimates + 3 * (c * tile_rows + static_cast<std::size_t>(p * pack_lanes + l));
      for (int v = 0; v < 3; ++v) values[v][l] = entry[v];
    }
    return {load(values[0]), load(values[1]), load(values[2])};
  }

  KOKKOS_FORCEINLINE_FUNCTION void decide_tile(std::size_t i, std::size_t j, std::size_t rows, std::size_t columns,
                                               TileState const& state, double const* estimates,
                                               std::uint32_t* decided) const {
    for (std::size_t c = 0; c < columns; ++c) {
      for (int p = 0; p < packs_of_tile; ++p) {
        std::size_t const first = static_cast<std::size_t>(p * pack_lanes);
        if (first >= rows) break;
        std::size_t const lanes = rows - first < pack_lanes ? rows - first : pack_lanes;
        EstimatePack const sum = known_sum(i, j, c, p, state, estimates);
        double old[pack_lanes] = {};
        R results[pack_lanes] = {};
        std::size_t const row = i * tile_rows + first, column = j * tile_columns + c;
        for (std::size_t l = 0; l < lanes; ++l) old[l] = m_problem.old_entry(row + l, column);
        auto const some = decided_lanes(interval_of(m_problem.combination, sum, load(old), broadcast(1)), results);
        for (std::size_t l = 0; l < lanes; ++l) {
          if ((some >> l & 1) != 0) *m_problem.C.at(row + l, column) = results[l];
        }
        decided[c] |= some << first;
      }
    }
  }

  /// The ladder for one entry.
  EXAKT_NOINLINE_FUNCTION void finish_entry(std::size_t row, std::size_t column, double const* a, double const* b,
                                            bool& try_carefully) const {
    R& entry = *m_problem.C.at(row, column);
    double const old = m_problem.old_entry(row, column);
    if (try_carefully) {
      Estimate sum{};
      bool known = true;
      for (std::size_t begin = 0; begin < m_problem.k && known; begin += row_piece) {
        int e;
        std::size_t const count = m_problem.k - begin < row_piece ? m_problem.k - begin : row_piece;
        known = estimate_piece(a + begin, b + begin, static_cast<int>(count), sum, e);
      }
      if (known && decide_row(m_problem.combination, sum, old, 1, entry)) return;
      try_carefully = false;  // what cancels has neighbours that do
    }
    ExactProducts sum;
    double const largest = m_rows.magnitudes[row] * m_columns.magnitudes[column];
    bool const splits = largest < HUGE_VAL && m_rows.splits[row] != 0 && m_columns.splits[column] != 0;
    if (!splits || !fold_products<4>(a, b, m_problem.k, exponent_above(largest) - 1, sum)) {
      sum.clear();
      Folds<ExactProducts, 4> folds;
      folds.add_products(a, b, m_problem.k, sum);
      folds.drain(sum);
    }
    entry = m_problem.combination.template exactly<R>(sum, old, 1);
  }

  GemmProblem<T, U, R> m_problem;
  PackedRows m_rows{};
  PackedColumns m_columns{};
  Memory m_packed_rows, m_packed_columns, m_workspace;
  std::size_t m_panels_down = 1, m_panels_across = 1;
  EstimateArrays m_sums{};
  std::size_t m_sums_stride = 0;
};

}  // namespace Exakt::Impl

#endif
