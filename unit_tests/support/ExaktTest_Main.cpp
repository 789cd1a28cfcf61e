// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>
#include <kernels/Exakt_Kernels.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Main.hpp"
#include "ExaktTest_Random.hpp"
#include "ExaktTest_Session.hpp"

namespace ExaktTest {
namespace {

std::uint64_t number_from_environment(char const* variable, std::uint64_t otherwise) {
  char const* const text = std::getenv(variable);
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  auto const number = std::strtoull(text, &end, 0);
  if (end == text || *end != '\0' || number == 0) {
    std::fprintf(stderr, "%s=%s: a positive integer is expected\n", variable, text);
    std::exit(2);
  }
  return number;
}

constexpr int skipped = 77;  // SKIP_RETURN_CODE in ExaktTest.cmake

/// Whether the kernels are of the set that EXAKT_ISA names, if it names one; where not, the library has said so.
bool takes_wanted_kernels() {
  char const* const wanted = std::getenv("EXAKT_ISA");
  return wanted == nullptr || *wanted == '\0' || std::string(wanted) == Exakt::Impl::kernels().name;
}

/// Whether the kernels are of the first set of those that there are, the best one.
bool takes_best_kernels() {
  std::string const names = Exakt::Impl::kernels().names;
  return names.substr(0, names.find(' ')) == Exakt::Impl::kernels().name;
}

/// Whether OpenMP has as many threads as its variable says, after which tests are named.
bool has_wanted_threads() {
  char const* const variable = std::getenv("OMP_NUM_THREADS");
  std::string const wanted = variable == nullptr ? "" : variable;
  bool const is_number = !wanted.empty() && wanted.find_first_not_of("0123456789") == std::string::npos;
  auto const threads = std::to_string(Kokkos::DefaultHostExecutionSpace().concurrency());
  if (!is_number || wanted == threads || std::string(Kokkos::DefaultHostExecutionSpace::name()) != "OpenMP")
    return true;
  std::fprintf(stderr, "OMP_NUM_THREADS=%s, but there are %s threads\n", wanted.c_str(), threads.c_str());
  return false;
}

}  // namespace

std::uint64_t seed() {
  static auto const number = number_from_environment("EXAKT_TEST_SEED", 20111);
  return number;
}

std::uint64_t case_factor() {
  static auto const number = number_from_environment("EXAKT_TEST_CASES", 1);
  return number;
}

int run(int argc, char* argv[]) {
  if (!takes_wanted_kernels()) return skipped;
  if (std::getenv("EXAKT_TEST_OTHER_SETS") != nullptr && takes_best_kernels()) {
    std::printf("Exakt: EXAKT_ISA=%s is what runs here without it\n", Exakt::Impl::kernels().name);
    return skipped;
  }
  // Kokkos takes its own options out of argv and leaves the rest to Catch2.
  std::vector<char*> arguments(argv, argv + argc);
  std::string silence = "--kokkos-disable-warnings";
  arguments.push_back(silence.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  Kokkos::initialize(count, arguments.data());

  std::printf("EXAKT_TEST_SEED=%llu EXAKT_TEST_CASES=%llu, %s, concurrency %d\n",
              static_cast<unsigned long long>(ExaktTest::seed()),
              static_cast<unsigned long long>(ExaktTest::case_factor()), Kokkos::DefaultHostExecutionSpace::name(),
              static_cast<int>(Kokkos::DefaultHostExecutionSpace().concurrency()));
  // Catch2 returns how many assertions failed: as many as `skipped`, perhaps.
  bool const passes = has_wanted_threads() && run_session(count, arguments.data()) == 0;
  auto const& total = ExaktTest::tally();
  std::printf("%llu results compared with MPFR, %llu with each other, %llu differences\n",
              static_cast<unsigned long long>(total.against_oracle),
              static_cast<unsigned long long>(total.against_itself),
              static_cast<unsigned long long>(total.differences));
  Kokkos::finalize();
  return passes ? 0 : 1;
}

}  // namespace ExaktTest
