// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktSparse_spmv.hpp>

#include "ExaktTest_Golden.hpp"

using namespace ExaktTest;
using namespace ExaktTest::Golden;

namespace {

/// The matrix of which op gives the stored ones of these m x k entries, its rows forwards or backwards.
template <class T>
auto sparse_before_op(char op, bool is_backwards, Case const& c, std::vector<T> const& entries) {
  std::size_t const m = c.sizes[0], k = c.sizes[2];
  auto const pattern = pattern_of(c.seed, m, k);
  bool const is_transposed = op == 'T' || op == 'H', is_conjugated = op == 'C' || op == 'H';
  std::size_t const rows = is_transposed ? k : m, columns = is_transposed ? m : k;
  std::vector<std::size_t> row_map{0};
  std::vector<int> of_entries;
  std::vector<T> values;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t step = 0; step < columns; ++step) {
      std::size_t const j = is_backwards ? columns - 1 - step : step, place = is_transposed ? j * k + i : i * k + j;
      if (!pattern[place]) continue;
      of_entries.push_back(static_cast<int>(j));
      values.push_back(is_conjugated ? conjugate(entries[place]) : entries[place]);
    }
    row_map.push_back(values.size());
  }
  return Exakt::crs_matrix(vector(row_map), vector(of_entries), vector(values), columns);
}

}  // namespace

TEST_CASE("golden results of spmv, in every mode, of one vector and of several") {
  for_each_case<double, float, Kokkos::complex<double>>("spmv", [](Case const& c, auto type) {
    using T = decltype(type);
    using R = typename RealOf<T>::type;
    std::size_t const m = c.sizes[0], n = c.sizes[1], k = c.sizes[2];
    auto const p = product_of(format_of<R>, format_of<R>, is_complex<T> ? 2 : 1, c.family, c.seed, m, n, k);
    auto const a = entries_of<T>(p.a), b = entries_of<T>(p.b);
    T const alpha = factor_of<T>(c.factors[0]), beta = factor_of<T>(c.factors[1]);
    auto const old = beta == T(0) ? std::vector<T>(m * n, nan_of<T>()) : entries_of<T>(p.c);
    for (char const* const mode : {"N", "T", "C", "H"})
      for (bool const is_backwards : {false, true}) {
        INFO("mode " << mode << (is_backwards ? ", backwards" : ""));
        auto const matrix_there = sparse_before_op(*mode, is_backwards, c, a);
        if (n == 1) {
          auto const y = vector(old);
          Exakt::spmv(mode, alpha, matrix_there, vector(b), beta, y);
          check<T>("spmv", c, words_of(y));
        }
        auto const ys = before_op('N', is_backwards, old, m, n);
        Exakt::spmv(mode, alpha, matrix_there, before_op('N', !is_backwards, b, k, n), beta, ys);
        check<T>("spmv of several vectors", c, words_of(ys));
      }
  });
}
