// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COMPLEXGEMM_HPP
#define EXAKTBLAS_COMPLEXGEMM_HPP

/// \file
/// \brief The engines of gemm for complex numbers: on hosts the sums of real products by an engine of real numbers, or exactly for
/// each entry; on devices large products as one of real matrices, whose rows are the parts of those of C.

#include "../matrix_vector/ExaktBlas_ComplexProducts.hpp"
#include "../structured/ExaktBlas_Dense.hpp"
#include "ExaktBlas_GemmEngines.hpp"

#include <parallel/Exakt_ScratchMemory.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// One entry of C per call, exactly.
template <class T, class U, class Y>
struct ExactComplexEntries {
  PlaneProblem<T, U, Y> problem;
  EntryEpilogue epilogue;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t entry) const {
    std::size_t const i = entry % problem.matrices.m, j = entry / problem.matrices.m;
    Y& result = *problem.matrices.C.at(i, j);
    result = epilogue.entry(sum_of_complex_products([&](std::size_t l) { return problem.a(i, l); },
                                                    [&](std::size_t l) { return problem.b(l, j); }, problem.matrices.k),
                            result);
  }
};

/// The same, if enclosures do not decide it. \pre matrix_kernels().has_enclosures
template <class T, class U, class Y>
struct FewComplexProducts {
  ExactComplexEntries<T, U, Y> exactly;

  void operator()(std::size_t entry) const {
    auto const& problem = exactly.problem;
    std::size_t const i = entry % problem.matrices.m, j = entry / problem.matrices.m;
    GatheredSums<2> sums;
    for (std::size_t l = 0; l < problem.matrices.k; ++l) sums.add(problem.a(i, l), problem.b(l, j));
    if (!try_round_entry(exactly.epilogue, sums, *problem.matrices.C.at(i, j))) exactly(entry);
  }
};

/// The entries of a column of C from what is known about the sums of their parts.
template <class T, class U, class Y>
struct RoundComplexColumn {
  ExactComplexEntries<T, U, Y> exactly;
  EnclosureArrays sums;  // of a column: real parts of all rows, then imaginary ones

  void operator()(std::size_t j) const {
    auto const& C = exactly.problem.matrices.C;
    std::size_t const m = exactly.problem.matrices.m;
    for (Span const rows : Pieces{{0, m}, lane_block}) {
      auto const real = sums.from(rows.begin + j * 2 * m);
      auto const row = [&](int i) { return rows.begin + static_cast<std::size_t>(i); };
      round_complex_entries<lane_block>(
          exactly.epilogue, real, real.from(m),
          static_cast<int>(rows.size()), [&](int i) -> auto& { return *C.at(row(i), j); },
          [&](int i) { exactly(row(i) + j * m); });
    }
  }
};

struct ComplexGemm {
  GemmOptions options{};

  template <class Space, class T, class U, class Y>
  void run(Space const& space, PlaneProblem<T, U, Y> const& problem, EntryEpilogue const& epilogue) const {
    if constexpr (Scalar<U>::is_complex && !Scalar<T>::is_complex) {
      run(space, transposed(problem), epilogue);
    } else {
      constexpr std::size_t worth_copies = 60;
      std::size_t const entries = problem.matrices.m * problem.matrices.n, pairs = entries * problem.matrices.k;
      ExactComplexEntries<T, U, Y> const exactly{problem, epilogue};
      // Enclosures do not decide half types.
      if constexpr (is_float_v<typename Scalar<Y>::Real>) {
        if (matrix_kernels().has_enclosures) {
          if (pairs >= worth_copies) return enclose(space, exactly);
          return for_each_task("Exakt::gemm", space, entries, false, FewComplexProducts<T, U, Y>{exactly});
        }
      }
      for_each_task("Exakt::gemm", space, entries, pairs > worth_copies, exactly);
    }
  }

