// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// test_objects [baseline]: two object files with different flags in one program, linked in either order, exchange
// accumulators and agree in every bit. With an argument only the functions for every processor are called, so that an
// emulated old one can run them. Kokkos' and the standard library's own templates, which the two objects share under
// untagged names, are not among what is called then.

#include <cmath>
#include <cstdio>
#include <cstring>

#include "ExaktTest_Objects.hpp"

namespace {

using namespace ExaktTest;

int failures = 0;

void check_same(char const* what, double a, double b) {
  if (std::memcmp(&a, &b, sizeof(a)) == 0) return;
  ++failures;
  std::printf("%s: %a is not %a\n", what, a, b);
}

constexpr int n = 5000;
double x[n], y[n];

/// Numbers over so many binades; their sum is not known beforehand, but nearly all of it cancels.
void fill(int binades) {
  std::uint64_t state = 15;
  for (int i = 0; i < n; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double const significand = static_cast<double>(static_cast<std::int64_t>(state) >> 11);
    int const exponent = static_cast<int>((state >> 5) % static_cast<unsigned>(2 * binades + 1)) - binades - 53;
    x[i] = i % 2 == 1 ? -x[i - 1] : std::ldexp(significand, exponent);
    y[i] = i % 3 == 0 ? 1 : std::ldexp(significand, -53);
  }
  x[n - 1] = 0x1p-60;
}

/// By one object; the other takes turns with it if it may be called.
#define EXAKT_TEST_BOTH(call) \
  do {                        \
    Baseline::call;           \
    if (both)                 \
      Native::call;           \
    else                      \
      Baseline::call;         \
  } while (false)

void check(bool both) {
  using Exakt::Rounding;
  Exakt::LongAccumulator<double, 56, Exakt::Terms::products> values, products;
  for (int i = 0; i < n; ++i) {
    values += x[i];
    products.add_product(x[i], y[i]);
  }
  values += values;  // each of the two adds all
  products += products;

  Sum sum, at_once, joined, elements[3], of_elements;
  EXAKT_TEST_BOTH(add(sum, x, n));
  EXAKT_TEST_BOTH(add_at_once(at_once, x, n));
  EXAKT_TEST_BOTH(add(Sums(elements, 3), x, n));
  Dot dot;
  EXAKT_TEST_BOTH(add(dot, x, y, n));
  Long long_sum;
  EXAKT_TEST_BOTH(add(long_sum, x, n));
  Filtered filtered;
  EXAKT_TEST_BOTH(add(filtered, x, n));

  for (Sum const& element : elements) of_elements += element;
  for (Rounding const mode : {Rounding::to_nearest, Rounding::toward_zero, Rounding::upward, Rounding::downward}) {
    double const expected = values.round(mode);
    check_same("+=", Baseline::rounded(sum, mode), expected);
    if (both) check_same("+=, rounded by the other", Native::rounded(sum, mode), expected);
    check_same("add", at_once.round(mode), expected);
    check_same("Views", of_elements.round(mode), expected);
    check_same("LongAccumulator", long_sum.round(mode), expected);
    check_same("Expansion", filtered.round(mode), expected);
    check_same("add_product", dot.round(mode), products.round(mode));
  }
  check_same("root", Baseline::root(dot), products.round_sqrt());

  values += values;
  SumReducer const reducer(joined);
  reducer.init(joined);
  EXAKT_TEST_BOTH(join(reducer, sum));
  check_same("join", joined.round(), values.round());
  if (!Baseline::are_equal(sum, at_once)) check_same("==", 0, 1);
  if (!both) return;

  if (!Native::are_equal(sum, at_once)) check_same("== of the other", 0, 1);
  FloatSum a, b;
  Baseline::add(a, x, n);
  Native::add(b, x, n);
  check_same("sums of float", a.round(), b.round());
  check_same("roots", Native::root(dot), Baseline::root(dot));
  Numbers const vx(x, n), vy(y, n);
  check_same("transform_sum", Native::transformed(vx), Baseline::transformed(vx));
  check_same("sums", Native::sum(vx), Baseline::sum(vx));
  check_same("sum", 4 * Native::sum(vx), values.round());
  check_same("dots", Native::dot(vx, vy), Baseline::dot(vx, vy));
}

}  // namespace

int main(int argc, char** argv) {
  bool const both = argc < 2 || std::strcmp(argv[1], "baseline") != 0;
  if (both) Kokkos::initialize();
  for (int const binades : {1, 30, 400}) {
    fill(binades);
    check(both);
  }
  if (both) Kokkos::finalize();
  return failures == 0 ? 0 : 1;
}
