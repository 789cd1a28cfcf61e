// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_GrowingSum.hpp"

#include "ExaktTool_Bytes.hpp"

#include <algorithm>
#include <bit>

namespace Exakt::Tool {
namespace {

constexpr std::int64_t value_of(Radix radix) {
  return radix == Radix::binary ? std::int64_t{1} << 32 : std::int64_t{1000000000};
}

/// Adds +-significand * 2^exponent. Zeros at its end take no digits.
void add_scaled(GrowingSum& sum, std::uint64_t significand, int exponent, bool negative) {
  if (significand == 0) return;
  constexpr std::uint64_t mask = 0xffffffff;
  int const zeros = std::countr_zero(significand);
  significand >>= zeros;
  exponent += zeros;
  int const position = exponent >> 5, shift = exponent & 31;  // rounded down, also below zero
  std::int64_t const sign = negative ? -1 : 1;
  std::uint64_t const above = significand >> (32 - shift);
  sum.add(position, sign * static_cast<std::int64_t>((significand << shift) & mask));
  sum.add(position + 1, sign * static_cast<std::int64_t>(above & mask));
  sum.add(position + 2, sign * static_cast<std::int64_t>(above >> 32));
}

}  // namespace

void GrowingSum::grow(int position) {
  if (m_digits.empty()) m_first = position;
  if (position < m_first) {
    m_digits.insert(m_digits.begin(), static_cast<std::size_t>(m_first - position), 0);
    m_first = position;
  }
  auto const size = static_cast<std::size_t>(position - m_first) + 1;
  if (size > m_digits.size()) m_digits.resize(size);
}

/// Afterwards the digits are in [0, radix), the highest one in [-radix, radix).
void GrowingSum::carry() {
  std::int64_t const radix = value_of(m_radix);
  std::int64_t carry = 0;
  for (std::size_t i = 0; i < m_digits.size(); ++i) {
    m_digits[i] += carry;
    if (i + 1 == m_digits.size() && m_digits[i] >= -radix && m_digits[i] < radix) break;
    carry = m_digits[i] / radix - (m_digits[i] % radix < 0 ? 1 : 0);
    m_digits[i] -= carry * radix;
    if (i + 1 == m_digits.size()) m_digits.push_back(0);
  }
  m_additions = 1;
}

void GrowingSum::drop_zeros() {
  while (!m_digits.empty() && m_digits.back() == 0) m_digits.pop_back();
  auto const first = std::find_if(m_digits.begin(), m_digits.end(), [](std::int64_t digit) { return digit != 0; });
  m_first = m_digits.empty() ? 0 : m_first + static_cast<std::int32_t>(first - m_digits.begin());
  m_digits.erase(m_digits.begin(), first);
}

GrowingSum& GrowingSum::operator+=(GrowingSum const& other) {
  GrowingSum carried = other;
  carried.carry();
  for (std::size_t i = 0; i < carried.m_digits.size(); ++i)
    add(carried.m_first + static_cast<int>(i), carried.m_digits[i]);
  m_flags |= other.m_flags;
  return *this;
}

GrowingSum::Magnitude GrowingSum::magnitude() const {
  GrowingSum sum = *this;
  sum.carry();
  sum.drop_zeros();
  bool const negative = !sum.m_digits.empty() && sum.m_digits.back() < 0;
  if (negative) {
    for (auto& digit : sum.m_digits) digit = -digit;
    sum.carry();
    sum.drop_zeros();
  }
  return {{sum.m_digits.begin(), sum.m_digits.end()}, sum.m_first, negative};
}

void GrowingSum::append_bytes(std::string& bytes) const {
  append(bytes, m_radix);
  append(bytes, m_flags);
  append(bytes, m_additions);
  append(bytes, m_first);
  append(bytes, m_digits.size());
  for (auto const digit : m_digits) append(bytes, digit);
}

GrowingSum GrowingSum::take_bytes(std::string_view& bytes) {
  GrowingSum sum(take<Radix>(bytes));
  sum.m_flags = take<std::uint32_t>(bytes);
  sum.m_additions = take<std::uint32_t>(bytes);
  sum.m_first = take<std::int32_t>(bytes);
  sum.m_digits.resize(take<std::size_t>(bytes));
  for (auto& digit : sum.m_digits) digit = take<std::int64_t>(bytes);
  return sum;
}

void add_number(GrowingSum& sum, double x) {
  if (!Impl::is_finite(x)) return sum.add_infinity_or_nan(Impl::is_nan(x), Impl::is_negative(x));
  auto const parts = Impl::integer_parts(x);
  add_scaled(sum, parts.significand, parts.exponent, parts.negative);
}

void add_product(GrowingSum& sum, double x, double y) {
  bool const negative = Impl::is_negative(x) != Impl::is_negative(y);
  if (!Impl::is_finite(x) || !Impl::is_finite(y)) {
    bool const undefined = Impl::is_nan(x) || Impl::is_nan(y) || Impl::is_zero(x) || Impl::is_zero(y);
    return sum.add_infinity_or_nan(undefined, negative);
  }
  auto const a = Impl::integer_parts(x), b = Impl::integer_parts(y);
  auto const product = Impl::wide_product(a.significand, b.significand);
  add_scaled(sum, product.low, a.exponent + b.exponent, negative);
  add_scaled(sum, product.high, a.exponent + b.exponent + 64, negative);
}

}  // namespace Exakt::Tool
