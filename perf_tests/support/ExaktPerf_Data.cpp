// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Data.hpp"

#include <cmath>
#include <limits>

namespace ExaktPerf {
namespace {

// splitmix64
std::uint64_t scrambled(std::uint64_t bits) {
  bits *= 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

struct RandomNumber {
  int lowest_exponent, exponents;
  std::uint64_t seed;

  double operator()(std::int64_t i) const {
    std::uint64_t const random = scrambled(seed + 2 * static_cast<std::uint64_t>(i));
    double const significand = 1 + static_cast<double>(random >> 12) * 0x1p-52;
    std::uint64_t const other = scrambled(seed + 2 * static_cast<std::uint64_t>(i) + 1);
    int const exponent = lowest_exponent + static_cast<int>((other >> 1) % static_cast<std::uint64_t>(exponents));
    return std::ldexp((other & 1) != 0 ? -significand : significand, exponent);
  }
};

RandomNumber spread_over(int decades, std::uint64_t seed) {
  int const exponents = 1 + static_cast<int>(std::lround(decades * std::log2(10.0)));
  return {-exponents / 2, exponents, seed << 40};
}

// Each thread writes its own part first, so that its pages lie near it.
template <class Function>
Data filled(std::int64_t n, Function const& f) {
  Data x(Kokkos::view_alloc(Kokkos::WithoutInitializing, "x"), static_cast<std::size_t>(n));
  Kokkos::parallel_for(Range(0, n), [=](std::int64_t i) { x(static_cast<std::size_t>(i)) = f(i); });
  Kokkos::fence();
  return x;
}

}  // namespace

Data log_uniform(std::int64_t n, int decades, std::uint64_t seed) { return filled(n, spread_over(decades, seed)); }

Data full_range(std::int64_t n) {
  using Limits = std::numeric_limits<double>;
  int const lowest = Limits::min_exponent - 1;
  return filled(n, RandomNumber{lowest, Limits::max_exponent - 20 - lowest, 1});
}

Data cancelling(std::int64_t n, int decades) {
  constexpr std::int64_t stride = 1'000'003;  // a prime: visits every entry once, unless it divides their number
  std::int64_t const half = n / 2;
  RandomNumber const random = spread_over(decades, 1);
  return filled(n, [=](std::int64_t i) {
    if (i < half) return random(i);
    return i < 2 * half ? -random((i - half) * stride % half) : 0.0;
  });
}

}  // namespace ExaktPerf
