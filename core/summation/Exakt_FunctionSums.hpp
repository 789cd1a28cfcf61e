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
#include "Exakt_LongEnclosure.hpp"

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
  using Result = std::common_type_t<decltype(Term::first), decltype(Term::second)>;
  using Long = LongAccumulator<double, 56, Terms::products>;
  static constexpr int levels = 4;

  static KOKKOS_FORCEINLINE_FUNCTION FactorPair exact(Term const& term) {
    return {opaque(exact_double(term.first)), opaque(exact_double(term.second))};
  }
};
template <>
struct FunctionTerm<FactorPair> {
  using Result = double;
  using Long = LongAccumulator<double, 56, Terms::products>;
  static constexpr int levels = 4;
  static KOKKOS_FORCEINLINE_FUNCTION FactorPair exact(FactorPair const& term) { return term; }
};

template <class N, class F>
using TermOfFunction = FunctionTerm<std::decay_t<decltype(std::declval<F const&>()(std::declval<N>()))>>;

KOKKOS_FORCEINLINE_FUNCTION double magnitude_of_term(double term) { return magnitude_of(term); }
KOKKOS_FORCEINLINE_FUNCTION double magnitude_of_term(FactorPair const& term) {
  return magnitude_of(rounded_multiply(term.x, term.y));
}
KOKKOS_FORCEINLINE_FUNCTION void absorb_term(EnclosureChain& chain, double term) { chain.absorb(term); }
KOKKOS_FORCEINLINE_FUNCTION void absorb_term(EnclosureChain& chain, FactorPair const& term) {
  chain.absorb(term.x, term.y);
}

/// What a head and a rest of m terms or products with the unit u says; see Exakt_LongEnclosure.hpp for the bound, with one lane.
KOKKOS_FORCEINLINE_FUNCTION bool read_head(HeadAndRest const& lane, IntegerPack moved, double start, int count,
                                           Enclosure& sum) {
  using F = FloatFormat<double>;
  if (has_bits(moved, F::sign_mask | F::infinity)) return false;
  // The start is 1.5 * 2^52 units; what is rounded of this product the bound has room for.
  double const m = count, unit = start * 0x1p-52;
  sum = {lane.head - start, lane.rest, ((m + 1) * (m + 1) + m) * 0x1p-54 * unit + m * 0x1p-1022};
  return true;
}

KOKKOS_FORCEINLINE_FUNCTION bool has_head(int e) { return e + level_head <= FloatFormat<double>::max_exponent; }
KOKKOS_FORCEINLINE_FUNCTION double head_for(int e) {
  return level_start(level_unit(e, 0, FloatFormat<double>::lsb_exponent));
}

/// Encloses f(begin) ... f(begin + count - 1) with a head for terms below 2^e; false if one is too large for it.
EXAKT_CALLS_ARGUMENT
template <class N, class F>
KOKKOS_FORCEINLINE_FUNCTION bool enclose_piece_of(F const& f, N begin, int count, int e, Enclosure& sum) {
  if (!has_head(e)) return false;
  double const start = head_for(e);
  EnclosureChain chain(start);
  for (int k = 0; k < count; ++k)
    absorb_term(chain, TermOfFunction<N, F>::exact(f(static_cast<N>(begin + static_cast<N>(k)))));
  return read_head(chain, chain.moved, start, count, sum);
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

/// Products where this code was compiled for no fused multiply-add: in batches, by the compiled kernels.
EXAKT_CALLS_ARGUMENT
template <class N, class F>
bool enclose_in_batches(N n, F const& f, Enclosure& sum) {
  constexpr int batch = 64;
  KernelsOf<double, double> const& kernel = kernels();
  if (kernel.enclose == nullptr) return false;
  double x[batch], y[batch];
  sum = empty_sum();
  for (N begin = 0; begin < n;) {
    int count = 0;
    for (; count < batch && begin < n; ++count, ++begin) {
      FactorPair const term = TermOfFunction<N, F>::exact(f(begin));
      x[count] = term.x;
      y[count] = term.y;
    }
    Enclosure piece;
    if (!kernel.enclose(x, y, static_cast<std::size_t>(count), piece)) return false;
    add_enclosure(sum, piece);
  }
  return true;
}

/// \brief The sum of f(k), k below n, up to a bound; false if nothing is known of it. \pre The default environment.
EXAKT_CALLS_ARGUMENT
template <class N, class F>
KOKKOS_FORCEINLINE_FUNCTION bool enclose_function(N n, F const& f, Enclosure& sum) {
  [[maybe_unused]] constexpr bool has_products =
      std::is_same_v<std::decay_t<decltype(TermOfFunction<N, F>::exact(f(n)))>, FactorPair>;
  EXAKT_IF_ON_HOST((
      if constexpr (has_products && !has_fast_fma) { return enclose_in_batches(n, f, sum); } else {
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

/// \brief The sum of f(k), k below n, rounded once.
EXAKT_CALLS_ARGUMENT
template <class N, class F>
KOKKOS_FORCEINLINE_FUNCTION auto rounded_function_sum(N n, F const& f) {
  using R = typename TermOfFunction<N, F>::Result;
  if constexpr (is_float_v<R>) {
    if (fp_environment_is_default()) [[likely]] {
      Enclosure sum;
      R result;
      if (enclose_function(n, f, sum) && try_round(sum, result)) return result;
    }
  }
  return exact_function_sum(n, f);
}

/// \brief The sums of all components of what f returns, where they are decided. \pre 0 < n <= function_piece, and the
/// default environment.
EXAKT_CALLS_ARGUMENT
template <class T, int Count, class N, class F, class Result>
KOKKOS_FORCEINLINE_FUNCTION void enclose_components(N n, F const& f, Result& result, bool (&decided)[Count]) {
  double start[Count];
  HeadAndRest sum[Count];
  IntegerPack moved[Count];
  auto const first = f(N{0});
  for (int c = 0; c < Count; ++c) {
    int const e = guess_from(FunctionTerm<T>::exact(first[c]));
    start[c] = head_for(has_head(e) ? e : 0);  // too large for this one: it moves
    sum[c] = HeadAndRest(start[c], 0);
    moved[c] = 0;
  }
  for (N k = 0; k < n; ++k) {
    auto const terms = f(k);
    for (int c = 0; c < Count; ++c) {
      sum[c].absorb(FunctionTerm<T>::exact(terms[c]));
      moved[c] = moved[c] | (bits_of_pack(sum[c].head) ^ bits_of_pack(start[c]));
    }
  }
  for (int c = 0; c < Count; ++c) {
    Enclosure component;
    decided[c] =
        read_head(sum[c], moved[c], start[c], static_cast<int>(n), component) && try_round(component, result[c]);
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
