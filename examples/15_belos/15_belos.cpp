// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CG and GMRES of Trilinos' Belos with Jacobi's preconditioner, for the 27-point stencil of HPCG:
//
//     mpirun -n 4 example_15_belos [POINTS [STEPS]]
//
// Each line has a solver's residual after so many steps, the same bits for any number of ranks with exact inner products,
// others without.
#include <ExaktBelos.hpp>

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosPseudoBlockGmresSolMgr.hpp>

#include "../11_sparse_cg/matrices.hpp"

#include <cstdio>

using Column = Exakt::Experimental::BelosColumn;
using Exact = Exakt::Experimental::ExactInnerProducts;

/// Sums of doubles on each rank, added by MPI.
struct Plain {
  template <class PairOf>
  static std::vector<double> dots(MPI_Comm comm, int count, PairOf const& pair_of) {
    std::vector<double> result(count);
    for (int k = 0; k < count; ++k) {
      auto const [x, y] = pair_of(k);
      for (std::size_t i = 0; i < x.extent(0); ++i) result[k] += x(i) * y(i);
    }
    MPI_Allreduce(MPI_IN_PLACE, result.data(), count, MPI_DOUBLE, MPI_SUM, comm);
    return result;
  }
  static double norm(MPI_Comm comm, Column const& x) {
    return std::sqrt(dots(comm, 1, [&](int) { return std::pair(x, x); })[0]);
  }
};

/// The norm of b - A x after `steps` steps of a solver, from x = 0.
template <template <class, class, class> class Solver, class InnerProducts>
double residual(MPI_Comm comm, Exakt::Experimental::BelosOperator<InnerProducts> const& multiply, Column const& b,
                int steps) {
  using MV = Exakt::Experimental::BelosVectors<InnerProducts>;
  using OP = Exakt::Experimental::BelosOperator<InnerProducts>;
  using Traits = Belos::MultiVecTraits<double, MV>;
  auto const x = Teuchos::rcp(new MV(comm, b.extent(0), 1)), right = Traits::Clone(*x, 1);
  Kokkos::deep_copy(right->columns[0], b);
  auto const precondition = Teuchos::rcp(new OP{[](Column const& in, Column const& out) {
    for (std::size_t i = 0; i < in.extent(0); ++i) out(i) = in(i) / 26;
  }});
  auto const problem = Teuchos::rcp(new Belos::LinearProblem<double, MV, OP>(Teuchos::rcp(new OP(multiply)), x, right));
  problem->setRightPrec(precondition);
  problem->setProblem();
  auto const parameters = Teuchos::rcp(new Teuchos::ParameterList);
  parameters->set("Maximum Iterations", steps);
  parameters->set("Num Blocks", steps + 1);  // of GMRES, which is not restarted then
  parameters->set("Convergence Tolerance", 1e-30);
  Solver<double, MV, OP> solver(problem, parameters);
  solver.solve();
  MV r(comm, b.extent(0), 1);
  multiply.apply(x->columns[0], r.columns[0]);
  Traits::MvAddMv(1, *right, -1, r, r);
  std::vector<double> norm(1);
  Traits::MvNorm(r, norm);
  return norm[0];
}

template <class InnerProducts>
void run(char const* name, MPI_Comm comm, Exakt::Experimental::BelosOperator<InnerProducts> const& multiply,
         Column const& b, int steps) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  for (int step = 1; step <= steps; ++step) {
    double const cg = residual<Belos::PseudoBlockCGSolMgr>(comm, multiply, b, step);
    double const gmres = residual<Belos::PseudoBlockGmresSolMgr>(comm, multiply, b, step);
    if (rank == 0) std::printf("%s step %2d: CG %a, GMRES %a\n", name, step, cg, gmres);
  }
}

int main(int argc, char* argv[]) {
  auto const points_wanted = number_of(argc > 1 ? argv[1] : "12"), steps_wanted = number_of(argc > 2 ? argv[2] : "25");
  if (!points_wanted || *points_wanted < 1 || *points_wanted > most_points || !steps_wanted || argc > 3) {
    std::fprintf(stderr, "example_15_belos [POINTS [STEPS]]: 1 to %d points\n", most_points);
    return 2;
  }
  int const points = *points_wanted, steps = *steps_wanted;
  MPI_Init(&argc, &argv);
  Kokkos::initialize(argc, argv);
  {
    MPI_Comm const comm = MPI_COMM_WORLD;
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    Rows const rows(points * points * points, rank, ranks);
    Matrix const matrix = stencil(points, rows);
    Exakt::Mpi::SpmvPlan const plan(comm, matrix, static_cast<std::size_t>(rows.size()));
    auto const multiply = [=](Column const& x, Column const& y) {
      Exakt::Mpi::spmv(comm, "N", 1.0, matrix, x, 0.0, y, plan);
    };
    Column const b("b", rows.size());
    for (int i = 0; i < rows.size(); ++i) b(i) = 1.0 / (1 + (rows.first + i) % 101);
    run("exact", comm, Exakt::Experimental::BelosOperator<Exact>{multiply}, b, steps);
    run("plain", comm, Exakt::Experimental::BelosOperator<Plain>{multiply}, b, steps);
  }
  Kokkos::finalize();
  MPI_Finalize();
}
