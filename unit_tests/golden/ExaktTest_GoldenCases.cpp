// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_GoldenCases.hpp"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <stdexcept>

namespace ExaktTest::Golden {
namespace {

constexpr char const* signature = "exakt-golden 1";

[[noreturn]] void refuse(std::string const& why) { throw std::runtime_error(why); }

std::string hexadecimal(std::uint64_t word, int digits) {
  std::string text(static_cast<std::size_t>(digits), '0');
  for (std::size_t i = text.size(); i-- > 0; word >>= 4) text[i] = "0123456789abcdef"[word & 15];
  return text;
}

std::uint64_t parsed_hexadecimal(std::string const& text, int digits) {
  bool const is_right = text.size() == static_cast<std::size_t>(digits) &&
                        text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_right) refuse("'" + text + "' is not a number of " + std::to_string(digits) + " hexadecimal digits");
  return std::stoull(text, nullptr, 16);
}

std::uint64_t parsed_decimal(std::string const& text) {
  bool const is_right = !text.empty() && text.size() < 19 &&
                        text.find_first_not_of("0123456789") == std::string::npos && (text == "0" || text[0] != '0');
  if (!is_right) refuse("'" + text + "' is not a decimal number");
  return std::stoull(text);
}

/// Parts between single separators.
std::vector<std::string> split(std::string const& text, char separator) {
  std::vector<std::string> parts(1);
  for (char const c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

bool is_quiet_nan(std::uint64_t word, Format const& format) {
  std::uint64_t const magnitude = word & ~format.sign_bit();
  return magnitude >= format.quiet_nan();
}

std::uint64_t canonical(std::uint64_t word, Format const& format) {
  return is_quiet_nan(word, format) ? format.quiet_nan() : word;
}

std::size_t entries_of_result(Case const& c) {
  auto const is_one_of = [&](std::initializer_list<char const*> verbs) {
    return std::find(verbs.begin(), verbs.end(), c.verb) != verbs.end();
  };
  std::size_t const n = c.sizes[0];
  if (is_one_of({"gemm", "spmv", "ger", "symm", "hemm", "trmm", "trsm", "ztrsm"})) return n * c.sizes[1];
  if (is_one_of({"syrk", "herk", "syr2k", "her2k"})) return n * (n + 1) / 2;
  if (is_one_of({"scatter", "scatter_product", "segmented_sum"})) return c.sizes[1];
  if (c.verb == "histogram") return 4 * c.sizes[1];
  if (c.verb == "sum_by_key" && c.sizes[1] > 0) {
    auto keys = keys_of(c.seed, n, c.sizes[1]);
    std::sort(keys.begin(), keys.end());
    return static_cast<std::size_t>(std::unique(keys.begin(), keys.end()) - keys.begin());
  }
  return n;
}

/// The words of the result, each in its format.
std::vector<Format> result_formats(Case const& c) {
  Type const& type = type_named(c.type);
  Verb const& verb = verb_named(c.verb);
  if (verb.is_rounded_in_all_modes) {
    if (type.parts == 2) return {f64, f64};
    std::vector<Format> words(4, type.first);
    bool const is_rounded_to_float = type.first.width == 64 && (c.verb == "sum" || c.verb == "dot");
    if (is_rounded_to_float) words.insert(words.end(), 4, f32);
    return words;
  }
  return std::vector<Format>(entries_of_result(c) * type.parts, type.first);
}

void require_result(Case const& c) {
  auto const formats = result_formats(c);
  if (formats.size() > 8) {
    std::string const count = "#" + std::to_string(formats.size()) + ":";
    if (!c.result.starts_with(count)) refuse("the result does not begin with " + count);
    parsed_hexadecimal(c.result.substr(count.size()), 16);
    return;
  }
  auto const words = formats.empty() && c.result == "none" ? std::vector<std::string>() : split(c.result, ' ');
  if (words.size() != formats.size())
    refuse("the result has " + std::to_string(words.size()) + " words; there must be " +
           std::to_string(formats.size()));
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] != "nan") parsed_hexadecimal(words[i], formats[i].width / 4);
}

}  // namespace

