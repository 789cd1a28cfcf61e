// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_WORKSPACE_HPP
#define EXAKTBLAS_WORKSPACE_HPP

/// \file
/// \brief Memory for copies of matrices, in large pages where the system has them.

#include <Kokkos_Core.hpp>
#include <numerics/Exakt_Abi.hpp>
#include <parallel/Exakt_Loop.hpp>
#include <parallel/Exakt_ScratchMemory.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief An uninitialized View of some extents.
///
/// On hosts large ones ask for large pages: to be given memory in small ones takes as long as to compute what it is for.
/// Where they are not to be had nothing is lost.
template <class View, std::size_t length, class... Extents>
View workspace(char const (&label)[length], Extents... extents) {
  View const result(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), extents...);
#ifdef __linux__
  if constexpr (std::is_same_v<typename View::memory_space, Kokkos::HostSpace>) {
    constexpr std::uintptr_t page = std::uintptr_t{1} << 12, large_page = std::uintptr_t{1} << 21;
    auto* const first = reinterpret_cast<unsigned char*>(result.data());
    std::uintptr_t const bytes = (std::uintptr_t{extents} * ...) * sizeof(typename View::value_type),
                         before = -reinterpret_cast<std::uintptr_t>(first) % page;  // the first page that is all ours
    if (bytes >= large_page) static_cast<void>(madvise(first + before, (bytes - before) / page * page, MADV_HUGEPAGE));
  }
#endif
  return result;
}

/// \brief Memory of any content that can be made larger, which loses what was in it: on devices, of what calls before had.
template <class Space>
class Workspace {
 public:
  /// At least `bytes`, aligned as all numbers may be.
  std::uint8_t* reserve(Space const& space, std::size_t bytes) {
    if constexpr (is_on_host_v<Space>) {
      if (m_view.extent(0) < bytes) {
        m_view = {};
        m_view = workspace<View>("Exakt::gemm::workspace", bytes);
      }
      return m_view.data();
    } else {
      if (!m_scratch || m_scratch->size() < bytes) {
        m_scratch.reset();
        m_scratch.emplace(space, bytes);
      }
      return m_scratch->data();
    }
  }

 private:
  using View = Kokkos::View<std::uint8_t*, typename Space::memory_space>;
  View m_view;
  std::optional<ScratchMemory<Space>> m_scratch;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
