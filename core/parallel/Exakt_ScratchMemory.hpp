// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_SCRATCHMEMORY_HPP
#define EXAKT_SCRATCHMEMORY_HPP

/// \file
/// \brief Memory that is kept from one call to the next. Where that of a device is allocated and freed, it and its host wait
/// for each other; a system gives a process new pages with zeros, which may take as long as what they are for.

#include "Exakt_Loop.hpp"

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif
// With glibc before 2.34 pthread_atfork() is in a library of its own, which Kokkos may not need; what is built without Kokkos
// links it.
#if defined(__unix__) && (KOKKOS_VERSION == 0 || !defined(__GLIBC__) || 100 * __GLIBC__ + __GLIBC_MINOR__ >= 234)
#define EXAKT_KNOWS_FORKS
#include <pthread.h>
#endif

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief What is called before Kokkos ends. Its own list of that is not for several threads: it gets one entry, for a list that is.
///
/// No lock: the child of a fork may not have the thread that holds it. Nor may it have the entry, if that thread was about to make it;
/// then memory lives as long as the child.
inline void free_in_time(void (*free)()) {
  struct Entry {
    void (*free)();
    Entry* next;
  };
  static std::atomic<Entry*> newest{nullptr};
  static std::atomic<bool> is_known{false};
  auto* const mine = new Entry{free, newest.load()};
  while (!newest.compare_exchange_weak(mine->next, mine)) {
  }
  if (is_known.exchange(true)) return;
  try {
    Kokkos::push_finalize_hook([] {
      for (Entry const* entry = newest.load(); entry != nullptr; entry = entry->next) entry->free();
    });
  } catch (...) {
    is_known = false;  // the next call tries again
    throw;
  }
}

/// \brief One object of each type, with Views in it, that lives from call to call; let go of before Kokkos ends.
template <class T>
class Kept {
 public:
  /// What f(the object) returns: one thread at a time.
  template <class F>
  static auto with(F const& f) {
    Locked& kept = locked();
    std::lock_guard<std::mutex> const lock(kept.mutex);
    return f(kept.object);
  }

  /// The object, nobody else's from here to give_back(); empty, if another call has it.
  static T take() {
    return with([](T& one) { return std::exchange(one, T()); });
  }
  static void give_back(T const& something) {
    with([&](T& one) { one = something; });
  }

 private:
  struct Locked {
    T object;
    std::mutex mutex;
  };
  /// Never destroyed, for destructors of other objects may still call. The child of a fork has its own: the lock may be held by a
  /// thread that it does not have, and so may be the guard of a static variable: this one begins as a constant and has none.
  static std::atomic<Locked*>& current() {
    static std::atomic<Locked*> one{nullptr};
    return one;
  }
  static Locked& locked() {
    Locked* const one = current().load(std::memory_order_acquire);
    return one != nullptr ? *one : make();
  }
  /// Threads that come at once may all ask for what is to be done later; it may be done twice.
  static Locked& make() {
    free_in_time([] {
      if (Locked* const one = current().load()) one->object = T();
    });
#ifdef EXAKT_KNOWS_FORKS
    pthread_atfork(nullptr, nullptr, [] {
      if (current().load() != nullptr) current().store(new Locked);
    });
#endif
    auto mine = std::make_unique<Locked>();
    Locked* one = nullptr;
    return current().compare_exchange_strong(one, mine.get()) ? *mine.release() : *one;
  }
};

// Memory of the host that kernels of devices write to.
// FIXME(kokkos<4): later versions have one name for all devices, and HIP's was experimental.
#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
using PinnedSpaceOfDevice = Kokkos::SharedHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_CUDA)
using PinnedSpaceOfDevice = Kokkos::CudaHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_HIP)
using PinnedSpaceOfDevice = Kokkos::Experimental::HIPHostPinnedSpace;
#else
using PinnedSpaceOfDevice = Kokkos::HostSpace;
#endif

/// Memory that kernels on Space write to and the host reads without a copy.
template <class Space>
using PinnedSpace = std::conditional_t<std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>,
                                       Kokkos::HostSpace, PinnedSpaceOfDevice>;

