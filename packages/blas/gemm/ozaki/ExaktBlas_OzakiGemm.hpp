// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_OZAKIGEMM_HPP
#define EXAKTBLAS_OZAKIGEMM_HPP

/// \file
/// \brief The Ozaki engine of gemm (Ozaki scheme II): exact products by residues, which a library multiplies.
///
///     rows of A, columns of B --> measured --> integers * 2^unit --> residues mod m_1 ... m_s --> y_t --> C
///
/// Backends work in one of two ways:
///
///     tile by tile  on hosts: the library multiplies on the calling thread. The residues of a panel modulo all numbers
///                   are in memory, and threads make tiles of C from them. Each tile has its own number of moduli: as
///                   many as the bits of its lines ask for. Where lines have too many bits they are cut, which decides
///                   nearly all entries that do not cancel. Tiles where it does not are left to another pass with all
///                   bits that there are moduli for, and what is left then, to another engine.
///     whole         on any execution space: the library multiplies panels with all threads that there are, one modulus
///                   after the other. Nothing is cut; matrices with infinities, NaN, or too many bits for the moduli
///                   are left to another engine.
///
/// A residue is at most m/2 in magnitude, a word (m + 1)/2, a byte at most 128 with a sign and 255 without, so of `depth`
/// products, as many as a backend sums at once, the sum fits:
///
///     doubles:  m < 2^21,  (2^13 - 64) * 2^40 <= 2^53 - 2^46        bytes, in 32 bits:  2^16 * 255 * 128 < 2^31
///                                                                   words:              2^9 * 2047^2     < 2^31

#include "ExaktBlas_OzakiChoice.hpp"
#include "ExaktBlas_OzakiTile.hpp"

#include <array>
#include <memory>
#include <vector>

namespace Exakt::Impl::inline EXAKT_ABI {

/// One product by the Ozaki engine, which is below.
template <class Engine, class Space, class T, class U, class R>
class OzakiProduct : OzakiChoice<Space, typename Engine::Multiplier, T, U, R> {
  using Backend = typename Engine::Multiplier;
  using Choice = OzakiChoice<Space, Backend, T, U, R>;
  using Choice::depth_bits;
  using Choice::left;
  using Choice::problem;
  using Choice::right;
  using Kind = typename Backend::Kind;
  using Sum = typename Backend::Sum;
  using Class = typename Backend::Class;
  using Tile = OzakiTile<Space, Backend, T, U, R>;
  static constexpr bool on_host = is_on_host_v<Space>, by_tiles = Backend::by_tiles;
  static_assert(!by_tiles || (on_host && Tile::has_kernels), "Exakt: tiles are made by kernels");
  static constexpr int most_moduli_at_once = ResidueWriter<Backend, T, typename Backend::Left>::at_once;

 public:
  OzakiProduct(Engine const& engine, Space const& space, GemmProblem<T, U, R> const& product,
               GemmEpilogue const& epilogue)
      : Choice(space, product), m_engine(engine), m_space(space), m_epilogue(epilogue), m_limit(engine.workspace) {
    if (m_limit != 0) return;
    constexpr std::size_t of_device = std::size_t{1} << 27;
    m_limit =
        3 * (problem.m * problem.k * sizeof(T) + problem.k * problem.n * sizeof(U) + problem.m * problem.n * sizeof(R));
    if (!on_host) m_limit = std::max(m_limit, of_device);
  }

  void run() {
    if (this->is_declined(m_engine.may_decline)) return m_engine.otherwise.run(m_space, problem, m_epilogue);
    set_blocks();
    if constexpr (by_tiles) {
      if (this->is_worth_cutting()) pass(this->bits_worth_having());
    }
    pass(most_bits_of_line<Kind>);
    for (std::size_t tile = 0; tile < m_done.size(); ++tile) {
      if (m_done[tile] != 0) continue;
      Span const rows = rows_of(tile).lines, columns = columns_of(tile).lines;
      m_engine.otherwise.run(m_space, part_of(problem, rows, columns), part_of(m_epilogue, rows, columns));
    }
    m_space.fence();
  }

 private:
  bool is_threaded() const { return problem.m * problem.n * problem.k >= products_worth_threads; }

  // ---- tiles, row by row: each a block of rows and a block of columns

