// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_FPENVIRONMENT_HPP
#define EXAKTTEST_FPENVIRONMENT_HPP

#include <cfenv>
#include <span>
#include <string>

namespace ExaktTest {

/// What another library may have left behind in the control word of a thread.
struct FpSettings {
  char const* name;
  int rounding = FE_TONEAREST;
  bool flush_results = false;   // FTZ on x86, FZ on ARM
  bool flush_operands = false;  // DAZ on x86, FZ on ARM
  bool trap = false;            // invalid, overflow and division by zero end the program (x86; ARM cannot)

  bool is_default() const { return rounding == FE_TONEAREST && !flush_results && !flush_operands && !trap; }
};

/// The default first, then the hostile ones: each other rounding mode, results and operands flushed to zero, each and
/// both, both with upward rounding, and trapped exceptions; as far as the processor has them.
std::span<const FpSettings> every_fp_environment_of_hosts();

/// The same; where the code of devices is emulated the default alone, for devices have no other.
static inline std::span<const FpSettings> every_fp_environment() {
#ifdef EXAKT_EMULATE_DEVICE
  return every_fp_environment_of_hosts().first(1);
#else
  return every_fp_environment_of_hosts();
#endif
}

/// Applies settings to the calling thread or to others of the default host execution space; the default environment
/// comes back at the end of the scope.
class ScopedFpEnvironment {
 public:
  enum class Threads { this_one, others, one_worker, all };
  static constexpr Threads every_choice[] = {Threads::this_one, Threads::others, Threads::one_worker, Threads::all};

  explicit ScopedFpEnvironment(FpSettings const&, Threads = Threads::this_one);
  ~ScopedFpEnvironment();
  ScopedFpEnvironment(ScopedFpEnvironment const&) = delete;
  ScopedFpEnvironment& operator=(ScopedFpEnvironment const&) = delete;

 private:
  Threads m_threads;
};

/// "upward, other threads": which threads compute under which settings.
std::string describe(FpSettings const&, ScopedFpEnvironment::Threads);

/// The control word itself, without the sticky exception flags: equal before and after a call that restores it.
unsigned long fp_control_word();

/// True if the calling thread computes under these settings.
bool fp_settings_are_active(FpSettings const&);

}  // namespace ExaktTest

#endif
