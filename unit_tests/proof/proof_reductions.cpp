// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sum, mean, nrm2, dot and the sums of functions: a case is a vector and a rounding. Of each vector that a family makes there are
// the whole in the four roundings, and its beginnings to nearest: each of them, or of a long vector some, for they take n^2
// additions.
#include <ExaktBlas1_dot.hpp>
#include <ExaktBlas1_mean.hpp>
#include <ExaktBlas1_nrm2.hpp>
#include <ExaktBlas1_sum.hpp>
#include <Exakt_sum_of.hpp>
#include <Exakt_transform_dot.hpp>
#include <Exakt_transform_sum.hpp>
#include <algorithm>

#include "ExaktTest_Families.hpp"
#include "ExaktTest_Proof.hpp"
#include "ExaktTest_Vectors.hpp"

namespace ExaktTest::Proof {
namespace {

struct SumVerb {
  static constexpr bool has_products = false;
  template <class... A>
  static auto call(A const&... a) {
    return Exakt::sum(a...);
  }
  template <class R, class Sum>
  static auto round(Sum const& sum, std::size_t, Rounding mode) {
    return sum.template round<R>(mode);
  }
};
struct MeanVerb {
  static constexpr bool has_products = false;
  template <class... A>
  static auto call(A const&... a) {
    return Exakt::mean(a...);
  }
  template <class R>
  static R round(IntegerSum const& sum, std::size_t n, Rounding mode) {
    return sum.round_mean<R>(n, mode);
  }
  template <class R>
  static Expected<R> round(Exact const& sum, std::size_t n, Rounding mode) {
    return n == 0 ? Expected<R>{std::numeric_limits<R>::quiet_NaN()} : sum.round_quotient<R>(std::uint64_t{n}, mode);
  }
};
struct Nrm2Verb {
  static constexpr bool has_products = true;
  template <class... A>
  static auto call(A const&... a) {
    return Exakt::nrm2(a...);
  }
  template <class R, class Sum>
  static auto round(Sum const& sum, std::size_t, Rounding mode) {
    return sum.template round_sqrt<R>(mode);
  }
};
struct DotVerb : SumVerb {
  static constexpr bool has_products = true;
  template <class... A>
  static auto call(A const&... a) {
    return Exakt::dot(a...);
  }
};
/// Of functions, to nearest only; the other roundings are those of sum, or of dot.
struct SumOfVerb : SumVerb {
  using SumVerb::call;
  template <class X>
  static auto call(X const& x) {
    return Exakt::sum_of(x.extent(0), [&](std::size_t k) { return x(k); });
  }
};
struct TransformSumVerb : SumVerb {
  using SumVerb::call;
  template <class X>
  static auto call(X const& x) {
    return Exakt::transform_sum(Kokkos::DefaultHostExecutionSpace(), x.extent(0), [=](std::size_t k) { return x(k); });
  }
};
struct TransformDotVerb : DotVerb {
  using DotVerb::call;
  template <class X>
  static auto call(X const& x, X const& y) {
    return Exakt::transform_dot(Kokkos::DefaultHostExecutionSpace(), x.extent(0),
                                [=](std::size_t k) { return Kokkos::make_pair(x(k), y(k)); });
  }
};
struct ProductSumOfVerb : DotVerb {
  using DotVerb::call;
  template <class X>
  static auto call(X const& x, X const& y) {
    return Exakt::product_sum_of(x.extent(0), [&](std::size_t k) { return std::pair(x(k), y(k)); });
  }
};

constexpr std::size_t most_beginnings = 32;

template <class Verb, class T>
void try_vector(std::vector<T> const& x, std::vector<T> const& y, Trial& trial) {
  std::size_t const n = x.size();
  bool const has_two = !y.empty();
  std::size_t const step = std::max<std::size_t>(1, n / most_beginnings), beginnings = (n + step - 1) / step;
  std::vector<T> expected;
  static IntegerSum sum;
  sum.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (i % step == 0) expected.push_back(Verb::template round<T>(sum, i, Rounding::to_nearest));
    if constexpr (Verb::has_products)
      sum.add_product(x[i], has_two ? y[i] : x[i]);
    else
      sum.add(x[i]);
  }
  for (Rounding const mode : every_rounding) expected.push_back(Verb::template round<T>(sum, n, mode));
  if (trial.asks_mpfr()) {
    Exact const exact = !Verb::has_products ? exact_sum(x) : exact_dot(x, has_two ? y : x);
    for (Rounding const mode : every_rounding)
      trial.confirm(expected[beginnings + static_cast<std::size_t>(mode)], Verb::template round<T>(exact, n, mode));
  }
  std::vector<T> actual(expected.size());
  trial.call([&] {
    auto const ask = [&](std::size_t count, auto... mode) {
      if constexpr (std::is_base_of_v<DotVerb, Verb>)
        return Verb::call(BorrowedVector<T>(x.data(), count), BorrowedVector<T>(y.data(), count), mode...);
      else
        return Verb::call(BorrowedVector<T>(x.data(), count), mode...);
    };
    for (std::size_t i = 0; i < beginnings; ++i) actual[i] = ask(i * step);
    for (Rounding const mode : every_rounding) actual[beginnings + static_cast<std::size_t>(mode)] = ask(n, mode);
  });
  for (std::size_t i = 0; i < expected.size(); ++i) trial.compare(actual[i], expected[i]);
}

static_assert(static_cast<int>(every_rounding[3]) == 3);

constexpr int vectors_of_a_seed = 16;

template <class Verb, class T>
void run_family(std::size_t family, Trial& trial) {
  for (int i = 0; i < vectors_of_a_seed; ++i) {
    if constexpr (std::is_base_of_v<DotVerb, Verb>) {
      auto const terms = reordered(short_product_families<T>()[family].make(trial.random),
                                   trial.random.one_of(Order::as_made, Order::shuffled), trial.random);
      try_vector<Verb>(terms.x, terms.y, trial);
    } else {
      auto const terms = reordered(short_families<T>()[family].make(trial.random),
                                   trial.random.one_of(Order::as_made, Order::shuffled), trial.random);
      try_vector<Verb>(terms, {}, trial);
    }
  }
}

template <class V>
Verb verb_of(char const* name) {
  Verb verb{name, {}, [](std::size_t family, Trial& trial) {
              run_family<V, double>(family, trial);
              run_family<V, float>(family, trial);
            }};
  if constexpr (std::is_base_of_v<DotVerb, V>) {
    for (auto const& family : short_product_families<double>()) verb.families.push_back(family.name);
  } else {
    for (auto const& family : short_families<double>()) verb.families.push_back(family.name);
  }
  return verb;
}

}  // namespace

std::vector<Verb> reductions() {
  return {verb_of<SumVerb>("sum"),
          verb_of<DotVerb>("dot"),
          verb_of<ProductSumOfVerb>("product_sum_of"),
          verb_of<SumOfVerb>("sum_of"),
          verb_of<TransformSumVerb>("transform_sum"),
          verb_of<TransformDotVerb>("transform_dot"),
          verb_of<Nrm2Verb>("nrm2"),
          verb_of<MeanVerb>("mean")};
}

}  // namespace ExaktTest::Proof
