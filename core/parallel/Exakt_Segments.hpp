// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_SEGMENTS_HPP
#define EXAKT_SEGMENTS_HPP

/// \file
/// \brief How segmented_sum runs: a block of segments at a time.
///
///     short segments --> two doubles each --> decided? --> result
///     longer ones ---------> enclosure -----> decided? --> result
///                                             no: the exact sum of a tile in four levels, or a long accumulator
///     very long ones: afterwards, each on all threads
///
/// On devices a thread, the lanes of one, or a team adds a segment: three doubles and a bound, and if these do not decide
/// it, long accumulators.

#include "../summation/Exakt_CascadedSum.hpp"
#include "../summation/Exakt_EnclosedSum.hpp"
#include "../summation/Exakt_ShortSum.hpp"
#include "Exakt_ColumnTiles.hpp"
#include "Exakt_Loop.hpp"
#include "Exakt_OperandChecks.hpp"
#include "Exakt_Region.hpp"
#include "Exakt_TeamSums.hpp"
#include "Exakt_Transform.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// x(i), for transform_sum.
template <class X>
struct EntryAt {
  X x;
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(std::size_t i) const { return x(i); }
};

/// \tparam Offsets  offsets(s): where segment s begins, and the one before ends. Anything that is called like a View.
template <bool is_on_host, class Offsets, class X, class R>
struct SegmentSums {
  using Entry = typename X::non_const_value_type;
  using Result = typename R::non_const_value_type;
  using Value = typename ColumnTiles<X>::Value;
  using Long = LongAccumulator<double>;
  static constexpr bool on_host = is_on_host;
  static constexpr std::size_t block_size = on_host ? 128 : 1;
  /// Terms of a segment that is worth all threads.
  static constexpr std::int64_t very_long = 1 << 18;

  Offsets offsets;
  X x;
  R r;
  std::size_t segments;
  bool leaves_very_long_ones;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t block) const {
    std::size_t const first = block * block_size;
    if constexpr (on_host) {
      std::size_t const rest = segments - first;
      add_block(first, static_cast<int>(rest < block_size ? rest : block_size));
    } else {
      auto const begin = static_cast<std::size_t>(offsets(first)), end = static_cast<std::size_t>(offsets(first + 1));
      if constexpr (is_float_v<Result>) {
        CascadedSum sum;
        for (std::size_t i = begin; i < end; ++i) sum += exact_double(x(i));
        Result result;
        if (try_round(sum.enclosure(), result)) {
          r(first) = result;
          return;
        }
      }
      Long sum;
      for (std::size_t i = begin; i < end; ++i) sum += exact_double(x(i));
      r(first) = sum.template round<Result>();
    }
  }

 private:
  void add_block(std::size_t first, int count) const {
    std::int64_t begins[block_size + 1];
    for (int s = 0; s <= count; ++s)
      begins[s] = static_cast<std::int64_t>(offsets(first + static_cast<std::size_t>(s)));
    Result results[block_size];
    int undecided[block_size], rejected = count;
    bool decided = false;
    if constexpr (std::is_same_v<Entry, Result> && is_float_v<Entry>) {
      if (ColumnTiles<X>{x}.is_contiguous()) {
        KernelsOf<Entry> const& kernel = kernels();
        rejected = kernel.sum_segments(x.data(), begins, count, results, undecided);
        decided = true;
      }
    }
    for (int k = 0; k < rejected; ++k) {
      int const s = decided ? undecided[k] : k;
      std::int64_t const length = begins[s + 1] - begins[s];
      if (leaves_very_long_ones && length > very_long) continue;
      results[s] = sum(static_cast<std::size_t>(begins[s]), static_cast<std::size_t>(length));
    }
    for (int s = 0; s < count; ++s) r(first + static_cast<std::size_t>(s)) = results[s];
  }

  /// The result of one segment.
  Result sum(std::size_t begin, std::size_t count) const {
    ColumnTiles<X> const tiles{x};
    KernelsOf<Value> const& kernel = kernels();
    if (tiles.is_contiguous() || count <= enclosure_tile_size) {
      typename ColumnTiles<X>::Buffer buffer;
      tiles.gather(begin, 0, count, 1, 0, buffer);
      Value const* const terms = tiles.at(begin, 0, buffer.entries);
      if constexpr (is_float_v<Result>) {
        Enclosure enclosure{};
        Result result;
        if (kernel.enclose(terms, count, tiles.size_from(begin + count), enclosure) && try_round(enclosure, result))
          return result;
      }
      if (count <= extraction_tile_size / 2) {
        constexpr int levels = 4, lowest = FloatFormat<double>::lsb_exponent;
        int const size = static_cast<int>(count), e = exponent_above(kernel.largest(terms, size, 0));
        std::int64_t units[levels];
        if (ShortSum<levels>::fits(e, lowest) && kernel.extract(terms, size, 0, levels, e, lowest, units))
          return ShortSum<levels>(units, e, lowest).template round<Result>();
      }
    }
    Long sum;
    Extraction<Long, 3> extraction;
    typename ColumnTiles<X>::Buffer buffer;
    for (std::size_t done = 0; done < count;) {
      std::size_t const some = count - done < enclosure_tile_size ? count - done : enclosure_tile_size;
      tiles.gather(begin + done, 0, some, 1, 0, buffer);
      extraction.add(tiles.at(begin + done, 0, buffer.entries), some, sum);
      done += some;
    }
    extraction.drain(sum);
    return sum.template round<Result>();
  }
};

