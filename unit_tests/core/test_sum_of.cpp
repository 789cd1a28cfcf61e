// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_sum_of.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HalfFormats.hpp"
#include "ExaktTest_Oracle.hpp"

namespace {

using namespace ExaktTest;
using Exakt::product_sum_of;
using Exakt::sum_of;

template <class T>
void check_sum(std::vector<T> const& terms, Expected<T> expected) {
  T const* const x = terms.data();
  EXAKT_CHECK_BITS(sum_of(static_cast<int>(terms.size()), [=](int k) { return x[k]; }), expected);
}
template <class T>
void check_products(ProductTerms<T> const& terms, Expected<T> expected) {
  T const *const x = terms.x.data(), *const y = terms.y.data();
  EXAKT_CHECK_BITS(product_sum_of(terms.size(), [=](std::size_t k) { return Kokkos::pair<T, T>(x[k], y[k]); }),
                   expected);
}

}  // namespace

TEMPLATE_TEST_CASE("sum_of is the exact sum, rounded once, for every family in every order", "", double, float) {
  using T = TestType;
  Random random(460);
  for (auto const& family : short_families<T>())
    for (std::uint64_t i = 0; i < 20 * case_factor(); ++i) {
      INFO(family.name);
      auto const terms = family.make(random);
      auto const expected = exact_sum(terms).template round<T>();
      for (Order const order : every_order) check_sum(reordered(terms, order, random), expected);
    }
  for (auto const& family : long_families<T>())
    for (std::uint64_t i = 0; i < 10 * case_factor(); ++i) {
      INFO(family.name);
      auto const terms = family.make(random);
      check_sum(terms, exact_sum(terms).template round<T>());
    }
}

TEMPLATE_TEST_CASE("product_sum_of is the exact sum of products, rounded once, for every family in every order", "",
                   double, float) {
  using T = TestType;
  Random random(461);
  for (auto const& family : short_product_families<T>())
    for (std::uint64_t i = 0; i < 20 * case_factor(); ++i) {
      INFO(family.name);
      auto const terms = family.make(random);
      auto const expected = exact_dot(terms.x, terms.y).template round<T>();
      for (Order const order : every_order) check_products(reordered(terms, order, random), expected);
    }
  for (auto const& family : long_product_families<T>())
    for (std::uint64_t i = 0; i < 10 * case_factor(); ++i) {
      INFO(family.name);
      auto const terms = family.make(random);
      check_products(terms, exact_dot(terms.x, terms.y).template round<T>());
    }
}

TEST_CASE("product_sum_of of half precision and another type is rounded once, to the wider one") {
  HalfFormats::for_each_mixed_pair([]<class X, class Y, class R>(X, Y, R) {
    for (int const n : {1, 20, 3000}) {
      HalfFormats::MixedFactors<X, Y> const factors(n);
      auto const sum = product_sum_of(n, [&](int k) {
        auto const i = static_cast<std::size_t>(k);
        return Kokkos::pair<X, Y>(factors.x[i], factors.y[i]);
      });
      CHECK(std::is_same_v<decltype(sum), R const>);
      EXAKT_CHECK_BITS(sum, exact_dot(factors.wide_x, factors.wide_y).template round<R>());
    }
  });
}

TEST_CASE("sums of every length, with indices of every type") {
  for (int n = -1; n < 130; ++n) {
    double const expected = n > 0 ? 0.5 * n * n : 0;
    EXAKT_CHECK_BITS(sum_of(n, [](int k) { return k + 0.5; }), expected);
    EXAKT_CHECK_BITS(sum_of(static_cast<unsigned char>(n < 0 ? 0 : n), [](unsigned char k) { return k + 0.5; }),
                     expected);
    EXAKT_CHECK_BITS(product_sum_of(static_cast<signed char>(n < 128 ? n : 127),
                                    [](signed char k) { return std::pair(2 * k + 1.0f, 0.5); }),
                     n < 128 ? expected : 0.5 * 127 * 127);
  }
  for (unsigned const n : {1023u, 1024u, 1025u, 5000u})
    EXAKT_CHECK_BITS(sum_of(n, [](unsigned k) { return k + 0.5; }), 0.5 * n * n);
  EXAKT_CHECK_BITS(sum_of(0, [](int) { return -1.0; }), 0.0);
  EXAKT_CHECK_BITS(sum_of(3, [](int) { return -0.0; }), 0.0);
  EXAKT_CHECK_BITS(sum_of(1, [](int) { return std::numeric_limits<float>::quiet_NaN(); }),
                   std::numeric_limits<float>::quiet_NaN());
}

