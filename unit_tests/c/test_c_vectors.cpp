// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_C.hpp"
#include "ExaktTest_Cases.hpp"
#include "ExaktTest_FpEnvironment.hpp"

#include <complex>

namespace {

using namespace ExaktTest;

/// The functions of one type.
template <class T>
struct Functions {
  template <class... A>
  static exakt_status nearest(char verb, A... a) {
    if constexpr (std::is_same_v<T, double>) {
      return verb == 's'   ? exakt_dsum(a...)
             : verb == '1' ? exakt_dnrm1(a...)
             : verb == '2' ? exakt_dnrm2(a...)
             : verb == 'q' ? exakt_dnrm2_squared(a...)
                           : exakt_dmean(a...);
    } else {
      return verb == 's'   ? exakt_ssum(a...)
             : verb == '1' ? exakt_snrm1(a...)
             : verb == '2' ? exakt_snrm2(a...)
             : verb == 'q' ? exakt_snrm2_squared(a...)
                           : exakt_smean(a...);
    }
  }
  template <class... A>
  static exakt_status rounded(char verb, A... a) {
    if constexpr (std::is_same_v<T, double>) {
      return verb == 's'   ? exakt_dsum_rounded(a...)
             : verb == '1' ? exakt_dnrm1_rounded(a...)
             : verb == '2' ? exakt_dnrm2_rounded(a...)
             : verb == 'q' ? exakt_dnrm2_squared_rounded(a...)
                           : exakt_dmean_rounded(a...);
    } else {
      return verb == 's'   ? exakt_ssum_rounded(a...)
             : verb == '1' ? exakt_snrm1_rounded(a...)
             : verb == '2' ? exakt_snrm2_rounded(a...)
             : verb == 'q' ? exakt_snrm2_squared_rounded(a...)
                           : exakt_smean_rounded(a...);
    }
  }
  template <class... A>
  static exakt_status dot(A... a) {
    if constexpr (std::is_same_v<T, double>)
      return exakt_ddot(a...);
    else
      return exakt_sdot(a...);
  }
  template <class... A>
  static exakt_status dot_rounded(A... a) {
    if constexpr (std::is_same_v<T, double>)
      return exakt_ddot_rounded(a...);
    else
      return exakt_sdot_rounded(a...);
  }
};

template <class T>
Expected<T> expected(char verb, std::vector<T> const& x, Rounding mode) {
  Exact exact;
  for (T const entry : x) {
    if (verb == '2' || verb == 'q')
      exact.add_product(entry, entry);
    else
      exact.add(verb == '1' ? std::abs(entry) : entry);
  }
  if (verb == '2') return exact.round_sqrt<T>(mode);
  if (verb == 'm') return exact.round_quotient<T>(static_cast<std::uint64_t>(x.size()), mode);
  return exact.round<T>(mode);
}

template <class T>
void check_reductions(std::vector<T> const& x) {
  for (char const verb : {'s', '1', '2', 'q', 'm'}) {
    INFO("verb " << verb << ", n = " << x.size());
    Expected<T> wanted[4];
    for (Rounding const mode : every_rounding) wanted[static_cast<int>(mode)] = expected(verb, x, mode);
    for (std::ptrdiff_t const increment : every_increment) {
      Incremented<T> entries(x, increment);
      T result = 1;
      REQUIRE(Functions<T>::nearest(verb, length(x), entries.data(), increment, &result) == EXAKT_SUCCESS);
      EXAKT_CHECK_BITS(result, wanted[0]);
      for (int mode = 0; mode < 4; ++mode) {
        REQUIRE(Functions<T>::rounded(verb, length(x), entries.data(), increment, static_cast<exakt_rounding>(mode),
                                      &result) == EXAKT_SUCCESS);
        EXAKT_CHECK_BITS(result, wanted[mode]);
      }
    }
  }
}

template <class T>
void check_dots(ProductTerms<T> const& terms) {
  Exact const exact = exact_dot(terms.x, terms.y);
  for (std::ptrdiff_t const incx : every_increment) {
    for (std::ptrdiff_t const incy : every_increment) {
      Incremented<T> x(terms.x, incx), y(terms.y, incy);
      T result = 1;
      REQUIRE(Functions<T>::dot(length(terms.x), x.data(), incx, y.data(), incy, &result) == EXAKT_SUCCESS);
      EXAKT_CHECK_BITS(result, exact.round<T>());
      for (Rounding const mode : every_rounding) {
        REQUIRE(Functions<T>::dot_rounded(length(terms.x), x.data(), incx, y.data(), incy,
                                          static_cast<exakt_rounding>(mode), &result) == EXAKT_SUCCESS);
        EXAKT_CHECK_BITS(result, exact.round<T>(mode));
      }
    }
  }
}

template <class T>
using Numbers = std::vector<std::complex<T>>;

/// The function for numbers of parts of this type.
template <class T, class Double, class Float>
auto of_type(Double of_doubles, Float of_floats) {
  if constexpr (std::is_same_v<T, double>)
    return of_doubles;
  else
    return of_floats;
}

/// call(function for results to nearest), call(function with a rounding, rounding), with every rounding.
template <class T, class Call, class Wanted>
void check_parts(int parts, Call const& call, Wanted const& wanted) {
  for (int mode = -1; mode < 4; ++mode) {
    T result[2] = {1, 1};
    REQUIRE(call(mode, result) == EXAKT_SUCCESS);
    for (int part = 0; part < parts; ++part)
      EXAKT_CHECK_BITS(result[part], wanted(part, static_cast<Rounding>(mode < 0 ? 0 : mode)));
    if (parts == 1) CHECK(result[1] == 1);
  }
}

/// A reduction and its form with a rounding; wanted(part, rounding).
template <class T, class Nearest, class Rounded, class Wanted>
void check_complex(int parts, Numbers<T> const& x, Nearest nearest, Rounded rounded, Wanted const& wanted) {
  for (std::ptrdiff_t const increment : every_increment) {
    Incremented<std::complex<T>> entries(x, increment);
    auto const call = [&](int mode, T* result) {
      return mode < 0 ? nearest(length(x), entries.data(), increment, result)
                      : rounded(length(x), entries.data(), increment, mode, result);
    };
    check_parts<T>(parts, call, wanted);
  }
}

template <class T>
void check_complex_reductions(Numbers<T> const& x) {
  Exact sums[2], magnitudes, squares;
  for (std::complex<T> const& z : x) {
    sums[0].add(z.real());
    sums[1].add(z.imag());
    for (T const part : {z.real(), z.imag()}) {
      magnitudes.add(std::abs(part));
      squares.add_product(part, part);
    }
  }
  check_complex<T>(2, x, of_type<T>(exakt_zsum, exakt_csum), of_type<T>(exakt_zsum_rounded, exakt_csum_rounded),
                   [&](int part, Rounding mode) { return sums[part].round<T>(mode); });
  check_complex<T>(2, x, of_type<T>(exakt_zmean, exakt_cmean), of_type<T>(exakt_zmean_rounded, exakt_cmean_rounded),
                   [&](int part, Rounding mode) {
                     return sums[part].round_quotient<T>(static_cast<std::uint64_t>(x.size()), mode);
                   });
  check_complex<T>(1, x, of_type<T>(exakt_znrm1, exakt_cnrm1), of_type<T>(exakt_znrm1_rounded, exakt_cnrm1_rounded),
                   [&](int, Rounding mode) { return magnitudes.round<T>(mode); });
  check_complex<T>(1, x, of_type<T>(exakt_znrm2, exakt_cnrm2), of_type<T>(exakt_znrm2_rounded, exakt_cnrm2_rounded),
                   [&](int, Rounding mode) { return squares.round_sqrt<T>(mode); });
  check_complex<T>(1, x, of_type<T>(exakt_znrm2_squared, exakt_cnrm2_squared),
                   of_type<T>(exakt_znrm2_squared_rounded, exakt_cnrm2_squared_rounded),
                   [&](int, Rounding mode) { return squares.round<T>(mode); });
}

template <class T>
void check_complex_dots(Numbers<T> const& x, Numbers<T> const& y) {
  for (bool const conjugated : {false, true}) {
    INFO("conjugated " << conjugated);
    Exact sums[2];
    for (std::size_t i = 0; i < x.size(); ++i) {
      T const re = x[i].real(), im = conjugated ? -x[i].imag() : x[i].imag();
      sums[0].add_product(re, y[i].real()).subtract_product(im, y[i].imag());
      sums[1].add_product(re, y[i].imag()).add_product(im, y[i].real());
    }
    auto const nearest = conjugated ? of_type<T>(exakt_zdotc, exakt_cdotc) : of_type<T>(exakt_zdotu, exakt_cdotu);
    auto const rounded = conjugated ? of_type<T>(exakt_zdotc_rounded, exakt_cdotc_rounded)
                                    : of_type<T>(exakt_zdotu_rounded, exakt_cdotu_rounded);
    for (std::ptrdiff_t const incx : every_increment) {
      for (std::ptrdiff_t const incy : every_increment) {
        Incremented<std::complex<T>> left(x, incx), right(y, incy);
        auto const call = [&](int mode, T* result) {
          return mode < 0 ? nearest(length(x), left.data(), incx, right.data(), incy, result)
                          : rounded(length(x), left.data(), incx, right.data(), incy, mode, result);
        };
        check_parts<T>(2, call, [&](int part, Rounding mode) { return sums[part].round<T>(mode); });
      }
    }
  }
}

/// Complex numbers of these parts.
template <class T>
Numbers<T> numbers_of(std::vector<T> const& re, std::vector<T> const& im) {
  Numbers<T> result;
  for (std::size_t i = 0; i < re.size(); ++i) result.emplace_back(re[i], im[re.size() - 1 - i]);
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("sums, norms and means of C are rounded once, in every mode and with every increment", "", double,
                   float) {
  Random random(1900);
  for (auto const& family : short_families<TestType>()) {
    INFO(family.name);
    check_reductions(family.make(random));
  }
  for (auto const& family : long_families<TestType>()) {
    INFO(family.name);
    check_reductions(family.make(random));
  }
  check_reductions(std::vector<TestType>());
}

TEMPLATE_TEST_CASE("dots of C are rounded once, in every mode and with every pair of increments", "", double, float) {
  Random random(1901);
  for (auto const& family : short_product_families<TestType>()) {
    INFO(family.name);
    check_dots(family.make(random));
  }
  for (auto const& family : long_product_families<TestType>()) {
    INFO(family.name);
    check_dots(family.make(random));
  }
  check_dots(ProductTerms<TestType>());
}

TEMPLATE_TEST_CASE("complex sums, norms, means and dots of C: each part is rounded once", "", double, float) {
  Random random(1903);
  auto const check = [&](auto const& families, std::size_t at_most) {
    for (auto const& family : families) {
      INFO(family.name);
      auto terms = family.make(random);
      terms.x.resize(std::min(terms.x.size(), at_most));
      terms.y.resize(terms.x.size());
      auto const x = numbers_of(terms.x, terms.y), y = numbers_of(terms.y, terms.x);
      check_complex_reductions(x);
      check_complex_dots(x, y);
    }
  };
  check(short_product_families<TestType>(), 1000);
  check(long_product_families<TestType>(), 3000);
  check_complex_reductions(Numbers<TestType>());
  check_complex_dots(Numbers<TestType>(), Numbers<TestType>());
}

TEST_CASE("an increment of zero repeats the entry") {
  double const x = 0.1;
  double result = 0;
  CHECK(exakt_dsum(10, &x, 0, &result) == EXAKT_SUCCESS);
  EXAKT_CHECK_BITS(result, Exact().add_all(std::vector<double>(10, 0.1)).round<double>());
}

TEST_CASE("sums and dots of C in every floating-point environment, which stays as it is") {
  Random random(1902);
  for (FpSettings const& settings : every_fp_environment_of_hosts()) {
    INFO(settings.name);
    for (auto const& family : short_product_families<double>()) {
      auto const terms = family.make(random);
      double sum = 0, dot = 0, mean = 0;
      auto const expected_sum = exact_sum(terms.x).round<double>();
      auto const expected_dot = exact_dot(terms.x, terms.y).round<double>();
      auto const expected_mean = expected('m', terms.x, Rounding::to_nearest);
      unsigned long before = 0, after = 0;
      bool done = false;
      {
        ScopedFpEnvironment const hostile(settings);
        before = fp_control_word();
        done = exakt_dsum(length(terms.x), terms.x.data(), 1, &sum) == EXAKT_SUCCESS &&
               exakt_ddot(length(terms.x), terms.x.data(), 1, terms.y.data(), 1, &dot) == EXAKT_SUCCESS &&
               exakt_dmean(length(terms.x), terms.x.data(), 1, &mean) == EXAKT_SUCCESS;
        after = fp_control_word();
      }
      EXAKT_CHECK(done && before == after);
      EXAKT_CHECK_BITS(sum, expected_sum);
      EXAKT_CHECK_BITS(dot, expected_dot);
      EXAKT_CHECK_BITS(mean, expected_mean);
    }
  }
}

TEST_CASE("vectors that are none are refused in a sentence, and nothing is written") {
  double const x[] = {1, 2};
  double result = 7;
  check_refused(exakt_dsum(-1, x, 1, &result), "exakt_dsum: n is -1; it must not be negative");
  check_refused(exakt_dsum(2, nullptr, 1, &result), "exakt_dsum: x is NULL");
  check_refused(exakt_dsum(2, x, 1, nullptr), "exakt_dsum: result is NULL");
  check_refused(exakt_ddot(2, x, 1, nullptr, 1, &result), "exakt_ddot: y is NULL");
  check_refused(exakt_dmean_rounded(2, x, 1, static_cast<exakt_rounding>(4), &result),
                "exakt_dmean_rounded: the rounding mode is 4; it must be EXAKT_TO_NEAREST, EXAKT_TOWARD_ZERO, "
                "EXAKT_UPWARD or EXAKT_DOWNWARD");
  check_refused(exakt_zsum(-1, x, 1, &result), "exakt_zsum: n is -1; it must not be negative");
  check_refused(exakt_znrm2(1, nullptr, 1, &result), "exakt_znrm2: x is NULL");
  check_refused(exakt_zdotc(1, x, 1, x, 1, nullptr), "exakt_zdotc: result is NULL");
  check_refused(exakt_zdotu_rounded(1, x, 1, nullptr, 1, 0, &result), "exakt_zdotu_rounded: y is NULL");
  check_refused(exakt_cmean_rounded(1, x, 1, 4, &result),
                "exakt_cmean_rounded: the rounding mode is 4; it must be EXAKT_TO_NEAREST, EXAKT_TOWARD_ZERO, "
                "EXAKT_UPWARD or EXAKT_DOWNWARD");
  CHECK(result == 7);
  CHECK(exakt_dsum(0, nullptr, 1, &result) == EXAKT_SUCCESS);
  EXAKT_CHECK_BITS(result, 0.0);
}
