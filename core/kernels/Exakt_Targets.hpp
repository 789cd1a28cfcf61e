// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The instruction sets that kernels are compiled for, declared before Highway's headers are included. Packs are members of
// classes here, which vectors of a length that only the processor knows cannot be. SSSE3 alone is nearly as old as SSE2.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
#endif
