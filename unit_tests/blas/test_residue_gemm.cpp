// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief The modular engine that a library multiplies for, also on bytes as on a GPU: here a plain loop does.

#include <ExaktBlas3_gemm.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Matrices.hpp"

#include <atomic>
#include <string_view>

namespace {

using namespace ExaktTest;
using namespace Exakt::Impl;

/// In the place of a library, with few products to a sum, so that small matrices need several.
template <class Of, class LeftType, class RightType, class SumType, class ClassType, std::size_t depth_of_sums,
          bool tile_by_tile>
struct PlainProducts {
  using Kind = Of;
  using Left = LeftType;
  using Right = RightType;
  using Sum = SumType;
  using Class = ClassType;
  static constexpr std::size_t depth = depth_of_sums, lines_multiple = tile_by_tile ? 1 : 8,
                               depth_multiple = tile_by_tile ? bytes_at_once : 16;
  static constexpr bool by_tiles = tile_by_tile;
  static constexpr double entry_cost = 1;
  static double product_cost() { return 1; }
  std::atomic<int>* calls = nullptr;
  int fail_at = -1;

  template <class Space>
  bool operator()(Space const& space, std::size_t m, std::size_t n, std::size_t k, Left const* a, Right const* b,
                  std::size_t stride, Sum* c, std::size_t c_stride) const {
    if (!by_tiles) space.fence();
    if (calls != nullptr && (*calls)++ == fail_at) return false;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        Sum sum = 0;
        for (std::size_t l = 0; l < k; ++l)
          sum += static_cast<Sum>(a[i * stride + l]) * static_cast<Sum>(b[j * stride + l]);
        c[i * c_stride + j] = sum;
      }
    return true;
  }

  /// For several moduli.
  template <class Space>
  bool operator()(Space const& space, int count, std::size_t m, std::size_t n, std::size_t k, Left const* a,
                  std::size_t a_step, Right const* b, std::size_t b_step, std::size_t stride, Sum* c,
                  std::size_t c_step, std::size_t c_stride) const {
    for (int t = 0; t < count; ++t, a += a_step, b += b_step, c += c_step)
      if (!(*this)(space, m, n, k, a, b, stride, c, c_stride)) return false;
    return true;
  }
};
using Bytes = PlainProducts<ByteResidues, std::int8_t, std::int8_t, std::int32_t, std::int8_t, 32, false>;
using Doubles = PlainProducts<DoubleResidues, double, double, double, std::int32_t, 48, false>;
using ByteTiles = PlainProducts<ByteResidues, std::uint8_t, std::int8_t, std::int32_t, std::int8_t, 32, true>;
using Words = PlainProducts<WordResidues, std::int16_t, std::int16_t, std::int32_t, std::int32_t, 32, false>;
using WordTiles = PlainProducts<WordResidues, std::int16_t, std::int16_t, std::int32_t, std::int16_t, 32, true>;

/// Kernels for words are there for some instruction sets only.
template <class Library>
bool has_kernels_for() {
  return !Library::by_tiles ||
         static_cast<ResidueKernelsOf<typename Library::Kind> const&>(matrix_kernels()).reduce != nullptr;
}

/// Does parts of a product; of a whole one, it says that it should.
struct OtherEngine {
  std::size_t entries;
  bool* is_asked;

  template <class Space, class T>
  void run(Space const& space, GemmProblem<T, T, T> const& problem, GemmEpilogue const& epilogue) const {
    if (problem.m * problem.n == entries) {
      *is_asked = true;
    } else {
      DirectGemm::run(space, problem, epilogue);
    }
  }
};

template <class T>
GemmProblem<T, T, T> problem_of(Table<T> const& a, Table<T> const& b, Table<T>& c) {
  auto const strided_of = [](auto* entries, std::size_t columns) {
    return Strided<std::remove_pointer_t<decltype(entries)>>{entries, static_cast<std::ptrdiff_t>(columns), 1};
  };
  return {strided_of(a.entries.data(), a.columns),
          strided_of(b.entries.data(), b.columns),
          strided_of(c.entries.data(), c.columns),
          a.rows,
          b.columns,
          a.columns};
}

