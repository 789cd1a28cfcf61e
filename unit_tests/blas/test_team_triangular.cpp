// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas3_trsm.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Triangles.hpp"

// The path of devices, on hosts.

namespace {

using namespace ExaktTest;
using Exakt::Impl::Enclosure;
using Exakt::Impl::ExactProducts;
using Exakt::Impl::Operated;
using Word = Exakt::Impl::Word;

/// Systems with a right-hand side in each column of `b`, and their solutions.
template <class T, class R>
struct Case {
  TriangleModes modes;
  double alpha;
  Table<T> a;  // op(A)
  Table<R> b, solutions;

  Case(TriangleModes const& which, double factor, Table<T> const& matrix, Table<R> const& right_sides)
      : modes(which), alpha(factor), a(matrix), b(right_sides), solutions(b.rows, b.columns) {
    for (std::size_t k = 0; k < b.columns; ++k) {
      auto const x = solution_of(a, modes, alpha, b.column(k));
      for (std::size_t i = 0; i < b.rows; ++i) solutions(i, k) = x[i];
    }
  }

  template <class Space>
  void check(Space const& space, int team_size, Storage storage, bool by_rows) const {
    INFO("n = " << b.rows << ", " << b.columns << " right-hand sides, storage " << static_cast<int>(storage)
                << (by_rows ? ", by rows" : ", by columns"));
    auto const matrix = stored(modes.is_transposed ? a.transposed() : a, storage);
    auto const x = stored(by_rows ? b.transposed() : b, storage == Storage::left ? Storage::corner_of_right : storage);
    Operated<AnyMatrix<T>> const operated(matrix, modes.trans());
    auto const systems =
        Exakt::Impl::systems_of(operated, modes.goes_down(), modes.has_unit_diagonal, alpha, x, by_rows);
    Exakt::Impl::solve_by_teams("test", space, systems, b.columns, team_size);
    space.fence();
    for (std::size_t i = 0; i < b.rows; ++i)
      for (std::size_t k = 0; k < b.columns; ++k)
        EXAKT_CHECK_BITS(by_rows ? x(k, i) : x(i, k), Expected<R>{solutions(i, k)});
  }

  /// On every space, with teams of every size.
  void check() const {
    for_each_team([&](auto space, int team_size) {
      bool const even = team_size % 2 == 0;
      check(space, team_size, even ? Storage::left : Storage::right, false);
      check(space, team_size, even ? Storage::corner_of_right : Storage::every_other, true);
    });
  }
};

template <class T, class R>
Case<T, R> hard_case(Random& random, Hardness hardness, TriangleModes const& modes, std::size_t n,
                     std::size_t right_sides) {
  Table<R> b(n, right_sides);
  for (R& entry : b.entries) entry = hard_number<R>(random, hardness);
  double const alpha = random.one_of(1.0, 1.0, -0.3, random.value<double>(random.between(-1074, 1023)));
  return {modes, alpha, hard_triangle<T>(random, hardness, modes, n), b};
}

/// Numbers that stay moderate: triangles with a large diagonal.
Table<double> moderate_triangle(Random& random, TriangleModes const& modes, std::size_t n) {
  auto a = hard_triangle<double>(random, Hardness::none, modes, n);
  for (std::size_t i = 0; i < n; ++i) a(i, i) = 40 + random.value<double>(0);
  return a;
}
Table<double> moderate_numbers(Random& random, std::size_t rows, std::size_t columns) {
  Table<double> b(rows, columns);
  for (double& entry : b.entries) entry = random.value<double>(random.between(-3, 3));
  return b;
}

}  // namespace

TEST_CASE("teams solve to the last bit in every mode, and for everything that makes it hard") {
  Random random(4201);
  for_each_triangle([&](TriangleModes const& modes) {
    for (Hardness const hardness : every_hardness) {
      INFO(name_of(hardness));
      auto const n = random.one_of(1u, 2u, 7u, 63u, 64u, 65u, 70u);
      hard_case<double, double>(random, hardness, modes, n, random.between<std::size_t>(1, 3)).check();
    }
  });
}

