// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_GoldenNumbers.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace ExaktTest::Golden {
namespace {

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

bool contains(std::vector<std::string> const& families, std::string const& family) {
  return std::find(families.begin(), families.end(), family) != families.end();
}

void require_family(std::vector<std::string> const& families, std::string const& family) {
  if (!contains(families, family)) throw std::invalid_argument("there is no family '" + family + "'");
}

std::vector<std::string> const element_families = {"binade", "decades10", "decades60", "decades600",
                                                   "full",   "subnormal", "integers",  "minus_zero",
                                                   "tiny",   "large",     "huge"};

std::vector<std::string> joined(std::vector<std::string> first, std::vector<std::string> const& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// One number of a family whose numbers do not depend on each other.
std::uint64_t element(Numbers& numbers, std::string const& family) {
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

Words arranged(Words const& x, std::vector<std::size_t> const& order) {
  Words result;
  for (std::size_t const i : order) result.push_back(x[i]);
  return result;
}

}  // namespace

std::vector<std::string> const vector_families =
    joined(element_families, {"cancel", "zero", "huge_cancel", "ties", "near_ties", "edge", "triples", "squares", "nan",
                              "infinity", "infinities"});
std::vector<std::string> const pair_families =
    joined(element_families, {"ties", "cancel", "nan", "infinity", "infinities", "near_ties"});
std::vector<std::string> const product_families =
    joined(element_families, {"multiples", "ties", "near_ties", "cancel", "zero", "large_cancel", "nan", "infinity",
                              "infinities", "zero_times_infinity"});
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
  Pair pair{Words(n), Words(n)};
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

  auto const a_entry = [&](std::size_t l) {
    if (ties && l == 0) return as.number(0, 0);
    if (ties || family == "multiples") return as.integer_between(-8, 8, 0);
    return element(as, is_element ? family : family == "large_cancel" ? "large" : "decades10");
  };
  auto const b_entry = [&](std::size_t l) {
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
    if (ties || family == "multiples") return cs.number(0, 0);
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

Triangle triangle_of(Format format, std::string const& family, std::uint64_t seed, std::size_t n, std::size_t columns,
                     bool has_unit_diagonal) {
  require_family(triangle_families, family);
  Numbers as(format, seed, 0), bs(format, seed, 1);
  Stream places(seed, 3);
  Triangle t{Words(n * n, format.quiet_nan()), Words(n * columns)};
  bool const is_element = family.starts_with("decades");

  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      bool const is_diagonal = i == j;
      std::uint64_t& entry = t.a[i * n + j];
      if (family == "integers")
        entry = is_diagonal ? as.integer_between(1, 9, 0) : as.integer_between(-3, 3, 0);
      else if (family == "ties")
        entry = is_diagonal ? as.integer(1, 0) : as.integer_between(-1, 1, 0);
      else if (is_element)
        entry = element(as, family);
      else if (family != "residual")
        entry = is_diagonal ? as.number(8, 8) : as.number(-4, 3);
      // Row i repeats the equation before it, whose unknown therefore leaves no more than what its rounding lost.
      else if (i % 2 == 1 && !is_diagonal)
        entry = has_unit_diagonal && j == i - 1 ? as.integer(1, 0) : t.a[(i - 1) * n + j];
      else
        entry = as.number(0, 0);
    }
  if (has_unit_diagonal)
    for (std::size_t i = 0; i < n; ++i) t.a[i * n + i] = format.quiet_nan();

  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      std::uint64_t& entry = t.b[i * columns + j];
      if (family == "integers" || family == "subnormal" || is_element)
        entry = element(bs, family);
      else if (family == "ties")
        entry = bs.number(format.precision - 1, format.precision - 1);
      else if (family == "residual" && i % 2 == 1)
        entry = t.b[(i - 1) * columns + j];
      else
        entry = bs.number(-4, 3);
    }
  if (n == 0 || columns == 0) return t;
  std::size_t const i = places.below(n), j = places.below(columns);
  if (family == "nan") t.b[i * columns + j] = format.quiet_nan();
  if (family == "infinity") t.b[i * columns + j] = bs.signed_infinity();
  if (family == "zero_diagonal" && !has_unit_diagonal) t.a[i * n + i] = 0;
  return t;
}

std::vector<std::size_t> indices_of(std::uint64_t seed, std::size_t n, std::size_t bins) {
  Stream stream(seed, 2);
  std::vector<std::size_t> result(n);
  for (std::size_t& index : result) index = stream.below(bins);
  return result;
}

}  // namespace ExaktTest::Golden
