// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>

#include "ExaktTest_ScaledExact.hpp"
#include "golden_results.hpp"

namespace ExaktTest::Golden {
namespace {

/// A number, or the parts of a complex one.
struct Entry {
  double real = 0, imaginary = 0;
};
Entry conjugate(Entry const& x) { return {x.real, -x.imaginary}; }

/// Entry i of numbers that are row by row in words.
Entry entry_of(Words const& words, Type const& type, std::size_t i, bool is_second = false) {
  Format const& format = is_second ? type.second : type.first;
  return {number(words[i * type.parts], format), type.parts == 2 ? number(words[i * type.parts + 1], format) : 0};
}

struct ComplexSum {
  Exact real, imaginary;

  void add_product(Type const& type, Entry const& a, Entry const& b) {
    real.add_product(a.real, b.real);
    if (type.parts == 1) return;
    real.subtract_product(a.imaginary, b.imaginary);
    imaginary.add_product(a.real, b.imaginary).add_product(a.imaginary, b.real);
  }
};

/// Factors times sums and numbers, rounded in the end. What a factor of zero multiplies is not read.
class Expression {
 public:
  explicit Expression(Type const& type) : m_type(type) {}

  void add(Entry const& factor, ComplexSum const& sum, bool is_conjugated = false) {
    if (factor.real == 0 && factor.imaginary == 0) return;
    m_real.add_scaled(factor.real, sum.real);
    if (m_type.parts == 1) return;
    int const sign = is_conjugated ? -1 : 1;
    m_real.add_scaled(-factor.imaginary, sum.imaginary);
    m_imaginary.add_scaled(sign * factor.imaginary, sum.real).add_scaled(sign * factor.real, sum.imaginary);
  }
  void add(Entry const& factor, Entry const& x) {
    if (factor.real == 0 && factor.imaginary == 0) return;
    m_real.add_product(factor.real, x.real);
    if (m_type.parts == 1) return;
    m_real.add_product(-factor.imaginary, x.imaginary);
    m_imaginary.add_product(factor.real, x.imaginary).add_product(factor.imaginary, x.real);
  }
  void append_to(Words& words) const {
    words.push_back(rounded(m_real, m_type.first));
    if (m_type.parts == 2) words.push_back(rounded(m_imaginary, m_type.first));
  }

 private:
  Type const& m_type;
  ScaledExact m_real{0, Exact()}, m_imaginary{0, Exact()};
};

/// alpha op(A) op(B) + beta C, where op(A) has entries; what the verb says in other words is said in these.
struct Problem {
  Type const& type;
  std::size_t m, n, k;
  std::function<std::optional<Entry>(std::size_t, std::size_t)> a;
  std::function<Entry(std::size_t, std::size_t)> b, c;
  Entry alpha, beta;

