// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The golden set, shared out: each rank has some of the terms, of some cases none. Where their order counts, ranks have
// runs of them, in the order of the ranks.
#include "ExaktTest_Ranks.hpp"

#include <algorithm>
#include <numeric>

#include "ExaktTest_Golden.hpp"

using namespace ExaktTest;
using namespace ExaktTest::Golden;

namespace {

MPI_Comm const world = MPI_COMM_WORLD;

/// This rank's terms of a case, in a View.
template <class T>
Vector<T> own(Case const& c, std::vector<T> const& terms) {
  Random random(c.seed);
  return vector(part_of(terms, random_owners(random, terms.size(), size_of(world)), rank_in(world)));
}

/// This rank's run of the terms, one rank after the other.
template <class T>
std::vector<T> own_run(Case const& c, std::vector<T> const& terms) {
  Random random(c.seed);
  auto owners = random_owners(random, terms.size(), size_of(world));
  std::sort(owners.begin(), owners.end());
  return part_of(terms, owners, rank_in(world));
}

/// Words of all ranks, one rank after the other.
Words gathered(Words const& own_words) {
  int const own_count = static_cast<int>(own_words.size()), ranks = size_of(world);
  std::vector<int> counts(static_cast<std::size_t>(ranks)), begins(counts.size() + 1);
  MPI_Allgather(&own_count, 1, MPI_INT, counts.data(), 1, MPI_INT, world);
  std::partial_sum(counts.begin(), counts.end(), begins.begin() + 1);
  Words words(static_cast<std::size_t>(begins.back()));
  MPI_Allgatherv(own_words.data(), own_count, MPI_UINT64_T, words.data(), counts.data(), begins.data(), MPI_UINT64_T,
                 world);
  return words;
}

template <class Scan>
void replay_scan(char const* name, Scan const& scan) {
  for_each_case<double, float>(name, [&](Case const& c, auto type) {
    using T = decltype(type);
    auto const x = vector(own_run(c, numbers_of<T>(vector_of(format_of<T>, c.family, c.seed, c.sizes[0]))));
    Vector<T> const result("result", x.extent(0));
    scan(world, x, result);
    check<T>(name, c, gathered(words_of(result)));
  });
}

/// verb(x..., mode) in all modes, of the terms that this rank has.
template <class T, class Verb>
void replay_moment(char const* name, Case const& c, Verb const& verb) {
  std::size_t place = 0;
  for (Rounding const mode : every_rounding) check_scalar(name, c, verb(mode), place++);
}

/// The rows of op(A) that this rank has, or of a matrix of which op gives it.
template <class T>
auto own_rows(bool is_transposed, Case const& c, std::vector<T> const& a, std::vector<std::size_t> const& rows) {
  std::size_t const m = c.sizes[0], k = c.sizes[2];
  auto const pattern = pattern_of(c.seed, m, k);
  std::size_t const columns = is_transposed ? m : k;
  std::vector<std::size_t> row_map{0};
  std::vector<int> of_entries;
  std::vector<T> values;
  for (std::size_t const i : rows) {
    for (std::size_t j = 0; j < columns; ++j) {
      std::size_t const place = is_transposed ? j * k + i : i * k + j;
      if (!pattern[place]) continue;
      of_entries.push_back(static_cast<int>(j));
      values.push_back(a[place]);
    }
    row_map.push_back(values.size());
  }
  return Exakt::crs_matrix(vector(row_map), vector(of_entries), vector(values), columns);
}

/// y := alpha op(A) x + beta y, where ranks share the rows of A and the entries of x, one rank after the other.
template <class T>
void replay_spmv(Case const& c) {
  std::size_t const m = c.sizes[0], k = c.sizes[2];
  auto const p = product_of(format_of<T>, format_of<T>, 1, c.family, c.seed, m, 1, k);
  auto const a = numbers_of<T>(p.a), b = numbers_of<T>(p.b);
  T const alpha = factor_of<T>(c.factors[0]), beta = factor_of<T>(c.factors[1]);
  auto const old = beta == T(0) ? std::vector<T>(m, nan_of<T>()) : numbers_of<T>(p.c);
  for (bool const is_transposed : {false, true}) {
    std::vector<std::size_t> numbers(is_transposed ? k : m);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    auto const rows = own_rows(is_transposed, c, a, own_run(c, numbers));
    auto const x = vector(own_run(c, b)), y = vector(own_run(c, old));
    Exakt::Mpi::SpmvPlan const plan(world, rows, (is_transposed ? y : x).extent(0));
    INFO("mode " << (is_transposed ? "T" : "N"));
    Exakt::Mpi::spmv(world, is_transposed ? "T" : "N", alpha, rows, x, beta, y, plan);
    check<T>("spmv", c, gathered(words_of(y)));
  }
}

template <class Verb>
void replay_norm(char const* name, Verb const& verb) {
  for_each_case<double, float>(name, [&](Case const& c, auto type) {
    using T = decltype(type);
    auto const x = own(c, numbers_of<T>(vector_of(format_of<T>, c.family, c.seed, c.sizes[0])));
    std::size_t place = 0;
    for (Rounding const mode : every_rounding) check_scalar(name, c, verb(world, x, mode), place++);
  });
}

template <class X, class Y>
void replay_dot(Case const& c) {
  auto const product = product_of(format_of<X>, format_of<Y>, 1, c.family, c.seed, 1, 1, c.sizes[0]);
  auto const x = own(c, numbers_of<X>(product.a));
  auto const y = own(c, numbers_of<Y>(product.b));
  std::size_t place = 0;
  for (Rounding const mode : every_rounding) check_scalar("dot", c, Exakt::Mpi::dot(world, x, y, mode), place++);
}

}  // namespace

