// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_gemv.hpp>
#include <ExaktBlas2_packed.hpp>
#include <ExaktSparse_spmv.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_NextToTies.hpp"
#include "ExaktTest_SparseMatrices.hpp"

namespace WithSpmv {

/// As KokkosSparse has them: a matrix, and a function that is found by it.
struct Matrix : Exakt::CrsViews<Kokkos::View<int*, Kokkos::HostSpace>, Kokkos::View<int*, Kokkos::HostSpace>,
                                Kokkos::View<double*, Kokkos::HostSpace>> {};
template <class F, class A, class X, class G, class Y>
bool spmv(char const[], F const&, A const&, X const&, G const&, Y const&) {
  return true;
}

}  // namespace WithSpmv

namespace {

using namespace ExaktTest;
using Exakt::spmv;

template <class A, class X, class Y>
concept FindsExakt = requires(A const& a, X const& x, Y const& y) {
  { spmv("N", 1.0, a, x, 0.0, y) } -> std::same_as<void>;
};
static_assert(FindsExakt<WithSpmv::Matrix, HostVector<double>, HostVector<double>>);

/// Like every vector here it can be compared as soon as spmv has returned.
template <class View, class R>
void check_entries(View const& y, std::vector<Expected<R>> const& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) EXAKT_CHECK_BITS(y(i), expected[i]);
}

template <class Index, class Offset, class T, class X, class R>
void check_modes(double alpha, Entries<T> const& a, std::vector<X> const& x, std::vector<X> const& of_rows, double beta,
                 std::vector<R> const& y, std::vector<R> const& of_columns) {
  INFO(a.rows << " x " << a.columns << ", " << a.list.size() << " entries, alpha " << describe_bits(alpha) << ", beta "
              << describe_bits(beta));
  auto const matrix = stored<Index, Offset>(a);
  auto const expected = expected_sparse_product(false, alpha, a, x, beta, y);
  for (char const* const mode : {"N", "c"}) {
    INFO("mode " << mode);
    auto const result = strided(y);
    spmv(Kokkos::DefaultHostExecutionSpace(), mode, alpha, matrix, strided(x), beta, result);
    check_entries(result, expected);
  }
  auto const expected_of_columns = expected_sparse_product(true, alpha, a, of_rows, beta, of_columns);
  for (char const* const mode : {"t", "H"}) {
    INFO("mode " << mode);
    auto const result = strided(of_columns);
    spmv(Kokkos::DefaultHostExecutionSpace(), mode, alpha, matrix, strided(of_rows), beta, result);
    check_entries(result, expected_of_columns);
  }
}

template <class T, class X, class R, class Index = int, class Offset = std::size_t>
void check_random_spmv(Random& random, std::uint64_t repetitions) {
  for (std::uint64_t i = 0; i < repetitions * case_factor(); ++i)
    for (Hardness const hardness : every_hardness) {
      INFO(name_of(hardness));
      auto const m = random.between<std::size_t>(1, 60), k = random.between<std::size_t>(1, 70);
      auto const [a, x] = hard_sparse_product<T, X>(random, hardness, m, k);
      auto const numbers = [&](auto type, std::size_t n) {
        std::vector<decltype(type)> result(n);
        for (auto& number : result) number = hard_number<decltype(type)>(random, hardness);
        return result;
      };
      HardFactors const factors(random);
      check_modes<Index, Offset>(factors.alpha, a, x, numbers(X{}, m), factors.beta, numbers(R{}, m), numbers(R{}, k));
    }
}

/// y := A x with every alpha and beta that has a path of its own, in the order given and in two others.
void check_orders(Entries<double> const& a, std::vector<double> const& x, std::vector<double> const& y,
                  Random& random) {
  for (auto const& [alpha, beta] : {std::pair{1.0, 0.0}, {-1.0, 1.0}, {0.5, 0.0}, {0.1, 0.7}}) {
    INFO("alpha " << alpha << ", beta " << beta);
    auto const expected = expected_sparse_product(false, alpha, a, x, beta, y);
    for (int order = 0; order < 3; ++order) {
      auto const result = contiguous(y);
      spmv("N", alpha, stored(order == 0 ? a : shuffled(a, random)), contiguous(x), beta, result);
      check_entries(result, expected);
      if (order > 0) continue;
      auto const result_of_transpose = contiguous(y);
      spmv("T", alpha, stored(transposed(a)), contiguous(x), beta, result_of_transpose);
      check_entries(result_of_transpose, expected);
    }
  }
}

}  // namespace

TEST_CASE("each entry of spmv is the exact alpha * op(A) x + beta * y, rounded once, in every mode") {
  Random random(2000);
  check_random_spmv<double, double, double>(random, 4);
}

TEST_CASE("spmv of floats, of float and double mixed, and of other integers") {
  Random random(2001);
  check_random_spmv<float, float, float, std::int64_t, int>(random, 2);
  check_random_spmv<float, double, double, unsigned, std::int64_t>(random, 1);
  check_random_spmv<double, float, float, std::int64_t, unsigned>(random, 1);
}

TEST_CASE("spmv of rows from every family of hard sums, in any order of columns") {
  Random random(2002);
  Entries<double> a;
  std::vector<double> x;
  for (auto const& family : short_product_families<double>()) {
    for (int i = 0; i < 20; ++i, ++a.rows) {
      auto const terms = family.make(random);
      for (std::size_t j = 0; j < terms.size(); ++j) {
        a.list.push_back({a.rows, x.size(), terms.x[j]});
        x.push_back(terms.y[j]);
      }
    }
  }
  a.columns = x.size();
  std::vector<double> y(a.rows);
  for (double& entry : y) entry = random.value<double>(random.between(-40, 40));
  check_orders(a, x, y, random);
}

TEST_CASE("exact ties of integer stencils, and rows that cancel") {
  Random random(2003);
  auto const hpcg = stencil(9, [](bool is_diagonal) { return is_diagonal ? 26.0 : -1.0; });
  std::vector<double> x(hpcg.columns), y(hpcg.rows);
  for (double& entry : x) entry = random.value<double>(random.between(-4, 0));
  for (double& entry : y) entry = random.value<double>(random.between(-4, 4));
  check_orders(hpcg, x, y, random);
  check_orders(hpcg, std::vector<double>(hpcg.columns, 0.1), y, random);

  auto cancelling = stencil(9, [&](bool) { return random.value<double>(random.between(-8, 0)); });
  for (std::size_t k = 1; k < cancelling.list.size(); k += 2) {
    if (cancelling.list[k].row != cancelling.list[k - 1].row) continue;
    cancelling.list[k] = cancelling.list[k - 1];
    cancelling.list[k].value = -cancelling.list[k].value;
  }
  check_orders(cancelling, x, y, random);
}

TEST_CASE("ties that a far smaller term decides") {
  Random random(2013);
  // 1 + 2^-53 is a tie; so is 1 + 2^-24 for floats.
  Entries<double> a{6, 3, {}};
  std::vector<double> x{1, 1, 1};
  double const small[] = {0x1p-120, -0x1p-120, 0};
  for (std::size_t i = 0; i < a.rows; ++i) {
    double const half_ulp = i < 3 ? 0x1p-53 : 0x1p-24, terms[] = {1, half_ulp, small[i % 3]};
    for (std::size_t j = 0; j < 3; ++j) a.list.push_back({i, j, terms[j]});
  }
  check_orders(a, x, std::vector<double>(a.rows, -0x1p-130), random);
  auto const result = contiguous(std::vector<float>(a.rows));
  spmv("N", 1, stored(a), contiguous(x), 0, result);
  check_entries(result, expected_sparse_product(false, 1, a, x, 0, std::vector<float>(a.rows)));
}

TEST_CASE("columns that cancel, all of one scale") {
  Random random(2014);
  constexpr std::size_t half = 200;
  Entries<double> a{2 * half + 1, 10, {}};
  std::vector<double> x(a.rows), y(a.columns, 0x1p-70);
  for (std::size_t i = 0; i < half; ++i) x[i] = x[i + half] = random.value<double>(0);
  x.back() = 0x1p-80;
  for (std::size_t i = 0; i < half; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      a.list.push_back({i, random.between<std::size_t>(0, 9), random.value<double>(random.between(-2, 0))});
  for (std::size_t k = 0; k < 3 * half; ++k) {
    auto const& entry = a.list[k];
    a.list.push_back({entry.row + half, entry.column, -entry.value});
  }
  for (std::size_t j = 0; j < 5; ++j) a.list.push_back({2 * half, j, random.value<double>(0)});
  for (auto const& [alpha, beta] : {std::pair{1.0, 0.0}, {-1.0, 1.0}, {0.1, 0.7}}) {
    auto const result = contiguous(y);
    spmv("T", alpha, stored(a), contiguous(x), beta, result);
    check_entries(result, expected_sparse_product(true, alpha, a, x, beta, y));
  }
}

namespace {

/// A matrix of 8 columns, with these entries in the first four and those of an integer stencil in the others.
Entries<double> with_integer_columns(std::size_t rows,
                                     std::vector<typename decltype(Entries<double>::list)::value_type> list) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 4; j < 8; ++j) list.push_back({i, j, (i + j) % 5 == 0 ? 26.0 : -1.0});
  std::stable_sort(list.begin(), list.end(), [](auto const& p, auto const& q) { return p.row < q.row; });
  return {rows, 8, list};
}

