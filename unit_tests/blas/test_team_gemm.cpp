// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas3_gemm.hpp>

#include <array>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Matrices.hpp"

// The direct engine of devices, on hosts.

namespace {

using namespace ExaktTest;
using Exakt::Impl::BlockShape;

/// The path of devices for op(A), op(B) and C wherever they are stored.
template <class Space, class A, class B, class C>
void multiply(Space const& space, char const* modes, double alpha, A const& a, B const& b, double beta, C const& c,
              BlockShape const& shape) {
  using namespace Exakt::Impl;
  TeamGemm{shape}.run(space, plane_problem(Operated<A>(a, modes[0]), Operated<B>(b, modes[1]), c),
                      EntryEpilogue(factor(alpha), factor(beta)));
  space.fence();
}

/// In one mode and storage after the other.
template <class Space, class T, class U, class R>
void check_product(Space const& space, double alpha, Table<T> const& a, Table<U> const& b, double beta,
                   Table<R> const& c, BlockShape const& shape, Table<R> const& expected) {
  static std::size_t turn = 0;
  char const* const modes = std::array{"NN", "TN", "NT", "TT", "CC"}[turn++ % 5];
  Storage const of_a = every_storage[turn / 5 % 5], of_b = every_storage[turn % 5], of_c = every_storage[turn / 3 % 5];
  INFO(a.rows << " x " << b.columns << " x " << a.columns << ", alpha " << describe_bits(alpha) << ", beta "
              << describe_bits(beta) << ", teams of " << shape.team_size << ", segments of " << shape.segment
              << ", modes " << modes);
  for (auto const sums : {BlockShape::Sums::heads, BlockShape::Sums::cascades}) {
    bool const cascaded = sums == BlockShape::Sums::cascades;
    if (cascaded && shape.segment > 0) continue;
    INFO((cascaded ? "cascades" : "heads"));
    BlockShape way = shape;
    way.sums = sums;
    auto const result = stored(c, of_c);
    multiply(space, modes, alpha, stored(modes[0] == 'N' ? a : a.transposed(), of_a),
             stored(modes[1] == 'N' ? b : b.transposed(), of_b), beta, result, way);
    check_entries(result, expected);
  }
}

template <class T, class U, class R>
void check_random_team_gemm(Random& random, Hardness hardness, std::size_t m, std::size_t n, std::size_t k) {
  INFO(name_of(hardness));
  auto const factors = hard_factors<T, U>(random, hardness, m, n, k);
  Table<R> c(m, n);
  for (R& entry : c.entries) entry = hard_number<R>(random, hardness);
  HardFactors const scales(random);
  auto const expected = expected_product(scales.alpha, factors.first, factors.second, scales.beta, c);
  for_each_team([&](auto space, int size) {
    BlockShape shape;
    shape.team_size = size;
    check_product(space, scales.alpha, factors.first, factors.second, scales.beta, c, shape, expected);
  });
}

}  // namespace

TEST_CASE("gemm by teams is right to the last bit, whatever the blocks, modes and storages") {
  Random random(861);
  for (Hardness const hardness : every_hardness) {
    // Tiles are 4 x 4 entries, blocks of as many as there are threads, slices 32 products deep.
    check_random_team_gemm<double, double, double>(random, hardness, 17, 9, 33);
    check_random_team_gemm<double, double, double>(random, hardness, 4, 8, 64);
    check_random_team_gemm<double, double, double>(random, hardness, 1, 21, 5);
    check_random_team_gemm<double, double, double>(random, hardness, random.between<std::size_t>(0, 12),
                                                   random.between<std::size_t>(0, 12),
                                                   random.between<std::size_t>(0, 70));
  }
}

TEST_CASE("gemm by teams with segments, shared by teams or not, and too many sums for their enclosures") {
  Random random(862);
  for (Hardness const hardness : {Hardness::none, Hardness::cancelling, Hardness::special}) {
    INFO(name_of(hardness));
    auto const factors = hard_factors<double, double>(random, hardness, 11, 6, 230);
    Table<double> c(11, 6);
    for (double& entry : c.entries) entry = hard_number<double>(random, hardness);
    auto const expected = expected_product(-0.3, factors.first, factors.second, 1.0, c);
    for (std::size_t const segment : {32, 96})
      for (std::size_t const slots : {1, 3})
        for (std::size_t const sums : {1 << 20, 33})
          for_each_team([&](auto space, int size) {
            check_product(space, -0.3, factors.first, factors.second, 1.0, c, {size, segment, slots, sums}, expected);
          });
  }
}

