// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Ranks.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Mpi::Distribution;
using Exakt::Mpi::gemv;

/// The columns of one rank.
template <class T>
Table<T> columns_of(Table<T> const& a, std::vector<int> const& owners, int rank) {
  Table<T> part(a.rows, static_cast<std::size_t>(std::count(owners.begin(), owners.end(), rank)));
  std::size_t column = 0;
  for (std::size_t j = 0; j < a.columns; ++j) {
    if (owners[j] != rank) continue;
    for (std::size_t i = 0; i < a.rows; ++i) part(i, column) = a(i, j);
    ++column;
  }
  return part;
}

/// One product, split along its sums or along its results, and for each with and without a transposition.
template <class T, class X, class R>
void check_product(MPI_Comm comm, Random& random, double alpha, Table<T> const& a, std::vector<X> const& x, double beta,
                   std::vector<R> const& y) {
  INFO(a.rows << " x " << a.columns << ", alpha " << describe_bits(alpha) << ", beta " << describe_bits(beta));
  int const ranks = size_of(comm), rank = rank_in(comm);
  auto const expected = expected_product(alpha, a, x, beta, y);
  Kokkos::DefaultHostExecutionSpace const space;
  auto const check_entries = [](StridedVector<R> const& actual, std::vector<Expected<R>> const& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) EXAKT_CHECK_BITS(actual(i), wanted[i]);
  };

  auto const owners = random_owners(random, a.columns, ranks);
  auto const columns = columns_of(a, owners, rank);
  StridedVector<X> const part = strided(part_of(x, owners, rank));
  Storage const storage = random.one_of(Storage::left, Storage::right, Storage::every_other);
  for (char const* const trans : {"N", "T", "C"}) {
    INFO("sums are split, trans " << trans << ", storage " << static_cast<int>(storage));
    bool const plain = trans[0] == 'N';
    StridedVector<R> const whole = contiguous(y);
    gemv(comm, space, plain ? Distribution::columns : Distribution::rows, trans, alpha,
         stored(plain ? columns : columns.transposed(), storage), part, beta, whole);
    check_entries(whole, expected);
  }

  auto const row_owners = random_owners(random, a.rows, ranks);
  auto const rows = columns_of(a.transposed(), row_owners, rank).transposed();
  auto const expected_part = part_of(expected, row_owners, rank);
  for (char const* const trans : {"N", "T"}) {
    INFO("results are split, trans " << trans << ", storage " << static_cast<int>(storage));
    bool const plain = trans[0] == 'N';
    StridedVector<R> const own = strided(part_of(y, row_owners, rank));
    gemv(comm, space, plain ? Distribution::rows : Distribution::columns, trans, alpha,
         stored(plain ? rows : rows.transposed(), storage), StridedVector<X>(contiguous(x)), beta, own);
    check_entries(own, expected_part);
  }
}

template <class T, class X, class R>
void check_random_mpi_gemv(Random& random, std::uint64_t repetitions, std::size_t most_rows, std::size_t most_columns) {
  EveryCommunicator const comms;
  for (std::uint64_t i = 0; i < repetitions * case_factor(); ++i)
    for (Hardness const hardness : every_hardness) {
      INFO(name_of(hardness));
      auto const m = random.between<std::size_t>(0, most_rows), k = random.between<std::size_t>(0, most_columns);
      auto const [a, x] = hard_product<T, X>(random, hardness, m, k);
      std::vector<R> y(m);
      for (R& entry : y) entry = hard_number<R>(random, hardness);
      double const alpha = random.one_of(1.0, -1.0, 0.1, random.value<double>(random.between(-1074, 1023)));
      double const beta = random.one_of(0.0, 1.0, -0.7, random.value<double>(random.between(-1074, 1023)));
      check_product(random.one_of(comms.begin()[0], comms.begin()[1]), random, alpha, a, x, beta, y);
    }
}

}  // namespace

