// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_CUBLASPRODUCTS_HPP
#define EXAKTBLAS_CUBLASPRODUCTS_HPP

/// \file
/// \brief What multiplies residues on NVIDIA GPUs: cuBLASLt. See OzakiGemm.

#include "ExaktBlas_Moduli.hpp"

#include <Kokkos_Core.hpp>
#include <parallel/Exakt_ScratchMemory.hpp>

#include <cstddef>
#include <cstdint>

#if defined(EXAKT_BLAS_HAS_CUBLASLT) && defined(KOKKOS_ENABLE_CUDA)
#define EXAKT_HAS_CUBLASLT

#include <cublasLt.h>

#include <array>
#include <atomic>
#include <optional>

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

  /// \brief C := A B^T, `count` times, each row contiguous, those of A and B `stride` apart; enqueued. The library has
  /// columns. \return Whether it could be.
  bool operator()(Kokkos::Cuda const& space, int count, std::size_t m, std::size_t n, std::size_t k, Left const* a,
                  std::size_t a_step, Right const* b, std::size_t b_step, std::size_t stride, Sum* c,
                  std::size_t c_step, std::size_t c_stride) const {
    // Small products do not fill a device. For many of large ones the library knows no kernel as fast as for one.
    bool const is_small = m * n * k <= std::size_t{1} << 31;
    int const at_once = is_small ? count : 1;
    cublasLtHandle_t const library = handle();
    if (library == nullptr) return false;
    Matrices const of_a(CUDA_R_8I, k, m, stride, at_once, a_step), of_b(CUDA_R_8I, k, n, stride, at_once, b_step),
        of_c(CUDA_R_32I, n, m, c_stride, at_once, c_step);
    Operation const product;
    if (!of_a.layout || !of_b.layout || !of_c.layout || !product.description) return false;
    // Some moduli after the others ask for the same products.
    thread_local Choice choice;
    Shape const shape{library, at_once, {m, n, k, a_step, b_step, stride, c_step, c_stride}};
    if (!(choice.shape == shape)) choice = {shape, fastest(library, product, of_b, of_a, of_c)};
    cublasLtMatmulAlgo_t const* const algorithm = choice.algorithm ? &*choice.algorithm : nullptr;
    std::int32_t const one = 1, zero = 0;
    for (int t = 0; t < count; t += at_once, a += a_step, b += b_step, c += c_step) {
      if (cublasLtMatmul(library, product.description, &one, b, of_b.layout, a, of_a.layout, &zero, c, of_c.layout, c,
                         of_c.layout, algorithm, nullptr, 0, space.cuda_stream()) != CUBLAS_STATUS_SUCCESS)
        return false;
    }
    return true;
  }

 private:
  /// One for all threads, as cuBLASLt allows, until Kokkos is finalized.
  static cublasLtHandle_t handle() {
    static std::atomic<cublasLtHandle_t> known{nullptr};
    cublasLtHandle_t one = known.load(), created = nullptr;
    if (one != nullptr || cublasLtCreate(&created) != CUBLAS_STATUS_SUCCESS) return one;
    if (!known.compare_exchange_strong(one, created)) {
      cublasLtDestroy(created);
      return one;
    }
    free_in_time([] {
      if (auto* const last = known.exchange(nullptr)) cublasLtDestroy(last);
    });
    return created;
  }

  struct Shape {
    cublasLtHandle_t library;
    int count;
    std::array<std::size_t, 8> sizes;
    bool operator==(Shape const&) const = default;
  };
  struct Choice {
    Shape shape{};
    std::optional<cublasLtMatmulAlgo_t> algorithm;
  };

  struct Matrices {
    cublasLtMatrixLayout_t layout = nullptr;
    Matrices(cudaDataType_t type, std::size_t rows, std::size_t columns, std::size_t stride, std::int32_t count,
             std::size_t step) {
      auto const distance = static_cast<std::int64_t>(step);
      if (cublasLtMatrixLayoutCreate(&layout, type, rows, columns, static_cast<std::int64_t>(stride)) !=
          CUBLAS_STATUS_SUCCESS) {
        layout = nullptr;
      } else if (cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count)) !=
                     CUBLAS_STATUS_SUCCESS ||
                 cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &distance,
                                                  sizeof(distance)) != CUBLAS_STATUS_SUCCESS) {
        cublasLtMatrixLayoutDestroy(layout);
        layout = nullptr;
      }
    }
    ~Matrices() {
      if (layout) cublasLtMatrixLayoutDestroy(layout);
    }
    Matrices(Matrices const&) = delete;
    Matrices& operator=(Matrices const&) = delete;
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

  /// \brief The first of the library's own suggestions that needs no memory.
  ///
  /// It suggests others where it is told that there is some: on an H100 in two thirds of the time, of 2048 and of 4096, and
  /// they need none either.
  static std::optional<cublasLtMatmulAlgo_t> fastest(cublasLtHandle_t library, Operation const& product,
                                                     Matrices const& a, Matrices const& b, Matrices const& c) {
    constexpr int count = 8;
    constexpr std::size_t memory = std::size_t{1} << 25;
    cublasLtMatmulPreference_t preference = nullptr;
    if (cublasLtMatmulPreferenceCreate(&preference) != CUBLAS_STATUS_SUCCESS) return {};
    cublasLtMatmulHeuristicResult_t found[count];
    int seen = 0;
    bool const known =
        cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &memory,
                                             sizeof(memory)) == CUBLAS_STATUS_SUCCESS &&
        cublasLtMatmulAlgoGetHeuristic(library, product.description, a.layout, b.layout, c.layout, c.layout, preference,
                                       count, found, &seen) == CUBLAS_STATUS_SUCCESS;
    cublasLtMatmulPreferenceDestroy(preference);
    for (int i = 0; known && i < seen; ++i) {
      if (found[i].state == CUBLAS_STATUS_SUCCESS && found[i].workspaceSize == 0) return found[i].algo;
    }
    return {};
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif

#endif
