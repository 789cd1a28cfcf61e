// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../sparse/ExaktTest_SparseMatrices.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Ranks.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Mpi::spmv;
using Exakt::Mpi::SpmvPlan;
using HostSpace = Kokkos::DefaultHostExecutionSpace;

/// The rows of one rank, with the columns of the whole.
template <class T>
Entries<T> rows_of(Entries<T> const& a, std::vector<int> const& owners, int rank) {
  Entries<T> part{0, a.columns, {}};
  std::vector<std::size_t> number(a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    if (owners[i] == rank) number[i] = part.rows++;
  for (auto const& entry : a.list)
    if (owners[entry.row] == rank) part.list.push_back({number[entry.row], entry.column, entry.value});
  return part;
}

/// Owners of n things one rank after the other: parts of any length, none included.
std::vector<int> owners_in_order(Random& random, std::size_t n, int ranks) {
  auto owners = random_owners(random, n, ranks);
  std::sort(owners.begin(), owners.end());
  return owners;
}

/// A distribution of x: the numbers of this rank's entries, in its order.
struct Part {
  HostVector<std::int64_t> numbers;
  template <class T>
  std::vector<T> of(std::vector<T> const& x) const {
    std::vector<T> part;
    for (std::size_t i = 0; i < numbers.extent(0); ++i) part.push_back(x[static_cast<std::size_t>(numbers(i))]);
    return part;
  }
};
Part random_part(Random& random, std::size_t n, MPI_Comm comm) {
  std::vector<std::int64_t> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<std::int64_t>(i);
  random.shuffle(numbers);
  return {contiguous(part_of(numbers, random_owners(random, n, size_of(comm)), rank_in(comm)))};
}

template <class Index, class Offset, class T, class X, class R>
void check_partitions(MPI_Comm comm, Random& random, double alpha, Entries<T> const& a, std::vector<X> const& x,
                      double beta, std::vector<R> const& y, std::vector<X> const& of_rows,
                      std::vector<R> const& of_columns) {
  INFO(a.rows << " x " << a.columns << ", " << a.list.size() << " entries, alpha " << describe_bits(alpha) << ", beta "
              << describe_bits(beta));
  int const ranks = size_of(comm), rank = rank_in(comm);
  auto const expected = expected_sparse_product(false, alpha, a, x, beta, y);
  auto const expected_of_columns = expected_sparse_product(true, alpha, a, of_rows, beta, of_columns);
  auto const check = [&](auto const& result, auto const& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) EXAKT_CHECK_BITS(result(i), wanted[i]);
  };
  {
    INFO("rows and x in any order, columns too");
    auto const owners = random_owners(random, a.rows, ranks);
    auto const rows = stored<Index, Offset>(rows_of(shuffled(a, random), owners, rank));
    auto const part = random_part(random, x.size(), comm);
    SpmvPlan const plan(comm, rows, part.numbers);
    CHECK(plan.own_entries() == part.numbers.extent(0));
    for (char const* const mode : {"N", "c"}) {
      auto const result = strided(part_of(y, owners, rank));
      spmv(comm, HostSpace(), mode, alpha, rows, strided(part.of(x)), beta, result, plan);
      check(result, part_of(expected, owners, rank));
    }
    for (char const* const mode : {"t", "H"}) {
      INFO("mode " << mode);
      auto const result = strided(part.of(of_columns));
      spmv(comm, HostSpace(), mode, alpha, rows, strided(part_of(of_rows, owners, rank)), beta, result, plan);
      check(result, part.of(expected_of_columns));
    }
  }
  {
    INFO("one rank after the other");
    auto const owners = owners_in_order(random, a.rows, ranks), owners_of_x = owners_in_order(random, x.size(), ranks);
    auto const rows = stored<Index, Offset>(rows_of(a, owners, rank));
    // Contiguous: of the same types as above, for it is the strides that the library looks at.
    StridedVector<X> const part = contiguous(part_of(x, owners_of_x, rank));
    SpmvPlan const plan(comm, rows, part.extent(0));
    StridedVector<R> const result = contiguous(part_of(y, owners, rank));
    spmv(comm, "N", alpha, rows, part, beta, result, plan);
    check(result, part_of(expected, owners, rank));
    StridedVector<R> const result_of_transpose = contiguous(part_of(of_columns, owners_of_x, rank));
    StridedVector<X> const part_of_rows = contiguous(part_of(of_rows, owners, rank));
    spmv(comm, "T", alpha, rows, part_of_rows, beta, result_of_transpose, plan);
    check(result_of_transpose, part_of(expected_of_columns, owners_of_x, rank));
  }
}

template <class T, class X, class R, class Index = int, class Offset = std::size_t>
void check_random_mpi_spmv(Random& random, std::uint64_t repetitions) {
  EveryCommunicator const comms;
  for (std::uint64_t i = 0; i < repetitions * case_factor(); ++i)
    for (Hardness const hardness : every_hardness) {
      INFO(name_of(hardness));
      auto const m = random.between<std::size_t>(0, 60), k = random.between<std::size_t>(1, 70);
      auto const [a, x] = hard_sparse_product<T, X>(random, hardness, m, k);
      auto const numbers = [&](auto type, std::size_t n) {
        std::vector<decltype(type)> result(n);
        for (auto& number : result) number = hard_number<decltype(type)>(random, hardness);
        return result;
      };
      HardFactors const factors(random);
      check_partitions<Index, Offset>(random.one_of(comms.begin()[0], comms.begin()[1]), random, factors.alpha, a, x,
                                      factors.beta, numbers(R{}, m), numbers(X{}, m), numbers(R{}, k));
    }
}

}  // namespace

