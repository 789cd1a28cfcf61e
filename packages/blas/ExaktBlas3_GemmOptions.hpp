// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS3_GEMMOPTIONS_HPP
#define EXAKTBLAS3_GEMMOPTIONS_HPP

#include <cstddef>

namespace Exakt {

/// How gemm multiplies. The bits are the same.
enum class GemmEngine {
  automatic,       ///< what is faster here
  direct,          ///< in double arithmetic, enclosed; cancelling entries again exactly
  modular,         ///< by residues: bytes (AVX-512 VNNI), 12-bit words (AVX2), else modular_doubles; real factors
  modular_doubles  ///< by residues that a BLAS multiplies in double arithmetic
};

/// Options of gemm, for tests and measurements.
struct GemmOptions {
  GemmEngine engine = GemmEngine::automatic;
  std::size_t workspace = 0;  ///< bytes for residues; 0: three times what A, B and C take, at least 128 MB on devices
};

}  // namespace Exakt

#endif