/// \brief On devices a segment of some dozen terms for the vector lanes of each thread, or of more for each team.
template <class Space, class Offsets, class X, class R>
struct SharedSegments {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  using Result = typename R::non_const_value_type;
  static constexpr int lanes = 32;  // that all devices have
  static std::size_t scratch_size() { return 0; }

  Offsets offsets;
  X x;
  R r;
  std::size_t segments;
  bool threads_share;

  KOKKOS_FORCEINLINE_FUNCTION double term(std::size_t i, std::size_t) const { return exact_double(x(i)); }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    auto const team = static_cast<std::size_t>(member.league_rank()),
               rank = static_cast<std::size_t>(member.team_rank()),
               threads = static_cast<std::size_t>(member.team_size());
    std::size_t const segment = threads_share ? team : team * threads + rank;
    if (segment >= segments) return;
    auto const begin = static_cast<std::size_t>(offsets(segment)), end = static_cast<std::size_t>(offsets(segment + 1));
    if (threads_share) {
      Result const result = sum(member, begin, end, static_cast<int>(threads) * lanes,
                                [&](int n) { return Kokkos::TeamVectorRange(member, n); });
      Kokkos::single(Kokkos::PerTeam(member), [&] { r(segment) = result; });
    } else {
      Result const result = sum(member, begin, end, lanes, [&](int n) { return Kokkos::ThreadVectorRange(member, n); });
      Kokkos::single(Kokkos::PerThread(member), [&] { r(segment) = result; });
    }
  }

 private:
  /// By so many workers, range(workers) of Kokkos; all of them get it.
  template <class Range>
  KOKKOS_INLINE_FUNCTION Result sum(Member const& member, std::size_t begin, std::size_t end, int workers,
                                    Range const& range) const {
    auto const step = static_cast<std::size_t>(workers);
    if constexpr (is_float_v<Result>) {
      constexpr std::size_t batch = TermBatch<double>::count;
      CascadedSum known;
      Kokkos::parallel_reduce(
          range(workers),
          [&](int worker, CascadedSum& mine) {
            for (std::size_t i = begin + static_cast<std::size_t>(worker); i < end; i += batch * step)
              batch_of(*this, 0, i, step, end).add_to(mine);
          },
          Reducer<CascadedSum>(known));
      Result result;
      if (try_round(known.enclosure(), result)) return result;
      if (threads_share) member.team_barrier();  // the next reduction writes where all threads read this one
    }
    using Long = LongAccumulator<double>;
    Long exact;
    Kokkos::parallel_reduce(
        range(workers),
        [&](int worker, Long& mine) {
          for (std::size_t i = begin + static_cast<std::size_t>(worker); i < end; i += step) mine += term(i, 0);
        },
        Reducer<Long>(exact));
    return exact.template round<Result>();
  }
};

/// Threads of a device for a segment of so many terms; none if lanes would have too little to do.
inline int threads_of_segment(std::size_t terms) {
  constexpr std::size_t least = 16, of_thread = 512, most = 32;
  if (terms < least) return 0;
  return static_cast<int>(std::clamp<std::size_t>(terms / of_thread, 1, most));
}

/// What is found out about offsets before they are used.
struct OffsetsReport {
  std::size_t first_wrong =
      ~std::size_t{0};  // the number of the first one that is less than the one before, or outside
  std::int64_t longest = 0;

  KOKKOS_FUNCTION void clear() { *this = OffsetsReport(); }
  KOKKOS_FUNCTION OffsetsReport& operator+=(OffsetsReport const& other) {
    if (other.first_wrong < first_wrong) first_wrong = other.first_wrong;
    if (other.longest > longest) longest = other.longest;
    return *this;
  }
};

template <class Offsets>
struct LookAtOffsets {
  Offsets offsets;
  std::size_t entries;

  KOKKOS_FUNCTION void operator()(std::size_t i, OffsetsReport& report) const {
    using Offset = typename Offsets::non_const_value_type;
    Offset const offset = offsets(i), before = i == 0 ? Offset{0} : offsets(i - 1);
    // In this order: what is not below zero converts.
    if (is_below_zero(offset) || offset < before || static_cast<std::uint64_t>(offset) > entries) {
      if (i < report.first_wrong) report.first_wrong = i;
    } else if (i > 0 && !is_below_zero(before)) {
      auto const length = static_cast<std::int64_t>(offset - before);
      if (length > report.longest) report.longest = length;
    }
  }
};

template <class Space, class V>
auto entry_on_host(Space const& space, V const& view, std::size_t i) {
  typename V::non_const_value_type entry{};
  Kokkos::View<typename V::non_const_value_type, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const here(&entry);
  Kokkos::deep_copy(space, here, Kokkos::subview(view, i));
  space.fence();
  return entry;
}

