// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_band.hpp>
#include <ExaktBlas2_packed.hpp>
#include <ExaktBlas2_trsv.hpp>
#include <ExaktBlas3_trsm.hpp>

#include "ExaktTest_ComplexQuotient.hpp"
#include "ExaktTest_Stored.hpp"

namespace {

using namespace ExaktTest;
using Kokkos::complex;
using Z = complex<double>;

template <class Entry>
auto packed(Packed<Entry>& triangle, std::size_t n) {
  return Kokkos::View<Entry*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(triangle.data(), n * (n + 1) / 2);
}
template <class V>
auto column_of(V const& vector) {
  return [=](std::size_t i, std::size_t) -> auto const& { return vector(i); };
}

/// All verbs of bands and packed triangles once, for matrices with entries of type A and vectors with entries of type X.
template <class A, class X>
void check_verbs(Random& random, Hardness hardness, std::size_t n) {
  StoredTriangle const triangle{random.coin(), random.coin()};
  char const mode = random.one_of('N', 'T', 'C');
  std::size_t const k = random.between<std::size_t>(0, 4), m = random.between<std::size_t>(1, 9);
  INFO(name_of(hardness) << ", n = " << n << ", m = " << m << ", k = " << k << ", lower " << triangle.is_lower
                         << ", ones " << triangle.has_ones << ", trans " << mode);
  auto const x = any_table<X>(random, hardness, n, 1), y = any_table<X>(random, hardness, n, 1);
  auto const times_x = [&](std::size_t l, std::size_t) { return Number(x(l, 0)); };
  HardFactors const factors(random);

  // A rectangle.
  auto const a = any_table<A>(random, hardness, m, n);
  Band const band{k, random.between<std::size_t>(0, 4)};
  auto const z = any_table<X>(random, hardness, m, 1);
  bool const turned = mode != 'N';
  auto const result = storages.next_vector(turned ? y : z);
  Exakt::gbmv(mode, band.below, band.above, factors.alpha, stored(band.stored(a, false), storages.next()),
              storages.next_vector(turned ? z : x), factors.beta, result);
  Expression product{turned ? m : n, {}, {}, factors.alpha, factors.beta};
  product.left = [&](std::size_t i, std::size_t l) -> std::optional<Number> {
    if (!(turned ? band.contains(l, i) : band.contains(i, l))) return {};
    return turned ? Number(a(l, i)).conjugated(mode == 'C') : Number(a(i, l));
  };
  product.right = [&](std::size_t l, std::size_t) { return Number((turned ? z : x)(l, 0)); };
  check_expression(product, turned ? y : z, column_of(result));

  for (bool const is_packed : {false, true}) {
    INFO("packed " << is_packed);
    Band const part = Band::of_triangle(triangle.is_lower, is_packed ? n : k);
    for (bool const hermitian : {false, true}) {
      StoredTriangle const stored_part{triangle.is_lower, false, hermitian};
      auto const s = stored_part.poisoned(any_table<A>(random, hardness, n, n));
      auto const sum = storages.next_vector(y);
      if (is_packed) {
        Packed<A> memory(s, triangle.is_lower, false);
        auto const ap = packed(memory, n);
        hermitian ? Exakt::hpmv(triangle.uplo(), factors.alpha, ap, storages.next_vector(x), factors.beta, sum)
                  : Exakt::spmv(triangle.uplo(), factors.alpha, ap, storages.next_vector(x), factors.beta, sum);
      } else {
        auto const ab = stored(part.stored(s, false), storages.next());
        hermitian ? Exakt::hbmv(triangle.uplo(), factors.alpha, ab, storages.next_vector(x), factors.beta, sum)
                  : Exakt::sbmv(triangle.uplo(), factors.alpha, ab, storages.next_vector(x), factors.beta, sum);
      }
      Expression const expression{n, mirrored(s, stored_part, part), times_x, factors.alpha, factors.beta};
      check_expression(expression, y, column_of(sum));
    }
    auto const t = triangle.poisoned(any_table<A>(random, hardness, n, n));
    auto const entry = triangular(t, triangle, part, mode);
    auto const image = storages.next_vector(x), solution = storages.next_vector(x);
    if (is_packed) {
      Packed<A> memory(t, triangle.is_lower, false);
      Exakt::tpmv(triangle.uplo(), mode, triangle.diag(), packed(memory, n), image);
      Exakt::tpsv(triangle.uplo(), mode, triangle.diag(), packed(memory, n), solution);
    } else {
      auto const ab = stored(part.stored(t, false), storages.next());
      Exakt::tbmv(triangle.uplo(), mode, triangle.diag(), ab, image);
      Exakt::tbsv(triangle.uplo(), mode, triangle.diag(), ab, solution);
    }
    check_expression(Expression{n, entry, times_x, 1, 0}, x, column_of(image));
    System<X> const system{n, entry, triangle.is_lower != turned, triangle.has_ones, 1};
    system.check(x, 0, [&](std::size_t i) { return solution(i); });
  }
}

template <class A>
void check_updates(Random& random, Hardness hardness, std::size_t n) {
  for (bool const hermitian : {false, true})
    for (bool const has_two : {false, true}) {
      StoredTriangle const triangle{random.coin(), false, hermitian};
      INFO(name_of(hardness) << ", n = " << n << ", lower " << triangle.is_lower << ", hermitian " << hermitian
                             << ", two " << has_two);
      auto const a = triangle.poisoned(any_table<A>(random, hardness, n, n));
      auto const x = any_table<A>(random, hardness, n, 1), y = any_table<A>(random, hardness, n, 1);
      Packed<A> memory(a, triangle.is_lower, false);
      auto const ap = packed(memory, n);
      auto const p = storages.next_vector(x), q = storages.next_vector(has_two ? y : x);
      double const alpha = HardFactors(random).alpha;
      if (has_two) {
        hermitian ? Exakt::hpr2(triangle.uplo(), alpha, p, q, ap) : Exakt::spr2(triangle.uplo(), alpha, p, q, ap);
      } else {
        hermitian ? Exakt::hpr(triangle.uplo(), alpha, p, ap) : Exakt::spr(triangle.uplo(), alpha, p, ap);
      }
      Expression expression{1, {}, {}, alpha, 1};
      expression.left = [&](std::size_t i, std::size_t) { return Number(x(i, 0)); };
      expression.right = [&](std::size_t, std::size_t j) {
        return Number((has_two ? y : x)(j, 0)).conjugated(hermitian);
      };
      expression.is_written = [&](std::size_t i, std::size_t j) { return triangle.contains(i, j); };
      expression.has_real_diagonal = hermitian && PartsOf<A>::is_complex;
      if (has_two) {
        expression.second_alpha = alpha;
        expression.second_left = [&](std::size_t i, std::size_t) { return Number(y(i, 0)); };
        expression.second_right = [&](std::size_t, std::size_t j) { return Number(x(j, 0)).conjugated(hermitian); };
      }
      check_expression(expression, a, memory);
      memory.check_rest();
    }
}

/// trsm with an A of type A and a B of type B, and trsv with its first column.
template <class A, class B>
void check_systems(Random& random, Hardness hardness, std::size_t n) {
  StoredTriangle const triangle{random.coin(), random.coin()};
  char const mode = random.one_of('N', 'T', 'C');
  bool const on_left = random.coin();
  std::size_t const m = 3;
  INFO(name_of(hardness) << ", n = " << n << ", left " << on_left << ", lower " << triangle.is_lower << ", ones "
                         << triangle.has_ones << ", trans " << mode);
  auto const a = triangle.poisoned(any_table<A>(random, hardness, n, n));
  auto const b = any_table<B>(random, hardness, n, m);
  auto const entry = triangular(a, triangle, {n, n}, mode);
  Z const alpha(0.7, -1.25);
  auto const view = stored(on_left ? b : b.transposed(), storages.next());
  auto const x = storages.next_vector(as_column(b.column(0)));
  Exakt::trsm(on_left ? 'L' : 'R', triangle.uplo(), mode, triangle.diag(), alpha, stored(a, storages.next()), view);
  Exakt::trsv(triangle.uplo(), mode, triangle.diag(), stored(a, storages.next()), x);
  bool const goes_down = triangle.is_lower == (mode == 'N');
  System<B> const systems{n, on_left ? entry : [&](std::size_t i, std::size_t j) { return entry(j, i); },
                          goes_down == on_left, triangle.has_ones, alpha};
  for (std::size_t k = 0; k < m; ++k)
    systems.check(b, k, [&](std::size_t i) { return on_left ? view(i, k) : view(k, i); });
  System<B> const system{n, entry, goes_down, triangle.has_ones, 1};
  system.check(b, 0, [&](std::size_t i) { return x(i); });
}

}  // namespace

