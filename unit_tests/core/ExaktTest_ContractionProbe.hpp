// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_CONTRACTIONPROBE_HPP
#define EXAKTTEST_CONTRACTIONPROBE_HPP

#include <cstdint>

namespace ExaktTest {

struct ProbeResult {
  std::uint64_t hash;        ///< of the bits of every result
  std::uint64_t results;     ///< how many
  std::uint64_t mismatches;  ///< with the same sum of terms that went through memory first
};

/// The same source under one set of compiler options; each adds itself to a list.
struct ContractionProbe {
  char const* options;
  ProbeResult (*run)();
  ContractionProbe const* next;

  ContractionProbe(char const* options, ProbeResult (*run)());
};

/// The first of the list.
ContractionProbe const* contraction_probes();

}  // namespace ExaktTest

#endif
