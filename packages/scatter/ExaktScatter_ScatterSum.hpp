// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_SCATTERSUM_HPP
#define EXAKTSCATTER_SCATTERSUM_HPP

#include "impl/ExaktScatter_Checks.hpp"

#include <type_traits>

namespace Exakt {

/// \brief n exact sums, added to by any thread of any kernel: the same bits in any order, at any concurrency.
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
/// Like a View it is a handle: copies share the bins, and kernels capture it by value. A kernel cannot throw, so an
/// addition to a bin that there is not, outside of the range that was asked for, or of a sum that is not exact, changes
/// nothing, is taken down, and makes round_to(), round() and accumulator() throw until clear().
///
/// \tparam T          Type of the terms: float, double.
/// \tparam Space      Where the bins live, an execution or memory space.
/// \tparam RadixBits  Bits of the sum per digit, 8 to 60. A double needs two additions with 56, one with 8, which takes
///                    seven times the memory; a float needs one with 32.
///
/// Memory per bin, in words of 8 bytes, by what it sums:
///
///     | T, RadixBits | values and products (the default) | Terms::values | ExponentRange{a, b} |
///     |--------------|-----------------------------------|---------------|---------------------|
///     | double, 56   | 78                                | 40            | (b-a+64)/56 + 1     |
///     | double, 8    | 534                               | 272           | (b-a+64)/8 + 1      |
///     | float, 32    | 21                                | 12            | (b-a+64)/32 + 1     |
template <class T, class Space = Kokkos::DefaultExecutionSpace, auto RadixBits = std::is_same_v<T, double> ? 56 : 32>
class ScatterSum {
  static_assert(Impl::converts_exactly_v<T, double>,
                "Exakt: bins sum float or double (or Kokkos' half types); add() takes integers, too");
  static_assert(std::is_same_v<decltype(RadixBits), int>,
                "Exakt: the third template argument of ScatterSum is RadixBits, an int; Terms are an argument of its "
                "constructor: ScatterSum<double> bins(name, n, Exakt::Terms::values)");
  static_assert(RadixBits >= 8 && RadixBits <= 60,
                "RadixBits must leave room for carries and be worth a digit: 8 to 60");

 public:
  using value_type = T;
  using execution_space = typename Space::execution_space;
  using memory_space = typename Space::memory_space;
  static constexpr int radix_bits = RadixBits;

 private:
  using Bins = Impl::Bins<T, memory_space, RadixBits>;
  static constexpr bool host_reads_bins = Kokkos::SpaceAccessibility<Kokkos::HostSpace, memory_space>::accessible;

 public:
  using accumulator_type = typename Bins::Long;

  /// No bins.
  EXAKT_ABI_TAG ScatterSum() = default;
  EXAKT_TAGGED_COPIES(ScatterSum);

  /// \brief n bins, all empty sums.
  ///
  /// \param name   For messages and profilers.
  /// \param n      Number of bins.
  /// \param terms  Terms::values takes half the memory: products then fit if their bits lie within the range of values.
  /// \throws std::invalid_argument  n is negative.
  template <class N>
  requires std::is_integral_v<N> EXAKT_ABI_TAG ScatterSum(std::string const& name, N n, Terms terms = Terms::products)
      : ScatterSum(name, n, Bins::range_of(terms)) {}

