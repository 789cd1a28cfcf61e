// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_SCALEDSUM_HPP
#define EXAKTBLAS_SCALEDSUM_HPP

/// \file
/// \brief Enclosures of products that leave the range of doubles, or whose errors do.
///
/// A norm whose squares overflow or vanish has ordinary digits all the same. Blue, "A portable Fortran program to find
/// the Euclidean norm of a vector" (1978), scales numbers by one of two constants; here the factors of each tile are
/// scaled by powers of two of their own, so that the largest of either side is about one:
///
///     tile of x, y --> x / 2^p, y / 2^q --> enclosure in units of 2^(p + q) --> added to the others' in the larger unit
///
/// Factors below 2^-500 then count as zeros: what scaling and products leave is normal, for subnormal numbers take some
/// processors 150 cycles each. A factor is below 2^25 (2^p is 2^1000 at most), so that a product is off by less than
/// 2^-475, and the 2^12 products of a tile by less than 2^-463.
///
/// On devices, where a thread sees one product after the other, the unit is one of the thread's, and grows with its products.

#include "../kernels/ExaktBlas_Kernels.hpp"

#include <summation/Exakt_CascadedSum.hpp>
#include <summation/Exakt_EnclosedSum.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// A sum of products known up to a bound, in units of a power of two; added and merged as an EnclosedSum is.
struct ScaledSum {
  static constexpr int largest_scale = 1000, smallest_factor = -500;
  static constexpr double bound_of_small_factors = 0x1p-463;

  EnclosedSum units;
  int exponent = -4 * largest_scale;  // below those of all tiles

  /// Whether scaling may tell more of a sum of products than this enclosure does. A small sum with a bound that is not small
  /// is that of products that cancel, with units that scaling does not change.
  static bool may_know_more(EnclosedSum const& products) {
    constexpr double small = 0x1p-900;
    return !products.is_known() || (magnitude_of(products.sum.high) < small && products.sum.bound < small);
  }

  bool is_known() const { return units.is_known(); }
  void clear() { *this = ScaledSum(); }

  /// \pre The default floating-point environment.
  template <class X, class Y>
  void add(ProductOperations<X, Y> const& products, std::size_t begin, std::size_t n) {
    for (Span const tile : Pieces{{begin, begin + n}, enclosure_tile_size}) {
      if (!is_known()) return;
      double x[enclosure_tile_size], y[enclosure_tile_size];
      int const scales =
          scale(products.x + tile.begin, tile.size(), x) + scale(products.y + tile.begin, tile.size(), y);
      Enclosure of_tile;
      ProductOperations<double, double>{x, y}.enclose(0, tile.size(), of_tile);
      of_tile.bound += bound_of_small_factors;
      add({{of_tile}, scales});
    }
  }

  ScaledSum& operator+=(ScaledSum const& other) {
    in_default_environment([&] { add(other); });
    return *this;
  }

  /// What EnclosedSum::value() and radius() are. Bits below the last one of Long, of which there may be three, go to the
  /// radius.
  template <class Long>
  Long value() const {
    Long result;
    add_units(result, units.sum.high);
    add_units(result, units.sum.low);
    return result;
  }
  template <class Long>
  Long radius() const {
    Long result;
    add_units(result, units.sum.bound + units.sum.bound * EnclosedSum::bound_of_roundings);
    result.add_scaled(3, Long::lowest_exponent, false);
    return result;
  }

 private:
  /// to := x / 2^p, where p, which is returned, is the least exponent above all x, or as near to it as scales come.
  template <class X>
  static int scale(X const* x, std::size_t n, double* to) {
    KernelsOf<X> const& kernel = kernels();
    int const above = exponent_above(kernel.largest(x, static_cast<int>(n), 0));
    int const p = above < -largest_scale ? -largest_scale : above > largest_scale ? largest_scale : above;
    // By their bits, for comparisons and products of subnormal numbers take as long.
    int const smallest = p + smallest_factor;
    std::uint64_t const limit = smallest < FloatFormat<double>::min_exponent ? 0 : bits_of(power_of_two(smallest));
    double const factor = power_of_two(-p);
    for (std::size_t i = 0; i < n; ++i) {
      auto const bits = bits_of(static_cast<double>(x[i]));
      std::uint64_t const kept = -static_cast<std::uint64_t>(bits << 1 >= limit << 1);  // all bits, without a branch
      to[i] = bit_cast<double>(bits & kept) * factor;
    }
    return p;
  }

  void add(ScaledSum term) {
    int const larger = term.exponent > exponent ? term.exponent : exponent;
    rescale(larger);
    term.rescale(larger);
    add_enclosure(units.sum, term.units.sum);
  }

