// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// test_blas_abi_small LIBRARY, with EXAKT_NUM_THREADS=4: the second call of each routine of the BLAS with small operands
// asks for no memory and starts no thread.
#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

// The GNU C library's own, behind the names that the library finds here. NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
static long requests = 0;
static char const* called = "";
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
__attribute__((visibility("default"))) void* malloc(std::size_t size) { return ++requests, __libc_malloc(size); }
__attribute__((visibility("default"))) void* calloc(std::size_t n, std::size_t size) {
  return ++requests, __libc_calloc(n, size);
}
__attribute__((visibility("default"))) void* realloc(void* p, std::size_t size) {
  return ++requests, __libc_realloc(p, size);
}
__attribute__((visibility("default"))) void* aligned_alloc(std::size_t line, std::size_t size) {
  return ++requests, __libc_memalign(line, size);
}
__attribute__((visibility("default"))) int posix_memalign(void** p, std::size_t line, std::size_t size) {
  *p = __libc_memalign(line, size);
  return ++requests, 0;
}
__attribute__((visibility("default"))) int pthread_create(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*) {
  std::fprintf(stderr, "%s starts a thread\n", called);
  std::_Exit(1);
}
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

namespace {

void* library;
bool all_is_well = true;

/// Operands of letter `s`, `d`, `c` or `z`: numbers of about one, which overflow nothing.
struct Operands {
  static constexpr std::size_t size = 2000;
  std::array<double, size> of_double;
  std::array<float, size> of_float;
  bool is_double;

  explicit Operands(char letter) : is_double(letter == 'd' || letter == 'z') {
    for (std::size_t i = 0; i < size; ++i) {
      of_double[i] = 1 + 0.1 * static_cast<double>(i * 7 % 10);
      of_float[i] = static_cast<float>(of_double[i]);
    }
  }
  void* data() { return is_double ? static_cast<void*>(of_double.data()) : static_cast<void*>(of_float.data()); }
};

template <class... A>
void check(std::string const& name, A const*... arguments) {
  void* const symbol = dlsym(library, (name + "_").c_str());
  if (symbol == nullptr) {
    std::printf("there is no %s\n", name.c_str());
    all_is_well = false;
    return;
  }
  // Complex results of dots come back in registers, as every other.
  auto* const function = reinterpret_cast<void (*)(A const*...)>(symbol);
  called = name.c_str();
  function(arguments...);
  long const before = requests;
  function(arguments...);
  if (requests == before) return;
  std::printf("%s asks for memory %ld times\n", name.c_str(), requests - before);
  all_is_well = false;
}

void check_all(char letter, std::int32_t n) {
  bool const is_complex = letter == 'c' || letter == 'z';
  std::string const l(1, letter), he = l + (is_complex ? "he" : "sy"), h = l + (is_complex ? "h" : "s");
  Operands alpha(letter), beta(letter), a(letter), b(letter), c(letter), x(letter), y(letter);
  std::int32_t const one = 1, k = n / 2, height = 2 * k + 1;
  auto const *const A = a.data(), *const B = b.data(), *const C = c.data(), *const X = x.data(), *const Y = y.data(),
                    *const f = alpha.data(), *const g = beta.data();
  for (std::string const& dot :
       is_complex ? std::array<std::string, 2>{"dotu", "dotc"} : std::array<std::string, 2>{"dot", "dot"})
    check(l + dot, &n, X, &one, Y, &one);
  std::string const norm = letter == 'c' ? "sc" : letter == 'z' ? "dz" : l;
  check(norm + "asum", &n, X, &one);
  check(norm + "nrm2", &n, X, &one);
  check(l + "axpy", &n, f, X, &one, Y, &one);
  check(l + "scal", &n, f, X, &one);
  check((letter == 'c' ? "cs" : letter == 'z' ? "zd" : l) + "rot", &n, X, &one, Y, &one, f, g);
  check("i" + l + "amax", &n, X, &one);
  check(l + "rotg", A, B, C, X);
  if (!is_complex) check(l + "rotm", &n, X, &one, Y, &one, A);
  if (!is_complex) check(l + "rotmg", X, Y, C, f, A);
  for (char const* mode : {"N", "C"}) {
    check(l + "gemv", mode, &n, &n, f, A, &n, X, &one, g, Y, &one);
    check(l + "gbmv", mode, &n, &n, &k, &k, f, A, &height, X, &one, g, Y, &one);
    check(l + "trmv", "U", mode, "N", &n, A, &n, X, &one);
    check(l + "trsv", "L", mode, "N", &n, A, &n, X, &one);
    check(l + "tbmv", "U", mode, "N", &n, &k, A, &height, X, &one);
    check(l + "tbsv", "L", mode, "N", &n, &k, A, &height, X, &one);
    check(l + "tpmv", "U", mode, "N", &n, A, X, &one);
    check(l + "tpsv", "L", mode, "N", &n, A, X, &one);
    check(l + "gemm", mode, "N", &n, &n, &n, f, A, &n, B, &n, g, C, &n);
    check(l + "gemmtr", "U", mode, "N", &n, &n, f, A, &n, B, &n, g, C, &n);
    for (char const* side : {"L", "R"}) {
      check(l + "trmm", side, "U", mode, "N", &n, &n, f, A, &n, B, &n);
      check(l + "trsm", side, "L", mode, "N", &n, &n, f, A, &n, B, &n);
    }
  }
  check(he + "mv", "U", &n, f, A, &n, X, &one, g, Y, &one);
  check(h + "bmv", "U", &n, &k, f, A, &height, X, &one, g, Y, &one);
  check(h + "pmv", "U", &n, f, A, X, &one, g, Y, &one);
  check(l + (is_complex ? "geru" : "ger"), &n, &n, f, X, &one, Y, &one, A, &n);
  check(he + "r", "U", &n, f, X, &one, A, &n);
  check(he + "r2", "U", &n, f, X, &one, Y, &one, A, &n);
  check(h + "pr", "U", &n, f, X, &one, A);
  check(h + "pr2", "U", &n, f, X, &one, Y, &one, A);
  check(l + "symm", "L", "U", &n, &n, f, A, &n, B, &n, g, C, &n);
  check(l + "syrk", "U", "N", &n, &n, f, A, &n, g, C, &n);
  check(l + "syr2k", "U", "N", &n, &n, f, A, &n, B, &n, g, C, &n);
  if (is_complex) {
    check(l + "hemm", "R", "U", &n, &n, f, A, &n, B, &n, g, C, &n);
    check(l + "herk", "U", "N", &n, &n, f, A, &n, g, C, &n);
    check(l + "her2k", "U", "N", &n, &n, f, A, &n, B, &n, g, C, &n);
  }
}

}  // namespace

int main(int argc, char** argv) {
  library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) return 1;
  // From 16 on systems of complex numbers are worth a thread.
  for (std::int32_t const n : {1, 4, 15})
    for (char const letter : {'s', 'd', 'c', 'z'}) check_all(letter, n);
  if (all_is_well) std::puts("small calls ask for nothing");
  return all_is_well ? 0 : 1;
}