TEST_CASE("gemv of a distributed matrix is that of the whole, however it is spread") {
  Random random(960);
  check_random_mpi_gemv<double, double, double>(random, 3, 30, 60);
  check_random_mpi_gemv<float, double, double>(random, 1, 30, 60);
  // Enough columns for enclosures on every rank, or on some.
  check_random_mpi_gemv<double, double, double>(random, 2, 12, 600);
  check_random_mpi_gemv<float, double, double>(random, 1, 12, 600);
}

TEST_CASE("a distributed gemv does again what its enclosures do not decide, and sees a y that is not the same") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  HostMatrix<double, Kokkos::LayoutLeft> const a("a", 3, 100);
  HostVector<double> const x("x", 100);
  for (std::size_t j = 0; j < 100; ++j) {
    x(j) = 1;
    a(0, j) = j == 0 && rank == 0 ? 1 : 0.5;               // 50 ranks, and a half
    a(1, j) = (j % 2 == 0 ? 1 : -1) * (j < 98 ? 0.1 : 0);  // 0
    a(2, j) = j == 7 ? 0x1p-1074 : j % 2 == 0 ? 0x1p996 : -0x1p996;
  }
  a(2, 9) = 0;
  a(2, 8) = 0;
  double const tiny = ranks * 0x1p-1074;
  auto const product = [&](double y0) {
    auto const y = contiguous(std::vector<double>{y0, 0.0, -0x1p996 * ranks});
    Kokkos::deep_copy(x, 1.0);
    gemv(MPI_COMM_WORLD, Distribution::columns, "N", 1.0, a, x, 1.0, y);
    return y;
  };
  auto const y = product(-50.0 * ranks - 0.5);
  EXAKT_CHECK_BITS(y(0), 0.0);
  EXAKT_CHECK_BITS(y(1), 0.0);
  // One entry less of -0x1p996 than of 0x1p996 on each rank.
  EXAKT_CHECK_BITS(y(2), exact_sum<double>({0x1p996 * ranks, -0x1p996 * ranks, tiny}).round<double>());
}

TEST_CASE("a distributed gemv does again any of many rows, and those only") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  std::size_t const m = 2'500, k = 40;
  HostMatrix<double, Kokkos::LayoutLeft> const a("a", m, k);
  HostVector<double> const x("x", k), y("y", m);
  Kokkos::deep_copy(x, 1.0);
  Kokkos::deep_copy(a, 0.25);
  // A tie on the first rank; something small there, or on the last one, decides: up to an odd number, or down to it.
  std::vector<std::size_t> const hard{0, 63, 64, 1'023, 1'024, 1'100, 2'047, 2'048, 2'499};
  auto const odd = [](std::size_t i) { return 1 + static_cast<double>(i) * 0x1p-50 + 0x1p-52; };
  for (std::size_t const i : hard) {
    for (std::size_t j = 0; j < k; ++j) a(i, j) = 0;
    a(i, 0) = rank == 0 ? odd(i) - (i % 2 == 0 ? 0x1p-52 : 0.0) : 0.0;
    a(i, 1) = rank == 0 ? 0x1p-53 : 0.0;
    a(i, 2) = rank == (i < 1'100 ? 0 : ranks - 1) ? (i % 2 == 0 ? 0x1p-200 : -0x1p-200) : 0.0;
  }
  gemv(MPI_COMM_WORLD, Distribution::columns, "N", 1, a, x, 0, y);
  for (std::size_t i = 0; i < m; ++i) {
    bool const is_hard = std::count(hard.begin(), hard.end(), i) > 0;
    EXAKT_CHECK_BITS(y(i), is_hard ? odd(i) : 0.25 * static_cast<double>(k) * ranks);
  }
}

