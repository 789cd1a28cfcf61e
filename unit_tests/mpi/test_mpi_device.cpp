// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas.hpp>
#include <ExaktMpi.hpp>
#include <ExaktScatter.hpp>
#include <ExaktSparse.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "../device/ExaktTest_Device.hpp"
#include "ExaktTest_Ranks.hpp"
#include "ExaktTest_Vectors.hpp"

// Every verb across ranks in the default execution space: the bits of the oracle, or of one rank on the host.

namespace {

using namespace ExaktTest;
namespace Mpi = Exakt::Mpi;
using HostSpace = Kokkos::DefaultHostExecutionSpace;

int this_rank() { return rank_in(MPI_COMM_WORLD); }
int ranks() { return size_of(MPI_COMM_WORLD); }

/// The places of each rank, one rank after the other: about as many for each, those in [begin, end) for this one.
struct Share {
  std::size_t begin, end;
  explicit Share(std::size_t n)
      : begin(n * static_cast<std::size_t>(this_rank()) / static_cast<std::size_t>(ranks())),
        end(n * static_cast<std::size_t>(this_rank() + 1) / static_cast<std::size_t>(ranks())) {}
  std::size_t size() const { return end - begin; }

  template <class T>
  std::vector<T> of(std::vector<T> const& whole) const {
    return {whole.begin() + static_cast<std::ptrdiff_t>(begin), whole.begin() + static_cast<std::ptrdiff_t>(end)};
  }
};

/// Vectors of some length: of a range, of opposite numbers but for some, with a number that is none.
std::vector<std::vector<double>> vectors(Random& random, std::size_t n) {
  std::vector<std::vector<double>> all;
  for (int const binades : {5, 60, 500}) all.push_back(numbers(random, n, binades));
  auto cancelling = numbers(random, n, 40);
  for (std::size_t i = 0; 2 * i + 1 < n; ++i) cancelling[n - 1 - i] = -cancelling[i];
  all.push_back(cancelling);
  cancelling[n / 2] = 0x1p-900;
  all.push_back(cancelling);
  all.push_back(std::vector<double>(n, -0.0));
  all.push_back(numbers(random, n, 5));
  all.back()[n / 3] = std::numeric_limits<double>::infinity();
  return all;
}

struct Number {
  DeviceVector<double> x;
  KOKKOS_FUNCTION double operator()(int i) const { return x(i); }
};
struct Pair {
  DeviceVector<double> x, y;
  KOKKOS_FUNCTION Kokkos::pair<double, double> operator()(int i) const { return {x(i), y(i)}; }
};

template <class Accumulator>
struct AddColumns {
  DeviceVector<double> x;
  DeviceVector<Accumulator> sums;
  KOKKOS_FUNCTION void operator()(int j) const {
    for (std::size_t i = static_cast<std::size_t>(j); i < x.extent(0); i += sums.extent(0)) sums(j) += x(i);
  }
};

struct AddToBins {
  Exakt::ScatterSum<double, Device> bins;
  DeviceVector<double> x;
  KOKKOS_FUNCTION void operator()(int i) const { bins.add(i % 5, x(i)); }
};

/// To its own row, and to that of the next rank, in turn.
struct Assemble {
  Exakt::CrsAssembly<double, Device> sums;
  DeviceVector<double> x;
  int rank, next;
  KOKKOS_FUNCTION void operator()(int i) const { sums.add(i % 2, i % 2 == 0 ? rank : next, x(i)); }
};

Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> matrix(std::vector<double> const& entries,
                                                                     std::size_t rows) {
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const result("matrix", rows, entries.size() / rows);
  std::copy(entries.begin(), entries.end(), result.data());
  return result;
}

}  // namespace