/// Whether it is done by residues.
template <class Library, class T, class Space = Kokkos::DefaultHostExecutionSpace>
bool run(Table<T> const& a, Table<T> const& b, Table<T>& c, Epilogue const& epilogue = {{1, 0, false, false}},
         std::size_t workspace = 0, Library const& library = {}, Space const& space = {}) {
  bool is_declined = false;
  OzakiGemm<Library, OtherEngine>{library, {c.entries.size(), &is_declined}, workspace}.run(space, problem_of(a, b, c),
                                                                                            GemmEpilogue{epilogue});
  return !is_declined;
}

template <class Library, class T>
void check(Table<T> const& a, Table<T> const& b, Epilogue const& epilogue = {{1, 0, false, false}},
           std::size_t workspace = 0) {
  INFO(a.rows << " x " << b.columns << " x " << a.columns);
  Table<T> c(a.rows, b.columns);
  for (std::size_t e = 0; e < c.entries.size(); ++e) c.entries[e] = static_cast<T>(e) / 7;
  auto const old = c;
  REQUIRE(run<Library>(a, b, c, epilogue, workspace));
  for (std::size_t i = 0; i < c.rows; ++i)
    for (std::size_t j = 0; j < c.columns; ++j) {
      Exact sum;
      for (std::size_t l = 0; l < a.columns; ++l) sum.add_product(a(i, l), b(l, j));
      ScaledExact total(epilogue.alpha, sum);
      if (epilogue.reads_y) total.add_product(epilogue.beta, old(i, j));
      EXAKT_CHECK_BITS(c(i, j), total.template round<T>());
    }
}

/// Integers just below 2^bits; one of them is 1, so that none of the bits is spared.
Table<double> full(std::size_t m, std::size_t n, int bits) {
  Table<double> result(m, n);
  for (double& entry : result.entries) entry = std::ldexp(1 - 0x1p-53, bits);
  for (std::size_t i = 0; i < m; ++i) result(i, i % n) = i % 2 == 0 ? 1 : -1;
  return result;
}

/// What gemm has allocated, now and at most.
std::atomic<std::int64_t> allocated{0}, most_allocated{0};

void count_bytes(char const* label, std::int64_t bytes) {
  std::string_view const text(label);
  if (text.find("Exakt::gemm") == text.npos && text.find("Exakt::scratch") == text.npos) return;
  most_allocated = std::max<std::int64_t>(most_allocated, allocated += bytes);
}

}  // namespace

TEMPLATE_TEST_CASE("products by residues are the exact ones, rounded once", "", Bytes, Doubles, ByteTiles, Words,
                   WordTiles) {
  if (!has_kernels_for<TestType>()) return;
  Random random(860);
  for (int const range : {0, 20, 60}) {
    auto const number = [&] { return std::ldexp(random.value<double>(0), -random.between(0, range)); };
    for (std::size_t const k : {1, 31, 32, 33, 100}) {
      std::size_t const m = random.between<std::size_t>(1, 40), n = random.between<std::size_t>(1, 20);
      auto const a = table_of<double>(m, k, number), b = table_of<double>(k, n, number);
      check<TestType>(a, b);
      check<TestType>(a, b, {{0.1, -3, true, false}}, 1);
      check<TestType>(a, b, {{-1, 1, true, false}}, 5000);
    }
  }
  auto const number = [&] { return random.value<float>(0); };
  check<TestType>(table_of<float>(70, 65, number), table_of<float>(65, 40, number), {{0.1, 1, true, false}});
}

