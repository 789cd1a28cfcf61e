// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace Exakt::Tool {
namespace {

// Places in the drawing, in its own units.
constexpr int width = 880, left = 20, right = 860, bars_top = 34, bars_bottom = 174, marks_top = 184,
              marks_bottom = 198;
constexpr int axis = 206, names_top = 246, line_height = 17, bins = 120;

std::string element(char const* format, double a, double b, double c, double d, char const* style) {
  char text[256];
  std::snprintf(text, sizeof text, format, a, b, c, d, style);
  return text;
}
std::string line(double x1, double y1, double x2, double y2, char const* style) {
  return element("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2, y2, style);
}
std::string bar(double x, double y, double w, double h, char const* style) {
  return element("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", x, y, w, h, style);
}
std::string words(double x, double y, char const* anchor, std::string const& text) {
  char begin[96];
  std::snprintf(begin, sizeof begin, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  return begin + escaped(text) + "</text>\n";
}

double largest_difference(Scatter const& scatter) {
  double largest = 0;
  for (auto const* some : {&scatter.orders, &scatter.threads})
    for (double const d : *some) largest = std::max(largest, std::fabs(d));
  for (auto const& one : scatter.named) largest = std::max(largest, std::fabs(one.difference));
  return largest;
}

}  // namespace

std::string escaped(std::string const& text) {
  std::string result;
  for (char const c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
  }
  return result;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string picture(Scatter const& scatter) {
  double const largest = largest_difference(scatter), range = largest > 0 ? largest : 1;
  auto const place = [&](double difference) {
    return (left + right) / 2.0 + difference / range * (right - left) / 2.0;
  };
  int const height = names_top + line_height * static_cast<int>(scatter.named.size()) + 8;
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + std::to_string(width) + " " +
                     std::to_string(height) + "\" role=\"img\" aria-label=\"" + escaped(scatter.title) + "\">\n";
  text += words(left, 18, "start", scatter.title);
  std::array<std::size_t, bins> counts{};
  for (double const d : scatter.orders) {
    auto const bin = static_cast<int>((d / range + 1) / 2 * bins);
    ++counts[static_cast<std::size_t>(std::clamp(bin, 0, bins - 1))];
  }
  auto const most = static_cast<double>(std::max<std::size_t>(*std::max_element(counts.begin(), counts.end()), 1));
  double const step = double{right - left} / bins;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    double const bar_height = static_cast<double>(counts[b]) / most * (bars_bottom - bars_top);
    if (counts[b] > 0)
      text += bar(left + step * static_cast<double>(b), bars_bottom - bar_height, step - 0.6, bar_height, "order");
  }
  for (double const d : scatter.threads) text += line(place(d), marks_top, place(d), marks_bottom, "thread");
  text += line(left, axis, right, axis, "axis") + line(place(0), bars_top - 6, place(0), axis, "exact");
  for (double const tick : {-1.0, -0.5, 0.0, 0.5, 1.0})
    text += line(place(tick * range), axis, place(tick * range), axis + 5, "axis") +
            words(place(tick * range), axis + 20,
                  tick < 0 && tick == -1 ? "start"
                  : tick == 1            ? "end"
                                         : "middle",
                  tick == 0 ? "exact" : (tick > 0 ? "+" : "") + short_number(tick * range));
  for (std::size_t i = 0; i < scatter.named.size(); ++i) {
    auto const& [name, difference] = scatter.named[i];
    double const y = names_top + line_height * static_cast<double>(i), x = place(difference);
    bool const is_left = x < (left + right) / 2.0;
    text += line(x, names_top - line_height, x, y - 4, "named") +
            words(is_left ? x + 5 : x - 5, y, is_left ? "start" : "end",
                  name + ": " + (difference > 0 ? "+" : "") + (difference == 0 ? "exact" : short_number(difference)));
  }
  return text + "</svg>\n";
}

}  // namespace Exakt::Tool
