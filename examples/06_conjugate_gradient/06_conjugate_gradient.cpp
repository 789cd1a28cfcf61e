// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients whose iterates are the same bits at any number of threads: every operation between two vectors,
// and with the matrix, is rounded once, whatever the order in which threads add.
#include <ExaktBlas.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>

using Matrix = Kokkos::View<double**, Kokkos::HostSpace>;
using Vector = Kokkos::View<double*, Kokkos::HostSpace>;

// A fingerprint of all bits of a vector (FNV-1a).
std::uint64_t fingerprint(Vector const& x) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < x.extent(0); ++i) {
    std::uint64_t bits;
    double const entry = x(i);
    std::memcpy(&bits, &entry, sizeof(bits));
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (bits >> (8 * byte) & 0xff)) * 0x100000001b3;
  }
  return hash;
}

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);

  // Symmetric and positive definite: 1 / (1 + |i - j|^2), and something on the diagonal.
  int const n = 600;
  Matrix A("A", n, n);
  Vector x("x", n), r("r", n), p("p", n), Ap("Ap", n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) A(i, j) = 1.0 / (1 + (i - j) * (i - j)) + (i == j ? 0.01 : 0);
    r(i) = 1.0 / (i + 1);
  }
  Kokkos::deep_copy(p, r);

  double rr = Exakt::dot(r, r);
  for (int step = 1; step <= 60; ++step) {
    Exakt::gemv("N", 1.0, A, p, 0.0, Ap);
    double const alpha = rr / Exakt::dot(p, Ap);
    Exakt::axpby(alpha, p, 1.0, x);
    Exakt::axpby(-alpha, Ap, 1.0, r);
    double const previous = rr;
    rr = Exakt::dot(r, r);
    Exakt::axpby(1.0, r, rr / previous, p);
    if (step % 20 == 0)
      std::printf("step %d: |r| = %.17g, bits of x %016llx\n", step, Exakt::nrm2(r),
                  static_cast<unsigned long long>(fingerprint(x)));
  }
}
