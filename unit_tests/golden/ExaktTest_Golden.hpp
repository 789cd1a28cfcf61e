// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_GOLDEN_HPP
#define EXAKTTEST_GOLDEN_HPP

/// \file
/// \brief What the replays of the golden set share: its lines, their inputs as views, and the comparison.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_GoldenCases.hpp"

namespace ExaktTest::Golden {

using Space = Kokkos::DefaultExecutionSpace;

/// Of an entry: itself, or the real number that a complex one is made of.
template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<Kokkos::complex<T>> {
  using type = T;
};
template <class T>
inline constexpr bool is_complex = !std::is_same_v<typename RealOf<T>::type, T>;

template <class T>
std::vector<T> entries_of(Words const& words) {
  if constexpr (is_complex<T>) {
    std::vector<T> result;
    for (std::size_t i = 0; i < words.size(); i += 2)
      result.emplace_back(number_of<typename RealOf<T>::type>(words[i]),
                          number_of<typename RealOf<T>::type>(words[i + 1]));
    return result;
  } else {
    return numbers_of<T>(words);
  }
}

template <class T>
void append(Words& words, T const& entry) {
  if constexpr (is_complex<T>) {
    words.push_back(word_of(entry.real()));
    words.push_back(word_of(entry.imag()));
  } else {
    words.push_back(word_of(entry));
  }
}

template <class T>
T factor_of(Words const& factor) {
  return entries_of<T>(factor)[0];
}

template <class T>
T conjugate(T const& x) {
  if constexpr (is_complex<T>)
    return T(x.real(), -x.imag());
  else
    return x;
}

template <class T>
using Vector = Kokkos::View<T*, Space>;
/// One type for every layout: the library looks at strides, and there is half as much to compile.
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutStride, Space>;

template <class T>
Vector<T> vector(std::vector<T> const& entries) {
  Vector<T> const there("vector", entries.size());
  auto const here = Kokkos::create_mirror_view(there);
  for (std::size_t i = 0; i < entries.size(); ++i) here(i) = entries[i];
  Kokkos::deep_copy(there, here);
  return there;
}

/// entry(i, j) for m x n, stored by rows or by columns.
template <class T, class Entry>
Matrix<T> matrix(std::size_t m, std::size_t n, bool by_rows, Entry const& entry) {
  auto const filled = [&](auto const& there) {
    auto const here = Kokkos::create_mirror_view(there);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) here(i, j) = entry(i, j);
    Kokkos::deep_copy(there, here);
    return there;
  };
  if (by_rows) return filled(Kokkos::View<T**, Kokkos::LayoutRight, Space>("matrix", m, n));
  return filled(Kokkos::View<T**, Kokkos::LayoutLeft, Space>("matrix", m, n));
}

/// The matrix of which op gives these m x n entries.
template <class T>
Matrix<T> before_op(char op, bool by_rows, std::vector<T> const& entries, std::size_t m, std::size_t n) {
  if (op == 'N') return matrix<T>(m, n, by_rows, [&](std::size_t i, std::size_t j) { return entries[i * n + j]; });
  return matrix<T>(n, m, by_rows, [&](std::size_t j, std::size_t i) {
    T const entry = entries[i * n + j];
    return op == 'C' ? conjugate(entry) : entry;
  });
}

template <class T>
T nan_of() {
  using R = typename RealOf<T>::type;
  R const nan = std::numeric_limits<R>::quiet_NaN();
  if constexpr (is_complex<T>)
    return T(nan, nan);
  else
    return nan;
}

/// The words of a vector, and of a matrix row by row.
template <class T>
Words words_of(Vector<T> const& there) {
  Space().fence();
  auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), there);
  Words words;
  for (std::size_t i = 0; i < here.extent(0); ++i) append(words, here(i));
  return words;
}
template <class T>
Words words_of(Matrix<T> const& there, bool is_transposed = false) {
  Space().fence();
  // Strided views are copied between spaces only where they leave no gaps, as here.
  auto const here = Kokkos::create_mirror_view(there);
  Kokkos::deep_copy(here, there);
  Words words;
  for (std::size_t i = 0; i < here.extent(is_transposed ? 1 : 0); ++i)
    for (std::size_t j = 0; j < here.extent(is_transposed ? 0 : 1); ++j)
      append(words, is_transposed ? here(j, i) : here(i, j));
  return words;
}

inline void check(char const* what, Case const& c, std::string const& actual, std::string const& expected) {
  ++tally().against_oracle;
  if (actual == expected) return;
  ++tally().differences;
  report_difference(__FILE__, __LINE__,
                    std::string(what) + ": " + actual + ", expected " + expected + " of " + c.line());
}

template <class T>
void check(char const* what, Case const& c, Words const& actual) {
  check(what, c, result_text(actual, format_of<typename RealOf<T>::type>), c.result);
}

/// The result in this place of the line.
template <class R>
void check_scalar(char const* what, Case const& c, R actual, std::size_t place = 0) {
  std::size_t begin = 0;
  for (; place > 0; --place) begin = c.result.find(' ', begin) + 1;
  check(what, c, word_text(word_of(actual), format_of<R>), c.result.substr(begin, c.result.find(' ', begin) - begin));
}

/// In place of a type: x of doubles and y of floats.
struct Mixed {};

template <class T>
bool is_of(Case const& c) {
  if constexpr (std::is_same_v<T, Mixed>) {
    return c.type == "f64f32";
  } else {
    Type const& type = type_named(c.type);
    return type.first.width == format_of<typename RealOf<T>::type>.width && type.second.width == type.first.width &&
           (type.parts == 2) == is_complex<T>;
  }
}

/// Whether a line of the set takes this way of all to call its verb: with EXAKT_TEST_GOLDEN_TURNS, for an emulated processor
/// needs a hundred times as long, one of `of`, and the next line another one.
inline bool is_turn(Case const& c, std::uint64_t way, std::uint64_t of) {
  static bool const takes_turns = std::getenv("EXAKT_TEST_GOLDEN_TURNS") != nullptr;
  return !takes_turns || (way + c.seed) % of == 0;
}

/// Calls f(case, T{}) for each line of the verb, T the one of the types that the line is of: there must be one.
template <class... T, class F>
void for_each_case(char const* verb, F const& f) {
  auto const cases = read_cases(EXAKT_GOLDEN_CASES, verb);
  std::size_t left_out = cases.size();
  for (Case const& c : cases) left_out -= ((is_of<T>(c) && (f(c, T{}), true)) || ...);
  INFO(verb);
  CHECK(left_out == 0);
}

}  // namespace ExaktTest::Golden

#endif
