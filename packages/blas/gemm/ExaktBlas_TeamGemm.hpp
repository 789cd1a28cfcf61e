// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TEAMGEMM_HPP
#define EXAKTBLAS_TEAMGEMM_HPP

/// \file
/// \brief The direct engine of gemm on devices: products in double arithmetic, enclosed in registers. It runs on any
/// space.
///
///     measure   exponents of all rows of A and columns of B
///     multiply  a team for each block of C, a tile of 4 x 4 sums for each of its threads: what is certain is written
///     finish    teams take what is not in turn, with more doubles, and exactly where these do not decide
///
/// The sums are those of ExaktBlas_DirectGemm.hpp: a head and a rest for each, four operations a product, nothing to
/// check because the exponents are known beforehand. Long sums are cut into segments, which teams may share where there
/// are few blocks; then enclosures go through memory, and are decided in a kernel of its own.
///
/// Small products are cascaded: three doubles for each sum (Exakt_CascadedSum.hpp), 25 operations a product, and one sum for
/// each thread. Nothing is measured, so there are three kernels to start instead of seven; and few sums are left, for
/// neither ties nor terms that cancel need more than three doubles.

#include "../matrix_vector/ExaktBlas_TeamProducts.hpp"
#include "ExaktBlas_CascadeBlocks.hpp"
#include "ExaktBlas_LineExponents.hpp"

#include <parallel/Exakt_Loop.hpp>
#include <parallel/Exakt_TeamSums.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr int side_of_heads = 4;  // rows, and columns, of sums of a thread: 64 registers, and 16 for factors

/// Blocks of C, by teams.
template <class Space, class T, class U, class Y>
struct MultiplyBlocks : StagedBlocks<Space, T, U, Y, side_of_heads> {
  // Three teams at once on a processor with 2^16 registers, 170 for each thread; of twice the size, it would be one.
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads_down * threads_across, 3>>;
  using Staged = StagedBlocks<Space, T, U, Y, side_of_heads>;
  using typename Staged::Member;
  using typename Staged::Scratch;
  using Sums = HeadAndRest[side_of_heads][side_of_heads];
  using Staged::blocks;
  using Staged::parts;
  using Staged::problem;

