// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ABI_HPP
#define EXAKT_ABI_HPP

/// \file
/// \brief Object files that were compiled with different flags work together in one program.
///
/// An inline function, and what becomes of a template, has one name in all object files, and the linker keeps one of
/// the copies: with -march=native somewhere, perhaps one that older processors cannot run. So their names tell the
/// flags that they depend on, EXAKT_ABI:
///
/// | what                                          | how                                                           |
/// |-----------------------------------------------|---------------------------------------------------------------|
/// | internal functions and types                  | live in `namespace Exakt::Impl::inline EXAKT_ABI`, or `Impl`  |
/// |                                               | of another namespace                                          |
/// | types that users name                         | have one name: object files exchange their values             |
/// | their member functions, and verbs             | EXAKT_FUNCTION, EXAKT_INLINE_FUNCTION, or EXAKT_ABI_TAG before|
/// |                                               | what is for hosts only                                        |
/// | any function with KOKKOS_FORCEINLINE_FUNCTION | needs nothing: no copy of it is left to the linker            |
/// | copies and destruction that are not trivial   | EXAKT_TAGGED_COPIES in the class                              |
/// | what is compiled into libExakt* and called    | lives in `namespace Exakt::Impl::inline EXAKT_COMPILED`       |
/// | from headers                                  | (kernels/), with the types that it takes: the same name for   |
/// |                                               | all flags, and another one in each version of the library     |
///
/// unit_tests/abi checks it. What Kokkos and the standard library instantiate for these types is theirs.

#include <Exakt_Version.hpp>

#if defined(EXAKT_WITHOUT_KOKKOS)
// The compiled kernels: what they share with other code is plain C++.
// NOLINTBEGIN(readability-identifier-naming)
#define KOKKOS_FUNCTION
#define KOKKOS_INLINE_FUNCTION inline
#define KOKKOS_FORCEINLINE_FUNCTION inline __attribute__((always_inline))
// NOLINTEND(readability-identifier-naming)
#else
#include <Kokkos_Macros.hpp>
#endif

static_assert(sizeof(void*) == 8, "Exakt needs a processor with addresses of 64 bits");

// Whether the program has kernels on a device at all: the same on both sides.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL) || \
    defined(KOKKOS_ENABLE_OPENMPTARGET) || defined(EXAKT_EMULATE_DEVICE)
#define EXAKT_HAS_DEVICE
#endif

// `name` if `macro` is 1; nothing if it is not defined.
#define EXAKT_ABI_IF(macro, name) EXAKT_ABI_SECOND(EXAKT_ABI_JOIN(EXAKT_ABI_IS_, macro)(name))
#define EXAKT_ABI_IS_1(name) ~, name
#define EXAKT_ABI_IS_2(name) ~, EXAKT_ABI_PASTE(name, 2)
#define EXAKT_ABI_IS_3(name) ~, EXAKT_ABI_PASTE(name, 3)
#define EXAKT_ABI_SECOND(...) EXAKT_ABI_SECOND_OF(__VA_ARGS__, , )
#define EXAKT_ABI_SECOND_OF(first, second, ...) second
#define EXAKT_ABI_JOIN(a, b) EXAKT_ABI_PASTE(a, b)
#define EXAKT_ABI_PASTE(a, b) a##b
#define EXAKT_ABI_JOIN_ALL(a, b, c, d, e, f, g, h, i, j) EXAKT_ABI_PASTE_ALL(a, b, c, d, e, f, g, h, i, j)
#define EXAKT_ABI_PASTE_ALL(a, b, c, d, e, f, g, h, i, j) a##b##c##d##e##f##g##h##i##j