  void set_blocks() {
    std::size_t down = problem.m, across = problem.n;
    if constexpr (by_tiles) {
      auto const threads = static_cast<std::size_t>(m_space.concurrency());
      // Of a triangle smaller ones: half of a tile on the diagonal is for nothing.
      down = across = problem.part == GemmPart::all ? Tile::finished_at_once : Tile::finished_at_once / 2;
      while (down > 64 && problem.m < 2 * down * threads) down /= 2;
      while (across > 64 && problem.n < 2 * across) across /= 2;
    } else {
      // As much of C as there is memory for. Entries that are left have numbers of 32 bits.
      auto const is_too_large = [&] {
        return bytes(down, across, this->moduli_if_exact()) > m_limit || (down * across) >> 32 != 0;
      };
      // More moduli at once are fewer steps, whose starts small products take as long as for all else.
      constexpr std::size_t small = std::size_t{1} << 30;
      if (problem.m * problem.n * problem.k > small || is_too_large()) m_moduli_at_once = (most_moduli_at_once + 1) / 2;
      while (is_too_large() && std::max(down, across) > 64)
        (down >= across ? down : across) = (std::max(down, across) + 1) / 2;
    }
    left.set_blocks(down);
    right.set_blocks(across);
    m_done.resize(left.blocks.size() * right.blocks.size());
    for (std::size_t tile = 0; tile < m_done.size(); ++tile)
      m_done[tile] = problem.needs(rows_of(tile).lines, columns_of(tile).lines) ? 0 : 1;
  }
  OzakiBlock const& rows_of(std::size_t tile) const { return left.blocks[tile / right.blocks.size()]; }
  OzakiBlock const& columns_of(std::size_t tile) const { return right.blocks[tile % right.blocks.size()]; }
  int moduli_of(std::size_t tile) const {
    return moduli_for<Kind>(rows_of(tile).bits + columns_of(tile).bits + depth_bits);
  }
  bool is_pending(std::size_t tile) const { return m_done[tile] == 0 && moduli_of(tile) <= Kind::moduli_at_most; }
  /// Of panels of residues, of all moduli or of one, and of what is made from them at once.
  std::size_t bytes(std::size_t rows, std::size_t columns, int moduli) const {
    std::size_t const lines = padded_lines<Backend>(rows) + padded_lines<Backend>(columns),
                      panels = lines * left.stride() * sizeof(typename Backend::Left);
    return by_tiles ? static_cast<std::size_t>(moduli) * panels
                    : static_cast<std::size_t>(std::min(moduli, m_moduli_at_once)) * panels +
                          Tile::bytes(rows, columns, moduli, m_moduli_at_once);
  }

  // ---- a pass: all tiles that are pending and whose integers are not too long, with lines of at most so many bits

  void pass(int bits) {
    left.cut(bits);
    right.cut(bits);
    m_most_moduli = m_given_up = m_tried = 0;
    for (std::size_t tile = 0; tile < m_done.size(); ++tile) {
      if (!is_pending(tile)) continue;
      int const count = moduli_of(tile);
      for (OzakiBlock* const block :
           {&left.blocks[tile / right.blocks.size()], &right.blocks[tile % right.blocks.size()]})
        block->moduli = std::max(block->moduli, count);
      m_most_moduli = std::max(m_most_moduli, count);
      auto& basis = m_bases[static_cast<std::size_t>(count)];
      if (basis == nullptr) basis = std::make_unique<Basis<Kind>>(count);
    }
    if (m_most_moduli == 0) return;

    // Panels are of one block each, or of as many as there is memory for.
    std::size_t down = by_tiles ? left.blocks.size() : 1, across = by_tiles ? right.blocks.size() : 1;
    auto const lines = [](auto const& factor, std::size_t blocks) {
      return std::min(blocks * factor.blocks[0].lines.size(), factor.lines);
    };
    while (bytes(lines(left, down), lines(right, across), m_most_moduli) > m_limit && (down > 1 || across > 1)) {
      bool const is_high = lines(left, down) >= lines(right, across);
      (is_high ? down > 1 : across == 1) ? down = (down + 1) / 2 : across = (across + 1) / 2;
    }
    for (std::size_t i = 0; i < left.blocks.size(); i += down) {
      for (std::size_t j = 0; j < right.blocks.size(); j += across) {
        bool const has_rows = j > 0, has_columns = i > 0 && across >= right.blocks.size();
        multiply_panels({i, std::min(left.blocks.size(), i + down)}, {j, std::min(right.blocks.size(), j + across)},
                        has_rows, has_columns);
      }
    }
  }

  template <class Factor>
  static void set_panel(Factor& factor, Span blocks, int moduli) {
    factor.set_panel({factor.blocks[blocks.begin].lines.begin, factor.blocks[blocks.end - 1].lines.end}, moduli);
  }

