// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TEAMGEMM_HPP
#define EXAKTBLAS_TEAMGEMM_HPP

/// \file
/// \brief The direct engine of gemm on devices: products in double arithmetic, enclosed in registers. It runs on any
/// space.
///
///     measure   exponents of all rows of A and columns of B
///     multiply  a team for each block of C, a tile of 4 x 4 sums for each of its threads: what is certain is written
///     finish    teams take what is not in turn, and add it exactly
///
/// While k goes by, slices of rows and columns are staged as doubles in the team's scratch memory:
///
///     A  |  k: a_0 a_1 .. a_63 |      row q * 16 + t is one of thread t's four, so that neighbouring threads read
///        |  next k:  ...       |      neighbouring doubles; from k to k is one double more than that, so that those
///     B  |  likewise           |      who write a row along k meet in no bank either
///
/// The sums are those of ExaktBlas_DirectGemm.hpp: a head and a rest for each, four operations a product, nothing to
/// check because the exponents are known beforehand. Long sums are cut into segments, which teams may share where there
/// are few blocks; then enclosures go through memory, and are decided in a kernel of its own.

#include "../matrix_vector/ExaktBlas_TeamProducts.hpp"
#include "ExaktBlas_BlockGemm.hpp"
#include "ExaktBlas_LineExponents.hpp"

#include <parallel/Exakt_Loop.hpp>
#include <parallel/Exakt_TeamSums.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr int threads_down = 16, threads_across = 8;  // of a team, at most: blocks of 64 x 32 sums
inline constexpr int depth_of_slice = 32;                    // of k, in team scratch memory: 25 KB
static_assert(largest_segment % depth_of_slice == 0);

/// A slice of lines: at k, line q of thread t at stride * k + threads * q + t.
template <int threads_at_most>
struct Slice {
  static constexpr int threads = threads_at_most, stride = tile_side * threads + 1, size = depth_of_slice * stride;
  double* entries;

  KOKKOS_FORCEINLINE_FUNCTION double& at(int l, int q, int thread) const {
    return entries[l * stride + q * threads + thread];
  }
};
using SliceOfRows = Slice<threads_down>;
using SliceOfColumns = Slice<threads_across>;

/// Heads and rests of a tile, in registers.
struct TileOfSums {
  HeadAndRest sums[tile_side][tile_side];

  /// The products of a slice.
  ///
  /// \param a, b  The first of the thread's own rows and columns.
  KOKKOS_FORCEINLINE_FUNCTION void add(double const* a, double const* b) {
    for (int l = 0; l < depth_of_slice; ++l, a += SliceOfRows::stride, b += SliceOfColumns::stride) {
      double x[tile_side], y[tile_side];
      EXAKT_UNROLLED_LOOP
      for (int q = 0; q < tile_side; ++q) x[q] = a[static_cast<std::ptrdiff_t>(q) * SliceOfRows::threads];
      EXAKT_UNROLLED_LOOP
      for (int c = 0; c < tile_side; ++c) y[c] = b[static_cast<std::ptrdiff_t>(c) * SliceOfColumns::threads];
      EXAKT_UNROLLED_LOOP
      for (int c = 0; c < tile_side; ++c) {
        EXAKT_UNROLLED_LOOP
        for (int q = 0; q < tile_side; ++q) sums[c][q].absorb(x[q], y[c]);
      }
    }
  }
};

/// Blocks of C, by teams.
template <class Space, class T, class U, class Y>
struct MultiplyBlocks : BlockGemm<T, U, Y> {
  // Three teams at once on a processor with 2^16 registers, 170 for each thread; of twice the size, it would be one.
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads_down * threads_across, 3>>;
  using Member = typename Policy::member_type;
  using Scratch = Kokkos::View<double*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  using Base = BlockGemm<T, U, Y>;
  using Base::blocks;
  using Base::parts;
  using Base::problem;
  static constexpr int scratch_entries = SliceOfRows::size + SliceOfColumns::size;

