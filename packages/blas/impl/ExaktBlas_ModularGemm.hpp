// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_MODULARGEMM_HPP
#define EXAKTBLAS_MODULARGEMM_HPP

/// \file
/// \brief The modular engine of gemm on hosts (Ozaki scheme II): exact products at the speed of integer units.
///
///     rows of A, columns of B --> integers * 2^unit --> residues (bytes) mod m_1 ... m_s
///     tile of C: s products of matrices of bytes --> y_t --> integers X --> (alpha X 2^units + beta C) rounded once
///
/// With |a| <= 2^p and |b| <= 2^q in units of their lines |X| <= k 2^(p + q) <= 2^(p + q + h), 2^h >= k: so many bits
/// the product of the moduli must have room for, for each tile anew. X is exact, and whatever the entries cancel it
/// costs the same. An entry next to a tie is decided by the integer itself.
///
/// Where lines have too many bits for that, they are cut to `limit` bits, each entry rounded to its line's unit. Then
///
///     |S - X| <= k (1/2 * 2^q [A was cut] + 1/2 * 2^p [B was cut])      in units,
///
/// for the second factor of either part is at most 2^q (B as it was) and 2^p (A as it is now). That is a bound as those
/// of the direct engine; entries that it does not decide are added exactly, one by one. Tiles with many of them are
/// left to another pass with more bits, and in the end to the direct engine, as are entries of lines with infinities or
/// NaN.

#include "ExaktBlas_DirectGemm.hpp"
#include "ExaktBlas_IntegerGemm.hpp"
#include "ExaktBlas_ModularLines.hpp"
#include "ExaktBlas_Reconstruction.hpp"

