// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS1_AXPBY_HPP
#define EXAKTBLAS1_AXPBY_HPP

#include "impl/ExaktBlas_Reduce.hpp"
#include "impl/ExaktBlas_Scalars.hpp"

namespace Exakt {
namespace Impl {

/// Some entries of alpha * x + beta * y, each rounded to double, and all bits of `undecided` set where that is not
/// certain.
struct AxpbyPack {
  Pack rounded;
  IntegerPack undecided;
};

/// Lanes whose product may not be exact as value + error (two_product), the error above 2^(min_exponent + precision);
/// it is if a factor is zero.
KOKKOS_FORCEINLINE_FUNCTION IntegerPack splits_inexactly(Pack a, Pack b, Pack product) {
  using F = FloatFormat<double>;
  Pack const size = absolute(product), zero{};
  IntegerPack const small = ~mask_of(size >= broadcast(power_of_two(F::min_exponent + 3 * F::precision)));
  IntegerPack const no_zero = mask_of(a != zero) & mask_of(b != zero);
  IntegerPack result = (small & no_zero) | ~mask_of(size < broadcast(power_of_two(F::max_exponent - 3)));
  if constexpr (!has_fused_packs) {
    Pack const limit = broadcast(power_of_two(F::max_exponent - F::precision));
    result |= ~(mask_of(absolute(a) < limit) & mask_of(absolute(b) < limit));
  }
  return result;
}

/// alpha * x + beta * y rounded once, from a sum of two doubles and a bound of its error.
///
/// With p + p' = alpha*x, q + q' = beta*y and h + l = p + q exactly, the result is h + l + p' + q'. The last three are
/// added with two roundings, each at most 2^-53 of (|l| + |p'| + |q'|)(1 + 2^-51), and a third moves the ends of the
/// interval: `doubt` is more than all of them. If h plus the lower and h plus the upper end round to the same double,
/// so does the exact value.
KOKKOS_FORCEINLINE_FUNCTION AxpbyPack axpby_of_packs(Pack alpha, Pack x, Pack beta, Pack y) {
  auto const p = two_product_of_packs(alpha, x), q = two_product_of_packs(beta, y);
  auto const sum = two_sum_of_packs(p.value, q.value);
  Pack const low = sum.error + (p.error + q.error);
  Pack const doubt = broadcast(0x1p-51) * (absolute(sum.error) + (absolute(p.error) + absolute(q.error)));
  Pack const zero{};  // an exact zero is +0
  Pack const lower = (sum.value + (low - doubt)) + zero, upper = (sum.value + (low + doubt)) + zero;
  return {lower, mask_of(bits_of_pack(lower) != bits_of_pack(upper)) | splits_inexactly(alpha, x, p.value) |
                     splits_inexactly(beta, y, q.value)};
}

/// Whether every number that rounds to the double x rounds to the same R: for floats x must not be a tie, nor out of
/// the range of normal numbers.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION bool rounds_like_its_neighbours([[maybe_unused]] double x) {
  if constexpr (std::is_same_v<R, double>) {
    return true;
  } else {
    using F = FloatFormat<R>;
    constexpr int dropped = FloatFormat<double>::precision - F::precision;
    constexpr std::uint64_t tail = (std::uint64_t{1} << dropped) - 1, tie = tail / 2 + 1;
    std::uint64_t const magnitude = bits_of(x) & ~FloatFormat<double>::sign_mask;
    return (magnitude & tail) != tie && magnitude >= bits_of(power_of_two(F::min_exponent + 1)) &&
           magnitude < bits_of(power_of_two(F::max_exponent));
  }
}

/// alpha * x + beta * y, rounded once to R: always, and slowly.
template <class R, class A, class X, class B, class Y>
EXAKT_NOINLINE_FUNCTION R exact_axpby(A alpha, X x, B beta, Y y) {
  LongAccumulator<double, 56, Terms::products> sum;
  sum.add_product(alpha, x);
  sum.add_product(beta, y);
  return sum.template round<R>();
}

/// Entries that are done together: on hosts as many as are copied to the first-level cache, decided a pack at a time,
/// and written back; on devices neighbouring threads do neighbouring entries.
template <class Space>
inline constexpr std::size_t axpby_block = runs_on_host<Space> ? 256 : 1;

template <std::size_t block_size, class A, class X, class B, class Y>
struct Axpby {
  A alpha;
  X x;
  B beta;
  Y y;

  using R = typename Y::non_const_value_type;

  KOKKOS_INLINE_FUNCTION std::size_t blocks() const { return (x.extent(0) + block_size - 1) / block_size; }

