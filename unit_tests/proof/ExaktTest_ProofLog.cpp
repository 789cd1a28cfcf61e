// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_ProofLog.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ExaktTest::Proof {
namespace {

constexpr char head[] =
    "# SPDX-"
    "License-Identifier: Apache-2.0 WITH LLVM-exception\n"
    "# The long proof (README.md): verb, family, seeds, cases, differences, cases that MPFR was asked about as well, "
    "seconds,\n"
    "# cases per second, version\n";

std::string as_word(std::string text) {
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

}  // namespace

Log::Log(std::string path, std::string version) : m_path(std::move(path)), m_version(as_word(std::move(version))) {
  std::ifstream file(m_path);
  std::string text;
  while (std::getline(file, text)) {
    if (text.empty() || text[0] == '#') continue;
    Line line;
    char dash = 0;
    double rate = 0;
    std::istringstream words(text);
    words >> line.verb >> line.family >> line.first_seed >> dash >> line.last_seed >> line.counts.cases >>
        line.counts.differences >> line.counts.by_mpfr >> line.counts.seconds >> rate >> line.version;
    if (!words || dash != '-') throw std::runtime_error(m_path + ": is no line of a log: " + text);
    for (Line const& l : m_lines)
      if (l.verb == line.verb && l.family == line.family && l.first_seed <= line.last_seed &&
          line.first_seed <= l.last_seed)
        throw std::runtime_error(m_path + ": seeds that another line has as well: " + text);
    m_lines.push_back(line);
  }
}

std::uint64_t Log::next_seed(std::string const& verb) const {
  std::uint64_t next = 0;
  for (Line const& line : m_lines)
    if (line.verb == verb) next = std::max(next, line.last_seed + 1);
  return next;
}

Counts Log::total(std::string const& verb) const {
  Counts sum;
  for (Line const& line : m_lines) {
    if (line.verb != verb) continue;
    sum.cases += line.counts.cases;
    sum.differences += line.counts.differences;
    sum.by_mpfr += line.counts.by_mpfr;
    sum.seconds += line.counts.seconds;
  }
  return sum;
}

void Log::add(std::string const& verb, std::string const& family, std::uint64_t first_seed, std::uint64_t last_seed,
              Counts const& counts) {
  std::string const word = as_word(family);
  auto line = std::find_if(m_lines.begin(), m_lines.end(), [&](Line const& l) {
    return l.verb == verb && l.family == word && l.version == m_version && l.last_seed + 1 == first_seed;
  });
  if (line == m_lines.end()) {
    // Behind the last one of the verb.
    auto const last = std::find_if(m_lines.rbegin(), m_lines.rend(), [&](Line const& l) { return l.verb == verb; });
    line = m_lines.insert(last == m_lines.rend() ? m_lines.end() : last.base(),
                          Line{verb, word, m_version, first_seed, last_seed, {}});
  }
  line->last_seed = last_seed;
  line->counts.cases += counts.cases;
  line->counts.differences += counts.differences;
  line->counts.by_mpfr += counts.by_mpfr;
  line->counts.seconds += counts.seconds;
}

void Log::save() const {
  std::string const beside = m_path + ".new";
  std::FILE* const file = std::fopen(beside.c_str(), "w");
  if (file == nullptr) throw std::runtime_error(beside + ": cannot be written");
  std::fputs(head, file);
  for (Line const& l : m_lines)
    std::fprintf(file, "%s %s %" PRIu64 "-%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.3f %.0f %s\n",
                 l.verb.c_str(), l.family.c_str(), l.first_seed, l.last_seed, l.counts.cases, l.counts.differences,
                 l.counts.by_mpfr, l.counts.seconds,
                 static_cast<double>(l.counts.cases) / std::max(l.counts.seconds, 1e-3), l.version.c_str());
  if (std::fclose(file) != 0 || std::rename(beside.c_str(), m_path.c_str()) != 0)
    throw std::runtime_error(m_path + ": cannot be written");
}

}  // namespace ExaktTest::Proof
