// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktBlasAbi_Call.hpp"

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>

// Programs and LAPACK may have functions of their own of these names: they are found first.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): names of BLAS and CBLAS

// By these the reference CBLAS tells a program's own cblas_xerbla that it swaps operands of matrices by rows, and their
// numbers with them. We do not.
__attribute__((visibility("default"))) int CBLAS_CallFromC = 0, RowMajorStrg = 0;

/// \param number  Of 32 bits, or of 64 the first 32, which are all of a small number where the lowest byte comes first. There are 64
///                to read in those that are passed here.
__attribute__((visibility("default"))) void xerbla_(char const* name, std::int32_t const* number, std::size_t length) {
  if (void* const next = ExaktBlasAbi::next_symbol("xerbla_"))
    return reinterpret_cast<decltype(&xerbla_)>(next)(name, number, length);
  while (length > 0 && name[length - 1] == ' ') --length;
  std::fprintf(stderr, " ** On entry to %.*s parameter number %2d had an illegal value\n", static_cast<int>(length),
               name, static_cast<int>(*number));
}

__attribute__((visibility("default"), format(printf, 3, 4))) void cblas_xerbla(int number, char const* name,
                                                                               char const* format, ...) {
  char text[256];
  std::va_list rest;
  va_start(rest, format);
  std::vsnprintf(text, sizeof(text), format, rest);
  va_end(rest);
  if (void* const next = ExaktBlasAbi::next_symbol("cblas_xerbla"))
    return reinterpret_cast<decltype(&cblas_xerbla)>(next)(number, name, "%s", text);
  std::fprintf(stderr, "Parameter %d to routine %s was incorrect\n%s", number, name, text);
}

// NOLINTEND(readability-identifier-naming)
}  // extern "C"

namespace ExaktBlasAbi {

void Call::report() const {
  char name[32];
  if (m_is_c) {
    std::snprintf(name, sizeof(name), "cblas_%s", m_verb);
    RowMajorStrg = 0;
    return cblas_xerbla(m_wrong + 1, name, "%s", "");
  }
  // Six letters, as the reference BLAS has it.
  std::snprintf(name, sizeof(name), "%-6s", m_verb);
  for (char* letter = name; *letter != '\0'; ++letter)
    if (*letter >= 'a' && *letter <= 'z') *letter = static_cast<char>(*letter - 32);
  alignas(std::int64_t) std::int32_t const number[] = {m_wrong, 0};
  xerbla_(name, number, std::strlen(name));
}

}  // namespace ExaktBlasAbi
