// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compensated sums of products, a lane for each row (SmallTriangle has the bound).
//
// Included inside a namespace that has packs and their error-free operations: once for each instruction set of the
// kernels, and once for all other code (triangular/ExaktBlas_SmallTriangle.hpp).

struct CompensatedPack {
  Pack high, low, tails;

  /// Adds products: p + r = a * factor exactly, high, e = two_sum(high, p), and e + r is rounded into low and its
  /// magnitude added to tails.
  KOKKOS_FORCEINLINE_FUNCTION void add(Pack a, Pack factor) {
    auto const product = two_product_of_packs(a, factor);
    auto const sum = two_sum_of_packs(high, product.value);
    Pack const t = sum.error + product.error;
    high = sum.value;
    low = low + t;
    tails = tails + absolute(t);
  }

  /// The same in units of both kinds: for many sums that do not wait for each other.
  KOKKOS_FORCEINLINE_FUNCTION void add(Pack a, Pack factor, FusedAdder adder) {
    auto const product = two_product_of_packs(a, factor);
    auto const sum = two_sum_of_packs(high, product.value, adder);
    Pack const t = adder.sum(sum.error, product.error);
    high = sum.value;
    low = adder.sum(low, t);
    tails = tails + absolute(t);
  }
};

/// Adds the products of a pack of entries to the sums of their rows.
KOKKOS_FORCEINLINE_FUNCTION void add_compensated(double const* entries, Pack factor, double* high, double* low,
                                                 double* tails, FusedAdder adder = {}) {
  CompensatedPack sums{load(high), load(low), load(tails)};
  sums.add(load(entries), factor, adder);
  store(sums.high, high);
  store(sums.low, low);
  store(sums.tails, tails);
}