void check_columns(Entries<double> const& a, std::vector<double> const& x) {
  for (double const alpha : {1.0, -1.0}) {
    auto const result = contiguous(std::vector<double>(a.columns));
    spmv("T", alpha, stored(a), contiguous(x), 0, result);
    check_entries(result, expected_sparse_product(true, alpha, a, x, 0, std::vector<double>(a.columns)));
  }
}

/// Columns of 1 + 100 * rest + 2^-53, which is a tie, and +-2^-t, which decides it, in the rows told.
void check_columns_of_rests(std::size_t rows, std::size_t first_rest, double rest, std::size_t last, int t) {
  for (bool const in_x : {false, true}) {
    INFO(rows << " rows, rests of " << rest << ", 2^-" << t << (in_x ? " in x" : " in A"));
    std::vector<double> term(rows, 1), x(rows, 1);
    term[1] = 0x1p-53;
    std::fill(term.begin() + static_cast<long>(first_rest), term.begin() + static_cast<long>(first_rest) + 100, rest);
    term[last] = std::ldexp(1, -t);
    if (in_x) std::swap(term, x);
    decltype(Entries<double>::list) list;
    for (std::size_t j = 0; j < 4; ++j) {
      list.push_back({0, j, j % 2 == 0 ? 1.0 : 1 + (in_x ? 0 : 0x1p-52)});
      list.push_back({1, j, term[1]});
      for (std::size_t i = 0; i < 100; ++i) list.push_back({first_rest + i, j, term[first_rest + i]});
      list.push_back({last, j, (j < 2 ? 1 : -1) * term[last]});
    }
    check_columns(with_integer_columns(rows, list), x);
  }
}

/// Rows of the same; the rows before have integers only.
void check_rows_of_rests(double rest, int t) {
  for (bool const in_x : {false, true}) {
    INFO("rests of " << rest << ", 2^-" << t << (in_x ? " in x" : " in A"));
    std::vector<double> term(103, rest), x(104, 1);
    term[0] = 1;
    term[1] = 0x1p-53;
    term[102] = std::ldexp(1, -t);
    if (in_x) std::copy(term.begin(), term.end(), x.begin());
    Entries<double> a{32, x.size(), {}};
    for (std::size_t i = 0; i < a.rows; ++i) {
      if (i >= 16 && i % 8 < 4) {
        for (std::size_t j = 0; j < term.size(); ++j)
          a.list.push_back({i, j, (j == 102 && i % 2 == 0 ? -1 : 1) * (in_x ? 1 : term[j])});
        if (!in_x && i % 4 < 2) a.list.push_back({i, 103, 0x1p-52});
      } else {
        a.list.push_back({i, 0, -1});
        a.list.push_back({i, 103, 26});
      }
    }
    for (double const alpha : {1.0, -1.0}) {
      auto const result = contiguous(std::vector<double>(a.rows));
      spmv("N", alpha, stored(a), contiguous(x), 0, result);
      check_entries(result, expected_sparse_product(false, alpha, a, x, 0, std::vector<double>(a.rows)));
    }
  }
}

}  // namespace

TEST_CASE("columns of ties that one more term decides, down to where adding rests loses it") {
  // Rests of up to half a unit of 2^-32 add up to 2^-27, beside which 2^-t is lost from t = 81 on.
  for (std::size_t const rows : {std::size_t{200}, std::size_t{9000}})
    for (int t = 54; t<130; t += rows> 1000 ? 5 : 1) check_columns_of_rests(rows, rows - 150, 0x1p-34, rows - 1, t);
  // Rests of nearly half a unit, for several units: one more than may be added exactly is too many.
  for (int const unit : {-33, -34, -35})
    for (int t = 77; t < 83; ++t)
      check_columns_of_rests(200, 50, std::ldexp(1.0, unit) - std::ldexp(1.0, unit - 6), 199, t);
}

TEST_CASE("columns of ties whose rests all lie in the rows of the first thread") {
  for (int const t : {84, 86}) check_columns_of_rests(9000, 10, 0x1p-34, 150, t);
}

TEST_CASE("rows of ties that one more term decides, down to where adding rests loses it") {
  // With heads in units of 2^-34 rests of twelve terms a lane add up to 2^-33.4, beside which 2^-t is lost from t = 87
  // on.
  for (int t = 54; t < 130; ++t) check_rows_of_rests(0x1p-37, t);
  // Rests of nearly half a unit, as above.
  for (int const unit : {-34, -35, -36})
    for (int t = 78; t < 86; ++t) check_rows_of_rests(std::ldexp(1.0, unit) - std::ldexp(1.0, unit - 6), t);
}

TEST_CASE("rows of integers, among them numbers that are not, or of another scale") {
  Random random(2016);
  for (int const exponent : {-1074, -1000, -900, -540, -60, 60, 500, 901, 960})
    for (double const x_of_all : {1.0, 3.0, 0x1p-53 + 1, 0x1p-500, 0x1p60, 0.0}) {
      INFO("2^" << exponent << ", x " << x_of_all);
      Entries<double> a{64, 70, {}};
      for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < 20; ++j) {
          double const value = random.between(-3, 26);
          a.list.push_back({i, (i + j) % 69, i / 16 % 2 == 0 ? value : std::ldexp(value, exponent)});
        }
      std::vector<double> x(a.columns, x_of_all);
      auto const check = [&] {
        auto const result = contiguous(std::vector<double>(a.rows));
        spmv("N", 1, stored(a), contiguous(x), 0, result);
        check_entries(result, expected_sparse_product(false, 1, a, x, 0, std::vector<double>(a.rows)));
      };
      check();
      x[69] = infinity;  // nobody's
      check();
      x[69] = 0x1p-1074;
      check();
      a.list[1000].value = exponent % 20 == 0 ? infinity : not_a_number;
      x[69] = 1;
      check();
      x[3] = -infinity;
      check();
    }
}

TEST_CASE("columns of ties whose heads no double holds together") {
  std::size_t const rows = 9000;
  decltype(Entries<double>::list) list;
  for (std::size_t j = 0; j < 4; ++j) {
    list.push_back({0, j, 0x1p30 + static_cast<double>(j % 2) * 0x1p-22});
    list.push_back({4000, j, 0x1p-23});
    list.push_back({8000, j, j < 2 ? 0x1p-31 : -0x1p-31});
  }
  check_columns(with_integer_columns(rows, list), std::vector<double>(rows, 1));
}

TEST_CASE("columns of multiples of a large power of two, whose rests do not fit into a double") {
  // Heads of 2^971, rests that are multiples of 2^917.
  std::vector<double> const columns[] = {{0x1p1007, 0x1p969, 0x1p969 + 0x1p954 + 0x1p917},
                                         {0x1p1007, 0x1p969, 0x1p969 + 0x1p917, -0x1p969, -0x1p969, -0x1p1007},
                                         {0x1p1007, 0x1p971, 0x1p969, 0x1p969 + 0x1p917, 0x1p968 + 0x1p917,
                                          0x1p968 + 0x1p917, -0x1p969, -0x1p969, -0x1p968, -0x1p968, -0x1p1007}};
  for (auto const& values : columns)
    for (std::size_t const copies : {1, 8, 9})
      for (double const alpha : {1.0, 0x1p-100}) {
        Entries<double> a{values.size(), copies, {}};
        for (std::size_t i = 0; i < values.size(); ++i)
          for (std::size_t j = 0; j < copies; ++j) a.list.push_back({i, j, values[i]});
        std::vector<double> const x(a.rows, 1), y(copies, 0);
        auto const result = contiguous(y);
        spmv("T", alpha, stored(a), contiguous(x), 0, result);
        check_entries(result, expected_sparse_product(true, alpha, a, x, 0, y));
      }
  Random random(2021);
  for (int run = 0; run < 400; ++run) {
    std::size_t const rows = random.between<std::size_t>(3, 30);
    Entries<double> a{rows, 3, {}};
    std::vector<double> x(rows);
    int const bits = random.one_of(20, 30, 46), top = random.between(880, 1000);
    auto const integer = [&](int exponent) {
      return std::ldexp(static_cast<double>(random.between(-(std::int64_t{1} << bits), std::int64_t{1} << bits)),
                        exponent);
    };
    for (double& entry : x) entry = random.coin() ? 1 : integer(-bits);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < 3; ++j) a.list.push_back({i, j, integer(top - bits - random.between(0, 40))});
    std::vector<double> const y(3, 0);
    auto const result = contiguous(y);
    spmv("T", 1, stored(a), contiguous(x), 0, result);
    check_entries(result, expected_sparse_product(true, 1, a, x, 0, y));
  }
}

