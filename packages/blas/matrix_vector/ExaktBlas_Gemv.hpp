// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GEMV_HPP
#define EXAKTBLAS_GEMV_HPP

/// \file
/// \brief y := alpha op(A) x + beta y: where each kind of operand is multiplied.
///
///     real, hosts     libExaktBlasKokkos (common types), or MatrixVector: the compiled kernels, row by row
///     complex, hosts  ComplexRows
///     small, hosts    one kernel, and those for the rows that it does not decide
///     devices         teams

#include "../drivers/ExaktBlas_Compiled.hpp"
#include "../vectors/ExaktBlas_ScaleEntries.hpp"
#include "ExaktBlas_ComplexRows.hpp"
#include "ExaktBlas_MatrixVector.hpp"
#include "ExaktBlas_TeamMatrixVector.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// One entry of y per team; complex, on devices.
template <class Member, class Matrix, class X, class Y>
struct TeamGemv {
  Matrix matrix;
  X x;
  EntryEpilogue epilogue;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    add_complex_row(member, matrix, x, epilogue, y, static_cast<std::size_t>(member.league_rank()));
  }
};

/// \brief At most small_gemv rows: one kernel decides most of them, and `others` computes those that it leaves, some at a time.
/// How many it leaves is returned; if these are all, nothing was done.
///
/// \param matrix  Conjugated, if that is said. \param x  Contiguous entries.
template <class T, class X, class R, class Others>
std::size_t multiply_small([[maybe_unused]] Strided<T const> const& matrix, [[maybe_unused]] bool conjugated,
                           [[maybe_unused]] X const* x, [[maybe_unused]] std::size_t columns,
                           [[maybe_unused]] Epilogue const& epilogue, [[maybe_unused]] R* y,
                           [[maybe_unused]] std::ptrdiff_t y_stride, std::size_t rows,
                           [[maybe_unused]] Others const& others) {
  if constexpr (std::is_same_v<RealOf<T>, double> && std::is_same_v<T, X> && std::is_same_v<T, R>) {
    constexpr std::size_t parts = Scalar<T>::parts;
    if (rows == 0 || rows > small_gemv || columns == 0 || columns > small_gemv) return rows;
    if (matrix.row_stride != 1 && matrix.column_stride != 1) return rows;
    auto const& kernels = matrix_kernels();
    if (!kernels.has_enclosures) return rows;
    std::uint32_t undecided[small_gemv];
    std::size_t count = rows;
    if constexpr (parts == 1) {
      count = kernels.multiply_small(matrix, x, rows, columns, epilogue, y, y_stride, undecided);
    } else {
      if (rows > 1 && y_stride != 1) return rows;
      bool const by_columns = matrix.row_stride == 1;
      count = kernels.multiply_small_complex(
          {reinterpret_cast<double const*>(matrix.data), by_columns ? 1 : 2 * matrix.row_stride,
           by_columns ? 2 * matrix.column_stride : 1},
          conjugated, reinterpret_cast<double const*>(x), rows, columns, epilogue, reinterpret_cast<double*>(y),
          undecided);
    }
    if (count == rows) return rows;
    for (std::size_t k = 0; k < count;) {
      Span some{undecided[k], undecided[k]};
      for (; k < count && undecided[k] == some.end; ++k) ++some.end;
      others(some);
    }
    return count;
  } else {
    return rows;
  }
}

/// \brief Rows as short as those of small products: some at a time, until these leave most of them.
///
/// Columns that are contiguous are read from end to end instead where they come from memory and are more than it gives at once.
template <class R>
struct ShortRows : MatrixVector<R, R> {
  using Base = MatrixVector<R, R>;

  void operator()(Span rows) const {
    std::size_t piece = 32;  // of those that tell
    for (std::size_t row = rows.begin; row < rows.end;) {
      std::size_t const count = std::min(piece, rows.end - row);
      auto const others = [&](Span some) { Base::operator()({row + some.begin, row + some.end}); };
      std::size_t const left =
          multiply_small(Strided<R const>{this->A.at(row, 0), this->A.row_stride, this->A.column_stride}, false,
                         this->x, this->columns, this->epilogue, &this->result(row), this->y_stride, count, others);
      if (left < count) row += count;
      if (left > count / 2) return Base::operator()({row, rows.end});
      piece = small_gemv;
    }
  }
};

inline constexpr std::size_t columns_from_memory = 16, numbers_in_cache = 1 << 17;
template <class T>
bool has_short_rows(Strided<T> const& matrix, std::size_t rows, std::size_t columns) {
  return columns <= small_gemv &&
         (matrix.column_stride == 1 || columns <= columns_from_memory || rows * columns <= numbers_in_cache);
}

/// Whether one thread does a product at once.
inline bool is_small_product(std::size_t threads, std::size_t rows, std::size_t products) {
  return rows <= small_gemv && (threads == 1 || products < products_worth_threads);
}

