// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Reference.hpp"
#include "ExaktPerf_Suite.hpp"

#include <Exakt_Reducer.hpp>

namespace ExaktPerf {
namespace {

Comparison compare_sums(Data const& x) {
  using Sum = Exakt::ExactSum<double>;
  auto const n = static_cast<std::int64_t>(x.extent(0));
  auto const add = [x](auto& sum, std::int64_t i) {
    sum += load<std::remove_reference_t<decltype(sum)>>(x.data() + i);
  };
  Comparison ways(n, sizeof(double), reference(Verb::sum, x));
  ways.add_exact("ExactSum", [=] {
    Sum::value_type total;
    Kokkos::parallel_reduce(
        Range(0, n), [=](std::int64_t i, Sum::value_type& t) { t += x(i); }, Sum(total));
    return total.round();
  });
  ways.add_exact("SumAccumulator::add", [=] {
    Sum::value_type total;
    reduce_pieces(n, Sum(total), [=](std::int64_t begin, std::int64_t end, Sum::value_type& t) {
      t.add(x.data() + begin, static_cast<std::size_t>(end - begin));
    });
    return total.round();
  });
  ways.add_plain("plain", [=] { return plain(n, add); });
  ways.add_plain("vectorized", [=] { return vectorized(n, add); });
  return ways;
}

Comparison compare_dots(Data const& x, Data const& y) {
  using Dot = Exakt::ExactDot<double>;
  auto const n = static_cast<std::int64_t>(x.extent(0));
  auto const add = [=](auto& sum, std::int64_t i) {
    using T = std::remove_reference_t<decltype(sum)>;
    sum += load<T>(x.data() + i) * load<T>(y.data() + i);
  };
  Comparison ways(n, 2 * sizeof(double), reference(Verb::dot, x, y));
  ways.add_exact("ExactDot", [=] {
    Dot::value_type total;
    Kokkos::parallel_reduce(
        Range(0, n), [=](std::int64_t i, Dot::value_type& t) { t.add_product(x(i), y(i)); }, Dot(total));
    return total.round();
  });
  ways.add_exact("DotAccumulator::add_products", [=] {
    Dot::value_type total;
    reduce_pieces(n, Dot(total), [=](std::int64_t begin, std::int64_t end, Dot::value_type& t) {
      t.add_products(x.data() + begin, y.data() + begin, static_cast<std::size_t>(end - begin));
    });
    return total.round();
  });
  ways.add_plain("plain", [=] { return plain(n, add); });
  ways.add_plain("vectorized", [=] { return vectorized(n, add); });
  return ways;
}

void add_sums(std::int64_t n, int decades, std::vector<Floor> floors = {}) {
  cases().push_back({"ExactSum, n = " + short_form(n) + ", range 1e" + std::to_string(decades), n,
                     [decades](std::int64_t entries) { return compare_sums(log_uniform(entries, decades)); },
                     std::move(floors)});
}

void add_dots(std::int64_t n) {
  cases().push_back({"ExactDot, n = " + short_form(n) + ", range 1e10", n, [](std::int64_t entries) {
                       return compare_dots(log_uniform(entries, 10, 1), log_uniform(entries, 10, 2));
                     }});
}

Registration const reducers([] {
  add_sums(1'000, 10);
  add_sums(200'000, 10, {{"plain", 0.7}});
  add_sums(2'000'000, 90);
  add_sums(100'000'000, 10, {{"plain", 0.85}});
  add_dots(100'000);
  add_dots(50'000'000);
});

}  // namespace
}  // namespace ExaktPerf