 private:
  template <class Space, class T, class U, class Y>
  void enclose(Space const& space, ExactComplexEntries<T, U, Y> const& exactly) const {
    auto const& problem = exactly.problem;
    std::size_t const m = problem.matrices.m, n = problem.matrices.n, depth = problem.depth();
    bool const threaded = (m + n) * problem.matrices.k >= products_worth_threads;
    ScratchMemory<Space> const memory(space, (2 * m * depth + depth * n + 6 * m * n) * sizeof(double));
    auto* const left = reinterpret_cast<double*>(memory.data());  // the parts of A, by columns
    double* const right = left + 2 * m * depth;                   // those of B
    double* const sums = right + depth * n;                       // of their products, enclosed
    for_each_task("Exakt::gemm::split", space, depth, threaded, [=](std::size_t l) {
      for (int part = 0; part < 2; ++part)
        for (std::size_t i = 0; i < m; ++i) left[(2 * l + part) * m + i] = problem.left(i, part, l);
      for (std::size_t j = 0; j < n; ++j) right[j * depth + l] = problem.right(j, l);
    });
    EnclosureArrays const known{sums, sums + 2 * m * n, sums + 4 * m * n};
    auto const rows = static_cast<std::ptrdiff_t>(2 * m), columns = static_cast<std::ptrdiff_t>(depth);
    GemmProblem<double, double, double> const planes{
        {left, 1, rows}, {right, 1, columns}, {nullptr, 0, 0}, 2 * m, n, depth};
    gemm_on_host(space, planes, GemmEpilogue{{}, known, 1, 2 * m}, options);
    for_each_task("Exakt::gemm", space, n, threaded, RoundComplexColumn<T, U, Y>{exactly, known});
  }
};

/// The real factors of the parts of rows of A, two rows for each.
template <class Problem>
struct CopyLeftPlanes {
  Problem problem;
  typename Problem::Real* to;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t row, std::size_t l) const {
    to[l * 2 * problem.matrices.m + row] =
        static_cast<typename Problem::Real>(problem.left(row / 2, static_cast<int>(row % 2), l));
  }
};
/// Those of columns of B.
template <class Problem>
struct CopyRightPlanes {
  Problem problem;
  typename Problem::Real* to;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t l, std::size_t column) const {
    to[column * problem.depth() + l] = static_cast<typename Problem::Real>(problem.right(column, l));
  }
};

/// \brief C on devices as a real matrix of twice as many rows; false if the small way is the faster one, or parts of an entry do
/// not follow each other down a column, nor stay apart.
template <class Space, class T, class U, class Y>
bool try_planes_on_device(Space const& space, PlaneProblem<T, U, Y> const& problem, EntryEpilogue const& epilogue,
                          GemmOptions const& options) {
  using Problem = PlaneProblem<T, U, Y>;
  using Real = typename Problem::Real;
  constexpr bool are_complex = Scalar<T>::is_complex && Scalar<U>::is_complex;
  auto const& to = problem.matrices.C;
  if constexpr (!is_float_v<Real> || !(Scalar<T>::is_complex || Scalar<U>::is_complex)) {
    return false;
  } else if (!epilogue.parts_stay_apart() || is_worth_cascading(problem)) {
    return false;
  } else if (!Scalar<T>::is_complex || (are_complex && to.row_stride != 1)) {
    return (!are_complex || to.column_stride == 1) &&
           try_planes_on_device(space, transposed(problem), epilogue, options);
  } else {
    if (to.row_stride != 1) return false;
    std::size_t const rows = 2 * problem.matrices.m, n = problem.matrices.n, depth = problem.depth();
    ScratchMemory<Space> const memory(space, (rows + n) * depth * sizeof(Real));
    auto* const left = reinterpret_cast<Real*>(memory.data());
    Real* const right = left + rows * depth;
    for_each_entry("Exakt::gemm::split", space, rows, depth, CopyLeftPlanes<Problem>{problem, left});
    for_each_entry("Exakt::gemm::split", space, depth, n, CopyRightPlanes<Problem>{problem, right});
    GemmProblem<Real, Real, Real> const planes{{left, 1, static_cast<std::ptrdiff_t>(rows)},
                                               {right, 1, static_cast<std::ptrdiff_t>(depth)},
                                               {reinterpret_cast<Real*>(to.data), 1, 2 * to.column_stride},
                                               rows,
                                               n,
                                               depth};
    gemm_on_device(space, planes, GemmEpilogue{epilogue}, options);
    return true;
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
