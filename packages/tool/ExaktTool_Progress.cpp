// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Progress.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace Exakt::Tool {
namespace {

using namespace std::chrono_literals;
constexpr auto patience = 300ms;
constexpr auto interval = 100ms;

std::string in_units(double bytes) {
  char const* const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

std::string in_minutes(double seconds) {
  auto const whole = static_cast<unsigned long>(seconds);
  char text[32];
  std::snprintf(text, sizeof text, "%lu:%02lu", whole / 60, whole % 60);
  return text;
}

/// The line is written again and again, and erased, which a dumb terminal (a window of an editor) does not do.
bool is_line_erasable() {
  char const* const terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && (terminal == nullptr || std::string(terminal) != "dumb");
}

}  // namespace

Progress::Progress(std::optional<std::uint64_t> total)
    : m_total(total),
      m_on_terminal(is_line_erasable()),
      m_start(Clock::now()),
      m_next_update(m_start + patience) {}

Progress::~Progress() {
  if (m_visible) std::fputs("\r\033[K", stderr);
}

std::string Progress::line(std::uint64_t bytes_read, double seconds) const {
  double const bytes = static_cast<double>(bytes_read);
  std::string text = in_units(bytes);
  if (m_total && *m_total != 0) {
    constexpr int width = 30;
    double const fraction = std::min(1.0, bytes / static_cast<double>(*m_total));
    auto const filled = static_cast<std::size_t>(fraction * width);
    char percent[8];
    std::snprintf(percent, sizeof percent, "%3.0f%%", 100 * fraction);
    std::string const bar = std::string(filled, '#') + std::string(width - filled, '.');
    text = '[' + bar + "] " + percent + "  " + text + " of " + in_units(static_cast<double>(*m_total));
    if (fraction > 0) text += ", " + in_minutes(seconds * (1 - fraction) / fraction) + " left";
  }
  return text + ", " + in_units(bytes / seconds) + "/s";
}

void Progress::update(std::uint64_t bytes_read) {
  if (!m_on_terminal) return;
  auto const now = Clock::now();
  if (now < m_next_update) return;
  m_next_update = now + interval;
  m_visible = true;
  std::fprintf(stderr, "\r%s\033[K", line(bytes_read, std::chrono::duration<double>(now - m_start).count()).c_str());
  std::fflush(stderr);
}

}  // namespace Exakt::Tool
