// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_GoldenNumbers.hpp"

#include "ExaktTest_GoldenStream.hpp"

namespace ExaktTest::Golden {
namespace {

std::vector<std::string> joined(std::vector<std::string> first, std::vector<std::string> const& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Words arranged(Words const& x, std::vector<std::size_t> const& order) {
  Words result;
  for (std::size_t const i : order) result.push_back(x[i]);
  return result;
}

/// m, -m, 1/2, -1/2, 1/2, -1/2, zeros: the sum of the squares is 2 m^2 + 1, which has one bit more than the format.
Words deviations(Numbers& numbers, std::size_t n) {
  Format const& format = numbers.format();
  auto const m =
      static_cast<std::int64_t>(format.width == 64 ? 0x4000000 + numbers.below(0x1000000) : 2898 + numbers.below(1024));
  Words x(n);
  for (std::size_t i = 0; i < n && i < 6; ++i)
    x[i] = i < 2 ? numbers.integer(i == 0 ? m : -m, 0) : numbers.integer(i % 2 == 0 ? 1 : -1, -1);
  if (n > 6) x[n - 1] = numbers.integer_between(-1, 1, format.lowest_exponent());
  return x;
}

/// Eight integers, the sum of whose squares is 4^p; that of the first four has p + 1 bits.
constexpr std::int64_t squares_f64[2][8] = {{3679887971205798, 3679887971205798, 3679887971205798, 3679887971205799,
                                             4109070219200387, 3038909433739619, 821779037683436, 410593585603935},
                                            {2810829079952715, 2810829079952715, 2810829079952715, 2810829079952714,
                                             2769741756521454, 3856472031570596, 4127264271314981, 3154115035060930}};
constexpr std::int64_t squares_f32[2][8] = {{6860858, 6860858, 6860858, 6860859, 5593837, 5521235, 5434520, 1371283},
                                            {4281548, 4281548, 4281548, 4281547, 7275257, 5091485, 9216350, 6659931}};

/// Pairs whose correlation is the sum of four such integers over 2^(p + 1).
Pair four_squares(Numbers& xs, Numbers& ys, std::size_t n) {
  Format const& format = xs.format();
  auto const* const integers = (format.width == 64 ? squares_f64 : squares_f32)[ys.below(2)];
  int const sign = ys.draw() >> 63 != 0 ? -1 : 1, e = static_cast<int>(ys.below(41)) - 20;
  Pair pair{Words(n), Words(n)};
  for (std::size_t i = 0; i < n && i < 16; ++i) {
    int const half = i < 8 ? 1 : -1;
    pair.x[i] = xs.integer(i % 8 < 4 ? half : 0, 0);
    pair.y[i] = ys.integer(half * sign * integers[i % 8], e);
  }
  if (n > 4) pair.x[4] = xs.integer_between(-1, 1, format.lowest_exponent());
  return pair;
}

}  // namespace

std::vector<std::string> const vector_families =
    joined(element_families, {"cancel", "zero", "huge_cancel", "ties", "near_ties", "edge", "triples", "squares", "nan",
                              "infinity", "infinities", "neighbours", "deviations", "quadruples"});
std::vector<std::string> const pair_families = joined(
    element_families,
    {"ties", "cancel", "nan", "infinity", "infinities", "near_ties", "deviations", "proportional", "four_squares"});
std::vector<std::string> const product_families =
    joined(element_families, {"multiples", "ties", "near_ties", "cancel", "zero", "large_cancel", "nan", "infinity",
                              "infinities", "zero_times_infinity", "updates", "near_updates"});
std::vector<std::string> const triangle_families = {"dominant",   "ties",     "decades10",    "decades60",
                                                    "decades600", "integers", "subnormal",    "residual",
                                                    "nan",        "infinity", "zero_diagonal"};

Words vector_of(Format format, std::string const& family, std::uint64_t seed, std::size_t n) {
  require_family(vector_families, family);
  Numbers numbers(format, seed, 0);
  Stream places(seed, 1);
  bool const is_element = contains(element_families, family);
  Words x(n);

  if (family == "cancel" || family == "zero" || family == "huge_cancel") {
    std::size_t const rest = n == 0 ? 0 : family == "zero" ? n % 2 : 2 - n % 2;
    for (std::size_t i = 0; i + rest < n; i += 2) {
      x[i] = family == "huge_cancel" ? element(numbers, "huge") : element(numbers, "decades60");
      x[i + 1] = x[i] ^ format.sign_bit();
    }
    for (std::size_t i = n - rest; i < n; ++i)
      x[i] = family == "zero" ? 0 : family == "cancel" ? numbers.number(-140, -130) : element(numbers, "decades10");
    return arranged(x, places.permutation(n));
  }
  if (family == "ties" || family == "near_ties") {
    for (std::size_t i = 0; i < n; ++i)
      x[i] = i == 0 ? numbers.number(format.precision - 1, format.precision - 1) : numbers.integer_between(-8, 8, -1);
    if (family == "near_ties" && n >= 2) x[n - 1] = numbers.integer_between(-1, 1, format.lowest_exponent());
    return arranged(x, places.permutation(n));
  }
  if (family == "edge") {
    bool const negative = numbers.draw() >> 63 != 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0) x[i] = format.largest() + (negative ? format.sign_bit() : 0);
      if (i == 1) x[i] = numbers.integer(negative ? -1 : 1, format.max_exponent - format.precision);
      if (i >= 2) x[i] = numbers.integer_between(-1, 1, format.lowest_exponent());
    }
    return x;
  }
  if (family == "triples") {
    std::uint64_t const sixteenth = format.hidden_bit() / 16;
    auto const k = static_cast<std::int64_t>((7 * sixteenth + numbers.below(sixteenth)) / 4 * 4 + 1);
    for (std::size_t i = 0; i < n; ++i) {
      if (i <= 1) x[i] = numbers.integer(i == 0 ? 3 * k : -4 * k, -format.precision);
      if (i >= 2) x[i] = numbers.integer_between(-1, 1, format.lowest_exponent());
    }
    return x;
  }
  if (family == "squares") {
    auto const m = static_cast<std::int64_t>(format.width == 64 ? 0x4000000 + 2 * numbers.below(0x800000)
                                                                : 2898 + 2 * numbers.below(512));
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0) x[i] = numbers.integer(m, 0);
      if (i == 1 || i == 2) x[i] = numbers.integer(1, -1);
      if (i >= 3) x[i] = numbers.integer_between(-1, 1, i == n - 1 ? format.lowest_exponent() : -1);
    }
    return x;
  }

  if (family == "neighbours") {
    for (std::size_t i = 0; i < n; ++i) x[i] = i == 0 ? numbers.number(0, 0) : x[0] + numbers.below(3) - 1;
    return x;
  }
  if (family == "deviations") return deviations(numbers, n);
  if (family == "quadruples") {
    std::uint64_t const sixteenth = format.hidden_bit() / 16;
    auto const k = static_cast<std::int64_t>((7 * sixteenth + numbers.below(sixteenth)) / 4 * 4 + 1);
    for (std::size_t i = 0; i < n && i < 4; ++i)
      x[i] = numbers.integer((i < 2 ? 3 : 4) * (i % 2 == 0 ? k : -k), -format.precision);
    if (n > 4) x[n - 1] = numbers.integer_between(-1, 1, format.lowest_exponent());
    return x;
  }

  for (std::uint64_t& entry : x) entry = element(numbers, is_element ? family : "decades10");
  if (is_element || n == 0) return x;
  if (family == "nan") x[places.below(n)] = format.quiet_nan();
  if (family == "infinity") {
    std::uint64_t const infinity = numbers.signed_infinity();
    for (int i = 0; i < 3; ++i) x[places.below(n)] = infinity;
  }
  if (family == "infinities") {
    x[0] = format.infinity();
    x[n - 1] = format.infinity() + format.sign_bit();
  }
  return x;
}

