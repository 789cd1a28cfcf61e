// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_ger.hpp>
#include <ExaktBlas2_her.hpp>
#include <ExaktBlas2_her2.hpp>
#include <ExaktBlas2_packed.hpp>
#include <ExaktBlas2_syr.hpp>
#include <ExaktBlas2_syr2.hpp>
#include <ExaktBlas3_her2k.hpp>
#include <ExaktBlas3_herk.hpp>
#include <ExaktBlas3_syr2k.hpp>
#include <ExaktBlas3_syrk.hpp>

#include "ExaktTest_GoldenStored.hpp"

using namespace ExaktTest;
using namespace ExaktTest::Golden;
using Complex = Kokkos::complex<double>;

namespace {

/// What the lower triangle of C becomes, said of either triangle: of the conjugates of A, B and alpha the upper triangle of a
/// hermitian C has the same entries.
template <class T>
struct Update {
  char uplo;
  bool is_hermitian;
  std::size_t n, k;
  T alpha, beta;
  std::vector<T> a, b, c;  // n x k, n x k, n x n

  Update(Case const& line, char which, bool hermitian) : uplo(which), is_hermitian(hermitian) {
    ProductOperands<T> const p(line, line.sizes[0], line.sizes[0], line.sizes[1]);
    n = p.n;
    k = p.k;
    bool const conjugates = is_hermitian && uplo == 'U';
    auto const said = [&](T const& x) { return conjugates ? conjugate(x) : x; };
    alpha = said(p.alpha);
    beta = p.beta;
    for (T const& x : p.a) a.push_back(said(x));
    // The B of the verb is the (conjugate) transpose of op(B).
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = 0; l < k; ++l) {
        T const x = p.b[l * n + j];
        b.push_back(said(is_hermitian ? conjugate(x) : x));
      }
    c = p.c;
  }

  auto triangle() const {
    return stored<T>(uplo, n, [this](std::size_t i, std::size_t j) {
      T const entry = c[std::max(i, j) * n + std::min(i, j)];
      if constexpr (is_complex<T>)
        if (is_hermitian && i == j) return T(entry.real(), std::numeric_limits<double>::quiet_NaN());
      return entry;
    });
  }
  /// Each entry of the lower triangle, row by row, given where its parts are.
  template <class Place>
  Words lower(Words const& words, Place const& place) const {
    std::size_t const parts = is_complex<T> ? 2 : 1;
    Words result;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        for (std::size_t part = 0; part < parts; ++part)
          result.push_back(words[(uplo == 'U' ? place(j, i) : place(i, j)) * parts + part]);
    return result;
  }
  Words of_matrix(Matrix<T> const& there) const {
    return lower(words_of(there), [&](std::size_t i, std::size_t j) { return i * n + j; });
  }
  Words of_packed(Vector<T> const& there) const {
    return lower(words_of(there), [&](std::size_t i, std::size_t j) { return packed_place(uplo, n, i, j); });
  }
};

/// The verb of matrices, in both modes and layouts; of one column also those of vectors: of a matrix, and packed.
template <class T, class Call>
void replay_update(char const* name, bool is_hermitian, Case const& line, Call const& call) {
  for (char const uplo : {'U', 'L'}) {
    Update<T> const update(line, uplo, is_hermitian);
    auto const triangle = update.triangle();
    int layouts = 0;
    for (char const* const trans : {"N", is_hermitian ? "C" : "T"}) {
      int const rows = layouts++;
      INFO("uplo " << uplo << ", trans " << trans);
      auto const c = triangle.in_matrix((rows & 1) != 0);
      call.of_matrices(triangle.letter(), trans, update.alpha,
                       before_op(*trans, (rows & 1) != 0, update.a, update.n, update.k),
                       before_op(*trans, (rows & 1) == 0, update.b, update.n, update.k), update.beta, c);
      check<T>(name, line, update.of_matrix(c));
    }
    if (update.k != 1) continue;
    auto const x = vector(update.a), y = vector(update.b);
    auto const a = triangle.in_matrix(true);
    call.of_vectors(triangle.letter(), update.alpha, x, y, a);
    check<T>("of vectors", line, update.of_matrix(a));
    auto const ap = triangle.packed();
    call.of_packed(triangle.letter(), update.alpha, x, y, ap);
    check<T>("packed", line, update.of_packed(ap));
  }
}