  explicit MultiplyBlocks(typename Staged::Base const& base) : Staged(base) {}

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    int const entries = Staged::scratch_entries;
    Scratch const scratch(member.team_scratch(0), entries);
    std::size_t const tasks = blocks.count() * this->slots, depth = problem.depth();
    for (auto task = static_cast<std::size_t>(member.league_rank()); task < tasks;
         task += static_cast<std::size_t>(member.league_size())) {
      std::size_t const slot = task / blocks.count(), block = task - slot * blocks.count(),
                        tile = (block << blocks.bits()) + static_cast<std::size_t>(member.team_rank());
      auto const place = blocks.place(tile);
      for (std::size_t segment = slot; segment < this->segments; segment += this->slots) {
        std::size_t const begin = segment * this->segment;
        int const size = static_cast<int>(depth - begin < this->segment ? depth - begin : this->segment);
        Sums sums;
        start(place, size, sums);
        this->add_products(member, place, begin, size, scratch.data(), sums);
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

  KOKKOS_FORCEINLINE_FUNCTION void start(TilePlace const& place, int depth, Sums& sums) const {
    EXAKT_UNROLLED_LOOP
    for (int c = 0; c < side_of_heads; ++c) {
      EXAKT_UNROLLED_LOOP
      for (int q = 0; q < side_of_heads; ++q) {
        int const e = exponent_of_heads(place, q, c, depth);
        sums[c][q] = HeadAndRest(HeadStart::fits(e) ? HeadStart(e).start : 0, 0);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish(std::size_t tile, TilePlace const& place, std::size_t slot, bool is_first,
                                          int depth, Sums const& sums) const {
    auto const enclose = [&](int q, int c) -> Enclosure {
      int const e = exponent_of_heads(place, q, c, depth);
      if (!HeadStart::fits(e)) return {};
      // Nothing but zeros, or nothing at all: known exactly. (Exponents of others add up to more than -2^12.)
      if (e < -LineMeasure::none / 2 || problem.depth_of(q % parts) == 0) return empty_sum();
      EnclosurePack const sum = enclosure_of_lanes(sums[c][q], HeadStart(e).start, depth);
      return {sum.high, sum.low, sum.bound};
    };
    if (this->segments == 1) return this->try_round(tile, place, enclose);
    EXAKT_UNROLLED_LOOP
    for (int c = 0; c < side_of_heads; ++c) {
      EXAKT_UNROLLED_LOOP
      for (int q = 0; q < side_of_heads; ++q) {
        Enclosure const segment = has_fused_packs ? enclose(q, c) : Enclosure{};
        Enclosure sum = is_first ? empty_sum() : this->enclosures.get(slot, c * side_of_heads + q, tile);
        add_enclosure(sum, segment);
        this->enclosures.set(slot, c * side_of_heads + q, tile, sum);
      }
    }
  }
};

/// A tile of C from the enclosures of its segments, per call.
template <class T, class U, class Y>
struct RoundTiles : BlockGemm<T, U, Y, side_of_heads> {
  using Base = BlockGemm<T, U, Y, side_of_heads>;
  explicit RoundTiles(Base const& base) : Base(base) {}

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t tile) const {
    this->try_round(tile, this->blocks.place(tile), [&](int q, int c) {
      Enclosure sum = this->enclosures.get(0, c * side_of_heads + q, tile);
      for (std::size_t slot = 1; slot < this->slots; ++slot)
        add_enclosure(sum, this->enclosures.get(slot, c * side_of_heads + q, tile));
      return sum;
    });
  }
};

/// All entries of a tile are undecided, per call.
template <class Base>
struct ListTiles : Base {
  explicit ListTiles(Base const& base) : Base(base) {}

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

/// \brief What is left: some tiles by each team in turn. Its threads try an entry each, with more doubles; what these do not
/// decide is added exactly, by all of them. Where there are fewer tiles than teams, entries in turn, exactly.
template <class Space, class Y, class Base>
struct FinishTiles : Base {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  using Base::blocks;
  using Base::entries_of_tile;
  using Base::epilogue;
  using Base::parts;
  using Base::problem;
  using Base::rows_of_tile;
  using Base::sums_of_tile;
  using Base::undecided;
  using Accumulator = AtomicAccumulator<ExactProducts>;
  using ScratchWords = Kokkos::View<Word*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int words_per_team = sums_of_tile * Accumulator::word_count;  // 10 KB of heads

  explicit FinishTiles(Base const& base) : Base(base) {}
  static std::size_t scratch_size() { return ScratchWords::shmem_size(words_per_team); }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    int const word_count = words_per_team;
    ScratchWords const words(member.team_scratch(0), word_count);
    auto const team = static_cast<std::size_t>(member.league_rank()),
               teams = static_cast<std::size_t>(member.league_size()),
               threads = static_cast<std::size_t>(member.team_size()),
               tiles = static_cast<std::size_t>(*undecided.count);
    if (tiles < teams) {
      for (std::size_t unit = team; unit < tiles * entries_of_tile; unit += teams) {
        std::size_t const i = unit / entries_of_tile;
        finish_tile(member, i, undecided.entries(i) & 1u << unit % entries_of_tile, words.data());
      }
      return;
    }
    std::size_t const at_once = threads > entries_of_tile ? threads / entries_of_tile : 1;
    for (std::size_t first = team * at_once; first < tiles; first += teams * at_once) {
      std::size_t const end = first + at_once < tiles ? first + at_once : tiles;
      if constexpr (is_float_v<typename Base::Real>) {
        for (std::size_t unit = first * entries_of_tile + static_cast<std::size_t>(member.team_rank());
             unit < end * entries_of_tile; unit += threads)
          try_entry(unit / entries_of_tile, static_cast<int>(unit % entries_of_tile));
        member.team_barrier();
      }
      for (std::size_t i = first; i < end; ++i) finish_tile(member, i, undecided.entries(i), words.data());
    }
  }

 private:
  /// Entry e of the i-th tile of the list, which it is taken from if it is decided.
  EXAKT_NOINLINE_FUNCTION void try_entry(std::size_t i, int e) const {
    if ((undecided.entries(i) >> e & 1) == 0 || !has_fused_packs) return;
    auto const place = blocks.place(undecided.tile(i));
    // More doubles still take far less time than digits.
    if (try_cascade<WideCascade>(place, e) || try_cascade<Cascade<10>>(place, e)) undecided.remove(i, e);
  }

  template <class Sum>
  KOKKOS_FORCEINLINE_FUNCTION bool try_cascade(TilePlace const& place, int e) const {
    return this->try_round_entry(this->entry(place, e % rows_of_tile, e / rows_of_tile), [&](int part) {
      auto const terms = products(place, e, part);
      std::size_t const depth = problem.depth_of(part);
      Sum sum;
      for (std::size_t l = 0; l < depth; l += TermBatchOf<decltype(terms)>::count)
        batch_of(terms, 0, l, 1, depth).add_to(sum);
      return sum.enclosure();
    });
  }

  /// Those entries of it that `entries` has a bit for, which all threads know.
  KOKKOS_FORCEINLINE_FUNCTION void finish_tile(Member const& member, std::size_t i, unsigned entries,
                                               Word* words) const {
    if (entries == 0) return;
    auto const place = blocks.place(undecided.tile(i));
    int const word_count = words_per_team, count = entries_of_tile;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, word_count), [&](int w) { words[w] = 0; });
    member.team_barrier();
    add_products(member, place, entries, words);
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), [&](int e) {
      if ((entries >> e & 1) != 0) write(place, e, words);
    });
    member.team_barrier();
  }

