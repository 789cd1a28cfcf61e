// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_SERIALIZATION_HPP
#define EXAKT_SERIALIZATION_HPP

/// \file
/// \brief Accumulators as bytes: on disk, between programs, between machines of any byte order.
///
/// Version 1. Integers are little endian; equal values have equal bytes, whatever accumulator they come from.
///
///     offset  bytes
///     0       4      "EXKT"
///     4       1      version, 1
///     5       1      0: sum of values, 1: of products too
///     6       1      precision of the terms in bits: 53 double, 24 float, 11 half, 8 bfloat16
///     7       1      0: finite, 1: +infinity, 2: -infinity, 3: NaN; plus 128 for a negative finite value
///     8       4      exponent of the lowest bit of the magnitude, two's complement; 0 if there is none
///     12      4      n, the length of the magnitude
///     16      n      magnitude; neither its first nor its last byte is zero; n = 0 for zero, infinities and NaN
///     16 + n  4      CRC-32 (IEEE 802.3) of everything before: any one damaged byte is found

#include "Exakt_LongAccumulator.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace Exakt {
namespace Impl {

inline constexpr char serial_magic[4] = {'E', 'X', 'K', 'T'};
inline constexpr std::uint8_t serial_version = 1;
inline constexpr std::uint8_t serial_negative = 128;
inline constexpr std::size_t serial_header = 16, serial_checksum = 4;

inline std::uint32_t crc32(std::byte const* data, std::size_t size) {
  std::uint32_t crc = 0xffffffff;
  for (std::size_t i = 0; i < size; ++i) {
    crc ^= static_cast<std::uint32_t>(data[i]);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320 & (0 - (crc & 1)));
  }
  return ~crc;
}

inline void append_little_endian(std::vector<std::byte>& bytes, std::uint32_t word) {
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(word >> (8 * i)));
}

inline std::uint32_t read_little_endian(std::byte const* data) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word |= static_cast<std::uint32_t>(data[i]) << (8 * i);
  return word;
}

inline std::string describe_terms(int products, int precision) {
  return std::string(products == 2 ? "scaled products" : products == 1 ? "products" : "values") + " of " + std::to_string(precision) + "-bit precision";
}

[[noreturn]] inline void refuse_bytes(std::string const& why) {
  throw std::invalid_argument("Exakt::from_bytes: " + why);
}

}  // namespace Impl

/// \brief The exact value of any accumulator as bytes, 20 to about 600 of them.
template <class Accumulator>
std::vector<std::byte> to_bytes(Accumulator const& accumulator) {
  auto const value = accumulator.normalized();
  using Long = std::decay_t<decltype(value)>;
  auto const magnitude = value.magnitude();
  auto const byte = [&](int i) { return static_cast<std::byte>(magnitude.bits(8 * i, 8)); };
  bool const finite = value.special() == Impl::Special::none;
  int const end = finite ? (magnitude.leading() + 8) / 8 : 0;
  int begin = 0;
  while (begin < end && byte(begin) == std::byte{0}) ++begin;
  bool const negative = end > 0 && magnitude.negative;

  std::vector<std::byte> bytes;
  for (char c : Impl::serial_magic) bytes.push_back(static_cast<std::byte>(c));
  bytes.push_back(static_cast<std::byte>(Impl::serial_version));
  bytes.push_back(static_cast<std::byte>(Long::summed));
  bytes.push_back(static_cast<std::byte>(FloatFormat<typename Long::value_type>::precision));
  bytes.push_back(static_cast<std::byte>(static_cast<int>(value.special()) | (negative ? Impl::serial_negative : 0)));
  Impl::append_little_endian(bytes, end > 0 ? static_cast<std::uint32_t>(Long::lowest_exponent + 8 * begin) : 0);
  Impl::append_little_endian(bytes, static_cast<std::uint32_t>(end - begin));
  for (int i = begin; i < end; ++i) bytes.push_back(byte(i));
  Impl::append_little_endian(bytes, Impl::crc32(bytes.data(), bytes.size()));
  return bytes;
}

/// \brief The accumulator that `to_bytes` wrote.
///
/// \tparam Accumulator  Of the same type of terms; RadixBits and filters may differ.
/// \throws std::invalid_argument  The bytes are damaged, cut, of another version, or of another type of terms.
template <class Accumulator>
Accumulator from_bytes(std::byte const* data, std::size_t size) {
  using Long = decltype(std::declval<Accumulator const&>().normalized());
  using Impl::refuse_bytes;
  constexpr std::size_t smallest = Impl::serial_header + Impl::serial_checksum;
  if (size < smallest)
    refuse_bytes(std::to_string(size) + " bytes are too few, an accumulator has at least " + std::to_string(smallest));
  for (std::size_t i = 0; i < sizeof(Impl::serial_magic); ++i) {
    if (data[i] != static_cast<std::byte>(Impl::serial_magic[i]))
      refuse_bytes("not an accumulator: the bytes do not begin with EXKT");
  }
  int const version = static_cast<int>(data[4]), products = static_cast<int>(data[5]),
            precision = static_cast<int>(data[6]);
  if (version != Impl::serial_version) {
    refuse_bytes("version " + std::to_string(version) + " is unknown, version " + std::to_string(Impl::serial_version) +
                 " is read");
  }
  std::size_t const length = Impl::read_little_endian(data + 12);
  if (size - smallest != length) {
    refuse_bytes("the header announces " + std::to_string(smallest + length) + " bytes, there are " +
                 std::to_string(size));
  }
  if (Impl::crc32(data, size - Impl::serial_checksum) !=
      Impl::read_little_endian(data + size - Impl::serial_checksum)) {
    refuse_bytes("damaged: the checksum does not match");
  }
  constexpr int wanted_products = static_cast<int>(Long::summed),
                wanted_precision = FloatFormat<typename Long::value_type>::precision;
  if (products != wanted_products || precision != wanted_precision) {
    refuse_bytes("the bytes hold a sum of " + Impl::describe_terms(products, precision) + ", asked for was one of " +
                 Impl::describe_terms(wanted_products, wanted_precision));
  }

  int const flags = static_cast<int>(data[7]);
  bool const negative = (flags & Impl::serial_negative) != 0;
  int const special = flags & ~Impl::serial_negative;
  auto const exponent = static_cast<std::int32_t>(Impl::read_little_endian(data + 8));
  std::byte const* const magnitude = data + Impl::serial_header;
  std::int64_t const top = std::int64_t{exponent} + 8 * static_cast<std::int64_t>(length);
  bool const valid = special <= static_cast<int>(Impl::Special::nan) && (special == 0 || (length == 0 && !negative)) &&
                     (length > 0 ? exponent >= Long::lowest_exponent &&
                                       top <= Long::lowest_exponent + Long::digit_count * Long::radix_bits &&
                                       magnitude[0] != std::byte{0} && magnitude[length - 1] != std::byte{0}
                                 : exponent == 0 && !negative);
  if (!valid) refuse_bytes("the checksum is right but the contents are not those of an accumulator");

  Long value;
  value.add_special(static_cast<Impl::Special>(special));
  for (std::size_t i = 0; i < length; ++i)
    value.add_scaled(static_cast<std::uint64_t>(magnitude[i]), exponent + 8 * static_cast<int>(i), negative);
  Accumulator result;
  result += value;
  return result;
}

}  // namespace Exakt

#endif
