// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas3_trsm.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_NextToTies.hpp"
#include "ExaktTest_Triangles.hpp"

namespace {

using namespace ExaktTest;
using Exakt::trsm;

/// A right-hand side per column; by_rows: B holds them as rows, and A stands on the right.
template <class T, class R, class Alpha>
void check_systems(Random& random, Hardness hardness, TriangleModes modes, Alpha alpha, std::size_t n,
                   std::size_t right_sides, bool every_space = false) {
  INFO(name_of(hardness) << ", n = " << n << ", " << right_sides << " right-hand sides, alpha " << double(alpha));
  auto const a = hard_triangle<T>(random, hardness, modes, n);
  Table<R> b(n, right_sides), expected(n, right_sides);
  for (R& entry : b.entries) entry = hard_number<R>(random, hardness);
  for (std::size_t k = 0; k < right_sides; ++k) {
    auto const x = solution_of(a, modes, static_cast<double>(alpha), b.column(k));
    for (std::size_t i = 0; i < n; ++i) expected(i, k) = x[i];
  }
  for (Storage const storage : every_storage)
    for (bool const on_left : {true, false}) {
      INFO("storage " << static_cast<int>(storage) << (on_left ? ", left" : ", right"));
      // `a` is op(A) on the left; on the right it is the transpose of op(A).
      bool const transposed = modes.is_transposed, turned = on_left ? transposed : !transposed;
      bool const upper = modes.goes_down() == turned;
      auto const matrix = stored(turned ? a.transposed() : a, storage);
      Storage const other = storage == Storage::left ? Storage::corner_of_right : Storage::left;
      auto const check = [&](auto const& space) {
        auto const x = stored(on_left ? b : b.transposed(), other);
        trsm(space, on_left ? "L" : "R", upper ? "U" : "L", transposed ? "T" : "N", modes.diag(), alpha, matrix, x);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t k = 0; k < right_sides; ++k)
            EXAKT_CHECK_BITS(on_left ? x(i, k) : x(k, i), Expected<R>{expected(i, k)});
      };
      if (every_space) {
        for_each_host_space(check);
      } else {
        check(Kokkos::DefaultHostExecutionSpace());
      }
    }
}

}  // namespace

TEST_CASE("a small triangle is read as whole packs: behind its last row and its last column there are zeros") {
  using namespace Exakt::Impl;
  MatrixKernelsOf<double> const& kernels = matrix_kernels();
  if (!matrix_kernels().has_enclosures) return;  // nor triangles
  double entries[small_triangle * small_triangle];
  for (std::size_t i = 0; i < std::size(entries); ++i) entries[i] = static_cast<double>(i + 1);
  auto const stride = static_cast<std::ptrdiff_t>(small_triangle);
  for (auto const& [row_step, column_step] : {std::pair{std::ptrdiff_t{1}, stride}, {stride, std::ptrdiff_t{1}}})
    for (std::size_t size = 1; size <= small_triangle; ++size) {
      INFO("size " << size << ", rows " << row_step << " apart");
      SmallTriangle<kernel_lanes> triangle;
      std::fill(std::begin(triangle.entries), std::end(triangle.entries), std::numeric_limits<double>::quiet_NaN());
      kernels.gather_triangle(entries, row_step, column_step, size, triangle);
      std::size_t const whole = (size + kernel_lanes - 1) / kernel_lanes * kernel_lanes;
      for (std::size_t c = 0; c < whole; ++c)
        for (std::size_t r = c / kernel_lanes * kernel_lanes; r < whole; ++r) {
          double const entry =
              entries[static_cast<std::ptrdiff_t>(r) * row_step + static_cast<std::ptrdiff_t>(c) * column_step];
          EXAKT_CHECK_BITS(triangle.column(c)[r], r > c && r < size && c < size ? entry : 0.0);
        }
    }
}