TEST_CASE("columns of zeros, of subnormal products, and of no finite ones") {
  for (int const exponent : {-1074, -1060, -1000, -540, -537, -500, 400, 500})
    for (int const last : {0, 1, 2, 3}) {
      INFO("2^" << exponent << ", the last term is number " << last);
      double const terms[] = {0, infinity, not_a_number, 0x1p-1074};
      Entries<double> a{301, 3, {}};
      std::vector<double> x(a.rows, exponent < -600 ? 1 : std::ldexp(3, exponent - 1));
      for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          a.list.push_back({i, j, j == 2 || i < 70 ? 0 : std::ldexp(i % 2 == 0 ? 5 : -3, exponent)});
      a.list.back().value = terms[last];
      a.list.back().column = 1;
      auto const result = contiguous(std::vector<double>(3, not_a_number));
      spmv("T", 1, stored(a), contiguous(x), 0, result);
      check_entries(result, expected_sparse_product(true, 1, a, x, 0, std::vector<double>(3)));
    }
}

TEMPLATE_TEST_CASE("the kernel decides columns without entries, unless something is added to them", "", double, float) {
  using namespace Exakt::Impl;
  bool const is_there = static_cast<ColumnKernelOf<double, std::int32_t> const&>(sparse_kernels()).absorb != nullptr;
  REQUIRE(is_there == Exakt::Impl::has_fused_kernels);
  if (!is_there) return;
  ColumnRoundingOf<TestType> const& kernel = sparse_kernels();
  constexpr int columns = 21;
  double const start = HeadStart(3).start;
  for (std::size_t const parts : {1, 2})
    for (auto const& [alpha, beta] : {std::pair{1.0, 0.0}, {-0.3, 0.0}, {1.0, 0.5}, {infinity, 0.0}}) {
      INFO(parts << " parts, alpha " << alpha << ", beta " << beta);
      // Every third column has one product, 0.75, in the last part.
      std::vector<ColumnSum> sums(columns, {start, 0});
      std::vector<std::uint32_t> counts(columns, 0);
      auto sums_of_last = sums;
      auto counts_of_last = counts;
      for (std::size_t j = 0; j < columns; j += 3) {
        sums_of_last[j].head += 0.75;
        counts_of_last[j] = 1;
      }
      ColumnSums const both[] = {{sums.data(), counts.data()}, {sums_of_last.data(), counts_of_last.data()}};
      double const starts[] = {start, start};
      Grain const grains[] = {{Grain::none, Grain::none}, {Grain::none, Grain::none}};
      std::vector<TestType> y(columns, 4);
      std::vector<int> undecided(columns, -1);
      int const others = kernel.round({both + (2 - parts), starts, grains, parts}, 0, columns,
                                      {alpha, beta, beta != 0, false}, y.data(), 1, undecided.data());
      int next = 0;
      for (int j = 0; j < columns; ++j) {
        if (next < others && undecided[static_cast<std::size_t>(next)] == j) {
          ++next;
          CHECK((alpha == infinity || j % 3 == 0));
        } else {
          double const sum = j % 3 == 0 ? 0.75 : 0;
          EXAKT_CHECK_BITS(y[static_cast<std::size_t>(j)],
                           ScaledExact(alpha, Exact().add(sum)).add_product(beta, 4).template round<TestType>());
        }
      }
      CHECK(next == others);
    }
}