  /// The same sum in units of 2^to, which are not smaller.
  void rescale(int to) {
    constexpr int nearly_nothing = 900;
    int const shift = to - exponent;
    exponent = to;
    if (shift == 0 || !is_known()) return;
    auto& [high, low, bound] = units.sum;
    if (shift > nearly_nothing) {
      units.sum = {0, 0, ((magnitude_of(high) + magnitude_of(low)) + bound) * power_of_two(-nearly_nothing)};
    } else {
      // All three are rounded where they become subnormal.
      double const factor = power_of_two(-shift);
      units.sum = {high * factor, low * factor, bound * factor + 0x1p-1070};
    }
  }

  template <class Long>
  void add_units(Long& sum, double x) const {
    auto const parts = integer_parts(x);
    int const last = parts.exponent + exponent, below = last < Long::lowest_exponent ? Long::lowest_exponent - last : 0;
    std::uint64_t const significand = below < 64 ? parts.significand >> below : 0;
    if (significand != 0) sum.add_scaled(significand, last + below, parts.negative);
  }
};

/// \brief What devices make of products that leave the range: a cascade in units of 2^exponent, above all that it has met.
///
/// A product is that of two significands in [1, 2) and a power of two, which is raised to 2^-900 of the unit where it is
/// less: for fewer than 2^50 of them that is less than 2^-840, as is what a larger unit makes of the parts so far. Zeros,
/// infinities and NaN are significands as they are.
struct ScaledCascade {
  static constexpr double bound_of_small_products = 0x1p-840;

  CascadedSum units;
  int exponent = -8192;  // below all products

  KOKKOS_FORCEINLINE_FUNCTION void clear() { *this = ScaledCascade(); }

  KOKKOS_FORCEINLINE_FUNCTION void add_product(double x, double y) {
    constexpr int smallest = -900;
    Factor const a = factor(x), b = factor(y);
    int const e = a.exponent + b.exponent;
    if (e >= exponent) rescale(next_unit(e));
    int const below = e - exponent;
    units.add_product(a.significand, b.significand * power_of_two(below < smallest ? smallest : below));
  }

  /// In the default environment; += holds it, as that of Cascade does.
  KOKKOS_FORCEINLINE_FUNCTION void merge(ScaledCascade const& other) {
    ScaledCascade term = other;
    int const larger = term.exponent > exponent ? term.exponent : exponent;
    rescale(larger);
    term.rescale(larger);
    units.merge(term.units);
  }
  KOKKOS_FORCEINLINE_FUNCTION ScaledCascade& operator+=(ScaledCascade const& other) {
    EXAKT_IF_ON_DEVICE((merge(other);))
    EXAKT_IF_ON_HOST((in_default_environment([&] { merge(other); });))
    return *this;
  }

  KOKKOS_FORCEINLINE_FUNCTION ScaledSum enclosure() const {
    Enclosure sum = units.enclosure();
    sum.bound += bound_of_small_products;
    return {{sum}, exponent};
  }

 private:
  struct Factor {
    double significand;
    int exponent;
  };

  static KOKKOS_FORCEINLINE_FUNCTION Factor factor(double x) {
    using F = FloatFormat<double>;
    constexpr int zero = -2000, up = F::precision;
    constexpr double smallest_normal = 0x1p-1022, larger = 0x1p53;
    static_assert(larger == std::uint64_t{1} << up);
    bool const is_small = magnitude_of(x) < smallest_normal;
    std::uint64_t const bits = bits_of(is_small ? x * larger : x), field = bits & F::infinity;
    if (field == 0) return {x, zero};
    if (field == F::infinity) return {x, 0};
    return {bit_cast<double>((bits & ~F::infinity) | bits_of(1.0)),
            static_cast<int>(field >> (F::precision - 1)) - F::max_exponent - (is_small ? up : 0)};
  }

  /// The least one above e, of few: each change takes as long as a product.
  static KOKKOS_FORCEINLINE_FUNCTION int next_unit(int e) {
    constexpr int step = 256;
    return (e & -step) + step;
  }

  /// The same sum in units of 2^to, which are not smaller.
  KOKKOS_INLINE_FUNCTION void rescale(int to) {
    constexpr int nearly_nothing = 1000;
    int const shift = to - exponent;
    exponent = to;
    double const by = power_of_two(-(shift > nearly_nothing ? nearly_nothing : shift));
    for (double& part : units.parts) part *= by;
    units.rest *= by;
    units.sizes *= by;
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
