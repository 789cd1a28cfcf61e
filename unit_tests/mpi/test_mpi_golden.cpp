// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The golden set, shared out: each rank has some of the terms, of some cases none.
#include "ExaktTest_Ranks.hpp"

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