TEST_CASE("rows of any length, scales that change from row to row, and rows without entries") {
  Random random(2004);
  Entries<double> a{0, 40'000, {}};
  std::vector<double> x(a.columns);
  for (double& entry : x) entry = random.value<double>(random.between(-3, 3));
  for (std::size_t const length :
       {0, 0, 1, 7, 8, 9, 255, 256, 257, 292, 4, 500, 511, 512, 513, 2047, 2048, 2049, 4096, 30'000, 0, 3, 0}) {
    for (int const exponent : {0, 40, -300, 0, 200, -900, 960}) {
      for (std::size_t j = 0; j < length; ++j) {
        double const value = random.value<double>(exponent + random.between(-5, 5));
        a.list.push_back({a.rows, random.between<std::size_t>(0, a.columns - 1), value});
      }
      ++a.rows;
    }
  }
  check_orders(a, x, std::vector<double>(a.rows, 0.3), random);
}

TEST_CASE("rows next to ties, all rests of which are rounded one way") {
  // Heads are made for the first row.
  constexpr std::size_t length = 2048, shifts = 4;
  Entries<double> a{1, length + shifts, {{0, 0, 1.0}}}, shifted = a;
  for (double const unit : {0x1p-38, 0x1p-39})
    for_each_next_to_tie(length, unit, [&](std::vector<double> const& terms) {
      std::size_t const row = (a.rows + 7) / 8 * 8;  // in a pack with rows that are empty
      for (std::size_t j = 0; j < length; ++j) a.list.push_back({row, j, terms[j]});
      a.rows = row + 1;
      for (std::size_t i = 0; i < shifts; ++i, ++shifted.rows)
        for (std::size_t j = 0; j < length; ++j) shifted.list.push_back({shifted.rows, i + j, terms[j]});
      // A long row that is easy: behind rows that are not decided others are not enclosed at first.
      for (std::size_t j = 0; j < 600; ++j) shifted.list.push_back({shifted.rows, j, 0.1});
      ++shifted.rows;
    });
  for (auto const& rows : {a, shifted}) {
    std::vector<double> const x(rows.columns, 1), y(rows.rows);
    auto const result = contiguous(y);
    spmv("N", 1, stored(rows), contiguous(x), 0, result);
    check_entries(result, expected_sparse_product(false, 1, rows, x, 0, y));
  }
}

TEST_CASE("rows of several pieces next to ties, all rests of which are rounded one way") {
  Entries<double> a{0, 2060, {}};
  for_each_next_to_tie(a.columns, 0x1p-39, [&](std::vector<double> const& terms) {
    for (std::size_t j = 0; j < terms.size(); ++j) a.list.push_back({a.rows, j, terms[j]});
    ++a.rows;
  });
  std::vector<double> const x(a.columns, 1), y(a.rows);
  auto const result = contiguous(y);
  spmv("N", 1, stored(a), contiguous(x), 0, result);
  check_entries(result, expected_sparse_product(false, 1, a, x, 0, y));
}

TEST_CASE("columns of many entries next to ties, between columns of one entry") {
  constexpr std::size_t length = 700;
  Entries<double> a{length, 0, {}};
  for_each_next_to_tie(length, 0x1p-37, [&](std::vector<double> const& terms) {
    a.list.push_back({0, a.columns, 1});
    for (std::size_t i = 0; i < length; ++i) a.list.push_back({i, a.columns + 1, terms[i]});
    a.columns += 2;
  });
  std::stable_sort(a.list.begin(), a.list.end(), [](auto const& p, auto const& q) { return p.row < q.row; });
  std::vector<double> const x(a.rows, 1), y(a.columns);
  auto const expected = expected_sparse_product(true, 1, a, x, 0, y);
  for_each_host_space([&](auto space) {
    auto const result = contiguous(y);
    spmv(space, "T", 1, stored(a), contiguous(x), 0, result);
    check_entries(result, expected);
  });
}

TEST_CASE("columns next to ties, all rests of which are rounded one way") {
  // Each column in a row of its own, the one before shifted; and in rows that all columns share.
  constexpr std::size_t length = 2000;
  for (double const unit : {0x1p-34, 0x1p-36, 0x1p-38}) {
    INFO("unit " << unit);
    Entries<double> a{0, 0, {}};
    for_each_next_to_tie(length, unit, [&](std::vector<double> const& terms) {
      for (double const term : terms) a.list.push_back({a.rows, a.rows, term});
      ++a.rows;
    });
    a.columns = a.rows;
    Entries<double> mixed{length, a.columns, a.list};
    for (std::size_t k = 0; k < mixed.list.size(); ++k) mixed.list[k].row = k % length;
    std::stable_sort(mixed.list.begin(), mixed.list.end(), [](auto const& p, auto const& q) { return p.row < q.row; });
    for (auto const& rows : {a, mixed}) {
      std::vector<double> const x(rows.rows, 1), y(rows.columns);
      auto const result = contiguous(y);
      spmv("T", 1, stored(rows), contiguous(x), 0, result);
      check_entries(result, expected_sparse_product(true, 1, rows, x, 0, y));
    }
  }
}

TEST_CASE("rows of which each is the one before, shifted, as far as that goes") {
  Random random(2020);
  for (std::size_t const length : {1, 2, 7, 8, 9, 16, 17, 27, 33, 2048, 2049})
    for (int kind = -1; kind < static_cast<int>(std::size(every_hardness)); ++kind) {
      INFO(length << " entries a row, " << (kind < 0 ? "easy" : name_of(every_hardness[kind])));
      auto const number = [&] {
        return kind < 0 ? random.value<double>(random.between(-3, 3))
                        : hard_number<double>(random, every_hardness[kind]);
      };
      Entries<double> a{0, 3000, {}};
      // Stretches of some rows; in one of two something does not go on: a column, or the length.
      for (std::size_t s = 0; s < (length < 100 ? 12u : 2u); ++s) {
        std::vector<std::size_t> columns(length);
        for (auto& column : columns) column = random.between<std::size_t>(0, a.columns - 1);
        auto const count = random.between<std::size_t>(1, length < 100 ? 20 : 9),
                   broken = random.between<std::size_t>(0, 2 * count);
        auto const where = random.between<std::size_t>(0, length - 1);
        bool const is_longer = random.between(0, 1) == 0;
        for (std::size_t i = 0; i < count; ++i, ++a.rows) {
          if (i == broken && !is_longer) columns[where] = random.between<std::size_t>(0, a.columns - 1);
          for (auto const column : columns) a.list.push_back({a.rows, (column + i) % a.columns, number()});
          if (i == broken && is_longer) a.list.push_back({a.rows, where, 1});
        }
      }
      for (bool const is_transposed : {false, true}) {
        std::vector<double> x(is_transposed ? a.rows : a.columns), y(is_transposed ? a.columns : a.rows);
        for (double& entry : x) entry = number();
        for (auto const& [alpha, beta] : {std::pair{1.0, 0.0}, {0.1, 0.7}}) {
          auto const result = contiguous(y);
          spmv(is_transposed ? "T" : "N", alpha, stored(a), contiguous(x), beta, result);
          check_entries(result, expected_sparse_product(is_transposed, alpha, a, x, beta, y));
        }
      }
    }
}

TEST_CASE("columns of any length and scale, shared among threads") {
  Random random(2010);
  for (bool const has_outliers : {false, true}) {
    Entries<double> a{9000, 40, {}};
    for (std::size_t i = 0; i < a.rows; ++i)
      for (int k = 0; k < 12; ++k) {
        // Columns of ever more entries; one that cancels, one far below the others, one that is large late.
        auto const column = static_cast<std::size_t>(40 * std::pow(random.between(0, 1000) / 1001.0, 3));
        int const exponent = column == 1 ? -200 : has_outliers && column == 2 && i > 8000 ? 300 : 0;
        a.list.push_back({i, column, column == 3 ? (k % 2 == 0 ? 1.0 : -1.0) : random.value<double>(exponent)});
      }
    if (has_outliers) a.list[100].value = infinity;
    std::vector<double> x(a.rows), y(a.columns, 0.25);
    for (double& entry : x) entry = random.value<double>(random.between(-2, 2));
    for (auto const& [alpha, beta] : {std::pair{1.0, 0.0}, {-1.0, 1.0}, {0.1, 0.7}}) {
      auto const result = contiguous(y);
      spmv("T", alpha, stored(a), contiguous(x), beta, result);
      check_entries(result, expected_sparse_product(true, alpha, a, x, beta, y));
    }
  }
}

TEST_CASE("rows that grow, by less than makes heads leave their binades") {
  Random random(2015);
  // In the same columns, and each row in those of the one before, shifted: heads are made for the first of some rows.
  for (auto const& [shift, length, scales] : {std::tuple{0, 64, 12}, {1, 64, 3}, {1, 48, 3}, {1, 40, 3}})
    for (int const step : {7, 8, 9, 10}) {
      INFO("rows of " << length << " by 2^" << step << (shift > 0 ? ", shifted" : ""));
      Entries<double> a{0, 0, {}};
      for (int scale = 0; scale < scales; ++scale)
        for (int i = 0; i < 16; ++i, ++a.rows)
          for (int j = 0; j < length; ++j)
            a.list.push_back({a.rows, static_cast<std::size_t>(shift * (16 * scale + i) + j),
                              std::abs(random.value<double>(step * scale))});
      a.columns = a.list.back().column + 1;
      std::vector<double> x(a.columns, 1);
      std::vector<double> const y(a.rows, 1);
      check_orders(a, x, y, random);
      for (double& entry : x) entry = std::abs(random.value<double>(0));
      check_orders(a, x, y, random);
    }
}

TEST_CASE("rows of integers far above the rows before, whose errors of products are rests that no unit bounds") {
  // Two products of 2^103 that cancel to about 2^55, a multiple of 1: next to a tie every eighth time. Without fused
  // multiply-adds a rest is the remainder of a product and its error.
  Random random(2017);
  auto const integer = [&] {
    return static_cast<double>(random.between(std::int64_t{1} << 51, (std::int64_t{1} << 52) - 1));
  };
  constexpr std::size_t pairs = 30;  // of more numbers than 64 a sample of x is looked at first
  for (int i = 0; i < 40; ++i) {
    int const below = 9 + i % 4;
    INFO("2^-" << below);
    Entries<double> a{0, 1, {}};
    std::vector<double> x{1.5 * 0x1p46};
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      double const first = integer(), second = integer(), factor = integer();
      x.push_back(factor);
      x.push_back(std::round(-(first / second) * factor) + static_cast<double>(random.between(-8, 8)));
      for (int row = 0; row < 8; ++row) a.list.push_back({a.rows++, 0, std::ldexp(1.0, 55 - below)});
      for (int row = 0; row < 8; ++row, ++a.rows) {
        a.list.push_back({a.rows, a.columns, first});
        a.list.push_back({a.rows, a.columns + 1, second});
      }
      a.columns += 2;
    }
    std::vector<double> const y(a.rows, 0);
    auto const expected = expected_sparse_product(false, 1, a, x, 0, y);
    auto const result = contiguous(y);
    spmv("N", 1, stored(a), contiguous(x), 0, result);
    check_entries(result, expected);
    spmv("T", 1, stored(transposed(a)), contiguous(x), 0, result);
    check_entries(result, expected);
  }
}

TEST_CASE("multiples of a power of two, and of half of it, where only their magnitude tells the last bit") {
  // Three times eight rows in the same columns: of the second eight all values are multiples of 1, and of the third but one,
  // which is a number of 53 bits above 2^51 and a half. So is the sum.
  double const large = 0x1p44, other = 0x1p50 - 1;
  for (double const sign : {1.0, -1.0}) {
    Entries<double> a{24, 8, {}};
    for (std::size_t row = 0; row < 24; ++row) {
      double const values[] = {large,
                               row < 16 ? 0 : -(large - 0x1p7),
                               row < 16 ? -1 : -(0x1p51 + 0x1p49 + 0.5),
                               -other,
                               -other,
                               -other,
                               -other,
                               -1};
      for (std::size_t column = 0; column < 8; ++column) a.list.push_back({row, column, sign * values[column]});
    }
    std::vector<double> const x{0x1p45, 0x1p45, 1, 1, 1, 1, 1, 1}, y(a.rows, 0);
    auto const expected = expected_sparse_product(false, 1, a, x, 0, y);
    auto const result = contiguous(y);
    spmv("N", 1, stored(a), contiguous(x), 0, result);
    check_entries(result, expected);
  }
}

#ifdef __linux__
TEST_CASE("columns from 2^31 on, numbered by 32 bits without a sign") {
  // Nearly all of x is never touched, and takes no memory.
  std::size_t const columns = (std::size_t{1} << 31) + 16, bytes = columns * sizeof(double);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  HostVector<double> const x(static_cast<double*>(memory), columns);
  HostVector<unsigned> const entries("columns", 3);
  HostVector<double> const values("values", 3), y("y", 1);
  HostVector<std::size_t> const row_map("row map", 2);
  row_map(1) = 3;
  entries(0) = (1U << 31) + 5;
  entries(1) = 7;
  entries(2) = (1U << 31) + 15;
  for (std::size_t k = 0; k < 3; ++k) values(k) = static_cast<double>(k + 1);
  x(entries(0)) = 3;
  x(7) = 20;
  x(columns - 1) = 500;
  spmv("N", 1, Exakt::crs_matrix(row_map, entries, values, columns), x, 0, y);
  CHECK(y(0) == 1543);
  munmap(memory, bytes);
}
#endif

TEST_CASE("a long row that cancels") {
  Random random(2005);
  Entries<double> a{3, 20'000, {}};
  std::vector<double> x(a.columns);
  for (double& entry : x) entry = random.value<double>(random.between(-30, 30));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j + 1 < a.columns; j += 2) {
      double const value = random.value<double>(random.between(-30, 30));
      a.list.push_back({i, j, value});
      a.list.push_back({i, j, i == 0 ? -value : -std::nextafter(value, 0)});
    }
  check_orders(a, x, {0.5, 0.25, 1}, random);
}

TEST_CASE("spmv gives the same bits on every host space, and by the rows and columns of devices") {
  Random random(2006);
  for (Hardness const hardness : every_hardness) {
    INFO(name_of(hardness));
    auto const product = hard_sparse_product<double, double>(random, hardness, 900, 80);
    auto const& a = product.first;
    auto const x = contiguous(product.second);
    std::vector<double> const y(900, 0.1);
    auto const expected = expected_sparse_product(false, 0.7, a, product.second, -2.0, y);
    auto const expected_sum = expected_sparse_product(false, 1.0, a, product.second, 0.0, y);
    auto const matrix = stored(a);
    for_each_host_space([&](auto space) {
      auto const result = contiguous(y);
      spmv(space, "N", 0.7, matrix, x, -2, result);
      check_entries(result, expected);
      auto const by_row = contiguous(y);
      auto const form = Exakt::Impl::sparse_matrix(matrix);
      Exakt::Impl::EntryEpilogue const epilogue(Exakt::Impl::factor(0.7), Exakt::Impl::factor(-2)),
          sum_alone(Exakt::Impl::factor(1), Exakt::Impl::factor(0));
      Exakt::Impl::multiply_on_device(space, form, false, epilogue, x, by_row);
      space.fence();
      check_entries(by_row, expected);
      Exakt::Impl::multiply_on_device(space, form, false, sum_alone, x, by_row);
      space.fence();
      check_entries(by_row, expected_sum);

      // A^T and (A^T)^T: by columns.
      auto const turned = Exakt::Impl::transposed(space, form);
      auto const by_column = contiguous(y);
      Exakt::Impl::multiply_transposed_on_device(space, turned, epilogue, x, by_column);
      space.fence();
      check_entries(by_column, expected);
      Exakt::Impl::multiply_transposed_on_device(space, turned, sum_alone, x, by_column);
      space.fence();
      check_entries(by_column, expected_sum);
    });
  }
}

TEST_CASE("a vector per column, of every layout; entries behind the last row stay as they are") {
  Random random(2007);
  constexpr std::size_t m = 50, n = 40, columns = 3;
  auto const product = hard_sparse_product<double, double>(random, Hardness::none, m, n);
  auto const& a = product.first;
  auto const matrix = stored(a);
  auto const check = [&](auto x, auto y, bool transposed) {
    std::vector<std::vector<Expected<double>>> expected;
    for (std::size_t j = 0; j < columns; ++j) {
      std::vector<double> from, old;
      for (std::size_t i = 0; i < x.extent(0); ++i) from.push_back(x(i, j) = random.value<double>(0));
      for (std::size_t i = 0; i < y.extent(0); ++i) old.push_back(y(i, j) = random.value<double>(0));
      expected.push_back(expected_sparse_product(transposed, 0.3, a, from, 1.0, old));
      for (std::size_t i = expected.back().size(); i < old.size(); ++i) expected.back().push_back({old[i]});
    }
    spmv(transposed ? "T" : "N", 0.3, matrix, x, 1.0, y);
    for (std::size_t j = 0; j < columns; ++j) check_entries(Kokkos::subview(y, Kokkos::ALL, j), expected[j]);
  };
  using Left = HostMatrix<double, Kokkos::LayoutLeft>;
  using Right = HostMatrix<double, Kokkos::LayoutRight>;
  check(Left("x", n + 2, columns), Left("y", m + 1, columns), false);
  check(Right("x", n, columns), Left("y", m, columns), false);
  check(Left("x", m, columns), Right("y", n + 5, columns), true);
}

TEST_CASE("row map, columns and values with strides, one of them or all") {
  Random random(2026);
  auto const [a, x] = hard_sparse_product<double, double>(random, Hardness::none, 50, 40);
  std::vector<double> of_rows;
  for (std::size_t i = 0; i < a.rows; ++i) of_rows.push_back(random.value<double>(0));
  auto const matrix = stored(a);
  auto const entries_of = [](auto const& view) { return std::vector(view.data(), view.data() + view.extent(0)); };
  for (unsigned which = 1; which < 8; ++which) {
    INFO("strides of " << which);
    auto const with_stride = [&](auto const& view, unsigned bit) {
      return strided(entries_of(view), (which & bit) != 0 ? 3 : 1);
    };
    auto const with_strides =
        Exakt::crs_matrix(with_stride(matrix.graph.row_map, 1), with_stride(matrix.graph.entries, 2),
                          with_stride(matrix.values, 4), a.columns);
    auto const y = contiguous(of_rows), of_columns = contiguous(x);
    spmv("N", 1.0, with_strides, contiguous(x), 0.0, y);
    check_entries(y, expected_sparse_product(false, 1.0, a, x, 0.0, of_rows));
    spmv("T", 1.0, with_strides, contiguous(of_rows), 0.0, of_columns);
    check_entries(of_columns, expected_sparse_product(true, 1.0, a, of_rows, 0.0, x));
  }
}

TEST_CASE("matrices of size zero and one") {
  auto const y = contiguous(std::vector<double>{0.3, -0.0});
  auto const nothing = HostVector<double>("nothing", 0);
  for (char const* const mode : {"N", "T", "C", "H"}) {
    spmv(mode, 1.0, stored(Entries<double>{0, 0, {}}), nothing, 0.0, nothing);
    spmv(mode, 1.0, Exakt::crs_matrix(HostVector<int>(), HostVector<int>(), HostVector<double>(), 0), nothing, 1.0,
         nothing);
  }
  // No column: as with alpha = 0.
  spmv("N", infinity, stored(Entries<double>{2, 0, {}}), nothing, 1.0, y);
  CHECK(bits_of(y(1)) == bits_of(-0.0));
  spmv("N", infinity, stored(Entries<double>{2, 0, {}}), nothing, 0.5, y);
  CHECK(same_bits(y(0), 0.15));
  spmv("T", 1.0, stored(Entries<double>{0, 2, {}}), nothing, 0.0, y);
  CHECK(same_bits(y(0), 0.0));

  auto const one = contiguous(std::vector<double>{0.1});
  spmv("N", 3, stored(Entries<double>{1, 1, {{0, 0, 0.1}}}), contiguous(std::vector<double>{10}), 1.0f, one);
  ScaledExact expected(3, Exact().add_product(0.1, 10));
  CHECK(compare(one(0), expected.add_product(1, 0.1).round<double>()));
  // No entry at all: a sum of 0, also beside -0.
  one(0) = -0.0;
  spmv("N", 1.0, stored(Entries<double>{1, 1, {}}), one, 1.0, contiguous(std::vector<double>{-0.0}));
  auto const zero = contiguous(std::vector<double>{-0.0});
  spmv("N", -1.0, stored(Entries<double>{1, 1, {}}), one, 1.0, zero);
  CHECK(bits_of(zero(0)) == bits_of(0.0));
}

TEST_CASE("without columns, and in rows without entries, spmv is gemv of the matrix of zeros") {
  for (auto const [rows, columns] : {std::pair<std::size_t, std::size_t>{2, 0}, {0, 2}, {2, 1}, {1, 2}})
    for (char const* const mode : {"N", "T", "C", "H"}) {
      bool const transposed = *mode == 'T' || *mode == 'H';
      HostMatrix<double, Kokkos::LayoutLeft> const dense("zeros", rows, columns);
      auto const a = stored(Entries<double>{rows, columns, {}});
      std::vector<double> const before{-0.0, 0.3};
      auto const x = contiguous(std::vector<double>(transposed ? rows : columns, 1.5));
      std::size_t const n = transposed ? columns : rows;
      for (double const alpha : {1.0, -2.5, 0.0, infinity, not_a_number})
        for (double const beta : {1.0, -1.0, 0.5, 0.0}) {
          INFO(rows << " x " << columns << ", mode " << mode << ", alpha " << alpha << ", beta " << beta);
          auto const y = contiguous(std::vector<double>(before.begin(), before.begin() + static_cast<long>(n)));
          auto const of_gemv = contiguous(std::vector<double>(before.begin(), before.begin() + static_cast<long>(n)));
          spmv(mode, alpha, a, x, beta, y);
          Exakt::gemv(transposed ? "T" : "N", alpha, dense, x, beta, of_gemv);
          for (std::size_t i = 0; i < n; ++i) CHECK(same_bits(y(i), of_gemv(i)));
          // In words, for the -0 to which nothing is added, or a sum of zeros.
          if (n > 0 && beta == 1 && (alpha == 1 || alpha == 0))
            CHECK(bits_of(y(0)) == bits_of(alpha == 0 || x.extent(0) == 0 ? -0.0 : 0.0));
        }
    }
}

TEST_CASE("factors of zero, infinities and NaN") {
  auto const a = stored(
      Entries<double>{4, 2, {{0, 0, 1}, {0, 1, 2}, {1, 0, infinity}, {1, 1, 1}, {2, 0, 1}, {2, 1, -0.5}, {3, 0, -1}}});
  auto const x = contiguous(std::vector<double>{1, 2});
  auto const y = contiguous(std::vector<double>(4, not_a_number));
  spmv("N", 1, a, x, 0, y);
  double const product[] = {5, infinity, 0, -1};
  for (std::size_t i = 0; i < 4; ++i) CHECK(same_bits(y(i), product[i]));
  spmv("N", infinity, a, x, 1, y);
  double const with_infinity[] = {infinity, infinity, not_a_number, -infinity};
  for (std::size_t i = 0; i < 4; ++i) CHECK(same_bits(y(i), with_infinity[i]));

  auto const bad = poisoned<HostVector<double>>(7);
  auto const unread = Exakt::crs_matrix(a.graph.row_map, a.graph.entries, bad, 2);
  auto const z = contiguous(std::vector<double>{0.3, -0.0, -infinity, 1});
  spmv("N", -0.0, unread, poisoned<HostVector<double>>(2), 1, z);
  CHECK(bits_of(z(1)) == bits_of(-0.0));
  CHECK(same_bits(z(2), -infinity));
  spmv("T", 0, unread, poisoned<HostVector<double>>(4), 0, z);
  CHECK(same_bits(z(0), 0.0));
  CHECK(same_bits(z(2), -infinity));
}

TEST_CASE("spmv is right in every floating-point environment, on every choice of threads") {
  Random random(2008);
  for (Hardness const hardness : every_hardness) {
    auto const [a, x] = hard_sparse_product<double, float>(random, hardness, 2000, 60);
    std::vector<double> y(2000);
    for (double& entry : y) entry = hard_number<double>(random, hardness);
    std::vector<float> of_rows(2000);
    for (float& entry : of_rows) entry = hard_number<float>(random, hardness);
    std::vector<double> const of_columns(y.begin(), y.begin() + 60);
    auto const expected = expected_sparse_product(false, 0.1, a, x, -0.7, y);
    auto const expected_of_columns = expected_sparse_product(true, 1.0, a, of_rows, 0.0, of_columns);
    auto const matrix = stored(a);
    std::vector const values(matrix.values.data(), matrix.values.data() + matrix.values.extent(0));
    auto const with_strides = Exakt::crs_matrix(matrix.graph.row_map, matrix.graph.entries, strided(values), a.columns);
    for (auto const& environment : every_fp_environment())
      for (auto const threads : ScopedFpEnvironment::every_choice) {
        INFO(describe(environment, threads) << ", " << name_of(hardness));
        auto const result = contiguous(y), result_by_strides = contiguous(y),
                   result_of_columns = contiguous(of_columns);
        auto const factor = contiguous(x), factor_of_rows = contiguous(of_rows);
        bool is_left_alone = false;
        {
          ScopedFpEnvironment const scope(environment, threads);
          auto const before = fp_control_word();
          spmv("N", 0.1, matrix, factor, -0.7, result);
          spmv("N", 0.1, with_strides, factor, -0.7, result_by_strides);
          spmv("T", 1.0, matrix, factor_of_rows, 0.0, result_of_columns);
          is_left_alone = fp_control_word() == before;
        }
        CHECK(is_left_alone);
        check_entries(result, expected);
        check_entries(result_by_strides, expected);
        check_entries(result_of_columns, expected_of_columns);
      }
  }
}

TEST_CASE("complex matrices and vectors, conjugated and transposed") {
  using Complex = Kokkos::complex<double>;
  Random random(2011);
  for (Hardness const hardness : every_hardness) {
    if (hardness == Hardness::special) continue;  // of complex infinities nothing is said
    INFO(name_of(hardness));
    auto const [real, x_real] = hard_sparse_product<double, double>(random, hardness, 40, 30);
    auto const parts = stored(real);
    std::size_t const n = parts.values.extent(0);
    HostVector<Complex> const values("values", n);
    for (std::size_t k = 0; k < n; ++k) values(k) = Complex(parts.values(k), hard_number<double>(random, hardness));
    auto const a = Exakt::crs_matrix(parts.graph.row_map, parts.graph.entries, values, 30);
    auto const numbers = [&](std::size_t count) {
      HostVector<Complex> const result("numbers", count);
      for (std::size_t i = 0; i < count; ++i)
        result(i) = Complex(hard_number<double>(random, hardness), hard_number<double>(random, hardness));
      return result;
    };
    for (char const* const mode : {"N", "C", "T", "H"}) {
      for (Complex const alpha : {Complex(1, 0), Complex(0.5, -3)}) {
        INFO("mode " << mode << ", alpha.imag() " << alpha.imag());
        bool const is_transposed = mode[0] == 'T' || mode[0] == 'H', conjugated = mode[0] == 'C' || mode[0] == 'H';
        auto const x = numbers(is_transposed ? 40 : 30), y = numbers(is_transposed ? 30 : 40);
        std::vector<Exact> re(y.extent(0)), im(y.extent(0));
        for (std::size_t i = 0; i < 40; ++i)
          for (std::size_t k = a.graph.row_map(i); k < a.graph.row_map(i + 1); ++k) {
            auto const column = static_cast<std::size_t>(a.graph.entries(k)), to = is_transposed ? column : i;
            Complex const v = conjugated ? Complex(values(k).real(), -values(k).imag()) : values(k);
            Complex const f = x(is_transposed ? i : column);
            re[to].add_product(v.real(), f.real()).subtract_product(v.imag(), f.imag());
            im[to].add_product(v.real(), f.imag()).add_product(v.imag(), f.real());
          }
        std::vector<Expected<double>> expected_re, expected_im;
        for (std::size_t i = 0; i < re.size(); ++i) {
          ScaledExact u(alpha.real(), re[i]), v(alpha.real(), im[i]);
          u.add_scaled(-alpha.imag(), im[i]).add_product(2, y(i).real());
          v.add_scaled(alpha.imag(), re[i]).add_product(2, y(i).imag());
          expected_re.push_back(u.round<double>());
          expected_im.push_back(v.round<double>());
        }
        if (alpha.imag() == 0) {
          spmv(mode, alpha.real(), a, x, 2, y);
        } else {
          spmv(mode, alpha, a, x, 2, y);
        }
        for (std::size_t i = 0; i < re.size(); ++i) {
          EXAKT_CHECK_BITS(y(i).real(), expected_re[i]);
          EXAKT_CHECK_BITS(y(i).imag(), expected_im[i]);
        }
      }
    }
  }
}

namespace {

/// Shaped like KokkosSparse::Experimental::BsrMatrix.
struct Blocks : Exakt::CrsViews<HostVector<int>, HostVector<int>, HostVector<double>> {
  int blockDim() const { return size; }  // NOLINT(readability-identifier-naming): as there
  int size = 3;
};

/// With numbers of columns that 64 bits do not hold once they are multiplied by the size of blocks.
struct WideBlocks : Exakt::CrsViews<HostVector<int>, HostVector<std::int64_t>, HostVector<double>> {
  int blockDim() const { return 4; }  // NOLINT(readability-identifier-naming): as there
};

struct FewerThanNoColumns : Blocks {
  long numCols() const { return -1; }  // NOLINT(readability-identifier-naming): as there
};

/// Two columns, as 64 bits count them.
struct WrappedColumns : Blocks {
  std::int64_t numCols() const { return INT64_MAX / 3 * 2 + 2; }  // NOLINT(readability-identifier-naming): as there
};

}  // namespace

TEST_CASE("matrices of blocks") {
  Random random(2012);
  std::size_t const m = 20, n = 15;
  for (Hardness const hardness : every_hardness) {
    INFO(name_of(hardness));
    Blocks a;
    a.graph.row_map = HostVector<int>("row_map", m + 1);
    a.graph.entries = HostVector<int>("entries", 4 * m);
    a.values = HostVector<double>("values", 4 * m * 9);
    a.columns = n;
    Entries<double> points{3 * m, 3 * n, {}};
    for (std::size_t i = 0; i < m; ++i) {
      a.graph.row_map(i + 1) = static_cast<int>(4 * (i + 1));
      for (std::size_t k = 4 * i; k < 4 * i + 4; ++k) a.graph.entries(k) = random.between(0, static_cast<int>(n) - 1);
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t k = 4 * i; k < 4 * i + 4; ++k)
          for (std::size_t c = 0; c < 3; ++c) {
            double const value = a.values(9 * k + 3 * r + c) = hard_number<double>(random, hardness);
            points.list.push_back({3 * i + r, 3 * static_cast<std::size_t>(a.graph.entries(k)) + c, value});
          }
    }
    for (char const* const mode : {"N", "H"}) {
      INFO("mode " << mode);
      std::vector<double> x(mode[0] == 'N' ? 3 * n : 3 * m), y(mode[0] == 'N' ? 3 * m : 3 * n);
      for (double& entry : x) entry = hard_number<double>(random, hardness);
      for (double& entry : y) entry = hard_number<double>(random, hardness);
      auto const result = contiguous(y);
      spmv(mode, 0.3, a, contiguous(x), 1, result);
      check_entries(result, expected_sparse_product(mode[0] == 'H', 0.3, points, x, 1.0, y));
    }
  }
}

