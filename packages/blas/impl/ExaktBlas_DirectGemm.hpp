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

#include "ExaktBlas_GemmTiles.hpp"
#include "ExaktBlas_MatrixVector.hpp"

#include <bit>
#include <cstdlib>

namespace Exakt::Impl {

inline constexpr std::size_t depth_of_pass = 512;        // of k: panels of B stay in the first-level cache
inline constexpr std::size_t largest_segment = 1 << 14;  // of k: heads are then read and started anew
inline constexpr int worth_careful_tile = 6;             // undecided entries of a tile that take longer one by one

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

template <class T, class U, class R>
void add_entry_by_folds(GemmProblem<T, U, R> const& problem, std::size_t i, std::size_t j, ExactProducts& sum) {
  constexpr std::size_t gathered = 512;
  double a[gathered], b[gathered];
  Folds<ExactProducts, 4> folds;
  for (std::size_t begin = 0; begin < problem.k; begin += gathered) {
    std::size_t const size = problem.k - begin < gathered ? problem.k - begin : gathered;
    widen(problem.A.at(i, begin), problem.A.column_stride, size, a);
    widen(problem.B.at(begin, j), problem.B.row_stride, size, b);
    folds.add_products(a, b, size, sum);
  }
  folds.drain(sum);
}

/// One entry of A B, exactly.
template <class T, class U, class R>
KOKKOS_INLINE_FUNCTION ExactProducts exact_entry(GemmProblem<T, U, R> const& problem, std::size_t i, std::size_t j) {
  ExactProducts sum;
  EXAKT_IF_ON_HOST((add_entry_by_folds(problem, i, j, sum);))
  EXAKT_IF_ON_DEVICE((for (std::size_t l = 0; l < problem.k; ++l) {
    sum.add_product(exact_double(*problem.A.at(i, l)), exact_double(*problem.B.at(l, j)));
  }))
  return sum;
}

/// \brief Whether most of a few entries are so small that the direct engine does not decide them at once.
///
/// Its bound for an entry is about 2 k^3 2^(e - 106) for products below 2^e (Exakt_Certificate.hpp), to be compared
/// with the last bit of the entry.
///
/// \param rows, columns        How many of them have been measured.
/// \param row_top, column_top  The e with |entry| < 2^e for all entries of a row of A, a column of B; beyond +-2^12 if
///                             there are none or not all are finite.
template <class T, class U, class R, class RowTop, class ColumnTop>
bool most_entries_cancel(GemmProblem<T, U, R> const& problem, std::size_t rows, std::size_t columns,
                         RowTop const& row_top, ColumnTop const& column_top) {
  constexpr std::size_t entries = 8;
  int const depth_bits = bit_width(problem.k - 1);
  int cancelling = 0, seen = 0;
  for (std::size_t e = 0; e < entries; ++e) {
    std::size_t const i = (2 * e + 1) * rows / (2 * entries), j = (2 * (e * 3 % entries) + 1) * columns / (2 * entries);
    int const top = row_top(i), other_top = column_top(j);
    if (std::abs(top) > 1 << 12 || std::abs(other_top) > 1 << 12) continue;
    double const sum = exact_entry(problem, i, j).round();
    auto const parts = integer_parts(sum);
    cancelling += parts.exponent + bit_width(parts.significand) < top + other_top + 3 * depth_bits - 50;
    ++seen;
  }
  return 2 * cancelling > seen;
}

/// Everything in integers and folds, an entry at a time: for processors without a fused multiply-add.
template <class T, class U, class R>
struct ExactGemm {
  GemmProblem<T, U, R> problem;

