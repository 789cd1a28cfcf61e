// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Expansion.hpp>
#include <Exakt_transform_dot.hpp>
#include <Exakt_transform_sum.hpp>
#include <numerics/Exakt_Environment.hpp>
#include <parallel/Exakt_Loop.hpp>

#include <new>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Oracle.hpp"

namespace {

using namespace ExaktTest;
using AllThreads = ScopedFpEnvironment::Threads;

/// Threads of `space` that do not compute under these settings.
template <class Space>
int threads_without(Space space, FpSettings const& settings) {
  int count = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space>(0, 64 * space.concurrency()),
      [&](int, int& others) { others += !fp_settings_are_active(settings); }, count);
  return count;
}

}  // namespace

TEST_CASE("the guard tells the default environment from each hostile one") {
  for (auto const& environment : every_fp_environment()) {
    INFO(environment.name);
    bool is_default;
    {
      ScopedFpEnvironment const scope(environment);
      is_default = Exakt::Impl::fp_environment_is_default();
    }
    CHECK(is_default == environment.is_default());
  }
}

#if defined(__SSE2__)
TEST_CASE(
    "flush-to-zero, denormals-are-zero and each unmasked exception are noticed one by one, and exception flags are not "
    "taken for them") {
  auto const saved = __builtin_ia32_stmxcsr();
  auto const guard_under = [&](unsigned bits) {
    __builtin_ia32_ldmxcsr(saved ^ bits);
    bool const is_default = Exakt::Impl::fp_environment_is_default();
    __builtin_ia32_ldmxcsr(saved);
    return is_default;
  };
  CHECK(guard_under(0));
  CHECK_FALSE(guard_under(0x8000));
  CHECK_FALSE(guard_under(0x0040));
  CHECK_FALSE(guard_under(0x2000));
  CHECK_FALSE(guard_under(0x4000));
  CHECK_FALSE(guard_under(0x6000));
  for (unsigned mask = 0x0080; mask <= 0x1000; mask *= 2) CHECK_FALSE(guard_under(mask));
  CHECK(guard_under(~saved & 0x003f));
}
#endif

TEST_CASE("hostile settings on every thread change no bit of any result, and are left as they were") {
  for_each_host_space([](auto space) {
    using Space = decltype(space);
    Random random(440);
    std::vector<std::vector<double>> arrays;
    std::vector<ProductTerms<double>> dots;
    for (auto const& family : short_families<double>()) arrays.push_back(family.make(random));
    for (auto const& family : long_families<double>()) arrays.push_back(family.make(random));
    for (auto const& family : short_product_families<double>()) dots.push_back(family.make(random));
    for (auto const& family : long_product_families<double>()) dots.push_back(family.make(random));

    for (auto const& environment : every_fp_environment()) {
      INFO(environment.name);
      std::vector<double> sums, reduced, expanded, expanded_at_once, products;
      std::vector<float> narrow;
      int strangers_before = 0, strangers_after = 0;
      {
        ScopedFpEnvironment const scope(environment, AllThreads::all);
        strangers_before = threads_without(space, environment);
        for (auto const& terms : arrays) {
          double const* const x = terms.data();
          sums.push_back(Exakt::transform_sum(space, terms.size(), [=](std::size_t i) { return x[i]; }));
          Exakt::SumAccumulator<double> sum;
          Kokkos::parallel_reduce(
              Kokkos::RangePolicy<Space>(0, terms.size()),
              [=](std::size_t i, Exakt::SumAccumulator<double>& partial) { partial += x[i]; },
              Exakt::ExactSum<double>(sum));
          reduced.push_back(sum.round());
          narrow.push_back(sum.round<float>());
          Exakt::Expansion<double, 4> expansion;
          Kokkos::parallel_reduce(
              Kokkos::RangePolicy<Space>(0, terms.size()),
              [=](std::size_t i, Exakt::Expansion<double, 4>& partial) { partial += x[i]; },
              Exakt::Reducer<Exakt::Expansion<double, 4>>(expansion));
          expanded.push_back(expansion.round());
          expansion.clear();
          expansion.add(x, terms.size());
          expanded_at_once.push_back(expansion.round());
        }
        for (auto const& terms : dots) {
          double const *const x = terms.x.data(), *const y = terms.y.data();
          products.push_back(Exakt::transform_dot(
              space, terms.size(), [=](std::size_t i) { return Kokkos::pair<double, double>(x[i], y[i]); }));
        }
        strangers_after = threads_without(space, environment);
      }
      CHECK(strangers_before == 0);
      CHECK(strangers_after == 0);
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        Exact const exact = exact_sum(arrays[i]);
        EXAKT_CHECK_BITS(sums[i], exact.round<double>());
        EXAKT_CHECK_BITS(reduced[i], exact.round<double>());
        EXAKT_CHECK_BITS(expanded[i], exact.round<double>());
        EXAKT_CHECK_BITS(expanded_at_once[i], exact.round<double>());
        EXAKT_CHECK_BITS(narrow[i], exact.round<float>());
      }
      for (std::size_t i = 0; i < dots.size(); ++i)
        EXAKT_CHECK_BITS(products[i], exact_dot(dots[i].x, dots[i].y).round<double>());
    }
  });
}

TEST_CASE("one hostile thread among others changes nothing") {
  for_each_host_space([](auto space) {
    using Space = decltype(space);
    Random random(441);
    for (auto const& family : long_families<double>()) {
      INFO(family.name);
      auto const terms = family.make(random);
      double const* const x = terms.data();
      for (auto const& environment : every_fp_environment()) {
        Exakt::SumAccumulator<double> sum;
        {
          ScopedFpEnvironment const scope(environment, AllThreads::this_one);
          Kokkos::parallel_reduce(
              Kokkos::RangePolicy<Space>(0, terms.size()),
              [=](std::size_t i, Exakt::SumAccumulator<double>& partial) { partial += x[i]; },
              Exakt::ExactSum<double>(sum));
        }
        EXAKT_CHECK_BITS(sum.round(), exact_sum(terms).template round<double>());
      }
    }
  });
}

TEST_CASE("an exception on any thread of a loop reaches the caller, and the loop before and after runs as ever") {
  for_each_host_space([](auto space) {
    for (std::size_t const fatal : {std::size_t{0}, std::size_t{57}, std::size_t{99}, std::size_t{100}}) {
      auto const task = [=](std::size_t i) {
        if (i >= fatal) throw std::bad_alloc();
      };
      auto const term = [=](std::size_t i, int& sum) {
        task(i);
        ++sum;
      };
      int sum = 0;
      auto const tasks = [&] { Exakt::Impl::for_each_task("tasks", space, 100, true, task); };
      auto const terms = [&] { Exakt::Impl::reduce_loop("terms", space, 100, term, Kokkos::Sum<int>(sum)); };
      if (fatal < 100) {
        CHECK_THROWS_AS(tasks(), std::bad_alloc);
        CHECK_THROWS_AS(terms(), std::bad_alloc);
      } else {
        tasks();
        terms();
        CHECK(sum == 100);
      }
    }
  });
}