  /// \brief n bins for terms that are multiples of 2^range.lowest and below 2^range.highest: as much memory as that
  /// needs, with room for 2^64 terms. `exponent_range(x)` finds the range of data. Other additions are refused.
  template <class N>
  requires std::is_integral_v<N> EXAKT_ABI_TAG ScatterSum(std::string const& name, N n, ExponentRange range) {
    auto const quoted = Impl::quoted(name);
    if (Impl::is_below_zero(n))
      Impl::refuse_scatter("ScatterSum", quoted + " cannot have " + std::to_string(n) + " bins");
    constexpr ExponentRange widest = Bins::range_of(Terms::products);
    if (range.lowest < widest.lowest || range.highest > widest.highest || range.lowest > range.highest) {
      Impl::refuse_scatter("ScatterSum", quoted + " cannot have the exponent range {" + std::to_string(range.lowest) +
                                             ", " + std::to_string(range.highest) + "}; it must lie within {" +
                                             std::to_string(widest.lowest) + ", " + std::to_string(widest.highest) +
                                             "}, the lower limit first");
    }
    m_bins.size = static_cast<std::int64_t>(n);
    m_bins.range = range;
    m_bins.digits = Bins::digits_for(range);
    // An odd number of cache lines per plane: the digits of a bin do not all fall into one set of the cache.
    std::size_t const lines = (static_cast<std::size_t>(n) + 7) / 8 | 1;
    m_bins.words = typename Bins::Words(name, 8 * lines, static_cast<std::size_t>(m_bins.digits) + 1);
    m_bins.plane = m_bins.words.stride(1);
    m_bins.report = typename Bins::Report(name + " refusals");
    Impl::write_report(execution_space(), m_bins.report, {});
    execution_space().fence();
  }

  /// \brief Bin i += x, exactly. From any thread, at any time.
  ///
  /// \param i  Of any integer type; no such bin: refused.
  /// \param x  A T, a narrower floating-point number, an integer, or a whole sum: any exact accumulator of the library,
  ///           as many threads may make of their own terms before they meet at a bin. A HighPrecision or Hallberg that
  ///           has lost bits (is_inexact()): refused; one that has left out a term makes the bin NaN, one that was
  ///           lost itself an infinity.
  template <class Index, class X>
  KOKKOS_FORCEINLINE_FUNCTION void add(Index i, X const& x) const {
    if (!m_bins.has(i)) return m_bins.refuse_index(i);
    auto const bin = static_cast<std::int64_t>(i);
    if constexpr (requires { x.normalized().magnitude(); }) {
      static_assert(Impl::is_exact_sum<X>, "Exakt: bins take exact sums; Binned is reproducible, not exact");
      if ((Impl::losses_of(x) & Impl::lost_bits) != 0) return m_bins.refuse_inexact(bin);
      m_bins.add_sum(bin, x.normalized());
    } else if constexpr (std::is_integral_v<X>) {
      auto const parts = Impl::integer_parts_of_integer(x);
      m_bins.template add_scaled<64>(bin, {0, parts.significand}, parts.exponent, parts.negative);
    } else {
      static_assert(Impl::converts_exactly_v<X, T>,
                    "Exakt: a term has the type of the bins or a narrower one, so that no bit is lost");
      if (!Impl::is_finite(x)) return m_bins.add_infinity_or_nan(bin, Impl::is_nan(x), Impl::is_negative(x));
      auto const parts = Impl::integer_parts(x);
      m_bins.template add_scaled<FloatFormat<X>::precision>(bin, {0, parts.significand}, parts.exponent,
                                                            parts.negative);
    }
  }

  /// \brief Bin i += x * y, the product neither rounded nor under- or overflowing. X and Y are T or narrower types.
  template <class Index, class X, class Y>
  KOKKOS_FORCEINLINE_FUNCTION void add_product(Index i, X const& x, Y const& y) const {
    if (!m_bins.has(i)) return m_bins.refuse_index(i);
    auto const bin = static_cast<std::int64_t>(i);
    auto const u = Impl::factor_of<T>(x);
    auto const v = Impl::factor_of<T>(y);
    auto const a = Impl::integer_parts(u), b = Impl::integer_parts(v);
    bool const negative = a.negative != b.negative;
    if (!Impl::is_finite(u) || !Impl::is_finite(v)) {
      bool const zero_times_infinity = a.significand == 0 || b.significand == 0;
      return m_bins.add_infinity_or_nan(bin, Impl::is_nan(u) || Impl::is_nan(v) || zero_times_infinity, negative);
    }
    if (a.significand == 0 || b.significand == 0) return;
    constexpr int bits =
        FloatFormat<std::decay_t<decltype(u)>>::precision + FloatFormat<std::decay_t<decltype(v)>>::precision;
    m_bins.template add_scaled<bits>(bin, Impl::wide_product(a.significand, b.significand), a.exponent + b.exponent,
                                     negative);
  }

