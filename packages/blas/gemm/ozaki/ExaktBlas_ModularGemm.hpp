// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_MODULARGEMM_HPP
#define EXAKTBLAS_MODULARGEMM_HPP

/// \file
/// \brief The modular engine of gemm on hosts (Ozaki scheme II): exact products at the speed of integer units.
///
///     rows of A, columns of B --> measured --> integers * 2^unit --> residues (bytes) mod m_1 ... m_s --> tiles of C
///
/// Each tile has its own number of moduli: as many as the bits of its lines ask for. Where lines have too many bits
/// they are cut, which decides nearly all entries that do not cancel. Tiles where it does not are left to another pass
/// with all bits that there are moduli for, and what is left then, to the direct engine.

#include "ExaktBlas_ModularTile.hpp"

#include <climits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief The modular engine. Fastest where the rows of C are contiguous.
///
/// R is float or double. \pre has_integer_gemm().
template <class T, class U, class R>
class ModularGemm {
 public:
  /// \param workspace  Bytes that residues may take; 0: three times what the matrices take. A tile needs some anyway.
  ModularGemm(GemmProblem<T, U, R> const& problem, std::size_t workspace, std::size_t threads)
      : m_problem(problem),
        m_rows{problem.A, problem.m, problem.k, block_of(problem.m, largest_tile(problem, largest_tile_rows), threads)},
        m_columns{transposed(problem).A, problem.n, problem.k,
                  block_of(problem.n, largest_tile(problem, largest_tile_columns), 1)},
        m_limit(workspace != 0 ? workspace
                               : 3 * (problem.m * problem.k * sizeof(T) + problem.k * problem.n * sizeof(U) +
                                      problem.m * problem.n * sizeof(R))),
        m_depth_bits(bit_width(problem.k - 1)) {
    for (std::size_t tile = 0; tile < m_done.extent(0); ++tile)
      m_done(tile) = problem.needs(rows_of(tile), columns_of(tile)) ? 0 : 1;
  }

  /// Writes what is known about the sums, and nothing to C: for complex numbers.
  ///
  /// \param sums  Of the entry (i, j) at i * row_stride + j.
  ModularGemm(GemmProblem<T, U, R> const& problem, std::size_t workspace, std::size_t threads,
              EnclosureArrays const& sums, std::size_t row_stride)
      : ModularGemm(problem, workspace, threads) {
    static_assert(has_sums);
    m_sums = sums;
    m_sums_stride = row_stride;
  }

  /// Waits for its steps, for each asks what the one before has found.
  ///
  /// \param may_decline  If the direct engine is the faster one, it does the work.
  template <class Space>
  void run(Space const& space, bool may_decline) {
    bool const is_large = m_rows.lines > lines_of_sample && m_columns.lines > lines_of_sample;
    if (may_decline && is_large) {
      sample();
      if (direct_is_faster()) return multiply_without(space, {0, m_problem.m}, {0, m_problem.n});
    }
    measure(space);
    if (specials() * 16 > m_problem.m + m_problem.n || (may_decline && direct_is_faster()))
      return multiply_without(space, {0, m_problem.m}, {0, m_problem.n});

    if (moduli_if_exact() > moduli_if_cut() + worth_being_exact && !most_cancel()) pass(space, bits_worth_having());
    if (count_pending() > 0) pass(space, ByteResidues::limbs_at_most * ByteResidues::chunk_bits);
    for (std::size_t tile = 0; tile < m_done.extent(0); ++tile) {
      if (m_done(tile) == 0) multiply_without(space, rows_of(tile), columns_of(tile));
    }
  }

 private:
  using Memory = Kokkos::View<std::uint8_t*, Kokkos::HostSpace>;
  using Counts = Kokkos::View<int*, Kokkos::HostSpace>;
  static constexpr bool has_sums = std::is_same_v<T, double> && std::is_same_v<U, double> && std::is_same_v<R, double>;
  enum Flags { given_up, tried, flags };

  // ---- what to do

