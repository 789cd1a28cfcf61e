// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTC_CALL_HPP
#define EXAKTC_CALL_HPP

/// \file
/// \brief What every function of the C interface does around its work: the default floating-point environment, no
/// exception beyond this point, a status and a sentence.

#include "exakt.h"

#include <Exakt_Rounding.hpp>
#include <drivers/ExaktBlas_Compiled.hpp>
#include <numerics/Exakt_Environment.hpp>
#include <operands/ExaktBlas_Checks.hpp>

#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ExaktC {

/// What exakt_message() returns on this thread. No allocation: it may tell that there is no memory.
void set_message(char const* function, char const* sentence) noexcept;

/// Refuses the arguments of a call; guarded() names the function.
[[noreturn]] inline void refuse(std::string const& why) { throw std::invalid_argument(why); }

inline void require(bool holds, char const* why) {
  if (!holds) [[unlikely]]
    refuse(why);
}

/// The sentence behind the name of a C++ function: a C program has called another one.
inline char const* without_inner_function(char const* sentence) {
  constexpr std::string_view scope = "Exakt::", colon = ": ";
  if (std::strncmp(sentence, scope.data(), scope.size()) != 0) return sentence;
  char const* const end_of_name = std::strstr(sentence + scope.size(), colon.data());
  return end_of_name == nullptr ? sentence : end_of_name + colon.size();
}

/// work() in the default floating-point environment; what it throws becomes a status. Exception flags stay as they are.
template <class Work>
exakt_status guarded(char const* function, Work const& work) noexcept {
  struct SameFlags : Exakt::Impl::FoundState {
    ~SameFlags() { restore_flags(); }
  } const same_flags;
  try {
    Exakt::Impl::in_default_environment(work);
    return EXAKT_SUCCESS;
  } catch (std::invalid_argument const& error) {
    set_message(function, without_inner_function(error.what()));
    return EXAKT_INVALID_ARGUMENT;
  } catch (std::bad_alloc const&) {
    set_message(function, "there is not enough memory");
    return EXAKT_OUT_OF_MEMORY;
  } catch (std::exception const& error) {
    set_message(function, error.what());
  } catch (...) {
    set_message(function, "an exception of unknown type");
  }
  return EXAKT_INTERNAL_ERROR;
}

inline void require_pointer(void const* pointer, char const* name) {
  if (pointer == nullptr) [[unlikely]]
    refuse(std::string(name) + " is NULL");
}

/// \return n as a size.
inline std::size_t size_of(std::ptrdiff_t n, char const* name = "n") {
  constexpr std::ptrdiff_t most = PTRDIFF_MAX / static_cast<std::ptrdiff_t>(sizeof(float));
  if (n < 0 || n > most) [[unlikely]]
    refuse(std::string(name) + " is " + std::to_string(n) +
           (n < 0 ? "; it must not be negative" : "; no array has so many entries"));
  return static_cast<std::size_t>(n);
}

/// The distance between entries, in whichever direction.
inline std::size_t magnitude_of(std::ptrdiff_t increment) {
  auto const step = static_cast<std::size_t>(increment);
  return increment < 0 ? 0 - step : step;
}

/// Refuses n entries, or lines of entries, of which no pointer reaches the last one. \pre n > 0.
inline void require_reachable(std::size_t n, std::ptrdiff_t increment, std::size_t size_of_entry, char const* name) {
  std::size_t bytes;
  if (__builtin_mul_overflow(n - 1, magnitude_of(increment), &bytes) ||
      __builtin_mul_overflow(bytes, size_of_entry, &bytes) || bytes > PTRDIFF_MAX) [[unlikely]]
    refuse(std::string(name) + " is taken as " + std::to_string(n) + " times " + std::to_string(increment) +
           " entries, which is more than memory holds");
}

/// One of the enumerators, which follow each other.
inline void require_mode(int mode, int first, int last, char const* name, char const* names) {
  if (mode < first || mode > last) [[unlikely]]
    refuse(std::string(name) + " is " + std::to_string(mode) + "; it must be " + names);
}
inline bool is_transposed(exakt_transpose trans, char const* name) {
  require_mode(trans, EXAKT_NO_TRANS, EXAKT_CONJ_TRANS, name, "EXAKT_NO_TRANS, EXAKT_TRANS or EXAKT_CONJ_TRANS");
  return trans != EXAKT_NO_TRANS;
}

inline Exakt::Rounding rounding_of(exakt_rounding mode) {
  int const number = static_cast<int>(mode);
  if (number < EXAKT_TO_NEAREST || number > EXAKT_DOWNWARD) [[unlikely]]
    refuse("the rounding mode is " + std::to_string(number) + "; it must be EXAKT_TO_NEAREST, EXAKT_TOWARD_ZERO, " +
           "EXAKT_UPWARD or EXAKT_DOWNWARD");
  return static_cast<Exakt::Rounding>(number);
}

/// A vector as drivers take it: the first entry, which is at the end of the memory if the increment is negative.
template <class T>
Exakt::Compiled::Matrix<T> vector_of(std::size_t n, T* x, std::ptrdiff_t increment, char const* name) {
  if (n == 0) return {x, 1, 0};
  require_pointer(x, name);
  require_reachable(n, increment, sizeof(T), name);
  return {increment < 0 ? x - static_cast<std::ptrdiff_t>(n - 1) * increment : x, increment, 0};
}

/// The increment of the same entries from the lowest address on. (PTRDIFF_MIN has no opposite, and no memory for two.)
inline std::ptrdiff_t ascending(std::ptrdiff_t increment) {
  return increment < 0 && increment != PTRDIFF_MIN ? -increment : increment;
}

inline Exakt::Compiled::Matrix<double const> constant(Exakt::Compiled::Matrix<double> const& x) {
  return {x.data, x.row_stride, x.column_stride};
}
inline Exakt::Compiled::Matrix<float const> constant(Exakt::Compiled::Matrix<float> const& x) {
  return {x.data, x.row_stride, x.column_stride};
}

}  // namespace ExaktC

#endif
