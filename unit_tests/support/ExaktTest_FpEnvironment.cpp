// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_FpEnvironment.hpp"

#include <Kokkos_Core.hpp>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace ExaktTest {
namespace {

constexpr FpSettings environments[] = {
    {"default", FE_TONEAREST, false},
    {"upward", FE_UPWARD, false},
    {"downward", FE_DOWNWARD, false},
    {"toward zero", FE_TOWARDZERO, false},
    {"flushing subnormals", FE_TONEAREST, true},
    {"flushing subnormals, upward", FE_UPWARD, true},
};

#if defined(__SSE2__)
constexpr unsigned exception_flags = 0x3f, flush_bits = 0x8040;  // FTZ is bit 15, DAZ is bit 6
unsigned long read_control_word() { return _mm_getcsr(); }
void write_control_word(unsigned long word) { _mm_setcsr(static_cast<unsigned>(word)); }
#elif defined(__aarch64__)
constexpr unsigned long exception_flags = 0, flush_bits = 1ul << 24;
unsigned long read_control_word() {
  unsigned long word;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
void write_control_word(unsigned long word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#else
#error "The tests do not know this processor's floating-point control word"
#endif

void apply(FpSettings const& settings) {
  std::fesetround(settings.rounding);
  auto const word = read_control_word() & ~static_cast<unsigned long>(flush_bits);
  write_control_word(settings.flush_subnormals ? word | flush_bits : word);
}

void apply(FpSettings const& settings, [[maybe_unused]] ScopedFpEnvironment::Threads threads) {
#if defined(KOKKOS_ENABLE_OPENMP)
  // Kokkos' OpenMP kernels run on the threads of an ordinary parallel region.
  if (threads == ScopedFpEnvironment::Threads::all) {
#pragma omp parallel num_threads(Kokkos::OpenMP().concurrency())
    apply(settings);
  }
#endif
  apply(settings);
}

}  // namespace

std::span<const FpSettings> every_fp_environment() { return environments; }

ScopedFpEnvironment::ScopedFpEnvironment(FpSettings const& settings, Threads threads) : m_threads(threads) {
  apply(settings, threads);
}

ScopedFpEnvironment::~ScopedFpEnvironment() { apply(environments[0], m_threads); }

unsigned long fp_control_word() { return read_control_word() & ~static_cast<unsigned long>(exception_flags); }

bool fp_settings_are_active(FpSettings const& settings) {
  bool const flushes = (read_control_word() & flush_bits) == flush_bits;
  return std::fegetround() == settings.rounding && flushes == settings.flush_subnormals;
}

}  // namespace ExaktTest
