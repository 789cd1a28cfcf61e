// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Selftest.hpp"

#include "ExaktTool_Answer.hpp"

#include <ExaktTest_GoldenCases.hpp>
#include <Exakt_Accumulator.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace Exakt::Tool {
namespace {

using namespace ExaktTest::Golden;

constexpr Rounding every_rounding[] = {Rounding::to_nearest, Rounding::toward_zero, Rounding::upward,
                                       Rounding::downward};

/// Results as the lines of the golden set have them: their bits, with blanks between them.
class Results {
 public:
  template <class R>
  void add(R result) {
    m_text += (m_text.empty() ? "" : " ") + word_text(word_of(result), format_of<R>);
  }
  std::string const& text() const { return m_text; }

 private:
  std::string m_text;
};

template <class T>
std::string results_of_vector(Case const& c) {
  auto x = numbers_of<T>(vector_of(format_of<T>, c.family, c.seed, c.sizes[0]));
  SumAccumulator<T> sum;
  DotAccumulator<T> squares;
  if (c.verb == "nrm1")
    for (T& entry : x) entry = std::fabs(entry);
  sum.add(x.data(), x.size());
  squares.add_products(x.data(), x.data(), x.size());
  Results results;
  for (Rounding const mode : every_rounding) {
    if (c.verb == "nrm2")
      results.add(squares.template round_sqrt<T>(mode));
    else if (c.verb == "nrm2_squared")
      results.add(squares.template round<T>(mode));
    else if (c.verb == "mean")
      results.add(sum.template round_quotient<T>(x.size(), mode));
    else
      results.add(sum.template round<T>(mode));
  }
  if (c.verb == "sum" && sizeof(T) == sizeof(double))
    for (Rounding const mode : every_rounding) results.add(sum.template round<float>(mode));
  return results.text();
}

template <class X, class Y>
std::string results_of_dot(Case const& c) {
  auto const product = product_of(format_of<X>, format_of<Y>, 1, c.family, c.seed, 1, 1, c.sizes[0]);
  auto const x = numbers_of<X>(product.a);
  auto const y = numbers_of<Y>(product.b);
  DotAccumulator<X> sum;
  sum.add_products(x.data(), y.data(), x.size());
  Results results;
  for (Rounding const mode : every_rounding) results.add(sum.template round<X>(mode));
  if (sizeof(X) == sizeof(double))
    for (Rounding const mode : every_rounding) results.add(sum.template round<float>(mode));
  return results.text();
}

std::string results_of_complex_dot(Case const& c) {
  auto const product = product_of(f64, f64, 2, c.family, c.seed, 1, 1, c.sizes[0]);
  auto const x = numbers_of<double>(product.a), y = numbers_of<double>(product.b);
  DotAccumulator<double> real, imaginary;
  for (std::size_t i = 0; i < x.size(); i += 2) {
    real.add_product(x[i], y[i]);
    real.subtract_product(x[i + 1], y[i + 1]);
    imaginary.add_product(x[i], y[i + 1]);
    imaginary.add_product(x[i + 1], y[i]);
  }
  Results results;
  results.add(real.round());
  results.add(imaginary.round());
  return results.text();
}

std::string results_of(Case const& c) {
  if (c.type == "f64f32") return results_of_dot<double, float>(c);
  if (c.type == "c128") return results_of_complex_dot(c);
  if (c.verb == "dot") return c.type == "f32" ? results_of_dot<float, float>(c) : results_of_dot<double, double>(c);
  return c.type == "f32" ? results_of_vector<float>(c) : results_of_vector<double>(c);
}

/// FNV-1a (Fowler, Noll, Vo) of 64 bits over lines.
class Digest {
 public:
  void add(std::string const& line) {
    for (unsigned char const c : line + "\n") m_hash = (m_hash ^ c) * 0x100000001b3u;
  }
  std::string text() const { return word_text(m_hash, f64); }

 private:
  std::uint64_t m_hash = 0xcbf29ce484222325u;
};

}  // namespace

bool run_selftest() {
  Digest actual, promised;
  std::size_t cases = 0, differences = 0;
  std::string first;
  for (auto const& [verb, text] : golden_files) {
    for (Case const& c : parsed_file(verb, std::string(text))) {
      Case computed = c;
      computed.result = results_of(c);
      promised.add(c.line());
      actual.add(computed.line());
      ++cases;
      if (computed.result == c.result) continue;
      if (differences++ == 0) first = computed.line() + ", promised " + c.result;
    }
  }
  std::string const what = "digest " + actual.text() + " of " + std::to_string(cases) + " golden results: ";
  if (differences == 0)
    write_to_standard_output(what + "this build gives the promised bits\n");
  else
    write_to_standard_output(what + std::to_string(differences) + " are NOT the promised ones (digest " +
                             promised.text() + "); the first: " + first + "\n");
  return differences == 0;
}

}  // namespace Exakt::Tool
