// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_INTEGERSUM_HPP
#define EXAKTTEST_INTEGERSUM_HPP

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "ExaktTest_Oracle.hpp"

namespace ExaktTest {

/// \brief A second oracle beside MPFR's, some fifty times as fast: sums of numbers, of products and of multiples of such
/// sums as two plain integers, what was added and what was subtracted, and their difference rounded once.
///
/// It shares no code with the library and none with MPFR. The floating-point unit is asked for products with a factor that
/// is not finite only. In the default floating-point environment.
class IntegerSum {
 public:
  IntegerSum& add(double x) { return add_product(x, 1.0); }
  IntegerSum& add_product(double x, double y);
  IntegerSum& subtract_product(double x, double y) { return add_product(-x, y); }
  /// alpha times the other sum; alpha is not zero.
  IntegerSum& add_scaled(double alpha, IntegerSum const&);
  void clear();

  template <class R>
  R round(Rounding mode = Rounding::to_nearest) const;
  /// Divided by a count, which may be zero, or by a number, as in IEEE 754; an exact zero has the sign of `mode`.
  template <class R>
  R round_mean(std::uint64_t count, Rounding mode = Rounding::to_nearest) const;
  template <class R>
  R round_quotient(double divisor, Rounding mode = Rounding::to_nearest) const;
  /// Of a sum that is not negative.
  template <class R>
  R round_sqrt(Rounding mode = Rounding::to_nearest) const;

 private:
  // Three factors: from 2^(3 * -1074) up to 2^(3 * 1024), and 2^128 of them.
  static constexpr int lowest_exponent = -64 * 51, count = 51 + 48 + 2;
  static_assert(lowest_exponent <= 3 * -1074 && lowest_exponent + 64 * count >= 3 * 1024 + 128);
  using Words = std::array<std::uint64_t, count + 2>;  // two more for the bits of quotients

  /// +-(top + something less than 1 if `is_inexact`) * 2^(exponent - 63), top >= 2^63 but for zero.
  struct Leading {
    bool is_negative = false;
    std::uint64_t top = 0;
    int exponent = 0;
    bool is_inexact = false;
  };

  __extension__ using Wide = unsigned __int128;
  void add_magnitude(bool negative, Wide magnitude, int exponent);
  void add_special(double x);
  bool is_finite() const { return !m_nan && !m_infinite[0] && !m_infinite[1]; }
  bool is_nan() const { return m_nan || (m_infinite[0] && m_infinite[1]); }

  /// The magnitude of the difference: words first ... last - 1 of `words`, of which the last is not zero. True if negative.
  bool subtract(Words& words, int& first, int& last) const;
  static Leading leading(Words const& words, int first, int last, int exponent_of_first);
  Leading leading() const;
  Leading quotient(std::uint64_t divisor, int exponent) const;
  template <class R>
  R special() const;
  template <class R>
  static R rounded(Leading const&, Rounding);

  Words m_side[2] = {};  // added, subtracted
  int m_first = count, m_last = 0;
  bool m_nan = false, m_infinite[2] = {};
};

}  // namespace ExaktTest

#endif
