// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COMPLEX_HPP
#define EXAKTBLAS_COMPLEX_HPP

/// \file
/// \brief Complex numbers as real ones: which real products the parts of a sum of products are made of, and how the
/// sums of the parts become an entry again. Everything that multiplies complex numbers asks here.
///
///     | Re A  -Im A |   | Re x |   | Re Ax |
///     | Im A   Re A | * | Im x | = | Im Ax |     first product, second product: a real factor takes part in one of them
///
/// Real entries are those with one part: the same code serves both.

#include "ExaktBlas_Epilogue.hpp"

#include <Exakt_Accumulator.hpp>
#include <parallel/Exakt_KokkosCompat.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief One of the real products that a product a*x of numbers is: which parts of the factors, and the part of the
/// result that it is added to, or subtracted from.
struct RealProduct {
  bool of_a, of_x;  // whether it is the imaginary part
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool into_imaginary() const { return of_a != of_x; }
  /// As i*i is, and what a conjugated factor turns.
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_negative(bool a_is_conjugated = false) const {
    return of_a && of_x != a_is_conjugated;
  }

  /// The factors, exactly; the first one negated where the product is subtracted.
  template <class A, class X>
  KOKKOS_FORCEINLINE_FUNCTION FactorPair factors(A const& a, X const& x, bool a_is_conjugated = false) const {
    return {signed_part(a, of_a, is_negative(a_is_conjugated)), part_of(x, of_x)};
  }
};

/// The real products of a*x, by the part that they are added to.
template <bool a_is_complex, bool x_is_complex>
struct RealProducts {
  static constexpr bool have_imaginary_sum = a_is_complex || x_is_complex;
  static constexpr std::size_t per_part = a_is_complex && x_is_complex ? 2 : 1;

  /// Those of n pairs.
  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t count(bool imaginary, std::size_t n) {
    return imaginary && !have_imaginary_sum ? 0 : per_part * n;
  }
  /// \param k  Below per_part.
  static KOKKOS_FORCEINLINE_FUNCTION constexpr RealProduct of(bool imaginary, std::size_t k) {
    bool const of_x = x_is_complex && (a_is_complex ? k == 1 : imaginary);
    return {of_x != imaginary, of_x};
  }
};
template <class A, class X>
using RealProductsOf = RealProducts<Scalar<A>::is_complex, Scalar<X>::is_complex>;

/// f(product) for the real products of a*x, which are one, two or four. That of both imaginary parts comes last.
EXAKT_CALLS_ARGUMENT
template <class A, class X, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_real_product(F const& f) {
  using Products = RealProductsOf<A, X>;
  f(Products::of(false, 0));
  if constexpr (Products::have_imaginary_sum) f(Products::of(true, 0));
  if constexpr (Products::per_part == 2) {
    f(Products::of(true, 1));
    f(Products::of(false, 1));
  }
}

/// Sums of the parts of an entry.
template <class Sum, bool complex>
struct SumParts {
  Sum parts[complex ? 2 : 1];

  template <class A, class X>
  KOKKOS_FORCEINLINE_FUNCTION void add_product(A const& a, X const& x) {
    for_each_real_product<A, X>([&](RealProduct product) {
      FactorPair const factors = product.factors(a, x);
      parts[product.into_imaginary()].add_product(factors.x, factors.y);
    });
  }
  KOKKOS_FUNCTION SumParts& operator+=(SumParts const& other) {
    parts[0] += other.parts[0];
    if constexpr (complex) parts[1] += other.parts[1];
    return *this;
  }
  KOKKOS_FUNCTION void clear() {
    for (Sum& part : parts) part.clear();
  }
};

/// Exact ones. Two accumulators without buffers stay below 2 KB in a reduction.
template <bool complex>
using ExactParts = SumParts<std::conditional_t<complex, ExactProducts, DotAccumulator<double>>, complex>;

/// \brief What becomes of the sums of the parts of an entry: alpha * S + beta * y, each part rounded once. The base has
/// the real parts of alpha and beta, which are all that an entry without imaginary part takes.
struct EntryEpilogue : Epilogue {
  Factor full_alpha{}, full_beta{};

  EntryEpilogue() = default;
  KOKKOS_FUNCTION EntryEpilogue(Factor const& a, Factor const& b) : Epilogue{}, full_alpha(a), full_beta(b) {
    alpha = a.real;
    beta = b.real;
    reads_y = !b.is_zero();
  }

  /// Whether each part depends on the sum of one part alone: enclosures decide no others.
  KOKKOS_FUNCTION bool parts_stay_apart() const {
    return is_zero(full_alpha.imaginary) && is_zero(full_beta.imaginary);
  }

  /// A part of y as far as it is read.
  template <class Y>
  KOKKOS_FORCEINLINE_FUNCTION double old_part(Y const& y, bool imaginary) const {
    return reads_y ? part_of(y, imaginary) : 0;
  }

