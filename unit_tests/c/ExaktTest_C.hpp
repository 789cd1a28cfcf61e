// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_C_HPP
#define EXAKTTEST_C_HPP

/// \file
/// \brief What the tests of the C interface share: vectors in memory of any increment, and refusals.

#include <exakt.h>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace ExaktTest {

inline constexpr std::ptrdiff_t every_increment[] = {1, 3, -1, -2};

/// NaN, of a complex number both parts.
template <class T>
T poison() {
  if constexpr (requires { typename T::value_type; }) {
    return T(poison<typename T::value_type>(), poison<typename T::value_type>());
  } else {
    return std::numeric_limits<T>::quiet_NaN();
  }
}

/// A vector as the BLAS stores it: NaN between its entries.
template <class T>
class Incremented {
 public:
  Incremented(std::vector<T> const& x, std::ptrdiff_t increment)
      : m_increment(increment),
        m_size(x.size()),
        m_memory(x.size() * static_cast<std::size_t>(increment < 0 ? -increment : increment) + 1, poison<T>()) {
    for (std::size_t i = 0; i < x.size(); ++i) (*this)[i] = x[i];
  }
  T& operator[](std::size_t i) {
    auto const k = static_cast<std::ptrdiff_t>(i), last = static_cast<std::ptrdiff_t>(m_size) - 1;
    return m_memory[static_cast<std::size_t>(m_increment < 0 ? (k - last) * m_increment : k * m_increment)];
  }
  T* data() { return m_memory.data(); }
  std::ptrdiff_t increment() const { return m_increment; }

 private:
  std::ptrdiff_t m_increment;
  std::size_t m_size;
  std::vector<T> m_memory;
};

template <class T>
std::ptrdiff_t length(std::vector<T> const& x) {
  return static_cast<std::ptrdiff_t>(x.size());
}

struct Destroy {
  void operator()(exakt_accumulator* a) const { exakt_accumulator_destroy(a); }
  void operator()(exakt_scatter* s) const { exakt_scatter_destroy(s); }
};
using Handle = std::unique_ptr<exakt_accumulator, Destroy>;
using Bins = std::unique_ptr<exakt_scatter, Destroy>;

inline Handle make(exakt_accumulator_kind kind) {
  exakt_accumulator* created = nullptr;
  REQUIRE(exakt_accumulator_create(kind, &created) == EXAKT_SUCCESS);
  return Handle(created);
}

inline Bins make_bins(std::ptrdiff_t n) {
  exakt_scatter* created = nullptr;
  REQUIRE(exakt_scatter_create(n, &created) == EXAKT_SUCCESS);
  return Bins(created);
}

/// The call is refused, in these words.
inline void check_refused(exakt_status status, std::string const& message) {
  CHECK(status == EXAKT_INVALID_ARGUMENT);
  CHECK(std::string(exakt_message()) == message);
}

}  // namespace ExaktTest

#endif