  /// \brief result(i) := bin i, rounded once, for all bins; waited for.
  ///
  /// \param space   Where to run, after what has been enqueued there.
  /// \param result  As many entries as there are bins, of T or a narrower type, any layout; written.
  /// \throws std::invalid_argument  The result has another size, or additions were refused: to which bin, and why.
  /// Nothing is written then.
  template <class ExecutionSpace, class Result>
  requires Kokkos::is_execution_space<ExecutionSpace>::value EXAKT_ABI_TAG void round_to(
      ExecutionSpace const& space, Result const& result, Rounding mode = Rounding::to_nearest) const {
    static_assert(Impl::require_views<Result>());
    static_assert(Result::rank == 1, "Exakt: round_to writes to a View of rank 1, an entry for each bin");
    static_assert(Impl::require_entries<typename Result::non_const_value_type>());
    static_assert(!std::is_const_v<typename Result::value_type>, "Exakt: the result is written");
    static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, typename Result::memory_space>::accessible &&
                      Kokkos::SpaceAccessibility<ExecutionSpace, memory_space>::accessible,
                  "Exakt: the execution space must reach the memory of the bins and of the result");
    using R = typename Result::non_const_value_type;
    if (static_cast<std::int64_t>(result.extent(0)) != size()) {
      Impl::refuse_scatter("ScatterSum::round_to",
                           quoted() + " has " + Impl::counted(size(), "bin") + ", the result " +
                               (result.extent(0) == 1 ? "1 entry" : std::to_string(result.extent(0)) + " entries") +
                               "; they must be as many");
    }
    Impl::Region const region("Exakt::ScatterSum::round_to");
    require_no_refusals("ScatterSum::round_to", space);
    Kokkos::parallel_for("Exakt::ScatterSum::round_to", policy(space),
                         Impl::held(Impl::ReadBins<Bins, Impl::RoundBin<R>, Result>{m_bins, {mode}, result, 0}));
    space.fence();
  }

  /// \brief The same on the execution space of the bins.
  template <class Result>
  requires(!Kokkos::is_execution_space<Result>::value) EXAKT_ABI_TAG
      void round_to(Result const& result, Rounding mode = Rounding::to_nearest) const {
    static_assert(Impl::require_views<Result>());
    round_to(execution_space(), result, mode);
  }

  /// \brief Bin i, rounded once to R; on the host, after all kernels.
  ///
  /// \throws std::invalid_argument  There is no bin i, or additions were refused.
  template <class R = T, class Index>
  EXAKT_ABI_TAG R round(Index i, Rounding mode = Rounding::to_nearest) const {
    return read_bin("ScatterSum::round", i, Impl::RoundBin<R>{mode});
  }

  /// \brief Bin i as an accumulator: its exact value, to be rounded otherwise, compared, written, sent.
  ///
  /// \throws std::invalid_argument  There is no bin i, or additions were refused.
  template <class Index>
  EXAKT_ABI_TAG accumulator_type accumulator(Index i) const {
    return read_bin("ScatterSum::accumulator", i, Impl::ReadBin<accumulator_type>());
  }

