// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_GoldenNumbers.hpp"

#include "ExaktTest_GoldenStream.hpp"

namespace ExaktTest::Golden {

Product product_of(Format format_a, Format format_b, std::size_t parts, std::string const& family, std::uint64_t seed,
                   std::size_t m, std::size_t n, std::size_t k) {
  require_family(product_families, family);
  Numbers as(format_a, seed, 0), bs(format_b, seed, 1), cs(format_a, seed, 2);
  Stream places(seed, 3);
  bool const is_element = contains(element_families, family);
  bool const cancels = family == "cancel" || family == "zero" || family == "large_cancel";
  std::size_t const rest = !cancels || k == 0 ? k : family == "zero" ? k % 2 : 2 - k % 2;
  std::size_t const paired = k - rest;

  bool const ties = family == "ties" || family == "near_ties";
  bool const updates = family == "updates" || family == "near_updates";
  // Products of two of these are multiples of a quarter of a unit in the last place of 1, in binary32 of half a unit.
  auto const update = [&](Numbers& numbers, std::size_t l) {
    if (family == "near_updates" && l > 0 && l == k - 1)
      return numbers.integer_between(-1, 1, format_a.width == 64 ? -537 : -74);
    return numbers.integer_between(-8, 8, -((format_a.precision + 1) / 2));
  };

  auto const a_entry = [&](std::size_t l) {
    if (updates) return update(as, l);
    if (ties && l == 0) return as.number(0, 0);
    if (ties || family == "multiples") return as.integer_between(-8, 8, 0);
    return element(as, is_element ? family : family == "large_cancel" ? "large" : "decades10");
  };
  auto const b_entry = [&](std::size_t l) {
    if (updates) return update(bs, l);
    if (family == "multiples") return bs.number(0, 0);
    if (ties && l == 0) return bs.integer(bs.draw() >> 63 != 0 ? -1 : 1, 0);
    if (family == "near_ties" && l == k - 1) return bs.integer_between(-1, 1, format_b.lowest_exponent());
    if (ties) return bs.integer_between(-3, 3, -format_a.precision);
    if (cancels && l >= paired) {
      if (family == "zero") return std::uint64_t{0};
      if (family == "cancel") return bs.number(-80, -60);
      return format_b.width == 64 ? bs.number(-500, -480) : bs.number(-70, -60);
    }
    return element(bs, is_element ? family : family == "large_cancel" ? "large" : "decades10");
  };
  auto const c_entry = [&] {
    if (ties || updates || family == "multiples") return cs.number(0, 0);
    if (family == "cancel") return cs.number(-80, -60);
    return element(cs, is_element ? family : "decades10");
  };

  Product p{Words(m * k * parts), Words(k * n * parts), Words(m * n * parts)};
  auto const a = [&](std::size_t i, std::size_t l, std::size_t part) -> std::uint64_t& {
    return p.a[(i * k + l) * parts + part];
  };
  auto const b = [&](std::size_t l, std::size_t j, std::size_t part) -> std::uint64_t& {
    return p.b[(l * n + j) * parts + part];
  };
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t part = 0; part < parts; ++part)
        a(i, l, part) = l < paired && l % 2 == 1 ? a(i, l - 1, part) : a_entry(l);
  for (std::size_t l = 0; l < k; ++l)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t part = 0; part < parts; ++part)
        b(l, j, part) = l < paired && l % 2 == 1 ? b(l - 1, j, part) ^ format_b.sign_bit() : b_entry(l);
  for (std::uint64_t& entry : p.c) entry = c_entry();

  if (cancels) {
    auto const order = places.permutation(k);
    Product const q = p;
    for (std::size_t l = 0; l < k; ++l) {
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t part = 0; part < parts; ++part) a(i, l, part) = q.a[(i * k + order[l]) * parts + part];
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t part = 0; part < parts; ++part) b(l, j, part) = q.b[(order[l] * n + j) * parts + part];
    }
  }
  if (m * n * k == 0) return p;
  std::size_t const i = places.below(m), j = places.below(n), l = places.below(k), other = places.below(k);
  if (family == "nan") a(i, l, 0) = format_a.quiet_nan();
  if (family == "infinity") a(i, l, 0) = as.signed_infinity();
  if (family == "infinities") {
    a(i, l, 0) = as.signed_infinity();
    b(other, j, 0) = bs.signed_infinity();
  }
  if (family == "zero_times_infinity") {
    a(i, l, 0) = as.signed_infinity();
    b(l, j, 0) = 0;
  }
  return p;
}