  /// Block number `number` of those of all columns.
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t number) const {
    if constexpr (X::rank == 1) {
      std::size_t const begin = number * block_size;
      update(
          size_of_block(begin), [&](std::size_t i) -> auto& { return x(begin + i); },
          [&](std::size_t i) -> auto& { return y(begin + i); });
    } else {
      bool const along_rows = block_size == 1 && y.stride(1) < y.stride(0);
      std::size_t const column = along_rows ? number % x.extent(1) : number / blocks();
      std::size_t const begin = (along_rows ? number / x.extent(1) : number % blocks()) * block_size;
      update(
          size_of_block(begin), [&](std::size_t i) -> auto& { return x(begin + i, column); },
          [&](std::size_t i) -> auto& { return y(begin + i, column); });
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::size_t size_of_block(std::size_t begin) const {
    return x.extent(0) - begin < block_size ? x.extent(0) - begin : block_size;
  }

  /// Compilers for devices may be told to take subnormal floats for zeros.
  template <class V>
  static KOKKOS_FORCEINLINE_FUNCTION double widened(V const& entry) {
    return block_size == 1 ? exact_double(entry) : static_cast<double>(entry);
  }

  template <class XEntry, class YEntry>
  KOKKOS_FORCEINLINE_FUNCTION void update(std::size_t count, XEntry const& x_entry, YEntry const& y_entry) const {
    // What a factor of zero multiplies is not read, whatever it holds.
    using XEntryType = typename X::non_const_value_type;
    bool const is_zero_alpha = is_zero(alpha), is_zero_beta = is_zero(beta);
    auto const added = [&](std::size_t i) { return is_zero_alpha ? XEntryType{0} : x_entry(i); };
    auto const old = [&](std::size_t i) { return is_zero_beta ? R{0} : y_entry(i); };
    if constexpr (!is_float_v<R>) {
      for (std::size_t i = 0; i < count; ++i) y_entry(i) = exact_axpby<R>(alpha, added(i), beta, old(i));
    } else {
      double xs[block_size + pack_lanes], ys[block_size + pack_lanes];
      std::int64_t undecided[block_size + pack_lanes];
      if (is_zero_alpha) {
        for (std::size_t i = 0; i < count; ++i) xs[i] = 0;
      } else {
        for (std::size_t i = 0; i < count; ++i) xs[i] = widened(x_entry(i));
      }
      if (is_zero_beta) {
        for (std::size_t i = 0; i < count; ++i) ys[i] = 0;
      } else {
        for (std::size_t i = 0; i < count; ++i) ys[i] = widened(y_entry(i));
      }
      for (std::size_t i = count; i < count + pack_lanes; ++i) xs[i] = ys[i] = 0;

      Pack const a = broadcast(widened(alpha)), b = broadcast(widened(beta));
      IntegerPack any{};
      for (std::size_t i = 0; i < count; i += pack_lanes) {
        AxpbyPack const entries = axpby_of_packs(a, load(xs + i), b, load(ys + i));
        store(entries.rounded, xs + i);
        store(entries.undecided, undecided + i);
        any |= entries.undecided;
      }
      if (std::is_same_v<R, double> && !has_bits(any, ~std::uint64_t{0})) {
        for (std::size_t i = 0; i < count; ++i) y_entry(i) = xs[i];
        return;
      }
      for (std::size_t i = 0; i < count; ++i) {
        if (undecided[i] == 0 && rounds_like_its_neighbours<R>(xs[i])) [[likely]]
          y_entry(i) = static_cast<R>(xs[i]);
        else
          y_entry(i) = exact_axpby<R>(alpha, added(i), beta, old(i));
      }
    }
  }
};

}  // namespace Impl

/// \brief y := alpha*x + beta*y, each entry rounded once.
///
/// Method: a double-double sum with a bound that usually proves how the exact value rounds, else a LongAccumulator.
///
/// \param space  Where to run; the work is enqueued, not awaited.
/// \param alpha  Factor of x; if zero, x is not read, and y stays as it is if beta is one.
/// \param x      n entries or n x m, of any layout, read; is y itself or does not overlap it.
/// \param beta   Factor of y; if zero, y is not read.
/// \param y      Same shape as x, read and written.
/// \throws std::invalid_argument  x and y differ in shape, or share some of their entries but not all in the same
/// places.
template <class Space, class A, class X, class B, class Y>
requires Kokkos::is_execution_space<Space>::value void axpby(Space const& space, A const& alpha, X const& x,
                                                             B const& beta, Y const& y) {
  static_assert(Impl::require_operand<Space, X>() && Impl::require_operand<Space, Y>());
  static_assert(int(X::rank) == int(Y::rank), "Exakt: x and y have the same rank");
  static_assert(!std::is_const_v<typename Y::value_type>, "Exakt: y is written");
  Impl::require_same_shape("axpby", x, y);
  if (!Impl::same_entries(x, y)) Impl::require_no_overlap("axpby", "y", y, "x", x);
  Impl::in_region("Exakt::axpby", [&] {
    auto const a = Impl::factor_of<double>(alpha);
    auto const b = Impl::factor_of<double>(beta);
    if (Impl::is_zero(a) && b == 1) return;
    Impl::Axpby<Impl::axpby_block<Space>, decltype(a), X, decltype(b), Y> const update{a, x, b, y};
    // Registers of devices are for many threads, and not for the exact sum, which is rare.
    using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>, Kokkos::LaunchBounds<256, 4>>;
    Kokkos::parallel_for("Exakt::axpby", Policy(space, 0, update.blocks() * x.extent(1)), Impl::held(update));
  });
}

/// \brief The same on the execution space of x.
template <class A, class X, class B, class Y>
void axpby(A const& alpha, X const& x, B const& beta, Y const& y) {
  static_assert(Impl::require_views<X, Y>());
  axpby(typename X::execution_space(), alpha, x, beta, y);
}

}  // namespace Exakt

#endif
