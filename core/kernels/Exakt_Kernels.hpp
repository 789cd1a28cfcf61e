// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_KERNELS_HPP
#define EXAKT_KERNELS_HPP

/// \file
/// \brief The loops that hosts spend their time in, compiled for each instruction set and chosen when a program runs.
///
/// They live in libExaktCore, so that neither speed nor bits depend on the flags of the program that links it. Pointers
/// and counts come in, integers, numbers and flags go out; no Kokkos, no container, no exception inside. All of them
/// assume the default floating-point environment: callers hold it or have looked (Exakt_Environment.hpp).
///
/// Sets have different numbers of lanes. What depends on these, the bound of an enclosure, is an output; what a caller
/// relies on (extraction_tiles_at_once) holds for every number of lanes and is asserted for each set.

#include "../numerics/Exakt_Abi.hpp"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(_WIN32)
#define EXAKT_CORE_EXPORT
#else
#define EXAKT_CORE_EXPORT __attribute__((visibility("default")))
#endif

namespace Exakt::Impl::inline EXAKT_COMPILED {

/// A sum known up to a bound: |S - (high + low)| <= bound. Unknown until somebody says otherwise: a step that is left
/// out must not pass for a sum of nothing.
struct Enclosure {
  double high = 0, low = 0, bound = HUGE_VAL;
};

/// Of bins by exponent: terms that are added at once, and values of the twelve bits that doubles begin with.
inline constexpr int exponent_block = 1024;
inline constexpr int exponent_bins = 4096;

/// Products that are taken apart at once. Of their bins: exponents that share one, as a power of two; their number; and where
/// high words begin, behind the low ones, not at a multiple of 4 KB, for then a load would wait for a store to the other word.
inline constexpr int product_block = 128;
inline constexpr int product_bin_bits = 3, product_bins = 1 << (13 - product_bin_bits),
                     high_words_of_bins = product_bins + 8;

/// Products that are enclosed in one pass, and what their number is filled up to a multiple of: no set has more lanes.
inline constexpr int few_products = 64;
inline constexpr int few_products_step = 8;

/// Terms that are run down expansions at once, and the magnitude that their first slots stay below: no TwoSum on them
/// overflows. No set has more lanes than these.
inline constexpr int expansion_block = 1024, expansion_lanes_at_most = 8;
inline constexpr double expansion_limit = 0x1p1022;

/// Terms that are summed and rounded in one step.
inline constexpr int small_sum = 128;

/// Of the long accumulators that kernels add to, and terms that are taken apart at once.
inline constexpr int kernel_radix_bits = 56;
inline constexpr int digit_block = 128;

/// Kernels for terms of one type, or for products of two types; float or double each.
template <class... X>
struct KernelsOf;

template <class X>
struct KernelsOf<X> {
  /// \brief Encloses the sum of any number of terms, their magnitudes or their products, which are read twice, tile by
  /// tile; false if they are not finite or too large for a head.
  /// \param behind  Entries of the array behind these, of which some may be prefetched.
  bool (*enclose)(X const* x, std::size_t n, std::size_t behind, Enclosure& sum);
  bool (*enclose_magnitudes)(X const* x, std::size_t n, std::size_t behind, Enclosure& sum);

  /// \brief Encloses the sum of at most enclosure_tile_size terms x - shift and that of their squares, which are read twice;
  /// false unless all x are between shift / 2 and 2 * shift, if the shift is not zero, and as above. Null where the
  /// processor has no fused multiply-add. \param behind  As above.
  bool (*enclose_moments)(X const* x, int count, std::size_t behind, double shift, Enclosure& sum, Enclosure& squares);

  /// \brief The variance of so many terms, (count sum(x^2) - sum(x)^2) / (count * freedom), or its root, rounded to nearest;
  /// false if enclosures do not decide it. Null as above. \pre 0 < count, 0 < freedom < 2^53
  bool (*variance)(X const* x, int count, std::uint64_t freedom, X& result);
  bool (*stddev)(X const* x, int count, std::uint64_t freedom, X& result);