template <class OfMatrices, class OfVectors, class OfPacked>
struct UpdateCalls {
  OfMatrices of_matrices;
  OfVectors of_vectors;
  OfPacked of_packed;
};
template <class OfMatrices, class OfVectors, class OfPacked>
UpdateCalls(OfMatrices, OfVectors, OfPacked) -> UpdateCalls<OfMatrices, OfVectors, OfPacked>;

}  // namespace

TEST_CASE("golden results of syrk, syr, spr") {
  UpdateCalls const calls{
      [](auto uplo, auto trans, auto const& alpha, auto const& a, auto const&, auto const& beta, auto const& c) {
        Exakt::syrk(uplo, trans, alpha, a, beta, c);
      },
      [](auto uplo, auto const& alpha, auto const& x, auto const&, auto const& a) { Exakt::syr(uplo, alpha, x, a); },
      [](auto uplo, auto const& alpha, auto const& x, auto const&, auto const& ap) { Exakt::spr(uplo, alpha, x, ap); }};
  for_each_case<double, float, Complex>(
      "syrk", [&](Case const& line, auto type) { replay_update<decltype(type)>("syrk", false, line, calls); });
}

TEST_CASE("golden results of herk, her, hpr") {
  UpdateCalls const calls{
      [](auto uplo, auto trans, auto const& alpha, auto const& a, auto const&, auto const& beta, auto const& c) {
        Exakt::herk(uplo, trans, alpha, a, beta, c);
      },
      [](auto uplo, auto const& alpha, auto const& x, auto const&, auto const& a) { Exakt::her(uplo, alpha, x, a); },
      [](auto uplo, auto const& alpha, auto const& x, auto const&, auto const& ap) { Exakt::hpr(uplo, alpha, x, ap); }};
  for_each_case<Complex>(
      "herk", [&](Case const& line, auto type) { replay_update<decltype(type)>("herk", true, line, calls); });
}

TEST_CASE("golden results of syr2k, syr2, spr2") {
  UpdateCalls const calls{[](auto const&... x) { Exakt::syr2k(x...); }, [](auto const&... x) { Exakt::syr2(x...); },
                          [](auto const&... x) { Exakt::spr2(x...); }};
  for_each_case<double, float, Complex>(
      "syr2k", [&](Case const& line, auto type) { replay_update<decltype(type)>("syr2k", false, line, calls); });
}

TEST_CASE("golden results of her2k, her2, hpr2") {
  UpdateCalls const calls{[](auto const&... x) { Exakt::her2k(x...); }, [](auto const&... x) { Exakt::her2(x...); },
                          [](auto const&... x) { Exakt::hpr2(x...); }};
  for_each_case<Complex>(
      "her2k", [&](Case const& line, auto type) { replay_update<decltype(type)>("her2k", true, line, calls); });
}

TEST_CASE("golden results of ger, geru, gerc") {
  for_each_case<double, float, Complex>("ger", [](Case const& line, auto type) {
    using T = decltype(type);
    ProductOperands<T> const p(line, line.sizes[0], line.sizes[1], 1, false);
    auto conjugated = p.b;
    for (T& y : conjugated) y = conjugate(y);
    auto const x = vector(p.a), y = vector(p.b), y_conjugated = vector(conjugated);
    for (bool const by_rows : {false, true}) {
      auto const replay = [&](char const* what, auto const& call) {
        auto const a = before_op('N', by_rows, p.c, p.m, p.n);
        call(a);
        INFO((by_rows ? "LayoutRight" : "LayoutLeft"));
        check<T>(what, line, words_of(a));
      };
      replay("ger", [&](auto const& a) { Exakt::ger("T", p.alpha, x, y, a); });
      replay("ger with H", [&](auto const& a) { Exakt::ger("H", p.alpha, x, y_conjugated, a); });
      replay("geru", [&](auto const& a) { Exakt::geru(p.alpha, x, y, a); });
      replay("gerc", [&](auto const& a) { Exakt::gerc(p.alpha, x, y_conjugated, a); });
    }
  });
}
