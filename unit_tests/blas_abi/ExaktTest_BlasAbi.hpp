// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_BLASABI_HPP
#define EXAKTTEST_BLASABI_HPP

/// \file
/// \brief Calls of libexakt_blas through each of its interfaces, and operands as these take them.

#include "../blas/ExaktTest_StructuredMatrices.hpp"

#include <dlfcn.h>

#include <cfenv>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace ExaktTest {

/// One of the ways into the library.
struct Interface {
  bool is_of_c, has_64_bits, has_prefix, by_rows;

  explicit Interface(Random& random)
      : is_of_c(random.coin()),
        has_64_bits(random.coin()),
        has_prefix(random.between(0, 3) == 0),
        by_rows(is_of_c && random.coin()) {}

  std::string name_of(std::string const& verb) const {
    return std::string(has_prefix ? "scipy_" : "") + (is_of_c ? "cblas_" : "") + verb +
           (is_of_c ? (has_64_bits ? "64_" : "") : (has_64_bits ? "_64_" : "_"));
  }
};

inline void* library() {
  static void* const handle = dlopen(EXAKT_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  return handle;
}
inline void* symbol(std::string const& name) {
  void* const result = dlsym(library(), name.c_str());
  if (result == nullptr) throw std::runtime_error("libexakt_blas has no " + name);
  return result;
}

// ---- arguments

struct Mode {
  char letter;
  int enumerator;
};
inline Mode trans(char letter) { return {letter, letter == 'N' ? 111 : letter == 'T' ? 112 : 113}; }
inline Mode uplo(bool is_lower) { return is_lower ? Mode{'l', 122} : Mode{'U', 121}; }
inline Mode diag(bool has_ones) { return has_ones ? Mode{'U', 132} : Mode{'n', 131}; }
inline Mode side(bool on_left) { return on_left ? Mode{'L', 141} : Mode{'r', 142}; }

struct Size {
  std::int32_t of_32;
  std::int64_t of_64;
  template <class N>
  Size(N n) : of_32(static_cast<std::int32_t>(n)), of_64(static_cast<std::int64_t>(n)) {}
};

template <class T>
struct Scalar {
  T value;
};
template <class T>
Scalar(T) -> Scalar<T>;

template <bool has_64_bits>
auto const& integer(Size const& n) {
  if constexpr (has_64_bits) {
    return n.of_64;
  } else {
    return n.of_32;
  }
}

template <bool has_64_bits>
struct Fortran {
  static char const* pass(Mode const& mode) { return &mode.letter; }
  static auto pass(Size const& n) { return &integer<has_64_bits>(n); }
  template <class T>
  static T const* pass(Scalar<T> const& x) {
    return &x.value;
  }
  template <class T>
  static T* pass(T* data) {
    return data;
  }
};
template <bool has_64_bits>
struct OfC {
  static int pass(Mode const& mode) { return mode.enumerator; }
  static auto pass(Size const& n) { return integer<has_64_bits>(n); }
  template <class T>
  static auto pass(Scalar<T> const& x) {
    if constexpr (PartsOf<T>::is_complex) {
      return &x.value;
    } else {
      return x.value;
    }
  }
  template <class T>
  static T* pass(T* data) {
    return data;
  }
};

/// Exception flags stay as they are, but for that of inexact results, and of underflow in short sums. On any thread: where Catch cannot be told.
class SameFlags {
 public:
  explicit SameFlags(std::string const& name) : m_name(name) { std::feclearexcept(FE_ALL_EXCEPT); }
  ~SameFlags() {
    bool const is_sum = m_name.find("dot") != std::string::npos || m_name.find("asum") != std::string::npos ||
                        m_name.find("nrm2") != std::string::npos;
    int const raised = std::fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT & ~(is_sum ? FE_UNDERFLOW : 0));
    if (raised == 0) return;
    std::fprintf(stderr, "%s has raised exception flags: 0x%x\n", m_name.c_str(), static_cast<unsigned>(raised));
    std::abort();
  }

 private:
  std::string const& m_name;
};

template <class R, class... A>
R invoke(std::string const& name, A... arguments) {
  auto* const function = reinterpret_cast<R (*)(A...)>(symbol(name));
  SameFlags const same(name);
  return function(arguments...);
}

/// A routine of vectors.
template <class R = void, class... A>
R call_vectors(Interface const& interface, std::string const& verb, A const&... arguments) {
  std::string const name = interface.name_of(verb);
  if (interface.is_of_c)
    return interface.has_64_bits ? invoke<R>(name, OfC<true>::pass(arguments)...)
                                 : invoke<R>(name, OfC<false>::pass(arguments)...);
  return interface.has_64_bits ? invoke<R>(name, Fortran<true>::pass(arguments)...)
                               : invoke<R>(name, Fortran<false>::pass(arguments)...);
}

