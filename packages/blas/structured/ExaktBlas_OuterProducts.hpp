// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_OUTERPRODUCTS_HPP
#define EXAKTBLAS_OUTERPRODUCTS_HPP

/// \file
/// \brief A := alpha x y^T + A, or + alpha y x^T, too, or a triangle of it.
///
///     real, hosts    lines of A that are contiguous, each plus multiples of vectors by factors that are known exactly, as two
///                    doubles
///     devices        some entries for each thread

#include "../vectors/ExaktBlas_Axpby.hpp"
#include "ExaktBlas_Structured.hpp"

#include <cstdlib>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Which entries of A are updated.
enum class OuterPart { all, lower, upper };

/// \brief Some lines of A per call, lines being columns, or rows if these are contiguous.
/// \tparam terms  Outer products that are added, one or two.
template <class R, int terms>
struct OuterProducts {
  static constexpr std::size_t entries_at_once = 512;

  double alpha;
  double const *across[terms], *along[terms];  // a factor for each line; for each entry of a line
  Strided<R> A;                                // a line is a column
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
    MultipleOf multiples[terms];
    bool is_split = true;
    for (int t = 0; t < terms; ++t) {
      // Dekker's product of a very large factor has an error of NaN, which entries of zero would not show.
      auto const factor = two_product_fma(alpha, across[t][line]);
      bool const is_nothing = is_zero(across[t][line]) && is_finite(alpha);
      double const size = magnitude_of(factor.value);
      multiples[t] = {factor.value, factor.error, along[t] + some.begin};
      // What is infinite or NaN the kernel leaves alone.
      is_split = is_split && (is_nothing || (size >= smallest_axpby_product() && size < largest_axpby_product()));
    }
    OuterKernelOf<R> const& kernel = vector_kernels();
    int undecided[entries_at_once];
    int const count = static_cast<int>(some.size());
    // Lines follow each other, of contiguous entries.
    std::size_t const behind =
        (lines - 1 - line) * static_cast<std::size_t>(std::abs(A.column_stride)) + entries - some.end;
    int const ahead = terms_ahead(PrefetchHint::memory, behind);
    int const others =
        is_split ? kernel.add_multiples(multiples, terms, A.at(some.begin, line), A.row_stride, count, ahead, undecided)
                 : count;
    for (int k = 0; k < others; ++k)
      update_exactly(some.begin + static_cast<std::size_t>(is_split ? undecided[k] : k), line);
  }

  EXAKT_NOINLINE_FUNCTION void update_exactly(std::size_t entry, std::size_t line) const {
    ExactProducts products;
    for (int t = 0; t < terms; ++t) products.add_product(along[t][entry], across[t][line]);
    R& result = *A.at(entry, line);
    result = Epilogue{alpha, 1, true, false}.template exactly<R>(products, exact_double(result), 1);
  }
};

/// Whether outer products are added to A by lines.
template <class Space, class A>
inline constexpr bool are_added_by_lines = runs_on_host<Space>&& is_float_v<EntryOf<A>>;

/// \brief A := alpha x y^T + A, of two terms + alpha y x^T.
///
/// x, y and A are made by read_only() and written(). Of two terms A is square.
template <int terms = 1, class Space, class X, class Y, class A>
void add_outer_products(char const* label, Space const& space, double alpha, X const& x, Y const& y, A const& a,
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
  OuterProducts<EntryOf<A>, terms> products{alpha,
                                            {by_rows ? x_doubles.data() : y_doubles.data()},
                                            {by_rows ? y_doubles.data() : x_doubles.data()},
                                            strided(a, by_rows),
                                            entries,
                                            lines,
                                            entries < entries_of_task ? entries_of_task / entries : 1,
                                            part};
  if constexpr (terms == 2) {
    products.across[1] = products.along[0];
    products.along[1] = products.across[0];
  }
  for_each_task(label, space, products.tasks(), a.size() >= products_worth_threads, products);
}

/// \brief A(i, j) += alpha x(i) y(j), of two terms + alpha y(i) x(j), some entries of a line per call. It runs on any space.
template <int terms, class X, class Y, class A>
struct OuterProductEntries {
  static constexpr bool complex = has_complex_entries<A>;
  static constexpr std::size_t at_once = 4;  // all of which are asked for before the first one is used
  using Entry = EntryOf<A>;

