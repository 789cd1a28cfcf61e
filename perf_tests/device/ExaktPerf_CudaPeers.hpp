// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_CUDAPEERS_HPP
#define EXAKTPERF_CUDAPEERS_HPP

/// \file
/// \brief What CUDA brings along for the same: CUB's reduction, and cuBLAS where it was found. Nothing elsewhere.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cub/device/device_reduce.cuh>
#endif
#ifdef EXAKT_PERF_HAS_CUBLAS
#include <cublas_v2.h>
#endif

namespace ExaktPerf {

using CudaPeer = std::function<double()>;

#if defined(KOKKOS_ENABLE_CUDA)
inline void require_success(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// The sum as CUB adds it, waited for and copied to the host as ours is.
inline CudaPeer cub_sum(double const* x, std::size_t n) {
  Kokkos::View<double, Kokkos::CudaSpace> const result("sum");
  std::size_t bytes = 0;
  require_success(cub::DeviceReduce::Sum(nullptr, bytes, x, result.data(), static_cast<std::int64_t>(n)));
  Kokkos::View<char*, Kokkos::CudaSpace> const memory("memory", bytes);
  return [=] {
    std::size_t size = bytes;
    require_success(cub::DeviceReduce::Sum(memory.data(), size, x, result.data(), static_cast<std::int64_t>(n)));
    double sum = 0;
    require_success(cudaMemcpy(&sum, result.data(), sizeof(sum), cudaMemcpyDeviceToHost));
    return sum;
  };
}
#else
inline CudaPeer cub_sum(double const*, std::size_t) { return {}; }
#endif

#ifdef EXAKT_PERF_HAS_CUBLAS
inline void require_success(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}

inline std::shared_ptr<cublasContext> cublas() {
  cublasHandle_t handle = nullptr;
  require_success(cublasCreate(&handle));
  return {handle, [](cublasHandle_t h) { cublasDestroy(h); }};
}

inline CudaPeer cublas_dot(double const* x, double const* y, std::size_t n) {
  return [=, handle = cublas()] {
    double dot = 0;
    require_success(cublasDdot(handle.get(), static_cast<int>(n), x, 1, y, 1, &dot));
    return dot;
  };
}

/// y := A x for a square matrix, or its transpose: `plain` if the columns of what is multiplied are contiguous.
inline CudaPeer cublas_gemv(bool plain, double const* A, double const* x, double* y, std::size_t n) {
  return [=, handle = cublas()] {
    double const one = 1, zero = 0;
    int const order = static_cast<int>(n);
    require_success(
        cublasDgemv(handle.get(), plain ? CUBLAS_OP_N : CUBLAS_OP_T, order, order, &one, A, order, x, 1, &zero, y, 1));
    require_success(cudaDeviceSynchronize());
    return 0.0;
  };
}

/// x := A^-1 b with the lower triangle of a square matrix whose columns are contiguous.
inline CudaPeer cublas_trsv(double const* A, double const* b, double* x, std::size_t n) {
  return [=, handle = cublas()] {
    int const order = static_cast<int>(n);
    require_success(cublasDcopy(handle.get(), order, b, 1, x, 1));
    require_success(
        cublasDtrsv(handle.get(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, order, A, order, x, 1));
    require_success(cudaDeviceSynchronize());
    return 0.0;
  };
}

/// C := A B for square matrices whose columns are contiguous.
inline CudaPeer cublas_gemm(double const* A, double const* B, double* C, std::size_t n) {
  return [=, handle = cublas()] {
    double const one = 1, zero = 0;
    int const order = static_cast<int>(n);
    require_success(cublasDgemm(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, order, order, order, &one, A, order, B, order,
                                &zero, C, order));
    require_success(cudaDeviceSynchronize());
    return 0.0;
  };
}
#else
inline CudaPeer cublas_dot(double const*, double const*, std::size_t) { return {}; }
inline CudaPeer cublas_gemv(bool, double const*, double const*, double*, std::size_t) { return {}; }
inline CudaPeer cublas_trsv(double const*, double const*, double*, std::size_t) { return {}; }
inline CudaPeer cublas_gemm(double const*, double const*, double*, std::size_t) { return {}; }
#endif

}  // namespace ExaktPerf

#endif
