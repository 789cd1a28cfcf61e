// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas.hpp>

#include "ExaktTest_Device.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

// Matrices in the default execution space. The same calls on hosts are checked against the oracle, in blas/; here it is
// enough that the bits are the same, wherever the entries live.

namespace {

using namespace ExaktTest;
using Host = Kokkos::DefaultHostExecutionSpace;

/// What `call(space, operands...)` leaves in its last operand, on the device and on the host.
template <class Call, class... Operands>
void check(char const* what, Call const& call, Operands const&... operands) {
  INFO(what);
  auto const last = [](auto const&... all) { return std::get<sizeof...(all) - 1>(std::make_tuple(all...)); };
  auto const here = std::make_tuple(Kokkos::create_mirror(operands)...);
  std::apply([&](auto const&... copy) { (Kokkos::deep_copy(copy, operands), ...); }, here);
  // The copies that write its operands are enqueued, too.
  Device const space = some_instance();
  auto const there =
      std::make_tuple(Kokkos::create_mirror(typename Operands::device_type::memory_space(), operands)...);
  std::apply([&](auto const&... copy) { (Kokkos::deep_copy(space, copy, operands), ...); }, there);
  std::apply([&](auto const&... copy) { call(space, copy...); }, there);
  space.fence();
  std::apply([&](auto const&... copy) { call(Host(), copy...); }, here);
  Host().fence();
  auto const on_device = on_host(std::apply(last, there));
  auto const expected = on_host(std::apply(last, here));
  REQUIRE(on_device.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(expected[i])>>) {
      EXAKT_CHECK_BITS(on_device[i], expected[i]);
    } else {
      EXAKT_CHECK_BITS(on_device[i].real(), expected[i].real());
      EXAKT_CHECK_BITS(on_device[i].imag(), expected[i].imag());
    }
  }
}