TEST_CASE("each entry of a product with a band or a packed triangle, and each unknown, is rounded once") {
  Random random(871);
  for (Hardness const hardness : every_hardness) {
    for (std::size_t const n : {1, 7}) {
      check_verbs<double, double>(random, hardness, n);
      check_verbs<float, double>(random, hardness, n);
      check_verbs<Z, Z>(random, hardness, n);
      check_verbs<double, complex<float>>(random, hardness, n);
    }
    check_verbs<double, double>(random, hardness, 0);
    check_updates<double>(random, hardness, 8);
    check_updates<Z>(random, hardness, 6);
  }
  check_verbs<double, double>(random, Hardness::none, 300);
  check_verbs<Z, Z>(random, Hardness::cancelling, 270);
}

TEST_CASE("each unknown of complex triangular systems is the exact quotient, its parts rounded once") {
  Random random(872);
  for (Hardness const hardness : every_hardness)
    for (std::size_t const n : {0, 1, 6, 11}) {
      check_systems<Z, Z>(random, hardness, n);
      check_systems<complex<float>, complex<float>>(random, hardness, n);
      check_systems<double, Z>(random, hardness, n);
    }
  check_systems<Z, Z>(random, Hardness::none, 300);
}

TEST_CASE("verbs of bands and packed triangles refuse operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  using Vector = HostVector<double>;
  auto const ab = poisoned<Matrix>(3, 5), none = poisoned<Matrix>(0, 5);
  auto const x = poisoned<Vector>(5), y = poisoned<Vector>(5), four = poisoned<Vector>(4), ap = poisoned<Vector>(15);
  CHECK(refusal_of([&] { Exakt::gbmv("N", 1, 0, 1.0, ab, x, 0.0, y); }) ==
        "Exakt::gbmv: AB is 3 x 5, kl is 1, ku is 0; AB.extent(0) must equal kl + ku + 1, neither of them negative");
  for (auto const& [kl, ku] : {std::pair(-1, 3), std::pair(3, -1), std::pair(-1, -1), std::pair(1, 2)}) {
    CHECK(refusal_of([&, below = kl, above = ku] { Exakt::gbmv("N", below, above, 1.0, ab, x, 0.0, y); }) ==
          "Exakt::gbmv: AB is 3 x 5, kl is " + std::to_string(kl) + ", ku is " + std::to_string(ku) +
              "; AB.extent(0) must equal kl + ku + 1, neither of them negative");
  }
  constexpr std::size_t half = ~std::size_t{0} / 2;
  CHECK(refusal_of([&] { Exakt::gbmv("N", half + 1, half + 3, 1.0, ab, x, 0.0, y); }) != "no refusal");
  CHECK(refusal_of([&] { Exakt::gbmv("N", 1, 1, 1.0, ab, four, 0.0, y); }) ==
        "Exakt::gbmv: AB is 3 x 5, x is 4 entries; AB.extent(1) must equal x.extent(0)");
  CHECK(refusal_of([&] { Exakt::sbmv("U", 1.0, none, x, 0.0, y); }) ==
        "Exakt::sbmv: AB is 0 x 5; it must have the row of the diagonal");
  CHECK(refusal_of([&] { Exakt::tbsv("X", "N", "N", ab, x); }) == "Exakt::tbsv: uplo is 'X'; it must be U or L");
  CHECK(refusal_of([&] { Exakt::tpmv("U", "N", "N", ap, four); }) ==
        "Exakt::tpmv: AP is 15 entries, x is 4 entries; AP has n(n + 1)/2 entries for the n of a vector");
  CHECK(refusal_of([&] { Exakt::spmv("U", 1.0, ap, x, 0.0, x); }) ==
        "Exakt::spmv: y is 5 entries, x is 5 entries; they must not share memory");
  auto const part = Kokkos::subview(ap, std::pair<int, int>(3, 8));
  CHECK(refusal_of([&] { Exakt::spr("U", 1.0, part, ap); }) ==
        "Exakt::spr: AP is 15 entries, x is 5 entries; they must not share memory");
  Vector const line(ab.data() + 4, 5), among(ap.data() + 3, 5);
  auto const shares = [](std::string const& text, auto const& call) {
    INFO(text);
    CHECK(refusal_of(call) == "Exakt::" + text + "; they must not share memory");
  };
  shares("gbmv: y is 5 entries, x is 5 entries", [&] { Exakt::gbmv("N", 1, 1, 1.0, ab, x, 0.0, x); });
  shares("gbmv: y is 5 entries, AB is 3 x 5", [&] { Exakt::gbmv("N", 1, 1, 1.0, ab, x, 0.0, line); });
  shares("sbmv: y is 5 entries, AB is 3 x 5", [&] { Exakt::sbmv("U", 1.0, ab, x, 0.0, line); });
  shares("spmv: y is 5 entries, AP is 15 entries", [&] { Exakt::spmv("U", 1.0, ap, x, 0.0, among); });
  shares("tbsv: x is 5 entries, AB is 3 x 5", [&] { Exakt::tbsv("U", "N", "N", ab, line); });
  shares("tpmv: x is 5 entries, AP is 15 entries", [&] { Exakt::tpmv("U", "N", "N", ap, among); });
  shares("spr2: AP is 15 entries, x is 5 entries", [&] { Exakt::spr2("U", 1.0, among, y, ap); });
  shares("spr2: AP is 15 entries, y is 5 entries", [&] { Exakt::spr2("U", 1.0, x, among, ap); });
  CHECK(refusal_of([&] { Exakt::hpr("U", Z(1, 2), x, ap); }) ==
        "Exakt::hpr: alpha has an imaginary part of 2; it must be real");
}