  ComplexSum sum(std::size_t i, std::size_t j) const {
    ComplexSum result;
    for (std::size_t l = 0; l < k; ++l)
      if (auto const entry = a(i, l)) result.add_product(type, *entry, b(l, j));
    return result;
  }
};

bool is_one_of(std::string const& verb, std::initializer_list<char const*> verbs) {
  for (char const* const other : verbs)
    if (verb == other) return true;
  return false;
}

Entry factor_of(Case const& c, std::size_t i, double otherwise) {
  return i < c.factors.size() ? entry_of(c.factors[i], type_named(c.type), 0) : Entry{otherwise};
}

Problem problem_of(Case const& c, Product const& p, std::size_t m, std::size_t n, std::size_t k) {
  Type const& type = type_named(c.type);
  auto const a = [&type, &p, k](std::size_t i, std::size_t l) { return entry_of(p.a, type, i * k + l); };
  Problem problem{type,
                  m,
                  n,
                  k,
                  a,
                  [&type, &p, n](std::size_t l, std::size_t j) { return entry_of(p.b, type, l * n + j, true); },
                  [&type, &p, n](std::size_t i, std::size_t j) { return entry_of(p.c, type, i * n + j); },
                  factor_of(c, 0, 1),
                  factor_of(c, 1, c.verb == "ger" ? 1 : 0)};

  bool const is_hermitian = is_one_of(c.verb, {"hemv", "hemm", "herk", "her2k"});
  std::size_t const band = is_one_of(c.verb, {"symv", "hemv", "trmv"}) ? c.sizes[1] : k;
  if (is_one_of(c.verb, {"symv", "hemv", "symm", "hemm"})) {
    problem.a = [=](std::size_t i, std::size_t l) -> std::optional<Entry> {
      if (i > l + band || l > i + band) return {};
      if (i == l && is_hermitian) return Entry{a(i, i).real, 0};
      if (i >= l) return a(i, l);
      return is_hermitian ? conjugate(a(l, i)) : a(l, i);
    };
  } else if (is_one_of(c.verb, {"trmv", "trmm"})) {
    problem.a = [=, has_ones = c.has_unit_diagonal](std::size_t i, std::size_t l) -> std::optional<Entry> {
      if (l > i || i > l + band) return {};
      return has_ones && i == l ? Entry{1, 0} : a(i, l);
    };
  } else if (c.verb == "gbmv") {
    problem.a = [=, below = c.sizes[2], above = c.sizes[3]](std::size_t i, std::size_t l) -> std::optional<Entry> {
      if (i > l + below || l > i + above) return {};
      return a(i, l);
    };
  } else if (c.verb == "spmv") {
    problem.a = [=, pattern = pattern_of(c.seed, m, k)](std::size_t i, std::size_t l) -> std::optional<Entry> {
      if (!pattern[i * k + l]) return {};
      return a(i, l);
    };
  } else if (c.verb == "syrk") {
    problem.b = [=](std::size_t l, std::size_t j) { return a(j, l); };
  } else if (c.verb == "herk") {
    problem.b = [=](std::size_t l, std::size_t j) { return conjugate(a(j, l)); };
  }
  return problem;
}

/// (x a + y b) / (a^2 + b^2), rounded once. Where all of it is finite and the divisor is not zero.
double quotient_by_norm(Exact const& x, double a, Exact const& y, double b) {
  // A quotient that is no tie differs from every tie in one of its first 8000 bits: twice the dividend minus a tie times
  // the divisor is a multiple of 2^-5000 below 2^3100, if it is not zero.
  mpfr_t dividend, other, norm;
  for (auto* const number : {&dividend, &other, &norm}) mpfr_init2(*number, 16000);
  bool exact = mpfr_mul_d(dividend, x.finite_part(), a, MPFR_RNDN) == 0;
  exact = mpfr_mul_d(other, y.finite_part(), b, MPFR_RNDN) == 0 && exact;
  exact = mpfr_add(dividend, dividend, other, MPFR_RNDN) == 0 && exact;
  mpfr_set_d(norm, a, MPFR_RNDN);
  exact = mpfr_sqr(norm, norm, MPFR_RNDN) == 0 && exact;
  mpfr_set_d(other, b, MPFR_RNDN);
  exact = mpfr_sqr(other, other, MPFR_RNDN) == 0 && exact;
  exact = mpfr_add(norm, norm, other, MPFR_RNDN) == 0 && exact;
  if (!exact) throw std::logic_error("an operation that must be exact rounded");
  double result = 0;
  if (mpfr_zero_p(dividend) == 0) {
    mpfr_div(dividend, dividend, norm, MPFR_RNDZ);
    result = mpfr_get_d(dividend, MPFR_RNDN);
  }
  for (auto* const number : {&dividend, &other, &norm}) mpfr_clear(*number);
  return result;
}

/// Real and imaginary part of a quotient. What is not finite only comes from divisors of zero here.
Entry quotient(Exact const& real, Exact const& imaginary, Entry const& divisor) {
  bool const is_zero = divisor.real == 0 && divisor.imaginary == 0;
  double const nan = std::numeric_limits<double>::quiet_NaN();
  if (is_zero || real.is_nan() || imaginary.is_nan()) return {nan, nan};
  if (!real.is_finite() || !imaginary.is_finite()) throw std::logic_error("a complex unknown is infinite");
  return {quotient_by_norm(real, divisor.real, imaginary, divisor.imaginary),
          quotient_by_norm(imaginary, divisor.real, real, -divisor.imaginary)};
}

}  // namespace

std::string result_of_matrix(Case const& c) {
  Type const& type = type_named(c.type);
  std::size_t m = c.sizes[0], n = m, k = m;  // syrk, syr2k and others: C is square
  if (is_one_of(c.verb, {"gemm", "spmv"})) {
    n = c.sizes[1];
    k = c.sizes[2];
  } else if (is_one_of(c.verb, {"gemv", "gbmv"})) {
    n = 1;
    k = c.sizes[1];
  } else if (is_one_of(c.verb, {"symv", "hemv", "trmv"})) {
    n = 1;
  } else if (is_one_of(c.verb, {"symm", "hemm", "trmm"})) {
    n = c.sizes[1];
  } else if (c.verb == "ger") {
    n = c.sizes[1];
    k = 1;
  } else {
    k = c.sizes[1];
  }
  auto const product = product_of(type.first, type.second, type.parts, c.family, c.seed, m, n, k);
  auto const problem = problem_of(c, product, m, n, k);
  bool const is_hermitian = is_one_of(c.verb, {"herk", "her2k"});
  bool const is_twofold = is_one_of(c.verb, {"syr2k", "her2k"});
  bool const is_triangle = is_hermitian || is_twofold || c.verb == "syrk";
  Words words;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < (is_triangle ? i + 1 : n); ++j) {
      Expression result(type);
      result.add(problem.alpha, problem.sum(i, j));
      if (is_twofold) result.add(problem.alpha, problem.sum(j, i), is_hermitian);
      Entry old = problem.c(i, j);
      if (is_hermitian && i == j) old.imaginary = 0;
      result.add(problem.beta, old);
      result.append_to(words);
    }
  return result_text(words, type.first);
}

