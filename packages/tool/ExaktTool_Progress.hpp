// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_PROGRESS_HPP
#define EXAKTTOOL_PROGRESS_HPP

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace Exakt::Tool {

/// \brief A line on standard error that tells how far the work is; nothing at all unless that is a terminal.
///
/// It appears when the work takes longer than a moment, and is gone when the work is done.
class Progress {
 public:
  /// \param total  Bytes to read; nothing if an input is a pipe.
  explicit Progress(std::optional<std::uint64_t> total);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  /// One caller at a time; cheap enough to be called for every piece.
  void update(std::uint64_t bytes_read);

 private:
  using Clock = std::chrono::steady_clock;

  std::string line(std::uint64_t bytes_read, double seconds) const;

  std::optional<std::uint64_t> m_total;
  bool m_on_terminal;
  bool m_visible = false;
  Clock::time_point m_start;
  Clock::time_point m_next_update;
};

}  // namespace Exakt::Tool

#endif