TEMPLATE_TEST_CASE("products by residues: zeros, ties, cancellation, both ends of the range", "", Bytes, Doubles,
                   ByteTiles, Words, WordTiles) {
  if (!has_kernels_for<TestType>()) return;
  Random random(861);
  auto a = table_of<double>(30, 40, [&] { return random.value<double>(20); }),
       b = table_of<double>(40, 20, [&] { return random.value<double>(20); });
  for (std::size_t l = 0; l < 20; ++l) {
    for (std::size_t i = 0; i < 30; ++i) a(i, l + 20) = i == 7 ? 0 : a(i, l);
    for (std::size_t j = 0; j < 20; ++j) b(l + 20, j) = -b(l, j) * (j % 3 == 0 ? 1 : 1 + 0x1p-52);
  }
  for (std::size_t l = 0; l < 40; ++l) a(9, l) = b(l, 3) = 0;
  check<TestType>(a, b);
  check<TestType>(a, b, {{-0.1, 0.5, true, false}});
  for (double const tail : {0.0, 0x1p-60, -0x1p-60}) {
    Table<double> one(9, 2), other(2, 5);
    for (std::size_t i = 0; i < 9; ++i) one(i, 0) = 0x1p53 + 2.0 * static_cast<double>(i), one(i, 1) = 1;
    for (std::size_t j = 0; j < 5; ++j) other(0, j) = 1, other(1, j) = 1 + (j % 2 == 0 ? tail : 0);
    check<TestType>(one, other);
  }
  auto const in = [&](int exponent) {
    return table_of<double>(17, 17, [&] { return std::ldexp(random.value<double>(3), exponent); });
  };
  check<TestType>(in(-1070), in(-3));
  check<TestType>(in(-600), in(-470));
  check<TestType>(in(1000), in(20));
  check<TestType>(in(1000), in(-1000), {{0x1p-900, 1, true, false}});
}

TEMPLATE_TEST_CASE("products that fill the moduli of a library to the last bit", "", Bytes, Doubles, ByteTiles, Words,
                   WordTiles) {
  if (!has_kernels_for<TestType>()) return;
  using Kind = typename TestType::Kind;
  constexpr std::size_t k = 64;
  for (int s = 3; s <= Kind::moduli_at_most; ++s) {
    for (int const excess : {0, 1}) {
      int const all = capacities<Kind>.bits[s] + excess - 6, rows = all / 2, columns = all - rows;
      if (columns > Kind::limbs_at_most * Kind::chunk_bits) continue;
      CHECK(moduli_for<Kind>(all + 6) == s + excess);
      auto const a = full(3, k, rows);
      auto const turned = full(2, k, columns);
      auto const b = turned.transposed();
      if (s + excess <= Kind::moduli_at_most || TestType::by_tiles) {  // or cut
        check<TestType>(a, b);
      } else {
        Table<double> c(3, 2);
        CHECK_FALSE(run<TestType>(a, b, c));
      }
    }
  }
}

TEMPLATE_TEST_CASE("what has no place in residues is declined, and nothing written", "", Bytes, Doubles, Words) {
  auto const a = full(5, 20, 30), b = full(20, 4, 30);
  int const most = TestType::Kind::limbs_at_most * TestType::Kind::chunk_bits;
  for (double const odd : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(),
                           std::ldexp(1.0, most), 0x1p-1074}) {
    auto x = a, y = b;
    x(3, 7) = odd;
    y(7, 3) = odd;
    Table<double> c(5, 4);
    for (double& entry : c.entries) entry = 5;
    CHECK_FALSE(run<TestType>(x, b, c));
    CHECK_FALSE(run<TestType>(a, y, c));
    for (double const entry : c.entries) EXAKT_CHECK(entry == 5);
  }
}

TEMPLATE_TEST_CASE("a library that fails on the way costs time, not bits", "", Bytes, Doubles, ByteTiles, Words,
                   WordTiles) {
  if (!has_kernels_for<TestType>()) return;
  Random random(862);
  auto const number = [&] { return random.value<double>(0); };
  auto const a = table_of<double>(90, 30, number), b = table_of<double>(30, 80, number);
  Table<double> expected(90, 80);
  REQUIRE(run<TestType>(a, b, expected));
  std::atomic<int> all = 0;
  Table<double> counted(90, 80);
  REQUIRE(run(a, b, counted, {{1, 0, false, false}}, 1, TestType{&all}));
  for (int const fail_at : {0, all.load() / 2, all.load() - 1}) {
    Table<double> c(90, 80);
    std::atomic<int> calls = 0;
    REQUIRE(run(a, b, c, {{1, 0, false, false}}, 1, TestType{&calls, fail_at}));
    for (std::size_t e = 0; e < c.entries.size(); ++e) EXAKT_CHECK_BITS(c.entries[e], expected.entries[e]);
  }
}

