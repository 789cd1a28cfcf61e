// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_OPERANDCHECKS_HPP
#define EXAKT_OPERANDCHECKS_HPP

/// \file
/// \brief Checks of the shapes of operands and of their places in memory, with one wording for all functions. They
/// stay on in Release.

#include "Exakt_Operand.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Says that bins are to be read though additions to them were refused.
struct AlsoAfterRefusals {};

/// "3 entries", "3 x 4".
inline std::string shape_of(int rank, std::size_t rows, std::size_t columns) {
  if (rank == 0) return "a single entry";
  if (rank == 1) return std::to_string(rows) + (rows == 1 ? " entry" : " entries");
  return std::to_string(rows) + " x " + std::to_string(columns);
}
template <class V>
std::string shape_of(V const& view) {
  std::string shape = shape_of(static_cast<int>(V::rank), view.extent(0), view.extent(1));
  for (int d = 2; d < static_cast<int>(V::rank); ++d) shape += " x " + std::to_string(view.extent(d));
  return shape;
}

/// A number as a message tells it: neighbours differ in it.
inline std::string number_in_message(double x) {
  if (std::isnan(x)) return "nan";  // whatever its sign
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

[[noreturn]] inline void refuse_shapes(char const* function, char const* a_name, std::string const& a_shape,
                                       char const* b_name, std::string const& b_shape, char const* rule) {
  throw std::invalid_argument(std::string("Exakt::") + function + ": " + a_name + " is " + a_shape + ", " + b_name +
                              " is " + b_shape + "; " + rule);
}
template <class A, class B>
[[noreturn]] void refuse_shapes(char const* function, char const* a_name, A const& a, char const* b_name, B const& b,
                                char const* rule) {
  refuse_shapes(function, a_name, shape_of(a), b_name, shape_of(b), rule);
}

/// x and y have the same extents.
template <class X, class Y>
void require_same_shape(char const* function, X const& x, Y const& y, char const* y_name = "y") {
  bool same = true;
  for (int d = 0; d < static_cast<int>(X::rank); ++d) same = same && x.extent(d) == y.extent(d);
  if (!same) refuse_shapes(function, "x", x, y_name, y, "they must be the same");
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
  return stride_along(view, d) * static_cast<std::ptrdiff_t>(sizeof(*view.data()));
}

/// Whether distance + i*a = k*b for an i in [0, m) and a k in [0, n); a, b >= 0.
inline bool progressions_meet(std::ptrdiff_t distance, std::ptrdiff_t a, std::size_t m, std::ptrdiff_t b,
                              std::size_t n) {
  auto const within = [](std::ptrdiff_t difference, std::ptrdiff_t step, std::size_t count) {
    return step == 0
               ? difference == 0
               : difference >= 0 && difference % step == 0 && difference / step < static_cast<std::ptrdiff_t>(count);
  };
  auto const rows = static_cast<std::ptrdiff_t>(m), other_rows = static_cast<std::ptrdiff_t>(n);
  if (a == b) {  // distance is a multiple of both, and neither beyond the last of one nor before the first of the other
    return within(distance, b, n) || within(-distance, a, m);
  }
  if (distance > (other_rows - 1) * b || distance + (rows - 1) * a < 0) return false;
  std::ptrdiff_t const divisor = std::gcd(a, b);
  if (distance % divisor != 0) return false;
  // Solutions repeat after b / divisor steps of a: the first period within the span of b tells.
  std::ptrdiff_t const begin = distance < 0 && a > 0 ? (-distance + a - 1) / a : 0;
  std::ptrdiff_t const end = std::min(rows, begin + (a == 0 ? 1 : std::max<std::ptrdiff_t>(b / divisor, 1)));
  for (std::ptrdiff_t i = begin; i < end; ++i)
    if (within(distance + i * a, b, n)) return true;
  return false;
}

/// Where the entries of a vector or a matrix lie, in bytes.
struct Footprint {
  std::uintptr_t first;
  std::size_t rows, columns;
  std::ptrdiff_t row_stride, column_stride, entry;

  /// Of a View, or what is one along two of its dimensions.
  template <class V>
  explicit Footprint(V const& view, int row_dimension = 0, int column_dimension = 1)
      : first(reinterpret_cast<std::uintptr_t>(view.data())),
        rows(view.extent(row_dimension)),
        columns(view.extent(column_dimension)),
        row_stride(stride_of(view, row_dimension)),
        column_stride(stride_of(view, column_dimension)),
        entry(sizeof(typename V::value_type)) {}
  std::uintptr_t end() const { return first + row_stride * (rows - 1) + column_stride * (columns - 1) + entry; }
};

/// Whether an entry of `a` begins where one of `b` does, if their first ones are `distance` apart. \pre Both have entries.
inline bool entries_meet(Footprint const& a, Footprint const& b, std::ptrdiff_t distance) {
  // Column j of a and column k of b: two arithmetic progressions that start `distance` apart.
  auto const columns_meet = [&](std::ptrdiff_t apart) {
    return progressions_meet(apart, a.row_stride, a.rows, b.row_stride, b.rows);
  };
  auto const a_columns = static_cast<std::ptrdiff_t>(a.columns), b_columns = static_cast<std::ptrdiff_t>(b.columns);
  if (a.column_stride == b.column_stride) {  // as two parts of one matrix: only j - k matters
    for (std::ptrdiff_t d = 1 - b_columns; d < a_columns; ++d)
      if (columns_meet(distance + d * a.column_stride)) return true;
    return false;
  }
  for (std::ptrdiff_t j = 0; j < a_columns; ++j)
    for (std::ptrdiff_t k = 0; k < b_columns; ++k)
      if (columns_meet(distance + j * a.column_stride - k * b.column_stride)) return true;
  return false;
}

/// Whether an entry of `a` has a byte of an entry of `b`: one is the other, or a part of it, as of a complex number.
inline bool entries_overlap(Footprint const& a, Footprint const& b) {
  auto const distance = static_cast<std::ptrdiff_t>(a.first - b.first);
  std::ptrdiff_t unit = std::gcd(distance, std::gcd(a.entry, b.entry));  // of which all distances are multiples
  for (Footprint const& one : {a, b}) {
    if (one.rows > 1) unit = std::gcd(unit, one.row_stride);
    if (one.columns > 1) unit = std::gcd(unit, one.column_stride);
  }
  for (std::ptrdiff_t within = unit - a.entry; within < b.entry; within += unit)
    if (entries_meet(a, b, distance - within)) return true;
  return false;
}

/// The same of two operands: in memory, not just within their spans, as columns of a matrix interleave.
template <class A, class B>
bool share_entries(A const& a, B const& b) {
  if (a.size() == 0 || b.size() == 0) return false;
  Footprint const of_a(a), of_b(b);
  return of_b.first < of_a.end() && of_a.first < of_b.end() && entries_overlap(of_a, of_b);
}

/// Whether both are the same entries in the same places, and of one type: the real parts of y are not y.
template <class A, class B>
bool same_entries(A const& a, B const& b) {
  bool same = std::is_same_v<typename A::non_const_value_type, typename B::non_const_value_type> &&
              static_cast<void const*>(a.data()) == static_cast<void const*>(b.data());
  for (int d = 0; d < 2; ++d) same = same && (a.extent(d) < 2 || stride_of(a, d) == stride_of(b, d));
  return same;
}

/// \brief Whether two entries of a vector or a matrix are one in memory: row_stride * i = column_stride * j for an i and a
/// j that are distances within it, which have no common factor.
inline bool has_shared_entries(Footprint const& a) {
  auto const step_of = [](std::ptrdiff_t stride, std::size_t n) { return n > 1 ? std::abs(stride) : 0; };
  std::ptrdiff_t const rows = step_of(a.row_stride, a.rows), columns = step_of(a.column_stride, a.columns);
  if ((a.rows > 1 && rows == 0) || (a.columns > 1 && columns == 0)) return a.rows > 0 && a.columns > 0;
  if (a.rows < 2 || a.columns < 2) return false;
  std::ptrdiff_t const common = std::gcd(rows, columns);
  return static_cast<std::size_t>(columns / common) < a.rows && static_cast<std::size_t>(rows / common) < a.columns;
}

/// Each entry of what is written has a place of its own, as all layouts but LayoutStride see to. With more than two
/// dimensions: each of those along two of them.
template <class Out>
void require_separate_entries(char const* function, char const* name, Out const& out) {
  if constexpr (std::is_same_v<typename Out::array_layout, Kokkos::LayoutStride>) {
    constexpr int rank = std::max(static_cast<int>(Out::rank), 2);
    bool are_shared = false;
    if (out.size() > 0)
      for (int column = 1; column < rank; ++column)
        for (int row = 0; row < column; ++row)
          are_shared = are_shared || has_shared_entries(Footprint(out, row, column));
    if (are_shared)
      throw std::invalid_argument(std::string("Exakt::") + function + ": " + name + " is " + shape_of(out) +
                                  ", some of which are one in memory by their strides; each is written");
  }
}

/// What is written is not read as something else.
template <class Out, class In>
void require_no_overlap(char const* function, char const* out_name, Out const& out, char const* in_name, In const& in) {
  require_separate_entries(function, out_name, out);
  if (share_entries(out, in)) refuse_shapes(function, out_name, out, in_name, in, "they must not share memory");
}
/// The same where results may take the place of what they are made of.
template <class Out, class In>
void require_in_place_or_no_overlap(char const* function, char const* out_name, Out const& out, char const* in_name,
                                    In const& in) {
  require_separate_entries(function, out_name, out);
  if (!same_entries(out, in) && share_entries(out, in))
    refuse_shapes(function, out_name, out, in_name, in, "they must be the same entries, or share no memory");
}

template <class V>
KOKKOS_FUNCTION constexpr bool require_output() {
  if constexpr (are_views_v<V>) static_assert(!std::is_const_v<typename V::value_type>, "Exakt: the result is written");
  return true;
}

/// \brief What can be known at compile time about a vector, or a multivector, that `Space` reaches: in a static_assert
/// (Exakt_Operand.hpp).
///
/// \tparam NumberOf  The type of the numbers that an entry consists of, which is one number as a rule.
template <class Space, class V, template <class> class NumberOf = std::type_identity_t>
constexpr bool require_operand() {
  static_assert(require_views<V>());
  if constexpr (are_views_v<V>) {
    static_assert(
        V::rank == 1 || V::rank == 2,
        "Exakt: an operand has rank 1 (a vector) or 2 (a vector per column); of a View of another rank take a "
        "Kokkos::subview");
    static_assert(require_entries<NumberOf<typename V::non_const_value_type>>());
    static_assert(require_access<Space, V>());
  }
  return true;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
