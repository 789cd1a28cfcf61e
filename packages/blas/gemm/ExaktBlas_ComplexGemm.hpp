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

/// Both parts of an entry, the imaginary one of a real number being zero.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<double> complex_double(T const& entry) {
  if constexpr (Scalar<T>::is_complex) {
    return {exact_double(Scalar<T>::real(entry)), exact_double(Scalar<T>::imaginary(entry))};
  } else {
    return {exact_double(entry), 0.0};
  }
}

/// Real and imaginary parts of the entries of a column of C from what is known about their sums.
template <class A, class B, class C>
struct ComplexDecision {
  using R = RealEntryOf<C>;

  ComplexGemm<A, B, C> exactly;
  EnclosureArrays sums;  // of a column: real parts of all rows, then imaginary ones

  void operator()(std::size_t j) const {
    std::size_t const m = exactly.c.extent(0);
    for (std::size_t begin = 0; begin < m; begin += lane_block)
      try_round_rows({begin, m - begin < lane_block ? m : begin + lane_block}, j);
  }

 private:
  void try_round_rows(Span rows, std::size_t j) const {
    auto const& c = exactly.c;
    std::size_t const m = c.extent(0);
    int const count = static_cast<int>(rows.size());
    Factors const factors{exactly.alpha.real, exactly.beta.real, !exactly.beta.is_zero(), false};
    // C is written after both parts of an entry are decided.
    R parts[2][lane_block];
    bool is_undecided[lane_block] = {};
    for (int part = 0; part < 2; ++part) {
      for (int l = 0; l < count && factors.reads_y; ++l) {
        auto const& entry = c(rows.begin + static_cast<std::size_t>(l), j);
        parts[part][l] = part == 0 ? Scalar<EntryOf<C>>::real(entry) : Scalar<EntryOf<C>>::imaginary(entry);
      }
      MatrixKernelsOf<R> const& kernels = matrix_kernels();
      int undecided[lane_block];
      int const others =
          kernels.try_round(factors, sums.from(rows.begin + static_cast<std::size_t>(part) * m + j * 2 * m), count,
                            parts[part], 1, undecided);
      for (int k = 0; k < others; ++k) is_undecided[undecided[k]] = true;
    }
    for (int l = 0; l < count; ++l) {
      std::size_t const row = rows.begin + static_cast<std::size_t>(l);
      if (is_undecided[l]) {
        exactly(row + j * m);
      } else {
        c(row, j) = EntryOf<C>(parts[0][l], parts[1][l]);
      }
    }
  }
};

template <class Space, class A, class B, class C>
void complex_gemm_on_host(Space const& space, ComplexGemm<A, B, C> const& exactly, GemmOptions const& options = {}) {
  auto const& c = exactly.c;
  auto const& a = exactly.a;
  auto const& b = exactly.b;
  std::size_t const m = c.extent(0), n = c.extent(1), k = a.columns();
  // Factors with an imaginary part mix the sums of both parts; what is infinite or NaN is never decided by enclosures.
  bool const is_simple = is_zero(exactly.alpha.imaginary) && is_zero(exactly.beta.imaginary);
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
          auto const entry = complex_double(a.entry(i, l));
          left(i, l) = left(m + i, k + l) = entry.real();
          left(m + i, l) = entry.imag();
          left(i, k + l) = negated(entry.imag());
        }
        for (std::size_t j = 0; j < n; ++j) {
          auto const entry = complex_double(b.entry(l, j));
          right(l, j) = entry.real();
          right(k + l, j) = entry.imag();
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
