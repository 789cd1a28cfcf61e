// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Gemm.hpp"

namespace ExaktPerf {
namespace {

using Layout = Kokkos::LayoutLeft;

/// A square matrix times some columns; and its transpose: many rows by as many, few columns of each.
Comparison compare_columns(int n, int columns) {
  return compare_gemm<double>({random_matrix<double, Layout>(n, n, 1), random_matrix<double, Layout>(n, columns, 2)});
}
Comparison compare_tall(int n, int columns) {
  return compare_gemm<double>(
      {random_matrix<double, Layout>(columns, n, 1), random_matrix<double, Layout>(n, columns, 2)});
}

Registration const products([] {
  std::vector<Floor> const enclosure{{"OpenBLAS", 1 / 6.0}};
  add_gemm_case("gemm of doubles", 100, random_factors<double>);
  add_gemm_case("gemm of doubles", 1024, random_factors<double>, enclosure);
  add_gemm_case("gemm of doubles", 2048, random_factors<double>, enclosure);
  add_gemm_case("gemm of doubles, cancelling", 1024, cancelling_factors, {{"OpenBLAS", 1 / 40.0}});
  add_gemm_case("gemm of floats", 1024, random_factors<float>);
  for (int const n : {64, 512, 1024}) {
    add_gemm_case("gemm of doubles, ties", n, tied_factors);
    add_gemm_case("gemm of doubles, narrow", n, narrow_factors);
    add_gemm_case("gemm of doubles, block diagonal", n, block_factors);
  }
  for (int const columns : {1, 2, 4, 8, 16}) {
    std::string const times = std::to_string(columns) + (columns == 1 ? " column" : " columns");
    cases().push_back({"gemm of doubles, " + times + ", n = 1000", std::int64_t{1'000'000} * columns,
                       [columns](std::int64_t products) {
                         return compare_columns(std::max(4, root(products / columns, 2)), columns);
                       }});
    cases().push_back({"gemm of doubles, " + times + " by as many, k = 1e5", std::int64_t{100'000} * columns * columns,
                       [columns](std::int64_t products) {
                         return compare_tall(std::max(4, static_cast<int>(products / columns / columns)), columns);
                       }});
  }
  for (int const n : {4, 16, 32, 64, 128, 256, 512, 1024, 2048})
    add_gemm_case("gemm against n", n, random_factors<double>, {}, n);
});

}  // namespace
}  // namespace ExaktPerf
