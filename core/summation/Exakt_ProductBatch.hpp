// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_PRODUCTBATCH_HPP
#define EXAKT_PRODUCTBATCH_HPP

/// \file
/// \brief A few products that a host's code makes one by one, for the compiled kernels, which have them in packs whatever
/// that code was compiled for.

#include "../kernels/Exakt_Kernels.hpp"
#include "../numerics/Exakt_ExactTerm.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// Two neighbours in memory, written at once: processors hand on to a load what one store has written, not what two have.
__attribute__((always_inline)) inline void store_two(double* to, double first, double second) {
#if defined(__GNUC__) && !defined(__CUDACC__)
  typedef double Two __attribute__((vector_size(16), aligned(8)));
  *reinterpret_cast<Two*>(to) = Two{first, second};
#else
  to[0] = first;
  to[1] = second;
#endif
}

struct ProductBatch {
  static constexpr int capacity = few_products;
  double x[capacity + few_products_step], y[capacity + few_products_step];

  /// Takes the factors term(0) ... term(count - 1) in. \pre count <= capacity
  EXAKT_CALLS_ARGUMENT
  template <class Term>
  __attribute__((always_inline)) void take(int count, Term const& term) {
    int k = 0;
    for (; k + 2 <= count; k += 2) {
      FactorPair const first = term(k), second = term(k + 1);
      set(k, first, second);
    }
    if (k < count) {
      set(k, term(k), {0, 0});
      k += 2;
    }
    // Enough for every count, so that their number need not be guessed by the processor.
    for (int i = 0; i < few_products_step - 2; i += 2) set(k + i, {0, 0}, {0, 0});
  }

 private:
  __attribute__((always_inline)) void set(int k, FactorPair const& first, FactorPair const& second) {
    store_two(x + k, first.x, second.x);
    store_two(y + k, first.y, second.y);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
