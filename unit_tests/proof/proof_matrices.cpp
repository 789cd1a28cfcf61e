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
void compare_gemv(Trial& trial, Table<T> const& a, std::vector<T> const& x, std::vector<T> const& y) {
  auto& random = trial.random;
  HardFactors const factors(random);
  bool const is_plain = random.coin(), transposed = random.coin();
  double const alpha = is_plain ? 1 : factors.alpha, beta = is_plain ? 0 : factors.beta;
  auto const matrix = stored(transposed ? a.transposed() : a, any_storage(random));
  auto const result = contiguous(y);
  trial.call([&] { Exakt::gemv(transposed ? "T" : "N", alpha, matrix, borrowed(x), beta, result); });
  Epilogue<T> epilogue(alpha, beta);
  for (std::size_t r = 0; r < a.rows; ++r) {
    auto const product = [&](std::size_t l) { return std::pair<double, double>(a(r, l), x[l]); };
    T const expected = epilogue(a.columns, product, y[r]);
    confirm(trial, expected, alpha, beta, a.columns, product, y[r]);
    trial.compare(result(r), expected);
  }
}

template <class T>
void run_gemv(std::size_t family, Trial& trial) {
  Hardness const hardness = every_hardness[family];
  auto& random = trial.random;
  for (int i = 0; i < 8; ++i) {
    auto const m = random.between<std::size_t>(0, 40), k = random.between<std::size_t>(0, 40);
    auto const [a, x] = hard_product<T, T>(random, hardness, m, k);
    compare_gemv(trial, a, x, hard_vector<T>(random, hardness, m));
  }
}

/// \brief Rows that are larger than those before, such as no sample says; nothing cancels, or not much.
///
/// Sums of vector lanes then come to the ends of what is exact.
template <class T>
void run_growing_rows(Trial& trial) {
  auto& random = trial.random;
  for (int i = 0; i < 8; ++i) {
    auto const m = random.between<std::size_t>(1, 70);
    auto const k = random.between(0, 31) == 0 ? random.between<std::size_t>(500, 700)
                                              : random.between<std::size_t>(1, random.one_of(20, 70, 140));
    bool const by_columns = random.coin(), has_signs = random.between(0, 3) == 0;
    auto const number = [&](int exponent) {
      T const some = random.value<T>(exponent);
      return has_signs ? some : std::abs(some);
    };
    int const most = random.between(1, 40), first = random.between(-20, 20);
    int growth = 0;
    Table<T> a(m, k);
    std::vector<T> x(k), y(m);
    for (T& entry : x) entry = number(0);
    for (T& entry : y) entry = number(0);
    std::size_t const lines = by_columns ? k : m, length = by_columns ? m : k;
    for (std::size_t line = 0; line < lines; ++line) {
      if (random.between(0, 3) == 0) growth = random.between(growth, most);
      for (std::size_t l = 0; l < length; ++l) (by_columns ? a(l, line) : a(line, l)) = number(first + growth);
    }
    compare_gemv(trial, a, x, y);
  }
}

