// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Ranks.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Mpi::gemm;
using HostSpace = Kokkos::DefaultHostExecutionSpace;

/// The rows of one rank.
template <class T>
Table<T> rows_of(Table<T> const& a, std::vector<int> const& owners, int rank) {
  Table<T> part(static_cast<std::size_t>(std::count(owners.begin(), owners.end(), rank)), a.columns);
  std::size_t row = 0;
  for (std::size_t i = 0; i < a.rows; ++i) {
    if (owners[i] != rank) continue;
    for (std::size_t j = 0; j < a.columns; ++j) part(row, j) = a(i, j);
    ++row;
  }
  return part;
}

template <class T, class U, class R>
void check_product(MPI_Comm comm, Random& random, double alpha, Table<T> const& x, Table<U> const& y, double beta,
                   Table<R> const& c) {
  INFO(x.rows << " x " << x.columns << ", and " << y.columns << " columns, alpha " << describe_bits(alpha) << ", beta "
              << describe_bits(beta));
  auto const expected = expected_product(alpha, x.transposed(), y, beta, c);
  auto const owners = random_owners(random, x.rows, size_of(comm));
  auto const any_storage = [&] { return random.one_of(Storage::left, Storage::right, Storage::every_other); };
  auto const part = stored(rows_of(x, owners, rank_in(comm)), any_storage());
  auto const other = stored(rows_of(y, owners, rank_in(comm)), any_storage());
  auto const result = stored(c, any_storage());
  gemm(comm, HostSpace(), random.coin() ? "T" : "c", "N", alpha, part, other, beta, result);
  check_entries(result, expected);
}

template <class T, class U, class R>
void check_random_mpi_gemm(Random& random, std::uint64_t repetitions, std::size_t most_rows) {
  EveryCommunicator const comms;
  for (std::uint64_t i = 0; i < repetitions * case_factor(); ++i)
    for (Hardness const hardness : every_hardness) {
      INFO(name_of(hardness));
      auto const m = random.between<std::size_t>(0, 9), n = random.between<std::size_t>(0, 7),
                 k = random.between<std::size_t>(0, most_rows);
      auto const [a, b] = hard_factors<T, U>(random, hardness, m, n, k);
      Table<R> c(m, n);
      for (R& entry : c.entries) entry = hard_number<R>(random, hardness);
      HardFactors const factors(random);
      check_product(random.one_of(comms.begin()[0], comms.begin()[1]), random, factors.alpha, a.transposed(), b,
                    factors.beta, c);
    }
}

}  // namespace

TEST_CASE("the product of tall matrices is that of all rows, however they are spread") {
  Random random(1000);
  check_random_mpi_gemm<double, double, double>(random, 2, 40);
  check_random_mpi_gemm<double, double, double>(random, 2, 700);
  check_random_mpi_gemm<float, double, double>(random, 1, 300);
  check_random_mpi_gemm<double, float, float>(random, 1, 300);
}

TEST_CASE("the product of tall matrices with more rows than one thread takes at once, and with itself") {
  Random random(1001);
  for (Hardness const hardness : {Hardness::none, Hardness::cancelling, Hardness::ties}) {
    auto const [a, b] = hard_factors<double, double>(random, hardness, 5, 3, 9'000);
    check_product(MPI_COMM_WORLD, random, 1.0, a.transposed(), b, 0.0, Table<double>(5, 3));
    check_product(MPI_COMM_WORLD, random, -0.3, b, b, 1.5, Table<double>(3, 3));
  }
}

TEST_CASE("entries of a distributed product that its enclosures do not decide are added again, and only those") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  HostMatrix<double, Kokkos::LayoutLeft> const x("x", 100, 2), y("y", 100, 2), c("c", 2, 2);
  for (std::size_t l = 0; l < 100; ++l) {
    x(l, 0) = 1;
    x(l, 1) = (l % 2 == 0 ? 1 : -1) * 1e300;
    y(l, 0) = l == 0 && rank == 0 ? 1 : 0.5;
    y(l, 1) = l == 1 ? 0x1p-1000 : 0.1;
  }
  x(1, 1) = 0x1p-74;
  x(0, 1) = 0;
  gemm(MPI_COMM_WORLD, "T", "N", 1, x, y, 0, c);
  EXAKT_CHECK_BITS(c(0, 0), 50.0 * ranks + 0.5);
  EXAKT_CHECK_BITS(c(1, 0), 0x1p-75 * ranks);
  EXAKT_CHECK_BITS(c(1, 1), 0x1p-1074 * ranks);
  Exact sum;
  for (int l = 0; l < 99 * ranks; ++l) sum.add(0.1);
  sum.add(ranks * 0x1p-1000);
  EXAKT_CHECK_BITS(c(0, 1), sum.round<double>());
}

