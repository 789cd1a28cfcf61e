// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktScatter_ScatterSum.hpp>

#include <thread>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Random.hpp"

namespace {

using namespace ExaktTest;
// In host memory, whatever the default is: these tests look into it.
template <class T, class Space = Kokkos::HostSpace, int radix_bits = Exakt::ScatterSum<T>::radix_bits>
using ScatterSum = Exakt::ScatterSum<T, Space, radix_bits>;
using Space = Kokkos::DefaultHostExecutionSpace;

/// Table of terms that are added again and again; the sum of many rounds is a multiple of that of one.
template <class T>
std::vector<T> awkward_terms(Random& random) {
  std::vector<T> terms;
  T const all_ones = 2 - std::numeric_limits<T>::epsilon();
  for (int i = 0; i < 500; ++i) {
    T const large = std::ldexp(all_ones, random.between(0, 60));
    terms.push_back(large);  // the same digits go round upwards all the time,
    terms.push_back(i % 2 == 0 ? -std::ldexp(all_ones, 100) : std::ldexp(all_ones, 100));  // and up and down
    terms.push_back(random.value<T>(random.between(-60, 60)));
  }
  return terms;
}

Exact multiple(Exact const& once, std::uint64_t count) {
  Exact sum;
  for (int bit = 63; bit >= 0; --bit) {
    sum.add(Exact(sum));
    if ((count >> bit) & 1) sum.add(once);
  }
  return sum;
}

template <class Bins>
void check_one_bin() {
  using T = typename Bins::value_type;
  Random random(610);
  auto const terms = awkward_terms<T>(random);
  std::uint64_t const n = terms.size(), rounds = 1000 * case_factor();
  T const* const x = terms.data();
  Bins const bins("one", 1);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>(0, n * rounds),
      KOKKOS_LAMBDA(std::uint64_t j) { bins.add(0, x[j % n]); });
  Space().fence();
  Exact const exact = multiple(exact_sum(terms), rounds);
  for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(bins.round(0, mode), exact.round<T>(mode));
}

/// 2^63 - 1 as terms: integers of 53 bits or less, times at most 2^7, which one digit of any width takes whole.
std::vector<std::uint64_t> parts_of_full_digit() {
  std::vector<std::uint64_t> parts(7, ((std::uint64_t{1} << 53) - 1) << 7);
  std::uint64_t rest = (std::uint64_t{1} << 63) - 1;
  for (std::uint64_t const part : parts) rest -= part;
  for (int zeros = 7; rest >= std::uint64_t{1} << 53;) {
    std::uint64_t const half = rest / 2 >> zeros << zeros;
    parts.push_back(half);
    rest -= half;
    zeros = zeros > 0 ? zeros - 1 : 0;
  }
  parts.push_back(rest);
  return parts;
}

/// Fills `levels` neighbouring digits to the brim, then lets the lowest of them overflow: the carry goes through them all.
template <class Bins>
void check_chain_of_carries(int levels, double sign) {
  int const lowest = 2 * (std::numeric_limits<double>::min_exponent - std::numeric_limits<double>::digits);
  int const unit = lowest + 2 * 840;  // where a digit begins: 840 is a multiple of the widths that are tested
  Bins const bins("one", 1);
  Exact exact;
  auto const add = [&](double x) {
    bins.add(0, x);
    exact.add(x);
  };
  for (int level = levels; level-- > 0;)
    for (std::uint64_t const part : parts_of_full_digit())
      add(sign * std::ldexp(static_cast<double>(part), unit + level * Bins::radix_bits));
  EXAKT_CHECK_BITS(bins.round(0), exact.round<double>());
  add(sign * std::ldexp(0x1p52, unit));
  for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(bins.round(0, mode), exact.round<double>(mode));
}

}  // namespace

TEST_CASE("a carry goes through digits that are full") {
  for (int levels = 1; levels <= 4; ++levels)
    for (double const sign : {1.0, -1.0}) {
      check_chain_of_carries<ScatterSum<double>>(levels, sign);
      check_chain_of_carries<ScatterSum<double, Kokkos::HostSpace, 8>>(levels, sign);
      check_chain_of_carries<ScatterSum<double, Kokkos::HostSpace, 60>>(levels, sign);
    }
}

TEST_CASE("millions of concurrent additions to one bin lose no carry") {
  check_one_bin<ScatterSum<double>>();
  check_one_bin<ScatterSum<float>>();
  check_one_bin<ScatterSum<double, Kokkos::HostSpace, 8>>();
  check_one_bin<ScatterSum<double, Kokkos::HostSpace, 60>>();
}

TEST_CASE("threads that Kokkos does not know may add, too") {
  ScatterSum<double> const bins("bins", 3);
  constexpr int threads = 4, each = 100'000;
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&bins, t] {
      for (int i = 0; i < each; ++i) {
        bins.add(i % 3, t % 2 == 0 ? 0.1 : -0.1);
        bins.add(i % 3, 0x1.fffffffffffffp55);
        bins.add_product(i % 3, -0.7, 0x1p-60);
      }
    });
  for (auto& thread : pool) thread.join();
  for (int bin = 0; bin < 3; ++bin) {
    std::uint64_t const count = (each - bin + 2) / 3 * threads;
    Exact const once = Exact().add(0x1.fffffffffffffp55).subtract_product(0.7, 0x1p-60);
    EXAKT_CHECK_BITS(bins.round(bin), multiple(once, count).round<double>());
  }
}

TEST_CASE("a million bins, the same bits at any number of threads") {
  constexpr std::int64_t n = 200'000, terms = 1'000'000;
  // Each bin gets terms that cancel but for the last: a term lost, doubled or in another bin shows.
  ScatterSum<float> const bins("bins", n);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(0, terms), KOKKOS_LAMBDA(std::int64_t j) {
        float const x = static_cast<float>(1 + j % 1000) * 0x1p100f;
        bins.add(j * 7919 % n, x);
        bins.add((j * 7919 + 1) % n, -x);
        bins.add(j % n, 1e-30f);
      });
  Kokkos::View<float*, Kokkos::HostSpace> const result("result", n);
  bins.round_to(result);
  std::vector<std::int64_t> whole(n);
  for (std::int64_t j = 0; j < terms; ++j) {
    whole[j * 7919 % n] += 1 + j % 1000;
    whole[(j * 7919 + 1) % n] -= 1 + j % 1000;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    Exact exact;
    exact.add_product(static_cast<double>(whole[i]), 0x1p100);
    for (int k = 0; k < terms / n; ++k) exact.add(1e-30f);
    if (i % 97 == 0) EXAKT_CHECK_BITS(result(i), exact.round<float>());
  }
}
