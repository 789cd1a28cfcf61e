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
};

inline constexpr double bound_of_balanced_sum = 0x1p-96;

/// Needs rounding to nearest, as all kernels do.
struct ResidueKernels {
  /// Looks at some entries of a line.
  void (*measure)(double const* x, std::size_t size, LineMeasure& line);

  /// \brief The residues of a piece of a line for the first `count` moduli<ByteResidues>: 0 ... m - 1, or with a sign
  /// -128 ... m - 129.
  ///
  /// \param x         `size` entries, a multiple of bytes_at_once: integers of at most `bits` bits in units of 2^unit.
  ///                  What lies below the unit is rounded.
  /// \param residues  Of the entries from i on, i a multiple of bytes_at_once, modulo the t-th number at i + t *
  /// stride.
  void (*write_bytes)(double const* x, std::size_t size, int unit, int bits, int count, bool with_sign,
                      std::uint8_t* residues, std::size_t stride);

  /// y := sums * inverse modulo the t-th number, as signed bytes. \param size  A multiple of bytes_at_once.
  void (*reduce_to_bytes)(std::int32_t const* sums, std::size_t size, int t, double inverse, std::int8_t* y);

  /// sums := sums modulo the t-th number: |sum| <= 128 behind. \param size  A multiple of kernel_lanes.
  void (*shorten_sums)(std::int32_t* sums, std::size_t size, int t);

  /// \brief Integers from their y_t, in the order of bytes, and as sums in the order of entries.
  ///
  /// \param y     Of the entries from i on and modulus t at i + t * stride.
  /// \param size  Entries of the line `row`, a multiple of bytes_at_once.
  void (*sums_of_bytes)(std::int8_t const* y, std::size_t stride, std::size_t size, Basis<ByteResidues> const& basis,
                        CutLine const& row, CutLines const& columns, double depth, EnclosureArrays const& sums);

  /// \brief The residues of a piece of a line for the t-th of moduli<DoubleResidues>: -m/2 ... m/2.
  ///
  /// \param size  A multiple of kernel_lanes.
  void (*write_doubles)(double const* x, std::size_t size, int unit, int limbs, int t, double* residues);

  /// y := sums * inverse modulo the t-th number, or y + that if `add`. \param size  A multiple of kernel_lanes.
  void (*reduce_to_integers)(double const* sums, std::size_t size, int t, double inverse, bool add, std::int32_t* y);

  /// \brief Integers times `scales` from their y_t, those of modulus t at t * stride.
  ///
  /// \param size  A multiple of kernel_lanes.
  void (*sums_of_integers)(std::int32_t const* y, std::size_t stride, std::size_t size,
                           Basis<DoubleResidues> const& basis, double const* scales, EnclosureArrays const& sums);
};

}  // namespace Exakt::Impl

#endif
