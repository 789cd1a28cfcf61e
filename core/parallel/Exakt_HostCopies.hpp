// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_HOSTCOPIES_HPP
#define EXAKT_HOSTCOPIES_HPP

/// \file
/// \brief Vectors of any memory, read and written by the host.
///
/// Where no execution space reaches both, Kokkos copies contiguous memory only: entries with other strides go by way of
/// a contiguous copy in their own memory.

#include "Exakt_KokkosCompat.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Memory for `count` entries of a vector, where the vector has its own.
template <class Space, class V>
auto contiguous_memory(Space const& space, V const&, std::size_t count) {
  return Kokkos::View<typename V::non_const_value_type*, typename V::memory_space>(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "Exakt::copy"), count);
}

/// The entries of a vector on the host; a contiguous copy if they are elsewhere. Waited for. \pre `space` reaches them.
template <class Space, class V>
auto entries_on_host(Space const& space, V const& view) {
  if constexpr (std::is_same_v<typename V::memory_space, Kokkos::HostSpace>) {
    space.fence();
    return view;
  } else {
    Kokkos::View<typename V::const_value_type*, typename V::memory_space> entries(view.data(), view.extent(0));
    if (!view.span_is_contiguous()) {
      auto const copy = contiguous_memory(space, view, view.extent(0));
      Kokkos::deep_copy(space, copy, view);
      entries = copy;
    }
    auto const here = Kokkos::create_mirror_view(entries);
    Kokkos::deep_copy(space, here, entries);
    space.fence();
    return here;
  }
}

/// The first `count` entries of a vector anywhere become those of one on the host. \pre `space` reaches them.
template <class Space, class V, class Here>
void write_from_host(Space const& space, V const& view, Here const& here, std::size_t count) {
  if constexpr (std::is_same_v<typename V::memory_space, Kokkos::HostSpace>) {
    for (std::size_t i = 0; i < count; ++i) view(i) = here(i);
  } else {
    std::pair<std::size_t, std::size_t> const some(0, count);
    auto const copy = contiguous_memory(space, view, count);
    Kokkos::deep_copy(space, copy, Kokkos::subview(here, some));
    Kokkos::deep_copy(space, Kokkos::subview(view, some), copy);
    space.fence();
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
