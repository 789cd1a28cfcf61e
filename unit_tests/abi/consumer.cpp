// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What consumers name, instantiated: the functions that this leaves to the linker are looked at, not run.

#include <Exakt.hpp>
#include <ExaktBlas.hpp>
#include <ExaktScatter.hpp>
#include <ExaktSparse.hpp>
#ifdef EXAKT_TEST_HAS_MPI
#include <ExaktMpi.hpp>
#endif

#define EXAKT_TEST_TAG_NAME EXAKT_ABI_JOIN(exakt_test_tag_is_, EXAKT_ABI)
extern "C" char const EXAKT_TEST_TAG_NAME;
extern "C" char const EXAKT_TEST_TAG_NAME = 0;  // tells the test the tag of these flags

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Vector = Kokkos::View<double*, Space>;
using Matrix = Kokkos::View<double**, Space>;

template <class A>
double use(Vector const& x) {
  A sum;
  auto const add = [=](int i, A& t) { t += x(i); };
  Kokkos::RangePolicy<Space> const range(0, static_cast<int>(x.extent(0)));
  Kokkos::parallel_reduce(range, add, Exakt::Reducer<A>(sum));
  Kokkos::View<A, Kokkos::HostSpace> const result("result");
  Kokkos::parallel_reduce(range, add, Exakt::Reducer(result));
  A copy = sum;
  copy += result();
  copy -= 2.0f;
  copy += 3;
  if (copy == sum || copy.is_nan()) copy.clear();
  return copy.round() + copy.template round<float>(Exakt::Rounding::upward) + copy.round_quotient(3) +
         copy.round_sqrt();
}

template <class A>
double use_array(Vector const& x) {
  A sum, other;
  sum.add(x.data(), x.extent(0));
  sum -= other;
  auto const bytes = Exakt::to_bytes(sum);
  return Exakt::from_bytes<A>(bytes.data(), bytes.size()).round() + use<A>(x);
}

}  // namespace

double sums_of_parts(Vector const& x, Matrix const& X) {
  Kokkos::View<int*, Space> const keys("keys", x.extent(0)), unique("unique", x.extent(0));
  Kokkos::View<float*, Space> const r("r", x.extent(0)), columns("columns", X.extent(1));
  Exakt::inclusive_scan(x, x);
  Exakt::exclusive_scan(X, X);
  Exakt::inclusive_scan(x, r);
  Exakt::segmented_sum(keys, x, r);
  Exakt::stddev(columns, X);
  Exakt::DotAccumulator<double> total;
  Exakt::LongAccumulator<double> other;
  Exakt::transform_sum(
      3, [=](int i) { return x(i); }, total);
  Exakt::transform_sum(
      3, [=](int i) { return x(i); }, other);
  Exakt::transform_dot(
      3, [=](int i) { return Kokkos::pair<double, double>(x(i), x(i)); }, total);
  return static_cast<double>(Exakt::sum_by_key(keys, x, unique, r)) + Exakt::variance(x) + Exakt::stddev(x, 0) +
         Exakt::covariance(x, x) + Exakt::correlation(x, x) + total.round() + other.round();
}

double accumulators(Vector const& x, Vector const& y) {
  using Exakt::Terms;
  double result = use_array<Exakt::SumAccumulator<double>>(x) + use_array<Exakt::DotAccumulator<double>>(x) +
                  use<Exakt::LongAccumulator<double>>(x) + use<Exakt::Expansion<double, 4>>(x) +
                  use<Exakt::HighPrecision<6, 3>>(x) + use<Exakt::Hallberg<10, 38>>(x);
  Exakt::Binned<double, 3> binned;
  for (int i = 0; i < 3; ++i) binned += x(i);
  Exakt::DotAccumulator<double> dot;
  dot.add_product(x(0), y(0));
  dot.subtract_product(1.0f, y(0));
  dot.add_products(x.data(), y.data(), x.extent(0));
  Exakt::SumAccumulator<float> floats;
  floats += 1.0f;
  float const terms[3] = {1, 2, 3};
  floats.add(terms, 3);
  Exakt::LongAccumulator<double, 56, Terms::scaled_products> scaled;
  scaled.add_scaled_sum(Exakt::LongAccumulator<double, 56, Terms::products>(), 3.0);
  return result + binned.round() + dot.round() + floats.round() + scaled.round();
}

double verbs(Vector const& x, Vector const& y, Matrix const& A, Matrix const& B, Matrix const& C) {
  Exakt::axpby(1.0, x, 2.0, y);
  Exakt::gemv("N", 1.0, A, x, 0.0, y);
  Exakt::gemm("N", "N", 1.0, A, B, 0.0, C);
  Exakt::trsv("L", "N", "N", A, x);
  Exakt::trsm("L", "L", "N", "N", 1.0, A, B);
  Exakt::ExponentRange const range = Exakt::exponent_range(x);
  return Exakt::sum(x) + Exakt::dot(x, y) + Exakt::nrm1(x) + Exakt::nrm2(x) + Exakt::nrm2_squared(x) + Exakt::mean(x) +
         range.lowest + static_cast<double>(Exakt::describe().size()) +
         Exakt::transform_sum(Space(), x.extent(0), [=](std::size_t i) { return x(i); }) +
         Exakt::transform_dot(Space(), x.extent(0), [=](std::size_t i) { return Kokkos::make_pair(x(i), y(i)); });
}

