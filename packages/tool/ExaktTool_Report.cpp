// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Report.hpp"

#include "ExaktTool_Answer.hpp"
#include "ExaktTool_Failure.hpp"
#include "ExaktTool_Picture.hpp"
#include "ExaktTool_Sequence.hpp"

#include <Exakt_Accumulator.hpp>
#include <Exakt_Version.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>

namespace Exakt::Tool {
namespace {

using Exact = SumAccumulator<double>;

constexpr unsigned seed = 20120521;
constexpr std::size_t most_threads = 64;

/// They are shuffled some twenty times in double and in float, which takes half a minute. In memory each is a double in a
/// vector that grows, of up to 16 bytes, and one in the order of its turn.
constexpr std::size_t most_numbers = std::size_t{1} << 25, bytes_per_number = 24;

/// Numbers that are no doubles come as several terms, which are rounded here as a program would that reads them.
std::vector<double> read_numbers(Options const& options, Exact& exact, std::uint64_t& skipped) {
  constexpr std::size_t at_a_time = Piece::capacity / sizeof(double);
  std::vector<double> numbers, terms;
  for (auto const& file : options.files) {
    ElementStream stream(file, options);
    std::size_t const per_number = stream.reader().terms_per_element();
    while (std::size_t const count = stream.take(at_a_time, terms)) {
      if (count > most_numbers - numbers.size())
        throw Failure("report: there are more than " + std::to_string(most_numbers) +
                      " numbers; all of them are kept in memory, in up to " + std::to_string(bytes_per_number) +
                      " bytes each");
      exact.add(terms.data(), count * per_number);
      for (std::size_t i = 0; i < count; ++i) {
        double number = 0;
        for (std::size_t k = 0; k < per_number; ++k) number += terms[i * per_number + k];
        numbers.push_back(number);
      }
    }
    skipped += stream.skipped();
  }
  return numbers;
}

template <class T>
T plain_sum(T const* x, std::size_t n) {
  T sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

/// As so many threads add: each a part, and then the results of all.
template <class T>
T sum_by_threads(std::vector<T> const& x, std::size_t threads) {
  T sum = 0;
  for (std::size_t t = 0; t < threads; ++t) {
    std::size_t const begin = x.size() * t / threads, end = x.size() * (t + 1) / threads;
    sum += plain_sum(x.data() + begin, end - begin);
  }
  return sum;
}

/// What a plain sum is off by, exactly but for the last rounding.
double difference(double sum, Exact exact) {
  exact -= sum;
  return -exact.round();
}

/// Random orders: so many that the page is there in some seconds.
std::size_t orders_for(std::size_t n) {
  constexpr std::size_t additions = 200'000'000, most = 1000, least = 20;
  return std::clamp(additions / n, least, most);
}

struct Panel {
  Scatter scatter;
  std::size_t different = 0, overflown = 0;
};

template <class T>
Panel scatter_of(std::vector<double> const& numbers, Exact const& exact, char const* title) {
  std::vector<T> x(numbers.begin(), numbers.end());
  Panel panel;
  panel.scatter.title = title;
  std::set<std::uint64_t> different;  // bits, as NaN is neither equal to others nor in their order
  auto const note = [&](T sum) {
    auto const value = static_cast<double>(sum);
    different.insert(
        std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value));
    if (!std::isfinite(value)) ++panel.overflown;
    return std::isfinite(value) ? std::optional<double>(difference(value, exact)) : std::nullopt;
  };
  auto const name = [&](char const* order) {
    if (auto const d = note(plain_sum(x.data(), x.size()))) panel.scatter.named.push_back({order, *d});
  };
  name("as they are in the file");
  for (std::size_t threads = 2; threads <= most_threads; ++threads)
    if (auto const d = note(sum_by_threads(x, threads))) panel.scatter.threads.push_back(*d);
  std::reverse(x.begin(), x.end());
  name("backwards");
  auto const is_smaller = [](T a, T b) {
    return std::fabs(a) < std::fabs(b) || (std::fabs(a) == std::fabs(b) && a < b);
  };
  std::sort(x.begin(), x.end(), is_smaller);
  name("smallest magnitude first");
  std::reverse(x.begin(), x.end());
  name("largest magnitude first");
  std::mt19937_64 random(seed);
  for (std::size_t order = orders_for(x.size()); order > 0; --order) {
    for (std::size_t i = x.size(); i > 1; --i) std::swap(x[i - 1], x[random() % i]);
    if (auto const d = note(plain_sum(x.data(), x.size()))) panel.scatter.orders.push_back(*d);
  }
  panel.different = different.size();
  return panel;
}

std::string described(Panel const& panel, std::size_t sums, char const* type) {
  std::string text = std::to_string(sums) + " sums in " + type + ": " + std::to_string(panel.different) +
                     (panel.different == 1 ? " value" : " different values");
  if (panel.overflown > 0) text += ", " + std::to_string(panel.overflown) + " of them infinite or NaN, and not drawn";
  return "<p>" + text + ".</p>\n";
}

std::string framed(std::string const& drawing) { return "<div class=\"picture\">\n" + drawing + "</div>\n"; }

constexpr char const* style =
    "<style>body{font:15px/1.5 system-ui,sans-serif;max-width:900px;margin:2em auto;padding:0 "
    "1em;color:#222;background:#fff}"
    // On a telephone the letters of a picture as wide as the page would be too small to be read.
    ".picture{overflow-x:auto;margin:1.5em 0}svg{display:block;width:100%;min-width:700px;font:12px "
    "system-ui,sans-serif}"
    ".order{fill:#5b8fc7}.thread{stroke:#d9822b;stroke-width:1.2}.axis{stroke:#555}.exact{stroke:#1a7f37;stroke-width:"
    "2.5}"
    ".named{stroke:#999;stroke-dasharray:2 2}b.order{color:#5b8fc7}b.thread{color:#d9822b}b.exact{color:#1a7f37}"
    "text{paint-order:stroke;stroke:#fff;stroke-width:3px}code{font-size:120%}</style>\n";

}  // namespace

Page report(Options const& options) {
  Exact exact;
  std::uint64_t skipped = 0;
  auto const numbers = read_numbers(options, exact, skipped);
  std::string names;
  for (auto const& file : options.files) names += (names.empty() ? "" : ", ") + (file == "-" ? "standard input" : file);
  if (numbers.empty()) throw Failure("report: there are no numbers in " + names);
  double const value = exact.round();
  if (!exact.is_finite() || !std::isfinite(value))
    throw Failure("report: the exact sum is " + decimal(value) + ", from which nothing has a distance");
  std::size_t const orders = orders_for(numbers.size()), sums = orders + 4 + most_threads - 1;
  Panel const doubles = scatter_of<double>(numbers, exact, "Added in double (64 bits): difference from the exact sum");
  Panel const floats = scatter_of<float>(numbers, exact, "Added in float (32 bits): difference from the exact sum");
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Sums of " +
      escaped(names) + "</title>\n" + style + "</head><body>\n<h1>Sums of " + escaped(names) + "</h1>\n<p>" +
      std::to_string(numbers.size()) + (numbers.size() == 1 ? " number" : " numbers") +
      "; the exact sum, rounded once, is <code>" + decimal(value) +
      "</code>, in every order and by any number of threads. "
      "A plain sum rounds after every addition: below, how far that is from the <b class=\"exact\">exact</b> sum in "
      "<b class=\"order\">" +
      std::to_string(orders) + " random orders</b> (bars), by <b class=\"thread\">2 to " +
      std::to_string(most_threads) +
      " threads</b> (marks), each of which adds a part, and in four orders that have a name.</p>\n" +
      framed(picture(doubles.scatter)) + described(doubles, sums, "double") + framed(picture(floats.scatter)) +
      described(floats, sums, "float") + "<p>exakt " EXAKT_VERSION "</p>\n</body></html>\n";
  return {html, skipped};
}

}  // namespace Exakt::Tool
