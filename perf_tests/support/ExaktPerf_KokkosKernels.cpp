// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Peers.hpp"

#ifdef EXAKT_PERF_KOKKOS_KERNELS_VERSION
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_nrm1.hpp>
#include <KokkosBlas1_nrm2.hpp>
#include <KokkosBlas1_sum.hpp>
#endif

namespace ExaktPerf {

Peer const& kokkos_kernels() {
#ifdef EXAKT_PERF_KOKKOS_KERNELS_VERSION
  static Peer const peer{EXAKT_PERF_KOKKOS_KERNELS_VERSION, [](Data const& x) { return KokkosBlas::sum(x); },
                         [](Data const& x) { return KokkosBlas::nrm1(x); },
                         [](Data const& x) { return KokkosBlas::nrm2(x); },
                         [](Data const& x, Data const& y) { return KokkosBlas::dot(x, y); }};
#else
  static Peer const peer;
#endif
  return peer;
}

}  // namespace ExaktPerf
