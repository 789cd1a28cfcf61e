// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Comparison.hpp"

#include <Kokkos_Core.hpp>

#include <cstring>
#include <string>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);

  // Sizes that stay in the level 2 cache, in the last-level cache, and in neither.
  std::vector<std::int64_t> sizes{100'000, 1'000'000, 50'000'000};
  std::vector<char*> arguments(argv, argv + argc);
  char min_time[] = "--benchmark_min_time=0.001";
  auto const dry_run =
      std::find_if(arguments.begin(), arguments.end(), [](char const* a) { return std::strcmp(a, "--dry-run") == 0; });
  if (dry_run != arguments.end()) {
    sizes = {1, 1'000};
    *dry_run = min_time;
  }

  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  using Space = Kokkos::DefaultHostExecutionSpace;
  benchmark::AddCustomContext("kokkos", std::to_string(KOKKOS_VERSION) + ' ' + Space::name());
  benchmark::AddCustomContext("threads", std::to_string(Space().concurrency()));
#ifdef __VERSION__
  benchmark::AddCustomContext("compiler", __VERSION__);
#endif

  ExaktPerf::register_comparisons(sizes);
  benchmark::RunSpecifiedBenchmarks();
  // The benchmarks hold Views, which have to go before Kokkos does.
  benchmark::ClearRegisteredBenchmarks();
}
