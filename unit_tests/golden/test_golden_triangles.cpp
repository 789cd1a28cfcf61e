// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_trsv.hpp>
#include <ExaktBlas3_trsm.hpp>

#include "ExaktTest_Golden.hpp"

using namespace ExaktTest;
using namespace ExaktTest::Golden;

namespace {

/// A system L X = B, lower triangular, said in another way: unknowns in the opposite order make it an upper one, and
/// matrices may be stored as their transposes.
template <class T>
struct System {
  std::size_t n, columns;
  std::vector<T> a, b;
  bool is_turned;

  std::size_t row(std::size_t i) const { return is_turned ? n - 1 - i : i; }

  Matrix<T> triangle(bool is_transposed, bool by_rows) const {
    return matrix<T>(n, n, by_rows, [&](std::size_t i, std::size_t j) {
      return is_transposed ? a[row(j) * n + row(i)] : a[row(i) * n + row(j)];
    });
  }
  Matrix<T> right_sides(bool is_transposed, bool by_rows) const {
    auto const entry = [&](std::size_t i, std::size_t j) { return b[row(i) * columns + j]; };
    if (!is_transposed) return matrix<T>(n, columns, by_rows, entry);
    return matrix<T>(columns, n, by_rows, [&](std::size_t j, std::size_t i) { return entry(i, j); });
  }

  /// Row i of the solution is that of unknown i.
  Words in_order(Words const& words) const {
    Words result;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < columns; ++j) result.push_back(words[row(i) * columns + j]);
    return result;
  }
};

template <class T>
System<T> system_of(Case const& c, std::size_t columns) {
  std::size_t const n = c.sizes[0];
  auto const [a, b] = triangle_of(format_of<T>, 1, c.family, c.seed, n, columns, c.has_unit_diagonal);
  return {n, columns, numbers_of<T>(a), numbers_of<T>(b), false};
}

}  // namespace

TEST_CASE("golden results of trsv, in every mode and layout") {
  for_each_case<double, float>("trsv", [](Case const& c, auto type) {
    using T = decltype(type);
    auto system = system_of<T>(c, 1);
    for (bool const is_turned : {false, true})
      for (bool const is_transposed : {false, true})
        for (bool const by_rows : {false, true}) {
          system.is_turned = is_turned;
          std::vector<T> b;
          for (std::size_t i = 0; i < system.n; ++i) b.push_back(system.b[system.row(i)]);
          auto const x = vector(b);
          char const* const uplo = is_turned != is_transposed ? "U" : "L";
          char const* const trans = is_transposed ? "T" : "N";
          Exakt::trsv(uplo, trans, c.has_unit_diagonal ? "U" : "N", system.triangle(is_transposed, by_rows), x);
          INFO("uplo " << uplo << ", trans " << trans << (by_rows ? ", LayoutRight" : ", LayoutLeft"));
          check<T>("trsv", c, system.in_order(words_of(x)));
        }
  });
}

TEST_CASE("golden results of trsm, on either side, in every mode and layout") {
  for_each_case<double, float>("trsm", [](Case const& c, auto type) {
    using T = decltype(type);
    auto system = system_of<T>(c, c.sizes[1]);
    std::uint64_t way = 0;
    for (bool const is_turned : {false, true})
      for (bool const is_transposed : {false, true})
        for (bool const is_on_right : {false, true})
          for (int const layouts : {0, 1, 2, 3}) {
            if (!is_turn(c, way++, 8)) continue;
            system.is_turned = is_turned;
            // On the right the system is that of the transposed matrices.
            bool const is_stored_transposed = is_transposed != is_on_right;
            auto const x = system.right_sides(is_on_right, (layouts & 1) != 0);
            char const* const uplo = is_turned != is_stored_transposed ? "U" : "L";
            char const* const trans = is_transposed ? "T" : "N";
            Exakt::trsm(is_on_right ? "R" : "L", uplo, trans, c.has_unit_diagonal ? "U" : "N",
                        factor_of<T>(c.factors[0]), system.triangle(is_stored_transposed, (layouts & 2) != 0), x);
            INFO("side " << (is_on_right ? "R" : "L") << ", uplo " << uplo << ", trans " << trans << ", layouts "
                         << layouts);
            check<T>("trsm", c, system.in_order(words_of<T>(x, is_on_right)));
          }
  });
}