#ifdef EXAKT_EMULATE_DEVICE

TEST_CASE("on devices rows that do not exist are NaN, and nothing is read for them") {
  Entries<double> const a{3, 4, {{0, 1, 1.0}, {0, 3, 1.0}, {2, 0, 1.0}, {2, 2, 1.0}, {2, 3, 1.0}}};
  auto const x = contiguous(std::vector<double>{1, 2, 3, 4});
  auto const result = [&](auto const& change) {
    auto const matrix = stored(a);
    change(matrix);
    auto const y = contiguous(std::vector<double>{7, 7, 7});
    spmv("N", 1, matrix, x, 0, y);
    CHECK(refusal_of([&] { spmv("T", 1, matrix, x, 0, contiguous(std::vector<double>(4))); }) ==
          "Exakt::spmv: A is 3 x 4; a row map must not decrease, nor leave the entries, and all columns must exist");
    return std::vector<double>(y.data(), y.data() + 3);
  };
  auto const far = result([](auto const& matrix) { matrix.graph.entries(3) = 1 << 30; });
  CHECK(far[0] == 6);
  CHECK(far[1] == 0);
  CHECK(is_quiet_nan_bits(far[2]));
  auto const decreasing = result([](auto const& matrix) { matrix.graph.row_map(1) = 3; });
  CHECK(is_quiet_nan_bits(decreasing[1]));
}

