// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_BLASPRODUCTS_HPP
#define EXAKTBLAS_BLASPRODUCTS_HPP

/// \file
/// \brief Products of matrices of residues as doubles, by a BLAS.

#include "../../kernels/ExaktBlas_Multipliers.hpp"
#include "ExaktBlas_Moduli.hpp"

#include <cstddef>
#include <cstdint>

namespace Exakt::Impl::inline EXAKT_ABI {

/// See ResidueGemm. Every partial sum is an integer that a double holds: no rounding, whatever the order of additions,
/// the rounding mode, and the threads that the BLAS takes. \pre has_double_gemm(), or it always fails.
struct BlasProducts {
  using Kind = DoubleResidues;
  using Residue = double;
  using Sum = double;
  using Class = std::int32_t;
  static constexpr std::size_t depth = (std::size_t{1} << 13) - 64, lines_multiple = 8, depth_multiple = 8;

  /// C := A^T B, each column contiguous, those of A and B `stride` apart. \return Whether it was done.
  template <class Space>
  bool operator()(Space const& space, std::size_t m, std::size_t n, std::size_t k, double const* a, double const* b,
                  std::size_t stride, double* c) const {
    space.fence();
    return multiply_doubles(m, n, k, a, b, stride, c);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