TEST_CASE("teams solve systems of several blocks") {
  Random random(4202);
  for_each_triangle([&](TriangleModes const& modes) {
    if (modes.has_unit_diagonal) return;
    for (std::size_t const n : {127u, 128u, 129u, 200u})
      Case<double, double>(modes, 0.7, moderate_triangle(random, modes, n), moderate_numbers(random, n, 2)).check();
  });
}

TEST_CASE("teams solve systems with rows long enough for teams of their own, and with more right sides than at once") {
  Random random(4203);
  for (TriangleModes const modes : {TriangleModes{false, false, false}, TriangleModes{false, true, false}}) {
    std::size_t const n = 1100, many = 300;
    Case<double, double> const large(modes, 1.0, moderate_triangle(random, modes, n), moderate_numbers(random, n, 1));
    Case<double, double> const wide(modes, -0.1, moderate_triangle(random, modes, 66),
                                    moderate_numbers(random, 66, many));
    for_each_host_space([&](auto space) {
      for (Storage const storage : {Storage::left, Storage::right}) {
        large.check(space, 0, storage, false);
        wide.check(space, 0, storage, storage == Storage::right);
      }
    });
  }
}

TEST_CASE("teams solve systems of floats, and of float and double mixed") {
  Random random(4204);
  for_each_triangle([&](TriangleModes const& modes) {
    for (Hardness const hardness : every_hardness) {
      INFO(name_of(hardness));
      Kokkos::DefaultHostExecutionSpace const space;
      hard_case<float, float>(random, hardness, modes, 70, 2).check(space, 0, Storage::left, false);
      hard_case<float, double>(random, hardness, modes, 67, 1).check(space, 0, Storage::right, false);
    }
  });
}

TEST_CASE("teams add rows exactly where all but the error of a rounding cancels") {
  Random random(4205);
  for_each_triangle([&](TriangleModes const& modes) {
    if (modes.has_unit_diagonal) return;
    constexpr std::size_t n = 150;
    auto a = hard_triangle<double>(random, Hardness::none, modes, n);
    Table<double> b(n, 1);
    std::vector<double> x(n);
    for (std::size_t step = 0; step < n; ++step) {
      std::size_t const i = modes.goes_down() ? step : n - 1 - step;
      Exact sum;
      for (std::size_t j = 0; j < n; ++j) {
        if (modes.goes_down() ? j < i : j > i) sum.add_product(a(i, j), x[j]);
      }
      b(i, 0) = sum.round<double>().value;
      if (random.between(0, 5) == 0 || step < 2) b(i, 0) += random.value<double>(0);
      sum.negate().add(b(i, 0));
      double const rest = sum.round<double>().value;
      a(i, i) = rest == 0 ? 1 : std::ldexp(random.value<double>(0), std::ilogb(rest));
      x[i] = sum.round_quotient<double>(a(i, i)).value;
    }
    Case<double, double>(modes, 1.0, a, b).check();
  });
}

TEST_CASE("teams add rows exactly where even the rests of their sums cancel") {
  Random random(4210);
  TriangleModes const modes{false, false, false};
  for (int i = 0; i < 50; ++i) {
    constexpr std::size_t n = 6;
    Table<double> a(n, n), b(n, 1);
    for (std::size_t j = 0; j < n; ++j) a(j, j) = b(j, 0) = 1;
    double const large = random.value<double>(60), small = random.value<double>(0);
    double const row[] = {large, small, random.value<double>(-20), -small, -large};
    for (std::size_t j = 0; j + 1 < n; ++j) a(n - 1, j) = row[j];
    b(n - 1, 0) = random.value<double>(-10);
    Case<double, double>(modes, 1.0, a, b).check(Kokkos::DefaultHostExecutionSpace(), 0, Storage::left, false);
  }
}

TEST_CASE("teams find zeros, and what comes after them") {
  Random random(4206);
  constexpr std::size_t n = 130;
  for_each_triangle([&](TriangleModes const& modes) {
    auto a = moderate_triangle(random, modes, n);
    Table<double> b(n, 3);
    for (std::size_t k = 0; k < 3; ++k) b(k * 60 + 5, k) = -1;
    b(40, 0) = -0.0;
    a(7, 7) = -3;
    Case<double, double>(modes, -0.1, a, b).check();
    // Products that vanish only when rounded; and none at all of those that are not finite.
    a(6, 5) = a(5, 6) = 0x1p-1074;
    b(5, 0) = 0x1p-300;
    a(9, 9) = 0;
    a(8, 2) = a(2, 8) = std::numeric_limits<double>::infinity();
    Case<double, double>(modes, 1.0, a, b).check();
  });
}

