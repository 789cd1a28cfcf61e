// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COMPLEXGEMM_HPP
#define EXAKTBLAS_COMPLEXGEMM_HPP

/// \file
/// \brief gemm of complex numbers on hosts: through the kernel of real ones, or an exact sum for each entry.
///
///     | Re A  -Im A |   | Re B |   | Re AB |
///     | Im A   Re A | * | Im B | = | Im AB |     each entry a sum of real products

#include "../matrix_vector/ExaktBlas_ComplexProducts.hpp"
#include "ExaktBlas_GemmEngines.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// One entry of C per call, exactly.
template <class A, class B, class C>
struct ComplexGemm {
  Operated<A> a;
  Operated<B> b;
  Factor alpha, beta;
  C c;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t entry) const {
    std::size_t const i = entry % c.extent(0), j = entry / c.extent(0);
    auto const sum = sum_of_complex_products([&](std::size_t l) { return a.entry(i, l); },
                                             [&](std::size_t l) { return b.entry(l, j); }, a.columns());
    c(i, j) = combined_entry(sum, alpha, beta, c(i, j));
  }
};

/// Real and imaginary parts of the entries of a column of C from what is known about their sums.
template <class A, class B, class C>
struct ComplexDecision {
  ComplexGemm<A, B, C> exactly;
  EnclosureArrays sums;  // of a column: real parts of all rows, then imaginary ones

  void operator()(std::size_t j) const {
    std::size_t const m = exactly.c.extent(0);
    for (Span const rows : Pieces{{0, m}, lane_block}) {
      auto const real = sums.from(rows.begin + j * 2 * m);
      auto const row = [&](int i) { return rows.begin + static_cast<std::size_t>(i); };
      round_complex_entries<lane_block>(
          exactly.alpha, exactly.beta, real, real.from(m),
          static_cast<int>(rows.size()), [&](int i) -> auto& { return exactly.c(row(i), j); },
          [&](int i) { exactly(row(i) + j * m); });
    }
  }
};

template <class Space, class A, class B, class C>
void complex_gemm_on_host(Space const& space, ComplexGemm<A, B, C> const& exactly, GemmOptions const& options = {}) {
  auto const& c = exactly.c;
  auto const& a = exactly.a;
  auto const& b = exactly.b;
  std::size_t const m = c.extent(0), n = c.extent(1), k = a.columns();
  // What is infinite or NaN is never decided by enclosures.
  bool const is_simple = parts_stay_apart(exactly.alpha, exactly.beta);
  constexpr std::size_t worth_copies = 1000;
  if constexpr (is_float_v<RealEntryOf<C>>) {
    if (is_simple && matrix_kernels().has_enclosures && m * n * k >= worth_copies) {
      using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
      bool const threaded = (m + n) * k >= products_worth_threads;
      Matrix const left(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::gemm::parts of A"), 2 * m, 2 * k);
      Matrix const right(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::gemm::parts of B"), 2 * k, n);
      Matrix const sums(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::gemm::sums"), 2 * m, 3 * n);
      for_each_task("Exakt::gemm::split", space, k, threaded, [=](std::size_t l) {
        for (std::size_t i = 0; i < m; ++i) {
          auto const entry = a.entry(i, l);
          left(i, l) = left(m + i, k + l) = part_of(entry, false);
          left(m + i, l) = part_of(entry, true);
          left(i, k + l) = negated(left(m + i, l));
        }
        for (std::size_t j = 0; j < n; ++j) {
          auto const entry = b.entry(l, j);
          right(l, j) = part_of(entry, false);
          right(k + l, j) = part_of(entry, true);
        }
      });
      EnclosureArrays const known{sums.data(), sums.data() + 2 * m * n, sums.data() + 4 * m * n};
      auto const rows = static_cast<std::ptrdiff_t>(2 * m), depth = static_cast<std::ptrdiff_t>(2 * k);
      GemmProblem<double, double, double> const problem{
          {left.data(), 1, rows}, {right.data(), 1, depth}, {nullptr, 0, 0}, 2 * m, n, 2 * k};
      gemm_on_host(space, problem, GemmEpilogue{{}, known, 1, 2 * m}, options);
      for_each_task("Exakt::gemm", space, n, threaded, ComplexDecision<A, B, C>{exactly, known});
      return;
    }
  }
  for_each_task("Exakt::gemm", space, c.size(), c.size() * k > worth_copies, exactly);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