  explicit MultiplyBlocks(Base const& base) : Base(base) {}
  static std::size_t scratch_size() { return Scratch::shmem_size(scratch_entries); }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    Scratch const scratch(member.team_scratch(0), scratch_entries);
    SliceOfRows const a{scratch.data()};
    SliceOfColumns const b{scratch.data() + SliceOfRows::size};
    std::size_t const tasks = blocks.count() * this->slots, depth = problem.depth();
    auto const thread = static_cast<std::size_t>(member.team_rank());
    for (auto task = static_cast<std::size_t>(member.league_rank()); task < tasks;
         task += static_cast<std::size_t>(member.league_size())) {
      std::size_t const slot = task / blocks.count(), block = task - slot * blocks.count(),
                        tile = (block << blocks.bits()) + thread;
      auto const place = blocks.place(tile);
      for (std::size_t segment = slot; segment < this->segments; segment += this->slots) {
        std::size_t const begin = segment * this->segment;
        int const size = static_cast<int>(depth - begin < this->segment ? depth - begin : this->segment);
        TileOfSums sums;
        start(place, size, sums);
        for (int l = 0; l < size; l += depth_of_slice) {
          member.team_barrier();  // until all have used the slices before
          stage(member, place, begin + static_cast<std::size_t>(l), size - l, a, b);
          member.team_barrier();
          sums.add(a.entries + blocks.thread_down(thread), b.entries + blocks.thread_across(thread));
        }
        finish(tile, place, slot, segment == slot, size, sums);
      }
    }
  }

 private:
  /// Heads of sums of `depth` products start at 1.5 * 2^(e + f + h) with 2^(h - 1) >= depth; what HeadStart calls e is
  /// 2^level_head below that.
  KOKKOS_FORCEINLINE_FUNCTION int exponent_of_heads(TilePlace const& place, int q, int c, int depth) const {
    if (!this->exists(place, q / parts, c)) return 0;
    return this->of_rows[place.row(q / parts)].top + this->of_columns[place.column(c)].top +
           bit_width(static_cast<std::uint64_t>(depth)) + 1 - level_head;
  }

  KOKKOS_FORCEINLINE_FUNCTION void start(TilePlace const& place, int depth, TileOfSums& sums) const {
    EXAKT_UNROLLED_LOOP
    for (int c = 0; c < tile_side; ++c) {
      EXAKT_UNROLLED_LOOP
      for (int q = 0; q < tile_side; ++q) {
        int const e = exponent_of_heads(place, q, c, depth);
        sums.sums[c][q] = HeadAndRest(HeadStart::fits(e) ? HeadStart(e).start : 0, 0);
      }
    }
  }

  /// A slice of the block's rows of A, and of its columns of B: `depth` products, and zeros beyond all ends.
  ///
  /// \param place  Of the thread's own tile, from which those of the others are not far.
  KOKKOS_FORCEINLINE_FUNCTION void stage(Member const& member, TilePlace const& place, std::size_t begin, int depth,
                                         SliceOfRows const& a, SliceOfColumns const& b) const {
    auto const& A = problem.matrices.A;
    auto const& B = problem.matrices.B;
    auto const thread = static_cast<std::size_t>(member.team_rank());
    std::size_t const first_row = place.first_row - static_cast<std::size_t>(blocks.thread_down(thread)),
                      first_column = place.first_column - static_cast<std::size_t>(blocks.thread_across(thread));
    stage_lines(member, blocks.down_bits, A.row_stride <= A.column_stride, a, [&](int q, int t, int l) {
      std::size_t const row = first_row + static_cast<std::size_t>((q / parts << blocks.down_bits) + t);
      return row < blocks.m && l < depth ? problem.left(row, q % parts, begin + static_cast<std::size_t>(l)) : 0;
    });
    stage_lines(member, blocks.across_bits, B.column_stride <= B.row_stride, b, [&](int c, int t, int l) {
      std::size_t const column = first_column + static_cast<std::size_t>((c << blocks.across_bits) + t);
      return column < blocks.n && l < depth ? problem.right(column, begin + static_cast<std::size_t>(l)) : 0;
    });
  }

  /// Neighbouring threads read what is close together in memory.
  template <class Slice, class EntryOf>
  static KOKKOS_FORCEINLINE_FUNCTION void stage_lines(Member const& member, int thread_bits, bool lines_are_neighbours,
                                                      Slice const& to, EntryOf const& entry) {
    int const line_bits = thread_bits + bit_width(tile_side) - 1, depth_bits = bit_width(depth_of_slice) - 1,
              count = 1 << (line_bits + depth_bits);
    auto const at = [&](int i, auto const& use) {
      int const l = lines_are_neighbours ? i >> line_bits : i & (depth_of_slice - 1);
      int const line = lines_are_neighbours ? i & ((1 << line_bits) - 1) : i >> depth_bits;
      use(l, line >> thread_bits, line & ((1 << thread_bits) - 1));
    };
    // Loads that do not wait for the stores of those before, as far as compilers know.
    constexpr int loads = 8;
    int const threads = member.team_size();
    for (int first = member.team_rank(); first < count; first += loads * threads) {
      double entries[loads];
      EXAKT_UNROLLED_LOOP
      for (int k = 0; k < loads; ++k) {
        if (int const i = first + k * threads; i < count)
          at(i, [&](int l, int q, int t) { entries[k] = entry(q, t, l); });
      }
      EXAKT_UNROLLED_LOOP
      for (int k = 0; k < loads; ++k) {
        if (int const i = first + k * threads; i < count)
          at(i, [&](int l, int q, int t) { to.at(l, q, t) = entries[k]; });
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish(std::size_t tile, TilePlace const& place, std::size_t slot, bool is_first,
                                          int depth, TileOfSums const& sums) const {
    auto const enclose = [&](int q, int c) -> Enclosure {
      int const e = exponent_of_heads(place, q, c, depth);
      if (!HeadStart::fits(e)) return {};
      // Nothing but zeros, or nothing at all: known exactly. (Exponents of others add up to more than -2^12.)
      if (e < -LineMeasure::none / 2 || problem.depth_of(q % parts) == 0) return empty_sum();
      EnclosurePack const sum = enclosure_of_lanes(sums.sums[c][q], HeadStart(e).start, depth);
      return {sum.high, sum.low, sum.bound};
    };
    if (this->segments == 1) return this->try_round(tile, place, enclose);
    EXAKT_UNROLLED_LOOP
    for (int c = 0; c < tile_side; ++c) {
      EXAKT_UNROLLED_LOOP
      for (int q = 0; q < tile_side; ++q) {
        Enclosure const segment = has_fused_packs ? enclose(q, c) : Enclosure{};
        Enclosure sum = is_first ? empty_sum() : this->enclosures.get(slot, c * tile_side + q, tile);
        add_enclosure(sum, segment);
        this->enclosures.set(slot, c * tile_side + q, tile, sum);
      }
    }
  }
};

/// A tile of C from the enclosures of its segments, per call.
template <class T, class U, class Y>
struct RoundTiles : BlockGemm<T, U, Y> {
  explicit RoundTiles(BlockGemm<T, U, Y> const& base) : BlockGemm<T, U, Y>(base) {}

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t tile) const {
    this->try_round(tile, this->blocks.place(tile), [&](int q, int c) {
      Enclosure sum = this->enclosures.get(0, c * tile_side + q, tile);
      for (std::size_t slot = 1; slot < this->slots; ++slot)
        add_enclosure(sum, this->enclosures.get(slot, c * tile_side + q, tile));
      return sum;
    });
  }
};

/// All entries of a tile are undecided, per call.
template <class T, class U, class Y>
struct ListTiles : BlockGemm<T, U, Y> {
  explicit ListTiles(BlockGemm<T, U, Y> const& base) : BlockGemm<T, U, Y>(base) {}

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t tile) const {
    auto const place = this->blocks.place(tile);
    unsigned entries = 0;
    for (int e = 0; e < this->entries_of_tile; ++e)
      entries |= static_cast<unsigned>(this->exists(place, e % this->rows_of_tile, e / this->rows_of_tile)) << e;
    this->undecided.add(tile, entries);
  }
};

