// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COMPLEXGEMM_HPP
#define EXAKTBLAS_COMPLEXGEMM_HPP

/// \file
/// \brief The engines of gemm for complex numbers: one product of real matrices, whose rows are the parts of those of C; its sums
/// alone, where factors mix them; on hosts a few products exactly for each entry.

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

/// Two words that tasks on Space write to and the host reads after a fence. They begin as 0.
template <class Space>
class OthersSeen {
 public:
  explicit OthersSeen(Space const& space) : m_memory(space, 2 * sizeof(unsigned)) {
    Kokkos::deep_copy(space, Kokkos::View<unsigned[2], PinnedSpace<Space>, Kokkos::MemoryUnmanaged>(data()), 0U);
  }
  unsigned* data() const { return reinterpret_cast<unsigned*>(m_memory.data()); }

 private:
  ScratchMemory<Space, PinnedSpace<Space>> m_memory;
};
template <class Space>
requires runs_on_host<Space>
class OthersSeen<Space> {
 public:
  explicit OthersSeen(Space const&) {}
  unsigned* data() const { return m_words; }

 private:
  mutable unsigned m_words[2] = {};
};

template <class Z>
KOKKOS_FORCEINLINE_FUNCTION void look_at(Z const& entry, unsigned* has_others) {
  if (!is_finite(part_of(entry, false)) || !is_finite(part_of(entry, true))) Kokkos::atomic_exchange(has_others, 1U);
}

/// The real factors of the parts of rows of A, two rows for each.
template <class Problem, class Factor>
struct CopyLeftPlanes {
  Problem problem;
  Factor* to;
  unsigned* has_others;  // than numbers

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::size_t i, std::size_t l) const {
    using Products = typename Problem::Products;
    auto const& entry = *problem.matrices.A.at(i, l);
    look_at(entry, has_others);
    EXAKT_UNROLLED_LOOP
    for (std::size_t k = 0; k < Products::per_part; ++k) {
      EXAKT_UNROLLED_LOOP
      for (std::size_t part = 0; part < 2; ++part) {
        RealProduct const product = Products::of(part == 1, k);
        to[((l * Products::per_part + k) * problem.matrices.m + i) * 2 + part] =
            signed_part<Factor>(entry, product.of_a, product.is_negative(problem.A_conjugated));
      }
    }
  }
};
/// Those of columns of B.
template <class Problem, class Factor>
struct CopyRightPlanes {
  Problem problem;
  Factor* to;
  unsigned* has_others;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::size_t l, std::size_t j) const {
    using Products = typename Problem::Products;
    auto const& entry = *problem.matrices.B.at(l, j);
    look_at(entry, has_others);
    EXAKT_UNROLLED_LOOP
    for (std::size_t k = 0; k < Products::per_part; ++k) {
      bool const imaginary = Products::of(false, k).of_x;
      to[(j * problem.matrices.k + l) * Products::per_part + k] =
          signed_part<Factor>(entry, imaginary, imaginary && problem.B_conjugated);
    }
  }
};
/// Nothing of C, which is looked at only.
template <class Y>
struct LookAtEntries {
  Strided<Y> entries;
  unsigned* has_others;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::size_t i, std::size_t j) const { look_at(*entries.at(i, j), has_others); }
};

/// \brief C as a real matrix of twice as many rows; false if parts of an entry do not follow each other down a column, or do
/// not stay apart: an imaginary part of a factor may be zero, yet of infinities and NaN it makes something.
template <class Space, class T, class U, class Y>
bool try_planes(Space const& space, PlaneProblem<T, U, Y> const& problem, EntryEpilogue const& epilogue,
                GemmOptions const& options) {
  using Problem = PlaneProblem<T, U, Y>;
  using Real = typename Problem::Real;
  constexpr bool are_alike =
      std::is_same_v<typename Scalar<T>::Real, Real> && std::is_same_v<typename Scalar<U>::Real, Real>;
  using Factor = std::conditional_t<are_alike, Real, double>;
  constexpr bool are_complex = Scalar<T>::is_complex && Scalar<U>::is_complex;
  auto const& to = problem.matrices.C;
  if constexpr (!is_float_v<Real> || !(Scalar<T>::is_complex || Scalar<U>::is_complex)) {
    return false;
  } else if (!epilogue.parts_stay_apart()) {
    return false;
  } else if (!Scalar<T>::is_complex || (are_complex && to.row_stride != 1)) {
    return (!are_complex || to.column_stride == 1) && try_planes(space, transposed(problem), epilogue, options);
  } else {
    if (to.row_stride != 1) return false;
    std::size_t const m = problem.matrices.m, n = problem.matrices.n, k = problem.matrices.k;
    std::size_t const rows = 2 * m, depth = problem.depth();
    ScratchMemory<Space> const memory(space, (rows + n) * depth * sizeof(Factor));
    auto* const left = reinterpret_cast<Factor*>(memory.data());
    Factor* const right = left + rows * depth;
    OthersSeen<Space> const seen(space);
    unsigned* const has_others = seen.data();  // of A or B, and of C
    for_each_entry("Exakt::gemm::split", space, m, k, CopyLeftPlanes<Problem, Factor>{problem, left, has_others});
    for_each_entry("Exakt::gemm::split", space, k, n, CopyRightPlanes<Problem, Factor>{problem, right, has_others});
    bool const reads_complexly = epilogue.reads_y && epilogue.full_beta.is_complex;
    if (reads_complexly) for_each_entry("Exakt::gemm::split", space, m, n, LookAtEntries<Y>{to, has_others + 1});
    if (epilogue.full_alpha.is_complex || reads_complexly) {
      space.fence();
      if ((epilogue.full_alpha.is_complex && has_others[0] != 0) || has_others[1] != 0) return false;
    }
    GemmProblem<Factor, Factor, Real> const planes{{left, 1, static_cast<std::ptrdiff_t>(rows)},
                                                   {right, 1, static_cast<std::ptrdiff_t>(depth)},
                                                   {reinterpret_cast<Real*>(to.data), 1, 2 * to.column_stride},
                                                   rows,
                                                   n,
                                                   depth};
    if constexpr (runs_on_host<Space>) {
      gemm_on_host(space, planes, GemmEpilogue{epilogue}, options);
    } else {
      gemm_on_device(space, planes, GemmEpilogue{epilogue}, options);
    }
    return true;
  }
}

struct ComplexGemm {
  GemmOptions options{};

  template <class Space, class T, class U, class Y>
  void run(Space const& space, PlaneProblem<T, U, Y> const& problem, EntryEpilogue const& epilogue) const {
    if constexpr (Scalar<U>::is_complex && !Scalar<T>::is_complex) {
      run(space, transposed(problem), epilogue);
    } else {
      constexpr std::size_t worth_planes = 8, worth_copies = 60;
      std::size_t const entries = problem.matrices.m * problem.matrices.n, pairs = entries * problem.matrices.k;
      ExactComplexEntries<T, U, Y> const exactly{problem, epilogue};
      // Enclosures do not decide half types.
      if constexpr (is_float_v<typename Scalar<Y>::Real>) {
        if (matrix_kernels().has_enclosures) {
          if (pairs >= worth_planes && try_planes(space, problem, epilogue, options)) return;
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

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
