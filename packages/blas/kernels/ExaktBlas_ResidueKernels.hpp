// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_RESIDUEKERNELS_HPP
#define EXAKTBLAS_RESIDUEKERNELS_HPP

/// \file
/// \brief The loops of gemm by residues (Ozaki scheme II), compiled for each instruction set.
///
///     entries of a line --> measured --> integers * 2^unit --> residues, whose products a library sums
///     sums --> y_t, a modulus at a time --> integers --> sums * 2^units, each known up to a bound
///
/// Residues are bytes or words, for kernels and libraries that multiply those, or doubles. ExaktBlas_Residues.cpp has the
/// bounds.

#include "../gemm/ozaki/ExaktBlas_Moduli.hpp"

namespace Exakt::Impl::inline EXAKT_COMPILED {

struct EnclosureArrays;  // ExaktBlas_Kernels.hpp

/// What is known about a line: its entries are below 2^top and multiples of 2^unit.
struct LineMeasure {
  static constexpr int none = 1 << 14, special = 1 << 15;  // no entry but zeros; an infinity or NaN
  int top = -none, unit = none;
};

/// \brief Small residues, bytes or words, are computed some packs at a time: numbers of as many lanes become one of 32 bits.
///
///     bytes    | lane 0: x0 x8 x16 x24 | lane 1: x1 x9 x17 x25 | ...        32 of them
///     words    | lane 0: x0 x8         | lane 1: x1 x9         | ...        16
///
/// Not the order that they came in, but products of matrices do not mind as long as both have the same one.
inline constexpr std::size_t small_lanes = 8;
template <class Kind>
inline constexpr std::size_t small_packs = sizeof(std::int32_t) / sizeof(typename Kind::Integer);
template <class Kind>
inline constexpr std::size_t small_at_once = small_packs<Kind>* small_lanes;
inline constexpr std::size_t bytes_at_once = small_at_once<ByteResidues>, words_at_once = small_at_once<WordResidues>;

/// Where the i-th of them is.
template <class Kind>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t place_of_small(std::size_t i) {
  constexpr std::size_t packs = small_packs<Kind>, at_once = small_at_once<Kind>;
  return i / at_once * at_once + packs * (i % small_lanes) + i / small_lanes % packs;
}

/// Integers that have been cut are off: |S - X| <= depth (cut_i * size_j + cut_j * size_i) units, cut being 1 if the
/// line is, and size half of what its entries may be. Scales are units, or infinite where nothing shall be decided.
struct CutLine {
  double scale, cut, size;
};
struct CutLines {
  double *scale, *cut, *size;

  KOKKOS_FORCEINLINE_FUNCTION CutLine get(std::size_t line) const { return {scale[line], cut[line], size[line]}; }
  KOKKOS_FORCEINLINE_FUNCTION void set(std::size_t line, CutLine const& of_line) const {
    scale[line] = of_line.scale;
    cut[line] = of_line.cut;
    size[line] = of_line.size;
  }
  KOKKOS_FORCEINLINE_FUNCTION CutLines from(std::size_t line) const { return {scale + line, cut + line, size + line}; }
};

/// Of |high|; integers below the second one are high + low exactly (BalancedInteger::add_up).
inline constexpr double bound_of_balanced_sum = 0x1p-96, exact_balanced_sums = 0x1p100;

/// \brief What kernels do with sums of products of residues. They need rounding to nearest, as all kernels do.
///
/// Sizes are multiples of `at_once`.
template <class Kind, class SumOfProducts, class ClassOfSum>
struct ClassKernels {
  using Sum = SumOfProducts;
  using Class = ClassOfSum;

  /// y := sums * inverse modulo the t-th number, or y + that if `add`.
  void (*reduce)(Sum const* sums, std::size_t size, int t, double inverse, bool add, Class* y);

