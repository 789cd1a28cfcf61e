// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_WORKERS_HPP
#define EXAKTTOOL_WORKERS_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace Exakt::Tool {

/// \brief Lets threads take work in turn and do it at the same time.
///
/// \param claim    Called by one thread at a time: fills a Slot with the next work; false if there is none left.
/// \param perform  Called by many threads at a time: does the work of a Slot into a Partial result.
/// \return One Partial per thread. Which work went where is up to chance: they must be exact to be of use.
/// \throws  Whatever claim or perform threw first, in the order of the work: the same error on any number of threads.
template <class Slot, class Partial, class Claim, class Perform>
std::vector<Partial> run_workers(unsigned threads, Claim claim, Perform perform) {
  std::vector<Partial> partials(threads);
  std::mutex mutex;
  std::uint64_t claimed = 0;
  std::uint64_t first_failure = std::numeric_limits<std::uint64_t>::max();
  std::exception_ptr failure;

  auto const work = [&](Partial& result) {
    std::uint64_t index = 0;
    try {
      Slot slot;
      Partial partial{};  // apart from the other threads' cache lines until the end
      while (true) {
        {
          std::lock_guard const lock(mutex);
          index = claimed++;
          if (failure || !claim(slot)) break;
        }
        perform(slot, partial);
      }
      result = partial;
    } catch (...) {
      std::lock_guard const lock(mutex);
      if (index < first_failure) {
        first_failure = index;
        failure = std::current_exception();
      }
    }
  };

  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work, std::ref(partials[i]));
  } catch (std::exception const&) {
    // There is no room for more threads, or the system gives no more: those that there are do all the work.
  }
  work(partials[0]);
  for (auto& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
  return partials;
}

}  // namespace Exakt::Tool

#endif
