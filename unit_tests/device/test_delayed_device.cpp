// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>
#include <ExaktBlas.hpp>
#include <ExaktScatter.hpp>
#include <ExaktSparse.hpp>

#include "ExaktTest_Device.hpp"

// Who waits for whom, on a device that does nothing before somebody waits. Results are in memory that the host shares with the
// device: it can read them before they are there.

namespace {

using namespace ExaktTest;
template <class T>
using SharedVector = Kokkos::View<T*, Kokkos::LayoutLeft, Kokkos::Device<Device, Kokkos::HostSpace>>;
using SharedMatrix = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::Device<Device, Kokkos::HostSpace>>;

/// What a kernel of `space` will have written when it has run.
template <class T>
DeviceVector<T> written_by(Device const& space, std::vector<T> const& entries) {
  DeviceVector<T> const source = on_device(entries), target("target", entries.size());
  Kokkos::deep_copy(space, target, source);
  space.enqueue([source] {});  // which lives as long
  return target;
}

/// What has been enqueued to the default instance has run; what waits for other streams has not.
template <class V>
V behind_fence(V const& result) {
  Device().fence();
  return result;
}

/// Vectors that the host can read at once.
template <class T>
SharedVector<T> shared(std::vector<T> const& entries) {
  SharedVector<T> const result("shared", entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) result(i) = entries[i];
  return result;
}

template <class V>
void check_entries(V const& seen, std::vector<double> const& expected) {
  REQUIRE(seen.extent(0) == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXAKT_CHECK_BITS(seen(i), expected[i]);
}

std::vector<double> const entries{0x1p100, 1, -0x1p100, 2, 3, 0.5};

}  // namespace

TEST_CASE("delayed: results are there when their stream has been waited for, numbers at once") {
  auto const x = written_by(Device(), entries);
  SharedVector<double> const r("r", entries.size());
  SharedMatrix const columns("columns", 3, 2);
  for (std::size_t k = 0; k < 6; ++k) columns(k % 3, k / 3) = entries[k];

  SharedVector<double> const of_columns("of columns", 2);
  Exakt::sum(of_columns, columns);
  check_entries(behind_fence(of_columns), {1, 5.5});
  Exakt::nrm1(of_columns, columns);
  check_entries(behind_fence(of_columns), {0x1p101, 5.5});
  Exakt::dot(of_columns, columns, columns);
  check_entries(behind_fence(of_columns), {0x1p201, 13.25});
  Exakt::mean(of_columns, columns);
  check_entries(behind_fence(of_columns), {1.0 / 3, 5.5 / 3});
  Exakt::variance(of_columns, columns, 0);
  check_entries(behind_fence(of_columns), {0x1p201 / 3, 19.0 / 18});

  EXAKT_CHECK_BITS(Exakt::sum(x), 6.5);
  EXAKT_CHECK_BITS(Exakt::nrm2_squared(x), 0x1p201);
  EXAKT_CHECK_BITS(Exakt::variance(x, 5), 0x1p201);
  Exakt::inclusive_scan(x, r);
  check_entries(behind_fence(r), {0x1p100, 0x1p100, 1, 3, 6, 6.5});
  Exakt::exclusive_scan(x, r);
  check_entries(behind_fence(r), {0, 0x1p100, 0x1p100, 1, 3, 6});
  Exakt::axpby(2, x, 0, r);
  check_entries(behind_fence(r), {0x1p101, 2, -0x1p101, 4, 6, 1});
}

TEST_CASE("delayed: so are systems and products; sums by key at once") {
  SharedMatrix const A("A", 2, 2);
  A(0, 0) = 2;
  A(1, 0) = 1;
  A(1, 1) = 4;
  auto const x = shared<double>({6, 11});
  auto const y = shared<double>({1, 1});
  Exakt::gemv("N", 1, A, x, 1, y);
  check_entries(behind_fence(y), {13, 51});
  Exakt::trsv("L", "N", "N", A, x);
  check_entries(behind_fence(x), {3, 2});
  SharedMatrix const B("B", 2, 2);
  Exakt::gemm("N", "T", 1, A, A, 0, B);
  check_entries(behind_fence(Kokkos::subview(B, Kokkos::ALL, 1)), {2, 17});
  Exakt::trsm("L", "L", "N", "N", 1, A, B);
  check_entries(behind_fence(Kokkos::subview(B, Kokkos::ALL, 1)), {1, 4});

  auto const keys = written_by(Device(), std::vector<int>{7, 5, 7, 5, 5, 7});
  auto const values = written_by(Device(), entries);
  SharedVector<int> const unique("unique", 6);
  SharedVector<double> const sums("sums", 6);
  REQUIRE(Exakt::sum_by_key(keys, values, unique, sums) == 2);
  CHECK(unique(0) == 5);
  CHECK(unique(1) == 7);
  EXAKT_CHECK_BITS(sums(0), 6.0);
  EXAKT_CHECK_BITS(sums(1), 0.5);

  SharedVector<double> const of_segments("of segments", 2);
  Exakt::segmented_sum(written_by(Device(), std::vector<int>{0, 4, 6}), values, of_segments);
  check_entries(behind_fence(of_segments), {3, 3.5});
  CHECK(Exakt::iamax(values) == 1);
}

TEST_CASE("delayed: bins and matrices wait for the kernels of every stream") {
  auto const other = Device::new_instance();
  Exakt::ScatterSum<double, Device> const bins("bins", 2);
  auto const x = on_device(entries);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(other, 0, 6), [=](int i) { bins.add(i % 2, x(i)); });
  SharedVector<double> const sums("sums", 2);
  bins.round_to(sums);
  check_entries(sums, {3, 3.5});
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(other, 0, 1), [=](int) { bins.add(1, 1.0); });
  EXAKT_CHECK_BITS(bins.round(1), 4.5);
  EXAKT_CHECK_BITS(bins.accumulator(1).round(), 4.5);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(other, 0, 1), [=](int) { bins.add(0, 1.0); });
  Exakt::ScatterSum<double, Device> const more("more", 2);
  more.merge(bins);
  EXAKT_CHECK_BITS(more.round(0), 4.0);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(other, 0, 1), [=](int) { bins.add(0, 1.0); });
  bins.clear();
  EXAKT_CHECK_BITS(bins.round(0), 0.0);

  auto const map = written_by(other, std::vector<std::int64_t>{0, 2, 3});
  auto const columns = written_by(other, std::vector<std::int64_t>{0, 1, 1});
  Exakt::CrsAssembly<double, Device> const matrix(map, columns, "matrix");
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Device>(other, 0, 6), [=](int i) { matrix.add(i / 3, 1, x(i)); });
  SharedVector<double> const of_matrix("of matrix", 3);
  matrix.round_to(of_matrix);
  check_entries(of_matrix, {0, 1, 5.5});

  // These wait for their own stream.
  SharedVector<double> const counts("counts", 2), ordered("ordered", 2);
  Exakt::histogram(written_by(Device(), entries), written_by(Device(), entries),
                   written_by(Device(), std::vector<double>{0, 2, 4}), counts);
  check_entries(counts, {1.5, 5});
  Exakt::ordered_scatter_add(written_by(Device(), std::vector<int>{0, 1, 0, 1, 1, 1}), written_by(Device(), entries),
                             ordered, 2);
  check_entries(ordered, {0, 6.5});

  auto const factors = written_by(other, std::vector<double>{2});
  auto const y = shared(entries);
  Exakt::axpby(factors, x, 0, y);
  check_entries(behind_fence(y), {0x1p101, 2, -0x1p101, 4, 6, 1});
}

