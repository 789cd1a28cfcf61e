// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief Verbs of teams inside a kernel beside the nested reductions that users write: one small vector or matrix for each
/// team.

#include "ExaktPerf_Matrices.hpp"

#include <ExaktBlas1_team.hpp>
#include <ExaktBlas2_team_gemv.hpp>

#include <algorithm>

namespace ExaktPerf {
namespace {

using Rows = Matrix<double, Kokkos::LayoutRight>;
using Policy = Kokkos::TeamPolicy<Space>;
using Member = Policy::member_type;

/// f(member, t) for each team.
template <class Function>
auto for_teams(int teams, Function const& f) {
  return [=] {
    Kokkos::parallel_for(Policy(teams, 1), [=](Member const& member) { f(member, member.league_rank()); });
    Kokkos::fence();
    return 0.0;
  };
}

template <class View>
auto row(View const& A, int i) {
  return Kokkos::subview(A, i, Kokkos::ALL);
}

/// A plain sum of x(j) * y(j) by a team.
template <class X, class Y>
double nested_dot(Member const& member, X const& x, Y const& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamVectorRange(member, static_cast<int>(x.extent(0))),
      [=](int j, double& partial) { partial += x(j) * y(j); }, sum);
  return sum;
}

/// result(t) := x_t . y_t
Comparison compare_dots(int teams, int n) {
  Rows const x = random_matrix<double, Kokkos::LayoutRight>(teams, n, 1);
  Rows const y = random_matrix<double, Kokkos::LayoutRight>(teams, n, 2);
  Data const result("result", static_cast<std::size_t>(teams));
  auto const line = [n](Rows const& A, std::size_t t) {
    return gathered(static_cast<std::size_t>(n), [=](std::size_t j) { return A(t, j); });
  };
  Comparison ways(std::int64_t{teams} * n, 2 * sizeof(double), [=](std::string const& way) {
    for_samples(result.extent(0), 40,
                [&](std::size_t t) { require_bits(way, result(t), reference(Verb::dot, line(x, t), line(y, t))); });
  });
  ways.add_exact("Exakt::team_dot", for_teams(teams, [=](Member const& member, int t) {
                   double const dot = Exakt::team_dot(member, row(x, t), row(y, t));
                   Kokkos::single(Kokkos::PerTeam(member), [=] { result(t) = dot; });
                 }));
  ways.add_plain("plain", for_teams(teams, [=](Member const& member, int t) {
                   double const dot = nested_dot(member, row(x, t), row(y, t));
                   Kokkos::single(Kokkos::PerTeam(member), [=] { result(t) = dot; });
                 }));
  return ways;
}

/// y_t := A x_t with one matrix for all teams.
Comparison compare_products(int teams, int n) {
  Rows const A = random_matrix<double, Kokkos::LayoutRight>(n, n, 1);
  Rows const x = random_matrix<double, Kokkos::LayoutRight>(teams, n, 2);
  Rows const y("y", x.extent(0), x.extent(1));
  auto const row_of = [n](Rows const& B, std::size_t t) {
    return gathered(static_cast<std::size_t>(n), [=](std::size_t j) { return B(t, j); });
  };
  Comparison ways(std::int64_t{teams} * n * n, sizeof(double), [=](std::string const& way) {
    for_samples(y.extent(0), 5, [&](std::size_t t) {
      for_samples(y.extent(1), 7,
                  [&](std::size_t i) { require_bits(way, y(t, i), reference(Verb::dot, row_of(A, i), row_of(x, t))); });
    });
  });
  ways.add_exact("Exakt::team_gemv", for_teams(teams, [=](Member const& member, int t) {
                   Exakt::team_gemv(member, "N", 1.0, A, row(x, t), 0.0, row(y, t));
                 }));
  ways.add_plain("plain", for_teams(teams, [=](Member const& member, int t) {
                   Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n), [=](int i) {
                     double sum = 0;
                     Kokkos::parallel_reduce(
                         Kokkos::ThreadVectorRange(member, n),
                         [=](int j, double& partial) { partial += A(i, j) * x(t, j); }, sum);
                     y(t, i) = sum;
                   });
                   member.team_barrier();
                 }));
  return ways;
}

Registration const verbs([] {
  constexpr int n = 100;
  cases().push_back({"team_dot, n = 100, of 1000 teams", 1000 * n,
                     [](std::int64_t entries) { return compare_dots(std::max(1, static_cast<int>(entries / n)), n); }});
  cases().push_back({"team_gemv, n = 100, of 100 teams", 100 * n * n, [](std::int64_t entries) {
                       return compare_products(std::max(1, static_cast<int>(entries / n / n)), n);
                     }});
});

}  // namespace
}  // namespace ExaktPerf
