// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_BLASPRODUCTS_HPP
#define EXAKTBLAS_BLASPRODUCTS_HPP

/// \file
/// \brief Products of matrices of residues as doubles, by a BLAS.

#include "ExaktBlas_Moduli.hpp"

#include <climits>
#include <cstddef>
#include <cstdint>

#ifdef EXAKT_BLAS_HAS_BLAS

extern "C" void dgemm_(char const* transa, char const* transb, int const* m, int const* n, int const* k,
                       double const* alpha, double const* a, int const* lda, double const* b, int const* ldb,
                       double const* beta, double* c, int const* ldc);

namespace Exakt::Impl {

/// See ResidueGemm. Every partial sum is an integer that a double holds: no rounding, whatever the order of additions,
/// the rounding mode, and the threads that the BLAS takes.
struct BlasProducts {
  using Kind = DoubleResidues;
  using Residue = double;
  using Sum = double;
  using Class = std::int32_t;
  static constexpr std::size_t depth = (std::size_t{1} << 13) - 64, lines_multiple = 8, depth_multiple = 8;

  /// C := A^T B, each column contiguous, those of A and B `stride` apart. \return Whether sizes are those of a BLAS.
  template <class Space>
  bool operator()(Space const& space, std::size_t m, std::size_t n, std::size_t k, double const* a, double const* b,
                  std::size_t stride, double* c) const {
    if (m > INT_MAX || n > INT_MAX || stride > INT_MAX) return false;
    space.fence();
    int const rows = static_cast<int>(m), columns = static_cast<int>(n), depth_of_sums = static_cast<int>(k),
              line = static_cast<int>(stride);
    double const one = 1, zero = 0;
    dgemm_("T", "N", &rows, &columns, &depth_of_sums, &one, a, &line, b, &line, &zero, c, &rows);
    return true;
  }
};

}  // namespace Exakt::Impl

#endif

#endif