/// Real numbers on hosts.
template <class Space, class T, class X, class R>
void gemv_on_host(Space const& space, Strided<T const> const& matrix, X const& x, Epilogue const& epilogue, R* y,
                  std::ptrdiff_t y_stride, std::size_t rows) {
  std::size_t const columns = x.extent(0);
  bool const is_small = is_small_product(static_cast<std::size_t>(space.concurrency()), rows, rows * columns);
  if (is_small && (columns < 2 || x.stride(0) == 1)) {
    auto const others = [&](Span some) {
      if constexpr (std::is_same_v<EntryOf<X>, double>)
        MatrixVector<T, R>{matrix, x.data(), columns, epilogue, y, y_stride}(some);
    };
    if (multiply_small(matrix, false, x.data(), columns, epilogue, y, y_stride, rows, others) < rows) return;
  }
  VectorOfDoubles<Space, X> const doubles(space, x);
  MatrixVector<T, R> const product{matrix, doubles.data(), columns, epilogue, y, y_stride};
  if constexpr (std::is_same_v<T, double> && std::is_same_v<R, double>) {
    if (!is_small && has_short_rows(matrix, rows, columns))
      return multiply("Exakt::gemv", space, ShortRows<R>{product}, rows);
  }
  multiply("Exakt::gemv", space, product, rows);
}

/// \brief The path of devices; it runs on any space.
/// \tparam Matrix  Operated, or what has its entries. \param neighbours  Whether those in a row are neighbours in memory.
template <class Space, class Matrix, class X, class Y>
void gemv_by_teams(char const* label, Space const& space, Matrix const& matrix, bool neighbours, X const& x,
                   Factor const& alpha, Factor const& beta, Y const& y) {
  if (y.extent(0) == 0) return;
  EntryEpilogue const epilogue(alpha, beta);
  if constexpr (has_complex_entries<Y>) {
    if constexpr (is_float_v<RealEntryOf<Y>> &&
                  (Scalar<typename Matrix::Entry>::is_complex || has_complex_entries<X>)) {
      return multiply_parts_by_teams(label, space, matrix, neighbours, x, epilogue, y);
    }
    using Policy = Kokkos::TeamPolicy<Space>;
    Kokkos::parallel_for(label, Policy(space, league_of(y.extent(0)), Kokkos::AUTO),
                         held(TeamGemv<typename Policy::member_type, Matrix, X, Y>{matrix, x, epilogue, y}));
  } else {
    multiply_by_teams(label, space, matrix, neighbours, x, epilogue, y);
  }
}

/// y := alpha op(A) x + beta y of operands that fit; what other verbs are made of.
template <class Space, class A, class X, class Y>
void multiply_vector(char const* label, Space const& space, Operated<A> const& matrix, X const& x, Factor const& alpha,
                     Factor const& beta, Y const& y) {
  if (alpha.is_zero() || x.extent(0) == 0) return scale_entries(label, space, beta, y);
  if constexpr (!runs_on_host<Space>) {
    gemv_by_teams(label, space, matrix, matrix.rows_are_contiguous(), x, alpha, beta, y);
  } else if constexpr (is_compiled_complex<Space, EntryOf<A>, EntryOf<X>, EntryOf<Y>>) {
    auto const entries = strided(matrix.view, matrix.transposed);
    Compiled::gemv(space,
                   Compiled::ComplexGemvProblem<EntryOf<Y>>{{entries.data, entries.row_stride, entries.column_stride},
                                                            {x.data(), static_cast<std::ptrdiff_t>(x.stride(0)), 0},
                                                            {y.data(), static_cast<std::ptrdiff_t>(y.stride(0)), 0},
                                                            y.extent(0),
                                                            x.extent(0),
                                                            matrix.conjugated,
                                                            {alpha.real, alpha.imaginary, alpha.is_complex},
                                                            {beta.real, beta.imaginary, beta.is_complex}});
  } else if constexpr (has_complex_entries<Y>) {
    using Rows = ComplexRows<A, X, Y>;
    Rows const product{matrix, x, x.extent(0), {alpha, beta}, y};
    auto const threads = static_cast<std::size_t>(space.concurrency());
    auto const entries = strided(matrix.view, matrix.transposed);
    std::size_t const rows = y.extent(0), columns = x.extent(0);
    if (is_small_product(threads, rows, Scalar<EntryOf<A>>::parts * Scalar<EntryOf<X>>::parts * rows * columns) &&
        (columns < 2 || x.stride(0) == 1) && product.epilogue.parts_stay_apart() &&
        multiply_small(Strided<EntryOf<A> const>{entries.data, entries.row_stride, entries.column_stride},
                       matrix.conjugated, x.data(), columns, product.epilogue, y.data(),
                       static_cast<std::ptrdiff_t>(y.stride(0)), rows, product) < rows)
      return;
    std::size_t const share = threads == 1 ? y.extent(0) : y.extent(0) / (4 * threads);
    Pieces const groups{{0, y.extent(0)}, std::clamp(share / 8 * 8, std::size_t{8}, Rows::rows_at_once)};
    for_each_task(label, space, groups.count(), y.extent(0) * x.extent(0) > products_worth_threads / 4,
                  [=](std::size_t i) { product(groups[i]); });
  } else {
    using T = EntryOf<A>;
    using R = EntryOf<Y>;
    auto const entries = strided(matrix.view, matrix.transposed);
    auto const y_stride = static_cast<std::ptrdiff_t>(y.stride(0));
    if constexpr (is_compiled<Space, T, EntryOf<X>, R>) {
      Compiled::gemv(space, Compiled::GemvProblem<T>{{entries.data, entries.row_stride, entries.column_stride},
                                                     {x.data(), static_cast<std::ptrdiff_t>(x.stride(0)), 0},
                                                     {y.data(), y_stride, 0},
                                                     y.extent(0),
                                                     x.extent(0),
                                                     alpha.real,
                                                     beta.real,
                                                     !beta.is_zero()});
    } else {
      gemv_on_host(space, Strided<T const>{entries.data, entries.row_stride, entries.column_stride}, x,
                   EntryEpilogue(alpha, beta), y.data(), y_stride, y.extent(0));
    }
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