TEST_CASE("device: sums, norms, means and dots across ranks") {
  Random random(5501);
#ifdef EXAKT_EMULATE_DEVICE
  std::size_t const many = 30'001;
#else
  std::size_t const many = 300'001;
#endif
  for (std::size_t const n : {std::size_t{7}, std::size_t{3000}, many}) {
    auto const all = vectors(random, n);
    for (std::size_t v = 0; v < all.size(); ++v) {
      INFO(n << " numbers, vector " << v);
      auto const& x = all[v];
      auto const& y = all[(v + 1) % all.size()];
      Share const share(n);
      auto const part = on_device(share.of(x)), other = on_device(share.of(y));
      Exact nrm1, squares;
      for (double const number : x) {
        nrm1.add(std::fabs(number));
        squares.add_product(number, number);
      }
      Exact const sum = exact_sum(x), dot = exact_dot(x, y);
      for (auto const mode : {Exakt::Rounding::to_nearest, Exakt::Rounding::downward}) {
        EXAKT_CHECK_BITS(Mpi::sum(MPI_COMM_WORLD, part, mode), sum.round<double>(mode));
        EXAKT_CHECK_BITS(Mpi::nrm1(MPI_COMM_WORLD, part, mode), nrm1.round<double>(mode));
        EXAKT_CHECK_BITS(Mpi::nrm2(MPI_COMM_WORLD, part, mode), squares.round_sqrt<double>(mode));
        EXAKT_CHECK_BITS(Mpi::nrm2_squared(MPI_COMM_WORLD, part, mode), squares.round<double>(mode));
        EXAKT_CHECK_BITS(Mpi::mean(MPI_COMM_WORLD, part, mode), sum.round_quotient<double>(n, mode));
        EXAKT_CHECK_BITS(Mpi::dot(MPI_COMM_WORLD, part, other, mode), dot.round<double>(mode));
        EXAKT_CHECK_BITS(
            Mpi::transform_sum(MPI_COMM_WORLD, Device(), static_cast<int>(share.size()), Number{part}, mode),
            sum.round<double>(mode));
        EXAKT_CHECK_BITS(
            Mpi::transform_dot(MPI_COMM_WORLD, Device(), static_cast<int>(share.size()), Pair{part, other}, mode),
            dot.round<double>(mode));
      }
    }
  }
}

TEST_CASE("device: sums, norms, means and dots of complex numbers across ranks") {
  using Number = Kokkos::complex<double>;
  Random random(5513);
  std::size_t const n = 3000;
  auto const all = vectors(random, n);
  for (std::size_t v = 0; v < all.size(); ++v) {
    INFO("vector " << v);
    auto const& re = all[v];
    auto const& im = all[(v + 1) % all.size()];
    Exact nrm1, squares, turned;
    for (std::size_t i = 0; i < n; ++i) {
      for (double const part : {re[i], im[i]}) {
        nrm1.add(std::fabs(part));
        squares.add_product(part, part);
      }
      turned.add_product(re[i], re[i]);
      turned.subtract_product(im[i], im[i]);
    }
    Share const share(n);
    Kokkos::View<Number*, Kokkos::HostSpace> const numbers("numbers", share.size()), others("others", share.size());
    for (std::size_t i = 0; i < share.size(); ++i) {
      numbers(i) = Number(re[share.begin + i], im[share.begin + i]);
      others(i) = Number(numbers(i).imag(), numbers(i).real());
    }
    auto const z = Kokkos::create_mirror_view_and_copy(Device(), numbers);
    auto const w = Kokkos::create_mirror_view_and_copy(Device(), others);
    Number const sum = Mpi::sum(MPI_COMM_WORLD, z), mean = Mpi::mean(MPI_COMM_WORLD, z);
    Exact const of_re = exact_sum(re), of_im = exact_sum(im);
    EXAKT_CHECK_BITS(sum.real(), of_re.round<double>());
    EXAKT_CHECK_BITS(sum.imag(), of_im.round<double>());
    EXAKT_CHECK_BITS(mean.real(), of_re.round_quotient<double>(n));
    EXAKT_CHECK_BITS(mean.imag(), of_im.round_quotient<double>(n));
    EXAKT_CHECK_BITS(Mpi::dot(MPI_COMM_WORLD, z, w).imag(), turned.round<double>());
    EXAKT_CHECK_BITS(Mpi::nrm1(MPI_COMM_WORLD, z), nrm1.round<double>());
    EXAKT_CHECK_BITS(Mpi::nrm2(MPI_COMM_WORLD, z), squares.round_sqrt<double>());
    EXAKT_CHECK_BITS(Mpi::nrm2_squared(MPI_COMM_WORLD, z), squares.round<double>());
  }
}

