// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas1_team.hpp>
#include <ExaktBlas2_team_gemv.hpp>

#include <cmath>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HalfFormats.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_ReductionCases.hpp"

namespace {

using namespace ExaktTest;

/// Calls f(member, team) on `teams` teams of every size that the space can form, up to four threads.
template <class Space, class F>
void for_each_team_size(Space space, int teams, F const& f) {
  using Policy = Kokkos::TeamPolicy<Space>;
  auto const kernel = [&](const typename Policy::member_type& member) {
    f(member, static_cast<std::size_t>(member.league_rank()));
  };
  int const most = std::min(4, Policy(space, 1, 1).team_size_max(kernel, Kokkos::ParallelForTag()));
  for (int size = 1; size <= most; ++size) {
    INFO("teams of " << size);
    Kokkos::parallel_for("teams", Policy(space, teams, size), kernel);
    space.fence();
  }
}

template <class T>
void check_teams(std::vector<VectorCase<T>> const& cases) {
  std::vector<Expected<T>> sums, dots, norms;
  for (auto const& [family, terms] : cases) {
    sums.push_back(exact_sum(terms.x).template round<T>());
    dots.push_back(exact_dot(terms.x, terms.y).template round<T>());
    norms.push_back(exact_dot(terms.x, terms.x).template round_sqrt<T>());
  }
  for_each_host_space([&](auto space) {
    std::vector<T> sum(cases.size()), dot(cases.size()), norm(cases.size());
    for_each_team_size(space, static_cast<int>(cases.size()), [&](auto const& member, std::size_t i) {
      auto const x = borrowed(cases[i].terms.x), y = borrowed(cases[i].terms.y);
      T const results[] = {Exakt::team_sum(member, x), Exakt::team_dot(member, x, y), Exakt::team_nrm2(member, x)};
      // Every thread of the team has the results; the last one tells.
      if (member.team_rank() == member.team_size() - 1) {
        sum[i] = results[0];
        dot[i] = results[1];
        norm[i] = results[2];
      }
    });
    for (std::size_t i = 0; i < cases.size(); ++i) {
      INFO(cases[i].family << ", " << cases[i].terms.size() << " terms");
      EXAKT_CHECK_BITS(sum[i], sums[i]);
      EXAKT_CHECK_BITS(dot[i], dots[i]);
      EXAKT_CHECK_BITS(norm[i], norms[i]);
    }
  });
}

struct TwoOperands {
  static constexpr int operands = 2;
};

}  // namespace

TEMPLATE_TEST_CASE("sums, dots and norms of teams are right to the last bit for every family", "", double, float) {
  Random random(760);
  auto cases = cases_of<TwoOperands, TestType>(random, 20 * case_factor(), 5 * case_factor());
  for (auto const& family : short_families<TestType>())
    for (int i = 0; i < 10; ++i) {
      auto terms = family.make(random);
      auto ones = std::vector<TestType>(terms.size(), TestType{1});
      cases.push_back({family.name, {std::move(terms), std::move(ones)}});
    }
  for (std::size_t n = 0; n <= 100; ++n) cases.push_back({"any length", random_terms<TestType>(random, n)});
  check_teams(cases);
}

TEST_CASE("a team's result is on each of its threads") {
  for_each_host_space([](auto space) {
    std::vector<double> const x{1, 0x1p-53, 0x1p-200};
    double const expected = 1 + 0x1p-52;
    std::vector<double> seen(16, 0.0);
    std::size_t threads = 0;
    for_each_team_size(space, 1, [&](auto const& member, std::size_t) {
      seen[static_cast<std::size_t>(member.team_rank())] = Exakt::team_sum(member, borrowed(x));
      if (member.team_rank() == 0) threads = static_cast<std::size_t>(member.team_size());
    });
    for (std::size_t i = 0; i < threads; ++i) CHECK(same_bits(seen[i], expected));
  });
}

