// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas.hpp>
#include <ExaktScatter.hpp>

#include <cstdint>

#include "ExaktTest_Instead.hpp"

using Vector = Kokkos::View<double*>;
using Matrix = Kokkos::View<double**>;
using ConstantVector = Kokkos::View<double const*>;
using ConstantMatrix = Kokkos::View<double const**>;

#ifdef CASE_blas_matrix_to_number  // has a sum for each column: there is no one number to return
double total(RightInsteadOf<Vector, Matrix> const& x) { return Exakt::sum(x); }
#endif
#ifdef CASE_blas_result_of_wrong_rank  // room for one column only
void products(RightInsteadOf<Vector, Kokkos::View<double>> const& r, Matrix const& X) { Exakt::dot(r, X, X); }
#endif
#ifdef CASE_blas_result_that_is_constant
void sums(RightInsteadOf<Vector, ConstantVector> const& r, Matrix const& X) { Exakt::sum(r, X); }
#endif
#ifdef CASE_blas_norm_into_complex
void norm(Kokkos::View<RightInsteadOf<double, Kokkos::complex<double>>> const& r,
          Kokkos::View<Kokkos::complex<double>*> const& x) {
  Exakt::nrm2(r, x);
}
#endif
#ifdef CASE_blas_dot_of_complex_long_doubles
auto product(Kokkos::View<Kokkos::complex<RightInsteadOf<double, long double>>*> const& x) { return Exakt::dot(x, x); }
#endif
#ifdef CASE_blas_axpby_into_constant
void update(ConstantVector const& x, RightInsteadOf<Vector, ConstantVector> const& y) { Exakt::axpby(1.0, x, 1.0, y); }
#endif
#ifdef CASE_blas_complex_axpy_into_real  // no place for the imaginary part
void add(Kokkos::View<RightInsteadOf<double, Kokkos::complex<double>>*> const& x, Vector const& y) {
  Exakt::axpy(1.0, x, y);
}
#endif
#ifdef CASE_blas_factor_of_64_bits  // 2^53 + 1 is not a double
void update(RightInsteadOf<std::int32_t, std::int64_t> alpha, Vector const& x) { Exakt::axpby(alpha, x, 1, x); }
#endif
#ifdef CASE_blas_gemm_into_constant
void multiply(ConstantMatrix const& a, RightInsteadOf<Matrix, ConstantMatrix> const& c) {
  Exakt::gemm("N", "N", 1.0, a, a, 0.0, c);
}
#endif
#ifdef CASE_blas_gemv_of_vector
void multiply(RightInsteadOf<Matrix, Vector> const& a, Vector const& x, Vector const& y) {
  Exakt::gemv("N", 1.0, a, x, 0.0, y);
}
#endif
#ifdef CASE_blas_complex_factor_of_real  // no place for the imaginary part
void multiply(Matrix const& a, Vector const& x,
              Kokkos::View<RightInsteadOf<Kokkos::complex<double>, double>*> const& y) {
  Exakt::gemv("N", Kokkos::complex<double>(0, 1), a, x, 0.0, y);
}
#endif
#ifdef CASE_blas_syrk_into_constant
void square(Matrix const& a, RightInsteadOf<Matrix, ConstantMatrix> const& c) { Exakt::syrk("L", "N", 1.0, a, 0.0, c); }
#endif
#ifdef CASE_blas_complex_symm_into_real  // no place for the imaginary part
void multiply_symmetric(Kokkos::View<Kokkos::complex<double>**> const& a, Matrix const& b,
                        Kokkos::View<RightInsteadOf<Kokkos::complex<double>, double>**> const& c) {
  Exakt::symm("L", "L", 1.0, a, b, 0.0, c);
}
#endif
#ifdef CASE_blas_iamax_into_numbers
void find_largest(Kokkos::View<RightInsteadOf<int, double>> const& r, Vector const& x) { Exakt::iamax(r, x); }
#endif
#ifdef CASE_blas_trsv_of_complex
using Entry = RightInsteadOf<double, Kokkos::complex<double>>;
void solve(Kokkos::View<Entry**> const& a, Vector const& x) { Exakt::trsv("L", "N", "N", a, x); }
#endif
#ifdef CASE_scatter_wider_term  // would have to be rounded to float before it is added
void add(Exakt::ScatterSum<float> const& bins, RightInsteadOf<float, double> term) { bins.add(0, term); }
#endif
#ifdef CASE_scatter_of_integers
Exakt::ScatterSum<RightInsteadOf<double, int>> make_bins() { return {"bins", 9}; }
#endif
#ifdef CASE_scatter_of_long_doubles
Exakt::ScatterSum<RightInsteadOf<double, long double>> make_wide_bins() { return {"bins", 9}; }
#endif
#ifdef CASE_scatter_missing_index
void add(Exakt::ScatterSum<RightInsteadOf<double*, double* [3]>> const& bins) { bins.add(0, 1.0); }
#endif
#ifdef CASE_scatter_missing_extent
auto make_table() { return Exakt::ScatterSum<RightInsteadOf<double* [3][2], double** [2]>>("table", 9); }
#endif
#ifdef CASE_scatter_cache_of_rank_2
void add(Exakt::ScatterCache<Exakt::ScatterSum<RightInsteadOf<double*, double* [3]>>>& cache) { cache.add(0, 1.0); }
#endif
#ifdef CASE_scatter_terms_as_radix
#ifdef EXAKT_CORRECTED
auto make_small_bins() { return Exakt::ScatterSum<double>("bins", 9, Exakt::Terms::values); }
#else
auto make_small_bins() {
  return Exakt::ScatterSum<double, Kokkos::DefaultExecutionSpace, Exakt::Terms::values>("bins", 9);
}
#endif
#endif
#ifdef CASE_scatter_binned  // has dropped what the bins would keep
void add(Exakt::ScatterSum<double> const& bins,
         RightInsteadOf<Exakt::Expansion<double, 3>, Exakt::Binned<double>> const& sum) {
  bins.add(0, sum);
}
#endif
#ifdef CASE_scatter_cache_binned
void add(Exakt::ScatterCache<Exakt::ScatterSum<double>>& cache,
         RightInsteadOf<Exakt::Expansion<double, 3>, Exakt::Binned<double>> const& sum) {
  cache.add(0, sum);
}
#endif
#ifdef CASE_scatter_layout_as_space
using Space = RightInsteadOf<Kokkos::HostSpace, Kokkos::LayoutLeft>;
void add(Exakt::ScatterSum<double*, Space> const& bins) { bins.add(0, 1.0); }
#endif
#ifdef CASE_scatter_bin_among_values
using Into = RightInsteadOf<Exakt::DotAccumulator<float>, Exakt::SumAccumulator<float>>;
void add(Into& total, Exakt::ScatterSum<float> const& bins) { total += bins.accumulator(0); }
#endif