// The instructions that a compiler may use without being asked: by the largest set, which has the ones before it, and
// letters for what comes with some processors only.
#if defined(__x86_64__)
#if defined(__AVX512F__)
#define EXAKT_ABI_SET avx512
#elif defined(__AVX2__)
#define EXAKT_ABI_SET avx2
#elif defined(__AVX__)
#define EXAKT_ABI_SET avx
#elif defined(__SSE4_2__)
#define EXAKT_ABI_SET sse42
#elif defined(__SSE4_1__)
#define EXAKT_ABI_SET sse41
#elif defined(__SSSE3__)
#define EXAKT_ABI_SET ssse3
#elif defined(__SSE3__)
#define EXAKT_ABI_SET sse3
#else
#define EXAKT_ABI_SET x86_64
#endif
#define EXAKT_ABI_SCALARS                                                                                           \
  EXAKT_ABI_JOIN_ALL(                                                                                               \
      EXAKT_ABI_IF(__FMA__, _fma), EXAKT_ABI_IF(__FMA4__, _fma4), EXAKT_ABI_IF(__F16C__, h),                        \
      EXAKT_ABI_IF(__POPCNT__, p), EXAKT_ABI_IF(__LZCNT__, l), EXAKT_ABI_IF(__BMI__, b), EXAKT_ABI_IF(__BMI2__, c), \
      EXAKT_ABI_IF(__MOVBE__, m), EXAKT_ABI_IF(__APX_F__, _apx),                                                    \
      EXAKT_ABI_JOIN_ALL(EXAKT_ABI_IF(__SSE4A__, a), EXAKT_ABI_IF(__XOP__, x), EXAKT_ABI_IF(__TBM__, t),            \
                         EXAKT_ABI_IF(__PRFCHW__, w), EXAKT_ABI_IF(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16, s), , , , , ))
#define EXAKT_ABI_VECTORS                                                                                             \
  EXAKT_ABI_JOIN_ALL(EXAKT_ABI_IF(__AVX512VL__, _l), EXAKT_ABI_IF(__AVX512DQ__, d), EXAKT_ABI_IF(__AVX512BW__, b),    \
                     EXAKT_ABI_IF(__AVX512CD__, c), EXAKT_ABI_IF(__AVX512IFMA__, i), EXAKT_ABI_IF(__AVX512VBMI__, v), \
                     EXAKT_ABI_IF(__AVX512VBMI2__, w), EXAKT_ABI_IF(__AVX512VNNI__, n),                               \
                     EXAKT_ABI_IF(__AVX512BITALG__, t),                                                               \
                     EXAKT_ABI_JOIN_ALL(EXAKT_ABI_IF(__AVX512VPOPCNTDQ__, p), EXAKT_ABI_IF(__AVX512BF16__, f),        \
                                        EXAKT_ABI_IF(__AVX512FP16__, h), EXAKT_ABI_IF(__AVXVNNI__, _vnni),            \
                                        EXAKT_ABI_IF(__AVXIFMA__, _ifma), EXAKT_ABI_IF(__GFNI__, _gfni),              \
                                        EXAKT_ABI_IF(__AVX10_2__, _avx10), , , ))
#elif defined(__aarch64__)
#define EXAKT_ABI_SET EXAKT_ABI_JOIN(aarch64_v, __ARM_ARCH)
#define EXAKT_ABI_SCALARS                                                                                           \
  EXAKT_ABI_JOIN_ALL(EXAKT_ABI_IF(__ARM_FEATURE_ATOMICS, a), EXAKT_ABI_IF(__ARM_FEATURE_QRDMX, q),                  \
                     EXAKT_ABI_IF(__ARM_FEATURE_JCVT, j), EXAKT_ABI_IF(__ARM_FEATURE_FRINT, r),                     \
                     EXAKT_ABI_IF(__ARM_FEATURE_COMPLEX, c), EXAKT_ABI_IF(__ARM_FEATURE_FP16_SCALAR_ARITHMETIC, h), \
                     EXAKT_ABI_IF(__ARM_FEATURE_MOPS, m), EXAKT_ABI_IF(__ARM_FEATURE_RCPC, p), , )
#define EXAKT_ABI_VECTORS                                                                                            \
  EXAKT_ABI_JOIN_ALL(EXAKT_ABI_IF(__ARM_FEATURE_SVE, _sve), EXAKT_ABI_IF(__ARM_FEATURE_SVE2, 2),                     \
                     EXAKT_ABI_IF(__ARM_FEATURE_DOTPROD, _d), EXAKT_ABI_IF(__ARM_FEATURE_MATMUL_INT8, i),            \
                     EXAKT_ABI_IF(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC, b), EXAKT_ABI_IF(__ARM_FEATURE_SHA3, s),     \
                     EXAKT_ABI_IF(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC, v), EXAKT_ABI_IF(__ARM_FEATURE_FP16_FML, f), \
                     EXAKT_ABI_SVE_BITS, EXAKT_ABI_IF(__ARM_FEATURE_CSSC, _cssc))