/// Complex numbers, of which one part of each result is as hard as a family of real ones, and the other nearly so.
template <class T>
void run_complex_gemv(Trial& trial) {
  using Complex = Kokkos::complex<T>;
  auto& random = trial.random;
  for (int i = 0; i < 8; ++i) {
    Hardness const hardness = every_hardness[random.between<std::size_t>(0, std::size(every_hardness) - 1)];
    auto const m = random.between<std::size_t>(0, 40), k = random.between<std::size_t>(0, 40);
    auto [a, x] = hard_product<T, T>(random, hardness, m, 2 * k);
    std::vector<T> const y = hard_vector<T>(random, hardness, 2 * m);
    if (random.coin())
      for (std::size_t l = 0; l < k; ++l) std::swap(x[2 * l], x[2 * l + 1]);
    if (random.coin())
      for (std::size_t r = 0; r < m; ++r)
        for (std::size_t l = 1; l < 2 * k; l += 2) a(r, l) = -a(r, l);
    char const mode = random.one_of('N', 'T', 'C');
    Table<Complex> numbers(mode == 'N' ? m : k, mode == 'N' ? k : m);
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t l = 0; l < k; ++l)
        (mode == 'N' ? numbers(r, l) : numbers(l, r)) =
            Complex(a(r, 2 * l), mode == 'C' ? -a(r, 2 * l + 1) : a(r, 2 * l + 1));
    auto const matrix = stored(numbers, any_storage(random));
    Kokkos::View<Complex*, Kokkos::HostSpace> const factor("x", k), result("y", m);
    for (std::size_t l = 0; l < k; ++l) factor(l) = Complex(x[2 * l], x[2 * l + 1]);
    for (std::size_t r = 0; r < m; ++r) result(r) = Complex(y[2 * r], y[2 * r + 1]);
    HardFactors const factors(random);
    bool const is_plain = random.coin();
    double const alpha = is_plain ? 1 : factors.alpha, beta = is_plain ? 0 : factors.beta;
    trial.call([&] { Exakt::gemv(std::string(1, mode).c_str(), alpha, matrix, factor, beta, result); });
    Epilogue<T> epilogue(alpha, beta);
    for (std::size_t r = 0; r < 2 * m; ++r) {
      std::size_t const row = r / 2, imaginary = r % 2;
      auto const product = [&](std::size_t l) {
        bool const is_negative = l % 2 == 1 && imaginary == 0;
        return std::pair<double, double>(is_negative ? -a(row, l) : a(row, l), x[l ^ imaginary]);
      };
      T const expected = epilogue(2 * k, product, y[r]);
      confirm(trial, expected, alpha, beta, 2 * k, product, y[r]);
      trial.compare(imaginary == 1 ? result(row).imag() : result(row).real(), expected);
    }
  }
}

void run_gemv_of_family(std::size_t family, Trial& trial) {
  switch (family - std::size(every_hardness)) {
    case 0:
      return run_growing_rows<double>(trial), run_growing_rows<float>(trial);
    case 1:
      return run_complex_gemv<double>(trial), run_complex_gemv<float>(trial);
    default:
      return run_gemv<double>(family, trial), run_gemv<float>(family, trial);
  }
}

/// One product in some storages, by one of the engines.
template <class T>
void compare_product(Trial& trial, double alpha, Table<T> const& a, Table<T> const& b, double beta, Table<T> const& c) {
  auto& random = trial.random;
  std::size_t const k = a.columns;
  bool const turns_a = random.coin(), turns_b = random.coin();
  auto const left = stored(turns_a ? a.transposed() : a, any_storage(random)),
             right = stored(turns_b ? b.transposed() : b, any_storage(random)), result = stored(c, any_storage(random));
  Exakt::GemmOptions options;
  options.engine = random.one_of(Exakt::GemmEngine::automatic, Exakt::GemmEngine::direct, Exakt::GemmEngine::modular);
  trial.call([&] { Exakt::gemm(turns_a ? "T" : "N", turns_b ? "T" : "N", alpha, left, right, beta, result, options); });
  Epilogue<T> epilogue(alpha, beta);
  for (std::size_t r = 0; r < c.rows; ++r)
    for (std::size_t s = 0; s < c.columns; ++s) {
      auto const product = [&](std::size_t l) { return std::pair<double, double>(a(r, l), b(l, s)); };
      T const expected = epilogue(k, product, c(r, s));
      confirm(trial, expected, alpha, beta, k, product, c(r, s));
      trial.compare(result(r, s), expected);
    }
}

