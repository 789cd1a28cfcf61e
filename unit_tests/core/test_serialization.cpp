// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Accumulator.hpp>
#include <Exakt_Expansion.hpp>
#include <Exakt_Hallberg.hpp>
#include <Exakt_HighPrecision.hpp>
#include <Exakt_Serialization.hpp>

#include <string>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Cases.hpp"
#include "ExaktTest_Catch.hpp"

namespace {

using namespace Exakt;
using namespace ExaktTest;

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (int const value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

template <class A>
A read(std::vector<std::byte> const& bytes) {
  return from_bytes<A>(bytes.data(), bytes.size());
}

/// What from_bytes says about these bytes; empty if it accepts them.
template <class A>
std::string refusal(std::vector<std::byte> const& bytes) {
  try {
    read<A>(bytes);
  } catch (std::invalid_argument const& refused) {
    return refused.what();
  }
  return "";
}

/// Corrects the checksum, so that what is behind it gets its turn.
std::vector<std::byte> with_checksum(std::vector<std::byte> bytes) {
  std::size_t const end = bytes.size() - 4;
  auto const crc = Exakt::Impl::crc32(bytes.data(), end);
  for (std::size_t i = 0; i < 4; ++i) bytes[end + i] = static_cast<std::byte>(crc >> (8 * i));
  return bytes;
}

template <class A, class T>
A sum_of(std::vector<T> const& terms) {
  A sum;
  for (T const x : terms) sum += x;
  return sum;
}

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the bytes are the ones that other versions and machines will read") {
  SumAccumulator<double> sum;
  CHECK(to_bytes(sum) == bytes_of({'E', 'X', 'K', 'T', 1, 0, 53, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe4, 0xdc, 0x41, 0x2b}));
  sum += 1.0;
  auto const one = to_bytes(sum);
  sum -= 1.5;
  auto const minus_half = to_bytes(sum);
  CHECK(one.size() == 21);
  CHECK(minus_half.size() == 21);
  // 2^-1074 is bit 0, so 1 is bit 1074 = 8 * 134 + 2, and 0.5 is bit 1073 = 8 * 134 + 1; -1074 + 8 * 134 is -2.
  CHECK(one ==
        bytes_of({'E', 'X', 'K', 'T', 1, 0, 53, 0, 0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0, 4, 0x8b, 0x9a, 0xce, 0x41}));
  CHECK(minus_half ==
        bytes_of({'E', 'X', 'K', 'T', 1, 0, 53, 128, 0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0, 2, 0xbf, 0x36, 0xa8, 0x4e}));
  DotAccumulator<float> infinite;
  infinite += -std::numeric_limits<float>::infinity();
  CHECK(to_bytes(infinite) ==
        bytes_of({'E', 'X', 'K', 'T', 1, 1, 24, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0xc2, 0xa3, 0x9a, 0x7e}));
}

TEST_CASE("the checksum is the CRC-32 of IEEE 802.3") {
  auto const digits = bytes_of({'1', '2', '3', '4', '5', '6', '7', '8', '9'});
  CHECK(Exakt::Impl::crc32(digits.data(), digits.size()) == 0xcbf43926);
}

TEST_CASE("every accumulator comes back as it went, and equal values have equal bytes") {
  for (auto const& test : make_sum_cases<double>(20, 260)) {
    INFO(test.family);
    auto const sum = sum_of<SumAccumulator<double>>(test.terms);
    auto const bytes = to_bytes(sum);
    EXAKT_CHECK(read<SumAccumulator<double>>(bytes) == sum);
    EXAKT_CHECK_BITS(read<SumAccumulator<double>>(bytes).round(), Expected<double>{test.expected.round[0]});
    EXAKT_CHECK(to_bytes(sum_of<LongAccumulator<double, 32>>(test.terms)) == bytes);
    EXAKT_CHECK(to_bytes(sum_of<Expansion<double, 3>>(test.terms)) == bytes);
    EXAKT_CHECK(read<Expansion<double, 3>>(bytes) == sum_of<Expansion<double, 3>>(test.terms));
    EXAKT_CHECK(read<LongAccumulator<double, 32>>(bytes) == sum_of<LongAccumulator<double, 32>>(test.terms));
    EXAKT_CHECK(bytes.size() <= 600);
  }
  for (auto const& test : make_dot_cases<float>(20, 261)) {
    DotAccumulator<float> sum;
    for (std::size_t i = 0; i < test.terms.size(); ++i) sum.add_product(test.terms.x[i], test.terms.y[i]);
    EXAKT_CHECK(read<DotAccumulator<float>>(to_bytes(sum)) == sum);
  }
}

// Also where the highest digit ends within a byte.
TEMPLATE_TEST_CASE("sums beyond the largest number, up to the last digit, come back too", "", (LongAccumulator<double>),
                   (LongAccumulator<double, 19>), (LongAccumulator<double, 21>), (LongAccumulator<double, 57>),
                   (LongAccumulator<double, 49, Terms::products>), (LongAccumulator<float, 57>),
                   (LongAccumulator<float, 31, Terms::products>)) {
  TestType sum;
  sum += std::numeric_limits<typename TestType::value_type>::max();
  if constexpr (TestType::summed == Terms::products)
    sum.add_product(std::numeric_limits<typename TestType::value_type>::max(),
                    std::numeric_limits<typename TestType::value_type>::max());
  for (; sum.is_finite(); sum += sum) {
    EXAKT_CHECK(read<TestType>(to_bytes(sum)) == sum);
    TestType negative;
    negative -= sum;
    EXAKT_CHECK(read<TestType>(to_bytes(negative)) == negative);
  }
}

TEST_CASE("each single damaged bit is refused") {
  for (double const x : {0.0, 1.0, -0x1.fffffffffffffp1023, 0x1p-1074, std::numeric_limits<double>::quiet_NaN()}) {
    SumAccumulator<double> sum;
    sum += x;
    sum += 1e-100;
    auto const bytes = to_bytes(sum);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      INFO("bit " << bit);
      auto damaged = bytes;
      damaged[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
      EXAKT_CHECK(!refusal<SumAccumulator<double>>(damaged).empty());
    }
  }
}

TEST_CASE("each truncation, and anything appended, is refused") {
  SumAccumulator<double> sum;
  sum += 0.1;
  sum += 1e300;
  auto bytes = to_bytes(sum);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO(size << " bytes");
    EXAKT_CHECK(
        !refusal<SumAccumulator<double>>({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}).empty());
  }
  bytes.push_back(std::byte{0});
  CHECK(contains(refusal<SumAccumulator<double>>(bytes), std::to_string(bytes.size())));
}

