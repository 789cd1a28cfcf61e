// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compensated sums of products, a lane for each row (SmallTriangle has the bound).
//
// Included inside a namespace that has packs and their error-free operations: once for each instruction set of the
// kernels, and once for all other code (impl/ExaktBlas_SmallTriangle.hpp).

/// \brief Adds the products of a pack of entries to the compensated sums of their rows: p + r = a * factor exactly,
/// high, e = two_sum(high, p), and e + r is rounded into low and its magnitude added to tails.
KOKKOS_FORCEINLINE_FUNCTION void add_compensated(double const* entries, Pack factor, double* high, double* low,
                                                 double* tails) {
  auto const product = two_product_of_packs(load(entries), factor);
  auto const sum = two_sum_of_packs(load(high), product.value);
  Pack const t = sum.error + product.error;
  store(sum.value, high);
  store(load(low) + t, low);
  store(load(tails) + absolute(t), tails);
}
