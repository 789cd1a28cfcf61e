// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_DELAYEDDEVICE_HPP
#define EXAKTTEST_DELAYEDDEVICE_HPP

/// \file
/// \brief A device made of the host, whose kernels and copies run as late as they may: when somebody waits for them.
///
/// With a GPU, what reads a result without waiting for it is right most of the time. Here it is wrong, as is what takes a kernel's
/// operands away too early, or relies on the order of two streams. It has streams and memory of its own, which only kernels and
/// deep_copy reach; new memory is full of ones, and freed memory becomes so. As with CUDA, all kernels have run before memory of the
/// device is freed; memory of the host, which stands for pinned memory as well, is freed at once.
///
/// FIXME(kokkos>=3.5): written against the inner workings of Kokkos 3.4, which newer versions have changed.

#include <pthread.h>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#if !defined(KOKKOS_ENABLE_SERIAL)
#error "its kernels are those of Kokkos::Serial"
#endif

namespace ExaktTest {

/// What has been enqueued, by stream. One thread at a time.
class DelayedStream {
 public:
  static std::shared_ptr<DelayedStream> make() {
    std::lock_guard<std::recursive_mutex> const lock(mutex());
    auto stream = std::make_shared<DelayedStream>();
    streams().push_back(stream);
    return stream;
  }

  void enqueue(std::function<void()> work) {
    std::lock_guard<std::recursive_mutex> const lock(mutex());
    m_work.push_back(std::move(work));
  }
  void wait() {
    std::lock_guard<std::recursive_mutex> const lock(mutex());
    while (run_first()) {
    }
  }
  /// One from each stream in turn, the newest stream first.
  static void wait_for_all() {
    std::lock_guard<std::recursive_mutex> const lock(mutex());
    for (bool ran = true; ran;) {
      ran = false;
      for (std::size_t i = streams().size(); i-- > 0;) {
        auto const stream = streams()[i].lock();
        ran = (stream != nullptr && stream->run_first()) || ran;
      }
    }
  }
  /// Whether this thread runs a kernel.
  static bool& is_running() {
    static thread_local bool here = false;
    return here;
  }

 private:
  bool run_first() {
    if (m_work.empty()) return false;
    auto const work = std::move(m_work.front());
    m_work.pop_front();
    is_running() = true;
    work();
    is_running() = false;
    return true;
  }
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex one;
    return one;
  }
  static std::vector<std::weak_ptr<DelayedStream>>& streams() {
    static std::vector<std::weak_ptr<DelayedStream>> all;
    return all;
  }
  std::deque<std::function<void()>> m_work;
};

/// Whether an address is of the stack of this thread: Kokkos fills a View of rank 0 from there, for devices take a copy of such
/// small memory at once.
inline bool is_on_stack(void const* address) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) std::abort();
  void* lowest = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  return address >= lowest && address < static_cast<char*>(lowest) + bytes;
}

class DelayedDevice;

/// What Kokkos' LogicalMemorySpace asks of the space that it renames.
struct DelayedMemoryBase {
  using size_type = std::size_t;
  using execution_space = DelayedDevice;

  void* impl_allocate(char const*, std::size_t bytes, std::size_t, Kokkos::Tools::SpaceHandle) const {
    void* const memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory != nullptr) std::memset(memory, 0xff, bytes);
    return memory;
  }
  void impl_deallocate(char const*, void* memory, std::size_t bytes, std::size_t, Kokkos::Tools::SpaceHandle) const {
    DelayedStream::wait_for_all();
    if (memory != nullptr) std::memset(memory, 0xff, bytes);
    std::free(memory);
  }
};

struct DelayedMemoryName {
  static constexpr char const* get_name() { return "ExaktTest::DelayedMemory"; }
};

using DelayedMemory =
    Kokkos::Experimental::LogicalMemorySpace<DelayedMemoryBase, DelayedDevice, DelayedMemoryName,
                                             Kokkos::Experimental::LogicalSpaceSharesAccess::no_shared_access>;

/// An execution space. Its kernels are those of Kokkos::Serial, which have teams of one thread.
class DelayedDevice {
 public:
  using execution_space = DelayedDevice;
  using memory_space = DelayedMemory;
  using device_type = Kokkos::Device<DelayedDevice, DelayedMemory>;
  using size_type = std::size_t;
  using array_layout = Kokkos::LayoutLeft;
  using scratch_memory_space = Kokkos::Serial::scratch_memory_space;

  /// The default instance.
  DelayedDevice() : m_stream(default_stream()) {}
  /// One with a stream of its own.
  static DelayedDevice new_instance() { return DelayedDevice(DelayedStream::make()); }

  void fence() const { m_stream->wait(); }
  /// The work keeps the stream until it has run.
  void enqueue(std::function<void()> work) const {
    m_stream->enqueue([stream = m_stream, work = std::move(work)] { work(); });
  }
  /// By which Exakt tells streams apart.
  void const* hip_stream() const { return m_stream.get(); }

