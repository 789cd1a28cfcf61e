// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What exact sums cost across ranks, beside the plain ones: reductions of accumulators beside MPI_Allreduce of as many
// bytes, and weak or strong scaling of whole sums, local part and reduction apart, as in figure 6 of Collange et al.
// (2015). README.md has the command lines.
#include "ExaktPerf_Data.hpp"
#include "ExaktPerf_Options.hpp"
#include "ExaktPerf_Plain.hpp"

#include <Exakt.hpp>
#include <ExaktMpi.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace ExaktPerf;
using Exakt::Mpi::Method;
using Sum = Exakt::SumAccumulator<double>;
using Sums = Kokkos::View<Sum*, Kokkos::HostSpace>;

struct Options {
  bool dry_run = false;
  bool strong = false;
  int rounds = 30;
  std::string out;  // file for plot.py
};

/// What was measured of sums, for plot.py.
std::string scaling;

int ranks = 1, rank = 0;

template <class... Arguments>
void print(char const* format, Arguments... arguments) {
  if (rank == 0) std::printf(format, arguments...);
}

/// \brief What is timed: `prepare` before each call, on no account.
struct Way {
  std::string name;
  std::function<void()> run;
  std::function<void()> prepare = [] {};
  double seconds = 0;
};

/// \brief Seconds per call of the slowest rank, each way in turn, in the best round: whatever disturbs a rank makes all
/// slower.
void measure(std::vector<Way>& ways, Options const& options) {
  constexpr double shortest_sample = 3e-4;
  std::vector<int> repetitions(ways.size(), 1);
  auto const sample = [&](std::size_t i) {
    double seconds = 0;
    for (int k = 0; k < repetitions[i]; ++k) {
      ways[i].prepare();
      MPI_Barrier(MPI_COMM_WORLD);
      double const begin = MPI_Wtime();
      ways[i].run();
      seconds += MPI_Wtime() - begin;
    }
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds / repetitions[i];
  };
  for (std::size_t i = 0; i < ways.size(); ++i) {
    double const once = sample(i);
    if (!options.dry_run) repetitions[i] = std::clamp(static_cast<int>(shortest_sample / once), 1, 1000);
  }
  for (int round = 0; round < (options.dry_run ? 1 : options.rounds); ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      double const seconds = sample(i);
      ways[i].seconds = round == 0 ? seconds : std::min(ways[i].seconds, seconds);
    }
  }
}

