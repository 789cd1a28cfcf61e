// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finite elements: every triangle adds its part of the matrix to entries that it shares with its neighbours. Assembled
// in any order, by any number of threads, the matrix is the same.
#include <Exakt.hpp>
#include <ExaktScatter.hpp>
#include <Kokkos_Core.hpp>

#include <cstdio>

// A square of cells by cells, each cut into two triangles, its nodes moved a little.
constexpr int cells = 60, row = cells + 1, nodes = row * row, triangles = 2 * cells * cells;

KOKKOS_INLINE_FUNCTION double x_of(int node) { return node % row + (node * 37 % 64 - 32) / 256.0; }
KOKKOS_INLINE_FUNCTION double y_of(int node) { return node / row + (node * 23 % 64 - 32) / 256.0; }

KOKKOS_INLINE_FUNCTION int node_of(int triangle, int corner) {
  int const cell = triangle / 2, first = cell / cells * row + cell % cells;
  int const upper[3] = {first, first + row + 1, first + row}, lower[3] = {first, first + 1, first + row + 1};
  return triangle % 2 == 0 ? lower[corner] : upper[corner];
}

// Entry (node, node + offset) of the stiffness matrix has a place of its own for each of the seven offsets.
KOKKOS_INLINE_FUNCTION int entry_of(int from, int to) {
  int const offset = to - from;
  int const slot = offset == 0         ? 0
                   : offset == 1       ? 1
                   : offset == -1      ? 2
                   : offset == row     ? 3
                   : offset == -row    ? 4
                   : offset == row + 1 ? 5
                                       : 6;
  return 7 * from + slot;
}

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);

  Kokkos::View<double*> plain("plain", 7 * nodes), matrix("matrix", 7 * nodes), ordered("ordered", 7 * nodes);
  Kokkos::View<int*> entries("entries", 9 * triangles);
  Kokkos::View<double*> values("values", 9 * triangles);
  Exakt::ScatterSum<double> exact("matrix", 7 * nodes);

  Kokkos::parallel_for(
      triangles, KOKKOS_LAMBDA(int t) {
        double x[3], y[3];
        for (int i = 0; i < 3; ++i) {
          x[i] = x_of(node_of(t, i));
          y[i] = y_of(node_of(t, i));
        }
        double const area2 = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            // Gradients of the corners' hat functions.
            int const i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double const value = ((y[i1] - y[i2]) * (y[j1] - y[j2]) + (x[i2] - x[i1]) * (x[j2] - x[j1])) / (2 * area2);
            int const entry = entry_of(node_of(t, i), node_of(t, j));
            Kokkos::atomic_add(&plain(entry), value);
            exact.add(entry, value);
            entries(9 * t + 3 * i + j) = entry;
            values(9 * t + 3 * i + j) = value;
          }
      });
  exact.round_to(matrix);

  // Cheaper, and weaker: reproducible for this order of triangles and this block size.
  Exakt::ordered_scatter_add(entries, values, ordered, 1024);

  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), matrix);
  auto const host_ordered = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ordered);
  auto const host_plain = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), plain);
  int ordered_differs = 0, plain_differs = 0;
  Exakt::SumAccumulator<double> trace;
  for (int entry = 0; entry < 7 * nodes; ++entry) {
    ordered_differs += host_ordered(entry) != host(entry);
    plain_differs += host_plain(entry) != host(entry);
    if (entry % 7 == 0) trace += host(entry);
  }
  std::printf("exact:         trace %.17g\n", trace.round());
  std::printf("ordered:       %d of %d entries not correctly rounded, the same ones every time\n", ordered_differs,
              7 * nodes);
  std::printf("plain atomics: %d of %d entries not correctly rounded, this time\n", plain_differs, 7 * nodes);
}
