// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_RANDOM_HPP
#define EXAKTTEST_RANDOM_HPP

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ExaktTest {

/// EXAKT_TEST_SEED, or a fixed seed; printed by main().
std::uint64_t seed();

/// EXAKT_TEST_CASES, or 1: random cases are multiplied by this number; sweeps are exhaustive from 100 on.
std::uint64_t case_factor();

/// SplitMix64: the same sequence with every standard library, whose distributions may differ.
class Random {
 public:
  explicit Random(std::uint64_t stream) : m_state(seed() ^ (stream * 0xbf58476d1ce4e5b9u)) {}

  std::uint64_t bits() {
    std::uint64_t z = (m_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  bool coin() { return bits() >> 63 != 0; }

  /// Uniform in [low, high], both included.
  template <class Integer>
  Integer between(Integer low, Integer high) {
    auto const span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    return static_cast<Integer>(static_cast<std::uint64_t>(low) + (span == 0 ? bits() : bits() % span));
  }

  template <class... Choices>
  auto one_of(Choices... choices) {
    std::common_type_t<Choices...> const all[] = {choices...};
    return all[bits() % sizeof...(Choices)];
  }

  /// +-m*2^exponent with a random significand m in [1, 2); rounds where that is subnormal.
  template <class T>
  T value(int exponent) {
    constexpr int digits = std::numeric_limits<T>::digits;
    auto const significand = (bits() >> (65 - digits)) | (std::uint64_t{1} << (digits - 1));
    T const magnitude = std::ldexp(static_cast<T>(significand), exponent - digits + 1);
    return coin() ? -magnitude : magnitude;
  }

  template <class T>
  void shuffle(std::vector<T>& x) {
    for (std::size_t i = x.size(); i > 1; --i) std::swap(x[i - 1], x[between<std::size_t>(0, i - 1)]);
  }

 private:
  std::uint64_t m_state;
};

}  // namespace ExaktTest

#endif