std::vector<Verb> const& verbs() {
  static std::vector<Verb> const all = {
      {"sum", &vector_families, 1, false, 0, true},
      {"nrm1", &vector_families, 1, false, 0, true},
      {"nrm2", &vector_families, 1, false, 0, true},
      {"nrm2_squared", &vector_families, 1, false, 0, true},
      {"mean", &vector_families, 1, false, 0, true},
      {"dot", &product_families, 1, false, 0, true},
      {"axpby", &pair_families, 1, false, 2, false},
      {"gemv", &product_families, 2, false, 2, false},
      {"gemm", &product_families, 3, false, 2, false},
      {"trsv", &triangle_families, 1, true, 0, false},
      {"trsm", &triangle_families, 2, true, 1, false},
      {"scatter", &vector_families, 2, false, 0, false},
      {"scatter_product", &product_families, 2, false, 0, false},
      {"inclusive_scan", &vector_families, 1, false, 0, false},
      {"exclusive_scan", &vector_families, 1, false, 0, false},
      {"segmented_sum", &vector_families, 2, false, 0, false},
      {"sum_by_key", &vector_families, 2, false, 0, false},
      {"histogram", &vector_families, 2, false, 0, false},
      {"variance", &vector_families, 2, false, 0, true},
      {"stddev", &vector_families, 2, false, 0, true},
      {"covariance", &pair_families, 2, false, 0, true},
      {"correlation", &pair_families, 1, false, 0, true},
      {"spmv", &product_families, 3, false, 2, false},
      {"gbmv", &product_families, 4, false, 2, false},
      {"symv", &product_families, 2, false, 2, false},
      {"hemv", &product_families, 2, false, 2, false},
      {"symm", &product_families, 2, false, 2, false},
      {"hemm", &product_families, 2, false, 2, false},
      {"trmv", &product_families, 2, true, 0, false},
      {"trmm", &product_families, 2, true, 1, false},
      {"syrk", &product_families, 2, false, 2, false},
      {"herk", &product_families, 2, false, 2, false},
      {"syr2k", &product_families, 2, false, 2, false},
      {"her2k", &product_families, 2, false, 2, false},
      {"ger", &product_families, 2, false, 1, false},
      {"ztrsv", &triangle_families, 1, true, 0, false},
      {"ztrsm", &triangle_families, 2, true, 1, false},
  };
  return all;
}

Verb const& verb_named(std::string const& name) {
  for (Verb const& verb : verbs())
    if (verb.name == name) return verb;
  refuse("there is no verb '" + name + "'");
}

Type const& type_named(std::string const& name) {
  static Type const all[] = {
      {"f64", f64, f64, 1}, {"f32", f32, f32, 1}, {"c128", f64, f64, 2}, {"f64f32", f64, f32, 1}};
  for (Type const& type : all)
    if (type.name == name) return type;
  refuse("there is no type '" + name + "'");
}

std::string Case::text() const {
  std::string text = verb + ' ' + type + ' ' + family + ' ' + std::to_string(seed) + ' ';
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i == 0 ? "" : "x") + std::to_string(sizes[i]);
  if (verb_named(verb).has_diagonal) text += has_unit_diagonal ? " unit" : " nonunit";
  for (Words const& factor : factors)
    for (std::size_t i = 0; i < factor.size(); ++i)
      text += (i == 0 ? ' ' : ',') + hexadecimal(factor[i], type_named(type).first.width / 4);
  return text;
}

std::string word_text(std::uint64_t word, Format const& format) {
  return is_quiet_nan(word, format) ? "nan" : hexadecimal(word, format.width / 4);
}

std::string result_text(Words const& words, Format const& format) {
  if (words.empty()) return "none";
  if (words.size() <= 8) {
    std::string text;
    for (std::uint64_t const word : words) text += (text.empty() ? "" : " ") + word_text(word, format);
    return text;
  }
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::uint64_t const word : words)
    for (int byte = 0; byte < format.width; byte += 8)
      hash = (hash ^ (canonical(word, format) >> byte & 255)) * 0x100000001b3u;
  return "#" + std::to_string(words.size()) + ":" + hexadecimal(hash, 16);
}

