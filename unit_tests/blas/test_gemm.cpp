// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_gemv.hpp>
#include <ExaktBlas3_gemm.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Matrices.hpp"

namespace {

using namespace ExaktTest;
using Exakt::gemm;

template <class T, class U, class R>
void check_product(double alpha, Table<T> const& a, Table<U> const& b, double beta, Table<R> const& c,
                   std::span<Storage const> storages = every_storage, Exakt::GemmOptions const& options = {}) {
  INFO(a.rows << " x " << b.columns << " x " << a.columns << ", alpha " << describe_bits(alpha) << ", beta "
              << describe_bits(beta));
  auto const expected = expected_product(alpha, a, b, beta, c);
  auto const a_turned = a.transposed();
  auto const b_turned = b.transposed();
  std::size_t turn = 0;
  for (char const* const modes : {"NN", "TN", "NT", "TT", "CC"})
    for (Storage const storage : storages) {
      INFO("modes " << modes << ", storage " << static_cast<int>(storage));
      Storage const other = every_storage[turn++ % 5], output = every_storage[turn % 5];
      auto const c_view = stored(c, output);
      gemm(Kokkos::DefaultHostExecutionSpace(), modes[0], modes[1], alpha,
           stored(modes[0] == 'N' ? a : a_turned, storage), stored(modes[1] == 'N' ? b : b_turned, other), beta, c_view,
           options);
      check_entries(c_view, expected);
    }
}

/// Small products too, which are quicker column by column.
constexpr Exakt::GemmOptions in_tiles{Exakt::GemmEngine::direct};

template <class T, class U, class R>
void check_random_gemm(Random& random, std::uint64_t repetitions) {
  for (std::uint64_t i = 0; i < repetitions * case_factor(); ++i)
    for (Hardness const hardness : every_hardness) {
      INFO(name_of(hardness));
      auto const m = random.between<std::size_t>(0, 25), n = random.between<std::size_t>(0, 15),
                 k = random.between<std::size_t>(0, 30);
      auto const [a, b] = hard_factors<T, U>(random, hardness, m, n, k);
      Table<R> c(m, n);
      for (R& entry : c.entries) entry = hard_number<R>(random, hardness);
      HardFactors const factors(random);
      check_product(factors.alpha, a, b, factors.beta, c);
    }
}

}  // namespace

TEST_CASE("each entry of gemm is the exact alpha * A B + beta * C, rounded once, in every mode and storage") {
  Random random(830);
  check_random_gemm<double, double, double>(random, 2);
}

TEST_CASE("gemm of floats, and of float and double mixed") {
  Random random(831);
  check_random_gemm<float, float, float>(random, 1);
  check_random_gemm<float, double, double>(random, 1);
}

TEST_CASE("gemm of small integers: ties in every tile, and some that are broken far below") {
  Random random(836);
  Storage const two[] = {Storage::left, Storage::right};
  auto [a, b] = hard_factors<double, double>(random, Hardness::ties, 50, 45, 50);
  for (int const bits : {1, 20, 40, 52}) {
    a(5, 49) += std::ldexp(1.0, -bits);
    check_product(1.0, a, b, 0.0, Table<double>(50, 45), two);
  }
  Table<double> c(50, 45);
  for (double& entry : c.entries) entry = multiple_below_one<double>(random);
  check_product(-1.0, a, b, 0.5, c, two);
  check_product(0.3, a, b, 0x1p-60, c, two);
  check_product(1.0, a, b, 0.0, Table<float>(50, 45), two);
}

