// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Expansion.hpp>
#include <Exakt_HighPrecision.hpp>
#include <Exakt_Reducer.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Oracle.hpp"

namespace {

using namespace ExaktTest;
using Exakt::ExactDot;
using Exakt::ExactSum;
using Exakt::Reducer;

template <class T>
void check_rounded(Exakt::SumAccumulator<T> const& sum, Exact const& exact) {
  for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(sum.round(mode), exact.template round<T>(mode));
}

/// Ill-conditioned on purpose, so that any term lost, doubled or rounded shows; `n` entries.
template <class T>
std::vector<T> cancelling_terms(Random& random, std::size_t n) {
  std::vector<T> terms(n);
  for (auto& x : terms) x = random.value<T>(random.between(-40, 40));
  for (std::size_t i = 0; i + 1 < n; i += 2) terms[i] = random.between(0, 9) == 0 ? terms[i] : -terms[i + 1];
  random.shuffle(terms);
  return terms;
}

struct TaggedTerms {
  struct Negated {};
  double const* x;
  void operator()(Negated, int i, Exakt::SumAccumulator<double>& sum) const { sum -= x[i]; }
};

template <class A, class Space>
A reduced_by(std::vector<double> const& terms) {
  double const* const x = terms.data();
  A sum;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space>(0, terms.size()), [=](std::size_t i, A& partial) { partial += x[i]; },
      Reducer<A>(sum));
  return sum;
}

}  // namespace

TEMPLATE_TEST_CASE("ExactSum in parallel_reduce is the exact sum for every family, in every order and schedule", "",
                   double, float) {
  using T = TestType;
  using Sum = typename ExactSum<T>::value_type;
  for_each_host_space([](auto space) {
    using Space = decltype(space);
    Random random(400);
    auto const check = [&](std::vector<T> const& terms, Exact const& exact) {
      T const* const x = terms.data();
      auto const add = [=](std::size_t i, Sum& sum) { sum += x[i]; };
      Sum sum, dynamic;
      Kokkos::parallel_reduce(Kokkos::RangePolicy<Space>(space, 0, terms.size()), add, ExactSum<T>(sum));
      Kokkos::parallel_reduce(
          Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>(0, terms.size()).set_chunk_size(3), add,
          ExactSum<T>(dynamic));
      check_rounded(sum, exact);
      EXAKT_CHECK(dynamic == sum);
    };
    for (auto const& family : short_families<T>())
      for (std::uint64_t i = 0; i < 15 * case_factor(); ++i) {
        INFO(family.name);
        auto const terms = family.make(random);
        Exact const exact = exact_sum(terms);
        for (Order const order : every_order) check(reordered(terms, order, random), exact);
      }
    for (auto const& family : long_families<T>())
      for (std::uint64_t i = 0; i < 10 * case_factor(); ++i) {
        INFO(family.name);
        auto const terms = family.make(random);
        check(terms, exact_sum(terms));
      }
  });
}

TEMPLATE_TEST_CASE("ExactDot in parallel_reduce is the exact sum of products for every family", "", double, float) {
  using T = TestType;
  using Dot = typename ExactDot<T>::value_type;
  for_each_host_space([](auto space) {
    using Space = decltype(space);
    Random random(401);
    for (auto const& family : short_product_families<T>())
      for (std::uint64_t i = 0; i < 15 * case_factor(); ++i) {
        INFO(family.name);
        auto const terms = family.make(random);
        T const *const x = terms.x.data(), *const y = terms.y.data();
        Dot dot;
        Kokkos::parallel_reduce(
            Kokkos::RangePolicy<Space>(0, terms.size()), [=](std::size_t k, Dot& sum) { sum.add_product(x[k], y[k]); },
            ExactDot<T>(dot));
        Exact const exact = exact_dot(terms.x, terms.y);
        for (Rounding const mode : every_rounding) EXAKT_CHECK_BITS(dot.round(mode), exact.template round<T>(mode));
      }
  });
}

