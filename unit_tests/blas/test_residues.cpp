// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas3_gemm.hpp>
#include <Exakt_describe.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_Matrices.hpp"

#include <numeric>

namespace {

using namespace ExaktTest;
using namespace Exakt::Impl;

ResidueKernelsOf<ByteResidues> const& bytes = matrix_kernels();
ResidueKernelsOf<WordResidues> const& words = matrix_kernels();
ResidueKernelsOf<DoubleResidues> const& doubles = matrix_kernels();

/// A big integer that no operation rounds.
class Integer {
 public:
  explicit Integer(double x) {
    mpfr_init2(m_value, 700);
    mpfr_set_d(m_value, x, MPFR_RNDN);
  }
  ~Integer() { mpfr_clear(m_value); }
  Integer(Integer const&) = delete;
  Integer& operator=(Integer const&) = delete;

  void multiply(double factor) { check(mpfr_mul_d(m_value, m_value, factor, MPFR_RNDN)); }
  void add(double x) { check(mpfr_add_d(m_value, m_value, x, MPFR_RNDN)); }
  bool operator<=(Integer const& other) const { return mpfr_lessequal_p(m_value, other.m_value) != 0; }
  mpfr_ptr get() { return m_value; }

  /// Of 0 ... m - 1.
  int modulo(int m) const {
    mpfr_t rest, divisor;
    mpfr_inits2(700, rest, divisor, nullptr);
    mpfr_set_si(divisor, m, MPFR_RNDN);
    check(mpfr_fmod(rest, m_value, divisor, MPFR_RNDN));
    auto const result = static_cast<int>(mpfr_get_si(rest, MPFR_RNDN));
    mpfr_clears(rest, divisor, nullptr);
    return result < 0 ? result + m : result;
  }

 private:
  static void check(int ternary) {
    if (ternary != 0) std::abort();
  }
  mpfr_t m_value;
};

}  // namespace

TEMPLATE_TEST_CASE("the moduli are coprime, and there is room for as many bits as is said, and not for one more", "",
                   ByteResidues, WordResidues) {
  Integer product(1);
  for (int s = 1; s <= TestType::moduli_at_most; ++s) {
    CHECK(moduli<TestType>.value[s - 1] <= TestType::largest_modulus);
    for (int t = 0; t + 1 < s; ++t) CHECK(std::gcd(moduli<TestType>.value[s - 1], moduli<TestType>.value[t]) == 1);
    product.multiply(moduli<TestType>.value[s - 1]);
    Integer least(std::ldexp(1.0, capacities<TestType>.bits[s] + 1));
    least.multiply(1 + 0x1p-20);
    CHECK(least <= product);
    least.multiply(2);
    CHECK(!(least <= product));
    CHECK(moduli_for<TestType>(capacities<TestType>.bits[s]) == s);
    CHECK(moduli_for<TestType>(capacities<TestType>.bits[s] + 1) == s + 1);
  }
}

TEST_CASE("which kernels there are depends on nothing but the instruction set, and VNNI") {
  std::string const set = Exakt::Impl::kernels().name;
  bool const is_avx = set == "avx2" || set == "avx512";
  CHECK(has_integer_gemm() == is_avx);
  if (set != "avx512") CHECK(!has_byte_products());
  CHECK(matrix_kernels().has_enclosures == (is_avx || set.rfind("neon", 0) == 0));
}

TEST_CASE("describe() says what multiplies residues") {
  std::string const text = Exakt::describe(), multipliers = Exakt::Impl::multipliers();
  CHECK(text.find("; gemm with " + multipliers) != std::string::npos);
  CHECK((multipliers.find("BLAS ") != std::string::npos) == has_double_gemm());
}

