// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_ElementType.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace Exakt::Tool {
namespace {

constexpr bool native_is_big = std::endian::native == std::endian::big;

bool is_known(char kind, std::size_t bytes) {
  switch (kind) {
    case 'f':
      return bytes == 2 || bytes == 4 || bytes == 8;
    case 'i':
    case 'u':
      return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    case 'b':
      return bytes == 1;
    default:
      return false;
  }
}

template <class Stored>
Stored load(std::byte const* from, bool swapped) {
  std::byte bytes[sizeof(Stored)];
  std::memcpy(bytes, from, sizeof(Stored));
  if (swapped) std::reverse(std::begin(bytes), std::end(bytes));
  return std::bit_cast<Stored>(bytes);
}

double half_to_double(std::uint16_t half) {
  constexpr int fraction_bits = 10, bias = 15, infinite = 31;
  int const exponent = (half >> fraction_bits) & infinite;
  int const fraction = half & ((1 << fraction_bits) - 1);
  double magnitude;
  if (exponent == infinite)
    magnitude = fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, 1 - bias - fraction_bits);
  else
    magnitude = std::ldexp(fraction | (1 << fraction_bits), exponent - bias - fraction_bits);
  return (half >> 15) != 0 ? -magnitude : magnitude;
}

template <class Stored, class Convert>
void convert_each(std::byte const* elements, std::size_t n, double* terms, bool swapped, Convert convert) {
  if (swapped)
    for (std::size_t i = 0; i < n; ++i) terms[i] = convert(load<Stored>(elements + i * sizeof(Stored), true));
  else
    for (std::size_t i = 0; i < n; ++i) terms[i] = convert(load<Stored>(elements + i * sizeof(Stored), false));
}

template <class Stored>
void widen_each(std::byte const* elements, std::size_t n, double* terms, bool swapped) {
  convert_each<Stored>(elements, n, terms, swapped, [](Stored x) { return static_cast<double>(x); });
}

/// 64 bits do not fit the 53 of a double, but two halves of 32 bits do.
template <class Stored>
void widen_in_halves(std::byte const* elements, std::size_t n, double* terms, bool swapped) {
  constexpr double two_to_32 = 4294967296.0;
  for (std::size_t i = 0; i < n; ++i) {
    Stored const x = load<Stored>(elements + i * sizeof(Stored), swapped);
    terms[2 * i] = static_cast<double>(x >> 32) * two_to_32;
    terms[2 * i + 1] = static_cast<double>(static_cast<std::uint32_t>(x));
  }
}

}  // namespace

std::string ElementType::name() const {
  if (kind == 'b') return "bool";
  std::string text = kind + std::to_string(8 * bytes);
  if (bytes > 1 && big_endian != native_is_big) text += big_endian ? "be" : "le";
  return text;
}

std::optional<ElementType> element_type_from_name(std::string_view name) {
  bool big = native_is_big;
  bool const has_order = name.ends_with("be") || name.ends_with("le");
  if (has_order) {
    big = name.ends_with("be");
    name.remove_suffix(2);
  }
  for (char const kind : {'f', 'i', 'u'})
    for (std::size_t const bytes : {1, 2, 4, 8})
      if (is_known(kind, bytes) && (bytes > 1 || !has_order) && name == kind + std::to_string(8 * bytes))
        return ElementType{kind, bytes, big};
  return {};
}

std::optional<ElementType> element_type_from_numpy(std::string_view descr) {
  if (descr.size() != 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos) return {};
  bool const big = descr[0] == '>' || (descr[0] != '<' && native_is_big);
  std::size_t const bytes = static_cast<std::size_t>(descr[2] - '0');
  if (!is_known(descr[1], bytes)) return {};
  return ElementType{descr[1], bytes, big};
}

bool is_native_double(ElementType type) {
  return type.kind == 'f' && type.bytes == sizeof(double) && type.big_endian == native_is_big;
}

void widen(ElementType type, std::byte const* elements, std::size_t n, double* terms) {
  bool const swapped = type.big_endian != native_is_big;
  switch (type.kind) {
    case 'f':
      if (type.bytes == 8) return widen_each<double>(elements, n, terms, swapped);
      if (type.bytes == 4) return widen_each<float>(elements, n, terms, swapped);
      return convert_each<std::uint16_t>(elements, n, terms, swapped, half_to_double);
    case 'i':
      if (type.bytes == 8) return widen_in_halves<std::int64_t>(elements, n, terms, swapped);
      if (type.bytes == 4) return widen_each<std::int32_t>(elements, n, terms, swapped);
      if (type.bytes == 2) return widen_each<std::int16_t>(elements, n, terms, swapped);
      return widen_each<std::int8_t>(elements, n, terms, swapped);
    case 'u':
      if (type.bytes == 8) return widen_in_halves<std::uint64_t>(elements, n, terms, swapped);
      if (type.bytes == 4) return widen_each<std::uint32_t>(elements, n, terms, swapped);
      if (type.bytes == 2) return widen_each<std::uint16_t>(elements, n, terms, swapped);
      return widen_each<std::uint8_t>(elements, n, terms, swapped);
    default:
      return convert_each<std::uint8_t>(elements, n, terms, swapped, [](std::uint8_t x) { return x != 0 ? 1.0 : 0.0; });
  }
}

}  // namespace Exakt::Tool
