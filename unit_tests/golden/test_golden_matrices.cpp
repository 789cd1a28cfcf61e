// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas2_gemv.hpp>
#include <ExaktBlas3_gemm.hpp>

#include "ExaktTest_Golden.hpp"

using namespace ExaktTest;
using namespace ExaktTest::Golden;
using Complex = Kokkos::complex<double>;

namespace {

struct Operands {
  std::size_t m, n, k;
  Words a, b, c;
};

template <class T>
Operands operands_of(Case const& c, std::size_t n) {
  using R = typename RealOf<T>::type;
  std::size_t const m = c.sizes[0], k = c.sizes.back();
  auto product = product_of(format_of<R>, format_of<R>, is_complex<T> ? 2 : 1, c.family, c.seed, m, n, k);
  bool const is_read = factor_of<T>(c.factors[1]) != T(0);
  if (!is_read) product.c.assign(product.c.size(), format_of<R>.quiet_nan());
  return {m, n, k, product.a, product.b, product.c};
}

}  // namespace

TEST_CASE("golden results of gemv, in every mode and layout") {
  for_each_case<double, float, Complex>("gemv", [](Case const& c, auto type) {
    using T = decltype(type);
    auto const operands = operands_of<T>(c, 1);
    auto const a = entries_of<T>(operands.a);
    for (char const* const mode : {"N", "T", "C"})
      for (bool const by_rows : {false, true}) {
        auto const y = vector(entries_of<T>(operands.c));
        Exakt::gemv(mode, factor_of<T>(c.factors[0]), before_op(*mode, by_rows, a, operands.m, operands.k),
                    vector(entries_of<T>(operands.b)), factor_of<T>(c.factors[1]), y);
        INFO("mode " << mode << (by_rows ? ", LayoutRight" : ", LayoutLeft"));
        check<T>("gemv", c, words_of(y));
      }
  });
}

TEST_CASE("golden results of gemm, in every mode and layout") {
  for_each_case<double, float, Complex>("gemm", [](Case const& c, auto type) {
    using T = decltype(type);
    auto const operands = operands_of<T>(c, c.sizes[1]);
    auto const a = entries_of<T>(operands.a), b = entries_of<T>(operands.b), old = entries_of<T>(operands.c);
    int layouts = 0;
    std::uint64_t way = 0;
    for (std::string const modes : {"NN", "NT", "TN", "TT", "CC", "NC", "CN"}) {
      std::string const trans_a(1, modes[0]), trans_b(1, modes[1]);
      // Each mode has other layouts than the one before; of small matrices it has two combinations of them.
      for (int more = 0; more <= (operands.m * operands.n * operands.k < 100'000 ? 3 : 0); more += 3) {
        int const rows = layouts++ + more;
        if (!is_turn(c, way++, 7)) continue;
        auto const result = matrix<T>(operands.m, operands.n, (rows & 4) != 0,
                                      [&](std::size_t i, std::size_t j) { return old[i * operands.n + j]; });
        Exakt::gemm(trans_a.c_str(), trans_b.c_str(), factor_of<T>(c.factors[0]),
                    before_op(modes[0], (rows & 1) != 0, a, operands.m, operands.k),
                    before_op(modes[1], (rows & 2) != 0, b, operands.k, operands.n), factor_of<T>(c.factors[1]),
                    result);
        INFO("modes " << modes << ", layouts " << (rows & 7));
        check<T>("gemm", c, words_of(result));
      }
    }
  });
}