TEST_CASE("products by residues are right in every floating-point environment, on every host space") {
  Random random(863);
  auto const number = [&] { return random.value<double>(5); };
  auto a = table_of<double>(90, 40, number);
  auto const b = table_of<double>(40, 80, number);
  for (std::size_t l = 0; l < 40; ++l) a(3, l) = random.value<double>(-1060);
  Table<double> expected(90, 80);
  REQUIRE(run<Doubles>(a, b, expected));
  auto const compare = [&](Table<double> const& c) {
    for (std::size_t e = 0; e < c.entries.size(); ++e) EXAKT_CHECK_BITS(c.entries[e], expected.entries[e]);
  };
  for (auto const& environment : every_fp_environment()) {
    for (auto const threads : {ScopedFpEnvironment::Threads::all, ScopedFpEnvironment::Threads::this_one}) {
      INFO(environment.name);
      Table<double> c(90, 80);
      bool done = false;
      {
        ScopedFpEnvironment const scope(environment, threads);
        done = run<Doubles>(a, b, c);
      }
      REQUIRE(done);
      compare(c);
    }
  }
  for_each_host_space([&](auto space) {
    Table<double> c(90, 80);
    REQUIRE(run(a, b, c, {{1, 0, false, false}}, 0, Bytes{}, space));
    compare(c);
  });
}

TEST_CASE("residues take no more memory than they may: three times that of the matrices, or what the caller says") {
  namespace Tools = Kokkos::Tools::Experimental;
  Tools::set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle, char const* label, void const*,
                                       std::uint64_t bytes) { count_bytes(label, bytes); });
  Tools::set_deallocate_data_callback([](Kokkos_Profiling_SpaceHandle, char const* label, void const*,
                                         std::uint64_t bytes) { count_bytes(label, -bytes); });
  Random random(865);
  constexpr std::size_t n = 600, matrices = 3 * n * n * sizeof(double);
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  Matrix const a("A", n, n), b("B", n, n), c("C", n, n);
  for (std::size_t e = 0; e < n * n; ++e) a.data()[e] = b.data()[e] = random.value<double>(0);
  auto const most_with = [&](Exakt::GemmEngine engine, std::size_t workspace) {
    using Scratch = ScratchMemory<Kokkos::DefaultHostExecutionSpace>;
    Scratch::let_go();
    allocated = most_allocated = 0;
    Exakt::gemm("N", "N", 1, a, b, 0, c, {engine, workspace});
    CHECK(allocated <= static_cast<std::int64_t>(Scratch::kept_at_most));
    Scratch::let_go();
    CHECK(allocated == 0);
    return static_cast<std::size_t>(most_allocated);
  };
  // Lists of what lines and tiles have, and where a tile is put together, one for each thread.
  std::size_t const lists = 100'000, tile = 512 * 512 * (4 + ByteResidues::moduli_at_most) + 100'000,
                    threads = static_cast<std::size_t>(Kokkos::DefaultHostExecutionSpace().concurrency());
  for (std::size_t const workspace : {std::size_t{0}, matrices / 2}) {
    std::size_t const limit = workspace == 0 ? 3 * matrices : workspace;
    if (has_integer_gemm()) {
      auto const most = most_with(Exakt::GemmEngine::modular, workspace);
      CHECK(most > limit / 4);
      CHECK(most <= limit + threads * tile + lists);
    }
    if (has_double_gemm()) {
      auto const most = most_with(Exakt::GemmEngine::modular_doubles, workspace);
      CHECK(most > limit / 4);
      CHECK(most <= limit + lists);
    }
  }
  Tools::set_allocate_data_callback(nullptr);
  Tools::set_deallocate_data_callback(nullptr);
}

TEST_CASE("products by residues and a BLAS: sums of more products than one call has") {
  if (!has_double_gemm()) return;
  Random random(864);
  std::size_t const k = 2 * BlasProducts::depth + 33;
  // Nearly all residues as large as they can be: every sum of products next to 2^53.
  for (double const x : {0.0, static_cast<double>(moduli<DoubleResidues>.value[0] / 2)}) {
    Table<double> a(3, k), b(k, 2);
    for (double& entry : a.entries) entry = x == 0 ? random.value<double>(0) : x;
    for (double& entry : b.entries) entry = x == 0 ? random.value<double>(0) : -x;
    a(0, 0) = b(0, 0) = 1;
    check<BlasProducts>(a, b);
  }
}