TEST_CASE("spmv of a distributed matrix is that of the whole, whatever the partition and the order of columns") {
  Random random(1010);
  check_random_mpi_spmv<double, double, double>(random, 4);
  check_random_mpi_spmv<float, double, double, std::int64_t, int>(random, 1);
  check_random_mpi_spmv<double, float, float, unsigned, std::int64_t>(random, 1);
}

TEST_CASE("a plan serves any values of its graph, and vectors of any type, one product after the other") {
  Random random(1011);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  auto a = stencil(9, [](bool is_diagonal) { return is_diagonal ? 26.0 : -1.0; });
  auto const owners = owners_in_order(random, a.rows, ranks);
  auto const rows = stored(rows_of(a, owners, rank));
  SpmvPlan const plan(MPI_COMM_WORLD, rows, static_cast<std::size_t>(std::count(owners.begin(), owners.end(), rank)));
  for (int step = 0; step < 3; ++step) {
    std::vector<double> x(a.columns), y(a.rows);
    for (auto& entry : x) entry = random.value<double>(random.between(-4, 0));
    for (auto& entry : y) entry = random.value<double>(random.between(-4, 4));
    auto const expected = part_of(expected_sparse_product(false, 1.0, a, x, -1.0, y), owners, rank);
    auto const result = contiguous(part_of(y, owners, rank));
    spmv(MPI_COMM_WORLD, "N", 1.0, rows, contiguous(part_of(x, owners, rank)), -1.0, result, plan);
    for (std::size_t i = 0; i < expected.size(); ++i) EXAKT_CHECK_BITS(result(i), expected[i]);

    std::vector<float> const singles(x.begin(), x.end());
    auto const of_singles =
        part_of(expected_sparse_product(false, 0.3, a, singles, 0.0, std::vector<float>(a.rows)), owners, rank);
    auto const result_of_singles = contiguous(std::vector<float>(of_singles.size()));
    spmv(MPI_COMM_WORLD, "N", 0.3, rows, contiguous(part_of(singles, owners, rank)), 0.0, result_of_singles, plan);
    for (std::size_t i = 0; i < of_singles.size(); ++i) EXAKT_CHECK_BITS(result_of_singles(i), of_singles[i]);
    for (auto& entry : a.list) entry.value *= 1.7;
    auto const next = stored(rows_of(a, owners, rank));
    Kokkos::deep_copy(rows.values, next.values);
  }
}