TEST_CASE("2^16 to 2^21 terms reduce to the exact sum") {
  for_each_host_space([](auto space) {
    Random random(402);
    for (auto const& family : carry_families<double>()) {
      INFO(family.name);
      auto const terms = family.make(random);
      check_rounded(reduced_by<Exakt::SumAccumulator<double>, decltype(space)>(terms), exact_sum(terms));
    }
  });
}

TEMPLATE_TEST_CASE("Reducer works for every accumulator of the library", "", (Exakt::LongAccumulator<double, 32>),
                   (Exakt::LongAccumulator<double, 56, Exakt::Terms::products>), (Exakt::Expansion<double, 4>),
                   Exakt::DotAccumulator<double>) {
  for_each_host_space([](auto space) {
    Random random(403);
    for (auto const& family : long_families<double>()) {
      INFO(family.name);
      auto const terms = family.make(random);
      auto const sum = reduced_by<TestType, decltype(space)>(terms);
      EXAKT_CHECK_BITS(sum.round(), exact_sum(terms).template round<double>());
    }
  });
}

TEST_CASE("the result goes to a scalar or a rank-0 View, and what was in it before does not count") {
  using Sum = Exakt::SumAccumulator<double>;
  for_each_host_space([](auto space) {
    using Space = decltype(space);
    Random random(404);
    auto const terms = cancelling_terms<double>(random, 1001);
    double const* const x = terms.data();
    auto const expected = exact_sum(terms).round<double>();
    auto const add = [=](int i, Sum& sum) { sum += x[i]; };
    Kokkos::RangePolicy<Space> const range(0, 1001);

    Sum scalar;
    scalar += 1e100;
    Kokkos::parallel_reduce(range, add, ExactSum<double>(scalar));
    EXAKT_CHECK_BITS(scalar.round(), expected);

    Kokkos::View<Sum, Kokkos::HostSpace> view("result");
    view() += 1e100;
    Kokkos::parallel_reduce(range, add, ExactSum<double>(view));
    Kokkos::fence();
    EXAKT_CHECK_BITS(view().round(), expected);

    view() += 1e100;
    Kokkos::parallel_reduce("with a label", range, add, Reducer(view));
    Kokkos::fence();
    EXAKT_CHECK_BITS(view().round(), expected);

    Kokkos::View<Sum, Space> in_space("result");
    Kokkos::parallel_reduce(range, add, ExactSum<double, Space>(in_space));
    Kokkos::fence();
    EXAKT_CHECK_BITS(in_space().round(), expected);

    Kokkos::parallel_reduce(Kokkos::RangePolicy<Space>(0, 0), add, ExactSum<double>(scalar));
    EXAKT_CHECK_BITS(scalar.round(), 0.0);

    EXAKT_CHECK(ExactSum<double>(scalar).references_scalar());
    EXAKT_CHECK(!ExactSum<double>(view).references_scalar());
    EXAKT_CHECK(&ExactSum<double>(scalar).reference() == &scalar);
    EXAKT_CHECK(ExactSum<double>(view).view().data() == view.data());
  });
}

