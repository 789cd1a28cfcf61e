// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLASABI_ARGUMENTS_HPP
#define EXAKTBLASABI_ARGUMENTS_HPP

/// \file
/// \brief Arguments of the BLAS as both of its interfaces pass them: Fortran everything by its address and modes as
/// letters, C numbers by value and modes as enumerators. The verbs take these types, entries convert.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace ExaktBlasAbi {

template <class R>
using Complex = Kokkos::complex<R>;
using ComplexFloat = Complex<float>;
using ComplexDouble = Complex<double>;

/// One of the letters, or of the enumerators that follow each other in the same order.
template <int first_enumerator, char... letters>
class Choice {
 public:
  Choice(char const* letter) : m_letter(*letter >= 'a' && *letter <= 'z' ? static_cast<char>(*letter - 32) : *letter) {}
  Choice(int enumerator) : m_letter('?') {
    int number = first_enumerator;
    ((m_letter = number++ == enumerator ? letters : m_letter), ...);
  }
  bool is(char letter) const { return m_letter == letter; }
  bool is_known() const { return (is(letters) || ...); }

 private:
  char m_letter;
};
using Trans = Choice<111, 'N', 'T', 'C'>;
using Uplo = Choice<121, 'U', 'L'>;
using Diag = Choice<131, 'N', 'U'>;
using Side = Choice<141, 'L', 'R'>;

/// An integer of either size: a number of entries, an increment, a leading dimension.
class Integer {
 public:
  Integer(std::int32_t n) : m_value(n) {}
  Integer(std::int64_t n) : m_value(n) {}
  Integer(std::int32_t const* n) : m_value(*n) {}
  Integer(std::int64_t const* n) : m_value(*n) {}
  operator std::ptrdiff_t() const { return m_value; }

 private:
  std::ptrdiff_t m_value;
};

/// Integers of either size that are written.
class Integers {
 public:
  Integers(std::int32_t* data) : m_narrow(data) {}
  Integers(std::int64_t* data) : m_wide(data) {}
  std::ptrdiff_t get(std::size_t i) const { return m_wide != nullptr ? m_wide[i] : m_narrow[i]; }
  void set(std::size_t i, std::ptrdiff_t value) const {
    if (m_wide != nullptr) {
      m_wide[i] = value;
    } else {
      m_narrow[i] = static_cast<std::int32_t>(value);
    }
  }

 private:
  std::int32_t* m_narrow = nullptr;
  std::int64_t* m_wide = nullptr;
};

/// A number: alpha, beta, the cosine of a rotation.
template <class T>
struct Number {
  T value;
  Number(T const& x) : value(x) {}
  Number(T const* x) : value(*x) {}
};

}  // namespace ExaktBlasAbi

#endif