  /// One column of C.
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t j) const {
    for (std::size_t i = 0; i < problem.m; ++i)
      *problem.C.at(i, j) =
          problem.combination.template exactly<R>(exact_entry(problem, i, j), problem.old_entry(i, j), 1);
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
    bool const threaded = m_problem.m * m_problem.n * m_problem.k >= 4 * products_worth_threads;  // all in caches
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
    m_rows.least = m_rows.magnitudes + m_rows.panels() * tile_rows;
    m_columns.entries = m_packed_columns.data();
    m_columns.magnitudes = m_columns.panel(m_columns.panels());
    m_columns.least = m_columns.magnitudes + m_columns.panels() * tile_columns;

    auto const rows = m_rows;
    auto const columns = m_columns;
    auto const A = m_problem.A;
    auto const B = m_problem.B;
    for_each_task("Exakt::gemm::pack", space, rows.panels() + columns.panels(), threaded, [=](std::size_t panel) {
      if (panel < rows.panels()) {
        rows.pack(panel, A.data, A.row_stride, A.column_stride);
      } else {
        columns.pack(panel - rows.panels(), B.data, B.column_stride, B.row_stride);
      }
    });
  }

  // A worker's memory: the states of a block, its estimates if k has several segments, a row and some columns unpacked.
  std::size_t tiles_in_block() const { return m_panels_down * m_panels_across; }
  KOKKOS_FUNCTION bool has_segments() const { return m_problem.k > largest_segment; }
  std::size_t states_size() const { return tiles_in_block() * (sizeof(TileState) / sizeof(double)); }
  std::size_t estimates_size() const { return has_segments() ? 3 * tiles_in_block() * tile_rows * tile_columns : 0; }
  std::size_t workspace_size() const {
    std::size_t const size = states_size() + estimates_size() + (tile_columns + 1) * m_problem.k + 8;
    return (size + 7) / 8 * 8;
  }

