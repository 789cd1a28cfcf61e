// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_OZAKICHOICE_HPP
#define EXAKTBLAS_OZAKICHOICE_HPP

/// \file
/// \brief Whether the Ozaki engine is the faster one for a product, and with how many moduli.

#include "../../kernels/ExaktBlas_GemmKernels.hpp"
#include "../ExaktBlas_ExactGemm.hpp"
#include "ExaktBlas_OzakiFactor.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// Both factors of a product, measured, and what follows from that.
template <class Space, class Backend, class T, class U, class R>
class OzakiChoice {
  using Kind = typename Backend::Kind;

 public:
  GemmProblem<T, U, R> const problem;
  OzakiFactor<Space, Backend, T, typename Backend::Left> left;    // rows of A
  OzakiFactor<Space, Backend, U, typename Backend::Right> right;  // columns of B
  int const depth_bits;                                           // 2^depth_bits >= k

  OzakiChoice(Space const& space, GemmProblem<T, U, R> const& product)
      : problem(product),
        left(space, product.A, product.m, product.k),
        right(space, transposed(product.B), product.n, product.k),
        depth_bits(bit_width(product.k - 1)),
        m_space(space) {}

  /// Whether this engine has no place for it, or `may_decline`, asked on hosts, and another one is faster.
  bool is_declined(bool may_decline) {
    constexpr std::size_t sample = lines_at_once;
    if constexpr (is_on_host_v<Space>) {
      if (may_decline && problem.m > sample && problem.n > sample) {
        measure(sample, sample);
        if (direct_is_faster()) return true;
      }
    }
    measure(problem.m, problem.n);
    std::size_t const specials = left.specials() + right.specials();
    if (Backend::by_tiles ? specials * 16 > problem.m + problem.n
                          : specials > 0 || moduli_if_exact() > Kind::moduli_at_most ||
                                std::max(left.most_bits(), right.most_bits()) > most_bits_of_line<Kind>)
      return true;
    if constexpr (is_on_host_v<Space>) return may_decline && direct_is_faster();
    return false;
  }

  /// Whether cutting lines saves moduli, and decides enough.
  bool is_worth_cutting() const {
    constexpr int worth_being_exact = 2;
    return moduli_if_exact() > moduli_if_cut() + worth_being_exact && !most_cancel();
  }

  /// Cut to so many bits nearly all entries are decided, if they do not cancel: those of the result, 18 to tell it from
  /// a tie and to make up for lines whose largest entries are rare, and those of k.
  int bits_worth_having() const { return FloatFormat<R>::precision + 18 + depth_bits; }

  int moduli_if_exact() const { return moduli_for<Kind>(left.most_bits() + right.most_bits() + depth_bits); }

 private:
  int moduli_if_cut() const {
    return Backend::by_tiles ? moduli_for<Kind>(2 * bits_worth_having() + depth_bits) : Kind::moduli_at_most + 1;
  }

  void measure(std::size_t rows, std::size_t columns) {
    left.measure(rows);
    right.measure(columns);
    m_space.fence();
  }

  /// \brief Whether the direct engine takes less time, as far as lines have been measured.
  ///
  /// Nanoseconds of one thread, between those of two Xeons (perf_tests/blas/perf_gemm_engines, n = 64 ... 2048): it takes
  /// 1.2 for an entry of A, B, or C beside its products; where most entries cancel 4 times as long at n = 100, where bytes
  /// meet it, and 6 to 8 times from n = 250 on; without fused multiply-adds more than a hundred times as long.
  bool direct_is_faster() const {
    constexpr double cancelling = 6;
    auto const m = static_cast<double>(problem.m), n = static_cast<double>(problem.n),
               k = static_cast<double>(problem.k);
    double const products = problem.products(), entries = m * k + k * n + m * n;
    double const direct = direct_product_cost() * products + 1.2 * entries;
    auto const here = [&](int moduli) {
      return moduli * (Backend::product_cost() * products + Backend::entry_cost * entries);
    };
    int const exact = moduli_if_exact();
    if (here(std::min(exact, moduli_if_cut())) < direct) return false;
    return exact > Kind::moduli_at_most || here(exact) > cancelling * direct || !most_cancel();
  }

  double direct_product_cost() const {
    constexpr int longest_sum_bits = FloatFormat<double>::precision - bit_width(shortest_plain_sum - 1);
    bool const is_plain = plain_sums_decide<T, U, R> || left.most_bits() + right.most_bits() <= longest_sum_bits;
    return is_plain ? gemm_kernels().plain_product_cost : gemm_kernels().product_cost;
  }

  /// \brief Whether most of a few entries, of lines measured, are so small that the direct engine does not decide them
  /// at once.
  ///
  /// Its bound for an entry is about 2 k^3 2^(e - 106) for products below 2^e (Exakt_EnclosedSum.hpp), of plain sums
  /// k 2^(e - 46), to be compared with the last bit of the entry.
  bool most_cancel() const {
    constexpr std::size_t entries = 8;
    int const smallest = plain_sums_decide<T, U, R> ? depth_bits - 20 : 3 * depth_bits - 50;  // of those decided
    int cancelling = 0, seen = 0;
    for (std::size_t e = 0; e < entries; ++e) {
      std::size_t const i = (2 * e + 1) * left.measured() / (2 * entries),
                        j = (2 * (e * 3 % entries) + 1) * right.measured() / (2 * entries);
      LineScale const row = left.scale(i), column = right.scale(j);
      if (row.is_special || column.is_special || row.bits == 0 || column.bits == 0) continue;
      auto const parts = integer_parts(exact_entry(problem, i, j).round());
      cancelling += parts.exponent + bit_width(parts.significand) < row.top() + column.top() + smallest;
      ++seen;
    }
    return 2 * cancelling > seen;
  }

  Space m_space;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