TEST_CASE("a line is measured: bits above all entries, and the last bit set anywhere") {
  auto const scale_of = [](std::vector<double> const& entries) {
    LineMeasure measure;
    matrix_kernels().measure(entries.data(), entries.size(), measure);
    return LineScale(measure);
  };
  auto const is = [&](std::vector<double> const& entries, int unit, int bits) {
    auto const scale = scale_of(entries);
    CHECK(!scale.is_special);
    CHECK(scale.unit == unit);
    CHECK(scale.bits == bits);
  };
  is({0.0, -0.0}, 0, 0);
  is({1}, 0, 1);
  is({0, 0, 0, -3, 0, 8, 0, 0, 0, 0.5, 0}, -1, 5);
  is({0x1.8p-1022}, -1023, 2);
  is({0x1p-1074, 0x1p-1022}, -1074, 53);
  is({std::numeric_limits<double>::max()}, 971, 53);
  is({std::numeric_limits<double>::max(), -0x1p-1074}, -1074, 2098);
  is({1 + 0x1p-52, 0x1p-60}, -60, 61);
  double const infinity = std::numeric_limits<double>::infinity();
  for (double const special : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()})
    CHECK(scale_of({1, 2, special, 3, 4, 5, 6, 7, 8, 9}).is_special);
  auto const cut = scale_of({1, 0x1p-60}).truncated_to(40);
  CHECK((cut.is_truncated && cut.bits == 40 && cut.unit == -39));
  CHECK(!scale_of({1, 0x1p-60}).truncated_to(61).is_truncated);
}

TEST_CASE("a line is measured piece by piece, wherever its largest entry and its last bit are") {
  for (std::size_t size = 1; size <= 19; ++size) {
    for (std::size_t largest = 0; largest < size; ++largest) {
      for (std::size_t lowest = 0; lowest < size; ++lowest) {
        std::vector<double> entries(size, 12.0);
        entries[largest] = -0x1.8p40;
        if (lowest != largest) entries[lowest] = 3 * 0x1p-30;
        LineMeasure measure{3, -1};
        matrix_kernels().measure(entries.data(), size, measure);
        CHECK(measure.top == 41);
        CHECK(measure.unit == (lowest != largest ? -30 : -1));
      }
    }
  }
}

namespace {

/// Integers of a line of so many bits: from +-2^bits, which rounding reaches, down to the last bit.
std::vector<double> integers_in_line(int bits, std::size_t count, Random& random) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    int const width = std::min(bits, random.between(1, 53));
    auto const significand = static_cast<double>(random.bits() >> (64 - width));
    double const integer = i < 2    ? std::ldexp(1.0, bits)
                           : i == 2 ? std::ldexp(1.0, bits) - std::ldexp(1.0, std::max(bits - 53, 0))
                           : i == 3 ? 1
                                    : std::ldexp(significand, random.between(0, bits - width));
    x[i] = i == 1 || (i > 1 && random.coin()) ? -integer : integer;
  }
  return x;
}

std::vector<double> times_power(std::vector<double> x, int exponent) {
  for (double& entry : x) entry = std::ldexp(entry, exponent);
  return x;
}

}  // namespace

TEST_CASE("residues of integers of any length, at the bounds and at random") {
  Random random(850);
  std::vector<std::uint8_t> plain(ByteResidues::moduli_at_most * bytes_at_once), with_sign(plain.size());
  for (int bits = 1; bits <= ByteResidues::limbs_at_most * ByteResidues::chunk_bits; ++bits) {
    for (int const unit : {0, -1074, 900 - bits, -bits}) {
      auto const x = integers_in_line(bits, bytes_at_once, random), scaled = times_power(x, unit);
      for (bool const sign : {false, true})
        matrix_kernels().write_bytes(scaled.data(), scaled.size(), unit, bits, ByteResidues::moduli_at_most, sign,
                                     sign ? with_sign.data() : plain.data(), bytes_at_once);
      for (std::size_t i = 0; i < x.size(); ++i) {
        Integer const integer(x[i]);
        std::size_t const at = place_of_small<ByteResidues>(i);
        for (int t = 0; t < ByteResidues::moduli_at_most; ++t) {
          int const m = moduli<ByteResidues>.value[t], residue = integer.modulo(m);
          std::size_t const byte = at + static_cast<std::size_t>(t) * bytes_at_once;
          EXAKT_CHECK(plain[byte] == residue);
          EXAKT_CHECK((static_cast<std::int8_t>(with_sign[byte]) - residue) % m == 0);
        }
      }
    }
  }
}

