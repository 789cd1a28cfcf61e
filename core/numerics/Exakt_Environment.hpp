// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ENVIRONMENT_HPP
#define EXAKT_ENVIRONMENT_HPP

/// \file
/// \brief What compilers and run-time settings could do to exact arithmetic, and the guards against it.
///
/// | danger                                        | guard                                                       |
/// |-----------------------------------------------|-------------------------------------------------------------|
/// | -ffast-math and its parts                     | does not compile (below; Clang does not tell of every part) |
/// | a*b + c contracted to one fma                 | `opaque(a * b)`: the product is rounded before it is added  |
/// | rounding mode, flush-to-zero, denormals-zero, | `in_default_environment(f)` holds the default settings for  |
/// | unmasked exceptions                           | a piece of work; accumulators, which a user's kernel calls  |
/// |                                               | term by term, ask `fp_environment_is_default()` before they |
/// |                                               | use a floating-point operation, else compute with integers  |
/// | excess precision (x87)                        | does not compile (below)                                    |
/// | nvcc's --use_fast_math, which says nothing    | double is as ever; a float that may be subnormal never is a |
/// |                                               | floating-point operand or result, but bits                  |

#include "../parallel/Exakt_KokkosCompat.hpp"

#include <cfenv>
#include <cfloat>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <limits>
#endif

// GCC says by __GCC_IEC_559 that it was asked for any part of -ffast-math, but for those that concern errno and traps.
// Clang has macros for the whole and for -ffinite-math-only.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) ||     \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0) || \
    (defined(__GCC_IEC_559) && __GCC_IEC_559 == 0 && !defined(__clang__))
#error \
    "Exakt needs exact floating-point arithmetic: compile without -ffast-math and its parts (-Ofast, -fassociative-math, -ffinite-math-only, ...)"
#endif

// Clang takes the first of these pragmas only where it may not reassociate, multiply by reciprocals, drop signs of
// zeros or call approximations; its error shows the line, with what is said there. It ignores both on processors that
// it does not know them for.
#if defined(__clang__) && !defined(__NVCC__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wignored-pragmas"
#pragma float_control(except, on, push)  // Exakt needs exact floating-point arithmetic: without parts of -ffast-math
#pragma float_control(pop)
#pragma clang diagnostic pop

// The other parts show in what its optimizer knows of any number, or makes of a constant; at -O0 they change nothing.
namespace Exakt::Impl::inline EXAKT_ABI {
[[gnu::error("Exakt needs exact floating-point arithmetic: without -fno-honor-... and -fdenormal-fp-math")]] void
refuse_parts_of_fast_math();
[[gnu::used]] static void look_for_parts_of_fast_math(double x) {
  double subnormal = 0x1p-1022;
  subnormal *= 0.5;
  if (__builtin_constant_p(x == x) || __builtin_constant_p(x + __builtin_inf()) ||
      (__builtin_constant_p(subnormal) && __builtin_bit_cast(std::uint64_t, subnormal) != std::uint64_t(1) << 51))
    refuse_parts_of_fast_math();
}
}  // namespace Exakt::Impl::inline EXAKT_ABI
#endif

// FLT_EVAL_METHOD itself may say more of _Float16.
#if defined(__FLT_EVAL_METHOD__) ? __FLT_EVAL_METHOD__ != 0 : defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error \
    "Exakt needs float and double evaluated in their own precision: compile with -mfpmath=sse (FLT_EVAL_METHOD must be 0)"
#endif

namespace Exakt::Impl::inline EXAKT_ABI {

/// `x`, rounded to its type and unknown to the optimizer: what follows can neither be fused with the
/// operation that made x (GCC's default -ffp-contract=fast does so across statements) nor be reassociated.
///
/// On CUDA the operations that follow are explicitly rounded ones, which the compiler never fuses.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T opaque(T x) {
#if defined(__CUDA_ARCH__)
  return x;
#elif defined(__HIP_DEVICE_COMPILE__)
  __asm__("" : "+v"(x));
  return x;
#elif defined(__x86_64__)
  __asm__("" : "+x"(x));
  return x;
#elif defined(__aarch64__)
  __asm__("" : "+w"(x));
  return x;
#else
  T volatile stored = x;
  return stored;
#endif
}