TEST_CASE("a distributed spmv of several vectors, of complex numbers, and of blocks") {
  using C = Kokkos::complex<double>;
  Random random(1012);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  auto const [a, x] = hard_sparse_product<double, double>(random, Hardness::none, 40, 30);
  auto const owners = random_owners(random, a.rows, ranks);
  auto const rows = stored(rows_of(a, owners, rank));
  auto const part = random_part(random, x.size(), MPI_COMM_WORLD);
  SpmvPlan const plan(MPI_COMM_WORLD, rows, part.numbers);
  auto const own_x = part.of(x);
  std::vector<double> const zeros(a.rows);
  auto const once = part_of(expected_sparse_product(false, 1.0, a, x, 0.0, zeros), owners, rank);
  auto const thrice = part_of(expected_sparse_product(false, 3.0, a, x, 0.0, zeros), owners, rank);

  // Columns x and -x; of complex numbers x - x i.
  HostMatrix<double, Kokkos::LayoutRight> const xs("xs", own_x.size(), 2), ys("ys", once.size(), 2);
  HostVector<C> const xc("xc", own_x.size()), yc("yc", once.size());
  for (std::size_t i = 0; i < own_x.size(); ++i) {
    xs(i, 0) = own_x[i];
    xs(i, 1) = -own_x[i];
    xc(i) = C(own_x[i], -own_x[i]);
  }
  spmv(MPI_COMM_WORLD, "N", 1, rows, xs, 0, ys, plan);
  spmv(MPI_COMM_WORLD, "N", 3, rows, xc, 0, yc, plan);
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXAKT_CHECK_BITS(ys(i, 0), once[i]);
    EXAKT_CHECK_BITS(ys(i, 1), Expected<double>{once[i].value == 0 ? 0.0 : -once[i].value});
    EXAKT_CHECK_BITS(yc(i).real(), thrice[i]);
    EXAKT_CHECK_BITS(yc(i).imag(), Expected<double>{thrice[i].value == 0 ? 0.0 : -thrice[i].value});
  }

  // Entries v + 2 v i times real numbers, in every mode.
  auto const transposed_once =
      expected_sparse_product(true, 1.0, a, std::vector<double>(a.rows, 1.0), 0.0, std::vector<double>(a.columns));
  HostVector<C> const complex_values("complex_values", rows.values.extent(0)), ones("ones", once.size()),
      yt("yt", own_x.size());
  for (std::size_t k = 0; k < complex_values.extent(0); ++k) complex_values(k) = C(rows.values(k), 2 * rows.values(k));
  for (std::size_t i = 0; i < own_x.size(); ++i) xc(i) = own_x[i];
  Kokkos::deep_copy(ones, C(1));
  auto const complex_rows = Exakt::crs_matrix(rows.graph.row_map, rows.graph.entries, complex_values, a.columns);
  for (char const* const mode : {"N", "C"}) {
    spmv(MPI_COMM_WORLD, mode, 1, complex_rows, xc, 0, yc, plan);
    for (std::size_t i = 0; i < once.size(); ++i) {
      double const imaginary = 2 * once[i].value;
      EXAKT_CHECK_BITS(yc(i).real(), once[i]);
      EXAKT_CHECK_BITS(yc(i).imag(), Expected<double>{imaginary == 0 || mode[0] == 'N' ? imaginary : -imaginary});
    }
  }
  for (char const* const mode : {"T", "H"}) {
    spmv(MPI_COMM_WORLD, mode, 1, complex_rows, ones, 0, yt, plan);
    auto const wanted = part.of(transposed_once);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      double const imaginary = 2 * wanted[i].value;
      EXAKT_CHECK_BITS(yt(i).real(), wanted[i]);
      EXAKT_CHECK_BITS(yt(i).imag(), Expected<double>{imaginary == 0 || mode[0] == 'T' ? imaginary : -imaginary});
    }
  }
  HostMatrix<double, Kokkos::LayoutLeft> const two_ones("two_ones", once.size(), 2),
      of_ones("of_ones", own_x.size(), 2);
  for (std::size_t i = 0; i < once.size(); ++i) two_ones(i, 1) = 1;
  spmv(MPI_COMM_WORLD, "T", 1, rows, two_ones, 0, of_ones, plan);
  for (std::size_t i = 0; i < own_x.size(); ++i) {
    EXAKT_CHECK_BITS(of_ones(i, 0), 0.0);
    EXAKT_CHECK_BITS(of_ones(i, 1), part.of(transposed_once)[i]);
  }

  // The same matrix, each entry v a block (v 2v; -v 0): y = (v (x + 2 z); -v x), for blocks (x; z) with z = x.
  struct Blocks : std::decay_t<decltype(rows)> {
    int blockDim() const { return 2; }  // NOLINT(readability-identifier-naming): as BsrMatrix has it
  };
  HostVector<double> const values("values", 4 * rows.values.extent(0)), xb("xb", 2 * own_x.size()),
      yb("yb", 2 * once.size());
  for (std::size_t k = 0; k < rows.values.extent(0); ++k) {
    values(4 * k) = rows.values(k);
    values(4 * k + 1) = 2 * rows.values(k);
    values(4 * k + 2) = -rows.values(k);
  }
  for (std::size_t i = 0; i < own_x.size(); ++i) xb(2 * i) = xb(2 * i + 1) = own_x[i];
  Blocks blocks{rows};
  blocks.values = values;
  SpmvPlan const plan_of_blocks(MPI_COMM_WORLD, blocks, part.numbers);
  spmv(MPI_COMM_WORLD, "N", 1.0, blocks, xb, 0.0, yb, plan_of_blocks);
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXAKT_CHECK_BITS(yb(2 * i), thrice[i]);
    EXAKT_CHECK_BITS(yb(2 * i + 1), Expected<double>{once[i].value == 0 ? 0.0 : -once[i].value});
  }
  // Two vectors at once.
  HostMatrix<double, Kokkos::LayoutLeft> const xbs("xbs", xb.extent(0), 2), ybs("ybs", yb.extent(0), 2);
  for (std::size_t i = 0; i < xb.extent(0); ++i) {
    xbs(i, 0) = xb(i);
    xbs(i, 1) = -xb(i);
  }
  spmv(MPI_COMM_WORLD, "N", 1, blocks, xbs, 0, ybs, plan_of_blocks);
  for (std::size_t i = 0; i < yb.extent(0); ++i) {
    EXAKT_CHECK_BITS(ybs(i, 0), yb(i));
    EXAKT_CHECK_BITS(ybs(i, 1), 0 - yb(i));
  }
  // Its transpose, of blocks (v -v; 2v 0), for blocks (1; 1): 0 and twice the sums of columns.
  HostVector<double> const block_ones("block_ones", 2 * once.size()), of_blocks("of_blocks", 2 * own_x.size());
  Kokkos::deep_copy(block_ones, 1.0);
  spmv(MPI_COMM_WORLD, "T", 1.0, blocks, block_ones, 0.0, of_blocks, plan_of_blocks);
  for (std::size_t i = 0; i < own_x.size(); ++i) {
    EXAKT_CHECK_BITS(of_blocks(2 * i), 0.0);
    EXAKT_CHECK_BITS(of_blocks(2 * i + 1), 2 * part.of(transposed_once)[i].value);
  }
}

