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

/// \brief A number whose sum over the ranks shows whether it is the same on each: the mode and its square, side by side. Where both sums
/// are those of equal modes, the modes have no variance.
inline std::int64_t mode_to_agree_on(Rounding mode) {
  auto const number = static_cast<std::int64_t>(mode);
  return number | (number * number) << 32;
}

/// \brief Sums, a count, whether the rank failed, and its mode; the message of all of it.
template <class Long, int number>
struct Contribution {
  Long sums[number];
  std::int64_t count = 0;  // of entries; 2^63 of them on all ranks would not fit into any memory
  std::int64_t failures = 0;
  std::int64_t modes = 0;

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
    words[number * width + 2] = modes;
    reduce_in_place(comm, words, number * width + 3, MPI_INT64_T, MPI_SUM, all_ranks);
    for (int i = 0; i < number; ++i) {
      format.unpack(words + i * width, Long::all_digits, sums[i]);
      Format::unpack_special(words[(i + 1) * width - 1], sums[i]);
    }
    count = words[number * width];
    failures = words[number * width + 1];
    modes = words[number * width + 2];
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
  std::int64_t modes = 0;

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
    mine.words[Message::numbers + 2] = modes;
    comm.check("MPI_Allgather", MPI_Allgather(mine.words, Message::length, MPI_INT64_T, all[0].words, Message::length,
                                              MPI_INT64_T, comm));
    count = failures = modes = 0;
    for (int r = 0; r < comm.size(); ++r) {
      value += bit_cast<double>(all[r].words[0]);
      value += bit_cast<double>(all[r].words[1]);
      radius += bit_cast<double>(all[r].words[2]);
      radius += bit_cast<double>(all[r].words[3]);
      count += all[r].words[Message::numbers];
      failures += all[r].words[Message::numbers + 1];
      modes += all[r].words[Message::numbers + 2];
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
    sums.modes = modes;
    sums.reduce(comm);
    value = sums.sums[0];
    radius = sums.sums[1];
    count = sums.count;
    failures = sums.failures;
    modes = sums.modes;
  }

  /// Infinite where nothing is known: decides nothing.
  double bound() const { return part.is_known() ? part.sum.bound : std::numeric_limits<double>::infinity(); }
};

/// \brief Lets every rank contribute, a rank that fails too: the others would wait for it forever.
/// \throws  On a rank that failed whatever it failed with, on the others std::invalid_argument; on all if their modes differ, when
///          one might be decided by its enclosure and not wait for the exact sum of the others.
template <class Contribution, class Local>
Contribution reduce_contributions(Communicator const& comm, Rounding mode, Local const& local) {
  Contribution mine;
  std::exception_ptr failure;
  try {
    local(mine);
    mine.modes = mode_to_agree_on(mode);
  } catch (...) {
    failure = std::current_exception();
    mine = Contribution();
    mine.failures = 1;
  }
  mine.reduce(comm);
  if (failure) std::rethrow_exception(failure);
  if (mine.failures != 0)
    comm.refuse(std::to_string(mine.failures) + " of " + std::to_string(comm.size()) +
                " ranks refused their operands or failed; they say why");
  if (mine.modes != comm.size() * mode_to_agree_on(mode)) comm.refuse("all ranks must give the same Rounding");
  return mine;
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
