// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients with Jacobi's preconditioner, over ranks and threads:
//
//     mpirun -n 4 example_11_sparse_cg [FILE.mtx | POINTS] [--steps N] [--time]
//
// FILE is a symmetric positive definite matrix in the Matrix Market's format; else the 27-point stencil of HPCG is taken,
// on POINTS^3 points. Each line has the residual of the exact solver, the same bits for any number of ranks and threads,
// and that of the plain one.
#include "matrices.hpp"
#include "plain.hpp"

#include <ExaktBlas.hpp>
#include <ExaktMpi.hpp>
#include <ExaktSparse.hpp>

#include <cstdio>
#include <cstring>
#include <optional>

/// Every sum is one of all ranks, rounded once; so is every entry of a product.
class Exact {
 public:
  Exact(MPI_Comm comm, Matrix const& matrix, Rows const& rows)
      : m_comm(comm), m_matrix(matrix), m_plan(comm, matrix, static_cast<std::size_t>(rows.size())) {}

  void multiply(Vector const& x, Vector const& y) const {
    Exakt::Mpi::spmv(m_comm, "N", 1.0, m_matrix, x, 0.0, y, m_plan);
  }
  double dot(Vector const& x, Vector const& y) const { return Exakt::Mpi::dot(m_comm, x, y); }
  double norm(Vector const& x) const { return Exakt::Mpi::nrm2(m_comm, x); }
  void axpby(double a, Vector const& x, double b, Vector const& y) const { Exakt::axpby(a, x, b, y); }

 private:
  MPI_Comm m_comm;
  Matrix m_matrix;
  Exakt::Mpi::SpmvPlan<Kokkos::HostSpace> m_plan;
};

/// The norms of the residuals of A x = b, step by step, from x = 0.
template <class Operations>
std::vector<double> solve(Operations const& with, Vector const& diagonal, Vector const& b, int steps) {
  std::size_t const n = b.extent(0);
  Vector const x("x", n), r("r", n), z("z", n), p("p", n), q("q", n);
  // A quotient per entry: no order that could differ.
  auto const precondition = [=] {
    Kokkos::parallel_for(
        n, KOKKOS_LAMBDA(int i) { z(i) = r(i) / diagonal(i); });
  };
  Kokkos::deep_copy(r, b);
  precondition();
  Kokkos::deep_copy(p, z);
  double rz = with.dot(r, z);
  std::vector<double> norms{with.norm(r)};
  for (int step = 1; step <= steps; ++step) {
    if (rz == 0) {  // all that is left would be divided by zeros
      norms.resize(steps + 1, norms.back());
      break;
    }
    with.multiply(p, q);
    double const alpha = rz / with.dot(p, q), before = rz;
    with.axpby(alpha, p, 1, x);
    with.axpby(-alpha, q, 1, r);
    precondition();
    rz = with.dot(r, z);
    with.axpby(1, z, rz / before, p);
    norms.push_back(with.norm(r));
  }
  return norms;
}

Vector diagonal_of(Matrix const& matrix, Rows const& rows) {
  Vector const diagonal("diagonal", rows.size());
  for (int i = 0; i < rows.size(); ++i) {
    for (int k = matrix.graph.row_map(i); k < matrix.graph.row_map(i + 1); ++k)
      if (matrix.graph.entries(k) == rows.first + i) diagonal(i) += matrix.values(k);
    if (!(diagonal(i) > 0))
      throw std::runtime_error("row " + std::to_string(rows.first + i + 1) + ": the diagonal entry must be positive");
  }
  return diagonal;
}

struct Problem {
  Rows rows;
  Matrix matrix;
  Vector diagonal, b;
};

Problem make_problem(char const* input, int rank, int ranks) {
  auto const points = number_of(input);
  Problem problem{Rows(0, 0, 1), {}, {}, {}};
  if (points) {
    if (*points < 1 || *points > most_points)
      throw std::runtime_error("there may be 1 to " + std::to_string(most_points) + " points, not " + input);
    problem.rows = Rows(*points * *points * *points, rank, ranks);
    problem.matrix = stencil(*points, problem.rows);
  } else {
    MatrixMarket file(input);
    problem.rows = Rows(file.rows(), rank, ranks);
    problem.matrix = file.read(problem.rows);
  }
  problem.diagonal = diagonal_of(problem.matrix, problem.rows);
  problem.b = Vector("b", problem.rows.size());
  for (int i = 0; i < problem.rows.size(); ++i) problem.b(i) = 1.0 / (1 + (problem.rows.first + i) % 101);
  return problem;
}

void run(MPI_Comm comm, bool speaks, Problem const& problem, int steps, bool is_timed) {
  auto const& [rows, matrix, diagonal, b] = problem;
  Exact const exact(comm, matrix, rows);
  Plain const plain(comm, matrix, rows);
  if (!is_timed) {
    auto const norms = solve(exact, diagonal, b, steps), plain_norms = solve(plain, diagonal, b, steps);
    for (int step = 0; step <= steps && speaks; ++step)
      std::printf("step %3d: exact %a, plain %a\n", step, norms[step], plain_norms[step]);
    return;
  }
  double least[2] = {1e300, 1e300};
  for (int round = 0; round < 9; ++round)
    for (int which = 0; which < 2; ++which) {
      MPI_Barrier(comm);
      double const start = MPI_Wtime();
      which == 0 ? solve(exact, diagonal, b, steps) : solve(plain, diagonal, b, steps);
      least[which] = std::min(least[which], MPI_Wtime() - start);
    }
  if (speaks)
    std::printf("a step: exact %.0f us, plain %.0f us, ratio %.2f\n", 1e6 * least[0] / steps, 1e6 * least[1] / steps,
                least[0] / least[1]);
}

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  Kokkos::initialize(argc, argv);
  char const *input = "16", *steps = "40";
  int rank = 0, ranks = 1;
  bool is_timed = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--time") == 0) {
      is_timed = true;
    } else if (std::strcmp(argv[i], "--steps") == 0 && i + 1 < argc) {
      steps = argv[++i];
    } else {
      input = argv[i];
    }
  }
  MPI_Comm const comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  int speaker = ranks;  // the first rank that has something to complain about
  {
    std::optional<Problem> problem;
    std::string complaint;
    try {
      if (!number_of(steps)) throw std::runtime_error("--steps takes a number, not " + std::string(steps));
      problem = make_problem(input, rank, ranks);
    } catch (std::exception const& error) {
      complaint = error.what();
      speaker = rank;
    }
    MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, comm);
    if (speaker == ranks) run(comm, rank == 0, *problem, *number_of(steps), is_timed);
    if (speaker == rank) std::fprintf(stderr, "example_11_sparse_cg: %s\n", complaint.c_str());
  }
  Kokkos::finalize();
  MPI_Finalize();
  return speaker == ranks ? 0 : 2;
}