  static KOKKOS_FORCEINLINE_FUNCTION Accumulator accumulator(Word* words, int sum) {
    return {words + sum, sums_of_tile};
  }

  KOKKOS_FORCEINLINE_FUNCTION auto products(TilePlace const& place, int e, int part) const {
    return ProductsOfEntry<typename Base::Problem>{&problem, place.row(e % rows_of_tile),
                                                   place.column(e / rows_of_tile), part};
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_products(Member const& member, TilePlace const& place, unsigned entries,
                                                Word* words) const {
    auto const thread = static_cast<std::size_t>(member.team_rank()),
               threads = static_cast<std::size_t>(member.team_size());
    for (int sum = 0; sum < sums_of_tile; ++sum) {
      int const e = sum / parts, part = sum % parts;
      if ((entries >> e & 1) == 0) continue;
      auto const terms = products(place, e, part);
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
  std::size_t segment = 0, slots = 0;  // products of a segment, of heads; teams that share a block
  std::size_t sums_at_once = 1 << 24;  // whose enclosures go through memory, 24 bytes each
  enum class Sums { automatic, heads, cascades } sums = Sums::automatic;
};

/// One product by the direct engine of devices.
template <class Space, class T, class U, class Y>
class TeamProduct {
  using Problem = PlaneProblem<T, U, Y>;
  using Heads = BlockGemm<T, U, Y, side_of_heads>;
  using Multiply = MultiplyBlocks<Space, T, U, Y>;
  using Cascade = CascadeBlocks<Space, T, U, Y>;
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
    if (m_problem.matrices.m == 0 || m_problem.matrices.n == 0) return;
    // Enclosures do not decide half types.
    if constexpr (is_float_v<typename Problem::Real>) {
      using Sums = BlockShape::Sums;
      bool const by_cascades = m_shape.sums == Sums::automatic ? m_shape.segment == 0 && is_worth_cascading(m_problem)
                                                               : m_shape.sums == Sums::cascades;
      return by_cascades ? run_cascades() : run_heads();
    }
    auto kernel = begun<Heads>();
    Workspace<Space> workspace;
    reserve(workspace, kernel);
    for_each_tile(kernel, ListTiles<Heads>(kernel));
    finish(kernel);
  }

 private:
  void run_cascades() const {
    auto kernel = begun<typename Cascade::Base>();
    kernel.blocks.set_threads(bits_of_team(Cascade(kernel)));
    Workspace<Space> workspace;
    reserve(workspace, kernel);
    Kokkos::parallel_for("Exakt::gemm::multiply", policy_of<Cascade>(kernel.blocks.count(), 1 << kernel.blocks.bits()),
                         held(Cascade(kernel)));
    finish(kernel);
  }

  void run_heads() const {
    auto const& matrices = m_problem.matrices;
    auto kernel = begun<Heads>();
    share(kernel);
    std::size_t const tiles = kernel.blocks.tiles();
    if (kernel.segments > 1 && tiles * kernel.sums_of_tile > m_shape.sums_at_once && matrices.m * matrices.n > 1)
      return run_halves();

    Workspace<Space> workspace;
    std::size_t const enclosures = kernel.segments > 1 ? kernel.enclosures.size(kernel.slots, tiles) : 0;
    kernel.enclosures = {reserve(workspace, kernel, enclosures), tiles};
    MeasuredLines<Space> const rows(m_space, matrices.m), columns(m_space, matrices.n);
    kernel.of_rows = rows.data();
    kernel.of_columns = columns.data();
    measure(rows, matrices.A);
    measure(columns, transposed(matrices.B));
    Kokkos::parallel_for("Exakt::gemm::multiply",
                         policy_of<Multiply>(kernel.blocks.count() * kernel.slots, 1 << kernel.blocks.bits()),
                         held(Multiply(kernel)));
    if (kernel.segments > 1) for_each_tile(kernel, RoundTiles<T, U, Y>(kernel));
    finish(kernel);
  }

  /// One tile for each team.
  template <class Base>
  Base begun() const {
    Base kernel{};
    kernel.problem = m_problem;
    kernel.epilogue = m_epilogue;
    kernel.blocks = {m_problem.matrices.m, m_problem.matrices.n, 0, 0};
    return kernel;
  }

  /// The list of undecided tiles, with none in it, and memory for some doubles.
  template <class Base>
  double* reserve(Workspace<Space>& workspace, Base& kernel, std::size_t doubles = 0) const {
    std::size_t const tiles = kernel.blocks.tiles();
    auto* const words =
        reinterpret_cast<Word*>(workspace.reserve(m_space, (1 + tiles) * sizeof(Word) + doubles * sizeof(double)));
    Kokkos::deep_copy(m_space, Kokkos::View<Word, Memory, Kokkos::MemoryUnmanaged>(words), Word{0});
    kernel.undecided = {words + 1, words};
    return reinterpret_cast<double*>(words + 1 + tiles);
  }

  template <class Kernel>
  void for_each_tile(Heads const& base, Kernel const& kernel) const {
    loop("Exakt::gemm::round", m_space, base.blocks.tiles(), kernel);
  }

  /// Threads of a team: a power of two.
  template <class Kernel>
  int threads_of(Kernel const& kernel, std::size_t most) const {
    int const recommended = threads_of_team<Kernel>(m_space, held(kernel), m_shape.team_size);
    return 1 << (bit_width(std::min(static_cast<std::size_t>(recommended), most)) - 1);
  }
  template <class Kernel>
  int bits_of_team(Kernel const& kernel) const {
    return bit_width(static_cast<std::uint64_t>(threads_of(kernel, threads_down * threads_across))) - 1;
  }

  /// Leagues are numbers of type int: teams take what is beyond in turn.
  template <class Kernel>
  typename Kernel::Policy policy_of(std::size_t teams, int team_size) const {
    return policy_of_teams<Kernel>(m_space, std::min<std::size_t>(teams, 1 << 30), team_size);
  }

  /// Teams, blocks and segments.
  void share(Heads& kernel) const {
    int bits = bits_of_team(Multiply(kernel));
    kernel.blocks.set_threads(bits);
    // As many teams as run at once: registers leave room for a quarter of the threads that there could be.
    auto const threads = static_cast<std::size_t>(m_space.concurrency()) / 4;
    while (m_shape.team_size == 0 && bits > 6 && kernel.blocks.tiles() <= threads / 2)
      kernel.blocks.set_threads(--bits);
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

  template <class Base>
  void finish(Base const& base) const {
    using Finish = FinishTiles<Space, Y, Base>;
    Finish const kernel(base);
    constexpr std::size_t worth_thread = 16, least_threads = 32;
    int const threads = threads_of(kernel, std::max(m_problem.depth() / worth_thread, least_threads));
    // Threads that run at once: these take all registers that there are for one.
    auto const all = static_cast<std::size_t>(m_space.concurrency()) / (is_on_host_v<Space> ? 1 : 8);
    std::size_t const at_once = std::max<std::size_t>(all / static_cast<std::size_t>(threads), 1);
    Kokkos::parallel_for("Exakt::gemm::finish",
                         policy_of<Finish>(std::min(at_once, base.blocks.tiles() * base.entries_of_tile), threads),
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
