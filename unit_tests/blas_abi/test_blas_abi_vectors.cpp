// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_BlasAbi.hpp"
#include "ExaktTest_Catch.hpp"

#include <cmath>
#include <limits>

namespace {

using namespace ExaktTest;

/// f(random, hardness, n) often.
template <class F>
void for_random_vectors(std::uint64_t stream, F const& f) {
  Random random(stream);
  for (Hardness const hardness : every_hardness)
    for (std::uint64_t run = 0; run < 60 * case_factor(); ++run) {
      std::size_t const n =
          run % 12 == 11 ? random.between<std::size_t>(200, 1000) : random.between<std::size_t>(0, 30);
      f(random, hardness, n);
    }
}

template <class Z>
void check_number(Expression const& expression, Z const& actual, Z const& old = Z()) {
  Table<Z> table(1, 1);
  table(0, 0) = old;
  check_expression(expression, table, [&](std::size_t, std::size_t) -> Z const& { return actual; });
}

template <class Z>
Expression product_of(Table<Z> const& x, Table<Z> const& y, bool conjugated = false) {
  Expression expression{x.rows, {}, {}, 1, 0};
  expression.left = [&x, conjugated](std::size_t, std::size_t l) { return Number(x(l, 0)).conjugated(conjugated); };
  expression.right = [&y](std::size_t l, std::size_t) { return Number(y(l, 0)); };
  return expression;
}

TEST_CASE("dots of real numbers, and those of floats as a double or with one more term") {
  for_random_vectors(1, [](Random& random, Hardness hardness, std::size_t n) {
    for_real_numbers([&](auto type) {
      using Z = decltype(type);
      auto const x = any_table<Z>(random, hardness, n, 1), y = any_table<Z>(random, hardness, n, 1);
      Operand<Z> X(x, random), Y(y, random);
      auto const dot = [&]<class R>(R, char const* verb) {
        return call_vectors<R>(Interface(random), verb, Size(n), X.data(), X.step(), Y.data(), Y.step());
      };
      check_number(product_of(x, y), dot(Z(), name<Z>("dot").c_str()));
      if constexpr (std::is_same_v<Z, float>) {
        check_number(product_of(x, y), dot(double(), "dsdot"));
        float const b = any_number<float>(random, hardness);
        auto plus_b = product_of(x, y);
        plus_b.beta = 1;
        float const sum = call_vectors<float>(Interface(random), "sdsdot", Size(n), Scalar{b}, X.data(), X.step(),
                                              Y.data(), Y.step());
        check_number(plus_b, sum, b);
      }
    });
  });
}

TEST_CASE("dots of complex numbers, conjugated or not") {
  for_random_vectors(2, [](Random& random, Hardness hardness, std::size_t n) {
    for_complex_numbers([&](auto type) {
      using Z = decltype(type);
      using R = typename PartsOf<Z>::Real;
      using Returned = std::conditional_t<sizeof(R) == 4, __complex__ float, __complex__ double>;
      auto const x = any_table<Z>(random, hardness, n, 1), y = any_table<Z>(random, hardness, n, 1);
      Operand<Z> X(x, random), Y(y, random);
      for (bool const conjugated : {false, true}) {
        std::string const verb = name<Z>(conjugated ? "dotc" : "dotu");
        Interface const interface(random);
        Z result;
        if (interface.is_of_c) {
          call_vectors(interface, verb + "_sub", Size(n), X.data(), X.step(), Y.data(), Y.step(), &result);
        } else {
          Returned const returned =
              call_vectors<Returned>(interface, verb, Size(n), X.data(), X.step(), Y.data(), Y.step());
          std::memcpy(static_cast<void*>(&result), &returned, sizeof(result));
        }
        check_number(product_of(x, y, conjugated), result);
      }
    });
  });
}

TEST_CASE("sums of magnitudes, and Euclidean norms") {
  for_random_vectors(3, [](Random& random, Hardness hardness, std::size_t n) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      using R = typename PartsOf<Z>::Real;
      auto const x = any_table<Z>(random, hardness, n, 1);
      Operand<Z> X(x, random);
      Exact sum, squares;
      for (Z const& z : x.entries) {
        Number const entry = z;
        sum.add(std::abs(entry.real)).add(std::abs(entry.imaginary));
        squares.add_product(entry.real, entry.real).add_product(entry.imaginary, entry.imaginary);
      }
      std::string const letters = !PartsOf<Z>::is_complex ? std::string(1, letter_of<Z>())
                                  : sizeof(R) == 4        ? "sc"
                                                          : "dz";
      R const asum = call_vectors<R>(Interface(random), letters + "asum", Size(n), X.data(), X.step());
      if (X.step().of_32 > 0) {
        EXAKT_CHECK_BITS(asum, sum.template round<R>());
      } else {
        EXAKT_CHECK_BITS(asum, R{0});
      }
      R const nrm2 = call_vectors<R>(Interface(random), letters + "nrm2", Size(n), X.data(), X.step());
      EXAKT_CHECK_BITS(nrm2, squares.template round_sqrt<R>());
    });
  });
}