// Of vectors whose length the compiler was told.
#if defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 0
#define EXAKT_ABI_SVE_BITS EXAKT_ABI_JOIN(_, __ARM_FEATURE_SVE_BITS)
#else
#define EXAKT_ABI_SVE_BITS
#endif
#else
#if defined(__s390x__)
#define EXAKT_ABI_SET EXAKT_ABI_JOIN(s390x_, __ARCH__)
#elif defined(_ARCH_PWR10)
#define EXAKT_ABI_SET power10
#elif defined(_ARCH_PWR9)
#define EXAKT_ABI_SET power9
#elif defined(__riscv_v)
#define EXAKT_ABI_SET riscv_v
#else
#define EXAKT_ABI_SET other
#endif
#define EXAKT_ABI_SCALARS \
  EXAKT_ABI_JOIN_ALL(EXAKT_ABI_IF(__FP_FAST_FMA, _fma), EXAKT_ABI_RISCV_ADDRESSES, EXAKT_ABI_RISCV_BITS, , , , , , , )
#define EXAKT_ABI_VECTORS                                                             \
  EXAKT_ABI_JOIN_ALL(EXAKT_ABI_IF(__VSX__, _vsx), EXAKT_ABI_IF(__loongarch_sx, _lsx), \
                     EXAKT_ABI_IF(__loongarch_asx, _lasx), , , , , , , )
#if defined(__riscv_zba)
#define EXAKT_ABI_RISCV_ADDRESSES _zba
#else
#define EXAKT_ABI_RISCV_ADDRESSES
#endif
#if defined(__riscv_zbb)
#define EXAKT_ABI_RISCV_BITS _zbb
#else
#define EXAKT_ABI_RISCV_BITS
#endif
#endif

// Functions for hosts only or for devices too; tests of device code on hosts; kernels, which know no Kokkos.
#if defined(EXAKT_WITHOUT_KOKKOS)
#define EXAKT_ABI_PROGRAM _kernels
#elif defined(EXAKT_EMULATE_DEVICE)
#define EXAKT_ABI_PROGRAM _emulated_device
#elif defined(EXAKT_HAS_DEVICE)
#define EXAKT_ABI_PROGRAM _device
#else
#define EXAKT_ABI_PROGRAM
#endif

#define EXAKT_ABI EXAKT_ABI_JOIN_ALL(EXAKT_ABI_SET, EXAKT_ABI_SCALARS, EXAKT_ABI_VECTORS, EXAKT_ABI_PROGRAM, , , , , , )

#define EXAKT_COMPILED \
  EXAKT_ABI_JOIN_ALL(v, EXAKT_VERSION_MAJOR, _, EXAKT_VERSION_MINOR, _, EXAKT_VERSION_PATCH, , , , )

#define EXAKT_ABI_STRING(name) EXAKT_ABI_STRING_OF(name)
#define EXAKT_ABI_STRING_OF(name) #name
#define EXAKT_ABI_TAG __attribute__((abi_tag(EXAKT_ABI_STRING(EXAKT_ABI))))
#if defined(__NVCC__)
#pragma nv_diag_suppress 2648  // "superseded by later abi_tag attribute", of each template in a class template
#endif

#define EXAKT_FUNCTION EXAKT_ABI_TAG KOKKOS_FUNCTION
#define EXAKT_INLINE_FUNCTION EXAKT_ABI_TAG KOKKOS_INLINE_FUNCTION
// NOLINTBEGIN(performance-noexcept-move-constructor): as the members do
#define EXAKT_TAGGED_COPIES(Class)                        \
  EXAKT_ABI_TAG Class(Class const&) = default;            \
  EXAKT_ABI_TAG Class(Class&&) = default;                 \
  EXAKT_ABI_TAG Class& operator=(Class const&) = default; \
  EXAKT_ABI_TAG Class& operator=(Class&&) = default;      \
  EXAKT_ABI_TAG ~Class() = default
// NOLINTEND(performance-noexcept-move-constructor)

#endif
