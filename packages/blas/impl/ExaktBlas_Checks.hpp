// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_CHECKS_HPP
#define EXAKTBLAS_CHECKS_HPP

/// \file
/// \brief What the functions of this room ask of their operands, said in one voice. The checks stay on in Release.

#include <Exakt_FloatFormat.hpp>
#include <Exakt_Half.hpp>

#include <Kokkos_Core.hpp>

#include <stdexcept>
#include <string>

namespace Exakt::Impl {

/// "3 entries", "3 x 4".
template <class V>
std::string shape_of(V const& view) {
  if constexpr (V::rank == 1) {
    return std::to_string(view.extent(0)) + (view.extent(0) == 1 ? " entry" : " entries");
  } else {
    return std::to_string(view.extent(0)) + " x " + std::to_string(view.extent(1));
  }
}

template <class A, class B>
[[noreturn]] void refuse_shapes(char const* function, char const* a_name, A const& a, char const* b_name, B const& b,
                                char const* rule) {
  throw std::invalid_argument(std::string("Exakt::") + function + ": " + a_name + " is " + shape_of(a) + ", " + b_name +
                              " is " + shape_of(b) + "; " + rule);
}

/// x and y have the same extents.
template <class X, class Y>
void require_same_shape(char const* function, X const& x, Y const& y) {
  bool same = true;
  for (int d = 0; d < static_cast<int>(X::rank); ++d) same = same && x.extent(d) == y.extent(d);
  if (!same) refuse_shapes(function, "x", x, "y", y, "they must be the same");
}

/// r has one entry for each column of X, if X has columns.
template <class R, class X>
void require_entry_per_column(char const* function, R const& r, X const& x) {
  if constexpr (R::rank == 1) {
    if (r.extent(0) != x.extent(1)) refuse_shapes(function, "r", r, "X", x, "r.extent(0) must equal X.extent(1)");
  }
}

/// What can be known at compile time about an operand that `Space` reads.
template <class Space, class V>
constexpr void require_operand() {
  static_assert(Kokkos::is_view<V>::value, "Exakt: an operand is a Kokkos::View");
  static_assert(V::rank == 1 || V::rank == 2, "Exakt: an operand has rank 1 (a vector) or 2 (a vector per column)");
  static_assert(Kokkos::SpaceAccessibility<Space, typename V::memory_space>::accessible,
                "Exakt: the execution space must reach the memory of every operand");
  static_assert(converts_exactly_v<typename V::non_const_value_type, double>,
                "Exakt: entries are float or double (or Kokkos' half types)");
}

}  // namespace Exakt::Impl

#endif