#else

TEST_CASE("spmv refuses what does not fit, by name and place") {
  Entries<double> const a{3, 4, {{0, 1, 1.0}, {0, 3, 1.0}, {2, 0, 1.0}, {2, 2, 1.0}, {2, 3, 1.0}}};
  auto const vector = [](std::size_t n) { return HostVector<double>("v", n); };
  auto const refusal = [&](char const* mode, auto const& matrix, auto const& x, auto const& y) {
    return refusal_of([&] { spmv(mode, 1.0, matrix, x, 0.0, y); });
  };
  auto const good = stored(a);
  CHECK(refusal("N", good, vector(4), vector(3)) == "no refusal");
  CHECK(refusal("X", good, vector(4), vector(3)) == "Exakt::spmv: mode is 'X'; it must be N, T, C or H");
  CHECK(refusal("N", good, vector(3), vector(3)) ==
        "Exakt::spmv: A is 3 x 4, x is 3 entries; with mode 'N', x.extent(0) must be at least the number of columns of "
        "A");
  CHECK(refusal("h", good, vector(3), vector(3)) ==
        "Exakt::spmv: A is 3 x 4, y is 3 entries; with mode 'h', y.extent(0) must be at least the number of columns of "
        "A");
  auto const x = vector(5);
  CHECK(refusal("N", good, x, Kokkos::subview(x, std::pair<int, int>(1, 4))) ==
        "Exakt::spmv: y is 3 entries, x is 5 entries; they must not share memory");
  CHECK(refusal("N", good, vector(4), good.values) ==
        "Exakt::spmv: y is 5 entries, A.values is 5 entries; they must not share memory");
  Kokkos::View<int*, Kokkos::HostSpace> const offsets("offsets", 4), columns("columns", 4);
  auto const floats_of = [](auto const& view, std::size_t n) {
    return Kokkos::View<float*, Kokkos::HostSpace>(reinterpret_cast<float*>(view.data()), n);
  };
  auto const of_zeros = Exakt::crs_matrix(offsets, columns, vector(4), 4);
  CHECK(refusal("N", of_zeros, vector(4), floats_of(offsets, 3)) ==
        "Exakt::spmv: y is 3 entries, A.graph.row_map is 4 entries; they must not share memory");
  CHECK(refusal("T", of_zeros, vector(3), floats_of(columns, 4)) ==
        "Exakt::spmv: y is 4 entries, A.graph.entries is 4 entries; they must not share memory");
  CHECK(refusal("N", Exakt::crs_matrix(good.graph.row_map, good.graph.entries, vector(4), 4), vector(4), vector(3)) ==
        "Exakt::spmv: A.graph.entries is 5 entries, A.values is 4 entries; there must be a value for each entry");
  for (char const* const mode : {"N", "T"}) {
    auto const of_columns = [&](int wrong) {
      auto const matrix = stored(a);
      matrix.graph.entries(3) = wrong;
      return refusal(mode, matrix, vector(4), vector(4));
    };
    CHECK(of_columns(4) == "Exakt::spmv: A.graph.entries(3) is 4, in row 2; A has 4 columns");
    CHECK(of_columns(-1) == "Exakt::spmv: A.graph.entries(3) is -1, in row 2; A has 4 columns");
    auto const of_rows = [&](std::size_t row, std::size_t wrong) {
      auto const matrix = stored(a);
      matrix.graph.row_map(row) = wrong;
      return refusal(mode, matrix, vector(4), vector(4));
    };
    CHECK(of_rows(1, 3) ==
          "Exakt::spmv: A.graph.row_map(1) is 3, A.graph.row_map(2) is 2, A.graph.entries is 5 entries; a row map must "
          "not decrease, nor leave the entries");
    CHECK(of_rows(3, 6) ==
          "Exakt::spmv: A.graph.row_map(2) is 2, A.graph.row_map(3) is 6, A.graph.entries is 5 entries; a row map must "
          "not decrease, nor leave the entries");
  }
  // Entries that belong to no row may be anything.
  auto const roomy = stored(a);
  Kokkos::resize(const_cast<HostVector<int>&>(roomy.graph.entries), 9);
  Kokkos::resize(const_cast<HostVector<double>&>(roomy.values), 9);
  for (std::size_t k = 5; k < 9; ++k) roomy.graph.entries(k) = -7;
  CHECK(refusal("N", roomy, vector(4), vector(3)) == "no refusal");
  CHECK(refusal("T", roomy, vector(3), vector(4)) == "no refusal");
}

