// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_ASSEMBLYPARTS_HPP
#define EXAKTMPI_ASSEMBLYPARTS_HPP

/// \file
/// \brief Rows of an assembly whose sums are spread over ranks: found once, and then their exact parts to the owners.
///
///     sum of an entry, in a message:   | first digit | how many | sign | infinity or NaN |  digits in use, a word each
///                                        16 bits       16 bits    1 bit   2 bits

#include "ExaktMpi_SpmvState.hpp"

#include <Exakt_LongAccumulator.hpp>

#include <utility>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// What has entries that can be read, merged and cleared as accumulators: a CrsAssembly.
template <class S>
concept AssembledInParts = requires(S const& assembly,
                                    Kokkos::View<std::int64_t*, typename S::memory_space> const& entries,
                                    Kokkos::View<typename S::accumulator_type*, typename S::memory_space> const& sums) {
  assembly.row_map();
  assembly.columns();
  assembly.accumulators_to(entries, sums);
  assembly.merge(entries, sums, Exakt::Impl::AlsoAfterRefusals());
  assembly.clear(entries);
};

/// \brief Appends a sum to a message: a word, and its digits without the zeros at both ends.
template <class Sum>
void append_sum(std::vector<std::int64_t>& message, Sum const& sum) {
  auto const normalized = sum.normalized();
  auto const magnitude = normalized.magnitude();
  auto const special = static_cast<std::int64_t>(normalized.special());
  int first = 0, end = special == 0 ? Sum::digit_count : 0;
  while (end > 0 && magnitude.digit[end - 1] == 0) --end;
  while (first < end && magnitude.digit[first] == 0) ++first;
  message.push_back(first | static_cast<std::int64_t>(end - first) << 16 |
                    static_cast<std::int64_t>(magnitude.negative) << 32 | special << 33);
  for (int k = first; k < end; ++k) message.push_back(static_cast<std::int64_t>(magnitude.digit[k]));
}

/// \brief The sum that begins at word `next` of a message, which moves behind it.
template <class Sum>
Sum read_sum(std::vector<std::int64_t> const& message, std::size_t& next) {
  std::int64_t const header = message[next++];
  auto const first = static_cast<int>(header & 0xffff), count = static_cast<int>(header >> 16 & 0xffff);
  Sum sum;
  sum.add_special(static_cast<Exakt::Impl::Special>(header >> 33));
  for (int k = first; k < first + count; ++k)
    sum.add_scaled(static_cast<std::uint64_t>(message[next++]), Sum::lowest_exponent + Sum::radix_bits * k,
                   (header >> 32 & 1) != 0);
  return sum;
}

/// \brief Which entries go to which rank, and which of those here get what comes.
template <class MemorySpace>
struct AssemblyParts {
  using Entries = Kokkos::View<std::int64_t*, MemorySpace>;

  std::shared_ptr<Neighbours const> neighbours;
  int rank, ranks;
  std::int64_t rows, entries;
  Entries sent, received;  // numbers of entries, for one neighbour after the other
};

struct OwnRows {
  static std::string name(std::int64_t number) { return "row " + std::to_string(number) + " of the matrix"; }
  static std::string without_owner(std::int64_t number) {
    return "this rank has a part of row " + std::to_string(number) + " of the matrix, which no rank owns";
  }
};

/// \brief The columns of a row, each with its first entry.
class ColumnsOfRow {
 public:
  ColumnsOfRow(std::vector<std::int64_t> const& columns, std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) m_entries.emplace_back(columns[static_cast<std::size_t>(k)], k);
    std::sort(m_entries.begin(), m_entries.end());
  }
  /// -1 if there is none.
  std::int64_t entry(std::int64_t column) const {
    auto const found = std::lower_bound(m_entries.begin(), m_entries.end(), std::make_pair(column, std::int64_t{0}));
    return found != m_entries.end() && found->first == column ? found->second : -1;
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> m_entries;
};

