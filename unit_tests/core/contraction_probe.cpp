// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled several times into one program, with Exakt defined as another name each time: without that, the linker would
// keep one copy of every function template, and all probes would run the code of the same options. The compiled kernels
// are there once, under the library's own name.
#pragma push_macro("Exakt")
#undef Exakt
#include <kernels/Exakt_Kernels.hpp>
namespace ExaktTest::Library {
using namespace Exakt::Impl;
}
#pragma pop_macro("Exakt")
namespace Exakt::Impl {
using namespace ExaktTest::Library;
}

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
    auto const significand = static_cast<std::int64_t>(m_state) >> (64 - std::numeric_limits<T>::digits);
    T const x = static_cast<T>(significand | 1);
    auto const choice = (m_state >> 20) & 7;
    return choice < 6 ? x : choice == 6 ? x * static_cast<T>(0x1p-20) : x * static_cast<T>(0x1p-40);
  }

 private:
  std::uint64_t m_state = 20111;
};

/// A product that has been rounded for certain. Its factors go through memory too: otherwise the compiler would see
/// that it is the product beside it, which it then had to compute once, rounded, and could not contract.
template <class T>
T rounded_product(T x, T y) {
  T volatile first = x, second = y;
  T volatile product = first * second;
  return product;
}

struct Tester {
  ExaktTest::ProbeResult result{14695981039346656037u, 0, 0};

  template <class T>
  void compare(T actual, T expected) {
    auto const bits = Exakt::Impl::bits_of(actual);
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
    T const x = numbers.next(), y = numbers.next(), z = numbers.next();
    sum += x * y;
    reference += rounded_product(x, y);
    sum -= y * z;
    reference -= rounded_product(y, z);
  }
  test.compare(sum.round(), reference.round());
}

/// A small array of products whose length the compiler knows: all of it may live in registers.
template <int n, class T>
void sum_array_of_products(Tester& test) {
  Numbers<T> numbers;
  for (int repetition = 0; repetition < 20; ++repetition) {
    T x[n], y[n], terms[n], factors[n];
    Reference<T> reference, reference_dot;
    for (int i = 0; i < n; ++i) {
      x[i] = numbers.next();
      y[i] = numbers.next();
      reference += rounded_product(x[i], y[i]);
      reference_dot.add_product(rounded_product(y[i], y[i]), x[i]);
    }
    for (int i = 0; i < n; ++i) {
      terms[i] = x[i] * y[i];
      factors[i] = y[i] * y[i];
    }
    Exakt::SumAccumulator<T> sum;
    sum.add(terms, n);
    Exakt::DotAccumulator<T> dot;
    dot.add_products(factors, x, n);
    test.compare(sum.round(), reference.round());
    test.compare(dot.round(), reference_dot.round());
  }
}

template <class T>
void transform_free_of_error(Tester& test) {
  Numbers<T> numbers;
  T x, y, z;
  // New factors for each call: a product that is used anywhere else has to be rounded anyway.
  auto const draw = [&] {
    x = numbers.next();
    y = numbers.next();
    z = numbers.next();
    return rounded_product(x, y);
  };
  auto const check = [&](auto r, Reference<T> const& exact) {
    Reference<T> split;
    split += r.value;
    split += r.error;
    test.compare(r.value, exact.round());
    test.compare(split == exact ? T{1} : T{0}, T{1});
  };
  auto const sum_of = [](T a, T b) {
    Reference<T> exact;
    exact += a;
    exact += b;
    return exact;
  };
  auto const product_of = [](T a, T b) {
    Reference<T> exact;
    exact.add_product(a, b);
    return exact;
  };
  for (int i = 0; i < 2000; ++i) {
    T product = draw();
    check(Exakt::two_sum(x * y, z), sum_of(product, z));
    product = draw();
    check(Exakt::two_sum(z, x * y), sum_of(z, product));
    product = draw();
    bool const larger = (product < 0 ? -product : product) >= (z < 0 ? -z : z);
    if (larger) check(Exakt::fast_two_sum(x * y, z), sum_of(product, z));
    product = draw();
    z *= static_cast<T>(0x1p-10);
    check(Exakt::two_product(x * y, z), product_of(product, z));
    product = draw();
    z *= static_cast<T>(0x1p-10);
    check(Exakt::Impl::two_product_dekker(x * y, z), product_of(product, z));
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

ExaktTest::ContractionProbe const registered(EXAKT_TEST_OPTIONS, probe);

}  // namespace