TEST_CASE("device: variances, covariances, scans and sums by key across ranks are those of one rank") {
  Random random(5502);
  for (std::size_t const n : {std::size_t{11}, std::size_t{40'000}}) {
    for (int const binades : {5, 200}) {
      auto const x = numbers(random, n, binades), y = numbers(random, n, binades);
      Share const share(n);
      auto const part = on_device(share.of(x)), other = on_device(share.of(y));
      auto const whole = contiguous(x), whole_y = contiguous(y);
      EXAKT_CHECK_BITS(Mpi::variance(MPI_COMM_WORLD, part), Expected<double>{Exakt::variance(whole)});
      EXAKT_CHECK_BITS(Mpi::stddev(MPI_COMM_WORLD, part, 1), Expected<double>{Exakt::stddev(whole, 1)});
      EXAKT_CHECK_BITS(Mpi::covariance(MPI_COMM_WORLD, part, other),
                       Expected<double>{Exakt::covariance(whole, whole_y)});
      EXAKT_CHECK_BITS(Mpi::correlation(MPI_COMM_WORLD, part, other),
                       Expected<double>{Exakt::correlation(whole, whole_y)});

      auto const scanned = contiguous(std::vector<double>(n));
      DeviceVector<double> const scanned_part("scanned", share.size());
      auto const check = [&] {
        auto const seen = on_host(scanned_part);
        for (std::size_t i = 0; i < seen.size(); ++i)
          EXAKT_CHECK_BITS(seen[i], Expected<double>{scanned(share.begin + i)});
      };
      Exakt::inclusive_scan(whole, scanned);
      Mpi::inclusive_scan(MPI_COMM_WORLD, part, scanned_part);
      check();
      Exakt::exclusive_scan(whole, scanned);
      Mpi::exclusive_scan(MPI_COMM_WORLD, part, scanned_part);
      check();

      std::vector<int> keys(n);
      for (int& key : keys) key = random.between(-9, 9);
      DeviceVector<int> const unique_keys("keys", 19);
      DeviceVector<double> const sums("sums", 19);
      std::size_t const count = Mpi::sum_by_key(MPI_COMM_WORLD, on_device(share.of(keys)), part, unique_keys, sums);
      auto const seen_keys = on_host(unique_keys);
      auto const seen = on_host(sums);
      CHECK(count == std::set<int>(keys.begin(), keys.end()).size());
      for (std::size_t k = 0; k < count; ++k) {
        Exact sum;
        for (std::size_t i = 0; i < n; ++i)
          if (keys[i] == seen_keys[k]) sum.add(x[i]);
        EXAKT_CHECK_BITS(seen[k], sum.round<double>());
      }
    }
  }
}

TEST_CASE("device: accumulators in its memory, and bins, are reduced across ranks") {
  Random random(5503);
  for (int const binades : {5, 300}) {
    auto const x = numbers(random, 20'000, binades);
    Share const share(x.size());
    auto const part = on_device(share.of(x));
    using Accumulator = Exakt::SumAccumulator<double>;
    constexpr std::size_t columns = 700;
    std::vector<Exact> exact(columns), of_bins(5);
    for (int rank = 0; rank < ranks(); ++rank) {
      auto const n = x.size(), of_ranks = static_cast<std::size_t>(ranks()), r = static_cast<std::size_t>(rank);
      for (std::size_t begin = n * r / of_ranks, i = begin; i < n * (r + 1) / of_ranks; ++i) {
        exact[(i - begin) % columns].add(x[i]);
        of_bins[(i - begin) % 5].add(x[i]);
      }
    }
    auto const check = [&](DeviceVector<Accumulator> const& sums) {
      auto const seen = on_host(sums);
      for (std::size_t j = 0; j < columns; ++j) EXAKT_CHECK_BITS(seen[j].round(), exact[j].round<double>());
    };
    for (auto const method : every_method) {
      DeviceVector<Accumulator> const sums("sums", columns), at_root("at root", columns);
      Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(0, int{columns}), AddColumns<Accumulator>{part, sums});
      Kokkos::deep_copy(at_root, sums);
      Mpi::allreduce(MPI_COMM_WORLD, sums, method);
      check(sums);
      Mpi::reduce(MPI_COMM_WORLD, at_root, ranks() - 1, method);
      if (this_rank() == ranks() - 1) check(at_root);
    }
    Exakt::ScatterSum<double, Device> const bins("bins", 5);
    Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(0, static_cast<int>(share.size())), AddToBins{bins, part});
    Mpi::allreduce(MPI_COMM_WORLD, bins);
    for (std::size_t b = 0; b < 5; ++b) EXAKT_CHECK_BITS(bins.round(b), of_bins[b].round<double>());
  }
}

TEST_CASE("device: gemv and gemm of matrices that are spread over ranks") {
  Random random(5504);
  constexpr std::size_t m = 230, n = 90;
  for (int const binades : {0, 5, 60}) {
    std::vector<double> const a = numbers(random, m * n, binades), x = numbers(random, n, binades),
                              z = numbers(random, m, binades), old = numbers(random, m, binades),
                              old_of_columns = numbers(random, n, binades), old_c = numbers(random, n * n, binades);
    Share const rows(m), columns(n);
    std::vector<double> of_rows, of_columns;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = rows.begin; i < rows.end; ++i) of_rows.push_back(a[j * m + i]);
    of_columns = {a.begin() + static_cast<std::ptrdiff_t>(columns.begin * m),
                  a.begin() + static_cast<std::ptrdiff_t>(columns.end * m)};
    auto const A = on_device<Kokkos::LayoutLeft>(of_rows, rows.size()),
               B = on_device<Kokkos::LayoutLeft>(of_columns, m);
    std::vector<Exact> with_n(m), with_t(n);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        with_n[i].add_product(a[j * m + i], x[j]);
        with_t[j].add_product(a[j * m + i], z[i]);
      }
    auto const check = [&](auto const& y, std::vector<Exact> const& exact, std::size_t first) {
      auto const seen = on_host(y);
      for (std::size_t i = 0; i < seen.size(); ++i) EXAKT_CHECK_BITS(seen[i], exact[first + i].round<double>());
    };
    DeviceVector<double> const y("y", m), y_part("y", rows.size()), t("t", n), t_part("t", columns.size());
    using Mpi::Distribution;
    Mpi::gemv(MPI_COMM_WORLD, Distribution::rows, "N", 1, A, on_device(x), 0, y_part);
    check(y_part, with_n, rows.begin);
    Mpi::gemv(MPI_COMM_WORLD, Distribution::rows, "T", 1, A, on_device(rows.of(z)), 0, t);
    check(t, with_t, 0);
    Mpi::gemv(MPI_COMM_WORLD, Distribution::columns, "N", 1, B, on_device(columns.of(x)), 0, y);
    check(y, with_n, 0);
    Mpi::gemv(MPI_COMM_WORLD, Distribution::columns, "T", 1, B, on_device(z), 0, t_part);
    check(t_part, with_t, columns.begin);

    // With factors, as one rank on the host has it.
    auto const whole = matrix(a, m), whole_c = matrix(old_c, n);
    auto const alpha = random.value<double>(0), beta = random.value<double>(0);
    auto const whole_t = contiguous(old_of_columns);
    Exakt::gemv(HostSpace(), "T", alpha, whole, contiguous(z), beta, whole_t);
    auto const device_t = on_device(old_of_columns);
    Mpi::gemv(MPI_COMM_WORLD, Distribution::rows, "T", alpha, A, on_device(rows.of(z)), beta, device_t);
    auto const seen_t = on_host(device_t);
    for (std::size_t j = 0; j < n; ++j) EXAKT_CHECK_BITS(seen_t[j], Expected<double>{whole_t(j)});

    auto const C = on_device<Kokkos::LayoutLeft>(old_c, n);
    Exakt::gemm(HostSpace(), "T", "N", alpha, whole, whole, beta, whole_c);
    Mpi::gemm(MPI_COMM_WORLD, "T", "N", alpha, A, A, beta, C);
    auto const seen = on_host(C);
    for (std::size_t k = 0; k < seen.size(); ++k) EXAKT_CHECK_BITS(seen[k], Expected<double>{whole_c(k % n, k / n)});
  }
}