TEST_CASE("a column that does not exist is found wherever it is in a row, and no entry of x is read for it") {
  constexpr std::size_t column_count = 60;
  auto const check = [&](auto index) {
    using Index = decltype(index);
    GuardedArray<double> const x(std::vector<double>(column_count, 1.0));
    for (std::size_t length = 1; length <= 50; ++length) {
      GuardedArray<double> const values(std::vector<double>(length, 1.0));
      HostVector<std::size_t> const row_map("row_map", 2);
      row_map(1) = length;
      for (std::size_t wrong = 0; wrong < length; ++wrong) {
        std::vector<Index> numbers(length);
        for (std::size_t k = 0; k < length; ++k) numbers[k] = static_cast<Index>(7 * k % column_count);
        numbers[wrong] = column_count;
        GuardedArray<Index> const columns(numbers);
        auto const matrix = Exakt::crs_matrix(row_map, BorrowedVector<Index>(columns.data(), length),
                                              BorrowedVector<double>(values.data(), length), column_count);
        CHECK(refusal_of([&] {
                spmv("N", 1.0, matrix, BorrowedVector<double>(x.data(), column_count), 0.0, HostVector<double>("y", 1));
              }) == "Exakt::spmv: A.graph.entries(" + std::to_string(wrong) + ") is 60, in row 0; A has 60 columns");
      }
    }
  };
  check(std::int32_t{});
  check(std::int64_t{});
}

