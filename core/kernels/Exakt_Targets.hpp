// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The instruction sets that kernels are compiled for, declared before Highway's headers are included: those in the table of
// Exakt_Dispatch.cpp, for newer versions of Highway know more. Packs are members of classes here, which vectors of a length that only
// the processor knows cannot be. SSSE3 alone is nearly as old as SSE2. Those that Highway 1.0.3 has no names for are written as bits.
#ifndef HWY_DISABLED_TARGETS
#define EXAKT_SSE2 (1LL << 14)
#define EXAKT_NEON_WITHOUT_AES (1LL << 29)
#define HWY_DISABLED_TARGETS \
  (~(HWY_AVX3 | HWY_AVX2 | HWY_SSE4 | EXAKT_SSE2 | HWY_NEON | EXAKT_NEON_WITHOUT_AES | HWY_EMU128 | HWY_SCALAR))
#endif
