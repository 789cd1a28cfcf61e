// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_GOLDENCASES_HPP
#define EXAKTTEST_GOLDENCASES_HPP

/// \file
/// \brief The lines of the golden set: which verbs there are, and how a case and its result are written and read.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ExaktTest_GoldenNumbers.hpp"

namespace ExaktTest::Golden {

/// What a line of a verb holds beside verb, type, family and seed.
struct Verb {
  char const* name;
  std::vector<std::string> const* families;
  std::size_t sizes;    // numbers of entries
  bool has_diagonal;    // the word unit or nonunit
  std::size_t factors;  // alpha, beta
  bool is_rounded_in_all_modes;
};
std::vector<Verb> const& verbs();
Verb const& verb_named(std::string const& name);

/// The types of the entries: f64, f32, c128, and f64f32, which is x of f64 and y of f32.
struct Type {
  char const* name;
  Format first, second;
  std::size_t parts;
};
Type const& type_named(std::string const& name);

struct Case {
  std::string verb, type, family;
  std::uint64_t seed;
  std::vector<std::size_t> sizes;
  bool has_unit_diagonal = false;
  std::vector<Words> factors;  // a word each, two if complex
  std::string result;          // as result_text() writes it

  /// The line without its result.
  std::string text() const;
  std::string line() const { return text() + " -> " + result; }
};

/// Bits in hexadecimal, or nan.
std::string word_text(std::uint64_t word, Format const& format);

/// Up to eight words; of more their number and their hash, #<number>:<FNV-1a of 64 bits over their bytes>.
std::string result_text(Words const& words, Format const& format);

/// \throws std::runtime_error  The line is not one of the golden set; the message says what is wrong with it.
Case parsed(std::string const& line);

/// The text of the file of a verb.
std::string file_text(std::string const& verb, std::vector<Case> const& cases);

/// \throws std::runtime_error  The header, a line, or the number of lines is wrong; the message begins with the line's
/// number.
std::vector<Case> parsed_file(std::string const& verb, std::string const& text);

/// The same for DIRECTORY/<verb>.txt; the message begins with the file's name.
std::string contents_of(std::string const& path);
std::vector<Case> read_cases(std::string const& directory, std::string const& verb);

template <class T>
inline constexpr Format format_of = sizeof(T) == 8 ? f64 : f32;

/// One number from its bits, and back.
template <class T>
T number_of(std::uint64_t word) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(word);
  else
    return std::bit_cast<T>(static_cast<std::uint32_t>(word));
}
template <class T>
std::uint64_t word_of(T x) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<std::uint64_t>(x);
  else
    return std::bit_cast<std::uint32_t>(x);
}
template <class T>
std::vector<T> numbers_of(Words const& words) {
  std::vector<T> result;
  for (std::uint64_t const word : words) result.push_back(number_of<T>(word));
  return result;
}

}  // namespace ExaktTest::Golden

#endif