TEST_CASE("axpy") {
  for_random_vectors(4, [](Random& random, Hardness hardness, std::size_t n) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      auto const x = any_table<Z>(random, hardness, n, 1), y = any_table<Z>(random, hardness, n, 1);
      Operand<Z> X(x, random), Y(y, random);
      Z const alpha = any_factor<Z>(random, hardness);
      INFO(name_of(hardness) << ", " << name<Z>("axpy") << ", n = " << n);
      call_vectors(Interface(random), name<Z>("axpy"), Size(n), Scalar{alpha}, X.data(), X.step(), Y.data(), Y.step());
      Expression expression{1, {}, {}, alpha, 1};
      expression.left = [&](std::size_t i, std::size_t) { return Number(x(i, 0)); };
      expression.right = [](std::size_t, std::size_t) { return Number(1); };
      check_expression(expression, y, Y);
      Y.check_rest();
    });
  });
}

TEST_CASE("scal of complex numbers") {
  for_random_vectors(7, [](Random& random, Hardness hardness, std::size_t n) {
    for_complex_numbers([&](auto type) {
      using Z = decltype(type);
      auto const x = any_table<Z>(random, hardness, n, 1);
      Operand<Z> X(x, random);
      Z const alpha = any_factor<Z>(random, hardness);
      call_vectors(Interface(random), name<Z>("scal"), Size(n), Scalar{alpha}, X.data(), X.step());
      Expression expression{1, {}, {}, 1, 0};
      expression.left = [&](std::size_t i, std::size_t) { return Number(x(i, 0)); };
      expression.right = [&](std::size_t, std::size_t) { return Number(alpha); };
      expression.is_written = [&](std::size_t, std::size_t) { return X.step().of_32 > 0 && !Number(alpha).is(1); };
      check_expression(expression, x, X);
      X.check_rest();
    });
  });
}

/// Whether q is the number of its type that is nearest to t / sqrt(x^2 + y^2), 0 < t.
template <class Z>
bool is_nearest_quotient_by_root(Z q, Z t, Z x, Z y) {
  // With the midpoint m of q and a neighbour, of which 2 m is an integer of units: the sign of m^2 (x^2 + y^2) - t^2.
  auto const sign_at = [&](Z neighbour) {
    mpfr_t m, u, v;
    mpfr_inits2(12000, m, u, v, nullptr);
    mpfr_set_d(m, static_cast<double>(q), MPFR_RNDN);
    mpfr_add_d(m, m, static_cast<double>(neighbour), MPFR_RNDN);
    mpfr_div_2ui(m, m, 1, MPFR_RNDN);
    mpfr_sqr(m, m, MPFR_RNDN);
    mpfr_set_d(u, static_cast<double>(x), MPFR_RNDN);
    mpfr_set_d(v, static_cast<double>(y), MPFR_RNDN);
    mpfr_sqr(u, u, MPFR_RNDN);
    mpfr_sqr(v, v, MPFR_RNDN);
    mpfr_add(u, u, v, MPFR_RNDN);
    mpfr_mul(m, m, u, MPFR_RNDN);
    mpfr_set_d(v, static_cast<double>(t), MPFR_RNDN);
    mpfr_sqr(v, v, MPFR_RNDN);
    int const result = mpfr_cmp(m, v);
    mpfr_clears(m, u, v, nullptr);
    return result;
  };
  Z const above = std::nextafter(q, Z{2});
  // Below zero there is nothing; a tie goes to the even one.
  int const low = q == 0 ? -1 : sign_at(std::nextafter(q, Z{0})), high = sign_at(above);
  if (low == 0 || high == 0) return (bits_of(q) & 1) == 0;
  return low < 0 && high > 0;
}