TEST_CASE("residues as words of integers of any length, at the bounds and at random") {
  if (words.write_words == nullptr) return;
  Random random(868);
  std::vector<std::int16_t> residues(WordResidues::moduli_at_most * words_at_once);
  for (int bits = 1; bits <= WordResidues::limbs_at_most * WordResidues::chunk_bits; ++bits) {
    for (int const unit : {0, -1074, 900 - bits, -bits}) {
      auto const x = integers_in_line(bits, words_at_once, random), scaled = times_power(x, unit);
      words.write_words(scaled.data(), scaled.size(), unit, bits, WordResidues::moduli_at_most, residues.data(),
                        words_at_once);
      for (std::size_t i = 0; i < x.size(); ++i) {
        Integer const integer(x[i]);
        for (int t = 0; t < WordResidues::moduli_at_most; ++t) {
          int const m = moduli<WordResidues>.value[t];
          int const residue = residues[words.place(i) + static_cast<std::size_t>(t) * words_at_once];
          EXAKT_CHECK((residue - integer.modulo(m)) % m == 0);
          EXAKT_CHECK(2 * std::abs(residue) <= m + 1);
        }
      }
    }
  }
}

TEST_CASE("a cut entry is off by half a unit at most") {
  std::vector<double> x(bytes_at_once);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 100 + static_cast<double>(i) / 8;
  std::vector<std::uint8_t> residues(bytes_at_once);
  matrix_kernels().write_bytes(x.data(), x.size(), 0, 7, 1, false, residues.data(), bytes_at_once);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXAKT_CHECK(std::abs(residues[place_of_small<ByteResidues>(i)] - x[i]) <= 0.5);
}

TEST_CASE("residues as doubles of integers of any length, at the bounds and at random") {
  Random random(853);
  constexpr std::size_t size = 3 * kernel_lanes;
  for (int limbs = 1; limbs <= DoubleResidues::limbs_at_most; ++limbs) {
    int const bits = limbs * DoubleResidues::chunk_bits;
    for (int const unit : {0, -1074, 900 - bits, -bits}) {
      std::vector<double> residues(size);
      auto const x = integers_in_line(bits, size, random), scaled = times_power(x, unit);
      for (int t = 0; t < DoubleResidues::moduli_at_most; ++t) {
        int const m = moduli<DoubleResidues>.value[t];
        matrix_kernels().write_doubles(scaled.data(), size, unit, limbs, t, residues.data());
        for (std::size_t i = 0; i < size; ++i) {
          int const residue = Integer(x[i]).modulo(m);
          EXAKT_CHECK(std::abs(residues[i]) <= m / 2.0);
          EXAKT_CHECK(residues[i] == (2 * residue < m ? residue : residue - m));
        }
      }
    }
  }
}

TEST_CASE("sums of products of bytes are exact up to the bound of their depth") {
  if (!has_byte_products()) return;
  std::size_t const m = 50, n = 70, k = depth_of_integers;
  std::vector<std::uint8_t> a(m * k, 255);
  std::vector<std::int8_t> b(n * k, -128);
  std::vector<std::int32_t> c(m * n);
  std::int64_t const sum = -255 * 128 * static_cast<std::int64_t>(depth_of_integers);
  multiply_bytes(m, n, k, a.data(), k, b.data(), k, c.data(), n);
  for (std::int32_t const x : c) EXAKT_CHECK(x == sum);
  // So much for depth_of_integers; another five thousandth more does not fit.
  CHECK(sum >= std::numeric_limits<std::int32_t>::min());
  CHECK(sum - 258 * 255 * 128 < std::numeric_limits<std::int32_t>::min());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::int8_t>(i % 2 == 0 ? 127 : -128);
  multiply_bytes(m, n, 1000, a.data(), k, b.data(), k, c.data(), n);
  for (std::int32_t const x : c) EXAKT_CHECK(x == -500 * 255);
}