void require(bool same, char const* what) {
  if (same) return;
  std::fprintf(stderr, "perf_mpi: %s: not the same bits\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// \brief Allreduces of sums beside MPI_Allreduce of their digits. The sums are full of terms, as after local sums.
void compare_allreduce(int n, int decades, Options const& options) {
  using Long = Exakt::LongAccumulator<double>;
  int const words = n * (Long::digit_count + 1);
  int const size = n * static_cast<int>(sizeof(Sum) / sizeof(std::int64_t));
  std::vector<double> doubles(static_cast<std::size_t>(n), 0.1);
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(words), 1), whole(static_cast<std::size_t>(size), 1);
  auto const terms = log_uniform(std::int64_t{100} * n, decades, static_cast<std::uint64_t>(rank + 1));
  Sums const parts("parts", n), sums("sums", n);
  for (int i = 0; i < n; ++i) parts(i).add(terms.data() + 100 * i, 100);
  auto const renew = [=] { Kokkos::deep_copy(sums, parts); };

  Sums const expected("expected", n);
  Kokkos::deep_copy(expected, parts);
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, expected, Method::accumulators);
  renew();
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums);
  for (int i = 0; i < n; ++i) require(sums(i) == expected(i), "allreduce");

  auto const exact = [=](Method method) {
    return [=] {
      if (n == 1) {
        Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums(0), method);
      } else {
        Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums, method);
      }
    };
  };
  std::vector<Way> ways = {
      {"MPI_Allreduce of the digits",
       [&] { MPI_Allreduce(MPI_IN_PLACE, bytes.data(), words, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD); },
       [&] { std::fill(bytes.begin(), bytes.end(), 1); }},
      {"MPI_Allreduce of as many bytes as the accumulators have",
       [&] { MPI_Allreduce(MPI_IN_PLACE, whole.data(), size, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD); },
       [&] { std::fill(whole.begin(), whole.end(), 1); }},
      {"MPI_Allreduce of as many doubles",
       [&] { MPI_Allreduce(MPI_IN_PLACE, doubles.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
       [&] { std::fill(doubles.begin(), doubles.end(), 0.1); }},
      {"Exakt, Method::words", exact(Method::words), renew},
      {"Exakt, Method::accumulators", exact(Method::accumulators), renew},
  };
  measure(ways, options);
  print("\n%d sum%s, range 1e%d, %zu bytes of digits\n", n, n == 1 ? "" : "s", decades, bytes.size() * 8);
  for (auto const& way : ways)
    print("  %-58s %10.2f us  %5.2f\n", way.name.c_str(), way.seconds * 1e6, way.seconds / ways[0].seconds);
}

/// \brief A sum of n numbers on each rank, or of n on all: local part, reduction, and both as a user calls it.
void compare_sums(std::int64_t n, Options const& options) {
  if (options.strong) n /= ranks;
  Data const x = log_uniform(n, 10, static_cast<std::uint64_t>(rank + 1));
  auto const add = [x](auto& sum, std::int64_t i) {
    sum += load<std::remove_reference_t<decltype(sum)>>(x.data() + i);
  };
  double result = 0;
  auto const reduce_plain = [&] { MPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); };
  Sum part;
  part.add(x.data(), x.extent(0));
  Sum const local = part;
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, part);
  require(Exakt::Mpi::sum(MPI_COMM_WORLD, x) == part.round(), "sum");

  std::vector<Way> ways = {
      {"plain, local", [&] { result = plain(n, add); }},
      {"vectorized, local", [&] { result = vectorized(n, add); }},
      {"exact, local", [&] { result = Exakt::sum(x); }},
      {"plain, reduction", reduce_plain},
      {"exact, words", [&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, part); }, [&] { part = local; }},
      {"exact, accumulators", [&] { Exakt::Mpi::allreduce(MPI_COMM_WORLD, part, Method::accumulators); },
       [&] { part = local; }},
      {"plain",
       [&] {
         result = plain(n, add);
         reduce_plain();
       }},
      {"vectorized",
       [&] {
         result = vectorized(n, add);
         reduce_plain();
       }},
      {"exact", [&] { result = Exakt::Mpi::sum(MPI_COMM_WORLD, x); }},
  };
  measure(ways, options);
  print("%10.0e |", static_cast<double>(n));
  for (std::size_t i = 0; i < ways.size(); ++i) print("%s %10.1f", i == 3 || i == 6 ? " |" : "", ways[i].seconds * 1e6);
  print(" | %6.2f %6.2f\n", ways[8].seconds / ways[6].seconds, ways[8].seconds / ways[7].seconds);

  scaling += (scaling.empty() ? "" : ",\n") + std::string("    {\"n\": ") + std::to_string(n);
  char const* const keys[] = {"plain local", "vectorized local", "exact local", "plain reduction",
                              "words",       "accumulators",     "plain",       "vectorized",
                              "exact"};
  for (std::size_t i = 0; i < ways.size(); ++i)
    scaling += ", \"" + std::string(keys[i]) + "\": " + std::to_string(ways[i].seconds * 1e6);
  scaling += "}";
}

/// \brief y := A x where each rank has some columns: the product as compilers vectorize it, and MPI_Allreduce of y;
/// and Exakt::Mpi::gemv.
void compare_gemv(int m, int n, Options const& options) {
  using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  Matrix const a("a", static_cast<std::size_t>(m), static_cast<std::size_t>(n));
  Data const entries = log_uniform(std::int64_t{m} * n, 10, static_cast<std::uint64_t>(rank + 1));
  std::copy_n(entries.data(), entries.extent(0), a.data());
  Data const x = log_uniform(n, 10, static_cast<std::uint64_t>(rank + 101)), y("y", static_cast<std::size_t>(m)),
             whole("whole", static_cast<std::size_t>(m));
  auto const multiply = [=] {
    constexpr int rows = 256;
    Kokkos::parallel_for(Range(0, (m + rows - 1) / rows), [=](std::int64_t block) {
      std::int64_t const begin = block * rows, end = std::min<std::int64_t>(m, begin + rows);
      double* const sums = y.data();
      for (std::int64_t i = begin; i < end; ++i) sums[i] = 0;
      for (int j = 0; j < n; ++j) {
        double const* const column = a.data() + std::int64_t{m} * j;
        double const factor = x.data()[j];
        for (std::int64_t i = begin; i < end; ++i) sums[i] += column[i] * factor;
      }
    });
    Kokkos::fence();
  };
  auto const reduce = [=] { MPI_Allreduce(MPI_IN_PLACE, y.data(), m, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); };
  using Exakt::Mpi::Distribution;
  auto const exact = [=] { Exakt::Mpi::gemv(MPI_COMM_WORLD, Distribution::columns, "N", 1.0, a, x, 0.0, whole); };

  exact();
  std::vector<Exakt::DotAccumulator<double>> sums(static_cast<std::size_t>(m));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) sums[static_cast<std::size_t>(i)].add_product(a.data()[std::int64_t{m} * j + i], x(j));
  Kokkos::View<Exakt::DotAccumulator<double>*, Kokkos::HostSpace> const all(sums.data(), sums.size());
  Exakt::Mpi::allreduce(MPI_COMM_WORLD, all);
  for (std::size_t i = 0; i < sums.size(); ++i) require(whole(i) == sums[i].round(), "gemv");

  std::vector<Way> ways = {{"plain, local", multiply},
                           {"plain",
                            [=] {
                              multiply();
                              reduce();
                            }},
                           {"exact, local", [=] { Exakt::gemv("N", 1.0, a, x, 0.0, y); }},
                           {"exact", exact}};
  measure(ways, options);
  print("%6d x %6d |", m, n);
  for (auto const& way : ways) print(" %10.1f", way.seconds * 1e6);
  print(" | %6.2f\n", ways[3].seconds / ways[1].seconds);
}