/// The product of two numbers as IEEE 754 has it, signs of zeros included; NaN is NaN.
template <class R>
void check_product(R actual, R x, R y) {
  R const product = x * y;
  EXAKT_CHECK(same_bits(actual, product) || (std::isnan(actual) && std::isnan(product)));
}

TEST_CASE("scal by a real number multiplies part by part, zeros, infinities and NaN too") {
  for_random_vectors(8, [](Random& random, Hardness hardness, std::size_t n) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      using R = typename PartsOf<Z>::Real;
      auto x = any_table<Z>(random, hardness, n, 1);
      constexpr R specials[] = {0,
                                R(-0.0),
                                1,
                                std::numeric_limits<R>::infinity(),
                                std::numeric_limits<R>::quiet_NaN(),
                                std::numeric_limits<R>::denorm_min()};
      auto const special = [&] { return specials[random.between<std::size_t>(0, 5)]; };
      for (std::size_t i = 0; i < n; i += 3) {
        if constexpr (PartsOf<Z>::is_complex) {
          R const real = special();
          x(i, 0) = Z(real, special());
        } else {
          x(i, 0) = special();
        }
      }
      R const alpha = random.coin() ? special() : any_factor<R>(random, hardness);
      std::string const letters = !PartsOf<Z>::is_complex ? std::string(1, letter_of<Z>())
                                  : sizeof(R) == 4        ? "cs"
                                                          : "zd";
      Operand<Z> X(x, random);
      INFO(name_of(hardness) << ", " << letters << "scal, n = " << n << ", alpha = " << alpha);
      call_vectors(Interface(random), letters + "scal", Size(n), Scalar{alpha}, X.data(), X.step());
      R const factor = X.step().of_32 > 0 ? alpha : 1;
      for (std::size_t i = 0; i < n; ++i) {
        if constexpr (PartsOf<Z>::is_complex) {
          check_product(X(i, 0).real(), x(i, 0).real(), factor);
          check_product(X(i, 0).imag(), x(i, 0).imag(), factor);
        } else {
          check_product(X(i, 0), x(i, 0), factor);
        }
      }
      X.check_rest();
    });
  });
}

/// Pairs times a matrix of two rows.
template <class Z, class T>
void check_rotated(Operand<Z>& X, Operand<Z>& Y, Table<Z> const& x, Table<Z> const& y, T const (&matrix)[4]) {
  Expression expression{2, {}, {}, 1, 0};
  expression.left = [&](std::size_t i, std::size_t l) { return Number(l == 0 ? x(i, 0) : y(i, 0)); };
  for (int row = 0; row < 2; ++row) {
    expression.right = [&](std::size_t l, std::size_t) { return Number(matrix[2 * row + static_cast<int>(l)]); };
    if (row == 0) {
      check_expression(expression, x, X);
    } else {
      check_expression(expression, y, Y);
    }
  }
  X.check_rest();
  Y.check_rest();
}

TEST_CASE("rotations") {
  for_random_vectors(5, [](Random& random, Hardness hardness, std::size_t n) {
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      using R = typename PartsOf<Z>::Real;
      auto const x = any_table<Z>(random, hardness, n, 1), y = any_table<Z>(random, hardness, n, 1);
      R const c = any_factor<R>(random, hardness), s = any_factor<R>(random, hardness);
      std::string const letters = !PartsOf<Z>::is_complex ? std::string(1, letter_of<Z>())
                                  : sizeof(R) == 4        ? "cs"
                                                          : "zd";
      INFO(name_of(hardness) << ", " << letters << "rot, n = " << n << ", c = " << c << ", s = " << s);
      Operand<Z> X(x, random), Y(y, random);
      call_vectors(Interface(random), letters + "rot", Size(n), X.data(), X.step(), Y.data(), Y.step(), Scalar{c},
                   Scalar{s});
      check_rotated<Z, R>(X, Y, x, y, {c, s, -s, c});
      if constexpr (!PartsOf<Z>::is_complex) {
        Z const a = any_factor<Z>(random, hardness), d = any_factor<Z>(random, hardness);
        for (int const flag : {-1, 0, 1}) {
          Z const parameters[] = {Z(flag), a, c, s, d};  // by columns
          Operand<Z> P(x, random), Q(y, random);
          call_vectors(Interface(random), letters + "rotm", Size(n), P.data(), P.step(), Q.data(), Q.step(),
                       parameters);
          Z const full[] = {a, s, c, d}, with_unit_diagonal[] = {1, s, c, 1}, with_units[] = {a, 1, -1, d};
          check_rotated<Z, Z>(P, Q, x, y, flag < 0 ? full : flag == 0 ? with_unit_diagonal : with_units);
        }
      }
    });
  });
}

