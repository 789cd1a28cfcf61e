// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COMPLEXAXPBY_HPP
#define EXAKTBLAS_COMPLEXAXPBY_HPP

/// \file
/// \brief y := alpha * x + beta * y of complex numbers.
///
///     hosts, beta 0 or 1      both parts of some entries by the kernel of outer products, for each is a sum of two multiples
///     hosts                   each part of an entry from the enclosures of its products
///     what these leave, and devices   exactly

#include "../kernels/ExaktBlas_VectorKernels.hpp"
#include "../matrix_vector/ExaktBlas_ComplexProducts.hpp"
#include "../structured/ExaktBlas_Dense.hpp"
#include "ExaktBlas_AxpbyPack.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// An entry per call, of vectors (column 0) or multivectors.
///
/// \tparam A  double or complex<double>: a real factor leaves the parts of an entry apart, an infinity among them too.
template <class A, class X, class Y>
struct ComplexAxpbyEntry {
  A alpha;
  bool reads_x, has_enclosures;
  EntryEpilogue epilogue;
  X x;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, std::size_t j) const {
    update(entry_at(x, i, j), entry_at(y, i, j));
  }

 private:
  KOKKOS_INLINE_FUNCTION void update(EntryOf<X> const& added, EntryOf<Y>& entry) const {
    EXAKT_IF_ON_HOST((if (try_update(added, entry)) return;))
    ExactParts<true> sums;
    if (reads_x) sums.add_product(alpha, added);
    entry = epilogue.entry(sums, entry);
  }
  bool try_update(EntryOf<X> const& added, EntryOf<Y>& entry) const {
    if constexpr (is_float_v<RealEntryOf<Y>>) {
      if (!has_enclosures) return false;
      GatheredSums<2> sums;
      if (reads_x) sums.add(alpha, added);
      return try_round_entry(epilogue, sums, entry);
    } else {
      return false;  // enclosures do not decide half types
    }
  }
};

/// \brief y := alpha * x, or + y: entries of a column per call, on hosts.
///
///     y.real := alpha.real x.real - alpha.imaginary x.imaginary (+ y.real),  and so on
///
/// \tparam X, R  The parts of the entries of x and y, float or double.
template <class X, class R>
struct ComplexMultiples {
  static constexpr std::size_t at_once = 256, worth_threads = 4096;

  double real, imaginary;  // of alpha
  bool adds_to_y;
  X const* x;
  R* y;
  std::size_t rows, tasks_of_column;
  std::ptrdiff_t x_row, x_column, y_row, y_column;  // from number to number

  template <class XView, class YView>
  ComplexMultiples(Factor const& alpha, XView const& x_view, bool adds, YView const& y_view)
      : real(alpha.real),
        imaginary(alpha.imaginary),
        adds_to_y(adds),
        x(reinterpret_cast<X const*>(x_view.data())),
        y(reinterpret_cast<R*>(y_view.data())),
        rows(y_view.extent(0)),
        tasks_of_column((rows + at_once - 1) / at_once),
        x_row(stride_along(x_view, 0)),
        x_column(stride_along(x_view, 1)),
        y_row(stride_along(y_view, 0)),
        y_column(stride_along(y_view, 1)) {}

  /// Whether the kernel takes the factor, which multiplies as two_product() does.
  static bool suits(Factor const& alpha) {
    auto const is_split = [](double part) {
      double const size = magnitude_of(part);
      return size == 0 || (size >= smallest_axpby_product() && size < largest_axpby_product());
    };
    return is_split(alpha.real) && is_split(alpha.imaginary);
  }

  void operator()(std::size_t task) const {
    std::size_t const column = task / tasks_of_column, begin = task % tasks_of_column * at_once;
    std::size_t const count = rows - begin < at_once ? rows - begin : at_once;
    auto const first = static_cast<std::ptrdiff_t>(begin), j = static_cast<std::ptrdiff_t>(column);
    X const* const of_x = x + 2 * (first * x_row + j * x_column);
    R* const of_y = y + 2 * (first * y_row + j * y_column);
    double parts[2][at_once];
    R results[2][at_once];
    CopyKernelOf<X> const& kernel = vector_kernels();
    for (int part = 0; part < 2; ++part)
      kernel.copy(of_x + part, 2 * x_row, static_cast<int>(count), false, parts[part]);
    for (std::size_t i = 0; i < count; ++i)
      for (int part = 0; part < 2; ++part)
        results[part][i] = adds_to_y ? of_y[2 * static_cast<std::ptrdiff_t>(i) * y_row + part] : R{0};
    add({real, 0, parts[0]}, {-imaginary, 0, parts[1]}, count, results[0]);
    add({real, 0, parts[1]}, {imaginary, 0, parts[0]}, count, results[1]);
    for (std::size_t i = 0; i < count; ++i)
      for (int part = 0; part < 2; ++part) of_y[2 * static_cast<std::ptrdiff_t>(i) * y_row + part] = results[part][i];
  }

 private:
  static void add(MultipleOf const& one, MultipleOf const& other, std::size_t count, R* results) {
    MultipleOf const multiples[] = {one, other};
    OuterKernelOf<R> const& kernel = vector_kernels();
    int undecided[at_once];
    int const others = kernel.add_multiples(multiples, 2, results, 1, static_cast<int>(count), 0, undecided);
    for (int k = 0; k < others; ++k) add_exactly(multiples, undecided[k], results[undecided[k]]);
  }
  EXAKT_NOINLINE_FUNCTION static void add_exactly(MultipleOf const* multiples, int i, R& result) {
    LongAccumulator<double, 56, Terms::products> sum;
    for (int t = 0; t < 2; ++t) sum.add_product(multiples[t].high, multiples[t].x[i]);
    sum += exact_double(result);
    result = sum.template round<R>();
  }
};

/// \brief y := alpha * x + beta * y, y complex.
template <class Space, class F, class X, class Y>
void update_by_complex_axpby(char const* label, Space const& space, F const& alpha, X const& x, Factor const& beta,
                             Y const& y) {
  using A = std::conditional_t<Scalar<F>::is_complex, Kokkos::complex<double>, double>;
  Factor const a = factor(alpha);
  if (a.is_zero() && beta.is_one()) return;
  if constexpr (runs_on_host<Space> && has_complex_entries<X> && is_float_v<RealEntryOf<X>> &&
                is_float_v<RealEntryOf<Y>>) {
    using Multiples = ComplexMultiples<RealEntryOf<X>, RealEntryOf<Y>>;
    bool const adds = !beta.is_complex && beta.real == 1;
    if (!a.is_zero() && (adds || beta.is_zero()) && Multiples::suits(a)) {
      Multiples const multiples(a, x, adds, y);
      std::size_t const columns = int(Y::rank) == 1 ? 1 : y.extent(1);
      return for_each_task(label, space, columns * multiples.tasks_of_column, y.size() >= Multiples::worth_threads,
                           multiples);
    }
  }
  A exact_alpha{a.real};
  if constexpr (Scalar<F>::is_complex) exact_alpha = A(a.real, a.imaginary);
  bool has_enclosures = false;
  if constexpr (runs_on_host<Space>) has_enclosures = matrix_kernels().has_enclosures;
  Factor const once{1, 0, false};
  for_each_entry(
      label, space, y.extent(0), int(Y::rank) == 1 ? 1 : y.extent(1),
      ComplexAxpbyEntry<A, X, Y>{exact_alpha, !a.is_zero(), has_enclosures, EntryEpilogue(once, beta), x, y});
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