TEST_CASE("gemm by teams with more products than one head takes") {
  Random random(863);
  auto const factors = hard_factors<double, double>(random, Hardness::none, 5, 3, 40'000);
  Table<double> const c(5, 3);
  auto const expected = expected_product(1.0, factors.first, factors.second, 0.0, c);
  for_each_host_space(
      [&](auto space) { check_product(space, 1.0, factors.first, factors.second, 0.0, c, {}, expected); });
}

TEST_CASE("gemm by teams next to ties, and with lines of nothing") {
  // Sums of 1, a half of its last bit, and something that decides, anywhere in between; 2^-53 is a tie.
  Table<double> a(5, 7), b(7, 6), c(5, 6);
  double const decisive[] = {0, 0x1p-106, -0x1p-106, 0x1p-1074, -0x1p-300};
  for (std::size_t i = 0; i < 5; ++i) {
    a(i, i) = 1;
    a(i, 5) = i == 4 ? 0 : 0x1p-53;
    a(i, 6) = decisive[i];
  }
  for (std::size_t j = 0; j < 6; ++j)
    for (std::size_t l = 0; l < 7; ++l) b(l, j) = j == 5 ? 0 : j % 2 == 0 ? 1 : -1.5;
  for (double const beta : {0.0, 1.0}) {
    for (double& entry : c.entries) entry = beta == 0 ? std::numeric_limits<double>::quiet_NaN() : 0x1p-54;
    for (double const alpha : {1.0, -1.0, 0.5, 0.0, 0x1p-1074, std::numeric_limits<double>::infinity()}) {
      auto const expected = expected_product(alpha, a, b, beta, c);
      for_each_host_space([&](auto space) { check_product(space, alpha, a, b, beta, c, {}, expected); });
    }
  }
}

TEST_CASE("gemm by teams of exponents at the ends of the range, and of infinities that meet zeros") {
  Random random(864);
  double const hard[] = {std::numeric_limits<double>::max(),
                         std::numeric_limits<double>::denorm_min(),
                         std::numeric_limits<double>::min(),
                         std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN(),
                         0.0,
                         0x1p500,
                         0x1p-500,
                         1.0};
  // Each pair of kinds of a row and a column.
  constexpr std::size_t kinds = std::size(hard), k = 3;
  Table<double> a(kinds, k), b(k, kinds), c(kinds, kinds);
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    for (std::size_t l = 0; l < k; ++l) {
      a(kind, l) = l == kind % k ? hard[kind] : hard[kind] == 0 ? 0 : random.value<double>(-1);
      b(l, kind) = l == kind % 2 ? hard[kind] : hard[kind] == 0 ? 0 : random.value<double>(0);
    }
    for (std::size_t i = 0; i < kinds; ++i) c(i, kind) = random.value<double>(random.between(-1000, 1000));
  }
  for (double const beta : {0.0, 0x1p-60}) {
    auto const expected = expected_product(1.0, a, b, beta, c);
    for_each_team([&](auto space, int size) { check_product(space, 1.0, a, b, beta, c, {size}, expected); });
  }
}

TEST_CASE("gemm by teams of floats, and of float and double mixed") {
  Random random(865);
  for (Hardness const hardness : every_hardness) {
    check_random_team_gemm<float, float, float>(random, hardness, 10, 7, 40);
    check_random_team_gemm<float, double, double>(random, hardness, 7, 9, 35);
  }
}

TEST_CASE("gemm by teams of complex numbers gives the bits of the host") {
  using Complex = Kokkos::complex<double>;
  Random random(866);
  auto const numbers = [&](std::size_t m, std::size_t n, Hardness hardness) {
    HostMatrix<Complex, Kokkos::LayoutLeft> const result("numbers", m, n);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j)
        result(i, j) = Complex(hard_number<double>(random, hardness), hard_number<double>(random, hardness));
    return result;
  };
  for (Hardness const hardness : every_hardness)
    for (char const* const modes : {"NN", "CN", "TC"})
      for (double const beta : {0.0, -0.7}) {
        INFO(name_of(hardness) << ", modes " << modes << ", beta " << beta);
        std::size_t const m = 9, n = 6, k = 37;
        auto const a = modes[0] == 'N' ? numbers(m, k, hardness) : numbers(k, m, hardness);
        auto const b = modes[1] == 'N' ? numbers(k, n, hardness) : numbers(n, k, hardness);
        auto const old = numbers(m, n, hardness), expected = numbers(m, n, hardness);
        HostMatrix<Complex, Kokkos::LayoutRight> const c("C", m, n);
        Kokkos::deep_copy(expected, old);
        Exakt::gemm(Kokkos::DefaultHostExecutionSpace(), modes[0], modes[1], 0.3, a, b, beta, expected);
        for (int const size : {1, 2})
          for (std::size_t const segment : {std::size_t{0}, std::size_t{32}}) {
            Kokkos::DefaultHostExecutionSpace const space;
            if (size > space.concurrency()) continue;
            Kokkos::deep_copy(c, old);
            multiply(space, modes, 0.3, a, b, beta, c, {size, segment, 2});
            for (std::size_t i = 0; i < m; ++i)
              for (std::size_t j = 0; j < n; ++j) {
                EXAKT_CHECK_BITS(c(i, j).real(), expected(i, j).real());
                EXAKT_CHECK_BITS(c(i, j).imag(), expected(i, j).imag());
              }
          }
      }
}