TEST_CASE("device: spmv and its transpose of rows that are spread over ranks") {
  Random random(5505);
  constexpr int rows = 1200, columns = 500, per_row = 9;
  std::vector<int> entries;
  std::vector<double> values;
  for (int k = 0; k < rows * per_row; ++k) {
    entries.push_back(random.between(0, columns - 1));
    values.push_back(random.value<double>(random.between(k % 7 == 0 ? -400 : -3, 3)));
  }
  auto const x = numbers(random, columns, 5), z = numbers(random, rows, 5);
  std::vector<Exact> by_row(rows), by_column(columns);
  for (int k = 0; k < rows * per_row; ++k) {
    auto const i = static_cast<std::size_t>(k / per_row),
               j = static_cast<std::size_t>(entries[static_cast<std::size_t>(k)]);
    by_row[i].add_product(values[static_cast<std::size_t>(k)], x[j]);
    by_column[j].add_product(values[static_cast<std::size_t>(k)], z[i]);
  }
  Share const of_rows(rows), of_columns(columns);
  std::vector<int> row_map;
  for (std::size_t i = 0; i <= of_rows.size(); ++i) row_map.push_back(static_cast<int>(i) * per_row);
  auto const some = [&](auto const& whole) {
    return std::vector(whole.begin() + static_cast<std::ptrdiff_t>(of_rows.begin) * per_row,
                       whole.begin() + static_cast<std::ptrdiff_t>(of_rows.end) * per_row);
  };
  auto const matrix = Exakt::crs_matrix(on_device(row_map), on_device(some(entries)), on_device(some(values)), columns);
  Mpi::SpmvPlan const plan(MPI_COMM_WORLD, matrix, of_columns.size());
  DeviceVector<double> const y("y", of_rows.size()), t("t", of_columns.size());
  for (int repetition = 0; repetition < 2; ++repetition) {
    Mpi::spmv(MPI_COMM_WORLD, "N", 1, matrix, on_device(of_columns.of(x)), 0, y, plan);
    Mpi::spmv(MPI_COMM_WORLD, "T", 1, matrix, on_device(of_rows.of(z)), 0, t, plan);
    auto const of_y = on_host(y), of_t = on_host(t);
    for (std::size_t i = 0; i < of_y.size(); ++i) EXAKT_CHECK_BITS(of_y[i], by_row[of_rows.begin + i].round<double>());
    for (std::size_t j = 0; j < of_t.size(); ++j)
      EXAKT_CHECK_BITS(of_t[j], by_column[of_columns.begin + j].round<double>());
  }
}

