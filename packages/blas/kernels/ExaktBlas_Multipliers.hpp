// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_MULTIPLIERS_HPP
#define EXAKTBLAS_MULTIPLIERS_HPP

/// \file
/// \brief Products of matrices of residues by the libraries that libExaktBlas was built with: oneDNN for bytes, where the
/// processor has tiles of them, a BLAS for doubles. Whether they are there is asked when a program runs.

#include <kernels/Exakt_Kernels.hpp>
#include <numerics/Exakt_Abi.hpp>

#include <cstddef>
#include <cstdint>

#if defined(EXAKT_WITHOUT_MULTIPLIERS)

namespace Exakt::Impl::inline EXAKT_ABI {

/// None of them in a library that is to be linked with nothing else (packages/c).
inline bool multiply_by_tiles(std::size_t, std::size_t, std::size_t, std::uint8_t const*, std::size_t,
                              std::int8_t const*, std::size_t, std::int32_t*, std::size_t) {
  return false;
}
inline bool has_double_gemm() { return false; }
inline bool multiply_doubles(std::size_t, std::size_t, std::size_t, double const*, double const*, std::size_t,
                             double*) {
  return false;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#else

namespace Exakt::Impl::inline EXAKT_COMPILED {

/// \brief C := A B^T, where each row of A, B and C is contiguous; on the calling thread.
///
/// Looks at what oneDNN may use, too (ONEDNN_MAX_CPU_ISA).
///
/// \param k  At most depth_of_integers.
/// \return   Whether it was done: oneDNN is there, the processor has tiles of bytes (AMX), and there was memory.
EXAKT_CORE_EXPORT bool multiply_by_tiles(std::size_t m, std::size_t n, std::size_t k, std::uint8_t const* a,
                                         std::size_t a_stride, std::int8_t const* b, std::size_t b_stride,
                                         std::int32_t* c, std::size_t c_stride);

/// Whether a BLAS is there.
EXAKT_CORE_EXPORT bool has_double_gemm();

/// \brief C := A^T B, each column contiguous, those of A and B `stride` apart, on the threads that the BLAS takes.
///
/// \return Whether it was done: there is a BLAS, and sizes are such as it takes.
EXAKT_CORE_EXPORT bool multiply_doubles(std::size_t m, std::size_t n, std::size_t k, double const* a, double const* b,
                                        std::size_t stride, double* c);

/// Which libraries these are: "oneDNN 2.6.3, BLAS libopenblas.so". Exakt::describe() says it.
EXAKT_CORE_EXPORT char const* multipliers();

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif

#endif
