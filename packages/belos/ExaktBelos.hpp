// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBELOS_HPP
#define EXAKTBELOS_HPP

/// \file
/// \brief Vectors for the solvers of Trilinos' Belos, of which each rank has a part: the same bits at any number of ranks.
///
///     using MV = Exakt::Experimental::BelosVectors<>;
///     using OP = Exakt::Experimental::BelosOperator<>;
///     Belos::PseudoBlockCGSolMgr<double, MV, OP> solver(problem, parameters);
///
/// Inner products and norms are exact over all ranks and rounded once, several inner products in one message; of everything
/// else an entry is one expression, whatever the flags of the compiler and the partition.

#include <BelosMultiVecTraits.hpp>
#include <BelosOperatorTraits.hpp>

#include <Exakt.hpp>
#include <ExaktMpi.hpp>
#include <parallel/Exakt_Loop.hpp>

#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace Exakt::Experimental {

/// This rank's part of a vector.
using BelosColumn = Kokkos::View<double*, Kokkos::HostSpace>;

/// Inner products and norms over all ranks, each rounded once. A struct of yours with these two functions does it in another way.
struct ExactInnerProducts {
  /// x.y of the pairs of columns (x, y) = pair_of(0) ... pair_of(count - 1): one message.
  template <class PairOf>
  static std::vector<double> dots(MPI_Comm comm, int count, PairOf const& pair_of) {
    Kokkos::View<DotAccumulator<double>*, Kokkos::HostSpace> const sums("Exakt::Belos::sums", count);
    for (int k = 0; k < count; ++k) {
      auto const pair = pair_of(k);
      transform_dot(
          Kokkos::DefaultHostExecutionSpace(), pair.first.extent(0),
          [=](std::size_t i) { return Kokkos::make_pair(pair.first(i), pair.second(i)); }, sums(k));
    }
    Mpi::allreduce(comm, sums);
    std::vector<double> result;
    for (int k = 0; k < count; ++k) result.push_back(sums(k).round());
    return result;
  }
  static double norm(MPI_Comm comm, BelosColumn const& x) { return Mpi::nrm2(comm, x); }
};

/// \brief Some vectors, as Belos asks for by its MultiVecTraits. Columns are handles: copies share their entries.
template <class InnerProducts = ExactInnerProducts>
struct BelosVectors {
  MPI_Comm comm;
  std::size_t size;  // of this rank's part
  std::vector<BelosColumn> columns;

  /// Zeros.
  BelosVectors(MPI_Comm communicator, std::size_t n, int count) : comm(communicator), size(n) {
    for (int j = 0; j < count; ++j) columns.emplace_back("Exakt::Belos::column", n);
  }
};

/// \brief apply(x, y): y := A x, of one vector; a matrix (by Exakt::Mpi::spmv, then it is exact), or a preconditioner.
template <class InnerProducts = ExactInnerProducts>
struct BelosOperator {
  std::function<void(BelosColumn const&, BelosColumn const&)> apply;
};

}  // namespace Exakt::Experimental

namespace Belos {

template <class InnerProducts>
struct OperatorTraits<double, Exakt::Experimental::BelosVectors<InnerProducts>,
                      Exakt::Experimental::BelosOperator<InnerProducts>> {
  using MV = Exakt::Experimental::BelosVectors<InnerProducts>;
  using OP = Exakt::Experimental::BelosOperator<InnerProducts>;
  static void Apply(OP const& op, MV const& x, MV& y, ETrans trans = NOTRANS) {
    if (trans != NOTRANS)
      throw std::invalid_argument("Exakt::Experimental::BelosOperator: y = A x is all that it has, no transpose");
    for (std::size_t j = 0; j < x.columns.size(); ++j) op.apply(x.columns[j], y.columns[j]);
  }
  static bool HasApplyTranspose(OP const&) { return false; }
};

template <class InnerProducts>
struct MultiVecTraits<double, Exakt::Experimental::BelosVectors<InnerProducts>> {
  using MV = Exakt::Experimental::BelosVectors<InnerProducts>;
  using Dense = Teuchos::SerialDenseMatrix<int, double>;
  using Indices = std::vector<int>;
  using Range = Teuchos::Range1D;

  static Teuchos::RCP<MV> Clone(MV const& v, int count) { return Teuchos::rcp(new MV(v.comm, v.size, count)); }
  static Teuchos::RCP<MV> CloneCopy(MV const& v) { return copied(v); }
  static Teuchos::RCP<MV> CloneCopy(MV const& v, Indices const& of) { return copied(*shared(v, of)); }
  static Teuchos::RCP<MV> CloneCopy(MV const& v, Range const& of) { return copied(*shared(v, indices(of))); }
  static Teuchos::RCP<MV> CloneViewNonConst(MV& v, Indices const& of) { return shared(v, of); }
  static Teuchos::RCP<MV> CloneViewNonConst(MV& v, Range const& of) { return shared(v, indices(of)); }
  static Teuchos::RCP<MV const> CloneView(MV const& v, Indices const& of) { return shared(v, of); }
  static Teuchos::RCP<MV const> CloneView(MV const& v, Range const& of) { return shared(v, indices(of)); }
  static int GetNumberVecs(MV const& v) { return static_cast<int>(v.columns.size()); }
  static bool HasConstantStride(MV const&) { return false; }
  static ptrdiff_t GetGlobalLength(MV const& v) {
    long length = static_cast<long>(v.size);
    MPI_Allreduce(MPI_IN_PLACE, &length, 1, MPI_LONG, MPI_SUM, v.comm);
    return length;
  }