  /// \param has_rows, has_columns  Whether their residues are in memory, of all moduli.
  void multiply_panels(Span rows, Span columns, bool has_rows, bool has_columns) {
    int const moduli = by_tiles ? m_most_moduli : std::min(m_most_moduli, m_moduli_at_once);
    if (!has_rows) set_panel(left, rows, moduli);
    if (!has_columns) set_panel(right, columns, moduli);
    std::size_t const all = rows.size() * columns.size();
    std::size_t workers = 1;
    if constexpr (by_tiles) {
      if (!has_rows) write_all_residues(left);
      if (!has_columns) write_all_residues(right);
      if (is_threaded()) workers = std::min(all, static_cast<std::size_t>(m_space.concurrency()));
    }
    m_tile_size =
        Tile::bytes(left.blocks[0].lines.size(), right.blocks[0].lines.size(), m_most_moduli, m_moduli_at_once);
    m_memory = m_workspace.reserve(m_space, workers * m_tile_size + 2 * 64);
    auto const tile_of = [=, this](std::size_t task) {
      return (rows.begin + task / columns.size()) * right.blocks.size() + columns.begin + task % columns.size();
    };
    if constexpr (by_tiles) {
      std::size_t next = 0;
      for_each_task("Exakt::gemm", m_space, workers, is_threaded(), [&, this](std::size_t worker) {
        for (std::size_t task; (task = Kokkos::atomic_fetch_add(&next, std::size_t{1})) < all;)
          try_tile(tile_of(task), worker);
      });
      m_space.fence();
    } else {
      try_tile(tile_of(0), 0);
    }
  }

  template <class Factor>
  void write_all_residues(Factor const& factor) const {
    auto const step = factor.writing(0, 0);
    for_each_task("Exakt::gemm::residues", m_space, step.tasks(), is_threaded(), [&](std::size_t task) {
      auto some = step;
      some.count = factor.blocks[step.line_of(task) / factor.blocks[0].lines.size()].moduli;
      some(task);
    });
    m_space.fence();
  }

  // ---- a tile

  void try_tile(std::size_t tile, std::size_t worker) {
    // What most tiles were left to is where the others will be left to, too.
    bool const hopeless = 2 * Kokkos::atomic_fetch_add(&m_given_up, 0) > Kokkos::atomic_fetch_add(&m_tried, 0);
    if (!is_pending(tile) || hopeless) return;
    Basis<Kind> const& basis = *m_bases[static_cast<std::size_t>(moduli_of(tile))];
    Span const rows = rows_of(tile).lines, columns = columns_of(tile).lines;
    std::size_t const across = Tile::padded_columns(columns.size()), size = padded_lines<Backend>(rows.size()) * across;
    auto* const begin = m_memory + (64 - reinterpret_cast<std::uintptr_t>(m_memory) % 64) % 64;
    auto* const sums = reinterpret_cast<Sum*>(begin + worker * m_tile_size);
    auto* const y =
        reinterpret_cast<Class*>(sums + static_cast<std::size_t>(std::min(basis.count, m_moduli_at_once)) * size);
    if (!multiply(rows, columns, basis, sums, y)) return;
    Tile const classes{problem, m_epilogue, left.scales(), right.scales(), rows, columns, across, size, basis, y};
    bool done = true;
    if constexpr (Tile::has_kernels) {
      done = finish(classes, rows_of(tile).is_cut || columns_of(tile).is_cut);
    } else {
      finish_entries(classes, reinterpret_cast<std::uint32_t*>(sums),
                     reinterpret_cast<std::uint32_t*>(begin + m_tile_size));
    }
    Kokkos::atomic_add(&m_tried, 1);
    Kokkos::atomic_add(&m_given_up, done ? 0 : 1);
    m_done[tile] = done ? 1 : 0;
  }

  /// Its classes. \return False if the library failed.
  bool multiply(Span rows, Span columns, Basis<Kind> const& basis, Sum* sums, Class* y) {
    std::size_t const down = padded_lines<Backend>(rows.size()), product_across = padded_lines<Backend>(columns.size()),
                      across = Tile::padded_columns(columns.size()), size = down * across;
    // What the library does not write must not be just anything; the numbers of those columns are not used.
    if constexpr (by_tiles) {
      if (across != product_across) std::fill_n(sums, size, Sum{0});
    }
    for (int t = 0; t < basis.count; t += m_moduli_at_once) {
      int const some = std::min(basis.count - t, m_moduli_at_once), place = by_tiles ? t : 0;
      if constexpr (!by_tiles) {
        run_step("Exakt::gemm::residues", left.writing(t, some));
        run_step("Exakt::gemm::residues", right.writing(t, some));
      }
      auto const* const a = left.residues(rows.begin, place);
      auto const* const b = right.residues(columns.begin, place);
      for (std::size_t begin = 0; begin < left.padded_depth(); begin += Backend::depth) {
        std::size_t const depth = std::min(left.padded_depth() - begin, Backend::depth);
        Class* const classes = y + static_cast<std::size_t>(t) * size;
        if constexpr (Tile::has_kernels) {
          if (!m_engine.backend(m_space, down, product_across, depth, a + begin, b + begin, left.stride(), sums,
                                across))
            return false;
          run_step("Exakt::gemm::reduce",
                   ReduceSums<Backend>{sums, size, Modulus<Kind>(t), basis.inverse[t], begin > 0, classes});
        } else {
          if (!m_engine.backend(m_space, some, down, product_across, depth, a + begin, left.step(), b + begin,
                                right.step(), left.stride(), sums, size, across))
            return false;
          run_step("Exakt::gemm::reduce", ReducePieces<Backend>(sums, size, basis, t, some, begin > 0, classes));
        }
      }
    }
    return true;
  }

