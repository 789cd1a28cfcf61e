// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_CONTRIBUTION_HPP
#define EXAKTMPI_CONTRIBUTION_HPP

/// \file
/// \brief What a rank contributes to a number that all ranks get, a rank that fails too.

#include "ExaktMpi_Communicator.hpp"
#include "ExaktMpi_Words.hpp"

#include <Exakt_Rounding.hpp>
#include <numerics/Exakt_Environment.hpp>
#include <summation/Exakt_EnclosedSum.hpp>

#include <cstdint>
#include <exception>
#include <limits>
#include <string>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// \brief How a sum is rounded, and to what: on every rank the same, for one rank might take a result from an enclosure and not
/// wait for the exact sum of the others. At most 31.
template <class Result>
int kind_of_result(Rounding mode, bool is_complex = false) {
  constexpr int bits = FloatFormat<Result>::precision, type = bits == 53 ? 0 : bits == 24 ? 1 : bits == 11 ? 2 : 3;
  return static_cast<int>(mode) | type << 2 | (is_complex ? 1 << 4 : 0);
}

/// \brief A number whose sum over the ranks shows whether the kind is the same on each: the kind and its square, side by side. Where
/// both sums are those of equal kinds, the kinds have no variance.
inline std::int64_t kind_to_agree_on(int kind) { return std::int64_t{kind} | (std::int64_t{kind} * kind) << 32; }

/// \brief Sums, a count, whether the rank failed, and its kind_to_agree_on(); the message of all of it.
template <class Long, int number>
struct Contribution {
  Long sums[number];
  std::int64_t count = 0;  // of entries; 2^63 of them on all ranks would not fit into any memory
  std::int64_t failures = 0;
  std::int64_t kinds = 0;

  /// All ranks have the totals afterwards.
  void reduce(Communicator const& comm) {
    using Format = Words<Long>;
    Format const format(comm.size());
    int const width = format.per_sum() + 1;
    std::int64_t words[number * (Format::at_most + 1) + 3];
    for (int i = 0; i < number; ++i) {
      words[(i + 1) * width - 1] = format.prepare(sums[i]);
      format.pack(sums[i], Long::all_digits, words + i * width);
    }
    words[number * width] = count;
    words[number * width + 1] = failures;
    words[number * width + 2] = kinds;
    allreduce_in_place(comm, words, number * width + 3, MPI_INT64_T, MPI_SUM);
    for (int i = 0; i < number; ++i) {
      format.unpack(words + i * width, Long::all_digits, sums[i]);
      Format::unpack_special(words[(i + 1) * width - 1], sums[i]);
    }
    count = words[number * width];
    failures = words[number * width + 1];
    kinds = words[number * width + 2];
  }
};

/// \brief An enclosure of the sum of this rank, afterwards of that of all ranks: within `radius` of `value`.
///
/// Few ranks tell each other their enclosures, 56 bytes each; of many the sums travel as digits, whose number does not grow.
/// Each rank then adds integers in either case, so that all know the same.
struct EnclosedContribution {
  using Long = LongAccumulator<double>;    // an enclosure is three doubles, of products as well
  static constexpr int most_gathered = 7;  // the tests of eight ranks see the digits

  Exakt::Impl::EnclosedSum part;
  Long value, radius;
  std::int64_t count = 0;
  std::int64_t failures = 0;
  std::int64_t kinds = 0;

  void reduce(Communicator const& comm) {
    Exakt::Impl::in_default_environment([&] { comm.size() <= most_gathered ? gather(comm) : reduce_digits(comm); });
  }

 private:
  /// In words, that MPI knows the length of.
  struct Message {
    static constexpr int numbers = 4, length = numbers + 3;
    std::int64_t words[length];
  };

  void gather(Communicator const& comm) {
    using Exakt::Impl::bit_cast;
    bool const is_known = part.is_known();
    double const numbers[] = {is_known ? part.sum.high : 0, is_known ? part.sum.low : 0, bound(),
                              bound() * part.bound_of_roundings};
    Message mine, all[most_gathered];
    for (int i = 0; i < Message::numbers; ++i) mine.words[i] = bit_cast<std::int64_t>(numbers[i]);
    mine.words[Message::numbers] = count;
    mine.words[Message::numbers + 1] = failures;
    mine.words[Message::numbers + 2] = kinds;
    comm.check("MPI_Allgather", MPI_Allgather(mine.words, Message::length, MPI_INT64_T, all[0].words, Message::length,
                                              MPI_INT64_T, comm));
    count = failures = kinds = 0;
    for (int r = 0; r < comm.size(); ++r) {
      value += bit_cast<double>(all[r].words[0]);
      value += bit_cast<double>(all[r].words[1]);
      radius += bit_cast<double>(all[r].words[2]);
      radius += bit_cast<double>(all[r].words[3]);
      count += all[r].words[Message::numbers];
      failures += all[r].words[Message::numbers + 1];
      kinds += all[r].words[Message::numbers + 2];
    }
  }

  void reduce_digits(Communicator const& comm) {
    Contribution<Long, 2> sums;
    if (part.is_known()) {
      sums.sums[0] = part.value<Long>();
      sums.sums[1] = part.radius<Long>();
    } else {
      sums.sums[1] += bound();
    }
    sums.count = count;
    sums.failures = failures;
    sums.kinds = kinds;
    sums.reduce(comm);
    value = sums.sums[0];
    radius = sums.sums[1];
    count = sums.count;
    failures = sums.failures;
    kinds = sums.kinds;
  }

  /// Infinite where nothing is known: decides nothing.
  double bound() const { return part.is_known() ? part.sum.bound : std::numeric_limits<double>::infinity(); }
};

/// \brief Lets every rank contribute, a rank that fails too: the others would wait for it forever.
///
/// \param kind  kind_of_result().
/// \throws  On a rank that failed whatever it failed with, on the others std::invalid_argument; on all if their kinds differ.
template <class Contribution, class Local>
Contribution reduce_contributions(Communicator const& comm, int kind, Local const& local) {
  Contribution mine;
  auto const failure = failure_of([&] {
    local(mine);
    mine.kinds = kind_to_agree_on(kind);
  });
  if (failure) {
    mine = Contribution();
    mine.failures = 1;
  }
  mine.reduce(comm);
  if (failure) std::rethrow_exception(failure);
  if (mine.failures != 0)
    comm.refuse(std::to_string(mine.failures) + " of " + std::to_string(comm.size()) +
                " ranks refused their operands or failed; they say why");
  // Modulo 2^64: of more than two million ranks the sums of kinds are longer.
  if (static_cast<std::uint64_t>(mine.kinds) !=
      static_cast<std::uint64_t>(comm.size()) * static_cast<std::uint64_t>(kind_to_agree_on(kind)))
    comm.refuse("all ranks must give the same Rounding, and numbers of the same types");
  return mine;
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