TEMPLATE_TEST_CASE("an accumulator may be given to parallel_reduce without a reducer, or to Kokkos::Sum", "",
                   Exakt::SumAccumulator<double>, (Exakt::Expansion<double, 4>), (Exakt::HighPrecision<4, 2>)) {
  using Sum = TestType;
  for_each_host_space([](auto space) {
    using Space = decltype(space);
    using Policy = Kokkos::TeamPolicy<Space>;
    using Member = typename Policy::member_type;
    Random random(410);
    int const rows = 41, columns = 53, n = rows * columns;
    auto const terms = cancelling_terms<double>(random, static_cast<std::size_t>(n));
    double const* const x = terms.data();
    auto const expected = exact_sum(terms).round<double>();
    auto const add = [=](int i, Sum& sum) { sum += x[i]; };
    Kokkos::RangePolicy<Space> const range(0, n);
    auto const check = [&](auto const& reduce_into) {
      Sum sum;
      sum += 1e100;  // does not count
      reduce_into(sum);
      EXAKT_CHECK_BITS(sum.round(), expected);
    };

    check([&](Sum& sum) { Kokkos::parallel_reduce(range, add, sum); });
    check([&](Sum& sum) { Kokkos::parallel_reduce("with a label", range, add, sum); });
    check([&](Sum& sum) { Kokkos::parallel_reduce(range, add, Kokkos::Sum<Sum>(sum)); });
    check([&](Sum& sum) {
      Kokkos::parallel_reduce(Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>(0, n).set_chunk_size(3),
                              add, sum);
    });
    check([&](Sum& sum) {
      Kokkos::View<Sum, Kokkos::HostSpace> const view("result");
      view() += 1e100;
      Kokkos::parallel_reduce(range, add, view);
      Kokkos::fence();
      sum = view();
    });
    check([&](Sum& sum) {
      Kokkos::parallel_reduce(
          Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>({0, 0}, {rows, columns}, {4, 8}),
          [=](int i, int j, Sum& partial) { partial += x[i * columns + j]; }, sum);
    });
    auto const add_row = [=](Member const& member, Sum& sum) {
      Sum by_threads, by_both, by_lanes;
      double const* const row = x + member.league_rank() * columns;
      auto const add_entry = [&](int i, Sum& partial) { partial += row[i]; };
      Kokkos::parallel_reduce(Kokkos::TeamThreadRange(member, columns), add_entry, by_threads);
      Kokkos::parallel_reduce(Kokkos::TeamVectorRange(member, columns), add_entry, by_both);
      Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(member, columns), add_entry, by_lanes);
      Kokkos::single(Kokkos::PerTeam(member), [&] {
        sum += by_threads;
        sum += by_both;
        sum -= by_lanes;
      });
    };
    int const largest_team = Policy(rows, 1).team_size_max(add_row, Sum(), Kokkos::ParallelReduceTag());
    for (int team = 1; team <= largest_team; ++team) {
      INFO("teams of " << team);
      check([&](Sum& sum) { Kokkos::parallel_reduce(Policy(rows, team), add_row, sum); });
    }

    Sum nothing;
    nothing += 1.0;
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Space>(0, 0), add, nothing);
    EXAKT_CHECK_BITS(nothing.round(), 0.0);
  });
}

TEST_CASE("a kernel has several results, by a reducer for each or by a struct") {
  struct Both {
    Exakt::SumAccumulator<double> sum;
    Exakt::DotAccumulator<double> squares;
    void clear() { *this = Both(); }
    Both& operator+=(Both const& other) {
      sum += other.sum;
      squares += other.squares;
      return *this;
    }
  };
  for_each_host_space([](auto space) {
    Random random(408);
    auto const terms = cancelling_terms<double>(random, 777);
    Kokkos::RangePolicy<decltype(space)> const range(space, 0, 777);
    Exakt::SumAccumulator<double> sum;
    Exakt::DotAccumulator<double> squares;
    Kokkos::parallel_reduce(
        range,
        [&](int i, Exakt::SumAccumulator<double>& s, Exakt::DotAccumulator<double>& d) {
          s += terms[static_cast<std::size_t>(i)];
          d.add_product(terms[static_cast<std::size_t>(i)], terms[static_cast<std::size_t>(i)]);
        },
        ExactSum<double>(sum), ExactDot<double>(squares));
    Both both;
    Kokkos::parallel_reduce(
        range,
        [&](int i, Both& b) {
          b.sum += terms[static_cast<std::size_t>(i)];
          b.squares.add_product(terms[static_cast<std::size_t>(i)], terms[static_cast<std::size_t>(i)]);
        },
        Exakt::Reducer<Both>(both));
    auto const exact = exact_sum(terms).round<double>(), dot = exact_dot(terms, terms).round<double>();
    EXAKT_CHECK_BITS(sum.round(), exact);
    EXAKT_CHECK_BITS(both.sum.round(), exact);
    EXAKT_CHECK_BITS(squares.round(), dot);
    EXAKT_CHECK_BITS(both.squares.round(), dot);
  });
}