TEST_CASE("device: parts of rows go to their owners") {
  Random random(5506);
  int const rank = this_rank(), next = (rank + 1) % ranks();
  // Row r is of rank r and has its entry in column r; behind it each rank has one of the next.
  std::vector<int> const map{0, 1, 2}, columns{rank, next};
  std::vector<std::vector<double>> terms;
  for (int r = 0; r < ranks(); ++r) terms.push_back(numbers(random, 500, 60));
  Exact expected;
  for (int r = 0; r < ranks(); ++r)
    for (std::size_t i = 0; i < 500; ++i)
      if (i % 2 == 0 ? r == rank : (r + 1) % ranks() == rank) expected.add(terms[static_cast<std::size_t>(r)][i]);
  if (ranks() == 1) return;  // all rows are its own
  Exakt::CrsAssembly<double, Device> const assembly(on_device(map), on_device(columns), "assembly", 4096);
  Mpi::ExchangePlan const plan(MPI_COMM_WORLD, assembly, on_device(std::vector<int>{rank, next}), 1);
  DeviceVector<double> const values("values", 2);
  for (int step = 0; step < 2; ++step) {
    Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(0, 500),
                         Assemble{assembly, on_device(terms[static_cast<std::size_t>(rank)]), rank, next});
    Mpi::exchange(MPI_COMM_WORLD, assembly, plan);
    assembly.round_to(values);
    auto const seen = on_host(values);
    if (step == 0) EXAKT_CHECK_BITS(seen[0], expected.round<double>());
    if (step == 1) EXAKT_CHECK_BITS(seen[0], Exact(expected).add(expected).round<double>());
    EXAKT_CHECK_BITS(seen[1], Expected<double>{0.0});
  }
}
