// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_MODELETTER_HPP
#define EXAKTBLAS_MODELETTER_HPP

#include <parallel/Exakt_KokkosCompat.hpp>

#include <Kokkos_Core.hpp>

namespace Exakt {

/// \brief A mode of a matrix function: "N", "T", "upper", 'u'. The first character counts, in either case, as in
/// Kokkos Kernels; the function says which letters it takes.
class ModeLetter {
 public:
  EXAKT_FUNCTION ModeLetter(char letter) : m_letter(letter) {}
  /// \param text  No mode if it is null.
  EXAKT_FUNCTION ModeLetter(char const* text) : m_letter(text == nullptr ? '\0' : text[0]) {}

  /// \param upper  A letter in upper case.
  EXAKT_FUNCTION bool is(char upper) const { return m_letter == upper || m_letter == upper + ('a' - 'A'); }
  EXAKT_FUNCTION char as_given() const { return m_letter; }

 private:
  char m_letter;
};

}  // namespace Exakt

#endif
