// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemv, gemm, spmv, trsv, trsm: a case is an entry of the result.
#include <ExaktBlas2_gemv.hpp>
#include <ExaktBlas2_trsv.hpp>
#include <ExaktBlas3_gemm.hpp>
#include <ExaktBlas3_trsm.hpp>
#include <ExaktSparse_spmv.hpp>

#include "../blas/ExaktTest_Triangles.hpp"
#include "../sparse/ExaktTest_SparseMatrices.hpp"
#include "ExaktTest_Proof.hpp"

namespace ExaktTest::Proof {
namespace {

/// alpha * S + beta * old, rounded once; a factor of zero does not ask for what it multiplies.
template <class R>
class Epilogue {
 public:
  Epilogue(double alpha, double beta) : m_alpha(alpha), m_beta(beta) {}

  template <class Product>
  R operator()(std::size_t k, Product const& product, R old) {
    if ((k == 0 || m_alpha == 0) && m_beta == 1) return old;
    m_total.clear();
    if (m_alpha != 0 && k != 0) {
      m_sum.clear();
      for (std::size_t l = 0; l < k; ++l) {
        auto const [a, b] = product(l);
        m_sum.add_product(a, b);
      }
      m_total.add_scaled(m_alpha, m_sum);
    }
    if (m_beta != 0) m_total.add_product(m_beta, old);
    return m_total.template round<R>();
  }

 private:
  double m_alpha, m_beta;
  IntegerSum m_sum, m_total;
};

/// What the functions of the tests make of it with MPFR; these leave alpha = 0 to each test.
template <class R, class Product>
void confirm(Trial& trial, R by_integers, double alpha, double beta, std::size_t k, Product const& product, R old) {
  if (alpha == 0 || !trial.asks_mpfr()) return;
  trial.confirm(by_integers, expected_epilogue(
                                 alpha, k, [&](std::size_t l) { return product(l).first; },
                                 [&](std::size_t l) { return product(l).second; }, beta, old));
}

template <class T>
std::vector<T> hard_vector(Random& random, Hardness hardness, std::size_t n) {
  std::vector<T> x(n);
  for (T& entry : x) entry = hard_number<T>(random, hardness);
  return x;
}

Storage any_storage(Random& random) { return every_storage[random.between(0, 4)]; }

template <class T>
void run_gemv(std::size_t family, Trial& trial) {
  Hardness const hardness = every_hardness[family];
  auto& random = trial.random;
  for (int i = 0; i < 8; ++i) {
    auto const m = random.between<std::size_t>(0, 40), k = random.between<std::size_t>(0, 40);
    auto const made = hard_product<T, T>(random, hardness, m, k);
    auto const& a = made.first;
    auto const& x = made.second;
    auto const y = hard_vector<T>(random, hardness, m);
    HardFactors const factors(random);
    bool const transposed = random.coin();
    auto const matrix = stored(transposed ? a.transposed() : a, any_storage(random));
    auto const result = contiguous(y);
    trial.call([&] { Exakt::gemv(transposed ? "T" : "N", factors.alpha, matrix, borrowed(x), factors.beta, result); });
    Epilogue<T> epilogue(factors.alpha, factors.beta);
    for (std::size_t r = 0; r < m; ++r) {
      auto const product = [&](std::size_t l) { return std::pair<double, double>(a(r, l), x[l]); };
      T const expected = epilogue(k, product, y[r]);
      confirm(trial, expected, factors.alpha, factors.beta, k, product, y[r]);
      trial.compare(result(r), expected);
    }
  }
}

template <class T>
void run_gemm(std::size_t family, Trial& trial) {
  Hardness const hardness = every_hardness[family];
  auto& random = trial.random;
  for (int i = 0; i < 4; ++i) {
    // Now and then as large as several tiles, and as what residues are for.
    int const most = trial.seed() % 16 == 0 && i == 0 ? 130 : 30;
    auto const m = random.between<std::size_t>(0, most), n = random.between<std::size_t>(0, most),
               k = random.between<std::size_t>(0, most);
    auto const made = hard_factors<T, T>(random, hardness, m, n, k);
    auto const& a = made.first;
    auto const& b = made.second;
    Table<T> c(m, n);
    for (T& entry : c.entries) entry = hard_number<T>(random, hardness);
    HardFactors const factors(random);
    bool const turns_a = random.coin(), turns_b = random.coin();
    auto const left = stored(turns_a ? a.transposed() : a, any_storage(random)),
               right = stored(turns_b ? b.transposed() : b, any_storage(random)),
               result = stored(c, any_storage(random));
    Exakt::GemmOptions options;
    options.engine = random.one_of(Exakt::GemmEngine::automatic, Exakt::GemmEngine::direct, Exakt::GemmEngine::modular);
    trial.call([&] {
      Exakt::gemm(turns_a ? "T" : "N", turns_b ? "T" : "N", factors.alpha, left, right, factors.beta, result, options);
    });
    Epilogue<T> epilogue(factors.alpha, factors.beta);
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t s = 0; s < n; ++s) {
        auto const product = [&](std::size_t l) { return std::pair<double, double>(a(r, l), b(l, s)); };
        T const expected = epilogue(k, product, c(r, s));
        confirm(trial, expected, factors.alpha, factors.beta, k, product, c(r, s));
        trial.compare(result(r, s), expected);
      }
  }
}

template <class T>
void run_spmv(std::size_t family, Trial& trial) {
  Hardness const hardness = every_hardness[family];
  auto& random = trial.random;
  for (int i = 0; i < 8; ++i) {
    auto const m = random.between<std::size_t>(0, 40), k = random.between<std::size_t>(0, 40);
    auto const made = hard_sparse_product<T, T>(random, hardness, m, k);
    auto const& a = made.first;
    auto const& x = made.second;
    auto const y = hard_vector<T>(random, hardness, m);
    HardFactors const factors(random);
    if (factors.alpha == 0) continue;
    bool const transposed = random.coin();
    auto const matrix = transposed ? stored(ExaktTest::transposed(a)) : stored(a);
    auto const result = contiguous(y);
    trial.call([&] { Exakt::spmv(transposed ? "T" : "N", factors.alpha, matrix, borrowed(x), factors.beta, result); });
    Epilogue<T> epilogue(factors.alpha, factors.beta);
    std::size_t first = 0;
    for (std::size_t r = 0; r < m; ++r) {
      std::size_t last = first;
      while (last < a.list.size() && a.list[last].row == r) ++last;
      auto const product = [&](std::size_t l) {
        auto const& entry = a.list[first + l];
        return std::pair<double, double>(entry.value, x[entry.column]);
      };
      // With beta = 1 a matrix without columns leaves y as it is; a row without entries is a sum of zero: -0 becomes +0.
      T const old = last == first && k != 0 && y[r] == 0 ? T{0} : y[r];
      T const expected = epilogue(last - first, product, old);
      confirm(trial, expected, factors.alpha, factors.beta, last - first, product, old);
      trial.compare(result(r), expected);
      first = last;
    }
  }
}

/// x_i := (alpha * b_i - sum of a_ij x_j) / a_ii, rounded once each; `a` is op(A).
template <class T>
std::vector<T> solved(Table<T> const& a, TriangleModes const& modes, double alpha, std::vector<T> const& b) {
  std::size_t const n = a.rows;
  std::vector<T> x(n);
  if (alpha == 0) return x;
  static IntegerSum value;
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t const i = modes.goes_down() ? step : n - 1 - step;
    value.clear();
    value.add_product(alpha, b[i]);
    for (std::size_t j = modes.goes_down() ? 0 : i + 1; j < (modes.goes_down() ? i : n); ++j)
      value.subtract_product(a(i, j), x[j]);
    x[i] = value.round_quotient<T>(modes.has_unit_diagonal ? 1.0 : static_cast<double>(a(i, i)));
  }
  return x;
}

