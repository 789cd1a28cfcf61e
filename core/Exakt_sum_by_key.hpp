// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_SUM_BY_KEY_HPP
#define EXAKT_SUM_BY_KEY_HPP

#include "parallel/Exakt_SumByKey.hpp"

namespace Exakt {

/// \brief For each different key the sum of its terms, rounded once: unique_keys(k) in ascending order, sums(k) the sum
/// of all x(i) with keys(i) == unique_keys(k). Returns how many there are.
///
/// Nothing is moved where the keys ascend; where they lie within 256 of each other, and each has an accumulator; and where there
/// are no more keys from the least to the most than terms, and each has an enclosure of its sum. Else terms are ordered by their
/// keys, by counting, and the runs of equal keys are added as segmented_sum does it; so are the terms of keys whose
/// enclosures do not decide.
///
/// \param space        Where to run; waited for. On a device each key that occurs has an accumulator, if there are up to
///                     2^20 different ones, and the least and the most differ by less than 2^20 + 64 * keys.extent(0)
///                     and 2^32; else the host does it, with copies.
/// \param keys         A key for each term, of any integer type, in any order, read.
/// \param x            The terms, read: of any layout; float, double, or Kokkos' half types.
/// \param unique_keys  The different keys, written: of the keys' type, or one that holds all its values. As many entries
///                     as there are different keys or more, which stay as they are; keys.extent(0) always suffices.
/// \param sums         Their sums, written: as many entries likewise, of any layout and of any type that x may have, to
///                     which each sum is rounded.
/// \return The number of different keys.
/// \throws std::invalid_argument  keys and x differ in length, unique_keys or sums have fewer entries than there are
///         different keys, or an output shares memory with another operand.
/// \par Special values  NaN, infinities and the sign of zero as in SumAccumulator::round.
/// \par Cost  A pass over the keys, and one over keys and terms; memory of 33 bytes for each key from the least to the most and
///      each thread, 66 bytes for each term at most. Keys farther apart, or so many threads that they would take more: a pass over
///      keys and terms for each 11 bits of the range, and memory for two copies of both. perf_tests/core/perf_sum_by_key. On a
///      device two passes over the keys, and one over keys and terms; memory of 2 bits for each key from the least to the
///      most, and 0.3 KB for each different one.
template <Impl::ExecutionSpace Space, class Keys, class X, class UniqueKeys, class Sums>
EXAKT_ABI_TAG std::size_t sum_by_key(Space const& space, Keys const& keys, X const& x, UniqueKeys const& unique_keys,
                                     Sums const& sums) {
  return Impl::sum_by_key("sum_by_key", space, keys, x, unique_keys, sums);
}

/// \brief The same on the execution space of x.
template <class Keys, class X, class UniqueKeys, class Sums>
EXAKT_ABI_TAG std::size_t sum_by_key(Keys const& keys, X const& x, UniqueKeys const& unique_keys, Sums const& sums) {
  static_assert(Impl::require_views<Keys, X, UniqueKeys, Sums>());
  return sum_by_key(typename X::execution_space(), keys, x, unique_keys, sums);
}

}  // namespace Exakt

#endif
