// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_SCATTERSUM_HPP
#define EXAKTSCATTER_SCATTERSUM_HPP

#include "impl/ExaktScatter_Checks.hpp"
#include "impl/ExaktScatter_SumStorage.hpp"

#include <type_traits>

namespace Exakt {

/// \brief Exact sums, added to by any thread of any kernel: the same bits in any order, at any concurrency.
///
/// Method: the fixed-point accumulation of Defour and Collange (Reproducible floating-point atomic addition in
/// data-parallel environment, section IV): each bin is a long accumulator whose digits are signed words, each term is
/// one or two integer additions (fetch-and-add), carries are found from the old value. No lock, no limit to the number
/// of additions.
///
///     Exakt::ScatterSum<double> bins("bins", n);
///     Kokkos::parallel_for(m, KOKKOS_LAMBDA(int j) { bins.add(index(j), x(j)); });
///     bins.round_to(result);
///
///     Exakt::ScatterSum<double*[3]> forces("forces", n);  // forces.add(j, c, x);  forces.add_to(view);
///
/// Like a View it is a handle: copies share the bins, and kernels capture it by value. A kernel cannot throw, so an
/// addition to a bin that there is not, outside of the range that was asked for, or of a sum that is not exact, changes
/// nothing, is taken down, and makes all that reads the bins throw until clear().
///
/// \tparam DataType   As of a View: T*, T**, T*[3], ... with T float or double; T stands for T*.
/// \tparam Space      Where the bins live, an execution or memory space.
/// \tparam RadixBits  Bits of the sum per digit, 8 to 60. A double needs two additions with 56, one with 8, which takes
///                    seven times the memory; a float needs one with 32.
///
/// Memory per bin, in words of 8 bytes, by what it sums (quotients are rounded up):
///
///     | T, RadixBits | values and products (the default) | Terms::values | ExponentRange{a, b} |
///     |--------------|-----------------------------------|---------------|---------------------|
///     | double, 56   | 78                                | 40            | (b-a+64)/56 + 1     |
///     | double, 8    | 534                               | 272           | (b-a+64)/8 + 1      |
///     | float, 32    | 21                                | 12            | (b-a+64)/32 + 1     |
template <class DataType, class Space = Kokkos::DefaultExecutionSpace, auto RadixBits = Impl::usual_radix<DataType>>
class ScatterSum {
  using Shape = Impl::BinShape<DataType>;
  using T = typename Shape::value_type;
  static_assert(Impl::converts_exactly_v<T, double>,
                "Exakt: bins sum float or double (or Kokkos' half types); add() takes integers, too");
  static_assert(std::is_same_v<decltype(RadixBits), int>,
                "Exakt: the third template argument of ScatterSum is RadixBits, an int; Terms are an argument of its "
                "constructor: ScatterSum<double> bins(name, n, Exakt::Terms::values)");
  static_assert(RadixBits >= 8 && RadixBits <= 60,
                "RadixBits must leave room for carries and be worth a digit: 8 to 60");
  static_assert(
      Kokkos::is_space<Space>::value,
      "Exakt: the second template argument of ScatterSum is where the bins live, an execution or a memory space; "
      "bins have no layout");
  using Place = std::conditional_t<Kokkos::is_space<Space>::value, Space, Kokkos::DefaultExecutionSpace>;

 public:
  using value_type = T;
  using execution_space = typename Place::execution_space;
  using memory_space = typename Place::memory_space;
  static constexpr int radix_bits = RadixBits;
  static constexpr int rank = Shape::rank;

 private:
  using Storage = Impl::SumStorage<Shape, Place, RadixBits>;
  using Bins = typename Storage::Bins;

 public:
  using accumulator_type = typename Bins::Long;

  /// No bins, and no memory for refusals: additions change nothing and are not reported.
  EXAKT_ABI_TAG ScatterSum() = default;
  EXAKT_TAGGED_COPIES(ScatterSum);