  /// From these to C. \return False, and nothing written, if too many entries would have to be added one by one.
  bool finish(Tile const& tile, bool is_cut) const {
    if constexpr (by_tiles) {
      constexpr std::size_t rows_to_try = 8;
      Span const row{0, tile.columns.size()};
      if (is_cut) {
        std::size_t const skip = tile.rows.size() / rows_to_try + 1;
        std::size_t uncertain = 0, seen = 0;
        for (std::size_t r = 0; r < tile.rows.size(); r += skip, seen += row.size())
          uncertain += tile.finish(r, row, false);
        if (uncertain * 64 > seen) return false;
      }
    }
    run_step("Exakt::gemm::round", FinishTile<Tile>{tile});
    return true;
  }

  /// The same without kernels. \param undecided  Memory of the sums, which are no longer needed.
  void finish_entries(Tile const& tile, std::uint32_t* undecided, std::uint32_t* count) const {
    static_assert(sizeof(Sum) >= sizeof(std::uint32_t));
    Kokkos::deep_copy(m_space,
                      Kokkos::View<std::uint32_t, typename Space::memory_space, Kokkos::MemoryUnmanaged>(count), 0u);
    run_step("Exakt::gemm::round", DecideEntries<Tile>{tile, count, undecided});
    run_step("Exakt::gemm::round", FinishEntries<Tile>{tile, count, undecided});
  }

  /// By all threads of the space, or where each makes a tile by the calling one.
  template <class Step>
  void run_step(char const* label, Step const& step) const {
    if constexpr (by_tiles) {
      for (std::size_t task = 0; task < step.tasks(); ++task) step(task);
    } else {
      for_each_task(label, m_space, step.tasks(), is_threaded(), step);
    }
  }

  Engine const& m_engine;
  Space m_space;
  GemmEpilogue m_epilogue;
  std::size_t m_limit;
  // Of this pass.
  int m_most_moduli = 0, m_given_up = 0, m_tried = 0;
  std::size_t m_tile_size = 0;
  // Of which residues, where those are not of all, and sums are in memory.
  int m_moduli_at_once = most_moduli_at_once;
  // By the number of moduli; of tiles.
  std::array<std::unique_ptr<Basis<Kind>>, Kind::moduli_at_most + 1> m_bases;
  std::vector<std::uint8_t> m_done;
  Workspace<Space> m_workspace;
  std::uint8_t* m_memory = nullptr;
};

/// \brief The engine. Fastest where the rows of C are contiguous. C is of float or double.
///
/// \tparam Backend   Multiplies residues: `Kind`, the moduli; the types `Left`, `Right` and `Sum` of residues and their
///                   sums, and `Class` of y_t; `depth`, how many products of residues make a sum that fits;
///                   `lines_multiple` and `depth_multiple`, what panels are padded to; `by_tiles`, which way it works;
///                   where there are no kernels for its residues, one call multiplies for several moduli;
///                   on hosts `product_cost` and `entry_cost`, nanoseconds for each modulus; and the product itself.
/// \tparam Fallback  The engine that does what this one does not.
template <class Backend, class Fallback>
struct OzakiGemm {
  using Multiplier = Backend;
  Backend backend{};
  Fallback otherwise{};
  std::size_t workspace = 0;  // bytes, if more than the least that it needs; 0: three times what the matrices take
  bool may_decline = false;   // on hosts: leaves everything to the other engine where that is faster

  /// Waits for its steps, for each asks what the one before has found.
  template <class Space, class T, class U, class R>
  void run(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue) const {
    OzakiProduct<OzakiGemm, Space, T, U, R>(*this, space, problem, epilogue).run();
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