template <class T>
void run_gemm(Hardness hardness, Trial& trial) {
  auto& random = trial.random;
  for (int i = 0; i < 4; ++i) {
    // Now and then as large as several tiles, and as what residues are for.
    int const most = trial.seed() % 16 == 0 && i == 0 ? 130 : 30;
    auto const m = random.between<std::size_t>(0, most), n = random.between<std::size_t>(0, most),
               k = random.between<std::size_t>(0, most);
    auto const [a, b] = hard_factors<T, T>(random, hardness, m, n, k);
    Table<T> c(m, n);
    for (T& entry : c.entries) entry = hard_number<T>(random, hardness);
    HardFactors const factors(random);
    compare_product(trial, factors.alpha, a, b, factors.beta, c);
  }
}

/// An integer of at most so many bits, most of the time of all of them; now and then 1, which a unit comes from.
std::int64_t integer_of_bits(Random& random, int bits) {
  std::int64_t const above = std::int64_t{1} << bits;
  switch (random.between(0, 7)) {
    case 0:
      return random.between<std::int64_t>(0, above - 1);
    case 1:
      return 1;
    case 2:
      return above - 1;
    default:
      return random.between<std::int64_t>(above / 2, above - 1);
  }
}

/// How many products: around the limits of a plain sum, of a pass, and now and then of a segment.
std::size_t any_depth(Random& random) {
  if (random.between(0, 63) == 0) return static_cast<std::size_t>(random.one_of(1024, 16'383, 16'384, 16'385, 17'000));
  if (random.between(0, 7) == 0) return random.between<std::size_t>(510, 514);
  return static_cast<std::size_t>(random.one_of(7, 8, 9, 15, 16, 17, 31, 32, 33, random.between(1, 130)));
}

/// \brief Entries that few bits are enough for: plain sums of products are exact, up to some number of products.
///
/// Entries of both factors have 43 to 54 bits together, where doubles have room for sums of 1024 products, and for none;
/// those of floats are cut to 24 by what they are made of. Signs are random, all the same, or such that sums cancel.
template <class T>
void run_few_bits(Trial& trial) {
  constexpr int most_bits = std::numeric_limits<T>::digits;
  auto& random = trial.random;
  for (int i = 0; i < 4; ++i) {
    auto const k = any_depth(random);
    std::size_t const most = k > 1000 ? 3 : k > 130 ? 12 : 40;
    auto const m = random.between<std::size_t>(1, most), n = random.between<std::size_t>(1, most);
    int const all = random.between(43, 54),
              of_a = random.between(std::max(1, all - most_bits), std::min(all, most_bits)),
              of_b = std::min(all - of_a, most_bits), signs = random.between(0, 2);
    Table<T> a(m, k), b(k, n), c(m, n);
    auto const number = [&](int bits) {
      auto const magnitude = static_cast<T>(integer_of_bits(random, bits));
      return signs == 1 || random.coin() ? magnitude : -magnitude;
    };
    for (T& entry : a.entries) entry = number(of_a);
    for (T& entry : b.entries) entry = number(of_b);
    for (std::size_t l = 0; signs == 2 && l + 1 < k; l += 2) {
      for (std::size_t r = 0; r < m; ++r) a(r, l + 1) = a(r, l);
      for (std::size_t s = 0; s < n; ++s)
        if (random.between(0, 9) != 0) b(l + 1, s) = -b(l, s);
    }
    // Lines of their own units, and of nothing.
    int const shift = random.between(0, std::is_same_v<T, float> ? 20 : 250);
    for (std::size_t r = 0; r < m; ++r) {
      T const factor = random.between(0, 30) == 0 ? T{0} : std::ldexp(T{1}, random.between(-shift, shift));
      for (std::size_t l = 0; l < k; ++l) a(r, l) *= factor;
    }
    for (std::size_t s = 0; s < n; ++s) {
      T const factor = random.between(0, 30) == 0 ? -T{0} : std::ldexp(T{1}, random.between(-shift, shift));
      for (std::size_t l = 0; l < k; ++l) b(l, s) *= factor;
    }
    for (T& entry : c.entries) entry = number(most_bits);
    HardFactors const factors(random);
    bool const is_plain = random.coin();
    compare_product(trial, is_plain ? 1.0 : factors.alpha, a, b, is_plain ? 0.0 : factors.beta, c);
  }
}

