// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>
#include <ExaktBlas.hpp>

#include <cmath>

#include "ExaktTest_Device.hpp"
#include "ExaktTest_Refusal.hpp"

// Reductions in the default execution space: the same bits as the oracle, on whatever it is.

namespace {

using namespace ExaktTest;

template <class Accumulator>
struct AddNumber {
  DeviceVector<double> x;
  KOKKOS_FUNCTION void operator()(int i, Accumulator& sum) const { sum += x(i); }
};

template <class Accumulator>
struct AddProduct {
  DeviceVector<double> x, y;
  KOKKOS_FUNCTION void operator()(int i, Accumulator& sum) const { sum.add_product(x(i), y(i)); }
};

template <class Accumulator>
double reduced(DeviceVector<double> const& x) {
  Accumulator sum;
  Kokkos::parallel_reduce("test", Kokkos::RangePolicy<Device>(0, static_cast<int>(x.extent(0))),
                          AddNumber<Accumulator>{x}, Exakt::Reducer<Accumulator>(sum));
  return sum.round();
}

/// r(i) := s(i) rounded; then s(0) := the sum of all s(i), less s(1) twice.
template <class Accumulator>
struct MergeAccumulators {
  DeviceVector<Accumulator> s;
  DeviceVector<double> r;
  KOKKOS_FUNCTION void operator()(int) const {
    int const n = static_cast<int>(s.extent(0));
    for (int i = 0; i < n; ++i) r(i) = s(i).round();
    for (int i = 1; i < n; ++i) s(0) += s(i);
    s(0) -= s(1);
    s(0) -= s(1);
  }
};

struct TeamResults {
  DeviceVector<double> x, y, results;
  KOKKOS_FUNCTION void operator()(Kokkos::TeamPolicy<Device>::member_type const& member) const {
    double const sum = Exakt::team_sum(member, x), dot = Exakt::team_dot(member, x, y),
                 nrm2 = Exakt::team_nrm2(member, x);
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      results(0) = sum;
      results(1) = dot;
      results(2) = nrm2;
    });
  }
};

struct Number {
  DeviceVector<double> x;
  KOKKOS_FUNCTION double operator()(int i) const { return x(i); }
};
struct Entry {
  DeviceVector<double> x;
  KOKKOS_FUNCTION double operator()(int i, int j) const { return x(60 * i + j); }
};
struct Pair {
  DeviceVector<double> x, y;
  KOKKOS_FUNCTION Kokkos::pair<double, double> operator()(int i) const { return {x(i), y(i)}; }
};

/// Sums of `count` keys, each `distance` above the one before.
template <class Key>
void check_keys(Random& random, int distance, int count) {
  INFO(count << " keys of " << sizeof(Key) << " bytes, " << distance << " apart");
  auto const key_of = [=](int k) { return static_cast<Key>(distance * (k - count / 2)); };
  std::vector<Key> keys;
  std::vector<double> const terms = numbers(random, 20'000, 30);
  std::vector<std::vector<double>> of_key(static_cast<std::size_t>(count));
  for (double const term : terms) {
    int const i = static_cast<int>(keys.size()), k = i < count ? count - 1 - i : random.between(0, count - 1);
    keys.push_back(key_of(k));
    of_key[static_cast<std::size_t>(k)].push_back(term);
  }
  auto const key_count = static_cast<std::size_t>(count);
  DeviceVector<Key> const unique("unique", key_count + 5);
  DeviceVector<double> const sums("sums", key_count + 5);
  REQUIRE(Exakt::sum_by_key(on_device(keys), on_device(terms), unique, sums) == key_count);
  auto const found = on_host(unique);
  auto const of_found = on_host(sums);
  for (std::size_t k = 0; k < key_count; ++k) {
    EXAKT_CHECK(found[k] == key_of(static_cast<int>(k)));
    EXAKT_CHECK_BITS(of_found[k], exact_sum(of_key[k]).template round<double>());
  }
  DeviceVector<double> const too_short("sums", key_count - 1);
  std::string const refusal =
      refusal_of([&] { Exakt::sum_by_key(on_device(keys), on_device(terms), unique, too_short); });
  CHECK(refusal.find("there are " + std::to_string(count) + " different keys") != std::string::npos);
}

}  // namespace

