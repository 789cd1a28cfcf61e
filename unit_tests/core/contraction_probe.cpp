// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled several times into one program, with Exakt defined as another name each time: without that, the linker would
// keep one copy of every function template, and all probes would run the code of the same options.
#include <Exakt_Accumulator.hpp>
#include <Exakt_Expansion.hpp>

#include "ExaktTest_ContractionProbe.hpp"

namespace {

/// Doubles of a few dozen binades, from integer arithmetic alone.
template <class T>
class Numbers {
 public:
  T next() {
    m_state = m_state * 6364136223846793005u + 1442695040888963407u;
    const auto significand = static_cast<std::int64_t>(m_state) >> (64 - std::numeric_limits<T>::digits);
    const T x = static_cast<T>(significand | 1);
    const auto choice = (m_state >> 20) & 7;
    return choice < 6 ? x : choice == 6 ? x * static_cast<T>(0x1p-20) : x * static_cast<T>(0x1p-40);
  }

 private:
  std::uint64_t m_state = 20111;
};

/// A product that has been rounded for certain.
template <class T>
T stored(T x) {
  volatile T memory = x;
  return memory;
}

struct Tester {
  ExaktTest::ProbeResult result{14695981039346656037u, 0, 0};

  template <class T>
  void compare(T actual, T expected) {
    const auto bits = Exakt::Impl::bits_of(actual);
    result.hash = (result.hash ^ bits) * 1099511628211u;
    ++result.results;
    result.mismatches += bits != Exakt::Impl::bits_of(expected);
  }
};

template <class T>
using Reference = Exakt::LongAccumulator<T, 32, Exakt::Terms::products>;

/// Products summed one by one: each is rounded before an accumulator sees it.
template <class A, class T>
void sum_products(Tester& test, int n) {
  Numbers<T> numbers;
  A sum;
  Reference<T> reference;
  for (int i = 0; i < n; ++i) {
    const T x = numbers.next(), y = numbers.next(), z = numbers.next();
    sum += x * y;
    reference += stored(x * y);
    sum -= y * z;
    reference -= stored(y * z);
  }
  test.compare(sum.round(), reference.round());
}

/// A small array of products whose length the compiler knows: all of it may live in registers.
template <int n, class T>
void sum_array_of_products(Tester& test) {
  Numbers<T> numbers;
  for (int repetition = 0; repetition < 20; ++repetition) {
    T x[n], y[n], products[n];
    for (int i = 0; i < n; ++i) {
      x[i] = numbers.next();
      y[i] = numbers.next();
    }
    for (int i = 0; i < n; ++i) products[i] = x[i] * y[i];
    Exakt::SumAccumulator<T> sum;
    sum.add(products, n);
    Exakt::DotAccumulator<T> dot;
    dot.add_products(products, x, n);
    Reference<T> reference, reference_dot;
    for (int i = 0; i < n; ++i) {
      reference += stored(x[i] * y[i]);
      reference_dot.add_product(stored(x[i] * y[i]), x[i]);
    }
    test.compare(sum.round(), reference.round());
    test.compare(dot.round(), reference_dot.round());
  }
}

template <class T>
void transform_free_of_error(Tester& test) {
  Numbers<T> numbers;
  for (int i = 0; i < 2000; ++i) {
    const T x = numbers.next(), y = numbers.next(), z = numbers.next();
    const auto check = [&](auto r, T a, T b, bool product) {
      Reference<T> exact, split;
      if (product) {
        exact.add_product(a, b);
      } else {
        exact += a;
        exact += b;
      }
      split += r.value;
      split += r.error;
      test.compare(r.value, exact.round());
      test.compare(split == exact ? T{1} : T{0}, T{1});
    };
    const T xy = stored(x * y), scaled = stored(z * static_cast<T>(0x1p-10));
    check(Exakt::two_sum(x * y, z), xy, z, false);
    check(Exakt::two_sum(z, x * y), z, xy, false);
    check(Exakt::two_product(x * y, scaled), xy, scaled, true);
    check(Exakt::Impl::two_product_dekker(x * y, scaled), xy, scaled, true);
    if ((x * y < 0 ? -(x * y) : x * y) >= (z < 0 ? -z : z)) check(Exakt::fast_two_sum(x * y, z), xy, z, false);
  }
}

template <class T>
void probe_type(Tester& test) {
  for (int n = 1; n <= 200; n += n < 20 ? 1 : 17) {
    sum_products<Exakt::SumAccumulator<T>, T>(test, n);
    sum_products<Exakt::Expansion<T, 4, true>, T>(test, n);
  }
  sum_array_of_products<2, T>(test);
  sum_array_of_products<8, T>(test);
  sum_array_of_products<37, T>(test);
  transform_free_of_error<T>(test);
}

ExaktTest::ProbeResult probe() {
  Tester test;
  probe_type<double>(test);
  probe_type<float>(test);
  return test.result;
}

const ExaktTest::ContractionProbe registered(EXAKT_TEST_OPTIONS, probe);

}  // namespace
