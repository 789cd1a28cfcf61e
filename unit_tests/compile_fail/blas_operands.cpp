// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VERB, one of these functions, with each kind of operand that it cannot take, and with one that it can.
#include <ExaktBlas.hpp>
#include <ExaktScatter.hpp>

#include <vector>

using Vector = Kokkos::View<double*>;
using Matrix = Kokkos::View<double**>;
using Space = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<>::member_type;

template <class Vectors, class Matrices = Vectors>
struct Kind {
  using V = Vectors;
  using M = Matrices;
};
template <class K>
using V = typename K::V;
template <class K>
using M = typename K::M;

template <class K>
double sum(V<K> const& x) {
  return static_cast<double>(Exakt::sum(x));
}

template <class K>
double sum_on_space(Space const& space, V<K> const& x) {
  return static_cast<double>(Exakt::sum(space, x));
}

template <class K>
void sum_into_r(Kokkos::View<double> const& r, V<K> const& x) {
  Exakt::sum(r, x);
}

template <class K>
void sum_into_wrong_r(V<K> const& r, Matrix const& x) {
  Exakt::sum(r, x);
}

template <class K>
void sum_on_space_into_r(Space const& space, Kokkos::View<double> const& r, V<K> const& x) {
  Exakt::sum(space, r, x);
}

template <class K>
double nrm1(V<K> const& x) {
  return static_cast<double>(Exakt::nrm1(x));
}

template <class K>
double nrm2(V<K> const& x) {
  return static_cast<double>(Exakt::nrm2(x));
}

template <class K>
double nrm2_squared(V<K> const& x) {
  return static_cast<double>(Exakt::nrm2_squared(x));
}

template <class K>
double mean(V<K> const& x) {
  return static_cast<double>(Exakt::mean(x));
}

template <class K>
double dot(V<K> const& x) {
  return static_cast<double>(Exakt::dot(x, x));
}

template <class K>
double dot_with(Vector const& x, V<K> const& y) {
  return static_cast<double>(Exakt::dot(x, y));
}

template <class K>
void axpby(V<K> const& x) {
  Exakt::axpby(1.0, x, 1.0, x);
}

template <class K>
void axpby_into(Vector const& x, V<K> const& y) {
  Exakt::axpby(1.0, x, 1.0, y);
}

template <class K>
void axpby_on_space(Space const& space, V<K> const& x, Vector const& y) {
  Exakt::axpby(space, 1.0, x, 1.0, y);
}

template <class K>
void gemv(M<K> const& A, V<K> const& x, V<K> const& y) {
  Exakt::gemv("N", 1.0, A, x, 1.0, y);
}

template <class K>
void gemv_with(Matrix const& A, V<K> const& x, Vector const& y) {
  Exakt::gemv("N", 1.0, A, x, 1.0, y);
}

template <class K>
void gemv_on_space(Space const& space, Matrix const& A, Vector const& x, V<K> const& y) {
  Exakt::gemv(space, "N", 1.0, A, x, 1.0, y);
}

template <class K>
void gemm(M<K> const& A, Matrix const& C) {
  Exakt::gemm("N", "N", 1.0, A, A, 1.0, C);
}

template <class K>
void gemm_into(Matrix const& A, M<K> const& C) {
  Exakt::gemm("N", "N", 1.0, A, A, 1.0, C);
}

template <class K>
void gemm_on_space(Space const& space, Matrix const& A, M<K> const& B, Matrix const& C) {
  Exakt::gemm(space, "N", "N", 1.0, A, B, 1.0, C);
}

template <class K>
void trsv(M<K> const& A, V<K> const& x) {
  Exakt::trsv("L", "N", "N", A, x);
}

template <class K>
void trsv_on_space(Space const& space, Matrix const& A, V<K> const& x) {
  Exakt::trsv(space, "L", "N", "N", A, x);
}

template <class K>
void trsm(M<K> const& A, Matrix const& B) {
  Exakt::trsm("L", "L", "N", "N", 1.0, A, B);
}

template <class K>
void trsm_on_space(Space const& space, Matrix const& A, M<K> const& B) {
  Exakt::trsm(space, "L", "L", "N", "N", 1.0, A, B);
}

