// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas3_gemm.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Matrices.hpp"

#include <numeric>

namespace {

using namespace ExaktTest;
using namespace Exakt::Impl;

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

TEST_CASE("the moduli are coprime bytes, and there is room for as many bits as is said, and not for one more") {
  Integer product(1);
  for (int s = 1; s <= ByteResidues::moduli_at_most; ++s) {
    CHECK(moduli<ByteResidues>.value[s - 1] <= ByteResidues::largest_modulus);
    for (int t = 0; t + 1 < s; ++t)
      CHECK(std::gcd(moduli<ByteResidues>.value[s - 1], moduli<ByteResidues>.value[t]) == 1);
    product.multiply(moduli<ByteResidues>.value[s - 1]);
    Integer least(std::ldexp(1.0, capacities<ByteResidues>.bits[s] + 1));
    least.multiply(1 + 0x1p-20);
    CHECK(least <= product);
    least.multiply(2);
    CHECK(!(least <= product));
    CHECK(moduli_for<ByteResidues>(capacities<ByteResidues>.bits[s]) == s);
    CHECK(moduli_for<ByteResidues>(capacities<ByteResidues>.bits[s] + 1) == s + 1);
  }
}

#ifdef EXAKT_HAS_INTEGER_GEMM

TEST_CASE("a line is measured: bits above all entries, and the last bit set anywhere") {
  if (!has_integer_gemm()) return;
  auto const scale_of = [](std::vector<double> entries) {
    entries.resize((entries.size() + 7) / 8 * 8);
    LineMeasure measure;
    measure.add(entries.data(), entries.size());
    return measure.scale();
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

TEST_CASE("residues of integers of any length, at the bounds and at random") {
  if (!has_integer_gemm()) return;
  Random random(850);
  std::vector<std::uint8_t> plain(ByteResidues::moduli_at_most * bytes_at_once), with_sign(plain.size());
  for (int bits = 1; bits <= ByteResidues::limbs_at_most * ByteResidues::chunk_bits; ++bits) {
    for (int const unit : {0, -1074, 900 - bits, -bits}) {
      // From +-2^bits, which rounding reaches, down to the last bit; and halves of it in a line that was cut.
      std::vector<double> x(bytes_at_once);
      for (std::size_t i = 0; i < x.size(); ++i) {
        int const width = std::min(bits, random.between(1, 53));
        auto const significand = static_cast<double>(random.bits() >> (64 - width));
        double const integer = i == 0   ? std::ldexp(1.0, bits)
                               : i == 1 ? -std::ldexp(1.0, bits)
                               : i == 2 ? std::ldexp(1.0, bits) - std::ldexp(1.0, std::max(bits - 53, 0))
                               : i == 3 ? 1
                                        : std::ldexp(significand, random.between(0, bits - width));
        x[i] = random.coin() ? integer : -integer;
      }
      std::vector<double> scaled = x;
      for (double& entry : scaled) entry = std::ldexp(entry, unit);
      LineScale const line{unit, bits};
      write_residues<false>(scaled.data(), scaled.size(), line, ByteResidues::moduli_at_most, plain.data(),
                            bytes_at_once);
      write_residues<true>(scaled.data(), scaled.size(), line, ByteResidues::moduli_at_most, with_sign.data(),
                           bytes_at_once);
      for (std::size_t i = 0; i < x.size(); ++i) {
        Integer const integer(x[i]);
        std::size_t const at = 4 * (i % 8) + i / 8;
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

TEST_CASE("a cut entry is off by half a unit at most") {
  if (!has_integer_gemm()) return;
  std::vector<double> x(bytes_at_once);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 100 + static_cast<double>(i) / 8;
  std::vector<std::uint8_t> residues(bytes_at_once);
  write_residues<false>(x.data(), x.size(), LineScale{0, 7, true}, 1, residues.data(), bytes_at_once);
  for (std::size_t i = 0; i < x.size(); ++i) EXAKT_CHECK(std::abs(residues[4 * (i % 8) + i / 8] - x[i]) <= 0.5);
}

TEST_CASE("sums of products of bytes are exact up to the bound of their depth") {
  if (!has_integer_gemm()) return;
  std::size_t const m = 50, n = 70, k = depth_of_integers;
  std::vector<std::uint8_t> a(m * k, 255);
  std::vector<std::int8_t> b(n * k, -128);
  std::vector<std::int32_t> c(m * n);
  std::int64_t const sum = -255 * 128 * static_cast<std::int64_t>(depth_of_integers);
  CHECK(multiply_integers(m, n, k, a.data(), k, b.data(), k, false, c.data(), n));
  for (std::int32_t const x : c) EXAKT_CHECK(x == sum);
  for (auto& x : c) x = -128;
  CHECK(multiply_integers(m, n, k, a.data(), k, b.data(), k, true, c.data(), n));
  for (std::int32_t const x : c) EXAKT_CHECK(x == sum - 128);
  // So much for depth_of_integers; another five thousandth more does not fit.
  CHECK(sum - 128 >= std::numeric_limits<std::int32_t>::min());
  CHECK(sum - 258 * 255 * 128 < std::numeric_limits<std::int32_t>::min());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::int8_t>(i % 2 == 0 ? 127 : -128);
  CHECK(multiply_integers(m, n, 1000, a.data(), k, b.data(), k, false, c.data(), n));
  for (std::int32_t const x : c) EXAKT_CHECK(x == -500 * 255);
}

TEST_CASE("integers come back from their residues, with every number of moduli, up to the last that fits") {
  if (!has_integer_gemm()) return;
  Random random(851);
  std::vector<std::int32_t> sums(bytes_at_once);
  std::vector<std::int8_t> y(ByteResidues::moduli_at_most * bytes_at_once);
  double high[bytes_at_once], low[bytes_at_once];
  for (int s = 1; s <= ByteResidues::moduli_at_most; ++s) {
    Basis<ByteResidues> const basis(s);
    int const bits = capacities<ByteResidues>.bits[s];
    std::vector<std::unique_ptr<Integer>> integers;
    for (std::size_t i = 0; i < bytes_at_once; ++i) {
      // +-2^bits and their neighbours, zero, and sums of random parts.
      auto x = std::make_unique<Integer>(i < 4 ? std::ldexp(i % 2 == 0 ? 1.0 : -1.0, bits) : 0.0);
      if (i >= 2 && i < 4) x->add(i % 2 == 0 ? -1 : 1);
      if (i >= 5) {
        for (int part = random.between(1, 5); part > 0; --part) {
          int const width = std::min(bits - 3, random.between(1, 50));
          x->add(std::ldexp(random.coin() ? 1.0 : -1.0, random.between(0, bits - 3 - width)) *
                 static_cast<double>(random.bits() >> (64 - width)));
        }
      }
      integers.push_back(std::move(x));
    }
    for (int t = 0; t < s; ++t) {
      for (std::size_t i = 0; i < bytes_at_once; ++i) {
        int const m = moduli<ByteResidues>.value[t], residue = integers[i]->modulo(m);
        // Any number of the class, to the ends of the type.
        sums[i] = residue + m * random.one_of(0, 1, -1, (std::numeric_limits<std::int32_t>::max() - residue) / m,
                                              (std::numeric_limits<std::int32_t>::min()) / m);
      }
      reduce_sums(sums.data(), bytes_at_once, basis, t, y.data() + static_cast<std::size_t>(t) * bytes_at_once);
    }
    reconstruct(y.data(), bytes_at_once, bytes_at_once, basis, high, low);
    for (std::size_t i = 0; i < bytes_at_once; ++i) {
      mpfr_ptr const x = integers[i]->get();
      double const rounded = mpfr_get_d(x, MPFR_RNDN);
      EXAKT_CHECK((high[i] == 0) == (rounded == 0));
      auto const exact = exact_integer(y.data(), i, bytes_at_once, basis, -100);
      EXAKT_CHECK_BITS(exact.round(), Expected<double>{std::ldexp(rounded, -100)});
      EXAKT_CHECK_BITS(exact.round(Rounding::upward), Expected<double>{std::ldexp(mpfr_get_d(x, MPFR_RNDU), -100)});
      EXAKT_CHECK_BITS(exact.round(Rounding::downward) + 0.0,
                       Expected<double>{std::ldexp(mpfr_get_d(x, MPFR_RNDD), -100)});
      // x - high - low, exactly; then its bound.
      mpfr_sub_d(x, x, high[i], MPFR_RNDN);
      mpfr_sub_d(x, x, low[i], MPFR_RNDN);
      EXAKT_CHECK(mpfr_cmpabs(x, Integer(high[i] * bound_of_reconstruction).get()) <= 0);
    }
  }
}

TEST_CASE("sums of more products than one block of k has") {
  if (!has_integer_gemm()) return;
  Random random(852);
  std::size_t const k = depth_of_integers + 33;
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

TEST_CASE("products that fill the moduli to the last bit") {
  if (!has_integer_gemm()) return;
  std::size_t const k = 64;
  for (int s = 9; s <= ByteResidues::moduli_at_most; ++s) {
    for (int const excess : {0, 1}) {
      int const all = capacities<ByteResidues>.bits[s] + excess - 6, rows = all / 2, columns = all - rows;
      CHECK(moduli_for<ByteResidues>(all + 6) == s + excess);
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

#endif
