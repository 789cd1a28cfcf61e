// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas1_dot.hpp>
#include <ExaktBlas1_nrm1.hpp>
#include <ExaktBlas1_sum.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <utility>
#ifdef __unix__
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_ReductionCases.hpp"

// The path of devices, on hosts.

namespace {

using namespace ExaktTest;
using Exakt::Impl::enclosed_by_teams;
using Exakt::Impl::ScaledCascade;
using Exakt::Impl::ScaledSum;
using Exakt::Impl::sum_by_teams;
using Exakt::Impl::sums_by_teams;

template <int count>
struct Takes {
  static constexpr int operands = count;
};

template <class V>
Exakt::Impl::SumOf<V> sum_of(V const& x) {
  return {{x}};
}
template <class V>
Exakt::Impl::AbsoluteSumOf<V> absolute_sum_of(V const& x) {
  return {{{x}}};
}
template <class V>
Exakt::Impl::ProductsOf<V, V> products_of(V const& x, V const& y) {
  return {{x}, {y}};
}

/// The exact sum, rounded; what teams that enclose it decide is the same.
template <class T, class Space, class Terms>
T rounded_sum(Space const& space, Terms const& terms, std::size_t rows, int team_size) {
  auto const totals = sums_by_teams("test", space, terms, rows, 0, 1, team_size);
  space.fence();
  T const result = totals.sum(0).template round<T>();
  T decided = result;
  auto const sum = enclosed_by_teams("test", space, terms, rows, 0, team_size);
  Exakt::Impl::in_default_environment([&] {
    if (T rounded; try_round(sum, rounded)) decided = rounded;
  });
  EXAKT_CHECK_BITS(decided, result);
  return result;
}

/// Whether a scaled enclosure decides the result of `round`; checks that it is right if it does.
template <class Space, class Terms, class Round>
bool scaled_decides(Space const& space, Terms const& terms, std::size_t rows, int team_size, Round const& round) {
  using Long = typename Terms::Operations::Long;
  auto const expected = round(sum_by_teams("test", space, terms, rows, 0));
  auto result = expected;
  bool decided = false;
  ScaledSum const sum = enclosed_by_teams<ScaledCascade>("test", space, terms, rows, 0, team_size);
  Exakt::Impl::in_default_environment([&] { decided = Exakt::Impl::try_known<Long>(sum, round, result); });
  if (decided) EXAKT_CHECK_BITS(result, expected);
  return decided;
}

}  // namespace

TEMPLATE_TEST_CASE("sums by teams are right to the last bit for every family", "", double, float) {
  Random random(4101);
  for (auto const& [family, terms] : cases_of<Takes<1>, TestType>(random, 20 * case_factor(), 5 * case_factor())) {
    INFO(family << ", " << terms.size() << " terms");
    std::size_t const n = terms.size();
    auto const x = borrowed(terms.x);
    std::vector<TestType> magnitudes;
    for (TestType const term : terms.x) magnitudes.push_back(std::fabs(term));
    auto const sum = exact_sum(terms.x).template round<TestType>();
    auto const absolute_sum = exact_sum(magnitudes).template round<TestType>();
    for_each_team([&](auto space, int size) {
      EXAKT_CHECK_BITS(rounded_sum<TestType>(space, sum_of(x), n, size), sum);
      EXAKT_CHECK_BITS(rounded_sum<TestType>(space, absolute_sum_of(x), n, size), absolute_sum);
    });
  }
}

TEMPLATE_TEST_CASE("sums of products by teams are right to the last bit for every family", "", double, float) {
  Random random(4102);
  for (auto const& [family, terms] : cases_of<Takes<2>, TestType>(random, 20 * case_factor(), 5 * case_factor())) {
    INFO(family << ", " << terms.size() << " terms");
    std::size_t const n = terms.size();
    auto const x = borrowed(terms.x), y = borrowed(terms.y);
    auto const dot = exact_dot(terms.x, terms.y).template round<TestType>();
    for_each_team([&](auto space, int size) {
      EXAKT_CHECK_BITS(rounded_sum<TestType>(space, products_of(x, y), n, size), dot);
      scaled_decides(space, products_of(x, y), n, size, Exakt::Impl::RoundValue<TestType>{Exakt::Rounding::to_nearest});
    });
  }
}