template <class Layout>
void check_layout() {
  Random random(5201);
  auto const A = on_device<Layout>(numbers(random, 70 * 40, 20), 70);
  auto const B = on_device<Layout>(numbers(random, 40 * 30, 20), 40);
  auto const C = on_device<Layout>(numbers(random, 70 * 30, 20), 70);
  auto const x = on_device(numbers(random, 40, 20)), y = on_device(numbers(random, 70, 20));
  auto const z = on_device(numbers(random, 70, 20));
  constexpr std::size_t unknowns = 150;
  auto entries = numbers(random, unknowns * unknowns, 2);
  for (std::size_t i = 0; i < unknowns; ++i) entries[(unknowns + 1) * i] = 8 + static_cast<double>(i);
  auto const T = on_device<Layout>(entries, unknowns);
  auto const b = on_device(numbers(random, unknowns, 20));
  auto const R = on_device<Layout>(numbers(random, unknowns * 6, 20), unknowns);

  check(
      "axpby", [](auto space, auto const& u, auto const& v) { Exakt::axpby(space, 0.1, u, -3.0, v); }, y, z);
  check(
      "axpby, rows of a matrix as factors",
      [](auto space, auto const& factors, auto const& u, auto const& v) {
        auto const row = [&](int i) { return Kokkos::subview(factors, i, Kokkos::ALL); };
        Exakt::axpby(space, row(1), u, row(0), v);
      },
      on_device<Layout>(numbers(random, 3 * 30, 20), 3), C, on_device<Layout>(numbers(random, 70 * 30, 20), 70));
  // Sums of neighbours in size, of which many are ties.
  auto const near = on_device(numbers(random, 3000, 1)), other = on_device(numbers(random, 3000, 1));
  check(
      "axpby, ties", [](auto space, auto const& u, auto const& v) { Exakt::axpby(space, 1, u, 1, v); }, near, other);
  check(
      "gemv N",
      [](auto space, auto const& a, auto const& u, auto const& v) { Exakt::gemv(space, "N", 0.1, a, u, 3.0, v); }, A, x,
      y);
  check(
      "gemv T",
      [](auto space, auto const& a, auto const& u, auto const& v) { Exakt::gemv(space, "T", 0.1, a, u, 0.0, v); }, A, y,
      x);
  check(
      "gemm",
      [](auto space, auto const& a, auto const& c, auto const& d) { Exakt::gemm(space, "N", "N", 0.1, a, c, 3.0, d); },
      A, B, C);
  check(
      "gemm T",
      [](auto space, auto const& a, auto const& d, auto const& c) { Exakt::gemm(space, "T", "N", 1.0, a, d, 0.0, c); },
      A, C, B);
  // Large enough for integer units, where the device has some; and with an infinity, which these decline.
  constexpr std::size_t m = is_emulated ? 53 : 530, k = is_emulated ? 52 : 520, n = is_emulated ? 51 : 510,
                        too_long = is_emulated ? 500 : 5000;
  auto large = numbers(random, m * k, 20);
  auto const D = on_device<Layout>(large, m);
  auto const E = on_device<Layout>(numbers(random, k * n, 20), k);
  auto const F = on_device<Layout>(numbers(random, m * n, 20), m);
  auto const multiply = [](auto space, auto const& d, auto const& e, auto const& f) {
    Exakt::gemm(space, "N", "N", 0.1, d, e, 3.0, f);
  };
  check("gemm, large", multiply, D, E, F);
  large[7] = std::numeric_limits<double>::infinity();
  check("gemm, large, infinity", multiply, on_device<Layout>(large, m), E, F);
  check("gemm, long sums", multiply, on_device<Layout>(numbers(random, 20 * too_long, 20), 20),
        on_device<Layout>(numbers(random, too_long * 30, 20), too_long),
        on_device<Layout>(numbers(random, 20 * 30, 20), 20));
  check(
      "trsv", [](auto space, auto const& t, auto const& u) { Exakt::trsv(space, "L", "N", "N", t, u); }, T, b);
  check(
      "trsv T", [](auto space, auto const& t, auto const& u) { Exakt::trsv(space, "U", "T", "U", t, u); }, T, b);
  check(
      "symv",
      [](auto space, auto const& t, auto const& u, auto const& v) { Exakt::symv(space, "U", 0.1, t, u, 3.0, v); }, T, b,
      on_device(numbers(random, unknowns, 20)));
  auto const trmv = [](auto space, auto const& t, auto const& u) { Exakt::trmv(space, "L", "N", "N", t, u); };
  check("trmv", trmv, T, b);
  auto special = numbers(random, unknowns, 20);
  special[77] = -std::numeric_limits<double>::infinity();
  check("trmv, infinity", trmv, T, on_device(special));
  check(
      "trsm", [](auto space, auto const& t, auto const& u) { Exakt::trsm(space, "L", "U", "N", "N", 0.1, t, u); }, T,
      R);
}

/// Integers of a few bits: with a factor of 53 bits, half of the sums are ties, and many are zero.
std::vector<double> integers(Random& random, std::size_t n) {
  std::vector<double> result(n);
  for (double& x : result) x = random.between(-3, 3);
  return result;
}

/// Multiples of 2^-53.
std::vector<double> multiples(Random& random, std::size_t n) {
  std::vector<double> result(n);
  for (double& x : result)
    x = std::ldexp(random.between(-(1 << 30), 1 << 30), -30) + std::ldexp(random.between(0, 1 << 23), -53);
  return result;
}