  /// 2^h with 2^(h - 1) >= k.
  KOKKOS_FUNCTION double headroom() const {
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
    auto const state_of = [&](std::size_t i, std::size_t j) -> TileState& {
      return states[(j - across.begin) * m_panels_down + (i - down.begin)];
    };
    auto const estimate_of_tile = [&](std::size_t i, std::size_t j) {
      return estimates + 3 * tile_rows * tile_columns * ((j - across.begin) * m_panels_down + (i - down.begin));
    };
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
    int heads = 2;  // what cancels has neighbours that do
    for (std::size_t j = across.begin; j < across.end; ++j) {
      if (m_sums.high != nullptr) {
        write_sums(down, j, state_of, estimate_of_tile);
      } else {
        finish_column_panel(down, j, state_of, estimate_of_tile, lines, heads);
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
          Estimate sum = is_first ? empty_sum() : Estimate{entry[0], entry[1], entry[2]};
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
  void finish_column_panel(Span down, std::size_t j, StateOf const& state_of, EstimateOf const& estimate_of_tile,
                           double* lines, int& heads) const {
    std::size_t const columns =
        m_problem.n - j * tile_columns < tile_columns ? m_problem.n - j * tile_columns : tile_columns;
    bool columns_are_unpacked = false, try_carefully = true;
    for (std::size_t i = down.begin; i < down.end; ++i) {
      std::size_t const rows = m_problem.m - i * tile_rows < tile_rows ? m_problem.m - i * tile_rows : tile_rows;
      std::uint32_t decided[tile_columns] = {};  // a bit for each row
      if constexpr (is_float_v<R>) {
        decide_tile(i, j, rows, columns, state_of(i, j), estimate_of_tile(i, j), decided);
        if (!has_segments()) {
          if (heads == 2 && !decide_together<2>(i, j, rows, columns, decided)) heads = 3;
          if (heads == 3) decide_together<3>(i, j, rows, columns, decided);
        }
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
  void write_sums(Span down, std::size_t j, StateOf const& state_of, EstimateOf const& estimate_of_tile) const {
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
          store_some(sum.bound, to.bound, lanes);
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
      for (int p = 0; p < packs_of_tile; ++p)
        decide_pack(i, j, c, p, rows, known_sum(i, j, c, p, state, estimates), decided[c]);
    }
  }

  /// Writes the entries of a pack that its sums decide, unless they are decided already.
  KOKKOS_FORCEINLINE_FUNCTION void decide_pack(std::size_t i, std::size_t j, std::size_t c, int p, std::size_t rows,
                                               EstimatePack const& sum, std::uint32_t& decided) const {
    std::size_t const first = static_cast<std::size_t>(p * pack_lanes);
    if (first >= rows) return;
    std::size_t const lanes = rows - first < pack_lanes ? rows - first : pack_lanes;
    double old[pack_lanes] = {};
    R results[pack_lanes] = {};
    std::size_t const row = i * tile_rows + first, column = j * tile_columns + c;
    if (m_problem.combination.reads_y) {
      for (std::size_t l = 0; l < lanes; ++l) old[l] = m_problem.old_entry(row + l, column);
    }
    auto const some =
        decided_lanes(interval_of(m_problem.combination, sum, load(old), broadcast(1)), results) & ~(decided >> first);
    std::uint32_t const wanted = (std::uint32_t{1} << lanes) - 1;
    decided |= (some & wanted) << first;
    if ((some & wanted) == wanted && lanes == pack_lanes) {
      R* const to = m_problem.C.at(row, column);
      for (std::ptrdiff_t l = 0; l < pack_lanes; ++l) to[l * m_problem.C.row_stride] = results[l];
    } else {
      for (std::size_t l = 0; l < lanes; ++l) {
        if ((some >> l & 1) != 0) *m_problem.C.at(row + l, column) = results[l];
      }
    }
  }

  static constexpr int worth_careful_tile = 6;  // undecided entries that take longer one by one

  /// Decides what is left of a tile with several heads, where it is much; false if much is left still.
  template <int heads>
  bool decide_together(std::size_t i, std::size_t j, std::size_t rows, std::size_t columns,
                       std::uint32_t* decided) const {
    constexpr std::size_t at_once = CarefulState<heads>::columns;
    bool all = true;
    for (std::size_t c = 0; c < columns; c += at_once) {
      auto const undecided = [&] {
        int count = 0;
        for (std::size_t d = c; d < c + at_once && d < columns; ++d)
          count += static_cast<int>(rows) - std::popcount(decided[d]);
        return count;
      };
      if (undecided() < worth_careful_tile) continue;
      decide_tile_carefully<heads>(i, j, c, rows, columns, decided);
      all = all && undecided() < worth_careful_tile;
    }
    return all;
  }

  /// Some columns of a tile, from `first` on, with several heads.
  template <int heads>
  EXAKT_NOINLINE_FUNCTION void decide_tile_carefully(std::size_t i, std::size_t j, std::size_t first, std::size_t rows,
                                                     std::size_t columns, std::uint32_t* decided) const {
    CarefulState<heads> state;
    double const below = headroom() * 0x1p-52;  // from a head to the next one
    auto const start_of_head = [&](int head, std::size_t column, int p) {
      Pack start = start_of(i, j * tile_columns + column, p);
      for (int h = 0; h < head; ++h) start = start * below;
      return start;
    };
    for (int c = 0; c < state.columns; ++c) {
      for (int p = 0; p < packs_of_tile; ++p) {
        for (int h = 0; h < heads; ++h)
          store(start_of_head(h, first + static_cast<std::size_t>(c), p), state.head[h][c] + p * pack_lanes);
      }
    }
    multiply_tile_carefully(m_rows.panel(i), m_columns.panel(j) + first, m_problem.k, state);

    int const depth = static_cast<int>(m_problem.k);
    for (int c = 0; c < state.columns && first + static_cast<std::size_t>(c) < columns; ++c) {
      std::size_t const column = first + static_cast<std::size_t>(c);
      for (int p = 0; p < packs_of_tile; ++p) {
        // Heads cancel: their sum is split exactly.
        Pack high{}, errors{}, size{}, start{};
        double parts[heads + 1][pack_lanes];
        for (int h = 0; h < heads; ++h) {
          start = start_of_head(h, column, p);
          Pack const move = load(state.head[h][c] + p * pack_lanes) - start;
          Pack const s = high + move, move_part = s - high, high_part = s - move_part;
          Pack const error = (high - high_part) + (move - move_part);
          errors = errors + error;
          size = size + absolute(error);
          high = s;
          store(move, parts[h]);
        }
        Pack const rest = load(state.rest[c] + p * pack_lanes);
        store(rest, parts[heads]);
        Pack const bound = start * (bound_of_rests(1, depth) * 0x1p-52) + bound_of_underflows(1, depth);
        decide_pack(i, j, column, p, rows, {high, errors + rest, bound + (size + absolute(rest)) * 0x1p-50},
                    decided[column]);
        write_exact_lanes(i, j * tile_columns + column, p, start, parts, rows, decided[column]);
      }
    }
  }

  /// The undecided entries of a pack whose sums are those of heads and rests, exactly.
  ///
  /// \param last_start  Where the last heads began: 1.5 * 2^52 of their units.
  /// \param parts       How far each head has moved, and the rests.
  template <int parts_of_sum>
  KOKKOS_FORCEINLINE_FUNCTION void write_exact_lanes(std::size_t i, std::size_t column, int p, Pack last_start,
                                                     double const (&parts)[parts_of_sum][pack_lanes], std::size_t rows,
                                                     std::uint32_t& decided) const {
    double starts[pack_lanes];
    store(last_start, starts);
    for (int l = 0; l < pack_lanes; ++l) {
      std::size_t const in_tile = static_cast<std::size_t>(p * pack_lanes + l), row = i * tile_rows + in_tile;
      if (in_tile >= rows || (decided >> in_tile & 1) != 0 || !splits_exactly(row, column)) continue;
      // Factors are multiples of 2^-52 of their power of two.
      double const multiple = least_product(row, column) * 0x1p-104;
      if (static_cast<double>(m_problem.k) * starts[l] * 0x1p-52 > multiple * 0x1p53) continue;
      ExactProducts sum;
      for (int h = 0; h < parts_of_sum; ++h) sum += parts[h][l];
      R& entry = *m_problem.C.at(row, column);
      entry = m_problem.combination.template exactly<R>(sum, m_problem.old_entry(row, column), 1);
      decided |= std::uint32_t{1} << in_tile;
    }
  }

  /// 2^e below all products of an entry that are not zero; 0 if their errors may not be numbers.
  KOKKOS_FORCEINLINE_FUNCTION double least_product(std::size_t row, std::size_t column) const {
    return m_rows.least[row] * m_columns.least[column];
  }

  /// Whether the errors of all products of an entry are numbers, and no factor is infinite, NaN or huge.
  KOKKOS_FORCEINLINE_FUNCTION bool splits_exactly(std::size_t row, std::size_t column) const {
    return m_rows.magnitudes[row] * m_columns.magnitudes[column] < HUGE_VAL && least_product(row, column) > 0;
  }

  /// The ladder for one entry.
  EXAKT_NOINLINE_FUNCTION void finish_entry(std::size_t row, std::size_t column, double const* a, double const* b,
                                            bool& try_carefully) const {
    R& entry = *m_problem.C.at(row, column);
    double const old = m_problem.old_entry(row, column);
    if (try_carefully) {
      Estimate sum = empty_sum();
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
    if (!splits_exactly(row, column) || !fold_products<4>(a, b, m_problem.k, exponent_above(largest) - 1, sum)) {
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

/// C by the direct engine.
template <class Space, class T, class U, class R>
void multiply_directly(Space const& space, GemmProblem<T, U, R> const& problem) {
  if constexpr (has_fused_packs) {
    DirectGemm<T, U, R>(problem).run(space);
  } else {
    for_each_task("Exakt::gemm", space, problem.n, true, ExactGemm<T, U, R>{problem});
  }
}

/// C^T := B^T A^T.
template <class T, class U, class R>
GemmProblem<U, T, R> transposed(GemmProblem<T, U, R> const& problem) {
  auto const turned = [](auto const& matrix) {
    auto result = matrix;
    result.row_stride = matrix.column_stride;
    result.column_stride = matrix.row_stride;
    return result;
  };
  return {turned(problem.B), turned(problem.A), turned(problem.C),  problem.n,
          problem.m,         problem.k,         problem.combination};
}

/// Some rows and columns of C.
template <class T, class U, class R>
GemmProblem<T, U, R> part_of(GemmProblem<T, U, R> const& problem, Span rows, Span columns) {
  auto result = problem;
  result.A.data = problem.A.at(rows.begin, 0);
  result.B.data = problem.B.at(0, columns.begin);
  result.C.data = problem.C.at(rows.begin, columns.begin);
  result.m = rows.size();
  result.n = columns.size();
  return result;
}

}  // namespace Exakt::Impl

#endif