TEST_CASE("rows of a distributed gemv that cancel are added again by threads that share their columns") {
  int const ranks = size_of(MPI_COMM_WORLD);
  std::size_t const m = 3, k = 70'000;
  HostMatrix<double, Kokkos::LayoutRight> const a("a", m, k);
  HostVector<double> const x("x", k), y("y", m);
  Kokkos::deep_copy(x, 1.0);
  for (std::size_t i = 0; i < m; ++i) {
    auto const number = static_cast<double>(i + 1);
    for (std::size_t j = 0; j < k; ++j) a(i, j) = (j % 2 == 0 ? 0.1 : -0.1) * number;
    for (std::size_t j = 0; j < k; j += 20'000) {
      a(i, j) = 0x1p-200 * number;
      a(i, j + 1) = 0;
    }
  }
  gemv(MPI_COMM_WORLD, Distribution::columns, "N", 1, a, x, 0, y);
  for (std::size_t i = 0; i < m; ++i) EXAKT_CHECK_BITS(y(i), static_cast<double>(i + 1) * ranks * 0x1p-198);
}

TEST_CASE("a y that is whole has the same entries on all ranks, where it is read") {
  bool const is_last = rank_in(MPI_COMM_WORLD) == size_of(MPI_COMM_WORLD) - 1;
  auto const refusal = [&](auto type, auto beta, auto last, auto of_others) {
    using T = decltype(type);
    HostMatrix<T, Kokkos::LayoutLeft> const a("A", 3, 2);
    HostVector<T> const x("x", 2), y("y", 3);
    Kokkos::deep_copy(a, T(1));
    Kokkos::deep_copy(x, T(1));
    y(1) = is_last ? T(last) : T(of_others);
    return refusal_of([&] { gemv(MPI_COMM_WORLD, Distribution::columns, "N", 1.0, a, x, beta, y); });
  };
  std::string const differ =
      size_of(MPI_COMM_WORLD) == 1 ? "no refusal" : "Exakt::Mpi::gemv: y must have the same entries on all ranks";
  CHECK(refusal(double{}, 1.0, 1.0, 1 + 0x1p-52) == differ);
  CHECK(refusal(float{}, 1.0f, 1.0, 1 + 0x1p-23) == differ);
  CHECK(refusal(Kokkos::complex<double>{}, 1.0, 1.0, 1 + 0x1p-52) == differ);
  Kokkos::complex<double> const i(0, 1);
  CHECK(refusal(Kokkos::complex<double>{}, 1.0, i, 2.0 * i) == differ);
  CHECK(refusal(double{}, 0.0, 1.0, 2.0) == "no refusal");
  double const nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal(double{}, 1.0, nan, -nan) == "no refusal");
  CHECK(refusal(double{}, is_last ? nan : -nan, 1.0, 1.0) == "no refusal");
}

TEST_CASE("gemv of distributed matrices with more rows or columns than one thread takes") {
  Random random(961);
  for (auto const& [m, k] : {std::pair<std::size_t, std::size_t>{600, 300}, {3, 70'000}, {1, 40'001}}) {
    auto [a, x] = hard_product<double, double>(random, m == 3 ? Hardness::cancelling : Hardness::none, m, k);
    a(0, k / 2) *= 0x1p300;  // only one rank needs the digits up there
    check_product(MPI_COMM_WORLD, random, 0.3, a, x, -1.5, std::vector<double>(m, 1e10));
  }
}

TEST_CASE(
    "with beta = 0 a distributed gemv does not look at y; with no columns anywhere it scales y, whatever alpha is") {
  int const rank = rank_in(MPI_COMM_WORLD);
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  // Only rank 0 has a column.
  Matrix const a("a", 2, rank == 0 ? 1 : 0);
  HostVector<double> const x("x", a.extent(1));
  if (rank == 0) {
    a(0, 0) = 3;
    a(1, 0) = -0.0;
    x(0) = 1;
  }
  auto const y = contiguous(std::vector<double>{not_a_number, infinity});
  gemv(MPI_COMM_WORLD, Distribution::columns, "N", 2.0, a, x, 0.0, y);
  EXAKT_CHECK_BITS(y(0), 6.0);
  EXAKT_CHECK_BITS(y(1), 0.0);
  gemv(MPI_COMM_WORLD, Distribution::columns, "N", infinity, a, x, 1, y);
  EXAKT_CHECK_BITS(y(0), infinity);
  EXAKT_CHECK_BITS(y(1), not_a_number);

  Matrix const empty("empty", 2, 0);
  HostVector<double> const nothing("nothing", 0);
  for (double const alpha : {1.0, infinity, not_a_number}) {
    y(0) = 0.3;
    y(1) = -0x1p-1074;
    gemv(MPI_COMM_WORLD, Distribution::columns, "N", alpha, empty, nothing, 0.5, y);
    EXAKT_CHECK_BITS(y(0), 0.15);
    EXAKT_CHECK_BITS(y(1), -0.0);
  }
  gemv(MPI_COMM_WORLD, Distribution::columns, "T", 1.0, empty, y, 0.0, nothing);
  gemv(MPI_COMM_WORLD, Distribution::rows, "T", 1.0, empty, y, 0.0, nothing);
}

