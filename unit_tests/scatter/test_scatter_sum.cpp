// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>
#include <ExaktScatter_ScatterSum.hpp>

#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HalfFormats.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Refusal.hpp"
#include "ExaktTest_Scattered.hpp"

namespace {

using namespace ExaktTest;
using HalfFormats::Bfloat, HalfFormats::Half;
using Exakt::ExponentRange;
// In host memory, whatever the default is: these tests look into it.
template <class T, class Space = Kokkos::HostSpace, int radix_bits = Exakt::ScatterSum<T>::radix_bits>
using ScatterSum = Exakt::ScatterSum<T, Space, radix_bits>;
using Exakt::Terms;

}  // namespace

#define EXAKT_TEST_BINS                                                                              \
  ScatterSum<double>, ScatterSum<float>, (ScatterSum<double, Kokkos::DefaultHostExecutionSpace, 8>), \
      (ScatterSum<float, Kokkos::HostSpace, 60>)

TEMPLATE_TEST_CASE("each bin is the exact sum of its terms, rounded once, for every family", "", EXAKT_TEST_BINS) {
  using T = typename TestType::value_type;
  for_each_host_space([](auto space) {
    using Space = decltype(space);
    Random random(600);
    for_each_batch_of_sums<T>(20, 601, [&](auto const& cases) {
      Scattered const scattered(cases, random);
      TestType const bins("bins", cases.size()), narrow_bins("values only", cases.size(), Terms::values);
      Kokkos::parallel_for(Kokkos::RangePolicy<Space>(space, 0, scattered.size()), [&, bins, narrow_bins](int j) {
        auto const bin = scattered.bin[j];
        T const x = cases[bin].terms[scattered.position[j]];
        bins.add(bin, x);
        narrow_bins.add(static_cast<std::uint8_t>(bin % 256) + static_cast<unsigned>(bin / 256) * 256u, x);
      });
      space.fence();
      check_all_bins(bins, cases);
      check_all_bins(narrow_bins, cases);
      bins.clear();
      EXAKT_CHECK_BITS(bins.round(0), T{0});
    });
  });
}

TEMPLATE_TEST_CASE("each bin is the exact sum of its products, rounded once, for every family", "", EXAKT_TEST_BINS) {
  using T = typename TestType::value_type;
  Random random(602);
  for_each_batch_of_dots<T>(20, 603, [&](auto const& cases) {
    Scattered const scattered(cases, random);
    TestType const bins("bins", cases.size());
    Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, scattered.size()), [&, bins](int j) {
      auto const bin = scattered.bin[j];
      auto const k = static_cast<std::size_t>(scattered.position[j]);
      bins.add_product(bin, cases[bin].terms.x[k], cases[bin].terms.y[k]);
    });
    Kokkos::fence();
    check_all_bins(bins, cases);
  });
}

TEMPLATE_TEST_CASE("the rounding mode and flush-to-zero of the threads change no bit", "", ScatterSum<double>,
                   ScatterSum<float>) {
  using T = typename TestType::value_type;
  Random random(604);
  auto const& cases = stored_sum_cases<T>(20, 601);
  Scattered const scattered(cases, random);
  for (auto const& environment : every_fp_environment()) {
    INFO(environment.name);
    TestType const bins("bins", cases.size());
    Kokkos::View<T*, Kokkos::HostSpace> const rounded("rounded", cases.size());
    std::vector<T> one_by_one(cases.size());
    {
      ScopedFpEnvironment const scope(environment, ScopedFpEnvironment::Threads::all);
      Kokkos::parallel_for(
          Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, scattered.size()),
          [&, bins](int j) { bins.add(scattered.bin[j], cases[scattered.bin[j]].terms[scattered.position[j]]); });
      Kokkos::fence();
      bins.round_to(rounded);
      for (std::size_t c = 0; c < cases.size(); ++c) one_by_one[c] = bins.round(c);
    }
    for (std::size_t c = 0; c < cases.size(); ++c) {
      EXAKT_CHECK_BITS(rounded(c), Expected<T>{cases[c].expected.round[0]});
      EXAKT_CHECK_BITS(one_by_one[c], Expected<T>{cases[c].expected.round[0]});
    }
  }
}

