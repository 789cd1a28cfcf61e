// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_GOLDENSTREAM_HPP
#define EXAKTTEST_GOLDENSTREAM_HPP

/// \file
/// \brief Where the inputs of the golden set come from: a stream of 64-bit words, numbers made of them, and the families of
/// single numbers.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ExaktTest_GoldenNumbers.hpp"

namespace ExaktTest::Golden {

/// SplitMix64. Streams of one seed are independent of each other.
class Stream {
 public:
  Stream(std::uint64_t seed, std::uint64_t number) : m_state(mixed(64 * seed + number)) {}

  std::uint64_t draw() { return mixed(m_state += 0x9e3779b97f4a7c15u); }
  std::uint64_t below(std::uint64_t count) { return draw() % count; }

  /// As many numbers below n as there are, each once.
  std::vector<std::size_t> permutation(std::size_t n) {
    std::vector<std::size_t> p(n);
    for (std::size_t i = 0; i < n; ++i) p[i] = i;
    for (std::size_t i = n; i > 1; --i) std::swap(p[i - 1], p[below(i)]);
    return p;
  }

 private:
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  std::uint64_t m_state;
};

class Numbers : public Stream {
 public:
  Numbers(Format format, std::uint64_t seed, std::uint64_t number) : Stream(seed, number), m_format(format) {}

  Format const& format() const { return m_format; }

  /// +-m * 2^(e - precision + 1), 2^(precision - 1) <= m < 2^precision; below the normal numbers m loses its last bits.
  std::uint64_t encoded(bool negative, std::uint64_t m, int e) const {
    std::uint64_t const sign = negative ? m_format.sign_bit() : 0;
    if (e < m_format.min_exponent) return sign | (m >> (m_format.min_exponent - e));
    return sign | ((static_cast<std::uint64_t>(e - m_format.min_exponent) * m_format.hidden_bit()) + m);
  }

  /// Both signs, an exponent from low to high as far as the format has them, any significand.
  std::uint64_t number(int low, int high) {
    low = std::max(low, m_format.lowest_exponent());
    high = std::min(high, m_format.max_exponent);
    std::uint64_t const r = draw();
    int const e = low + static_cast<int>(below(static_cast<std::uint64_t>(high - low + 1)));
    return encoded(r >> 63 != 0, m_format.hidden_bit() + r % m_format.hidden_bit(), e);
  }

  /// k * 2^e, for |k| < 2^precision.
  std::uint64_t integer(std::int64_t k, int e) const {
    if (k == 0) return 0;
    auto const magnitude = static_cast<std::uint64_t>(k < 0 ? -k : k);
    int const bits = static_cast<int>(std::bit_width(magnitude));
    return encoded(k < 0, magnitude << (m_format.precision - bits), e + bits - 1);
  }

  /// An integer from low to high, times 2^e.
  std::uint64_t integer_between(std::int64_t low, std::int64_t high, int e) {
    return integer(low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1))), e);
  }

  /// Any bits with an exponent field below `fields`.
  std::uint64_t with_field_below(std::uint64_t fields) {
    std::uint64_t const r = draw(), field = below(fields);
    return (r >> 63 != 0 ? m_format.sign_bit() : 0) + field * m_format.hidden_bit() + r % m_format.hidden_bit();
  }

  std::uint64_t signed_infinity() { return m_format.infinity() + (draw() >> 63 != 0 ? m_format.sign_bit() : 0); }

 private:
  Format m_format;
};

inline bool contains(std::vector<std::string> const& families, std::string const& family) {
  return std::find(families.begin(), families.end(), family) != families.end();
}

inline void require_family(std::vector<std::string> const& families, std::string const& family) {
  if (!contains(families, family)) throw std::invalid_argument("there is no family '" + family + "'");
}

inline std::vector<std::string> const element_families = {"binade", "decades10", "decades60", "decades600",
                                                          "full",   "subnormal", "integers",  "minus_zero",
                                                          "tiny",   "large",     "huge"};

/// One number of a family whose numbers do not depend on each other.
inline std::uint64_t element(Numbers& numbers, std::string const& family) {
  Format const& format = numbers.format();
  if (family == "binade") return numbers.number(0, 0);
  if (family == "decades10") return numbers.number(-17, 16);
  if (family == "decades60") return numbers.number(-100, 99);
  if (family == "decades600") return numbers.number(-1000, 999);
  if (family == "full") return numbers.with_field_below(static_cast<std::uint64_t>(2 * format.max_exponent + 1));
  if (family == "subnormal") return numbers.with_field_below(2);
  if (family == "integers") return numbers.integer_between(-100, 100, 0);
  if (family == "minus_zero") return format.sign_bit();
  if (family == "tiny") return numbers.number(format.lowest_exponent(), format.width == 64 ? -537 : -74);
  if (family == "large") return numbers.number((format.max_exponent + 1) / 2, format.max_exponent);
  if (family == "huge") return numbers.number(format.max_exponent - 1, format.max_exponent);
  throw std::invalid_argument("there is no family '" + family + "'");
}

}  // namespace ExaktTest::Golden

#endif
