// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_EXACTGEMM_HPP
#define EXAKTBLAS_EXACTGEMM_HPP

/// \file
/// \brief Entries of a product of matrices one at a time, exactly.

#include "../matrix_vector/ExaktBlas_RowEnclosures.hpp"
#include "../operands/ExaktBlas_GemmProblem.hpp"
#include "../operands/ExaktBlas_Tasks.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

template <class T, class U, class R>
void add_entry_by_extraction(GemmProblem<T, U, R> const& problem, std::size_t i, std::size_t j, ExactProducts& sum) {
  constexpr std::size_t gathered = extraction_tile_size / 2;
  double a[gathered], b[gathered];
  Extraction<ExactProducts, 4> extraction;
  for (std::size_t begin = 0; begin < problem.k; begin += gathered) {
    std::size_t const size = problem.k - begin < gathered ? problem.k - begin : gathered;
    widen(problem.A.at(i, begin), problem.A.column_stride, size, a);
    widen(problem.B.at(begin, j), problem.B.row_stride, size, b);
    extraction.add_products(a, b, size, sum);
  }
  extraction.drain(sum);
}

/// One entry of A B, exactly.
template <class T, class U, class R>
KOKKOS_INLINE_FUNCTION ExactProducts exact_entry(GemmProblem<T, U, R> const& problem, std::size_t i, std::size_t j) {
  ExactProducts sum;
  EXAKT_IF_ON_HOST((add_entry_by_extraction(problem, i, j, sum);))
  EXAKT_IF_ON_DEVICE((for (std::size_t l = 0; l < problem.k; ++l) {
    sum.add_product(exact_double(*problem.A.at(i, l)), exact_double(*problem.B.at(l, j)));
  }))
  return sum;
}

/// The engine for processors without a fused multiply-add: everything in integers and extraction, an entry at a time.
struct ExactGemm {
  template <class Space, class T, class U, class R>
  static void run(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue) {
    for_each_task("Exakt::gemm", space, problem.n, true, [=](std::size_t j) {
      for (std::size_t i = 0; i < problem.m; ++i)
        *problem.C.at(i, j) =
            epilogue.template exactly<R>(exact_entry(problem, i, j), epilogue.old_entry(problem.C, i, j), 1);
    });
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