TEST_CASE("products of bytes of any shape, and nothing else is written") {
  if (!has_byte_products()) return;
  Random random(865);
  for (int run = 0; run < 400 * static_cast<int>(case_factor()); ++run) {
    // Kernels copy some rows, and some of k, at a time.
    std::size_t const m = random.between<std::size_t>(1, run % 8 == 1 ? 300 : 14),
                      n = random.between<std::size_t>(1, 140),
                      k = 4 * random.between<std::size_t>(1, run % 4 == 0 ? 300 : 40),
                      a_stride = k + random.between<std::size_t>(0, 5),
                      b_stride = k + random.between<std::size_t>(0, 5),
                      c_stride = n + random.between<std::size_t>(0, 5);
    std::vector<std::uint8_t> a((m - 1) * a_stride + k);
    std::vector<std::int8_t> b((n - 1) * b_stride + k);
    std::vector<std::int32_t> c(m * c_stride, 123);
    for (auto& byte : a) byte = static_cast<std::uint8_t>(random.bits());
    for (auto& byte : b) byte = static_cast<std::int8_t>(random.bits());
    // Behind the last bytes there is nothing to be read.
    GuardedArray<std::uint8_t> const left(a, GuardedArray<std::uint8_t>::Against::page_after);
    GuardedArray<std::int8_t> const right(b, GuardedArray<std::int8_t>::Against::page_after);
    multiply_bytes(m, n, k, left.data(), a_stride, right.data(), b_stride, c.data(), c_stride);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < c_stride; ++j) {
        std::int32_t sum = j < n ? 0 : 123;
        for (std::size_t l = 0; l < k && j < n; ++l) sum += a[i * a_stride + l] * b[j * b_stride + l];
        EXAKT_CHECK(c[i * c_stride + j] == sum);
      }
  }
}

TEST_CASE("products of words of any shape, also of the largest, and nothing else is written") {
  auto const multiply = find_word_products();
  if (multiply == nullptr) return;
  Random random(869);
  for (int run = 0; run < 400 * static_cast<int>(case_factor()); ++run) {
    std::size_t const m = random.between<std::size_t>(1, run % 8 == 1 ? 600 : 14),
                      n = random.between<std::size_t>(1, 140),
                      k = words_at_once *
                          random.between<std::size_t>(1, run % 4 == 0 ? depth_of_words / words_at_once : 4),
                      a_stride = k + random.between<std::size_t>(0, 5),
                      b_stride = k + random.between<std::size_t>(0, 5),
                      c_stride = n + random.between<std::size_t>(0, 5);
    std::vector<std::int16_t> a((m - 1) * a_stride + k), b((n - 1) * b_stride + k);
    std::vector<std::int32_t> c(m * c_stride, 123);
    bool const are_largest = run % 16 == 0;
    auto const word = [&] { return static_cast<std::int16_t>(are_largest ? 2047 : random.between(-2047, 2047)); };
    for (auto& entry : a) entry = word();
    for (auto& entry : b) entry = static_cast<std::int16_t>(run % 32 == 0 ? -word() : word());
    GuardedArray<std::int16_t> const left(a, GuardedArray<std::int16_t>::Against::page_after);
    GuardedArray<std::int16_t> const right(b, GuardedArray<std::int16_t>::Against::page_after);
    multiply(m, n, k, left.data(), a_stride, right.data(), b_stride, c.data(), c_stride);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < c_stride; ++j) {
        std::int64_t sum = j < n ? 0 : 123;
        for (std::size_t l = 0; l < k && j < n; ++l) sum += a[i * a_stride + l] * b[j * b_stride + l];
        EXAKT_CHECK(c[i * c_stride + j] == sum);
      }
  }
}

