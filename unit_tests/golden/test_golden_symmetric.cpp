// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_band.hpp>
#include <ExaktBlas2_hemv.hpp>
#include <ExaktBlas2_packed.hpp>
#include <ExaktBlas2_symv.hpp>
#include <ExaktBlas3_hemm.hpp>
#include <ExaktBlas3_symm.hpp>

#include "ExaktTest_GoldenStored.hpp"

using namespace ExaktTest;
using namespace ExaktTest::Golden;
using Complex = Kokkos::complex<double>;

namespace {

/// Entry (i, j) of a symmetric or hermitian matrix of which the lower triangle is given; the imaginary parts of a
/// hermitian diagonal are not to be read.
template <class T>
T mirrored(bool is_hermitian, std::vector<T> const& a, std::size_t n, std::size_t i, std::size_t j) {
  T entry = a[std::max(i, j) * n + std::min(i, j)];
  if constexpr (is_complex<T>) {
    if (!is_hermitian) return entry;
    if (i < j) return conjugate(entry);
    if (i == j) return T(entry.real(), std::numeric_limits<double>::quiet_NaN());
  }
  return entry;
}

/// The verb of matrices, bands, and packed triangles.
template <class T, class OfMatrix, class OfBand, class OfPacked>
void replay_mirrored(bool is_hermitian, Case const& line, OfMatrix const& of_matrix, OfBand const& of_band,
                     OfPacked const& of_packed) {
  std::size_t const n = line.sizes[0], band = line.sizes[1];
  ProductOperands<T> const p(line, n, 1, n);
  auto const x = vector(p.b);
  auto const replay = [&](char const* what, auto const& call) {
    auto const y = vector(p.c);
    call(y);
    check<T>(what, line, words_of(y));
  };
  for (char const uplo : {'U', 'L'}) {
    INFO("uplo " << uplo);
    auto const triangle =
        stored<T>(uplo, n, [&](std::size_t i, std::size_t j) { return mirrored(is_hermitian, p.a, n, i, j); });
    for (bool const by_rows : {false, true}) {
      auto const ab = triangle.in_band(band, by_rows);
      replay("in a band", [&](auto const& y) { of_band(triangle.letter(), p.alpha, ab, x, p.beta, y); });
      if (band + 1 < n) continue;
      auto const a = triangle.in_matrix(by_rows);
      replay("in a matrix", [&](auto const& y) { of_matrix(triangle.letter(), p.alpha, a, x, p.beta, y); });
    }
    if (band + 1 < n) continue;
    auto const ap = triangle.packed();
    replay("packed", [&](auto const& y) { of_packed(triangle.letter(), p.alpha, ap, x, p.beta, y); });
  }
}

/// On the left A B; on the right B^T A^T, for which the triangle is that of A^T.
template <class T, class Verb>
void replay_mirrored_matrix(char const* name, bool is_hermitian, Case const& line, Verb const& verb) {
  std::size_t const n = line.sizes[0], columns = line.sizes[1];
  ProductOperands<T> const p(line, n, columns, n);
  int layouts = 0;
  for (bool const is_on_right : {false, true})
    for (char const uplo : {'U', 'L'}) {
      int const rows = layouts++;
      auto const triangle = stored<T>(uplo, n, [&](std::size_t i, std::size_t j) {
        return is_on_right ? mirrored(is_hermitian, p.a, n, j, i) : mirrored(is_hermitian, p.a, n, i, j);
      });
      char const op = is_on_right ? 'T' : 'N';
      auto const c = before_op(op, (rows & 1) == 0, p.c, n, columns);
      verb(is_on_right ? "R" : "L", triangle.letter(), p.alpha, triangle.in_matrix((rows & 2) != 0),
           before_op(op, (rows & 1) != 0, p.b, n, columns), p.beta, c);
      INFO("side " << (is_on_right ? "R" : "L") << ", uplo " << uplo);
      check<T>(name, line, words_of(c, is_on_right));
    }
}

}  // namespace

TEST_CASE("golden results of symv, sbmv, spmv of packed triangles") {
  for_each_case<double, float, Complex>("symv", [](Case const& line, auto type) {
    replay_mirrored<decltype(type)>(
        false, line, [](auto const&... x) { Exakt::symv(x...); }, [](auto const&... x) { Exakt::sbmv(x...); },
        [](auto const&... x) { Exakt::spmv(x...); });
  });
}

TEST_CASE("golden results of hemv, hbmv, hpmv") {
  for_each_case<Complex>("hemv", [](Case const& line, auto type) {
    replay_mirrored<decltype(type)>(
        true, line, [](auto const&... x) { Exakt::hemv(x...); }, [](auto const&... x) { Exakt::hbmv(x...); },
        [](auto const&... x) { Exakt::hpmv(x...); });
  });
}

TEST_CASE("golden results of symm, hemm, on either side") {
  for_each_case<double, float, Complex>("symm", [](Case const& line, auto type) {
    replay_mirrored_matrix<decltype(type)>("symm", false, line, [](auto const&... x) { Exakt::symm(x...); });
  });
  for_each_case<Complex>("hemm", [](Case const& line, auto type) {
    replay_mirrored_matrix<decltype(type)>("hemm", true, line, [](auto const&... x) { Exakt::hemm(x...); });
  });
}

TEST_CASE("golden results of gbmv, in every mode and layout") {
  for_each_case<double, float, Complex>("gbmv", [](Case const& line, auto type) {
    using T = decltype(type);
    std::size_t const m = line.sizes[0], k = line.sizes[1];
    ProductOperands<T> const p(line, m, 1, k);
    for (char const* const mode : {"N", "T", "C"})
      for (bool const by_rows : {false, true}) {
        bool const is_transposed = *mode != 'N';
        std::size_t const rows = is_transposed ? k : m, columns = is_transposed ? m : k;
        std::size_t const below = line.sizes[is_transposed ? 3 : 2], above = line.sizes[is_transposed ? 2 : 3];
        auto const ab = matrix<T>(below + above + 1, columns, by_rows, [&](std::size_t row, std::size_t j) {
          if (row + j < above || row + j - above >= rows) return nan_of<T>();
          std::size_t const i = row + j - above;
          T const entry = p.a[is_transposed ? j * k + i : i * k + j];
          return *mode == 'C' ? conjugate(entry) : entry;
        });
        auto const y = vector(p.c);
        Exakt::gbmv(mode, below, above, p.alpha, ab, vector(p.b), p.beta, y);
        INFO("mode " << mode << (by_rows ? ", LayoutRight" : ", LayoutLeft"));
        check<T>("gbmv", line, words_of(y));
      }
  });
}