/// \brief Finds the owners of rows, and their entries there. All ranks call.
/// \param rows  The numbers of the rows of the assembly; the first `own` are this rank's own.
template <class S, class Rows>
auto find_assembly_parts(Communicator const& comm, S const& assembly, Rows const& rows, std::size_t own) {
  using MemorySpace = typename S::memory_space;
  std::vector<std::int64_t> numbers, map, columns;
  std::int64_t count = 0;
  agree(comm, "type of terms", [&] {
    auto const rows_here = static_cast<std::size_t>(assembly.rows());
    if (rows.extent(0) != rows_here || own > rows_here)
      comm.refuse("the assembly has " + std::to_string(rows_here) + " rows, there are " +
                  std::to_string(rows.extent(0)) + " numbers of rows, of which the first " + std::to_string(own) +
                  " are this rank's own; each row has a number");
    numbers = numbers_of(rows);
    for (std::int64_t const number : numbers) {
      if (number < 0 || number >> 62 != 0)
        comm.refuse("this rank has row " + std::to_string(number) +
                    " of the matrix; numbers of rows are not negative, and below 2^62");
      count = std::max(count, number + 1);
    }
    map = numbers_of(assembly.row_map());
    columns = numbers_of(assembly.columns());
    require_few_entries(comm, "the assembly", columns.size());
    return number_of_types<typename S::accumulator_type>();
  });
  allreduce_in_place(comm, &count, 1, MPI_INT64_T, MPI_MAX);
  auto const first_part = numbers.begin() + static_cast<std::ptrdiff_t>(own);
  std::vector<std::int64_t> needed(first_part, numbers.end());
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  auto const owners =
      find_owners<OwnRows>(comm, count, OwnEntries(std::vector<std::int64_t>(numbers.begin(), first_part)), needed);
  auto const owner_of = [&](std::size_t row) {
    auto const place = std::lower_bound(needed.begin(), needed.end(), numbers[row]) - needed.begin();
    return owners[static_cast<std::size_t>(place)];
  };

  // A row is told as its position at the owner, its number, how many columns, and these.
  std::vector<std::size_t> parts(numbers.size() - own);
  std::iota(parts.begin(), parts.end(), own);
  std::stable_sort(parts.begin(), parts.end(),
                   [&](std::size_t a, std::size_t b) { return owner_of(a).rank < owner_of(b).rank; });
  Lists told(comm.size()), sent(comm.size());
  for (std::size_t const row : parts) {
    std::int64_t const begin = map[row], end = map[row + 1];
    if (begin == end) continue;
    Owner const owner = owner_of(row);
    auto const rank = static_cast<std::size_t>(owner.rank);
    told.counts[rank] += 3 + end - begin;
    told.numbers.insert(told.numbers.end(), {owner.position, numbers[row], end - begin});
    told.numbers.insert(told.numbers.end(), columns.begin() + begin, columns.begin() + end);
    sent.counts[rank] += end - begin;
    for (std::int64_t k = begin; k < end; ++k) sent.numbers.push_back(k);
  }
  Lists const heard = exchanged(comm, told);
  Lists received(comm.size());
  agree(comm, "assembly", [&] {
    auto next = heard.numbers.begin();
    for (std::size_t rank = 0; rank < heard.counts.size(); ++rank) {
      for (auto const end = next + heard.counts[rank]; next != end;) {
        auto const row = static_cast<std::size_t>(next[0]);
        std::int64_t const number = next[1], length = next[2];
        next += 3;
        ColumnsOfRow const here(columns, map[row], map[row + 1]);
        for (std::int64_t i = 0; i < length; ++i, ++next) {
          std::int64_t const entry = here.entry(*next);
          if (entry < 0)
            comm.refuse("rank " + std::to_string(rank) + " has an entry in column " + std::to_string(*next) + " of " +
                        OwnRows::name(number) + ", and its owner, rank " + std::to_string(comm.rank()) +
                        ", does not; the graph of the owner must have all entries of its rows");
          received.numbers.push_back(entry);
        }
        received.counts[rank] += length;
      }
    }
    // All counts of words of a message are int.
    if (std::max(sent.numbers.size(), received.numbers.size()) >=
        (std::size_t{1} << 31) / (S::accumulator_type::digit_count + 1))
      comm.refuse("this rank shares " + std::to_string(sent.numbers.size()) + " entries with owners, and " +
                  std::to_string(received.numbers.size()) +
                  " of its own with others; these are too many for a message");
    return 0;
  });

  auto result = std::make_shared<AssemblyParts<MemorySpace>>();
  result->neighbours = std::make_shared<Neighbours const>(comm, sent, received);
  result->rank = comm.rank();
  result->ranks = comm.size();
  result->rows = assembly.rows();
  result->entries = assembly.entries();
  result->sent = values_in<MemorySpace>("Exakt::Mpi::exchange::sent", sent.numbers);
  result->received = values_in<MemorySpace>("Exakt::Mpi::exchange::received", received.numbers);
  return result;
}