  /// \brief Adds the bins of `other` to these, each to the one of its index, exactly; waited for. `other` may be *this.
  ///
  /// \param other  As many bins, in any space. What it refused counts as refused here.
  /// \throws std::invalid_argument  The numbers of bins differ.
  template <class OtherSpace>
  EXAKT_ABI_TAG void merge(ScatterSum<T, OtherSpace, RadixBits> const& other) const {
    if (other.size() != size()) {
      Impl::refuse_scatter("ScatterSum::merge", quoted() + " has " + Impl::counted(size(), "bin") + ", " +
                                                    other.quoted() + " has " + Impl::counted(other.size(), "bin") +
                                                    "; they must be as many");
    }
    if (size() == 0) return;
    Impl::Region const region("Exakt::ScatterSum::merge");
    execution_space const space{};
    typename OtherSpace::execution_space{}.fence();
    Bins source;
    source.words = Kokkos::create_mirror_view_and_copy(memory_space(), other.m_bins.words);
    source.size = other.m_bins.size;
    source.range = other.m_bins.range;
    source.digits = other.m_bins.digits;
    auto const refused = Impl::read_report(typename OtherSpace::execution_space{}, other.m_bins.report);
    Kokkos::parallel_for("Exakt::ScatterSum::merge", policy(space), Impl::held(Impl::MergeBins<Bins>{m_bins, source}));
    space.fence();
    if (other.m_bins.report.data() == m_bins.report.data()) return;
    Impl::write_report(space, m_bins.report, joined(Impl::read_report(space, m_bins.report), refused));
  }

  /// \brief All bins back to the empty sum, and what was refused forgotten; enqueued in `space`.
  template <class ExecutionSpace>
  requires Kokkos::is_execution_space<ExecutionSpace>::value EXAKT_ABI_TAG void clear(
      ExecutionSpace const& space) const {
    if (!m_bins.words.data()) return;
    Kokkos::deep_copy(space, m_bins.words, Impl::Word{0});
    Impl::write_report(space, m_bins.report, {});
  }

  /// \brief The same, waited for.
  EXAKT_ABI_TAG void clear() const {
    clear(execution_space());
    execution_space().fence();
  }

  EXAKT_FUNCTION std::int64_t size() const { return m_bins.size; }
  EXAKT_ABI_TAG ExponentRange range() const { return m_bins.range; }
  EXAKT_ABI_TAG std::string name() const { return m_bins.words.label(); }

  /// \brief What the bins take, in bytes.
  EXAKT_ABI_TAG std::size_t memory() const { return m_bins.words.span() * sizeof(Impl::Word); }

 private:
  template <class, class, auto>
  friend class ScatterSum;
  template <class, int>
  friend class ScatterCache;

  EXAKT_ABI_TAG std::string quoted() const { return Impl::quoted(name()); }

  template <class ExecutionSpace>
  EXAKT_ABI_TAG auto policy(ExecutionSpace const& space) const {
    return Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(space, 0, m_bins.size);
  }

  template <class ExecutionSpace>
  EXAKT_ABI_TAG void require_no_refusals(char const* function, ExecutionSpace const& space) const {
    Impl::require_no_refusals(function, quoted(), size(), m_bins.range, Impl::read_report(space, m_bins.report));
  }

  template <class Index, class Read>
  EXAKT_ABI_TAG typename Read::result_type read_bin(char const* function, Index i, Read const& read) const {
    if (!m_bins.has(i)) {
      Impl::refuse_scatter(
          function, quoted() + " has " + Impl::counted(size(), "bin") + ", there is no bin " + std::to_string(i));
    }
    execution_space const space{};
    require_no_refusals(function, space);
    auto const bin = static_cast<std::int64_t>(i);
    if constexpr (host_reads_bins) {
      return read(m_bins, bin);
    } else {
      using Result = typename Read::result_type;
      Kokkos::View<Result*, memory_space> const there(Kokkos::view_alloc(Kokkos::WithoutInitializing, name() + " bin"),
                                                      1);
      Kokkos::parallel_for(
          "Exakt::ScatterSum::read_bin",
          Kokkos::RangePolicy<execution_space, Kokkos::IndexType<std::int64_t>>(space, 0, 1),
          Impl::held(Impl::ReadBins<Bins, Read, Kokkos::View<Result*, memory_space>>{m_bins, read, there, bin}));
      space.fence();
      Result result;
      Kokkos::deep_copy(result, Kokkos::subview(there, 0));
      return result;
    }
  }

  Bins m_bins;
};

}  // namespace Exakt

#endif
