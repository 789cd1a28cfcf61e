// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_trsv.hpp>
#include <ExaktBlas3_trsm.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Triangles.hpp"

#include <utility>

namespace {

using namespace ExaktTest;
using Exakt::trsv;

template <class R>
void check_solution(StridedVector<R> const& x, std::vector<R> const& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) EXAKT_CHECK_BITS(x(i), Expected<R>{expected[i]});
}

template <class T, class R>
void check_system(Random& random, Hardness hardness, TriangleModes const& modes, std::size_t n) {
  INFO(name_of(hardness) << ", n = " << n);
  auto const a = hard_triangle<T>(random, hardness, modes, n);
  std::vector<R> b(n);
  for (R& entry : b) entry = hard_number<R>(random, hardness);
  auto const expected = solution_of(a, modes, 1.0, b);
  auto const transposed = a.transposed();
  for (Storage const storage : every_storage) {
    INFO("storage " << static_cast<int>(storage));
    auto const matrix = stored(modes.is_transposed ? transposed : a, storage);
    StridedVector<R> const x = storage == Storage::right ? StridedVector<R>(contiguous(b)) : strided(b);
    trsv(modes.uplo(), modes.trans(), modes.diag(), matrix, x);
    check_solution(x, expected);
  }
}

}  // namespace

TEST_CASE("each unknown of trsv is the exact quotient, rounded once, in every mode and storage") {
  Random random(810);
  for_each_triangle([&](TriangleModes const& modes) {
    for (std::uint64_t i = 0; i < 2 * case_factor(); ++i)
      for (Hardness const hardness : every_hardness)
        check_system<double, double>(random, hardness, modes, random.between<std::size_t>(0, 30));
  });
}

TEST_CASE("trsv of floats, and of float and double mixed") {
  Random random(811);
  for_each_triangle([&](TriangleModes const& modes) {
    for (Hardness const hardness : every_hardness) {
      check_system<float, float>(random, hardness, modes, random.between<std::size_t>(1, 25));
      check_system<float, double>(random, hardness, modes, random.between<std::size_t>(1, 15));
      check_system<double, float>(random, hardness, modes, random.between<std::size_t>(1, 15));
    }
  });
}

TEST_CASE("trsv with more unknowns than a block has") {
  Random random(812);
  for_each_triangle([&](TriangleModes const& modes) {
    if (modes.has_unit_diagonal) return;
    auto const n = static_cast<std::size_t>(modes.is_upper ? 530 : 100);
    auto a = hard_triangle<double>(random, Hardness::none, modes, n);
    for (std::size_t i = 0; i < n; ++i) a(i, i) = 40 + random.value<double>(0);
    std::vector<double> b(n);
    for (double& entry : b) entry = random.value<double>(0);
    auto const expected = solution_of(a, modes, 1.0, b);
    for (Storage const storage : {Storage::left, Storage::right}) {
      auto const matrix = stored(modes.is_transposed ? a.transposed() : a, storage);
      for_each_host_space([&](auto space) {
        StridedVector<double> const x = contiguous(b);
        trsv(space, modes.uplo()[0], modes.trans()[0], modes.diag()[0], matrix, x);
        check_solution(x, expected);
      });
    }
  });
}

TEST_CASE("trsv where each right-hand side is the rounded sum of its row: all but the error of that rounding cancels") {
  Random random(814);
  for_each_triangle([&](TriangleModes const& modes) {
    if (modes.has_unit_diagonal) return;
    constexpr std::size_t n = 90;
    auto a = hard_triangle<double>(random, Hardness::none, modes, n);
    std::vector<double> b(n), x(n);
    for (std::size_t step = 0; step < n; ++step) {
      std::size_t const i = modes.goes_down() ? step : n - 1 - step;
      Exact sum;
      for (std::size_t j = 0; j < n; ++j) {
        if (modes.goes_down() ? j < i : j > i) sum.add_product(a(i, j), x[j]);
      }
      b[i] = sum.round<double>().value;
      if (random.between(0, 5) == 0 || step < 2) b[i] += random.value<double>(0);
      sum.negate().add(b[i]);
      double const rest = sum.round<double>().value;
      a(i, i) = rest == 0 ? 1 : std::ldexp(random.value<double>(0), std::ilogb(rest));
      x[i] = sum.round_quotient<double>(a(i, i)).value;
    }
    auto const expected = solution_of(a, modes, 1.0, b);
    for (Storage const storage : {Storage::left, Storage::right}) {
      StridedVector<double> const solution = contiguous(b);
      trsv(modes.uplo(), modes.trans(), modes.diag(), stored(modes.is_transposed ? a.transposed() : a, storage),
           solution);
      check_solution(solution, expected);
    }
  });
}