TEST_CASE("golden results of sum, nrm1, nrm2, nrm2_squared, mean, from ranks") {
  replay_norm("sum", [](auto const&... x) { return Exakt::Mpi::sum(x...); });
  replay_norm("nrm1", [](auto const&... x) { return Exakt::Mpi::nrm1(x...); });
  replay_norm("nrm2", [](auto const&... x) { return Exakt::Mpi::nrm2(x...); });
  replay_norm("nrm2_squared", [](auto const&... x) { return Exakt::Mpi::nrm2_squared(x...); });
  replay_norm("mean", [](auto const&... x) { return Exakt::Mpi::mean(x...); });
}

TEST_CASE("golden results of dot, from ranks: real, mixed") {
  int complex = 0, others = 0;
  for (Case const& c : read_cases(EXAKT_GOLDEN_CASES, "dot")) {
    if (is_of<Kokkos::complex<double>>(c)) {
      ++complex;
      continue;
    }
    ++others;
    if (is_of<Mixed>(c))
      replay_dot<double, float>(c);
    else if (is_of<double>(c))
      replay_dot<double, double>(c);
    else
      replay_dot<float, float>(c);
  }
  CHECK(others > complex);
}

TEST_CASE("golden results of gemm, from ranks that share the rows of both factors") {
  int cases = 0;
  for (Case const& c : read_cases(EXAKT_GOLDEN_CASES, "gemm")) {
    if (!is_of<double>(c)) continue;
    ++cases;
    std::size_t const m = c.sizes[0], n = c.sizes[1], k = c.sizes[2];
    auto const product = product_of(f64, f64, 1, c.family, c.seed, m, n, k);
    Random random(c.seed);
    auto const owners = random_owners(random, k, size_of(world));
    std::vector<std::size_t> rows;
    for (std::size_t l = 0; l < k; ++l)
      if (owners[l] == rank_in(world)) rows.push_back(l);
    auto const a = matrix<double>(rows.size(), m, true, [&](std::size_t l, std::size_t i) {
      return number_of<double>(product.a[i * k + rows[l]]);
    });
    auto const b = matrix<double>(rows.size(), n, false, [&](std::size_t l, std::size_t j) {
      return number_of<double>(product.b[rows[l] * n + j]);
    });
    double const alpha = factor_of<double>(c.factors[0]), beta = factor_of<double>(c.factors[1]);
    auto const result = matrix<double>(m, n, false, [&](std::size_t i, std::size_t j) {
      return number_of<double>(beta == 0 ? f64.quiet_nan() : product.c[i * n + j]);
    });
    Exakt::Mpi::gemm(world, "T", "N", alpha, a, b, beta, result);
    check<double>("gemm", c, words_of(result));
  }
  CHECK(cases > 0);
}

