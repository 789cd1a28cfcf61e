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

#include "golden_results.hpp"

namespace {

using namespace ExaktTest;
using namespace ExaktTest::Golden;

std::string result_of(Case const& c) {
  auto const& families = *verb_named(c.verb).families;
  if (&families == &triangle_families) return result_of_triangle(c);
  for (char const* const verb : {"variance", "stddev", "covariance", "correlation"})
    if (c.verb == verb) return result_of_moments(c);
  bool const is_matrix = &families == &product_families && c.verb != "dot" && c.verb != "scatter_product";
  return is_matrix ? result_of_matrix(c) : result_of_vector(c);
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
    choose_other_factors(c);
    c.result = result_of(c);
    m_cases.push_back(c);
  }

  /// Those that the rules above do not choose.
  static void choose_other_factors(Case& c) {
    Type const& type = type_named(c.type);
    auto const is_verb = [&](auto... verbs) { return ((c.verb == verbs) || ...); };
    // 1 and a unit in the last place, times x and added to y: half a unit of y but for what no double-double holds.
    if (is_verb("axpby") && c.family == "near_ties") {
      c.factors = {factor(type, 0), factor(type, 0)};
      c.factors[0][0] += 1;
    }
    if (c.family == "updates" || c.family == "near_updates")
      for (std::size_t i = 0; i < c.factors.size(); ++i) c.factors[i] = factor(type, c.seed >> i & 1);
    // Unknowns stay in the range: what an infinity is divided by is nobody's question where numbers are complex.
    if (is_verb("ztrsm") && c.factors[0][0] == type.first.largest()) c.factors[0][0] = factor(type, 2)[0];
    // Products of one column are those of syr, her, syr2 and her2, which have no beta.
    if (is_verb("syrk", "herk", "syr2k", "her2k") && c.sizes[1] == 1) c.factors[1] = factor(type, 0);
    if (is_verb("herk")) c.factors[0][1] = 0;
    if (is_verb("herk", "her2k")) {
      c.factors[1][1] = 0;
      // Whether the imaginary parts of a diagonal become zeros where C stays as it is, is nobody's question.
      bool const has_sum = c.sizes[1] > 0 && c.factors[0] != Words{0, 0};
      if (!has_sum && c.sizes[1] == 1) c.factors[0] = factor(type, 1);
      if (!has_sum && c.sizes[1] != 1 && c.factors[1] == factor(type, 0)) c.factors[1] = factor(type, 1);
    }
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

std::vector<std::string> const finite = {"binade", "decades10", "full",   "integers", "multiples",
                                         "ties",   "near_ties", "cancel", "zero"};
// Ties, and what is next to them, are half of the questions that a rounding has to answer.
std::vector<std::string> const vector_ties = {"ties", "near_ties", "triples", "squares"},
                               product_ties = {"multiples", "ties", "near_ties"},
                               update_ties = {"updates", "near_updates"};

/// Scans, sums of parts, and moments.
void add_vector_cases(std::string const& name, Maker& maker) {
  if (name == "inclusive_scan" || name == "exclusive_scan") {
    std::vector<Sizes> const sizes = {{0},  {1},  {2},  {3},  {4},  {5},   {8},   {9},   {16},   {17},
                                      {33}, {64}, {65}, {71}, {97}, {129}, {258}, {513}, {1000}, {3001}};
    maker.add("f64", sizes, 6);
    maker.add("f32", sizes, 8);
    for (char const* const type : {"f64", "f32"}) maker.add(type, {{2}, {3}, {6}, {20}}, 1, {"ties", "near_ties"});
  } else if (name == "segmented_sum" || name == "sum_by_key") {
    std::vector<Sizes> const sizes = {{0, 1},  {1, 1},   {2, 3},   {9, 2},    {17, 4},    {33, 7},
                                      {65, 8}, {100, 1}, {257, 9}, {700, 60}, {1000, 300}};
    maker.add("f64", sizes, 3);
    maker.add("f32", sizes, 4);
    for (char const* const type : {"f64", "f32"}) maker.add(type, {{5, 2}, {9, 3}, {20, 5}}, 1, vector_ties);
    for (char const* const type : {"f64", "f32"})
      maker.add(type, {{4, 1}, {6, 1}, {6, 1}, {10, 1}, {10, 1}, {16, 1}, {16, 1}, {24, 1}, {30, 2}, {40, 2}}, 1,
                {"near_ties"});
  } else if (name == "histogram") {
    std::vector<Sizes> const sizes = {{0, 1}, {1, 1}, {2, 2}, {9, 2}, {17, 1}, {33, 7}, {65, 2}, {257, 9}, {600, 3}};
    maker.add("f64", sizes, 3);
    maker.add("f32", sizes, 4);
    for (char const* const type : {"f64", "f32"})
      maker.add(type, {{4, 1}, {6, 1}, {5, 2}, {8, 1}, {12, 2}, {30, 2}}, 1, {"ties", "near_ties"});
  } else if (name == "variance" || name == "stddev") {
    std::vector<Sizes> const sizes = {{0, 1},  {1, 0},   {1, 1},   {2, 0},   {2, 1},    {2, 2},    {3, 1},   {4, 0},
                                      {5, 1},  {7, 2},   {8, 1},   {9, 0},   {16, 1},   {17, 2},   {33, 0},  {63, 1},
                                      {65, 1}, {100, 2}, {129, 0}, {257, 1}, {1000, 0}, {1000, 1}, {2049, 2}};
    maker.add("f64", sizes, 7);
    maker.add("f32", sizes, 9);
    std::vector<Sizes> const hard = {{4, 2}, {6, 2}, {8, 0}, {9, 1}, {10, 2}, {17, 1}, {33, 1}, {34, 2}, {100, 0}};
    std::vector<Sizes> const tied = {{6, 2}, {6, 2}, {6, 2}, {8, 0}, {8, 0}, {9, 1}, {9, 1}, {10, 2}, {17, 1}, {33, 1}};
    std::vector<Sizes> const roots = {{4, 2}, {4, 2}, {4, 2},  {8, 0},  {8, 0},
                                      {9, 1}, {9, 1}, {10, 2}, {33, 1}, {34, 2}};
    for (char const* const type : {"f64", "f32"}) {
      maker.add(type, hard, 1, {"neighbours", "deviations", "quadruples"});
      if (name == "variance") maker.add(type, tied, 1, {"deviations"});
      if (name == "stddev") maker.add(type, roots, 1, {"quadruples"});
    }
  } else if (name == "covariance") {
    std::vector<Sizes> const sizes = {{0, 1}, {1, 0},  {1, 1},  {2, 0},  {2, 1},   {3, 1},   {4, 2},   {5, 1},   {8, 0},
                                      {9, 1}, {17, 2}, {33, 0}, {65, 1}, {100, 1}, {129, 0}, {500, 1}, {1000, 2}};
    maker.add("f64", sizes, 5);
    maker.add("f32", sizes, 7);
    std::vector<Sizes> const hard = {{6, 2}, {6, 2}, {8, 0}, {9, 1}, {10, 2}, {17, 1}, {33, 1}, {50, 0}};
    for (char const* const type : {"f64", "f32"}) maker.add(type, hard, 1, {"deviations", "proportional"});
  } else if (name == "correlation") {
    std::vector<Sizes> const sizes = {{0},  {1},  {2},  {3},   {4},   {5},   {8},   {9},
                                      {17}, {33}, {65}, {100}, {129}, {500}, {1000}};
    maker.add("f64", sizes, 5);
    maker.add("f32", sizes, 7);
    for (char const* const type : {"f64", "f32"}) {
      maker.add(type, {{2}, {3}, {5}, {16}, {100}}, 1, {"proportional"});
      maker.add(type, std::vector<Sizes>(20, {16}), 1, {"four_squares"});
      maker.add(type, {{4}, {13}, {17}, {40}}, 1, {"four_squares"});
    }
  }
}

/// Sparse matrices, bands, those of one triangle, and complex systems.
void add_matrix_cases(std::string const& name, Maker& maker) {
  bool const is_hermitian = name == "hemv" || name == "hemm" || name == "herk" || name == "her2k";
  auto const add = [&](std::vector<Sizes> const& sizes, std::vector<std::string> const& ties) {
    std::vector<Sizes> const small = {sizes[1], sizes[2], sizes[3]};
    if (!is_hermitian)
      for (char const* const type : {"f64", "f32"}) {
        maker.add(type, sizes, type[1] == '6' ? 4 : 6);
        maker.add(type, small, 1, ties);
      }
    maker.add("c128", sizes, is_hermitian ? 1 : 4, finite);
    maker.add("c128", small, 1, ties);
    if (is_hermitian) maker.add("c128", {{2, 1}, {4, 1}, {6, 2}, {7, 4}, {10, 1}, {12, 5}, {15, 1}}, 1, ties);
  };
  if (name == "spmv") {
    add({{1, 1, 1},
         {2, 1, 3},
         {9, 1, 7},
         {5, 1, 12},
         {3, 2, 4},
         {17, 3, 9},
         {33, 1, 40},
         {40, 1, 33},
         {4, 1, 200},
         {70, 2, 20}},
        product_ties);
  } else if (name == "gbmv") {
    add({{1, 1, 0, 0},
         {3, 4, 1, 2},
         {7, 6, 3, 1},
         {12, 30, 2, 9},
         {8, 8, 0, 1},
         {9, 9, 8, 8},
         {30, 12, 5, 0},
         {40, 40, 2, 2},
         {33, 50, 7, 20}},
        product_ties);
  } else if (name == "symv" || name == "hemv" || name == "trmv") {
    add({{1, 0}, {3, 2}, {5, 2}, {9, 8}, {2, 1}, {8, 7}, {17, 3}, {20, 19}, {30, 29}, {33, 1}, {26, 10}, {37, 36}},
        product_ties);
  } else if (name == "symm" || name == "hemm" || name == "trmm") {
    add({{1, 1}, {2, 3}, {5, 2}, {9, 4}, {8, 8}, {17, 3}, {33, 2}, {25, 6}}, product_ties);
  } else if (name == "syrk" || name == "herk" || name == "syr2k" || name == "her2k") {
    add({{1, 1}, {3, 1}, {5, 3}, {9, 6}, {4, 0}, {8, 8}, {17, 1}, {18, 9}, {25, 4}}, update_ties);
  } else if (name == "ger") {
    add({{1, 1}, {2, 3}, {5, 4}, {9, 17}, {1, 8}, {8, 1}, {33, 7}, {20, 25}}, {"updates"});
    for (char const* const type : {"f64", "f32", "c128"}) maker.add(type, {{3, 3}, {7, 2}, {12, 12}}, 1, {"updates"});
  } else if (name == "ztrsv" || name == "ztrsm") {
    std::vector<std::string> const any = {"dominant", "ties", "integers", "subnormal", "residual", "zero_diagonal"};
    bool const is_matrix = name == "ztrsm";
    auto const sizes = [&](std::vector<Sizes> sizes) {
      for (Sizes& size : sizes)
        if (!is_matrix) size.pop_back();
      return sizes;
    };
    maker.add("c128",
              sizes({{1, 1}, {2, 3}, {3, 2}, {4, 1}, {5, 4}, {8, 3}, {9, 2}, {17, 2}, {33, 2}, {40, 1}, {66, 1}}), 1,
              any);
    maker.add("c128", sizes({{1, 2}, {2, 2}, {3, 1}, {6, 2}, {7, 1}, {12, 3}, {15, 2}}), 1,
              {"ties", "residual", "decades10"});
    maker.add("c128", sizes({{1, 3}, {2, 1}, {4, 2}, {11, 1}}), 1, {"ties", "integers", "decades10", "residual"});
  }
}

std::vector<Case> cases_of(Verb const& verb) {
  std::string const name = verb.name;
  Maker maker(verb);
  std::vector<Sizes> const lengths = {{0},   {1},   {2},   {3},   {4},    {5},    {7},   {8},   {9},
                                      {15},  {16},  {17},  {31},  {33},   {63},   {65},  {100}, {127},
                                      {129}, {255}, {257}, {511}, {1000}, {2049}, {5000}};
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
  add_vector_cases(name, maker);
  add_matrix_cases(name, maker);
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
