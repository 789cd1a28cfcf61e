// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <matrix_vector/ExaktBlas_ComplexProducts.hpp>
#include <triangular/ExaktBlas_ComplexQuotient.hpp>

#include "ExaktTest_Catch.hpp"
#include "ExaktTest_ComplexQuotient.hpp"

#include <cmath>

namespace {

using namespace ExaktTest;

/// A dividend, as the library has it and as MPFR has it.
struct Dividend {
  Exakt::Impl::ExactProducts parts[2];
  Exact exact[2];

  /// Adds q * a.
  void add_product(Number const& q, Number const& a) {
    add(0, q.real, a.real);
    add(0, -q.imaginary, a.imaginary);
    add(1, q.real, a.imaginary);
    add(1, q.imaginary, a.real);
  }

 private:
  void add(int part, double x, double y) {
    parts[part].add_product(x, y);
    exact[part].add_product(x, y);
  }
};

template <class R>
void check_quotient(Dividend const& dividend, double real, double imaginary) {
  INFO(real << " + " << imaginary << "i");
  R results[2];
  Exakt::Impl::divide_by_complex(dividend.parts, real, imaginary, results);
  EXAKT_CHECK_BITS(results[0], quotient_by_norm<R>(dividend.exact[0], dividend.exact[1], real, imaginary));
  EXAKT_CHECK_BITS(results[1], quotient_by_norm<R>(dividend.exact[1], dividend.exact[0], real, -imaginary));
}

template <class R>
Number complex_number(R real, R imaginary) {
  return Kokkos::complex<double>(static_cast<double>(real), static_cast<double>(imaginary));
}

/// Half of the distance to the next number away from zero, or of that before the largest one.
template <class R>
double half_gap(R x) {
  R const size = std::abs(x), largest = std::numeric_limits<R>::max();
  R const lower = size == largest ? std::nextafter(size, R{0}) : size;
  double const gap = static_cast<double>(std::nextafter(lower, largest)) - static_cast<double>(lower);
  return std::copysign(gap / 2, static_cast<double>(x));
}

template <class R>
void check_ties(Random& random) {
  R const largest = std::numeric_limits<R>::max(), least = std::numeric_limits<R>::denorm_min();
  for (int run = 0; run < 400; ++run) {
    R q[2];
    for (R& part : q)
      part = random.coin() ? random.value<R>(20) : random.one_of(R{1}, R{-3}, R{2}, R{0}, least * 5, -largest);
    double const a = random.value<double>(3), b = random.one_of(0.0, 1.0, a, random.value<double>(30), 0x1p-300);
    // The quotient is q, is halfway to its neighbours away from zero, or a little beside that. Of subnormal doubles there
    // is no half.
    bool const has_half = sizeof(R) == 4 || (std::abs(q[0]) >= R(1e-300) && std::abs(q[1]) >= R(1e-300));
    for (int kind = 0; kind < (has_half ? 4 : 1); ++kind) {
      Dividend dividend;
      dividend.add_product(complex_number(q[0], q[1]), complex_number(a, b));
      if (kind > 0) dividend.add_product(complex_number(half_gap(q[0]), half_gap(q[1])), complex_number(a, b));
      if (kind > 1) dividend.add_product(complex_number(kind == 2 ? 1e-290 : -1e-290, 0.0), complex_number(1e-20, 0.0));
      check_quotient<R>(dividend, a, b);
    }
  }
}

}  // namespace

TEST_CASE("quotients of exact complex sums are rounded once: ties, their neighbours, and the ends of the range") {
  Random random(77);
  check_ties<double>(random);
  check_ties<float>(random);
}

TEST_CASE("quotients of exact complex sums whose squares and products are far out of range are rounded once") {
  Random random(78);
  for (int run = 0; run < 600; ++run) {
    auto const any = [&] {
      return hard_number<double>(random, random.coin() ? Hardness::every_exponent : Hardness::special);
    };
    Dividend dividend;
    for (int k = 0; k < 3; ++k) dividend.add_product(complex_number(any(), any()), complex_number(any(), any()));
    double const a = any(), b = any();
    check_quotient<double>(dividend, a, b);
    check_quotient<float>(dividend, a, b);
  }
}