TEST_CASE("gemm of entries whose sums of eight or sixteen products just fit into doubles, and of one bit more") {
  Random random(837);
  Storage const two[] = {Storage::left, Storage::right};
  for (int const bits : {49, 50, 51}) {
    for (std::size_t const k : {8, 17, 64, 513, 1100}) {
      INFO(bits << " bits");
      std::size_t const m = k > 64 ? 19 : 35, n = 17;
      int const of_a = random.between(20, 30);
      bool const have_signs = random.between(0, 2) == 0;
      // Odd ones and even ones: sums of an even number of odd products would be even.
      auto const number = [&](int most) {
        double const x = std::ldexp(1.0, most) - static_cast<double>(random.between(1, 1 << 17));
        return have_signs && random.coin() ? -x : x;
      };
      auto a = table_of<double>(m, k, [&] { return number(of_a); });
      auto b = table_of<double>(k, n, [&] { return number(bits - of_a); });
      // Rows of other units, and a row and a column of nothing.
      for (std::size_t l = 0; l < k; ++l) {
        for (std::size_t i = 0; i < m; ++i) a(i, l) = std::ldexp(a(i, l), i == 4 ? -260 : i % 3 == 0 ? 70 : 0);
        a(2, l) = -0.0;
        b(l, 3) = 0;
      }
      check_product(1.0, a, b, 0.0, Table<double>(m, n), std::span(two).first(1), in_tiles);
      if (k == 64) check_product(-0.3, a, b, 0.5, table_of<double>(m, n, [&] { return number(53); }), two, in_tiles);
    }
  }
  auto const a = table_of<double>(5, 17'000, [&] { return random.between((1 << 24), (1 << 25) - 1) | 1; }),
             b = table_of<double>(17'000, 7, [&] { return random.between((1 << 24), (1 << 25) - 1) | 1; });
  check_product(1.0, a, b, 0.0, Table<double>(5, 7), std::span(two).first(1), in_tiles);
}

TEST_CASE("gemm of floats whose plain sums in double arithmetic end up on the wrong side of a tie") {
  Random random(838);
  for (std::size_t const k : {300, 512, 1024, 17'000}) {
    INFO(k << " products");
    // Of two numbers just below 1 with 24 bits each. Every product rounds the sum of those before, even and odd ones of
    // 512, downwards by nearly half of its last bit.
    constexpr std::int64_t one = 1 << 24;
    std::vector<std::int64_t> x(k), y(k);
    std::int64_t sum = 0;  // in units of 2^-48
    double parts[2] = {};
    for (std::size_t l = 0; l < k; ++l) {
      if (l % 512 == 0) parts[0] = parts[1] = 0;
      double& part = parts[l % 2];
      if (l == 0 || l + 2 >= k) continue;
      double product, cut;
      int tries = 0;
      do {
        x[l] = random.between<std::int64_t>(15'800'000, one - 1);
        y[l] = random.between<std::int64_t>(15'800'000, one - 1);
        product = std::ldexp(static_cast<double>(x[l] * y[l]), -48);
        cut = product - ((part + product) - part);
      } while (cut < 0.4 * std::ldexp(1.0, std::ilogb(part + 1) - 52) && ++tries < 100);
      part += product;
      sum += x[l] * y[l];
    }
    // The last two products lead to what is two units above a tie, or below, or the tie itself.
    y[k - 2] = one >> 8;
    y[k - 1] = 1;
    int bits = 0;
    while (sum >> bits != 0) ++bits;
    std::int64_t const last_bit = std::int64_t{1} << (bits - 24), tie = sum / last_bit * last_bit + last_bit / 2;
    std::size_t const m = 6, n = 5;
    Table<float> a(m, k), b(k, n);
    for (std::size_t i = 0; i < m; ++i) {
      // Two units are less than what all these roundings come to.
      std::int64_t const missing = tie + static_cast<std::int64_t>(i % 3) * 2 - 2 - sum;
      x[k - 2] = missing / y[k - 2];
      x[k - 1] = missing % y[k - 2];
      REQUIRE(std::abs(x[k - 2]) < one);
      for (std::size_t l = 0; l < k; ++l) a(i, l) = std::ldexp(static_cast<float>(x[l]), -24);
      a(i, 0) = 0x1p-40f;  // times zero: as far as is known products have more bits than there is room for
    }
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t l = 0; l < k; ++l)
        b(l, j) = std::ldexp(static_cast<float>(y[l]), -24 + 3 * static_cast<int>(j)) * (j % 2 == 0 ? 1.0f : -1.0f);
    }
    for (double const alpha : {1.0, -2.0}) {
      Storage const one_storage[] = {Storage::left};
      check_product(alpha, a, b, 0.0, Table<float>(m, n), one_storage, in_tiles);
    }
  }
}

TEST_CASE("gemm of blocks, triangles and zeros, with what makes something else of a zero") {
  Random random(838);
  for (std::size_t const n : {6, 40, 70})
    for (int const kind : {0, 1, 2, 3, 4}) {
      INFO("n = " << n << ", kind " << kind);
      Table<double> a(n, n), b(n, n), c(n, n);
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < n; ++i) {
          if (i / 5 == j / 5) a(i, j) = random.value<double>(0);
          if (i <= j) b(i, j) = random.value<double>(random.between(-3, 3));
          c(i, j) = random.value<double>(0);
        }
      }
      if (kind == 1) a(n / 2, n - 1) = HUGE_VAL;
      if (kind == 2) b(n - 1, 0) = std::nan("");
      if (kind == 3) a(n - 1, 0) = b(0, n - 1) = -0x1p-600;
      for (auto const& [alpha, beta] : {std::pair{1.0, 0.0}, {-0.3, 0.0}, {1.0, 0.5}, {HUGE_VAL, 0.0}}) {
        if (kind > 1 && alpha == HUGE_VAL) continue;
        if (n == 70 && beta == 0 && alpha != 1) continue; // the reference takes long
        check_product(alpha, kind == 4 ? b : a, b, beta, c, every_storage, in_tiles);
        check_product(alpha, a, a, beta, c, every_storage, in_tiles);
      }
    }
}

