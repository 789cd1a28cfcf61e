// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktSparse.hpp>
#include <Exakt_sum_of.hpp>

#include "ExaktTest_Device.hpp"

// Sparse matrices, and sums by one thread, in the default execution space.

namespace {

using namespace ExaktTest;

/// Sums of 27 terms, one by each thread.
struct SumOfRow {
  DeviceVector<double> a, x, sums, products;
  KOKKOS_FUNCTION void operator()(int i) const {
    auto const from = 27 * i;
    auto const& terms = a;
    auto const& factors = x;
    sums(i) = Exakt::sum_of(27, [&](int k) { return terms(from + k); });
    products(i) =
        Exakt::product_sum_of(27, [&](int k) { return Kokkos::make_pair(terms(from + k), factors(from + k)); });
  }
};

}  // namespace

TEST_CASE("device: spmv and its transpose") {
  Random random(5401);
  constexpr int rows = 2000, columns = 700, per_row = 11;
  std::vector<int> row_map(rows + 1), entries;
  std::vector<double> values;
  for (int i = 0; i < rows; ++i) {
    row_map[i + 1] = per_row * (i + 1);
    for (int k = 0; k < per_row; ++k) {
      entries.push_back(random.between(0, columns - 1));
      // Some rows cancel, some have a wide range.
      bool const cancels = i % 5 == 0 && k % 2 == 1;
      if (cancels) entries.back() = entries[entries.size() - 2];
      values.push_back(cancels ? -values.back() : random.value<double>(random.between(i % 7 == 0 ? -400 : -3, 3)));
    }
  }
  auto const matrix = Exakt::crs_matrix(on_device(row_map), on_device(entries), on_device(values), columns);
  auto const x = numbers(random, columns, 5), of_rows = numbers(random, rows, 5);
  std::vector<Exact> by_row(rows), by_column(columns);
  for (int i = 0; i < rows; ++i)
    for (int k = row_map[i]; k < row_map[i + 1]; ++k) {
      by_row[i].add_product(values[k], x[entries[k]]);
      by_column[entries[k]].add_product(values[k], of_rows[i]);
    }
  DeviceVector<double> const y("y", rows), z("z", columns);
  Exakt::spmv(Device(), "N", 1, matrix, on_device(x), 0, y);
  Exakt::spmv(Device(), "T", 1, matrix, on_device(of_rows), 0, z);
  auto const of_y = on_host(y), of_z = on_host(z);
  for (int i = 0; i < rows; ++i) EXAKT_CHECK_BITS(of_y[i], by_row[i].round<double>());
  for (int j = 0; j < columns; ++j) EXAKT_CHECK_BITS(of_z[j], by_column[j].round<double>());
}

TEST_CASE("device: a sum by each thread") {
  Random random(5402);
  constexpr int rows = 500;
  auto const a = numbers(random, 27 * rows, 40), x = numbers(random, 27 * rows, 40);
  DeviceVector<double> const sums("sums", rows), products("products", rows);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(0, rows),
                       SumOfRow{on_device(a), on_device(x), sums, products});
  auto const of_sums = on_host(sums), of_products = on_host(products);
  for (int i = 0; i < rows; ++i) {
    Exact sum, product;
    for (int k = 27 * i; k < 27 * (i + 1); ++k) {
      sum.add(a[k]);
      product.add_product(a[k], x[k]);
    }
    EXAKT_CHECK_BITS(of_sums[i], sum.round<double>());
    EXAKT_CHECK_BITS(of_products[i], product.round<double>());
  }
}
