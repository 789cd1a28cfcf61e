// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_SUMS_HPP
#define EXAKTMPI_SUMS_HPP

/// \file
/// \brief Accumulators where the user keeps them: one, or a View of many, in host memory while they travel.

#include "../ExaktMpi_Method.hpp"

#include <Exakt_LongAccumulator.hpp>
#include <parallel/Exakt_HostCopies.hpp>
#include <parallel/Exakt_Loop.hpp>
#include <parallel/Exakt_OperandChecks.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// What can be multiplied, as complex numbers and half_t can: its += rounds.
template <class A>
concept Number = std::is_arithmetic_v<A> || requires(A const& a) {
  a* a;
};

/// Anything that merges with its like, begins empty and is its bytes; a View is none, and a number is none.
template <class A>
concept Mergeable = std::is_class_v<A> && !Kokkos::is_view<A>::value && !Number<A> && std::is_trivially_copyable_v<A> &&
                    std::default_initializable<A> && requires(A & a, A const& b) {
  a += b;
};

template <class V>
concept ViewOfSums = Kokkos::is_view<V>::value && Mergeable<typename V::non_const_value_type>;

/// What the verbs take as their argument of type `S&&`; they refuse everything else by refuse_numbers.
template <class S>
concept Reducible = ViewOfSums<std::remove_cvref_t<S>> ||
    (std::is_lvalue_reference_v<S>&& Mergeable<std::remove_reference_t<S>>);

template <class S>
void refuse_numbers() {
  static_assert(Reducible<S>,
                "Exakt: reduce an accumulator of the numbers (Exakt::SumAccumulator), or a Kokkos::View of "
                "accumulators, not the numbers; for a distributed vector call Exakt::Mpi::sum. A type of your own is "
                "trivially copyable, has a default constructor, and merges with +=");
}

template <class>
inline constexpr bool is_long_v = false;
template <class T, int RadixBits, Terms terms>
inline constexpr bool is_long_v<LongAccumulator<T, RadixBits, terms>> = true;

/// \brief What of an accumulator travels: if it is nothing more than a sum in front of a LongAccumulator, that one, in
/// which everything is gathered; else all its bytes.
///
/// `digits` takes those outside of which all are zero, as far as that is known without reading them.
template <class A>
struct Travelling {
  using type = A;
  static KOKKOS_FUNCTION type& of(A& accumulator) { return accumulator; }
  static KOKKOS_FUNCTION type& of(A& accumulator, Exakt::Impl::DigitRange& digits) {
    digits = accumulator.digits_in_use();
    return accumulator;
  }
};
template <class A>
requires requires(A& accumulator) { accumulator.to_long_accumulator(); }
struct Travelling<A> {
  using type = std::remove_reference_t<decltype(std::declval<A&>().to_long_accumulator())>;
  static KOKKOS_FUNCTION type& of(A& accumulator) { return accumulator.to_long_accumulator(); }
  static KOKKOS_FUNCTION type& of(A& accumulator, Exakt::Impl::DigitRange& digits) {
    if constexpr (requires { accumulator.to_long_accumulator(digits); }) {
      return accumulator.to_long_accumulator(digits);
    } else {
      type& sum = accumulator.to_long_accumulator();
      digits = sum.digits_in_use();
      return sum;
    }
  }
};
template <class A>
using TravellingOf = typename Travelling<A>::type;

template <class A>
inline constexpr Method default_method = is_long_v<TravellingOf<A>> ? Method::words : Method::accumulators;

/// The same for an accumulator or a View of some.
template <class Sums>
constexpr Method default_method_for() {
  if constexpr (Kokkos::is_view<Sums>::value) {
    return default_method<typename Sums::non_const_value_type>;
  } else {
    return default_method<Sums>;
  }
}

/// \brief One accumulator.
template <class A>
struct SingleSum {
  using type = A;
  static constexpr bool is_single = true;
  A* data;

  std::size_t size() const { return 1; }
  A& operator[](std::size_t) const { return *data; }
  void write_back() const {}
};

template <class V>
void require_separate_sums(V const& view) {
  Exakt::Impl::require_separate_entries("Mpi", "the View of accumulators", view);
}

/// \brief The accumulators of a View, which is kept alive; those of another memory are copied here and back.
template <class V>
class SumsOfView {
  static_assert(V::rank == 0 || V::rank == 1, "Exakt: a View of accumulators has rank 0 or 1");
  static_assert(!std::is_const_v<typename V::value_type>, "Exakt: the accumulators are read and written");

 public:
  using type = typename V::non_const_value_type;
  static constexpr bool is_single = V::rank == 0;
  static constexpr bool in_place = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename V::memory_space>::accessible;

  /// \throws std::invalid_argument  Two entries are one in memory.
  explicit SumsOfView(V const& view) : m_view(view), m_host(here(view)) { require_separate_sums(view); }

  std::size_t size() const { return is_single ? 1 : m_view.extent(0); }
  type& operator[](std::size_t i) const {
    if constexpr (is_single) {
      return m_host();
    } else {
      return m_host(i);
    }
  }
  void write_back() const {
    if constexpr (!in_place && is_single) {
      Kokkos::deep_copy(m_view, m_host);
    } else if constexpr (!in_place) {
      Exakt::Impl::write_from_host(typename V::execution_space(), m_view, m_host, size());
    }
  }

 private:
  static auto here(V const& view) {
    Kokkos::fence();  // a kernel may still be writing to it, on any instance
    if constexpr (in_place) {
      return view;
    } else if constexpr (is_single) {
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    } else {
      return Exakt::Impl::entries_on_host(typename V::execution_space(), view);
    }
  }

  V m_view;
  decltype(here(std::declval<V const&>())) m_host;
};

/// \brief Calls f(i) for i from 0 to n - 1, on all threads if there are enough of them to be worth it.
/// \param sums_each  How many sums each call has to do with, some 50 ns each.
template <class F>
void for_each(char const* label, std::size_t n, std::size_t sums_each, F const& f) {
  constexpr std::size_t worth_it = 512;
  using Space = Kokkos::DefaultHostExecutionSpace;
  if (n * sums_each < worth_it || Space().concurrency() == 1) {
    for (std::size_t i = 0; i < n; ++i) f(i);
  } else {
    Exakt::Impl::loop(label, Space(), n, f);
    Space().fence();
  }
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
