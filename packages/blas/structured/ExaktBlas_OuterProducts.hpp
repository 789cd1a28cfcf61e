// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_OUTERPRODUCTS_HPP
#define EXAKTBLAS_OUTERPRODUCTS_HPP

/// \file
/// \brief A := alpha x y^T + A of real numbers on hosts, or a triangle of it: lines of A that are contiguous, each plus
/// a multiple of a vector by a factor that is known exactly, as two doubles.

#include "../vectors/ExaktBlas_Axpby.hpp"
#include "ExaktBlas_Dense.hpp"

#include <cstdlib>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Which entries of A are updated.
enum class OuterPart { all, lower, upper };

/// \brief Some lines of A per call, lines being columns, or rows if these are contiguous.
template <class R>
struct OuterProduct {
  static constexpr std::size_t entries_at_once = 512;

  double alpha;
  double const *across, *along;  // a factor for each line; for each entry of a line
  Strided<R> A;                  // a line is a column
  std::size_t entries, lines, lines_at_once;
  OuterPart part;

  std::size_t tasks() const { return (lines + lines_at_once - 1) / lines_at_once; }

  void operator()(std::size_t task) const {
    std::size_t const first = task * lines_at_once;
    for (std::size_t line = first; line < lines && line < first + lines_at_once; ++line) {
      Span const all{part == OuterPart::lower ? line : 0, part == OuterPart::upper ? line + 1 : entries};
      for (std::size_t begin = all.begin; begin < all.end; begin += entries_at_once)
        update(line, {begin, all.end - begin < entries_at_once ? all.end : begin + entries_at_once});
    }
  }

 private:
  void update(std::size_t line, Span some) const {
    auto const factor = two_product(alpha, across[line]);
    double const size = magnitude_of(factor.value);
    // What is infinite or NaN the kernel leaves alone.
    bool const is_split = (size >= smallest_axpby_product() && size < largest_axpby_product()) || is_zero(across[line]);
    OuterKernelOf<R> const& kernel = vector_kernels();
    int undecided[entries_at_once];
    int const count = static_cast<int>(some.size());
    // Lines follow each other, of contiguous entries.
    std::size_t const behind =
        (lines - 1 - line) * static_cast<std::size_t>(std::abs(A.column_stride)) + entries - some.end;
    int const ahead = terms_ahead(PrefetchHint::memory, behind);
    int const others = is_split ? kernel.add_multiple(factor.value, factor.error, along + some.begin,
                                                      A.at(some.begin, line), A.row_stride, count, ahead, undecided)
                                : count;
    for (int k = 0; k < others; ++k)
      update_exactly(some.begin + static_cast<std::size_t>(is_split ? undecided[k] : k), line);
  }

  EXAKT_NOINLINE_FUNCTION void update_exactly(std::size_t entry, std::size_t line) const {
    ExactProducts product;
    product.add_product(along[entry], across[line]);
    R& result = *A.at(entry, line);
    result = Epilogue{alpha, 1, true, false}.template exactly<R>(product, exact_double(result), 1);
  }
};

/// Whether outer products are added to A by add_outer_product().
template <class Space, class A>
inline constexpr bool are_added_by_lines = runs_on_host<Space>&& is_float_v<EntryOf<A>>;

/// x, y and A are made by read_only() and written().
template <class Space, class X, class Y, class A>
void add_outer_product(char const* label, Space const& space, double alpha, X const& x, Y const& y, A const& a,
                       OuterPart part) {
  if (is_zero(alpha) || a.size() == 0) return;
  auto const x_column = first_column(x);
  auto const y_column = first_column(y);
  VectorOfDoubles<Space, std::decay_t<decltype(x_column)>> const x_doubles(space, x_column);
  VectorOfDoubles<Space, std::decay_t<decltype(y_column)>> const y_doubles(space, y_column);
  bool const by_rows = a.stride(1) < a.stride(0);
  if (by_rows && part != OuterPart::all) part = part == OuterPart::lower ? OuterPart::upper : OuterPart::lower;
  constexpr std::size_t entries_of_task = 1 << 14;
  std::size_t const entries = a.extent(by_rows ? 1 : 0), lines = a.extent(by_rows ? 0 : 1);
  OuterProduct<EntryOf<A>> const product{alpha,
                                         by_rows ? x_doubles.data() : y_doubles.data(),
                                         by_rows ? y_doubles.data() : x_doubles.data(),
                                         strided(a, by_rows),
                                         entries,
                                         lines,
                                         entries < entries_of_task ? entries_of_task / entries : 1,
                                         part};
  for_each_task(label, space, product.tasks(), a.size() >= products_worth_threads, product);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
