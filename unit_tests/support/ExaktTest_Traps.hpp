// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_TRAPS_HPP
#define EXAKTTEST_TRAPS_HPP

#include <cfenv>

namespace ExaktTest {

/// Invalid operations, divisions by zero and overflows of the calling thread, or the exceptions that are named, end the
/// program (SIGFPE), as some debug builds ask for; where the C library has no such function, nothing changes.
class ScopedTraps {
 public:
  explicit ScopedTraps([[maybe_unused]] int exceptions = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW) {
#if defined(__GLIBC__)
    std::feclearexcept(FE_ALL_EXCEPT);
    m_before = feenableexcept(exceptions);
#endif
  }
  ~ScopedTraps() {
#if defined(__GLIBC__)
    fedisableexcept(FE_ALL_EXCEPT);
    feenableexcept(m_before);
#endif
  }
  ScopedTraps(ScopedTraps const&) = delete;
  ScopedTraps& operator=(ScopedTraps const&) = delete;

 private:
  int m_before = 0;
};

}  // namespace ExaktTest

#endif
