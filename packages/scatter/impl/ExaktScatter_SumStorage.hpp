// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_SUMSTORAGE_HPP
#define EXAKTSCATTER_SUMSTORAGE_HPP

/// \file
/// \brief The bins of a ScatterSum and their extents: made, indexed, read, merged, resized.

#include "ExaktScatter_Checks.hpp"
#include "ExaktScatter_ReadBins.hpp"

#include <parallel/Exakt_Loop.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace Exakt::Impl::inline EXAKT_ABI {

template <class DataType>
inline constexpr int usual_radix = std::is_same_v<typename BinShape<DataType>::value_type, double> ? 56 : 32;

/// The last argument if it is a Rounding.
template <class... A>
Rounding last_if_mode(A const&... arguments) {
  Rounding mode = Rounding::to_nearest;
  [[maybe_unused]] auto const look = [&](auto const& argument) {
    if constexpr (std::is_same_v<std::decay_t<decltype(argument)>, Rounding>) mode = argument;
  };
  (look(arguments), ...);
  return mode;
}

/// What the constructor of a ScatterSum is given after the name: extents, and perhaps Terms or an ExponentRange.
template <class Shape, class Bins>
struct BinArguments {
  Shape shape;
  ExponentRange range = Bins::range_of(Terms::products);

  template <class... A>
  explicit BinArguments(A const&... arguments) : shape(shape_of(arguments...)) {
    (take(arguments), ...);
  }

 private:
  template <class... A>
  static Shape shape_of(A const&... arguments) {
    static_assert(((std::is_integral_v<A> ? 1 : 0) + ... + 0) == Shape::rank_dynamic,
                  "Exakt: bins have as many extents as their type has stars: ScatterSum<double*[3]> forces(name, n)");
    std::int64_t extents[Shape::rank_dynamic + 1] = {};
    int r = 0;
    [[maybe_unused]] auto const take = [&](auto argument) {
      if constexpr (std::is_integral_v<decltype(argument)>) extents[r++] = static_cast<std::int64_t>(argument);
    };
    (take(arguments), ...);
    return Shape::of_dynamic(extents);
  }

  template <class A>
  void take([[maybe_unused]] A const& argument) {
    static_assert(std::is_integral_v<A> || std::is_same_v<A, Terms> || std::is_same_v<A, ExponentRange>,
                  "Exakt: after its name a ScatterSum takes extents, and then Terms or an ExponentRange");
    if constexpr (std::is_same_v<A, Terms>) range = Bins::range_of(argument);
    if constexpr (std::is_same_v<A, ExponentRange>) range = argument;
  }
};

template <class Space, class MemorySpace, class Result, int rank>
constexpr bool require_bin_results() {
  if constexpr (are_views_v<Result>) {
    static_assert(rank == 1 || Result::rank == rank,
                  "Exakt: the result is a View of the rank of the bins, with an entry for each");
    static_assert(require_entries<typename Result::non_const_value_type>());
    static_assert(!std::is_const_v<typename Result::value_type>, "Exakt: the result is written");
    static_assert(Kokkos::SpaceAccessibility<Space, typename Result::memory_space>::accessible &&
                      Kokkos::SpaceAccessibility<Space, MemorySpace>::accessible,
                  "Exakt: the execution space must reach the memory of the bins and of the result");
  }
  return true;
}

template <class Sums, class Space, class Sum>
constexpr bool is_row_of_sums() {
  static_assert(Kokkos::is_view<Sums>::value, "Exakt: bins are read to, and assigned from, a View of accumulator_type");
  if constexpr (Kokkos::is_view<Sums>::value) {
    static_assert(Sums::rank == 1 && std::is_same_v<typename Sums::non_const_value_type, Sum>,
                  "Exakt: bins are read to, and assigned from, a View of accumulator_type, of rank 1");
    static_assert(Kokkos::SpaceAccessibility<Space, typename Sums::memory_space>::accessible,
                  "Exakt: the space of the bins must reach the View");
  }
  return true;
}

template <class Shape, class Space, int RadixBits>
struct SumStorage {
  using execution_space = typename Space::execution_space;
  using MemorySpace = typename Space::memory_space;
  using Bins = Impl::Bins<typename Shape::value_type, MemorySpace, RadixBits>;
  static constexpr bool host_reads_bins = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;

  Bins bins;
  Shape shape;

