// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_DemoKernels.hpp"

#include "ExaktTool_Failure.hpp"

#include <Exakt_Reducer.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <type_traits>

#include <sys/wait.h>
#include <unistd.h>

namespace Exakt::Tool {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

template <class T>
using HostSum = ExactSum<T, Space>;

template <class T>
T finish_plain(T sum, DemoData const& data) {
  return data.wants_mean ? sum / static_cast<T>(data.size()) : sum;
}

template <class Accumulator>
auto finish_exact(Accumulator const& sum, DemoData const& data) {
  return data.wants_mean ? sum.round_quotient(data.size()) : sum.round();
}

template <class T>
T plain_in_order(std::vector<T> const& x, std::vector<std::size_t> const& order) {
  T sum = 0;
  for (std::size_t const i : order) sum += x[i];
  return sum;
}

template <class T>
SumAccumulator<T> exact_in_order(std::vector<T> const& x, std::vector<std::size_t> const& order) {
  SumAccumulator<T> sum;
  for (std::size_t const i : order) sum += x[i];
  return sum;
}

template <class T>
T plain_parallel(std::vector<T> const& values) {
  const T* const x = values.data();
  T sum = 0;
  Kokkos::parallel_reduce(
      "exakt::demo::plain", Kokkos::RangePolicy<Space>(0, values.size()),
      [=](std::size_t i, T& partial) { partial += x[i]; }, sum);
  return sum;
}

template <class T>
auto exact_parallel(std::vector<T> const& values) {
  using Accumulator = typename HostSum<T>::value_type;
  const T* const x = values.data();
  Accumulator sum;
  Kokkos::parallel_reduce(
      "exakt::demo::exact", Kokkos::RangePolicy<Space>(0, values.size()),
      [=](std::size_t i, Accumulator& partial) { partial += x[i]; }, HostSum<T>(sum));
  return sum;
}

template <class T>
auto exact_blocks(std::vector<T> const& values) {
  using Accumulator = typename HostSum<T>::value_type;
  constexpr std::size_t block = 16384;
  const T* const x = values.data();
  std::size_t const n = values.size();
  Accumulator sum;
  Kokkos::parallel_reduce(
      "exakt::demo::blocks", Kokkos::RangePolicy<Space>(0, (n + block - 1) / block),
      [=](std::size_t b, Accumulator& partial) { partial.add(x + b * block, std::min(block, n - b * block)); },
      HostSum<T>(sum));
  return sum;
}

template <class Run>
double seconds(Run run) {
  auto const start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double>& times) {
  auto const middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// The three ways take turns, so that whatever else the machine does befalls them alike.
void measure_speeds(std::vector<double> const& x, DemoParallel& result) {
  constexpr int repetitions = 15;
  std::vector<double> plain, reducer, bulk;
  for (int i = 0; i < repetitions; ++i) {
    plain.push_back(seconds([&] { plain_parallel(x); }));
    reducer.push_back(seconds([&] { exact_parallel(x); }));
    bulk.push_back(seconds([&] { exact_blocks(x); }));
  }
  auto const n = static_cast<double>(x.size());
  result.plain_speed = n / median(plain);
  result.reducer_speed = n / median(reducer);
  result.bulk_speed = n / median(bulk);
}

DemoParallel run_kokkos(std::array<DemoData, demo_data_sets> const& sets) {
  DemoParallel result{};
  for (std::size_t k = 0; k < sets.size(); ++k) {
    DemoData const& data = sets[k];
    result.values[k] = {
        finish_plain(plain_parallel(data.doubles), data), finish_exact(exact_parallel(data.doubles), data),
        finish_plain(plain_parallel(data.floats), data), finish_exact(exact_parallel(data.floats), data)};
  }
  measure_speeds(sets[0].doubles, result);
  return result;
}

/// Never returns: the life of the other process.
[[noreturn]] void serve(std::array<DemoData, demo_data_sets> const& sets, unsigned threads, int answer_to) {
  ::setenv("KOKKOS_NUM_THREADS", std::to_string(threads).c_str(), 1);
  ::setenv("KOKKOS_DISABLE_WARNINGS", "1", 1);
  int written = -1;
  int argc = 0;
  Kokkos::initialize(argc, nullptr);
  if (Space().concurrency() == static_cast<int>(threads)) {
    DemoParallel const result = run_kokkos(sets);
    static_assert(std::is_trivially_copyable_v<DemoParallel>, "it travels through a pipe as bytes");
    written = static_cast<int>(::write(answer_to, &result, sizeof result));
  } else {
    written = 0;
  }
  Kokkos::finalize();
  std::_Exit(written >= 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

}  // namespace

DemoValues sum_in_order(DemoData const& data, std::vector<std::size_t> const& order) {
  return {
      finish_plain(plain_in_order(data.doubles, order), data), finish_exact(exact_in_order(data.doubles, order), data),
      finish_plain(plain_in_order(data.floats, order), data), finish_exact(exact_in_order(data.floats, order), data)};
}

std::optional<DemoParallel> sum_in_parallel(std::array<DemoData, demo_data_sets> const& sets, unsigned threads) {
  int ends[2];
  if (::pipe(ends) != 0) throw Failure("demo: cannot make a pipe");
  pid_t const child = ::fork();
  if (child < 0) throw Failure("demo: cannot start a process");
  if (child == 0) serve(sets, threads, ends[1]);
  ::close(ends[1]);
  DemoParallel result{};
  ssize_t const got = ::read(ends[0], &result, sizeof result);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
    throw Failure("demo: Kokkos with " + std::to_string(threads) + " threads failed");
  if (got != static_cast<ssize_t>(sizeof result)) return {};
  return result;
}

}  // namespace Exakt::Tool
