// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Mpfr.hpp"
#include "ExaktPerf_Options.hpp"
#include "ExaktPerf_Peers.hpp"
#include "ExaktPerf_Reporter.hpp"
#include "ExaktPerf_Suite.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <type_traits>

namespace {

constexpr char usage[] = R"(
  --rounds=N   how often each way is timed; medians are reported (default 15)
  --floors     only the cases with floors, as a table of ratios; exits with 1 if one is missed
  --dry-run    tiny sizes, one round: checks the bits, measures nothing

The other options are Google Benchmark's (--benchmark_filter, --benchmark_out, ...) and Kokkos'.
)";

struct Options {
  int rounds = 15;
  bool floors = false;
  bool dry_run = false;
};

// Takes what it knows out of the arguments; nothing if there is a wrong one.
std::optional<Options> parse(std::vector<char*>& arguments) {
  Options options;
  bool valid = true;
  std::erase_if(arguments, [&](std::string const argument) {
    std::string const rounds = "--rounds=";
    if (argument == "--floors") return options.floors = true;
    if (argument == "--dry-run") return options.dry_run = true;
    if (argument.compare(0, rounds.size(), rounds) != 0) return false;
    auto const number = ExaktPerf::positive_number(argument.c_str() + rounds.size());
    valid = valid && number;
    options.rounds = number.value_or(1);
    return true;
  });
  if (options.dry_run) options.rounds = 1;
  return valid ? std::optional(options) : std::nullopt;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string const key = "model name";
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

// The GPU that is the default execution space; nothing where that is the host.
std::string device() {
#if defined(KOKKOS_ENABLE_CUDA)
  cudaDeviceProp properties;
  int number = 0;
  bool const known =
      cudaGetDevice(&number) == cudaSuccess && cudaGetDeviceProperties(&properties, number) == cudaSuccess;
  return known ? properties.name : "unknown";
#else
  bool const is_host = std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>;
  return is_host ? "" : Kokkos::DefaultExecutionSpace::name();
#endif
}

void describe_environment(Options const& options) {
  using ExaktPerf::Space;
  auto const version = std::to_string(KOKKOS_VERSION / 10000) + '.' + std::to_string(KOKKOS_VERSION / 100 % 100) + '.' +
                       std::to_string(KOKKOS_VERSION % 100);
  benchmark::AddCustomContext("kokkos", version + ", " + Space::name());
  benchmark::AddCustomContext("threads", std::to_string(Space().concurrency()));
  benchmark::AddCustomContext("processor", processor());
  if (auto const name = device(); !name.empty()) benchmark::AddCustomContext("device", name);
#ifdef __clang__
  benchmark::AddCustomContext("compiler", __VERSION__);
#else
  benchmark::AddCustomContext("compiler", "g++ " __VERSION__);
#endif
  benchmark::AddCustomContext("flags", EXAKT_PERF_FLAGS);
  benchmark::AddCustomContext("rounds", std::to_string(options.rounds));
  benchmark::AddCustomContext("kokkos_kernels", ExaktPerf::kokkos_kernels().description);
  benchmark::AddCustomContext("open_blas", ExaktPerf::open_blas().description);
  benchmark::AddCustomContext("one_tbb", ExaktPerf::one_tbb().description);
  benchmark::AddCustomContext("mpfr", ExaktPerf::mpfr_description());
}

void report(benchmark::State& state, ExaktPerf::Case const& description, ExaktPerf::Comparison const& comparison) {
  auto const n = static_cast<double>(comparison.entries());
  auto const speed_of = [&](std::string const& way) { return n / comparison.seconds(way); };
  state.SetLabel(comparison.subject());
  state.counters["n"] = n;
  state.counters["abscissa"] = description.abscissa;
  state.counters["bytes_per_entry"] = comparison.bytes_per_entry();
  for (auto const& way : comparison.ways()) {
    state.counters["speed_" + way] = speed_of(way);
    if (way != comparison.subject()) state.counters["vs_" + way] = comparison.ratio_to(way);
  }
  for (auto const& floor : description.floors) {
    state.counters["floor_" + floor.against] = floor.ratio;
    if (floor.entries_per_second > 0) {
      auto const threads = static_cast<double>(ExaktPerf::Space().concurrency());
      state.counters["vs_" + floor.against] = speed_of(comparison.subject()) / (floor.entries_per_second * threads);
    }
  }
}

// One benchmark per case, one iteration per round. Returns whether all was right.
bool run(benchmark::State& state, ExaktPerf::Case const& description, Options const& options) {
  constexpr double shortest_sample = 1e-3;  // seconds: far more than the clock's resolution
  constexpr std::int64_t dry_run_divisor = 5'000;
  try {
    auto comparison =
        description.make(options.dry_run ? std::max<std::int64_t>(description.n / dry_run_divisor, 7) : description.n);
    comparison.check();
    if (!options.dry_run) comparison.calibrate(shortest_sample);
    for ([[maybe_unused]] auto _ : state) state.SetIterationTime(comparison.time_round());
    report(state, description, comparison);
    return true;
  } catch (std::exception const& error) {
    std::cerr << description.name << ": " << error.what() << '\n';
    state.SkipWithError(error.what());
    return false;
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  std::vector<char*> arguments(argv, argv + argc);
  auto const options = parse(arguments);
  int count = static_cast<int>(arguments.size());
  Kokkos::ScopeGuard kokkos(count, arguments.data());
  benchmark::Initialize(&count, arguments.data());
  if (!options || benchmark::ReportUnrecognizedArguments(count, arguments.data())) {
    std::cerr << usage;
    return 2;
  }
  if (!ExaktPerf::is_optimized && !options->dry_run) {
    std::cerr << ExaktPerf::not_optimized;
    return 2;
  }
  describe_environment(*options);

  int failures = 0;
  for (auto const& description : ExaktPerf::cases()) {
    if (options->floors && description.floors.empty()) continue;
    auto const benchmark = [&failures, &description, &options](benchmark::State& state) {
      if (!run(state, description, *options)) ++failures;
    };
    benchmark::RegisterBenchmark(description.name.c_str(), benchmark)
        ->Iterations(options->rounds)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }

  ExaktPerf::Reporter reporter(options->floors);
  if (benchmark::RunSpecifiedBenchmarks(&reporter) == 0) {
    std::cerr << "There is no such case" << (options->floors ? " with a floor.\n" : ".\n");
    return 2;
  }
  if (options->floors && !options->dry_run) failures += reporter.missed();
  return failures == 0 ? 0 : 1;
}