  static char const* name() { return "DelayedDevice"; }
  static int concurrency() { return 8; }
  static int in_parallel() { return DelayedStream::is_running() ? 1 : 0; }
  static bool impl_is_initialized() { return true; }
  static void impl_static_fence() { DelayedStream::wait_for_all(); }
  uint32_t impl_instance_id() const noexcept { return 0; }
  static void print_configuration(std::ostream&, bool = false) {}

 private:
  explicit DelayedDevice(std::shared_ptr<DelayedStream> stream) : m_stream(std::move(stream)) {}
  static std::shared_ptr<DelayedStream> default_stream() {
    static std::shared_ptr<DelayedStream> const one = DelayedStream::make();
    return one;
  }
  std::shared_ptr<DelayedStream> m_stream;
};

/// Registered in time for Kokkos::initialize, so that Kokkos::fence() waits for it as well.
class DelayedDeviceInitializer final : public Kokkos::Impl::ExecSpaceInitializerBase {
 public:
  void initialize(Kokkos::InitArguments const&) override {}
  void finalize(bool) override { DelayedStream::wait_for_all(); }
  void fence() override { DelayedStream::wait_for_all(); }
  void print_configuration(std::ostream&, bool) override {}
};
inline int const delayed_device_is_known =
    Kokkos::Impl::initialize_space_factory<DelayedDeviceInitializer>("900_Delayed");

}  // namespace ExaktTest

namespace Kokkos {
namespace Tools::Experimental {
template <>
struct DeviceTypeTraits<ExaktTest::DelayedDevice> {
  static constexpr DeviceType id = DeviceType::Unknown;
};
}  // namespace Tools::Experimental

namespace Impl {

// Kernels reach the host's memory, which stands for pinned memory as well; the host does not reach that of the device.
template <>
struct MemorySpaceAccess<ExaktTest::DelayedMemory, HostSpace> {
  enum { assignable = false, accessible = true, deepcopy = true };
};
template <>
struct MemorySpaceAccess<HostSpace, ExaktTest::DelayedMemory> {
  enum { assignable = false, accessible = false, deepcopy = true };
};
template <>
struct MemorySpaceAccess<ExaktTest::DelayedMemory, ScratchMemorySpace<Serial>> {
  enum { assignable = false, accessible = true, deepcopy = false };
};
template <>
struct verify_space<HostSpace, ExaktTest::DelayedMemory, false> {
  static void check() {
    if (!ExaktTest::DelayedStream::is_running()) Kokkos::abort("the host reads or writes memory of the device");
  }
};

/// Copies are enqueued like kernels; without an instance, they wait for everything and are waited for.
template <class ExecutionSpace>
struct DelayedCopy {
  DelayedCopy(void* to, void const* from, std::size_t bytes) {
    ExaktTest::DelayedStream::wait_for_all();
    std::memcpy(to, from, bytes);
  }
  DelayedCopy(ExecutionSpace const& space, void* to, void const* from, std::size_t bytes) {
    if constexpr (std::is_same_v<ExecutionSpace, ExaktTest::DelayedDevice>) {
      if (ExaktTest::is_on_stack(from)) {
        auto const* const first = static_cast<unsigned char const*>(from);
        std::vector<unsigned char> const staged(first, first + bytes);
        space.enqueue([=] { std::memcpy(to, staged.data(), bytes); });
      } else {
        space.enqueue([=] { std::memcpy(to, from, bytes); });
      }
    } else {
      space.fence();
      std::memcpy(to, from, bytes);
    }
  }
};
template <class ExecutionSpace>
struct DeepCopy<ExaktTest::DelayedMemory, HostSpace, ExecutionSpace> : DelayedCopy<ExecutionSpace> {
  using DelayedCopy<ExecutionSpace>::DelayedCopy;
};
template <class ExecutionSpace>
struct DeepCopy<HostSpace, ExaktTest::DelayedMemory, ExecutionSpace> : DelayedCopy<ExecutionSpace> {
  using DelayedCopy<ExecutionSpace>::DelayedCopy;
};
template <class ExecutionSpace>
struct DeepCopy<ExaktTest::DelayedMemory, ExaktTest::DelayedMemory, ExecutionSpace> : DelayedCopy<ExecutionSpace> {
  using DelayedCopy<ExecutionSpace>::DelayedCopy;
};
template <>
struct DeepCopy<HostSpace, HostSpace, ExaktTest::DelayedDevice> : DelayedCopy<ExaktTest::DelayedDevice> {
  using DelayedCopy<ExaktTest::DelayedDevice>::DelayedCopy;
};

/// A kernel of Serial that waits for its turn. It holds what it was given as kernels of devices do, without counting references.
template <class Kernel, class Policy>
class DelayedKernel {
 public:
  template <class Functor, class... Results>
  DelayedKernel(Functor const& functor, Policy const& policy, Results&&... results)
      : m_space(policy.space()),
        m_kernel(std::make_shared<Kernel>(functor, policy, std::forward<Results>(results)...)) {}
  void execute() const {
    m_space.enqueue([kernel = m_kernel] { kernel->execute(); });
  }

