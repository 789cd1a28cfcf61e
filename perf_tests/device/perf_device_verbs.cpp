// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief Verbs with many results in the memory of the default execution space, a GPU where there is one, beside plain
/// Kokkos: where few of them are decided, these are what takes long.

#include "ExaktPerf_Device.hpp"
#include "ExaktPerf_Matrices.hpp"

#include <ExaktBlas1_axpby.hpp>
#include <ExaktBlas1_sum.hpp>
#include <ExaktBlas1_team.hpp>
#include <ExaktBlas2_ger.hpp>
#include <ExaktSparse.hpp>
#include <Exakt_inclusive_scan.hpp>

#include <algorithm>

namespace ExaktPerf {
namespace {

using Left = Kokkos::LayoutLeft;
using DeviceRange = Kokkos::RangePolicy<Device, Kokkos::IndexType<std::int64_t>>;
using Teams = Kokkos::TeamPolicy<Device>;
using Member = Teams::member_type;

/// A call that is waited for, and whose result is in memory.
template <class Call>
Comparison::Run waited_for(Call const& call) {
  return [=] {
    call();
    Device().fence();
    return 0.0;
  };
}

struct AddPrefix {
  DeviceData x, r;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& sum, bool is_last) const {
    sum += x(i);
    if (is_last) r(i) = sum;
  }
};

Comparison compare_scans(std::int64_t n) {
  Data const here = log_uniform(n, 10);
  DeviceData const x = on_device(here), r("r", x.extent(0));
  auto const check = [=](std::string const& way) {
    auto const results = on_host(r);
    for_samples(here.extent(0), 5, [&](std::size_t i) {
      require_bits(way, results(i),
                   reference(Verb::sum, Kokkos::subview(here, std::pair<std::size_t, std::size_t>(0, i + 1))));
    });
  };
  Comparison ways(n, 2 * sizeof(double), check);
  ways.add_exact("Exakt::inclusive_scan", waited_for([=] { Exakt::inclusive_scan(Device(), x, r); }));
  ways.add_plain("parallel_scan", waited_for([=] {
                   Kokkos::parallel_scan("plain", DeviceRange(0, n), AddPrefix{x, r});
                 }));
  return ways;
}

struct AddMultiples {
  double alpha;
  DeviceData x;
  double beta;
  DeviceData y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { y(i) = alpha * x(i) + beta * y(i); }
};

/// y comes nearer to x from call to call, and is not looked at.
Comparison compare_axpby(std::int64_t n) {
  DeviceData const x = on_device(log_uniform(n, 2, 1)), y = on_device(log_uniform(n, 2, 2));
  Comparison ways(n, 3 * sizeof(double), 0.0);
  ways.add_exact("Exakt::axpby", waited_for([=] { Exakt::axpby(Device(), 0.7, x, 0.3, y); }));
  ways.add_plain("plain", waited_for([=] {
                   Kokkos::parallel_for("plain", DeviceRange(0, n), AddMultiples{0.7, x, 0.3, y});
                 }));
  return ways;
}

struct AddOuterProduct {
  DeviceData x, y;
  DeviceMatrix<Left> A;
  KOKKOS_FUNCTION void operator()(int i, int j) const { A(i, j) += 0.7 * x(i) * y(j); }
};

/// Integers make ties of many sums with numbers of 53 bits. A changes from call to call, and is not looked at.
Comparison compare_ger(int n, bool with_integers) {
  Data x_here = log_uniform(n, 2, 1), y_here = log_uniform(n, 2, 2);
  for (std::size_t i = 0; i < x_here.extent(0) && with_integers; ++i) {
    x_here(i) = static_cast<double>(i % 7) - 3;
    y_here(i) = static_cast<double>(i % 5) - 2;
  }
  DeviceData const x = on_device(x_here), y = on_device(y_here);
  DeviceMatrix<Left> const A = on_device(random_matrix<double, Left>(n, n, 3));
  Comparison ways(std::int64_t{n} * n, 2 * sizeof(double), 0.0);
  ways.add_exact("Exakt::ger", waited_for([=] { Exakt::ger(Device(), 0.7, x, y, A); }));
  ways.add_plain("plain", waited_for([=] {
                   Kokkos::parallel_for("plain", Kokkos::MDRangePolicy<Device, Kokkos::Rank<2>>({0, 0}, {n, n}),
                                        AddOuterProduct{x, y, A});
                 }));
  return ways;
}

struct SumColumn {
  DeviceMatrix<Left> A;
  DeviceData r;
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const j = member.league_rank();
    auto const& entries = A;
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, static_cast<int>(A.extent(0))),
        [&](int i, double& partial) { partial += entries(i, j); }, sum);
    Kokkos::single(Kokkos::PerTeam(member), [&] { r(j) = sum; });
  }
};