namespace {

/// As one product of real matrices, which is what devices make of long ones.
template <class A, class B, class C, class F, class G>
void check_planes(Random& random, Hardness hardness, F const& alpha, G const& beta) {
  using namespace Exakt::Impl;
  INFO(name_of(hardness));
  auto const numbers = [&](auto const& view) {
    using Z = typename std::decay_t<decltype(view)>::non_const_value_type;
    using T = typename Scalar<Z>::Real;
    for (std::size_t i = 0; i < view.extent(0); ++i)
      for (std::size_t j = 0; j < view.extent(1); ++j) {
        if constexpr (Scalar<Z>::is_complex) {
          view(i, j) = Z(hard_number<T>(random, hardness), hard_number<T>(random, hardness));
        } else {
          view(i, j) = hard_number<T>(random, hardness);
        }
      }
    return view;
  };
  std::size_t const m = 5, n = 4, k = 61;
  auto const a = numbers(HostMatrix<A, Kokkos::LayoutRight>("A", m, k));
  auto const b = numbers(HostMatrix<B, Kokkos::LayoutLeft>("B", k, n));
  auto const expected = numbers(HostMatrix<C, Kokkos::LayoutLeft>("C", m, n));
  if (hardness == Hardness::special) a(0, 0) = expected(0, 0) = std::numeric_limits<float>::infinity();
  HostMatrix<C, Kokkos::LayoutLeft> const c("C", m, n);
  Kokkos::deep_copy(c, expected);
  Kokkos::DefaultHostExecutionSpace const space;
  auto const problem = [&](auto const& to) {
    return plane_problem(Operated<decltype(a)>(a, 'N'), Operated<decltype(b)>(b, 'N'), to);
  };
  EntryEpilogue const epilogue(factor(alpha), factor(beta));
  TeamGemm().run(space, problem(expected), epilogue);
  bool const is_done = try_planes(space, problem(c), epilogue, {});
  space.fence();
  bool const has_zero_part = epilogue.full_alpha.is_complex || (epilogue.reads_y && epilogue.full_beta.is_complex);
  REQUIRE(is_done == (hardness != Hardness::special || !has_zero_part));
  for (std::size_t i = 0; i < m && is_done; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      EXAKT_CHECK_BITS(c(i, j).real(), expected(i, j).real());
      EXAKT_CHECK_BITS(c(i, j).imag(), expected(i, j).imag());
    }
}

}  // namespace

TEST_CASE("gemm of complex numbers as one of real matrices: factors without an imaginary part, and with one of zero") {
  using Complex = Kokkos::complex<double>;
  using Single = Kokkos::complex<float>;
  Random random(869);
  for (Hardness const hardness : every_hardness) {
    check_planes<Complex, Complex, Complex>(random, hardness, 0.7, -2.0);
    check_planes<Complex, Complex, Complex>(random, hardness, Complex(0.7, 0), 0.0);
    check_planes<Complex, Complex, Complex>(random, hardness, 0.7, Complex(-2, 0));
    check_planes<Complex, double, Complex>(random, hardness, Complex(0.7, 0), 1.5);
    check_planes<Single, Single, Single>(random, hardness, 1, Single(0, 0));
    check_planes<Complex, Single, Single>(random, hardness, 1, 1);
  }
}

#ifndef EXAKT_EMULATE_DEVICE  // devices have one environment only
TEST_CASE("gemm by teams is right in every floating-point environment") {
  Random random(867);
  for (Hardness const hardness : {Hardness::none, Hardness::tiny}) {
    auto const factors = hard_factors<double, double>(random, hardness, 9, 7, 40);
    Table<double> c(9, 7);
    for (double& entry : c.entries) entry = hard_number<double>(random, hardness);
    auto const expected = expected_product(0.1, factors.first, factors.second, -0.7, c);
    auto const a = stored(factors.first, Storage::left), b = stored(factors.second, Storage::right);
    for (auto const& environment : every_fp_environment())
      for (std::size_t const segment : {0, 32}) {
        INFO(environment.name << ", " << name_of(hardness) << ", segments of " << segment);
        auto const result = stored(c, Storage::left);
        {
          ScopedFpEnvironment const scope(environment, ScopedFpEnvironment::Threads::all);
          multiply(Kokkos::DefaultHostExecutionSpace(), "NN", 0.1, a, b, -0.7, result, {1, segment, 2});
        }
        check_entries(result, expected);
      }
  }
}
#endif

TEST_CASE("gemm by teams of nothing: no entries, no products") {
  Table<double> const none(0, 0);
  for_each_host_space([&](auto space) {
    check_product(space, 1.0, Table<double>(0, 3), Table<double>(3, 2), 0.0, Table<double>(0, 2), {}, none);
    Table<double> c(2, 2), expected(2, 2);
    for (double& entry : c.entries) entry = 3;
    for (double& entry : expected.entries) entry = 1.5;
    check_product(space, 1.0, Table<double>(2, 0), Table<double>(0, 2), 0.5, c, {}, expected);
    check_product(space, 1.0, Table<double>(2, 0), Table<double>(0, 2), 0.0, c, {}, Table<double>(2, 2));
  });
}