/// Sums of many products of floats next to what is halfway between two floats: as near as roundings of plain sums
/// come, nearer, and further away.
void run_next_to_ties_of_floats(Trial& trial) {
  __extension__ using Wide = __int128;
  auto& random = trial.random;
  for (int i = 0; i < 4; ++i) {
    auto const k = std::max<std::size_t>(4, any_depth(random)), n = random.between<std::size_t>(1, 8),
               m = random.between<std::size_t>(1, k > 1000 ? 4 : 34);
    int const range = random.one_of(0, 3, 12);  // with 0 plain sums of 32 products are exact
    bool const has_sign = random.coin();
    // Integers of 24 bits times up to 2^range; b ends with the powers of two that a row of a is finished with.
    std::vector<std::int64_t> x(k);
    auto const step_of = [&](int last) { return std::int64_t{1} << ((23 + range) * last / 2); };
    auto const integer = [&] {
      auto const magnitude = random.between<std::int64_t>(1 << 23, (1 << 24) - 1) << random.between(0, range);
      return has_sign && random.coin() ? -magnitude : magnitude;
    };
    for (std::int64_t& entry : x) entry = integer();
    for (int last = 0; last < 3; ++last) x[k - 1 - static_cast<std::size_t>(last)] = step_of(last);
    Table<float> a(m, k), b(k, n), c(m, n);
    for (std::size_t r = 0; r < m; ++r) {
      Wide sum = 0;
      for (std::size_t l = 0; l + 3 < k; ++l) {
        std::int64_t const entry = integer();
        a(r, l) = static_cast<float>(entry);
        sum += static_cast<Wide>(entry) * x[l];
      }
      Wide const size = sum < 0 ? -sum : sum;
      int bits = 0;
      while (bits < 120 && size >> bits != 0) ++bits;
      if (bits < 30) continue;  // of nothing
      // From the sum to the middle of its two floats, and some bits beyond it.
      Wide const unit = Wide{1} << (bits - 24),
                 distance = random.between<std::int64_t>(-1, 1) * (Wide{1} << random.between(0, bits - 26));
      Wide const target = size / unit * unit + unit / 2 + distance;
      Wide left = (sum < 0 ? -target : target) - sum;
      for (int last = 2; last >= 0; --last) {
        Wide const limit = (1 << 24) - 1, wanted = left / step_of(last),
                   part = wanted > limit    ? limit
                          : wanted < -limit ? -limit
                                            : wanted;
        a(r, k - 1 - static_cast<std::size_t>(last)) = static_cast<float>(static_cast<std::int64_t>(part));
        left -= part * step_of(last);
      }
    }
    for (std::size_t s = 0; s < n; ++s) {
      float const factor = std::ldexp(random.one_of(1.0f, -1.0f), random.between(-20, 20));
      for (std::size_t l = 0; l < k; ++l) b(l, s) = factor * static_cast<float>(x[l]);
    }
    for (float& entry : c.entries) entry = hard_number<float>(random, Hardness::none);
    bool const is_plain = random.between(0, 3) != 0;
    compare_product(trial, is_plain ? random.one_of(1.0, -1.0) : 0.1, a, b, is_plain ? 0.0 : 0.5, c);
  }
}

/// Those of the tests, and then what plain sums of products are for.
void run_gemm_of_family(std::size_t family, Trial& trial) {
  if (family < std::size(every_hardness)) {
    run_gemm<double>(every_hardness[family], trial);
    run_gemm<float>(every_hardness[family], trial);
  } else if (family == std::size(every_hardness)) {
    run_few_bits<double>(trial);
    run_few_bits<float>(trial);
  } else {
    run_next_to_ties_of_floats(trial);
  }
}

