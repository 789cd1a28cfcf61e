// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_WITHOUTKOKKOS_MEMORY_HPP
#define EXAKT_WITHOUTKOKKOS_MEMORY_HPP

/// \file
/// \brief The memory of Views. Each thread keeps a few small pieces that it no longer needs, so that a small call, which
/// would spend most of its time in malloc, allocates nothing.

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

namespace Kokkos {

/// Memory that lives as long as one of its owners, at the beginning of a cache line: vector units read whole ones.
class SharedMemory {
 public:
  SharedMemory() = default;
  /// \throws std::bad_alloc
  explicit SharedMemory(std::size_t bytes) : m_block(take(bytes)) {}
  SharedMemory(SharedMemory const& other) : m_block(other.m_block) {
    if (m_block != nullptr) m_block->owners.fetch_add(1, std::memory_order_relaxed);
  }
  SharedMemory(SharedMemory&& other) noexcept : m_block(std::exchange(other.m_block, nullptr)) {}
  SharedMemory& operator=(SharedMemory other) noexcept {
    std::swap(m_block, other.m_block);
    return *this;
  }
  ~SharedMemory() {
    if (m_block != nullptr && m_block->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) give(m_block);
  }

  void* data() const { return m_block == nullptr ? nullptr : m_block + 1; }

 private:
  static constexpr std::size_t line = 64;
  struct alignas(line) Block {
    std::atomic<int> owners{1};
    bool is_small;
    explicit Block(bool small) : is_small(small) {}
  };

#if defined(__SANITIZE_ADDRESS__)
  static constexpr std::size_t small_size = 0;  // each piece has its own end, and is gone when it is
#else
  static constexpr std::size_t small_size = 16384;
#endif
  static constexpr int most_kept = 8;

  /// Of a thread, whose end frees them. What comes even later, from other destructors, is not kept.
  struct Kept {
    Block* blocks[most_kept];
    int count;
    bool is_over;
  };
  struct Cleaner {
    ~Cleaner() {
      Kept& mine = kept();
      while (mine.count > 0) ::operator delete (mine.blocks[--mine.count], std::align_val_t{line});
      mine.is_over = true;
    }
  };
  static Kept& kept() {
    static thread_local constinit Kept mine{};
    return mine;
  }
  static void clean_at_the_end() { static thread_local Cleaner const cleaner; }

  static Block* take(std::size_t bytes) {
    bool const is_small = bytes <= small_size;
    Kept& mine = kept();
    void* memory;
    if (is_small && mine.count > 0) {
      memory = mine.blocks[--mine.count];
    } else {
      memory = ::operator new (sizeof(Block) + (is_small ? small_size : bytes), std::align_val_t{line});
    }
    return new (memory) Block(is_small);
  }
  static void give(Block* block) {
    Kept& mine = kept();
    if (!block->is_small || mine.count == most_kept || mine.is_over)
      return ::operator delete (block, std::align_val_t{line});
    clean_at_the_end();
    mine.blocks[mine.count++] = block;
  }

  Block* m_block = nullptr;
};

}  // namespace Kokkos

#endif