TEST_CASE("gemm with more of everything than one block has") {
  Random random(832);
  Storage const two[] = {Storage::left, Storage::right};
  {
    auto [a, b] = hard_factors<double, double>(random, Hardness::none, 130, 70, 40);
    // Rows and columns of other sizes, and of nothing: maxima that say little about the products.
    for (std::size_t l = 0; l < 40; ++l) {
      a(3, l) *= 0x1p300;
      a(5, l) = 0;
      b(l, 7) *= 0x1p-700;
      a(8, l) *= l == 20 ? 0x1p60 : 1;
      b(l, 9) = l == 20 ? 0 : b(l, 9);
    }
    check_product(1.0, a, b, 0.0, Table<double>(130, 70), two);
  }
  {
    auto const [a, b] = hard_factors<double, double>(random, Hardness::none, 9, 5, 17'000);
    check_product(-2.0, a, b, 1.0, Table<double>(9, 5), std::span(two).first(1));
  }
}

TEST_CASE("gemm where products cancel, by any number of bits and completely, whatever their range") {
  Random random(835);
  constexpr std::size_t m = 35, n = 13, half = 31, k = 2 * half;
  Storage const one[] = {Storage::left};
  for (int const range : {0, 20, 56, 300}) {
    for (double const rest : {0x1p-30, 0x1p-70, 0x1p-125, 0x1p-300, 0.0}) {
      INFO("range " << range << ", rest " << describe_bits(rest));
      Table<double> a(m, k), b(k, n);
      auto const number = [&] { return random.value<double>(random.between(-range / 2, (range + 1) / 2)); };
      // The negative of a product is far from it: no rounding is undone by the next one.
      for (std::size_t l = 0; l < half; ++l) {
        bool const cancels = l + 1 < half;
        for (std::size_t i = 0; i < m; ++i) a(i, l + half) = a(i, l) = number() * (cancels ? 1 : rest);
        for (std::size_t j = 0; j < n; ++j) {
          b(l, j) = number();
          b(l + half, j) = cancels ? -b(l, j) : number();
        }
      }
      Table<double> c(m, n);
      for (double& entry : c.entries) entry = number();
      check_product(1.0, a, b, 0.0, c, one);
      check_product(-0.3, a, b, rest, c, one);
    }
  }
}

TEST_CASE("gemm gives the same bits on every host space and on the path of devices") {
  Random random(833);
  for (Hardness const hardness : {Hardness::none, Hardness::cancelling, Hardness::every_exponent}) {
    auto const factors = hard_factors<double, double>(random, hardness, 33, 20, 25);
    auto const& a = factors.first;
    auto const& b = factors.second;
    Table<double> c(33, 20);
    for (double& entry : c.entries) entry = hard_number<double>(random, hardness);
    auto const expected = expected_product(0.3, a, b, 7.0, c);
    for_each_host_space([&](auto space) {
      auto const x = stored(a, Storage::left), y = stored(b, Storage::right);
      auto const result = stored(c, Storage::left), by_teams = stored(c, Storage::right);
      gemm(space, "N", "N", 0.3, x, y, 7, result);
      check_entries(result, expected);
      using Operated = Exakt::Impl::Operated<AnyMatrix<double>>;
      Exakt::Impl::TeamGemm().run(space, Exakt::Impl::plane_problem(Operated(x, 'N'), Operated(y, 'N'), by_teams),
                                  Exakt::Impl::EntryEpilogue(Exakt::Impl::factor(0.3), Exakt::Impl::factor(7.0)));
      space.fence();
      check_entries(by_teams, expected);
    });
  }
}

TEST_CASE("gemm of complex numbers: parts that the kernel of real ones decides, and others") {
  using Complex = Kokkos::complex<double>;
  using Matrix = HostMatrix<Complex, Kokkos::LayoutLeft>;
  Random random(836);
  constexpr std::size_t m = 21, n = 9, k = 30;
  for (Hardness const hardness : every_hardness) {
    auto const real_parts = hard_factors<double, double>(random, hardness, m, n, k),
               imaginary_parts = hard_factors<double, double>(random, hardness, m, n, k);
    auto const &real = real_parts.first, &imaginary = imaginary_parts.first;
    auto const &b_real = real_parts.second, &b_imaginary = imaginary_parts.second;
    Table<double> c_real(m, n), c_imaginary(m, n);
    for (Table<double>* const c : {&c_real, &c_imaginary})
      for (double& entry : c->entries) entry = hard_number<double>(random, hardness);
    auto const stored_parts = [](Table<double> const& x, Table<double> const& y) {
      auto const view = poisoned<Matrix>(x.rows, x.columns);
      for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < x.columns; ++j) view(i, j) = Complex(x(i, j), y(i, j));
      return view;
    };
    auto const a = stored_parts(real, imaginary), b = stored_parts(b_real, b_imaginary);
    for (double const beta : {0.0, 1.5}) {
      double const alpha = beta == 0 ? 1 : -0.3;
      INFO(name_of(hardness) << ", alpha " << alpha << ", beta " << beta);
      auto const c = stored_parts(c_real, c_imaginary);
      gemm("N", "N", alpha, a, b, beta, c);
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          auto const part = [&](auto const& x, double sign, auto const& y, double old) {
            auto const row = [&](std::size_t l) { return l < k ? real(i, l) : sign * imaginary(i, l - k); };
            auto const column = [&](std::size_t l) { return l < k ? x(l, j) : y(l - k, j); };
            return expected_epilogue(alpha, 2 * k, row, column, beta, old);
          };
          EXAKT_CHECK_BITS(c(i, j).real(), part(b_real, -1, b_imaginary, c_real(i, j)));
          EXAKT_CHECK_BITS(c(i, j).imag(), part(b_imaginary, 1, b_real, c_imaginary(i, j)));
        }
    }
  }
}