TEST_CASE("exact sums in words become two doubles and a bound") {
  Random random(4207);
  using Accumulator = Exakt::AtomicAccumulator<ExactProducts>;
  auto const check = [](Exact sum, Accumulator const&, Word const* words, double share) {
    Enclosure const enclose = Exakt::Impl::enclosure_of_words(words);
    double const size = std::fabs(sum.round<double>().value);
    sum.subtract(enclose.high).subtract(enclose.low);
    EXAKT_CHECK(std::fabs(sum.round<double>().value) <= enclose.bound);
    if (size > 0x1p-700 && size < 0x1p900) EXAKT_CHECK(enclose.bound <= share * size);
  };
  for (std::uint64_t i = 0; i < 2000 * case_factor(); ++i) {
    std::vector<Word> words(Accumulator::word_count);
    Accumulator accumulator(words.data(), 1);
    Exact sum;
    int const exponent = random.between(-600, 450);
    int const terms = random.between(0, 20), spread = random.one_of(0, 3, 30, 100);
    double x = 0, y = 0;
    for (int k = 0; k < terms; ++k) {
      // Every other product takes the one before away, but for a bit.
      bool const again = k % 2 == 1 && random.coin();
      x = again ? -std::nextafter(x, random.coin() ? x : 0.0) : random.value<double>(exponent);
      if (!again) y = random.value<double>(exponent + random.between(-spread, spread));
      if (random.coin()) {
        accumulator.add_product(x, y);
        sum.add_product(x, y);
      } else {
        // As extraction adds: in units, and many of them.
        auto const parts = Exakt::Impl::integer_parts(x);
        accumulator.add_scaled(parts.significand << 10, parts.exponent - 10, parts.negative);
        sum.add(x);
      }
    }
    check(sum, accumulator, words.data(), 0x1p-102);
  }
  std::vector<Word> words(Accumulator::word_count);
  Accumulator accumulator(words.data(), 1);
  CHECK(Exakt::Impl::enclosure_of_words(words.data()).bound == 0);
  words[Accumulator::digit_count - 1] = Word{1} << Accumulator::radix_bits;
  CHECK(Exakt::Impl::enclosure_of_words(words.data()).bound == HUGE_VAL);
  words[Accumulator::digit_count - 1] = 0;
  accumulator.add_infinity_or_nan(false, true);
  CHECK(Exakt::Impl::enclosure_of_words(words.data()).bound == HUGE_VAL);
}

#ifndef EXAKT_EMULATE_DEVICE  // devices have one environment only
TEST_CASE("teams solve to the last bit in every floating-point environment") {
  Random random(4208);
  TriangleModes const modes{false, false, false};
  for (Hardness const hardness : {Hardness::none, Hardness::tiny}) {
    auto const systems = hard_case<double, double>(random, hardness, modes, 70, 1);
    for (FpSettings const& settings : every_fp_environment()) {
      INFO(settings.name);
      auto const matrix = stored(systems.a, Storage::left), x = stored(systems.b, Storage::left);
      {
        ScopedFpEnvironment const environment(settings, ScopedFpEnvironment::Threads::all);
        Operated<AnyMatrix<double>> const operated(matrix, 'N');
        Kokkos::DefaultHostExecutionSpace const space;
        Exakt::Impl::solve_by_teams("test", space,
                                    Exakt::Impl::systems_of(operated, true, false, systems.alpha, x, false), 1);
        space.fence();
      }
      for (std::size_t i = 0; i < 70; ++i) EXAKT_CHECK_BITS(x(i, 0), Expected<double>{systems.solutions(i, 0)});
    }
  }
}
#endif

TEST_CASE("teams leave alone what has no unknowns or no right-hand sides") {
  Random random(4209);
  TriangleModes const modes{true, false, false};
  Case<double, double>(modes, 1.0, Table<double>(0, 0), Table<double>(0, 3)).check();
  Case<double, double>(modes, 1.0, moderate_triangle(random, modes, 5), Table<double>(5, 0)).check();
}