  /// Cut to so many bits nearly all entries are decided, if they do not cancel: those of the result, 18 to tell it from
  /// a tie and to make up for lines whose largest entries are rare, and those of k.
  int bits_worth_having() const { return FloatFormat<R>::precision + 18 + m_depth_bits; }
  int moduli_if_exact() const {
    return moduli_for<ByteResidues>(most_bits(m_rows, m_measured_rows) + most_bits(m_columns, m_measured_columns) +
                                    m_depth_bits);
  }
  int moduli_if_cut() const { return moduli_for<ByteResidues>(2 * bits_worth_having() + m_depth_bits); }
  static constexpr int worth_being_exact = 2;  // moduli

  /// \brief Whether the direct engine takes less time, as far as lines have been measured.
  ///
  /// Nanoseconds of one thread at 2.5 GHz with AVX-512 (perf_tests/blas/perf_gemm_engines, n = 64 ... 1024):
  /// the direct engine takes 0.14 for a product and 2.3 for an entry of A, B, or C; the modular one 0.0042 and 1.25 for
  /// each modulus. For square matrices uniform in (-1, 1), 15 moduli, they meet near n = 640, for normal ones, 20
  /// moduli, near n = 1200. Where most entries cancel the direct one takes 3 to 5 times as long, and without fused
  /// multiply-adds the other path is more than a hundred times as slow.
  bool direct_is_faster() const {
    auto const m = static_cast<double>(m_problem.m), n = static_cast<double>(m_problem.n),
               k = static_cast<double>(m_problem.k);
    double const products = m_problem.products(), entries = m * k + k * n + m * n;
    double const direct =
        matrix_kernels().has_enclosures ? 0.14 * (8.0 / kernels().lanes) * products + 2.3 * entries : 20 * products;
    auto const modular = [&](int moduli) { return moduli * (0.0042 * products + 1.25 * entries); };
    int const exact = moduli_if_exact(), cut = moduli_if_cut();
    if (modular(std::min(exact, cut)) < direct) return false;
    return exact > ByteResidues::moduli_at_most || modular(exact) > 3 * direct || !most_cancel();
  }

  /// Asks for measured lines.
  bool most_cancel() const {
    auto const top_of = [](auto const& factor) {
      return [&factor](std::size_t line) {
        LineScale const scale = factor.measured(line);
        return scale.is_special || scale.bits == 0 ? INT_MAX : scale.top();
      };
    };
    return most_entries_cancel(m_problem, m_measured_rows, m_measured_columns, top_of(m_rows), top_of(m_columns));
  }
  static constexpr std::size_t lines_of_sample = lines_at_once;

  ModularTile<T, U, R> tiles() const { return {m_problem, m_rows, m_columns, m_sums, m_sums_stride}; }

  // ---- lines

  void sample() {
    for (std::size_t task = 0; task * lines_at_once < lines_of_sample; ++task) {
      m_rows.measure(task);
      m_columns.measure(task);
    }
    m_measured_rows = m_measured_columns = lines_of_sample;
  }

  template <class Space>
  void measure(Space const& space) {
    auto const engine = *this;
    std::size_t const row_tasks = m_rows.tasks({0, m_rows.lines}), column_tasks = m_columns.tasks({0, m_columns.lines});
    for_each_task("Exakt::gemm::measure", space, row_tasks + column_tasks, is_threaded(), [=](std::size_t task) {
      if (task < row_tasks) {
        engine.m_rows.measure(task);
      } else {
        engine.m_columns.measure(task - row_tasks);
      }
    });
    space.fence();
    m_measured_rows = m_rows.lines;
    m_measured_columns = m_columns.lines;
  }
  bool is_threaded() const { return m_problem.m * m_problem.n * m_problem.k >= products_worth_threads; }

