// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPYTHON_ENVIRONMENT_HPP
#define EXAKTPYTHON_ENVIRONMENT_HPP

#include <numerics/Exakt_Environment.hpp>

#include <cfenv>

namespace ExaktPython {

/// The floating-point environment of the calling thread, for conversions by Python and NumPy: of SSE and of x87, which
/// converts long doubles, as the C library has them, and what that leaves as it is (on AArch64 the bits AH and FIZ).
class Environment {
 public:
  static bool is_default() { return Exakt::Impl::fp_environment_is_default() && std::fegetround() == FE_TONEAREST; }

  /// Makes it the default one; false, and nothing is done, where that cannot be.
  bool hold() {
    m_state = Exakt::Impl::read_fp_state();
    if (std::fegetenv(&m_found) != 0 || std::fesetenv(FE_DFL_ENV) != 0) return false;
    Exakt::Impl::write_default_fp_settings(m_state);
    return true;
  }
  /// As hold() has found it, exception flags included.
  void restore() const {
    std::fesetenv(&m_found);
    Exakt::Impl::write_fp_state(m_state);
  }

 private:
  std::fenv_t m_found;
  Exakt::Impl::FpState m_state;
};

}  // namespace ExaktPython

#endif
