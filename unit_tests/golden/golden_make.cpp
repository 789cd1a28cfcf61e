// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief Writes the golden set: `golden_make DIRECTORY`, or compares it with what it would write: `golden_make --check
/// DIRECTORY`. All results are computed with MPFR, none with Exakt.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "ExaktTest_GoldenCases.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_ScaledExact.hpp"

namespace {

using namespace ExaktTest;
using namespace ExaktTest::Golden;

double number(std::uint64_t word, Format const& format) {
  return format.width == 64 ? number_of<double>(word) : static_cast<double>(number_of<float>(word));
}

/// What the oracle knows, rounded to the nearest number of a format.
template <class Oracle>
std::uint64_t rounded(Oracle const& exact, Format const& format) {
  return format.width == 64 ? word_of(exact.template round<double>().value)
                            : word_of(exact.template round<float>().value);
}

// ---- the results -----------------------------------------------------------------------------------------------

template <class R>
std::string all_modes(std::string const& verb, Exact const& exact, std::size_t n) {
  Words words;
  for (Rounding const mode : every_rounding) {
    auto const result = verb == "nrm2"   ? exact.round_sqrt<R>(mode)
                        : verb == "mean" ? exact.round_quotient<R>(std::uint64_t{n}, mode)
                                         : exact.round<R>(mode);
    words.push_back(word_of(result.value));
  }
  return result_text(words, format_of<R>);
}

std::string result_of_sum(Case const& c) {
  Format const& format = type_named(c.type).first;
  std::size_t const n = c.sizes[0];
  Exact exact;
  for (std::uint64_t const word : vector_of(format, c.family, c.seed, n)) {
    double const x = number(word, format);
    if (c.verb == "nrm2" || c.verb == "nrm2_squared")
      exact.add_product(x, x);
    else
      exact.add(c.verb == "nrm1" ? number(word & ~format.sign_bit(), format) : x);
  }
  std::string const text =
      format.width == 64 ? all_modes<double>(c.verb, exact, n) : all_modes<float>(c.verb, exact, n);
  return c.verb == "sum" && format.width == 64 ? text + ' ' + all_modes<float>(c.verb, exact, n) : text;
}

/// Real and imaginary part of entry (i, j) of op(A) op(B).
struct ComplexSum {
  Exact real, imaginary;
};
ComplexSum entry_of(Product const& p, Type const& type, std::size_t n, std::size_t k, std::size_t i, std::size_t j) {
  ComplexSum sum;
  for (std::size_t l = 0; l < k; ++l) {
    auto const a = [&](std::size_t part) { return number(p.a[(i * k + l) * type.parts + part], type.first); };
    auto const b = [&](std::size_t part) { return number(p.b[(l * n + j) * type.parts + part], type.second); };
    sum.real.add_product(a(0), b(0));
    if (type.parts == 1) continue;
    sum.real.subtract_product(a(1), b(1));
    sum.imaginary.add_product(a(0), b(1)).add_product(a(1), b(0));
  }
  return sum;
}

std::string result_of_dot(Case const& c) {
  Type const& type = type_named(c.type);
  std::size_t const k = c.sizes[0];
  auto const sum =
      entry_of(product_of(type.first, type.second, type.parts, c.family, c.seed, 1, 1, k), type, 1, k, 0, 0);
  if (type.parts == 2) return result_text({rounded(sum.real, f64), rounded(sum.imaginary, f64)}, f64);
  if (type.first.width == 32) return all_modes<float>(c.verb, sum.real, k);
  return all_modes<double>(c.verb, sum.real, k) + ' ' + all_modes<float>(c.verb, sum.real, k);
}

std::string result_of_axpby(Case const& c) {
  Format const& format = type_named(c.type).first;
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

/// alpha op(A) op(B) + beta C.
std::string result_of_product(Case const& c) {
  Type const& type = type_named(c.type);
  Format const& format = type.first;
  bool const is_matrix = c.verb == "gemm";
  std::size_t const m = c.sizes[0], n = is_matrix ? c.sizes[1] : 1, k = c.sizes.back();
  auto const product = product_of(format, type.second, type.parts, c.family, c.seed, m, n, k);
  auto const alpha = [&](std::size_t part) { return number(c.factors[0][part], format); };
  auto const beta = [&](std::size_t part) { return number(c.factors[1][part], format); };
  Words words;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      auto const sum = entry_of(product, type, n, k, i, j);
      auto const old = [&](std::size_t part) { return number(product.c[(i * n + j) * type.parts + part], format); };
      ScaledExact real(alpha(0), sum.real);
      if (beta(0) != 0) real.add_product(beta(0), old(0));
      if (type.parts == 1) {
        words.push_back(rounded(real, format));
        continue;
      }
      ScaledExact imaginary(alpha(0), sum.imaginary);
      real.add_scaled(-alpha(1), sum.imaginary).add_product(-beta(1), old(1));
      imaginary.add_scaled(alpha(1), sum.real).add_product(beta(0), old(1)).add_product(beta(1), old(0));
      words.push_back(rounded(real, format));
      words.push_back(rounded(imaginary, format));
    }
  return result_text(words, format);
}

/// x_i := (alpha b_i - sum of a_ij x_j) / a_ii.
template <class R>
std::string result_of_triangle(Case const& c) {
  Format const& format = format_of<R>;
  std::size_t const n = c.sizes[0], columns = c.verb == "trsm" ? c.sizes[1] : 1;
  double const alpha = c.factors.empty() ? 1 : number(c.factors[0][0], format);
  auto const [a, b] = triangle_of(format, c.family, c.seed, n, columns, c.has_unit_diagonal);
  Words x = b;
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < n; ++i) {
      Exact exact;
      if (alpha != 0) exact.add_product(alpha, number(b[i * columns + j], format));
      for (std::size_t l = 0; l < i; ++l)
        exact.subtract_product(number(a[i * n + l], format), number(x[l * columns + j], format));
      double const divisor = c.has_unit_diagonal ? 1 : number(a[i * n + i], format);
      x[i * columns + j] = word_of(exact.round_quotient<R>(divisor).value);
    }
  return result_text(x, format);
}