TEST_CASE("enclosures decide quotients as exact sums do, or leave them") {
  Random random(79);
  std::size_t decided = 0;
  constexpr int runs = 4000;
  for (int run = 0; run < runs; ++run) {
    int const range = run % 2 == 0 ? 4 : 60;
    Dividend dividend;
    Exakt::Impl::Enclosure sums[2];
    double const a = random.value<double>(range), b = run % 5 == 0 ? a : random.value<double>(range);
    for (int part = 0; part < 2; ++part) {
      double const high = random.value<double>(range), low = high * random.value<double>(1) * 0x1p-54;
      // Anywhere within the bound.
      double const bound = std::abs(high) * (run % 3 == 0 ? 0x1p-53 : 0x1p-100),
                   off = bound * random.one_of(1.0, -1.0, 0.5, 0.0);
      sums[part] = {high, low, bound};
      for (double const term : {high, low, off}) {
        dividend.parts[part].add_product(term, 1.0);
        dividend.exact[part].add(term);
      }
    }
    double result;
    float narrow;
    for (int part = 0; part < 2; ++part) {
      auto const& [x, y] = dividend.exact;
      double const d = part == 0 ? b : -b;
      if (Exakt::Impl::try_divide_by_complex(sums, a, b, part, result)) {
        ++decided;
        EXAKT_CHECK_BITS(result, quotient_by_norm<double>(part == 0 ? x : y, part == 0 ? y : x, a, d));
      }
      if (Exakt::Impl::try_divide_by_complex(sums, a, b, part, narrow))
        EXAKT_CHECK_BITS(narrow, quotient_by_norm<float>(part == 0 ? x : y, part == 0 ? y : x, a, d));
    }
  }
  CHECK(decided > 2 * runs * 5 / 10);
}

TEST_CASE("complex factors applied to enclosures enclose what they make of every number in them") {
  using Exakt::Impl::Enclosure;
  Random random(80);
  std::size_t known = 0;
  constexpr int runs = 4000;
  for (int run = 0; run < runs; ++run) {
    int const range = run % 2 == 0 ? 4 : run % 4 == 1 ? 60 : 380;
    auto const any = [&] { return random.between(0, 9) == 0 ? 0.0 : random.value<double>(range); };
    Exakt::Impl::EntryEpilogue const epilogue({any(), any(), true}, {any(), any(), run % 3 != 0});
    Enclosure sums[2];
    Exact inside[2];
    for (int part = 0; part < 2; ++part) {
      double const high = any(), low = high * random.value<double>(1) * 0x1p-54,
                   bound = std::abs(high) * random.one_of(0x1p-80, 0.0);
      sums[part] = {high, low, bound};
      inside[part].add(high).add(low).add(random.one_of(bound, -bound, 0.0));
    }
    double const old[] = {any(), any()};
    for (int part = 0; part < 2; ++part) {
      double const sign = part == 0 ? -1 : 1;
      Enclosure const total =
          Exakt::Impl::enclosed_part(epilogue, part == 1, sums[part], sums[1 - part], old[part], old[1 - part]);
      if (!(total.bound < HUGE_VAL)) continue;
      ++known;
      Exact rest;
      rest.subtract(total.high).subtract(total.low);
      // Numbers in an enclosure are high, low and a part of the bound: each of them times a factor is a product.
      auto const add_scaled = [&](int of, double factor) {
        double const off = (Exact(inside[of]).subtract(sums[of].high).subtract(sums[of].low)).round<double>().value;
        for (double const term : {sums[of].high, sums[of].low, off}) rest.add_product(factor, term);
      };
      add_scaled(part, epilogue.full_alpha.real);
      add_scaled(1 - part, sign * epilogue.full_alpha.imaginary);
      if (epilogue.reads_y) {
        rest.add_product(epilogue.full_beta.real, old[part]);
        rest.add_product(sign * epilogue.full_beta.imaginary, old[1 - part]);
      }
      if (rest.is_negative()) rest.negate();
      rest.subtract(total.bound);
      EXAKT_CHECK(rest.is_negative() || rest.is_zero());
    }
  }
  CHECK(known > runs);
}