namespace {

/// Integers that a number of moduli has room for: +-2^bits and their neighbours, zero, and sums of random parts.
std::vector<std::unique_ptr<Integer>> integers_of(int bits, std::size_t count, Random& random) {
  std::vector<std::unique_ptr<Integer>> result;
  for (std::size_t i = 0; i < count; ++i) {
    auto x = std::make_unique<Integer>(i < 4 ? std::ldexp(i % 2 == 0 ? 1.0 : -1.0, bits) : 0.0);
    if (i >= 2 && i < 4) x->add(i % 2 == 0 ? -1 : 1);
    if (i >= 5) {
      for (int part = random.between(1, 5); part > 0; --part) {
        int const width = std::min(bits - 3, random.between(1, 50));
        x->add(std::ldexp(random.coin() ? 1.0 : -1.0, random.between(0, bits - 3 - width)) *
               static_cast<double>(random.bits() >> (64 - width)));
      }
    }
    result.push_back(std::move(x));
  }
  return result;
}

/// An enclosure that is zero only for zero, and within its bound, which is as small as it may be: none for short integers.
void check_enclosure(Integer& integer, Enclosure const& sum) {
  mpfr_ptr const x = integer.get();
  EXAKT_CHECK((sum.high == 0) == (mpfr_zero_p(x) != 0));
  EXAKT_CHECK(sum.bound == (std::abs(sum.high) < 0x1p100 ? 0 : std::abs(sum.high) * bound_of_balanced_sum));
  mpfr_sub_d(x, x, sum.high, MPFR_RNDN);
  mpfr_sub_d(x, x, sum.low, MPFR_RNDN);
  EXAKT_CHECK(mpfr_cmpabs(x, Integer(sum.bound).get()) <= 0);
}

}  // namespace

TEMPLATE_TEST_CASE("integers come back from bytes and words, with every number of moduli, up to the last that fits", "",
                   ByteResidues, WordResidues) {
  ResidueKernelsOf<TestType> const& kernels = matrix_kernels();
  if (kernels.reduce == nullptr) return;
  using Classes = std::vector<typename TestType::Integer>;
  Random random(851);
  constexpr std::size_t size = 2 * small_at_once<TestType>;
  std::vector<std::int32_t> sums(size);
  Classes y(TestType::moduli_at_most * size);
  double high[size], low[size], bound[size], scale[size], cut[size] = {}, half[size] = {};
  for (double& unit : scale) unit = 1;
  for (int s = 1; s <= TestType::moduli_at_most; ++s) {
    Basis<TestType> const basis(s);
    auto const integers = integers_of(capacities<TestType>.bits[s], size, random);
    for (int t = 0; t < s; ++t) {
      int const m = moduli<TestType>.value[t];
      auto* const of_t = y.data() + static_cast<std::size_t>(t) * size;
      // The sum of two blocks of k: any numbers of two classes, to the ends of the type.
      for (bool const add : {false, true}) {
        for (std::size_t i = 0; i < size; ++i) {
          int const residue = integers[i]->modulo(m), part = add ? residue - residue / 3 : residue / 3;
          sums[i] = part + m * random.one_of(0, 1, -1, (std::numeric_limits<std::int32_t>::max() - part) / m,
                                             (std::numeric_limits<std::int32_t>::min()) / m);
        }
        kernels.reduce(sums.data(), size, t, basis.inverse[t], add, of_t);
      }
      for (std::size_t i = 0; i < size; ++i)
        EXAKT_CHECK((sizeof(*of_t) == 1 ? of_t[i] < m - 128 : 2 * std::abs(of_t[i]) <= m + 1));
    }
    kernels.enclose(y.data(), size, size, basis, {1, 0, 0}, {scale, cut, half}, 7, {high, low, bound});
    for (std::size_t i = 0; i < size; ++i) {
      mpfr_ptr const x = integers[i]->get();
      auto const y_of = [&](int t) {
        return static_cast<double>(y[static_cast<std::size_t>(t) * size + kernels.place(i)]);
      };
      auto const exact = scaled(BalancedInteger<TestType, double>(basis, y_of), -100);
      EXAKT_CHECK_BITS(exact.round(), Expected<double>{std::ldexp(mpfr_get_d(x, MPFR_RNDN), -100)});
      EXAKT_CHECK_BITS(exact.round(Rounding::upward), Expected<double>{std::ldexp(mpfr_get_d(x, MPFR_RNDU), -100)});
      EXAKT_CHECK_BITS(exact.round(Rounding::downward) + 0.0,
                       Expected<double>{std::ldexp(mpfr_get_d(x, MPFR_RNDD), -100)});
      check_enclosure(*integers[i], {high[i], low[i], bound[i]});
    }
  }
}