Comparison compare_columns(int n) {
  auto const here = random_matrix<double, Left>(n, n, 1);
  DeviceMatrix<Left> const A = on_device(here);
  DeviceData const r("r", A.extent(1));
  auto const check = [=](std::string const& way) {
    auto const results = on_host(r);
    for_samples(r.extent(0), 20, [&](std::size_t j) {
      require_bits(way, results(j),
                   reference(Verb::sum, gathered(here.extent(0), [=](std::size_t i) { return here(i, j); })));
    });
  };
  Comparison ways(std::int64_t{n} * n, sizeof(double), check);
  ways.add_exact("Exakt::sum", waited_for([=] { Exakt::sum(Device(), r, A); }));
  ways.add_plain("plain", waited_for([=] { Kokkos::parallel_for("plain", Teams(n, Kokkos::AUTO), SumColumn{A, r}); }));
  return ways;
}

/// One dot product for each team.
template <bool is_exact>
struct DotsByTeams {
  DeviceMatrix<Left> A, B;
  DeviceData r;
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const j = member.league_rank();
    auto const x = Kokkos::subview(A, Kokkos::ALL, j), y = Kokkos::subview(B, Kokkos::ALL, j);
    double dot = 0;
    if constexpr (is_exact) {
      dot = Exakt::team_dot(member, x, y);
    } else {
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(member, static_cast<int>(x.extent(0))),
          [&](int i, double& partial) { partial += x(i) * y(i); }, dot);
    }
    Kokkos::single(Kokkos::PerTeam(member), [&] { r(j) = dot; });
  }
};

Comparison compare_team_dots(int n) {
  constexpr int teams = 10'000, threads = 64;
  auto const a = random_matrix<double, Left>(n, teams, 1), b = random_matrix<double, Left>(n, teams, 2);
  DeviceMatrix<Left> const A = on_device(a), B = on_device(b);
  DeviceData const r("r", teams);
  auto const check = [=](std::string const& way) {
    auto const results = on_host(r);
    for_samples(r.extent(0), 20, [&](std::size_t j) {
      auto const column = [=](auto const& of) {
        return gathered(of.extent(0), [=](std::size_t i) { return of(i, j); });
      };
      require_bits(way, results(j), reference(Verb::dot, column(a), column(b)));
    });
  };
  int const most = Teams(1, 1).team_size_max(DotsByTeams<true>{A, B, r}, Kokkos::ParallelForTag()),
            size = std::min(threads, most);
  Comparison ways(std::int64_t{n} * teams, 2 * sizeof(double), check);
  ways.add_exact("Exakt::team_dot", waited_for([=] {
                   Kokkos::parallel_for("team_dot", Teams(teams, size), DotsByTeams<true>{A, B, r});
                 }));
  ways.add_plain("plain", waited_for([=] {
                   Kokkos::parallel_for("plain", Teams(teams, size), DotsByTeams<false>{A, B, r});
                 }));
  return ways;
}

/// A sparse matrix of equal rows.
struct Rows {
  DeviceArray<int> map, columns;
  DeviceData values, x, y;
};

struct MultiplyRow : Rows {
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const row = member.league_rank() * member.team_size() + member.team_rank();
    if (row + 1 >= static_cast<int>(map.extent(0))) return;
    Rows const& A = *this;
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, map(row), map(row + 1)),
        [&](int k, double& partial) { partial += A.values(k) * A.x(A.columns(k)); }, sum);
    y(row) = sum;
  }
};
struct AddRow : Rows {
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (int k = map(row); k < map(row + 1); ++k) Kokkos::atomic_add(&y(columns(k)), values(k) * x(row));
  }
};

