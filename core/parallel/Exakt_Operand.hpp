// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_OPERAND_HPP
#define EXAKT_OPERAND_HPP

/// \file
/// \brief What all packages ask of an operand at compile time, and where they run.
///
/// A verb asks in a static_assert at its top, so that compilers answer with our sentence first: the body of a constexpr
/// function that is only called is compiled after the rest of the verb, when other errors have been reported.

#include "../Exakt_Half.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Whether a space has threads and memory of the host: what launching, waiting and sizes depend on.
template <class Space>
inline constexpr bool is_on_host_v = std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;

/// Whether a verb takes its path for hosts there. Where tests emulate a device on a host, it takes that for devices.
template <class Space>
inline constexpr bool runs_on_host =
#ifdef EXAKT_EMULATE_DEVICE
    false;
#else
    is_on_host_v<Space>;
#endif

/// Where to run: a verb takes it first, or does without.
template <class T>
concept ExecutionSpace = Kokkos::is_execution_space<T>::value;
template <class T>
concept NoExecutionSpace = !ExecutionSpace<T>;

template <class T>
concept AnyView = Kokkos::is_view<T>::value;

/// What else is asked depends on it.
template <class... V>
inline constexpr bool are_views_v = (Kokkos::is_view<V>::value && ...);

template <class... V>
KOKKOS_FUNCTION constexpr bool require_views() {
  static_assert(are_views_v<V...>,
                "Exakt: an operand is a Kokkos::View; wrap other memory in one, as in "
                "Kokkos::View<double const*, Kokkos::HostSpace>(v.data(), v.size())");
  return true;
}

/// T, the type of the entries of an operand, is a number that Exakt knows.
template <class T>
KOKKOS_FUNCTION constexpr bool require_entries() {
  static_assert(converts_exactly_v<T, double>,
                "Exakt: entries are float or double (or Kokkos' half types), or complex numbers of them where the "
                "function takes such; copy others into a View of doubles");
  return true;
}

/// `Space` reaches the memory of V.
template <class Space, class V>
KOKKOS_FUNCTION constexpr bool require_access() {
  static_assert(Kokkos::SpaceAccessibility<Space, typename V::memory_space>::accessible,
                "Exakt: the execution space must reach the memory of every operand");
  static_assert(runs_on_host<Space> || std::is_lvalue_reference_v<typename V::reference_type>,
                "Exakt: entries of an operand must have addresses: give a View without Kokkos::RandomAccess or "
                "Kokkos::Atomic");
  return true;
}

/// \brief The view itself, or on hosts one that does not count references: each copy of a View that does takes as long
/// as a sum of ten numbers, and the caller keeps his until the result is there.
template <class Space, class V>
auto uncounted(V const& view) {
  if constexpr (runs_on_host<Space>) {
    return Kokkos::View<typename V::data_type, typename V::array_layout, typename V::device_type,
                        Kokkos::MemoryUnmanaged>(view);
  } else {
    return view;
  }
}

/// An entry of a vector, whose column is 0, or of a matrix.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION auto& entry_at(V const& view, std::size_t row, [[maybe_unused]] std::size_t column) {
  if constexpr (V::rank == 1) {
    return view(row);
  } else {
    return view(row, column);
  }
}

/// From one entry to the next along dimension d; 0 where the View has no such dimension.
template <class V>
std::ptrdiff_t stride_along(V const& view, int d) {
  return d < int(V::rank) ? static_cast<std::ptrdiff_t>(view.stride(d)) : 0;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