TEST_CASE("sums of bytes have the units of their lines, and bounds for what was cut") {
  constexpr std::size_t size = bytes_at_once;
  Basis<ByteResidues> const basis(3);
  std::vector<std::int8_t> y(3 * size);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<std::int8_t>(7 * i + 1);
  double high[2][size], low[2][size], bound[2][size], scale[size], cut[size], half[size];
  for (std::size_t j = 0; j < size; ++j) {
    scale[j] = std::ldexp(1.0, static_cast<int>(j));
    cut[j] = static_cast<double>(j % 2);
    half[j] = std::ldexp(1.0, static_cast<int>(j % 5));
  }
  double ones[size], zeros[size] = {};
  for (double& one : ones) one = 1;
  bytes.enclose(y.data(), size, size, basis, {1, 0, 0}, {ones, zeros, zeros}, 1000, {high[0], low[0], bound[0]});
  for (double const row_cut : {0.0, 1.0}) {
    bytes.enclose(y.data(), size, size, basis, {0x1p-9, row_cut, 16}, {scale, cut, half}, 1000,
                  {high[1], low[1], bound[1]});
    for (std::size_t j = 0; j < size; ++j) {
      double const unit = std::ldexp(scale[j], -9);
      EXAKT_CHECK(high[1][j] == high[0][j] * unit);
      EXAKT_CHECK(low[1][j] == low[0][j] * unit);
      EXAKT_CHECK(bound[1][j] >= (bound[0][j] + 1000 * (row_cut * half[j] + 16 * cut[j])) * unit * (1 - 0x1p-50));
      EXAKT_CHECK(bound[1][j] <= (bound[0][j] + 1000 * (row_cut * half[j] + 16 * cut[j])) * unit * (1 + 0x1p-50));
    }
  }
}

TEST_CASE("a remainder is as small as it can be, also where the quotient is large and next to a half") {
  for (int t = 0; t < DoubleResidues::moduli_at_most; ++t) {
    double const m = moduli<DoubleResidues>.as_double[t];
    Remainder const modulo{m, moduli<DoubleResidues>.reciprocal[t]};
    for (int i = 0; i < 100; ++i) {
      double const q = std::floor((0x1p53 - 0x1p46) / m) - 1 - i;
      for (double const r : {std::floor(-(m - 1) / 2), std::floor((m - 1) / 2)}) {
        EXAKT_CHECK(modulo(q * m + r) == r);
        EXAKT_CHECK(modulo(r - q * m) == r);
      }
    }
  }
}