TEST_CASE("terms may be narrower numbers, integers, and whole accumulators of any kind") {
  ScatterSum<double> const bins("bins", 3);
  Exact exact;
  bins.add(1, 0.1f);
  exact.add(0.1f);
  bins.add(1L, -7);
  exact.add_integer(std::int64_t{-7});
  bins.add(std::uint8_t{1}, std::numeric_limits<std::uint64_t>::max());
  exact.add_integer(std::numeric_limits<std::uint64_t>::max());
  bins.add(1u, std::numeric_limits<std::int64_t>::lowest());
  exact.add_integer(std::numeric_limits<std::int64_t>::lowest());
  bins.add_product(1, 0.1f, 1e-300);
  exact.add_product(static_cast<double>(0.1f), 1e-300);
  bins.add_product(1, 3, 0x1p-1074);
  exact.add_product(3, 0x1p-1074);

  Exakt::DotAccumulator<double> dot;
  dot.add_product(0x1p-1074, -0x1p-1074);
  dot += 1e300;
  bins.add(1, dot);
  exact.subtract_product(0x1p-1074, 0x1p-1074).add(1e300);
  Exakt::Expansion<double, 4> expansion;
  expansion -= 1e300;
  expansion -= 0.3;
  bins.add(1, expansion);
  exact.subtract(1e300).subtract(0.3);
  Exakt::HighPrecision<3, 2> fixed(1e9);
  bins.add(1, fixed);
  exact.add(1e9);
  bins.add(1, bins.accumulator(0));
  for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(bins.round(1, mode), exact.round<double>(mode));
  EXAKT_CHECK_BITS(bins.round<float>(1), exact.round<float>());
  EXAKT_CHECK_BITS(bins.round(0), 0.0);
  EXAKT_CHECK_BITS(bins.round(2, Rounding::downward), -0.0);

  Exakt::SumAccumulator<double> infinite;
  infinite -= std::numeric_limits<double>::infinity();
  bins.add(2, infinite);
  EXAKT_CHECK_BITS(bins.round(2), -std::numeric_limits<double>::infinity());
  infinite += std::numeric_limits<double>::infinity();
  bins.add(0, infinite);
  EXAKT_CHECK(std::isnan(bins.round(0)));
}

TEMPLATE_TEST_CASE("special values, the same in every order", "", ScatterSum<double>, ScatterSum<float>) {
  using T = typename TestType::value_type;
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(),
              max = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min();
  TestType const bins("bins", 12);
  auto const add = [&](int bin, std::initializer_list<T> terms) {
    for (T const x : terms) bins.add(bin, x);
  };
  add(0, {infinity, 1, infinity});
  add(1, {infinity, max, -infinity});
  add(2, {1, -infinity});
  add(3, {nan, infinity});
  add(4, {max, max, -max});
  add(5, {max, max});
  add(6, {-T{0}, -T{0}});
  add(7, {tiny, -max, max});
  bins.add_product(8, T{0}, -infinity);
  bins.add_product(9, T{-2}, infinity);
  bins.add_product(10, tiny, tiny);
  bins.add_product(11, max, -max);
  T const expected[] = {infinity, nan, -infinity, nan, max, infinity, 0, tiny, nan, -infinity, 0, -infinity};
  for (int i = 0; i < 12; ++i) EXAKT_CHECK_BITS(bins.round(i), expected[i]);
  EXAKT_CHECK_BITS(bins.round(10, Rounding::upward), tiny);
  EXAKT_CHECK_BITS(bins.round(11, Rounding::toward_zero), -max);
}

TEMPLATE_TEST_CASE("merging adds bin by bin, into itself too, and across ranges", "", ScatterSum<double>,
                   (ScatterSum<double, Kokkos::HostSpace, 8>)) {
  Random random(605);
  constexpr int n = 100;
  TestType const a("a", n), b("b", n), values("c", n, Terms::values), window("window", n, ExponentRange{-60, 60});
  std::vector<Exact> exact(n), doubled(n);
  for (int j = 0; j < 5000; ++j) {
    int const i = random.between(0, n - 1), any = random.between(-1074, 1023), near = random.between(-7, 59);
    double const x = random.value<double>(any), y = random.value<double>(near);
    a.add(i, x);
    b.add(i, y);
    values.add(i, -x);
    window.add(i, y);
    exact[i].add(x).add(y).subtract(x).add(y);
  }
  a.merge(b);
  a.merge(values);
  ScatterSum<double, Kokkos::DefaultHostExecutionSpace, TestType::radix_bits> const other_space("other space", n);
  other_space.merge(window);
  a.merge(other_space);
  auto const check = [&] {
    for (int i = 0; i < n; ++i)
      for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(a.round(i, mode), exact[i].round<double>(mode));
  };
  check();
  for (int twice = 0; twice < 70; ++twice) {  // every digit of a bin is used up
    a.merge(a);
    for (Exact& sum : exact) sum.add(Exact(sum));
    if (twice % 10 == 0) check();
  }
  check();
  for (int twice = 0; twice < 5000; ++twice) a.merge(a);
  for (int i = 0; i < n; ++i) {
    double const infinity = std::numeric_limits<double>::infinity();
    EXAKT_CHECK_BITS(a.round(i), exact[i].is_zero() ? 0 : exact[i].is_negative() ? -infinity : infinity);
  }
}

