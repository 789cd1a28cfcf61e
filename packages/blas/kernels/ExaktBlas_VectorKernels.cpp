// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// alpha * x + beta * y, a pack at a time: from what is known of nearly all entries; those lanes that this does not
// decide with more care; and what is left undecided is reported to the caller, which adds exactly.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ExaktBlas_VectorKernels.cpp"
#include <kernels/Exakt_Targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <kernels/Exakt_FindKernels.hpp>
#include <summation/Exakt_Enclosure.hpp>
#include <summation/Exakt_ExtractionLevels.hpp>

#include "ExaktBlas_VectorKernels.hpp"

#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {
namespace {

#include <kernels/Exakt_Lanes-inl.hpp>
//
#include <kernels/Exakt_ErrorFree-inl.hpp>
//
#include "ExaktBlas_Axpby-inl.hpp"

/// A vector in memory; neighbours are neighbours if it is contiguous.
template <bool contiguous, class T>
struct Entries {
  T* first;
  std::ptrdiff_t stride;
  int ahead;  // how far entries are prefetched

  HWY_INLINE T& operator[](int i) const { return first[contiguous ? i : i * stride]; }

  HWY_INLINE Pack load_at(int i) const {
    if constexpr (contiguous) {
      prefetch(first + i + ahead);
      return load(first + i);
    } else {
      return load_some_at(i, pack_lanes);
    }
  }
  HWY_INLINE Pack load_some_at(int i, int count) const {
    if constexpr (contiguous) {
      return load_some(first + i, count);
    } else {
      std::remove_const_t<T> lanes[pack_lanes] = {};
      for (int l = 0; l < count; ++l) lanes[l] = (*this)[i + l];
      return load(lanes);
    }
  }
  HWY_INLINE void store_at(Pack x, int i) const {
    if constexpr (contiguous) {
      store(x, first + i);
    } else {
      T lanes[pack_lanes];
      store(x, lanes);
      for (int l = 0; l < pack_lanes; ++l) (*this)[i + l] = lanes[l];
    }
  }
};

/// What alpha * x + beta * y is, as far as its factors are not zero.
enum class Sum { both, x_only, y_only };

/// \brief Rounds a pack of results to R; false if one of them may not be right.
///
/// With p + p' = alpha*x, q + q' = beta*y and s + e = p + q exactly, the result is s + e + p' + q', and with
/// S = |p| + |q| each of the last three is at most 2^-53 S. They are added as `low`, |low| < 2^-51.9 S, with two
/// roundings of at most 2^-106 S and 2^-105 S (1 + 2^-50). `low` +- 2^-103 S is rounded once more, by less than
/// 2^-104.9 S, and 2^-103 is more than 2^-106 + 2^-105 + 2^-104.9. If s plus the lower and s plus the upper end round
/// to the same double, so does the exact value. No end is zero. A single product is s + p', and rounds to s.
///
/// Infinities and NaN, and factors too large for Dekker's product, make S or an end one of them, which is neither small
/// nor the same.
template <Sum sum, class R>
HWY_INLINE bool round_surely(Pack alpha, Pack x, Pack beta, Pack y, Pack& result) {
  Pack s, low, size, least;
  if constexpr (sum == Sum::both) {
    SumOfTwoProducts const total = sum_of_two_products(alpha, x, beta, y);
    Pack const p_size = absolute(total.p.value), q_size = absolute(total.q.value);
    s = total.sum.value;
    low = total.rest();
    size = p_size + q_size;
    least = smaller(p_size, q_size);
  } else {
    auto const p = sum == Sum::x_only ? two_product_of_packs(alpha, x) : two_product_of_packs(beta, y);
    s = p.value;
    low = p.error;
    size = least = absolute(s);
  }
  Pack const bound = sum == Sum::both ? broadcast(0x1p-103) * size : zeros();
  Pack const lower = s + (low - bound), upper = s + (low + bound);
  result = lower;
  auto const is_sure = hn::And(hn::And(lower == upper, size < broadcast(largest_axpby_product())),
                               least >= broadcast(smallest_axpby_product()));
  if constexpr (std::is_same_v<R, double>) {
    return hn::AllTrue(Doubles(), is_sure);
  } else {
    auto const is_apart = is_normal_float(lower) & ~is_tie_of_floats(lower);
    return hn::AllTrue(Doubles(), is_sure) && !has_bits(~is_apart, ~std::uint64_t{0});
  }
}

/// Writes those of `lanes` results that are decided; the numbers of the others go to `undecided`.
template <class Y, class R>
HWY_NOINLINE int write_decided(AxpbyPack const& results, Y const& y, int i, int lanes, int* undecided) {
  R rounded[pack_lanes];
  store(results.rounded, rounded);
  std::uint32_t const open = set_of_lanes(results.undecided);
  int others = 0;
  for (int l = 0; l < lanes; ++l) {
    if ((open >> l & 1) != 0) {
      undecided[others++] = i + l;
    } else {
      y[i + l] = rounded[l];
    }
  }
  return others;
}

template <Sum sum, bool contiguous, class X, class R>
HWY_INLINE int axpby_of(double alpha_number, Entries<contiguous, X const> x, double beta_number,
                        Entries<contiguous, R> y, int count, int* undecided) {
  using Y = Entries<contiguous, R>;
  Pack const alpha = broadcast(alpha_number), beta = broadcast(beta_number), zero = broadcast(0);
  int others = 0, i = 0;
  bool has_ties = false;  // where there is one, there are many
  for (; i + pack_lanes <= count; i += pack_lanes) {
    Pack const xs = sum == Sum::y_only ? zero : x.load_at(i), ys = sum == Sum::x_only ? zero : y.load_at(i);
    Pack result;
    if (!has_ties && round_surely<sum, R>(alpha, xs, beta, ys, result)) {
      y.store_at(result, i);
      continue;
    }
    AxpbyPack const results = axpby_of_packs<R>(alpha, xs, beta, ys);
    if (set_of_lanes(results.undecided) == 0) {
      y.store_at(results.rounded, i);
      has_ties = true;
    } else {
      others += write_decided<Y, R>(results, y, i, pack_lanes, undecided + others);
    }
  }
  if (int const lanes = count - i; lanes > 0) {
    Pack const xs = sum == Sum::y_only ? zero : x.load_some_at(i, lanes);
    Pack const ys = sum == Sum::x_only ? zero : y.load_some_at(i, lanes);
    others += write_decided<Y, R>(axpby_of_packs<R>(alpha, xs, beta, ys), y, i, lanes, undecided + others);
  }
  return others;
}

/// Whether products of floats with it are doubles.
HWY_INLINE bool multiplies_floats_exactly(double factor) {
  constexpr std::uint64_t beyond = (std::uint64_t{1} << FloatFormat<float>::precision) - 1;
  double const size = magnitude_of(factor);
  return factor == 0 || ((bits_of(factor) & beyond) == 0 && size >= 0x1p-700 && size <= 0x1p700);
}

/// \brief value + error rounded to odd: a number that is not the exact one has an odd significand, and rounds to float as
/// the exact one does, halves of units and subnormal results included.
/// \param error  At most half a unit of the value.
HWY_INLINE Pack rounded_to_odd(Pack value, Pack error) {
  IntegerPack const bits = bits_of_pack(value), one = hn::Set(Integers(), 1);
  // The neighbour on the other side of the exact number. Errors of infinities are NaN, and no errors.
  IntegerPack const step = hn::BroadcastSignBit(bits ^ bits_of_pack(error)) | one;
  IntegerPack const is_even = hn::VecFromMask(Integers(), hn::Eq(bits & one, hn::Zero(Integers())));
  return hn::BitCast(Doubles(), bits + (step & is_even & mask_of(absolute(error) > zeros())));
}

/// The same for floats where both products are doubles: nothing is left undecided.
template <Sum sum, bool contiguous>
HWY_INLINE void axpby_of_floats(double alpha_number, Entries<contiguous, float const> x, double beta_number,
                                Entries<contiguous, float> y, int count) {
  Pack const alpha = broadcast(alpha_number), beta = broadcast(beta_number), zero = zeros();
  // An exact zero is +0, and all NaN are the same.
  auto const without_sign = [&](Pack number) HWY_ATTR {
    return hn::IfThenElse(number == number, number + zero, broadcast(std::numeric_limits<double>::quiet_NaN()));
  };
  auto const result = [&](Pack xs, Pack ys) HWY_ATTR {
    if constexpr (sum == Sum::both) {
      auto const total = two_sum_of_packs(rounded_product(alpha, xs), rounded_product(beta, ys));
      return rounded_to_odd(without_sign(total.value), total.error);
    } else {
      return without_sign(sum == Sum::x_only ? rounded_product(alpha, xs) : rounded_product(beta, ys));
    }
  };
  int i = 0;
  for (; i + pack_lanes <= count; i += pack_lanes) {
    Pack const xs = sum == Sum::y_only ? zero : x.load_at(i), ys = sum == Sum::x_only ? zero : y.load_at(i);
    y.store_at(result(xs, ys), i);
  }
  if (int const lanes = count - i; lanes > 0) {
    float rounded[pack_lanes];
    store(result(sum == Sum::y_only ? zero : x.load_some_at(i, lanes),
                 sum == Sum::x_only ? zero : y.load_some_at(i, lanes)),
          rounded);
    for (int l = 0; l < lanes; ++l) y[i + l] = rounded[l];
  }
}

/// \brief One operation rounds what is exact before, and nothing is left undecided: multiples; the sum of x and y, each by 1 or -1; and,
/// by a fused multiply-add, a multiple of one and the other by 1 or -1.
template <bool contiguous, class X>
struct SumsAtOnce {
  Pack alpha, beta;

