// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_FPENVIRONMENT_HPP
#define EXAKTTEST_FPENVIRONMENT_HPP

#include <cfenv>
#include <span>

namespace ExaktTest {

/// What another library may have left behind in the control word of a thread.
struct FpSettings {
  char const* name;
  int rounding;
  bool flush_subnormals;  // FTZ and DAZ on x86, FZ on ARM
};

/// The default first, then the hostile ones: each other rounding mode, flushing, and flushing with upward rounding.
std::span<const FpSettings> every_fp_environment();

/// Applies settings to the calling thread, and on request to every thread of the default host execution space; the
/// default environment comes back at the end of the scope.
class ScopedFpEnvironment {
 public:
  enum class Threads { this_one, all };

  explicit ScopedFpEnvironment(FpSettings const&, Threads = Threads::this_one);
  ~ScopedFpEnvironment();
  ScopedFpEnvironment(ScopedFpEnvironment const&) = delete;
  ScopedFpEnvironment& operator=(ScopedFpEnvironment const&) = delete;

 private:
  Threads m_threads;
};

/// The control word itself, without the sticky exception flags: equal before and after a call that restores it.
unsigned long fp_control_word();

/// True if the calling thread computes under these settings.
bool fp_settings_are_active(FpSettings const&);

}  // namespace ExaktTest

#endif