TEST_CASE("sums of products that leave the range are decided by teams without their digits") {
  Random random(4108);
  Exakt::Impl::RoundValue<double> const value{Exakt::Rounding::to_nearest};
  Exakt::Impl::RoundSqrt<double> const square_root{Exakt::Rounding::to_nearest};
  for (std::uint64_t i = 0; i < 10 * case_factor(); ++i) {
    for (std::size_t const n : {1, 3, 500, 9000}) {
      std::vector<double> wide(n), small(n), large(n);
      for (std::size_t j = 0; j < n; ++j) {
        wide[j] = random.value<double>(random.between(-1074, 1023));
        small[j] = random.value<double>(random.between(-1074, -1050));
        large[j] = random.value<double>(random.between(1010, 1023));
      }
      wide[n / 2] = large[n / 2] = random.value<double>(1020);
      auto const w = borrowed(wide), s = borrowed(small), l = borrowed(large);
      for_each_team([&](auto space, int size) {
        // One product of 53 bits may be close to a tie, and the sum of subnormal squares may be a square.
        CHECK((scaled_decides(space, products_of(l, l), n, size, square_root) || n < 500));
        CHECK((scaled_decides(space, products_of(w, w), n, size, square_root) || n < 500));
        CHECK((scaled_decides(space, products_of(s, l), n, size, value) || n < 500));
        scaled_decides(space, products_of(s, s), n, size, square_root);
        scaled_decides(space, products_of(w, l), n, size, value);
      });
      // Of a number that is none nothing is known, wherever it is.
      for (double const number : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
        wide[static_cast<std::size_t>(random.between(0, static_cast<int>(n) - 1))] = number;
        for_each_team([&](auto space, int size) {
          CHECK_FALSE(scaled_decides(space, products_of(w, s), n, size, value));
          wide[0] = 0;
          wide[n - 1] = number;
          CHECK_FALSE(scaled_decides(space, products_of(w, s), n, size, value));
        });
      }
    }
  }
}

TEST_CASE("threads of a team that meet exponents unlike those before add exactly") {
  Random random(4103);
  std::size_t const n = 20'000;
  for (int const exponent : {0, 40, 200, 900}) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = random.value<double>(i % 1000 == 999 ? exponent : random.between(-5, 5));
    x[7] = 0x1p-1070;
    auto const expected = exact_sum(x).round<double>();
    for_each_team([&](auto space, int size) {
      EXAKT_CHECK_BITS(rounded_sum<double>(space, sum_of(borrowed(x)), n, size), expected);
    });
  }
}

TEST_CASE("teams sum the columns of a matrix of any layout") {
  Random random(4104);
  auto const check = [&]<class Layout>(Layout) {
    Kokkos::View<double**, Layout, Kokkos::HostSpace> const A("A", 700, 9);
    std::vector<Expected<double>> expected;
    for (std::size_t j = 0; j < 9; ++j) {
      Exact sum;
      for (std::size_t i = 0; i < 700; ++i) {
        A(i, j) = random.value<double>(random.between(-30, 30));
        sum.add(A(i, j));
      }
      expected.push_back(sum.round<double>());
    }
    for_each_team([&](auto space, int size) {
      auto const totals = sums_by_teams("test", space, sum_of(A), 700, 0, 9, size);
      auto const last = sums_by_teams("test", space, sum_of(A), 700, 8, 1, size);
      space.fence();
      for (std::size_t j = 0; j < 9; ++j) EXAKT_CHECK_BITS(totals.sum(j).template round<double>(), expected[j]);
      EXAKT_CHECK_BITS(last.sum(0).template round<double>(), expected[8]);
    });
  };
  check(Kokkos::LayoutLeft());
  check(Kokkos::LayoutRight());
}

TEST_CASE("the memory that a sum leaves to the next one is zero, and never shared") {
  Random random(4107);
  std::vector<double> wide(2000), cancelling;
  for (double& entry : wide) entry = random.value<double>(random.between(-1000, 1000));
  for (double const entry : wide) cancelling.insert(cancelling.end(), {entry, -entry});
  for_each_host_space([&](auto space) {
    auto const check = [&](std::vector<double> const& terms) {
      auto const x = borrowed(terms);
      auto const sum = sum_by_teams("test", space, sum_of(x), terms.size(), 0);
      auto const products = sum_by_teams("test", space, products_of(x, x), terms.size(), 0);
      EXAKT_CHECK_BITS(sum.template round<double>(), exact_sum(terms).round<double>());
      EXAKT_CHECK_BITS(products.template round<double>(), exact_dot(terms, terms).round<double>());
    };
    for (int repetition = 0; repetition < 2; ++repetition) {
      check(wide);
      check({HUGE_VAL, 1});
      check(cancelling);
      check({HUGE_VAL, -HUGE_VAL});
      check({});
      check({0.1});
    }

    // What sum_by_teams keeps is zeros.
    using Words = Kokkos::View<Exakt::Impl::Word*, typename decltype(space)::memory_space>;
    auto const words = Exakt::Impl::Kept<Words>::take();
    CHECK(words.extent(0) > 0);
    for (std::size_t i = 0; i < words.extent(0); ++i) CHECK(words(i) == 0);
    Exakt::Impl::Kept<Words>::give_back(words);
  });
}

TEST_CASE("sums by teams are right in every floating-point environment") {
  Random random(4105);
  std::vector<double> x(300);
  for (double& entry : x) entry = random.value<double>(random.between(-1070, -1000));
  auto const expected = exact_sum(x).round<double>();
  for (FpSettings const& settings : every_fp_environment()) {
    double sum;
    {
      ScopedFpEnvironment const environment(settings, ScopedFpEnvironment::Threads::all);
      sum = rounded_sum<double>(Kokkos::DefaultHostExecutionSpace(), sum_of(borrowed(x)), x.size(), 1);
    }
    INFO(settings.name);
    EXAKT_CHECK_BITS(sum, expected);
  }
}