TEST_CASE("with alpha = 0 a distributed gemv looks neither at A nor at x; y stays as it is if beta is one") {
  auto const a = poisoned<HostMatrix<double, Kokkos::LayoutLeft>>(2, 40);
  auto const x = poisoned<HostVector<double>>(40);
  for (auto const distribution : {Distribution::columns, Distribution::rows}) {
    auto const y = contiguous(std::vector<double>{-0.0, 7});
    gemv(MPI_COMM_WORLD, distribution, "N", 0.0, a, x, 1.0, y);
    CHECK(bits_of(y(0)) == bits_of(-0.0));
    EXAKT_CHECK_BITS(y(1), 7.0);
    gemv(MPI_COMM_WORLD, distribution, "N", -0.0, a, x, 0.5, y);
    EXAKT_CHECK_BITS(y(1), 3.5);
    gemv(MPI_COMM_WORLD, distribution, "N", 0.0, a, x, 0.0, y);
    EXAKT_CHECK_BITS(y(0), 0.0);
    EXAKT_CHECK_BITS(y(1), 0.0);
  }
}

TEST_CASE("a distributed gemv of complex numbers rounds real and imaginary parts once each") {
  using C = Kokkos::complex<double>;
  Random random(962);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  std::size_t const m = 5, k = 40;
  Table<C> a(m, k);
  std::vector<C> x(k);
  auto const number = [&] { return random.value<double>(random.between(-30, 30)); };
  for (auto& entry : a.entries) entry = C(number(), number());
  for (auto& entry : x) entry = C(number(), number());
  C const alpha(0.3, -2), y(0.1, 7);
  auto const owners = random_owners(random, k, ranks);
  auto const columns = columns_of(a, owners, rank);
  for (bool const conjugated : {false, true}) {
    // op(A) is A, or the conjugate transpose of a matrix whose rows are the columns of A.
    HostMatrix<C, Kokkos::LayoutRight> const part("part", conjugated ? columns.columns : m,
                                                  conjugated ? m : columns.columns);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < columns.columns; ++j) (conjugated ? part(j, i) : part(i, j)) = columns(i, j);
    auto const result = contiguous(std::vector<C>(m, y));
    gemv(MPI_COMM_WORLD, conjugated ? Distribution::rows : Distribution::columns, conjugated ? "C" : "N", alpha, part,
         contiguous(part_of(x, owners, rank)), -0.7, result);
    for (std::size_t i = 0; i < m; ++i) {
      Exact real, imaginary;
      for (std::size_t j = 0; j < k; ++j) {
        double const sign = conjugated ? -1 : 1, re = a(i, j).real(), im = sign * a(i, j).imag();
        real.add_product(re, x[j].real()).subtract_product(im, x[j].imag());
        imaginary.add_product(re, x[j].imag()).add_product(im, x[j].real());
      }
      ScaledExact real_total(alpha.real(), real), imaginary_total(alpha.real(), imaginary);
      real_total.add_scaled(-alpha.imag(), imaginary).add_product(-0.7, y.real());
      imaginary_total.add_scaled(alpha.imag(), real).add_product(-0.7, y.imag());
      EXAKT_CHECK_BITS(result(i).real(), real_total.round<double>());
      EXAKT_CHECK_BITS(result(i).imag(), imaginary_total.round<double>());
    }
  }
}