template <class Layout>
void check_ties() {
  Random random(5203);
  constexpr std::size_t n = is_emulated ? 60 : 300;
  auto const A = on_device<Layout>(integers(random, n * n), n), B = on_device<Layout>(multiples(random, n * n), n);
  auto const x = on_device(integers(random, n)), y = on_device(integers(random, n));
  auto const z = on_device(multiples(random, n)), zeros = on_device(std::vector<double>(n));
  auto const add_outer = [](auto space, auto const& u, auto const& v, auto const& a) {
    Exakt::ger(space, 0.7, u, v, a);
  };
  check("ger, ties", add_outer, x, y, B);
  check("ger, zeros", add_outer, zeros, y, A);
  check(
      "syr, ties", [](auto space, auto const& u, auto const& a) { Exakt::syr(space, "L", 0.7, u, a); }, x, B);
  for (auto const& v : {y, zeros})
    check(
        "syr2", [](auto space, auto const& u, auto const& w, auto const& a) { Exakt::syr2(space, "U", 0.3, u, w, a); },
        x, v, A);
  check(
      "gemv, ties",
      [](auto space, auto const& a, auto const& u, auto const& v) { Exakt::gemv(space, "N", 0.7, a, u, 0.3, v); }, A, x,
      z);
  check(
      "gemm, ties",
      [](auto space, auto const& a, auto const& b, auto const& c) { Exakt::gemm(space, "N", "N", 0.7, a, b, 0.3, c); },
      A, A, B);
  check(
      "symv, ties",
      [](auto space, auto const& a, auto const& u, auto const& v) { Exakt::symv(space, "L", 1, a, u, 0, v); }, A, z, y);
  for (auto const& matrix : {A, B}) {
    DeviceVector<double> const r("r", n);
    check(
        "nrm2 of columns", [](auto space, auto const& a, auto const& v) { Exakt::nrm2(space, v, a); }, matrix, r);
    check(
        "means of columns", [](auto space, auto const& a, auto const& v) { Exakt::mean(space, v, a); }, matrix, r);
  }
  DeviceMatrix<double, Layout> const nothing("nothing", n, 3);
  DeviceVector<double> const r("r", 3);
  check(
      "nrm2 of zeros", [](auto space, auto const& a, auto const& v) { Exakt::nrm2(space, v, a); }, nothing, r);
}

}  // namespace

TEST_CASE("device: ties and zeros") {
  check_ties<Kokkos::LayoutLeft>();
  check_ties<Kokkos::LayoutRight>();
}

TEST_CASE("device: matrices give the bits of the host") {
  check_layout<Kokkos::LayoutLeft>();
  check_layout<Kokkos::LayoutRight>();
}

