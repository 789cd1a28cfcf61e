// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The long proof: README.md.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <Kokkos_Core.hpp>

#include <Exakt_Version.hpp>
#include <kernels/Exakt_Kernels.hpp>

#include "ExaktTest_ProofLog.hpp"

namespace ExaktTest::Proof {

void Trial::report(std::string const& actual, std::string const& expected) {
  if (++m_counts->differences <= 3)
    std::fprintf(stderr, "%s, seed %llu, %s: %s, expected %s\n", m_what.c_str(),
                 static_cast<unsigned long long>(m_seed), m_environment->name, actual.c_str(), expected.c_str());
}

namespace {

volatile std::sig_atomic_t is_asked_to_stop = 0;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

struct Options {
  std::vector<std::string> verbs;
  double seconds = 60;  // for each verb
  std::uint64_t goal = 1'000'000'000;
  std::uint64_t seeds = 0;              // at most so many in this run, if not 0
  std::string log, hard_cases, family;  // without `family`: of all
};

[[noreturn]] void refuse(char const* program, std::string const& why) {
  std::fprintf(stderr,
               "%s: %s\n"
               "usage: %s [--log FILE] [--seconds S] [--goal CASES] [--seeds N] [--family NAME] [--hard-cases FOLDER] "
               "[VERB...]\n",
               program, why.c_str(), program);
  std::exit(2);
}

Options parsed(int argc, char* argv[]) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string const word = argv[i];
    if (word.rfind("--", 0) != 0) {
      options.verbs.push_back(word);
      continue;
    }
    if (i + 1 == argc) refuse(argv[0], word + " needs a value");
    char const* const value = argv[++i];
    if (word == "--log")
      options.log = value;
    else if (word == "--hard-cases")
      options.hard_cases = value;
    else if (word == "--family")
      options.family = value;
    else if (word == "--seconds")
      options.seconds = std::atof(value);
    else if (word == "--goal")
      options.goal = static_cast<std::uint64_t>(std::atof(value));
    else if (word == "--seeds")
      options.seeds = std::strtoull(value, nullptr, 10);
    else
      refuse(argv[0], word + " is no option");
  }
  // What a log says is true of all families of a verb.
  if (!options.family.empty() && !options.log.empty()) refuse(argv[0], "--family goes without --log");
  return options;
}

/// Streams of the random numbers of a seed: of no two families, nor verbs, the same.
std::uint64_t stream_of(std::string const& verb, std::size_t family, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char const c : verb) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash + (seed * 64 + family) * 0x9e3779b97f4a7c15u;
}

/// Seeds of all families of a verb, until the time is over, the goal is reached, or there are no more. True if there were any.
bool prove(Verb const& verb, Options const& options, Log& log) {
  std::uint64_t const first = log.next_seed(verb.name), before = log.total(verb.name).cases;
  std::uint64_t const end = options.seeds == 0 ? verb.seeds : std::min(verb.seeds, first + options.seeds);
  std::vector<Counts> counts(verb.families.size());
  auto const begin = Clock::now();
  std::uint64_t seed = first, cases = before;
  bool const has_no_goal = verb.seeds != std::numeric_limits<std::uint64_t>::max();
  while (seed < end && (has_no_goal || cases < options.goal) && seconds_since(begin) < options.seconds &&
         is_asked_to_stop == 0) {
    for (std::size_t f = 0; f < verb.families.size(); ++f) {
      if (!options.family.empty() && options.family != verb.families[f]) continue;
      auto const start = Clock::now();
      std::uint64_t const so_far = counts[f].cases;
      Trial trial(std::string(verb.name) + ", " + verb.families[f], seed, stream_of(verb.name, f, seed), counts[f]);
      verb.run(f, trial);
      counts[f].seconds += seconds_since(start);
      cases += counts[f].cases - so_far;
    }
    ++seed;
  }
  if (seed == first) return false;
  for (std::size_t f = 0; f < verb.families.size(); ++f)
    log.add(verb.name, verb.families[f], first, seed - 1, counts[f]);
  return true;
}

int run(Options const& options) {
  std::vector<Verb> verbs;
  for (auto const& group : {reductions(), accumulators(), matrices(), floats()})
    verbs.insert(verbs.end(), group.begin(), group.end());
  for (std::string const& name : options.verbs)
    if (std::none_of(verbs.begin(), verbs.end(), [&](Verb const& v) { return v.name == name; }))
      throw std::runtime_error(name + " is none of the verbs");

  if (!options.family.empty())
    std::erase_if(verbs, [&](Verb const& v) {
      return std::none_of(v.families.begin(), v.families.end(),
                          [&](auto const name) { return options.family == name; });
    });
  if (verbs.empty()) throw std::runtime_error("no verb has a family \"" + options.family + '"');

  Log log(options.log, std::string(EXAKT_PROOF_VERSION) + ' ' + Exakt::Impl::kernels().name);
  std::uint64_t differences = 0, cases = 0;
  std::printf("%-16s %14s %12s %14s %14s\n", "verb", "cases", "differences", "by MPFR too", "cases/s");
  for (Verb const& verb : verbs) {
    if (!options.verbs.empty() &&
        std::find(options.verbs.begin(), options.verbs.end(), verb.name) == options.verbs.end())
      continue;
    if (prove(verb, options, log) && !options.log.empty()) log.save();
    Counts const total = log.total(verb.name);
    std::printf("%-16s %14llu %12llu %14llu %14.0f\n", verb.name, static_cast<unsigned long long>(total.cases),
                static_cast<unsigned long long>(total.differences), static_cast<unsigned long long>(total.by_mpfr),
                static_cast<double>(total.cases) / std::max(total.seconds, 1e-3));
    std::fflush(stdout);
    if (total.cases == 0) throw std::runtime_error(std::string(verb.name) + ": nothing was compared");
    differences += total.differences;
    cases += total.cases;
  }
  if (!options.hard_cases.empty()) {
    Counts counts;
    differences += replay_hard_cases(options.hard_cases, counts);
    cases += counts.cases;
    std::printf("%-16s %14llu %12llu\n", "hard cases", static_cast<unsigned long long>(counts.cases),
                static_cast<unsigned long long>(counts.differences));
  }
  std::printf("%llu cases, %llu differences\n", static_cast<unsigned long long>(cases),
              static_cast<unsigned long long>(differences));
  return differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ExaktTest::Proof

int main(int argc, char* argv[]) {
  unsetenv("EXAKT_TEST_SEED");  // lines of the log name their seeds
  for (int const signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { ExaktTest::Proof::is_asked_to_stop = 1; });
  std::string silence = "--kokkos-disable-warnings";
  char* kokkos_arguments[] = {argv[0], silence.data(), nullptr};
  int count = 2;
  auto const options = ExaktTest::Proof::parsed(argc, argv);
  Kokkos::ScopeGuard const kokkos(count, kokkos_arguments);
  try {
    return ExaktTest::Proof::run(options);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 2;
  }
}