/// What is enqueued to a space runs in the order of its stream; nullptr for spaces that have none.
template <class Space>
void const* stream_of([[maybe_unused]] Space const& space) {
  if constexpr (requires { space.cuda_stream(); }) {
    return space.cuda_stream();
  } else if constexpr (requires { space.hip_stream(); }) {
    return space.hip_stream();
  } else {
    return nullptr;
  }
}
template <class Space>
inline constexpr bool has_streams = requires(Space const& space) {
  space.cuda_stream();
}
|| requires(Space const& space) { space.hip_stream(); };

/// \brief Of hosts, large memory may be given in large pages, which takes less time. Where they are not to be had nothing
/// is lost.
template <class MemorySpace>
void ask_for_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes, MemorySpace) {
#ifdef __linux__
  if constexpr (std::is_same_v<MemorySpace, Kokkos::HostSpace>) {
    constexpr std::uintptr_t page = std::uintptr_t{1} << 12, large_page = std::uintptr_t{1} << 21;
    auto* const first = static_cast<unsigned char*>(memory);
    std::uintptr_t const before = -reinterpret_cast<std::uintptr_t>(first) % page;  // the first page that is all ours
    if (bytes >= large_page) static_cast<void>(madvise(first + before, (bytes - before) / page * page, MADV_HUGEPAGE));
  }
#endif
}

/// \brief Memory for a call, of any content. What the call has enqueued may still be running when the next one gets it: that
/// one waits, if it enqueues to another stream.
template <class Space, class MemorySpace = typename Space::memory_space>
class ScratchMemory {
  using Bytes = Kokkos::View<std::uint8_t*, MemorySpace>;
  struct Used {
    Bytes bytes;
    void const* stream = nullptr;
  };
  using Pool = std::vector<Used>;

 public:
  /// Bytes. On hosts what is larger takes far longer to fill and to read than to be given.
  static constexpr std::size_t kept_at_most = std::size_t{1} << (is_on_host_v<Space> ? 24 : 28);

  /// Keeps nothing of what is not in use.
  static void let_go() { Kept<Pool>::take(); }

  ScratchMemory(Space const& space, std::size_t bytes) : m_space(space), m_used(take(bytes)) {
    if (m_used.bytes.data() == nullptr) {
      m_used.bytes = Bytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::scratch"), bytes);
      ask_for_large_pages(data(), bytes, MemorySpace());
    } else if (m_used.stream != stream_of(space)) {
      Kokkos::fence();
    }
    m_used.stream = stream_of(space);
  }
  ~ScratchMemory() {
    if constexpr (!has_streams<Space>) m_space.fence();
    give_back();
  }
  ScratchMemory(ScratchMemory const&) = delete;
  ScratchMemory& operator=(ScratchMemory const&) = delete;

  std::uint8_t* data() const { return m_used.bytes.data(); }
  std::size_t size() const { return m_used.bytes.extent(0); }

 private:
  /// The smallest that is large enough, if any is.
  static Used take(std::size_t bytes) {
    return Kept<Pool>::with([=](Pool& pool) {
      auto best = pool.end();
      for (auto i = pool.begin(); i != pool.end(); ++i) {
        std::size_t const size = i->bytes.extent(0);
        if (size >= bytes && (best == pool.end() || size < best->bytes.extent(0))) best = i;
      }
      Used found;
      if (best != pool.end()) {
        found = *best;
        pool.erase(best);
      }
      return found;
    });
  }

  /// The newest are kept; where there is no memory for a list of them, it is freed.
  void give_back() const {
    if (size() > kept_at_most) return;
    Kept<Pool>::with([this](Pool& pool) {
      try {
        pool.push_back(m_used);
      } catch (std::bad_alloc const&) {
        return;
      }
      std::size_t total = 0;
      for (Used const& used : pool) total += used.bytes.extent(0);
      for (; total > kept_at_most; pool.erase(pool.begin())) total -= pool.front().bytes.extent(0);
    });
  }

  Space m_space;
  Used m_used;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