TEST_CASE("gemm of complex numbers: blocks, triangles, real numbers and zeros give what gemv gives") {
  using Complex = Kokkos::complex<double>;
  using Matrix = HostMatrix<Complex, Kokkos::LayoutLeft>;
  Random random(839);
  for (std::size_t const n : {5, 33, 70})
    for (int const kind : {0, 1, 2, 3, 4, 5}) {
      INFO("n = " << n << ", kind " << kind);
      auto const a = poisoned<Matrix>(n, n), b = poisoned<Matrix>(n, n), c = poisoned<Matrix>(n, n),
                 expected = poisoned<Matrix>(n, n);
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < n; ++i) {
          bool const in_a = kind == 4 || i / 6 == j / 6, in_b = kind == 4 || i <= j;
          auto const part = [&](bool is_there) {
            return is_there ? random.value<double>(0) : random.one_of(0.0, -0.0);
          };
          a(i, j) = Complex(part(in_a), part(in_a && kind < 4));
          b(i, j) = Complex(part(in_b && kind != 5), part(in_b && kind != 4));
        }
      }
      if (kind == 1) a(n / 2, 0) = Complex(0, HUGE_VAL);
      if (kind == 2) b(n - 1, 0) = Complex(std::nan(""), 0);
      if (kind == 3) a(n - 1, 0) = b(0, 0) = Complex(0, -0x1p-600);
      for (Complex const alpha : {Complex(1, 0), Complex(-0.3, 0), Complex(0.5, -0.7), Complex(HUGE_VAL, 0)})
        for (Complex const beta : {Complex(0, 0), Complex(1, 0)}) {
          for (Matrix const& some : {c, expected}) {
            for (std::size_t e = 0; e < n * n; ++e)
              some.data()[e] = Complex(e % 3 == 0 ? 0 : 0.5, e % 2 == 0 ? 0 : -0.1);
          }
          gemm("N", "N", alpha, a, b, beta, c);
          for (std::size_t j = 0; j < n; ++j)
            Exakt::gemv("N", alpha, a, Kokkos::subview(b, Kokkos::ALL, j), beta,
                        Kokkos::subview(expected, Kokkos::ALL, j));
          for (std::size_t e = 0; e < n * n; ++e) {
            EXAKT_CHECK_BITS(c.data()[e].real(), Expected<double>{expected.data()[e].real()});
            EXAKT_CHECK_BITS(c.data()[e].imag(), Expected<double>{expected.data()[e].imag()});
          }
        }
    }
}