  static HWY_INLINE bool suits(Sum sum, double alpha, double beta) {
    if (sum != Sum::both) return true;
    return is_unit(alpha) ? has_fused_packs || is_unit(beta) : has_fused_packs && is_unit(beta);
  }

  /// A product that underflows to -0 is no exact zero.
  static HWY_INLINE Pack multiple_of(Pack factor, Pack x) {
    if constexpr (has_fused_packs) {
      return sum_at_once(factor, x, zeros());
    } else {
      Pack const product = rounded_product(factor, x);
      return hn::IfThenElse(x == zeros(), product + zeros(), product);
    }
  }

  /// For all entries, f(x, y) of a pack.
  template <Sum sum, class F>
  HWY_INLINE void update(Entries<contiguous, X const> x, Entries<contiguous, double> y, int count, F const& f) const {
    int i = 0;
    for (; i + pack_lanes <= count; i += pack_lanes)
      y.store_at(f(sum == Sum::y_only ? zeros() : x.load_at(i), sum == Sum::x_only ? zeros() : y.load_at(i)), i);
    if (int const lanes = count - i; lanes > 0) {
      double results[pack_lanes];
      store(f(sum == Sum::y_only ? zeros() : x.load_some_at(i, lanes),
              sum == Sum::x_only ? zeros() : y.load_some_at(i, lanes)),
            results);
      for (int l = 0; l < lanes; ++l) y[i + l] = results[l];
    }
  }

