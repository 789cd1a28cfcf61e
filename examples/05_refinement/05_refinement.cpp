// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hilbert-like systems, which plain double arithmetic solves to few digits: full ones by an LU factorization,
// triangular ones by substitution, both with iterative refinement. The residual b - A x is rounded once, so refinement
// gains digits down to the last one.
#include <ExaktBlas.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

using Matrix = Kokkos::View<double**, Kokkos::HostSpace>;
using Vector = Kokkos::View<double*, Kokkos::HostSpace>;

// Entries 1 / (i + j + 1), multiplied by a number that makes all of them integers: nothing is rounded.
Matrix hilbert(int n) {
  double common = 1;
  for (int d = 2; d < 2 * n; ++d) {
    double multiple = common;
    while (std::fmod(multiple, d) != 0) multiple += common;
    common = multiple;
  }
  Matrix A("A", n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A(i, j) = common / (i + j + 1);
  return A;
}

// A = L U in place, L with ones on its diagonal; in plain arithmetic, without pivots, which Hilbert matrices do not
// need.
Matrix factorize(Matrix const& A) {
  int const n = static_cast<int>(A.extent(0));
  Matrix LU("LU", n, n);
  Kokkos::deep_copy(LU, A);
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      LU(i, k) /= LU(k, k);
      for (int j = k + 1; j < n; ++j) LU(i, j) -= LU(i, k) * LU(k, j);
    }
  return LU;
}

// x := (L U)^-1 x.
void solve(Matrix const& LU, Vector const& x) {
  Exakt::trsv("L", "N", "U", LU, x);
  Exakt::trsv("U", "N", "N", LU, x);
}

// r := b - A x, either way.
void plain_residual(Matrix const& A, Vector const& x, Vector const& b, Vector const& r) {
  for (std::size_t i = 0; i < r.extent(0); ++i) {
    double sum = b(i);
    for (std::size_t j = 0; j < x.extent(0); ++j) sum -= A(i, j) * x(j);
    r(i) = sum;
  }
}
void exact_residual(Matrix const& A, Vector const& x, Vector const& b, Vector const& r) {
  Kokkos::deep_copy(r, b);
  Exakt::gemv("N", -1.0, A, x, 1.0, r);
}

// Correct decimal digits of the worst unknown.
int digits(Vector const& x, Vector const& solution) {
  double error = 0;
  for (std::size_t i = 0; i < x.extent(0); ++i)
    error = std::max(error, std::abs(x(i) - solution(i)) / std::abs(solution(i)));
  return error == 0 ? 16 : std::max(0, static_cast<int>(-std::log10(error)));
}

// x + the solution for what x leaves of b, 40 times. With a residual that is rounded once this comes to rest at the
// exact solution, rounded.
template <class Residual, class Solve>
Vector refined(Matrix const& A, Vector const& b, Residual const& residual, Solve const& solve_with) {
  Vector x("x", b.extent(0)), r("r", b.extent(0));
  for (int step = 0; step < 40; ++step) {
    residual(A, x, b, r);
    solve_with(r);
    Exakt::axpby(1.0, r, 1.0, x);
  }
  return x;
}

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);

  int const sizes[] = {6, 8, 10};
  int full_digits[3];
  for (int k = 0; k < 3; ++k) {
    int const n = sizes[k];
    Matrix const A = hilbert(n), LU = factorize(A);
    Vector b("b", n), ones("ones", n), x("x", n);
    Kokkos::deep_copy(ones, 1.0);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) b(i) += A(i, j);  // the solution is all ones
    Kokkos::deep_copy(x, b);
    auto const solve_both = [&](Vector const& y) { solve(LU, y); };
    solve_both(x);
    std::printf("LU, n = %2d, plain residuals: %d digits, refined %d\n", n, digits(x, ones),
                digits(refined(A, b, plain_residual, solve_both), ones));
    full_digits[k] = digits(refined(A, b, exact_residual, solve_both), ones);

    // The upper triangle of the factors, scaled so that its solution for b = 1 1 ... has all kinds of digits, with the
    // plain solution of a perturbed triangle as its approximate inverse.
    Matrix U("U", n, n), nearly("nearly", n, n);
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j) {
        U(i, j) = LU(i, j) / LU(0, 0);
        nearly(i, j) = U(i, j) * (1 + 1e-4 * ((i * 7 + j * 3) % 5));
      }
    auto const solve_nearly = [&](Vector const& y) { Exakt::trsv("U", "N", "N", nearly, y); };
    Vector const triangular = refined(U, ones, exact_residual, solve_nearly);
    Vector again("again", n);
    Kokkos::deep_copy(again, ones);
    Exakt::trsv("U", "N", "N", U, again);
    std::printf("triangular, n = %2d, plain residuals: refined %d digits; by trsv alone %d\n", n,
                digits(refined(U, ones, plain_residual, solve_nearly), triangular), digits(again, triangular));
  }
  for (int k = 0; k < 3; ++k) std::printf("n = %d, exact residuals: refined %d digits\n", sizes[k], full_digits[k]);
}
