// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_FUNCTIONSUMS_HPP
#define EXAKT_FUNCTIONSUMS_HPP

/// \file
/// \brief Sums of what a function returns, by one thread in its registers: an enclosure, and f again, exactly, where
/// that does not decide.
///
///     f(k), k = 0 ... n-1 --> head, rest --> try_round --> result
///                                            undecided: f(k) --> long accumulator --> result    (not inlined)
///
/// f(k) is a number, or a pair of factors; it is called more than once for an index.

#include "../numerics/Exakt_ExactTerm.hpp"
#include "Exakt_EnclosedSum.hpp"
#include "Exakt_FewTerms.hpp"
#include "Exakt_ProductBatch.hpp"
#include "Exakt_TwoLanes.hpp"

#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Terms of one head: fewer than 2^(level_head - 1).
inline constexpr int function_piece = 1024;
static_assert(function_piece < (1 << (level_head - 1)));

template <class Term>
concept FactorPairTerm = requires(Term const& term) {
  term.first;
  term.second;
};

/// The type that a sum of such terms is rounded to, and the accumulator of those that are not decided.
template <class Term>
struct FunctionTerm {
  static_assert(
      has_float_format_v<Term>,
      "Exakt: the function of sum_of returns its term, a float or double (or one of Kokkos' half types); of an "
      "integer return static_cast<double>(...)");
  using Result = Term;
  using Long = LongAccumulator<double>;
  static constexpr int levels = 3;

  static KOKKOS_FORCEINLINE_FUNCTION double exact(Term const& term) { return opaque(exact_double(term)); }
};
template <FactorPairTerm Term>
struct FunctionTerm<Term> {
  static_assert(has_float_format_v<decltype(Term::first)> && has_float_format_v<decltype(Term::second)>,
                "Exakt: the function of product_sum_of returns the two factors of its term, as in "
                "Kokkos::make_pair(x(k), y(k)), each a float or double (or one of Kokkos' half types)");
  using Result = WiderOf<decltype(Term::first), decltype(Term::second)>;
  using Long = LongAccumulator<double, 56, Terms::products>;
  static constexpr int levels = 4;

  static KOKKOS_FORCEINLINE_FUNCTION FactorPair exact(Term const& term) {
    return {opaque(exact_double(term.first)), opaque(exact_double(term.second))};
  }
  /// For a function of another file: no operation here with which compilers could fuse what has made the factors.
  static KOKKOS_FORCEINLINE_FUNCTION FactorPair stored(Term const& term) {
    return {exact_double(term.first), exact_double(term.second)};
  }
};
template <>
struct FunctionTerm<FactorPair> {
  using Result = double;
  using Long = LongAccumulator<double, 56, Terms::products>;
  static constexpr int levels = 4;
  static KOKKOS_FORCEINLINE_FUNCTION FactorPair exact(FactorPair const& term) { return term; }
  static KOKKOS_FORCEINLINE_FUNCTION FactorPair stored(FactorPair const& term) { return term; }
};

template <class N, class F>
using TermOfFunction = FunctionTerm<std::decay_t<decltype(std::declval<F const&>()(std::declval<N>()))>>;

KOKKOS_FORCEINLINE_FUNCTION double magnitude_of_term(double term) { return magnitude_of(term); }
KOKKOS_FORCEINLINE_FUNCTION double magnitude_of_term(FactorPair const& term) {
  return magnitude_of(rounded_multiply(term.x, term.y));
}
/// Whether a head and the sum of four are finite: what a head has absorbed may be -2^51 units, and four of them -2^53.
KOKKOS_FORCEINLINE_FUNCTION bool has_head(int e) { return e + level_head < FloatFormat<double>::max_exponent; }
/// Heads that terms are dealt to in turn, so that additions do not wait for each other. Devices hide latency by threads.
#if defined(EXAKT_DEVICE_SOURCE)
inline constexpr int function_lanes = 1;
#else
inline constexpr int function_lanes = 4;
#endif

/// Where the heads of lanes begin, for terms below 2^e: C_1 and C_2 of Exakt_ExtractionLevels.hpp.
struct FunctionHeads {
  double first, second;

  KOKKOS_FORCEINLINE_FUNCTION explicit FunctionHeads(int e)
      : first(level_start(level_unit(e, 0, FloatFormat<double>::lsb_exponent))),
        second(level_start(level_unit(e, 1, FloatFormat<double>::lsb_exponent))) {}
};

