// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_band.hpp>
#include <ExaktBlas2_packed.hpp>
#include <ExaktBlas2_trmv.hpp>
#include <ExaktBlas2_trsv.hpp>
#include <ExaktBlas3_trmm.hpp>
#include <ExaktBlas3_trsm.hpp>

#include "ExaktTest_GoldenStored.hpp"

using namespace ExaktTest;
using namespace ExaktTest::Golden;
using Complex = Kokkos::complex<double>;

namespace {

/// A lower triangular matrix L and an X with it, said in another way: counted backwards it is an upper one, and it may be
/// stored as the matrix of which op gives it.
template <class T>
struct TriangleCall {
  std::size_t n, columns, band;
  std::vector<T> a, b;
  bool has_ones, is_turned;
  char op;

  std::size_t row(std::size_t i) const { return is_turned ? n - 1 - i : i; }
  char const* trans() const { return op == 'N' ? "N" : op == 'T' ? "T" : "C"; }
  char const* diag() const { return has_ones ? "U" : "N"; }

  /// The triangle of which op gives L; with on_right of which op gives the transpose of L.
  auto triangle(bool on_right = false) const {
    bool const is_transposed = (op != 'N') != on_right;
    return stored<T>(is_turned != is_transposed ? 'U' : 'L', n, [this, is_transposed](std::size_t i, std::size_t j) {
      if (i == j && has_ones) return nan_of<T>();
      T const entry = is_transposed ? a[row(j) * n + row(i)] : a[row(i) * n + row(j)];
      return op == 'C' ? conjugate(entry) : entry;
    });
  }
  Vector<T> right_side() const {
    std::vector<T> entries;
    for (std::size_t i = 0; i < n; ++i) entries.push_back(b[row(i)]);
    return vector(entries);
  }
  Matrix<T> right_sides(bool on_right, bool by_rows) const {
    auto const entry = [&](std::size_t i, std::size_t j) { return b[row(i) * columns + j]; };
    if (!on_right) return matrix<T>(n, columns, by_rows, entry);
    return matrix<T>(columns, n, by_rows, [&](std::size_t j, std::size_t i) { return entry(i, j); });
  }
  /// Row i of the result is that of unknown i; an entry has as many words as a number has parts.
  Words in_order(Words const& words) const {
    std::size_t const width = words.size() / n;
    Words result;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t w = 0; w < width; ++w) result.push_back(words[row(i) * width + w]);
    return result;
  }
};

template <class T, class F>
void for_each_way(TriangleCall<T> call, F const& f) {
  for (bool const is_turned : {false, true})
    for (char const op : {'N', 'T', 'C'}) {
      call.is_turned = is_turned;
      call.op = op;
      INFO((is_turned ? "turned, trans " : "trans ") << op);
      f(call);
    }
}

template <class T>
TriangleCall<T> product_call(Case const& line, std::size_t columns) {
  std::size_t const n = line.sizes[0];
  ProductOperands<T> const p(line, n, columns, n);
  return {n, columns, n - 1, p.a, p.b, line.has_unit_diagonal, false, 'N'};
}

template <class T>
TriangleCall<T> system_call(Case const& line, std::size_t columns) {
  using R = typename RealOf<T>::type;
  std::size_t const n = line.sizes[0];
  auto const t =
      triangle_of(format_of<R>, is_complex<T> ? 2 : 1, line.family, line.seed, n, columns, line.has_unit_diagonal);
  return {n, columns, n - 1, entries_of<T>(t.a), entries_of<T>(t.b), line.has_unit_diagonal, false, 'N'};
}