TEST_CASE("the path of devices makes the same partial sums") {
  using namespace Exakt::Impl;
  Random random(963);
  for (Hardness const hardness : every_hardness) {
    auto const [a, x] = hard_product<double, double>(random, hardness, 6, 50);
    auto const matrix = stored(a, Storage::right);
    Exakt::Mpi::Impl::PartialSums<false, Kokkos::HostSpace> const sums(6);
    Exakt::Mpi::Impl::sum_by_teams(Kokkos::DefaultHostExecutionSpace(), Operated<AnyMatrix<double>>(matrix, 'N'),
                                   contiguous(x), sums);
    for (std::size_t i = 0; i < 6; ++i) {
      Exact sum;
      for (std::size_t j = 0; j < 50; ++j) sum.add_product(a(i, j), x[j]);
      EXAKT_CHECK_BITS(sums.at(i).round(), sum.round<double>());
    }
  }
}

TEST_CASE("a distributed gemv is right if one rank has a hostile floating-point environment") {
  Random random(964);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  std::size_t const k = 60 * static_cast<std::size_t>(ranks);
  auto const [a, x] = hard_product<double, double>(random, Hardness::every_exponent, 4, k);
  auto const expected = expected_product(0.1, a, x, -0.7, std::vector<double>(4, 3.0));
  auto const owners = random_owners(random, k, ranks);
  auto const part = stored(columns_of(a, owners, rank), Storage::left);
  StridedVector<double> const x_part = contiguous(part_of(x, owners, rank));
  for (auto const& settings : every_fp_environment()) {
    INFO(settings.name);
    StridedVector<double> const y = contiguous(std::vector<double>(4, 3.0));
    {
      ScopedFpEnvironment const scope(rank == ranks - 1 ? settings : every_fp_environment()[0],
                                      ScopedFpEnvironment::Threads::all);
      gemv(MPI_COMM_WORLD, Kokkos::DefaultHostExecutionSpace(), Distribution::columns, "N", 0.1, part, x_part, -0.7, y);
    }
    for (std::size_t i = 0; i < 4; ++i) EXAKT_CHECK_BITS(y(i), expected[i]);
  }
}

