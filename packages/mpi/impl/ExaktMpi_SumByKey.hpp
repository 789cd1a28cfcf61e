// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_SUMBYKEY_HPP
#define EXAKTMPI_SUMBYKEY_HPP

/// \file
/// \brief Sums by key over ranks: all learn which keys there are, then the exact sums of these are reduced, some thousand
/// in a message.

#include "ExaktMpi_Agreement.hpp"
#include "ExaktMpi_DeviceMessage.hpp"
#include "ExaktMpi_Reduction.hpp"

#include <numerics/Exakt_ExactTerm.hpp>
#include <parallel/Exakt_SumByKey.hpp>

#include <algorithm>
#include <vector>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// A key as an unsigned integer with the same order, and back.
template <class Key>
constexpr std::uint64_t encoded(Key key) {
  constexpr std::uint64_t sign = std::is_signed_v<Key> ? std::uint64_t{1} << 63 : 0;
  return static_cast<std::uint64_t>(key) ^ sign;
}
template <class Key>
constexpr Key decoded(std::uint64_t code) {
  return static_cast<Key>(encoded<Key>(Key{0}) ^ code);
}

struct KeyedTerm {
  std::uint64_t key;
  double value;
};

/// The different keys of all ranks in ascending order, on every rank.
inline std::vector<std::uint64_t> keys_of_all(Communicator const& comm, std::vector<std::uint64_t> const& mine) {
  auto const ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::int64_t> counts(ranks);
  auto const count = static_cast<std::int64_t>(mine.size());
  comm.check("MPI_Allgather", MPI_Allgather(&count, 1, MPI_INT64_T, counts.data(), 1, MPI_INT64_T, comm));
  std::vector<int> sizes(ranks), begins(ranks);
  std::int64_t total = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    begins[r] = static_cast<int>(total);
    sizes[r] = static_cast<int>(counts[r]);
    total += counts[r];
    if (total > std::numeric_limits<int>::max())
      comm.refuse("there are 2^31 keys and more on all ranks together; MPI counts them with an int");
  }
  std::vector<std::uint64_t> all;
  agree(comm, "keys", [&] {
    all.resize(static_cast<std::size_t>(total));
    return 0;
  });
  comm.check("MPI_Allgatherv", MPI_Allgatherv(mine.data(), sizes[static_cast<std::size_t>(comm.rank())], MPI_UINT64_T,
                                              all.data(), sizes.data(), begins.data(), MPI_UINT64_T, comm));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

template <class Space, class Keys, class X, class UniqueKeys, class Sums>
std::size_t sum_by_key(char const* function, MPI_Comm comm, Space const& space, Keys const& keys, X const& x,
                       UniqueKeys const& unique_keys, Sums const& sums) {
  using namespace Exakt::Impl;
  using Long = LongAccumulator<double>;
  using UniqueKey = typename UniqueKeys::non_const_value_type;
  using R = typename Sums::non_const_value_type;
  constexpr std::size_t at_once = 16'384;
  Communicator const ranks(function, comm);
  std::string const verb = std::string("Mpi::") + function;
  std::vector<std::uint64_t> all;
  in_region("Exakt::" + verb, [&] {
    std::vector<KeyedTerm> terms;
    std::vector<std::uint64_t> mine;
    agree(ranks, "types of keys, x, unique_keys and sums", [&] {
      require_keys_and_sums<Space>(verb.c_str(), keys, x, unique_keys, sums);
      auto const here = entries_on_host(space, keys);
      auto const values = entries_on_host(space, x);
      terms.resize(here.extent(0));
      for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = {encoded(here(i)), exact_double(values(i))};
      std::sort(terms.begin(), terms.end(), [](KeyedTerm const& a, KeyedTerm const& b) { return a.key < b.key; });
      for (KeyedTerm const& term : terms)
        if (mine.empty() || mine.back() != term.key) mine.push_back(term.key);
      return number_of_types<typename Keys::non_const_value_type, typename X::non_const_value_type, UniqueKey, R>();
    });
    all = keys_of_all(ranks, mine);
    Kokkos::View<UniqueKey*, Kokkos::HostSpace> keys_here;
    Kokkos::View<R*, Kokkos::HostSpace> sums_here;
    Kokkos::View<Long*, Kokkos::HostSpace> totals;
    agree(ranks, "operands", [&] {
      KeyedSums<UniqueKeys, Sums>{verb.c_str(), unique_keys, sums}.require_room(all.size());
      keys_here = Kokkos::View<UniqueKey*, Kokkos::HostSpace>("Exakt::Mpi::keys", all.size());
      sums_here = Kokkos::View<R*, Kokkos::HostSpace>("Exakt::Mpi::sums", all.size());
      totals = Kokkos::View<Long*, Kokkos::HostSpace>("Exakt::Mpi::totals", std::min(all.size(), at_once));
      return std::int64_t{0};
    });
    auto term = terms.begin();
    for (std::size_t first = 0; first < all.size(); first += at_once) {
      std::size_t const count = std::min(at_once, all.size() - first);
      auto const some = Kokkos::subview(totals, std::pair<std::size_t, std::size_t>(0, count));
      for (std::size_t k = 0; k < count; ++k) {
        some(k) = Long();
        for (; term != terms.end() && term->key == all[first + k]; ++term) some(k) += term->value;
      }
      reduce_view(ranks, some, Method::words, all_ranks);
      for (std::size_t k = 0; k < count; ++k) {
        keys_here(first + k) = static_cast<UniqueKey>(decoded<typename Keys::non_const_value_type>(all[first + k]));
        sums_here(first + k) = some(k).template round<R>();
      }
    }
    if (all.empty()) return;
    write_from_host(space, unique_keys, keys_here, all.size());
    write_from_host(space, sums, sums_here, all.size());
  });
  return all.size();
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