TEST_CASE("delayed: streams that take turns do not write into each other's scratch memory") {
  constexpr std::size_t rows = 400, columns = 9;
  Random random(5401);
  std::vector<double> terms[2];
  Device const spaces[] = {Device::new_instance(), Device::new_instance()};
  std::vector<DeviceMatrix<double>> A;
  std::vector<SharedVector<double>> sums;
  for (std::size_t s = 0; s < 2; ++s) {
    terms[s] = numbers(random, rows * columns, 60);
    A.push_back(on_device<Kokkos::LayoutLeft>(terms[s], rows));
    for (int turn = 0; turn < 2; ++turn) sums.emplace_back("sums", columns);
  }
  for (int turn = 0; turn < 2; ++turn)
    for (std::size_t s = 0; s < 2; ++s) Exakt::sum(spaces[s], sums[2 * s + static_cast<std::size_t>(turn)], A[s]);
  Kokkos::fence();
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t j = 0; j < columns; ++j) {
      auto const column = terms[s].begin() + static_cast<std::ptrdiff_t>(rows * j);
      auto const sum = exact_sum(std::vector<double>(column, column + rows)).round<double>();
      for (std::size_t turn = 0; turn < 2; ++turn) EXAKT_CHECK_BITS(sums[2 * s + turn](j), sum);
    }
}
