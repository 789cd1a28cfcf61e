// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_COMPLEXPRODUCTS_HPP
#define EXAKTBLAS_COMPLEXPRODUCTS_HPP

/// \file
/// \brief Complex sums of products on hosts: real and imaginary planes of a tile, then four real sums of products.

#include "ExaktBlas_TeamProducts.hpp"

#include <summation/Exakt_Extraction.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Some entries, real and imaginary parts apart.
struct Planes {
  static constexpr std::size_t size = 256;
  double parts[2][size];

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void set(std::size_t i, T const& entry) {
    parts[0][i] = part_of(entry, false);
    if constexpr (Scalar<T>::is_complex) parts[1][i] = part_of(entry, true);
  }
};

/// The exact sum of a(j) * x(j), j below n, as real and imaginary part.
EXAKT_CALLS_ARGUMENT
template <class A, class X>
KOKKOS_INLINE_FUNCTION ExactParts<true> sum_of_complex_products(A const& a, X const& x, std::size_t n) {
  ExactParts<true> sum;
  Extraction<ExactProducts, 4> extraction[2];
  Planes as, xs;
  for (Span const some : Pieces{{0, n}, Planes::size}) {
    std::size_t const begin = some.begin, count = some.size();
    for (std::size_t j = 0; j < count; ++j) {
      as.set(j, a(begin + j));
      xs.set(j, x(begin + j));
    }
    for_each_real_product<decltype(a(n)), decltype(x(n))>([&](RealProduct product) {
      double* const factors = as.parts[product.of_a];
      for (std::size_t j = 0; j < count && product.is_negative(); ++j) factors[j] = negated(factors[j]);
      int const part = product.into_imaginary();
      extraction[part].add_products(factors, xs.parts[product.of_x], count, sum.parts[part]);
    });
  }
  for (int part = 0; part < 2; ++part) extraction[part].drain(sum.parts[part]);
  return sum;
}

/// \brief alpha * S + beta * y for some entries: those of which both parts are decided by their enclosures, and
/// exactly(i) for the others.
///
/// \tparam at_most  Of them.
/// \param real, imaginary  Of S; afterwards those of the parts of the result, if factors mix them.
/// \param entry     entry(i): y, which is written after both of its parts are decided.
template <int at_most, class Entry, class Exactly>
void round_complex_entries(EntryEpilogue const& epilogue, EnclosureArrays const& real, EnclosureArrays const& imaginary,
                           int count, Entry const& entry, Exactly const& exactly) {
  using Complex = std::decay_t<decltype(entry(0))>;
  using R = typename Scalar<Complex>::Real;
  MatrixKernelsOf<R> const& kernels = matrix_kernels();
  R parts[2][at_most];
  bool is_undecided[at_most] = {};
  bool const mixed = !epilogue.parts_stay_apart();
  // Sums of nothing but zeros are known to be zero: no interval decides that.
  bool const keeps_zeros =
      !epilogue.reads_y && is_finite(epilogue.full_alpha.real) && is_finite(epilogue.full_alpha.imaginary);
  auto const is_zero_sum = [](Enclosure const& sum) { return sum.high == 0 && sum.low == 0 && sum.bound == 0; };
  bool is_known_zero[2][at_most];
  for (int i = 0; i < count; ++i) {
    auto const k = static_cast<std::size_t>(i);
    bool const of_real = keeps_zeros && is_zero_sum(real.get(k)),
               of_imaginary = keeps_zeros && is_zero_sum(imaginary.get(k));
    is_known_zero[0][i] = of_real && (of_imaginary || !mixed);
    is_known_zero[1][i] = of_imaginary && (of_real || !mixed);
  }
  for (int i = 0; i < count && mixed; ++i) {
    auto const k = static_cast<std::size_t>(i);
    Enclosure const sums[] = {real.get(k), imaginary.get(k)};
    double const old[] = {epilogue.old_part(entry(i), false), epilogue.old_part(entry(i), true)};
    real.set(k, enclosed_part(epilogue, false, sums[0], sums[1], old[0], old[1]));
    imaginary.set(k, enclosed_part(epilogue, true, sums[1], sums[0], old[1], old[0]));
  }
  Factors const factors = mixed ? rounding_alone() : static_cast<Factors const&>(epilogue);
  for (int part = 0; part < 2; ++part) {
    for (int i = 0; i < count && factors.reads_y; ++i)
      parts[part][i] = part == 0 ? Scalar<Complex>::real(entry(i)) : Scalar<Complex>::imaginary(entry(i));
    int undecided[at_most];
    int const others = kernels.try_round(factors, part == 0 ? real : imaginary, 1, count, parts[part], 1, undecided);
    for (int k = 0; k < others; ++k) {
      int const i = undecided[k];
      if (is_known_zero[part][i]) {
        parts[part][i] = R{0};
      } else {
        is_undecided[i] = true;
      }
    }
  }
  for (int i = 0; i < count; ++i) {
    if (is_undecided[i]) {
      exactly(i);
    } else {
      entry(i) = Complex(parts[0][i], parts[1][i]);
    }
  }
}

