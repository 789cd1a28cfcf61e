// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Accumulator.hpp>
#include <Exakt_Expansion.hpp>
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

TEST_CASE("sums beyond the largest number, up to the last digit, come back too") {
  LongAccumulator<double> sum;
  sum += std::numeric_limits<double>::max();
  for (int i = 0; i < 63; ++i) {
    sum += sum;
    EXAKT_CHECK(read<LongAccumulator<double>>(to_bytes(sum)) == sum);
    LongAccumulator<double> negative;
    negative -= sum;
    EXAKT_CHECK(read<LongAccumulator<double>>(to_bytes(negative)) == negative);
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