template <class K>
void axpy(V<K> const& x) {
  Exakt::axpy(1.0, x, x);
}

template <class K>
auto iamax(V<K> const& x) {
  return Exakt::iamax(x);
}

template <class K>
void symv(M<K> const& A, V<K> const& x, V<K> const& y) {
  Exakt::symv("L", 1.0, A, x, 1.0, y);
}

template <class K>
void hemv_with(Matrix const& A, V<K> const& x, Vector const& y) {
  Exakt::hemv("L", 1.0, A, x, 1.0, y);
}

template <class K>
void trmv(M<K> const& A, V<K> const& x) {
  Exakt::trmv("L", "N", "N", A, x);
}

template <class K>
void ger_into(Vector const& x, M<K> const& A) {
  Exakt::ger(1.0, x, x, A);
}

template <class K>
void her_on_space(Space const& space, V<K> const& x, Matrix const& A) {
  Exakt::her(space, "L", 1.0, x, A);
}

template <class K>
void syr2(V<K> const& x, Matrix const& A) {
  Exakt::syr2("L", 1.0, x, x, A);
}

template <class K>
void symm(M<K> const& A, M<K> const& B, M<K> const& C) {
  Exakt::symm("L", "L", 1.0, A, B, 1.0, C);
}

template <class K>
void hemm_on_space(Space const& space, Matrix const& A, M<K> const& B, Matrix const& C) {
  Exakt::hemm(space, "L", "L", 1.0, A, B, 1.0, C);
}

template <class K>
void syrk(M<K> const& A, Matrix const& C) {
  Exakt::syrk("L", "N", 1.0, A, 1.0, C);
}

template <class K>
void her2k_into(Matrix const& A, M<K> const& C) {
  Exakt::her2k("L", "N", 1.0, A, A, 1.0, C);
}

template <class K>
void trmm_on_space(Space const& space, M<K> const& A, Matrix const& B) {
  Exakt::trmm(space, "L", "L", "N", "N", 1.0, A, B);
}

template <class K>
double team_sum(Member const& member, V<K> const& x) {
  return static_cast<double>(Exakt::team_sum(member, x));
}

template <class K>
double team_dot(Member const& member, Vector const& x, V<K> const& y) {
  return static_cast<double>(Exakt::team_dot(member, x, y));
}

template <class K>
double team_nrm2(Member const& member, V<K> const& x) {
  return static_cast<double>(Exakt::team_nrm2(member, x));
}

template <class K>
void team_gemv(Member const& member, M<K> const& A, Vector const& x) {
  Exakt::team_gemv(member, 'N', 1.0, A, x, 1.0, x);
}

template <class K>
void team_gemv_with(Member const& member, Matrix const& A, V<K> const& x, Vector const& y) {
  Exakt::team_gemv(member, 'N', 1.0, A, x, 1.0, y);
}

template <class K>
void ordered_scatter_add(Kokkos::View<int*> const& indices, V<K> const& values) {
  Exakt::ordered_scatter_add(indices, values, values, 64);
}

template <class K>
void round_to(Exakt::ScatterSum<double> const& bins, V<K> const& result) {
  bins.round_to(result);
}

template <class K>
void add_to(Exakt::ScatterSum<double> const& bins, V<K> const& result) {
  bins.add_to(result);
}

template <class K>
void assembly_round_to(Exakt::CrsAssembly<double> const& sums, V<K> const& values) {
  sums.round_to(values);
}

auto* const with_right_ones = &VERB<Kind<Vector, Matrix>>;
#ifdef CASE_integers
auto* const with_integers = &VERB<Kind<Kokkos::View<int*>, Kokkos::View<int**>>>;
#endif
#ifdef CASE_long_doubles
auto* const with_long_doubles = &VERB<Kind<Kokkos::View<long double*>, Kokkos::View<long double**>>>;
#endif
#ifdef CASE_rank_3
auto* const with_rank_3 = &VERB<Kind<Kokkos::View<double***>>>;
#endif
#ifdef CASE_std_vector
auto* const with_std_vector = &VERB<Kind<std::vector<double>>>;
#endif