TEST_CASE("a refusal names what was wrong") {
  SumAccumulator<double> sum;
  sum += 0.1;
  auto const bytes = to_bytes(sum);
  auto const refused = [&](std::size_t at, int value) {
    auto changed = bytes;
    changed[at] = static_cast<std::byte>(value);
    return refusal<SumAccumulator<double>>(with_checksum(changed));
  };
  CHECK(refusal<SumAccumulator<double>>(bytes).empty());
  CHECK(contains(refusal<SumAccumulator<double>>({}), "0 bytes are too few"));
  CHECK(contains(refused(0, 'X'), "EXKT"));
  CHECK(contains(refused(4, 2), "version 2"));
  CHECK(contains(refused(6, 24), "values of 24-bit precision"));
  CHECK(contains(refusal<DotAccumulator<double>>(bytes),
                 "values of 53-bit precision, asked for was one of products of 53-bit precision"));
  CHECK(contains(refusal<SumAccumulator<float>>(bytes),
                 "values of 53-bit precision, asked for was one of values of 24-bit precision"));
  CHECK(contains(refused(12, 3), "the header announces 23 bytes"));
  auto damaged = bytes;
  damaged.back() ^= std::byte{1};
  CHECK(contains(refusal<SumAccumulator<double>>(damaged), "checksum"));
}