/// y := A x or A^T x; entries of a row lie close to the diagonal, each third one further away.
Comparison compare_spmv(int rows, int of_row, bool transposed, bool with_integers) {
  auto const size = static_cast<std::size_t>(rows), entries = size * static_cast<std::size_t>(of_row);
  Kokkos::View<int*, Kokkos::HostSpace> const map("map", size + 1), columns("columns", entries);
  Data const values = log_uniform(static_cast<std::int64_t>(entries), 2, 1), x = log_uniform(rows, 2, 2);
  for (int i = 0; i <= rows; ++i) map(i) = i * of_row;
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < of_row; ++k) {
      int const column = i + (k - of_row / 2) * (k % 3 == 0 ? 700 : 1);
      columns(i * of_row + k) = (column % rows + rows) % rows;
      if (with_integers) values(i * of_row + k) = (i + 3 * k) % 7 - 3;
    }
  }
  Rows const A{on_device(map), on_device(columns), on_device(values), on_device(x), DeviceData("y", size)};
  auto const check = [=](std::string const& way) {
    auto const results = on_host(A.y);
    for_samples(size, 10, [&](std::size_t i) {
      std::vector<double> a, b;
      for (std::size_t k = 0; k < entries; ++k) {
        std::size_t const row = k / static_cast<std::size_t>(of_row), column = static_cast<std::size_t>(columns(k));
        if ((transposed ? column : row) != i) continue;
        a.push_back(values(k));
        b.push_back(x(transposed ? row : column));
      }
      auto const copied = [](std::vector<double> const& from) {
        return gathered(from.size(), [&](std::size_t k) { return from[k]; });
      };
      require_bits(way, results(i), reference(Verb::dot, copied(a), copied(b)));
    });
  };
  Comparison ways(static_cast<std::int64_t>(entries), sizeof(double) + sizeof(int), check);
  char const* const mode = transposed ? "T" : "N";
  ways.add_exact("Exakt::spmv", waited_for([=] {
                   Exakt::spmv(Device(), mode, 1.0, Exakt::crs_matrix(A.map, A.columns, A.values, rows), A.x, 0.0, A.y);
                 }));
  if (transposed) {
    ways.add_plain("plain", waited_for([=] {
                     Kokkos::deep_copy(Device(), A.y, 0.0);
                     Kokkos::parallel_for("plain", DeviceRange(0, rows), AddRow{A});
                   }));
  } else {
    bool const is_host = std::is_same_v<Device::memory_space, Kokkos::HostSpace>;
    int const lanes = is_host ? 1 : of_row < 10 ? 4 : 32, threads = is_host ? 1 : 128 / lanes;
    ways.add_plain("plain", waited_for([=] {
                     Kokkos::parallel_for("plain", Teams((rows + threads - 1) / threads, threads, lanes),
                                          MultiplyRow{A});
                   }));
  }
  return ways;
}

void add_case(std::string const& name, std::int64_t n, std::function<Comparison(std::int64_t)> make,
              double abscissa = 0) {
  cases().push_back({name, n, std::move(make), {}, abscissa});
}

Registration const verbs([] {
  for (int exponent = 10; exponent <= 24; exponent += 2)
    add_case("device scan against n, n = 2^" + std::to_string(exponent), std::int64_t{1} << exponent, compare_scans,
             std::ldexp(1.0, exponent));
  add_case("device axpby, n = 2^24", std::int64_t{1} << 24, compare_axpby);
  constexpr std::int64_t entries = std::int64_t{4096} * 4096;
  for (bool const with_integers : {false, true})
    add_case(std::string("device ger, n = 4096") + (with_integers ? ", integers" : ""), entries,
             [=](std::int64_t n) { return compare_ger(root(n, 2), with_integers); });
  add_case("device sums of 4096 columns", entries, [](std::int64_t n) { return compare_columns(root(n, 2)); });
  for (int const n : {100, 1000})
    add_case("device team_dot, n = " + std::to_string(n), n * std::int64_t{10'000}, [=](std::int64_t products) {
      return compare_team_dots(std::max(static_cast<int>(products / 10'000), 7));
    });
  for (bool const transposed : {false, true}) {
    for (int const of_row : {5, 27, 300}) {
      for (bool const with_integers : {false, true}) {
        std::int64_t const rows = of_row == 300 ? 20'000 : 500'000;
        add_case(std::string("device spmv ") + (transposed ? "T, " : "N, ") + std::to_string(of_row) +
                     " entries a row" + (with_integers ? ", integers" : ""),
                 rows * of_row, [=](std::int64_t n) {
                   return compare_spmv(static_cast<int>(std::max<std::int64_t>(n / of_row, 7)), of_row, transposed,
                                       with_integers);
                 });
      }
    }
  }
});

}  // namespace
}  // namespace ExaktPerf