namespace Exakt::Impl {

/// Without the modular engine: C by the direct one, or in integers where floating-point operations cannot be trusted.
template <class Space, class T, class U, class R>
void multiply_directly(Space const& space, GemmProblem<T, U, R> const& problem) {
  if (!estimates_are_trusted()) {
    for_each_task("Exakt::gemm", space, problem.n, true, ExactGemm<T, U, R>{problem});
  } else {
    DirectGemm<T, U, R>(problem).run(space);
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

#ifdef EXAKT_HAS_INTEGER_GEMM

/// \brief The modular engine. Fastest where the rows of C are contiguous.
///
/// R is float or double. \pre has_integer_gemm(), and the calling thread's floating-point environment is the default
/// one.
template <class T, class U, class R>
class ModularGemm {
 public:
  /// \param workspace  Bytes that residues may take; 0: three times what the matrices take. A tile needs some anyway.
  ModularGemm(GemmProblem<T, U, R> const& problem, std::size_t workspace, std::size_t threads)
      : m_problem(problem),
        m_rows{problem.A, problem.m, problem.k, block_of(problem.m, largest_tile_rows, threads)},
        m_columns{transposed(problem).A, problem.n, problem.k, block_of(problem.n, largest_tile_columns, 1)},
        m_limit(workspace != 0 ? workspace
                               : 3 * (problem.m * problem.k * sizeof(T) + problem.k * problem.n * sizeof(U) +
                                      problem.m * problem.n * sizeof(R))),
        m_depth_bits(bit_width(problem.k - 1)) {}

  template <class Space>
  void run(Space const& space) {
    measure(space);
    if (m_flags(distrusted) != 0 || specials() * 16 > m_problem.m + m_problem.n)
      return multiply_directly(space, m_problem);

    int const bits = most_bits(m_rows) + most_bits(m_columns) + m_depth_bits;
    if (moduli_for(bits) > exact_at_most) pass(space, bits_worth_having + m_depth_bits);
    if (count_pending() > 0) pass(space, limbs_at_most * chunk_bits);
    for (std::size_t tile = 0; tile < m_done.extent(0); ++tile) {
      if (m_done(tile) == 0) multiply_directly(space, part(rows_of(tile), columns_of(tile)));
    }
  }

 private:
  static constexpr std::size_t largest_tile_rows = 512, largest_tile_columns = 512;
  // Up to so many moduli entries are taken as they are. Cut to so many bits more than k has nearly all are decided, if
  // they do not cancel: 53 bits of the result, 11 bits to tell it from a tie.
  static constexpr int exact_at_most = 26, bits_worth_having = 64;
  enum Flags { distrusted, given_up, tried, flags };

  static std::size_t block_of(std::size_t lines, std::size_t largest, std::size_t threads) {
    std::size_t block = largest;
    while (block > 64 && lines < 2 * block * threads) block /= 2;
    return block;
  }

  // Tiles, row by row.
  Span rows_of(std::size_t tile) const { return m_rows.block_at(tile / m_columns.blocks()); }
  Span columns_of(std::size_t tile) const { return m_columns.block_at(tile % m_columns.blocks()); }
  int moduli_of(std::size_t row_block, std::size_t column_block) const {
    return moduli_for(m_rows.block_bits(row_block) + m_columns.block_bits(column_block) + m_depth_bits);
  }
  std::size_t count_pending() const {
    std::size_t count = 0;
    for (std::size_t tile = 0; tile < m_done.extent(0); ++tile) count += 1 - m_done(tile);
    return count;
  }

  GemmProblem<T, U, R> part(Span rows, Span columns) const {
    auto result = m_problem;
    result.A.data = m_problem.A.at(rows.begin, 0);
    result.B.data = m_problem.B.at(0, columns.begin);
    result.C.data = m_problem.C.at(rows.begin, columns.begin);
    result.m = rows.size();
    result.n = columns.size();
    return result;
  }

  template <class Space>
  void measure(Space const& space) {
    auto const engine = *this;
    std::size_t const row_tasks = m_rows.tasks({0, m_rows.lines}), column_tasks = m_columns.tasks({0, m_columns.lines});
    for_each_task("Exakt::gemm::measure", space, row_tasks + column_tasks, is_threaded(), [=](std::size_t task) {
      engine.check_environment();
      if (task < row_tasks) {
        engine.m_rows.measure(task);
      } else {
        engine.m_columns.measure(task - row_tasks);
      }
    });
  }
  bool is_threaded() const { return m_problem.m * m_problem.n * m_problem.k >= products_worth_threads; }

  /// On every thread that computes: another library may have changed the control word of one only.
  void check_environment() const {
    if (!fp_environment_is_default()) Kokkos::atomic_fetch_or(&m_flags(distrusted), 1);
  }

  std::size_t specials() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < m_rows.lines; ++i) count += m_rows.measured(i).is_special;
    for (std::size_t i = 0; i < m_columns.lines; ++i) count += m_columns.measured(i).is_special;
    return count;
  }
  template <class Factor>
  static int most_bits(Factor const& factor) {
    int most = 0;
    for (std::size_t i = 0; i < factor.lines; ++i) most = std::max(most, factor.measured(i).bits);
    return most;
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
    int most = 0;
    for (std::size_t tile = 0; tile < m_done.extent(0); ++tile) {
      int const count = moduli_of(tile / across, tile % across);
      if (m_done(tile) != 0 || count > moduli_at_most) continue;
      int &row_count = m_row_moduli(tile / across), &column_count = m_column_moduli(tile % across);
      row_count = std::max(row_count, count);
      column_count = std::max(column_count, count);
      most = std::max(most, count);
      if (m_bases(static_cast<std::size_t>(count)).count == 0) m_bases(static_cast<std::size_t>(count)) = Basis(count);
    }
    if (most == 0) return;

    // Panels, if the residues of everything are more than the limit.
    std::size_t down = m_rows.blocks(), wide = across;
    auto const bytes = [&] {
      return static_cast<std::size_t>(most) * (std::min(down * m_rows.block, m_rows.lines) * m_rows.stride() +
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
      set_panel(m_rows, i, down, most);
      for (std::size_t j = 0; j < across; j += wide) {
        bool const is_first = i == 0 || wide < across;
        if (is_first) set_panel(m_columns, j, wide, most);
        run_panels(space, j == 0, is_first);
        if (m_flags(distrusted) != 0) return;
      }
    }
  }

  template <class Factor>
  static void set_panel(Factor& factor, std::size_t block, std::size_t blocks, int most) {
    factor.panel = {block * factor.block, std::min(factor.lines, (block + blocks) * factor.block)};
    std::size_t const size = static_cast<std::size_t>(most) * factor.panel.size() * factor.stride();
    if (factor.residues.extent(0) >= size) return;
    factor.residues = Factor::template reserve<typename Factor::Bytes>(size);
    prefer_large_pages(factor.residues.data(), size);
  }

  template <class Space>
  void run_panels(Space const& space, bool with_rows, bool with_columns) {
    std::size_t const row_tasks = with_rows ? m_rows.tasks(m_rows.panel) : 0,
                      column_tasks = with_columns ? m_columns.tasks(m_columns.panel) : 0;
    auto engine = *this;
    for_each_task("Exakt::gemm::residues", space, row_tasks + column_tasks, is_threaded(), [=](std::size_t task) {
      engine.check_environment();
      if (task < row_tasks) {
        engine.m_rows.template write_residues_of<false>(task, engine.m_row_moduli);
      } else {
        engine.m_columns.template write_residues_of<true>(task - row_tasks, engine.m_column_moduli);
      }
    });
    if (m_flags(distrusted) != 0) return;

    std::size_t const down = (m_rows.panel.size() + m_rows.block - 1) / m_rows.block,
                      wide = (m_columns.panel.size() + m_columns.block - 1) / m_columns.block, all = down * wide;
    std::size_t const workers = is_threaded() ? std::min(all, static_cast<std::size_t>(space.concurrency())) : 1;
    engine.m_workspace = LineFactor<T>::template reserve<Memory>(workers * sizeof_worker() / sizeof(double) + 8);
    Kokkos::View<std::size_t, Kokkos::HostSpace> const next("Exakt::gemm::next");
    for_each_task("Exakt::gemm", space, workers, is_threaded(), [=](std::size_t worker) {
      for (std::size_t task; (task = Kokkos::atomic_fetch_add(next.data(), std::size_t{1})) < all;) {
        std::size_t const i = engine.m_rows.panel.begin / engine.m_rows.block + task / wide,
                          j = engine.m_columns.panel.begin / engine.m_columns.block + task % wide;
        engine.try_tile(i, j, worker);
      }
    });
  }

  // A worker's memory.
  struct Worker {
    std::int32_t* sums;
    std::int8_t* y;
    double *high, *low, *scale, *cut, *size, *old;
  };
  static std::size_t tile_stride(std::size_t columns) {
    return (columns + bytes_at_once - 1) / bytes_at_once * bytes_at_once;
  }
  std::size_t tile_size() const {
    return std::min(m_rows.block, m_rows.lines) * tile_stride(std::min(m_columns.block, m_columns.lines));
  }
  static constexpr std::size_t row_size = largest_tile_columns;
  std::size_t sizeof_worker() const {
    std::size_t const bytes =
        tile_size() * (sizeof(std::int32_t) + moduli_at_most) + 6 * row_size * sizeof(double) + 64;
    return (bytes + 63) / 64 * 64;
  }
  Worker memory_of(std::size_t worker) const {
    auto* memory = reinterpret_cast<std::uint8_t*>(m_workspace.data()) + worker * sizeof_worker();
    memory += (64 - reinterpret_cast<std::uintptr_t>(memory) % 64) % 64;
    auto* const rows = reinterpret_cast<double*>(memory);
    auto* const sums = reinterpret_cast<std::int32_t*>(rows + 6 * row_size);
    return {sums,
            reinterpret_cast<std::int8_t*>(sums + tile_size()),
            rows,
            rows + row_size,
            rows + 2 * row_size,
            rows + 3 * row_size,
            rows + 4 * row_size,
            rows + 5 * row_size};
  }

  void try_tile(std::size_t i, std::size_t j, std::size_t worker) const {
    std::size_t const tile = i * m_columns.blocks() + j;
    int const count = moduli_of(i, j);
    // What most tiles were left to is where the others will be left to, too.
    bool const hopeless =
        2 * Kokkos::atomic_fetch_add(&m_flags(given_up), 0) > Kokkos::atomic_fetch_add(&m_flags(tried), 0);
    if (m_done(tile) != 0 || count > moduli_at_most || hopeless || !fp_environment_is_default()) return;
    Worker const memory = memory_of(worker);
    Basis const& basis = m_bases(static_cast<std::size_t>(count));
    Span const rows = m_rows.block_at(i), columns = m_columns.block_at(j);
    if (!multiply(rows, columns, basis, memory)) return;
    bool const done = finish(rows, columns, basis, memory);
    Kokkos::atomic_add(&m_flags(tried), 1);
    if (done) {
      m_done(tile) = 1;
    } else {
      Kokkos::atomic_add(&m_flags(given_up), 1);
    }
  }

  bool multiply(Span rows, Span columns, Basis const& basis, Worker const& memory) const {
    std::size_t const stride = tile_stride(columns.size()), size = rows.size() * stride;
    std::memset(memory.sums, 0, size * sizeof(std::int32_t));
    for (int t = 0; t < basis.count; ++t) {
      for (std::size_t begin = 0; begin < m_rows.padded_depth(); begin += depth_of_integers) {
        std::size_t const depth = std::min(m_rows.padded_depth() - begin, depth_of_integers);
        if (begin > 0) reduce_sums_in_place(memory.sums, size, t);
        if (!multiply_integers(rows.size(), columns.size(), depth, m_rows.residues_of(rows.begin, begin, t),
                               m_rows.stride(),
                               reinterpret_cast<std::int8_t const*>(m_columns.residues_of(columns.begin, begin, t)),
                               m_columns.stride(), begin > 0, memory.sums, stride))
          return false;
      }
      reduce_sums(memory.sums, size, basis, t, memory.y + static_cast<std::size_t>(t) * size);
    }
    return true;
  }

  /// Scales of lines that are neither special nor next to the ends of the range; infinite for others, for which nothing
  /// is decided: 2^297 2^(2 * 300) and 2^-98 2^(-2 * 300) are doubles.
  static double scale_of(LineScale const& line) {
    bool const usable = !line.is_special && line.unit > -300 && line.unit < 300;
    return usable ? power_of_two(line.unit) : HUGE_VAL;
  }

  /// False, and nothing written, if too many entries would have to be added one by one.
  bool finish(Span rows, Span columns, Basis const& basis, Worker const& memory) const {
    std::size_t const stride = tile_stride(columns.size());
    bool is_cut = false;
    for (std::size_t j = 0; j < stride; ++j) {
      LineScale const line = j < columns.size() ? m_columns.scales(columns.begin + j) : LineScale{};
      memory.scale[j] = scale_of(line);
      memory.cut[j] = line.is_truncated ? 1 : 0;
      memory.size[j] = power_of_two(line.bits - 1);
      memory.old[j] = 0;
      is_cut = is_cut || line.is_truncated;
    }
    for (std::size_t i = rows.begin; i < rows.end; ++i) is_cut = is_cut || m_rows.scales(i).is_truncated;
    if (is_cut) {
      std::size_t const step = rows.size() / rows_to_try + 1;
      std::size_t undecided = 0, seen = 0;
      for (std::size_t r = 0; r < rows.size(); r += step, seen += columns.size())
        undecided += finish_row(rows, r, columns, basis, memory, false);
      if (undecided * 64 > seen) return false;
    }
    for (std::size_t r = 0; r < rows.size(); ++r) finish_row(rows, r, columns, basis, memory, true);
    return true;
  }
  static constexpr std::size_t rows_to_try = 8;

  /// \return How many entries of cut lines are not decided; all are written if `write`.
  std::size_t finish_row(Span rows, std::size_t r, Span columns, Basis const& basis, Worker const& memory,
                         bool write) const {
    std::size_t const stride = tile_stride(columns.size()), tile = rows.size() * stride, row = rows.begin + r;
    std::int8_t const* const y = memory.y + r * stride;
    reconstruct(y, tile, stride, basis, memory.high, memory.low);
    if (m_problem.combination.reads_y) {
      for (std::size_t j = 0; j < columns.size(); ++j) memory.old[j] = m_problem.old_entry(row, columns.begin + j);
    }
    LineScale const line = m_rows.scales(row);
    Pack const row_scale = broadcast(scale_of(line)), row_cut = broadcast(line.is_truncated ? 1 : 0),
               size_in_row = broadcast(power_of_two(line.bits - 1));
    double const k = static_cast<double>(m_problem.k) * (1 + 0x1p-10);
    std::size_t undecided = 0;
    for (std::size_t j = 0; j < columns.size(); j += pack_lanes) {
      Pack const scale = row_scale * load(memory.scale + j), high = load(memory.high + j);
      Pack const cut = row_cut * load(memory.size + j) + load(memory.cut + j) * size_in_row;
      Pack const bound = (absolute(high) * bound_of_reconstruction + k * cut) * scale;
      R results[pack_lanes] = {};
      auto const some =
          decided_lanes(interval_of(m_problem.combination, {high * scale, load(memory.low + j) * scale, bound},
                                    load(memory.old + j), broadcast(1)),
                        results);
      std::size_t const lanes = std::min<std::size_t>(pack_lanes, columns.size() - j);
      for (std::size_t l = 0; l < lanes; ++l) {
        std::size_t const column = columns.begin + j + l;
        bool const decided = (some >> l & 1) != 0;
        LineScale const& other = m_columns.scales(column);
        if (!decided && !line.is_special && !other.is_special && (line.is_truncated || other.is_truncated)) ++undecided;
        if (!write) continue;
        *m_problem.C.at(row, column) =
            decided ? results[l]
                    : finish_entry(row, column, y, j + l, tile, basis, memory.high[j + l] == 0, memory.old[j + l]);
      }
    }
    return undecided;
  }

  EXAKT_NOINLINE_FUNCTION R finish_entry(std::size_t row, std::size_t column, std::int8_t const* y, std::size_t entry,
                                         std::size_t stride, Basis const& basis, bool is_zero, double old) const {
    LineScale const line = m_rows.scales(row), other = m_columns.scales(column);
    auto const& combination = m_problem.combination;
    if (line.is_special || other.is_special || line.is_truncated || other.is_truncated)
      return combination.template exactly<R>(exact_sum(row, column), old, 1);
    if (is_zero && !combination.reads_y && is_finite(combination.alpha)) return R{0};
    return combination.template exactly<R>(exact_integer(y, entry, stride, basis, line.unit + other.unit), old, 1);
  }

  ExactProducts exact_sum(std::size_t row, std::size_t column) const {
    constexpr std::size_t gathered = 512;
    double a[gathered], b[gathered];
    ExactProducts sum;
    Folds<ExactProducts, 4> folds;
    for (std::size_t begin = 0; begin < m_problem.k; begin += gathered) {
      std::size_t const size = std::min(gathered, m_problem.k - begin);
      widen(m_problem.A.at(row, begin), m_problem.A.column_stride, size, a);
      widen(m_problem.B.at(begin, column), m_problem.B.row_stride, size, b);
      folds.add_products(a, b, size, sum);
    }
    folds.drain(sum);
    return sum;
  }

  using Memory = Kokkos::View<double*, Kokkos::HostSpace>;
  using Counts = Kokkos::View<int*, Kokkos::HostSpace>;

  GemmProblem<T, U, R> m_problem;
  LineFactor<T> m_rows;
  LineFactor<U> m_columns;
  std::size_t m_limit;
  int m_depth_bits;  // 2^m_depth_bits >= k
  Counts m_row_moduli{"Exakt::gemm::moduli", m_rows.blocks()},
      m_column_moduli{"Exakt::gemm::moduli", m_columns.blocks()};
  Counts m_flags{"Exakt::gemm::flags", flags};
  Kokkos::View<Basis*, Kokkos::HostSpace> m_bases{"Exakt::gemm::bases", moduli_at_most + 1};
  Kokkos::View<std::uint8_t*, Kokkos::HostSpace> m_done{"Exakt::gemm::done", m_rows.blocks() * m_columns.blocks()};
  Memory m_workspace;
};

#endif

}  // namespace Exakt::Impl

#endif