TEST_CASE("what is kept from call to call belongs to one thread at a time") {
  struct Counter {
    std::shared_ptr<int> uses;
  };
  using Counters = Exakt::Impl::Kept<Counter>;
  constexpr int rounds = 2000;
  std::atomic<int> stolen{0}, kept{0};
  auto const use = [&](int mark) {
    for (int round = 0; round < rounds; ++round) {
      Counter mine = Counters::take();
      if (mine.uses != nullptr) {
        ++kept;
      } else {
        mine.uses = std::make_shared<int>(0);
      }
      if (std::exchange(*mine.uses, mark) != 0) ++stolen;
      if (std::exchange(*mine.uses, 0) != mark) ++stolen;
      Counters::give_back(mine);
    }
  };
  std::thread other(use, 1);
  use(2);
  other.join();
  CHECK(stolen == 0);
  CHECK(kept > 0);
}

TEST_CASE("scratch memory is what the call before had, and never what a call has that is not done") {
  using Memory = Exakt::Impl::ScratchMemory<Kokkos::DefaultHostExecutionSpace>;
  Kokkos::DefaultHostExecutionSpace const space;
  std::uint8_t *first = nullptr, *second = nullptr;
  {
    Memory const memory(space, 1000), other(space, 1000);
    first = memory.data();
    second = other.data();
    CHECK(memory.data() != other.data());
    CHECK((memory.data() != nullptr && other.data() != nullptr));
    std::fill_n(memory.data(), 1000, std::uint8_t{1});
    std::fill_n(other.data(), 1000, std::uint8_t{2});
    CHECK(memory.data()[999] == 1);
  }
  Memory const again(space, 1000), once_more(space, 1000);
  CHECK((again.data() == first || again.data() == second));
  CHECK((once_more.data() == first || once_more.data() == second));
  CHECK(again.data() != once_more.data());
}

#ifdef EXAKT_KNOWS_FORKS
namespace {
thread_local bool is_kept_by_allocations = false;
std::atomic<bool> is_kept = false, may_allocate = false;
}  // namespace

void* operator new(std::size_t bytes) {
  if (is_kept_by_allocations) {
    is_kept = true;
    while (!may_allocate) std::this_thread::yield();
  }
  if (void* const memory = std::malloc(bytes + (bytes == 0))) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::nothrow_t const&) noexcept { return std::malloc(bytes + (bytes == 0)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("the child of a fork asks for a call before Kokkos ends, though another thread was doing so") {
  std::thread other([] {
    is_kept_by_allocations = true;
    Exakt::Impl::free_in_time([] {});  // held where it allocates its entry
    is_kept_by_allocations = false;
  });
  while (!is_kept) std::this_thread::yield();
  pid_t const child = fork();
  if (child == 0) {
    alarm(20);
    Exakt::Impl::free_in_time([] {});
    _exit(0);
  }
  may_allocate = true;
  other.join();
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("the child of a fork has memory of its own, though another thread held the lock of its parent's") {
  using Memory = Exakt::Impl::Kept<std::pair<int, long>>;
  Memory::give_back({7, 8});
  std::atomic<bool> is_held = false, may_go_on = false;
  std::thread holder([&] {
    Memory::with([&](auto&) {
      is_held = true;
      while (!may_go_on) std::this_thread::yield();
    });
  });
  while (!is_held) std::this_thread::yield();
  pid_t const child = fork();
  if (child == 0) {
    alarm(20);  // whoever waits for the lock waits for ever
    _exit(Memory::take() == std::pair<int, long>() ? 0 : 1);
  }
  may_go_on = true;
  holder.join();
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(Memory::take() == std::pair<int, long>(7, 8));
}
#endif

#ifndef EXAKT_EMULATE_DEVICE  // there they are teams, and Kokkos' teams of one host space take turns
TEST_CASE("two host threads that reduce at the same time get their own sums") {
  std::vector<double> const x{1e300, 1, -1e300, 0x1p-1074}, y(1000, 0.1);
  auto const expected_x = exact_sum(x).round<double>(), expected_y = exact_sum(y).round<double>();
  for_each_host_space([&](auto space) {
    std::atomic<int> wrong{0};
    auto const reduce = [&](std::vector<double> const& terms, Expected<double> expected) {
      for (int round = 0; round < 2000; ++round)
        if (!same_bits(Exakt::sum(space, borrowed(terms)), expected.value)) ++wrong;
    };
    std::thread other([&] { reduce(y, expected_y); });
    reduce(x, expected_x);
    other.join();
    CHECK(wrong == 0);
  });
}
#endif

TEST_CASE("no rows make empty sums") {
  std::vector<double> const nothing;
  for_each_team([&](auto space, int size) {
    CHECK(same_bits(rounded_sum<double>(space, sum_of(borrowed(nothing)), 0, size), 0.0));
  });
}
