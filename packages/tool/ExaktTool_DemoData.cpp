// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_DemoData.hpp"

#include "ExaktTool_Number.hpp"

#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>

namespace Exakt::Tool {
namespace {

/// A whole number below n; the distributions of the standard library differ from one to the next.
std::size_t below(std::size_t n, std::mt19937_64& random) { return static_cast<std::size_t>(random() % n); }

DemoData with_floats(std::vector<double> doubles, bool wants_mean, double correct_double, float correct_float) {
  std::vector<float> floats(doubles.begin(), doubles.end());
  return {std::move(doubles), std::move(floats), wants_mean, correct_double, correct_float};
}

}  // namespace

std::vector<std::size_t> shuffled_indices(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> indices(n);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(indices[i - 1], indices[below(i, random)]);
  return indices;
}

DemoData cancelling_numbers() {
  constexpr std::size_t pairs = 500000;
  constexpr unsigned seed = 31415926;
  constexpr int decades = 9;
  std::mt19937_64 random(seed);
  std::vector<double> ordered = {std::numbers::pi};
  for (std::size_t i = 0; i < pairs; ++i) {
    // Powers of ten come from multiplication, not from pow(), which is not the same everywhere.
    double x = static_cast<double>(1 + below(1u << 30, random)) / (1u << 30);
    for (std::size_t k = below(decades, random); k > 0; --k) x *= 10;
    ordered.push_back(x);
    ordered.push_back(-x);
  }
  std::vector<double> mixed(ordered.size());
  auto const places = shuffled_indices(ordered.size(), seed + 1);
  for (std::size_t i = 0; i < ordered.size(); ++i) mixed[places[i]] = ordered[i];
  return with_floats(std::move(mixed), false, std::numbers::pi, std::numbers::pi_v<float>);
}

DemoData num_acc4() {
  std::vector<double> numbers;
  char const* p = num_acc4_text.data();
  char const* const end = p + num_acc4_text.size();
  while (p != end) {
    char const* line_end = p;
    while (line_end != end && *line_end != '\n') ++line_end;
    if (Number const number = parse_number(p, line_end); number.kind == Number::Kind::number)
      numbers.push_back(number.value);
    p = line_end == end ? end : line_end + 1;
  }
  // The float nearest to each of the values is 10000000.
  return with_floats(std::move(numbers), true, 10000000.2, 10000000.0f);
}

}  // namespace Exakt::Tool
