// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktBlasAbi_Call.hpp"

#include <bit>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

// Programs and LAPACK may have functions of their own of these names: they are found first.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): names of BLAS and CBLAS

/// What 32 and 64 bits are read from alike.
using ArgumentNumber = std::conditional_t<std::endian::native == std::endian::little, std::int64_t, std::int32_t>;

// By these the reference CBLAS tells a program's own cblas_xerbla that it swaps operands of matrices by rows, and their
// numbers with them. We do not.
__attribute__((visibility("default"))) int CBLAS_CallFromC = 0, RowMajorStrg = 0;

__attribute__((visibility("default"))) void xerbla_(char const* name, ArgumentNumber const* number,
                                                    std::size_t length) {
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
  ArgumentNumber const number = m_wrong;
  xerbla_(name, &number, std::strlen(name));
}

}  // namespace ExaktBlasAbi
