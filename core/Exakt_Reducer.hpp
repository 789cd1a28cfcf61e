// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_REDUCER_HPP
#define EXAKT_REDUCER_HPP

#include "Exakt_Accumulator.hpp"

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace Exakt {

namespace Impl {

/// Threads of the host, with memory that needs no copies.
template <class Space>
inline constexpr bool runs_on_host =
#ifdef EXAKT_REHEARSE_DEVICE
    false;
#else
    std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;
#endif

}  // namespace Impl

/// \brief A Kokkos reducer for any accumulator of the library, in flat and nested reductions.
///
/// Merging is integer addition, so the result is the same bits for any number of threads, teams and vector lanes,
/// and for any schedule.
///
/// \tparam Accumulator  What is reduced: SumAccumulator, DotAccumulator, LongAccumulator, Expansion, ...
/// \tparam Space        Where the result lives, an execution or a memory space; the host by default.
template <class Accumulator, class Space = Kokkos::HostSpace>
class Reducer {
 public:
  using reducer = Reducer;
  using value_type = Accumulator;
  using result_view_type = Kokkos::View<value_type, Space, Kokkos::MemoryUnmanaged>;

  /// \param result  Receives the merged accumulator; its value before is not used.
  KOKKOS_INLINE_FUNCTION Reducer(Accumulator& result) : m_result(&result), m_in_scalar(true) {}

  /// \param result  A rank-0 View, in memory that the execution space reaches.
  template <class... Properties>
  KOKKOS_INLINE_FUNCTION Reducer(Kokkos::View<Accumulator, Properties...> const& result)
      : m_result(result), m_in_scalar(false) {}

  KOKKOS_INLINE_FUNCTION void join(value_type& into, value_type const& from) const { into += from; }

  // FIXME(kokkos<4): older versions call join on volatile references to values that nobody else touches.
  KOKKOS_INLINE_FUNCTION void join(value_type volatile& into, value_type const volatile& from) const {
    const_cast<value_type&>(into) += const_cast<value_type const&>(from);
  }

  KOKKOS_INLINE_FUNCTION void init(value_type& value) const { value.clear(); }
  KOKKOS_INLINE_FUNCTION value_type& reference() const { return *m_result.data(); }
  KOKKOS_INLINE_FUNCTION result_view_type view() const { return m_result; }
  KOKKOS_INLINE_FUNCTION bool references_scalar() const { return m_in_scalar; }

 private:
  result_view_type m_result;
  bool m_in_scalar;
};

// For a View that is not const, a plain `Accumulator&` would match better than a constant reference.
template <class Accumulator, class... Properties>
Reducer(Kokkos::View<Accumulator, Properties...>&)
    -> Reducer<Accumulator, typename Kokkos::View<Accumulator, Properties...>::memory_space>;
template <class Accumulator, class... Properties>
Reducer(Kokkos::View<Accumulator, Properties...> const&)
    -> Reducer<Accumulator, typename Kokkos::View<Accumulator, Properties...>::memory_space>;

/// \brief Reducer for the exact sum of numbers of type T; in the lambda, `accumulator += term`.
template <class T, class Space = Kokkos::HostSpace>
using ExactSum = Reducer<SumAccumulator<T>, Space>;

/// \brief Reducer for the exact sum of products: in the lambda `accumulator.add_product(x, y)`, not `+= x * y`.
///
///     using Dot = Exakt::ExactDot<double>;
///     KOKKOS_LAMBDA(int i, Dot::value_type& t) { t.add_product(x(i), y(i)); }  // exact
///     KOKKOS_LAMBDA(int i, Dot::value_type& t) { t += x(i) * y(i); }           // each product is rounded
///
/// The second compiles too, for the accumulator takes values as well as products: C++ rounds x(i) * y(i) to a number,
/// which may overflow or underflow, before the accumulator gets it.
template <class T, class Space = Kokkos::HostSpace>
using ExactDot = Reducer<DotAccumulator<T>, Space>;

}  // namespace Exakt

#endif