#if !defined(EXAKT_DEVICE_SOURCE)

/// The state of the calling thread's floating-point unit: the settings (rounding mode, treatment of subnormal numbers,
/// exceptions that are trapped) and the exception flags.
///
/// Each thread has its own. A library that was loaded later, a debugging option or the caller may have changed it on
/// one thread only, so nothing may be inferred from another thread's.
#if defined(__x86_64__)
using FpState = unsigned;                                                  // MXCSR
inline constexpr FpState fp_settings = 0x6000 | 0x8000 | 0x0040 | 0x1f80,  // rounding, FTZ, DAZ, exception masks
    default_fp_settings = 0x1f80;
/// An instruction whose memory the compiler takes for an operand that is read: behind one that writes memory, and behind
/// its own function for this, it reads again what a user's loop has in registers.
KOKKOS_FORCEINLINE_FUNCTION FpState read_fp_state() {
  FpState state, in_memory;
  __asm__ volatile("stmxcsr %1\n\tmov{l %1, %0| %0, %1}" : "=r"(state) : "m"(in_memory));
  return state;
}
KOKKOS_FORCEINLINE_FUNCTION void write_fp_state(FpState state) { __builtin_ia32_ldmxcsr(state); }
#elif defined(__aarch64__)
using FpState = std::uint64_t;  // FPSR in the upper half, FPCR in the lower one
inline constexpr FpState fp_settings =
                             3u << 22 | 1u << 24 | 1u << 19 | 0x9f00 | 3u,  // rounding, FZ, FZ16, traps, AH, FIZ
    default_fp_settings = 0;
KOKKOS_FORCEINLINE_FUNCTION FpState read_fp_state() {
  std::uint64_t control, status;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(status));
  return status << 32 | (control & 0xffffffff);
}
KOKKOS_FORCEINLINE_FUNCTION void write_fp_state(FpState state) {
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(state & 0xffffffff), "r"(state >> 32));
}
#else
using FpState = std::fenv_t;  // the C library knows its contents
KOKKOS_INLINE_FUNCTION FpState read_fp_state() {
  FpState state;
  std::fegetenv(&state);
  return state;
}
KOKKOS_INLINE_FUNCTION void write_fp_state(FpState const& state) { std::fesetenv(&state); }
#endif

#if defined(__x86_64__) || defined(__aarch64__)
KOKKOS_FORCEINLINE_FUNCTION bool is_default_fp_state(FpState state) {
  return (state & fp_settings) == default_fp_settings;
}
/// \param found  What read_fp_state() returned: its exception flags stay.
KOKKOS_FORCEINLINE_FUNCTION void write_default_fp_settings(FpState found) {
  write_fp_state((found & ~fp_settings) | default_fp_settings);
}
#else
/// Asks for the mode and the traps, and tries a subnormal operand and a subnormal result.
KOKKOS_INLINE_FUNCTION bool is_default_fp_state(FpState const&) {
#if defined(__GLIBC__)
  if (fegetexcept() != 0) return false;
#endif
  double const volatile smallest_normal = std::numeric_limits<double>::min();
  double const volatile subnormal = smallest_normal / 2;
  return std::fegetround() == FE_TONEAREST && subnormal + subnormal == smallest_normal;
}
/// FE_DFL_ENV need not be the address of anything.
KOKKOS_INLINE_FUNCTION void write_default_fp_settings(FpState const&) { std::fesetenv(FE_DFL_ENV); }
#endif

