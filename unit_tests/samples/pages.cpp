// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The samples of pages that are no whole programs, as they stand there (samples.py), in functions that are compiled only.
#include <Exakt.hpp>
#include <ExaktScatter.hpp>
#include <ExaktSparse.hpp>

#include <cstdio>

namespace {

struct Block {
  double energy() const;                                                                                    // before
  void add_to(Exakt::DotAccumulator<double>& energy, Exakt::SumAccumulator<double>& mass) const;            // after
};

/// What a sparse matrix's graph has.
struct Graph {
  Kokkos::View<std::size_t*> row_map;
  Kokkos::View<int*> entries;
};

void host_verbs(int n, Kokkos::View<double*> x, Kokkos::View<double*> y, Kokkos::View<double*> prefixes,
                Kokkos::View<int*> offsets, Kokkos::View<double*> sums, Kokkos::View<int*> keys,
                Kokkos::View<int*> unique_keys) {
  Exakt::variance(x), Exakt::correlation(x, y);                            // of Kokkos::View<double*>, rounded once
  Exakt::inclusive_scan(x, prefixes);                                      // every prefix
  Exakt::segmented_sum(offsets, x, sums);                                  // x(offsets(s)) + ... + x(offsets(s + 1) - 1)
  auto const groups = Exakt::sum_by_key(keys, x, unique_keys, sums);       // sorted by key; how many there are
  auto const total = Exakt::transform_sum(n, KOKKOS_LAMBDA(int i) { return x(i) * x(i) - 1; });
  std::printf("%d %g\n", int(groups), total);
}

void scattered_terms(int n, int m, Kokkos::View<int*> index, Kokkos::View<double*> x, Kokkos::View<double*> y,
                     Graph const& graph) {
  Exakt::ScatterSum<double> bins("bins", n);                                     // n exact accumulators
  Kokkos::parallel_for(m, KOKKOS_LAMBDA(int j) { bins.add(index(j), x(j)); });   // any thread, any index, lock-free
  bins.round_to(y);

  Exakt::ScatterSum<double*[3]> F("forces", n);         // bins of any rank: F.add(j, c, x), F.subtract(j, c, x), F.add_to(force)
  Exakt::CrsAssembly<double> S(graph);                  // a sparse matrix: S.add(row, column, x), S.round_to(A.values)
}

void cached_terms(Exakt::ScatterSum<double> bins, int chunks, Kokkos::View<int*> begin, Kokkos::View<int*> end,
                  Kokkos::View<int*> index, Kokkos::View<double*> x) {
  Kokkos::parallel_for(chunks, KOKKOS_LAMBDA(int c) {
    Exakt::ScatterCache cache(bins);                                   // gives all to the bins when it goes
    for (int j = begin(c); j < end(c); ++j) cache.add(index(j), x(j)); // some hundred terms and more
  });
}

template <class Matrix>
void products(Matrix A, Kokkos::View<int*> row_map, Kokkos::View<int*> columns, Kokkos::View<double*> values, int n,
              double alpha, Kokkos::View<double*> x, double beta, Kokkos::View<double*> y) {
  Exakt::spmv("N", 1.0, A, x, 0.0, y);                                          // A: a KokkosSparse::CrsMatrix
  Exakt::spmv("T", alpha, Exakt::crs_matrix(row_map, columns, values, n), x, beta, y);   // or three Views
}

}  // namespace

void samples_of_pages() {
  host_verbs(0, {}, {}, {}, {}, {}, {}, {});
  scattered_terms(0, 0, {}, {}, {}, {});
  cached_terms({}, 0, {}, {}, {}, {});
  products(Exakt::crs_matrix(Kokkos::View<int*>(), Kokkos::View<int*>(), Kokkos::View<double*>(), 0), {}, {}, {}, 0, 1,
           {}, 1, {});
}
