// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_REDUCER_HPP
#define EXAKT_REDUCER_HPP

#include "Exakt_Accumulator.hpp"
#include "parallel/Exakt_Operand.hpp"

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace Exakt {

namespace Impl::inline EXAKT_ABI {

/// What the type that a Reducer reduces must have.
template <class A>
concept Reducible = std::is_class_v<A> && requires(A& a, A const& b) {
  a += b;
  a.clear();
};

template <class V, class A>
inline constexpr bool is_view_of_v = false;
template <class A, class... Properties>
inline constexpr bool is_view_of_v<Kokkos::View<A, Properties...>, A> = true;

/// The address of a result, as Kokkos takes it from a reducer for a functor that reduces values of type Value.
/// FIXME(kokkos<4): later versions ask the reducer, not the functor, for the type, and then call the functor.
template <class A>
class ResultPointer {
 public:
  KOKKOS_FUNCTION ResultPointer(A* pointer) : m_pointer(pointer) {}
  KOKKOS_FUNCTION operator A*() const { return m_pointer; }
  KOKKOS_FUNCTION A& operator*() const { return *m_pointer; }
  KOKKOS_FUNCTION A* operator->() const { return m_pointer; }

  template <class Value>
  requires(!std::is_void_v<Value> && !std::is_same_v<std::remove_cv_t<Value>, A>) KOKKOS_FUNCTION operator Value*()
      const {
    static_assert(!std::is_same_v<Value, Value>,
                  "Exakt: an exact reduction needs a lambda or functor on its accumulator, not on a number: write "
                  "[=](int i, Exakt::ExactSum<double>::value_type& sum) { sum += x(i); }, and in a functor "
                  "`using value_type = Exakt::ExactSum<double>::value_type;`");
    return nullptr;
  }

 private:
  A* m_pointer;
};

/// A View whose data() is one.
template <class V>
struct ResultView : V {
  KOKKOS_FUNCTION ResultView(V const& view) : V(view) {}
  KOKKOS_FUNCTION ResultPointer<typename V::value_type> data() const { return V::data(); }
};

}  // namespace Impl::inline EXAKT_ABI

/// \brief A Kokkos reducer for any accumulator of the library, in flat and nested reductions.
///
/// Merging is integer addition, so the result is the same bits for any number of threads, teams and vector lanes,
/// and for any schedule. The lambda or functor takes the accumulator, `[=](int i, value_type& sum) { sum += x(i); }`;
/// one on `double&` is refused. An accumulator of the library may also be given to parallel_reduce as it is, or to
/// Kokkos::Sum: the result is the same.
///
/// In nested reductions by a team of a host's threads, Kokkos has 512 bytes for each thread of the team, and does not look whether
/// a value fits: one of more than 1024 bytes (a struct of two accumulators; LongAccumulator of products with RadixBits below 34, of
/// values below 18) needs larger teams, or one thread.
///
/// \tparam Accumulator  What is reduced: SumAccumulator, DotAccumulator, LongAccumulator, Expansion, ...
/// \tparam Space        Where the result lives, an execution or a memory space; the host by default.
template <class Accumulator, class Space = Kokkos::HostSpace>
class Reducer {
  static_assert(Impl::Reducible<Accumulator>,
                "Exakt: Reducer reduces accumulators, as in Exakt::Reducer<Exakt::SumAccumulator<double>>, or "
                "Exakt::ExactSum<double> for short; the template argument is the type of the result");

 public:
  using reducer = Reducer;
  using value_type = Accumulator;
  using result_view_type = Kokkos::View<value_type, Space, Kokkos::MemoryUnmanaged>;

  /// \param result  Receives the merged accumulator; its value before is not used.
  EXAKT_INLINE_FUNCTION Reducer(Accumulator& result) : m_result(&result), m_in_scalar(true) {}

  /// \param result  A rank-0 View, in memory that the execution space reaches.
  template <class... Properties>
  EXAKT_INLINE_FUNCTION Reducer(Kokkos::View<Accumulator, Properties...> const& result)
      : m_result(result), m_in_scalar(false) {}

  /// Of any other result, a double above all, it is said what to give instead.
  // Copies are excluded. NOLINTBEGIN(bugprone-forwarding-reference-overload)
  template <class Result>
  requires(!std::is_same_v<std::remove_cvref_t<Result>, Reducer> &&
           !Impl::is_view_of_v<std::remove_cvref_t<Result>, Accumulator>) EXAKT_FUNCTION explicit Reducer(Result&&) {
    using Given = std::remove_cvref_t<Result>;
    constexpr bool is_other_accumulator = Impl::IsExactValue<Given> && !std::is_same_v<Given, Accumulator>;
    static_assert(!is_other_accumulator,
                  "Exakt: the accumulator is of another type than the reducer's: SumAccumulator<T> for ExactSum<T>, "
                  "DotAccumulator<T> for ExactDot<T>");
    static_assert(is_other_accumulator,
                  "Exakt: the result of an exact reduction is an accumulator, not a number: declare "
                  "`Exakt::ExactSum<double>::value_type total;` (or a rank-0 View of that type), reduce into "
                  "Exakt::ExactSum<double>(total), and read total.round()");
  }
  // NOLINTEND(bugprone-forwarding-reference-overload)

  EXAKT_TAGGED_COPIES(Reducer);

  EXAKT_INLINE_FUNCTION void join(value_type& into, value_type const& from) const { into += from; }

  // FIXME(kokkos<4): older versions call join on volatile references to values of one thread.
  EXAKT_INLINE_FUNCTION void join(value_type volatile& into, value_type const volatile& from) const {
    const_cast<value_type&>(into) += const_cast<value_type const&>(from);
  }

  EXAKT_INLINE_FUNCTION void init(value_type& value) const { value.clear(); }
  EXAKT_INLINE_FUNCTION value_type& reference() const { return *m_result.data(); }
  EXAKT_INLINE_FUNCTION Impl::ResultView<result_view_type> view() const { return m_result; }
  EXAKT_INLINE_FUNCTION bool references_scalar() const { return m_in_scalar; }

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

/// For Kokkos::Sum, which older versions take for an accumulator without a reducer in nested reductions.
template <Exakt::Impl::IsExactValue A>
struct Kokkos::reduction_identity<A> {
  KOKKOS_FORCEINLINE_FUNCTION static A sum() { return A(); }
};

#endif
