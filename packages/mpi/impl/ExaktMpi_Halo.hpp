// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_HALO_HPP
#define EXAKTMPI_HALO_HPP

/// \file
/// \brief Which entries of a distributed vector a rank needs from which other one; found once.
///
///     numbers of this rank's entries --> directory: rank g / block knows who has entry g, and where
///     numbers that it needs          --> directory --> owner and position of each --> owners: what to send to whom
///
/// Numbers are global, positions are those in the part of a rank. Behind its own entries a rank keeps those of others,
/// its halo, one owner after the other.

#include "ExaktMpi_ProductProtocol.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// \brief Integers for each rank, or from each: one list after the other.
struct Lists {
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> numbers;

  explicit Lists(int ranks) : counts(static_cast<std::size_t>(ranks)) {}
  std::vector<std::int64_t> offsets() const {
    std::vector<std::int64_t> result(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), result.begin(), std::int64_t{0});
    return result;
  }
  /// Of all lists.
  std::size_t size() const { return std::accumulate(counts.begin(), counts.end(), std::size_t{0}); }
  /// The ranks whose lists are not empty.
  std::vector<int> ranks() const {
    std::vector<int> result;
    for (std::size_t r = 0; r < counts.size(); ++r)
      if (counts[r] > 0) result.push_back(static_cast<int>(r));
    return result;
  }
};

/// What MPI counts with: of numbers that are known to be no larger.
inline std::vector<int> as_int(std::vector<std::int64_t> const& numbers) {
  std::vector<int> result;
  for (std::int64_t const number : numbers) result.push_back(static_cast<int>(number));
  return result;
}

/// \brief Each rank gets what the others have for it. All ranks call.
/// \throws std::invalid_argument  On every rank, if the numbers that one sends or gets are more than `most`.
inline Lists exchanged(Communicator const& comm, Lists const& mine,
                       std::size_t most = std::numeric_limits<int>::max()) {
  Lists theirs(comm.size());
  comm.check("MPI_Alltoall",
             MPI_Alltoall(mine.counts.data(), 1, MPI_INT64_T, theirs.counts.data(), 1, MPI_INT64_T, comm));
  agree(comm, "numbers", [&] {
    if (mine.size() > most || theirs.size() > most)
      comm.refuse("this rank would tell the others " + std::to_string(mine.size()) + " numbers of entries, and hear " +
                  std::to_string(theirs.size()) + "; a message has " + std::to_string(most) +
                  " at most: take more ranks");
    theirs.numbers.resize(theirs.size());
    return 0;
  });
  auto const counts = as_int(mine.counts), offsets = as_int(mine.offsets());
  auto const their_counts = as_int(theirs.counts), their_offsets = as_int(theirs.offsets());
  comm.check("MPI_Alltoallv",
             MPI_Alltoallv(mine.numbers.data(), counts.data(), offsets.data(), MPI_INT64_T, theirs.numbers.data(),
                           their_counts.data(), their_offsets.data(), MPI_INT64_T, comm));
  return theirs;
}

/// \brief The numbers of a rank's entries, and from each of them to its position.
class OwnEntries {
 public:
  explicit OwnEntries(std::vector<std::int64_t> numbers) : m_numbers(std::move(numbers)) {
    for (std::size_t i = 1; i < m_numbers.size(); ++i)
      m_are_consecutive = m_are_consecutive && m_numbers[i] == m_numbers[i - 1] + 1;
    if (m_are_consecutive) return;
    for (std::size_t i = 0; i < m_numbers.size(); ++i) m_positions.emplace(m_numbers[i], i);
  }
  std::vector<std::int64_t> const& numbers() const { return m_numbers; }

  /// -1 if it is of another rank.
  std::int64_t position(std::int64_t number) const {
    if (m_are_consecutive) {
      if (m_numbers.empty() || number < m_numbers.front() || number > m_numbers.back()) return -1;
      return number - m_numbers.front();
    }
    auto const found = m_positions.find(number);
    return found == m_positions.end() ? -1 : static_cast<std::int64_t>(found->second);
  }

 private:
  std::vector<std::int64_t> m_numbers;
  std::unordered_map<std::int64_t, std::size_t> m_positions;
  bool m_are_consecutive = true;
};

/// A rank, and a position in its part.
struct Owner {
  std::int64_t rank, position;
};

/// \brief How refusals name what is shared out among the ranks.
struct EntriesOfX {
  static std::string name(std::int64_t number) { return "entry " + std::to_string(number) + " of x"; }
  static std::string without_owner(std::int64_t number) {
    return "A has entries in column " + std::to_string(number) + ", but no rank has " + name(number);
  }
};

