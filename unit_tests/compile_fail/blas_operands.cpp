// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each verb with each kind of operand that it cannot take.
#include <ExaktBlas.hpp>
#include <ExaktScatter.hpp>

#include <vector>

using Vector = Kokkos::View<double*>;
using Matrix = Kokkos::View<double**>;
using Space = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<>::member_type;

#if defined(EXAKT_CORRECTED)
using V = Vector;
using M = Matrix;
#elif defined(CASE_integers)
using V = Kokkos::View<int*>;
using M = Kokkos::View<int**>;
#elif defined(CASE_long_doubles)
using V = Kokkos::View<long double*>;
using M = Kokkos::View<long double**>;
#elif defined(CASE_rank_3)
using V = Kokkos::View<double***>;
using M = V;
#elif defined(CASE_std_vector)
using V = std::vector<double>;
using M = V;
#endif

#ifdef CASE_sum
double sum(V const& x) { return static_cast<double>(Exakt::sum(x)); }
#endif
#ifdef CASE_sum_on_space
double sum(Space const& space, V const& x) { return static_cast<double>(Exakt::sum(space, x)); }
#endif
#ifdef CASE_sum_into_r
void sum(Kokkos::View<double> const& r, V const& x) { Exakt::sum(r, x); }
#endif
#ifdef CASE_sum_into_wrong_r
void sum_into(V const& r, Matrix const& x) { Exakt::sum(r, x); }
#endif
#ifdef CASE_sum_on_space_into_r
void sum(Space const& space, Kokkos::View<double> const& r, V const& x) { Exakt::sum(space, r, x); }
#endif
#ifdef CASE_nrm1
double nrm1(V const& x) { return static_cast<double>(Exakt::nrm1(x)); }
#endif
#ifdef CASE_nrm2
double nrm2(V const& x) { return static_cast<double>(Exakt::nrm2(x)); }
#endif
#ifdef CASE_nrm2_squared
double nrm2_squared(V const& x) { return static_cast<double>(Exakt::nrm2_squared(x)); }
#endif
#ifdef CASE_mean
double mean(V const& x) { return static_cast<double>(Exakt::mean(x)); }
#endif
#ifdef CASE_dot
double dot(V const& x) { return static_cast<double>(Exakt::dot(x, x)); }
#endif
#ifdef CASE_dot_with
double dot(Vector const& x, V const& y) { return static_cast<double>(Exakt::dot(x, y)); }
#endif
#ifdef CASE_axpby
void axpby(V const& x) { Exakt::axpby(1.0, x, 1.0, x); }
#endif
#ifdef CASE_axpby_into
void axpby(Vector const& x, V const& y) { Exakt::axpby(1.0, x, 1.0, y); }
#endif
#ifdef CASE_axpby_on_space
void axpby(Space const& space, V const& x, Vector const& y) { Exakt::axpby(space, 1.0, x, 1.0, y); }
#endif
#ifdef CASE_gemv
void gemv(M const& A, V const& x, V const& y) { Exakt::gemv("N", 1.0, A, x, 1.0, y); }
#endif
#ifdef CASE_gemv_with
void gemv_with(Matrix const& A, V const& x, Vector const& y) { Exakt::gemv("N", 1.0, A, x, 1.0, y); }
#endif
#ifdef CASE_gemv_on_space
void gemv(Space const& space, Matrix const& A, Vector const& x, V const& y) {
  Exakt::gemv(space, "N", 1.0, A, x, 1.0, y);
}
#endif
#ifdef CASE_gemm
void gemm(M const& A, Matrix const& C) { Exakt::gemm("N", "N", 1.0, A, A, 1.0, C); }
#endif
#ifdef CASE_gemm_into
void gemm_into(Matrix const& A, M const& C) { Exakt::gemm("N", "N", 1.0, A, A, 1.0, C); }
#endif
#ifdef CASE_gemm_on_space
void gemm(Space const& space, Matrix const& A, M const& B, Matrix const& C) {
  Exakt::gemm(space, "N", "N", 1.0, A, B, 1.0, C);
}
#endif
#ifdef CASE_trsv
void trsv(M const& A, V const& x) { Exakt::trsv("L", "N", "N", A, x); }
#endif
#ifdef CASE_trsv_on_space
void trsv(Space const& space, Matrix const& A, V const& x) { Exakt::trsv(space, "L", "N", "N", A, x); }
#endif
#ifdef CASE_trsm
void trsm(M const& A, Matrix const& B) { Exakt::trsm("L", "L", "N", "N", 1.0, A, B); }
#endif
#ifdef CASE_trsm_on_space
void trsm(Space const& space, Matrix const& A, M const& B) { Exakt::trsm(space, "L", "L", "N", "N", 1.0, A, B); }
#endif
#ifdef CASE_axpy
void axpy(V const& x) { Exakt::axpy(1.0, x, x); }
#endif
#ifdef CASE_iamax
auto iamax(V const& x) { return Exakt::iamax(x); }
#endif
#ifdef CASE_symv
void symv(M const& A, V const& x, V const& y) { Exakt::symv("L", 1.0, A, x, 1.0, y); }
#endif
#ifdef CASE_hemv_with
void hemv(Matrix const& A, V const& x, Vector const& y) { Exakt::hemv("L", 1.0, A, x, 1.0, y); }
#endif
#ifdef CASE_trmv
void trmv(M const& A, V const& x) { Exakt::trmv("L", "N", "N", A, x); }
#endif
#ifdef CASE_ger_into
void ger(Vector const& x, M const& A) { Exakt::ger(1.0, x, x, A); }
#endif
#ifdef CASE_her_on_space
void her(Space const& space, V const& x, Matrix const& A) { Exakt::her(space, "L", 1.0, x, A); }
#endif
#ifdef CASE_syr2
void syr2(V const& x, Matrix const& A) { Exakt::syr2("L", 1.0, x, x, A); }
#endif
#ifdef CASE_symm
void symm(M const& A, M const& B, M const& C) { Exakt::symm("L", "L", 1.0, A, B, 1.0, C); }
#endif
#ifdef CASE_hemm_on_space
void hemm(Space const& space, Matrix const& A, M const& B, Matrix const& C) {
  Exakt::hemm(space, "L", "L", 1.0, A, B, 1.0, C);
}
#endif
#ifdef CASE_syrk
void syrk(M const& A, Matrix const& C) { Exakt::syrk("L", "N", 1.0, A, 1.0, C); }
#endif
#ifdef CASE_her2k_into
void her2k(Matrix const& A, M const& C) { Exakt::her2k("L", "N", 1.0, A, A, 1.0, C); }
#endif
#ifdef CASE_trmm_on_space
void trmm(Space const& space, M const& A, Matrix const& B) { Exakt::trmm(space, "L", "L", "N", "N", 1.0, A, B); }
#endif
#ifdef CASE_team_sum
double team_sum(Member const& member, V const& x) { return static_cast<double>(Exakt::team_sum(member, x)); }
#endif
#ifdef CASE_team_dot
double team_dot(Member const& member, Vector const& x, V const& y) {
  return static_cast<double>(Exakt::team_dot(member, x, y));
}
#endif
#ifdef CASE_team_nrm2
double team_nrm2(Member const& member, V const& x) { return static_cast<double>(Exakt::team_nrm2(member, x)); }
#endif
#ifdef CASE_team_gemv
void team_gemv(Member const& member, M const& A, Vector const& x) { Exakt::team_gemv(member, 'N', 1.0, A, x, 1.0, x); }
#endif
#ifdef CASE_team_gemv_with
void team_gemv_with(Member const& member, Matrix const& A, V const& x, Vector const& y) {
  Exakt::team_gemv(member, 'N', 1.0, A, x, 1.0, y);
}
#endif
#ifdef CASE_ordered_scatter_add
void scatter(Kokkos::View<int*> const& indices, V const& values) {
  Exakt::ordered_scatter_add(indices, values, values, 64);
}
#endif
#ifdef CASE_round_to
void round(Exakt::ScatterSum<double> const& bins, V const& result) { bins.round_to(result); }
#endif
#ifdef CASE_add_to
void add(Exakt::ScatterSum<double> const& bins, V const& result) { bins.add_to(result); }
#endif
#ifdef CASE_assembly_round_to
void round(Exakt::CrsAssembly<double> const& sums, V const& values) { sums.round_to(values); }
#endif