  std::size_t specials() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < m_rows.lines; ++i) count += m_rows.measured(i).is_special;
    for (std::size_t i = 0; i < m_columns.lines; ++i) count += m_columns.measured(i).is_special;
    return count;
  }
  template <class Factor>
  static int most_bits(Factor const& factor, std::size_t lines) {
    int most = 0;
    for (std::size_t i = 0; i < lines; ++i) most = std::max(most, factor.measured(i).bits);
    return most;
  }

  // ---- tiles, row by row

  /// Of a triangle smaller ones: half of a tile on the diagonal is for nothing.
  static std::size_t largest_tile(GemmProblem<T, U, R> const& problem, std::size_t largest) {
    return problem.part == GemmPart::all ? largest : largest / 2;
  }
  static std::size_t block_of(std::size_t lines, std::size_t largest, std::size_t threads) {
    std::size_t block = largest;
    while (block > 64 && lines < 2 * block * threads) block /= 2;
    return block;
  }
  Span rows_of(std::size_t tile) const { return m_rows.block_at(tile / m_columns.blocks()); }
  Span columns_of(std::size_t tile) const { return m_columns.block_at(tile % m_columns.blocks()); }
  int moduli_of(std::size_t tile) const {
    return moduli_for<ByteResidues>(m_rows.block_bits(tile / m_columns.blocks()) +
                                    m_columns.block_bits(tile % m_columns.blocks()) + m_depth_bits);
  }
  std::size_t count_pending() const {
    std::size_t count = 0;
    for (std::size_t tile = 0; tile < m_done.extent(0); ++tile) count += 1 - m_done(tile);
    return count;
  }

  template <class Space>
  void multiply_without(Space const& space, Span rows, Span columns) const {
    auto const some = part_of(m_problem, rows, columns);
    if constexpr (has_sums) {
      if (m_sums.high != nullptr)
        return DirectGemm<U, T, R>(transposed(some), m_sums.from(rows.begin * m_sums_stride + columns.begin),
                                   m_sums_stride)
            .run(space);
    }
    multiply_directly(space, some);
  }

  /// All tiles that are pending and whose integers are not too long, with lines of at most so many bits.
  template <class Space>
  void pass(Space const& space, int bits) {
    m_rows.truncate(bits);
    m_columns.truncate(bits);
    m_flags(given_up) = m_flags(tried) = 0;

    // How many residues each block needs, and what the tiles need to come back from them.
    std::size_t const across = m_columns.blocks();
    for (std::size_t i = 0; i < m_row_moduli.extent(0); ++i) m_row_moduli(i) = 0;
    for (std::size_t j = 0; j < across; ++j) m_column_moduli(j) = 0;
    m_most_moduli = 0;
    for (std::size_t tile = 0; tile < m_done.extent(0); ++tile) {
      int const count = moduli_of(tile);
      if (m_done(tile) != 0 || count > ByteResidues::moduli_at_most) continue;
      int &row_count = m_row_moduli(tile / across), &column_count = m_column_moduli(tile % across);
      row_count = std::max(row_count, count);
      column_count = std::max(column_count, count);
      m_most_moduli = std::max(m_most_moduli, count);
      Basis<ByteResidues>& basis = m_bases(static_cast<std::size_t>(count));
      if (basis.count == 0) basis = Basis<ByteResidues>(count);
    }
    if (m_most_moduli == 0) return;

    // Panels, if the residues of everything are more than the limit.
    std::size_t down = m_rows.blocks(), wide = across;
    auto const bytes = [&] {
      return static_cast<std::size_t>(m_most_moduli) *
             (std::min(down * m_rows.block, m_rows.lines) * m_rows.stride() +
              std::min(wide * m_columns.block, m_columns.lines) * m_columns.stride());
    };
    while (bytes() > m_limit && (down > 1 || wide > 1)) {
      if (down * m_rows.block >= wide * m_columns.block ? down > 1 : wide == 1) {
        down = (down + 1) / 2;
      } else {
        wide = (wide + 1) / 2;
      }
    }
    for (std::size_t i = 0; i < m_rows.blocks(); i += down) {
      set_panel(m_rows, i, down);
      for (std::size_t j = 0; j < across; j += wide) {
        bool const is_new = i == 0 || wide < across;
        if (is_new) set_panel(m_columns, j, wide);
        multiply_panels(space, j == 0, is_new);
      }
    }
  }

  template <class Factor>
  void set_panel(Factor& factor, std::size_t block, std::size_t blocks) const {
    factor.panel = {block * factor.block, std::min(factor.lines, (block + blocks) * factor.block)};
    std::size_t const size = static_cast<std::size_t>(m_most_moduli) * factor.panel.size() * factor.stride();
    if (factor.residues.extent(0) >= size) return;
    factor.residues = {};
    factor.residues = reserve<typename Factor::Bytes>(size);
    prefer_large_pages(factor.residues.data(), size);
  }

  template <class Space>
  void multiply_panels(Space const& space, bool with_rows, bool with_columns) {
    std::size_t const row_tasks = with_rows ? m_rows.tasks(m_rows.panel) : 0,
                      column_tasks = with_columns ? m_columns.tasks(m_columns.panel) : 0;
    auto engine = *this;
    for_each_task("Exakt::gemm::residues", space, row_tasks + column_tasks, is_threaded(), [=](std::size_t task) {
      if (task < row_tasks) {
        engine.m_rows.write_residues_of(task, false, engine.m_row_moduli);
      } else {
        engine.m_columns.write_residues_of(task - row_tasks, true, engine.m_column_moduli);
      }
    });
    space.fence();
    std::size_t const down = (m_rows.panel.size() + m_rows.block - 1) / m_rows.block,
                      wide = (m_columns.panel.size() + m_columns.block - 1) / m_columns.block, all = down * wide;
    std::size_t const workers = is_threaded() ? std::min(all, static_cast<std::size_t>(space.concurrency())) : 1;
    engine.m_workspace = reserve<Memory>(workers * size_of_tile() + 64);
    Kokkos::View<std::size_t, Kokkos::HostSpace> const next("Exakt::gemm::next");
    for_each_task("Exakt::gemm", space, workers, is_threaded(), [=](std::size_t worker) {
      for (std::size_t task; (task = Kokkos::atomic_fetch_add(next.data(), std::size_t{1})) < all;) {
        std::size_t const i = engine.m_rows.panel.begin / engine.m_rows.block + task / wide,
                          j = engine.m_columns.panel.begin / engine.m_columns.block + task % wide;
        engine.try_tile(i * engine.m_columns.blocks() + j, worker);
      }
    });
    space.fence();
  }

  std::size_t size_of_tile() const {
    return TileMemory::size_for(m_rows.largest_block(), m_columns.largest_block(), m_most_moduli);
  }

  void try_tile(std::size_t tile, std::size_t worker) const {
    int const count = moduli_of(tile);
    // What most tiles were left to is where the others will be left to, too.
    bool const hopeless =
        2 * Kokkos::atomic_fetch_add(&m_flags(given_up), 0) > Kokkos::atomic_fetch_add(&m_flags(tried), 0);
    if (m_done(tile) != 0 || count > ByteResidues::moduli_at_most || hopeless) return;
    auto* const workspace = m_workspace.data() + (64 - reinterpret_cast<std::uintptr_t>(m_workspace.data()) % 64) % 64;
    TileMemory const memory(workspace + worker * size_of_tile(), m_rows.largest_block(), m_columns.largest_block());
    Basis<ByteResidues> const& basis = m_bases(static_cast<std::size_t>(count));
    Span const rows = rows_of(tile), columns = columns_of(tile);
    auto const some = tiles();
    if (!some.multiply(rows, columns, basis, memory)) return;
    bool const done = some.finish(rows, columns, basis, memory);
    Kokkos::atomic_add(&m_flags(tried), 1);
    if (done) {
      m_done(tile) = 1;
    } else {
      Kokkos::atomic_add(&m_flags(given_up), 1);
    }
  }

  template <class V>
  static V reserve(std::size_t size) {
    return LineFactor<T>::template reserve<V>(size);
  }

  GemmProblem<T, U, R> m_problem;
  LineFactor<T> m_rows;
  LineFactor<U> m_columns;
  std::size_t m_limit;
  int m_depth_bits;  // 2^m_depth_bits >= k
  std::size_t m_measured_rows = 0, m_measured_columns = 0;
  int m_most_moduli = 0;  // of this pass
  Counts m_row_moduli{"Exakt::gemm::moduli", m_rows.blocks()},
      m_column_moduli{"Exakt::gemm::moduli", m_columns.blocks()};
  Counts m_flags{"Exakt::gemm::flags", flags};
  Kokkos::View<Basis<ByteResidues>*, Kokkos::HostSpace> m_bases{"Exakt::gemm::bases", ByteResidues::moduli_at_most + 1};
  Kokkos::View<std::uint8_t*, Kokkos::HostSpace> m_done{"Exakt::gemm::done", m_rows.blocks() * m_columns.blocks()};
  Memory m_workspace;
  EnclosureArrays m_sums{};
  std::size_t m_sums_stride = 0;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
