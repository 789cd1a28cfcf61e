// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// \brief Bands, packed triangles and complex systems, where the floating-point environments of threads differ, at sizes
/// at which all threads take part as far as there is something to share.
#include <ExaktBlas2_band.hpp>
#include <ExaktBlas2_packed.hpp>
#include <ExaktBlas2_trsv.hpp>
#include <ExaktBlas3_trsm.hpp>

#include <type_traits>

#include "ExaktTest_MixedEnvironments.hpp"

namespace {

using namespace ExaktTest;
using Complex = Kokkos::complex<double>;

constexpr Hardness some_hardness[] = {Hardness::cancelling, Hardness::tiny};

template <class T>
T some_number(Random& random, Hardness hardness) {
  auto const part = [&] { return hard_number<double>(random, hardness); };
  if constexpr (std::is_same_v<T, Complex>) {
    double const real = part(), imaginary = part();
    return Complex(real, imaginary);
  } else {
    return part();
  }
}

template <class View>
View filled(View const& view, Random& random, Hardness hardness) {
  auto* const entries = view.data();
  for (std::size_t i = 0; i < view.size(); ++i)
    entries[i] = some_number<typename View::non_const_value_type>(random, hardness);
  return view;
}

template <class View>
View copy_of(View const& view) {
  View const copy("copy", view.layout());
  Kokkos::deep_copy(copy, view);
  return copy;
}

/// All entries, parts of complex ones apart.
template <class... View>
Results<double> parts_of(View const&... views) {
  Results<double> results;
  auto const append = [&](auto const& view) {
    auto const* const parts = reinterpret_cast<double const*>(view.data());
    results.insert(results.end(), parts, parts + view.size() * sizeof(*view.data()) / sizeof(double));
  };
  (append(views), ...);
  return results;
}

}  // namespace

TEMPLATE_TEST_CASE("products with bands and packed triangles are right where the environments of threads differ", "",
                   double, Complex) {
  using T = TestType;
  Random random(1410);
  // More rows than are worth waking threads for.
  std::size_t const n = 270, below = 3, above = 5;
  std::size_t const few = std::is_same_v<T, Complex> ? 40 : n;  // of updates, which are whole matrices
  for (Hardness const hardness : some_hardness) {
    auto const band = filled(HostMatrix<T, Kokkos::LayoutLeft>("AB", below + above + 1, n), random, hardness);
    auto const triangle = filled(HostMatrix<T, Kokkos::LayoutLeft>("AB", above + 1, n), random, hardness);
    auto const packed = filled(HostVector<T>("AP", n * (n + 1) / 2), random, hardness);
    auto const x = filled(HostVector<T>("x", n), random, hardness), y = filled(HostVector<T>("y", n), random, hardness);
    auto const updated = filled(HostVector<T>("AP", few * (few + 1) / 2), random, hardness);
    auto const u = filled(HostVector<T>("u", few), random, hardness),
               v = filled(HostVector<T>("v", few), random, hardness);
    check_mixtures(std::string("bands of ") + name_of(hardness), [&] {
      auto const a = copy_of(y), b = copy_of(y), c = copy_of(y), d = copy_of(x);
      Exakt::gbmv("N", below, above, T(0.1), band, x, 0.7, a);
      Exakt::gbmv("T", below, above, 1.0, band, x, T(0.3), b);
      Exakt::sbmv("L", 0.3, triangle, x, 1.0, c);
      Exakt::tbmv("U", "T", "N", triangle, d);
      if constexpr (std::is_same_v<T, Complex>) Exakt::hbmv("U", T(0.3, 2), triangle, x, 1.0, c);
      return parts_of(a, b, c, d);
    });
    check_mixtures(std::string("packed triangles of ") + name_of(hardness), [&] {
      auto const a = copy_of(y), b = copy_of(x), c = copy_of(updated), d = copy_of(updated);
      Exakt::spmv("L", T(0.3), packed, x, 0.7, a);
      Exakt::tpmv("U", "N", "U", packed, b);
      Exakt::spr("U", T(0.3), u, c);
      Exakt::spr2("L", T(-0.7), u, v, d);
      if constexpr (std::is_same_v<T, Complex>) {
        Exakt::hpmv("U", T(0.3, 2), packed, x, 0.0, a);
        Exakt::hpr("L", 0.1, u, c);
        Exakt::hpr2("U", T(0.3, 2), u, v, d);
      }
      return parts_of(a, b, c, d);
    });
  }
}