TEST_CASE("with beta = 0 gemm does not look at C; with k = 0 or alpha = 0 it scales C, and looks at nothing else") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  auto const one = poisoned<Matrix>(1, 1), c = poisoned<Matrix>(1, 1);
  one(0, 0) = 3;
  gemm("N", "N", 2.0, one, one, 0.0, c);
  CHECK(same_bits(c(0, 0), 18.0));
  for (double const alpha : {1.0, infinity, not_a_number}) {
    c(0, 0) = 0.3;
    gemm("N", "N", alpha, Matrix("empty", 1, 0), Matrix("empty", 0, 1), 0.5f, c);
    CHECK(same_bits(c(0, 0), 0.15));
  }
  gemm("N", "N", 1.0, Matrix("empty", 0, 2), Matrix("2 x 3", 2, 3), 1.0, Matrix("empty", 0, 3));
  gemm("N", "N", 0.0, one, one, 1.0, c);
  CHECK(same_bits(c(0, 0), 0.15));
  for (double const unread : {infinity, not_a_number}) {
    one(0, 0) = unread;
    gemm("N", "T", -0.0, one, one, 1.0, c);
    CHECK(same_bits(c(0, 0), 0.15));
    gemm("N", "N", Kokkos::complex<double>(0, 0).real(), one, one, 4.0, c);
    CHECK(same_bits(c(0, 0), 0.6));
    gemm("N", "N", 0.0, one, one, 0.0, c);
    CHECK(same_bits(c(0, 0), 0.0));
    c(0, 0) = -0.0;
    gemm("N", "N", 0.0, one, one, 1.0, c);
    CHECK(bits_of(c(0, 0)) == bits_of(-0.0));
    c(0, 0) = 0.15;
  }
}

