// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "golden_results.hpp"

namespace ExaktTest::Golden {
namespace {

std::string all_roundings(Exact const& exact, Format const& format) {
  return in_all_modes(format, [&](Rounding mode) { return rounded(exact, format, mode); });
}

std::string result_of_sum(Case const& c, Format const& format) {
  Exact exact;
  for (std::uint64_t const word : vector_of(format, c.family, c.seed, c.sizes[0])) {
    double const x = number(word, format);
    if (c.verb == "nrm2" || c.verb == "nrm2_squared")
      exact.add_product(x, x);
    else
      exact.add(c.verb == "nrm1" ? number(word & ~format.sign_bit(), format) : x);
  }
  if (c.verb == "nrm2")
    return in_all_modes(format, [&](Rounding mode) {
      return format.width == 64 ? word_of(exact.round_sqrt<double>(mode).value)
                                : word_of(exact.round_sqrt<float>(mode).value);
    });
  if (c.verb == "mean")
    return in_all_modes(format, [&](Rounding mode) {
      std::uint64_t const n = c.sizes[0];
      return format.width == 64 ? word_of(exact.round_quotient<double>(n, mode).value)
                                : word_of(exact.round_quotient<float>(n, mode).value);
    });
  std::string const text = all_roundings(exact, format);
  return c.verb == "sum" && format.width == 64 ? text + ' ' + all_roundings(exact, f32) : text;
}

/// Real and imaginary part.
std::string result_of_dot(Case const& c) {
  Type const& type = type_named(c.type);
  std::size_t const k = c.sizes[0];
  auto const p = product_of(type.first, type.second, type.parts, c.family, c.seed, 1, 1, k);
  Exact real, imaginary;
  for (std::size_t l = 0; l < k; ++l) {
    auto const a = [&](std::size_t part) { return number(p.a[l * type.parts + part], type.first); };
    auto const b = [&](std::size_t part) { return number(p.b[l * type.parts + part], type.second); };
    real.add_product(a(0), b(0));
    if (type.parts == 1) continue;
    real.subtract_product(a(1), b(1));
    imaginary.add_product(a(0), b(1)).add_product(a(1), b(0));
  }
  if (type.parts == 2) return result_text({rounded(real, f64), rounded(imaginary, f64)}, f64);
  if (type.first.width == 32) return all_roundings(real, f32);
  return all_roundings(real, f64) + ' ' + all_roundings(real, f32);
}

std::string result_of_axpby(Case const& c, Format const& format) {
  auto const [x, y] = pair_of(format, c.family, c.seed, c.sizes[0]);
  double const alpha = number(c.factors[0][0], format), beta = number(c.factors[1][0], format);
  Words words;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Exact exact;
    if (alpha != 0) exact.add_product(alpha, number(x[i], format));
    if (beta != 0) exact.add_product(beta, number(y[i], format));
    words.push_back(rounded(exact, format));
  }
  return result_text(words, format);
}

std::string result_of_scan(Case const& c, Format const& format) {
  Words words;
  Exact exact;
  for (std::uint64_t const word : vector_of(format, c.family, c.seed, c.sizes[0])) {
    if (c.verb == "exclusive_scan") words.push_back(rounded(exact, format));
    exact.add(number(word, format));
    if (c.verb == "inclusive_scan") words.push_back(rounded(exact, format));
  }
  return result_text(words, format);
}

std::string result_of_segments(Case const& c, Format const& format) {
  auto const x = vector_of(format, c.family, c.seed, c.sizes[0]);
  auto const offsets = offsets_of(c.seed, c.sizes[0], c.sizes[1]);
  Words words;
  for (std::size_t s = 0; s < c.sizes[1]; ++s) {
    Exact exact;
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) exact.add(number(x[i], format));
    words.push_back(rounded(exact, format));
  }
  return result_text(words, format);
}

std::string result_of_keys(Case const& c, Format const& format) {
  auto const x = vector_of(format, c.family, c.seed, c.sizes[0]);
  auto const keys = keys_of(c.seed, c.sizes[0], c.sizes[1]);
  auto different = keys;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  Words words;
  for (std::int64_t const key : different) {
    Exact exact;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] == key) exact.add(number(x[i], format));
    words.push_back(rounded(exact, format));
  }
  return result_text(words, format);
}