TEST_CASE("terms that are larger than the first one, by less than makes heads leave their binades") {
  Random random(464);
  for (int i = 0; i < 3000; ++i) {
    std::vector<double> terms{random.value<double>(0)}, ones{1};
    for (int k = 0; k < 26; ++k) {
      terms.push_back(std::abs(random.value<double>(random.between(7, 22))));
      ones.push_back(1 + random.between(0, 1) * 0x1p-52);
    }
    check_sum(terms, exact_sum(terms).round<double>());
    check_products(ProductTerms<double>{terms, ones}, exact_dot(terms, ones).round<double>());
  }
}

TEST_CASE("few products of every number, with one that is too large for the head, and gone again, in either lane") {
  Random random(465);
  for (int n = 1; n <= 70; ++n) {
    for (int i = 0; i < 40; ++i) {
      ProductTerms<double> terms;
      for (int k = 0; k < n; ++k) {
        terms.x.push_back(random.value<double>(random.between(-3, 3)));
        terms.y.push_back(random.value<double>(random.between(-3, 3)));
      }
      check_products(terms, exact_dot(terms.x, terms.y).round<double>());
      int const large = random.between(0, n - 1), gone = random.between(0, n - 1);
      terms.x[large] = terms.x[0] * std::ldexp(1.0, random.between(0, 70));
      terms.y[large] = terms.y[0];
      terms.x[gone] = -terms.x[large];
      terms.y[gone] = terms.y[large] * (1 + random.between(0, 1) * 0x1p-52);
      check_products(terms, exact_dot(terms.x, terms.y).round<double>());
    }
  }
}

TEST_CASE("few products, of which the first or another one is zero, tiny, huge or no number") {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  double const values[] = {0.0,  -0.0,     0x1p-1074, -0x1.8p-1074, 0x1p-1022, 0x1.8p-540, -0x1p-500, 1.0,
                           -1.5, 0x1p+500, 0x1p+511,  -0x1.fp+1000, 0x1p+1023, inf,        -inf,      nan};
  for (double const a : values)
    for (double const b : values)
      for (double const c : values)
        for (int const n : {1, 2, 3, 8, 27}) {
          ProductTerms<double> terms{std::vector<double>(n, c), std::vector<double>(n, 0.75)};
          terms.x[0] = a;
          terms.y[0] = b;
          check_products(terms, exact_dot(terms.x, terms.y).round<double>());
          std::swap(terms.x[0], terms.x[n - 1]);
          std::swap(terms.y[0], terms.y[n - 1]);
          check_products(terms, exact_dot(terms.x, terms.y).round<double>());
        }
}

TEST_CASE("heads that end where their binade does, of which four are beyond the largest double") {
  // The head is 1.5 * 2^1023 where the first term is 2^1000; what -2^1022 leaves of it is a double of the same binade.
  for (int const below : {0, 1, 2, 60})
    for (int const equal : {1, 3, 4, 7}) {
      double const first = std::ldexp(1.0, 1000 - below), rest = std::ldexp(1.0, 970 - below);
      double const term = -(std::ldexp(1.0, 1022 - below) - rest);
      std::vector<double> terms(1 + equal, term);
      terms[0] = first;
      terms.push_back(-(std::ldexp(1.0, 1022 - below) + first));
      INFO(terms.size() << " terms, 2^-" << below);
      check_sum(terms, exact_sum(terms).round<double>());
      ProductTerms<double> const products{terms, std::vector<double>(terms.size(), 1)};
      check_products(products, exact_sum(terms).round<double>());
      // Also by the kernels, which other processors than this one use.
      double result;
      if (Exakt::Impl::try_round_batch(
              terms.size(),
              [&](std::size_t k) {
                return Exakt::Impl::FactorPair{terms[k], 1};
              },
              result))
        EXAKT_CHECK_BITS(result, exact_sum(terms).round<double>());
    }
}

