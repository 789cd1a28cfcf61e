// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Matrices.hpp"
#include "ExaktPerf_Plain.hpp"

#include <ExaktSparse_spmv.hpp>

#include <algorithm>
#include <vector>

namespace ExaktPerf {
namespace {

/// Uniform in [0, 1): the same with every standard library.
class Uniform {
 public:
  double operator()() {
    m_state = m_state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(m_state >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t m_state = 1;
};

/// Entries that come row by row.
class SparseBuilder {
 public:
  void add(int column, double value) {
    m_columns.push_back(column);
    m_values.push_back(value);
  }
  void end_row() { m_row_map.push_back(m_columns.size()); }

  Sparse matrix(int columns) const {
    Sparse const A{decltype(Sparse::row_map)("row_map", m_row_map.size()),
                   decltype(Sparse::columns)("columns", m_columns.size()), Data("values", m_values.size()),
                   static_cast<int>(m_row_map.size()) - 1, columns};
    std::copy(m_row_map.begin(), m_row_map.end(), A.row_map.data());
    std::copy(m_columns.begin(), m_columns.end(), A.columns.data());
    std::copy(m_values.begin(), m_values.end(), A.values.data());
    return A;
  }

 private:
  std::vector<std::size_t> m_row_map{0};
  std::vector<int> m_columns;
  std::vector<double> m_values;
};

enum class Kind { random, wide, integers, cancelling };

/// The 27-point stencil of a cube of n^3 points.
Sparse stencil(int n, Kind kind) {
  SparseBuilder builder;
  Uniform uniform;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        int entries = 0, last_column = 0;
        double last = 0;
        for (int k = 0; k < 27; ++k) {
          int const u = x + k % 3 - 1, v = y + k / 3 % 3 - 1, w = z + k / 9 - 1;
          if (std::min({u, v, w}) < 0 || std::max({u, v, w}) >= n) continue;
          bool const cancels = kind == Kind::cancelling && ++entries % 2 == 0;
          last_column = cancels ? last_column : (w * n + v) * n + u;
          last = kind == Kind::integers ? (k == 13 ? 26 : -1) : cancels ? -last : uniform() - 0.5;
          builder.add(last_column, kind == Kind::wide ? last * std::pow(10.0, 36 * uniform() - 18) : last);
        }
        // An entry that nothing cancels with.
        if (kind == Kind::cancelling && entries % 2 != 0) builder.add(last_column, -last);
        builder.end_row();
      }
  return builder.matrix(n * n * n);
}

/// Rows of 1, 2, ... 2000 entries, short ones most often, in columns that many rows have in common.
Sparse power_law(int n) {
  SparseBuilder builder;
  Uniform uniform;
  for (int i = 0; i < n; ++i) {
    int const length = static_cast<int>(std::min(2000.0, std::pow(uniform() + 1e-9, -0.8)));
    for (int k = 0; k < length; ++k) builder.add(static_cast<int>(std::pow(uniform(), 2) * n), uniform() - 0.5);
    builder.end_row();
  }
  return builder.matrix(n);
}

template <class Row>
void for_each_row(int rows, Row const& row) {
  Kokkos::parallel_for(Range(0, rows), [=](std::int64_t i) { row(static_cast<std::size_t>(i)); });
  Kokkos::fence();
}

void plain_spmv(Sparse const& A, Data const& x, Data const& y) {
  for_each_row(A.rows, [=](std::size_t i) {
    double sum = 0;
    for (std::size_t k = A.row_map(i); k < A.row_map(i + 1); ++k)
      sum += A.values(k) * x(static_cast<std::size_t>(A.columns(k)));
    y(i) = sum;
  });
}

void vectorized_spmv(Sparse const& A, Data const& x, Data const& y) {
  for_each_row(A.rows, [=](std::size_t i) {
    constexpr int lanes = sizeof(Lanes) / sizeof(double);
    Lanes sums = {};
    double sum = 0;
    std::size_t k = A.row_map(i);
    std::size_t const end = A.row_map(i + 1);
    for (; k + lanes <= end; k += lanes) {
      Lanes factors;
      for (int l = 0; l < lanes; ++l)
        factors[l] = x(static_cast<std::size_t>(A.columns(k + static_cast<std::size_t>(l))));
      sums += load<Lanes>(&A.values(k)) * factors;
    }
    for (; k < end; ++k) sum += A.values(k) * x(static_cast<std::size_t>(A.columns(k)));
    for (int l = 0; l < lanes; ++l) sum += sums[l];
    y(i) = sum;
  });
}

/// y := op(A) x.
Comparison compare(char op, Sparse const& A) {
  bool const transposed = op == 'T';
  Data const x("x", static_cast<std::size_t>(transposed ? A.rows : A.column_count));
  Data const y("y", static_cast<std::size_t>(transposed ? A.column_count : A.rows));
  Uniform uniform;
  for (std::size_t i = 0; i < x.extent(0); ++i) x(i) = uniform();
  auto const check = [=](std::string const& way) {
    std::vector<Exakt::LongAccumulator<double, 56, Exakt::Terms::products>> sums(y.extent(0));
    for (std::size_t i = 0; i + 1 < A.row_map.extent(0); ++i)
      for (std::size_t k = A.row_map(i); k < A.row_map(i + 1); ++k) {
        auto const column = static_cast<std::size_t>(A.columns(k));
        sums[transposed ? column : i].add_product(A.values(k), x(transposed ? i : column));
      }
    for (std::size_t i = 0; i < y.extent(0); ++i) require_bits(way, y(i), sums[i].round());
  };
  Comparison ways(static_cast<std::int64_t>(A.values.extent(0)), sizeof(double) + sizeof(int), check);
  std::string const mode(1, op);
  auto const matrix = Exakt::crs_matrix(A.row_map, A.columns, A.values, static_cast<std::size_t>(A.column_count));
  ways.add_exact("Exakt::spmv", [=] {
    Exakt::spmv(mode.c_str(), 1.0, matrix, x, 0.0, y);
    return 0.0;
  });
  if (kokkos_kernels().spmv) {
    ways.add_plain("KokkosKernels", [=] {
      kokkos_kernels().spmv(op, A, x, y);
      return 0.0;
    });
  }
  if (!transposed) {
    ways.add_plain("plain", [=] {
      plain_spmv(A, x, y);
      return 0.0;
    });
    ways.add_plain("vectorized", [=] {
      vectorized_spmv(A, x, y);
      return 0.0;
    });
  }
  return ways;
}

/// Cubes of n^3 points: dry runs take smaller ones.
void add_stencil(std::string const& name, char op, int n, Kind kind, double floor) {
  cases().push_back(
      {std::string("spmv ") + op + ", " + name + ", " + std::to_string(n) + "^3",
       std::int64_t{27} * n * n * n,
       [=](std::int64_t entries) { return compare(op, stencil(std::max(2, root(entries / 27, 3)), kind)); },
       {{"KokkosKernels", floor}}});
}

Registration const products([] {
  add_stencil("random values", 'N', 104, Kind::random, 1 / 1.15);
  add_stencil("36 decades", 'N', 104, Kind::wide, 1 / 1.15);
  add_stencil("26 and -1", 'N', 104, Kind::integers, 1 / 1.6);
  add_stencil("cancelling", 'N', 104, Kind::cancelling, 1 / 5.0);
  add_stencil("random values", 'N', 32, Kind::random, 1 / 1.3);
  add_stencil("26 and -1", 'N', 32, Kind::integers, 1 / 1.6);
  add_stencil("cancelling", 'N', 32, Kind::cancelling, 1 / 5.0);
  for (std::int64_t const entries : {200'000, 10'000'000}) {
    cases().push_back({"spmv N, power law, about " + short_form(entries) + " entries",
                       entries,
                       [](std::int64_t n) { return compare('N', power_law(static_cast<int>(n / 4))); },
                       {{"KokkosKernels", 1 / 1.4}}});
  }
  add_stencil("random values", 'T', 32, Kind::random, 1 / 2.0);
  add_stencil("random values", 'T', 104, Kind::random, 1 / 2.0);
});

}  // namespace
}  // namespace ExaktPerf
