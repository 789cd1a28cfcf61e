// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Peers.hpp"

#ifdef EXAKT_PERF_HAS_TBB

#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Processors.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/version.h>

#include <functional>

namespace ExaktPerf {
namespace {

double deterministic_sum(Data const& x) {
  namespace tbb = oneapi::tbb;
  static tbb::global_control const threads(tbb::global_control::max_allowed_parallelism,
                                           static_cast<std::size_t>(Space().concurrency()));
  // The tree, and with it the result, depends on this number.
  constexpr std::int64_t grain = 16'384;
  double const* const entries = x.data();
  return tbb::parallel_deterministic_reduce(
      tbb::blocked_range<std::int64_t>(0, static_cast<std::int64_t>(x.extent(0)), grain), 0.0,
      [=](tbb::blocked_range<std::int64_t> const& range, double sum) {
        add_vectorized(range.begin(), range.end(), sum, [=](auto& partial, std::int64_t i) {
          partial += load<std::remove_reference_t<decltype(partial)>>(entries + i);
        });
        return sum;
      },
      std::plus<>());
}

}  // namespace

Peer const& one_tbb() {
  static Peer const peer = [] {
    // It looks once on how many processors the calling thread may run, and starts no threads for more.
    on_all_processors([] { oneapi::tbb::info::default_concurrency(); });
    return Peer{TBB_VERSION_STRING, deterministic_sum};
  }();
  return peer;
}

}  // namespace ExaktPerf

#else

namespace ExaktPerf {

Peer const& one_tbb() {
  static Peer const peer;
  return peer;
}

}  // namespace ExaktPerf

#endif