TEST_CASE(
    "entries of a distributed product next to a tie are rounded by what lies on either side of their enclosures") {
  HostMatrix<double, Kokkos::LayoutLeft> const x("x", 40, 1), y("y", 40, 2), c("c", 1, 2);
  Kokkos::deep_copy(x, 1.0);
  if (rank_in(MPI_COMM_WORLD) == 0) {
    y(0, 0) = 1;
    y(0, 1) = 1 + 0x1p-52;
    y(1, 0) = y(1, 1) = 0x1p-53;
    y(2, 0) = 0x1p-200;
    y(2, 1) = -0x1p-200;
  }
  gemm(MPI_COMM_WORLD, "T", "N", 1, x, y, 0, c);
  EXAKT_CHECK_BITS(c(0, 0), 1 + 0x1p-52);
  EXAKT_CHECK_BITS(c(0, 1), 1 + 0x1p-52);
}

TEST_CASE(
    "with beta = 0 a distributed product does not look at C, with alpha = 0 not at X and Y; without rows C is scaled") {
  int const rank = rank_in(MPI_COMM_WORLD);
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  Matrix const x("x", rank == 0 ? 1 : 0, 1), y("y", x.extent(0), 2), c("c", 1, 2);
  if (rank == 0) {
    x(0, 0) = 3;
    y(0, 0) = 1;
    y(0, 1) = -0.0;
  }
  c(0, 0) = not_a_number;
  c(0, 1) = infinity;
  gemm(MPI_COMM_WORLD, "T", "N", 2.0, x, y, 0.0, c);
  EXAKT_CHECK_BITS(c(0, 0), 6.0);
  EXAKT_CHECK_BITS(c(0, 1), 0.0);
  gemm(MPI_COMM_WORLD, "T", "N", infinity, x, y, 1, c);
  EXAKT_CHECK_BITS(c(0, 0), infinity);
  EXAKT_CHECK_BITS(c(0, 1), not_a_number);

  auto const poison_x = poisoned<Matrix>(40, 1), poison_y = poisoned<Matrix>(40, 2);
  c(0, 0) = -0.0;
  c(0, 1) = 7;
  gemm(MPI_COMM_WORLD, "T", "N", 0.0, poison_x, poison_y, 1, c);
  CHECK(bits_of(c(0, 0)) == bits_of(-0.0));
  gemm(MPI_COMM_WORLD, "T", "N", -0.0, poison_x, poison_y, 0.5, c);
  EXAKT_CHECK_BITS(c(0, 1), 3.5);
  Matrix const no_x("no_x", 0, 1), no_y("no_y", 0, 2);
  gemm(MPI_COMM_WORLD, "T", "N", not_a_number, no_x, no_y, 2, c);
  EXAKT_CHECK_BITS(c(0, 1), 7.0);
}

TEST_CASE("a distributed product of complex numbers rounds real and imaginary parts once each") {
  using C = Kokkos::complex<double>;
  Random random(1002);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  std::size_t const m = 3, n = 2, k = 50;
  Table<C> x(k, m), y(k, n);
  auto const number = [&] { return random.value<double>(random.between(-30, 30)); };
  for (auto& entry : x.entries) entry = C(number(), number());
  for (auto& entry : y.entries) entry = C(number(), number());
  C const alpha(0.3, -2), old(0.1, 7);
  auto const owners = random_owners(random, k, ranks);
  using Matrix = HostMatrix<C, Kokkos::LayoutRight>;
  auto const part = [&](Table<C> const& whole) {
    auto const rows = rows_of(whole, owners, rank);
    Matrix const result("part", rows.rows, rows.columns);
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t j = 0; j < rows.columns; ++j) result(i, j) = rows(i, j);
    return result;
  };
  for (bool const conjugated : {false, true}) {
    Matrix const c("c", m, n);
    Kokkos::deep_copy(c, old);
    gemm(MPI_COMM_WORLD, conjugated ? "C" : "T", "N", alpha, part(x), part(y), -0.7, c);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        Exact real, imaginary;
        for (std::size_t l = 0; l < k; ++l) {
          double const re = x(l, i).real(), im = (conjugated ? -1 : 1) * x(l, i).imag();
          real.add_product(re, y(l, j).real()).subtract_product(im, y(l, j).imag());
          imaginary.add_product(re, y(l, j).imag()).add_product(im, y(l, j).real());
        }
        ScaledExact real_total(alpha.real(), real), imaginary_total(alpha.real(), imaginary);
        real_total.add_scaled(-alpha.imag(), imaginary).add_product(-0.7, old.real());
        imaginary_total.add_scaled(alpha.imag(), real).add_product(-0.7, old.imag());
        EXAKT_CHECK_BITS(c(i, j).real(), real_total.round<double>());
        EXAKT_CHECK_BITS(c(i, j).imag(), imaginary_total.round<double>());
      }
  }
}

