// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_SERIALIZATION_HPP
#define EXAKT_SERIALIZATION_HPP

/// \file
/// \brief Accumulators as bytes: on disk, between programs, between machines of any byte order.
///
/// Version 1. Integers are little endian. Equal values have equal bytes, whatever accumulator they come from, and other
/// bytes are refused; only what a fixed-point sum has lost is written beside its value.
///
///     offset  bytes
///     0       4      "EXKT"
///     4       1      version, 1
///     5       1      0: sum of values, 1: of products too, 2: of scaled sums too (Terms::scaled_products)
///     6       1      precision of the terms in bits: 53 double, 24 float, 11 half, 8 bfloat16
///     7       1      0: finite, 1: +infinity, 2: -infinity, 3: NaN; plus 128 for a negative finite value;
///                    HighPrecision and Hallberg: plus 8 if a term was left out (NaN then), plus 16 if bits of a term
///                    were cut off, plus 32 if the sum itself was lost (not finite then)
///     8       4      exponent of the lowest bit of the magnitude, two's complement, that of the lowest bit of the
///                    accumulator plus a multiple of 8; 0 if there is no magnitude
///     12      4      n, the length of the magnitude
///     16      n      magnitude; neither its first nor its last byte is zero; n = 0 for zero, infinities and NaN
///     16 + n  4      CRC-32 (IEEE 802.3) of everything before: any one damaged byte is found

#include "Exakt_LongAccumulator.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <vector>

namespace Exakt {
namespace Impl::inline EXAKT_ABI {

inline constexpr char serial_magic[4] = {'E', 'X', 'K', 'T'};
inline constexpr std::uint8_t serial_version = 1;
inline constexpr int serial_special = 3, serial_negative = 128;
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
  return std::string(products == 2   ? "scaled products"
                     : products == 1 ? "products"
                                     : "values") +
         " of " + std::to_string(precision) + "-bit precision";
}

[[noreturn]] inline void refuse_bytes(std::string const& why) {
  throw std::invalid_argument("Exakt::from_bytes: " + why);
}

/// \pre value is normalized.
template <class Long>
std::vector<std::byte> bytes_of(Long const& value, int losses) {
  auto const magnitude = value.magnitude();
  auto const byte = [&](int i) { return static_cast<std::byte>(magnitude.bits(8 * i, 8)); };
  bool const finite = value.special() == Special::none;
  int const end = finite ? (magnitude.leading() + 8) / 8 : 0;
  int begin = 0;
  while (begin < end && byte(begin) == std::byte{0}) ++begin;
  bool const negative = end > 0 && magnitude.negative;

  std::vector<std::byte> bytes;
  for (char c : serial_magic) bytes.push_back(static_cast<std::byte>(c));
  bytes.push_back(static_cast<std::byte>(serial_version));
  bytes.push_back(static_cast<std::byte>(Long::summed));
  bytes.push_back(static_cast<std::byte>(FloatFormat<typename Long::value_type>::precision));
  bytes.push_back(
      static_cast<std::byte>(static_cast<int>(value.special()) | losses | (negative ? serial_negative : 0)));
  append_little_endian(bytes, end > 0 ? static_cast<std::uint32_t>(Long::lowest_exponent + 8 * begin) : 0);
  append_little_endian(bytes, static_cast<std::uint32_t>(end - begin));
  for (int i = begin; i < end; ++i) bytes.push_back(byte(i));
  append_little_endian(bytes, crc32(bytes.data(), bytes.size()));
  return bytes;
}

}  // namespace Impl::inline EXAKT_ABI

/// \brief The exact value of any exact accumulator as bytes, 20 to about 600 of them, or 820 with
/// Terms::scaled_products; of HighPrecision and Hallberg also what they have lost.
template <class Accumulator>
EXAKT_ABI_TAG std::vector<std::byte> to_bytes(Accumulator const& accumulator) {
  static_assert(Impl::is_exact_sum<Accumulator>, "Exakt: bytes hold exact sums; Binned is reproducible, not exact");
  return Impl::bytes_of(accumulator.normalized(), Impl::losses_of(accumulator));
}

/// \brief The accumulator that `to_bytes` wrote.
///
/// \tparam Accumulator  Of the same type of terms; RadixBits and filters may differ. A fixed-point sum is cut off at
///                      its lowest bit, or beyond its range, and tells.
/// \throws std::invalid_argument  The bytes are damaged, cut, of another version, or of another type of terms; they are
///                                not the ones that to_bytes writes for their value; they tell of losses that the
///                                accumulator could not tell of.
template <class Accumulator>
EXAKT_ABI_TAG Accumulator from_bytes(std::byte const* data, std::size_t size) {
  static_assert(Impl::is_exact_sum<Accumulator>, "Exakt: bytes hold exact sums; Binned is reproducible, not exact");
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

  int const flags = static_cast<int>(data[7]), losses = flags & Impl::all_losses;
  bool const negative = (flags & Impl::serial_negative) != 0;
  auto const special = static_cast<Impl::Special>(flags & Impl::serial_special);
  auto const exponent = static_cast<std::int32_t>(Impl::read_little_endian(data + 8));
  std::byte const* const magnitude = data + Impl::serial_header;
  // Of the highest byte, which is never zero, the bits that are set: the range of digits need not end with a byte.
  std::int64_t const top = length == 0 ? 0
                                       : std::int64_t{exponent} + 8 * static_cast<std::int64_t>(length - 1) +
                                             std::bit_width(static_cast<unsigned>(magnitude[length - 1]));
  bool const fits = length == 0 || (exponent >= Long::lowest_exponent && magnitude[length - 1] != std::byte{0} &&
                                    top <= Long::lowest_exponent + Long::digit_count * Long::radix_bits);
  bool const losses_are_visible = ((losses & Impl::lost_term) == 0 || special == Impl::Special::nan) &&
                                  ((losses & Impl::lost_sum) == 0 || special != Impl::Special::none);
  if (!fits || !losses_are_visible) {
    refuse_bytes("the checksum is right but the contents are not those of an accumulator");
  }

  Long value;
  value.add_special(special);
  for (std::size_t i = 0; i < length; ++i)
    value.add_scaled(static_cast<std::uint64_t>(magnitude[i]), exponent + 8 * static_cast<int>(i), negative);
  auto const bytes = Impl::bytes_of(value.normalized(), losses);
  if (!std::equal(bytes.begin(), bytes.end(), data, data + size)) {
    refuse_bytes("the checksum is right but the contents are not those of an accumulator: their value has other bytes");
  }
  if constexpr (Impl::tells_losses<Accumulator>) {
    auto result = Accumulator::of_sum(value);
    result.add_losses(losses);
    return result;
  } else {
    if (losses != 0) {
      refuse_bytes(
          "the bytes hold a fixed-point sum that has lost something; read it as HighPrecision or Hallberg, which tell");
    }
    Accumulator result;
    result += value;
    return result;
  }
}

}  // namespace Exakt

#endif