TEST_CASE("each unknown of trsm is the exact quotient, rounded once, in every mode and storage") {
  Random random(820);
  for_each_triangle([&](TriangleModes const& modes) {
    for (Hardness const hardness : every_hardness) {
      auto const alpha = random.one_of(1.0, 0.0, -0.3, random.value<double>(random.between(-1074, 1023)));
      check_systems<double, double>(random, hardness, modes, alpha, random.between<std::size_t>(0, 20),
                                    random.between<std::size_t>(0, 11));
    }
  });
}

TEST_CASE("trsm of floats, and with an integer alpha") {
  Random random(821);
  for_each_triangle([&](TriangleModes const& modes) {
    check_systems<float, float>(random, Hardness::none, modes, 0.1f, 20, 5);
    check_systems<float, float>(random, Hardness::every_exponent, modes, -3, 10, 5);
  });
}

TEST_CASE("trsm with more unknowns than a block has, on every host space") {
  Random random(822);
  check_systems<double, double>(random, Hardness::none, {false, false, false}, 0.7, 280, 9, true);
  check_systems<double, double>(random, Hardness::cancelling, {true, false, false}, 1.0, 270, 3);
}

TEST_CASE("trsm of rows next to ties, all rests of products with another triangle of which are rounded one way") {
  constexpr std::size_t known = Exakt::Impl::small_triangle;
  auto const rows = rows_next_to_ties(known);
  std::size_t const n = known + rows.rows;
  Table<double> a(n, n), b(n, 5);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < known && i >= known; ++j) a(i, j) = -rows(i - known, j);
  for (std::size_t i = 0; i < known; ++i)
    for (std::size_t k = 0; k < b.columns; ++k) b(i, k) = 1;
  auto const expected = solution_of(a, {false, false, true}, 1.0, b.column(0));
  for (Storage const storage : {Storage::left, Storage::right}) {
    INFO("storage " << static_cast<int>(storage));
    auto const x = stored(b, Storage::left);
    trsm("L", "L", "N", "U", 1.0, stored(a, storage), x);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < b.columns; ++k) EXAKT_CHECK_BITS(x(i, k), Expected<double>{expected[i]});
  }
}

TEST_CASE("with alpha = 0 trsm looks neither at A nor at B") {
  auto const a = poisoned<HostMatrix<double, Kokkos::LayoutRight>>(1, 1);
  auto const b = poisoned<HostMatrix<double, Kokkos::LayoutRight>>(1, 2);
  trsm("L", "U", "N", "N", 0.0, a, b);
  CHECK(same_bits(b(0, 0), 0.0));
  CHECK(same_bits(b(0, 1), 0.0));
}

TEST_CASE("trsm refuses operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  auto const a = poisoned<Matrix>(3, 3), b = poisoned<Matrix>(3, 2);
  auto const refusal = [&](char const* side, char const* uplo, char const* trans, char const* diag, auto const& x) {
    return refusal_of([&] { trsm(side, uplo, trans, diag, 1.0, a, x); });
  };
  CHECK(refusal("X", "U", "N", "N", b) == "Exakt::trsm: side is 'X'; it must be L or R");
  CHECK(refusal("L", "N", "N", "N", b) == "Exakt::trsm: uplo is 'N'; it must be U or L");
  CHECK(refusal("L", "U", "U", "N", b) == "Exakt::trsm: trans is 'U'; it must be N, T or C");
  CHECK(refusal("L", "U", "N", "L", b) == "Exakt::trsm: diag is 'L'; it must be U or N");
  CHECK(refusal("R", "U", "N", "N", b) ==
        "Exakt::trsm: A is 3 x 3, B is 3 x 2; with side 'R', A.extent(0) must equal B.extent(1)");
  CHECK(refusal("L", "U", "N", "N", poisoned<Matrix>(2, 3)) ==
        "Exakt::trsm: A is 3 x 3, B is 2 x 3; A.extent(0) must equal B.extent(0)");
  CHECK(refusal("L", "U", "N", "N", a) == "Exakt::trsm: B is 3 x 3, A is 3 x 3; they must not share memory");
  CHECK(refusal_of([&] { trsm("L", "U", "N", "N", 1.0, b, b); }) == "Exakt::trsm: A is 3 x 2; it must be square");
}
