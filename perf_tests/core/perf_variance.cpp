// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Suite.hpp"

#include <Exakt_Accumulator.hpp>
#include <Exakt_correlation.hpp>
#include <Exakt_covariance.hpp>
#include <Exakt_variance.hpp>

namespace ExaktPerf {
namespace {

/// \brief The mean, then the squares of what differs from it.
/// \param reduce  One of the ways of ExaktPerf_Plain.hpp.
template <class Reduce>
double two_passes(Data const& x, Reduce const& reduce) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  double const mean =
      reduce(n, [x](auto& sum, std::int64_t i) { sum += load<std::remove_reference_t<decltype(sum)>>(x.data() + i); }) /
      static_cast<double>(n);
  double const squares = reduce(n, [x, mean](auto& sum, std::int64_t i) {
    auto const t = load<std::remove_reference_t<decltype(sum)>>(x.data() + i) - mean;
    sum += t * t;
  });
  return squares / static_cast<double>(n - 1);
}

double reference(Data const& x) {
  Exakt::SumAccumulator<double> sum;
  Exakt::DotAccumulator<double> squares;
  sum.add(x.data(), x.extent(0));
  squares.add_products(x.data(), x.data(), x.extent(0));
  return Exakt::Impl::round_variance<double, false>(sum.normalized(), squares.normalized(), x.extent(0), 1,
                                                    Exakt::Rounding::to_nearest);
}

Comparison compare(Data const& x) {
  Comparison ways(static_cast<std::int64_t>(x.extent(0)), sizeof(double), reference(x));
  ways.add_exact("Exakt::variance", [=] { return Exakt::variance(x); });
  ways.add_plain("plain", [=] { return two_passes(x, [](auto n, auto const& add) { return plain(n, add); }); });
  ways.add_plain("vectorized",
                 [=] { return two_passes(x, [](auto n, auto const& add) { return vectorized(n, add); }); });
  return ways;
}

/// Of x and y: two passes, one for the means.
double plain_covariance(Data const& x, Data const& y) {
  auto const n = static_cast<std::int64_t>(x.extent(0));
  auto const mean = [n](Data const& v) {
    return vectorized(n, [v](auto& sum,
                             std::int64_t i) { sum += load<std::remove_reference_t<decltype(sum)>>(v.data() + i); }) /
           static_cast<double>(n);
  };
  double const mean_x = mean(x), mean_y = mean(y);
  double const products = vectorized(n, [=](auto& sum, std::int64_t i) {
    using T = std::remove_reference_t<decltype(sum)>;
    sum += (load<T>(x.data() + i) - mean_x) * (load<T>(y.data() + i) - mean_y);
  });
  return products / static_cast<double>(n - 1);
}

Comparison compare_pairs(Data const& x, Data const& y) {
  Exakt::SumAccumulator<double> sum_x, sum_y;
  Exakt::DotAccumulator<double> products;
  sum_x.add(x.data(), x.extent(0));
  sum_y.add(y.data(), y.extent(0));
  products.add_products(x.data(), y.data(), x.extent(0));
  double const exact = Exakt::Impl::round_covariance<double>(
      sum_x.normalized(), sum_y.normalized(), products.normalized(), x.extent(0), 1, Exakt::Rounding::to_nearest);
  Comparison ways(static_cast<std::int64_t>(x.extent(0)), 2 * sizeof(double), exact);
  ways.add_exact("Exakt::covariance", [=] { return Exakt::covariance(x, y); });
  ways.add_plain("vectorized", [=] { return plain_covariance(x, y); });
  ways.add_plain("Exakt::correlation, beside it", [=] { return Exakt::correlation(x, y); });
  return ways;
}

void add_case(std::int64_t n, double mean, std::vector<Floor> floors = {}) {
  cases().push_back({"variance, n = " + short_form(n) + ", mean " + short_form(static_cast<std::int64_t>(mean)), n,
                     [mean](std::int64_t entries) {
                       Data const x = log_uniform(entries, 1);
                       for (std::size_t i = 0; i < x.extent(0); ++i) x(i) += mean;
                       return compare(x);
                     },
                     std::move(floors)});
}

// At most 1.3 times two plain passes from memory.
Registration const variances([] {
  add_case(100, 0);
  add_case(1'000, 0);
  add_case(200'000, 0, {{"plain", 1.0}});
  add_case(2'000'000, 0, {{"plain", 1.0}});
  add_case(50'000'000, 0, {{"plain", 1.0}, {"vectorized", 0.77}});
  add_case(50'000'000, 1e3, {{"plain", 1.0}, {"vectorized", 0.77}});
  add_case(50'000'000, 1e9);
  for (std::int64_t const n : {200'000, 20'000'000})
    cases().push_back(
        {"covariance, n = " + short_form(n),
         n,
         [](std::int64_t entries) { return compare_pairs(log_uniform(entries, 1, 1), log_uniform(entries, 1, 2)); },
         {}});
});

}  // namespace
}  // namespace ExaktPerf