/// The products of a part of an entry of C.
template <class Problem>
struct ProductsOfEntry {
  using Operations = ProductOperations<double, double>;
  Problem const* problem;
  std::size_t row, column;
  int part;

  KOKKOS_FORCEINLINE_FUNCTION FactorPair term(std::size_t l, std::size_t) const {
    return {problem->left(row, part, l), problem->right(column, l)};
  }
};

/// What is left, exactly: tiles in turn, by teams. Where there are fewer tiles than teams, entries in turn.
template <class Space, class T, class U, class Y>
struct FinishTiles : BlockGemm<T, U, Y> {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  using Base = BlockGemm<T, U, Y>;
  using Base::blocks;
  using Base::entries_of_tile;
  using Base::epilogue;
  using Base::parts;
  using Base::problem;
  using Base::rows_of_tile;
  using Base::undecided;
  using Accumulator = AtomicAccumulator<ExactProducts>;
  using ScratchWords = Kokkos::View<Word*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int words_per_team = sums_of_tile * Accumulator::word_count;  // 10 KB

  explicit FinishTiles(Base const& base) : Base(base) {}
  static std::size_t scratch_size() { return ScratchWords::shmem_size(words_per_team); }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    int const word_count = words_per_team;
    ScratchWords const words(member.team_scratch(0), word_count);
    for (auto unit = static_cast<std::size_t>(member.league_rank());;
         unit += static_cast<std::size_t>(member.league_size())) {
      auto const tiles = static_cast<std::size_t>(*undecided.count);
      bool const by_entries = tiles < static_cast<std::size_t>(member.league_size());
      std::size_t const i = by_entries ? unit / entries_of_tile : unit;
      if (i >= tiles) return;
      unsigned entries = undecided.entries(i);
      if (by_entries) entries &= 1u << (unit % entries_of_tile);
      if (entries == 0) continue;  // for the whole team
      auto const place = blocks.place(undecided.tile(i));

      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, word_count), [&](int w) { words(w) = 0; });
      member.team_barrier();
      add_products(member, place, entries, words.data());
      member.team_barrier();
      int const count = entries_of_tile;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), [&](int e) {
        if ((entries >> e & 1) != 0) write(place, e, words.data());
      });
      member.team_barrier();
    }
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION Accumulator accumulator(Word* words, int sum) {
    return {words + sum, sums_of_tile};
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_products(Member const& member, TilePlace const& place, unsigned entries,
                                                Word* words) const {
    auto const thread = static_cast<std::size_t>(member.team_rank()),
               threads = static_cast<std::size_t>(member.team_size());
    for (int sum = 0; sum < sums_of_tile; ++sum) {
      int const e = sum / parts, part = sum % parts;
      if ((entries >> e & 1) == 0) continue;
      ProductsOfEntry<typename Base::Problem> const terms{&problem, place.row(e % rows_of_tile),
                                                          place.column(e / rows_of_tile), part};
      add_share(terms, 0, thread, threads, threads * TermBatchOf<decltype(terms)>::count, problem.depth_of(part),
                accumulator(words, sum));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(TilePlace const& place, int e, Word* words) const {
    Y& entry = this->entry(place, e % rows_of_tile, e / rows_of_tile);
    ExactProducts sums[parts];
    for (int part = 0; part < parts; ++part) sums[part] = accumulator(words, parts * e + part).sum();
    entry = epilogue.entry(sums, entry);
  }
};

/// How the work is shared; zero: as suits the space.
struct BlockShape {
  int team_size = 0;
  std::size_t segment = 0, slots = 0;  // products of a segment; teams that share a block
  std::size_t sums_at_once = 1 << 24;  // whose enclosures go through memory, 24 bytes each
};

/// One product by the direct engine of devices.
template <class Space, class T, class U, class Y>
class TeamProduct {
  using Problem = PlaneProblem<T, U, Y>;
  using Base = BlockGemm<T, U, Y>;
  using Multiply = MultiplyBlocks<Space, T, U, Y>;
  using Finish = FinishTiles<Space, T, U, Y>;
  using Memory = typename Space::memory_space;

 public:
  TeamProduct(Space const& space, Problem const& problem, EntryEpilogue const& epilogue, BlockShape const& shape)
      : m_space(space), m_problem(problem), m_epilogue(epilogue), m_shape(shape) {
    // Neighbouring threads write neighbouring rows.
    if constexpr (std::is_same_v<T, U>) {
      if (problem.matrices.C.row_stride > problem.matrices.C.column_stride) m_problem = transposed(problem);
    }
  }

  /// C, enqueued.
  void run() const {
    auto const& matrices = m_problem.matrices;
    if (matrices.m == 0 || matrices.n == 0) return;
    Base kernel{};
    kernel.problem = m_problem;
    kernel.epilogue = m_epilogue;
    kernel.blocks = {matrices.m, matrices.n, 0, 0};
    // Enclosures do not decide half types, and factors with an imaginary part mix the sums of both parts.
    bool enclosed = false;
    if constexpr (is_float_v<typename Problem::Real>) {
      enclosed = m_epilogue.parts_stay_apart();
      if (enclosed) share(kernel);
    }
    std::size_t const tiles = kernel.blocks.tiles();
    if (kernel.segments > 1 && tiles * sums_of_tile > m_shape.sums_at_once && matrices.m * matrices.n > 1)
      return run_halves();

    Workspace<Space> workspace;
    std::size_t const enclosures = kernel.segments > 1 ? EnclosureSlots::size(kernel.slots, tiles) : 0;
    auto* const words =
        reinterpret_cast<Word*>(workspace.reserve(m_space, (1 + tiles) * sizeof(Word) + enclosures * sizeof(double)));
    Kokkos::deep_copy(m_space, Kokkos::View<Word, Memory, Kokkos::MemoryUnmanaged>(words), Word{0});
    kernel.undecided = {words + 1, words};
    kernel.enclosures = {reinterpret_cast<double*>(words + 1 + tiles), tiles};
    MeasuredLines<Space> const rows(m_space, enclosed ? matrices.m : 0), columns(m_space, enclosed ? matrices.n : 0);
    kernel.of_rows = rows.data();
    kernel.of_columns = columns.data();

    if constexpr (is_float_v<typename Problem::Real>) {
      if (enclosed) {
        measure(rows, matrices.A);
        measure(columns, transposed(matrices.B));
        Kokkos::parallel_for("Exakt::gemm::multiply",
                             policy_of<Multiply>(kernel.blocks.count() * kernel.slots, 1 << kernel.blocks.bits()),
                             held(Multiply(kernel)));
        if (kernel.segments > 1) for_each_tile(kernel, RoundTiles<T, U, Y>(kernel));
      }
    }
    if (!enclosed) for_each_tile(kernel, ListTiles<T, U, Y>(kernel));
    finish(kernel);
  }

 private:
  template <class Kernel>
  void for_each_tile(Base const& base, Kernel const& kernel) const {
    loop("Exakt::gemm::round", m_space, base.blocks.tiles(), kernel);
  }

  /// Threads of a team: a power of two.
  template <class Kernel>
  int threads_of(Kernel const& kernel, std::size_t most) const {
    int const recommended = threads_of_team<Kernel>(m_space, held(kernel), m_shape.team_size);
    return 1 << (bit_width(std::min(static_cast<std::size_t>(recommended), most)) - 1);
  }

  /// Leagues are numbers of type int: teams take what is beyond in turn.
  template <class Kernel>
  typename Kernel::Policy policy_of(std::size_t teams, int team_size) const {
    return policy_of_teams<Kernel>(m_space, std::min<std::size_t>(teams, 1 << 30), team_size);
  }

  /// Teams, blocks and segments.
  void share(Base& kernel) const {
    int bits = bit_width(static_cast<std::uint64_t>(threads_of(Multiply(kernel), threads_down * threads_across))) - 1;
    auto const set_threads = [&] {
      kernel.blocks.down_bits = (bits + 1) / 2;
      kernel.blocks.across_bits = bits / 2;
    };
    set_threads();
    // As many teams as run at once: registers leave room for a quarter of the threads that there could be.
    auto const threads = static_cast<std::size_t>(m_space.concurrency()) / 4;
    while (m_shape.team_size == 0 && bits > 6 && kernel.blocks.tiles() <= threads / 2) {
      --bits;
      set_threads();
    }
    std::size_t const depth = m_problem.depth(), shares = std::max<std::size_t>(threads / kernel.blocks.tiles(), 1);
    constexpr std::size_t least_segment = 1024;
    std::size_t const wanted = std::min(std::max((depth + shares - 1) / shares, least_segment), largest_segment);
    kernel.segment =
        m_shape.segment > 0 ? m_shape.segment : (wanted + depth_of_slice - 1) / depth_of_slice * depth_of_slice;
    kernel.segments = std::max<std::size_t>((depth + kernel.segment - 1) / kernel.segment, 1);
    kernel.slots = std::min(kernel.segments, m_shape.slots > 0 ? m_shape.slots : shares);
  }

  template <class V>
  void measure(MeasuredLines<Space> const& lines, Strided<V const> const& from) const {
    using Real = typename Scalar<V>::Real;
    if constexpr (Scalar<V>::is_complex) {
      for (int part = 0; part < 2; ++part)
        lines.measure(m_space,
                      Strided<Real const>{reinterpret_cast<Real const*>(from.data) + part, 2 * from.row_stride,
                                          2 * from.column_stride},
                      lines.lines(), m_problem.matrices.k);
    } else {
      lines.measure(m_space, from, lines.lines(), m_problem.matrices.k);
    }
  }

  void run_halves() const {
    std::size_t const m = m_problem.matrices.m, n = m_problem.matrices.n;
    for (int half = 0; half < 2; ++half) {
      auto const of = [&](std::size_t lines) { return half == 0 ? Span{0, lines / 2} : Span{lines / 2, lines}; };
      auto part = m_problem;
      part.matrices = m > n ? part_of(m_problem.matrices, of(m), {0, n}) : part_of(m_problem.matrices, {0, m}, of(n));
      TeamProduct(m_space, part, m_epilogue, m_shape).run();
    }
  }

  void finish(Base const& base) const {
    Finish const kernel(base);
    constexpr std::size_t worth_thread = 16, least_threads = 32;
    int const threads = threads_of(kernel, std::max(m_problem.depth() / worth_thread, least_threads));
    std::size_t const at_once = std::max<std::size_t>(static_cast<std::size_t>(m_space.concurrency()) / threads, 1);
    Kokkos::parallel_for("Exakt::gemm::finish",
                         policy_of<Finish>(std::min(at_once, base.blocks.tiles() * Base::entries_of_tile), threads),
                         held(kernel));
  }

  Space m_space;
  Problem m_problem;
  EntryEpilogue m_epilogue;
  BlockShape m_shape;
};

/// The direct engine of devices.
struct TeamGemm {
  BlockShape shape{};

  template <class Space, class T, class U, class R>
  void run(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue) const {
    run(space, PlaneProblem<T, U, R>{problem, false, false},
        EntryEpilogue({epilogue.alpha, 0, false}, {epilogue.beta, 0, false}));
  }
  /// Complex, or both factors are real.
  template <class Space, class T, class U, class Y>
  void run(Space const& space, PlaneProblem<T, U, Y> const& problem, EntryEpilogue const& epilogue) const {
    if constexpr (Scalar<U>::is_complex && !Scalar<T>::is_complex) {
      TeamProduct<Space, U, T, Y>(space, transposed(problem), epilogue, shape).run();
    } else {
      TeamProduct<Space, T, U, Y>(space, problem, epilogue, shape).run();
    }
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