TEMPLATE_TEST_CASE("short rows at the end of the values and the columns, behind which nothing is read", "", double,
                   float) {
  constexpr std::size_t column_count = 30;
  GuardedArray<double> const x(std::vector<double>(column_count, 1.0));
  for (std::size_t rows = 1; rows <= 40; ++rows)
    for (std::size_t const most : {3, 7, 9, 20}) {
      HostVector<std::size_t> const row_map("row_map", rows + 1);
      for (std::size_t i = 0; i < rows; ++i) row_map(i + 1) = row_map(i) + 1 + 5 * (rows - i) % most;
      std::size_t const count = row_map(rows);
      std::vector<int> numbers(count);
      for (std::size_t k = 0; k < count; ++k) numbers[k] = static_cast<int>(13 * k % column_count);
      GuardedArray<TestType> const values(std::vector<TestType>(count, TestType{1}));
      GuardedArray<int> const columns(numbers);
      auto const matrix = Exakt::crs_matrix(row_map, BorrowedVector<int>(columns.data(), count),
                                            BorrowedVector<TestType>(values.data(), count), column_count);
      HostVector<double> const y("y", rows);
      spmv("N", 1.0, matrix, BorrowedVector<double>(x.data(), column_count), 0.0, y);
      for (std::size_t i = 0; i < rows; ++i) CHECK(y(i) == static_cast<double>(row_map(i + 1) - row_map(i)));
    }
}

/// Rows that do not exist, for those that have no kernel of their own.
template <class Matrix, class X, class Y>
void check_refused_rows(Matrix const& matrix, X const& x, Y const& y) {
  auto const check = [&](std::string const& expected) {
    for (char const* const mode : {"N", "C", "T", "H"}) {
      INFO(mode);
      CHECK(refusal_of([&] { spmv(mode, 1.0, matrix, x, 0.0, y); }) == expected);
      for_each_host_space(
          [&](auto space) { CHECK(refusal_of([&] { spmv(space, mode, 1.0, matrix, x, 0.0, y); }) == expected); });
    }
  };
  std::string const columns = matrix.values.extent(0) == 5 ? " columns" : " columns of blocks";
  check("no refusal");
  for (int const wrong : {4, -1}) {
    matrix.graph.entries(3) = wrong;
    check("Exakt::spmv: A.graph.entries(3) is " + std::to_string(wrong) + ", in row 2; A has 4" + columns);
  }
  matrix.graph.entries(3) = 2;
  matrix.graph.row_map(1) = 3;
  check(
      "Exakt::spmv: A.graph.row_map(1) is 3, A.graph.row_map(2) is 2, A.graph.entries is 5 entries; a row map must not "
      "decrease, nor leave the entries");
  matrix.graph.row_map(1) = 2;
  matrix.graph.row_map(3) = 6;
  check(
      "Exakt::spmv: A.graph.row_map(2) is 2, A.graph.row_map(3) is 6, A.graph.entries is 5 entries; a row map must not "
      "decrease, nor leave the entries");
}

TEST_CASE("spmv refuses rows that do not exist of complex numbers, of half precision and of blocks") {
  using Complex = Kokkos::complex<double>;
  Entries<double> const a{3, 4, {{0, 1, 1.0}, {0, 3, 1.0}, {2, 0, 1.0}, {2, 2, 1.0}, {2, 3, 1.0}}};
  auto const pattern = stored(a);
  HostVector<double> const x("x", 12), y("y", 12);
  HostVector<Complex> const z("z", 12);
  auto const with = [&](auto const& values) {
    auto const fresh = stored(a);
    return Exakt::crs_matrix(fresh.graph.row_map, fresh.graph.entries, values, 4);
  };
  check_refused_rows(with(HostVector<Complex>("values", 5)), z, HostVector<Complex>("w", 12));
  check_refused_rows(with(pattern.values), z, HostVector<Complex>("w", 12));
  check_refused_rows(with(HostVector<Kokkos::Experimental::half_t>("values", 5)), x, y);

  Blocks blocks;
  HostVector<int> const row_map("row_map", 4), entries("entries", 5);
  for (std::size_t i = 0; i < 4; ++i) row_map(i) = static_cast<int>(pattern.graph.row_map(i));
  Kokkos::deep_copy(entries, pattern.graph.entries);
  static_cast<Exakt::CrsViews<HostVector<int>, HostVector<int>, HostVector<double>>&>(blocks) =
      Exakt::crs_matrix(row_map, entries, HostVector<double>("values", 45), 4);
  check_refused_rows(blocks, x, y);

  WideBlocks wide;
  HostVector<int> const of_one("row_map", 2);
  of_one(1) = 1;
  static_cast<Exakt::CrsViews<HostVector<int>, HostVector<std::int64_t>, HostVector<double>>&>(wide) =
      Exakt::crs_matrix(of_one, HostVector<std::int64_t>("entries", 1), HostVector<double>("values", 16), 3);
  HostVector<double> const u("u", 12), v("v", 4);
  for (std::int64_t const wrong :
       {std::int64_t{1} << 62, (std::int64_t{1} << 62) + 2, std::int64_t{3}, std::int64_t{-1}}) {
    wide.graph.entries(0) = wrong;
    std::string const expected =
        "Exakt::spmv: A.graph.entries(0) is " + std::to_string(wrong) + ", in row 0; A has 3 columns of blocks";
    for (char const* const mode : {"N", "C"}) CHECK(refusal_of([&] { spmv(mode, 1.0, wide, u, 0.0, v); }) == expected);
    for (char const* const mode : {"T", "H"}) CHECK(refusal_of([&] { spmv(mode, 1.0, wide, v, 0.0, u); }) == expected);
  }

  row_map(3) = 5;
  auto const refusal = [&] { return refusal_of([&] { spmv("N", 1.0, blocks, x, 0.0, y); }); };
  CHECK(refusal() == "no refusal");
  blocks.values = HostVector<double>("values", 44);
  CHECK(refusal() ==
        "Exakt::spmv: A.graph.entries is 5 entries, A.values is 44 entries; there must be 3 x 3 values for each entry");
  for (int const size : {0, -2}) {
    blocks.size = size;
    CHECK(refusal() == "Exakt::spmv: A.blockDim() is " + std::to_string(size) + "; it must be at least 1");
  }
  CHECK(refusal_of([&] { spmv("N", 1.0, FewerThanNoColumns(), x, 0.0, y); }) ==
        "Exakt::spmv: A.numCols() is -1; it must be at least 0");
  CHECK(refusal_of([&] { spmv("N", 1.0, WrappedColumns(), x, 0.0, y); }) ==
        "Exakt::spmv: A has 6148914691236517206 rows or columns of blocks of 3; 64 bits must hold their product");
}

TEST_CASE("of shifted rows the last one leaves the columns") {
  for (std::size_t const length : {1, 9, 40}) {
    Entries<double> a{16, length + 14, {}};
    for (std::size_t i = 0; i < a.rows; ++i)
      for (std::size_t j = 0; j < length; ++j) a.list.push_back({i, i + j, 1.0});
    for (std::string const mode : {"N", "T"}) {
      HostVector<double> const x("x", mode == "N" ? a.columns : a.rows), y("y", mode == "N" ? a.rows : a.columns);
      CHECK(refusal_of([&] { spmv(mode.c_str(), 1.0, stored(a), x, 0.0, y); }) ==
            "Exakt::spmv: A.graph.entries(" + std::to_string(16 * length - 1) + ") is " + std::to_string(length + 14) +
                ", in row 15; A has " + std::to_string(length + 14) + " columns");
    }
  }
}

TEST_CASE("the first of many wrong rows is named, whichever thread finds it") {
  auto const matrix = stored(stencil(20, [](bool) { return 1.0; }));
  std::size_t const rows = matrix.graph.row_map.extent(0) - 1;
  for (std::size_t const row : {rows - 1, rows / 2, rows / 3})
    matrix.graph.entries(matrix.graph.row_map(row) + 2) = 8000;
  HostVector<double> const x("x", rows), y("y", rows);
  for (char const* const mode : {"N", "T"})
    CHECK(refusal_of([&] { spmv(mode, 1.0, matrix, x, 0.0, y); }) ==
          "Exakt::spmv: A.graph.entries(" + std::to_string(matrix.graph.row_map(rows / 3) + 2) + ") is 8000, in row " +
              std::to_string(rows / 3) + "; A has 8000 columns");
}

TEST_CASE("spmv of a packed triangle and spmv of a sparse matrix are two functions of one name") {
  HostVector<double> const packed("AP", 3), x("x", 2), y("y", 2);
  packed(0) = 1;
  packed(1) = 2;
  packed(2) = 4;
  x(0) = 10;
  x(1) = 1;
  Exakt::spmv("L", 1.0, packed, x, 0.0, y);
  EXAKT_CHECK((y(0) == 12 && y(1) == 24));
  HostVector<int> const row_map("rows", 3), entries("columns", 3);
  for (int k = 0; k < 3; ++k) row_map(k) = k == 2 ? 3 : k;
  entries(2) = 1;
  Exakt::spmv("N", 1.0, Exakt::crs_matrix(row_map, entries, packed, 2), x, 0.0, y);
  EXAKT_CHECK((y(0) == 10 && y(1) == 24));
}

#endif