  /// v = alpha * A * B + beta * v
  static void MvTimesMatAddMv(double alpha, MV const& A, Dense const& B, double beta, MV& v) {
    int const count = Exakt::Impl::is_zero(alpha) ? 0 : GetNumberVecs(A);
    for (int j = 0; j < GetNumberVecs(v); ++j)
      for_each_entry(v, [&](std::size_t i) {
        double& entry = v.columns[j](i);
        entry = Exakt::product_sum_of(beta == 0 ? count : count + 1, [&](int k) {
          return k < count ? Kokkos::make_pair(alpha * B(k, j), A.columns[k](i)) : Kokkos::make_pair(beta, entry);
        });
      });
  }
  /// v = alpha * A + beta * B; what a factor of zero multiplies is not read.
  static void MvAddMv(double alpha, MV const& A, double beta, MV const& B, MV& v) {
    for (std::size_t j = 0; j < v.columns.size(); ++j)
      for_each_entry(v, [&](std::size_t i) {
        double const of_b = beta == 0 ? 0 : beta * B.columns[j](i);
        v.columns[j](i) = alpha == 0 ? of_b : std::fma(alpha, A.columns[j](i), of_b);
      });
  }
  static void MvScale(MV& v, double factor) { MvScale(v, std::vector<double>(v.columns.size(), factor)); }
  static void MvScale(MV& v, std::vector<double> const& factors) {
    for (std::size_t j = 0; j < v.columns.size(); ++j)
      for_each_entry(v, [&](std::size_t i) { v.columns[j](i) *= factors[j]; });
  }
  /// C = alpha * A^T * B
  static void MvTransMv(double alpha, MV const& A, MV const& B, Dense& C) {
    int const rows = GetNumberVecs(A), count = rows * GetNumberVecs(B);
    auto const products =
        InnerProducts::dots(A.comm, count, [&](int k) { return std::pair(A.columns[k % rows], B.columns[k / rows]); });
    Exakt::Impl::in_default_environment([&] {
      for (int k = 0; k < count; ++k) C(k % rows, k / rows) = alpha * products[k];
    });
  }
  static void MvDot(MV const& A, MV const& B, std::vector<double>& products) {
    auto const all =
        InnerProducts::dots(A.comm, GetNumberVecs(A), [&](int j) { return std::pair(A.columns[j], B.columns[j]); });
    std::copy(all.begin(), all.end(), products.begin());
  }
  static void MvNorm(MV const& v, std::vector<double>& norms, NormType type = TwoNorm) {
    if (type != TwoNorm) throw std::invalid_argument("Exakt::Experimental::BelosVectors: only the 2-norm is there");
    for (std::size_t j = 0; j < v.columns.size(); ++j) norms[j] = InnerProducts::norm(v.comm, v.columns[j]);
  }
  static void SetBlock(MV const& from, Indices const& to, MV& v) { Assign(from, *shared(v, to)); }
  static void SetBlock(MV const& from, Range const& to, MV& v) { Assign(from, *shared(v, indices(to))); }
  static void Assign(MV const& from, MV& v) {
    for (std::size_t j = 0; j < v.columns.size(); ++j) Kokkos::deep_copy(v.columns[j], from.columns[j]);
  }
  static void MvInit(MV& v, double value = 0) {
    for (auto const& column : v.columns) Kokkos::deep_copy(column, value);
  }
  static void MvRandom(MV&) {
    throw std::logic_error("Exakt::Experimental::BelosVectors: random numbers would depend on the partition");
  }
  static void MvPrint(MV const&, std::ostream&) {}

 private:
  static Indices indices(Range const& range) {
    Indices result(range.size());
    std::iota(result.begin(), result.end(), static_cast<int>(range.lbound()));
    return result;
  }
  static Teuchos::RCP<MV> shared(MV const& v, Indices const& of) {
    auto const result = Clone(v, 0);
    for (int const j : of) result->columns.push_back(v.columns[j]);
    return result;
  }
  static Teuchos::RCP<MV> copied(MV const& v) {
    auto const result = Clone(v, GetNumberVecs(v));
    Assign(v, *result);
    return result;
  }
  template <class F>
  static void for_each_entry(MV const& v, F const& f) {
    Kokkos::DefaultHostExecutionSpace const space;
    Exakt::Impl::loop("Exakt::Belos", space, v.size, f);
    space.fence();
  }
};

}  // namespace Belos

#endif
