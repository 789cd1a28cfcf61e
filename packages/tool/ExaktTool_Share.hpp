// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_SHARE_HPP
#define EXAKTTOOL_SHARE_HPP

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>

namespace Exakt::Tool {

/// \brief Which part of the work falls to this process, and how far it came.
///
/// All processes walk through all inputs, past what is not theirs: so each of them knows the position of everything,
/// and all meet the same error at the same place.
struct Share {
  std::uint64_t rank = 0, ranks = 1;

  /// Beyond all places, and a signed number as well: MPICH 4.0 takes the least of unsigned ones as if they were signed.
  static constexpr std::uint64_t nowhere = std::numeric_limits<std::int64_t>::max();

  /// Where the first failure happened, in the order of the work: comparable between processes.
  std::atomic<std::uint64_t> failed_at{nowhere};

  /// Whether the piece with this number is for this process; neighbouring files begin with different ones.
  bool has(std::uint64_t file, std::uint64_t piece) const { return (file + piece) % ranks == rank; }

  /// \brief Runs f; should it throw, remembers that this was at `place`.
  template <class F>
  auto note_failure(std::uint64_t const& place, F const& f) {
    try {
      return f();
    } catch (...) {
      auto first = failed_at.load();
      while (place < first && !failed_at.compare_exchange_weak(first, place)) {
      }
      throw;
    }
  }
};

/// Whether the input can be read once, by one process only: pipes, terminals, standard input.
bool is_stream(std::string const& path);

}  // namespace Exakt::Tool

#endif