TEST_CASE("teams read vectors of every kind, mixed types, scratch memory, and rows and columns of a matrix") {
  Random random(761);
  auto const terms = random_terms<double>(random, 57);
  std::vector<float> const narrow(terms.y.begin(), terms.y.end());
  auto const sum = exact_sum(terms.x).round<double>();
  Exact mixed;
  for (std::size_t i = 0; i < 57; ++i) mixed.add_product(terms.x[i], narrow[i]);
  auto const dot = mixed.round<double>();
  auto const norm = exact_dot(terms.x, terms.x).round_sqrt<double>();
  for_each_host_space([&](auto space) {
    using Space = decltype(space);
    using Policy = Kokkos::TeamPolicy<Space>;
    using Scratch =
        Kokkos::View<double*, typename Space::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    auto const check = [&](auto const& x) {
      auto const y = strided(narrow);
      double results[4] = {};
      Kokkos::parallel_for(
          "one team",
          Policy(space, 1, 1).set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Scratch::shmem_size(57)))),
          [&](const typename Policy::member_type& member) {
            Scratch const copy(member.team_scratch(0), 57);
            Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 57), [&](int i) { copy(i) = x(i); });
            member.team_barrier();
            results[0] = Exakt::team_sum(member, x);
            results[1] = Exakt::team_dot(member, x, y);
            results[2] = Exakt::team_nrm2(member, x);
            results[3] = Exakt::team_sum(member, copy);
          });
      space.fence();
      EXAKT_CHECK_BITS(results[0], sum);
      EXAKT_CHECK_BITS(results[1], dot);
      EXAKT_CHECK_BITS(results[2], norm);
      EXAKT_CHECK_BITS(results[3], sum);
    };
    check(contiguous(terms.x));
    check(column_of<Kokkos::LayoutLeft>(terms.x));
    check(strided(terms.x));
  });
  CHECK(std::is_same_v<decltype(Exakt::team_dot(std::declval<Kokkos::TeamPolicy<>::member_type>(), HostVector<float>(),
                                                HostVector<double>())),
                       double>);
}

TEST_CASE("a team's dot of half precision and another type is rounded once, to the wider one") {
  HalfFormats::for_each_mixed_pair([]<class X, class Y, class R>(X, Y, R) {
    HalfFormats::MixedFactors<X, Y> const factors(3000);
    auto const expected = exact_dot(factors.wide_x, factors.wide_y).template round<R>();
    auto const x = borrowed(factors.x);
    auto const y = borrowed(factors.y);
    for_each_host_space([&](auto space) {
      R result{};
      for_each_team_size(space, 1, [&](auto const& member, std::size_t) {
        auto const dot = Exakt::team_dot(member, x, y);
        static_assert(std::is_same_v<decltype(dot), R const>);
        if (member.team_rank() == 0) result = dot;
      });
      EXAKT_CHECK_BITS(result, expected);
    });
  });
}

TEST_CASE("of vectors of different lengths a team takes the entries that both have") {
  auto const x = contiguous(std::vector<double>{1, 2, 3, 4});
  auto const y = misaligned(std::vector<double>{10, 100});  // poison follows
  double longer_first = 0, longer_last = 0;
  Kokkos::parallel_for("one team", Kokkos::TeamPolicy<Kokkos::DefaultHostExecutionSpace>(1, 1),
                       [&](auto const& member) {
                         longer_first = Exakt::team_dot(member, x, y);
                         longer_last = Exakt::team_dot(member, y, x);
                       });
  CHECK(longer_first == 210);
  CHECK(longer_last == 210);
}

