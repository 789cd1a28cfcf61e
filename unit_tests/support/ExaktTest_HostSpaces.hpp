// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_HOSTSPACES_HPP
#define EXAKTTEST_HOSTSPACES_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>

#include "ExaktTest_Catch.hpp"

namespace ExaktTest {

/// Calls f with each host execution space that Kokkos has here: the bits must be the same on all of them. The code of devices
/// is for the default one only, as with a device; it takes minutes to compile.
template <class F>
void for_each_host_space(F const& f) {
#if defined(EXAKT_EMULATE_DEVICE)
  f(Kokkos::DefaultExecutionSpace());
#else
#if defined(KOKKOS_ENABLE_SERIAL)
  {
    INFO("Serial");
    f(Kokkos::Serial());
  }
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  {
    INFO("OpenMP");
    f(Kokkos::OpenMP());
  }
#endif
#if defined(KOKKOS_ENABLE_THREADS)
  {
    INFO("Threads");
    f(Kokkos::Threads());
  }
#endif
#endif
}

/// Calls f(space, team_size) for every space and size of teams that it can form, up to four threads, and Kokkos' own.
template <class F>
void for_each_team(F const& f) {
  for_each_host_space([&](auto space) {
    using Policy = Kokkos::TeamPolicy<decltype(space)>;
    auto const kernel = [](typename Policy::member_type const&) {};
    int const most = std::min(4, Policy(space, 1, 1).team_size_max(kernel, Kokkos::ParallelForTag()));
    for (int size = 0; size <= most; ++size) {
      INFO("teams of " << size);
      f(space, size);
    }
  });
}

}  // namespace ExaktTest

#endif