TEMPLATE_TEST_CASE("a bin is read as an accumulator of the same value, however large", "", EXAKT_TEST_BINS) {
  using T = typename TestType::value_type;
  constexpr T largest = std::numeric_limits<T>::max();
  for (T const sign : {T{1}, T{-1}}) {
    TestType const bins("bins", 1);
    bins.add_product(0, sign * largest, largest);
    for (int doubled = 0; doubled < 150; ++doubled) {
      INFO(doubled);
      auto const sum = bins.accumulator(0);
      for (Rounding const mode : every_rounding)
        EXAKT_CHECK_BITS(sum.template round<double>(mode), bins.template round<double>(0, mode));
      if (doubled <= 50) {  // all bins hold that much
        double const size = std::min(std::ldexp(static_cast<double>(largest) * static_cast<double>(largest), doubled),
                                     std::numeric_limits<double>::max());
        EXAKT_CHECK_BITS(bins.template round<double>(0, Rounding::toward_zero), sign * size);
      }
      bins.merge(bins);
    }
    EXAKT_CHECK_BITS(bins.round(0, Rounding::toward_zero), sign * std::numeric_limits<T>::infinity());
  }
}

namespace {

ScatterSum<double> const* added_to = nullptr;
int additions = 0;

}  // namespace

TEST_CASE("what is added to bins while others are merged into them is not lost") {
  ScatterSum<double> const bins("bins", 1), other("other", 1);
  other.add(0, 1.0);
  Exact exact;
  exact.add(1.0);
  added_to = &bins;
  // Whenever the host copies anything, something comes to digits that nothing was added to before.
  Kokkos::Tools::Experimental::set_begin_deep_copy_callback(
      [](Kokkos_Profiling_SpaceHandle, char const*, void const*, Kokkos_Profiling_SpaceHandle, char const*, void const*,
         std::uint64_t) { added_to->add(0, std::ldexp(1.0, 112 * ++additions)); });
  bins.merge(other);
  Kokkos::Tools::Experimental::set_begin_deep_copy_callback(nullptr);
  for (int k = 1; k <= additions; ++k) exact.add(std::ldexp(1.0, 112 * k));
  EXAKT_CHECK_BITS(bins.round(0, Rounding::upward), exact.round<double>(Rounding::upward));
}

TEMPLATE_TEST_CASE("half and bfloat16, neither of which holds the other, are added to each other", "",
                   (std::pair<Half, Bfloat>), (std::pair<Bfloat, Half>)) {
  using T = typename TestType::first_type;
  using R = typename TestType::second_type;
  constexpr int lowest = Exakt::FloatFormat<T>::lsb_exponent;
  ScatterSum<T> const bins("bins", 3, ExponentRange{lowest, lowest + 11});
  bins.add(1, T{1});                                       // the smallest number
  bins.subtract(2, T{Exakt::FloatFormat<T>::hidden_bit});  // the smallest normal one
  auto const largest = static_cast<std::uint16_t>(Exakt::FloatFormat<R>::largest - 1);
  Kokkos::View<R*, Kokkos::HostSpace> const result("result", 3);
  for (Rounding const mode : every_rounding) {
    Kokkos::deep_copy(result, R{largest});
    bins.add_to(result, mode);
    EXAKT_CHECK(result(0).bits == largest);
    EXAKT_CHECK(result(1).bits == largest + (mode == Rounding::upward ? 1 : 0));
    EXAKT_CHECK(result(2).bits == largest - (mode == Rounding::downward || mode == Rounding::toward_zero ? 1 : 0));
  }
}