/// \brief The sums of both parts of products a*x, enclosed: real products are gathered, and added when there are enough.
/// \pre matrix_kernels().has_enclosures, in the default floating-point environment, on hosts.
template <int parts>
class GatheredSums {
 public:
  GatheredSums() {
    for (Enclosure& sum : m_sum) sum = empty_sum();
  }
  /// To go on with what is known.
  explicit GatheredSums(Enclosure const (&start)[parts]) {
    for (int part = 0; part < parts; ++part) m_sum[part] = start[part];
  }
  template <class A, class X>
  void add(A const& a, X const& x) {
    for_each_real_product<A, X>([&](RealProduct product) {
      FactorPair const factors = product.factors(a, x);
      int const part = product.into_imaginary();
      int& count = m_count[part];
      m_a[part][count] = factors.x;
      m_x[part][count] = factors.y;
      if (++count == most) enclose(part);
    });
  }
  Enclosure sum(int part) {
    if (m_count[part] > 0) enclose(part);
    return m_sum[part];
  }

 private:
  static constexpr int most = 256;

  void enclose(int part) {
    int const count = m_count[part];
    for (int i = 0; i < few_products_step; ++i) m_a[part][count + i] = m_x[part][count + i] = 0;
    Enclosure sum;
    if (count > few_products || !kernels().enclose_few(m_a[part], m_x[part], count, sum)) {
      MatrixKernelsOf<double> const& rows = matrix_kernels();
      sum = rows.enclose_carefully({m_a[part], 0, 1}, m_x[part], 0, {0, static_cast<std::size_t>(count)});
    }
    add_enclosure(m_sum[part], sum);
    m_count[part] = 0;
  }

  double m_a[parts][most + few_products_step], m_x[parts][most + few_products_step];
  int m_count[parts] = {};
  Enclosure m_sum[parts];
};

/// \brief alpha * S + beta * y in place of y, if the enclosures of its parts decide both.
template <int parts, class Y>
bool try_round_entry(EntryEpilogue const& epilogue, GatheredSums<parts>& sums, Y& y) {
  MatrixKernelsOf<typename Scalar<Y>::Real> const& kernels = matrix_kernels();
  bool const mixed = parts == 2 && !epilogue.parts_stay_apart();
  return try_parts(
      [&](int part, auto& result) {
        bool const imaginary = part == 1;
        double const old = epilogue.old_part(y, imaginary);
        if (!mixed) return kernels.try_round_row(epilogue, sums.sum(part), old, 1, result);
        auto const total = enclosed_part(epilogue, imaginary, sums.sum(part), sums.sum(parts - 1 - part), old,
                                         epilogue.old_part(y, !imaginary));
        return kernels.try_round_row(rounding_alone(), total, 0, 1, result);
      },
      y);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
