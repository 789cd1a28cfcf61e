// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>
#include <ExaktBlas.hpp>
#include <ExaktScatter.hpp>
#include <ExaktSparse.hpp>
#ifdef HAS_MPI
#include <ExaktMpi.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <initializer_list>

namespace {

/// 1e20 * 1e20 - 1e20 * 1e20 + 1, by a function that calls what libExaktBlas is linked to.
double cancelling_product() {
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const a("A", 1, 3), b("B", 3, 1), c("C", 1, 1);
  a(0, 0) = a(0, 1) = b(0, 0) = 1e20;
  b(1, 0) = -1e20;
  a(0, 2) = b(2, 0) = 1;
  Exakt::gemm("N", "N", 1, a, b, 0, c);
  return c(0, 0);
}

/// A row that cancels, by a function that calls libExaktSparse.
double cancelling_row() {
  auto const vector = [](std::initializer_list<double> numbers) {
    Kokkos::View<double*, Kokkos::HostSpace> const v("v", numbers.size());
    std::copy(numbers.begin(), numbers.end(), v.data());
    return v;
  };
  Kokkos::View<int*, Kokkos::HostSpace> const row_map("row_map", 2), columns("columns", 3);
  row_map(1) = columns(2) = 3;
  columns(1) = 1;
  auto const y = vector({7});
  Exakt::spmv("N", 1, Exakt::crs_matrix(row_map, columns, vector({1e20, 1e20, 1}), 4), vector({1e20, -1e20, 0, 1}), 0, y);
  return y(0);
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const scope(argc, argv);
  Exakt::SumAccumulator<double> sum;
  sum += 1e20;
  sum += EXAKT_VERSION_MINOR;
  sum -= 1e20;
  return sum.round() == EXAKT_VERSION_MINOR && cancelling_product() == 1 && cancelling_row() == 1 ? 0 : 1;
}