TEST_CASE("heads of all lanes that leave their binade for its mirror image") {
  Random random(466);
  for (int i = 0; i < 300; ++i) {
    // The head is 1.5 * 2^23 where the first term is one.
    std::vector<double> terms(random.between<std::size_t>(5, 9), 1);
    for (std::size_t k = 1; k < terms.size(); ++k) terms[k] = random.value<double>(0) - 0x3p23;
    check_sum(terms, exact_sum(terms).round<double>());
    check_products(ProductTerms<double>{terms, std::vector<double>(terms.size(), 1)}, exact_sum(terms).round<double>());
  }
}

TEST_CASE("sums next to ties, of many terms of which each loses nearly half a unit") {
  for (int const n : {100, 1000, 3000})
    for (int e = -76; e <= -66; ++e)  // half a unit of rests, and beside it
      for (double const tiny : {0.49 * std::ldexp(1.0, e), -0.49 * std::ldexp(1.0, e)}) {
        std::vector<double> terms(static_cast<std::size_t>(n), tiny);
        terms[0] = 1;
        terms[1] = 0x1p-53 - 0.3 * n * tiny;
        auto const expected = exact_sum(terms).round<double>();
        check_sum(terms, expected);
        auto const both = sum_of<2>(n, [x = terms.data()](int k) { return Kokkos::Array<double, 2>{x[k], 1.0}; });
        EXAKT_CHECK_BITS(both[0], expected);
      }
}

TEST_CASE("several sums at once: where one of them is not decided, the others are") {
  Random random(462);
  using Force = Kokkos::Array<double, 3>;
  std::vector<std::vector<double>> terms;
  for (auto const& family : short_families<double>())
    for (int i = 0; i < 10; ++i) terms.push_back(family.make(random));
  for (std::size_t i = 0; i < 200 * case_factor(); ++i) {
    std::vector<double> component[3];
    std::size_t n = 1100;
    for (auto& some : component)
      n = std::min(n, (some = terms[random.between<std::size_t>(0, terms.size() - 1)]).size());
    auto const force = sum_of<3>(n, [&](std::size_t k) {
      return Force{component[0][k], component[1][k], component[2][k]};
    });
    for (std::size_t c = 0; c < 3; ++c) {
      component[c].resize(n);
      EXAKT_CHECK_BITS(force[c], exact_sum(component[c]).round<double>());
    }
  }
  auto const long_sums = sum_of<2>(3000, [](int k) { return Kokkos::Array<float, 2>{1.5f, static_cast<float>(k)}; });
  EXAKT_CHECK_BITS(long_sums[0], 4500.0f);
  EXAKT_CHECK_BITS(long_sums[1], 4498500.0f);
}

TEST_CASE("sums inside of a kernel, in every floating-point environment") {
  Random random(463);
  constexpr int rows = 300, terms = 27;
  std::vector<double> a(rows * terms), x(rows * terms);
  for (int i = 0; i < rows * terms; ++i) {
    a[i] = random.value<double>(random.between(-3, 3) - (i / terms % 3 == 0 ? 1000 : 0));
    x[i] = random.value<double>(random.between(-3, 3) - (i / terms % 3 == 0 ? 40 : 0));
    if (i / terms % 3 == 1 && i % terms % 2 == 1) {
      a[i] = -a[i - 1];
      x[i] = x[i - 1];
    }
  }
  for (auto const& environment : every_fp_environment()) {
    INFO(environment.name);
    std::vector<double> sums(rows), products(rows);
    {
      ScopedFpEnvironment const scope(environment, ScopedFpEnvironment::Threads::all);
      Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, rows), [&](int i) {
        sums[i] = sum_of(terms, [&](int k) { return a[i * terms + k]; });
        products[i] = product_sum_of(terms, [&](int k) { return std::pair(a[i * terms + k], x[i * terms + k]); });
      });
      Kokkos::fence();
    }
    for (int i = 0; i < rows; ++i) {
      Exact sum, product;
      for (int k = i * terms; k < (i + 1) * terms; ++k) {
        sum.add(a[k]);
        product.add_product(a[k], x[k]);
      }
      EXAKT_CHECK_BITS(sums[i], sum.round<double>());
      EXAKT_CHECK_BITS(products[i], product.round<double>());
    }
  }
}