 private:
  ExaktTest::DelayedDevice m_space;
  std::shared_ptr<Kernel> m_kernel;
};

template <class Functor, class... P>
class ParallelFor<Functor, RangePolicy<P...>, ExaktTest::DelayedDevice>
    : public DelayedKernel<ParallelFor<Functor, RangePolicy<P...>, Serial>, RangePolicy<P...>> {
  using DelayedKernel<ParallelFor<Functor, RangePolicy<P...>, Serial>, RangePolicy<P...>>::DelayedKernel;
};
template <class Functor, class... P>
class ParallelFor<Functor, MDRangePolicy<P...>, ExaktTest::DelayedDevice>
    : public DelayedKernel<ParallelFor<Functor, MDRangePolicy<P...>, Serial>, MDRangePolicy<P...>> {
  using DelayedKernel<ParallelFor<Functor, MDRangePolicy<P...>, Serial>, MDRangePolicy<P...>>::DelayedKernel;
};
template <class Functor, class... P>
class ParallelFor<Functor, TeamPolicy<P...>, ExaktTest::DelayedDevice>
    : public DelayedKernel<ParallelFor<Functor, TeamPolicy<P...>, Serial>,
                           TeamPolicyInternal<ExaktTest::DelayedDevice, P...>> {
  using DelayedKernel<ParallelFor<Functor, TeamPolicy<P...>, Serial>,
                      TeamPolicyInternal<ExaktTest::DelayedDevice, P...>>::DelayedKernel;
};
template <class Functor, class Reducer, class... P>
class ParallelReduce<Functor, RangePolicy<P...>, Reducer, ExaktTest::DelayedDevice>
    : public DelayedKernel<ParallelReduce<Functor, RangePolicy<P...>, Reducer, Serial>, RangePolicy<P...>> {
  using DelayedKernel<ParallelReduce<Functor, RangePolicy<P...>, Reducer, Serial>, RangePolicy<P...>>::DelayedKernel;
};
template <class Functor, class Reducer, class... P>
class ParallelReduce<Functor, TeamPolicy<P...>, Reducer, ExaktTest::DelayedDevice>
    : public DelayedKernel<ParallelReduce<Functor, TeamPolicy<P...>, Reducer, Serial>,
                           TeamPolicyInternal<ExaktTest::DelayedDevice, P...>> {
  using DelayedKernel<ParallelReduce<Functor, TeamPolicy<P...>, Reducer, Serial>,
                      TeamPolicyInternal<ExaktTest::DelayedDevice, P...>>::DelayedKernel;
};
template <class Functor, class... P>
class ParallelScan<Functor, RangePolicy<P...>, ExaktTest::DelayedDevice>
    : public DelayedKernel<ParallelScan<Functor, RangePolicy<P...>, Serial>, RangePolicy<P...>> {
  using DelayedKernel<ParallelScan<Functor, RangePolicy<P...>, Serial>, RangePolicy<P...>>::DelayedKernel;
};
template <class Functor, class Result, class... P>
class ParallelScanWithTotal<Functor, RangePolicy<P...>, Result, ExaktTest::DelayedDevice>
    : public DelayedKernel<ParallelScanWithTotal<Functor, RangePolicy<P...>, Result, Serial>, RangePolicy<P...>> {
  using DelayedKernel<ParallelScanWithTotal<Functor, RangePolicy<P...>, Result, Serial>,
                      RangePolicy<P...>>::DelayedKernel;
};

/// That of Serial, which knows its instance.
template <class... P>
class TeamPolicyInternal<ExaktTest::DelayedDevice, P...> : public TeamPolicyInternal<Serial, P...> {
  using Base = TeamPolicyInternal<Serial, P...>;

 public:
  using execution_space = ExaktTest::DelayedDevice;

  template <class TeamSize, class... VectorLength>
  TeamPolicyInternal(ExaktTest::DelayedDevice const& space, int league_size, TeamSize team_size, VectorLength... length)
      : Base(Serial(), league_size, team_size, length...), m_instance(space) {}
  template <class TeamSize, class... VectorLength>
  TeamPolicyInternal(int league_size, TeamSize team_size, VectorLength... length)
      : Base(Serial(), league_size, team_size, length...) {}
  template <class... Other>
  TeamPolicyInternal(TeamPolicyInternal<ExaktTest::DelayedDevice, Other...> const& other)
      : Base(other), m_instance(other.space()) {}

  ExaktTest::DelayedDevice const& space() const { return m_instance; }

  TeamPolicyInternal& set_chunk_size(int size) {
    Base::set_chunk_size(size);
    return *this;
  }
  template <class... Sizes>
  TeamPolicyInternal& set_scratch_size(int level, Sizes const&... sizes) {
    Base::set_scratch_size(level, sizes...);
    return *this;
  }

 private:
  ExaktTest::DelayedDevice m_instance;
};

}  // namespace Impl
}  // namespace Kokkos

#endif
