// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_INTEGERGEMM_HPP
#define EXAKTBLAS_INTEGERGEMM_HPP

/// \file
/// \brief Products of matrices of bytes, summed in 32-bit integers, by oneDNN.
///
/// With |a| <= 255 and |b| <= 128 a sum of depth_of_integers products fits:
///
///     2^16 * 255 * 128 + 128  <  2^31.
///
/// Only where the processor has the instructions for this (AVX-512 VNNI, or AMX). Without them oneDNN adds pairs of
/// products in 16 bits, which saturate: 2 * 255 * 128 > 2^15.

#include <Exakt_KokkosCompat.hpp>

#include <cstddef>

#if defined(EXAKT_BLAS_HAS_ONEDNN) && defined(__x86_64__)
#define EXAKT_HAS_INTEGER_GEMM
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#endif

namespace Exakt::Impl {

inline constexpr std::size_t depth_of_integers = std::size_t{1} << 16;
static_assert(depth_of_integers * 255 * 128 + 128 < (std::size_t{1} << 31));

#ifdef EXAKT_HAS_INTEGER_GEMM

/// oneDNN asks OpenMP how many threads to take: one, for whoever calls it here is one of many already, or all there is.
class OneThread {
 public:
  OneThread() : m_before(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(m_before); }
  OneThread(OneThread const&) = delete;
  OneThread& operator=(OneThread const&) = delete;

 private:
  int m_before;
};

/// Looks at what oneDNN has been told to use, too (ONEDNN_MAX_CPU_ISA).
inline bool has_integer_gemm() {
  static bool const result = [] {
    auto const isa = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
    auto const needed = static_cast<unsigned>(dnnl_cpu_isa_avx512_core_vnni);
    return (isa & needed) == needed && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
  }();
  return result;
}

/// \brief C := A B^T, or C += A B^T, where each row of A, B and C is contiguous; on the calling thread.
///
/// \param k  At most depth_of_integers.
/// \return   Whether it was done: oneDNN may lack memory.
inline bool multiply_integers(std::size_t m, std::size_t n, std::size_t k, std::uint8_t const* a, std::size_t a_stride,
                              std::int8_t const* b, std::size_t b_stride, bool add, std::int32_t* c,
                              std::size_t c_stride) {
  OneThread const one_thread;
  std::int32_t const no_offset = 0;
  auto const size = [](std::size_t x) { return static_cast<dnnl_dim_t>(x); };
  return dnnl_gemm_u8s8s32('N', 'T', 'F', size(m), size(n), size(k), 1.0f, a, size(a_stride), 0, b, size(b_stride), 0,
                           add ? 1.0f : 0.0f, c, size(c_stride), &no_offset) == dnnl_success;
}

#else

inline bool has_integer_gemm() { return false; }

#endif

}  // namespace Exakt::Impl

#endif