TEMPLATE_TEST_CASE("systems of bands and packed triangles are right in any environment", "", double, Complex) {
  using T = TestType;
  Random random(1411);
  std::size_t const n = 90, beside = 4;
  for (Hardness const hardness : some_hardness) {
    auto const band = filled(HostMatrix<T, Kokkos::LayoutLeft>("AB", beside + 1, n), random, hardness);
    auto const packed = filled(HostVector<T>("AP", n * (n + 1) / 2), random, hardness);
    auto const b = filled(HostVector<T>("b", n), random, hardness);
    // Sums that grow tell nothing.
    for (std::size_t i = 0; i < packed.size(); ++i) packed(i) *= 0x1p-7;
    for (std::size_t j = 0, i = 0; j < n; i += n - j, ++j) packed(i) = T(random.value<double>(1));
    check_mixtures(std::string("systems of ") + name_of(hardness), [&] {
      auto const x = copy_of(b), y = copy_of(b), z = copy_of(b);
      Exakt::tbsv("L", "N", "N", band, x);
      Exakt::tpsv("L", "N", "N", packed, y);
      Exakt::tpsv("L", "C", "U", packed, z);
      return parts_of(x, y, z);
    });
  }
}

TEST_CASE("complex systems are right where the environments of threads differ") {
  using Matrix = HostMatrix<Complex, Kokkos::LayoutLeft>;
  Random random(1412);
  std::size_t const n = 70, right_sides = 12;
  for (Hardness const hardness : some_hardness) {
    auto const A = filled(Matrix("A", n, n), random, hardness),
               B = filled(Matrix("B", n, right_sides), random, hardness);
    for (std::size_t i = 0; i < A.size(); ++i) A.data()[i] *= 0x1p-6;
    for (std::size_t i = 0; i < n; ++i) A(i, i) = Complex(random.value<double>(1), random.value<double>(1));
    check_mixtures(std::string("trsm and trsv of ") + name_of(hardness), [&] {
      auto const X = copy_of(B), Y = copy_of(B);
      Exakt::trsm("L", "L", "N", "N", Complex(0.7, 2), A, X);
      Exakt::trsm("L", "U", "C", "U", 0.7, A, Y);
      HostVector<Complex> const x("x", n);
      Kokkos::deep_copy(x, Kokkos::subview(B, Kokkos::ALL, 0));
      Exakt::trsv("U", "N", "N", A, x);
      return parts_of(X, Y, x);
    });
  }
}

TEST_CASE("complex systems subtract what is known on whichever thread it is computed") {
  using Matrix = HostMatrix<Complex, Kokkos::LayoutLeft>;
  std::size_t const n = 65, right_sides = 64;
  Complex const tiniest(0x1p-1074, -0x1p-1074);
  Matrix const A("A", n, n), B("B", n, right_sides);
  for (std::size_t i = 0; i < n; ++i) A(i, i) = 1;
  A(n - 1, 0) = 1;
  for (std::size_t k = 0; k < right_sides; ++k) B(0, k) = B(n - 1, k) = Complex(0.25, 1);
  for (std::size_t k = 0; k < right_sides; ++k) B(n / 2, k) = tiniest;
  auto const solution = [&] {
    auto const X = copy_of(B);
    Exakt::trsm("L", "L", "N", "N", 1.0, A, X);
    return X;
  };
  check_mixtures("trsm", [&] { return parts_of(solution()); });
  auto const X = solution();
  for (std::size_t k = 0; k < right_sides; ++k) {
    EXAKT_CHECK_BITS(X(n / 2, k).real(), Expected<double>{tiniest.real()});
    EXAKT_CHECK_BITS(X(n / 2, k).imag(), Expected<double>{tiniest.imag()});
    EXAKT_CHECK_BITS(X(n - 1, k).real(), Expected<double>{0.0});
  }
}