void require_written(std::ofstream const& file, Options const& options) {
  if (file) return;
  std::fprintf(stderr, "perf_mpi: %s cannot be written\n", options.out.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Rank 0's file for plot.py, opened before the measurements: a wrong name should not cost their time.
std::ofstream opened(Options const& options) {
  std::ofstream file;
  if (rank == 0 && !options.out.empty()) file.open(options.out);
  require_written(file, options);
  return file;
}

void write(std::ofstream& file, Options const& options, std::string const& library) {
  if (!file.is_open()) return;
  file << "{\n  \"ranks\": " << ranks << ", \"threads\": " << Space().concurrency() << ", \"library\": \"" << library
       << "\",\n  \"scaling\": \"" << (options.strong ? "strong" : "weak") << "\", \"microseconds\": [\n"
       << scaling << "\n  ]\n}\n"
       << std::flush;
  require_written(file, options);
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    std::string const argument = argv[i], out = "--out=", rounds = "--rounds=";
    bool valid = true;
    if (argument == "--dry-run") {
      options.dry_run = true;
    } else if (argument == "--strong") {
      options.strong = true;
    } else if (argument.compare(0, out.size(), out) == 0) {
      options.out = argument.substr(out.size());
    } else if (argument.compare(0, rounds.size(), rounds) == 0) {
      auto const number = positive_number(argument.substr(rounds.size()));
      valid = number.has_value();
      options.rounds = number.value_or(1);
    } else {
      valid = false;
    }
    if (!valid) {
      print("usage: mpirun -n RANKS perf_mpi [--strong] [--rounds=N] [--out=FILE] [--dry-run]\n");
      return false;
    }
  }
  if (!is_optimized && !options.dry_run) print(not_optimized);
  return is_optimized || options.dry_run;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Options options;
  bool const understood = parse(argc, argv, options);
  if (understood) {
    std::ofstream file = opened(options);
    int no_arguments = 1;
    Kokkos::ScopeGuard const kokkos(no_arguments, argv);
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(library, &length);
    // Of MPICH the rest are lines of how it was configured, and there are tabs.
    std::string const full = library;
    std::string name = full.substr(0, full.find_first_of(",\n"));
    std::replace(name.begin(), name.end(), '\t', ' ');
    print("%d ranks of %d threads, %s\n", ranks, Space().concurrency(), name.c_str());
    std::int64_t const divisor = options.dry_run ? 1000 : 1;

    for (int const decades : {10, 600}) {
      compare_allreduce(1, decades, options);
      compare_allreduce(options.dry_run ? 300 : 1000, decades, options);
    }
    print("\n%s scaling of the sum, range 1e10; microseconds, and how many times as long the exact one takes\n",
          options.strong ? "strong" : "weak");
    print("%10s | %10s %10s %10s | %10s %10s %10s | %10s %10s %10s | %6s %6s\n", "n per rank", "plain", "vectorized",
          "exact", "plain", "words", "accumul.", "plain", "vectorized", "exact", "plain", "vect.");
    print("%10s | %32s | %32s | %32s |\n", "", "local part", "reduction", "both");
    for (std::int64_t const n : {1'000, 10'000, 100'000, 1'000'000, 4'000'000, 16'000'000})
      compare_sums(std::max<std::int64_t>(n / divisor, 10), options);
    write(file, options, name);

    print("\ngemv by columns, range 1e10; microseconds, and how many times as long the exact one takes\n");
    print("%15s | %10s %10s %10s %10s | %6s\n", "rows x columns", "plain local", "plain", "exact local", "exact", "");
    for (auto const& [m, n] :
         {std::pair{1000, 10}, {1000, 30}, {1000, 100}, {1000, 1000}, {4000, 1000}, {100, 100'000}})
      compare_gemv(std::max(m / (options.dry_run ? 10 : 1), 10), std::max(n / (options.dry_run ? 100 : 1), 3), options);
  }
  MPI_Finalize();
  return understood ? 0 : 2;
}