  /// \brief n bins, all empty sums.
  ///
  /// \param name   For messages and profilers.
  /// \param n      Number of bins, or first extent of T*[3].
  /// \param terms  Terms::values takes half the memory: products then fit if their bits lie within the range of values.
  /// \throws std::invalid_argument  n is negative.
  template <class N>
  requires(Shape::rank_dynamic == 1 && std::is_integral_v<N>) EXAKT_ABI_TAG
      ScatterSum(std::string const& name, N n, Terms terms = Terms::products)
      : ScatterSum(name, n, Bins::range_of(terms)) {}

  /// \brief n bins for terms that are multiples of 2^range.lowest and below 2^range.highest: as much memory as that
  /// needs, with room for 2^64 terms. `exponent_range(x)` finds the range of data. Other additions are refused.
  template <class N>
  requires(Shape::rank_dynamic == 1 && std::is_integral_v<N>) EXAKT_ABI_TAG
      ScatterSum(std::string const& name, N n, ExponentRange range) {
    m_bins.create(name, range, Shape::of(n));
  }

  /// \brief Several extents, as many as DataType has stars, and perhaps Terms or an ExponentRange, as above.
  template <class... A>
  requires(Shape::rank_dynamic != 1) EXAKT_ABI_TAG explicit ScatterSum(std::string const& name, A const&... extents) {
    Impl::BinArguments<Shape, Bins> const arguments(extents...);
    m_bins.create(name, arguments.range, arguments.shape);
  }

  /// \brief add(i, x): bin i += x, exactly. add(i, j, x) with bins of rank 2, and so on. From any thread, at any time.
  ///
  /// \param i  Of any integer type; no such bin: refused.
  /// \param x  A T, a narrower floating-point number, an integer, or a whole sum: any exact accumulator of the library,
  ///           as many threads may make of their own terms before they meet at a bin. A HighPrecision or Hallberg that
  ///           has lost bits (is_inexact()): refused; one that has left out a term makes the bin NaN, one that was
  ///           lost itself an infinity.
  template <class... A>
  KOKKOS_FORCEINLINE_FUNCTION void add(A const&... indices_and_x) const {
    static_assert(sizeof...(A) == rank + 1, "Exakt: add() takes an index for each rank of the bins, and a term");
    m_bins.template add_from<false>(0, indices_and_x...);
  }

  /// \brief subtract(i, x): bin i -= x, exactly: what was added is removed without a trace.
  template <class... A>
  KOKKOS_FORCEINLINE_FUNCTION void subtract(A const&... indices_and_x) const {
    static_assert(sizeof...(A) == rank + 1, "Exakt: subtract() takes an index for each rank of the bins, and a term");
    m_bins.template add_from<true>(0, indices_and_x...);
  }

  /// \brief add_product(i, x, y): bin i += x * y, the product neither rounded nor under- or overflowing. x and y are T
  /// or of narrower types.
  template <class... A>
  KOKKOS_FORCEINLINE_FUNCTION void add_product(A const&... indices_and_factors) const {
    static_assert(sizeof...(A) == rank + 2, "Exakt: add_product() takes an index for each rank, and two factors");
    m_bins.template add_from<false>(0, indices_and_factors...);
  }

  /// \brief subtract_product(i, x, y): bin i -= x * y.
  template <class... A>
  KOKKOS_FORCEINLINE_FUNCTION void subtract_product(A const&... indices_and_factors) const {
    static_assert(sizeof...(A) == rank + 2, "Exakt: subtract_product() takes an index for each rank, and two factors");
    m_bins.template add_from<true>(0, indices_and_factors...);
  }

  /// \brief result(i) := bin i, rounded once, for all bins; waited for. result(i, j) := bin (i, j), and so on.
  ///
  /// \param space   Where to run, after what has been enqueued there.
  /// \param result  Of the rank and the extents of the bins, of any floating-point type and layout; written.
  /// \throws std::invalid_argument  The result has another size, entries of it are one in memory, or additions were
  /// refused: to which bin, and why. Nothing is written then.
  template <Impl::ExecutionSpace ExecutionSpace, class Result>
  EXAKT_ABI_TAG void round_to(ExecutionSpace const& space, Result const& result,
                              Rounding mode = Rounding::to_nearest) const {
    static_assert(Impl::require_views<Result>());
    static_assert(rank != 1 || Result::rank == 1, "Exakt: round_to writes to a View of rank 1, an entry for each bin");
    static_assert(Impl::require_bin_results<ExecutionSpace, memory_space, Result, rank>());
    m_bins.require_extents("ScatterSum::round_to", result);
    Impl::Region const region("Exakt::ScatterSum::round_to");
    auto const bins = m_bins.readable("ScatterSum::round_to", space);
    m_bins.for_each("Exakt::ScatterSum::round_to", space,
                    Impl::RoundBins<Bins, Shape, Result>{bins, m_bins.shape, result, mode});
  }

