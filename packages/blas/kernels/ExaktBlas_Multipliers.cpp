// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktBlas_Multipliers.hpp"

#include <climits>
#include <cstdio>

#if defined(EXAKT_BLAS_HAS_ONEDNN) && defined(__x86_64__)
#define EXAKT_HAS_TILES
#ifdef _OPENMP
#include <omp.h>
#endif
#include <oneapi/dnnl/dnnl.h>
#endif

#define EXAKT_STRING_OF(name) EXAKT_STRING(name)
#define EXAKT_STRING(name) #name

#ifdef EXAKT_BLAS_HAS_BLAS
// The name that it has in every BLAS. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" void dgemm_(char const* transa, char const* transb, int const* m, int const* n, int const* k,
                       double const* alpha, double const* a, int const* lda, double const* b, int const* ldb,
                       double const* beta, double* c, int const* ldc);
#include <dlfcn.h>
#endif

namespace Exakt::Impl::inline EXAKT_COMPILED {

#ifdef EXAKT_HAS_TILES

namespace {

#ifdef _OPENMP
/// oneDNN asks OpenMP how many threads to take: one, for whoever calls it here is one of many already, or all there is.
class OneThread {
 public:
  OneThread() : m_before(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(m_before); }
  OneThread(OneThread const&) = delete;
  OneThread& operator=(OneThread const&) = delete;

 private:
  int m_before;
};
#else
/// oneDNN has no threads.
struct OneThread {
  OneThread() {}
};
#endif

}  // namespace

/// One of two answers that stay where they are: for chosen_once().
static bool const& has_tiles() {
  static constexpr bool answers[] = {false, true};
  auto const isa = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
  auto const needed = static_cast<unsigned>(dnnl_cpu_isa_avx512_core_amx);
  return answers[(isa & needed) == needed];
}

bool multiply_by_tiles(std::size_t m, std::size_t n, std::size_t k, std::uint8_t const* a, std::size_t a_stride,
                       std::int8_t const* b, std::size_t b_stride, std::int32_t* c, std::size_t c_stride) {
  if (!chosen_once<has_tiles>()) return false;
  OneThread const one_thread;
  std::int32_t const no_offset = 0;
  auto const size = [](std::size_t x) { return static_cast<dnnl_dim_t>(x); };
  return dnnl_gemm_u8s8s32('N', 'T', 'F', size(m), size(n), size(k), 1.0f, a, size(a_stride), 0, b, size(b_stride), 0,
                           0.0f, c, size(c_stride), &no_offset) == dnnl_success;
}

#else

bool multiply_by_tiles(std::size_t, std::size_t, std::size_t, std::uint8_t const*, std::size_t, std::int8_t const*,
                       std::size_t, std::int32_t*, std::size_t) {
  return false;
}

#endif

#ifdef EXAKT_BLAS_HAS_BLAS

/// The plain dgemm: where libexakt_blas has its name, which rounds once what is exact anyway, that of the BLAS behind it.
static decltype(dgemm_)& plain_dgemm() {
  if (void* const next = dlsym(RTLD_DEFAULT, "exakt_blas_next_"))
    if (void* const behind = reinterpret_cast<void* (*)(char const*)>(next)("dgemm_"))
      return *reinterpret_cast<decltype(&dgemm_)>(behind);
  return dgemm_;
}

bool has_double_gemm() { return true; }

bool multiply_doubles(std::size_t m, std::size_t n, std::size_t k, double const* a, double const* b, std::size_t stride,
                      double* c) {
  if (m > INT_MAX || n > INT_MAX || stride > INT_MAX) return false;
  int const rows = static_cast<int>(m), columns = static_cast<int>(n), depth = static_cast<int>(k),
            line = static_cast<int>(stride);
  double const one = 1, zero = 0;
  chosen_once<plain_dgemm>()("T", "N", &rows, &columns, &depth, &one, a, &line, b, &line, &zero, c, &rows);
  return true;
}

#else

bool has_double_gemm() { return false; }
bool multiply_doubles(std::size_t, std::size_t, std::size_t, double const*, double const*, std::size_t, double*) {
  return false;
}

#endif

char const* multipliers() {
  struct Text {
    char text[256] = "no library for residues";
    Text() {
#ifdef EXAKT_BLAS_HAS_BLAS
      char const blas[] = "BLAS " EXAKT_STRING_OF(EXAKT_BLAS_HAS_BLAS);
#else
      char const blas[] = "";
#endif
#ifdef EXAKT_HAS_TILES
      dnnl_version_t const& version = *dnnl_version();
      std::snprintf(text, sizeof(text), "oneDNN %d.%d.%d%s%s", version.major, version.minor, version.patch,
                    blas[0] == '\0' ? "" : ", ", blas);
#else
      if (blas[0] != '\0') std::snprintf(text, sizeof(text), "%s", blas);
#endif
    }
  };
  static Text const result;
  return result.text;
}

namespace {

struct Registration {
  Registration() {
    multipliers();  // the text is made now, before there are threads
    description_of_multipliers() = &multipliers;
  }
  ~Registration() { description_of_multipliers() = nullptr; }
  Registration(Registration const&) = delete;
  Registration& operator=(Registration const&) = delete;
} const registration;

}  // namespace

}  // namespace Exakt::Impl::inline EXAKT_COMPILED