  template <Sum sum>
  HWY_INLINE void of(Entries<contiguous, X const> x, Entries<contiguous, double> y, int count,
                     bool beta_is_unit) const {
    if constexpr (sum != Sum::both) {
      update<sum>(x, y, count, [this](Pack xs, Pack ys) HWY_ATTR {
        return sum == Sum::x_only ? multiple_of(alpha, xs) : multiple_of(beta, ys);
      });
    } else if (beta_is_unit) {
      update<sum>(x, y, count, [this](Pack xs, Pack ys) HWY_ATTR { return sum_at_once(alpha, xs, beta * ys); });
    } else {
      update<sum>(x, y, count, [this](Pack xs, Pack ys) HWY_ATTR { return sum_at_once(beta, ys, alpha * xs); });
    }
  }
};

template <bool contiguous, class X, class R>
int axpby_with(double alpha, Entries<contiguous, X const> x, double beta, Entries<contiguous, R> y, int count,
               int* undecided) {
  auto const as = [&]<Sum sum>(std::integral_constant<Sum, sum>) HWY_ATTR {
    if constexpr (std::is_same_v<X, float> && std::is_same_v<R, float>) {
      if (multiplies_floats_exactly(alpha) && multiplies_floats_exactly(beta)) {
        axpby_of_floats<sum>(alpha, x, beta, y, count);
        return 0;
      }
    }
    if constexpr (std::is_same_v<R, double>) {
      using AtOnce = SumsAtOnce<contiguous, X>;
      if (AtOnce::suits(sum, alpha, beta)) {
        AtOnce{broadcast(alpha), broadcast(beta)}.template of<sum>(x, y, count, is_unit(beta));
        return 0;
      }
    }
    return axpby_of<sum>(alpha, x, beta, y, count, undecided);
  };
  if (alpha == 0) return as(std::integral_constant<Sum, Sum::y_only>());
  if (beta == 0) return as(std::integral_constant<Sum, Sum::x_only>());
  return as(std::integral_constant<Sum, Sum::both>());
}

template <class X, class Y>
int axpby(double alpha, X const* x, std::ptrdiff_t x_stride, double beta, Y* y, std::ptrdiff_t y_stride, int count,
          int ahead, int* undecided) {
  if (alpha == 0 && beta == 0) {
    for (int i = 0; i < count; ++i) y[i * y_stride] = 0;
    return 0;
  }
  if ((x_stride == 1 || alpha == 0) && y_stride == 1) {
    return axpby_with<true, X, Y>(alpha, {x, 1, ahead}, beta, {y, 1, ahead}, count, undecided);
  }
  return axpby_with<false, X, Y>(alpha, {x, x_stride, 0}, beta, {y, y_stride, 0}, count, undecided);
}

/// \brief The sum of (high + low) * x of each term, + y, rounded once to R.
///
/// Of one term, with p + p' = high*x and s + e = p + y exactly, the result is s + e + p' + low*x, and with S = |p| + |y|
/// each of the last three is at most 2^-53 S. They are added as `rest`, |rest| < 2^-51.4 S: the product is rounded by
/// 2^-106 S, the sums by 2^-105 S and 2^-104.4 S, `rest` +- the bound by 2^-104.4 S, which is less than 2^-102 S together.
/// Of two terms, with t + e = p_1 + p_2 and s + d = t + y, the rest is less than 2^-50.9 S; its products are rounded by
/// 2^-106 S together, its sums by 2^-105 S (two), 2^-104.4 S and 2^-104 S, the ends by 2^-104 S: less than 2^-101 S. If the
/// ends round to the same double, so does the exact value. No end is zero, for S is not tiny: at least
/// 2^(min_exponent + 159), so that errors of products that underflow are below 2^-200 S.
///
/// \tparam sees_ties  If each low*x is zero and all errors add up to a double, s plus this double is the exact value
///                    rounded, ties and sums of zeros included.
template <class R, bool sees_ties, int terms>
HWY_INLINE AxpbyPack multiples_added(Pack const (&high)[terms], Pack const (&low)[terms], Pack const (&x)[terms],
                                     Pack y) {
  static_assert(terms == 1 || terms == 2);
  auto const p = two_product_of_packs(high[0], x[0]);
  Pack rest = p.error + rounded_product(low[0], x[0]), size = absolute(p.value) + absolute(y), value = p.value;
  IntegerPack is_exact = zero_integers();
  auto const is_split = [&](int t, Pack product) HWY_ATTR {
    return (mask_of(low[t] == zeros()) | mask_of(x[t] == zeros())) & ~splits_inexactly(high[t], x[t], product);
  };
  if constexpr (sees_ties) is_exact = is_split(0, p.value);
  ErrorFree<Pack> errors{p.error, zeros()};
  if constexpr (terms == 2) {
    auto const q = two_product_of_packs(high[1], x[1]);
    auto const products = two_sum_of_packs(p.value, q.value);
    value = products.value;
    rest = products.error + (rest + (q.error + rounded_product(low[1], x[1])));
    size = size + absolute(q.value);
    if constexpr (sees_ties) {
      auto const of_products = two_sum_of_packs(p.error, q.error);
      errors = two_sum_of_packs(products.error, of_products.value);
      is_exact =
          is_exact & is_split(1, q.value) & mask_of(of_products.error == zeros()) & mask_of(errors.error == zeros());
    }
  }
  auto const sum = two_sum_of_packs(value, y);
  rest = sum.error + rest;
  Pack const bound = broadcast(terms == 1 ? 0x1p-102 : 0x1p-101) * size;
  Pack const lower = sum.value + (rest - bound), upper = sum.value + (rest + bound);
  Pack rounded = lower;
  IntegerPack sure = mask_of(lower == upper) & mask_of(size >= broadcast(smallest_axpby_product()));
  if constexpr (sees_ties) {
    is_exact = is_exact & mask_of(two_sum_of_packs(sum.error, errors.value).error == zeros());
    rounded = (sum.value + rest) + zeros();
    sure = sure | is_exact;
  }
  sure = sure & mask_of(size < broadcast(largest_axpby_product()));
  if constexpr (!std::is_same_v<R, double>) {
    IntegerPack const is_apart = is_normal_float(rounded) & ~is_tie_of_floats(rounded);
    sure = sure & (is_apart | (is_exact & mask_of(rest == zeros())));
  }
  return {rounded, ~sure};
}

template <int terms, bool contiguous, class R>
HWY_INLINE int add_multiples_to(MultipleOf const* multiples, Entries<contiguous, R> y, int count, int* undecided) {
  Pack high[terms], low[terms], x[terms];
  for (int t = 0; t < terms; ++t) {
    high[t] = broadcast(multiples[t].high);
    low[t] = broadcast(multiples[t].low);
  }
  int others = 0, i = 0;
  bool has_ties = false;  // as above
  for (; i + pack_lanes <= count; i += pack_lanes) {
    for (int t = 0; t < terms; ++t) x[t] = load(multiples[t].x + i);
    Pack const ys = y.load_at(i);
    if (!has_ties) {
      auto const results = multiples_added<R, false>(high, low, x, ys);
      if (set_of_lanes(results.undecided) == 0) {
        y.store_at(results.rounded, i);
        continue;
      }
    }
    auto const results = multiples_added<R, true>(high, low, x, ys);
    if (set_of_lanes(results.undecided) == 0) {
      y.store_at(results.rounded, i);
      has_ties = true;
    } else {
      others += write_decided<Entries<contiguous, R>, R>(results, y, i, pack_lanes, undecided + others);
    }
  }
  if (int const lanes = count - i; lanes > 0) {
    for (int t = 0; t < terms; ++t) x[t] = load_some(multiples[t].x + i, lanes);
    auto const results = multiples_added<R, true>(high, low, x, y.load_some_at(i, lanes));
    others += write_decided<Entries<contiguous, R>, R>(results, y, i, lanes, undecided + others);
  }
  return others;
}

template <class R>
int add_multiples(MultipleOf const* multiples, int terms, R* y, std::ptrdiff_t y_stride, int count, int ahead,
                  int* undecided) {
  if constexpr (has_fused_packs && std::is_same_v<R, double>) {
    if (terms == 1 && multiples->low == 0) {
      auto const add = [&]<bool contiguous>(std::bool_constant<contiguous>) HWY_ATTR {
        SumsAtOnce<contiguous, double>{broadcast(multiples->high), broadcast(1)}.template of<Sum::both>(
            {multiples->x, 1, 0}, {y, y_stride, contiguous ? ahead : 0}, count, true);
      };
      if (y_stride == 1) {
        add(std::true_type());
      } else {
        add(std::false_type());
      }
      return 0;
    }
  }
  auto const add = [&]<int n>(std::integral_constant<int, n>) HWY_ATTR {
    if (y_stride == 1) return add_multiples_to<n, true, R>(multiples, {y, 1, ahead}, count, undecided);
    return add_multiples_to<n, false, R>(multiples, {y, y_stride, 0}, count, undecided);
  };
  return terms == 1 ? add(std::integral_constant<int, 1>()) : add(std::integral_constant<int, 2>());
}

/// \tparam step  The stride, or 0 if it is another one.
template <std::ptrdiff_t step, bool negates, class X>
HWY_INLINE void copy_by(X const* from, std::ptrdiff_t stride, int count, double* to) {
  for (int i = 0; i < count; ++i) {
    auto const x = static_cast<double>(from[i * (step != 0 ? step : stride)]);
    to[i] = negates ? -x : x;
  }
}

template <bool negates, class X>
HWY_INLINE void copy_with(X const* from, std::ptrdiff_t stride, int count, double* to) {
  if (stride == 1) {
    copy_by<1, negates>(from, stride, count, to);
  } else if (stride == 2) {
    copy_by<2, negates>(from, stride, count, to);
  } else {
    copy_by<0, negates>(from, stride, count, to);
  }
}

template <class X>
void copy(X const* from, std::ptrdiff_t stride, int count, bool negates, double* to) {
  if (negates) {
    copy_with<true>(from, stride, count, to);
  } else {
    copy_with<false>(from, stride, count, to);
  }
}

/// Those numbers that fill no pack, or are not next to each other.
template <bool swaps, bool negates, class X>
HWY_INLINE void copy_single_numbers(X const* from, std::ptrdiff_t stride, int begin, int count, X* to) {
  for (int i = begin; i < count; ++i) {
    X const first = from[2 * i * stride + swaps], second = from[2 * i * stride + !swaps];
    to[2 * i] = first;
    to[2 * i + 1] = negates ? -second : second;
  }
}

template <bool swaps, bool negates, class X>
void copy_numbers_as(X const* from, std::ptrdiff_t stride, int count, X* to) {
  hn::ScalableTag<X> const tag;
  constexpr int numbers = static_cast<int>(hn::MaxLanes(tag)) / 2;
  int i = 0;
  if constexpr (numbers > 0) {
    auto const signs = hn::OddEven(hn::Set(tag, negates ? X(-0.0) : X(0)), hn::Zero(tag));
    for (; stride == 1 && i + numbers <= count; i += numbers) {
      auto x = hn::LoadU(tag, from + 2 * i);
      if constexpr (swaps) x = hn::Reverse2(tag, x);
      hn::StoreU(hn::Xor(x, signs), tag, to + 2 * i);
    }
  }
  copy_single_numbers<swaps, negates>(from, stride, i, count, to);
}

template <class X>
void copy_numbers(X const* from, std::ptrdiff_t stride, int count, bool swaps, bool negates, X* to) {
  if (swaps) {
    negates ? copy_numbers_as<true, true>(from, stride, count, to)
            : copy_numbers_as<true, false>(from, stride, count, to);
  } else {
    negates ? copy_numbers_as<false, true>(from, stride, count, to)
            : copy_numbers_as<false, false>(from, stride, count, to);
  }
}

template <class X>
void split_numbers(X const* from, std::ptrdiff_t stride, int count, X* real, X* imaginary) {
  hn::ScalableTag<X> const tag;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(tag));
  int i = 0;
  for (; stride == 1 && i + lanes <= count; i += lanes) {
    hn::Vec<decltype(tag)> re, im;
    hn::LoadInterleaved2(tag, from + 2 * i, re, im);
    hn::StoreU(re, tag, real + i);
    hn::StoreU(im, tag, imaginary + i);
  }
  for (; i < count; ++i) {
    real[i] = from[2 * i * stride];
    imaginary[i] = from[2 * i * stride + 1];
  }
}

template <class X, class Y>
void set(VectorKernelsOf<X, Y>& kernels) {
  kernels.axpby = &axpby<X, Y>;
}
template <class Y>
void set(OuterKernelOf<Y>& kernels) {
  kernels.add_multiples = &add_multiples<Y>;
}
template <class X>
void set(CopyKernelOf<X>& kernels) {
  kernels.copy = &copy<X>;
  kernels.copy_numbers = &copy_numbers<X>;
  kernels.split_numbers = &split_numbers<X>;
}

VectorKernels set_of_kernels() {
  VectorKernels kernels{};
  set_each(kernels, [](auto& of_types) { set(of_types); });
  return kernels;
}

}  // namespace
}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#include <kernels/Exakt_KernelSet-inl.hpp>

#if HWY_ONCE

namespace Exakt::Impl::inline EXAKT_COMPILED {

VectorKernels const& choose_vector_kernels() { return find_kernels<VectorKernels>(choose_kernels().target); }
[[maybe_unused]] static VectorKernels const& chosen_when_loaded = choose_vector_kernels();

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif
