// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_CORNERS_HPP
#define EXAKTTEST_CORNERS_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ExaktTest_Random.hpp"

namespace ExaktTest {

/// \brief Numbers where proofs have their corners: a few exponents, whole significands apart or at an end of the range, and
/// significands next to a power of two, to the middle of two, and to all ones.
///
/// Random numbers are never there, and these are nowhere else: what is halfway is halfway exactly, what fills a binade fills
/// it, what a bound allows is used up. Most of the time they are drawn from a few, so that they cancel, and add up.
template <class T>
class Corners {
  static constexpr int digits = std::numeric_limits<T>::digits;

 public:
  static constexpr int lowest = std::numeric_limits<T>::min_exponent - digits;
  static constexpr int top = std::numeric_limits<T>::max_exponent - 1;

  /// \param exponent  Of the largest numbers.
  Corners(Random& random, int exponent) : m_signs(random.between(0, 3)) {
    m_exponents.push_back(std::clamp(exponent, lowest, top));
    for (int others = random.between(0, 2); others > 0; --others)
      m_exponents.push_back(std::clamp(exponent - distance(random), lowest, top));
    if (random.between(0, 3) == 0) return;
    for (int different = random.between(1, 8); different > 0; --different) m_numbers.push_back(fresh(random));
  }
  explicit Corners(Random& random) : Corners(random, any_exponent(random, lowest, top)) {}

  /// Anywhere between two ends, and as often next to one of them, or to one.
  static int any_exponent(Random& random, int low, int high) {
    switch (random.between(0, 5)) {
      case 0:
        return random.between(low, high);
      case 1:
        return low + random.between(0, 3 * digits);
      case 2:
        return low + digits + random.between(-2, 2);
      case 3:
        return high - random.between(0, 3);
      case 4:
        return high - random.between(0, 3 * digits);
      default:
        return random.between(-2, 2);
    }
  }

  /// Of exponents at such a distance from these.
  Corners nearby(Random& random) const {
    int const far = distance(random);
    return Corners(random, m_exponents[0] + (random.coin() ? far : -far));
  }

  T operator()(Random& random) const {
    return m_numbers.empty() ? fresh(random) : m_numbers[random.between<std::size_t>(0, m_numbers.size() - 1)];
  }

 private:
  static int distance(Random& random) {
    return random.between(0, 1) == 0 ? random.between(0, 5) : digits * random.between(1, 6) / 2 + random.between(-3, 3);
  }

  T fresh(Random& random) const {
    if (random.between(0, 31) == 0) return T{0};
    int const exponent = m_exponents[random.between<std::size_t>(0, m_exponents.size() - 1)];
    T const number = std::ldexp(significand(random), exponent);
    bool const is_negative = m_signs == 0 ? false : m_signs == 1 ? true : random.between(0, 3) < (m_signs == 2 ? 2 : 1);
    return is_negative ? -number : number;
  }

  /// From 1 to below 2.
  static T significand(Random& random) {
    T const unit = std::numeric_limits<T>::epsilon() * static_cast<T>(random.one_of(1, 1, 1, 2, 3));
    switch (random.between(0, 9)) {
      case 0:
      case 1:
        return T{1};
      case 2:
        return T{1} + unit;
      case 3:
        return T{2} - unit;
      case 4:
        return T{1.5};
      case 5:
        return T{1.5} + unit;
      case 6:
        return T{1.5} - unit;
      case 7:
        return T{1} + std::ldexp(T{1}, -random.between(1, digits - 1));
      case 8:
        return T{2} - std::ldexp(T{1}, -random.between(1, digits - 1));
      default:
        return std::abs(random.value<T>(0));
    }
  }

  std::vector<int> m_exponents;
  std::vector<T> m_numbers;  // none: of every call another
  int m_signs;
};

/// Factors whose largest product is anywhere that products of two T may be, or at an end of that.
template <class T, class U = T>
std::pair<Corners<T>, Corners<U>> corners_of_products(Random& random) {
  using A = Corners<T>;
  using B = Corners<U>;
  int const low = A::lowest + B::lowest, high = A::top + B::top;
  int const product = random.coin() ? A::any_exponent(random, low, high) : A::any_exponent(random, A::lowest, A::top);
  int const choice = random.between(0, 2);
  int const wish = choice == 0   ? product / 2
                   : choice == 1 ? random.between(A::lowest, A::top)
                                 : A::any_exponent(random, A::lowest, A::top);
  int const first = std::clamp(wish, std::max(A::lowest, product - B::top), std::min(A::top, product - B::lowest));
  A const factors(random, first);
  return {factors, B(random, product - first)};
}

}  // namespace ExaktTest

#endif
