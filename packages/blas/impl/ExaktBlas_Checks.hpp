// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_CHECKS_HPP
#define EXAKTBLAS_CHECKS_HPP

/// \file
/// \brief What the functions of this room ask of their operands, said in one voice. The checks stay on in Release.

#include <Exakt_FloatFormat.hpp>
#include <Exakt_Half.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace Exakt::Impl {

/// "3 entries", "3 x 4".
template <class V>
std::string shape_of(V const& view) {
  if constexpr (V::rank == 0) {
    return "a single entry";
  } else if constexpr (V::rank == 1) {
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

/// Bytes from one entry to the next along dimension d; as if of one column for a vector, of one entry for a number.
template <class V>
std::ptrdiff_t stride_of(V const& view, int d) {
  return d < static_cast<int>(V::rank) ? static_cast<std::ptrdiff_t>(view.stride(d) * sizeof(*view.data())) : 0;
}

/// Whether an entry of `a` is an entry of `b`: in memory, not just within its span, as columns of a matrix interleave.
template <class A, class B>
bool share_entries(A const& a, B const& b) {
  if (a.size() == 0 || b.size() == 0) return false;
  auto const first = [](auto const& view) { return reinterpret_cast<std::uintptr_t>(view.data()); };
  auto const last = [&](auto const& view) {
    auto end = first(view);
    for (int d = 0; d < 2; ++d) end += stride_of(view, d) * (view.extent(d) - 1);
    return end;
  };
  if (last(a) < first(b) || last(b) < first(a)) return false;
  if constexpr (!std::is_same_v<typename A::non_const_value_type, typename B::non_const_value_type>) return true;

  // An entry of a at (i, j), a column k of b: is there a row of b at that place?
  std::ptrdiff_t const distance = static_cast<std::ptrdiff_t>(first(a) - first(b)), step = stride_of(b, 0);
  auto const rows = static_cast<std::ptrdiff_t>(b.extent(0));
  auto const row_at = [&](std::ptrdiff_t offset) {
    return step == 0 ? offset == 0 : offset % step == 0 && offset / step >= 0 && offset / step < rows;
  };
  for (std::size_t i = 0; i < a.extent(0); ++i) {
    for (std::size_t j = 0; j < a.extent(1); ++j) {
      std::ptrdiff_t const entry = distance + static_cast<std::ptrdiff_t>(i) * stride_of(a, 0) +
                                   static_cast<std::ptrdiff_t>(j) * stride_of(a, 1);
      for (std::size_t k = 0; k < b.extent(1); ++k) {
        if (row_at(entry - static_cast<std::ptrdiff_t>(k) * stride_of(b, 1))) return true;
      }
    }
  }
  return false;
}

/// Whether both are the same entries in the same places.
template <class A, class B>
bool same_entries(A const& a, B const& b) {
  bool same = static_cast<void const*>(a.data()) == static_cast<void const*>(b.data());
  for (int d = 0; d < 2; ++d) same = same && (a.extent(d) < 2 || stride_of(a, d) == stride_of(b, d));
  return same;
}

/// What is written is not read as something else.
template <class Out, class In>
void require_no_overlap(char const* function, char const* out_name, Out const& out, char const* in_name, In const& in) {
  if (share_entries(out, in)) refuse_shapes(function, out_name, out, in_name, in, "they must not share memory");
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