  void create(std::string const& name, ExponentRange range, Shape const& of_shape) {
    require_extents_of_bins("ScatterSum", name, of_shape);
    constexpr ExponentRange widest = Bins::range_of(Terms::products);
    if (range.lowest < widest.lowest || range.highest > widest.highest || range.lowest > range.highest) {
      refuse_scatter("ScatterSum", Impl::quoted(name) + " cannot have the exponent range {" +
                                       std::to_string(range.lowest) + ", " + std::to_string(range.highest) +
                                       "}; it must lie within {" + std::to_string(widest.lowest) + ", " +
                                       std::to_string(widest.highest) + "}, the lower limit first");
    }
    shape = of_shape;
    bins.size = shape.size();
    bins.range = range;
    bins.digits = Bins::digits_for(range);
    bins.planes = {0, bins.digits - 1, ~Word{0}};
    // An odd number of cache lines per plane: the digits of a bin do not all fall into one set of the cache.
    std::size_t const lines = (static_cast<std::size_t>(bins.size) + 7) / 8 | 1;
    bins.words = typename Bins::Words(name, 8 * lines, static_cast<std::size_t>(bins.digits) + 1);
    bins.plane = bins.words.stride(1);
    bins.report = typename Bins::Report(name + " refusals");
    write_report(execution_space(), bins.report, ScatterReport{});
    execution_space().fence();
  }

  void resize(Shape const& to) {
    if (to == shape && bins.words.data()) return;
    require_extents_of_bins("ScatterSum::resize", bins.words.label(), to);
    Region const region("Exakt::ScatterSum::resize");
    auto const space = space_behind_all_kernels<execution_space>();
    auto const report = read_report<ScatterReport>(space, bins.report);
    SumStorage result;
    result.create(bins.words.label(), bins.words.data() ? bins.range : Bins::range_of(Terms::products), to);
    write_report(space, result.bins.report, report);
    result.for_each("Exakt::ScatterSum::resize", space, CopyBins<Bins, Shape>{result.bins, bins, to, shape});
    *this = result;
  }

  /// The indices from rank `R` on, then a term or two factors.
  template <bool Negated, int R = 0, class A, class... More>
  KOKKOS_FORCEINLINE_FUNCTION void add_from(std::int64_t bin, A const& a, More const&... more) const {
    if constexpr (R == Shape::rank) {
      bins.template add_term<Negated>(bin, a, more...);
    } else {
      if (!shape.template has<R>(a)) return bins.refuse_index(a);
      add_from<Negated, R + 1>(next_rank(bin, shape.template extent_of<R>(), static_cast<std::int64_t>(a)), more...);
    }
  }

  /// f(number of a bin) for all; waited for.
  template <class Where, class F>
  void for_each(char const* label, Where const& space, F const& f) const {
    for_each_in_blocks(label, space, bins.size, f);
  }

  template <class Read, class... A>
  typename Read::result_type read_bin(char const* function, Read const& read, A const&... indices_and_mode) const {
    constexpr bool has_mode = (std::is_same_v<A, Rounding> || ...);
    static_assert(sizeof...(A) == Shape::rank + (has_mode ? 1 : 0),
                  "Exakt: a bin is named by an index for each of its ranks");
    std::int64_t bin = 0;
    int r = 0;
    bool has = true;
    std::string indices;
    [[maybe_unused]] auto const take = [&](auto i) {
      if constexpr (!std::is_same_v<decltype(i), Rounding>) {
        has = has && is_below(i, shape.extent[r]);
        bin = next_rank(bin, shape.extent[r], static_cast<std::int64_t>(i));
        indices += (r++ == 0 ? "" : ", ") + std::to_string(i);
      }
    };
    (take(indices_and_mode), ...);
    if (!has) {
      refuse_scatter(function, quoted() + " has " + shape.text() + ", there is no bin " +
                                   (Shape::rank == 1 ? indices : "(" + indices + ")"));
    }
    auto const space = space_behind_all_kernels<execution_space>();
    Bins const bins = readable(function, space);
    if constexpr (host_reads_bins) {
      typename Read::result_type result;
      in_default_environment([&] { result = read(bins, bin); });
      return result;
    } else {
      using Result = typename Read::result_type;
      using There = Kokkos::View<Result*, MemorySpace>;
      There const there(Kokkos::view_alloc(Kokkos::WithoutInitializing, bins.words.label() + " bin"), 1);
      loop("Exakt::ScatterSum::read_bin", space, 1, ReadBins<Bins, Read, There>{bins, read, there, bin});
      space.fence();
      Result result;
      Kokkos::deep_copy(result, Kokkos::subview(there, 0));
      return result;
    }
  }

  /// All bins in a row, with the last index fastest: [first, first + count) are some of them.
  void require_range(char const* function, std::int64_t first, std::int64_t count) const {
    if (first >= 0 && first <= bins.size && count <= bins.size - first) return;
    refuse_scatter(function, quoted() + " has " + shape.text() + ", there are no bins from " + std::to_string(first) +
                                 " to " + std::to_string(first + count - 1));
  }

