// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_PROOF_HPP
#define EXAKTTEST_PROOF_HPP

/// \file
/// \brief What the verbs of the long proof share: one trial, its environment, and what it counts.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_IntegerSum.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Random.hpp"

namespace ExaktTest::Proof {

struct Counts {
  std::uint64_t cases = 0;        // results compared bit for bit
  std::uint64_t by_mpfr = 0;      // of these, expectations that MPFR was asked for as well
  std::uint64_t differences = 0;  // from the expectation, or of one oracle from the other
  double seconds = 0;
};

/// One seed of one family of a verb.
class Trial {
 public:
  Trial(std::string what, std::uint64_t seed, std::uint64_t stream, Counts& counts)
      : random(stream), m_what(std::move(what)), m_seed(seed), m_asked(61 * seed), m_counts(&counts) {
    auto const environments = every_fp_environment_of_hosts();
    m_environment = &environments[seed % 2 == 0 ? 0 : seed / 2 % environments.size()];  // the first is the default one
  }

  Random random;

  std::uint64_t seed() const { return m_seed; }

  /// Runs calls of the library in the environment of this seed, which is another one for each of some consecutive seeds.
  template <class F>
  void call(F const& f) const {
    ScopedFpEnvironment const environment(*m_environment);
    f();
  }

  template <class R>
  void compare(R actual, R expected) {
    ++m_counts->cases;
    if (!same_bits(actual, expected)) report(describe_bits(actual), describe_bits(expected));
  }

  /// One of so many expectations is made by MPFR too.
  bool asks_mpfr() { return m_asked++ % 256 == 0; }
  template <class R>
  void confirm(R by_integers, Expected<R> by_mpfr) {
    ++m_counts->by_mpfr;
    if (!same_bits(by_integers, by_mpfr.value))
      report("by integers " + describe_bits(by_integers), describe_bits(by_mpfr));
  }

 private:
  void report(std::string const& actual, std::string const& expected);

  std::string m_what;
  std::uint64_t m_seed, m_asked;
  Counts* m_counts;
  FpSettings const* m_environment;
};

/// What the log has lines of.
struct Verb {
  char const* name;
  std::vector<char const*> families;
  void (*run)(std::size_t family, Trial&);
  std::uint64_t seeds = std::numeric_limits<std::uint64_t>::max();  // all that there are
};

// Each in its own file, which says what a case is.
std::vector<Verb> reductions();
std::vector<Verb> accumulators();
std::vector<Verb> matrices();
std::vector<Verb> floats();

/// Replays the published hard cases; returns the number of differences.
std::uint64_t replay_hard_cases(std::string const& directory, Counts&);

}  // namespace ExaktTest::Proof

#endif
