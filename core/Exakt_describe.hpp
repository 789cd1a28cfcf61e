// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_DESCRIBE_HPP
#define EXAKT_DESCRIBE_HPP

#include "Exakt_Version.hpp"
#include "kernels/Exakt_Kernels.hpp"
#include "parallel/Exakt_KokkosCompat.hpp"

#include <string>

namespace Exakt {

/// \brief What runs, in one line, for logs and bug reports: the version, the instruction set that the kernels of the
/// host use and those that the environment variable EXAKT_ISA may name, Kokkos' version and backends, and, in a program
/// with gemm, the libraries that multiply residues for it.
///
///     Exakt 0.1.0; instruction set avx512 (of avx512 avx2 sse4 portable); Kokkos 3.4.1 (OpenMP Serial); gemm
///     with oneDNN 2.6.3, BLAS libblas.so
EXAKT_ABI_TAG inline std::string describe() {
  Impl::Kernels const& kernels = Impl::kernels();
  std::string backends;
#ifdef KOKKOS_ENABLE_CUDA
  backends += " Cuda";
#endif
#ifdef KOKKOS_ENABLE_HIP
  backends += " HIP";
#endif
#ifdef KOKKOS_ENABLE_SYCL
  backends += " SYCL";
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  backends += " OpenMP";
#endif
#ifdef KOKKOS_ENABLE_THREADS
  backends += " Threads";
#endif
#ifdef KOKKOS_ENABLE_HPX
  backends += " HPX";
#endif
#ifdef KOKKOS_ENABLE_SERIAL
  backends += " Serial";
#endif
  std::string const kokkos = std::to_string(KOKKOS_VERSION / 10000) + '.' + std::to_string(KOKKOS_VERSION / 100 % 100) +
                             '.' + std::to_string(KOKKOS_VERSION % 100);
  auto const multipliers = Impl::description_of_multipliers();
  return "Exakt " EXAKT_VERSION "; instruction set " + std::string(kernels.name) + " (of " + kernels.names +
         "); Kokkos " + kokkos + " (" + backends.substr(backends.empty() ? 0 : 1) + ")" +
         (multipliers == nullptr ? "" : std::string("; gemm with ") + multipliers());
}

}  // namespace Exakt

#endif
