// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_SUM_BY_KEY_HPP
#define EXAKTMPI_SUM_BY_KEY_HPP

#include "impl/ExaktMpi_SumByKey.hpp"

namespace Exakt::Mpi {

/// \brief For each different key on any rank the sum of its terms on all ranks, rounded once: unique_keys(k) in ascending
/// order, sums(k) the sum of all x(i) with keys(i) == unique_keys(k). Returns how many there are; on every rank the same.
///
/// Method: terms sorted by key on each rank, the union of the keys, exact sums reduced by Method::words.
///
/// \param comm         All its ranks call, with the same types.
/// \param space        Where the operands are; waited for. The host does it.
/// \param keys         This rank's part: a key for each term, of any integer type, in any order, read; none included.
/// \param x            The terms, read: of any layout; float, double, or Kokkos' half types.
/// \param unique_keys  The different keys, written: of the keys' type, or one that holds all its values. As many entries as
///                     there are different keys on all ranks or more, which stay as they are.
/// \param sums         Their sums, written: as many entries likewise, of any layout and of any type that x may have.
/// \return The number of different keys.
/// \throws std::invalid_argument  comm is null or an intercommunicator, on a rank keys and x differ in length, unique_keys or
///         sums have fewer entries than there are different keys, or an output shares memory with another operand.
/// \throws Error  MPI failed, is not initialized or already finalized.
/// \par Special values  NaN, infinities and the sign of zero as in SumAccumulator::round.
/// \par Cost  A sort of each part; the keys of all ranks on each; for each 16384 keys a message of 7 words, then one of the
///      digits that are in use on any rank.
template <Exakt::Impl::ExecutionSpace Space, class Keys, class X, class UniqueKeys, class Sums>
EXAKT_ABI_TAG std::size_t sum_by_key(MPI_Comm comm, Space const& space, Keys const& keys, X const& x,
                                     UniqueKeys const& unique_keys, Sums const& sums) {
  return Impl::sum_by_key("sum_by_key", comm, space, keys, x, unique_keys, sums);
}

/// \brief The same on the execution space of x.
template <Exakt::Impl::AnyView Keys, class X, class UniqueKeys, class Sums>
EXAKT_ABI_TAG std::size_t sum_by_key(MPI_Comm comm, Keys const& keys, X const& x, UniqueKeys const& unique_keys,
                                     Sums const& sums) {
  return sum_by_key(comm, typename X::execution_space(), keys, x, unique_keys, sums);
}

}  // namespace Exakt::Mpi

#endif