TEMPLATE_TEST_CASE("teams are right in every floating-point environment, subnormal factors included", "", double,
                   float) {
  using T = TestType;
  Random random(762);
  auto cases = cases_of<TwoOperands, T>(random, 2, 1);
  T const tiny = std::numeric_limits<T>::denorm_min(), huge = std::numeric_limits<T>::max();
  cases.push_back({"subnormal factors", {{3 * tiny, 5 * tiny}, {huge, huge}}});
  cases.push_back({"subnormal factors", {{3 * tiny}, {5 * tiny}}});
  cases.push_back({"subnormal factors", {{huge, 1}, {tiny, 7 * tiny}}});
  for (auto const& environment : every_fp_environment()) {
    INFO(environment.name);
    std::vector<T> sum(cases.size()), dot(cases.size()), norm(cases.size());
    {
      ScopedFpEnvironment const scope(environment, ScopedFpEnvironment::Threads::all);
      Kokkos::parallel_for("teams",
                           Kokkos::TeamPolicy<Kokkos::DefaultHostExecutionSpace>(static_cast<int>(cases.size()), 1),
                           [&](auto const& member) {
                             auto const i = static_cast<std::size_t>(member.league_rank());
                             auto const x = borrowed(cases[i].terms.x), y = borrowed(cases[i].terms.y);
                             sum[i] = Exakt::team_sum(member, x);
                             dot[i] = Exakt::team_dot(member, x, y);
                             norm[i] = Exakt::team_nrm2(member, x);
                           });
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
      INFO(cases[i].family);
      EXAKT_CHECK_BITS(sum[i], exact_sum(cases[i].terms.x).template round<T>());
      EXAKT_CHECK_BITS(dot[i], exact_dot(cases[i].terms.x, cases[i].terms.y).template round<T>());
      EXAKT_CHECK_BITS(norm[i], exact_dot(cases[i].terms.x, cases[i].terms.x).template round_sqrt<T>());
    }
  }
}

TEST_CASE("with alpha = 0 a team's gemv looks neither at A nor at x; y stays as it is if beta is one") {
  auto const a = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(2, 3);
  auto const x = poisoned<HostVector<double>>(3);
  for_each_host_space([&](auto space) {
    auto const y = contiguous(std::vector<double>{-0.0, 7}), z = contiguous(std::vector<double>{-0.0, 7});
    for_each_team_size(space, 1, [&](auto const& member, std::size_t) {
      Exakt::team_gemv(member, 'N', 0.0, a, x, 1.0, y);
      Exakt::team_gemv(member, 'N', 0.0, a, x, 0.0, z);
    });
    CHECK(bits_of(y(0)) == bits_of(-0.0));
    CHECK(same_bits(y(1), 7.0));
    for (int const i : {0, 1}) CHECK(same_bits(z(i), 0.0));
  });
}

TEST_CASE("each entry of a team's gemv is the exact alpha * A x + beta * y, rounded once") {
  Random random(763);
  for (Hardness const hardness : every_hardness)
    for (std::size_t const columns : {std::size_t{0}, std::size_t{1}, std::size_t{90}}) {
      INFO(name_of(hardness) << ", " << columns << " columns");
      auto const [table, x_entries] = hard_product<double, double>(random, hardness, 7, columns);
      double const alpha = random.one_of(1.0, -1.0, 0.3), beta = random.one_of(0.0, 0.7);
      std::vector<Expected<double>> expected;
      for (std::size_t i = 0; i < 7; ++i) {
        Exact sum;
        for (std::size_t j = 0; j < columns; ++j) sum.add_product(table(i, j), x_entries[j]);
        ScaledExact total(columns == 0 ? 1 : alpha, sum);
        if (beta != 0) total.add_product(beta, 5);
        expected.push_back(total.round<double>());
      }
      auto const a = stored(table, Storage::left), a_turned = stored(table.transposed(), Storage::left);
      auto const x = contiguous(x_entries);
      for_each_host_space([&](auto space) {
        auto const y = contiguous(std::vector<double>(7)), y_turned = contiguous(std::vector<double>(7));
        for_each_team_size(space, 1, [&](auto const& member, std::size_t) {
          Kokkos::single(Kokkos::PerTeam(member), [&] {
            for (int i = 0; i < 7; ++i) y(i) = y_turned(i) = 5;
          });
          member.team_barrier();
          Exakt::team_gemv(member, 'N', alpha, a, x, beta, y);
          Exakt::team_gemv(member, "T", alpha, a_turned, x, beta, y_turned);
        });
        for (std::size_t i = 0; i < 7; ++i) {
          EXAKT_CHECK_BITS(y(i), expected[i]);
          EXAKT_CHECK_BITS(y_turned(i), expected[i]);
        }
      });
    }
}

