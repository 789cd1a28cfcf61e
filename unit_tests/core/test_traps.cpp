// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Binned.hpp>
#include <Exakt_Expansion.hpp>
#include <Exakt_Hallberg.hpp>
#include <Exakt_HighPrecision.hpp>
#include <Exakt_Serialization.hpp>
#include <Exakt_transform_sum.hpp>

#include "ExaktTest_AccumulatorContract.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Traps.hpp"

#include <cmath>

namespace {

using namespace ExaktTest;
using Exakt::Binned;
using Exakt::Expansion;
using Exakt::Hallberg;
using Exakt::HighPrecision;
using Exakt::LongAccumulator;

/// What an accumulator answers after each of the things that can be done to it, as bits.
template <class A, class T>
std::vector<std::uint64_t> script(std::vector<T> const& terms, T largest) {
  std::vector<std::uint64_t> results;
  auto const note = [&](A const& sum) {
    for (Rounding const mode : every_rounding) {
      results.push_back(Exakt::Impl::bits_of(sum.round(mode)));
      results.push_back(Exakt::Impl::bits_of(sum.template round<float>(mode)));
      results.push_back(Exakt::Impl::bits_of(sum.round_sqrt(mode)));
      results.push_back(Exakt::Impl::bits_of(sum.round_quotient(terms.size(), mode)));
      results.push_back(Exakt::Impl::bits_of(sum.round_quotient(largest, mode)));
    }
    results.push_back(static_cast<std::uint64_t>(sum.is_nan() + 2 * sum.is_finite()));
    if constexpr (Exakt::Impl::is_exact_sum<A>) {
      auto const bytes = Exakt::to_bytes(sum);
      for (std::byte const byte : bytes) results.push_back(static_cast<std::uint64_t>(byte));
      results.push_back(Exakt::from_bytes<A>(bytes.data(), bytes.size()) == sum);
    }
    if constexpr (Exakt::Impl::tells_losses<A>) {
      auto const status = sum.status();
      auto const narrow = sum.template status<float>();
      for (bool const flag :
           {sum.is_overflowed(), sum.is_inexact(), status.term_overflowed, status.term_underflowed,
            status.sum_overflowed, status.result_overflowed, status.result_underflowed, narrow.result_overflowed}) {
        results.push_back(flag);
      }
    }
  };
  A sum, negated, even, odd;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    sum += terms[i];
    negated -= terms[i];
    (i % 2 == 0 ? even : odd) += terms[i];
  }
  note(sum);
  note(negated);
  even += odd;
  note(even);
  results.push_back(even == sum);
  even += T{3};
  even -= T{2};
  even += 0.1f;
  note(even);
  if constexpr (Exakt::Impl::is_exact_sum<A>) {
    even -= sum;
    note(even);
    auto other = A().normalized();
    even += other += terms.empty() ? T{1} : terms[0];
    note(even);
    sum += sum;
    note(sum);
  }
  if constexpr (Exakt::Impl::tells_losses<A>) {
    A by_value, by_comparison;
    for (T const x : terms) {
      Exakt::atomic_add(&by_value, x);
      Exakt::atomic_add<Exakt::CompareAndSwap>(&by_comparison, x);
    }
    Exakt::atomic_add(&by_value, even);
    Exakt::atomic_add<Exakt::CompareAndSwap>(&by_comparison, sum);
    note(by_value);
    note(by_comparison);
  } else if constexpr (!Exakt::Impl::is_exact_sum<A>) {
    A atomic(largest);
    for (T const x : terms) Exakt::atomic_add(&atomic, x);
    note(atomic);
  }
  return results;
}

}  // namespace

TEMPLATE_TEST_CASE("no setting of the control word changes a bit of an accumulator, and no exception is trapped", "",
                   LongAccumulator<double>, (LongAccumulator<float, 24>), (Expansion<double, 2>),
                   (Expansion<double, 5, true>), (Expansion<float, 3>), (HighPrecision<34, 17>), (HighPrecision<2, 1>),
                   (Hallberg<44, 52>), (Hallberg<4, 30>), Binned<double>, (Binned<float, 4>)) {
  using T = typename TestType::value_type;
  constexpr T max = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min();
  auto const check = [](std::vector<T> const& terms) {
    T largest = 0;
    for (T const x : terms)
      if (std::isfinite(x) && std::abs(x) > std::abs(largest)) largest = x;
    auto const expected = script<TestType>(terms, largest);
    for (auto const& environment : every_fp_environment()) {
      std::vector<std::uint64_t> hostile, trapped;
      {
        ScopedFpEnvironment const scope(environment);
        hostile = script<TestType>(terms, largest);
        ScopedTraps const traps;
        trapped = script<TestType>(terms, largest);
      }
      INFO(environment.name);
      EXAKT_CHECK(hostile == expected);
      EXAKT_CHECK(trapped == expected);
    }
  };
  check({max, max, -max});
  check({max, max, max, tiny, -max, -max, -max});
  check({-max, -max, -max});
  check({tiny, tiny, -T{3}, T{3}});
  check({});
  for (auto const& test : stored_sum_cases<T>(2, 290)) {
    INFO(test.family << ", " << test.terms.size() << " terms");
    check(test.terms);
  }
}

TEST_CASE("transform_sum traps nothing where a part of the sum overflows, or the bound of an enclosure is subnormal") {
  constexpr int n = 1 << 16;
  using Range = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;
  double cancelling = 1, subnormal = 0;
  {
    ScopedTraps const traps;
    cancelling = Exakt::transform_sum(Range(0, n), [](int i) { return i < n / 2 ? 0x1p1010 : -0x1p1010; });
    subnormal = Exakt::transform_sum(Range(0, n), [](int) { return 7 * 0x1p-1074; });
  }
  EXAKT_CHECK_BITS(cancelling, 0.0);
  EXAKT_CHECK_BITS(subnormal, 7 * 0x1p-1058);
}