template <class T>
void compare_spmv(Trial& trial, Entries<T> const& a, std::vector<T> const& x, std::vector<T> const& y) {
  auto& random = trial.random;
  HardFactors factors(random);
  if (random.coin()) factors.alpha = 1, factors.beta = 0;
  if (factors.alpha == 0) return;
  bool const transposed = random.coin();
  auto const matrix = transposed ? stored(ExaktTest::transposed(a)) : stored(a);
  auto const result = contiguous(y);
  trial.call([&] { Exakt::spmv(transposed ? "T" : "N", factors.alpha, matrix, borrowed(x), factors.beta, result); });
  Epilogue<T> epilogue(factors.alpha, factors.beta);
  std::size_t first = 0;
  for (std::size_t r = 0; r < a.rows; ++r) {
    std::size_t last = first;
    while (last < a.list.size() && a.list[last].row == r) ++last;
    auto const product = [&](std::size_t l) {
      auto const& entry = a.list[first + l];
      return std::pair<double, double>(entry.value, x[entry.column]);
    };
    // With beta = 1 a matrix without columns leaves y as it is; a row without entries is a sum of zero: -0 becomes +0.
    T const old = last == first && a.columns != 0 && y[r] == 0 ? T{0} : y[r];
    T const expected = epilogue(last - first, product, old);
    confirm(trial, expected, factors.alpha, factors.beta, last - first, product, old);
    trial.compare(result(r), expected);
    first = last;
  }
}

template <class T>
void run_spmv(std::size_t family, Trial& trial) {
  Hardness const hardness = every_hardness[family];
  auto& random = trial.random;
  for (int i = 0; i < 8; ++i) {
    auto const m = random.between<std::size_t>(0, 40), k = random.between<std::size_t>(0, 40);
    auto const [a, x] = hard_sparse_product<T, T>(random, hardness, m, k);
    compare_spmv(trial, a, x, hard_vector<T>(random, hardness, m));
  }
}

/// \brief Many rows of corners in the same columns, or in as many beside the diagonal: what is known of some rows is used for
/// those that follow.
///
/// Now and then the exponents of the entries change on the way.
template <class T>
void run_corners_in_many_rows(Trial& trial) {
  auto& random = trial.random;
  for (int i = 0; i < 4; ++i) {
    auto const width = random.between<std::size_t>(1, random.one_of(4, 12, 30)),
               m = random.between<std::size_t>(1, 160);
    bool const is_band = random.coin();
    Entries<T> a{m, is_band ? m + width : width, {}};
    auto const [first, factor] = corners_of_products<T>(random);
    auto value = first;
    std::vector<T> x(a.columns);
    for (T& entry : x) entry = factor(random);
    for (std::size_t r = 0; r < m; ++r) {
      if (random.between(0, 63) == 0) value = first.nearby(random);
      for (std::size_t l = 0; l < width; ++l) a.list.push_back({r, is_band ? r + l : l, value(random)});
    }
    compare_spmv(trial, a, x, hard_vector<T>(random, Hardness::corners, m));
  }
}

void run_spmv_of_family(std::size_t family, Trial& trial) {
  if (family < std::size(every_hardness)) {
    run_spmv<double>(family, trial);
    run_spmv<float>(family, trial);
  } else {
    run_corners_in_many_rows<double>(trial);
    run_corners_in_many_rows<float>(trial);
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
  auto families_of_gemm = families;
  families_of_gemm.insert(families_of_gemm.end(), {"few bits", "next to ties of floats"});
  auto families_of_gemv = families;
  families_of_gemv.insert(families_of_gemv.end(), {"growing", "complex"});
  auto families_of_spmv = families;
  families_of_spmv.push_back("corners in many rows");
  return {{"gemv", families_of_gemv, run_gemv_of_family},
          {"gemm", families_of_gemm, run_gemm_of_family},
          {"trsv", families, run_both_triangles<true>},
          {"trsm", families, run_both_triangles<false>},
          {"spmv", families_of_spmv, run_spmv_of_family}};
}

}  // namespace ExaktTest::Proof