template <class T>
void confirm_solution(Trial& trial, std::vector<T> const& x, Table<T> const& a, TriangleModes const& modes,
                      double alpha, std::vector<T> const& b) {
  if (!trial.asks_mpfr()) return;
  auto const by_mpfr = solution_of(a, modes, alpha, b);
  for (std::size_t i = 0; i < x.size(); ++i) trial.confirm(x[i], Expected<T>{by_mpfr[i]});
}

/// Systems with one right-hand side, as trsv takes them, or with several on either side of A.
template <class T>
void run_triangles(bool is_trsv, std::size_t family, Trial& trial) {
  Hardness const hardness = every_hardness[family];
  auto& random = trial.random;
  for (int i = 0; i < 8; ++i) {
    // Now and then more unknowns than a block has.
    int const most = trial.seed() % 16 == 0 && i == 0 ? 100 : 24;
    auto const n = random.between<std::size_t>(0, most), columns = is_trsv ? 1 : random.between<std::size_t>(0, 8);
    TriangleModes const modes{random.coin(), random.coin(), random.coin()};
    double const alpha = is_trsv ? 1.0 : random.one_of(1.0, -0.3, random.value<double>(random.between(-1074, 1023)));
    auto const a = hard_triangle<T>(random, hardness, modes, n);
    Table<T> b(n, columns);
    for (T& entry : b.entries) entry = hard_number<T>(random, hardness);
    bool const on_left = is_trsv || random.coin();
    bool const turned = on_left ? modes.is_transposed : !modes.is_transposed, upper = modes.goes_down() == turned;
    auto const matrix = stored(turned ? a.transposed() : a, any_storage(random));
    auto const x = stored(on_left ? b : b.transposed(), any_storage(random));
    trial.call([&] {
      if (is_trsv)
        Exakt::trsv(upper ? "U" : "L", modes.trans(), modes.diag(), matrix, Kokkos::subview(x, Kokkos::ALL, 0));
      else
        Exakt::trsm(on_left ? "L" : "R", upper ? "U" : "L", modes.trans(), modes.diag(), alpha, matrix, x);
    });
    for (std::size_t j = 0; j < columns; ++j) {
      auto const expected = solved(a, modes, alpha, b.column(j));
      confirm_solution(trial, expected, a, modes, alpha, b.column(j));
      for (std::size_t r = 0; r < n; ++r) trial.compare(on_left ? x(r, j) : x(j, r), expected[r]);
    }
  }
}

template <bool is_trsv>
void run_both_triangles(std::size_t family, Trial& trial) {
  run_triangles<double>(is_trsv, family, trial);
  run_triangles<float>(is_trsv, family, trial);
}

}  // namespace

std::vector<Verb> matrices() {
  std::vector<char const*> families;
  for (Hardness const hardness : every_hardness) families.push_back(name_of(hardness));
  return {{"gemv", families, [](std::size_t f, Trial& t) { run_gemv<double>(f, t), run_gemv<float>(f, t); }},
          {"gemm", families, [](std::size_t f, Trial& t) { run_gemm<double>(f, t), run_gemm<float>(f, t); }},
          {"trsv", families, run_both_triangles<true>},
          {"trsm", families, run_both_triangles<false>},
          {"spmv", families, [](std::size_t f, Trial& t) { run_spmv<double>(f, t), run_spmv<float>(f, t); }}};
}

}  // namespace ExaktTest::Proof
