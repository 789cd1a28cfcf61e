// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// \brief What users call in loops of their own, and complex products, where the floating-point environments of threads
/// differ.

#include <Exakt.hpp>
#include <ExaktBlas.hpp>

#include "ExaktTest_MixedEnvironments.hpp"

namespace {

using namespace ExaktTest;
using Complex = Kokkos::complex<double>;

/// Parts one after the other.
template <class V>
void append_parts(V const& x, Results<double>& to) {
  for (std::size_t i = 0; i < x.extent(0); ++i) {
    to.push_back(x(i).real());
    to.push_back(x(i).imag());
  }
}

}  // namespace

TEST_CASE("complex gemv is right where the environments of threads differ") {
  Random random(1420);
  std::size_t const m = 150, n = 120;
  for (Hardness const hardness : every_hardness) {
    HostMatrix<Complex, Kokkos::LayoutLeft> const A("A", m, n);
    HostVector<Complex> const x("x", n), u("u", m);
    auto const number = [&] {
      double const real = hard_number<double>(random, hardness);
      return Complex(real, random.coin() ? -real : hard_number<double>(random, hardness));
    };
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < m; ++i) A(i, j) = number();
      x(j) = j % 2 == 1 && random.coin() ? -x(j - 1) : number();
    }
    for (std::size_t i = 0; i < m; ++i) u(i) = number();
    check_mixtures(std::string("complex gemv of ") + name_of(hardness), [&] {
      HostVector<Complex> const y("y", m), z("z", n), w("w", n);
      Exakt::gemv("N", Complex(1), A, x, Complex(0), y);
      Exakt::gemv("C", Complex(0.3, -2), A, u, Complex(0), z);
      Exakt::gemv("T", Complex(1), A, u, Complex(0.1, 1), w);
      Results<double> results;
      append_parts(y, results);
      append_parts(z, results);
      append_parts(w, results);
      return results;
    });
  }
}

TEST_CASE("sums of products in a kernel are right where the environments of threads differ") {
  Random random(1421);
  std::size_t const rows = 600;
  for (Hardness const hardness : every_hardness) {
    for (int const n : {1, 7, 27, 64, 90}) {
      auto const x = hard_vector<double>(random, hardness, rows + 90), y = hard_vector<double>(random, hardness, 90);
      check_mixtures("product_sum_of " + std::to_string(n) + " products of " + name_of(hardness), [&] {
        Vector const r("r", rows);
        Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, rows), [=](std::size_t i) {
          r(i) = Exakt::product_sum_of(n, [=](int k) {
            return Kokkos::pair<double, double>(x(i + static_cast<std::size_t>(k)), y(static_cast<std::size_t>(k)));
          });
        });
        return entries_of(r);
      });
    }
  }
}

TEST_CASE("expansions as sums of a reduction are right where the environments of threads differ") {
  Random random(1422);
  for (Hardness const hardness : every_hardness) {
    auto const x = hard_vector<double>(random, hardness, 10'007);
    check_mixtures(std::string("expansions of ") + name_of(hardness), [&] {
      Exakt::Expansion<double, 4> four;
      Exakt::Expansion<double, 8, true> eight;
      using Range = Kokkos::RangePolicy<Space>;
      Kokkos::parallel_reduce(
          Range(0, x.extent(0)), [=](std::size_t i, Exakt::Expansion<double, 4>& sum) { sum += x(i); },
          Exakt::Reducer<Exakt::Expansion<double, 4>>(four));
      std::size_t const piece = 1000;
      Kokkos::parallel_reduce(
          Range(0, x.extent(0) / piece),
          [=](std::size_t i, Exakt::Expansion<double, 8, true>& sum) { sum.add(x.data() + i * piece, piece); },
          Exakt::Reducer<Exakt::Expansion<double, 8, true>>(eight));
      return Results<double>{four.round(), eight.round()};
    });
  }
}

TEST_CASE("arrays that threads give to accumulators are added exactly where their environments differ") {
  Random random(1423);
  for (Hardness const hardness : every_hardness) {
    auto const x = hard_vector<double>(random, hardness, 15'013), y = hard_vector<double>(random, hardness, 15'013);
    for (std::size_t const piece : {1u, 7u, 40u, 79u, 5000u}) {
      check_mixtures("pieces of " + std::to_string(piece) + " of " + name_of(hardness), [&] {
        Exakt::SumAccumulator<double> total;
        Exakt::DotAccumulator<double> products;
        Kokkos::RangePolicy<Space> const pieces(0, x.extent(0) / piece);
        Kokkos::parallel_reduce(
            pieces, [=](std::size_t i, Exakt::SumAccumulator<double>& sum) { sum.add(x.data() + i * piece, piece); },
            Exakt::ExactSum<double>(total));
        Kokkos::parallel_reduce(
            pieces,
            [=](std::size_t i, Exakt::DotAccumulator<double>& sum) {
              sum.add_products(x.data() + i * piece, y.data() + i * piece, piece);
            },
            Exakt::ExactDot<double>(products));
        return Results<double>{total.round(), products.round()};
      });
    }
  }
}
