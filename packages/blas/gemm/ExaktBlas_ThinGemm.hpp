// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_THINGEMM_HPP
#define EXAKTBLAS_THINGEMM_HPP

/// \file
/// \brief Products with few columns, on hosts: the kernels of matrix times vector, column by column, while a block of A
/// stays in the cache. Nothing of A is copied.
///
///     block of rows --> pieces of k --> columns: enclosures --> columns: decided? --> C

#include "../matrix_vector/ExaktBlas_MatrixVector.hpp"
#include "../operands/ExaktBlas_GemmProblem.hpp"

#include <algorithm>

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr std::size_t depth_at_once = 1024;  // of k

/// \brief Adds products to the enclosures of entries of A B: of some rows, of all columns.
/// \param column_of  From a piece of k, at most depth_at_once, and the number of a column of B to its entries there, as doubles.
/// \param sums       Of row rows.begin + i and column j at i + rows.size()*j.
template <class T, class ColumnOf>
void enclose_entries(Strided<T const> const& A, Span rows, Span depth, std::size_t columns, ColumnOf const& column_of,
                     EnclosureArrays const& sums) {
  if (rows.size() == 0) return;
  constexpr std::size_t entries_in_cache = 1 << 14;
  std::size_t const piece = std::clamp(entries_in_cache / rows.size(), std::size_t{64}, depth_at_once);
  for (Span const some : Pieces{depth, piece}) {
    Strided<T const> const block{A.at(0, some.begin), A.row_stride, A.column_stride};
    for (std::size_t j = 0; j < columns; ++j) {
      MatrixVector<T, double> const product{block, column_of(some, j), some.size(), {}, nullptr, 0};
      for (Span const r : Pieces{rows, MatrixVector<T, double>::largest_block})
        product.enclose(r, {0, some.size()}, sums.from(j * rows.size() + (r.begin - rows.begin)));
    }
  }
}

/// One product with few columns. \pre matrix_kernels().has_enclosures
template <class T, class U, class R>
class ThinProduct {
 public:
  ThinProduct(GemmProblem<T, U, R> const& problem, Epilogue const& epilogue)
      : m_problem(problem), m_epilogue(epilogue) {}

  template <class Space>
  void run(Space const& space) {
    std::size_t const m = m_problem.m, n = m_problem.n, k = m_problem.k;
    bool const threaded = m * n * k >= products_worth_threads;
    std::size_t const threads = threaded ? static_cast<std::size_t>(space.concurrency()) : 1;
    take_columns(space, threaded);

    std::size_t const most = MatrixVector<T, R>::best_block() / n / 8 * 8;
    Pieces const blocks{{0, m}, std::clamp(m / (4 * threads) / 8 * 8, std::min(most, std::size_t{32}), most)};
    auto const product = *this;
    if (threads > 1 && blocks.count() < threads) {
      for (std::size_t j = 0; j < n; ++j) multiply("Exakt::gemm", space, product.column(j), m);
    } else {
      for_each_task("Exakt::gemm", space, blocks.count(), threaded, [=](std::size_t i) { product(blocks[i]); });
    }
  }

 private:
  /// The columns of B as contiguous doubles: themselves, or copies.
  template <class Space>
  void take_columns(Space const& space, bool threaded) {
    auto const& B = m_problem.B;
    std::size_t const k = m_problem.k;
    if constexpr (std::is_same_v<U, double>) {
      m_columns = {B.data, 1, B.column_stride};
      if (B.row_stride == 1) return;
    }
    m_copy = decltype(m_copy)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::gemm::columns"), m_problem.n * k);
    m_columns = {m_copy.data(), 1, static_cast<std::ptrdiff_t>(k)};
    double* const copy = m_copy.data();
    for_each_task("Exakt::gemm::copy", space, m_problem.n, threaded,
                  [=](std::size_t j) { widen(B.at(0, j), B.row_stride, k, copy + j * k); });
  }

  MatrixVector<T, R> column(std::size_t j) const {
    auto const& C = m_problem.C;
    return {m_problem.A, m_columns.at(0, j), m_problem.k, m_epilogue, C.at(0, j), C.row_stride};
  }

  /// The entries of a block of rows.
  void operator()(Span rows) const {
    std::size_t const n = m_problem.n;
    EncloseBlock<lane_block> block(rows.size() * n);
    enclose_entries(
        m_problem.A, rows, {0, m_problem.k}, n,
        [this](Span some, std::size_t j) { return m_columns.at(some.begin, j); }, block.arrays());
    for (std::size_t j = 0; j < n; ++j) column(j).finish(rows, block.arrays().from(j * rows.size()));
  }

  GemmProblem<T, U, R> m_problem;
  Epilogue m_epilogue;
  Strided<double const> m_columns{};
  Kokkos::View<double*, Kokkos::HostSpace> m_copy;
};

/// The engine for products with few columns.
struct ThinGemm {
  static constexpr std::size_t columns_at_most = 32;

  /// Whether it takes less time than packing both factors: in units of one product in a tile of the direct engine.
  template <class T, class U, class R>
  static bool pays(GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue) {
    constexpr double of_product = 2.5, of_call = 2000, of_packed_entry = 24, of_packing = 2400, tile_columns = 6;
    if (problem.n > columns_at_most || problem.part != GemmPart::all || epilogue.keeps_sums() ||
        !matrix_kernels().has_enclosures)
      return false;
    auto const m = static_cast<double>(problem.m), n = static_cast<double>(problem.n);
    auto const k = static_cast<double>(problem.k);
    double const here = n * (of_call + of_product * m * k);
    return here < of_packing + of_packed_entry * (m + n) * k + m * std::max(n, tile_columns) * k;
  }

  template <class Space, class T, class U, class R>
  static void run(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue) {
    ThinProduct<T, U, R>(problem, epilogue).run(space);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
