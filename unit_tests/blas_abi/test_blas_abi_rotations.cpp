// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_BlasAbi.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"

#include <cmath>
#include <limits>

namespace {

using namespace ExaktTest;

/// f(random, hardness, n) often; sometimes with more pairs than are copied at once.
template <class F>
void for_random_vectors(std::uint64_t stream, F const& f) {
  Random random(stream);
  for (Hardness const hardness : every_hardness)
    for (std::uint64_t run = 0; run < 60 * case_factor(); ++run)
      f(random, hardness, run % 20 == 19 ? random.between<std::size_t>(250, 600) : random.between<std::size_t>(0, 30));
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

TEST_CASE("rotations with an increment of zero turn one entry again and again") {
  Random random(15);
  for_all_numbers([&](auto type) {
    using Z = decltype(type);
    using R = typename PartsOf<Z>::Real;
    std::string const letters = !PartsOf<Z>::is_complex ? std::string(1, letter_of<Z>()) : sizeof(R) == 4 ? "cs" : "zd";
    for (auto const& [incx, incy] : {std::pair{0, 1}, {1, 0}, {0, 0}, {0, -1}}) {
      INFO(letters << "rot, incx " << incx << ", incy " << incy);
      constexpr int n = 4;
      auto x = any_table<Z>(random, Hardness::none, n, 1), y = any_table<Z>(random, Hardness::none, n, 1);
      R const c = R(0.6), s = R(0.8);
      auto p = x, q = y;
      Interface const interface(random);
      call_vectors(interface, letters + "rot", Size(n), x.entries.data(), Size(incx), y.entries.data(), Size(incy),
                   Scalar{c}, Scalar{s});
      for (int i = 0; i < n; ++i)
        call_vectors(interface, letters + "rot", Size(1), &p.entries[static_cast<std::size_t>(i * incx)], Size(1),
                     &q.entries[static_cast<std::size_t>(incy < 0 ? n - 1 - i : i * incy)], Size(1), Scalar{c},
                     Scalar{s});
      for (std::size_t i = 0; i < n; ++i) {
        check_unchanged(x.entries[i], p.entries[i]);
        check_unchanged(y.entries[i], q.entries[i]);
      }
    }
  });
}

TEST_CASE("rotm reads its flag in the default environment: a subnormal one is not zero, and NaN traps nothing") {
  Random random(14);
  for_real_numbers([&](auto type) {
    using T = decltype(type);
    using Limits = std::numeric_limits<T>;
    T const tiny = Limits::denorm_min();
    for (T const flag : {T{-2}, T{-1}, -tiny, T{0}, tiny, T{1}, Limits::quiet_NaN(), Limits::signaling_NaN()}) {
      T const parameters[] = {flag, 2, 3, 5, 7};  // by columns
      struct Pair {
        T x = 11, y = 13;
      };
      auto const rotated = [&] {
        Pair pair;
        call_vectors(Interface(random), name<T>("rotm"), Size(1), &pair.x, Size(1), &pair.y, Size(1),
                     static_cast<T const*>(parameters));
        return pair;
      };
      bool const is_zero = flag == 0, is_positive = flag > 0;
      Pair const expected = flag == T{-2} ? Pair{11, 13}
                            : is_zero     ? Pair{11 + 5 * 13, 3 * 11 + 13}
                            : is_positive ? Pair{2 * 11 + 13, -11 + 7 * 13}
                                          : Pair{2 * 11 + 5 * 13, 3 * 11 + 7 * 13};
      for (FpSettings const& settings : every_fp_environment_of_hosts()) {
        INFO(settings.name << ", flag " << flag);
        Pair actual;
        {
          ScopedFpEnvironment const hostile(settings);
          actual = rotated();
        }
        EXAKT_CHECK_BITS(actual.x, expected.x);
        EXAKT_CHECK_BITS(actual.y, expected.y);
      }
    }
  });
}

/// A number that no operation rounds.
class Wide {
 public:
  explicit Wide(double x) {
    mpfr_init2(m_value, 40'000);
    must_be_exact(mpfr_set_d(m_value, x, MPFR_RNDN));
  }
  Wide(Wide const& other) : Wide(0.0) { must_be_exact(mpfr_set(m_value, other.m_value, MPFR_RNDN)); }
  Wide& operator=(Wide const&) = delete;
  ~Wide() { mpfr_clear(m_value); }

  friend Wide operator*(Wide const& a, Wide const& b) {
    Wide result(0);
    must_be_exact(mpfr_mul(result.m_value, a.m_value, b.m_value, MPFR_RNDN));
    return result;
  }
  friend Wide operator+(Wide const& a, Wide const& b) {
    Wide result(0);
    must_be_exact(mpfr_add(result.m_value, a.m_value, b.m_value, MPFR_RNDN));
    return result;
  }
  int sign() const { return mpfr_sgn(m_value); }

 private:
  static void must_be_exact(int ternary) {
    if (ternary != 0) throw std::logic_error("a number of the test is rounded");
  }
  mpfr_t m_value;
};

/// Whether q is the number of its type that is nearest to sqrt(x / y), x >= 0, y > 0.
template <class R>
bool is_nearest_root(R q, Wide const& x, Wide const& y) {
  // Between two neighbours; beyond the largest number as if there were another one.
  auto const order_at = [&](R below, R above) {
    Wide const low(static_cast<double>(below)), half(0.5);
    R const before = std::nextafter(below, R{0});
    Wide const middle = std::isinf(above) ? low + half * (low + Wide(-static_cast<double>(before)))
                                          : half * (low + Wide(static_cast<double>(above)));
    return (middle * middle * y + Wide(-1) * x).sign();
  };
  int const low = q == 0 ? -1 : order_at(std::nextafter(q, R{0}), q),
            high = std::isinf(q) ? 1 : order_at(q, std::nextafter(q, std::numeric_limits<R>::infinity()));
  if (low == 0 || high == 0) return (bits_of(q) & 1) == 0;  // a tie goes to the even one
  return low < 0 && high > 0;
}

Wide square(double x) { return Wide(x) * Wide(x); }

TEST_CASE("rotg finds root, cosine and sine of the exact root") {
  for_random_vectors(9, [](Random& random, Hardness hardness, std::size_t) {
    for_real_numbers([&](auto type) {
      using Z = decltype(type);
      Z x = any_number<Z>(random, hardness), y = any_number<Z>(random, hardness);
      if (random.between(0, 3) == 0) y = std::ldexp(x, random.between(-70, 70));
      if (!std::isfinite(x) || !std::isfinite(y)) return;  // those are in the table below
      Z a = x, b = y, c = -7, s = -7;
      INFO(name<Z>("rotg") << " of " << describe_bits(x) << " and " << describe_bits(y));
      call_vectors(Interface(random), name<Z>("rotg"), &a, &b, &c, &s);
      if (x == 0 || y == 0) {
        EXAKT_CHECK_BITS(a, y == 0 ? x : y);
        CHECK((c == (y == 0 ? 1 : 0) && s == 1 - c && b == s));
        return;
      }
      bool const x_is_larger = std::abs(x) > std::abs(y);
      Z const sign = std::copysign(Z{1}, x_is_larger ? x : y);
      Wide const squares = square(x) + square(y);
      auto const check = [&](Z quotient, Z of, Wide const& numerator, Wide const& denominator) {
        EXAKT_CHECK(std::signbit(quotient) == std::signbit(sign * of));
        EXAKT_CHECK(is_nearest_root(std::abs(quotient), numerator, denominator));
      };
      check(a, 1, squares, Wide(1));
      check(c, x, square(x), squares);
      check(s, y, square(y), squares);
      EXAKT_CHECK_BITS(b, x_is_larger ? s : c != 0 ? 1 / c : Z{1});
    });
  });
}

TEST_CASE("rotg of infinities and NaN: r is what hypot makes of them, c and s are quotients by it") {
  for_real_numbers([&](auto type) {
    using R = decltype(type);
    using Z = Kokkos::complex<R>;
    R const infinity = std::numeric_limits<R>::infinity(), nan = std::numeric_limits<R>::quiet_NaN();
    Random random(913);
    struct Row {
      R x, y, r, c, s, z;
    };
    for (Row const& row : {Row{infinity, 2, infinity, nan, 0, 0}, Row{-infinity, 2, -infinity, nan, R{-0.0}, R{-0.0}},
                           Row{3, -infinity, -infinity, R{-0.0}, nan, 1}, Row{-3, infinity, infinity, R{-0.0}, nan, 1},
                           Row{infinity, -infinity, -infinity, nan, nan, nan}, Row{nan, 2, nan, nan, nan, nan},
                           Row{nan, infinity, nan, nan, nan, nan}, Row{1, nan, nan, nan, nan, nan},
                           Row{0, -infinity, -infinity, 0, 1, 1}, Row{0, nan, nan, 0, 1, 1},
                           Row{infinity, 0, infinity, 1, 0, 0}, Row{nan, 0, nan, 1, 0, 0}}) {
      INFO(row.x << " and " << row.y);
      R a = row.x, b = row.y, c = -7, s = -7;
      call_vectors(Interface(random), name<R>("rotg"), &a, &b, &c, &s);
      EXAKT_CHECK_BITS(a, row.r);
      EXAKT_CHECK_BITS(c, row.c);
      EXAKT_CHECK_BITS(s, row.s);
      EXAKT_CHECK_BITS(b, row.z);
    }
    // Of complex numbers s and the imaginary part of r are NaN then.
    struct ComplexRow {
      Z x, y;
      R r, c;
    };
    for (ComplexRow const& row :
         {ComplexRow{Z(infinity, 1), Z(2, 3), infinity, nan}, ComplexRow{Z(1, 1), Z(2, -infinity), infinity, 0},
          ComplexRow{Z(0, 0), Z(infinity, 0), infinity, 0}, ComplexRow{Z(1, nan), Z(2, 3), nan, nan},
          ComplexRow{Z(nan, infinity), Z(2, 3), infinity, nan}, ComplexRow{Z(1, 0), Z(nan, 0), nan, nan}}) {
      INFO(row.x << " and " << row.y);
      Z a = row.x, b = row.y, s(-7, -7);
      R c = -7;
      call_vectors(Interface(random), name<Z>("rotg"), &a, &b, &c, &s);
      EXAKT_CHECK_BITS(a.real(), row.r);
      EXAKT_CHECK_BITS(c, row.c);
      for (R const part : {a.imag(), s.real(), s.imag()}) EXAKT_CHECK_BITS(part, nan);
    }
    Z a(infinity, nan), b(0, 0), s(-7, -7);
    R c = -7;
    call_vectors(Interface(random), name<Z>("rotg"), &a, &b, &c, &s);
    CHECK((c == 1 && s == Z(0, 0) && std::isinf(a.real()) && std::isnan(a.imag())));
  });
}

TEST_CASE("rotg of complex numbers: each part of r, c and s is that of the exact ones, rounded once") {
  for_random_vectors(11, [](Random& random, Hardness hardness, std::size_t) {
    for_complex_numbers([&](auto type) {
      using Z = decltype(type);
      using R = typename PartsOf<Z>::Real;
      auto const any_part = [&] { return random.between(0, 7) == 0 ? R{0} : any_number<R>(random, hardness); };
      R const real = any_part(), imaginary = any_part();
      Z x(real, imaginary), y(any_part(), real);
      if (random.between(0, 3) == 0) y = Z(-imaginary, std::ldexp(real, random.between(-70, 70)));
      if (random.between(0, 9) == 0) (random.coin() ? x : y) = Z(0);
      double const xr = x.real(), xi = x.imag(), yr = y.real(), yi = y.imag();
      for (double const part : {xr, xi, yr, yi})
        if (!std::isfinite(part)) return;  // those are in the table below
      Z a = x, b = y, s(-7, -7);
      R c = -7;
      INFO(name<Z>("rotg") << " of " << xr << " + " << xi << "i and " << yr << " + " << yi << 'i');
      call_vectors(Interface(random), name<Z>("rotg"), &a, &b, &c, &s);
      Wide const of_x = square(xr) + square(xi), of_y = square(yr) + square(yi), all = of_x + of_y;
      auto const check = [&](R part, Wide const& sign, Wide const& numerator, Wide const& denominator) {
        EXAKT_CHECK((part < 0 ? -1 : part > 0) * sign.sign() >= 0);
        EXAKT_CHECK(is_nearest_root(std::abs(part), numerator, denominator));
      };
      EXAKT_CHECK((b.real() == y.real() && b.imag() == y.imag()));
      if (of_y.sign() == 0) {
        CHECK((c == 1 && s.real() == 0 && s.imag() == 0 && a.real() == x.real() && a.imag() == x.imag()));
      } else if (of_x.sign() == 0) {
        CHECK((c == 0 && a.imag() == 0));
        check(a.real(), Wide(1), of_y, Wide(1));
        check(s.real(), Wide(yr), square(yr), of_y);
        check(s.imag(), Wide(-yi), square(yi), of_y);
      } else {
        check(c, Wide(1), of_x, all);
        check(a.real(), Wide(xr), square(xr) * all, of_x);
        check(a.imag(), Wide(xi), square(xi) * all, of_x);
        Wide const real_product = Wide(xr) * Wide(yr) + Wide(xi) * Wide(yi),
                   imaginary_product = Wide(xi) * Wide(yr) + Wide(-xr) * Wide(yi);
        check(s.real(), real_product, real_product * real_product, of_x * all);
        check(s.imag(), imaginary_product, imaginary_product * imaginary_product, of_x * all);
      }
    });
  });
}

/// The rows of H, which the flag and four parameters say.
template <class T>
struct ModifiedRotation {
  T d1, d2, x, y, parameters[5] = {-7, -7, -7, -7, -7};

  void make(Random& random) {
    call_vectors(Interface(random), name<T>("rotmg"), &d1, &d2, &x, Scalar{y}, static_cast<T*>(parameters));
  }
  bool has_full_matrix() const { return parameters[0] == -1; }
  T h11() const { return parameters[0] == 0 ? 1 : parameters[1]; }
  T h21() const { return parameters[0] == 1 ? -1 : parameters[2]; }
  T h12() const { return parameters[0] == 1 ? 1 : parameters[3]; }
  T h22() const { return parameters[0] == 0 ? 1 : parameters[4]; }
};

TEST_CASE(
    "rotmg: where no step is rounded but d / u, H (x, y) = (x', 0), and d times the squares of its factors stays") {
  Random random(12);
  for_real_numbers([&](auto type) {
    using T = decltype(type);
    int scaled = 0, flags[3] = {};
    for (int run = 0; run < 4000; ++run) {
      auto const power = [&](int most) { return std::ldexp(T{1}, random.between(-most, most)); };
      auto const sign = [&] { return random.coin() ? T{1} : T{-1}; };
      T const d1 = power(40), d2 = sign() * d1 * power(12), x = sign() * power(2), y = sign() * power(2);
      ModifiedRotation<T> rotation{d1, d2, x, y};
      T const ratio = d2 * y * y / (d1 * x * x), u = 1 + (std::abs(ratio) < 1 ? ratio : 1 / ratio);
      INFO("d1 = " << d1 << ", d2 = " << d2 << ", x = " << x << ", y = " << y);
      rotation.make(random);
      if (ratio <= -1) {
        CHECK((rotation.d1 == 0 && rotation.d2 == 0 && rotation.x == 0 && rotation.has_full_matrix()));
        CHECK((rotation.h11() == 0 && rotation.h12() == 0 && rotation.h21() == 0 && rotation.h22() == 0));
        continue;
      }
      ++flags[static_cast<int>(rotation.parameters[0]) + 1];
      bool const exchanged = std::abs(ratio) >= 1;
      CHECK(rotation.h11() * x + rotation.h12() * y == rotation.x);
      CHECK(rotation.h21() * x + rotation.h22() * y == 0);
      T const first = rotation.x / ((exchanged ? y : x) * u), second = exchanged ? rotation.h21() / -1 : rotation.h22();
      CHECK(rotation.d1 * first * first == (exchanged ? d2 : d1) / u);
      CHECK(rotation.d2 * second * second == (exchanged ? d1 : d2) / u);
      T const largest = sizeof(T) == 4 ? T(1.67772e7) : T(0x1p24),
              smallest = sizeof(T) == 4 ? T(5.96046e-8) : T(5.9604645e-8);
      for (T const d : {rotation.d1, rotation.d2}) CHECK((std::abs(d) > smallest && std::abs(d) < largest));
      scaled += first != 1 || second != 1;
      CHECK((first != 1 || second != 1) == rotation.has_full_matrix());
    }
    CHECK((flags[0] > 10 && flags[1] > 100 && flags[2] > 100 && scaled > 10));
  });
}

TEST_CASE("rotmg: what is rounded is so step by step, and what is not finite comes to an end") {
  Random random(13);
  ModifiedRotation<double> rotation{1.5, 1.2, 1.7, 1.8};
  rotation.make(random);
  // By Python, a step at a time; with a fused 1 - h12 h21, or h12 rounded once, others come out.
  CHECK(rotation.parameters[0] == 0);
  EXAKT_CHECK_BITS(rotation.d1, 0x1.94dfc73702b56p-1);
  EXAKT_CHECK_BITS(rotation.d2, 0x1.43e638f8cef78p-1);
  EXAKT_CHECK_BITS(rotation.x, 0x1.9cc3298ff65ccp+1);
  EXAKT_CHECK_BITS(rotation.h21(), -0x1.0f0f0f0f0f0f1p+0);
  EXAKT_CHECK_BITS(rotation.h12(), 0x1.b1b1b1b1b1b1cp-1);
  // At the bounds: drotmg's are those of srotmg with more digits.
  ModifiedRotation<double> at_lower{0x1p-24, 0x1p-24, 1, 0x1p-30};
  at_lower.make(random);
  CHECK((at_lower.has_full_matrix() && at_lower.d1 == 1 && at_lower.d2 == 1 && at_lower.x == 0x1p-12));
  CHECK((at_lower.h11() == 0x1p-12 && at_lower.h21() == -0x1p-42 && at_lower.h12() == 0x1p-42 &&
         at_lower.h22() == 0x1p-12));
  ModifiedRotation<double> below_upper{16777210, 16777210, 1, 0x1p-30};
  below_upper.make(random);
  CHECK((!below_upper.has_full_matrix() && below_upper.d1 == 16777210));
  // d1 x^2 is larger than -d2 y^2, and 1 - h12 h21 is rounded to zero.
  ModifiedRotation<double> vanishing{0x1.3589205c8c483p+0, -0x1.d26f9ab668cb4p-1, 0x1.9407445c2ae27p+0,
                                     0x1.d176d0429aef2p+0};
  vanishing.make(random);
  CHECK((vanishing.has_full_matrix() && vanishing.d1 == 0 && vanishing.d2 == 0 && vanishing.x == 0));
  for (int i = 1; i < 5; ++i) CHECK(vanishing.parameters[i] == 0);
  for (double const d1 : {-1.0, 0.0, 1.0, HUGE_VAL, std::nan("")}) {
    for (double const d2 : {0.0, 1.0, HUGE_VAL, std::nan("")}) {
      for (double const x : {0.0, 1.0, HUGE_VAL, std::nan("")}) {
        ModifiedRotation<double> any{d1, d2, x, 2};
        any.make(random);
        CHECK((any.parameters[0] >= -2 && any.parameters[0] <= 1));
        CHECK((any.parameters[0] == -2) == (d2 == 0 && !(d1 < 0)));
        CHECK((any.parameters[0] != -2 || any.parameters[1] == -7));
      }
    }
  }
}

}  // namespace