/// A routine of matrices: C has a layout.
template <class... A>
void call(Interface const& interface, std::string const& verb, A const&... arguments) {
  if (!interface.is_of_c) return call_vectors(interface, verb, arguments...);
  std::string const name = interface.name_of(verb);
  int const layout = interface.by_rows ? 101 : 102;
  interface.has_64_bits ? invoke<void>(name, layout, OfC<true>::pass(arguments)...)
                        : invoke<void>(name, layout, OfC<false>::pass(arguments)...);
}

// ---- operands

template <class Z>
constexpr char letter_of() {
  using R = typename PartsOf<Z>::Real;
  return PartsOf<Z>::is_complex ? (sizeof(R) == 4 ? 'c' : 'z') : (sizeof(R) == 4 ? 's' : 'd');
}
template <class Z>
std::string name(std::string const& verb) {
  return letter_of<Z>() + verb;
}

/// A matrix or vector in memory that is NaN where no entry is, and stays what it is there.
template <class Z>
class Operand {
 public:
  /// A matrix, with a leading dimension that fits or is greater.
  Operand(Table<Z> const& table, bool by_rows, Random& random) {
    std::size_t const length = by_rows ? table.columns : table.rows, lines = by_rows ? table.rows : table.columns;
    auto const distance =
        static_cast<std::ptrdiff_t>(std::max<std::size_t>(length, 1) + random.between<std::size_t>(0, 3));
    m_step = distance;
    m_first = random.between<std::ptrdiff_t>(0, 3);
    m_row_stride = by_rows ? distance : 1;
    m_column_stride = by_rows ? 1 : distance;
    fill(table, static_cast<std::size_t>(distance) * lines);
  }
  /// A vector, the only column of the table.
  Operand(Table<Z> const& table, Random& random) {
    m_step = random.one_of<std::ptrdiff_t>(1, 1, 2, -1, -3);
    std::ptrdiff_t const last = table.rows == 0 ? 0 : static_cast<std::ptrdiff_t>(table.rows) - 1;
    m_start = random.between<std::ptrdiff_t>(0, 3);
    m_first = m_start + (m_step < 0 ? -m_step * last : 0);
    m_row_stride = m_step;
    fill(table, static_cast<std::size_t>(std::abs(m_step) * (last + 1)));
    m_is_vector = true;
  }

  Z* data() { return m_memory.data() + (m_is_vector ? m_start : m_first); }
  /// The leading dimension, or the increment.
  Size step() const { return m_step; }
  Z const& operator()(std::size_t i, std::size_t j) const { return m_memory[at(i, j)]; }

  void check_rest() const {
    // Bits are meant. NOLINTBEGIN(bugprone-suspicious-memory-comparison)
    for (std::size_t k = 0; k < m_memory.size(); ++k)
      if (!m_is_entry[k]) EXAKT_CHECK(std::memcmp(&m_memory[k], &m_before[k], sizeof(Z)) == 0);
    // NOLINTEND(bugprone-suspicious-memory-comparison)
  }

 private:
  std::size_t at(std::size_t i, std::size_t j) const {
    return static_cast<std::size_t>(m_first + static_cast<std::ptrdiff_t>(i) * m_row_stride +
                                    static_cast<std::ptrdiff_t>(j) * m_column_stride);
  }
  void fill(Table<Z> const& table, std::size_t size) {
    m_memory.assign(size + 5, nan_of<Z>());
    m_is_entry.assign(size + 5, false);
    for (std::size_t i = 0; i < table.rows; ++i)
      for (std::size_t j = 0; j < table.columns; ++j) {
        m_memory[at(i, j)] = table(i, j);
        m_is_entry[at(i, j)] = true;
      }
    m_before = m_memory;
  }

  std::vector<Z> m_memory, m_before;
  std::vector<bool> m_is_entry;
  std::ptrdiff_t m_step = 1, m_start = 0, m_first = 0, m_row_stride = 1, m_column_stride = 0;
  bool m_is_vector = false;
};

/// An entry of op(A).
template <class Z>
Number entry_of(Table<Z> const& a, char trans, std::size_t i, std::size_t j) {
  return trans == 'N' ? Number(a(i, j)) : Number(a(j, i)).conjugated(trans == 'C');
}

/// alpha or beta: often a simple one.
template <class Z>
Z any_factor(Random& random, Hardness hardness) {
  using T = typename PartsOf<Z>::Real;
  T const simple[] = {0, 1, -1, T(0.7)};
  auto const choice = random.between<std::size_t>(0, 5);
  if (choice < 4) return Z(simple[choice]);
  return hardness == Hardness::none ? any_number<Z>(random, hardness) : Z(T(-1.3));
}

/// f(Z()) for the types of entries.
template <class F>
void for_real_numbers(F const& f) {
  f(float());
  f(double());
}
template <class F>
void for_complex_numbers(F const& f) {
  f(Kokkos::complex<float>());
  f(Kokkos::complex<double>());
}
template <class F>
void for_all_numbers(F const& f) {
  for_real_numbers(f);
  for_complex_numbers(f);
}

}  // namespace ExaktTest

#endif