TEST_CASE("a distributed product has the same bits in hostile environments on one rank and on all") {
  Random random(1003);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  for (Hardness const hardness : {Hardness::every_exponent, Hardness::tiny, Hardness::cancelling}) {
    std::size_t const k = 1'500 * static_cast<std::size_t>(ranks);
    auto const [a, b] = hard_factors<double, double>(random, hardness, 4, 3, k);
    Table<double> c(4, 3);
    std::fill(c.entries.begin(), c.entries.end(), 0x1p-1073);
    auto const expected = expected_product(0.1, a, b, 0.5, c);
    auto const owners = random_owners(random, k, ranks);
    auto const x = stored(rows_of(a.transposed(), owners, rank), Storage::left);
    auto const y = stored(rows_of(b, owners, rank), Storage::right);
    for (auto const& settings : every_fp_environment())
      for (bool const everywhere : {false, true}) {
        INFO(name_of(hardness) << ", " << settings.name << (everywhere ? " on all ranks" : " on the last rank"));
        auto const result = stored(c, Storage::left);
        {
          ScopedFpEnvironment const scope(everywhere || rank == ranks - 1 ? settings : every_fp_environment()[0],
                                          ScopedFpEnvironment::Threads::all);
          gemm(MPI_COMM_WORLD, HostSpace(), "T", "N", 0.1, x, y, 0.5, result);
        }
        check_entries(result, expected);
      }
  }
}

TEST_CASE("a distributed product whose operands do not fit on one rank is refused on all, and nothing is written") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  bool const is_last = rank == ranks - 1;
  auto const matrix = [](std::size_t m, std::size_t n) {
    HostMatrix<double, Kokkos::LayoutStride> const result(HostMatrix<double, Kokkos::LayoutLeft>("matrix", m, n));
    Kokkos::deep_copy(result, 7.0);
    return result;
  };
  auto const refusal = [](char const* trans, double alpha, auto const& x, auto const& y, double beta, auto const& c) {
    auto const said = refusal_of([&] { gemm(MPI_COMM_WORLD, trans, "N", alpha, x, y, beta, c); });
    for (std::size_t i = 0; i < c.extent(0) && said != "no refusal"; ++i) EXAKT_CHECK_BITS(c(i, 0), 7.0);
    return said;
  };
  std::string const elsewhere = "Exakt::Mpi::gemm: another rank refused its operands or failed; it says why";
  auto const x = matrix(10, 3), y = matrix(10, 4);

  // What a rank sees itself.
  CHECK(refusal("T", 1, x, matrix(is_last ? 11 : 10, 4), 0, matrix(3, 4)) ==
        (is_last ? "Exakt::Mpi::gemm: X is 10 x 3, Y is 11 x 4; X.extent(0) must equal Y.extent(0)" : elsewhere));
  CHECK(refusal("t", 1, x, y, 0, matrix(is_last ? 2 : 3, 4)) ==
        (is_last ? "Exakt::Mpi::gemm: X is 10 x 3, C is 2 x 4; with transA 't', X.extent(1) must equal C.extent(0)"
                 : elsewhere));
  CHECK(refusal("T", 1, x, y, 0, matrix(3, is_last ? 5 : 4)) ==
        (is_last ? "Exakt::Mpi::gemm: Y is 10 x 4, C is 3 x 5; Y.extent(1) must equal C.extent(1)" : elsewhere));
  CHECK(refusal(is_last ? "N" : "T", 1, x, y, 0, matrix(3, 4)) ==
        (is_last ? "Exakt::Mpi::gemm: transA is 'N'; it must be T or C" : elsewhere));
  CHECK(refusal_of([&] { gemm(MPI_COMM_WORLD, "T", "T", 1, x, y, 0, matrix(3, 4)); }) ==
        "Exakt::Mpi::gemm: transB is 'T'; it must be N");
  auto const whole = matrix(10, 3);
  CHECK(refusal("T", 1, whole, whole, 0,
                AnyMatrix<double>(Kokkos::subview(whole, std::pair<std::size_t, std::size_t>(2, 5), Kokkos::ALL))) ==
        "Exakt::Mpi::gemm: C is 3 x 3, X is 10 x 3; they must not share memory");
  CHECK(refusal_of([&] { gemm(MPI_COMM_NULL, "T", "N", 1, x, y, 0, matrix(3, 4)); }) ==
        "Exakt::Mpi::gemm: comm is MPI_COMM_NULL; it must be a communicator of this rank");

  // What only all of them together can see.
  if (ranks > 1) {
    std::string const differ =
        "Exakt::Mpi::gemm: all ranks must give the same transA, alpha and beta, and a C of the same type and shape";
    CHECK(refusal("T", is_last ? 2 : 1, x, y, 0, matrix(3, 4)) == differ);
    CHECK(refusal(is_last ? "C" : "T", 1, x, y, 0, matrix(3, 4)) == differ);
    CHECK(refusal("T", 1, x, y, is_last ? 2 : 0.5, matrix(3, 4)) == differ);
    CHECK(refusal("T", 1, is_last ? matrix(10, 4) : x, is_last ? x : y, 0, is_last ? matrix(4, 3) : matrix(3, 4)) ==
          differ);
    auto const other = matrix(3, 4);
    if (is_last) other(2, 3) = 8;
    CHECK(refusal("T", 1, x, y, 1, other) == "Exakt::Mpi::gemm: C must have the same entries on all ranks");
    CHECK(refusal("T", 1, x, y, 0, other) == "no refusal");
  }
  auto const c = matrix(3, 4);
  CHECK(refusal("T", 1, x, y, 0, c) == "no refusal");
  EXAKT_CHECK_BITS(c(0, 0), 490.0 * ranks);
}