TEST_CASE("in a distributed spmv rows without entries are sums of zero, also where a rank has no part of x") {
  int const rank = rank_in(MPI_COMM_WORLD);
  // One row on each rank, with an entry on the first one only, which has all of x.
  Entries<double> a{1, 5, {}};
  if (rank == 0) a.list.push_back({0, 4, 2.0});
  auto const rows = stored(a);
  auto const x = contiguous(std::vector<double>(rank == 0 ? 5 : 0, 1.5)), y = contiguous(std::vector<double>{-0.0});
  SpmvPlan const plan(MPI_COMM_WORLD, rows, x.extent(0));
  CHECK(plan.halo_entries() == 0);
  spmv(MPI_COMM_WORLD, "N", 1.0, rows, x, 1.0, y, plan);
  EXAKT_CHECK_BITS(y(0), rank == 0 ? 3.0 : 0.0);
  spmv(MPI_COMM_WORLD, "N", std::numeric_limits<double>::infinity(), rows, x, 1.0, y, plan);
  EXAKT_CHECK_BITS(y(0),
                   rank == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN());
  // The transpose likewise: each rank has a column, the last one all rows, which have an entry in column 0.
  int const ranks = size_of(MPI_COMM_WORLD);
  auto const width = static_cast<std::size_t>(ranks);
  Entries<double> b{rank == ranks - 1 ? 2u : 0u, width, {}};
  if (rank == ranks - 1) b.list.push_back({1, 0, 2.0});
  auto const last_rows = stored(b);
  SpmvPlan const plan_of_last(MPI_COMM_WORLD, last_rows, 1);
  y(0) = -0.0;
  spmv(MPI_COMM_WORLD, "T", 1.0, last_rows, contiguous(std::vector<double>(b.rows, 1.5)), 1.0, y, plan_of_last);
  EXAKT_CHECK_BITS(y(0), rank == 0 ? 3.0 : 0.0);
  // Nothing is read where alpha is zero, and y stays as it is where beta is one.
  y(0) = -0.0;
  Kokkos::deep_copy(x, std::numeric_limits<double>::quiet_NaN());
  spmv(MPI_COMM_WORLD, "N", 0.0, rows, x, 1.0, y, plan);
  CHECK(bits_of(y(0)) == bits_of(-0.0));
  spmv(MPI_COMM_WORLD, "T", 0.0, last_rows, contiguous(std::vector<double>(b.rows, 1.5)), 1.0, y, plan_of_last);
  CHECK(bits_of(y(0)) == bits_of(-0.0));
}

TEST_CASE("a distributed spmv has the same bits in hostile environments on one rank and on all") {
  Random random(1013);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  for (Hardness const hardness : {Hardness::tiny, Hardness::every_exponent}) {
    auto [a, x] = hard_sparse_product<double, double>(random, hardness, 60, 50);
    if (hardness == Hardness::tiny)
      for (auto& entry : a.list) entry.value = random.value<double>(0);
    std::vector<double> const y(a.rows, 0x1p-1070);
    auto const owners = random_owners(random, a.rows, ranks);
    auto const expected = part_of(expected_sparse_product(false, 1.0, a, x, 0.5, y), owners, rank);
    auto const rows = stored(rows_of(a, owners, rank));
    auto const part = random_part(random, x.size(), MPI_COMM_WORLD);
    auto const own_x = contiguous(part.of(x));
    std::vector<double> of_rows(a.rows);
    for (double& entry : of_rows) entry = hard_number<double>(random, hardness);
    std::vector<double> const old(a.columns, 0x1p-1071);
    auto const wanted = part.of(expected_sparse_product(true, 1.0, a, of_rows, 0.5, old));
    auto const own_rows = contiguous(part_of(of_rows, owners, rank));
    for (auto const& settings : every_fp_environment())
      for (bool const everywhere : {false, true}) {
        INFO(name_of(hardness) << ", " << settings.name << (everywhere ? " on all ranks" : " on the last rank"));
        auto const result = contiguous(part_of(y, owners, rank)), result_of_columns = contiguous(part.of(old));
        {
          ScopedFpEnvironment const scope(everywhere || rank == ranks - 1 ? settings : every_fp_environment()[0],
                                          ScopedFpEnvironment::Threads::all);
          SpmvPlan const plan(MPI_COMM_WORLD, rows, part.numbers);
          spmv(MPI_COMM_WORLD, HostSpace(), "N", 1.0, rows, own_x, 0.5, result, plan);
          spmv(MPI_COMM_WORLD, HostSpace(), "T", 1.0, rows, own_rows, 0.5, result_of_columns, plan);
        }
        for (std::size_t i = 0; i < expected.size(); ++i) EXAKT_CHECK_BITS(result(i), expected[i]);
        for (std::size_t i = 0; i < wanted.size(); ++i) EXAKT_CHECK_BITS(result_of_columns(i), wanted[i]);
      }
  }
}

