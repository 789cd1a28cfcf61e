// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GEMMENGINES_HPP
#define EXAKTBLAS_GEMMENGINES_HPP

/// \file
/// \brief The choice of an engine for products of real matrices.

#include "../ExaktBlas3_GemmOptions.hpp"
#include "ExaktBlas_TeamGemm.hpp"
#include "ozaki/ExaktBlas_BlasProducts.hpp"
#include "ozaki/ExaktBlas_CublasProducts.hpp"
#include "ozaki/ExaktBlas_ModularGemm.hpp"
#include "ozaki/ExaktBlas_ResidueGemm.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

inline void require_engine(GemmOptions const& options, bool is_possible) {
  bool const wants_doubles = options.engine == GemmEngine::modular_doubles;
  if (options.engine != GemmEngine::modular && !wants_doubles) return;
  if (is_possible && (has_double_gemm() || (!wants_doubles && has_integer_gemm()))) return;
  throw std::invalid_argument(
      std::string("Exakt::gemm: engine is ") + (wants_doubles ? "modular_doubles" : "modular") + "; it needs " +
      (!is_possible    ? "float or double entries in C and real factors, on a host"
       : wants_doubles ? "Exakt built with a BLAS"
                       : "Exakt built with a BLAS, or with oneDNN and a processor with AVX-512 VNNI"));
}

/// Whether a modular engine has a look at the problem.
template <class T, class U, class R>
bool tries_modular(GemmProblem<T, U, R> const& problem, GemmOptions const& options) {
  // Smaller ones are not worth it.
  bool const is_large =
      problem.m >= 32 && problem.n >= 32 && problem.k >= 16 && problem.m * problem.n * problem.k >= 1'000'000;
  bool const wanted = options.engine == GemmEngine::automatic ? is_large : options.engine != GemmEngine::direct;
  return wanted && problem.k > 0;
}
template <class T, class U, class R>
bool tries_bytes(GemmProblem<T, U, R> const& problem, GemmOptions const& options) {
  return options.engine != GemmEngine::modular_doubles && has_integer_gemm() && tries_modular(problem, options);
}

/// \brief Whether doubles as residues are faster than the direct engine.
///
/// Nanoseconds of one thread at 2.5 GHz with AVX-512 (perf_tests/blas/perf_gemm_engines, n = 256 ... 2048): a BLAS
/// takes 0.035 for a product, 0.11 if it does not know the processor, and the rest of the way from matrices to C takes
/// 7 for each entry of A, B and C and each modulus; the direct engine 1 for a product if most entries cancel, else less
/// than any BLAS here, and 20 without fused multiply-adds.
template <class T, class U, class R, class Cancels>
bool doubles_are_faster(GemmProblem<T, U, R> const& problem, int moduli_needed, Cancels const& most_cancel) {
  auto const m = static_cast<double>(problem.m), n = static_cast<double>(problem.n), k = static_cast<double>(problem.k);
  double const products = problem.products(), entries = m * k + k * n + m * n;
  double const doubles = moduli_needed * (0.06 * products + 7 * entries);
  if (!matrix_kernels().has_enclosures) return doubles < 20 * products;
  return doubles < 1.0 * (8.0 / kernels().lanes) * products && most_cancel();
}

/// By the engine of choice.
template <class Space, class T, class U, class R>
void multiply_on_host(Space const& space, GemmProblem<T, U, R> const& problem, GemmOptions const& options) {
  if constexpr (is_float_v<R>) {
    bool const may_decline = options.engine == GemmEngine::automatic;
    if (tries_bytes(problem, options)) {
      auto const threads = static_cast<std::size_t>(space.concurrency());
      // Rows of C that are contiguous; but not for each mixture of types another instance of both engines.
      if constexpr (std::is_same_v<T, U>) {
        if (problem.C.row_stride == 1 && problem.C.column_stride != 1)
          return ModularGemm<T, T, R>(transposed(problem), options.workspace, threads).run(space, may_decline);
      }
      return ModularGemm<T, U, R>(problem, options.workspace, threads).run(space, may_decline);
    }
    if (has_double_gemm() && tries_modular(problem, options)) {
      bool const done = ResidueGemm<BlasProducts, Space, T, U, R>({}, space, problem, options.workspace)
                            .run(
                                [&](int moduli_needed, auto const& most_cancel) {
                                  return !may_decline || doubles_are_faster(problem, moduli_needed, most_cancel);
                                },
                                [&](auto const& part) { multiply_directly(space, part); });
      if (done) return;
    }
  }
  multiply_directly(space, problem);
}

/// Whether B is the transpose of A, in the same memory: then C is symmetric.
template <class T, class U, class R>
bool is_gram_matrix(GemmProblem<T, U, R> const& problem) {
  if constexpr (std::is_same_v<T, U>) {
    return problem.A.data == problem.B.data && problem.A.row_stride == problem.B.column_stride &&
           problem.A.column_stride == problem.B.row_stride && problem.m == problem.n && !problem.epilogue.reads_y;
  } else {
    return false;
  }
}

template <class Space, class T, class U, class R>
void gemm_on_host(Space const& space, GemmProblem<T, U, R> const& problem, GemmOptions const& options = {}) {
  constexpr std::size_t worth_halving = 512;
  if (problem.m == 0 || problem.n == 0) return;
  if (problem.n <= worth_halving || problem.part != GemmPart::all || !is_gram_matrix(problem))
    return multiply_on_host(space, problem, options);
  // Of the four quarters one is another, mirrored.
  Span const first{0, (problem.n / 2 + 63) / 64 * 64}, second{first.end, problem.n};
  gemm_on_host(space, part_of(problem, first, first), options);
  gemm_on_host(space, part_of(problem, second, second), options);
  auto const corner = part_of(problem, second, first);
  multiply_on_host(space, corner, options);
  space.fence();
  auto const mirrored = part_of(problem, first, second).C;
  for_each_task("Exakt::gemm::mirror", space, corner.n, true, [=](std::size_t j) {
    for (std::size_t i = 0; i < corner.m; ++i) *mirrored.at(j, i) = *corner.C.at(i, j);
  });
}

/// Of real matrices on a device.
template <class Space, class T, class U, class R>
void gemm_on_device(Space const& space, GemmProblem<T, U, R> const& problem,
                    [[maybe_unused]] GemmOptions const& options) {
  auto const directly = [&](GemmProblem<T, U, R> const& part) { multiply_by_blocks(space, part); };
#ifdef EXAKT_HAS_CUBLASLT
  if constexpr (is_float_v<R> && std::is_same_v<Space, Kokkos::Cuda>) {
    if (tries_modular(problem, options) &&
        ResidueGemm<CublasProducts, Space, T, U, R>({}, space, problem, options.workspace).run(nullptr, directly))
      return;
  }
#endif
  directly(problem);
}

/// \brief What is known about the entries of A B, and nothing written to C.
///
/// \param sums  Of the entry (i, j) at i + j * column_stride.
template <class Space>
void enclose_products(Space const& space, GemmProblem<double, double, double> const& problem,
                      EnclosureArrays const& sums, std::size_t column_stride, GemmOptions const& options) {
  if (tries_bytes(problem, options))
    return ModularGemm<double, double, double>(transposed(problem), options.workspace,
                                               static_cast<std::size_t>(space.concurrency()), sums, column_stride)
        .run(space, options.engine == GemmEngine::automatic);
  DirectGemm<double, double, double>(problem, sums, column_stride).run(space);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
