// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_FpEnvironment.hpp"

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace ExaktTest {
namespace {

constexpr FpSettings environments[] = {
    {"default"},
    {"upward", FE_UPWARD},
    {"downward", FE_DOWNWARD},
    {"toward zero", FE_TOWARDZERO},
#if defined(__SSE2__)
    {.name = "results flushed to zero", .flush_results = true},
    {.name = "operands flushed to zero", .flush_operands = true},
#endif
#if !defined(__s390x__)
    {.name = "results and operands flushed to zero", .flush_results = true, .flush_operands = true},
    {.name = "flushed to zero, upward", .rounding = FE_UPWARD, .flush_results = true, .flush_operands = true},
#endif
#if !defined(__aarch64__)
    {.name = "trapped exceptions", .trap = true},
#endif
};

// `trapped`, which are the bits of invalid operation, division by zero and overflow, are flipped: a bit of x86 keeps an
// exception from being trapped, others make it trapped.
#if defined(__SSE2__)
using Word = unsigned;
constexpr Word exception_flags = 0x3f, flush_results = 0x8000, flush_operands = 0x0040;
constexpr Word traps = 0x1f80, no_traps = traps,
               trapped = 0x0080 | 0x0200 | 0x0400;  // invalid, division by zero, overflow
Word read_control_word() { return _mm_getcsr(); }
void write_control_word(Word word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
using Word = unsigned long;  // one bit flushes both
constexpr Word exception_flags = 0, flush_results = 1ul << 24, flush_operands = 1ul << 24;
constexpr Word traps = 0, no_traps = 0, trapped = 0;
Word read_control_word() {
  Word word;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
void write_control_word(Word word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#elif defined(__s390x__)
using Word = unsigned;
constexpr Word exception_flags = 0x00ffff00, flush_results = 0, flush_operands = 0;  // subnormal numbers are never lost
constexpr Word traps = 0xf8000000, no_traps = 0, trapped = 0xe0000000;
Word read_control_word() {
  Word word;
  asm volatile("efpc %0" : "=d"(word));
  return word;
}
void write_control_word(Word word) { asm volatile("sfpc %0" : : "d"(word)); }
#else
#error "The tests do not know this processor's floating-point control word"
#endif

void apply(FpSettings const& settings) {
  std::fesetround(settings.rounding);
  Word word = (read_control_word() & ~(flush_results | flush_operands | exception_flags | traps)) | no_traps;
  if (settings.flush_results) word |= flush_results;
  if (settings.flush_operands) word |= flush_operands;
  if (settings.trap) word ^= trapped;
  write_control_word(word);
}

void apply(FpSettings const& settings, ScopedFpEnvironment::Threads threads) {
  using Threads = ScopedFpEnvironment::Threads;
#if defined(KOKKOS_ENABLE_OPENMP)
  // Kokkos' OpenMP kernels run on the threads of an ordinary parallel region.
  if (threads != Threads::this_one) {
#pragma omp parallel num_threads(Kokkos::OpenMP().concurrency())
    {
      int const thread = omp_get_thread_num();
      if (threads == Threads::one_worker ? thread == 1 : thread > 0) apply(settings);
    }
  }
#endif
  if (threads == Threads::this_one || threads == Threads::all) apply(settings);
}

}  // namespace

std::span<const FpSettings> every_fp_environment_of_hosts() { return environments; }

ScopedFpEnvironment::ScopedFpEnvironment(FpSettings const& settings, Threads threads) : m_threads(threads) {
  apply(settings, threads);
}

ScopedFpEnvironment::~ScopedFpEnvironment() { apply(environments[0], m_threads); }

std::string describe(FpSettings const& settings, ScopedFpEnvironment::Threads threads) {
  char const* const names[] = {"this thread", "other threads", "one worker", "all threads"};
  return std::string(settings.name) + ", " + names[static_cast<int>(threads)];
}

unsigned long fp_control_word() { return read_control_word() & ~exception_flags; }

bool fp_settings_are_active(FpSettings const& settings) {
  Word const word = read_control_word();
  return std::fegetround() == settings.rounding && ((word & flush_results) != 0) == settings.flush_results &&
         ((word & flush_operands) != 0) == settings.flush_operands &&
         (word & traps) == (settings.trap ? no_traps ^ trapped : no_traps);
}

}  // namespace ExaktTest