TEST_CASE("a distributed spmv whose operands do not fit on one rank is refused on all, and nothing is written") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  bool const is_last = rank == ranks - 1;
  // Each rank has two entries of x, and a row with those of the next rank.
  std::size_t const n = 2 * static_cast<std::size_t>(ranks), next = (2 * static_cast<std::size_t>(rank) + 2) % n;
  Entries<double> const a{1, n, {{0, next, 3.0}, {0, next + 1, 5.0}}};
  auto const rows = stored(a);
  auto const vector = [](std::size_t count) { return contiguous(std::vector<double>(count, 7.0)); };
  SpmvPlan const plan(MPI_COMM_WORLD, rows, 2);
  CHECK(plan.halo_entries() == (ranks == 1 ? 0u : 2u));
  auto const refusal = [&](char const* mode, double alpha, auto const& matrix, auto const& x, auto const& y) {
    auto const said = refusal_of([&] { spmv(MPI_COMM_WORLD, mode, alpha, matrix, x, 0.0, y, plan); });
    for (std::size_t i = 0; i < y.extent(0) && said != "no refusal"; ++i) EXAKT_CHECK_BITS(y(i), 7.0);
    return said;
  };
  std::string const me = " on rank " + std::to_string(rank);
  auto const on_last = [&](std::string const& said) {
    return "Exakt::Mpi::spmv: " + (is_last ? said : "another rank refused its operands or failed; it says why");
  };
  CHECK(refusal("N", 1, rows, vector(is_last ? 3 : 2), vector(1)) ==
        on_last("x is 3 entries" + me + ", which has 2 entries of such a vector in the plan; they must be the same"));
  CHECK(refusal("T", 1, rows, vector(1), vector(is_last ? 1 : 2)) ==
        on_last("y is 1 entry" + me + ", which has 2 entries of such a vector in the plan; they must be the same"));
  CHECK(refusal("H", 1, rows, vector(is_last ? 0 : 1), vector(2)) ==
        on_last("A has 1 rows" + me + ", x is 0 entries; x.extent(0) must be at least the number of rows"));
  CHECK(refusal("N", 1, rows, vector(2), vector(is_last ? 0 : 1)) ==
        on_last("A has 1 rows" + me + ", y is 0 entries; y.extent(0) must be at least the number of rows"));
  CHECK(refusal(is_last ? "X" : "N", 1, rows, vector(2), vector(1)) == on_last("mode is 'X'; it must be N, T, C or H"));
  Entries<double> const b{1, n, {{0, next, 3.0}}};
  CHECK(refusal("N", 1, stored(is_last ? b : a), vector(2), vector(1)) ==
        on_last("A has 1 rows of " + std::to_string(n) + " columns with 1 entries" + me +
                ", the matrix of the plan 1, " + std::to_string(n) + " and 2; they must have the same graph"));
  CHECK(refusal("N", 1, stored(Entries<double>{is_last ? 2u : 1u, n, a.list}), vector(2), vector(2)) ==
        on_last("A has 2 rows of " + std::to_string(n) + " columns with 2 entries" + me +
                ", the matrix of the plan 1, " + std::to_string(n) + " and 2; they must have the same graph"));
  CHECK(refusal("N", 1, stored(Entries<double>{1, is_last ? n + 1 : n, a.list}), vector(2), vector(1)) ==
        on_last("A has 1 rows of " + std::to_string(n + 1) + " columns with 2 entries" + me +
                ", the matrix of the plan 1, " + std::to_string(n) + " and 2; they must have the same graph"));
  auto const with_values = [&](std::size_t count) {
    return Exakt::crs_matrix(rows.graph.row_map, rows.graph.entries, HostVector<double>("values", count), n);
  };
  CHECK(refusal("N", 1, with_values(is_last ? 1 : 2), vector(2), vector(1)) ==
        on_last("A.graph.entries is 2 entries, A.values is 1 entry; there must be a value for each entry"));
  auto const columns = [](std::size_t count, std::size_t of) {
    return HostMatrix<double, Kokkos::LayoutLeft>("columns", count, of);
  };
  CHECK(refusal_of([&] { spmv(MPI_COMM_WORLD, "N", 1, rows, columns(2, 2), 0, columns(1, is_last ? 3 : 2), plan); }) ==
        on_last("x is 2 x 2, y is 1 x 3; x.extent(1) must equal y.extent(1)"));
  auto const both = vector(2);
  CHECK(refusal("N", 1, rows, is_last ? both : vector(2), is_last ? HostVector<double>(both) : vector(1)) ==
        on_last("y is 2 entries, x is 2 entries; they must not share memory"));
  HostVector<std::int64_t> const map("row_map", 2);
  map(1) = 2;
  HostVector<double> const as_y(reinterpret_cast<double*>(map.data()), 1);
  auto const with_map = Exakt::crs_matrix(map, rows.graph.entries, rows.values, n);
  SpmvPlan const plan_of_map(MPI_COMM_WORLD, with_map, std::size_t{2});
  CHECK(refusal_of([&] {
          spmv(MPI_COMM_WORLD, "N", 1.0, with_map, vector(2), 0.0, is_last ? as_y : vector(1), plan_of_map);
        }) == on_last("y is 1 entry, A.graph.row_map is 2 entries; they must not share memory"));
  HostVector<double> const values(rows.values.data(), 1),
      entries(reinterpret_cast<double*>(rows.graph.entries.data()), 1);
  CHECK(refusal_of([&] { spmv(MPI_COMM_WORLD, "N", 1.0, rows, vector(2), 0.0, is_last ? values : vector(1), plan); }) ==
        on_last("y is 1 entry, A.values is 2 entries; they must not share memory"));
  CHECK(refusal_of([&] {
          spmv(MPI_COMM_WORLD, "N", 1.0, rows, vector(2), 0.0, is_last ? entries : vector(1), plan);
        }) == on_last("y is 1 entry, A.graph.entries is 2 entries; they must not share memory"));
  CHECK(refusal_of([&] { spmv(MPI_COMM_NULL, "N", 1.0, rows, vector(2), 0.0, vector(1), plan); }) ==
        "Exakt::Mpi::spmv: comm is MPI_COMM_NULL; it must be a communicator of this rank");
  if (ranks > 1) {
    std::string const differ =
        "Exakt::Mpi::spmv: all ranks must give the same mode, alpha and beta, types of A, x and y, and number of "
        "columns of x";
    CHECK(refusal("N", is_last ? 2 : 1, rows, vector(2), vector(1)) == differ);
    for (char const one : {'N', 'T', 'C', 'H'})
      for (char const other : {'N', 'T', 'C', 'H'}) {
        std::string const mode(1, is_last ? one : other);
        bool const plain = mode == "N" || mode == "C";
        CHECK(refusal(mode.c_str(), 1, rows, vector(plain ? 2 : 1), vector(plain ? 1 : 2)) ==
              (one == other ? "no refusal" : differ));
      }
    for (double const beta : {1.0, 2.0})
      CHECK(refusal_of([&] {
              spmv(MPI_COMM_WORLD, "N", 1.0, rows, vector(2), is_last ? beta : 0.5, vector(1), plan);
            }) == differ);
    CHECK(refusal_of([&] {
            std::size_t const count = is_last ? 3 : 2;
            spmv(MPI_COMM_WORLD, "N", 1, rows, columns(2, count), 0, columns(1, count), plan);
          }) == differ);
    CHECK(refusal_of([&] {
            if (is_last) {
              spmv(MPI_COMM_WORLD, "N", 1.0, rows, vector(2), 0.0, HostVector<float>("y", 1), plan);
            } else {
              spmv(MPI_COMM_WORLD, "N", 1.0, rows, vector(2), 0.0, vector(1), plan);
            }
          }) == differ);
    Entries<float> const floats{1, n, {{0, next, 3.0f}, {0, next + 1, 5.0f}}};
    CHECK((is_last ? refusal("T", 1, stored(floats), vector(1), vector(2))
                   : refusal("T", 1, rows, vector(1), vector(2))) == differ);
    // Two types of the same size.
    HostVector<Kokkos::complex<float>> const pairs("pairs", 2);
    HostVector<Kokkos::complex<double>> const result("result", 1);
    CHECK(refusal_of([&] {
            if (is_last) {
              spmv(MPI_COMM_WORLD, "N", 1.0, rows, pairs, 0.0, result, plan);
            } else {
              spmv(MPI_COMM_WORLD, "N", 1.0, rows, vector(2), 0.0, result, plan);
            }
          }) == differ);
    CHECK(refusal_of([&] { spmv(MPI_COMM_SELF, "N", 1.0, rows, vector(2), 0.0, vector(1), plan); }) ==
          "Exakt::Mpi::spmv: the plan was made for rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
              ", this is rank 0 of 1");
  }
  auto const y = vector(1);
  CHECK(refusal("N", 1, rows, vector(2), y) == "no refusal");
  EXAKT_CHECK_BITS(y(0), 56.0);
}