TEST_CASE("golden results of scans, in the order of the ranks") {
  replay_scan("inclusive_scan", [](auto const&... x) { Exakt::Mpi::inclusive_scan(x...); });
  replay_scan("exclusive_scan", [](auto const&... x) { Exakt::Mpi::exclusive_scan(x...); });
}

TEST_CASE("golden results of sum_by_key, from ranks") {
  for_each_case<double, float>("sum_by_key", [](Case const& c, auto type) {
    using T = decltype(type);
    auto const keys = own(c, keys_of(c.seed, c.sizes[0], c.sizes[1]));
    auto const x = own(c, numbers_of<T>(vector_of(format_of<T>, c.family, c.seed, c.sizes[0])));
    Vector<std::int64_t> const unique_keys("unique_keys", c.sizes[1]);
    Vector<T> const sums("sums", c.sizes[1]);
    std::size_t const count = Exakt::Mpi::sum_by_key(world, keys, x, unique_keys, sums);
    auto words = words_of(sums);
    words.resize(count);
    check<T>("sum_by_key", c, words);
  });
}

TEST_CASE("golden results of variance, stddev, covariance, correlation, from ranks") {
  auto const terms = [](Case const& c, auto type) {
    using T = decltype(type);
    return own(c, numbers_of<T>(vector_of(format_of<T>, c.family, c.seed, c.sizes[0])));
  };
  auto const pairs = [](Case const& c, auto type) {
    using T = decltype(type);
    auto const pair = pair_of(format_of<T>, c.family, c.seed, c.sizes[0]);
    return std::pair(own(c, numbers_of<T>(pair.x)), own(c, numbers_of<T>(pair.y)));
  };
  for_each_case<double, float>("variance", [&](Case const& c, auto type) {
    auto const x = terms(c, type);
    int const ddof = static_cast<int>(c.sizes[1]);
    replay_moment<decltype(type)>("variance", c,
                                  [&](Rounding mode) { return Exakt::Mpi::variance(world, x, ddof, mode); });
  });
  for_each_case<double, float>("stddev", [&](Case const& c, auto type) {
    auto const x = terms(c, type);
    int const ddof = static_cast<int>(c.sizes[1]);
    replay_moment<decltype(type)>("stddev", c, [&](Rounding mode) { return Exakt::Mpi::stddev(world, x, ddof, mode); });
  });
  for_each_case<double, float>("covariance", [&](Case const& c, auto type) {
    auto const xy = pairs(c, type);
    int const ddof = static_cast<int>(c.sizes[1]);
    replay_moment<decltype(type)>(
        "covariance", c, [&](Rounding mode) { return Exakt::Mpi::covariance(world, xy.first, xy.second, ddof, mode); });
  });
  for_each_case<double, float>("correlation", [&](Case const& c, auto type) {
    auto const xy = pairs(c, type);
    replay_moment<decltype(type)>(
        "correlation", c, [&](Rounding mode) { return Exakt::Mpi::correlation(world, xy.first, xy.second, mode); });
  });
}

TEST_CASE("golden results of spmv of a matrix whose rows ranks share") {
  int cases = 0;
  for (Case const& c : read_cases(EXAKT_GOLDEN_CASES, "spmv")) {
    if (c.sizes[1] != 1 || !(is_of<double>(c) || is_of<float>(c))) continue;
    ++cases;
    if (is_of<double>(c))
      replay_spmv<double>(c);
    else
      replay_spmv<float>(c);
  }
  CHECK(cases > 50);
}