namespace {

/// The last unknown for one right-hand side, and for several of them.
void check_last(HostMatrix<double, Kokkos::LayoutLeft> const& a, char const* diag,
                std::vector<double> const& right_side, Expected<double> const& expected) {
  std::size_t const n = right_side.size(), right_sides = 3;
  auto const x = contiguous(right_side);
  trsv("L", "N", diag, a, x);
  EXAKT_CHECK_BITS(x(n - 1), expected);
  HostMatrix<double, Kokkos::LayoutRight> const b("b", n, right_sides);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < right_sides; ++k) b(i, k) = right_side[i];
  Exakt::trsm("L", "L", "N", diag, 1.0, a, b);
  for (std::size_t k = 0; k < right_sides; ++k) EXAKT_CHECK_BITS(b(n - 1, k), expected);
}

}  // namespace

TEST_CASE("trsv where quotients are ties, or next to one") {
  Random random(815);
  for (std::uint64_t i = 0; i < 3000 * case_factor(); ++i) {
    // (high + low + next) / divisor, where (high + low) / divisor is exactly between two numbers.
    double const divisor = std::ldexp(std::trunc(std::ldexp(random.value<double>(0), 51)), random.between(-60, 60));
    double const below = std::fabs(random.value<double>(random.between(-60, 60)));
    double const half = (std::nextafter(below, 1e300) - below) / 2;
    Exact product;
    product.add_product(below, divisor).add_product(half, divisor);
    double const high = product.round<double>().value;
    double const low = product.subtract(high).round<double>().value;
    REQUIRE(product.subtract(low).is_zero());
    double const next = random.one_of(0.0, 1.0, -1.0) * std::ldexp(high, random.between(-170, -100));
    auto const a = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(3, 3);
    a(0, 0) = a(1, 1) = 1;
    a(1, 0) = 0;
    a(2, 0) = -low;
    a(2, 1) = -next;
    a(2, 2) = divisor;
    check_last(a, "N", {1, 1, high}, Exact().add(high).add(low).add(next).round_quotient<double>(divisor));
  }
}

TEST_CASE("trsv next to a tie, where what products leave is rounded one way") {
  // The high part is 1. The others are added where 2^-105 is the unit: each t, a little more than half of that, is rounded
  // the same way, and the last term leaves 2^-106 on the other side of the tie.
  constexpr std::size_t n = 62;
  double const t = 0x1p-106 * (1 + 0x1p-10);
  for (double const side : {-1.0, 1.0})
    for (double const divisor : {1.0, 4.0}) {
      auto const a = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(n, n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) a(i, j) = i == j ? 1 : 0;
      Exact sum;
      sum.add(1.0).add(0x1p-53).add(0x1p-98);
      a(n - 1, 0) = -(0x1p-53 - 0x1p-60);
      a(n - 1, 1) = -(0x1p-60 + 0x1p-98);
      for (std::size_t j = 2; j < n - 2; ++j) {
        a(n - 1, j) = side * t;
        sum.add(-side * t);
      }
      Exact last = sum;
      double const rest = last.subtract(1.0).subtract(0x1p-53).subtract(side * 0x1p-106).round<double>().value;
      a(n - 1, n - 2) = rest;
      sum.subtract(rest);
      a(n - 1, n - 1) = divisor;
      auto const expected = sum.round_quotient<double>(divisor);
      CHECK(expected.value * divisor == (side > 0 ? 1 + 0x1p-52 : 1));
      check_last(a, divisor == 1 ? "U" : "N", std::vector<double>(n, 1), expected);
    }
}