  /// \brief From exact sums of the parts.
  ///
  /// Multiplied out as (a + bi)(c + di) = (ac - bd) + (ad + bc)i, infinities and NaN included.
  template <class Y, int count>
  KOKKOS_INLINE_FUNCTION Y entry(ExactProducts const (&sums)[count], Y const& y) const {
    return entry(sums, sums, y);
  }
  template <class Y, class Sum, bool complex>
  KOKKOS_INLINE_FUNCTION Y entry(SumParts<Sum, complex> const& sums, Y const& y) const {
    if constexpr (complex) {
      return entry(sums.parts, y);
    } else {
      ExactProducts const sum[] = {sums.parts[0].normalized()};
      return entry(sum, y);
    }
  }
  /// \param turned  The sum that the imaginary part of alpha is multiplied with.
  template <class Y, int count>
  KOKKOS_INLINE_FUNCTION Y entry(ExactProducts const (&sums)[count], ExactProducts const (&turned)[count],
                                 Y const& y) const {
    using R = typename Scalar<Y>::Real;
    static_assert(count == Scalar<Y>::parts);
    if constexpr (count == 1) {
      return exactly<R>(sums[0], old_part(y, false), 1);
    } else {
      double const old[] = {old_part(y, false), old_part(y, true)};
      R results[2];
      for (int part = 0; part < 2; ++part) {
        int const other = 1 - part;
        auto const into_part = [&](double imaginary) { return part == 0 ? negated(imaginary) : imaginary; };
        ExactScaled total;
        total.add_scaled_sum(sums[part], alpha);
        if (full_alpha.is_complex) total.add_scaled_sum(turned[other], into_part(full_alpha.imaginary));
        if (reads_y) {
          total.add_product(beta, old[part]);
          if (full_beta.is_complex) total.add_product(into_part(full_beta.imaginary), old[other]);
        }
        results[part] = total.template round<R>();
      }
      return entry_of<Y>(results);
    }
  }
};

/// \brief factor * sum, enclosed; unknown where exponents come close to the ends of the range.
///
/// p + p' = factor * high exactly; the roundings of factor * low and of its sum with p' are 2^-53 of what they round, and
/// less than 2^-1074 where they underflow.
KOKKOS_FORCEINLINE_FUNCTION Enclosure scaled_enclosure(Enclosure const& sum, double factor) {
  auto const is_fit = [](double x) { return is_zero(x) || (magnitude_of(x) > 0x1p-400 && magnitude_of(x) < 0x1p400); };
  if (!is_fit(factor) || !is_fit(sum.high)) return {0, 0, HUGE_VAL};
  auto const product = two_product(factor, sum.high);
  double const low = factor * sum.low;
  double const roundings = 0x1p-51 * (magnitude_of(product.error) + magnitude_of(low)) + 0x1p-1000;
  return {product.value, product.error + low, magnitude_of(factor) * sum.bound * (1 + 0x1p-50) + roundings};
}

/// \brief A part of alpha * S + beta * y, enclosed, where alpha or beta has an imaginary part.
///
/// \param sum, old  Of this part of S and y; the others are those of the other part.
KOKKOS_INLINE_FUNCTION Enclosure enclosed_part(EntryEpilogue const& epilogue, bool imaginary, Enclosure const& sum,
                                               Enclosure const& other_sum, double old, double other_old) {
  auto const into_part = [&](double factor) { return imaginary ? factor : negated(factor); };
  Enclosure total = scaled_enclosure(sum, epilogue.alpha);
  add_enclosure(total, scaled_enclosure(other_sum, into_part(epilogue.full_alpha.imaginary)));
  if (epilogue.reads_y) {
    add_enclosure(total, scaled_enclosure({old, 0, 0}, epilogue.beta));
    add_enclosure(total, scaled_enclosure({other_old, 0, 0}, into_part(epilogue.full_beta.imaginary)));
  }
  return total;
}

/// What is left to do for such a part.
KOKKOS_FORCEINLINE_FUNCTION constexpr Factors rounding_alone() { return {1, 0, false, false}; }

/// Whether all parts are decided, and then the entry. \param try_part  try_part(part, result): whether one is.
EXAKT_CALLS_ARGUMENT
template <class Y, class TryPart>
KOKKOS_FORCEINLINE_FUNCTION bool try_parts(TryPart const& try_part, Y& result) {
  typename Scalar<Y>::Real parts[Scalar<Y>::parts] = {};
  bool decided = true;
  EXAKT_UNROLLED_LOOP
  for (int part = 0; part < Scalar<Y>::parts; ++part) decided = try_part(part, parts[part]) && decided;
  if (decided) result = entry_of<Y>(parts);
  return decided;
}

/// The entry, if enclosures of its sums decide that.
template <class Y, int count>
KOKKOS_FORCEINLINE_FUNCTION bool try_parts(EntryEpilogue const& epilogue, Enclosure const (&sums)[count], Y const& old,
                                           Y& result) {
  static_assert(count == Scalar<Y>::parts);
  bool const mixed = count == 2 && !epilogue.parts_stay_apart();
  return try_parts(
      [&](int part, typename Scalar<Y>::Real& rounded) {
        bool const imaginary = part != 0;
        double const old_part = epilogue.old_part(old, imaginary);
        if (!mixed) return try_round_sum(epilogue, sums[part], old_part, rounded);
        Enclosure const total = enclosed_part(epilogue, imaginary, sums[part], sums[count - 1 - part], old_part,
                                              epilogue.old_part(old, !imaginary));
        return try_round_sum(rounding_alone(), total, 0, rounded);
      },
      result);
}
/// Likewise. \tparam Sum  Has an enclosure().
template <class Y, class Sum, int count>
KOKKOS_FORCEINLINE_FUNCTION bool try_parts(EntryEpilogue const& epilogue, Sum const (&sums)[count], Y const& old,
                                           Y& result) {
  Enclosure known[count];
  for (int part = 0; part < count; ++part) known[part] = sums[part].enclosure();
  return try_parts(epilogue, known, old, result);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