/// \brief A lane of a sum. Of numbers the rest has a head as well, so that it is known whether anything was lost: sums of
/// numbers with a common last bit, which often are exact ties, are exact then. The rest of products is a plain sum.
template <class Term>
struct FunctionLane {
  static constexpr bool is_of_products = std::is_same_v<Term, FactorPair>;
  HeadAndRest sum;
  IntegerPack moved, lost;

  KOKKOS_FORCEINLINE_FUNCTION void start(FunctionHeads const& heads) {
    sum = HeadAndRest(heads.first, is_of_products ? 0 : heads.second);
    moved = lost = 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION void absorb(FunctionHeads const& heads, Term const& term) {
    if constexpr (is_of_products) {
      sum.absorb(term.x, term.y);
    } else {
      // Not fused with what has made the term, on devices either.
      double const s = rounded_add(sum.head, term), remainder = rounded_add(term, -(s - sum.head));
      double const rest = sum.rest + remainder;
      lost = lost | bits_of_pack(remainder - (rest - sum.rest));
      sum = HeadAndRest(s, rest);
    }
    moved = moved | (bits_of_pack(sum.head) ^ bits_of_pack(heads.first));
  }

  /// What the lane has absorbed, exactly but for the rest of products: 2^51 units each at most.
  KOKKOS_FORCEINLINE_FUNCTION double high(FunctionHeads const& heads) const { return sum.head - heads.first; }
  KOKKOS_FORCEINLINE_FUNCTION double low(FunctionHeads const& heads) const {
    return is_of_products ? sum.rest : sum.rest - heads.second;
  }

  /// \brief What is known of some lanes of at most m terms each; see Exakt_EnclosedSum.hpp for the bound of products.
  /// The heads began at 1.5 * 2^52 units, which leaves room for what is rounded here.
  ///
  /// \param count  At most four: the sum of what their heads have absorbed is 2^53 units at most, and a double.
  static KOKKOS_FORCEINLINE_FUNCTION bool read(FunctionLane const* lanes, int count, FunctionHeads const& heads,
                                               int per_lane, Enclosure& known) {
    using F = FloatFormat<double>;
    IntegerPack all_moved = lanes[0].moved, all_lost = lanes[0].lost;
    double high = lanes[0].high(heads), low = lanes[0].low(heads);
    for (int l = 1; l < count; ++l) {
      all_moved = all_moved | lanes[l].moved;
      all_lost = all_lost | lanes[l].lost;
      high += lanes[l].high(heads);
      low += lanes[l].low(heads);
    }
    if (has_bits(all_moved, F::sign_mask | F::infinity)) return false;
    double const l = count, m = per_lane;
    if constexpr (is_of_products) {
      double const unit = heads.first * 0x1p-52;
      known = {high, low, (l * (m + 1) * (m + 1) + l * l * m) * 0x1p-54 * unit + l * m * 0x1p-1022};
    } else {
      // Half a unit at most of each term.
      known = {high, low, has_bits(all_lost, ~F::sign_mask) ? l * m * (heads.second * 0x1p-52) : 0};
    }
    return true;
  }
};

/// Encloses f(begin) ... f(begin + count - 1) with heads for terms below 2^e; false if one is too large for them.
EXAKT_CALLS_ARGUMENT
template <class N, class F>
KOKKOS_FORCEINLINE_FUNCTION bool enclose_piece_of(F const& f, N begin, int count, int e, Enclosure& sum) {
  using Term = TermOfFunction<N, F>;
  constexpr int lanes = function_lanes;
  if (!has_head(e)) return false;
  FunctionHeads const heads(e);
  FunctionLane<std::decay_t<decltype(Term::exact(f(begin)))>> lane[lanes];
  for (int l = 0; l < lanes; ++l) lane[l].start(heads);
  auto const term = [&](int k) { return Term::exact(f(static_cast<N>(begin + static_cast<N>(k)))); };
  int k = 0;
  for (; k + lanes <= count; k += lanes) {
    EXAKT_UNROLLED_LOOP
    for (int l = 0; l < lanes; ++l) lane[l].absorb(heads, term(k + l));
  }
  for (; k < count; ++k) lane[0].absorb(heads, term(k));
  return lane[0].read(lane, lanes, heads, count / lanes + lanes, sum);
}

/// The same with a head for the largest term.
EXAKT_CALLS_ARGUMENT
template <class N, class F>
EXAKT_NOINLINE_FUNCTION bool enclose_piece_again(F const& f, N begin, int count, int& e, Enclosure& sum) {
  double largest = 0;
  for (int k = 0; k < count; ++k) {
    double const magnitude =
        magnitude_of_term(TermOfFunction<N, F>::exact(f(static_cast<N>(begin + static_cast<N>(k)))));
    largest = magnitude > largest ? magnitude : largest;
  }
  e = exponent_above(largest);
  return enclose_piece_of(f, begin, count, e, sum);
}

/// An exponent above a first term and those that are up to a thousand times as large. The bound grows with it, and is
/// still 2^-60 of the first term for a hundred terms.
template <class Term>
KOKKOS_FORCEINLINE_FUNCTION int guess_from(Term const& term) {
  constexpr int room = 10;
  return exponent_above(magnitude_of_term(term)) + room;
}

/// By one lane.
EXAKT_CALLS_ARGUMENT
template <class N, class F>
KOKKOS_FORCEINLINE_FUNCTION bool enclose_in_registers(N n, F const& f, Enclosure& sum) {
  sum = empty_sum();
  if (n <= N{0}) return true;
  int e = guess_from(TermOfFunction<N, F>::exact(f(N{0})));
  for (N begin = 0; begin < n;) {
    int const count =
        n - begin < static_cast<N>(function_piece) || sizeof(N) == 1 ? static_cast<int>(n - begin) : function_piece;
    Enclosure piece;
    if (!enclose_piece_of(f, begin, count, e, piece) && !enclose_piece_again(f, begin, count, e, piece)) return false;
    begin = static_cast<N>(begin + static_cast<N>(count));
    if (static_cast<N>(count) == n) {
      sum = piece;
      return true;
    }
    add_enclosure(sum, piece);
  }
  return true;
}

template <class N, class F>
__attribute__((always_inline)) inline FactorPair stored_term(F const& f, N k) {
  return TermOfFunction<N, F>::stored(f(k));
}

/// Products of a host, by the compiled kernels.
EXAKT_CALLS_ARGUMENT
template <class N, class F>
bool enclose_in_batches(N n, F const& f, Enclosure& sum) {
  KernelsOf<double, double> const& kernel = kernels();
  ProductBatch batch;
  sum = empty_sum();
  for (N begin = 0; begin < n;) {
    int const count =
        n - begin < static_cast<N>(ProductBatch::capacity) ? static_cast<int>(n - begin) : ProductBatch::capacity;
    batch.take(count, [&](int k) { return stored_term(f, static_cast<N>(begin + static_cast<N>(k))); });
    begin = static_cast<N>(begin + static_cast<N>(count));
    Enclosure piece;
    if (!kernels().enclose_few(batch.x, batch.y, count, piece) &&
        !(kernel.enclose != nullptr && kernel.enclose(batch.x, batch.y, static_cast<std::size_t>(count), 0, piece)))
      return false;
    add_enclosure(sum, piece);
  }
  return true;
}

/// Few of them, in one batch: rounded at once.
EXAKT_CALLS_ARGUMENT
template <class N, class F, class R>
__attribute__((noinline)) bool try_round_batch(N n, F const& f, R& result) {
  ProductBatch batch;
  batch.take(static_cast<int>(n), [&](int k) { return stored_term(f, static_cast<N>(k)); });
  FewProductsKernelOf<R> const& kernel = kernels();
  return kernel.round_few(batch.x, batch.y, static_cast<int>(n), result);
}

/// Few of them, in registers where the processor can. \pre 0 < n <= few_products
EXAKT_CALLS_ARGUMENT
template <class N, class F, class R>
__attribute__((always_inline)) inline bool try_round_few_products(N n, F const& f, R& result) {
#if defined(EXAKT_HAS_TWO_LANES)
  using TwoLanes::Pack;
  if (TwoLanes::has_fused_multiply_add()) [[likely]] {
    int const count = static_cast<int>(n);
    FactorPair const first = stored_term(f, N{0});
    TwoLanes::FewProducts sum(TwoLanes::broadcast(first.x * first.y));
    int k = 0;
    for (; k + 2 <= count; k += 2) {
      FactorPair const one = stored_term(f, static_cast<N>(k)), two = stored_term(f, static_cast<N>(k + 1));
      sum.absorb(Pack{one.x, two.x}, Pack{one.y, two.y});
    }
    if (k < count) {
      FactorPair const last = stored_term(f, static_cast<N>(k));
      sum.absorb(Pack{last.x, 0}, Pack{last.y, 0});
    }
    return sum.round(result);
  }
#endif
  return try_round_batch(n, f, result);
}

template <class N, class F>
inline constexpr bool is_of_products =
    std::is_same_v<std::decay_t<decltype(TermOfFunction<N, F>::exact(std::declval<F const&>()(std::declval<N>())))>,
                   FactorPair>;

/// \brief The sum of f(k), k below n, up to a bound; false if nothing is known of it. \pre The default environment.
EXAKT_CALLS_ARGUMENT
template <class N, class F>
KOKKOS_FORCEINLINE_FUNCTION bool enclose_function(N n, F const& f, Enclosure& sum) {
  EXAKT_IF_ON_HOST((
      if constexpr (is_of_products<N, F>) { return enclose_in_batches(n, f, sum); } else {
        return enclose_in_registers(n, f, sum);
      }))
  EXAKT_IF_ON_DEVICE((return enclose_in_registers(n, f, sum);))
}

/// \brief Adds f(k), k below n, to a long accumulator.
EXAKT_CALLS_ARGUMENT
template <class N, class F, class Long>
EXAKT_NOINLINE_FUNCTION void add_function_exactly(N n, F const& f, Long& sum) {
  using Term = TermOfFunction<N, F>;
  EXAKT_IF_ON_DEVICE((for (N k = 0; k < n; ++k) add_term(sum, Term::exact(f(k)));))
  EXAKT_IF_ON_HOST((constexpr int batch = 256; Extraction<Long, Term::levels> extraction; double x[batch];
                    for (N begin = 0; begin < n;) {
                      std::size_t count = 0;
                      if constexpr (std::is_same_v<std::decay_t<decltype(Term::exact(f(n)))>, FactorPair>) {
                        double y[batch];
                        for (; count < batch && begin < n; ++count, ++begin) {
                          FactorPair const term = Term::exact(f(begin));
                          x[count] = term.x;
                          y[count] = term.y;
                        }
                        extraction.template add_products<PrefetchHint::cache>(x, y, count, sum);
                      } else {
                        for (; count < batch && begin < n; ++count, ++begin) x[count] = Term::exact(f(begin));
                        extraction.template add<PrefetchHint::cache>(x, count, sum);
                      }
                    } extraction.drain(sum);))
}

EXAKT_CALLS_ARGUMENT
template <class N, class F>
EXAKT_NOINLINE_FUNCTION auto exact_function_sum(N n, F const& f) {
  typename TermOfFunction<N, F>::Long sum;
  add_function_exactly(n, f, sum);
  return sum.template round<typename TermOfFunction<N, F>::Result>();
}

/// The same, by an enclosure if that decides.
EXAKT_CALLS_ARGUMENT
template <class N, class F>
EXAKT_NOINLINE_FUNCTION auto function_sum_of_many(N n, F const& f) {
  using R = typename TermOfFunction<N, F>::Result;
  if constexpr (is_float_v<R>) {
    Enclosure sum;
    R result;
    if (fp_environment_is_default() && enclose_function(n, f, sum) && try_round(sum, result)) return result;
  }
  return exact_function_sum(n, f);
}

/// \brief The sum of f(k), k below n, rounded once. Few products are so here, where f is inlined; all else is a call.
EXAKT_CALLS_ARGUMENT
template <class N, class F>
KOKKOS_FORCEINLINE_FUNCTION auto rounded_function_sum(N n, F const& f) {
  EXAKT_IF_ON_HOST(
      (using R = typename TermOfFunction<N, F>::Result; if constexpr (is_float_v<R> && is_of_products<N, F>) {
        if (n > N{0} && n - 1 < static_cast<N>(few_products) && fp_environment_is_default()) [[likely]] {
          R result;
          if (try_round_few_products(n, f, result)) [[likely]]
            return result;
        }
      }))
  return function_sum_of_many(n, f);
}

/// \brief The sums of all components of what f returns, where they are decided. \pre 0 < n <= function_piece, and the
/// default environment.
EXAKT_CALLS_ARGUMENT
template <class T, int Count, class N, class F, class Result>
KOKKOS_FORCEINLINE_FUNCTION void enclose_components(N n, F const& f, Result& result, bool (&decided)[Count]) {
  auto const first = f(N{0});
  auto const heads_of = [&](int c) {
    int const e = guess_from(FunctionTerm<T>::exact(first[c]));
    return FunctionHeads(has_head(e) ? e : 0);  // too large for this one: it moves
  };
  FunctionLane<double> sum[Count];
  for (int c = 0; c < Count; ++c) sum[c].start(heads_of(c));
  for (N k = 0; k < n; ++k) {
    auto const terms = f(k);
    for (int c = 0; c < Count; ++c) sum[c].absorb(heads_of(c), FunctionTerm<T>::exact(terms[c]));
  }
  for (int c = 0; c < Count; ++c) {
    Enclosure component;
    decided[c] =
        sum[c].read(&sum[c], 1, heads_of(c), static_cast<int>(n), component) && try_round(component, result[c]);
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
