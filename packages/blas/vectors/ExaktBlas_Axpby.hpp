// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_AXPBY_HPP
#define EXAKTBLAS_AXPBY_HPP

/// \file
/// \brief y := alpha * x + beta * y: on hosts some entries at a time by the compiled kernels, on devices an entry for
/// each thread. Entries that two doubles and a bound do not decide are done again by a long accumulator.

#include "../kernels/ExaktBlas_VectorKernels.hpp"
#include "../operands/ExaktBlas_Checks.hpp"
#include "../operands/ExaktBlas_Scalars.hpp"
#include "../operands/ExaktBlas_SpecialEntries.hpp"
#include "ExaktBlas_AxpbyPack.hpp"
#include "ExaktBlas_ComplexAxpby.hpp"

#include <Exakt_LongAccumulator.hpp>
#include <Exakt_Reducer.hpp>
#include <parallel/Exakt_HostCopies.hpp>
#include <parallel/Exakt_Loop.hpp>
#include <parallel/Exakt_Region.hpp>

#include <vector>

namespace Exakt::Impl::inline EXAKT_ABI {

/// alpha * x + beta * y, rounded once to R: always, and slowly.
template <class R, class X, class Y>
EXAKT_NOINLINE_FUNCTION R exact_axpby(double alpha, X x, double beta, Y y) {
  LongAccumulator<double, 56, Terms::products> sum;
  sum.add_product(alpha, x);
  sum.add_product(beta, y);
  return sum.template round<R>();
}

/// The entries of two views of one shape, as runs of entries with one stride. Kernels depend on the types of entries
/// only.
template <class X, class Y>
struct Runs {
  X const* x;
  Y* y;
  std::size_t length, count;
  std::ptrdiff_t x_stride, y_stride;  // from entry to entry
  std::ptrdiff_t x_step, y_step;      // from run to run

  template <class XView, class YView>
  Runs(XView const& x_view, YView const& y_view)
      : x(x_view.data()), y(y_view.data()), length(y_view.extent(0)), count(y_view.extent(1)) {
    // Runs go where neighbours in y are neighbours in memory.
    int const along = count > 1 && (length < 2 || stride_along(y_view, 1) < stride_along(y_view, 0)) ? 1 : 0;
    if (along == 1) std::swap(length, count);
    x_stride = stride_along(x_view, along);
    y_stride = stride_along(y_view, along);
    x_step = stride_along(x_view, 1 - along);
    y_step = stride_along(y_view, 1 - along);
    auto const n = static_cast<std::ptrdiff_t>(length);
    if (count > 1 && x_step == n * x_stride && y_step == n * y_stride) {
      length *= count;
      count = 1;
    }
  }
};

/// A block of entries per call, on hosts: part of a run, or some short ones.
template <class X, class Y>
struct AxpbyBlocks {
  static constexpr std::size_t block_size = 512;
  using Value = std::conditional_t<is_float_v<X>, X, float>;  // half types are widened

  double alpha, beta;
  Runs<X, Y> runs;

  std::size_t blocks_per_run() const { return (runs.length + block_size - 1) / block_size; }
  std::size_t runs_per_block() const { return runs.length < block_size ? block_size / runs.length : 1; }
  std::size_t blocks() const {
    if (runs.length == 0) return 0;
    return (runs.count + runs_per_block() - 1) / runs_per_block() * blocks_per_run();
  }

  void operator()(std::size_t block) const {
    std::size_t const first = block / blocks_per_run() * runs_per_block(), rest = runs.count - first;
    std::size_t const end = first + (rest < runs_per_block() ? rest : runs_per_block());
    for (std::size_t run = first; run < end; ++run) update_block(run, block % blocks_per_run() * block_size);
  }

  /// All of them, by one thread.
  void update_all() const {
    for (std::size_t run = 0; run < runs.count; ++run)
      for (std::size_t begin = 0; begin < runs.length; begin += block_size) update_block(run, begin);
  }

