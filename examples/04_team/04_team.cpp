// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row sums of a matrix, one team per row. The way a row is shared among threads and vector lanes leaves no trace in the
// result.
#include <Exakt.hpp>
#include <Kokkos_Core.hpp>

#include <cstdio>

using Policy = Kokkos::TeamPolicy<>;
using Matrix = Kokkos::View<double**>;
using Vector = Kokkos::View<double*>;

void sum_rows(Matrix const& A, Vector const& sums, int vector_length) {
  using Sum = Exakt::ExactSum<double>;
  Kokkos::parallel_for(
      Policy(A.extent(0), Kokkos::AUTO, vector_length), KOKKOS_LAMBDA(Policy::member_type const& team) {
        int const row = team.league_rank();
        int const columns = A.extent(1);
        Sum::value_type total;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(team, columns), [&](int column, Sum::value_type& sum) { sum += A(row, column); },
            Sum(total));
        Kokkos::single(Kokkos::PerTeam(team), [&] { sums(row) = total.round(); });
      });
}

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);

  Matrix A("A", 3, 10'000);
  Kokkos::parallel_for(
      A.extent(1), KOKKOS_LAMBDA(int column) {
        for (int row = 0; row < 3; ++row) A(row, column) = (column % 2 == 0 ? 1.0 : -1.0) / (column + row + 1);
      });

  Vector sums("sums", A.extent(0)), sums_again("sums_again", A.extent(0));
  sum_rows(A, sums, 1);
  sum_rows(A, sums_again, 8);

  auto const host_sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  auto const host_sums_again = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums_again);
  for (int row = 0; row < 3; ++row)
    std::printf("row %d: %.17g, with vectors of 8: %.17g\n", row, host_sums(row), host_sums_again(row));
}
