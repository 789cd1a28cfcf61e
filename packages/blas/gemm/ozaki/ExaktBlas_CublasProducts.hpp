// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_CUBLASPRODUCTS_HPP
#define EXAKTBLAS_CUBLASPRODUCTS_HPP

/// \file
/// \brief What multiplies residues on NVIDIA GPUs: cuBLASLt. See OzakiGemm.

#include "ExaktBlas_Moduli.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#if defined(EXAKT_BLAS_HAS_CUBLASLT) && defined(KOKKOS_ENABLE_CUDA)
#define EXAKT_HAS_CUBLASLT

#include <cublasLt.h>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Bytes with a sign.
class CublasProducts {
 public:
  using Kind = ByteResidues;
  using Left = std::int8_t;
  using Right = std::int8_t;
  using Sum = std::int32_t;
  using Class = std::int8_t;
  static constexpr std::size_t depth = std::size_t{1} << 16, lines_multiple = 16, depth_multiple = 16;
  static constexpr bool by_tiles = false;

  /// C := A B^T, each row contiguous, those of A and B `stride` apart; enqueued. \return Whether it could be. The
  /// library has columns.
  bool operator()(Kokkos::Cuda const& space, std::size_t m, std::size_t n, std::size_t k, Left const* a, Right const* b,
                  std::size_t stride, Sum* c, std::size_t c_stride) const {
    cublasLtHandle_t const library = handle();
    if (library == nullptr) return false;
    Matrix const of_a(CUDA_R_8I, k, m, stride), of_b(CUDA_R_8I, k, n, stride), of_c(CUDA_R_32I, n, m, c_stride);
    Operation const product;
    if (!of_a.layout || !of_b.layout || !of_c.layout || !product.description) return false;
    std::int32_t const one = 1, zero = 0;
    return cublasLtMatmul(library, product.description, &one, b, of_b.layout, a, of_a.layout, &zero, c, of_c.layout, c,
                          of_c.layout, nullptr, nullptr, 0, space.cuda_stream()) == CUBLAS_STATUS_SUCCESS;
  }

 private:
  /// One for all threads, as cuBLASLt allows, until Kokkos is finalized.
  static cublasLtHandle_t handle() {
    static cublasLtHandle_t const result = [] {
      cublasLtHandle_t created = nullptr;
      if (cublasLtCreate(&created) != CUBLAS_STATUS_SUCCESS) return cublasLtHandle_t{nullptr};
      Kokkos::push_finalize_hook([created] { cublasLtDestroy(created); });
      return created;
    }();
    return result;
  }

  struct Matrix {
    cublasLtMatrixLayout_t layout = nullptr;
    Matrix(cudaDataType_t type, std::size_t rows, std::size_t columns, std::size_t stride) {
      if (cublasLtMatrixLayoutCreate(&layout, type, rows, columns, static_cast<std::int64_t>(stride)) !=
          CUBLAS_STATUS_SUCCESS)
        layout = nullptr;
    }
    ~Matrix() {
      if (layout) cublasLtMatrixLayoutDestroy(layout);
    }
    Matrix(Matrix const&) = delete;
    Matrix& operator=(Matrix const&) = delete;
  };

  struct Operation {
    cublasLtMatmulDesc_t description = nullptr;
    Operation() {
      cublasOperation_t const transposed = CUBLAS_OP_T;
      if (cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32I, CUDA_R_32I) != CUBLAS_STATUS_SUCCESS) {
        description = nullptr;
      } else if (cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                                sizeof(transposed)) != CUBLAS_STATUS_SUCCESS) {
        cublasLtMatmulDescDestroy(description);
        description = nullptr;
      }
    }
    ~Operation() {
      if (description) cublasLtMatmulDescDestroy(description);
    }
    Operation(Operation const&) = delete;
    Operation& operator=(Operation const&) = delete;
  };
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif

#endif
