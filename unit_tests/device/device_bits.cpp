// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief Writes the bits of a fixed set of results: `device_bits FILE`. Compiled for the default execution space and,
/// with EXAKT_BITS_OF_HOST, for the host's; the files have to be the same. Where the default is the host, the first one
/// emulates the code of devices.

#include <Kokkos_Macros.hpp>
#if !defined(EXAKT_BITS_OF_HOST) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && \
    !defined(KOKKOS_ENABLE_SYCL)
#define EXAKT_EMULATE_DEVICE
#endif

#include <Exakt.hpp>
#include <ExaktBlas.hpp>
#include <ExaktScatter.hpp>

#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <string>

namespace {

#ifdef EXAKT_BITS_OF_HOST
using Space = Kokkos::DefaultHostExecutionSpace;
#else
using Space = Kokkos::DefaultExecutionSpace;
#endif
using Memory = Space::memory_space;
using Vector = Kokkos::View<double*, Space>;
template <class Layout>
using Matrix = Kokkos::View<double**, Layout, Space>;
using Complex = Kokkos::complex<double>;

/// Numbers of both signs with exponents from -binades to binades, the same everywhere (splitmix64).
class Numbers {
 public:
  explicit Numbers(int binades) : m_binades(binades) {}
  double next() {
    double const significand = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
    auto const range = 2 * static_cast<std::uint64_t>(m_binades) + 1;
    return std::ldexp(random() % 2 == 0 ? significand : -significand, static_cast<int>(random() % range) - m_binades);
  }
  int index(int below) { return static_cast<int>(random() % static_cast<std::uint64_t>(below)); }

 private:
  std::uint64_t random() {
    std::uint64_t bits = m_state += 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
  }

  std::uint64_t m_state = 1;
  int m_binades;
};

/// A view in the memory of the space, its entries made by f() in the order of rows.
template <class View, class F, class... Extents>
View made(F const& f, Extents... extents) {
  View const there("entries", extents...);
  auto const here = Kokkos::create_mirror_view(there);
  for (std::size_t i = 0; i < here.extent(0); ++i) {
    if constexpr (View::rank == 1) {
      here(i) = f();
    } else {
      for (std::size_t j = 0; j < here.extent(1); ++j) here(i, j) = f();
    }
  }
  Kokkos::deep_copy(there, here);
  return there;
}

class Results {
 public:
  explicit Results(std::FILE* file) : m_file(file) {}

  void add(std::string const& name, double x) {
    std::fprintf(m_file, "%s %016" PRIx64 "\n", name.c_str(), std::bit_cast<std::uint64_t>(x));
  }
  void add(std::string const& name, Complex const& x) {
    add(name + " real", x.real());
    add(name + " imaginary", x.imag());
  }
  template <class View>
  requires Kokkos::is_view<View>::value void add(std::string const& name, View const& there) {
    Space().fence();
    auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), there);
    for (std::size_t i = 0; i < here.extent(0); ++i) {
      std::string const entry = name + ' ' + std::to_string(i);
      if constexpr (View::rank == 1) {
        add(entry, here(i));
      } else {
        for (std::size_t j = 0; j < here.extent(1); ++j) add(entry + ' ' + std::to_string(j), here(i, j));
      }
    }
  }

 private:
  std::FILE* m_file;
};

template <class Accumulator, class X>
struct AddNumber {
  X x;
  KOKKOS_FUNCTION void operator()(int i, Accumulator& sum) const { sum += x(i); }
};
template <class Accumulator>
struct AddProduct {
  Vector x, y;
  KOKKOS_FUNCTION void operator()(int i, Accumulator& sum) const { sum.add_product(x(i), y(i)); }
};
struct Product {
  Vector x, y;
  KOKKOS_FUNCTION double operator()(int i) const { return x(i) * y(i); }
};
struct Pair {
  Vector x, y;
  KOKKOS_FUNCTION Kokkos::pair<double, double> operator()(int i) const { return {x(i), y(i)}; }
};
struct ByTeam {
  Vector x, y, results;
  KOKKOS_FUNCTION void operator()(Kokkos::TeamPolicy<Space>::member_type const& member) const {
    double const sum = Exakt::team_sum(member, x), dot = Exakt::team_dot(member, x, y),
                 nrm2 = Exakt::team_nrm2(member, x);
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      results(0) = sum;
      results(1) = dot;
      results(2) = nrm2;
    });
  }
};
struct AddToBins {
  Exakt::ScatterSum<double, Space> bins;
  Kokkos::View<int*, Space> to;
  Vector x;
  KOKKOS_FUNCTION void operator()(int i) const {
    bins.add(to(i), x(i));
    bins.add_product(to(i), x(i), x(i));
  }
};