TEST_CASE("device: complex matrices give the bits of the host") {
  using Number = Kokkos::complex<double>;
  Random random(5202);
  auto const parts = numbers(random, 2 * 20 * 15, 20);
  std::vector<Number> entries;
  for (std::size_t i = 0; i < parts.size(); i += 2) entries.emplace_back(parts[i], parts[i + 1]);
  auto const A = on_device<Kokkos::LayoutLeft>(entries, 20);
  auto const x = on_device(std::vector<Number>(entries.begin(), entries.begin() + 15));
  auto const y = on_device(std::vector<Number>(entries.begin() + 20, entries.begin() + 40));
  auto const C = on_device<Kokkos::LayoutLeft>(std::vector<Number>(15 * 15, Number(1, 2)), 15);
  Number const alpha(0.1, -0.3);
  check(
      "gemv",
      [=](auto space, auto const& a, auto const& u, auto const& v) { Exakt::gemv(space, "N", alpha, a, u, 1.0, v); }, A,
      x, y);
  check(
      "gemm", [=](auto space, auto const& a, auto const& c) { Exakt::gemm(space, "C", "N", alpha, a, a, 0.5, c); }, A,
      C);
  Number const dot = Exakt::dot(x, x);
  Exact squares;
  for (std::size_t i = 0; i < 15; ++i) squares.add_product(entries[i].real(), entries[i].real());
  for (std::size_t i = 0; i < 15; ++i) squares.add_product(entries[i].imag(), entries[i].imag());
  EXAKT_CHECK_BITS(dot.real(), squares.round<double>());
  EXAKT_CHECK_BITS(dot.imag(), 0.0);

  // Systems: a team for each right-hand side.
  constexpr std::size_t unknowns = 120;
  auto const random_numbers = [&](std::size_t count) {
    std::vector<Number> all(count);
    for (Number& number : all) number = Number(random.value<double>(0), random.value<double>(0));
    return all;
  };
  auto triangle = random_numbers(unknowns * unknowns);
  for (std::size_t i = 0; i < unknowns; ++i) triangle[(unknowns + 1) * i] = Number(40, static_cast<double>(i));
  auto const T = on_device<Kokkos::LayoutLeft>(triangle, unknowns);
  auto right_sides = random_numbers(4 * unknowns);
  std::fill_n(right_sides.begin(), unknowns + 7, Number(0));
  auto const S = on_device<Kokkos::LayoutLeft>(right_sides, unknowns);
  for (char const* const diag : {"N", "U"}) {
    check(
        "trsv", [=](auto space, auto const& t, auto const& u) { Exakt::trsv(space, "L", "N", diag, t, u); }, T,
        on_device(random_numbers(unknowns)));
    check(
        "trsm", [=](auto space, auto const& t, auto const& u) { Exakt::trsm(space, "L", "U", "C", diag, alpha, t, u); },
        T, S);
  }
  check(
      "tpsv", [](auto space, auto const& t, auto const& u) { Exakt::tpsv(space, "U", "T", "U", t, u); },
      on_device(numbers(random, unknowns * (unknowns + 1) / 2, 3)), on_device(numbers(random, unknowns, 20)));
  check(
      "packed spmv",
      [](auto space, auto const& t, auto const& u, auto const& v) { Exakt::spmv(space, "U", 0.1, t, u, 3.0, v); },
      on_device(numbers(random, unknowns * (unknowns + 1) / 2, 3)), on_device(numbers(random, unknowns, 20)),
      on_device(numbers(random, unknowns, 20)));

  // Outer products; large products, by real ones, where C is by columns or rows, or with factors that mix parts.
  check(
      "ger", [=](auto space, auto const& u, auto const& v, auto const& a) { Exakt::geru(space, alpha, u, v, a); }, y, x,
      A);
  check(
      "her", [=](auto space, auto const& u, auto const& c) { Exakt::her(space, "L", 0.3, u, c); }, x, C);
  check(
      "her2", [=](auto space, auto const& u, auto const& v, auto const& c) { Exakt::her2(space, "U", 0.3, u, v, c); },
      x, x, C);
  auto const check_large = [&]<class Layout>(Layout) {
    constexpr std::size_t m = is_emulated ? 33 : 230, k = is_emulated ? 31 : 210, n = is_emulated ? 30 : 200;
    auto const matrix = [&](std::size_t rows, std::size_t columns) {
      return on_device<Layout>(random_numbers(rows * columns), rows);
    };
    auto const D = matrix(m, k), E = matrix(k, n), F = matrix(m, n);
    for (Number const factor : {Number(0.7), alpha})
      check(
          "gemm, large",
          [=](auto space, auto const& d, auto const& e, auto const& f) {
            Exakt::gemm(space, "N", "N", factor, d, e, 0.3, f);
          },
          D, E, F);
    check(
        "gemm, large, conjugated",
        [=](auto space, auto const& d, auto const& e, auto const& f) {
          Exakt::gemm(space, "C", "N", 1.0, d, e, 0.0, f);
        },
        D, F, E);
  };
  check_large(Kokkos::LayoutLeft());
  check_large(Kokkos::LayoutRight());

  // Real factors, of either type, leave the parts of sums apart, unless one is not finite; some rows cancel.
  auto some = entries;
  for (std::size_t i : {3, 7})
    for (std::size_t j = 0; j < 15; ++j)
      some[20 * j + i] = j % 2 == 0 ? Number(j == 14 ? 0 : 1, 0.5) : -some[20 * (j - 1) + i];
  some[5] = Number(std::numeric_limits<double>::infinity(), 1);
  auto const B = on_device<Kokkos::LayoutLeft>(some, 20);
  auto const ones = on_device(std::vector<Number>(15, Number(1, 1)));
  for (char const* const mode : {"N", "T", "C"}) {
    INFO("gemv " << mode);
    auto const by_real = [=](auto space, auto const& a, auto const& u, auto const& v) {
      Exakt::gemv(space, mode, 0.1, a, u, 3.0, v);
    };
    auto const by_one = [=](auto space, auto const& a, auto const& u, auto const& v) {
      Exakt::gemv(space, mode, Number(1), a, u, Number(0), v);
    };
    bool const down = *mode == 'N';
    check("by real factors", by_real, A, down ? x : y, down ? y : x);
    check("by one", by_one, B, down ? ones : y, down ? y : ones);
  }
}
