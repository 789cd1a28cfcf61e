// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Peers.hpp"
#include "ExaktPerf_Plain.hpp"

#include <dlfcn.h>
#include <cmath>
#include <cstdlib>

namespace ExaktPerf {
namespace {

// The interface of cblas.h. No header is needed to build, and no library to start.
struct Library {
  double (*dot)(int, double const*, int, double const*, int);
  double (*nrm2)(int, double const*, int);
  double (*asum)(int, double const*, int);
  void (*set_num_threads)(int);
  char* (*get_config)();
  char* (*get_corename)();
};

template <class Function>
bool find(void* handle, char const* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(handle, name));
  return function != nullptr;
}

// OpenBLAS looks at the processor once, when it is loaded. Version 0.3.21, Debian 12's, does not know Xeons that are
// newer than itself and falls back to SSE; any with AVX-512 can run the kernels for Skylake.
void help_with_new_processors() {
#ifdef __x86_64__
  constexpr int keep_what_the_user_says = 0;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    setenv("OPENBLAS_CORETYPE", "SKYLAKEX", keep_what_the_user_says);
  }
#endif
}

bool load_library(Library& blas) {
  help_with_new_processors();
  for (char const* const name : {"libopenblas.so.0", "libopenblas.so"}) {
    void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) {
      return find(handle, "cblas_ddot", blas.dot) && find(handle, "cblas_dnrm2", blas.nrm2) &&
             find(handle, "cblas_dasum", blas.asum) && find(handle, "openblas_set_num_threads", blas.set_num_threads) &&
             find(handle, "openblas_get_config", blas.get_config) &&
             find(handle, "openblas_get_corename", blas.get_corename);
    }
  }
  return false;
}

// The sum of f(begin, entries) over a piece per thread; on one thread a plain call.
template <class Function>
double over_pieces(Data const& x, Function const& f) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  if (Space().concurrency() == 1) return f(0, static_cast<int>(n));
  double sum = 0;
  reduce_pieces(n, Kokkos::Sum<double, Kokkos::HostSpace>(sum),
                [=](std::int64_t begin, std::int64_t end, double& partial) {
                  partial += f(begin, static_cast<int>(end - begin));
                });
  return sum;
}

Peer make_peer() {
  Library blas;
  if (!load_library(blas)) return {};
  blas.set_num_threads(1);
  Peer peer;
  peer.description = std::string(blas.get_config()) + " for " + blas.get_corename();
  peer.dot = [blas](Data const& x, Data const& y) {
    return over_pieces(
        x, [=](std::int64_t begin, int n) { return blas.dot(n, x.data() + begin, 1, y.data() + begin, 1); });
  };
  peer.nrm1 = [blas](Data const& x) {
    return over_pieces(x, [=](std::int64_t begin, int n) { return blas.asum(n, x.data() + begin, 1); });
  };
  peer.nrm2 = [blas](Data const& x) {
    if (Space().concurrency() == 1) return blas.nrm2(static_cast<int>(x.extent(0)), x.data(), 1);
    return std::sqrt(over_pieces(x, [=](std::int64_t begin, int n) {
      double const norm = blas.nrm2(n, x.data() + begin, 1);
      return norm * norm;
    }));
  };
  return peer;
}

}  // namespace

Peer const& open_blas() {
  static Peer const peer = make_peer();
  return peer;
}

}  // namespace ExaktPerf