TEST_CASE("the functor may be a class with a tag") {
  for_each_host_space([](auto space) {
    Random random(405);
    auto const terms = cancelling_terms<double>(random, 777);
    Exakt::SumAccumulator<double> sum;
    Kokkos::parallel_reduce(Kokkos::RangePolicy<decltype(space), TaggedTerms::Negated>(0, 777),
                            TaggedTerms{terms.data()}, ExactSum<double>(sum));
    check_rounded(sum, exact_sum(terms).negate());
  });
}

TEST_CASE("MDRangePolicy reduces to the exact sum in two and three dimensions, for any tiling") {
  using Sum = Exakt::SumAccumulator<double>;
  for_each_host_space([](auto space) {
    using Space = decltype(space);
    Random random(406);
    int const rows = 37, columns = 23, layers = 5;
    auto const terms = cancelling_terms<double>(random, static_cast<std::size_t>(rows * columns * layers));
    double const* const x = terms.data();
    std::vector<double> const plane(terms.begin(), terms.begin() + rows * columns);
    for (int const tile : {1, 4, 16}) {
      Sum two, three;
      Kokkos::parallel_reduce(
          Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>({0, 0}, {rows, columns}, {tile, tile}),
          [=](int i, int j, Sum& sum) { sum += x[i * columns + j]; }, ExactSum<double>(two));
      Kokkos::parallel_reduce(
          Kokkos::MDRangePolicy<Space, Kokkos::Rank<3>>({0, 0, 0}, {rows, columns, layers}, {tile, 3, 2}),
          [=](int i, int j, int k, Sum& sum) { sum += x[(k * rows + i) * columns + j]; }, ExactSum<double>(three));
      check_rounded(two, exact_sum(plane));
      check_rounded(three, exact_sum(terms));
    }
  });
}

TEST_CASE("nested reductions over threads, vector lanes, and both are exact, for any team size") {
  using Sum = Exakt::SumAccumulator<double>;
  using Dot = Exakt::DotAccumulator<double>;
  for_each_host_space([](auto space) {
    using Space = decltype(space);
    using Policy = Kokkos::TeamPolicy<Space>;
    using Member = typename Policy::member_type;
    Random random(407);
    int const leagues = 13, length = 321;
    auto const terms = cancelling_terms<double>(random, static_cast<std::size_t>(leagues * length));
    double const* const x = terms.data();
    Kokkos::View<Sum*, Kokkos::HostSpace> by_threads("by threads", leagues), by_lanes("by lanes", leagues),
        by_both("by both", leagues);
    Kokkos::View<Dot*, Kokkos::HostSpace> squares("squares", leagues);

    auto const body = [=](Member const& member) {
      int const row = member.league_rank();
      double const* const mine = x + row * length;
      Sum threads, both, lanes_of_all;
      Dot dot;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(member, length), [&](int i, Sum& sum) { sum += mine[i]; }, ExactSum<double>(threads));
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(member, length), [&](int i, Sum& sum) { sum += mine[i]; }, ExactSum<double>(both));
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(member, length), [&](int i, Dot& sum) { sum.add_product(mine[i], mine[i]); },
          ExactDot<double>(dot));
      // A row in pieces of 7: one per thread, reduced by its lanes, and the pieces reduced by the team.
      int const pieces = (length + 6) / 7;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(member, pieces),
          [&](int piece, Sum& sum) {
            Sum part;
            int const begin = 7 * piece, end = begin + 7 < length ? begin + 7 : length;
            Kokkos::parallel_reduce(
                Kokkos::ThreadVectorRange(member, end - begin), [&](int i, Sum& lane) { lane += mine[begin + i]; },
                ExactSum<double>(part));
            sum += part;
          },
          ExactSum<double>(lanes_of_all));
      Kokkos::single(Kokkos::PerTeam(member), [&] {
        by_threads(row) = threads;
        by_both(row) = both;
        by_lanes(row) = lanes_of_all;
        squares(row) = dot;
      });
    };

    int const largest_team = Policy(leagues, 1).team_size_max(body, Kokkos::ParallelForTag());
    for (int team = 1; team <= largest_team; team *= 2)
      for (int const lanes : {1, 4}) {
        INFO("teams of " << team << ", vector length " << lanes);
        Kokkos::deep_copy(by_threads, Sum());
        Kokkos::deep_copy(by_both, Sum());
        Kokkos::deep_copy(by_lanes, Sum());
        Kokkos::parallel_for(Policy(leagues, team, lanes), body);
        Kokkos::fence();
        for (int row = 0; row < leagues; ++row) {
          std::vector<double> const mine(x + row * length, x + (row + 1) * length);
          Exact const exact = exact_sum(mine);
          check_rounded(by_threads(row), exact);
          check_rounded(by_both(row), exact);
          check_rounded(by_lanes(row), exact);
          EXAKT_CHECK_BITS(squares(row).round_sqrt(), exact_dot(mine, mine).round_sqrt<double>());
        }
      }

    // The teams themselves reduced, to one sum.
    Sum total;
    Kokkos::parallel_reduce(
        Policy(leagues, largest_team),
        [=](Member const& member, Sum& sum) {
          Sum row;
          double const* const mine = x + member.league_rank() * length;
          Kokkos::parallel_reduce(
              Kokkos::TeamThreadRange(member, length), [&](int i, Sum& partial) { partial += mine[i]; },
              ExactSum<double>(row));
          Kokkos::single(Kokkos::PerTeam(member), [&] { sum += row; });
        },
        ExactSum<double>(total));
    check_rounded(total, exact_sum(terms));
  });
}