TEST_CASE("a distributed gemv whose operands do not fit on one rank is refused on all, and nothing is written") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  bool const is_last = rank == ranks - 1;
  auto const vector = [](std::size_t n) { return contiguous(std::vector<double>(n, 7.0)); };
  auto const refusal = [](Distribution distribution, char const* trans, double alpha, auto const& a, auto const& x,
                          auto const& y) {
    auto const said = refusal_of([&] { gemv(MPI_COMM_WORLD, distribution, trans, alpha, a, x, 0.0, y); });
    for (std::size_t i = 0; i < y.extent(0) && said != "no refusal"; ++i) EXAKT_CHECK_BITS(y(i), 7.0);
    return said;
  };
  Matrix const a("a", 3, 4);
  std::string const elsewhere = "Exakt::Mpi::gemv: another rank refused its operands or failed; it says why";
  auto const columns = Distribution::columns, rows = Distribution::rows;

  // What a rank sees itself.
  CHECK(refusal(columns, "N", 1, a, vector(is_last ? 5 : 4), vector(3)) ==
        (is_last ? "Exakt::Mpi::gemv: A is 3 x 4, x is 5 entries; A.extent(1) must equal x.extent(0)" : elsewhere));
  CHECK(refusal(rows, "N", 1, a, vector(4), vector(is_last ? 4 : 3)) ==
        (is_last ? "Exakt::Mpi::gemv: A is 3 x 4, y is 4 entries; A.extent(0) must equal y.extent(0)" : elsewhere));
  CHECK(refusal(rows, "t", 1, a, vector(is_last ? 4 : 3), vector(4)) ==
        (is_last ? "Exakt::Mpi::gemv: A is 3 x 4, x is 4 entries; with trans 't', A.extent(0) must equal x.extent(0)"
                 : elsewhere));
  CHECK(refusal(columns, is_last ? "X" : "N", 1, a, vector(4), vector(3)) ==
        (is_last ? "Exakt::Mpi::gemv: trans is 'X'; it must be N, T or C" : elsewhere));
  CHECK(refusal(is_last ? static_cast<Distribution>(2) : rows, "N", 1, a, vector(4), vector(3)) ==
        (is_last ? "Exakt::Mpi::gemv: distribution is 2; it must be Distribution::rows or Distribution::columns"
                 : elsewhere));
  Matrix const sevens("sevens", 4, 4);
  Kokkos::deep_copy(sevens, 7.0);
  HostVector<double> const column = Kokkos::subview(sevens, Kokkos::ALL, 1);
  CHECK(refusal(columns, "N", 1, sevens, vector(4), column) ==
        "Exakt::Mpi::gemv: y is 4 entries, A is 4 x 4; they must not share memory");
  CHECK(refusal_of([&] { gemv(MPI_COMM_NULL, columns, "N", 1.0, a, vector(4), 0.0, vector(3)); }) ==
        "Exakt::Mpi::gemv: comm is MPI_COMM_NULL; it must be a communicator of this rank");

  // What only all of them together can see.
  if (ranks > 1) {
    std::size_t const n = is_last ? 2 : 3;
    auto const differ = [&](std::string const& operand) {
      return "Exakt::Mpi::gemv: " + operand + " has " + std::to_string(n) + " entries on rank " + std::to_string(rank) +
             ", from 2 to 3 on the " + std::to_string(ranks) + " ranks; all must have the same number";
    };
    Matrix const b("b", n, 4);
    CHECK(refusal(columns, "N", 1, b, vector(4), vector(n)) == differ("y"));
    CHECK(refusal(columns, "T", 1, b, vector(n), vector(4)) == differ("x"));
    Matrix const c("c", 3, n);
    CHECK(refusal(rows, "T", 1, c, vector(3), vector(n)) == differ("y"));
    std::string const request =
        "Exakt::Mpi::gemv: all ranks must give the same distribution, trans, alpha and beta, and a y of the same type";
    CHECK(refusal(columns, "N", is_last ? 2 : 1, a, vector(4), vector(3)) == request);
    CHECK(refusal(is_last ? columns : rows, "N", 1, a, vector(4), vector(3)) == request);
    CHECK(refusal_of([&] { gemv(MPI_COMM_WORLD, columns, "N", 1.0, a, vector(4), is_last ? 2.0 : 0.5, vector(3)); }) ==
          request);
    // Of complex numbers T is not C, and a factor has two parts.
    using C = Kokkos::complex<double>;
    HostMatrix<C, Kokkos::LayoutLeft> const ac("ac", 3, 4);
    HostVector<C> const xc("xc", 3), yc("yc", 4);
    CHECK(refusal_of([&] { gemv(MPI_COMM_WORLD, rows, is_last ? "C" : "T", 1.0, ac, xc, 0.0, yc); }) == request);
    CHECK(refusal_of([&] { gemv(MPI_COMM_WORLD, rows, "T", C(1, is_last ? 2 : 3), ac, xc, 0.0, yc); }) == request);
    CHECK(refusal_of([&] { gemv(MPI_COMM_WORLD, rows, "T", 1.0, ac, xc, C(1, is_last ? 2 : 3), yc); }) == request);
    CHECK(refusal_of([&] {
            if (is_last) {
              gemv(MPI_COMM_WORLD, columns, "N", 1.0, a, vector(4), 0.0, contiguous(std::vector<float>(3)));
            } else {
              gemv(MPI_COMM_WORLD, columns, "N", 1.0, a, vector(4), 0.0, vector(3));
            }
          }) == request);
  }
  auto const y = vector(3);
  CHECK(refusal(columns, "N", 1, a, vector(4), y) == "no refusal");
  EXAKT_CHECK_BITS(y(0), 0.0);
}
