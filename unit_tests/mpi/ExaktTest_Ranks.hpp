// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_RANKS_HPP
#define EXAKTTEST_RANKS_HPP

/// \file
/// \brief All ranks run the same test cases and know the whole data, made from the same seeds; each gives its part to
/// the library, and compares with the oracle's answer for the whole.
///
/// Checks are CHECK, never REQUIRE: a rank that left a test case would let the others wait for it.

#include <mpi.h>

#include <Exakt.hpp>
#include <ExaktMpi.hpp>

#include <vector>

#include "ExaktTest_Cases.hpp"
#include "ExaktTest_Refusal.hpp"

namespace ExaktTest {

using Exakt::Mpi::Method;
inline constexpr Method every_method[] = {Method::words, Method::accumulators};

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Communicators over all ranks: the world, a copy of it, and one that counts them backwards.
class EveryCommunicator {
 public:
  EveryCommunicator() : m_comms{MPI_COMM_WORLD, MPI_COMM_NULL} {
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_in(MPI_COMM_WORLD), &m_comms[1]);
  }
  ~EveryCommunicator() { MPI_Comm_free(&m_comms[1]); }
  EveryCommunicator(EveryCommunicator const&) = delete;
  EveryCommunicator& operator=(EveryCommunicator const&) = delete;
  MPI_Comm const* begin() const { return m_comms; }
  MPI_Comm const* end() const { return m_comms + 2; }

 private:
  MPI_Comm m_comms[2];
};

/// A random rank for each of n terms; now and then one rank has them all, or none.
inline std::vector<int> random_owners(Random& random, std::size_t n, int ranks) {
  int const first = random.between(0, ranks - 1), last = random.coin() ? ranks - 1 : first;
  std::vector<int> owners(n);
  for (auto& owner : owners) owner = random.between(std::min(first, last), std::max(first, last));
  return owners;
}

template <class T>
std::vector<T> part_of(std::vector<T> const& terms, std::vector<int> const& owners, int rank) {
  std::vector<T> part;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (owners[i] == rank) part.push_back(terms[i]);
  return part;
}

template <class A, class T>
A sum_of_part(std::vector<T> const& terms, std::vector<int> const& owners, int rank) {
  A sum{};
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (owners[i] == rank) sum += terms[i];
  return sum;
}

/// Compares everything that depends on the exact value.
template <class T, class A>
void check_accumulator(A const& sum, std::uint64_t count, Answers<T> const& expected) {
  Answers<T> actual;
  for (int i = 0; i < 4; ++i) {
    Rounding const mode = every_rounding[i];
    actual.round[i] = sum.round(mode);
    actual.round_to_float[i] = sum.template round<float>(mode);
    actual.mean[i] = sum.round_quotient(count, mode);
    actual.root[i] = sum.round_sqrt(mode);
  }
  actual.nan = sum.is_nan();
  actual.finite = sum.is_finite();
  check_answers(actual, expected);
}

}  // namespace ExaktTest

#endif
