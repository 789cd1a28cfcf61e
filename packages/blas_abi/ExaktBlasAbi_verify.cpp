// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktBlasAbi_Verify.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace ExaktBlasAbi {
namespace {

thread_local bool in_other_call = false;

/// Units in the last place between two numbers; zeros are one number, and NaN is as far as can be from anything else.
template <class T, class Bits>
double distance(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : HUGE_VAL;
  auto const ordered = [](T x) {
    constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
    auto const bits = std::bit_cast<Bits>(x);
    return (bits & sign) != 0 ? sign - (bits & ~sign) : sign + bits;
  };
  Bits const i = ordered(a), j = ordered(b);
  return static_cast<double>(i > j ? i - j : j - i);
}

struct Counts {
  std::uint64_t calls = 0, differing_calls = 0, entries = 0, differing = 0;
  double worst = 0;
};

/// Of all threads; it lives until the program is gone.
struct Table {
  std::mutex mutex;
  std::map<std::pair<std::string, std::ptrdiff_t>, Counts> rows;
  std::map<std::string, std::uint64_t> missing;  // calls that were not compared
  std::uint64_t without_memory = 0;              // nor were these

  /// f(*this), which counts a call. If there is no memory for a line of its own, it is one of those without.
  template <class F>
  void count(F const& f) noexcept {
    std::lock_guard const lock(mutex);
    try {
      f(*this);
    } catch (std::bad_alloc const&) {
      ++without_memory;
    }
  }

  void write(char const* file) {
    std::lock_guard const lock(mutex);                                   // threads of the program may go on
    if (rows.empty() && missing.empty() && without_memory == 0) return;  // a program that the real one started
    std::FILE* const out = std::fopen(file, "a");
    if (out != nullptr) print(out);
    bool const is_written = out != nullptr && std::ferror(out) == 0;
    if (out != nullptr && std::fclose(out) == 0 && is_written) return;
    std::fprintf(stderr, "Exakt: libexakt_blas: EXAKT_BLAS_VERIFY: %s cannot be written\n", file);
  }

 private:
  void print(std::FILE* out) const {
    std::fprintf(out, "# process %ld: the BLAS behind, beside the correctly rounded results\n",
                 static_cast<long>(getpid()));
    std::fprintf(out, "%-8s %10s %10s %10s %14s %14s %10s\n", "# name", "size up to", "calls", "differ", "numbers",
                 "differ", "worst ulps");
    for (auto const& [key, row] : rows)
      std::fprintf(out, "%-8s %10td %10llu %10llu %14llu %14llu %10.3g\n", key.first.c_str(), key.second,
                   static_cast<unsigned long long>(row.calls), static_cast<unsigned long long>(row.differing_calls),
                   static_cast<unsigned long long>(row.entries), static_cast<unsigned long long>(row.differing),
                   row.worst);
    for (auto const& [verb, calls] : missing)
      std::fprintf(out, "# %s: %llu calls, compared with nothing: the BLAS behind does not have it\n", verb.c_str(),
                   static_cast<unsigned long long>(calls));
    if (without_memory > 0)
      std::fprintf(out, "# %llu calls, compared with nothing: there was not enough memory\n",
                   static_cast<unsigned long long>(without_memory));
  }
};
Table*& current_table() {
  static Table* instance = new Table;
  return instance;
}
Table& table() { return *current_table(); }

template <class T, class Bits>
void compare(unsigned char const* theirs, unsigned char const* ours, std::size_t count, Counts& counts) {
  for (std::size_t i = 0; i < count; ++i) {
    T a, b;
    std::memcpy(&a, theirs + i * sizeof(T), sizeof(T));
    std::memcpy(&b, ours + i * sizeof(T), sizeof(T));
    ++counts.entries;
    if (std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b) || (std::isnan(a) && std::isnan(b))) continue;
    ++counts.differing;
    counts.worst = std::max(counts.worst, distance<T, Bits>(a, b));
  }
}

}  // namespace

char const* const verify_file = [] {
  char const* const name = std::getenv("EXAKT_BLAS_VERIFY");
  if (name == nullptr || *name == '\0') return static_cast<char const*>(nullptr);
  // By then the program may be in another folder, and may have written over its environment.
  std::error_code failed;
  auto const path = std::filesystem::absolute(name, failed);
  static std::string const& file = *new std::string(failed ? name : path.string());
  table();  // made now, while there is memory
  std::atexit([] { table().write(verify_file); });
  // The child of a fork counts its own calls. (What its parent's threads had locked stays locked.)
  pthread_atfork(nullptr, nullptr, [] { current_table() = new Table; });
  return file.c_str();
}();

bool is_in_other_call() { return in_other_call; }

void count_missing(char const* verb) noexcept {
  table().count([&](Table& all) { ++all.missing[verb]; });
}

std::size_t Comparison::Output::entry_count() const {
  return part == Part::all ? rows * columns : rows * (rows + 1) / 2;  // triangles are square
}

template <class F>
void Comparison::Output::for_each_entry(F const& f) const {
  auto* const first = static_cast<unsigned char*>(data);
  std::size_t at = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    std::size_t const begin = part == Part::lower ? j : 0, end = part == Part::upper ? std::min(j + 1, rows) : rows;
    for (std::size_t i = begin; i < end; ++i, at += entry_size)
      f(first + static_cast<std::ptrdiff_t>(i) * row_stride + static_cast<std::ptrdiff_t>(j) * column_stride, at);
  }
}

void Comparison::keep(Output output) noexcept {
  try {
    output.kept.resize(output.entry_count() * output.entry_size);
    output.for_each_entry(
        [&](unsigned char const* entry, std::size_t at) { std::memcpy(&output.kept[at], entry, output.entry_size); });
    m_outputs.push_back(std::move(output));
  } catch (std::exception const&) {  // no memory, or not for so many bytes
    m_is_compared = false;
  }
}

void Comparison::run_other(OtherCall const& other, void* result) {
  if (!m_is_compared) return;
  in_other_call = true;
  other.call(other.arguments, result);
  in_other_call = false;
  for (Output& output : m_outputs)
    output.for_each_entry([&](unsigned char* entry, std::size_t at) {
      std::swap_ranges(entry, entry + output.entry_size, &output.kept[at]);
    });
}

void Comparison::finish() const noexcept {
  if (!m_is_compared) return table().count([](Table& all) { ++all.without_memory; });
  Counts counts;
  for (Output const& output : m_outputs)
    output.for_each_entry([&](unsigned char const* ours, std::size_t at) {
      if (output.is_float) {
        compare<float, std::uint32_t>(&output.kept[at], ours, output.entry_size / sizeof(float), counts);
      } else {
        compare<double, std::uint64_t>(&output.kept[at], ours, output.entry_size / sizeof(double), counts);
      }
    });
  std::ptrdiff_t size = 1;
  while (size < m_size) size *= 2;
  table().count([&](Table& all) {
    Counts& row = all.rows[{m_verb, size}];
    ++row.calls;
    row.differing_calls += counts.differing != 0;
    row.entries += counts.entries;
    row.differing += counts.differing;
    row.worst = std::max(row.worst, counts.worst);
  });
}

}  // namespace ExaktBlasAbi