TEST_CASE("integers come back from doubles, with every number of moduli, up to the last that fits") {
  Random random(854);
  constexpr std::size_t size = 3 * kernel_lanes;
  double const largest = 0x1p53 - 0x1p46;  // of BlasProducts::depth products
  std::vector<double> sums(size);
  std::vector<std::int32_t> y(DoubleResidues::moduli_at_most * size);
  double high[size], low[size], bound[size], scale[size], cut[size] = {}, half[size] = {};
  for (double& unit : scale) unit = 0x1p9;
  for (int s = 1; s <= DoubleResidues::moduli_at_most; ++s) {
    Basis<DoubleResidues> const basis(s);
    auto const integers = integers_of(capacities<DoubleResidues>.bits[s], size, random);
    for (int t = 0; t < s; ++t) {
      int const m = moduli<DoubleResidues>.value[t];
      std::int32_t* const of_t = y.data() + static_cast<std::size_t>(t) * size;
      // The sum of two blocks of k: any numbers of two classes, to the ends of what sums are.
      std::vector<int> residues(size);
      for (std::size_t i = 0; i < size; ++i) residues[i] = integers[i]->modulo(m);
      for (bool const add : {false, true}) {
        for (std::size_t i = 0; i < size; ++i) {
          int const part = add ? residues[i] - residues[i] / 3 : residues[i] / 3;
          sums[i] =
              part + m * random.one_of(0.0, 1.0, -1.0, std::floor((largest - part) / m), -std::floor(largest / m));
        }
        doubles.reduce(sums.data(), size, t, basis.inverse[t], add, of_t);
      }
      for (std::size_t i = 0; i < size; ++i) EXAKT_CHECK(2 * std::abs(of_t[i]) <= m);
    }
    doubles.enclose(y.data(), size, size, basis, {0x1p-9, 0, 0}, {scale, cut, half}, 7, {high, low, bound});
    for (std::size_t i = 0; i < size; ++i) check_enclosure(*integers[i], {high[i], low[i], bound[i]});
  }
}

TEST_CASE("sums of more products than one block of k has") {
  if (!has_integer_gemm()) return;
  Random random(852);
  std::size_t const k = (has_byte_products() ? depth_of_integers : depth_of_words) + 33;
  Table<double> a(2, k), b(k, 3);
  for (double& entry : a.entries) entry = random.value<double>(0);
  for (double& entry : b.entries) entry = random.value<double>(0);
  auto const result = stored(Table<double>(2, 3), Storage::left);
  Exakt::gemm("N", "N", 1.0, stored(a, Storage::right), stored(b, Storage::right), 0.0, result,
              {Exakt::GemmEngine::modular});
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      Exact sum;
      for (std::size_t l = 0; l < k; ++l) sum.add_product(a(i, l), b(l, j));
      EXAKT_CHECK_BITS(result(i, j), sum.round<double>());
    }
}

TEMPLATE_TEST_CASE("products that fill the moduli to the last bit", "", ByteResidues, WordResidues) {
  ResidueKernelsOf<TestType> const& kernels = matrix_kernels();
  if (kernels.multiply == nullptr) return;
  std::size_t const k = 64;
  for (int s = 7; s <= TestType::moduli_at_most; ++s) {
    for (int const excess : {0, 1}) {
      int const all = capacities<TestType>.bits[s] + excess - 6, rows = all / 2, columns = all - rows;
      CHECK(moduli_for<TestType>(all + 6) == s + excess);
      Table<double> a(3, k), b(k, 2);
      // Just below 2^rows, but for one entry that is 1, the unit.
      for (double& entry : a.entries) entry = std::ldexp(1 - 0x1p-53, rows);
      for (double& entry : b.entries) entry = std::ldexp(1 - 0x1p-53, columns);
      for (std::size_t l = 0; l < k; ++l) a(1, l) = -a(1, l);
      a(0, 7) = a(1, 7) = a(2, 7) = b(9, 0) = b(9, 1) = 1;
      auto const result = stored(Table<double>(3, 2), Storage::left);
      Exakt::gemm("N", "N", 1.0, stored(a, Storage::left), stored(b, Storage::left), 0.0, result,
                  {Exakt::GemmEngine::modular});
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 2; ++j) {
          Exact sum;
          for (std::size_t l = 0; l < k; ++l) sum.add_product(a(i, l), b(l, j));
          EXAKT_CHECK_BITS(result(i, j), sum.round<double>());
        }
    }
  }
}