template <class Accumulator, class X>
auto reduced(X const& x) {
  Accumulator sum;
  Kokkos::parallel_reduce("bits", Kokkos::RangePolicy<Space>(0, static_cast<int>(x.extent(0))),
                          AddNumber<Accumulator, X>{x}, Exakt::Reducer<Accumulator>(sum));
  return sum.round();
}

void vectors(Results& results) {
  Space const space;
  for (int const binades : {0, 20, 80, 480}) {
    for (int const n : {1, 100, 10'000, 100'000}) {
      Numbers numbers(binades);
      auto const next = [&] { return numbers.next(); };
      auto const x = made<Vector>(next, n), y = made<Vector>(next, n);
      std::string const what = " of " + std::to_string(n) + " over " + std::to_string(binades);
      results.add("sum" + what, Exakt::sum(space, x));
      results.add("nrm1" + what, Exakt::nrm1(space, x));
      results.add("nrm2" + what, Exakt::nrm2(space, x));
      results.add("nrm2_squared" + what, Exakt::nrm2_squared(space, x));
      results.add("mean" + what, Exakt::mean(space, x));
      results.add("dot" + what, Exakt::dot(space, x, y));
      Exakt::DotAccumulator<double> dot;
      Kokkos::parallel_reduce("bits", Kokkos::RangePolicy<Space>(0, n), AddProduct<Exakt::DotAccumulator<double>>{x, y},
                              Exakt::ExactDot<double>(dot));
      results.add("ExactDot" + what, dot.round());
      results.add("ExactSum" + what, reduced<Exakt::SumAccumulator<double>>(x));
      results.add("transform_sum" + what, Exakt::transform_sum(space, n, Product{x, y}));
      results.add("transform_dot" + what, Exakt::transform_dot(space, n, Pair{x, y}));
      Vector const team("team", 3);
      Kokkos::parallel_for("bits", Kokkos::TeamPolicy<Space>(space, 1, Kokkos::AUTO), ByTeam{x, y, team});
      results.add("team" + what, team);
      Exakt::axpby(space, 0.1, x, -3.0, y);
      results.add("axpby" + what, Kokkos::subview(y, std::pair(0, n < 50 ? n : 50)));
    }
  }
  Numbers numbers(40);
  auto const x = made<Vector>([&] { return numbers.next(); }, 10'000);
  results.add("LongAccumulator<32>", reduced<Exakt::LongAccumulator<double, 32>>(x));
  results.add("Expansion<4>", reduced<Exakt::Expansion<double, 4, true>>(x));
  results.add("HighPrecision<8, 4>", reduced<Exakt::HighPrecision<8, 4>>(x));
  results.add("Hallberg<10, 38>", reduced<Exakt::Hallberg<10, 38>>(x));
}

/// Subnormal floats among them: compilers of devices may be told to take these for zeros.
void floats(Results& results) {
  Space const space;
  using Floats = Kokkos::View<float*, Space>;
  for (int const lowest : {0, -130}) {
    for (int const n : {1, 100, 30'000}) {
      Numbers numbers(10);
      auto const next = [&] { return static_cast<float>(std::ldexp(numbers.next(), lowest)); };
      auto const x = made<Floats>(next, n), y = made<Floats>(next, n);
      std::string const what = " of " + std::to_string(n) + " floats at 2^" + std::to_string(lowest);
      results.add("sum" + what, Exakt::sum(space, x));
      results.add("nrm2" + what, Exakt::nrm2(space, x));
      results.add("dot" + what, Exakt::dot(space, x, y));
      Floats const prefixes("prefixes", n), few("few", n < 50 ? n : 50);
      Exakt::inclusive_scan(space, x, prefixes);
      results.add("inclusive_scan" + what, prefixes);
      Kokkos::parallel_for(
          Kokkos::RangePolicy<Space>(space, 0, few.extent(0)),
          KOKKOS_LAMBDA(int i) { few(i) = Exakt::sum_of(i + 1, [&](int k) { return x(k); }); });
      results.add("sum_of" + what, few);
      results.add("Expansion" + what, reduced<Exakt::Expansion<float, 4, true>>(x));
      Exakt::axpby(space, 0.1F, x, -3.0F, y);
      results.add("axpby" + what, Kokkos::subview(y, std::pair(0, n < 50 ? n : 50)));
    }
    Numbers numbers(10);
    auto const next = [&] { return static_cast<float>(std::ldexp(numbers.next(), lowest)); };
    using FloatMatrix = Kokkos::View<float**, Kokkos::LayoutLeft, Space>;
    auto const A = made<FloatMatrix>(next, 40, 30), B = made<FloatMatrix>(next, 30, 20),
               C = made<FloatMatrix>(next, 40, 20);
    auto const x = made<Floats>(next, 30), y = made<Floats>(next, 40);
    std::string const what = " of floats at 2^" + std::to_string(lowest);
    Exakt::gemv(space, "N", 1.0F, A, x, 3.0F, y);
    results.add("gemv" + what, y);
    Exakt::gemm(space, "N", "N", std::ldexp(1.0F, -lowest), A, B, 3.0F, C);
    results.add("gemm" + what, C);
  }
}

template <class Layout>
void matrices(Results& results, std::string const& layout) {
  Space const space;
  Numbers numbers(30);
  auto const next = [&] { return numbers.next(); };
  auto const A = made<Matrix<Layout>>(next, 150, 90), B = made<Matrix<Layout>>(next, 90, 40),
             C = made<Matrix<Layout>>(next, 150, 40);
  auto const x = made<Vector>(next, 90), y = made<Vector>(next, 150);
  Vector const r("r", 90);
  Exakt::sum(space, r, A);
  results.add("sums of columns" + layout, r);
  Exakt::gemv(space, "N", 0.1, A, x, 3.0, y);
  results.add("gemv N" + layout, y);
  Exakt::gemv(space, "T", -0.7, A, y, 0.0, x);
  results.add("gemv T" + layout, x);
  Exakt::gemm(space, "N", "N", 0.1, A, B, 3.0, C);
  results.add("gemm" + layout, C);
  Exakt::gemm(space, "T", "N", 1.0, A, C, 0.0, B);
  results.add("gemm T" + layout, B);
  Numbers small(2);
  auto const T = made<Matrix<Layout>>([&] { return small.next(); }, 100, 100);
  auto const b = made<Vector>(next, 100);
  auto const R = made<Matrix<Layout>>(next, 100, 5);
  Exakt::trsv(space, "L", "N", "N", T, b);
  results.add("trsv L" + layout, b);
  Exakt::trsv(space, "U", "T", "U", T, b);
  results.add("trsv U" + layout, b);
  Exakt::trsm(space, "L", "U", "N", "N", 0.1, T, R);
  results.add("trsm" + layout, R);
}

void complex_numbers(Results& results) {
  Space const space;
  Numbers numbers(30);
  auto const next = [&] { return Complex(numbers.next(), numbers.next()); };
  using V = Kokkos::View<Complex*, Space>;
  using M = Kokkos::View<Complex**, Kokkos::LayoutLeft, Space>;
  auto const A = made<M>(next, 30, 30), C = made<M>(next, 30, 30);
  auto const x = made<V>(next, 30), y = made<V>(next, 30);
  results.add("complex dot", Exakt::dot(space, x, y));
  results.add("complex sum", Exakt::sum(space, x));
  results.add("complex norms", Complex(Exakt::nrm1(space, x), Exakt::nrm2(space, x)));
  auto const row = Kokkos::subview(A, 3, Kokkos::ALL);
  results.add("complex norms of a row", Complex(Exakt::nrm1(space, row), Exakt::nrm2_squared(space, row)));
  Exakt::gemv(space, "C", Complex(0.1, -0.3), A, x, 2.0, y);
  results.add("complex gemv", y);
  Exakt::gemm(space, "N", "T", Complex(0.1, -0.3), A, A, 2.0, C);
  results.add("complex gemm", C);
}

void scattered(Results& results) {
  Space const space;
  Numbers numbers(60);
  int const n = 50'000;
  auto const x = made<Vector>([&] { return numbers.next(); }, n);
  auto const to = made<Kokkos::View<int*, Space>>([&] { return numbers.index(10); }, n);
  Exakt::ScatterSum<double, Space> const bins("bins", 10);
  Kokkos::parallel_for("bits", Kokkos::RangePolicy<Space>(space, 0, n), AddToBins{bins, to, x});
  Vector const sums("sums", 10), ordered("ordered", 10);
  bins.round_to(space, sums);
  results.add("ScatterSum", sums);
  Exakt::ordered_scatter_add(space, to, x, ordered, 256);
  results.add("ordered_scatter_add", ordered);
}

}  // namespace

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  std::FILE* const file = argc == 2 ? std::fopen(argv[1], "w") : nullptr;
  if (file == nullptr) {
    std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    return 2;
  }
  Results results(file);
  vectors(results);
  floats(results);
  matrices<Kokkos::LayoutLeft>(results, " LayoutLeft");
  matrices<Kokkos::LayoutRight>(results, " LayoutRight");
  complex_numbers(results);
  scattered(results);
  if (std::fclose(file) != 0) {
    std::perror(argv[1]);
    return 1;
  }
  std::printf("%s: results of %s\n", argv[1], Space::name());
  return 0;
}