TEST_CASE("trsv finds the zeros that a solution begins with") {
  Random random(816);
  constexpr std::size_t n = 200;
  for_each_triangle([&](TriangleModes const& modes) {
    auto a = hard_triangle<double>(random, Hardness::none, modes, n);
    for (std::size_t i = 0; i < n; ++i) a(i, i) = random.one_of(40.0, -50.0);
    std::vector<double> b(n);
    b[random.between<std::size_t>(100, n - 1)] = 3;
    b[random.between<std::size_t>(50, n - 50)] = -0.0;
    auto const check = [&](std::size_t i, std::size_t j, double entry) {
      double const before = std::exchange(a(i, j), entry);
      auto const expected = solution_of(a, modes, 1.0, b);
      for (Storage const storage : {Storage::left, Storage::right}) {
        StridedVector<double> const x = contiguous(b);
        trsv(modes.uplo(), modes.trans(), modes.diag(), stored(modes.is_transposed ? a.transposed() : a, storage), x);
        check_solution(x, expected);
      }
      a(i, j) = before;
    };
    // Nothing times an infinity is none; a zero divided by zero neither.
    std::size_t const early = modes.goes_down() ? 10 : n - 10, late = modes.goes_down() ? 90 : n - 90;
    check(0, 0, a(0, 0));
    check(early + 1, early - 1, modes.goes_down() ? infinity : a(early + 1, early - 1));
    check(late, early, infinity);
    check(early, early, modes.has_unit_diagonal ? a(early, early) : 0.0);
  });
  // A product that vanishes when it is rounded.
  auto const a = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(2, 2);
  a(0, 0) = 1;
  a(1, 0) = 0x1p-1074;
  a(1, 1) = 0x1p-1000;
  auto const x = contiguous(std::vector<double>{0x1p-700, 0});
  trsv("L", "N", "N", a, x);
  CHECK(same_bits(x(1), -0x1p-774));
}

TEMPLATE_TEST_CASE("trsv finds the zeros of a solution by blocks", "", double, float) {
  Random random(817);
  constexpr std::size_t n = 150, side = 12;
  for_each_triangle([&](TriangleModes const& modes) {
    auto a = hard_triangle<TestType>(random, Hardness::none, modes, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        if (i / side != j / side) a(i, j) = random.one_of(TestType{0}, -TestType{0});
      a(i, i) = static_cast<TestType>(random.one_of(40.0, -50.0));
    }
    // Every other block has a right-hand side, at one place.
    std::vector<TestType> b(n);
    for (std::size_t i = 0; i < n; i += 2 * side) b[i + random.between<std::size_t>(0, side - 7)] = 3;
    auto const check = [&](std::size_t i, std::size_t j, double entry) {
      INFO("(" << i << ", " << j << ") is " << entry);
      TestType const before = std::exchange(a(i, j), static_cast<TestType>(entry));
      auto const expected = solution_of(a, modes, 1.0, b);
      for (Storage const storage : {Storage::left, Storage::right}) {
        StridedVector<TestType> const x = contiguous(b);
        trsv(modes.uplo(), modes.trans(), modes.diag(), stored(modes.is_transposed ? a.transposed() : a, storage), x);
        check_solution(x, expected);
      }
      a(i, j) = before;
    };
    std::size_t const first = modes.goes_down() ? side + 2 : n - side - 2, last = modes.goes_down() ? n - 20 : 20;
    check(0, 0, a(0, 0));
    for (double const entry : {infinity, 0x1p-140, 1.0}) check(last, first, entry);
    b[first] = static_cast<TestType>(0x1p-140);
    for (double const entry : {infinity, 0x1p-140, 1.0}) check(last, first, entry);
  });
}

