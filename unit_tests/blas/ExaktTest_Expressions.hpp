// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_EXPRESSIONS_HPP
#define EXAKTTEST_EXPRESSIONS_HPP

/// \file
/// \brief What a verb of level 2 or 3 has to write, entry by entry: which products, which factors, which entries at all.

#include "ExaktTest_Matrices.hpp"

#include <functional>
#include <optional>

namespace ExaktTest {

/// An entry or a factor, real or complex; what is real has no imaginary part, not one of zero.
struct Number {
  double real = 0, imaginary = 0;
  bool is_complex = false;

  Number() = default;
  template <class T>
  Number(T const& x) : real(static_cast<double>(x)) {}
  template <class T>
  Number(Kokkos::complex<T> const& x)
      : real(static_cast<double>(x.real())), imaginary(static_cast<double>(x.imag())), is_complex(true) {}

  bool is(double x) const { return real == x && imaginary == 0; }
  Number conjugated(bool really = true) const {
    Number result = *this;
    if (really) result.imaginary = -imaginary;
    return result;
  }
  /// As on the diagonal of a hermitian matrix.
  Number without_imaginary_part() const {
    Number result = *this;
    result.imaginary = 0;
    return result;
  }
};

template <class Z>
struct PartsOf {
  using Real = Z;
  static constexpr bool is_complex = false;
};
template <class T>
struct PartsOf<Kokkos::complex<T>> {
  using Real = T;
  static constexpr bool is_complex = true;
};

template <class Z>
Z any_number(Random& random, Hardness hardness) {
  using T = typename PartsOf<Z>::Real;
  if constexpr (PartsOf<Z>::is_complex) {
    T const real = hard_number<T>(random, hardness);
    return Z(real, hard_number<T>(random, hardness));
  } else {
    return hard_number<T>(random, hardness);
  }
}

template <class Z>
Table<Z> any_table(Random& random, Hardness hardness, std::size_t m, std::size_t n) {
  Table<Z> table(m, n);
  for (Z& entry : table.entries) entry = any_number<Z>(random, hardness);
  // Columns in pairs that cancel, whatever multiplies them alike.
  if (hardness == Hardness::cancelling)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 1; j < n; j += 2)
        if (random.between(0, 3) != 0) table(i, j) = -table(i, j - 1);
  return table;
}

template <class Z>
Z nan_of() {
  using T = typename PartsOf<Z>::Real;
  T const nan = std::numeric_limits<T>::quiet_NaN();
  if constexpr (PartsOf<Z>::is_complex) {
    return Z(nan, nan);
  } else {
    return nan;
  }
}

/// Real and imaginary part of a sum of products.
struct ExactSums {
  Exact real, imaginary;

  void add_product(Number const& a, Number const& b) {
    real.add_product(a.real, b.real);
    if (a.is_complex && b.is_complex) real.subtract_product(a.imaginary, b.imaginary);
    if (b.is_complex) imaginary.add_product(a.real, b.imaginary);
    if (a.is_complex) imaginary.add_product(a.imaginary, b.real);
  }
};

/// factor * sum + second_factor * second_sum + beta * old, with parts that are rounded once.
class ExactEntry {
 public:
  void add(Number const& factor, ExactSums const& sums) {
    m_real.add_scaled(factor.real, sums.real);
    m_imaginary.add_scaled(factor.real, sums.imaginary);
    if (factor.is_complex) {
      m_real.add_scaled(-factor.imaginary, sums.imaginary);
      m_imaginary.add_scaled(factor.imaginary, sums.real);
    }
  }
  void add(Number const& factor, Number const& x) {
    ExactSums sums;
    sums.real.add(x.real);
    if (x.is_complex) sums.imaginary.add(x.imaginary);
    add(factor, sums);
  }
  template <class T>
  Expected<T> real() const {
    return m_real.round<T>();
  }
  template <class T>
  Expected<T> imaginary() const {
    return m_imaginary.round<T>();
  }

 private:
  ScaledExact m_real{1, Exact()}, m_imaginary{1, Exact()};
};

/// result(i, j) = alpha * sum of left(i, l) right(l, j) [+ second_alpha * sum of second_left second_right] + beta * old.
struct Expression {
  std::size_t depth;
  std::function<std::optional<Number>(std::size_t, std::size_t)> left;  // nothing: there is no such product
  std::function<Number(std::size_t, std::size_t)> right;
  Number alpha, beta;
  std::function<bool(std::size_t, std::size_t)> is_written = [](std::size_t, std::size_t) { return true; };
  bool has_real_diagonal = false;
  std::function<Number(std::size_t, std::size_t)> second_left = {}, second_right = {};
  Number second_alpha = {};
};

template <class Z>
void check_parts_of(Z const& actual, Expected<typename PartsOf<Z>::Real> real,
                    [[maybe_unused]] Expected<typename PartsOf<Z>::Real> imaginary) {
  if constexpr (PartsOf<Z>::is_complex) {
    EXAKT_CHECK_BITS(actual.real(), real);
    EXAKT_CHECK_BITS(actual.imag(), imaginary);
  } else {
    EXAKT_CHECK_BITS(actual, real);
  }
}

template <class Z>
void check_unchanged(Z const& actual, Z const& old) {
  if constexpr (PartsOf<Z>::is_complex) {
    EXAKT_CHECK(bits_of(actual.real()) == bits_of(old.real()) && bits_of(actual.imag()) == bits_of(old.imag()));
  } else {
    EXAKT_CHECK(bits_of(actual) == bits_of(old));
  }
}

/// Every entry, those that are not to be written too.
template <class Z, class View>
void check_expression(Expression const& expression, Table<Z> const& old, View const& actual) {
  using T = typename PartsOf<Z>::Real;
  bool const has_sum = expression.depth > 0 && !expression.alpha.is(0);
  for (std::size_t i = 0; i < old.rows; ++i)
    for (std::size_t j = 0; j < old.columns; ++j) {
      Z const& entry = actual(i, j);
      if (!expression.is_written(i, j) || (!has_sum && expression.beta.is(1))) {
        check_unchanged(entry, old(i, j));
        continue;
      }
      ExactEntry exact;
      if (has_sum) {
        ExactSums sums;
        for (std::size_t l = 0; l < expression.depth; ++l)
          if (auto const left = expression.left(i, l)) sums.add_product(*left, expression.right(l, j));
        exact.add(expression.alpha, sums);
        if (expression.second_left) {
          ExactSums second;
          for (std::size_t l = 0; l < expression.depth; ++l)
            second.add_product(expression.second_left(i, l), expression.second_right(l, j));
          exact.add(expression.second_alpha, second);
        }
      }
      bool const is_real = expression.has_real_diagonal && i == j;
      Number const before = old(i, j);
      if (!expression.beta.is(0)) exact.add(expression.beta, is_real ? before.without_imaginary_part() : before);
      check_parts_of(entry, exact.template real<T>(), is_real ? Expected<T>{T{0}} : exact.template imaginary<T>());
    }
}

/// A vector as every other entry of a row or column.
template <class Z>
auto stored_vector(std::vector<Z> const& entries, bool along_row) {
  return along_row ? StridedVector<Z>(row_of<Kokkos::LayoutLeft>(entries)) : StridedVector<Z>(contiguous(entries));
}

template <class Z>
Table<Z> as_column(std::vector<Z> const& entries) {
  Table<Z> result(entries.size(), 1);
  result.entries = entries;
  return result;
}

}  // namespace ExaktTest

#endif
