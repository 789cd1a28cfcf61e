// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_RESIDUEKERNELS_HPP
#define EXAKTBLAS_RESIDUEKERNELS_HPP

/// \file
/// \brief The loops of gemm by residues (Ozaki scheme II), compiled for each instruction set.
///
///     entries of a line --> measured --> integers * 2^unit --> residues, whose products a library sums
///     sums --> y_t, a modulus at a time --> integers --> sums * 2^units, each known up to a bound
///
/// Residues are bytes, for libraries that multiply those, or doubles. ExaktBlas_Residues.cpp has the bounds.

#include "../gemm/ozaki/ExaktBlas_Moduli.hpp"

namespace Exakt::Impl {

struct EnclosureArrays;  // ExaktBlas_Kernels.hpp

/// What is known about a line: its entries are below 2^top and multiples of 2^unit.
struct LineMeasure {
  static constexpr int none = 1 << 14, special = 1 << 15;  // no entry but zeros; an infinity or NaN
  int top = -none, unit = none;
};

/// Bytes are computed 32 at a time: byte_packs numbers become one of 32 bits, in byte_lanes lanes.
///
///     | lane 0: x0 x8 x16 x24 | lane 1: x1 x9 x17 x25 | ...
///
/// Not the order that they came in, but products of matrices do not mind as long as both have the same one.
inline constexpr std::size_t byte_packs = 4, byte_lanes = 8, bytes_at_once = byte_packs * byte_lanes;
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t place_of_byte(std::size_t i) {
  return i / bytes_at_once * bytes_at_once + byte_packs * (i % byte_lanes) + i / byte_lanes % byte_packs;
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

/// Null if this processor has no instructions for it: AVX-512 VNNI (ExaktBlas_ByteProducts.cpp), or AVX2, which widens
/// bytes to words (ExaktBlas_WordProducts.cpp).
MultiplyBytes find_byte_products();
MultiplyBytes find_word_products();

/// How many products of bytes are summed in 32 bits: with |a| <= 255 and |b| <= 128,
///
///     2^16 * 255 * 128  <  2^31.
inline constexpr std::size_t depth_of_integers = std::size_t{1} << 16;
static_assert(depth_of_integers * 255 * 128 < (std::size_t{1} << 31));

/// Those for residues of a kind, and what their results are.
template <class Kind>
struct ResidueKernelsOf;

template <>
struct ResidueKernelsOf<ByteResidues> : ClassKernels<ByteResidues, std::int32_t, std::int8_t> {
  using Left = std::uint8_t;
  using Right = std::int8_t;
  static constexpr std::size_t at_once = bytes_at_once;

  /// Of an entry in a line of residues, or of y.
  static KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t place(std::size_t entry) { return place_of_byte(entry); }

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

  double product_cost;  // nanoseconds of one thread for each modulus, as the choice of an engine counts them
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

struct ResidueKernels : ResidueKernelsOf<ByteResidues>, ResidueKernelsOf<DoubleResidues> {
  /// Looks at some entries of a line.
  void (*measure)(double const* x, std::size_t size, LineMeasure& line);
};

}  // namespace Exakt::Impl

#endif