  /// \brief The same on the execution space of the bins, after all kernels.
  template <Impl::NoExecutionSpace Result>
  EXAKT_ABI_TAG void round_to(Result const& result, Rounding mode = Rounding::to_nearest) const {
    static_assert(Impl::require_views<Result>());
    round_to(Impl::space_behind_all_kernels<execution_space>(), result, mode);
  }

  /// \brief result(i) += bin i, the whole rounded once, for all bins; waited for. result(i, j) += bin (i, j), and so on.
  ///
  /// \param space   Where to run, after what has been enqueued there.
  /// \param result  Of the rank and the extents of the bins, of any floating-point type, any layout; read and written.
  /// \throws std::invalid_argument  As for round_to.
  template <Impl::ExecutionSpace ExecutionSpace, class Result>
  EXAKT_ABI_TAG void add_to(ExecutionSpace const& space, Result const& result,
                            Rounding mode = Rounding::to_nearest) const {
    static_assert(Impl::require_views<Result>());
    static_assert(rank != 1 || Result::rank == 1, "Exakt: add_to adds to a View of rank 1, an entry for each bin");
    static_assert(Impl::require_bin_results<ExecutionSpace, memory_space, Result, rank>());
    m_bins.require_extents("ScatterSum::add_to", result);
    Impl::Region const region("Exakt::ScatterSum::add_to");
    auto const bins = m_bins.readable("ScatterSum::add_to", space);
    m_bins.for_each("Exakt::ScatterSum::add_to", space,
                    Impl::AddBins<Bins, Shape, Result>{bins, m_bins.shape, result, mode});
  }

  /// \brief The same on the execution space of the bins, after all kernels.
  template <Impl::NoExecutionSpace Result>
  EXAKT_ABI_TAG void add_to(Result const& result, Rounding mode = Rounding::to_nearest) const {
    static_assert(Impl::require_views<Result>());
    add_to(Impl::space_behind_all_kernels<execution_space>(), result, mode);
  }

  /// \brief round(i), round(i, mode), round(i, j), ...: one bin, rounded once to R; on the host, after all kernels.
  ///
  /// \throws std::invalid_argument  There is no such bin, or additions were refused.
  template <class R = T, class... A>
  EXAKT_ABI_TAG R round(A const&... indices_and_mode) const {
    return m_bins.read_bin("ScatterSum::round", Impl::RoundBin<R>{Impl::last_if_mode(indices_and_mode...)},
                           indices_and_mode...);
  }

  /// \brief accumulator(i), accumulator(i, j), ...: a bin's exact value, to be rounded otherwise, compared, written, sent.
  ///
  /// \throws std::invalid_argument  There is no such bin, or additions were refused.
  template <class... Index>
  EXAKT_ABI_TAG accumulator_type accumulator(Index const&... indices) const {
    return m_bins.read_bin("ScatterSum::accumulator", Impl::ReadBin<accumulator_type>(), indices...);
  }

  /// \brief result(k) := the exact value of bin first + k, for each entry of the result; waited for. Here bins of any rank
  /// are counted in a row, with the last index fastest: size() of them.
  ///
  /// \param result  A View of accumulator_type, of rank 1, in memory that the bins' space reaches; written.
  /// \throws std::invalid_argument  There are no such bins, or additions were refused. Nothing is written then.
  template <class Result>
  EXAKT_ABI_TAG void accumulators_to(std::int64_t first, Result const& result) const {
    static_assert(Impl::is_row_of_sums<Result, execution_space, accumulator_type>());
    m_bins.require_range("ScatterSum::accumulators_to", first, static_cast<std::int64_t>(result.extent(0)));
    Impl::require_separate_entries("ScatterSum::accumulators_to", "the result", result);
    read_accumulators("ScatterSum::accumulators_to", first, result);
  }
  /// The same for loops that assign() some bins before they read others: what was refused there does not end them.
  template <class Result>
  EXAKT_ABI_TAG void accumulators_to(std::int64_t first, Result const& result, Impl::AlsoAfterRefusals how) const {
    read_accumulators(how, first, result);
  }

  /// \brief Bin first + k := sums(k), counted in the same way; waited for. A sum that the bins have no digits for is
  /// refused as by add().
  ///
  /// \param sums  As the result of accumulators_to; read.
  /// \throws std::invalid_argument  There are no such bins. Nothing is written then.
  template <class Sums>
  EXAKT_ABI_TAG void assign(std::int64_t first, Sums const& sums) const {
    static_assert(Impl::is_row_of_sums<Sums, execution_space, accumulator_type>());
    m_bins.require_range("ScatterSum::assign", first, static_cast<std::int64_t>(sums.extent(0)));
    Impl::for_each_in_blocks("Exakt::ScatterSum::assign", Impl::space_behind_all_kernels<execution_space>(),
                             static_cast<std::int64_t>(sums.extent(0)),
                             Impl::AssignBins<Bins, Sums>{m_bins.bins, sums, first});
  }

  /// \brief Adds the bins of `other` to these, each to the one of its index, exactly; waited for. `other` may be *this.
  ///
  /// \param other  As many bins, in any space, to which nobody adds meanwhile. What it refused counts as refused here.
  /// \throws std::invalid_argument  The extents differ.
  template <class OtherSpace>
  EXAKT_ABI_TAG void merge(ScatterSum<DataType, OtherSpace, RadixBits> const& other) const {
    m_bins.merge(other.m_bins);
  }

  /// \brief All bins back to the empty sum, and what was refused forgotten; enqueued in `space`.
  template <Impl::ExecutionSpace ExecutionSpace>
  EXAKT_ABI_TAG void clear(ExecutionSpace const& space) const {
    m_bins.clear(space);
  }

  /// \brief The same, waited for.
  EXAKT_ABI_TAG void clear() const {
    auto const space = Impl::space_behind_all_kernels<execution_space>();
    clear(space);
    space.fence();
  }

  /// \brief Other extents, as by Kokkos::resize: bins that there were and are keep their sums, others are empty; other
  /// handles keep the bins as they were. Waited for.
  ///
  /// \param n  As many as DataType has stars.
  /// \throws std::invalid_argument  An extent is negative.
  template <class... N>
  EXAKT_ABI_TAG void resize(N... n) {
    m_bins.resize(Shape::of(n...));
  }

  EXAKT_FUNCTION std::int64_t size() const { return m_bins.bins.size; }
  EXAKT_FUNCTION std::int64_t extent(int r) const { return m_bins.shape.extent[r]; }
  EXAKT_ABI_TAG ExponentRange range() const { return m_bins.bins.range; }
  EXAKT_ABI_TAG std::string name() const { return m_bins.bins.words.label(); }

  /// \brief What the bins take, in bytes.
  EXAKT_ABI_TAG std::size_t memory() const { return m_bins.bins.words.span() * sizeof(Impl::Word); }

 private:
  template <class How, class Result>
  EXAKT_ABI_TAG void read_accumulators(How const& how, std::int64_t first, Result const& result) const {
    auto const space = Impl::space_behind_all_kernels<execution_space>();
    using Read = Impl::ReadBin<accumulator_type>;
    Impl::for_each_in_blocks("Exakt::ScatterSum::accumulators_to", space, static_cast<std::int64_t>(result.extent(0)),
                             Impl::ReadBins<Bins, Read, Result>{m_bins.readable(how, space), Read(), result, first});
  }

  template <class, class, auto>
  friend class ScatterSum;
  template <class, int>
  friend class ScatterCache;

  Storage m_bins;
};

}  // namespace Exakt

#endif
