// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_MODES_HPP
#define EXAKTBLAS_MODES_HPP

/// \file
/// \brief Mode letters, and what the matrix functions ask of the extents of their operands.

#include "../ExaktBlas_ModeLetter.hpp"
#include "ExaktBlas_Checks.hpp"
#include "ExaktBlas_Scalars.hpp"

#include <string_view>

namespace Exakt::Impl::inline EXAKT_ABI {

/// One of the letters in `allowed`; says so otherwise: "N, T or C".
inline void require_mode(char const* function, char const* name, ModeLetter mode, std::string_view allowed) {
  std::string list;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (mode.is(allowed[i])) return;
    if (i > 0) list += i + 1 == allowed.size() ? " or " : ", ";
    list += allowed[i];
  }
  std::string const given = mode.as_given() == '\0' ? "empty" : std::string("'") + mode.as_given() + "'";
  throw std::invalid_argument(std::string("Exakt::") + function + ": " + name + " is " + given + "; it must be " +
                              list);
}

/// "A.extent(1)".
inline std::string extent_name(char const* operand, int dimension) {
  return std::string(operand) + ".extent(" + std::to_string(dimension) + ")";
}

/// The mode letters of one or two operands for an error message, such as "transA 'T' and transB 'C'"; 'N' is left out. The
/// text is made only when a check fails.
struct GivenModes {
  char const* name;
  ModeLetter mode;
  char const* other_name = "";
  ModeLetter other_mode = 'N';

  explicit operator std::string() const {
    auto const given = [](char const* of, ModeLetter letter) {
      return letter.is('N') ? std::string() : std::string(of) + " '" + letter.as_given() + "'";
    };
    std::string const first = given(name, mode), second = given(other_name, other_mode);
    return first.empty() || second.empty() ? first + second : first + " and " + second;
  }
};

/// a.extent(i) == b.extent(j), and if not, why with the letters given it has to be.
///
/// \param modes  What a std::string can be made of.
template <class A, class B, class Modes = char const*>
void require_extents(char const* function, char const* a_name, A const& a, int i, char const* b_name, B const& b, int j,
                     Modes const& modes = "") {
  if (a.extent(i) == b.extent(j)) [[likely]]
    return;
  std::string const given(modes);
  std::string const rule =
      (given.empty() ? "" : "with " + given + ", ") + extent_name(a_name, i) + " must equal " + extent_name(b_name, j);
  refuse_shapes(function, a_name, a, b_name, b, rule.c_str());
}

template <class A>
void require_square(char const* function, char const* name, A const& a) {
  if (a.extent(0) != a.extent(1)) {
    throw std::invalid_argument(std::string("Exakt::") + function + ": " + name + " is " + shape_of(a) +
                                "; it must be square");
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
