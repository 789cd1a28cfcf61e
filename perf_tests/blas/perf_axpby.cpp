// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Matrices.hpp"

#include <ExaktBlas1_axpby.hpp>
#include <ExaktBlas1_scal.hpp>

#include <algorithm>

namespace ExaktPerf {
namespace {

template <class T>
using Vector = Kokkos::View<T*, Kokkos::HostSpace>;

/// Neighbours in size: where a factor has few bits, many of their sums are ties.
template <class T>
Vector<T> numbers(std::int64_t n, std::uint64_t seed) {
  constexpr std::int64_t parts = sizeof(T) / sizeof(double);
  Vector<T> const x("x", static_cast<std::size_t>(n));
  Data const of_parts = log_uniform(parts * n, 1, seed);
  std::copy_n(of_parts.data(), of_parts.extent(0), reinterpret_cast<double*>(x.data()));
  return x;
}

double exact(double alpha, double x, double beta, double y) {
  Exakt::LongAccumulator<double, 56, Exakt::Terms::products> sum;
  sum.add_product(alpha, x);
  sum.add_product(beta, y);
  return sum.round<double>();
}
void require_entry(std::string const& way, double alpha, double x, double beta, double y, double result) {
  require_bits(way, result, exact(alpha, x, beta, y));
}
void require_entry(std::string const& way, double alpha, Complex x, double beta, Complex y, Complex result) {
  require_bits(way, result.real(), exact(alpha, x.real(), beta, y.real()));
  require_bits(way, result.imag(), exact(alpha, x.imag(), beta, y.imag()));
}

template <class T>
struct PlainUpdate {
  double alpha, beta;
  Vector<T> x, y;
  void operator()(std::int64_t i) const { y(i) = alpha * x(i) + beta * y(i); }
};

template <class T>
struct PlainMultiple {
  double alpha;
  Vector<T> x, y;
  void operator()(std::int64_t i) const { y(i) = alpha * x(i); }
};

/// y := alpha x + beta y, where each way has to copy the old y; or y := alpha x.
template <class T>
Comparison compare_updates(std::int64_t n, double alpha, double beta) {
  auto const x = numbers<T>(n, 1), old = numbers<T>(n, 2);
  Vector<T> const y("y", x.extent(0));
  Comparison ways(n, (beta == 0 ? 2 : 3) * sizeof(T), [=](std::string const& way) {
    for_samples(y.extent(0), 1000, [&](std::size_t i) { require_entry(way, alpha, x(i), beta, old(i), y(i)); });
  });
  ways.add_exact("Exakt::axpby", [=] {
    if (beta == 0) {
      Exakt::scal(y, alpha, x);
    } else {
      std::copy_n(old.data(), old.extent(0), y.data());
      Exakt::axpby(alpha, x, beta, y);
    }
    return 0.0;
  });
  ways.add_plain("plain", [=] {
    if (beta == 0) {
      Kokkos::parallel_for("plain", Range(0, n), PlainMultiple<T>{alpha, x, y});
    } else {
      std::copy_n(old.data(), old.extent(0), y.data());
      Kokkos::parallel_for("plain", Range(0, n), PlainUpdate<T>{alpha, beta, x, y});
    }
    Kokkos::fence();
    return 0.0;
  });
  return ways;
}

template <class T>
void add_case(std::string const& name, double alpha, double beta) {
  constexpr std::int64_t n = 200'000;
  cases().push_back({name, n, [=](std::int64_t entries) { return compare_updates<T>(entries, alpha, beta); }});
}

Registration const updates([] {
  add_case<double>("axpby by 0.1 and 0.3", 0.1, 0.3);
  add_case<double>("axpby by 1 and 1", 1, 1);
  add_case<double>("scal by 1.5", 1.5, 0);
  add_case<Complex>("complex axpby by 0.1 and 0.3", 0.1, 0.3);
  add_case<Complex>("complex axpby by 1 and 1", 1, 1);
  add_case<Complex>("complex scal by 1.5", 1.5, 0);
});

}  // namespace
}  // namespace ExaktPerf