namespace {

/// A team's gemv of an A of type T and x and y of type R against the oracle, in several pieces of rows and columns.
template <class T, class R>
void check_long_rows(Hardness hardness, Random& random) {
  std::size_t const rows = 131, columns = 1027;
  auto const [table, x_entries] = hard_product<T, R>(random, hardness, rows, columns);
  std::vector<Expected<R>> expected;
  for (std::size_t i = 0; i < rows; ++i) {
    Exact sum;
    for (std::size_t j = 0; j < columns; ++j)
      sum.add_product(static_cast<double>(table(i, j)), static_cast<double>(x_entries[j]));
    ScaledExact total(0.3, sum);
    total.add_product(2, 5);
    expected.push_back(total.round<R>());
  }
  auto const a = stored(table, Storage::right), a_turned = stored(table.transposed(), Storage::right);
  auto const x = strided(x_entries);
  auto const x_in_place = contiguous(x_entries);
  for_each_host_space([&](auto space) {
    auto const y = strided(std::vector<R>(rows));
    auto const y_turned = contiguous(std::vector<R>(rows));
    for_each_team_size(space, 1, [&](auto const& member, std::size_t) {
      Kokkos::single(Kokkos::PerTeam(member), [&] {
        for (std::size_t i = 0; i < rows; ++i) y(i) = y_turned(i) = 5;
      });
      member.team_barrier();
      Exakt::team_gemv(member, 'N', 0.3, a, x, 2, y);
      Exakt::team_gemv(member, "T", 0.3, a_turned, x_in_place, 2, y_turned);
    });
    for (std::size_t i = 0; i < rows; ++i) {
      EXAKT_CHECK_BITS(y(i), expected[i]);
      EXAKT_CHECK_BITS(y_turned(i), expected[i]);
    }
  });
}

}  // namespace

TEST_CASE("a team's gemv takes more rows and columns than a thread does at once") {
  Random random(764);
  for (Hardness const hardness : every_hardness) {
    INFO(name_of(hardness));
    check_long_rows<double, double>(hardness, random);
    check_long_rows<float, float>(hardness, random);
  }
}

TEST_CASE("sums of teams of more terms than a tile has, next to each other and not") {
  Random random(765);
  auto const terms = random_terms<double>(random, 9'001);
  std::vector<float> const narrow(terms.x.begin(), terms.x.end());
  for_each_host_space([&](auto space) {
    double results[4] = {};
    float sum_of_floats = 0;
    auto const x = strided(terms.x);
    auto const y = contiguous(terms.y);
    for_each_team_size(space, 1, [&](auto const& member, std::size_t) {
      double const some[] = {Exakt::team_sum(member, y), Exakt::team_sum(member, x), Exakt::team_dot(member, x, y),
                             Exakt::team_nrm2(member, x)};
      float const of_floats = Exakt::team_sum(member, borrowed(narrow));
      if (member.team_rank() == member.team_size() - 1) {
        std::copy(some, some + 4, results);
        sum_of_floats = of_floats;
      }
    });
    EXAKT_CHECK_BITS(results[0], exact_sum(terms.y).round<double>());
    EXAKT_CHECK_BITS(results[1], exact_sum(terms.x).round<double>());
    EXAKT_CHECK_BITS(results[2], exact_dot(terms.x, terms.y).round<double>());
    EXAKT_CHECK_BITS(results[3], exact_dot(terms.x, terms.x).round_sqrt<double>());
    EXAKT_CHECK_BITS(sum_of_floats, exact_sum(narrow).round<float>());
  });
}
