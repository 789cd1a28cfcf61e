// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_WORKSPACE_HPP
#define EXAKTBLAS_WORKSPACE_HPP

/// \file
/// \brief Memory for copies of matrices.

#include <Kokkos_Core.hpp>
#include <parallel/Exakt_ScratchMemory.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief An uninitialized View of some extents, on hosts in large pages.
template <class View, std::size_t length, class... Extents>
View workspace(char const (&label)[length], Extents... extents) {
  View const result(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), extents...);
  ask_for_large_pages(result.data(), (std::size_t{extents} * ...) * sizeof(typename View::value_type),
                      typename View::memory_space());
  return result;
}

/// \brief Scratch memory that can be made larger, which loses what was in it.
template <class Space>
class Workspace {
 public:
  /// At least `bytes`, aligned as all numbers may be.
  std::uint8_t* reserve(Space const& space, std::size_t bytes) {
    if (!m_scratch || m_scratch->size() < bytes) {
      m_scratch.reset();
      m_scratch.emplace(space, bytes);
    }
    return m_scratch->data();
  }

 private:
  std::optional<ScratchMemory<Space>> m_scratch;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
