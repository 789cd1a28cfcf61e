// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which of the sets of kernels runs: the best one for the processor, or the one that EXAKT_ISA names.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/Exakt_Dispatch.cpp"
#include "Exakt_Targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "Exakt_Kernels.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

HWY_BEFORE_NAMESPACE();
namespace Exakt::Impl::HWY_NAMESPACE {

void set_enclosures(Kernels& kernels);        // Exakt_Enclosure.cpp
void set_expansions(Kernels& kernels);        // Exakt_Expansions.cpp
void set_exponent_bins(Kernels& kernels);     // Exakt_ExponentBins.cpp
void set_digits(Kernels& kernels);            // Exakt_Digits.cpp
void set_extractions(Kernels& kernels);       // Exakt_Extraction.cpp
void set_integer_products(Kernels& kernels);  // Exakt_IntegerProducts.cpp
void set_moments(Kernels& kernels);           // Exakt_Moments.cpp
void set_scans(Kernels& kernels);             // Exakt_Scan.cpp
void set_segments(Kernels& kernels);          // Exakt_Segments.cpp
void set_slices(Kernels& kernels);            // Exakt_Slices.cpp
void set_small_sums(Kernels& kernels);        // Exakt_SmallSums.cpp

void set_kernels(Kernels& kernels) {
  set_enclosures(kernels);
  set_expansions(kernels);
  set_exponent_bins(kernels);
  set_extractions(kernels);
  set_digits(kernels);
  set_integer_products(kernels);
  set_moments(kernels);
  set_scans(kernels);
  set_segments(kernels);
  set_slices(kernels);
  set_small_sums(kernels);
  kernels.lanes = static_cast<int>(hwy::HWY_NAMESPACE::Lanes(hwy::HWY_NAMESPACE::ScalableTag<double>()));
  kernels.target = HWY_TARGET;
}

}  // namespace Exakt::Impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace Exakt::Impl::inline EXAKT_COMPILED {
namespace {

struct InstructionSet {
  char const* name;
  bool (*runs_here)();
  void (*set_kernels)(Kernels&);
};

[[maybe_unused]] bool always() { return true; }

#if HWY_ARCH_X86
// All that Highway lets the compiler use. (F16C is in every processor that has AVX2, and not a name that all compilers
// know.)
[[maybe_unused]] bool has_sse4() {
  return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("aes");
}
[[maybe_unused]] bool has_avx2() {
  return has_sse4() && __builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}
[[maybe_unused]] bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
}
#endif

// The best one first. The last one is what all of the library is compiled for.
constexpr InstructionSet instruction_sets[] = {
#if HWY_TARGETS & HWY_AVX3
    {"avx512", &has_avx512, &N_AVX3::set_kernels},
#endif
#if HWY_TARGETS & HWY_AVX2
    {"avx2", &has_avx2, &N_AVX2::set_kernels},
#endif
#if HWY_TARGETS & HWY_SSE4
    {"sse4", &has_sse4, &N_SSE4::set_kernels},
#endif
#if defined(HWY_SSE2) && (HWY_TARGETS & HWY_SSE2)
    {"sse2", &always, &N_SSE2::set_kernels},
#endif
#if HWY_TARGETS & HWY_NEON
    {"neon", &always, &N_NEON::set_kernels},
#endif
#if defined(HWY_NEON_WITHOUT_AES) && (HWY_TARGETS & HWY_NEON_WITHOUT_AES)
    {"neon_without_aes", &always, &N_NEON_WITHOUT_AES::set_kernels},
#endif
#if HWY_TARGETS & HWY_EMU128
    {"portable", &always, &N_EMU128::set_kernels},
#endif
#if HWY_TARGETS & HWY_SCALAR
    {"portable", &always, &N_SCALAR::set_kernels},
#endif
};

/// The kernels of this process.
struct Choice {
  Kernels kernels{};
  char names[128] = "";
  std::size_t length = 0;  // of names

  /// In one line, whatever the variable holds.
  void refuse(char const* wanted, char const* used) const {
    char shown[48];
    std::size_t n = 0;
    for (; wanted[n] != '\0' && n + 1 < sizeof(shown); ++n)
      shown[n] = wanted[n] < ' ' || wanted[n] > '~' ? '?' : wanted[n];
    shown[n] = '\0';
    std::fprintf(stderr, "Exakt: EXAKT_ISA=%s%s is none of the instruction sets here (%s); %s is used\n", shown,
                 wanted[n] == '\0' ? "" : "...", names, used);
  }
  void append(char const* text) {
    for (; *text != '\0' && length + 1 < sizeof(names); ++text) names[length++] = *text;
  }

  Choice() {
    char const* const wanted = std::getenv("EXAKT_ISA");
    InstructionSet const* best = nullptr;
    InstructionSet const* chosen = nullptr;
    for (InstructionSet const& set : instruction_sets) {
      bool const is_last = &set == std::end(instruction_sets) - 1;
      if (!is_last && !set.runs_here()) continue;
      if (best == nullptr) best = &set;
      if (wanted != nullptr && std::strcmp(set.name, wanted) == 0) chosen = &set;
      if (names[0] != '\0') append(" ");
      append(set.name);
    }
    if (chosen == nullptr) chosen = best;
    if (wanted != nullptr && *wanted != '\0' && std::strcmp(chosen->name, wanted) != 0) refuse(wanted, chosen->name);
    chosen->set_kernels(kernels);
    kernels.name = chosen->name;
    kernels.names = names;
  }
};

}  // namespace

Kernels const& choose_kernels() {
  static Choice const choice;
  return choice.kernels;
}

bool const has_fused_kernels = static_cast<KernelsOf<double, double> const&>(choose_kernels()).enclose != nullptr;

#if HWY_ARCH_X86
bool const prefetches_to_second_cache = __builtin_cpu_is("amdfam19h") && __builtin_cpu_supports("avx512f");  // not Zen 3
#else
bool const prefetches_to_second_cache = false;
#endif

Description& description_of_multipliers() {
  static Description description = nullptr;
  return description;
}

}  // namespace Exakt::Impl::inline EXAKT_COMPILED

#endif