TEST_CASE("accumulators live in team scratch memory") {
  using Sum = Exakt::SumAccumulator<double>;
  for_each_host_space([](auto space) {
    using Space = decltype(space);
    using Policy = Kokkos::TeamPolicy<Space>;
    using Member = typename Policy::member_type;
    using Scratch = Kokkos::View<Sum*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
    Random random(408);
    int const leagues = 7, length = 500, bins = 4;
    auto const terms = cancelling_terms<double>(random, static_cast<std::size_t>(leagues * length));
    double const* const x = terms.data();
    Kokkos::View<double* [bins], Kokkos::HostSpace> rounded("rounded", leagues);
    auto const body = [=](Member const& member) {
      Scratch const bin(member.team_scratch(0), bins);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, bins), [&](int b) {
        bin(b).clear();
        for (int i = b; i < length; i += bins) bin(b) += x[member.league_rank() * length + i];
        rounded(member.league_rank(), b) = bin(b).round();
      });
      member.team_barrier();
    };
    auto policy = Policy(leagues, 1);
    auto const bytes = Kokkos::PerTeam(Scratch::shmem_size(bins));
    policy.set_scratch_size(0, bytes);
    Kokkos::parallel_for(
        Policy(leagues, policy.team_size_max(body, Kokkos::ParallelForTag())).set_scratch_size(0, bytes), body);
    Kokkos::fence();
    for (int row = 0; row < leagues; ++row)
      for (int b = 0; b < bins; ++b) {
        Exact exact;
        for (int i = b; i < length; i += bins) exact.add(x[row * length + i]);
        EXAKT_CHECK_BITS(rounded(row, b), exact.round<double>());
      }
  });
}

TEST_CASE("Serial and every parallel host space reduce to the same bytes of the same rounded sum") {
  Random random(409);
  for (std::uint64_t i = 0; i < 50 * case_factor(); ++i) {
    auto const terms = cancelling_terms<double>(random, random.between<std::size_t>(1, 20'000));
    std::vector<double> results;
    for_each_host_space([&](auto space) {
      results.push_back(reduced_by<Exakt::SumAccumulator<double>, decltype(space)>(terms).round());
    });
    auto const expected = exact_sum(terms).round<double>();
    for (double const result : results) EXAKT_CHECK_BITS(result, expected);
  }
}