  X x;
  Y y;
  A a;
  EntryEpilogue epilogue;
  OuterPart part;
  bool is_conjugated;  // y(j), and x(j) of the second term
  bool is_hermitian;
  bool by_rows;  // lines are rows

  std::size_t lines() const { return a.extent(by_rows ? 0 : 1); }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t calls_of_line() const {
    return (a.extent(by_rows ? 1 : 0) + at_once - 1) / at_once;
  }

  /// Neighbouring calls update neighbouring entries.
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t call, std::size_t line) const {
    Entry old[at_once];
    EXAKT_UNROLLED_LOOP
    for (std::size_t k = 0; k < at_once; ++k) {
      std::size_t const entry = call + k * calls_of_line(), i = by_rows ? line : entry, j = by_rows ? entry : line;
      if (exists(i, j)) old[k] = is_real(i, j) ? real_entry(a(i, j)) : a(i, j);
    }
    EXAKT_UNROLLED_LOOP
    for (std::size_t k = 0; k < at_once; ++k) {
      std::size_t const entry = call + k * calls_of_line(), i = by_rows ? line : entry, j = by_rows ? entry : line;
      if (!exists(i, j)) continue;
      Entry result;
      if (!try_entry(i, j, old[k], result)) result = exact_entry(i, j, old[k]);
      a(i, j) = is_real(i, j) ? real_entry(result) : result;
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool exists(std::size_t i, std::size_t j) const {
    return i < a.extent(0) && j < a.extent(1) && !(part == OuterPart::lower && j > i) &&
           !(part == OuterPart::upper && j < i);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_real(std::size_t i, std::size_t j) const { return is_hermitian && i == j; }

  /// Of two terms a real vector beside a complex one has imaginary parts of zero, as in SideBySide: infinities and NaN
  /// meet them.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto factor(V const& v, std::size_t k) const {
    if constexpr (terms == 2 && has_complex_entries<X> != has_complex_entries<Y>) {
      return converted_entry<Kokkos::complex<double>>(v(k));
    } else {
      return v(k);
    }
  }
  template <class Sum>
  KOKKOS_FORCEINLINE_FUNCTION Sum sum(std::size_t i, std::size_t j) const {
    Sum products;
    products.add_product(factor(x, i), is_conjugated ? conjugate_entry(factor(y, j)) : factor(y, j));
    if constexpr (terms == 2)
      products.add_product(factor(y, i), is_conjugated ? conjugate_entry(factor(x, j)) : factor(x, j));
    return products;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool try_entry(std::size_t i, std::size_t j, Entry const& old, Entry& result) const {
    if constexpr (is_float_v<RealEntryOf<A>>) {
      return try_parts(epilogue, sum<SumParts<CascadedSum, complex>>(i, j).parts, old, result);
    } else {
      return false;
    }
  }
  EXAKT_NOINLINE_FUNCTION Entry exact_entry(std::size_t i, std::size_t j, Entry const& old) const {
    return epilogue.entry(sum<ExactParts<complex>>(i, j), old);
  }
};

/// The same on devices, of any numbers; its operands likewise.
template <int terms = 1, class Space, class X, class Y, class A>
void add_outer_products_by_entries(char const* label, Space const& space, Factor const& alpha, X const& x, Y const& y,
                                   A const& a, OuterPart part, bool is_conjugated, bool is_hermitian) {
  if (alpha.is_zero() || a.size() == 0) return;
  auto const x_column = first_column(x);
  auto const y_column = first_column(y);
  OuterProductEntries<terms, std::decay_t<decltype(x_column)>, std::decay_t<decltype(y_column)>, A> const products{
      x_column, y_column, a, {alpha, {1, 0, false}}, part, is_conjugated, is_hermitian, a.stride(1) < a.stride(0)};
  // As for axpby: registers are for many threads.
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>, Kokkos::LaunchBounds<256, 4>>;
  EntriesOfBlock<std::decay_t<decltype(products)>> const calls{products.calls_of_line(), products.lines(), 1, products};
  Kokkos::parallel_for(label, Policy(space, 0, calls.blocks()), held(calls));
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