/// The verb of matrices, bands, and packed triangles, in place.
template <class T, class OfMatrix, class OfBand, class OfPacked>
void replay_in_place(Case const& line, TriangleCall<T> const& any, OfMatrix const& of_matrix, OfBand const& of_band,
                     OfPacked const& of_packed) {
  for_each_way(any, [&](TriangleCall<T> const& call) {
    auto const triangle = call.triangle();
    auto const replay = [&](char const* what, auto const& verb, auto const& a) {
      auto const x = call.right_side();
      verb(triangle.letter(), call.trans(), call.diag(), a, x);
      check<T>(what, line, call.in_order(words_of(x)));
    };
    for (bool const by_rows : {false, true}) {
      replay("in a band", of_band, triangle.in_band(call.band, by_rows));
      if (call.band + 1 >= call.n) replay("in a matrix", of_matrix, triangle.in_matrix(by_rows));
    }
    if (call.band + 1 >= call.n) replay("packed", of_packed, triangle.packed());
  });
}

template <class T, class Verb>
void replay_on_either_side(char const* name, Case const& line, TriangleCall<T> const& any, Verb const& verb) {
  int layouts = 0;
  for_each_way(any, [&](TriangleCall<T> const& call) {
    for (bool const on_right : {false, true}) {
      int const rows = layouts++;
      T const alpha = factor_of<T>(line.factors[0]);
      auto const triangle = call.triangle(on_right);
      auto const x = call.right_sides(on_right, (rows & 1) != 0);
      verb(on_right ? "R" : "L", triangle.letter(), call.trans(), call.diag(), alpha,
           triangle.in_matrix((rows & 2) != 0), x);
      INFO("side " << (on_right ? "R" : "L"));
      check<T>(name, line, call.in_order(words_of(x, on_right)));
    }
  });
}

}  // namespace

TEST_CASE("golden results of trmv, tbmv, tpmv, in every mode and layout") {
  for_each_case<double, float, Complex>("trmv", [](Case const& line, auto type) {
    auto call = product_call<decltype(type)>(line, 1);
    call.band = line.sizes[1];
    replay_in_place(
        line, call, [](auto const&... x) { Exakt::trmv(x...); }, [](auto const&... x) { Exakt::tbmv(x...); },
        [](auto const&... x) { Exakt::tpmv(x...); });
  });
}

TEST_CASE("golden results of trmm, on either side, in every mode") {
  for_each_case<double, float, Complex>("trmm", [](Case const& line, auto type) {
    replay_on_either_side("trmm", line, product_call<decltype(type)>(line, line.sizes[1]),
                          [](auto const&... x) { Exakt::trmm(x...); });
  });
}

TEST_CASE("golden results of complex trsv, tbsv, tpsv, in every mode and layout") {
  for_each_case<Complex>("ztrsv", [](Case const& line, auto type) {
    replay_in_place(
        line, system_call<decltype(type)>(line, 1), [](auto const&... x) { Exakt::trsv(x...); },
        [](auto const&... x) { Exakt::tbsv(x...); }, [](auto const&... x) { Exakt::tpsv(x...); });
  });
}

TEST_CASE("golden results of complex trsm, on either side, in every mode") {
  for_each_case<Complex>("ztrsm", [](Case const& line, auto type) {
    replay_on_either_side("ztrsm", line, system_call<decltype(type)>(line, line.sizes[1]),
                          [](auto const&... x) { Exakt::trsm(x...); });
  });
}

TEST_CASE("golden results of tbsv, tpsv: real systems of trsv") {
  for_each_case<double, float>("trsv", [](Case const& line, auto type) {
    if (line.sizes[0] > 40) return;  // a row at a time, on one thread, whatever their number
    for_each_way(system_call<decltype(type)>(line, 1), [&](auto const& call) {
      using T = decltype(type);
      auto const triangle = call.triangle();
      auto const in_band = call.right_side(), packed = call.right_side();
      Exakt::tbsv(triangle.letter(), call.trans(), call.diag(), triangle.in_band(call.band, line.seed % 2 == 0),
                  in_band);
      check<T>("tbsv", line, call.in_order(words_of(in_band)));
      Exakt::tpsv(triangle.letter(), call.trans(), call.diag(), triangle.packed(), packed);
      check<T>("tpsv", line, call.in_order(words_of(packed)));
    });
  });
}
