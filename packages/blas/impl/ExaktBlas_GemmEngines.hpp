// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GEMMENGINES_HPP
#define EXAKTBLAS_GEMMENGINES_HPP

/// \file
/// \brief The choice of an engine for products of real matrices on hosts.

#include "../ExaktBlas3_GemmOptions.hpp"
#include "ExaktBlas_ModularGemm.hpp"

namespace Exakt::Impl {

inline void require_engine(GemmOptions const& options, bool is_possible) {
  if (options.engine != GemmEngine::modular || (is_possible && has_integer_gemm())) return;
  throw std::invalid_argument(std::string("Exakt::gemm: engine is modular; it needs ") +
                              (is_possible ? "Exakt built with oneDNN, and a processor with AVX-512 VNNI"
                                           : "float or double entries in C and real factors, on a host"));
}

/// Whether the modular engine has a look at the problem.
template <class T, class U, class R>
bool tries_modular(GemmProblem<T, U, R> const& problem, GemmOptions const& options) {
  // Smaller ones are not worth it.
  bool const is_large =
      problem.m >= 32 && problem.n >= 32 && problem.k >= 16 && problem.m * problem.n * problem.k >= 1'000'000;
  bool const wanted = options.engine == GemmEngine::modular || (options.engine == GemmEngine::automatic && is_large);
  return wanted && problem.k > 0 && has_integer_gemm() && fp_environment_is_default();
}

template <class Space, class T, class U, class R>
void gemm_on_host(Space const& space, GemmProblem<T, U, R> const& problem,
                  [[maybe_unused]] GemmOptions const& options = {}) {
  if (problem.m == 0 || problem.n == 0) return;
#ifdef EXAKT_HAS_INTEGER_GEMM
  if constexpr (is_float_v<R>) {
    if (tries_modular(problem, options)) {
      bool const may_decline = options.engine == GemmEngine::automatic;
      auto const threads = static_cast<std::size_t>(space.concurrency());
      // Rows of C that are contiguous; but not for each mixture of types another instance of both engines.
      if constexpr (std::is_same_v<T, U>) {
        if (problem.C.row_stride == 1 && problem.C.column_stride != 1)
          return ModularGemm<T, T, R>(transposed(problem), options.workspace, threads).run(space, may_decline);
      }
      return ModularGemm<T, U, R>(problem, options.workspace, threads).run(space, may_decline);
    }
  }
#endif
  multiply_directly(space, problem);
}

/// \brief What is known about the entries of A B, and nothing written to C.
///
/// \param sums  Of the entry (i, j) at i + j * column_stride.
template <class Space>
void estimate_products(Space const& space, GemmProblem<double, double, double> const& problem,
                       EstimateArrays const& sums, std::size_t column_stride,
                       [[maybe_unused]] GemmOptions const& options) {
#ifdef EXAKT_HAS_INTEGER_GEMM
  if (tries_modular(problem, options))
    return ModularGemm<double, double, double>(transposed(problem), options.workspace,
                                               static_cast<std::size_t>(space.concurrency()), sums, column_stride)
        .run(space, options.engine == GemmEngine::automatic);
#endif
  DirectGemm<double, double, double>(problem, sums, column_stride).run(space);
}

}  // namespace Exakt::Impl

#endif