/// x_i := (alpha b_i - sum of a_ij x_j) / a_ii.
template <class R>
std::string result_of_real_triangle(Case const& c) {
  Format const& format = format_of<R>;
  std::size_t const n = c.sizes[0], columns = c.verb == "trsm" ? c.sizes[1] : 1;
  double const alpha = c.factors.empty() ? 1 : number(c.factors[0][0], format);
  auto const [a, b] = triangle_of(format, 1, c.family, c.seed, n, columns, c.has_unit_diagonal);
  Words x = b;
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < n; ++i) {
      Exact exact;
      if (alpha != 0) exact.add_product(alpha, number(b[i * columns + j], format));
      for (std::size_t l = 0; l < i; ++l)
        exact.subtract_product(number(a[i * n + l], format), number(x[l * columns + j], format));
      double const divisor = c.has_unit_diagonal ? 1 : number(a[i * n + i], format);
      x[i * columns + j] = word_of(exact.round_quotient<R>(divisor).value);
    }
  return result_text(x, format);
}

std::string result_of_complex_triangle(Case const& c) {
  Type const& type = type_named(c.type);
  std::size_t const n = c.sizes[0], columns = c.verb == "ztrsm" ? c.sizes[1] : 1;
  Entry const alpha = factor_of(c, 0, 1);
  auto const [a, b] = triangle_of(f64, 2, c.family, c.seed, n, columns, c.has_unit_diagonal);
  Words x = b;
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < n; ++i) {
      ComplexSum sum;
      if (alpha.real != 0 || alpha.imaginary != 0) sum.add_product(type, alpha, entry_of(b, type, i * columns + j));
      for (std::size_t l = 0; l < i; ++l) {
        auto const [real, imaginary] = entry_of(x, type, l * columns + j);
        sum.add_product(type, entry_of(a, type, i * n + l), {-real, -imaginary});
      }
      Entry const divisor = c.has_unit_diagonal ? Entry{1, 0} : entry_of(a, type, i * n + i);
      auto const [real, imaginary] = quotient(sum.real, sum.imaginary, divisor);
      x[2 * (i * columns + j)] = word_of(real);
      x[2 * (i * columns + j) + 1] = word_of(imaginary);
    }
  return result_text(x, f64);
}

std::string result_of_triangle(Case const& c) {
  if (c.type == "c128") return result_of_complex_triangle(c);
  return c.type == "f64" ? result_of_real_triangle<double>(c) : result_of_real_triangle<float>(c);
}

}  // namespace ExaktTest::Golden