TEST_CASE("rotg finds root, cosine and sine of the exact root") {
  for_random_vectors(9, [](Random& random, Hardness hardness, std::size_t) {
    for_real_numbers([&](auto type) {
      using Z = decltype(type);
      Z x = any_number<Z>(random, hardness), y = any_number<Z>(random, hardness);
      if (random.between(0, 3) == 0) y = std::ldexp(x, random.between(-70, 70));
      if (!std::isfinite(x) || !std::isfinite(y)) return;
      Z a = x, b = y, c = -7, s = -7;
      INFO(name<Z>("rotg") << " of " << describe_bits(x) << " and " << describe_bits(y));
      call_vectors(Interface(random), name<Z>("rotg"), &a, &b, &c, &s);
      if (x == 0 || y == 0) {
        EXAKT_CHECK_BITS(a, y == 0 ? x : y);
        CHECK((c == (y == 0 ? 1 : 0) && s == 1 - c && b == s));
        return;
      }
      Exact squares;
      squares.add_product(x, x).add_product(y, y);
      bool const x_is_larger = std::abs(x) > std::abs(y);
      Z const sign = std::copysign(Z{1}, x_is_larger ? x : y);
      EXAKT_CHECK_BITS(a, Z(sign * squares.template round_sqrt<Z>().value));
      // |x| / root is nearest to the quotient: its neighbours' midpoints m have m^2 (x^2 + y^2) on either side of x^2.
      auto const check = [&](Z quotient, Z of) {
        EXAKT_CHECK(std::signbit(quotient) == std::signbit(sign * of));
        EXAKT_CHECK(is_nearest_quotient_by_root(std::abs(quotient), std::abs(of), x, y));
      };
      check(c, x);
      check(s, y);
      EXAKT_CHECK_BITS(b, x_is_larger ? s : c != 0 ? 1 / c : Z{1});
    });
  });
}

TEST_CASE("an increment of zero: one entry, again and again") {
  Random random(6);
  double const x[] = {1, 1e-30, 3}, alpha = 0.1;
  double y = 1e30;
  call_vectors(Interface(random), "daxpy", Size(3), Scalar{alpha}, x, Size(1), &y, Size(0));
  double expected = 1e30;
  for (double const entry : x) {
    Exact sum;
    sum.add(expected).add_product(alpha, entry);
    expected = sum.round<double>().value;
  }
  EXAKT_CHECK_BITS(y, expected);
  EXAKT_CHECK_BITS(call_vectors<double>(Interface(random), "dnrm2", Size(4), x + 2, Size(0)), 6.0);
  EXAKT_CHECK_BITS(call_vectors<double>(Interface(random), "ddot", Size(3), x + 2, Size(0), x, Size(1)),
                   exact_dot<double>({3, 3, 3}, {1, 1e-30, 3}).round<double>());
}

#if defined(__x86_64__)
TEST_CASE("a name that is not ours: the first call and the next one hand all arguments on") {
  // y := 2 A x + 3 y, A = (1 4; 4 9) packed: arguments in registers of both kinds and on the stack.
  for (int call = 0; call < 2; ++call) {
    double const packed[] = {1, 4, 9}, x[] = {1, -1, 10, -1};
    double y[] = {100, -1, -1, 200};
    invoke<void>("cblas_dspmv", 102, 121, 2, 2.0, static_cast<double const*>(packed), static_cast<double const*>(x), 2,
                 3.0, static_cast<double*>(y), 3);
    EXAKT_CHECK_BITS(y[0], 382.0);
    EXAKT_CHECK_BITS(y[3], 788.0);
    EXAKT_CHECK_BITS(y[1], -1.0);
  }
}
#endif

}  // namespace