std::string result_of_scatter(Case const& c) {
  Format const& format = type_named(c.type).first;
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

std::string result_of(Case const& c) {
  if (c.verb == "dot") return result_of_dot(c);
  if (c.verb == "axpby") return result_of_axpby(c);
  if (c.verb == "gemv" || c.verb == "gemm") return result_of_product(c);
  if (c.verb == "trsv" || c.verb == "trsm")
    return c.type == "f64" ? result_of_triangle<double>(c) : result_of_triangle<float>(c);
  if (c.verb == "scatter" || c.verb == "scatter_product") return result_of_scatter(c);
  return result_of_sum(c);
}

// ---- the cases: lines are appended to a verb by a further call of add() at its end, never in between -----------

using Sizes = std::vector<std::size_t>;

/// 1, -1, 0.1, the smallest number, the largest, 0; imaginary parts 0, 1, -1.
Words factor(Type const& type, std::size_t choice) {
  bool const is_double = type.first.width == 64;
  std::uint64_t const one = is_double ? word_of(1.0) : word_of(1.0f), tenth = is_double ? word_of(0.1) : word_of(0.1f);
  std::uint64_t const choices[] = {one, one + type.first.sign_bit(), tenth, 1, type.first.largest(), 0};
  Words words{choices[choice % 6]};
  if (type.parts == 2) words.push_back(choices[(choice / 6 + 5) % 6]);
  return words;
}

class Maker {
 public:
  explicit Maker(Verb const& verb) : m_verb(verb) {}

  /// Each family with every `step`-th of the sizes, another one first for each family.
  void add(std::string const& type, std::vector<Sizes> const& sizes, std::size_t step,
           std::vector<std::string> const& families) {
    for (std::size_t f = 0; f < families.size(); ++f)
      for (std::size_t s = 0; s < sizes.size(); ++s)
        if ((s + f) % step == 0) add(type, families[f], sizes[s]);
  }
  void add(std::string const& type, std::vector<Sizes> const& sizes, std::size_t step) {
    add(type, sizes, step, first_families());
  }

  std::vector<Case> const& cases() const { return m_cases; }

 private:
  void add(std::string const& type, std::string const& family, Sizes const& sizes) {
    std::uint64_t const seed = m_cases.size() + 1;
    Case c{m_verb.name, type, family, seed, sizes, m_verb.has_diagonal && seed % 3 == 0, {}, {}};
    // With alpha = 0 NaN, infinities and zeros on the diagonal would tell whether they are read; a -0 whether C is
    // computed or, with beta = 1, left alone, as also where there is nothing to sum over.
    bool const is_alpha_nonzero = family == "minus_zero" || family == "nan" || family == "zero_diagonal" ||
                                  family.find("infinit") != std::string::npos;
    bool const is_beta_not_one = family == "minus_zero" && sizes.back() == 0;
    for (std::size_t i = 0; i < m_verb.factors; ++i) {
      std::size_t const choice = i == 0 ? seed % 11 : seed / 2 % 13;
      bool const replaces_zero = i == 0 && is_alpha_nonzero && choice % 6 == 5;
      bool const replaces_one = i == 1 && is_beta_not_one && choice % 6 == 0;
      c.factors.push_back(factor(type_named(type), replaces_zero ? 0 : replaces_one ? 2 : choice));
    }
    // 1 and a unit in the last place, times x and added to y: half a unit of y but for what no double-double holds.
    if (c.verb == "axpby" && family == "near_ties") {
      c.factors = {factor(type_named(type), 0), factor(type_named(type), 0)};
      c.factors[0][0] += 1;
    }
    c.result = result_of(c);
    m_cases.push_back(c);
  }

  /// Those that there were when the first lines were written: later ones must not move these.
  std::vector<std::string> first_families() const {
    auto const& all = *m_verb.families;
    char const* const last = &all == &product_families    ? "zero_times_infinity"
                             : &all == &triangle_families ? "zero_diagonal"
                                                          : "infinities";
    return {all.begin(), std::find(all.begin(), all.end(), last) + 1};
  }

  Verb const& m_verb;
  std::vector<Case> m_cases;
};

std::vector<Case> cases_of(Verb const& verb) {
  std::string const name = verb.name;
  Maker maker(verb);
  std::vector<std::string> const finite = {"binade", "decades10", "full",   "integers", "multiples",
                                           "ties",   "near_ties", "cancel", "zero"};
  std::vector<Sizes> const lengths = {{0},   {1},   {2},   {3},   {4},    {5},    {7},   {8},   {9},
                                      {15},  {16},  {17},  {31},  {33},   {63},   {65},  {100}, {127},
                                      {129}, {255}, {257}, {511}, {1000}, {2049}, {5000}};
  // Ties, and what is next to them, are half of the questions that a rounding has to answer.
  std::vector<std::string> const vector_ties = {"ties", "near_ties", "triples", "squares"},
                                 product_ties = {"multiples", "ties", "near_ties"};
  std::vector<Sizes> const few = {{2}, {3}, {4}, {6}, {8}, {16}, {32}};
  if (name == "sum") {
    maker.add("f64", lengths, 3);
    maker.add("f32", lengths, 5);
    maker.add("f64", few, 1, vector_ties);
    maker.add("f32", few, 1, vector_ties);
  } else if (name == "dot") {
    maker.add("f64", lengths, 3);
    maker.add("f32", lengths, 5);
    maker.add("f64f32", lengths, 8);
    maker.add("c128", lengths, 8);
    for (char const* const type : {"f64", "f32", "f64f32", "c128"}) maker.add(type, few, 1, product_ties);
  } else if (name == "nrm1" || name == "nrm2" || name == "nrm2_squared" || name == "mean") {
    maker.add("f64", lengths, 7);
    maker.add("f32", lengths, 9);
    maker.add("f64", few, 1, vector_ties);
    maker.add("f32", few, 1, vector_ties);
  } else if (name == "axpby") {
    maker.add("f64", lengths, 4);
    maker.add("f32", lengths, 5);
    maker.add("f64", few, 1, {"near_ties"});
    maker.add("f32", few, 1, {"near_ties"});
  } else if (name == "gemv") {
    std::vector<Sizes> const sizes = {{1, 1}, {2, 3},   {3, 2},   {7, 9},    {8, 8},    {1, 40},  {40, 1},  {17, 33},
                                      {5, 0}, {33, 17}, {40, 40}, {70, 130}, {130, 70}, {3, 900}, {257, 19}};
    maker.add("f64", sizes, 3);
    maker.add("f32", sizes, 5);
    maker.add("c128", sizes, 4, finite);
    std::vector<Sizes> const small = {{1, 2}, {2, 3}, {5, 4}, {8, 9}, {30, 7}};
    for (char const* const type : {"f64", "f32", "c128"}) maker.add(type, small, 1, product_ties);
  } else if (name == "gemm") {
    std::vector<Sizes> const sizes = {{1, 1, 1},   {2, 3, 4},   {4, 3, 2},    {7, 7, 7},   {8, 8, 8},
                                      {9, 5, 17},  {3, 2, 0},   {16, 16, 16}, {17, 31, 9}, {1, 40, 33},
                                      {40, 1, 33}, {33, 4, 40}, {40, 40, 40}};
    maker.add("f64", sizes, 3);
    maker.add("f32", sizes, 4);
    maker.add("c128", sizes, 4, finite);
    std::vector<Sizes> const large = {{70, 65, 72}, {64, 129, 100}, {130, 70, 90}};
    maker.add("f64", large, 3, finite);
    maker.add("f32", large, 3, {"decades10", "cancel"});
    maker.add("c128", {{70, 65, 72}}, 1, {"decades10"});
    std::vector<Sizes> const small = {{1, 1, 2}, {2, 2, 3}, {5, 6, 4}, {9, 20, 17}};
    for (char const* const type : {"f64", "f32", "c128"}) maker.add(type, small, 1, product_ties);
  } else if (name == "trsv") {
    std::vector<Sizes> const sizes = {{1},  {2},  {3},  {4},  {5},  {7},  {8},   {9},  {15},
                                      {17}, {33}, {40}, {63}, {65}, {70}, {130}, {300}};
    maker.add("f64", sizes, 1);
    maker.add("f32", sizes, 2);
  } else if (name == "trsm") {
    std::vector<Sizes> const sizes = {{1, 1},  {2, 3},  {3, 2},  {5, 4},  {8, 8},  {9, 1},
                                      {17, 5}, {33, 3}, {40, 9}, {70, 6}, {130, 5}};
    maker.add("f64", sizes, 1);
    maker.add("f32", sizes, 2);
  } else if (name == "scatter" || name == "scatter_product") {
    std::vector<Sizes> const sizes = {{0, 1},  {1, 1},   {2, 3},   {9, 2},    {17, 4},     {33, 7},
                                      {65, 8}, {100, 1}, {257, 9}, {1000, 3}, {1000, 100}, {5000, 17}};
    maker.add("f64", sizes, 2);
    maker.add("f32", sizes, 4);
    std::vector<Sizes> const small = {{5, 2}, {9, 3}, {20, 5}};
    for (char const* const type : {"f64", "f32"})
      maker.add(type, small, 1, name == "scatter" ? vector_ties : product_ties);
  }
  return maker.cases();
}

/// What to say about the first line that differs.
std::optional<std::string> difference(std::string const& path, std::string const& made) {
  std::string const there = contents_of(path);
  if (there == made) return {};
  auto const first = std::mismatch(there.begin(), there.begin() + std::min(there.size(), made.size()), made.begin());
  auto const line = std::count(there.begin(), first.first, '\n') + 1;
  return path + ':' + std::to_string(line) + ": is not what golden_make writes";
}

}  // namespace

int main(int argc, char* argv[]) {
  bool const checks = argc == 3 && std::strcmp(argv[1], "--check") == 0;
  if (argc != 2 + checks) {
    std::fprintf(stderr, "usage: %s [--check] DIRECTORY\n", argv[0]);
    return 2;
  }
  try {
    std::string const directory = argv[argc - 1];
    std::size_t count = 0, differences = 0;
    for (Verb const& verb : verbs()) {
      auto const cases = cases_of(verb);
      std::string const path = directory + '/' + verb.name + ".txt", text = file_text(verb.name, cases);
      parsed_file(verb.name, text);
      count += cases.size();
      if (!checks) {
        std::ofstream file(path, std::ios::binary);
        if (!(file << text).flush()) throw std::runtime_error(path + ": cannot be written");
      } else if (auto const what = difference(path, text)) {
        std::fprintf(stderr, "%s\n", what->c_str());
        ++differences;
      }
    }
    std::printf("%s: %zu cases, results by MPFR %s; %zu files differ\n", directory.c_str(), count, mpfr_get_version(),
                differences);
    return differences == 0 ? 0 : 1;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 2;
  }
}