Triangle triangle_of(Format format, std::size_t parts, std::string const& family, std::uint64_t seed, std::size_t n,
                     std::size_t columns, bool has_unit_diagonal) {
  require_family(triangle_families, family);
  Numbers as(format, seed, 0), bs(format, seed, 1);
  Stream places(seed, 3);
  Triangle t{Words(n * n * parts, format.quiet_nan()), Words(n * columns * parts)};
  bool const is_element = family.starts_with("decades");
  auto const a = [&](std::size_t i, std::size_t j, std::size_t part) -> std::uint64_t& {
    return t.a[(i * n + j) * parts + part];
  };
  auto const b = [&](std::size_t i, std::size_t j, std::size_t part) -> std::uint64_t& {
    return t.b[(i * columns + j) * parts + part];
  };

  auto const a_entry = [&](std::size_t i, std::size_t j, std::size_t part) {
    bool const is_diagonal = i == j;
    if (family == "integers") return is_diagonal ? as.integer_between(1, 9, 0) : as.integer_between(-3, 3, 0);
    if (family == "ties") return is_diagonal ? as.integer(part == 0 ? 1 : 0, 0) : as.integer_between(-1, 1, 0);
    if (is_element) return element(as, family);
    if (family != "residual") return is_diagonal ? as.number(8, 8) : as.number(-4, 3);
    // Row i repeats the equation before it, whose unknown therefore leaves no more than what its rounding lost.
    if (i % 2 == 1 && !is_diagonal)
      return has_unit_diagonal && j == i - 1 ? as.integer(part == 0 ? 1 : 0, 0) : a(i - 1, j, part);
    return as.number(0, 0);
  };
  auto const b_entry = [&](std::size_t i, std::size_t j, std::size_t part) {
    if (family == "integers" || family == "subnormal" || is_element) return element(bs, family);
    if (family == "ties") return bs.number(format.precision - 1, format.precision - 1);
    if (family == "residual" && i % 2 == 1) return b(i - 1, j, part);
    return bs.number(-4, 3);
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t part = 0; part < parts; ++part) a(i, j, part) = a_entry(i, j, part);
  for (std::size_t i = 0; has_unit_diagonal && i < n; ++i)
    for (std::size_t part = 0; part < parts; ++part) a(i, i, part) = format.quiet_nan();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t part = 0; part < parts; ++part) b(i, j, part) = b_entry(i, j, part);

  if (n == 0 || columns == 0) return t;
  std::size_t const i = places.below(n), j = places.below(columns);
  if (family == "nan") b(i, j, 0) = format.quiet_nan();
  if (family == "infinity") b(i, j, 0) = bs.signed_infinity();
  for (std::size_t part = 0; family == "zero_diagonal" && !has_unit_diagonal && part < parts; ++part) a(i, i, part) = 0;
  return t;
}

std::vector<bool> pattern_of(std::uint64_t seed, std::size_t m, std::size_t k) {
  Stream stream(seed, 4);
  std::vector<bool> pattern;
  for (std::size_t i = 0; i < m; ++i) {
    std::uint64_t const kind = stream.below(8);
    for (std::size_t l = 0; l < k; ++l) pattern.push_back(kind != 0 && (kind < 4 || stream.below(2) == 1));
  }
  return pattern;
}

}  // namespace ExaktTest::Golden
