// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_WITHOUTKOKKOS_STARTTHREAD_HPP
#define EXAKT_WITHOUTKOKKOS_STARTTHREAD_HPP

/// \file
/// \brief Threads of the library's own, with stacks for its kernels: std::thread takes the program's default, which may
/// be a few hundred KB (`ulimit -s`; 128 KB with musl).

#include <pthread.h>

#include <algorithm>
#include <cstddef>

namespace ExaktWithoutKokkos {

/// f(argument) on a thread of its own, which is to be joined or detached. \return Whether it was started.
inline bool start_thread(pthread_t& thread, void* (*f)(void*), void* argument) {
  constexpr std::size_t least = std::size_t{1} << 20;  // twice what docs/contract.md asks of others
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  std::size_t size = 0;
  bool const is_started = pthread_attr_getstacksize(&attributes, &size) == 0 &&
                          pthread_attr_setstacksize(&attributes, std::max(size, least)) == 0 &&
                          pthread_create(&thread, &attributes, f, argument) == 0;
  pthread_attr_destroy(&attributes);
  return is_started;
}

}  // namespace ExaktWithoutKokkos

#endif