TEST_CASE("plain products of whole packs, among whose entries are infinities, NaN, and the ends of the range") {
  Random random(836);
  constexpr std::size_t m = 32, n = 12, k = 9;
  for (double const special : {infinity, -infinity, not_a_number, 1e308, -1e200, 1e-300, 0x1p-1074}) {
    INFO(special);
    Table<double> a(m, k), b(k, n), c(m, n);
    for (Table<double>* const factor : {&a, &b})
      for (double& entry : factor->entries) entry = random.value<double>(random.between(-3, 3));
    for (std::size_t row : {3, 4, 17}) a(row, row % k) = special;
    for (std::size_t column : {2, 5}) b(column, column) = special;
    for (std::size_t l = 0; l < k; ++l) a(9, l) = b(l, 7) = 0;
    check_product(1, a, b, 0, c);
  }
}

TEST_CASE("gemm is right in every floating-point environment") {
  Random random(834);
  for (Hardness const hardness : every_hardness) {
    auto const [a, b] = hard_factors<float, double>(random, hardness, 20, 7, 15);
    Table<double> c(20, 7);
    for (double& entry : c.entries) entry = hard_number<double>(random, hardness);
    auto const expected = expected_product(0.1, a, b, -0.7, c);
    auto const x = stored(a, Storage::left);
    auto const y = stored(b, Storage::right);
    for (auto const& environment : every_fp_environment()) {
      INFO(environment.name << ", " << name_of(hardness));
      auto const result = stored(c, Storage::left);
      {
        ScopedFpEnvironment const scope(environment, ScopedFpEnvironment::Threads::all);
        gemm("N", "N", 0.1, x, y, -0.7, result);
      }
      check_entries(result, expected);
    }
  }
}

TEST_CASE("gemm refuses operands that do not fit, by name, shape and rule") {
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  auto const a = poisoned<Matrix>(3, 4), b = poisoned<Matrix>(4, 2), c = poisoned<Matrix>(3, 2);
  auto const refusal = [&](char const* modes, auto const& x, auto const& y, auto const& z) {
    return refusal_of([&] { gemm(modes[0], modes[1], 1.0, x, y, 0.0, z); });
  };
  CHECK(refusal("XN", a, b, c) == "Exakt::gemm: transA is 'X'; it must be N, T or C");
  CHECK(refusal("NH", a, b, c) == "Exakt::gemm: transB is 'H'; it must be N, T or C");
  CHECK(refusal("NN", a, a, c) == "Exakt::gemm: A is 3 x 4, B is 3 x 4; A.extent(1) must equal B.extent(0)");
  CHECK(refusal("NN", a, b, b) == "Exakt::gemm: A is 3 x 4, C is 4 x 2; A.extent(0) must equal C.extent(0)");
  CHECK(refusal("NN", a, b, poisoned<Matrix>(3, 3)) ==
        "Exakt::gemm: B is 4 x 2, C is 3 x 3; B.extent(1) must equal C.extent(1)");
  CHECK(refusal("TN", a, b, c) ==
        "Exakt::gemm: A is 3 x 4, B is 4 x 2; with transA 'T', A.extent(0) must equal B.extent(0)");
  CHECK(refusal("tC", a, b, c) ==
        "Exakt::gemm: A is 3 x 4, B is 4 x 2; with transA 't' and transB 'C', A.extent(0) must equal B.extent(1)");
  CHECK(refusal("NN", c, poisoned<Matrix>(2, 2), c) ==
        "Exakt::gemm: C is 3 x 2, A is 3 x 2; they must not share memory");
  auto const square = poisoned<Matrix>(2, 2);
  CHECK(refusal("NN", poisoned<Matrix>(2, 2), square, square) ==
        "Exakt::gemm: C is 2 x 2, B is 2 x 2; they must not share memory");
  Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace> const folded(c.data(),
                                                                               Kokkos::LayoutStride(3, 1, 2, 2));
  CHECK(refusal("NN", a, b, folded) ==
        "Exakt::gemm: C is 3 x 2, some of which are one in memory by their strides; each is written");
  CHECK(refusal("NN", a, b, c) == "no refusal");
}