 private:
  void update_block(std::size_t run, std::size_t begin) const {
    std::size_t const size = runs.length - begin < block_size ? runs.length - begin : block_size;
    auto const r = static_cast<std::ptrdiff_t>(run), b = static_cast<std::ptrdiff_t>(begin);
    X const* const x = runs.x + (r * runs.x_step + b * runs.x_stride);
    Y* const y = runs.y + (r * runs.y_step + b * runs.y_stride);
    std::size_t const behind = runs.length - (begin + size);
    if constexpr (is_float_v<X>) {
      update(x, runs.x_stride, y, static_cast<int>(size), terms_ahead(PrefetchHint::memory, behind));
    } else {
      Value values[block_size];
      for (std::size_t i = 0; i < size && !is_zero(alpha); ++i)
        values[i] = static_cast<Value>(x[static_cast<std::ptrdiff_t>(i) * runs.x_stride]);
      update(values, 1, y, static_cast<int>(size), 0);
    }
  }

  void update(Value const* x, std::ptrdiff_t x_stride, Y* y, int count, [[maybe_unused]] int ahead) const {
    if constexpr (is_float_v<Y>) {
      VectorKernelsOf<Value, Y> const& kernel = vector_kernels();
      int undecided[block_size];
      int const others = kernel.axpby(alpha, x, x_stride, beta, y, runs.y_stride, count, ahead, undecided);
      for (int k = 0; k < others; ++k) update_exactly(x[undecided[k] * x_stride], y[undecided[k] * runs.y_stride]);
    } else {
      for (int i = 0; i < count; ++i) update_exactly(x[i * x_stride], y[i * runs.y_stride]);
    }
  }

  /// What a factor of zero multiplies is not read, whatever it holds.
  void update_exactly(Value const& x, Y& y) const {
    y = exact_axpby<Y>(alpha, is_zero(alpha) ? Value{0} : x, beta, is_zero(beta) ? Y{0} : y);
  }
};

/// \brief Some entries per call, on devices: neighbouring threads do neighbouring ones, and ask for all that they need first.
template <class X, class Y>
struct AxpbyEntries {
  using R = EntryOf<Y>;
  static constexpr std::size_t at_once = 4;

  double alpha, beta;
  X x;
  Y y;

  std::size_t calls() const { return (y.size() + at_once - 1) / at_once; }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t call) const {
    std::size_t const apart = (y.size() + at_once - 1) / at_once;
    EntryOf<X> of_x[at_once];
    R of_y[at_once];
    EXAKT_UNROLLED_LOOP
    for (std::size_t k = 0; k < at_once; ++k) {
      std::size_t const number = call + k * apart;
      of_x[k] = number < y.size() && !is_zero(alpha) ? entry(x, number) : EntryOf<X>{0};
      of_y[k] = number < y.size() && !is_zero(beta) ? entry(y, number) : R{0};
    }
    EXAKT_UNROLLED_LOOP
    for (std::size_t k = 0; k < at_once; ++k) {
      std::size_t const number = call + k * apart;
      if (number < y.size()) entry(y, number) = result(of_x[k], of_y[k]);
    }
  }