  /// \brief Integers from their y_t, as what is known about the sums that they stand for.
  ///
  /// \param y     Of the entries from i on, at_once of them, and modulus t at i + t * stride.
  /// \param size  Entries of the line `row`.
  void (*enclose)(Class const* y, std::size_t stride, std::size_t size, Basis<Kind> const& basis, CutLine const& row,
                  CutLines const& columns, double depth, EnclosureArrays const& sums);
};

/// \brief C := A B^T of bytes, each row of A, B and C contiguous.
///
/// \param k  At most depth_of_integers, and a multiple of 4.
using MultiplyBytes = void (*)(std::size_t m, std::size_t n, std::size_t k, std::uint8_t const* a, std::size_t a_stride,
                               std::int8_t const* b, std::size_t b_stride, std::int32_t* c, std::size_t c_stride);

/// The same of words. \param k  At most depth_of_words, and a multiple of words_at_once.
using MultiplyWords = void (*)(std::size_t m, std::size_t n, std::size_t k, std::int16_t const* a, std::size_t a_stride,
                               std::int16_t const* b, std::size_t b_stride, std::int32_t* c, std::size_t c_stride);

/// Null if this processor has no instructions for it: AVX-512 VNNI (ExaktBlas_ByteProducts.cpp), and AVX2
/// (ExaktBlas_WordProducts.cpp).
MultiplyBytes find_byte_products();
MultiplyWords find_word_products();

/// How many products of bytes are summed in 32 bits: with |a| <= 255 and |b| <= 128,
///
///     2^16 * 255 * 128  <  2^31.
inline constexpr std::size_t depth_of_integers = std::size_t{1} << 16;
static_assert(depth_of_integers * 255 * 128 < (std::size_t{1} << 31));

/// And of words, with |a| and |b| <= (m + 1) / 2 <= 2047: remainders may be one half beyond (ExaktBlas_Residues.cpp).
inline constexpr std::size_t depth_of_words = 512;
static_assert(depth_of_words * 2047 * 2047 < (std::size_t{1} << 31) && (WordResidues::largest_modulus + 1) / 2 == 2047);

/// Those for residues of a kind, and what their results are.
template <class Kind>
struct ResidueKernelsOf;

/// Of bytes and words.
template <class Kind>
struct SmallKernels : ClassKernels<Kind, std::int32_t, typename Kind::Integer> {
  using Right = typename Kind::Integer;
  static constexpr std::size_t at_once = small_at_once<Kind>;

  /// Of an entry in a line of residues, or of y.
  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t place(std::size_t entry) {
    return place_of_small<Kind>(entry);
  }
};

template <>
struct ResidueKernelsOf<ByteResidues> : SmallKernels<ByteResidues> {
  using Left = std::uint8_t;

  /// \brief The residues of a piece of a line for the first `count` moduli: 0 ... m - 1, or with a sign
  /// -128 ... m - 129.
  ///
  /// \param x         `size` entries: integers of at most `bits` bits in units of 2^unit. What lies below the unit is
  ///                  rounded.
  /// \param residues  Of the entries from i on, at_once of them, modulo the t-th number at i + t * stride.
  void (*write_bytes)(double const* x, std::size_t size, int unit, int bits, int count, bool with_sign,
                      std::uint8_t* residues, std::size_t stride);

  /// Null where residues of bytes are not worth it.
  MultiplyBytes multiply;
};

template <>
struct ResidueKernelsOf<WordResidues> : SmallKernels<WordResidues> {
  using Left = std::int16_t;

  /// As for bytes: -(m + 1)/2 ... (m + 1)/2. Null, as reduce and enclose, but for AVX2 and AVX-512 without more.
  void (*write_words)(double const* x, std::size_t size, int unit, int bits, int count, std::int16_t* residues,
                      std::size_t stride);

  /// Null also where bytes are faster.
  MultiplyWords multiply;
};

template <>
struct ResidueKernelsOf<DoubleResidues> : ClassKernels<DoubleResidues, double, std::int32_t> {
  using Left = double;
  using Right = double;
  static constexpr std::size_t at_once = 8;  // a multiple of all numbers of lanes

  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t place(std::size_t entry) { return entry; }

  /// The residues of a piece of a line for the t-th modulus: -m/2 ... m/2.
  void (*write_doubles)(double const* x, std::size_t size, int unit, int limbs, int t, double* residues);
};

struct ResidueKernels : ResidueKernelsOf<ByteResidues>,
                        ResidueKernelsOf<WordResidues>,
                        ResidueKernelsOf<DoubleResidues> {
  /// Looks at some entries of a line.
  void (*measure)(double const* x, std::size_t size, LineMeasure& line);
};

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif
