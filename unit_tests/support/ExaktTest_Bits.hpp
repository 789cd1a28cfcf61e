// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_BITS_HPP
#define EXAKTTEST_BITS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "ExaktTest_Catch.hpp"

namespace ExaktTest {

inline constexpr double infinity = std::numeric_limits<double>::infinity(),
                        not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

template <class T>
BitsOf<T> bits_of(T x) {
  return std::bit_cast<BitsOf<T>>(x);
}

/// The stored bits decide, never the floating-point unit: comparisons of floating-point numbers would call subnormals
/// zero while a hostile environment is set.
template <class T>
bool is_nan_bits(T x) {
  constexpr auto infinity = std::bit_cast<BitsOf<T>>(std::numeric_limits<T>::infinity());
  constexpr auto magnitude = static_cast<BitsOf<T>>(~(BitsOf<T>{1} << (8 * sizeof(T) - 1)));
  return (bits_of(x) & magnitude) > infinity;
}

template <class T>
bool is_quiet_nan_bits(T x) {
  constexpr auto quiet_bit = BitsOf<T>{1} << (std::numeric_limits<T>::digits - 2);
  return is_nan_bits(x) && (bits_of(x) & quiet_bit) != 0;
}

/// Equal bits, except that every quiet NaN is as good as any other: neither its payload nor its sign is promised.
template <class T>
bool same_bits(T actual, T expected) {
  if (is_nan_bits(expected)) return is_quiet_nan_bits(actual);
  return bits_of(actual) == bits_of(expected);
}

/// What the oracle answers. A type of its own, so that comparisons against it are counted apart from comparisons of the
/// library with itself.
template <class T>
struct Expected {
  T value;
};

/// Totals of this process, printed by main() at the end of the run.
struct Tally {
  std::uint64_t against_oracle = 0;
  std::uint64_t against_itself = 0;
  std::uint64_t differences = 0;
};
Tally& tally();

template <class T>
bool compare(T actual, Expected<T> expected) {
  ++tally().against_oracle;
  bool const same = same_bits(actual, expected.value);
  tally().differences += !same;
  return same;
}

template <class T>
bool compare(T actual, T expected) {
  ++tally().against_itself;
  bool const same = same_bits(actual, expected);
  tally().differences += !same;
  return same;
}

std::string describe_bits(double x);
std::string describe_bits(float x);

template <class T>
std::string describe_bits(Expected<T> x) {
  return describe_bits(x.value);
}

/// Fails the running test case and goes on with it. Out of line, like Catch2 itself: the tests instantiate thousands of
/// checks, and none of them is expected to get here.
void report_difference(char const* file, int line, std::string const& what);
void report_difference(char const* file, int line, char const* expression, std::string const& actual,
                       std::string const& expected);
void report_false(char const* file, int line, char const* condition);

/// Once for each pair of types, and not for each check: those would take compilers as long as what they check.
template <class T, class E>
void check_bits(char const* file, int line, char const* expression, T const& actual, E const& expected) {
  if (!compare(actual, expected))
    report_difference(file, line, expression, describe_bits(actual), describe_bits(expected));
}

inline void check_condition(char const* file, int line, char const* condition, bool holds) {
  ++tally().against_itself;
  if (!holds) report_false(file, line, condition);
}

}  // namespace ExaktTest

/// Compares bit for bit and counts. Catch2 is entered on a difference only: its own CHECK costs more than most sums.
#define EXAKT_CHECK_BITS(actual_expression, ...)                                                \
  do {                                                                                          \
    auto const exakt_actual = (actual_expression);                                              \
    ExaktTest::check_bits(__FILE__, __LINE__, #actual_expression, exakt_actual, (__VA_ARGS__)); \
  } while (false)

/// The same for a condition that is checked in long loops.
#define EXAKT_CHECK(...) ExaktTest::check_condition(__FILE__, __LINE__, #__VA_ARGS__, (__VA_ARGS__) ? true : false)

#endif