namespace {

/// Every byte replaced by every other value, the checksum corrected: refused, or the bytes of the value that was read.
template <class A>
int accepted_changes(std::vector<std::byte> const& bytes) {
  int accepted = 0;
  for (std::size_t at = 0; at < bytes.size() - 4; ++at) {
    for (int value = 0; value < 256; ++value) {
      auto changed = bytes;
      changed[at] = static_cast<std::byte>(value);
      changed = with_checksum(changed);
      if (!refusal<A>(changed).empty()) continue;
      INFO("byte " << at << " is " << value);
      // A fixed-point sum takes a value as a term, and tells what of it does not fit.
      A const sum = read<A>(changed);
      EXAKT_CHECK(to_bytes(sum) == changed || Exakt::Impl::losses_of(sum) != 0);
      ++accepted;
    }
  }
  return accepted;
}

/// The bytes of +-magnitude * 2^exponent, canonical or not.
std::vector<std::byte> bytes_of_value(int flags, int exponent, std::vector<int> const& magnitude) {
  auto bytes = bytes_of({'E', 'X', 'K', 'T', 1, 0, 53, flags});
  Exakt::Impl::append_little_endian(bytes, static_cast<std::uint32_t>(exponent));
  Exakt::Impl::append_little_endian(bytes, static_cast<std::uint32_t>(magnitude.size()));
  for (int const byte : magnitude) bytes.push_back(static_cast<std::byte>(byte));
  bytes.resize(bytes.size() + 4);
  return with_checksum(bytes);
}

}  // namespace

TEST_CASE("bytes that are not those that to_bytes writes for their value are refused") {
  using Sum = SumAccumulator<double>;
  std::string const message =
      "Exakt::from_bytes: the checksum is right but the contents are not those of an accumulator: their value has "
      "other "
      "bytes";
  Sum one;
  one += 1.0;
  auto const canonical = to_bytes(one);
  CHECK(bytes_of_value(0, -2, {4}) == canonical);
  // The same value by other exponents, with zeros at its ends, with signs and marks that say nothing.
  for (int const exponent : {0, -1, -3, -4, -5, -6, -7, -8, -9}) {
    INFO("2^" << exponent);
    std::vector<int> magnitude{0};
    if (exponent > -8) magnitude = {1 << -exponent};
    if (exponent == -8) magnitude = {0, 1};
    if (exponent == -9) magnitude = {0, 2};
    CHECK(refusal<Sum>(bytes_of_value(0, exponent, magnitude)) == message);
  }
  CHECK(!refusal<Sum>(bytes_of_value(0, -2, {4, 0})).empty());
  CHECK(!refusal<Sum>(bytes_of_value(0, -10, {0, 4})).empty());
  CHECK(!refusal<Sum>(bytes_of_value(128, 0, {})).empty());
  CHECK(!refusal<Sum>(bytes_of_value(0, -2, {})).empty());
  CHECK(!refusal<Sum>(bytes_of_value(1, -2, {4})).empty());
  CHECK(!refusal<Sum>(bytes_of_value(3, -2, {})).empty());
  CHECK(!refusal<Sum>(bytes_of_value(131, 0, {})).empty());
  for (int flags = 4; flags < 128; ++flags) CHECK(!refusal<Sum>(bytes_of_value(flags, -2, {4})).empty());
  // A byte of zeros behind the last digit is not looked for there.
  using Long = LongAccumulator<double>;
  constexpr int behind = Long::lowest_exponent + Long::digit_count * Long::radix_bits;
  CHECK(refusal<Sum>(bytes_of_value(0, behind, {0})) ==
        "Exakt::from_bytes: the checksum is right but the contents are not those of an accumulator");

  for (double const x : {0.0, 1.0, -0x1.fffffffffffffp1023, 0x1p-1074, 1e-300, std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
    INFO(x);
    Sum sum;
    sum += x;
    CHECK(accepted_changes<Sum>(to_bytes(sum)) > 0);
    sum += 0x1.8p-30;
    accepted_changes<LongAccumulator<double, 32>>(to_bytes(sum));
    LongAccumulator<float, 24> narrow;
    narrow += static_cast<float>(x);
    accepted_changes<SumAccumulator<float>>(to_bytes(narrow));
    HighPrecision<2, 1> fixed;
    fixed += x;
    fixed += 3;
    accepted_changes<HighPrecision<2, 1>>(to_bytes(fixed));
  }
}

TEMPLATE_TEST_CASE("what a fixed-point sum has lost is written and read with it, and only by those that tell", "",
                   (HighPrecision<2, 1>), (Hallberg<4, 30>)) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  TestType exact(0.75), cut(0.75), left_out(0.75), beyond(std::ldexp(1.0, TestType::highest_exponent - 1)), all;
  cut += 0x1p-900;
  left_out += 1e300;
  while (!std::isinf(beyond.round(Rounding::toward_zero))) beyond += beyond;
  all += cut;
  all += left_out;
  all -= beyond;
  all += infinity;
  for (TestType const& sum : {exact, cut, left_out, beyond, all}) {
    auto const bytes = to_bytes(sum);
    auto const again = read<TestType>(bytes);
    CHECK(again == sum);
    CHECK(to_bytes(again) == bytes);
    CHECK(again.is_inexact() == sum.is_inexact());
    CHECK(again.is_overflowed() == sum.is_overflowed());
    CHECK(again.status().term_overflowed == sum.status().term_overflowed);
    CHECK(again.status().sum_overflowed == sum.status().sum_overflowed);
    accepted_changes<TestType>(bytes);
    bool const has_lost = sum.is_inexact() || sum.is_overflowed();
    CHECK(refusal<SumAccumulator<double>>(bytes) ==
          (has_lost ? "Exakt::from_bytes: the bytes hold a fixed-point sum that has lost something; read it as "
                      "HighPrecision or Hallberg, which tell"
                    : ""));
  }
  // A term that was left out makes a NaN, a lost sum none that is finite; bits that were cut off may be of any.
  for (int losses = 0; losses < 64; losses += 8) {
    for (int special = 0; special < 4; ++special) {
      INFO("losses " << losses << ", special " << special);
      auto const bytes = bytes_of_value(losses | special, special == 0 ? -2 : 0,
                                        special == 0 ? std::vector<int>{4} : std::vector<int>());
      bool const is_possible = ((losses & 8) == 0 || special == 3) && ((losses & 32) == 0 || special != 0);
      CHECK(refusal<TestType>(bytes).empty() == is_possible);
      if (is_possible) CHECK(to_bytes(read<TestType>(bytes)) == bytes);
    }
  }
  CHECK(to_bytes(exact) == to_bytes(LongAccumulator<double>() += 0.75));
  CHECK(to_bytes(cut) != to_bytes(exact));
  // Sums beyond the range that are not lost have nothing to tell.
  TestType large(std::ldexp(1.0, TestType::highest_exponent - 1));
  for (int i = TestType::highest_exponent; i < TestType::sum_exponent + 3; ++i) large += large;
  CHECK(large.is_overflowed());
  CHECK(read<SumAccumulator<double>>(to_bytes(large)).round() == large.round());
}