/// Holds the default settings on the calling thread for its lifetime. If they were others, it gives the whole state
/// back then, exception flags included. If not, flags stay as the work has left them: to clear one, and to raise it
/// again in the next call, takes processors as long as a sum of hundreds of numbers (FoundState is for those who must).
class DefaultEnvironment {
 public:
  KOKKOS_FORCEINLINE_FUNCTION DefaultEnvironment()
      : m_found(read_fp_state()), m_is_other(!is_default_fp_state(m_found)) {
    if (m_is_other) [[unlikely]]
      write_default_fp_settings(m_found);
  }
  KOKKOS_FORCEINLINE_FUNCTION ~DefaultEnvironment() {
    if (m_is_other) [[unlikely]]
      write_fp_state(m_found);
  }
  DefaultEnvironment(DefaultEnvironment const&) = delete;
  DefaultEnvironment& operator=(DefaultEnvironment const&) = delete;

 private:
  FpState m_found;
  bool m_is_other;
};

/// The state that a call found, whose exception flags it restores: for programs that are not C++, and may look at them.
class FoundState {
 public:
  FoundState() : m_found(read_fp_state()), m_flags(flags_of(m_found)) {}

  /// Whether the settings were the default ones.
  bool is_default() const { return is_default_fp_state(m_found); }

  /// All flags but that of inexact results as they were. This waits for all additions and multiplications under way.
  void restore_flags() const {
    if (int const raised = flags_of(read_fp_state()) & ~m_flags; raised != 0) [[unlikely]]
      std::feclearexcept(raised);
  }

 private:
  static constexpr int of_interest = FE_ALL_EXCEPT & ~FE_INEXACT;

  /// \param state  The present one.
  static int flags_of([[maybe_unused]] FpState const& state) {
#if defined(__x86_64__)
    return static_cast<int>(state) & of_interest;  // x87 has raised none
#elif defined(__aarch64__)
    return static_cast<int>(state >> 32) & of_interest;
#else
    return std::fetestexcept(of_interest);
#endif
  }

  FpState m_found;
  int m_flags;
};

/// f(), not inlined: compilers do not know that floating-point operations depend on the control word, and would move
/// them across its changes.
EXAKT_CALLS_ARGUMENT
template <class F>
__attribute__((noinline)) void call_out_of_line(F const& f) {
  f();
}

#endif

/// \brief Whether the calling thread rounds to nearest, keeps subnormal numbers, and traps no exception.
///
/// Reads the control word (a few cycles). A caller that gets `false` must not use a single floating-point operation,
/// conversions and comparisons included.
KOKKOS_FORCEINLINE_FUNCTION bool fp_environment_is_default() {
#if defined(EXAKT_DEVICE_SOURCE)
  return true;  // there is no such state on a device
#else
  return is_default_fp_state(read_fp_state());
#endif
}

/// \brief f() in the default floating-point environment, whatever the calling thread's is; on devices just f().
///
/// Every public function of the library works inside of one, on the calling thread, and every kernel that it starts
/// (`Held`) on each thread. Results leave through memory, not as a return value. Functions of a user are never called
/// inside.
EXAKT_CALLS_ARGUMENT
template <class F>
KOKKOS_FORCEINLINE_FUNCTION void in_default_environment(F const& f) {
  EXAKT_IF_ON_DEVICE((f();))
  EXAKT_IF_ON_HOST((DefaultEnvironment const held; call_out_of_line(f);))
}

/// A kernel, each call of it in the default floating-point environment: what parallel_for gets.
template <class F>
struct Held {
  F f;

  template <class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Arguments&&... arguments) const {
    EXAKT_IF_ON_DEVICE((f(arguments...);))
    EXAKT_IF_ON_HOST((in_default_environment([&] { f(arguments...); });))
  }
};
template <class F>
Held<F> held(F const& f) {
  return {f};
}

/// The same for parallel_reduce over a range: Kokkos looks for the type of the sum in the signature, and for init and
/// join in the functor.
template <class Value, class F>
struct HeldReduction : F {
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::size_t i, Value& value) const {
    EXAKT_IF_ON_DEVICE((F::operator()(i, value);))
    EXAKT_IF_ON_HOST((in_default_environment([&] { F::operator()(i, value); });))
  }
};
template <class Value, class F>
HeldReduction<Value, F> held(F const& f) {
  return {f};
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