template <class Space, class Offsets, class X>
OffsetsReport require_offsets(char const* function, Space const& space, Offsets const& offsets, X const& x) {
  OffsetsReport report;
  Kokkos::parallel_reduce("Exakt::segmented_sum::check",
                          Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, offsets.extent(0)),
                          LookAtOffsets<Offsets>{offsets, x.extent(0)}, Reducer<OffsetsReport>(report));
  if (report.first_wrong < offsets.extent(0)) {
    std::string const number = std::to_string(report.first_wrong);
    throw std::invalid_argument(std::string("Exakt::") + function + ": offsets(" + number + ") is " +
                                std::to_string(entry_on_host(space, offsets, report.first_wrong)) + ", x is " +
                                shape_of(x) + "; offsets must not decrease, and lie between 0 and x.extent(0)");
  }
  return report;
}

/// The sums of the segments, which have been looked at.
template <class Space, class Offsets, class X, class R>
void sum_segments(Space const& space, Offsets const& offsets, X const& x, R const& r, std::size_t segments,
                  std::int64_t longest) {
  using Sums = SegmentSums<runs_on_host<Space>, Offsets, X, R>;
  if constexpr (!Sums::on_host) {
    // Segments of unlike lengths wait for the longest.
    auto const length = std::max(x.extent(0) / segments, static_cast<std::size_t>(longest) / 8);
    if (int const wanted = threads_of_segment(length); wanted > 0) {
      using Kernel = SharedSegments<Space, Offsets, X, R>;
      constexpr int threads_apart = 8;
      bool const is_team_for_each = wanted > 1 && segments >> 31 == 0;  // teams are counted in int
      Kernel const kernel{offsets, x, r, segments, is_team_for_each};
      int const most = policy_of_teams<Kernel>(space, 1, 1, Kernel::lanes)
                           .team_size_max(held(kernel), Kokkos::ParallelForTag()),
                threads = std::min(is_team_for_each ? wanted : threads_apart, most);
      std::size_t const of_team = is_team_for_each ? 1 : static_cast<std::size_t>(threads);
      Kokkos::parallel_for("Exakt::segmented_sum",
                           policy_of_teams<Kernel>(space, (segments + of_team - 1) / of_team, threads, Kernel::lanes),
                           held(kernel));
      return;
    }
  }
  bool const shares_long_ones = Sums::on_host && space.concurrency() > 1 && longest > Sums::very_long;
  Sums const sums{offsets, x, r, segments, shares_long_ones};
  std::size_t const blocks = (segments + Sums::block_size - 1) / Sums::block_size;
  if (Sums::on_host && blocks == 1) {
    sums(0);
  } else {
    // Segments differ in length, hence blocks in time.
    Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>, Kokkos::Schedule<Kokkos::Dynamic>> policy(space, 0,
                                                                                                         blocks);
    if (Sums::on_host) policy.set_chunk_size(1);
    loop("Exakt::segmented_sum", policy, sums);
  }
  if constexpr (Sums::on_host) {
    for (std::size_t s = 0; shares_long_ones && s < segments; ++s) {
      auto const begin = static_cast<std::size_t>(offsets(s)), end = static_cast<std::size_t>(offsets(s + 1));
      if (static_cast<std::int64_t>(end - begin) <= Sums::very_long) continue;
      SumAccumulator<double> sum;
      using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>;
      Transform<SumTerms, Range, EntryAt<X>>{"Exakt::segmented_sum::long", Range(space, begin, end), EntryAt<X>{x}}
          .add_to(sum);
      r(s) = sum.template round<typename Sums::Result>();
    }
  }
}

template <class V>
constexpr bool require_integers() {
  if constexpr (are_views_v<V>) {
    static_assert(is_integer_v<typename V::non_const_value_type>,
                  "Exakt: offsets and keys are integers of at most 64 bits");
    static_assert(V::rank == 1, "Exakt: offsets and keys are vectors");
  }
  return true;
}

/// Checks, and the sums.
template <class Space, class Offsets, class X, class R>
void segmented_sum(char const* function, Space const& space, Offsets const& offsets, X const& x, R const& r) {
  static_assert(require_views<Offsets>());
  static_assert(require_integers<Offsets>());
  static_assert(require_access<Space, Offsets>());
  static_assert(require_operand<Space, X>());
  static_assert(require_operand<Space, R>());
  static_assert(require_output<R>());
  static_assert(X::rank == 1 && R::rank == 1, "Exakt: x and r of segmented_sum are vectors");
  if (offsets.extent(0) != r.extent(0) + 1)
    refuse_shapes(function, "offsets", offsets, "r", r, "offsets.extent(0) must equal r.extent(0) + 1");
  require_no_overlap(function, "r", r, "x", x);
  require_no_overlap(function, "r", r, "offsets", offsets);
  in_region(Label{function}, [&] {
    OffsetsReport const report = require_offsets(function, space, offsets, x);
    if (r.extent(0) > 0) sum_segments(space, offsets, x, r, r.extent(0), report.longest);
  });
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