TEMPLATE_TEST_CASE("a fixed-point sum comes back from beyond the range of its terms, and from beyond its own", "",
                   (HighPrecision<1, 0>), (HighPrecision<4, 1>), (Hallberg<2, 40>), (Hallberg<10, 38>)) {
  for (double const sign : {1.0, -1.0}) {
    TestType sum(sign * std::ldexp(1.0, TestType::lowest_exponent));
    sum += sign * std::ldexp(0x1.fffffffffffffp-1, TestType::highest_exponent);
    for (int doublings = 0; doublings < 130; ++doublings) {
      auto const again = read<TestType>(to_bytes(sum));
      CHECK(again == sum);
      EXAKT_CHECK_BITS(again.round(), sum.round());
      CHECK(again.is_overflowed() == sum.is_overflowed());
      CHECK(again.status().term_overflowed == sum.status().term_overflowed);
      sum += sum;
    }
  }
}

TEST_CASE("contents that no accumulator has are refused even with a right checksum") {
  SumAccumulator<double> sum;
  sum += 3.0;
  auto const bytes = to_bytes(sum);
  auto const refused = [&](std::size_t at, int value) {
    auto changed = bytes;
    changed[at] = static_cast<std::byte>(value);
    return !refusal<SumAccumulator<double>>(with_checksum(changed)).empty();
  };
  CHECK(refused(7, 4));
  CHECK(refused(7, 1));
  CHECK(refused(7, 129));
  CHECK(refused(16, 0));
  CHECK(refused(9, 0x00));
  CHECK(refused(9, 0x7f));
  CHECK(refused(11, 0x7f));
  CHECK(refused(11, 0x80));
  CHECK(refused(5, 2));
  auto const zero = to_bytes(SumAccumulator<double>());
  for (std::size_t const at : {7u, 8u, 11u}) {
    auto changed = zero;
    changed[at] = std::byte{128};
    CHECK(!refusal<SumAccumulator<double>>(with_checksum(changed)).empty());
  }
}
