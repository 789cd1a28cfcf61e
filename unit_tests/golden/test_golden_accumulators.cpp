// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>

#include "ExaktTest_Golden.hpp"

using namespace ExaktTest;
using namespace ExaktTest::Golden;
using Exakt::DotAccumulator;
using Exakt::Rounding;
using Exakt::SumAccumulator;

namespace {

constexpr Rounding modes[] = {Rounding::to_nearest, Rounding::toward_zero, Rounding::upward, Rounding::downward};

/// In all modes, to the own type and, of doubles, to float.
template <class T, class Accumulator>
void check_roundings(char const* what, Case const& c, Accumulator const& sum) {
  for (std::size_t i = 0; i < 4; ++i) {
    check_scalar(what, c, sum.template round<T>(modes[i]), i);
    if constexpr (std::is_same_v<T, double>) check_scalar(what, c, sum.template round<float>(modes[i]), 4 + i);
  }
}

template <class T>
struct AddNumber {
  Vector<T> x;
  KOKKOS_FUNCTION void operator()(int i, SumAccumulator<T>& sum) const { sum += x(i); }
};
template <class T>
struct Number {
  Vector<T> x;
  KOKKOS_FUNCTION T operator()(int i) const { return x(i); }
};
template <class T, class X, class Y>
struct AddProduct {
  Vector<X> x;
  Vector<Y> y;
  KOKKOS_FUNCTION void operator()(int i, DotAccumulator<T>& sum) const { sum.add_product(x(i), y(i)); }
};
template <class X, class Y>
struct Factors {
  Vector<X> x;
  Vector<Y> y;
  KOKKOS_FUNCTION Kokkos::pair<X, Y> operator()(int i) const { return {x(i), y(i)}; }
};

using Range = Kokkos::RangePolicy<Space>;

/// Two partial sums, merged; then something that was merged is removed.
template <class Accumulator, class Add>
Accumulator in_parts(std::size_t n, Add const& add) {
  Accumulator even, odd, first;
  for (std::size_t i = 0; i < n; ++i) add(i % 2 == 0 ? even : odd, i);
  for (std::size_t i = 0; i < n / 3; ++i) add(first, i);
  even += first;
  even += odd;
  return even -= first;
}

template <class T>
void replay_sum(Case const& c) {
  auto const x = numbers_of<T>(vector_of(format_of<T>, c.family, c.seed, c.sizes[0]));
  int const n = static_cast<int>(x.size());

  SumAccumulator<T> one_by_one, at_once;
  for (T const entry : x) one_by_one += entry;
  check_roundings<T>("SumAccumulator, one by one", c, one_by_one);
  at_once.add(x.data(), x.size());
  check_roundings<T>("SumAccumulator, at once", c, at_once);
  bool const is_finite = c.family != "nan" && c.family != "infinity" && c.family != "infinities";
  if (is_finite)
    check_roundings<T>("SumAccumulator, merged", c,
                       in_parts<SumAccumulator<T>>(x.size(), [&](auto& sum, std::size_t i) { sum += x[i]; }));

  auto const there = vector(x);
  SumAccumulator<T> reduced;
  Kokkos::parallel_reduce("golden", Range(0, n), AddNumber<T>{there}, Exakt::ExactSum<T>(reduced));
  check_roundings<T>("ExactSum", c, reduced);
  check_scalar("transform_sum", c, Exakt::transform_sum(n, Number<T>{there}));
}

template <class T, class X, class Y>
void replay_dot(Case const& c) {
  auto const product = product_of(format_of<X>, format_of<Y>, 1, c.family, c.seed, 1, 1, c.sizes[0]);
  auto const x = numbers_of<X>(product.a);
  auto const y = numbers_of<Y>(product.b);
  int const n = static_cast<int>(x.size());

  DotAccumulator<T> one_by_one;
  for (std::size_t i = 0; i < x.size(); ++i) one_by_one.add_product(x[i], y[i]);
  check_roundings<T>("DotAccumulator", c, one_by_one);
  if (c.family != "nan" && c.family.find("infinit") == std::string::npos)
    check_roundings<T>(
        "DotAccumulator, merged", c,
        in_parts<DotAccumulator<T>>(x.size(), [&](auto& sum, std::size_t i) { sum.add_product(x[i], y[i]); }));

  auto const x_there = vector(x);
  auto const y_there = vector(y);
  DotAccumulator<T> reduced;
  Kokkos::parallel_reduce("golden", Range(0, n), AddProduct<T, X, Y>{x_there, y_there}, Exakt::ExactDot<T>(reduced));
  check_roundings<T>("ExactDot", c, reduced);
  check_scalar("transform_dot", c, Exakt::transform_dot(n, Factors<X, Y>{x_there, y_there}));
}

}  // namespace

TEST_CASE("golden sums: accumulators in all modes, merged and removed, ExactSum, transform_sum") {
  for_each_case<double, float>("sum", [](Case const& c, auto type) { replay_sum<decltype(type)>(c); });
}

TEST_CASE("golden dots: accumulators in all modes, merged and removed, ExactDot, transform_dot") {
  for_each_case<double, float, Mixed, Kokkos::complex<double>>("dot", [](Case const& c, auto type) {
    using T = decltype(type);
    if constexpr (std::is_same_v<T, Mixed>)
      replay_dot<double, double, float>(c);
    else if constexpr (!is_complex<T>)
      replay_dot<T, T, T>(c);
  });
}