  /// The largest magnitude, an infinity if one is there; NaN may be overlooked.
  /// \param ahead  How many terms before its use a line is asked for: terms_ahead().
  double (*largest)(X const* x, int count, int ahead);

  /// The exact sum of at most extraction_tile_size terms, in units of each level: extract_tile() in
  /// Exakt_Extraction-inl.hpp.
  /// \param ahead  As above. \param levels  2, 3, 4 or 6.
  bool (*extract)(X const* x, int count, int ahead, int levels, int e, int lowest, std::int64_t* units);

  /// Adds the significands of at most exponent_block terms to the bins of their signs and exponents, modulo 2^64, and
  /// counts for each bin how often it overflowed. Infinities and NaN are in their bins, too, as if they were numbers.
  void (*add_by_exponent)(X const* x, int count, int ahead, std::uint64_t* bins, std::uint16_t* overflows);

  /// \brief Adds at most digit_block terms to digits of kernel_radix_bits bits, the lowest one in units of
  /// 2^lowest: less than 2^kernel_radix_bits to each of two neighbours for a term, and no carry is propagated. False,
  /// and nothing is added, if a term is infinite or NaN. \pre lowest is not above the last bit of the type.
  bool (*add_to_digits)(X const* x, int count, int lowest, std::int64_t* digits);

  /// \brief units[f] := the sum of the slices in bin f of at most extraction_tile_size terms, which are cut toward zero;
  /// a bin has `width` bits, the first one in units of 2^exponent, and no term reaches beyond it. False, and nothing is
  /// said, for infinities and NaN, next to the largest numbers, and for a number of bins that is not 2, 3 or 4.
  bool (*slice)(X const* x, int count, int exponent, int width, int bins, std::int64_t* units);

  /// \brief r[s] := RN(x[offsets[s]] + ... + x[offsets[s + 1] - 1]) for s < segments, as far as that is decided.
  /// \param undecided  Takes the numbers of the others, and of those longer than enclosure_tile_size; their number is
  ///                   returned.
  int (*sum_segments)(X const* x, std::int64_t const* offsets, int segments, X* r, int* undecided);
};

template <class X, class Y>
struct KernelsOf<X, Y> {
  /// As above for x * y; null where the processor has no fused multiply-add.
  bool (*enclose)(X const* x, Y const* y, std::size_t n, std::size_t behind, Enclosure& sum);

  /// The largest magnitude of the rounded products.
  double (*largest)(X const* x, Y const* y, int count, int ahead);

  bool (*extract)(X const* x, Y const* y, int count, int ahead, int levels, int e, int lowest, std::int64_t* units);

  /// \brief Adds at most product_block products to the bins of their signs and exponents (summation/Exakt_ProductBins.hpp).
  /// False, and nothing is added, if a factor is infinite or NaN.
  bool (*add_by_exponent)(X const* x, Y const* y, int count, int ahead, std::uint64_t* bins);

