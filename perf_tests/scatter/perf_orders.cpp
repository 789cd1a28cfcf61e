// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief Figures 1 and 2 of Small et al.: the spread of sums over 16384 random orders of the same terms, whose exact
/// sum is zero. Prints a table, and with --out=FILE writes the histograms for plot.py.

#include "ExaktPerf_Baselines.hpp"

#include <Exakt.hpp>
#include <ExaktScatter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

struct RandomBits {
  std::uint64_t state = 1;
  std::uint64_t operator()() {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
};

/// As in the paper: half of them uniform in [0, 0.001], the other half their negatives.
std::vector<double> terms_that_cancel(std::size_t n, RandomBits& random) {
  std::vector<double> terms;
  for (std::size_t i = 0; i < n / 2; ++i) {
    terms.push_back(static_cast<double>(random() >> 11) * 0x1p-53 * 0.001);
    terms.push_back(-terms.back());
  }
  return terms;
}

struct Plain {
  double sum = 0;
  Plain& operator+=(double x) {
    sum += x;
    return *this;
  }
  double round() const { return sum; }
};

template <class Sum>
double sum_of(std::vector<double> const& terms) {
  Sum sum;
  for (double const x : terms) sum += x;
  return sum.round();
}

using Results = std::map<std::string, std::vector<double>>;

Results sums_in_random_orders(std::size_t n, int orders) {
  RandomBits random;
  auto terms = terms_that_cancel(n, random);
  Exakt::ScatterSum<double, Kokkos::HostSpace> const bins("one", 1);
  Results results;
  for (int order = 0; order < orders; ++order) {
    for (std::size_t i = terms.size(); i > 1; --i) std::swap(terms[i - 1], terms[random() % i]);
    results["plain"].push_back(sum_of<Plain>(terms));
    results["Neumaier"].push_back(sum_of<ExaktPerf::Neumaier>(terms));
    results["HighPrecision<3, 2>"].push_back(sum_of<Exakt::HighPrecision<3, 2>>(terms));
    results["Hallberg<4, 50>"].push_back(sum_of<Exakt::Hallberg<4, 50>>(terms));
    results["Binned<double, 3>"].push_back(sum_of<Exakt::Binned<double, 3>>(terms));
    results["SumAccumulator"].push_back(sum_of<Exakt::SumAccumulator<double>>(terms));
    double const* const x = terms.data();
    Kokkos::parallel_for(
        ExaktPerf::Range(0, static_cast<std::int64_t>(n)), KOKKOS_LAMBDA(std::int64_t i) { bins.add(0, x[i]); });
    results["ScatterSum"].push_back(bins.round(0));
    bins.clear();
  }
  return results;
}

double standard_deviation(std::vector<double> const& values) {
  double squares = 0;  // the exact mean is zero
  for (double const x : values) squares += x * x;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  bool dry_run = false;
  std::string out;
  for (int i = 1; i < argc; ++i) {
    std::string const argument = argv[i];
    if (argument == "--dry-run") {
      dry_run = true;
    } else if (argument.compare(0, 6, "--out=") == 0) {
      out = argument.substr(6);
    } else {
      std::fprintf(stderr, "perf_orders [--dry-run] [--out=FILE]: %s is not understood\n", argument.c_str());
      return 2;
    }
  }

  int const orders = dry_run ? 50 : 16'384;
  bool failed = false;
  Results last;
  std::printf("%-20s %6s %10s %22s\n", "sum", "terms", "values", "standard deviation");
  for (std::size_t const n : {64u, 128u, 256u, 512u, 1024u}) {
    last = sums_in_random_orders(n, orders);
    for (auto const& [name, sums] : last) {
      std::size_t const values = std::set<double>(sums.begin(), sums.end()).size();
      std::printf("%-20s %6zu %10zu %22.3g\n", name.c_str(), n, values, standard_deviation(sums));
      bool const promises_one_value = name != "plain" && name != "Neumaier";
      failed = failed || (promises_one_value && (values != 1 || sums[0] != 0));
    }
  }
  if (failed) std::fprintf(stderr, "perf_orders: a sum that promises the same bits in every order has several\n");

  if (!out.empty()) {
    // {"way": {"value": how often, ...}, ...} for 1024 terms
    std::ofstream file(out);
    file.precision(17);
    char const* separator = "{";
    for (auto const& [name, sums] : last) {
      std::map<double, int> histogram;
      for (double const x : sums) ++histogram[x];
      file << separator << "\n\"" << name << "\": ";
      separator = "{";
      for (auto const& [value, count] : histogram) {
        file << separator << "\"" << value << "\": " << count;
        separator = ", ";
      }
      file << "}";
      separator = ",";
    }
    file << "}\n";
    if (!file) {
      std::fprintf(stderr, "perf_orders: %s cannot be written\n", out.c_str());
      return 1;
    }
  }
  return failed ? 1 : 0;
}