Pair pair_of(Format format, std::string const& family, std::uint64_t seed, std::size_t n) {
  require_family(pair_families, family);
  Numbers xs(format, seed, 0), ys(format, seed, 1);
  Stream places(seed, 3);
  bool const is_element = contains(element_families, family);
  if (family == "four_squares") return four_squares(xs, ys, n);
  Pair pair{Words(n), Words(n)};
  if (family == "deviations") {
    bool const negative = ys.draw() >> 63 != 0;
    pair = {deviations(xs, n), deviations(ys, n)};
    for (std::uint64_t& entry : pair.y)
      if (negative && entry != 0) entry ^= format.sign_bit();
    return pair;
  }
  if (family == "proportional") {
    std::uint64_t const sign = ys.draw() >> 63 != 0 ? format.sign_bit() : 0;
    std::uint64_t const shift = (ys.below(41) - 20) * format.hidden_bit();
    for (std::size_t i = 0; i < n; ++i) {
      pair.x[i] = element(xs, "decades10");
      pair.y[i] = (pair.x[i] + shift) ^ sign;
    }
    return pair;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (family == "ties") {
      pair.x[i] = xs.number(0, 0);
      pair.y[i] = ys.integer_between(-8, 8, -format.precision - 1);
    } else if (family == "near_ties") {
      // (1 + u)(1 - u) = 1 - u^2, beside half a unit in the last place of y.
      pair.x[i] = xs.encoded(xs.draw() >> 63 != 0, 2 * format.hidden_bit() - 2, -1);
      pair.y[i] = ys.number(format.precision, format.precision);
    } else if (family == "cancel") {
      pair.x[i] = element(xs, "decades10");
      // A number, its neighbour above or below in magnitude, of the other sign.
      pair.y[i] = (pair.x[i] ^ format.sign_bit()) + ys.below(3) - 1;
    } else {
      pair.x[i] = element(xs, is_element ? family : "decades10");
      pair.y[i] = element(ys, is_element ? family : "decades10");
    }
  }
  if (n == 0) return pair;
  if (family == "nan") {
    pair.x[places.below(n)] = format.quiet_nan();
    pair.y[places.below(n)] = format.quiet_nan();
  }
  if (family == "infinity") {
    pair.x[places.below(n)] = xs.signed_infinity();
    pair.y[places.below(n)] = ys.signed_infinity();
  }
  if (family == "infinities") {
    std::size_t const i = places.below(n);
    pair.x[i] = format.infinity();
    pair.y[i] = format.infinity() + format.sign_bit();
  }
  return pair;
}

