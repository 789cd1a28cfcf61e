// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_BLASABILAPACK_HPP
#define EXAKTTEST_BLASABILAPACK_HPP

/// \file
/// \brief LAPACK's functions of libexakt_blas.so by their names, and matrices whose products are known exactly.

#include "ExaktTest_BlasAbi.hpp"
#include "ExaktTest_Catch.hpp"

#include <cmath>

namespace ExaktTest {

/// One of the ways into LAPACK: Fortran's.
inline Interface any_interface(Random& random) {
  Interface interface(random);
  interface.is_of_c = interface.by_rows = false;
  return interface;
}

/// Integers of both sizes that a routine writes.
struct Integers {
  std::vector<std::int32_t> of_32;
  std::vector<std::int64_t> of_64;
  explicit Integers(std::size_t n) : of_32(n + 1, -77), of_64(n + 1, -77) {}
};

template <bool has_64_bits, class... A>
void call_lapack(std::string const& name, A const&... arguments) {
  auto const pass = [](auto const& argument) {
    using Argument = std::decay_t<decltype(argument)>;
    if constexpr (std::is_same_v<Argument, Integers*>) {
      if constexpr (has_64_bits) {
        return argument->of_64.data();
      } else {
        return argument->of_32.data();
      }
    } else {
      return Fortran<has_64_bits>::pass(argument);
    }
  };
  invoke<void>(name, pass(arguments)...);
}
/// \return info.
template <class... A>
std::int64_t call_lapack(Interface const& interface, std::string const& verb, A const&... arguments) {
  Integers info(1);
  std::string const name = interface.name_of(verb);
  if (interface.has_64_bits) {
    call_lapack<true>(name, arguments..., &info);
    CHECK(info.of_64[1] == -77);
    return info.of_64[0];
  }
  call_lapack<false>(name, arguments..., &info);
  CHECK(info.of_32[1] == -77);
  return info.of_32[0];
}
inline std::int64_t get(Interface const& interface, Integers const& integers, std::size_t i) {
  return interface.has_64_bits ? integers.of_64[i] : integers.of_32[i];
}

template <class Z>
Z small_integer(Random& random, int most = 2) {
  using R = typename PartsOf<Z>::Real;
  auto const part = [&] { return static_cast<R>(random.between(-most, most)); };
  if constexpr (PartsOf<Z>::is_complex) {
    R const real = part();
    return Z(real, part());
  } else {
    return part();
  }
}

template <class Z>
double size_of(Z const& x) {
  Number const number(x);
  return std::abs(number.real) + std::abs(number.imaginary);
}

/// A table of what is known exactly: all numbers are integers that float holds.
template <class Z>
Table<Z> product(Table<Z> const& a, Table<Z> const& b) {
  Table<Z> result(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < b.columns; ++j)
      for (std::size_t k = 0; k < a.columns; ++k) result(i, j) = result(i, j) + a(i, k) * b(k, j);
  return result;
}
template <class Z>
Table<Z> adjoint(Table<Z> const& a) {
  auto result = a.transposed();
  if constexpr (PartsOf<Z>::is_complex) {
    for (Z& entry : result.entries) entry = Z(entry.real(), 0 - entry.imag());
  }
  return result;
}

/// LAPACK's name for the same by blocks, or without them.
inline std::string either(Random& random, char const* blocked, char const* unblocked) {
  return random.coin() ? blocked : unblocked;
}

/// As numbers: a zero that was divided by a negative pivot has its sign.
template <class Z>
void check_equal(Z const& actual, Z const& expected) {
  EXAKT_CHECK(Number(actual).real == Number(expected).real);
  EXAKT_CHECK(Number(actual).imaginary == Number(expected).imaginary);
}

}  // namespace ExaktTest

#endif
