// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_PROCESSORS_HPP
#define EXAKTPERF_PROCESSORS_HPP

#include "ExaktPerf_Data.hpp"

#ifdef __linux__
#include <sched.h>
#endif

#include <vector>

namespace ExaktPerf {

/// \brief Calls f() while the calling thread may run on the processors of all threads of Space.
///
/// For libraries with threads of their own, which inherit this when they start. With OMP_PROC_BIND libgomp ties the
/// calling thread to one processor as soon as it is loaded, before main(): they would share that one.
template <class Function>
void on_all_processors(Function const& f) {
#ifdef __linux__
  std::vector<cpu_set_t> of_threads(static_cast<std::size_t>(Space().concurrency()));
  cpu_set_t* const sets = of_threads.data();
  Kokkos::parallel_for(Range(0, Space().concurrency()),
                       [=](std::int64_t i) { sched_getaffinity(0, sizeof(cpu_set_t), sets + i); });
  Kokkos::fence();
  cpu_set_t own = {};
  sched_getaffinity(0, sizeof(own), &own);
  cpu_set_t all = own;
  for (cpu_set_t const& set : of_threads) CPU_OR(&all, &all, &set);
  sched_setaffinity(0, sizeof(all), &all);
  f();
  sched_setaffinity(0, sizeof(own), &own);
#else
  f();
#endif
}

}  // namespace ExaktPerf

#endif