TEST_CASE("a zero on the diagonal divides as IEEE 754 says") {
  auto const a = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(3, 3);
  a(0, 0) = 0.0;
  a(1, 0) = 0.0;
  a(1, 1) = -0.0;
  a(2, 0) = a(2, 1) = 0.0;
  a(2, 2) = 2;
  auto const x = contiguous(std::vector<double>{0, 5, 3});
  trsv("L", "N", "N", a, x);
  CHECK(same_bits(x(0), not_a_number));
  CHECK(same_bits(x(1), not_a_number));  // 0 * NaN is among the products
  CHECK(same_bits(x(2), not_a_number));

  auto const y = contiguous(std::vector<double>{4, 5, 0});
  auto const diagonal = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(3, 3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) diagonal(i, j) = 0;
  diagonal(0, 0) = 2;
  diagonal(1, 1) = -0.0;
  trsv("lower", "n", 'n', diagonal, y);
  CHECK(same_bits(y(0), 2.0));
  CHECK(same_bits(y(1), -infinity));
  CHECK(same_bits(y(2), not_a_number));  // 0 * inf
  auto const single = contiguous(std::vector<double>{3});
  trsv("U", "N", "N", Kokkos::subview(diagonal, std::pair<int, int>(2, 3), std::pair<int, int>(2, 3)), single);
  CHECK(same_bits(single(0), infinity));
}

TEST_CASE("a quotient just below the end of the range is one where the parts of its sum are far apart") {
  // b - a_0 x_0 is an error of a product, which the quotient is one of, and what the last column leaves is tiny beside it.
  for (double const sign : {1.0, -1.0}) {
    auto const a = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(3, 3);
    a(0, 0) = a(1, 1) = 1;
    a(1, 0) = 0;
    a(2, 0) = 0x1.617953f1f65a8p+230;
    a(2, 1) = sign * 0x1p+100;
    a(2, 2) = 0x1.a75a7f601db41p-847;
    std::vector<double> const b{sign * 0x1.7814e8a37949cp+0, 1, sign * 0x1.03a388fece441p+231};
    auto const x = contiguous(b);
    trsv("L", "N", "N", a, x);
    CHECK(same_bits(x(2), sign * std::numeric_limits<double>::max()));
    auto const columns = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(3, 5);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 5; ++j) columns(i, j) = b[static_cast<std::size_t>(i)];
    Exakt::trsm("L", "L", "N", "N", 1.0, a, columns);
    for (int j = 0; j < 5; ++j) CHECK(same_bits(columns(2, j), sign * std::numeric_limits<double>::max()));
  }
}

TEST_CASE("trsv is right in every floating-point environment") {
  Random random(814);
  TriangleModes const modes{false, false, false};
  for (Hardness const hardness : {Hardness::none, Hardness::tiny, Hardness::every_exponent}) {
    auto const a = hard_triangle<double>(random, hardness, modes, 20);
    std::vector<float> b(20);
    for (float& entry : b) entry = hard_number<float>(random, hardness);
    auto const expected = solution_of(a, modes, 1.0, b);
    for (auto const& environment : every_fp_environment()) {
      INFO(environment.name << ", " << name_of(hardness));
      auto const matrix = stored(a, Storage::left);
      StridedVector<float> const x = contiguous(b);
      {
        ScopedFpEnvironment const scope(environment, ScopedFpEnvironment::Threads::all);
        trsv("L", "N", "N", matrix, x);
      }
      check_solution(x, expected);
    }
  }
}

TEST_CASE("trsv refuses operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  auto const a = poisoned<Matrix>(3, 3);
  auto const x = poisoned<HostVector<double>>(3);
  auto const refusal = [&](char const* uplo, char const* trans, char const* diag) {
    return refusal_of([&] { trsv(uplo, trans, diag, a, x); });
  };
  CHECK(refusal("X", "N", "N") == "Exakt::trsv: uplo is 'X'; it must be U or L");
  CHECK(refusal("U", "x", "N") == "Exakt::trsv: trans is 'x'; it must be N, T or C");
  CHECK(refusal("U", "N", "T") == "Exakt::trsv: diag is 'T'; it must be U or N");
  CHECK(refusal_of([&] { trsv("U", "N", "N", poisoned<Matrix>(3, 4), x); }) ==
        "Exakt::trsv: A is 3 x 4; it must be square");
  CHECK(refusal_of([&] { trsv("U", "N", "N", poisoned<Matrix>(4, 4), x); }) ==
        "Exakt::trsv: A is 4 x 4, x is 3 entries; A.extent(0) must equal x.extent(0)");
  CHECK(refusal_of([&] { trsv("U", "N", "N", a, Kokkos::subview(a, Kokkos::ALL, 0)); }) ==
        "Exakt::trsv: x is 3 entries, A is 3 x 3; they must not share memory");
}