std::string result_of_histogram(Case const& c, Format const& format) {
  auto const weights = vector_of(format, c.family, c.seed, c.sizes[0]);
  auto const places = places_of(format, c.seed, c.sizes[0], c.sizes[1]);
  std::size_t const bins = c.sizes[1];
  Words words;
  for (Rounding const mode : every_rounding)
    for (std::size_t bin = 0; bin < bins; ++bin) {
      double const low = number(places.edges[bin], format), high = number(places.edges[bin + 1], format);
      Exact exact;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        double const x = number(places.x[i], format);
        if (low <= x && (x < high || (bin == bins - 1 && x == high))) exact.add(number(weights[i], format));
      }
      words.push_back(rounded(exact, format, mode));
    }
  return result_text(words, format);
}

std::string result_of_scatter(Case const& c, Format const& format) {
  std::size_t const n = c.sizes[0], bins = c.sizes[1];
  std::vector<Exact> sums(bins);
  auto const indices = indices_of(c.seed, n, bins);
  if (c.verb == "scatter") {
    auto const x = vector_of(format, c.family, c.seed, n);
    for (std::size_t i = 0; i < n; ++i) sums[indices[i]].add(number(x[i], format));
  } else {
    auto const p = product_of(format, format, 1, c.family, c.seed, 1, 1, n);
    for (std::size_t i = 0; i < n; ++i) sums[indices[i]].add_product(number(p.a[i], format), number(p.b[i], format));
  }
  Words words;
  for (Exact const& sum : sums) words.push_back(rounded(sum, format));
  return result_text(words, format);
}

/// The sums of which variances, covariances and correlations are made.
template <class R>
std::string moments(Case const& c, Words const& x, Words const& y) {
  Format const& format = format_of<R>;
  std::uint64_t const n = x.size();
  Exact sum_x, sum_y, products, squares_x, squares_y;
  for (std::size_t i = 0; i < n; ++i) {
    double const a = number(x[i], format), b = number(y[i], format);
    sum_x.add(a);
    sum_y.add(b);
    products.add_product(a, b);
    squares_x.add_product(a, a);
    squares_y.add_product(b, b);
  }
  std::string const undefined = result_text(Words(4, format.quiet_nan()), format);
  if (!sum_x.is_finite() || !sum_y.is_finite()) return undefined;
  Exact const both = Exact::scaled_covariance(sum_x, sum_y, products, n);
  if (c.verb == "correlation") {
    Exact const of_x = Exact::scaled_variance(sum_x, squares_x, n), of_y = Exact::scaled_variance(sum_y, squares_y, n);
    if (of_x.is_zero() || of_y.is_zero()) return undefined;
    return in_all_modes(format,
                        [&](Rounding mode) { return word_of(both.round_quotient_by_root<R>(of_x, of_y, mode).value); });
  }
  std::uint64_t const ddof = c.sizes[1];
  if (n <= ddof) return undefined;
  return in_all_modes(format, [&](Rounding mode) {
    return c.verb == "stddev" ? word_of(both.round_sqrt_of_quotient<R>(n, n - ddof, mode).value)
                              : word_of(both.round_quotient_by_product<R>(n, n - ddof, mode).value);
  });
}

}  // namespace

std::string result_of_vector(Case const& c) {
  Format const& format = type_named(c.type).first;
  if (c.verb == "dot") return result_of_dot(c);
  if (c.verb == "axpby") return result_of_axpby(c, format);
  if (c.verb == "scatter" || c.verb == "scatter_product") return result_of_scatter(c, format);
  if (c.verb == "inclusive_scan" || c.verb == "exclusive_scan") return result_of_scan(c, format);
  if (c.verb == "segmented_sum") return result_of_segments(c, format);
  if (c.verb == "sum_by_key") return result_of_keys(c, format);
  if (c.verb == "histogram") return result_of_histogram(c, format);
  return result_of_sum(c, format);
}

std::string result_of_moments(Case const& c) {
  Format const& format = type_named(c.type).first;
  Pair pair;
  if (c.verb == "variance" || c.verb == "stddev")
    pair.x = pair.y = vector_of(format, c.family, c.seed, c.sizes[0]);
  else
    pair = pair_of(format, c.family, c.seed, c.sizes[0]);
  return format.width == 64 ? moments<double>(c, pair.x, pair.y) : moments<float>(c, pair.x, pair.y);
}

}  // namespace ExaktTest::Golden
