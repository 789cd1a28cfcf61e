// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_GUARDEDARRAY_HPP
#define EXAKTTEST_GUARDEDARRAY_HPP

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

namespace ExaktTest {

/// A copy of some values between two unmapped pages: reading one entry too many, on the side that the values touch,
/// ends the program. The length then decides how the first entry is aligned.
template <class T>
class GuardedArray {
 public:
  enum class Against { page_after, page_before };

  explicit GuardedArray(std::vector<T> const& values, Against side = Against::page_after) {
    auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::size_t const bytes = values.size() * sizeof(T);
    std::size_t const inside = (bytes + page - 1) / page * page;
    m_size = inside + 2 * page;
    void* const memory = mmap(nullptr, m_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    m_pages = static_cast<std::byte*>(memory);
    if (inside > 0 && mprotect(m_pages + page, inside, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::size_t const offset = side == Against::page_after ? inside - bytes : 0;
    m_data = reinterpret_cast<T*>(m_pages + page + offset);
    std::copy(values.begin(), values.end(), m_data);
  }
  ~GuardedArray() { munmap(m_pages, m_size); }
  GuardedArray(GuardedArray const&) = delete;
  GuardedArray& operator=(GuardedArray const&) = delete;

  T const* data() const { return m_data; }

 private:
  std::byte* m_pages;
  T* m_data;
  std::size_t m_size;
};

}  // namespace ExaktTest

#endif