  template <class OtherSpace>
  void merge(SumStorage<Shape, OtherSpace, RadixBits> const& other) const {
    if (!(other.shape == shape)) {
      refuse_scatter("ScatterSum::merge", quoted() + " has " + shape.text() + ", " + other.quoted() + " has " +
                                              other.shape.text() + "; they must be as many");
    }
    Region const region("Exakt::ScatterSum::merge");
    auto const space = space_behind_all_kernels<execution_space>();
    typename OtherSpace::execution_space const other_space{};
    auto const refused = read_report<ScatterReport>(other_space, other.bins.report);
    if (bins.size > 0) {
      Bins source;
      source.words = Kokkos::create_mirror_view_and_copy(MemorySpace(), other.bins.words);
      source.size = other.bins.size;
      source.range = other.bins.range;
      source.digits = other.bins.digits;
      source.planes = refused.planes;
      for_each("Exakt::ScatterSum::merge", space, MergeBins<Bins>{bins, source});
    }
    if (!bins.report.data() || other.bins.report.data() == bins.report.data()) return;
    loop("Exakt::ScatterSum::merge", space, 1, JoinRefusals<typename Bins::Report>{bins.report, refused});
    space.fence();
  }

  template <class Where>
  void clear(Where const& space) const {
    if (!bins.words.data()) return;
    PlanesInUse const planes = read_report<ScatterReport>(space, bins.report).planes;
    auto const clear_planes = [&](std::int64_t first, std::int64_t last) {
      using Row = Kokkos::View<Word*, MemorySpace, Kokkos::MemoryUnmanaged>;
      Row const row(bins.words.data() + bins.plane * static_cast<std::size_t>(first),
                    bins.plane * static_cast<std::size_t>(last - first + 1));
      Kokkos::deep_copy(space, row, Word{0});
    };
    if (planes.highest >= 0) clear_planes(planes.lowest, planes.highest);
    if (planes.flags != 0) clear_planes(bins.digits, bins.digits);
    write_report(space, bins.report, ScatterReport{});
  }

  template <class Result>
  void require_extents(char const* function, Result const& result) const {
    bool same = true;
    for (int r = 0; r < Shape::rank; ++r) same = same && static_cast<std::int64_t>(result.extent(r)) == shape.extent[r];
    if (same) return require_separate_entries(function, "the result", result);
    std::string extents = std::to_string(result.extent(0));
    for (int r = 1; r < Shape::rank; ++r) extents += " x " + std::to_string(result.extent(r));
    refuse_scatter(function, quoted() + " has " + shape.text() + ", the result " + extents +
                                 (Shape::rank == 1 && result.extent(0) == 1 ? " entry" : " entries") +
                                 "; they must be as many");
  }

  /// The bins, for kernels that read them: they look only at what was added to.
  /// \throws std::invalid_argument  Additions were refused.
  template <class Where>
  Bins readable(char const* function, Where const& space) const {
    auto const report = read_report<ScatterReport>(space, bins.report);
    require_no_refusals(function, quoted(), shape.text(), Shape::rank, bins.range, report);
    return with_planes(report);
  }
  /// The same, whatever was refused.
  template <class Where>
  Bins readable(AlsoAfterRefusals, Where const& space) const {
    return with_planes(read_report<ScatterReport>(space, bins.report));
  }

  std::string quoted() const { return Impl::quoted(bins.words.label()); }

 private:
  Bins with_planes(ScatterReport const& report) const {
    Bins result = bins;
    result.planes = report.planes;
    return result;
  }
  static void require_extents_of_bins(char const* function, std::string const& name, Shape const& of_shape) {
    bool negative = false;
    for (int r = 0; r < Shape::rank; ++r) negative = negative || of_shape.extent[r] < 0;
    if (negative) refuse_scatter(function, Impl::quoted(name) + " cannot have " + of_shape.text());
    // Before a number of bytes, or of bins, wraps around.
    constexpr auto bytes_at_most = static_cast<std::int64_t>(2 * sizeof(Word)) * (Bins::most_digits + 1);
    std::int64_t most = std::numeric_limits<std::int64_t>::max() / bytes_at_most;
    bool are_none = false, are_too_many = false;
    for (std::int64_t const extent : of_shape.extent) {
      are_none = are_none || extent == 0;
      are_too_many = are_too_many || extent > most;
      most /= std::max<std::int64_t>(extent, 1);
    }
    if (are_too_many && !are_none)
      refuse_scatter(function, Impl::quoted(name) + " cannot have " + of_shape.text() + ", which no memory holds");
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