TEST_CASE("with alpha = 0 a distributed spmv scales the entries that belong to rows, or to the plan, and no others") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  // Each rank has a row of blocks and two entries of x.
  std::size_t const n = 2 * static_cast<std::size_t>(ranks);
  auto const rows = stored(Entries<double>{1, n, {{0, n - 1, 1.0}}});
  struct Blocks : std::decay_t<decltype(rows)> {
    int blockDim() const { return 2; }  // NOLINT(readability-identifier-naming): as BsrMatrix has it
  };
  Blocks blocks{rows};
  blocks.values = HostVector<double>("values", 4);
  SpmvPlan const plan(MPI_COMM_WORLD, blocks, std::size_t{2});
  auto const vector = [](std::size_t count) { return contiguous(std::vector<double>(count, 3.0)); };
  auto const of_rows = vector(5), of_plan = vector(4);
  spmv(MPI_COMM_WORLD, "N", 0.0, blocks, vector(4), 0.5, of_rows, plan);
  for (std::size_t i = 0; i < 5; ++i) EXAKT_CHECK_BITS(of_rows(i), i < 2 ? 1.5 : 3.0);
  spmv(MPI_COMM_WORLD, "T", 0.0, blocks, vector(3), 0.5, of_plan, plan);
  for (std::size_t i = 0; i < 4; ++i) EXAKT_CHECK_BITS(of_plan(i), 1.5);
  CHECK(refusal_of([&] { spmv(MPI_COMM_WORLD, "N", 1.0, rows, vector(2), 0.0, vector(2), plan); }) ==
        "Exakt::Mpi::spmv: A has blocks of 1 x 1 on rank " + std::to_string(rank) +
            ", the matrix of the plan has blocks of 2 x 2; they must be the same");
}

TEST_CASE("a distributed spmv of a matrix that has no columns, or nowhere a row, adds nothing, whatever alpha is") {
  HostVector<double> const none("none", 0);
  auto const y = contiguous(std::vector<double>{-0.0});
  auto const without_columns = stored(Entries<double>{1, 0, {}});
  SpmvPlan const plan(MPI_COMM_WORLD, without_columns, std::size_t{0});
  auto const without_rows = stored(Entries<double>{0, static_cast<std::size_t>(size_of(MPI_COMM_WORLD)), {}});
  SpmvPlan const plan_without_rows(MPI_COMM_WORLD, without_rows, std::size_t{1});
  for (double const alpha : {1.0, std::numeric_limits<double>::infinity()}) {
    spmv(MPI_COMM_WORLD, "N", alpha, without_columns, none, 1.0, y, plan);
    CHECK(bits_of(y(0)) == bits_of(-0.0));
    spmv(MPI_COMM_WORLD, "T", alpha, without_rows, none, 1.0, y, plan_without_rows);
    CHECK(bits_of(y(0)) == bits_of(-0.0));
  }
}

