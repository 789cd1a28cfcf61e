// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Comparison.hpp"

#include <Exakt.hpp>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Data = Kokkos::View<double*, Kokkos::HostSpace>;
using Sum = Exakt::ExactSum<double, Space>;
using Range = Kokkos::RangePolicy<Space, std::int64_t>;

// Both signs, magnitudes spread evenly over ten decades.
Data make_data(std::int64_t n) {
  Data x(Kokkos::view_alloc(Kokkos::WithoutInitializing, "x"), n);
  Kokkos::parallel_for(Range(0, n), [=](std::int64_t i) {
    auto bits = static_cast<std::uint64_t>(i) + 0x9e3779b97f4a7c15u;  // splitmix64
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    double const mantissa = 1 + static_cast<double>(bits >> 12) * 0x1p-52;
    x(i) = std::ldexp((bits & 1) != 0 ? -mantissa : mantissa, static_cast<int>((bits >> 1) % 33) - 16);
  });
  Kokkos::fence();
  return x;
}

double plain(Data const& x) {
  double sum = 0;
  Kokkos::parallel_reduce(
      Range(0, x.extent(0)), [=](std::int64_t i, double& s) { s += x(i); }, sum);
  return sum;
}

// Calls f(begin, entries, partial result) for one contiguous piece per thread.
template <class Reducer, class Function>
void reduce_pieces(std::int64_t n, Reducer const& reducer, Function const& f) {
  std::int64_t const pieces = Space().concurrency();
  Kokkos::parallel_reduce(
      Range(0, pieces),
      [=](std::int64_t piece, typename Reducer::value_type& result) {
        std::int64_t const begin = n * piece / pieces;
        f(begin, n * (piece + 1) / pieces - begin, result);
      },
      reducer);
}

// What a programmer gets who vectorizes by hand: the fastest sum without a promise.
double plain_vectorized(Data const& x) {
  constexpr int lanes = 64;
  double sum = 0;
  reduce_pieces(x.extent(0), Kokkos::Sum<double, Space>(sum), [=](std::int64_t begin, std::int64_t n, double& result) {
    double const* const terms = x.data() + begin;
    double lane[lanes] = {};
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
      for (int k = 0; k < lanes; ++k) lane[k] += terms[i + k];
    for (; i < n; ++i) lane[0] += terms[i];
    for (double const s : lane) result += s;
  });
  return sum;
}

double reducer(Data const& x) {
  Sum::value_type total;
  Kokkos::parallel_reduce(
      Range(0, x.extent(0)), [=](std::int64_t i, Sum::value_type& t) { t += x(i); }, Sum(total));
  return total.round();
}

double transform(Data const& x) {
  return Exakt::transform_sum(Range(0, x.extent(0)), [=](std::int64_t i) { return x(i); });
}

double bulk(Data const& x) {
  Sum::value_type total;
  reduce_pieces(x.extent(0), Sum(total), [=](std::int64_t begin, std::int64_t n, Sum::value_type& t) {
    t.add(x.data() + begin, static_cast<std::size_t>(n));
  });
  return total.round();
}

double reference(Data const& x) {
  Exakt::LongAccumulator<double> sum;
  for (std::size_t i = 0; i < x.extent(0); ++i) sum += x(i);
  return sum.round();
}

}  // namespace

namespace ExaktPerf {

void register_comparisons(std::vector<std::int64_t> const& sizes) {
  static Comparison comparison("sum", sizeof(double));
  for (std::int64_t const n : sizes) {
    Data const x = make_data(n);
    double const expected = reference(x);
    auto const is_right = [expected](double sum) { return sum == expected; };
    comparison.add("plain", n, [x] { return plain(x); });
    comparison.add("plain_vectorized", n, [x] { return plain_vectorized(x); });
    comparison.add("ExactSum", n, [x] { return reducer(x); }, is_right);
    comparison.add("transform_sum", n, [x] { return transform(x); }, is_right);
    comparison.add("SumAccumulator_add", n, [x] { return bulk(x); }, is_right);
  }
}

}  // namespace ExaktPerf