TEST_CASE("bins of a bounded range are small and exact within it, and have room for 2^64 terms") {
  Random random(606);
  for (auto const range : {ExponentRange{-60, 60}, ExponentRange{-1074, -1000}, ExponentRange{900, 1024},
                           ExponentRange{0, 53}, ExponentRange{-5, 1}}) {
    INFO(range.lowest << " to " << range.highest);
    ScatterSum<double> const bins("bounded", 2, range), all("all", 2);
    CHECK(bins.range() == range);
    CHECK(bins.memory() < all.memory() / 10);
    Exact exact;
    for (int i = 0; i < 1000; ++i) {
      int const bits = random.between(1, std::min(53, range.highest - range.lowest)),
                shift = random.between(0, range.highest - range.lowest - bits);
      double const magnitude =
                       std::ldexp(static_cast<double>((random.bits() >> (64 - bits)) | 1), range.lowest + shift),
                   x = random.coin() ? magnitude : -magnitude;
      bins.add(1, x);
      exact.add(x);
    }
    EXAKT_CHECK_BITS(bins.round(1), exact.round<double>());
    double const largest = std::nextafter(std::ldexp(1.0, range.highest - 1), 0.0);  // 2^1024 is no double
    double const fits = std::ldexp(std::trunc(std::ldexp(largest, -range.lowest)), range.lowest);
    bins.clear();
    bins.add(1, -fits);
    exact = Exact().subtract(fits);
    for (int i = 0; i < 63; ++i) {
      bins.merge(bins);
      exact.add(Exact(exact));
      EXAKT_CHECK_BITS(bins.round(1, Rounding::toward_zero), exact.round<double>(Rounding::toward_zero));
    }
  }
  Kokkos::View<double*, Kokkos::HostSpace> const data("data", 2);
  data(0) = 0.75;
  data(1) = -40;
  ScatterSum<double> const chosen("chosen", 1, Exakt::exponent_range(data));
  chosen.add(0, data(0));
  chosen.add(0, data(1));
  EXAKT_CHECK_BITS(chosen.round(0), -39.25);
}

namespace {

/// One way to bin 1, alone with new bins: nothing else has told where there is something to be read.
template <int radix_bits>
void check_way(char const* name, auto const& add, auto const& add_exactly) {
  INFO(name << ", radix " << radix_bits);
  using Bins = ScatterSum<double, Kokkos::HostSpace, radix_bits>;
  Bins const bins("bins", 3);
  add(bins);
  Exact exact;
  add_exactly(exact);
  Kokkos::View<double*, Kokkos::HostSpace> const values("values", 3);
  for (Rounding const mode : every_rounding) {
    EXAKT_CHECK_BITS(bins.round(1, mode), exact.round<double>(mode));
    EXAKT_CHECK_BITS(bins.accumulator(1).template round<double>(mode), exact.round<double>(mode));
    bins.round_to(values, mode);
    EXAKT_CHECK_BITS(values(1), exact.round<double>(mode));
  }
  Bins const merged("merged", 3), doubled("doubled", 3);
  merged.merge(bins);
  EXAKT_CHECK_BITS(merged.round(1), exact.round<double>());
  Exact twice;
  add_exactly(twice);
  add_exactly(twice);
  doubled.merge(bins);
  doubled.merge(doubled);
  EXAKT_CHECK_BITS(doubled.round(1), twice.round<double>());
  auto resized = merged;
  resized.resize(2);
  EXAKT_CHECK_BITS(resized.round(1), exact.round<double>());

  bins.clear();
  // Something everywhere, so that what was left behind would be read.
  for (double const x : {0x1p-1074, 0x1p1023}) {
    bins.add_product(0, x, x);
    bins.subtract_product(0, x, x);
  }
  bins.add(0, std::numeric_limits<double>::infinity());
  EXAKT_CHECK_BITS(bins.round(1, Rounding::downward), -0.0);
  EXAKT_CHECK_BITS(bins.round(2, Rounding::downward), -0.0);
}

void check_way(char const* name, auto const& add, auto const& add_exactly) {
  check_way<56>(name, add, add_exactly);
  check_way<8>(name, add, add_exactly);
}

}  // namespace