TEST_CASE("a distributed spmv whose items have more bytes than MPI counts is refused") {
  auto const none = stored(Entries<double>{0, 0, {}});
  HostMatrix<double, Kokkos::LayoutLeft> const x("x", 0, std::size_t{1} << 29), y("y", 0, std::size_t{1} << 29);
  SpmvPlan const plan(MPI_COMM_WORLD, none, std::size_t{0});
  for (char const* const mode : {"N", "T"})
    CHECK(refusal_of([&] { spmv(MPI_COMM_WORLD, mode, 1.0, none, x, 0.0, y, plan); }) ==
          "Exakt::Mpi::spmv: an item of a message has 1 times 536870912 entries of x, of 8 bytes; it must have fewer "
          "than "
          "2^31 bytes");

  struct Blocks : std::decay_t<decltype(none)> {
    std::size_t block = 1 << 14;
    std::size_t blockDim() const { return block; }  // NOLINT(readability-identifier-naming): as BsrMatrix has it
  };
  Blocks const blocks{none};
  HostVector<double> const xb("xb", 0), yb("yb", 0);
  SpmvPlan const plan_of_blocks(MPI_COMM_WORLD, blocks, std::size_t{0});
  spmv(MPI_COMM_WORLD, "N", 1.0, blocks, xb, 0.0, yb, plan_of_blocks);
  CHECK(refusal_of([&] { spmv(MPI_COMM_WORLD, "T", 1.0, blocks, xb, 0.0, yb, plan_of_blocks); }) ==
        "Exakt::Mpi::spmv: an item of a message has 16384 times 16384 entries of A.values, of 8 bytes; it must have "
        "fewer than 2^31 bytes");
  Blocks const huge{none, std::size_t{1} << 61};  // its bytes are 2^64
  SpmvPlan const plan_of_huge(MPI_COMM_WORLD, huge, std::size_t{0});
  CHECK(refusal_of([&] { spmv(MPI_COMM_WORLD, "N", 1.0, huge, xb, 0.0, yb, plan_of_huge); }) ==
        "Exakt::Mpi::spmv: an item of a message has 2305843009213693952 times 1 entries of x, of 8 bytes; it must have "
        "fewer than 2^31 bytes");
}

TEST_CASE("entries of a matrix in front of its first row and behind the last may be anything, and none of the plan's") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  std::size_t const n = 2 * static_cast<std::size_t>(ranks), next = (2 * static_cast<std::size_t>(rank) + 2) % n;
  HostVector<int> const row_map("row_map", 2), columns("columns", 5);
  HostVector<double> const values("values", 5), one("one", 1), two("two", 2);
  auto const in_front = Exakt::crs_matrix(row_map, columns, values, n);
  row_map(0) = 2;
  row_map(1) = 4;
  columns(0) = -5;
  columns(1) = static_cast<int>(n - 1 - next);  // which is of another rank
  columns(2) = static_cast<int>(next);
  columns(3) = static_cast<int>(next + 1);
  columns(4) = -7;
  values(2) = 3;
  values(3) = 5;
  SpmvPlan const plan(MPI_COMM_WORLD, in_front, 2);
  CHECK(plan.halo_entries() == (ranks == 1 ? 0u : 2u));
  auto const x = contiguous(std::vector<double>{2.0 * rank + 1, 2.0 * rank + 2});
  spmv(MPI_COMM_WORLD, "N", 1.0, in_front, x, 0.0, one, plan);
  auto const first = static_cast<double>(next + 1);
  EXAKT_CHECK_BITS(one(0), 3 * first + 5 * (first + 1));
  one(0) = rank + 1;
  spmv(MPI_COMM_WORLD, "T", 1.0, in_front, one, 0.0, two, plan);
  double const before = (rank + ranks - 1) % ranks + 1;
  EXAKT_CHECK_BITS(two(0), 3 * before);
  EXAKT_CHECK_BITS(two(1), 5 * before);
}

TEST_CASE("some ranks may give the numbers of their entries of x, others leave them to the order of the ranks") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  std::size_t const n = 2 * static_cast<std::size_t>(ranks), next = (2 * static_cast<std::size_t>(rank) + 2) % n;
  // One column twice, which is one entry of x.
  auto const rows = stored(Entries<double>{1, n, {{0, next, 1.0}, {0, next + 1, 5.0}, {0, next, 2.0}}});
  auto const numbers = contiguous(std::vector<int>{2 * rank, 2 * rank + 1});
  auto const plan = rank % 2 == 0 ? SpmvPlan(MPI_COMM_WORLD, rows, numbers) : SpmvPlan(MPI_COMM_WORLD, rows, 2);
  CHECK(plan.halo_entries() == (ranks == 1 ? 0u : 2u));
  HostVector<double> const y("y", 1);
  spmv(MPI_COMM_WORLD, "N", 1.0, rows, contiguous(std::vector<double>{2.0 * rank + 1, 2.0 * rank + 2}), 0.0, y, plan);
  auto const first = static_cast<double>(next + 1);
  EXAKT_CHECK_BITS(y(0), 3 * first + 5 * (first + 1));
}

