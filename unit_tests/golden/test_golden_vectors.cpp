// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas1_axpby.hpp>
#include <ExaktBlas1_dot.hpp>
#include <ExaktBlas1_mean.hpp>
#include <ExaktBlas1_nrm1.hpp>
#include <ExaktBlas1_nrm2.hpp>
#include <ExaktBlas1_nrm2_squared.hpp>
#include <ExaktBlas1_sum.hpp>
#include <ExaktScatter_ScatterSum.hpp>

#include "ExaktTest_Golden.hpp"
#include "ExaktTest_Oracle.hpp"

using namespace ExaktTest;
using namespace ExaktTest::Golden;
using Complex = Kokkos::complex<double>;

namespace {

template <class Verb>
void replay_norm(char const* name, Verb const& verb) {
  for_each_case<double, float>(name, [&](Case const& c, auto type) {
    using T = decltype(type);
    auto const x = vector(numbers_of<T>(vector_of(format_of<T>, c.family, c.seed, c.sizes[0])));
    check_scalar(name, c, verb(x));
    std::size_t place = 0;
    for (Rounding const mode : every_rounding) {
      check_scalar(name, c, verb(x, mode), place);
      check_scalar(name, c, verb(Space(), x, mode), place++);
    }
  });
}

template <class X, class Y>
void replay_dot(Case const& c) {
  auto const product = product_of(format_of<typename RealOf<X>::type>, format_of<typename RealOf<Y>::type>,
                                  is_complex<X> ? 2 : 1, c.family, c.seed, 1, 1, c.sizes[0]);
  auto x = entries_of<X>(product.a);
  for (X& entry : x) entry = conjugate(entry);
  auto const result = Exakt::dot(vector(x), vector(entries_of<Y>(product.b)));
  if constexpr (is_complex<X>) {
    check_scalar("dot, real part", c, result.real());
    check_scalar("dot, imaginary part", c, result.imag(), 1);
  } else {
    check_scalar("dot", c, result);
    std::size_t place = 0;
    for (Rounding const mode : every_rounding)
      check_scalar("dot", c, Exakt::dot(vector(x), vector(entries_of<Y>(product.b)), mode), place++);
  }
}

template <class T>
struct AddToBins {
  Exakt::ScatterSum<T, Space> bins;
  Vector<int> to;
  Vector<T> x;
  KOKKOS_FUNCTION void operator()(int i) const { bins.add(to(i), x(i)); }
};
template <class T>
struct AddProductToBins {
  Exakt::ScatterSum<T, Space> bins;
  Vector<int> to;
  Vector<T> x, y;
  KOKKOS_FUNCTION void operator()(int i) const { bins.add_product(to(i), x(i), y(i)); }
};

template <class T, class Functor>
void replay_scatter(char const* name, Case const& c, Functor const& functor) {
  Kokkos::parallel_for("golden", Kokkos::RangePolicy<Space>(0, static_cast<int>(c.sizes[0])), functor);
  Vector<T> const result("result", c.sizes[1]);
  functor.bins.round_to(result);
  check<T>(name, c, words_of(result));
}

Vector<int> indices(Case const& c) {
  std::vector<int> result;
  for (std::size_t const index : indices_of(c.seed, c.sizes[0], c.sizes[1])) result.push_back(static_cast<int>(index));
  return vector(result);
}

}  // namespace

TEST_CASE("golden results of sum, nrm1, nrm2, nrm2_squared, mean") {
  replay_norm("sum", [](auto const&... x) { return Exakt::sum(x...); });
  replay_norm("nrm1", [](auto const&... x) { return Exakt::nrm1(x...); });
  replay_norm("nrm2", [](auto const&... x) { return Exakt::nrm2(x...); });
  replay_norm("nrm2_squared", [](auto const&... x) { return Exakt::nrm2_squared(x...); });
  replay_norm("mean", [](auto const&... x) { return Exakt::mean(x...); });
}

TEST_CASE("golden results of dot: real, mixed, complex") {
  for_each_case<double, float, Mixed, Complex>("dot", [](Case const& c, auto type) {
    using T = decltype(type);
    if constexpr (std::is_same_v<T, Mixed>)
      replay_dot<double, float>(c);
    else
      replay_dot<T, T>(c);
  });
}

TEST_CASE("golden results of axpby") {
  for_each_case<double, float>("axpby", [](Case const& c, auto type) {
    using T = decltype(type);
    auto const [x, y] = pair_of(format_of<T>, c.family, c.seed, c.sizes[0]);
    T const alpha = factor_of<T>(c.factors[0]), beta = factor_of<T>(c.factors[1]);
    // With beta = 0 y is not read.
    auto const result = vector(numbers_of<T>(beta == 0 ? Words(y.size(), format_of<T>.quiet_nan()) : y));
    Exakt::axpby(alpha, vector(numbers_of<T>(x)), beta, result);
    check<T>("axpby", c, words_of(result));
  });
}

TEST_CASE("golden sums in bins") {
  for_each_case<double, float>("scatter", [](Case const& c, auto type) {
    using T = decltype(type);
    Exakt::ScatterSum<T, Space> const bins("golden", c.sizes[1]);
    auto const x = vector(numbers_of<T>(vector_of(format_of<T>, c.family, c.seed, c.sizes[0])));
    replay_scatter<T>("ScatterSum::add", c, AddToBins<T>{bins, indices(c), x});
  });
  for_each_case<double, float>("scatter_product", [](Case const& c, auto type) {
    using T = decltype(type);
    Exakt::ScatterSum<T, Space> const bins("golden", c.sizes[1]);
    auto const p = product_of(format_of<T>, format_of<T>, 1, c.family, c.seed, 1, 1, c.sizes[0]);
    replay_scatter<T>("ScatterSum::add_product", c,
                      AddProductToBins<T>{bins, indices(c), vector(numbers_of<T>(p.a)), vector(numbers_of<T>(p.b))});
  });
}
