// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an exported function is made of, for the interface that ExaktBlasAbi_Entries.hpp is compiled for: types of its
// arguments, its body with the call of the BLAS behind, and macros that define it. No include guard there, none here.

#include "../ExaktBlasAbi_Lapack.hpp"
#include "../ExaktBlasAbi_Verbs.hpp"

#include <bit>
#include <type_traits>

namespace ExaktBlasAbi {
namespace {

#if EXAKT_BLAS_OF_C
using Mode = int;
using Int = EXAKT_BLAS_INTEGER;
using Place = std::size_t;
/// Complex numbers are passed by their address.
template <class T>
using Value = std::conditional_t<is_complex<T>, T const*, T>;
#define EXAKT_BLAS_LAYOUT int layout,
#else
using Mode = char const*;
using Int = EXAKT_BLAS_INTEGER const*;
using Place = EXAKT_BLAS_INTEGER;
template <class T>
using Value = T const*;
#define EXAKT_BLAS_LAYOUT
#endif

/// C counts from zero.
template <class T>
Place place_of_largest(Call& call, Integer n, T const* x, Integer incx) {
  std::size_t const number = iamax(call, n, x, incx);
  return static_cast<Place>(EXAKT_BLAS_OF_C && number > 0 ? number - 1 : number);
}

/// The same function of the BLAS behind. Fortran's hidden lengths of letters are not passed: no routine of the BLAS looks
/// at them.
template <class R, class... A>
R call_next(void* function, R (*)(A...), std::type_identity_t<A>... arguments) {
  return reinterpret_cast<R (*)(A...)>(function)(arguments...);
}

template <class R, class Ours>
R run(Ours const& ours) {
  if constexpr (std::is_void_v<R>) {
    ours();
  } else {
    return std::bit_cast<R>(ours());
  }
}

/// One call in the BLAS behind as well.
template <class R, class... A, class Ours>
__attribute__((noinline)) R enter_both(Call& call, char const* name, R (*self)(A...), Ours const& ours,
                                       std::type_identity_t<A>... arguments) {
  void* const function = next_function(name);
  auto const theirs = [&](void* result) {
    if constexpr (std::is_void_v<R>) {
      call_next(function, self, arguments...);
    } else {
      *static_cast<R*>(result) = call_next(function, self, arguments...);
    }
  };
  OtherCall const other{&theirs,
                        [](void const* lambda, void* result) { (*static_cast<decltype(theirs)*>(lambda))(result); }};
  // A BLAS need not have what is LAPACK's.
  if (function == nullptr) {
    call.note_missing();
  } else if (is_in_other_call()) {
    return call_next(function, self, arguments...);
  } else {
    call.compare_with(other);
  }
  return run<R>(ours);
}

/// One call: the same with EXAKT_BLAS_VERIFY.
template <class R, class... A, class Ours>
R enter(Call& call, char const* name, R (*self)(A...), Ours const& ours, std::type_identity_t<A>... arguments) {
  if (is_verifying()) [[unlikely]]
    return enter_both(call, name, self, ours, arguments...);
  return run<R>(ours);
}

}  // namespace
}  // namespace ExaktBlasAbi

#define EXAKT_BLAS_TEXT_OF(name) #name
#define EXAKT_BLAS_TEXT(name) EXAKT_BLAS_TEXT_OF(name)
#define EXAKT_BLAS_SAME_AS(verb, other) \
  __attribute__((visibility("default"), \
                 alias(EXAKT_BLAS_TEXT(EXAKT_BLAS_NAME(verb))))) decltype(EXAKT_BLAS_NAME(verb)) other;

/// A function with vectors alone: R name parameters, which is core(arguments...).
#define EXAKT_BLAS_ENTRY(R, verb, core, parameters, ...)                                                               \
  __attribute__((visibility("default"))) R EXAKT_BLAS_NAME(verb) parameters {                                          \
    Call call(#verb, EXAKT_BLAS_OF_C);                                                                                 \
    return enter(                                                                                                      \
        call, EXAKT_BLAS_TEXT(EXAKT_BLAS_NAME(verb)), &EXAKT_BLAS_NAME(verb), [&] { return core(call, __VA_ARGS__); }, \
        __VA_ARGS__);                                                                                                  \
  }                                                                                                                    \
  EXAKT_BLAS_ALIASES(verb)

/// The same with matrices.
#if EXAKT_BLAS_OF_C
#define EXAKT_BLAS_MATRIX_ENTRY(verb, core, parameters, ...)                                                    \
  __attribute__((visibility("default"))) void EXAKT_BLAS_NAME(verb) parameters {                                \
    Call call = Call::of_matrices(#verb, layout);                                                               \
    enter(                                                                                                      \
        call, EXAKT_BLAS_TEXT(EXAKT_BLAS_NAME(verb)), &EXAKT_BLAS_NAME(verb), [&] { core(call, __VA_ARGS__); }, \
        layout, __VA_ARGS__);                                                                                   \
  }                                                                                                             \
  EXAKT_BLAS_ALIASES(verb)
#else
#define EXAKT_BLAS_MATRIX_ENTRY(verb, core, parameters, ...) EXAKT_BLAS_ENTRY(void, verb, core, parameters, __VA_ARGS__)
#endif