TEST_CASE("a plan of a matrix or an x that cannot be is refused on all ranks") {
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  bool const is_last = rank == ranks - 1;
  std::size_t const n = 2 * static_cast<std::size_t>(ranks);
  auto const own = [](std::vector<int> const& numbers) { return contiguous(numbers); };
  auto const two = own({2 * rank, 2 * rank + 1});
  auto const refusal = [](auto const& matrix, auto const& entries) {
    return refusal_of([&] { SpmvPlan(MPI_COMM_WORLD, matrix, entries); });
  };
  auto const on_last = [&](std::string const& said) {
    return "Exakt::Mpi::SpmvPlan: " + (is_last ? said : "another rank refused its operands or failed; it says why");
  };
  Entries<double> const a{1, n, {{0, 0, 3.0}, {0, n - 1, 5.0}}};
  auto const rows = stored(a);
  CHECK(refusal(rows, two) == "no refusal");
  auto const with = [&](std::size_t row_begin, int column) {
    auto const wrong = stored(a);
    if (is_last) {
      wrong.graph.row_map(0) = row_begin;
      wrong.graph.entries(1) = column;
    }
    return wrong;
  };
  std::string const size = std::to_string(n);
  CHECK(refusal(with(0, static_cast<int>(n)), two) ==
        on_last("A.graph.entries(1) is " + size + "; A has " + size + " columns"));
  CHECK(refusal(with(0, -1), two) == on_last("A.graph.entries(1) is -1; A has " + size + " columns"));
  CHECK(refusal(with(3, 1), two) ==
        on_last("A.graph.row_map(0) is 3, A.graph.row_map(1) is 2, A.graph.entries is 2 entries; a row map must not "
                "decrease, nor leave the entries"));
  auto const beyond = stored(a);
  if (is_last) beyond.graph.row_map(1) = 3;
  CHECK(refusal(beyond, two) ==
        on_last("A.graph.row_map(0) is 0, A.graph.row_map(1) is 3, A.graph.entries is 2 entries; a row map must not "
                "decrease, nor leave the entries"));
  auto const before = stored<int, int>(a);
  if (is_last) before.graph.row_map(0) = -1;
  CHECK(refusal(before, two) ==
        on_last("A.graph.row_map(0) is -1, A.graph.row_map(1) is 2, A.graph.entries is 2 entries; a row map must not "
                "decrease, nor leave the entries"));
  struct Signed : std::decay_t<decltype(rows)> {
    long numCols() const { return signed_columns; }  // NOLINT(readability-identifier-naming): as there
    long signed_columns;
  };
  CHECK(refusal(Signed{rows, is_last ? -1 : static_cast<long>(n)}, two) ==
        on_last("A.numCols() is -1; it must be at least 0"));
  CHECK(refusal(rows, is_last ? own({2 * rank, 2 * rank + 2}) : two) ==
        on_last("this rank has entry " + size + " of x; A has " + size + " columns"));
  CHECK(refusal(rows, is_last ? std::size_t{3} : std::size_t{2}) ==
        on_last("this rank has entry " + size + " of x; A has " + size + " columns"));
  std::size_t const many = std::size_t{1} << 30;
  CHECK(refusal(rows, is_last ? many : 2) ==
        on_last("this rank has 1073741824 entries of x; there must be fewer than 2^30"));
  HostVector<int> const many_numbers(nullptr, many);
  CHECK(refusal(rows, is_last ? many_numbers : two) ==
        on_last("this rank has 1073741824 entries of x; there must be fewer than 2^30"));
  CHECK(refusal_of([&] { SpmvPlan(MPI_COMM_NULL, rows, two); }) ==
        "Exakt::Mpi::SpmvPlan: comm is MPI_COMM_NULL; it must be a communicator of this rank");

  // What only the directory sees: entry 0 twice, whose number rank 0 looks up; entry n - 1 of nobody, whom all need.
  std::string const twice = "Exakt::Mpi::SpmvPlan: entry 0 of x is given by rank 0 and by rank " +
                            std::to_string(ranks - 1) + "; one must have it";
  auto const first_again = is_last ? own({2 * rank, 2 * rank + 1, 0}) : two;
  CHECK(refusal(rows, first_again) ==
        (rank == 0 ? twice : "Exakt::Mpi::SpmvPlan: another rank refused its operands or failed; it says why"));
  CHECK(refusal(rows, is_last ? own({2 * rank}) : two) == "Exakt::Mpi::SpmvPlan: A has entries in column " +
                                                              std::to_string(n - 1) + ", but no rank has entry " +
                                                              std::to_string(n - 1) + " of x");
  if (ranks > 1) {
    Entries<double> const wider{1, n + 1, a.list};
    CHECK(refusal(stored(is_last ? wider : a), two) ==
          "Exakt::Mpi::SpmvPlan: all ranks must give the same number of columns of A, in blocks of the same size");
  }
  // Nothing at all.
  Entries<double> const nothing{0, 0, {}};
  auto const empty = stored(nothing);
  SpmvPlan const plan(MPI_COMM_WORLD, empty, 0);
  HostVector<double> const none("none", 0);
  spmv(MPI_COMM_WORLD, "N", 1.0, empty, none, 1.0, none, plan);
}
