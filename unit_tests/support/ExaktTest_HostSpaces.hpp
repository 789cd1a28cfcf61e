// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_HOSTSPACES_HPP
#define EXAKTTEST_HOSTSPACES_HPP

#include <Kokkos_Core.hpp>

#include "ExaktTest_Catch.hpp"

namespace ExaktTest {

/// Calls f with each host execution space that Kokkos has here: the bits must be the same on all of them.
template <class F>
void for_each_host_space(F const& f) {
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
}

}  // namespace ExaktTest

#endif