/// \brief Where the entries of some numbers are, looked up in tables of which each rank has a part. All ranks call.
///
/// \param count    Of all numbers, the same on all ranks; those given are below.
/// \param needed   Numbers that increase.
/// \throws std::invalid_argument  On every rank, if two have the same entry, or nobody has one that is needed.
template <class Names = EntriesOfX>
std::vector<Owner> find_owners(Communicator const& comm, std::int64_t count, OwnEntries const& own,
                               std::vector<std::int64_t> const& needed) {
  std::int64_t const ranks = comm.size(), block = std::max<std::int64_t>(1, (count - 1) / ranks + 1);
  auto const sorted_places = [&] {
    std::vector<std::size_t> places(own.numbers().size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    auto const comes_before = [&](std::size_t a, std::size_t b) { return own.numbers()[a] < own.numbers()[b]; };
    if (!std::is_sorted(places.begin(), places.end(), comes_before))
      std::sort(places.begin(), places.end(), comes_before);
    return places;
  }();
  Lists announced(comm.size());
  for (std::size_t const place : sorted_places) {
    std::int64_t const number = own.numbers()[place];
    announced.counts[static_cast<std::size_t>(number / block)] += 2;
    announced.numbers.insert(announced.numbers.end(), {number, static_cast<std::int64_t>(place)});
  }
  Lists const entries = exchanged(comm, announced);
  // Numbers may be far apart: what was announced is sorted, not looked up in an array of all.
  struct Announced {
    std::int64_t number;
    Owner owner;
    bool operator<(Announced const& other) const {
      return number != other.number ? number < other.number : owner.rank < other.owner.rank;
    }
  };
  std::vector<Announced> table;
  table.reserve(entries.numbers.size() / 2);
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    for (std::int64_t i = 0; i < entries.counts[static_cast<std::size_t>(rank)]; i += 2) {
      std::size_t const next = 2 * table.size();
      table.push_back({entries.numbers[next], {rank, entries.numbers[next + 1]}});
    }
  }
  if (!std::is_sorted(table.begin(), table.end())) std::sort(table.begin(), table.end());
  std::string refusal;
  for (std::size_t i = 1; i < table.size(); ++i) {
    if (table[i - 1].number == table[i].number)
      refusal = Names::name(table[i].number) + " is given by rank " + std::to_string(table[i - 1].owner.rank) +
                " and by rank " + std::to_string(table[i].owner.rank) + "; one must have it";
  }

  Lists asked(comm.size());
  asked.numbers = needed;
  for (std::int64_t const number : needed) ++asked.counts[static_cast<std::size_t>(number / block)];
  Lists const questions = exchanged(comm, asked);
  Lists answers(comm.size());
  for (std::size_t rank = 0; rank < answers.counts.size(); ++rank) answers.counts[rank] = 2 * questions.counts[rank];
  for (std::int64_t const number : questions.numbers) {
    auto const place = std::lower_bound(table.begin(), table.end(), Announced{number, {-1, 0}});
    Owner const owner = place != table.end() && place->number == number ? place->owner : Owner{-1, -1};
    answers.numbers.insert(answers.numbers.end(), {owner.rank, owner.position});
  }
  Lists const found = exchanged(comm, answers);  // in the order of `needed`: its blocks are those of the ranks
  std::vector<Owner> owners(needed.size());
  agree(comm, "numbers", [&] {
    if (!refusal.empty()) comm.refuse(refusal);
    for (std::size_t i = 0; i < needed.size(); ++i) {
      owners[i] = {found.numbers[2 * i], found.numbers[2 * i + 1]};
      if (owners[i].rank < 0) comm.refuse(Names::without_owner(needed[i]));
    }
    return 0;
  });
  return owners;
}

/// \brief The ranks with which entries are exchanged, and how many; with a communicator, so that messages of the user
/// never meet these.
struct Neighbours {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> sent_counts, sent_offsets, received_counts, received_offsets;

