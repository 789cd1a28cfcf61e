// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A histogram of two million weighted samples, filled forwards and backwards.
#include <ExaktScatter.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstdio>

using Histogram = Kokkos::View<float*>;
constexpr int samples = 2'000'000, at_once = 1000, bins = 64;

// SplitMix64: the random bits of sample i.
KOKKOS_INLINE_FUNCTION std::uint64_t random_bits(std::uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15u;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
  return i ^ (i >> 31);
}

void fill(Histogram const& plain, Exakt::ScatterSum<float> const& exact, bool backwards) {
  Kokkos::parallel_for(
      samples / at_once, KOKKOS_LAMBDA(int part) {
        // Few bins and many samples: a thread combines those of a bin before they meet the others'.
        Exakt::ScatterCache cache(exact);
        for (int k = part * at_once; k < (part + 1) * at_once; ++k) {
          std::uint64_t const bits = random_bits(backwards ? samples - 1 - k : k);
          // The mean of four uniform numbers is nearly a Gaussian one.
          int const bin =
              static_cast<int>(((bits & 63) + (bits >> 6 & 63) + (bits >> 12 & 63) + (bits >> 18 & 63)) / 4);
          float const weight = 1.0f + static_cast<float>(bits >> 40) / 3e7f;
          Kokkos::atomic_add(&plain(bin), weight);
          cache.add(bin, weight);
        }
      });
}

// All bits of a histogram in one number: the same histograms have the same.
std::uint64_t fingerprint(Histogram const& histogram) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), histogram);
  std::uint64_t hash = 0;
  for (int bin = 0; bin < bins; ++bin) hash = random_bits(hash ^ __builtin_bit_cast(std::uint32_t, host(bin)));
  return hash;
}

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);

  Histogram plain("plain", bins), rounded("rounded", bins);
  Exakt::ScatterSum<float> exact("exact", bins);
  fill(plain, exact, false);
  exact.round_to(rounded);
  std::uint64_t const plain_forwards = fingerprint(plain), exact_forwards = fingerprint(rounded);

  Kokkos::deep_copy(plain, 0);
  exact.clear();
  fill(plain, exact, true);
  exact.round_to(rounded);

  auto const compare = [](std::uint64_t a, std::uint64_t b) { return a == b ? "the same" : "another"; };
  std::printf("plain atomics: backwards %s histogram\n", compare(fingerprint(plain), plain_forwards));
  std::printf("exact:         backwards %s histogram\n", compare(fingerprint(rounded), exact_forwards));
  std::printf("its fingerprint %016llx, its middle bin %.9g\n", static_cast<unsigned long long>(exact_forwards),
              exact.round(31));
}
