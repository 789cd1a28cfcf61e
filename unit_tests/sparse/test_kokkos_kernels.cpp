// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// \brief One call, by Kokkos Kernels and by Exakt: the same matrix, the same arguments, and where no rounding happens the
/// same numbers.
#include <ExaktSparse.hpp>

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>

#include "ExaktTest_Catch.hpp"
#include "ExaktTest_SparseMatrices.hpp"

namespace {

using namespace ExaktTest;
using Space = Kokkos::DefaultHostExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Space, void, std::size_t>;
using Vector = Kokkos::View<double*, Space>;

struct ByKokkosKernels {
  template <class... Arguments>
  void operator()(Arguments const&... arguments) const {
    KokkosSparse::spmv(arguments...);
    Kokkos::fence();
  }
};
struct ByExakt {
  template <class... Arguments>
  void operator()(Arguments const&... arguments) const {
    Exakt::spmv(arguments...);
  }
};

/// What a program that calls spmv looks like.
template <class Spmv>
std::vector<double> results(Spmv const& spmv, Matrix const& a) {
  std::vector<double> all;
  char const* const modes[] = {"N", "C", "T", "H"};
  for (char const* const mode : modes) {
    bool const is_transposed = mode[0] == 'T' || mode[0] == 'H';
    Vector const x("x", static_cast<std::size_t>(is_transposed ? a.numRows() : a.numCols()));
    Vector const y("y", static_cast<std::size_t>(is_transposed ? a.numCols() : a.numRows()));
    for (std::size_t i = 0; i < x.extent(0); ++i) x(i) = static_cast<double>(i % 7) - 3;
    for (std::size_t i = 0; i < y.extent(0); ++i) y(i) = static_cast<double>(i % 5);
    spmv(mode, 2.0, a, x, -1.0, y);
    spmv(mode, 1.0, a, x, 1.0, y);
    for (std::size_t i = 0; i < y.extent(0); ++i) all.push_back(y(i));
  }
  return all;
}

}  // namespace

TEST_CASE("spmv takes what KokkosSparse::spmv takes, and means the same") {
  Random random(2020);
  constexpr int rows = 300, columns = 200;
  Entries<double> entries{rows, columns, {}};
  for (std::size_t i = 0; i < rows; ++i)
    for (int k = 0; k < 9; ++k)
      entries.list.push_back(
          {i, random.between<std::size_t>(0, columns - 1), static_cast<double>(random.between(-20, 20))});
  auto const views = stored(entries);
  Matrix const a("A", rows, columns, views.values.extent(0), views.values, views.graph.row_map, views.graph.entries);
  auto const actual = results(ByExakt(), a), expected = results(ByKokkosKernels(), a);
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXAKT_CHECK(actual[i] == expected[i]);
}