std::vector<std::size_t> indices_of(std::uint64_t seed, std::size_t n, std::size_t bins) {
  Stream stream(seed, 2);
  std::vector<std::size_t> result(n);
  for (std::size_t& index : result) index = stream.below(bins);
  return result;
}

std::vector<std::size_t> offsets_of(std::uint64_t seed, std::size_t n, std::size_t segments) {
  auto offsets = indices_of(seed, segments + 1, n + 1);
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

std::vector<std::int64_t> keys_of(std::uint64_t seed, std::size_t n, std::size_t keys) {
  std::vector<std::int64_t> result;
  for (std::uint64_t const index : indices_of(seed, n, keys))
    result.push_back(static_cast<std::int64_t>(seed % 2 == 0 ? index : index * 0x9e3779b97f4a7c15u));
  return result;
}

Places places_of(Format format, std::uint64_t seed, std::size_t n, std::size_t bins) {
  Numbers xs(format, seed, 2), edges(format, seed, 3);
  Places places{Words(n), {}};
  for (std::uint64_t& entry : places.x) entry = xs.integer_between(-20, 20, -2);
  if (n > 0) places.x[0] = format.quiet_nan();
  std::vector<std::int64_t> quarters(bins + 1);
  for (std::int64_t& edge : quarters) edge = static_cast<std::int64_t>(edges.below(33)) - 16;
  std::sort(quarters.begin(), quarters.end());
  for (std::int64_t const edge : quarters) places.edges.push_back(edges.integer(edge, -2));
  return places;
}

}  // namespace ExaktTest::Golden