double sparse(Vector const& x, Vector const& y, Kokkos::View<int*, Space> const& row_map) {
  auto const matrix = Exakt::crs_matrix(row_map, row_map, x, 10);
  Exakt::spmv("N", 1.0, matrix, x, 0.0, y);
  Exakt::spmv("T", 1.0, matrix, x, 0.0, y);
  Kokkos::View<Kokkos::complex<double>*, Space> const z("z", 10);
  Exakt::spmv("H", 1.0, matrix, z, 0.0, z);
  auto const three = Exakt::sum_of<3>(9, [=](int k) { return Kokkos::Array<double, 3>{x(k), y(k), 1}; });
  return three[0] + Exakt::sum_of(9, [=](int k) { return x(k); }) +
         Exakt::product_sum_of(9, [=](int k) { return Kokkos::make_pair(x(k), y(k)); });
}

double scattered(Vector const& x) {
  Exakt::ScatterSum<double, Space> const bins("bins", 10);
  {
    Exakt::ScatterCache cache(bins);
    cache.add(1, 2.0);
  }
  Exakt::ScatterSum<double, Space> copy = bins;
  Exakt::histogram(x, x, x, x);
  copy.add(2, 3.0);
  copy.merge(bins);
  copy.round_to(x);
  copy.clear();
  copy.add_to(x);
  copy.resize(20);
  Exakt::ScatterSum<double* [3], Space> const forces("forces", 10);
  forces.subtract(1, 2, 2.0);
  return copy.round(1) + copy.accumulator(2).round() + forces.round(1, 2, Exakt::Rounding::upward);
}

double assembled(Vector const& x, Kokkos::View<int*, Space> const& row_map) {
  Exakt::CrsAssembly<double, Space> const sums(row_map, row_map);
  Exakt::CrsAssembly<double, Space> copy = sums;
  copy.add(0, 0, 2.0);
  copy.round_to(x);
  copy.clear();
  return static_cast<double>(copy.memory());
}

#ifdef EXAKT_TEST_HAS_MPI
double ranks(Vector const& x) {
  Exakt::SumAccumulator<double> sum;
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum);
  Exakt::Mpi::Request request;
  Exakt::Mpi::iallreduce(MPI_COMM_WORLD, sum, Exakt::Mpi::Method::words, request);
  request.wait();
  Exakt::Mpi::reduce(MPI_COMM_WORLD, sum, 0);
  Exakt::HighPrecision<4, 2> fixed;
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum, sum);
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, sum, fixed);
  Exakt::Mpi::inclusive_scan(MPI_COMM_WORLD, x, x);
  Kokkos::View<int*, Space> const keys("keys", x.extent(0));
  static_cast<void>(Exakt::Mpi::sum_by_key(MPI_COMM_WORLD, keys, x, keys, x));
  return Exakt::Mpi::variance(MPI_COMM_WORLD, x) + Exakt::Mpi::correlation(MPI_COMM_WORLD, x, x) +
         Exakt::Mpi::covariance(MPI_COMM_WORLD, x, x) + Exakt::Mpi::sum(MPI_COMM_WORLD, x) + sum.round() +
         Exakt::Mpi::nrm2_squared(MPI_COMM_WORLD, x) +
         Exakt::Mpi::transform_sum(MPI_COMM_WORLD, 5, [=](int i) { return x(i); }) +
         Exakt::Mpi::transform_dot(MPI_COMM_WORLD, 5, [=](int i) { return Kokkos::make_pair(x(i), x(i)); });
}

void products_over_ranks(Matrix const& X, Matrix const& C, Vector const& x, Vector const& y) {
  Exakt::Mpi::gemm(MPI_COMM_WORLD, "T", "N", 1, X, X, 0, C);
  Kokkos::View<std::size_t*, Space> const row_map("row_map", y.extent(0) + 1);
  Kokkos::View<int*, Space> const columns("columns", 0);
  auto const A = Exakt::crs_matrix(row_map, columns, x, x.extent(0));
  Exakt::Mpi::SpmvPlan plan(MPI_COMM_WORLD, A, x.extent(0));
  plan = Exakt::Mpi::SpmvPlan(MPI_COMM_WORLD, A, columns);
  if (plan.own_entries() + plan.halo_entries() > 0) Exakt::Mpi::spmv(MPI_COMM_WORLD, "N", 1, A, x, 0, y, plan);
}
#endif