TEST_CASE("each way to a bin tells where it is to be read, merged, resized and cleared") {
  for (double const x : {1.5, -0x1.8p-1074, -0x1.fffffffffffffp-1030, 0x1.0000000000001p1000, 0x1p-1022, 0x1.8p1023}) {
    check_way(
        "a term", [=](auto const& bins) { bins.add(1, x); }, [=](Exact& exact) { exact.add(x); });
    check_way(
        "a product", [=](auto const& bins) { bins.add_product(1, x, x); },
        [=](Exact& exact) { exact.add_product(x, x); });
    check_way(
        "a sum",
        [=](auto const& bins) {
          Exakt::DotAccumulator<double> sum;
          sum.add_product(x, x);
          sum += x;
          bins.add(1, sum);
        },
        [=](Exact& exact) { exact.add_product(x, x).add(x); });
    check_way(
        "an assignment",
        [=](auto const& bins) {
          using Sum = typename std::decay_t<decltype(bins)>::accumulator_type;
          Kokkos::View<Sum*, Kokkos::HostSpace> const sums("sums", 1);
          sums(0) += x;
          bins.assign(1, sums);
        },
        [=](Exact& exact) { exact.add(x); });
  }
  check_way(
      "an integer", [](auto const& bins) { bins.add(1, std::numeric_limits<std::int64_t>::lowest()); },
      [](Exact& exact) { exact.add_integer(std::numeric_limits<std::int64_t>::lowest()); });
  check_way(
      "a narrower number", [](auto const& bins) { bins.add(1, 0x1.8p-149f); },
      [](Exact& exact) { exact.add(0x1.8p-149f); });
  check_way(
      "an infinity", [](auto const& bins) { bins.add(1, std::numeric_limits<double>::infinity()); },
      [](Exact& exact) { exact.add(std::numeric_limits<double>::infinity()); });
  // Carries into planes that no term is in: the first ones to go round are those of 2^63 units of a digit.
  for (double const x : {0x1.fffffffffffffp60, -0x1.fffffffffffffp60, 0x1.fffffffffffffp-3}) {
    check_way(
        "carries",
        [=](auto const& bins) {
          for (int k = 0; k < 3000; ++k) bins.add(1, x);
        },
        [=](Exact& exact) {
          for (int k = 0; k < 3000; ++k) exact.add(x);
        });
  }
}

TEST_CASE("assigned sums leave nothing of what their bins held") {
  ScatterSum<double> const bins("bins", 4);
  double const infinity = std::numeric_limits<double>::infinity();
  for (double const x : {infinity, 0x1p1000, 0x1p-1074})
    for (int i = 0; i < 4; ++i) bins.add(i, x);
  Kokkos::View<decltype(bins)::accumulator_type*, Kokkos::HostSpace> const sums("sums", 2);
  sums(1) += 1.5;
  bins.assign(1, sums);
  double const expected[] = {infinity, -0.0, 1.5, infinity};
  for (int i = 0; i < 4; ++i) EXAKT_CHECK_BITS(bins.round(i, Rounding::downward), expected[i]);
}

TEST_CASE("terms become usual in any order, and what is not usual stays right") {
  ExponentRange const range{-60, 40};
  ScatterSum<double> const bins("bins", 1, range);
  Exact exact;
  Random random(605);
  for (int k = 0; k < 4000; ++k) {
    double const x = k % 17 == 0 ? 0.0 : random.value<double>(random.between(-8, 39));
    bins.add(0, x);
    exact.add(x);
    if (k % 500 == 499) {
      for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(bins.round(0, mode), exact.round<double>(mode));
    }
  }
  // Beyond the usual ones, at both ends of the range.
  for (int k = 0; k < 2; ++k) bins.add(0, 0x1p40);
  CHECK(refusal_of([&] { bins.round(0); }).find("2 additions to \"bins\" did not fit") != std::string::npos);
  bins.clear();
  for (int k = 0; k < 2; ++k) bins.add(0, 0x1.0000000000001p-9);
  CHECK(refusal_of([&] { bins.round(0); }).find("2 additions to \"bins\" did not fit") != std::string::npos);
}

TEST_CASE("a copy shares the bins, results may be strided, and no bins are no error") {
  ScatterSum<double> bins, copy;
  CHECK(bins.size() == 0);
  bins.clear();
  bins = ScatterSum<double>("two", 2);
  copy = bins;
  copy.add(0, 3.0);
  EXAKT_CHECK_BITS(bins.round(0), 3.0);
  CHECK(copy.name() == "two");

  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const matrix("matrix", 2, 3);
  bins.round_to(Kokkos::subview(matrix, Kokkos::ALL, 1));
  EXAKT_CHECK_BITS(matrix(0, 1), 3.0);
  EXAKT_CHECK_BITS(matrix(1, 1), 0.0);
  EXAKT_CHECK_BITS(matrix(0, 0), 0.0);
  bins.round_to(Kokkos::DefaultHostExecutionSpace(), Kokkos::subview(matrix, Kokkos::ALL, 2), Rounding::downward);
  EXAKT_CHECK_BITS(matrix(1, 2), -0.0);

  ScatterSum<double> const none("none", 0);
  none.merge(none);
  none.clear();
  none.round_to(Kokkos::View<double*, Kokkos::HostSpace>("none", 0));
}