Case parsed(std::string const& line) {
  std::size_t const arrow = line.find(" -> ");
  if (arrow == std::string::npos) refuse("there is no ' -> '");
  auto const tokens = split(line.substr(0, arrow), ' ');
  Case c;
  c.verb = tokens[0];
  Verb const& verb = verb_named(c.verb);
  std::size_t const factors_begin = verb.has_diagonal ? 6 : 5;
  if (tokens.size() != factors_begin + verb.factors)
    refuse("there are " + std::to_string(tokens.size()) + " words before the arrow; " + verb.name + " has " +
           std::to_string(factors_begin + verb.factors));
  c.type = tokens[1];
  Type const& type = type_named(c.type);
  c.family = tokens[2];
  if (std::find(verb.families->begin(), verb.families->end(), c.family) == verb.families->end())
    refuse(std::string(verb.name) + " has no family '" + c.family + "'");
  c.seed = parsed_decimal(tokens[3]);
  for (std::string const& size : split(tokens[4], 'x')) c.sizes.push_back(parsed_decimal(size));
  if (c.sizes.size() != verb.sizes) refuse(std::string(verb.name) + " has " + std::to_string(verb.sizes) + " sizes");
  if (verb.has_diagonal) {
    if (tokens[5] != "unit" && tokens[5] != "nonunit") refuse("'" + tokens[5] + "' must be unit or nonunit");
    c.has_unit_diagonal = tokens[5] == "unit";
  }
  for (std::size_t i = factors_begin; i < tokens.size(); ++i) {
    Words factor;
    for (std::string const& part : split(tokens[i], ','))
      factor.push_back(parsed_hexadecimal(part, type.first.width / 4));
    if (factor.size() != type.parts) refuse("'" + tokens[i] + "' must have " + std::to_string(type.parts) + " parts");
    c.factors.push_back(factor);
  }
  c.result = line.substr(arrow + 4);
  require_result(c);
  return c;
}

std::string file_text(std::string const& verb, std::vector<Case> const& cases) {
  std::string text = std::string(signature) + ' ' + verb + ' ' + std::to_string(cases.size()) + '\n';
  for (Case const& c : cases) text += c.line() + '\n';
  return text;
}

std::vector<Case> parsed_file(std::string const& verb, std::string const& text) {
  std::vector<Case> cases;
  std::size_t number = 0;
  auto const refuse_at = [&](std::string const& why) { refuse(std::to_string(number) + ": " + why); };
  auto lines = split(text, '\n');
  number = lines.size();
  if (!lines.back().empty()) refuse_at("the last line does not end");
  lines.pop_back();

  number = 1;
  std::string const header = std::string(signature) + ' ' + verb + ' ';
  if (lines.empty() || !lines[0].starts_with(header)) refuse_at("the header must begin with '" + header + "'");
  std::uint64_t count = 0;
  try {
    count = parsed_decimal(lines[0].substr(header.size()));
  } catch (std::runtime_error const& error) {
    refuse_at(error.what());
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    number = i + 1;
    try {
      cases.push_back(parsed(lines[i]));
    } catch (std::runtime_error const& error) {
      refuse_at(error.what());
    }
    if (cases.back().verb != verb) refuse_at("a case of " + cases.back().verb);
  }
  number = 1;
  if (cases.empty()) refuse_at("there are no cases");
  if (cases.size() != count)
    refuse_at("the header says " + std::to_string(count) + " cases, there are " + std::to_string(cases.size()));
  return cases;
}

std::string contents_of(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Case> read_cases(std::string const& directory, std::string const& verb) {
  std::string const path = directory + '/' + verb + ".txt", text = contents_of(path);
  try {
    return parsed_file(verb, text);
  } catch (std::runtime_error const& error) {
    refuse(path + ':' + error.what());
  }
}

}  // namespace ExaktTest::Golden