  /// The same to digits, as above: less than 2^kernel_radix_bits to each of three neighbours for a product.
  bool (*add_to_digits)(X const* x, Y const* y, int count, int lowest, std::int64_t* digits);
};

/// \brief Results of at most small_sum terms, rounded to nearest; false if they are not decided. X is float or double.
///
/// Undecided is what an enclosure cannot tell (zeros, ties, nearly all cancelled), and what is not finite or far from one.
template <class X>
struct SmallSumsOf {
  bool (*sum)(X const* x, int n, X& result);
  bool (*nrm1)(X const* x, int n, X& result);
  bool (*dot)(X const* x, X const* y, int n, X& result);
  bool (*nrm2)(X const* x, int n, X& result);
};

/// Prefixes of a sum, rounded to R: float or double.
template <class R>
struct ScanKernelOf {
  /// \brief r[i] := RN(S + x[0] + ... + x[i]) for i < count, where `sum` encloses S and then the sum of all.
  /// scan_terms() in Exakt_Scan-inl.hpp. \param undecided  Takes the numbers of the entries that were not decided;
  /// their number is returned.
  int (*scan)(double const* x, int count, Enclosure& sum, R* r, int* undecided);
};

template <class R>
struct FewProductsKernelOf {
  /// \brief The sum of x * y as Kernels::enclose_few takes them, rounded to R, if its enclosure decides that.
  bool (*round_few)(double const* x, double const* y, int count, R& result);
};

/// Kernels of several types.
template <class... Of>
struct KernelTable : Of... {};

/// set(kernels) for those of each type.
template <class Set, class... Of>
void set_each(KernelTable<Of...>& table, Set const& set) {
  (set(static_cast<Of&>(table)), ...);
}

using TermKernels = KernelTable<KernelsOf<double>, KernelsOf<float>, KernelsOf<double, double>,
                                KernelsOf<double, float>, KernelsOf<float, double>, KernelsOf<float, float>>;

/// The kernels of one instruction set.
struct Kernels : TermKernels,
                 ScanKernelOf<double>,
                 ScanKernelOf<float>,
                 FewProductsKernelOf<double>,
                 FewProductsKernelOf<float>,
                 SmallSumsOf<double>,
                 SmallSumsOf<float> {
  /// \brief Encloses the sum of x * y for at most few_products in one pass, with heads for terms up to a thousand times as
  /// large as the first one; false if one is too large for these. No processor has to have a fused multiply-add.
  ///
  /// \param x, y  Written by two, x[0] and x[1] at once and so on; filled up with zeros to a multiple of
  ///              few_products_step.
  bool (*enclose_few)(double const* x, double const* y, int count, Enclosure& sum);

  /// \brief Adds at most expansion_block terms to expansions of 2 to 8 slots, one in each lane, that were zeros once: the
  /// slots of all `lanes` lanes, then the next ones. \param left  Takes what the last slots leave; room for `count` and
  /// one pack. Its number is returned; -1, and nothing is added, if a term is not finite, an operation overflows, or a first
  /// slot ends beyond expansion_limit.
  int (*expand)(double const* x, int count, int slots, double* expansions, double* left);

  /// \brief Adds `count` digits to as many others, or subtracts them; `other` may be `sum`. \pre No sum overflows.
  void (*merge_digits)(std::int64_t* sum, std::int64_t const* other, int count, bool subtracts);

  char const* name;     // as EXAKT_ISA takes it
  char const* names;    // all that it takes on this machine
  int lanes;            // doubles in a register
  std::int64_t target;  // as Highway numbers them: by this, kernels of other libraries are of the same set
};

/// The best set of this machine, or the one that the environment variable EXAKT_ISA names; chosen on the first call.
EXAKT_CORE_EXPORT Kernels const& choose_kernels();

/// \brief What choose() returns, always the same; for use in loops.
///
/// Not a static variable with an initializer: its guard may be held by a thread that the child of a fork does not have. Threads that
/// come at once all choose.
template <auto choose>
EXAKT_ABI_TAG inline auto& chosen_once() {
  static std::atomic<std::remove_reference_t<decltype(choose())>*> chosen{nullptr};
  auto* one = chosen.load(std::memory_order_acquire);
  if (one == nullptr) chosen.store(one = &choose(), std::memory_order_release);
  return *one;
}

EXAKT_ABI_TAG inline Kernels const& kernels() { return chosen_once<choose_kernels>(); }

/// Whether the chosen set has a fused multiply-add; false until core is initialized. Not kernels(), which makes its choice when
/// it is first called: behind such a call, what users' loops have in registers would have to be read again.
EXAKT_CORE_EXPORT extern bool const has_fused_kernels;

/// \brief Which cache kernels prefetch to: the second one on Zen 4, the first one elsewhere. False until core is initialized.
///
/// Zen 4 waits for 24 misses of the first cache together, and entries on their way there from memory take a place each:
/// sparse matrices come at two thirds of the speed. On Xeons requests to the second cache for what is there already take a
/// third of the speed of `dot`; on Zen 3 `sum` from the third cache takes 1.7 times as long without those to the first.
EXAKT_CORE_EXPORT extern bool const prefetches_to_second_cache;

/// Says what gemm by residues was linked to; null in a program without it. libExaktBlas sets it when it is loaded, for
/// core does not know of it.
using Description = char const* (*)();
EXAKT_CORE_EXPORT Description& description_of_multipliers();

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif
