// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_VECTORS_HPP
#define EXAKTPERF_VECTORS_HPP

/// \file
/// \brief sum, dot and nrm2 beside the plain ways and the libraries that have them.

#include "ExaktPerf_Comparison.hpp"
#include "ExaktPerf_Peers.hpp"
#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Reference.hpp"

#include <ExaktBlas1_dot.hpp>
#include <ExaktBlas1_nrm2.hpp>
#include <ExaktBlas1_sum.hpp>

#include <cmath>

namespace ExaktPerf {

inline Comparison compare_sum(Data const& x) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  auto const add = [x](auto& sum, std::int64_t i) {
    sum += load<std::remove_reference_t<decltype(sum)>>(x.data() + i);
  };
  Comparison ways(n, sizeof(double), reference(Verb::sum, x));
  ways.add_exact("Exakt::sum", [=] { return Exakt::sum(x); });
  ways.add_plain("plain", [=] { return plain(n, add); });
  ways.add_plain("vectorized", [=] { return vectorized(n, add); });
  if (auto const& sum = open_blas().sum) ways.add_plain("OpenBLAS", [=] { return sum(x); });
  if (auto const& sum = kokkos_kernels().sum) ways.add_plain("KokkosKernels", [=] { return sum(x); });
  return ways;
}

inline Comparison compare_dot(Data const& x, Data const& y) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  auto const add = [x, y](auto& sum, std::int64_t i) {
    using T = std::remove_reference_t<decltype(sum)>;
    sum += load<T>(x.data() + i) * load<T>(y.data() + i);
  };
  Comparison ways(n, 2 * sizeof(double), reference(Verb::dot, x, y));
  ways.add_exact("Exakt::dot", [=] { return Exakt::dot(x, y); });
  ways.add_plain("plain", [=] { return plain(n, add); });
  ways.add_plain("vectorized", [=] { return vectorized(n, add); });
  if (auto const& dot = open_blas().dot) ways.add_plain("OpenBLAS", [=] { return dot(x, y); });
  if (auto const& dot = kokkos_kernels().dot) ways.add_plain("KokkosKernels", [=] { return dot(x, y); });
  return ways;
}

inline Comparison compare_nrm2(Data const& x) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  auto const add = [x](auto& sum, std::int64_t i) {
    auto const terms = load<std::remove_reference_t<decltype(sum)>>(x.data() + i);
    sum += terms * terms;
  };
  Comparison ways(n, sizeof(double), reference(Verb::nrm2, x));
  ways.add_exact("Exakt::nrm2", [=] { return Exakt::nrm2(x); });
  ways.add_plain("plain", [=] { return std::sqrt(plain(n, add)); });
  ways.add_plain("vectorized", [=] { return std::sqrt(vectorized(n, add)); });
  if (auto const& nrm2 = open_blas().nrm2) ways.add_plain("OpenBLAS", [=] { return nrm2(x); });
  if (auto const& nrm2 = kokkos_kernels().nrm2) ways.add_plain("KokkosKernels", [=] { return nrm2(x); });
  return ways;
}

}  // namespace ExaktPerf

#endif
