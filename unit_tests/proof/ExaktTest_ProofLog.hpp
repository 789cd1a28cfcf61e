// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_PROOFLOG_HPP
#define EXAKTTEST_PROOFLOG_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "ExaktTest_Proof.hpp"

namespace ExaktTest::Proof {

/// \brief The log: a text file with a line for each verb, family and version, which what is run later is added to.
class Log {
 public:
  /// \throws std::runtime_error  The file is there, and is not such a log, or counts seeds twice.
  explicit Log(std::string path, std::string version);

  /// The first seed that no line of this verb has.
  std::uint64_t next_seed(std::string const& verb) const;
  /// Of all versions.
  Counts total(std::string const& verb) const;

  void add(std::string const& verb, std::string const& family, std::uint64_t first_seed, std::uint64_t last_seed,
           Counts const&);

  /// Writes the file anew beside the old one and puts it in its place.
  void save() const;

 private:
  struct Line {
    std::string verb, family, version;
    std::uint64_t first_seed, last_seed;
    Counts counts;
  };
  std::string m_path, m_version;
  std::vector<Line> m_lines;
};

}  // namespace ExaktTest::Proof

#endif