  /// \pre Numbers that an int counts.
  Neighbours(Communicator const& ranks, Lists const& sent, Lists const& received) {
    auto const set = [](Lists const& lists, std::vector<int>& counts, std::vector<int>& offsets) {
      auto const of_ranks = as_int(lists.counts), all = as_int(lists.offsets());
      for (int const rank : lists.ranks()) {
        counts.push_back(of_ranks[static_cast<std::size_t>(rank)]);
        offsets.push_back(all[static_cast<std::size_t>(rank)]);
      }
    };
    set(sent, sent_counts, sent_offsets);
    set(received, received_counts, received_offsets);
    auto const sources = received.ranks(), destinations = sent.ranks();
    ranks.check("MPI_Dist_graph_create_adjacent",
                MPI_Dist_graph_create_adjacent(ranks, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                               static_cast<int>(destinations.size()), destinations.data(),
                                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~Neighbours() {
    int is_finalized = 0;
    MPI_Finalized(&is_finalized);
    if (is_finalized == 0) MPI_Comm_free(&comm);
  }
  Neighbours(Neighbours const&) = delete;
  Neighbours& operator=(Neighbours const&) = delete;

  /// \brief Sends words, and receives those of the others.
  /// \param counts  For each neighbour that is sent to, one after the other.
  std::vector<std::int64_t> exchange_words(Communicator const& ranks, std::vector<std::int64_t> const& sent,
                                           std::vector<int> const& counts) const {
    std::vector<int> their_counts(received_counts.size()), offsets(counts.size()), their_offsets(their_counts.size());
    ranks.check("MPI_Neighbor_alltoall",
                MPI_Neighbor_alltoall(counts.data(), 1, MPI_INT, their_counts.data(), 1, MPI_INT, comm));
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
    std::exclusive_scan(their_counts.begin(), their_counts.end(), their_offsets.begin(), 0);
    std::vector<std::int64_t> received(std::accumulate(their_counts.begin(), their_counts.end(), std::size_t{0}));
    ranks.check("MPI_Neighbor_alltoallv",
                MPI_Neighbor_alltoallv(sent.data(), counts.data(), offsets.data(), MPI_INT64_T, received.data(),
                                       their_counts.data(), their_offsets.data(), MPI_INT64_T, comm));
    return received;
  }

  /// \brief Sends items of `size` bytes each, and receives as many as were asked for.
  /// \pre An int counts the bytes.
  void exchange(Communicator const& ranks, void const* sent, void* received, std::size_t size) const {
    MPI_Datatype item = MPI_DATATYPE_NULL;
    ranks.check("MPI_Type_contiguous", MPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &item));
    MPI_Type_commit(&item);
    int const code = MPI_Neighbor_alltoallv(sent, sent_counts.data(), sent_offsets.data(), item, received,
                                            received_counts.data(), received_offsets.data(), item, comm);
    MPI_Type_free(&item);
    ranks.check("MPI_Neighbor_alltoallv", code);
  }
};

/// \brief What of a vector is where.
struct Halo {
  std::size_t own = 0, others = 0;  // entries
  std::vector<std::int32_t> local;  // for each number that was asked for its position among both
  std::vector<std::int32_t> sent;   // positions of own entries that others need, one of those after the other
  Lists asked{0};                   // of each rank: positions there of the entries behind the own ones
  std::shared_ptr<Neighbours const> neighbours;
};

/// \brief Finds a halo. All ranks call.
/// \param numbers  Of what is needed, in any order, own ones included.
inline Halo find_halo(Communicator const& comm, std::int64_t count, OwnEntries const& own,
                      std::vector<std::int64_t> const& numbers) {
  std::vector<std::int64_t> needed;
  for (std::int64_t const number : numbers)
    if (own.position(number) < 0) needed.push_back(number);
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  auto const owners = find_owners(comm, count, own, needed);

  Halo halo;
  halo.own = own.numbers().size();
  halo.others = needed.size();
  std::vector<std::size_t> by_owner(needed.size());
  std::iota(by_owner.begin(), by_owner.end(), std::size_t{0});
  std::stable_sort(by_owner.begin(), by_owner.end(),
                   [&](std::size_t a, std::size_t b) { return owners[a].rank < owners[b].rank; });
  std::vector<std::int32_t> position(needed.size());
  Lists asked(comm.size());
  for (std::size_t i = 0; i < by_owner.size(); ++i) {
    Owner const& owner = owners[by_owner[i]];
    position[by_owner[i]] = static_cast<std::int32_t>(halo.own + i);
    ++asked.counts[static_cast<std::size_t>(owner.rank)];
    asked.numbers.push_back(owner.position);
  }
  Lists const wanted = exchanged(comm, asked);
  halo.sent.assign(wanted.numbers.begin(), wanted.numbers.end());
  halo.neighbours = std::make_shared<Neighbours const>(comm, wanted, asked);

  halo.local.reserve(numbers.size());
  for (std::int64_t const number : numbers) {
    std::int64_t const mine = own.position(number);
    auto const other = std::lower_bound(needed.begin(), needed.end(), number) - needed.begin();
    halo.local.push_back(mine >= 0 ? static_cast<std::int32_t>(mine) : position[static_cast<std::size_t>(other)]);
  }
  halo.asked = std::move(asked);
  return halo;
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
