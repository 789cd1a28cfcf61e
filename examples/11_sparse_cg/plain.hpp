// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAMPLE_PLAIN_HPP
#define EXAMPLE_PLAIN_HPP

/// \file
/// \brief What a solver does without Exakt: sums of doubles in the order that threads and ranks happen to have.

#include "matrices.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>

class Plain {
 public:
  Plain(MPI_Comm comm, Matrix const& matrix, Rows const& rows) : m_comm(comm), m_matrix(matrix) {
    // Columns of other ranks, ascending: each asks the others for theirs, once.
    Numbers const columns("columns", matrix.graph.entries.extent(0));
    for (std::size_t k = 0; k < columns.extent(0); ++k)
      if (!rows.has(matrix.graph.entries(k))) m_needed.push_back(matrix.graph.entries(k));
    std::sort(m_needed.begin(), m_needed.end());
    m_needed.erase(std::unique(m_needed.begin(), m_needed.end()), m_needed.end());
    for (std::size_t k = 0; k < columns.extent(0); ++k) {
      int const column = matrix.graph.entries(k);
      auto const place = std::lower_bound(m_needed.begin(), m_needed.end(), column) - m_needed.begin();
      columns(k) = rows.has(column) ? column - rows.first : rows.size() + static_cast<int>(place);
    }
    m_matrix.graph.entries = columns;
    m_x = Vector("x", rows.size() + m_needed.size());

    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    m_receive_at.assign(ranks + 1, 0);
    m_receive.resize(ranks);
    m_send.resize(ranks);
    m_send_at.assign(ranks + 1, 0);
    for (int rank = 0; rank < ranks; ++rank) {
      int const end = Rows(rows.count, rank, ranks).last;
      m_receive_at[rank + 1] =
          static_cast<int>(std::lower_bound(m_needed.begin(), m_needed.end(), end) - m_needed.begin());
      m_receive[rank] = m_receive_at[rank + 1] - m_receive_at[rank];
    }
    MPI_Alltoall(m_receive.data(), 1, MPI_INT, m_send.data(), 1, MPI_INT, comm);
    for (int rank = 0; rank < ranks; ++rank) m_send_at[rank + 1] = m_send_at[rank] + m_send[rank];
    m_sent = Numbers("sent", m_send_at[ranks]);
    m_buffer = Vector("buffer", m_send_at[ranks]);
    MPI_Alltoallv(m_needed.data(), m_receive.data(), m_receive_at.data(), MPI_INT, m_sent.data(), m_send.data(),
                  m_send_at.data(), MPI_INT, comm);
    for (std::size_t k = 0; k < m_sent.extent(0); ++k) m_sent(k) -= rows.first;
  }

  void multiply(Vector const& x, Vector const& y) const {
    auto const [matrix, sent, buffer, local] = std::tuple(m_matrix, m_sent, m_buffer, m_x);
    Kokkos::parallel_for(
        sent.extent(0), KOKKOS_LAMBDA(int k) { buffer(k) = x(sent(k)); });
    Kokkos::parallel_for(
        x.extent(0), KOKKOS_LAMBDA(int i) { local(i) = x(i); });
    Kokkos::fence();
    MPI_Alltoallv(buffer.data(), m_send.data(), m_send_at.data(), MPI_DOUBLE, local.data() + x.extent(0),
                  m_receive.data(), m_receive_at.data(), MPI_DOUBLE, m_comm);
    Kokkos::parallel_for(
        y.extent(0), KOKKOS_LAMBDA(int i) {
          double sum = 0;
          for (int k = matrix.graph.row_map(i); k < matrix.graph.row_map(i + 1); ++k)
            sum += matrix.values(k) * local(matrix.graph.entries(k));
          y(i) = sum;
        });
  }
  double dot(Vector const& x, Vector const& y) const {
    double sum = 0;
    Kokkos::parallel_reduce(
        x.extent(0), KOKKOS_LAMBDA(int i, double& s) { s += x(i) * y(i); }, sum);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, m_comm);
    return sum;
  }
  double norm(Vector const& x) const { return std::sqrt(dot(x, x)); }
  void axpby(double a, Vector const& x, double b, Vector const& y) const {
    Kokkos::parallel_for(
        x.extent(0), KOKKOS_LAMBDA(int i) { y(i) = a * x(i) + b * y(i); });
  }

 private:
  MPI_Comm m_comm;
  Matrix m_matrix;  // columns numbered within m_x: those of this rank, then m_needed
  std::vector<int> m_needed, m_receive, m_receive_at, m_send, m_send_at;
  Numbers m_sent;
  Vector m_buffer, m_x;
};

#endif
