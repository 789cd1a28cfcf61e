// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_HOSTBACKENDS_HPP
#define EXAKTBLAS_HOSTBACKENDS_HPP

/// \file
/// \brief What multiplies residues on hosts: a kernel or oneDNN, and a BLAS. See OzakiGemm.
///
/// The nanoseconds are those of one thread (perf_tests/blas/perf_gemm_engines). Square matrices uniform in (-1, 1) need 15
/// moduli of bytes or 10 of words; entries over 12 binades 12 of words.

#include "../../kernels/ExaktBlas_Kernels.hpp"
#include "../../kernels/ExaktBlas_Multipliers.hpp"

#include <cstddef>
#include <cstdint>

namespace Exakt::Impl::inline EXAKT_ABI {

inline ResidueKernelsOf<ByteResidues> const& byte_kernels() { return matrix_kernels(); }
inline ResidueKernelsOf<WordResidues> const& word_kernels() { return matrix_kernels(); }

/// Whether bytes are multiplied fast: the processor has AVX-512 VNNI, and such kernels are in use.
inline bool has_byte_products() { return byte_kernels().multiply != nullptr; }
/// Whether there are no such instructions, but AVX2, and such kernels are in use.
inline bool has_word_products() { return word_kernels().multiply != nullptr; }
inline bool has_integer_gemm() { return has_byte_products() || has_word_products(); }

/// \brief C := A B^T on the calling thread: by oneDNN where that has tiles of the processor, else by the kernel.
/// \pre has_byte_products()
inline void multiply_bytes(std::size_t m, std::size_t n, std::size_t k, std::uint8_t const* a, std::size_t a_stride,
                           std::int8_t const* b, std::size_t b_stride, std::int32_t* c, std::size_t c_stride) {
  if (!multiply_by_tiles(m, n, k, a, a_stride, b, b_stride, c, c_stride))
    byte_kernels().multiply(m, n, k, a, a_stride, b, b_stride, c, c_stride);
}

/// What kernels multiply, on the calling thread, and what they make of it.
template <class OfKind>
struct KernelProducts {
  using Kind = OfKind;
  using Left = typename ResidueKernelsOf<Kind>::Left;
  using Right = typename ResidueKernelsOf<Kind>::Right;
  using Sum = typename ResidueKernelsOf<Kind>::Sum;
  using Class = typename ResidueKernelsOf<Kind>::Class;
  static constexpr std::size_t lines_multiple = 1, depth_multiple = ResidueKernelsOf<Kind>::at_once;
  static constexpr bool by_tiles = true;
  static constexpr double entry_cost = 1.25;
};

/// Bytes. \pre has_byte_products()
struct ByteProducts : KernelProducts<ByteResidues> {
  static constexpr std::size_t depth = depth_of_integers;
  // Between those of a Xeon that has VNNI, 0.0042, and one that has tiles (AMX), 0.0019, nearer to the former.
  static double product_cost() { return 0.0035; }

  /// C := A B^T, each row contiguous, those of A and B `stride` apart. \return Whether it was done.
  template <class Space>
  bool operator()(Space const&, std::size_t m, std::size_t n, std::size_t k, Left const* a, Right const* b,
                  std::size_t stride, Sum* c, std::size_t c_stride) const {
    multiply_bytes(m, n, k, a, stride, b, stride, c, c_stride);
    return true;
  }
};

/// Words. \pre has_word_products()
struct WordProducts : KernelProducts<WordResidues> {
  static constexpr std::size_t depth = depth_of_words;
  // Of Zen 3: with the cost of an entry it is within a sixth of what was measured, n = 64 ... 1024.
  static double product_cost() { return 0.018; }

  template <class Space>
  bool operator()(Space const&, std::size_t m, std::size_t n, std::size_t k, Left const* a, Right const* b,
                  std::size_t stride, Sum* c, std::size_t c_stride) const {
    word_kernels().multiply(m, n, k, a, stride, b, stride, c, c_stride);
    return true;
  }
};

/// \brief Doubles, by a BLAS on the threads that it takes. \pre has_double_gemm(), or it always fails.
///
/// Every partial sum is an integer that a double holds: no rounding, whatever the order of additions, the rounding mode
/// and the threads.
struct BlasProducts {
  using Kind = DoubleResidues;
  using Left = double;
  using Right = double;
  using Sum = double;
  using Class = std::int32_t;
  static constexpr std::size_t depth = (std::size_t{1} << 13) - 64, lines_multiple = 8, depth_multiple = 8;
  static constexpr bool by_tiles = false;
  // 0.035 to 0.11 for a product, as the BLAS knows the processor or not.
  static constexpr double entry_cost = 7;
  static double product_cost() { return 0.06; }

  /// C := A B^T, rows contiguous: the BLAS has columns.
  template <class Space>
  bool operator()(Space const& space, std::size_t m, std::size_t n, std::size_t k, double const* a, double const* b,
                  std::size_t stride, double* c, std::size_t) const {
    space.fence();
    return multiply_doubles(n, m, k, b, a, stride, c);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