 private:
  /// In the order in which they lie in y.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto& entry(V const& view, std::size_t number) const {
    if constexpr (V::rank == 1) {
      return view(number);
    } else {
      bool const along_rows = y.stride(1) < y.stride(0);
      std::size_t const n = y.extent(along_rows ? 1 : 0), i = number / n, j = number % n;
      return along_rows ? view(i, j) : view(j, i);
    }
  }

  /// By one operation, as the kernels of hosts have it: where a factor is 1 or -1, or zero, a double is rounded once.
  KOKKOS_FORCEINLINE_FUNCTION bool try_at_once(double added, double old, [[maybe_unused]] R& sum) const {
    if constexpr (std::is_same_v<R, double>) {
      bool const old_is_exact = is_unit(beta) || is_zero(beta);
      if (!old_is_exact && !is_unit(alpha) && !is_zero(alpha)) return false;
      sum = old_is_exact ? sum_at_once(alpha, added, beta * old) : sum_at_once(beta, old, alpha * added);
      return true;
    } else {
      return false;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION R result(EntryOf<X> const& added, R const& old) const {
    if constexpr (is_float_v<R>) {
      // Options of device compilers may make zeros of subnormal floats.
      EXAKT_IF_ON_DEVICE((double const u = exact_double(added); double const v = exact_double(old); R sum{};
                          if (try_at_once(u, v, sum)) return sum;
                          auto const entry = axpby_of_packs<R>(alpha, u, beta, v);
                          if (entry.undecided == 0) [[likely]] { return static_cast<R>(entry.rounded); }))
    }
    return exact_axpby<R>(alpha, added, beta, old);
  }
};

/// So many entries take longer than waking the threads.
inline constexpr std::size_t entries_worth_threads = 32'768;

/// \brief y := alpha * x + beta * y.
template <class Space, class X, class Y>
void update_by_axpby(Space const& space, double alpha, X const& x, double beta, Y const& y) {
  constexpr char const* label = "Exakt::axpby";
  if constexpr (runs_on_host<Space>) {
    AxpbyBlocks<EntryOf<X>, EntryOf<Y>> const blocks{alpha, beta, {x, y}};
    if (y.size() < entries_worth_threads || space.concurrency() == 1) {
      blocks.update_all();
    } else {
      loop(label, space, blocks.blocks(), blocks);
    }
  } else {
    // Registers of devices are for many threads, and not for the exact sum, which is rare.
    using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>, Kokkos::LaunchBounds<256, 4>>;
    AxpbyEntries<X, Y> const entries{alpha, beta, x, y};
    Kokkos::parallel_for(label, Policy(space, 0, entries.calls()), held(entries));
  }
}

/// The real and imaginary parts of `count` complex numbers, from the first one on.
template <class V>
auto parts_of_numbers(V const& view, std::size_t first, std::size_t count, std::size_t stride) {
  using Real = std::conditional_t<std::is_const_v<typename V::value_type>, RealEntryOf<V> const, RealEntryOf<V>>;
  using Parts = Kokkos::View<Real**, Kokkos::LayoutStride, typename V::device_type, Kokkos::MemoryUnmanaged>;
  return Parts(reinterpret_cast<Real*>(view.data() + first), Kokkos::LayoutStride(2, 1, count, 2 * stride));
}

/// The same of complex numbers by real factors, which leave parts apart: they are numbers of their own. \return Whether it is
/// done: a factor with an imaginary part of zero multiplies infinities and NaN with that.
template <class Space, class A, class X, class Y>
bool try_axpby_of_parts([[maybe_unused]] char const* label, Space const& space, A const& alpha, X const& x,
                        Factor const& beta, Y const& y) {
  if constexpr (has_complex_entries<X>) {
    Factor const a = factor(alpha);
    if (!is_zero(a.imaginary) || !is_zero(beta.imaginary)) return false;
    if (a.is_complex && !a.is_zero() && has_special_entries(label, space, x)) return false;
    if (beta.is_complex && !beta.is_zero() && has_special_entries(label, space, y)) return false;
    if (a.is_zero() && beta.is_one()) return true;
    auto const update = [&](std::size_t of_x, std::size_t of_y, std::size_t count, std::size_t x_stride,
                            std::size_t y_stride) {
      update_by_axpby(space, a.real, parts_of_numbers(x, of_x, count, x_stride), beta.real,
                      parts_of_numbers(y, of_y, count, y_stride));
    };
    if constexpr (int(Y::rank) == 1) {
      update(0, 0, y.extent(0), x.stride(0), y.stride(0));
    } else {
      std::size_t const rows = y.extent(0), columns = y.extent(1);
      bool const by_columns = x.stride(0) == 1 && y.stride(0) == 1 && x.stride(1) == rows && y.stride(1) == rows,
                 by_rows = x.stride(1) == 1 && y.stride(1) == 1 && x.stride(0) == columns && y.stride(0) == columns;
      if (by_columns || by_rows) {
        update(0, 0, rows * columns, 1, 1);
      } else {
        for (std::size_t j = 0; j < columns; ++j)
          update(j * x.stride(1), j * y.stride(1), rows, x.stride(0), y.stride(0));
      }
    }
    return true;
  } else {
    return false;
  }
}

/// A factor: a number, or a View with one for each column.
template <class F>
struct ColumnFactors {
  using Number = F;
};
template <class F>
requires Kokkos::is_view<F>::value struct ColumnFactors<F> {
  using Number = EntryOf<F>;
  static_assert(F::rank <= 1, "Exakt: a View of factors has rank 1, an entry for each column");
};

/// A copy that the host reads, whatever becomes of y.
template <class F, class Y>
std::vector<typename ColumnFactors<F>::Number> factors_on_host(char const* function, char const* name, F const& factors,
                                                               Y const& y) {
  std::size_t const columns = int(Y::rank) == 1 ? 1 : y.extent(1);
  if constexpr (Kokkos::is_view<F>::value) {
    if (F::rank == 1 && factors.extent(0) != columns)
      refuse_shapes(function, name, factors, "y", y, "a View of factors has one for each column");
    Kokkos::fence();  // any instance may be writing to them
    if constexpr (int(F::rank) == 0) {
      auto const here = Kokkos::create_mirror_view(factors);
      Kokkos::deep_copy(here, factors);
      return std::vector<EntryOf<F>>(columns, here());
    } else {
      auto const here = entries_on_host(typename F::execution_space(), factors);
      std::vector<EntryOf<F>> numbers(columns);
      for (std::size_t j = 0; j < columns; ++j) numbers[j] = here(j);
      return numbers;
    }
  } else {
    return std::vector<F>(columns, factors);
  }
}

template <class Space, class X, class Y, class... Factors>
constexpr bool require_axpby() {
  static_assert(require_operand<Space, X, RealOf>() && require_operand<Space, Y, RealOf>());
  if constexpr (are_views_v<X, Y>) {
    static_assert(int(X::rank) == int(Y::rank), "Exakt: x and y have the same rank");
    static_assert(!std::is_const_v<typename Y::value_type>, "Exakt: y is written");
    static_assert(has_complex_entries<Y> ||
                      !(has_complex_entries<X> || ... || Scalar<typename ColumnFactors<Factors>::Number>::is_complex),
                  "Exakt: where x or a factor is complex, y is");
  }
  return true;
}

/// The same factors for all entries.
template <class Space, class A, class X, class B, class Y>
void update_entries(char const* label, Space const& space, A const& alpha, X const& x, B const& beta, Y const& y) {
  if constexpr (has_complex_entries<Y>) {
    if (!try_axpby_of_parts(label, space, alpha, x, factor(beta), y))
      update_by_complex_axpby(label, space, alpha, x, factor(beta), y);
  } else {
    auto const a = factor_of<double>(alpha);
    auto const b = factor_of<double>(beta);
    if (is_zero(a) && b == 1) return;
    update_by_axpby(space, exact_double(a), x, exact_double(b), y);
  }
}

/// axpby, and axpy, which is the same with a beta of one.
template <class Space, class A, class X, class B, class Y>
void call_axpby(Verb verb, Space const& space, A const& alpha, X const& x, B const& beta, Y const& y) {
  require_same_shape(verb.name(), x, y);
  require_in_place_or_no_overlap(verb.name(), "y", y, "x", x);
  in_region(verb.label, [&] {
    if constexpr (Kokkos::is_view<A>::value || Kokkos::is_view<B>::value) {
      auto const a = factors_on_host(verb.name(), "alpha", alpha, y);
      auto const b = factors_on_host(verb.name(), "beta", beta, y);
      for (std::size_t j = 0; j < a.size(); ++j) {
        if constexpr (int(Y::rank) == 1)
          update_entries(verb.label, space, a[j], x, b[j], y);
        else
          update_entries(verb.label, space, a[j], Kokkos::subview(x, Kokkos::ALL, j), b[j],
                         Kokkos::subview(y, Kokkos::ALL, j));
      }
    } else {
      update_entries(verb.label, space, alpha, x, beta, y);
    }
  });
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