TEST_CASE("device: sums, norms, means and dots of any length and range") {
  Random random(5101);
  for (std::size_t const n : {std::size_t{1}, std::size_t{31}, std::size_t{1000}, std::size_t{300'000}}) {
    for (int const binades : {5, 60, 150, 500}) {
      INFO("n = " << n << ", 2^" << -binades << " to 2^" << binades);
      auto const a = numbers(random, n, binades), b = numbers(random, n, binades);
      auto const x = on_device(a), y = on_device(b);
      std::vector<double> magnitudes;
      for (double const entry : a) magnitudes.push_back(std::fabs(entry));
      auto const sum = exact_sum(a), squares = exact_dot(a, a);
      auto const dot = exact_dot(a, b);
      EXAKT_CHECK_BITS(Exakt::sum(x), sum.round<double>());
      EXAKT_CHECK_BITS(Exakt::nrm1(x), exact_sum(magnitudes).round<double>());
      EXAKT_CHECK_BITS(Exakt::mean(x), sum.round_quotient<double>(static_cast<std::int64_t>(n)));
      EXAKT_CHECK_BITS(Exakt::nrm2(x), squares.round_sqrt<double>());
      EXAKT_CHECK_BITS(Exakt::nrm2_squared(x), squares.round<double>());
      EXAKT_CHECK_BITS(Exakt::dot(x, y), dot.round<double>());
      Kokkos::View<double, Device> const r("r");
      Exakt::dot(r, x, y);
      EXAKT_CHECK_BITS(on_host(r)[0], dot.round<double>());
    }
  }
}

TEST_CASE("device: what cannot be summed by extraction") {
  double const huge = 0x1.fffffffffffffp1023, tiny = 0x1p-1074, infinity = HUGE_VAL;
  auto const check = [](std::vector<double> const& terms) {
    EXAKT_CHECK_BITS(Exakt::sum(on_device(terms)), exact_sum(terms).round<double>());
    EXAKT_CHECK_BITS(Exakt::dot(on_device(terms), on_device(terms)), exact_dot(terms, terms).round<double>());
  };
  check({huge, huge, -huge});
  check({1, tiny, -1});
  check({huge, tiny, -huge, 1});
  check({infinity, 1});
  check({infinity, -infinity});
  check({0, infinity});
  check({-0.0, -0.0});
}

TEST_CASE("device: a result for each column") {
  Random random(5102);
  auto const entries = numbers(random, 500 * 7, 40);
  auto const check = [&](auto const& A) {
    DeviceVector<double> const r("r", 7);
    Exakt::sum(r, A);
    auto const sums = on_host(r);
    Exakt::nrm2(r, A);
    auto const norms = on_host(r);
    for (std::size_t j = 0; j < 7; ++j) {
      std::vector<double> const column(entries.begin() + static_cast<std::ptrdiff_t>(500 * j),
                                       entries.begin() + static_cast<std::ptrdiff_t>(500 * (j + 1)));
      EXAKT_CHECK_BITS(sums[j], exact_sum(column).round<double>());
      EXAKT_CHECK_BITS(norms[j], exact_dot(column, column).round_sqrt<double>());
    }
  };
  check(on_device<Kokkos::LayoutLeft>(entries, 500));
  check(on_device<Kokkos::LayoutRight>(entries, 500));

  // Of nothing.
  DeviceMatrix<double> const no_rows("no rows", 0, 3);
  DeviceVector<double> const r = on_device(std::vector<double>(3, 7));
  Exakt::sum(r, no_rows);
  for (double const sum : on_host(r)) EXAKT_CHECK_BITS(sum, 0.0);
  Exakt::mean(r, no_rows);
  for (double const mean : on_host(r)) CHECK(std::isnan(mean));
  Kokkos::View<double, Device> const one("one");
  Exakt::nrm2(one, DeviceVector<double>("nothing", 0));
  EXAKT_CHECK_BITS(on_host(one)[0], 0.0);
}

TEST_CASE("device: every accumulator in parallel_reduce") {
  Random random(5103);
  auto const a = numbers(random, 10'000, 30), b = numbers(random, 10'000, 30);
  auto const x = on_device(a), y = on_device(b);
  auto const sum = exact_sum(a).round<double>();
  EXAKT_CHECK_BITS(reduced<Exakt::SumAccumulator<double>>(x), sum);
  EXAKT_CHECK_BITS(reduced<Exakt::DotAccumulator<double>>(x), sum);
  EXAKT_CHECK_BITS((reduced<Exakt::LongAccumulator<double>>(x)), sum);
  EXAKT_CHECK_BITS((reduced<Exakt::LongAccumulator<double, 32>>(x)), sum);
  EXAKT_CHECK_BITS((reduced<Exakt::Expansion<double, 4, true>>(x)), sum);
  EXAKT_CHECK_BITS((reduced<Exakt::HighPrecision<8, 4>>(x)), sum);
  EXAKT_CHECK_BITS((reduced<Exakt::Hallberg<10, 38>>(x)), sum);
  using Dot = Exakt::DotAccumulator<double>;
  Dot dot;
  Kokkos::parallel_reduce("test", Kokkos::RangePolicy<Device>(0, 10'000), AddProduct<Dot>{x, y},
                          Exakt::ExactDot<double>(dot));
  EXAKT_CHECK_BITS(dot.round(), exact_dot(a, b).round<double>());
}

TEMPLATE_TEST_CASE("device: accumulators that the host has filled are whole there, and on the way back", "",
                   Exakt::SumAccumulator<double>, Exakt::DotAccumulator<double>, Exakt::SumAccumulator<float>) {
  Random random(5105);
  int const n = 40;
  DeviceVector<TestType> const there("s", n);
  auto const here = Kokkos::create_mirror_view(there);
  std::vector<Exact> sums(n);
  for (int i = 0; i < n; ++i) {
    TestType sum;
    // Some are in the digits, some in the buffer, some in an extraction.
    for (int k = random.between(0, 300); k > 0; --k) {
      auto const x = random.value<float>(random.between(-30, 30)), y = random.value<float>(random.between(-30, 30));
      if constexpr (std::is_same_v<TestType, Exakt::DotAccumulator<double>>) {
        sum.add_product(x, y);
        sums[static_cast<std::size_t>(i)].add_product(x, y);
      } else {
        sum += x;
        sums[static_cast<std::size_t>(i)].add(x);
      }
    }
    here(i) = sum;
  }
  Kokkos::deep_copy(there, here);
  DeviceVector<double> const rounded("r", n);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(0, 1), MergeAccumulators<TestType>{there, rounded});
  Kokkos::deep_copy(here, there);
  auto const results = on_host(rounded);
  using T = std::decay_t<decltype(here(0).round())>;
  Exact total;
  for (std::size_t i = 0; i < n; ++i) {
    EXAKT_CHECK_BITS(static_cast<T>(results[i]), sums[i].round<T>());
    if (i != 1) total.add(sums[i]);
  }
  sums[1].negate();
  total.add(sums[1]);
  EXAKT_CHECK_BITS(here(0).round(), total.round<T>());
}

TEST_CASE("device: sums of a function, and by a team") {
  Random random(5104);
  auto const a = numbers(random, 3'000, 30), b = numbers(random, 3'000, 30);
  auto const x = on_device(a), y = on_device(b);
  auto const sum = exact_sum(a).round<double>(), dot = exact_dot(a, b).round<double>();
  Kokkos::RangePolicy<Device> const range(0, 3'000);
  EXAKT_CHECK_BITS(Exakt::transform_sum(range, Number{x}), sum);
  EXAKT_CHECK_BITS(Exakt::transform_sum(Kokkos::MDRangePolicy<Device, Kokkos::Rank<2>>({0, 0}, {50, 60}), Entry{x}),
                   sum);
  EXAKT_CHECK_BITS(Exakt::transform_dot(range, Pair{x, y}), dot);
  if constexpr (std::is_same_v<Device, Kokkos::DefaultExecutionSpace>) {
    EXAKT_CHECK_BITS(Exakt::transform_sum(3'000, Number{x}), sum);
    EXAKT_CHECK_BITS(Exakt::transform_dot(3'000, Pair{x, y}), dot);
  }
  DeviceVector<double> const results("results", 3);
  Kokkos::parallel_for("test", Kokkos::TeamPolicy<Device>(1, Kokkos::AUTO), TeamResults{x, y, results});
  auto const seen = on_host(results);
  EXAKT_CHECK_BITS(seen[0], sum);
  EXAKT_CHECK_BITS(seen[1], dot);
  EXAKT_CHECK_BITS(seen[2], exact_dot(a, a).round_sqrt<double>());
}

TEST_CASE("device: prefixes have the bits of those of the host, in place and not") {
  Random random(5111);
  constexpr std::size_t n = is_emulated ? 70'000 : 300'000;  // more than one block of 256 chunks of 256
  auto easy = numbers(random, n, 5), tied = std::vector<double>(n), cancelling = easy, special = easy;
  // A few that no enclosure decides, or half of all.
  tied[0] = 1;
  for (std::size_t i = 1; i + 4 < n; i += n / 50) {
    tied[i] = 0x1p-53;
    tied[i + 1] = 0x1p-200;
    tied[i + 2] = -0x1p-200;
    tied[i + 3] = -0x1p-53;
  }
  cancelling[0] = 0x1p1000;
  cancelling[1] = 0x1p600;
  cancelling[n / 2] = -0x1p1000;
  cancelling[n / 2 + 1] = -0x1p600;
  special[n / 3] = HUGE_VAL;
  using Here = Kokkos::DefaultHostExecutionSpace;
  for (auto const& terms :
       {easy, numbers(random, n, 500), tied, cancelling, special, {easy.begin(), easy.begin() + 1000}}) {
    Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const x(terms.data(), terms.size());
    Kokkos::View<double*, Kokkos::HostSpace> const inclusive("inclusive", x.extent(0)),
        exclusive("exclusive", x.extent(0));
    Exakt::inclusive_scan(Here(), x, inclusive);
    Exakt::exclusive_scan(Here(), x, exclusive);
    auto const check = [&](DeviceVector<double> const& there, auto const& expected) {
      auto const entries = on_host(there);
      std::size_t same = 0;
      while (same < terms.size() && same_bits(entries[same], expected(same))) ++same;
      CHECK(same == terms.size());
    };
    auto const y = on_device(terms), z = on_device(terms);
    DeviceVector<double> const r("r", terms.size());
    Exakt::inclusive_scan(y, r);
    check(r, inclusive);
    Exakt::exclusive_scan(y, r);
    check(r, exclusive);
    Exakt::inclusive_scan(y, y);
    check(y, inclusive);
    Exakt::exclusive_scan(z, z);
    check(z, exclusive);
  }
}

TEST_CASE("device: segments of any length, and keys") {
  Random random(5110);
  // A lane, a thread or a team for each, by their mean length; some cancel, some have a wide range.
  for (int const length : {3, 40, 3000}) {
    INFO("segments of " << length);
    std::vector<int> offsets{0};
    std::vector<double> terms;
    for (int s = 0; s < 60; ++s) {
      std::size_t const begin = terms.size();
      for (int k = random.between(0, 2 * length); k > 0; --k)
        terms.push_back(random.value<double>(s % 7 == 0 ? random.between(-900, 900) : random.between(-3, 3)));
      if (s % 5 == 0)
        for (std::size_t i = begin, end = terms.size(); i < end; ++i) terms.push_back(-terms[i]);
      offsets.push_back(static_cast<int>(terms.size()));
    }
    if (length == 40) terms[0] = std::numeric_limits<double>::infinity();
    DeviceVector<double> const r("r", 60);
    Exakt::segmented_sum(on_device(offsets), on_device(terms), r);
    auto const sums = on_host(r);
    for (std::size_t s = 0; s < 60; ++s)
      EXAKT_CHECK_BITS(sums[s],
                       exact_sum(std::vector<double>(terms.begin() + offsets[s], terms.begin() + offsets[s + 1]))
                           .template round<double>());
  }
  // Keys that can be numbered have an accumulator each, others do not.
  for (auto const& [distance, count] : std::vector<std::pair<int, int>>{{1, 20}, {397, 5000}, {100'000'000, 20}})
    check_keys<int>(random, distance, count);
  check_keys<signed char>(random, 12, 20);
  check_keys<short>(random, 397, 100);
}
