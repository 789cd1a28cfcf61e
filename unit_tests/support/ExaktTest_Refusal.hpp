// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_REFUSAL_HPP
#define EXAKTTEST_REFUSAL_HPP

#include <stdexcept>
#include <string>

namespace ExaktTest {

/// What f says when it refuses its arguments; "error: " and what it says when something else went wrong.
template <class F>
std::string refusal_of(F const& f) {
  try {
    f();
  } catch (std::invalid_argument const& refusal) {
    return refusal.what();
  } catch (std::runtime_error const& error) {
    return std::string("error: ") + error.what();
  }
  return "no refusal";
}

}  // namespace ExaktTest

#endif
