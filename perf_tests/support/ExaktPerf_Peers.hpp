// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_PEERS_HPP
#define EXAKTPERF_PEERS_HPP

#include "ExaktPerf_Data.hpp"

#include <functional>
#include <string>

namespace ExaktPerf {

/// \brief Another library's reductions; those that it lacks are empty, all of them where it was not found.
struct Peer {
  std::string description = "not found";
  std::function<double(Data const&)> sum, nrm1, nrm2;
  std::function<double(Data const&, Data const&)> dot;
};

/// \brief Kokkos Kernels, on the same execution space.
Peer const& kokkos_kernels();

/// \brief OpenBLAS, loaded at run time and called once per thread for a piece of the vectors, so that it uses the same
/// threads as everybody else.
Peer const& open_blas();

/// \brief oneTBB's parallel_deterministic_reduce, on as many threads.
Peer const& one_tbb();

}  // namespace ExaktPerf

#endif
