// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TASKS_HPP
#define EXAKTBLAS_TASKS_HPP

/// \file
/// \brief How work is shared among the threads of an execution space.

#include <parallel/Exakt_Loop.hpp>

#include <cstddef>
#include <string>

namespace Exakt::Impl::inline EXAKT_ABI {

/// So many products take longer than waking the threads.
inline constexpr std::size_t products_worth_threads = 32'768;

/// \brief f(i) for i below n, in the default floating-point environment; enqueued.
///
/// Threads of hosts take the next one when they are free, if there is enough to do for them; else the calling one does
/// it all.
///
/// \param label  Becomes a std::string only where Kokkos is called: that may allocate memory.
template <class Label, class Space, class F>
void for_each_task(Label const& label, Space const& space, std::size_t n, [[maybe_unused]] bool worth_waking_threads,
                   F const& f) {
  if constexpr (is_on_host_v<Space>) {
    if (n > 1 && worth_waking_threads && space.concurrency() > 1) {
      using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>, Kokkos::Schedule<Kokkos::Dynamic>>;
      loop(std::string(label), Policy(space, 0, n, Kokkos::ChunkSize(1)), f);
    } else {
      in_default_environment([&] {
        for (std::size_t i = 0; i < n; ++i) f(i);
      });
    }
  } else {
    loop(std::string(label), space, n, f);
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
