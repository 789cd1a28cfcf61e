// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Peers.hpp"
#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Processors.hpp"

#include <dlfcn.h>
#include <cmath>
#include <cstdlib>

#include <stdexcept>

// NOLINTNEXTLINE(readability-identifier-naming): the name that the BLAS has
extern "C" void dgemm_(char const* transa, char const* transb, int const* m, int const* n, int const* k,
                       double const* alpha, double const* a, int const* lda, double const* b, int const* ldb,
                       double const* beta, double* c, int const* ldc);

namespace ExaktPerf {
namespace {

// The interface of cblas.h. No header is needed to build, and no library to start.
struct Library {
  double (*sum)(int, double const*, int);  // an extension; may be missing
  double (*dot)(int, double const*, int, double const*, int);
  double (*nrm2)(int, double const*, int);
  double (*asum)(int, double const*, int);
  void (*gemv)(int, int, int, int, double, double const*, int, double const*, int, double, double*, int);
  void (*trsv)(int, int, int, int, int, double const*, int, double*, int);
  void (*trsm)(int, int, int, int, int, int, int, double, double const*, int, double*, int);
  void (*symv)(int, int, int, double, double const*, int, double const*, int, double, double*, int);
  void (*ger)(int, int, int, double, double const*, int, double const*, int, double*, int);
  void (*syrk)(int, int, int, int, int, double, double const*, int, double, double*, int);
  void (*symm)(int, int, int, int, int, double, double const*, int, double const*, int, double, double*, int);
  void (*trmm)(int, int, int, int, int, int, int, double, double const*, int, double*, int);
  void (*gemm)(int, int, int, int, int, int, double, double const*, int, double const*, int, double, double*, int);
  void (*sgemm)(int, int, int, int, int, int, float, float const*, int, float const*, int, float, float*, int);
  void (*zdotc)(int, void const*, int, void const*, int, void*);
  void (*zgemv)(int, int, int, int, void const*, void const*, int, void const*, int, void const*, void*, int);
  void (*zgemm)(int, int, int, int, int, int, void const*, void const*, int, void const*, int, void const*, void*, int);
  decltype(dgemm_)* fortran_gemm;
  void (*set_num_threads)(int);
  char* (*get_config)();
  char* (*get_corename)();
};

// Its enumerations.
constexpr int no_trans = 111, trans = 112, lower = 122, non_unit = 131, left = 141;
constexpr int order(bool by_rows) { return by_rows ? 101 : 102; }

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
      find(handle, "cblas_dsum", blas.sum);
      return find(handle, "cblas_ddot", blas.dot) && find(handle, "cblas_dnrm2", blas.nrm2) &&
             find(handle, "cblas_dasum", blas.asum) && find(handle, "cblas_dgemv", blas.gemv) &&
             find(handle, "cblas_dtrsv", blas.trsv) && find(handle, "cblas_dtrsm", blas.trsm) &&
             find(handle, "cblas_dsymv", blas.symv) && find(handle, "cblas_dger", blas.ger) &&
             find(handle, "cblas_dsyrk", blas.syrk) && find(handle, "cblas_dsymm", blas.symm) &&
             find(handle, "cblas_dtrmm", blas.trmm) && find(handle, "cblas_dgemm", blas.gemm) &&
             find(handle, "cblas_sgemm", blas.sgemm) && find(handle, "cblas_zdotc_sub", blas.zdotc) &&
             find(handle, "cblas_zgemv", blas.zgemv) && find(handle, "cblas_zgemm", blas.zgemm) &&
             find(handle, "dgemm_", blas.fortran_gemm) &&
             find(handle, "openblas_set_num_threads", blas.set_num_threads) &&
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

// f(begin, entries) for a piece per thread.
template <class Function>
void for_pieces(int n, Function const& f) {
  int const pieces = Space().concurrency();
  if (pieces == 1) return f(0, n);
  auto const begin = [=](int piece) { return static_cast<int>(std::int64_t{n} * piece / pieces); };
  Kokkos::parallel_for(Range(0, pieces), [=](std::int64_t i) {
    auto const piece = static_cast<int>(i);
    f(begin(piece), begin(piece + 1) - begin(piece));
  });
  Kokkos::fence();
}

// The columns of a matrix from j on.
template <class T>
T* from_column(Dense<T> const& A, int j) {
  return A.entries + static_cast<std::ptrdiff_t>(j) * (A.by_rows ? 1 : A.stride());
}

/// The functions of complex numbers take the addresses of their factors.
template <class T>
T factor(T const& x) {
  return x;
}
Complex const* factor(Complex const& x) { return &x; }

template <class T, class Gemm>
auto product_by(Gemm* gemm) {
  return [gemm](Dense<T> const& A, Dense<T> const& B, Dense<T> const& C) {
    for_pieces(C.columns, [=](int j, int columns) {
      T const one = 1, zero = 0;
      gemm(order(A.by_rows), no_trans, no_trans, C.rows, columns, A.columns, factor(one), A.entries, A.stride(),
           from_column(B, j), B.stride(), factor(zero), from_column(C, j), C.stride());
    });
  };
}

void add_matrix_functions(Library const& blas, Peer& peer) {
  peer.gemv = [blas](char op, Dense<double> const& A, double* x, double* y) {
    for_pieces(op == 'N' ? A.rows : A.columns, [=](int begin, int size) {
      std::ptrdiff_t const step = (op == 'N') == A.by_rows ? A.stride() : 1;
      blas.gemv(order(A.by_rows), op == 'N' ? no_trans : trans, op == 'N' ? size : A.rows, op == 'N' ? A.columns : size,
                1, A.entries + begin * step, A.stride(), x, 1, 0, y + begin, 1);
    });
  };
  peer.trsv = [blas](char op, Dense<double> const& A, double* x) {
    blas.set_num_threads(Space().concurrency());
    blas.trsv(order(A.by_rows), lower, op == 'N' ? no_trans : trans, non_unit, A.rows, A.entries, A.stride(), x, 1);
    blas.set_num_threads(1);
  };
  peer.trsm = [blas](Dense<double> const& A, Dense<double> const& B) {
    for_pieces(B.columns, [=](int j, int columns) {
      blas.trsm(order(A.by_rows), left, lower, no_trans, non_unit, B.rows, columns, 1, A.entries, A.stride(),
                from_column(B, j), B.stride());
    });
  };
  auto const on_all_threads = [blas](auto const& call) {
    blas.set_num_threads(Space().concurrency());
    call();
    blas.set_num_threads(1);
  };
  peer.symv = [=](Dense<double> const& A, double* x, double* y) {
    on_all_threads([&] { blas.symv(order(A.by_rows), lower, A.rows, 1, A.entries, A.stride(), x, 1, 0, y, 1); });
  };
  peer.ger = [=](double alpha, double* x, double* y, Dense<double> const& A) {
    on_all_threads([&] { blas.ger(order(A.by_rows), A.rows, A.columns, alpha, x, 1, y, 1, A.entries, A.stride()); });
  };
  peer.syrk = [=](Dense<double> const& A, Dense<double> const& C) {
    on_all_threads([&] {
      blas.syrk(order(A.by_rows), lower, no_trans, A.rows, A.columns, 1, A.entries, A.stride(), 0, C.entries,
                C.stride());
    });
  };
  peer.symm = [=](Dense<double> const& A, Dense<double> const& B, Dense<double> const& C) {
    on_all_threads([&] {
      blas.symm(order(A.by_rows), left, lower, B.rows, B.columns, 1, A.entries, A.stride(), B.entries, B.stride(), 0,
                C.entries, C.stride());
    });
  };
  peer.trmm = [=](Dense<double> const& A, Dense<double> const& B) {
    on_all_threads([&] {
      blas.trmm(order(A.by_rows), left, lower, no_trans, non_unit, B.rows, B.columns, 1, A.entries, A.stride(),
                B.entries, B.stride());
    });
  };
  peer.gemm = product_by<double>(blas.gemm);
  peer.sgemm = product_by<float>(blas.sgemm);
  peer.zdotc = [blas](std::int64_t n, Complex const* x, Complex const* y) {
    Complex sum = 0;
    auto const add = [=](std::int64_t begin, std::int64_t end, Complex& partial) {
      Complex product;
      blas.zdotc(static_cast<int>(end - begin), x + begin, 1, y + begin, 1, &product);
      partial += product;
    };
    if (Space().concurrency() == 1)
      add(0, n, sum);
    else
      reduce_pieces(n, Kokkos::Sum<Complex, Kokkos::HostSpace>(sum), add);
    return sum;
  };
  peer.zgemm = product_by<Complex>(blas.zgemm);
  peer.zgemv = [blas](Dense<Complex> const& A, Complex const* x, Complex* y) {
    for_pieces(A.rows, [=](int begin, int rows) {
      Complex const one = 1, zero = 0;
      blas.zgemv(order(A.by_rows), no_trans, rows, A.columns, &one, A.entries + begin * (A.by_rows ? A.stride() : 1),
                 A.stride(), x, 1, &zero, y + begin, 1);
    });
  };
}

Library const& library() {
  static Library const result = [] {
    Library blas{};
    bool found = false;
    on_all_processors([&] {
      found = load_library(blas);
      if (found) blas.set_num_threads(Space().concurrency());  // starts them
    });
    if (!found) return Library{};
    blas.set_num_threads(1);
    return blas;
  }();
  return result;
}

Peer make_peer() {
  Library const blas = library();
  if (blas.get_corename == nullptr) return {};
  Peer peer;
  peer.set_threads = blas.set_num_threads;
  peer.description = std::string(blas.get_config()) + " for " + blas.get_corename();
  peer.dot = [blas](Data const& x, Data const& y) {
    return over_pieces(
        x, [=](std::int64_t begin, int n) { return blas.dot(n, x.data() + begin, 1, y.data() + begin, 1); });
  };
  if (blas.sum != nullptr) {
    peer.sum = [blas](Data const& x) {
      return over_pieces(x, [=](std::int64_t begin, int n) { return blas.sum(n, x.data() + begin, 1); });
    };
  }
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
  add_matrix_functions(blas, peer);
  return peer;
}

}  // namespace

Peer const& open_blas() {
  static Peer const peer = make_peer();
  return peer;
}

}  // namespace ExaktPerf

// Exakt::gemm calls a BLAS, too: the same one, loaded with the same help, or where there is none, the system's.
// NOLINTNEXTLINE(readability-identifier-naming): the name that the BLAS has
extern "C" void dgemm_(char const* transa, char const* transb, int const* m, int const* n, int const* k,
                       double const* alpha, double const* a, int const* lda, double const* b, int const* ldb,
                       double const* beta, double* c, int const* ldc) {
  static auto* const gemm = [] {
    decltype(dgemm_)* function = ExaktPerf::library().fortran_gemm;
    if (function == nullptr) {
      void* const handle = dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL);
      if (handle != nullptr) function = reinterpret_cast<decltype(dgemm_)*>(dlsym(handle, "dgemm_"));
    }
    return function;
  }();
  if (gemm == nullptr) throw std::runtime_error("no BLAS was found");
  gemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