/// \brief f(some of the entries, room for their sums in that memory, the same on the host), for some after the other.
template <class S, class Entries, class F>
void for_some_entries(Entries const& entries, F const& f) {
  constexpr std::size_t at_once = 2048;
  std::size_t const count = entries.extent(0);
  Kokkos::View<typename S::accumulator_type*, typename S::memory_space> const sums(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::Mpi::exchange::sums"), std::min(count, at_once));
  auto const on_host = Kokkos::create_mirror_view(sums);
  for (std::size_t begin = 0; begin < count; begin += at_once) {
    std::pair<std::size_t, std::size_t> const range(begin, std::min(count, begin + at_once)),
        in_sums(0, range.second - begin);
    f(Kokkos::subview(entries, range), Kokkos::subview(sums, in_sums), Kokkos::subview(on_host, in_sums));
  }
}

/// \brief The parts of rows of others to their owners, where they are added; here they are empty afterwards.
template <class S, class MemorySpace>
void exchange_parts(Communicator const& comm, S const& assembly, AssemblyParts<MemorySpace> const& parts) {
  using Sum = typename S::accumulator_type;
  Neighbours const& neighbours = *parts.neighbours;
  std::vector<std::int64_t> message;
  std::vector<int> counts(neighbours.sent_counts.size());
  agree(comm, "type of terms", [&] {
    if (parts.ranks != comm.size() || parts.rank != comm.rank())
      comm.refuse("the plan was made for rank " + std::to_string(parts.rank) + " of " + std::to_string(parts.ranks) +
                  ", this is rank " + std::to_string(comm.rank()) + " of " + std::to_string(comm.size()));
    if (assembly.rows() != parts.rows || assembly.entries() != parts.entries)
      comm.refuse("the assembly has " + std::to_string(assembly.rows()) + " rows and " +
                  std::to_string(assembly.entries()) + " entries, that of the plan " + std::to_string(parts.rows) +
                  " and " + std::to_string(parts.entries) + "; they must have the same graph");
    // Says what was refused, also where there are no rows of others.
    assembly.accumulators_to(typename AssemblyParts<MemorySpace>::Entries(), Kokkos::View<Sum*, MemorySpace>());
    std::size_t entry = 0, begin = 0, neighbour = 0;
    for_some_entries<S>(parts.sent, [&](auto const& entries, auto const& sums, auto const& on_host) {
      assembly.accumulators_to(entries, sums);
      Kokkos::deep_copy(on_host, sums);
      for (std::size_t k = 0; k < on_host.extent(0); ++k, ++entry) {
        append_sum(message, on_host(k));
        auto const end_of_neighbour = neighbours.sent_offsets[neighbour] + neighbours.sent_counts[neighbour];
        if (entry + 1 < static_cast<std::size_t>(end_of_neighbour)) continue;
        counts[neighbour++] = static_cast<int>(message.size() - begin);
        begin = message.size();
      }
    });
    return number_of_types<Sum>();
  });
  auto const received = neighbours.exchange_words(comm, message, counts);
  assembly.clear(parts.sent);
  std::size_t next = 0;
  for_some_entries<S>(parts.received, [&](auto const& entries, auto const& sums, auto const& on_host) {
    for (std::size_t k = 0; k < on_host.extent(0); ++k) on_host(k) = read_sum<Sum>(received, next);
    Kokkos::deep_copy(sums, on_host);
    // What there is no memory for is refused, on this rank alone, and said when the assembly is read.
    assembly.merge(entries, sums, Exakt::Impl::AlsoAfterRefusals());
  });
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
