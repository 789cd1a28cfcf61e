// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_BlasAbi.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Traps.hpp"

#include <algorithm>
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
      __extension__ using Returned = std::conditional_t<sizeof(R) == 4, __complex__ float, __complex__ double>;
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

TEST_CASE("scal by a signaling NaN traps nothing") {
  Random random(17);
  for_complex_numbers([&](auto type) {
    using Z = decltype(type);
    using R = typename PartsOf<Z>::Real;
    Z const alpha(std::numeric_limits<R>::signaling_NaN(), 0);
    Z x(1, 2);
    {
      ScopedTraps const traps;
      call_vectors(Interface(random), name<Z>("scal"), Size(1), Scalar{alpha}, &x, Size(1));
    }
    CHECK((std::isnan(x.real()) && std::isnan(x.imag())));
  });
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

/// As C has it from zero, and Fortran from one; the latter is returned.
template <class Z>
std::size_t call_iamax(Interface const& interface, std::size_t n, Z const* x, Size const& step) {
  std::string const verb = "i" + name<Z>("amax");
  if (interface.is_of_c) return call_vectors<std::size_t>(interface, verb, Size(n), x, step) + 1;
  return interface.has_64_bits
             ? static_cast<std::size_t>(call_vectors<std::int64_t>(interface, verb, Size(n), x, step))
             : static_cast<std::size_t>(call_vectors<std::int32_t>(interface, verb, Size(n), x, step));
}

TEST_CASE("iamax finds the first entry of largest |x|, or |Re x| + |Im x| as it is rounded") {
  Random random(10);
  for_all_numbers([&](auto type) {
    using Z = decltype(type);
    using R = typename PartsOf<Z>::Real;
    for (int run = 0; run < 2000; ++run) {
      std::size_t const n = random.between<std::size_t>(1, 40), step = random.between<std::size_t>(1, 3);
      std::vector<Z> x(n * step, Z(R(1e30)));
      std::vector<R> magnitudes;
      // Few values: the largest is there more than once, and sums differ by less than is kept of them.
      auto const part = [&] { return R(random.between(-3, 3)) + (random.coin() ? 0 : std::ldexp(R{1}, -40)); };
      for (std::size_t i = 0; i < n; ++i) {
        R const real = part(), imaginary = part();
        if constexpr (PartsOf<Z>::is_complex) {
          x[i * step] = Z(real, imaginary);
          magnitudes.push_back(std::abs(real) + std::abs(imaginary));
        } else {
          x[i * step] = real;
          magnitudes.push_back(std::abs(real));
        }
      }
      auto const first = std::max_element(magnitudes.begin(), magnitudes.end()) - magnitudes.begin();
      CHECK(call_iamax(Interface(random), n, x.data(), Size(step)) == static_cast<std::size_t>(first) + 1);
      // A NaN is found where it comes first, and nowhere else.
      auto const nan = Z(std::numeric_limits<R>::quiet_NaN());
      std::size_t const place = random.between<std::size_t>(0, n - 1);
      magnitudes[place] = -1;
      auto const other = std::max_element(magnitudes.begin(), magnitudes.end()) - magnitudes.begin();
      x[place * step] = nan;
      CHECK(call_iamax(Interface(random), n, x.data(), Size(step)) ==
            (place == 0 ? 1 : static_cast<std::size_t>(other) + 1));
    }
    Z const x[] = {Z(1), Z(2)};
    for (Interface const interface : {Interface(random), Interface(random), Interface(random), Interface(random)}) {
      std::size_t const none = interface.is_of_c ? 1 : 0;
      CHECK(call_iamax(interface, 0, x, Size(1)) == none);
      CHECK(call_iamax(interface, 2, x, Size(0)) == none);
      CHECK(call_iamax(interface, 2, x, Size(-1)) == none);
    }
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

TEST_CASE("axpy into one entry, again and again, rounds each time") {
  Random random(17);
  for_all_numbers([&](auto type) {
    using Z = decltype(type);
    for (int run = 0; run < 20; ++run) {
      auto const x = any_table<Z>(random, Hardness::none, 5, 1);
      Z const alpha = any_number<Z>(random, Hardness::none);
      Z y = any_number<Z>(random, Hardness::none), by_steps = y;
      Interface const interface(random);
      INFO(interface.name_of(name<Z>("axpy")));
      call_vectors(interface, name<Z>("axpy"), Size(5), Scalar{alpha}, x.entries.data(), Size(1), &y, Size(0));
      for (Z const& entry : x.entries)
        call_vectors(interface, name<Z>("axpy"), Size(1), Scalar{alpha}, &entry, Size(1), &by_steps, Size(1));
      check_unchanged(y, by_steps);
    }
  });
}

TEST_CASE("fewer than no entries are none") {
  Random random(18);
  Size const n(-2), step(1);
  for_all_numbers([&](auto type) {
    using Z = decltype(type);
    using R = typename PartsOf<Z>::Real;
    for (int run = 0; run < 10; ++run) {
      Interface const interface(random);
      Z const alpha(3), five[] = {Z(5), Z(5)};
      Z x[] = {Z(5), Z(5)}, y[] = {Z(7), Z(7)};
      R const c = 2, s = 3;
      std::string const real = PartsOf<Z>::is_complex ? (sizeof(R) == 4 ? "sc" : "dz") : name<Z>(""),
                        by_real = PartsOf<Z>::is_complex ? (sizeof(R) == 4 ? "cs" : "zd") : name<Z>("");
      INFO(interface.name_of(name<Z>("...")));
      EXAKT_CHECK_BITS(call_vectors<R>(interface, real + "asum", n, five, step), R{0});
      EXAKT_CHECK_BITS(call_vectors<R>(interface, real + "nrm2", n, five, step), R{0});
      call_vectors(interface, name<Z>("axpy"), n, Scalar{alpha}, five, step, static_cast<Z*>(y), step);
      call_vectors(interface, by_real + "scal", n, Scalar{c}, static_cast<Z*>(x), step);
      call_vectors(interface, by_real + "rot", n, static_cast<Z*>(x), step, static_cast<Z*>(y), step, Scalar{c},
                   Scalar{s});
      if constexpr (PartsOf<Z>::is_complex) {
        call_vectors(interface, name<Z>("scal"), n, Scalar{alpha}, static_cast<Z*>(x), step);
        if (interface.is_of_c) {
          Z result(9);
          call_vectors(interface, name<Z>("dotc_sub"), n, five, step, five, step, &result);
          check_unchanged(result, Z(0));
        }
      } else {
        R const parameters[] = {-1, 2, 3, 4, 5};
        call_vectors(interface, name<Z>("rotm"), n, static_cast<Z*>(x), step, static_cast<Z*>(y), step,
                     static_cast<R const*>(parameters));
        EXAKT_CHECK_BITS(call_vectors<R>(interface, name<Z>("dot"), n, five, step, five, step), R{0});
      }
      for (int i = 0; i < 2; ++i) {
        check_unchanged(x[i], Z(5));
        check_unchanged(y[i], Z(7));
      }
    }
  });
  float const b = 3, x[] = {1, 2};
  CHECK(call_vectors<float>(Interface(random), "sdsdot", n, Scalar{b}, static_cast<float const*>(x), step,
                            static_cast<float const*>(x), step) == 3);
}

TEST_CASE("sums of a few numbers that are zero, infinite, or no numbers, leave exception flags as they are") {
  // Which call_vectors() looks at.
  Random random(16);
  for_real_numbers([&](auto type) {
    using T = decltype(type);
    T const infinity = std::numeric_limits<T>::infinity(), most = std::numeric_limits<T>::max();
    T const x[] = {most, most}, y[] = {most, 1}, z[] = {infinity, -infinity}, zeros[5] = {};
    for (int run = 0; run < 20; ++run) {
      Interface const interface(random);
      for (std::string const& verb : {"asum", "nrm2"})
        EXAKT_CHECK_BITS(call_vectors<T>(interface, name<T>(verb), Size(5), static_cast<T const*>(zeros), Size(1)),
                         T{0});
      EXAKT_CHECK_BITS(call_vectors<T>(interface, name<T>("dot"), Size(5), static_cast<T const*>(zeros), Size(1),
                                       static_cast<T const*>(zeros), Size(1)),
                       T{0});
      EXAKT_CHECK_BITS(call_vectors<T>(interface, name<T>("asum"), Size(2), static_cast<T const*>(x), Size(1)),
                       infinity);
      EXAKT_CHECK_BITS(call_vectors<T>(interface, name<T>("nrm2"), Size(2), static_cast<T const*>(x), Size(1)),
                       infinity);
      EXAKT_CHECK_BITS(call_vectors<T>(interface, name<T>("dot"), Size(2), static_cast<T const*>(x), Size(1),
                                       static_cast<T const*>(y), Size(1)),
                       infinity);
      CHECK(std::isnan(call_vectors<T>(interface, name<T>("dot"), Size(2), static_cast<T const*>(x), Size(1),
                                       static_cast<T const*>(z), Size(1))));
    }
  });
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
