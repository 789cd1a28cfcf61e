// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_WITHOUTKOKKOS_VIEW_HPP
#define EXAKT_WITHOUTKOKKOS_VIEW_HPP

/// \file
/// \brief Kokkos' View for the memory of hosts, as far as Exakt's drivers use it: rank 0 to 3, any layout, strides that
/// may be negative.

#include "ExaktWithoutKokkos_Memory.hpp"
#include "ExaktWithoutKokkos_Threads.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace Kokkos {

class Serial;

struct HostSpace {
  using memory_space = HostSpace;
  using execution_space = Serial;
};

/// The calling thread, and what ThreadPool has besides.
class Serial {
 public:
  using execution_space = Serial;
  using memory_space = HostSpace;
  using scratch_memory_space = HostSpace;
  int concurrency() const { return thread_count(); }
  void fence() const {}
};
using DefaultExecutionSpace = Serial;
using DefaultHostExecutionSpace = Serial;

template <class Space>
struct is_execution_space : std::is_same<Space, Serial> {};
template <class Space, class Memory>
struct SpaceAccessibility {
  static constexpr bool accessible = true;
};

struct LayoutLeft {};
struct LayoutRight {};
struct LayoutStride {
  std::size_t extent[3] = {1, 1, 1};
  std::ptrdiff_t stride[3] = {0, 0, 0};

  LayoutStride() = default;
  LayoutStride(std::size_t n, std::size_t s) : extent{n, 1, 1}, stride{static_cast<std::ptrdiff_t>(s), 0, 0} {}
  LayoutStride(std::size_t n0, std::size_t s0, std::size_t n1, std::size_t s1)
      : extent{n0, n1, 1}, stride{static_cast<std::ptrdiff_t>(s0), static_cast<std::ptrdiff_t>(s1), 0} {}
};
inline constexpr unsigned Unmanaged = 1;
template <unsigned>
struct MemoryTraits {};
using MemoryUnmanaged = MemoryTraits<Unmanaged>;

struct WithoutInitializing_t {};
inline constexpr WithoutInitializing_t WithoutInitializing{};
struct ALL_t {};
inline constexpr ALL_t ALL{};

/// What view_alloc() was given: whether entries begin as zeros.
struct Allocation {
  bool is_initialized;
};
template <class... Properties>
Allocation view_alloc(Properties const&...) {
  return {!(std::is_same_v<Properties, WithoutInitializing_t> || ...)};
}

template <class Layout, class... Properties>
struct LayoutAmong {
  using type = LayoutRight;
};
template <class First, class... Others>
struct LayoutAmong<void, First, Others...> {
  static constexpr bool is_layout =
      std::is_same_v<First, LayoutLeft> || std::is_same_v<First, LayoutRight> || std::is_same_v<First, LayoutStride>;
  using type = typename std::conditional_t<is_layout, std::type_identity<First>, LayoutAmong<void, Others...>>::type;
};

template <class Data, class... Properties>
class View {
  template <class OtherData, class... OtherProperties>
  friend class View;

 public:
  static constexpr std::size_t rank = std::is_pointer_v<Data>
                                          ? 1 + std::is_pointer_v<std::remove_pointer_t<Data>> +
                                                std::is_pointer_v<std::remove_pointer_t<std::remove_pointer_t<Data>>>
                                          : 0;
  using data_type = Data;
  using value_type = std::remove_pointer_t<std::remove_pointer_t<std::remove_pointer_t<Data>>>;
  using const_value_type = std::add_const_t<value_type>;
  using non_const_value_type = std::remove_const_t<value_type>;
  using pointer_type = value_type*;
  using reference_type = value_type&;
  using array_layout = typename LayoutAmong<void, Properties..., LayoutRight>::type;
  using memory_space = HostSpace;
  using execution_space = Serial;
  using device_type = HostSpace;
  static constexpr bool is_managed = !(std::is_same_v<Properties, MemoryUnmanaged> || ...);

  View() = default;

  /// Memory of its own.
  template <class... Extents>
  explicit View(Allocation allocation, Extents... extents) {
    set_extents(extents...);
    allocate(allocation.is_initialized);
  }
  template <class... Extents>
  explicit View(char const*, Extents... extents) : View(Allocation{true}, extents...) {}

  /// Memory of others.
  template <class... Extents>
  requires(sizeof...(Extents) == rank && (std::is_integral_v<Extents> && ...)) explicit View(value_type* data,
                                                                                             Extents... extents)
      : m_data(data) {
    set_extents(extents...);
  }
  View(value_type* data, LayoutStride const& layout) : m_data(data) {
    for (std::size_t d = 0; d < rank; ++d) {
      m_extent[d] = layout.extent[d];
      m_stride[d] = layout.stride[d];
    }
  }

  template <class OtherData, class... OtherProperties>
  requires std::is_convertible_v<typename View<OtherData, OtherProperties...>::pointer_type, pointer_type> View(
      View<OtherData, OtherProperties...> const& other)
      : m_data(other.m_data) {
    static_assert(View<OtherData, OtherProperties...>::rank == rank);
    for (std::size_t d = 0; d < rank; ++d) {
      m_extent[d] = other.m_extent[d];
      m_stride[d] = other.m_stride[d];
    }
    if constexpr (is_managed) m_owner = other.m_owner;
  }

  value_type* data() const { return m_data; }
  std::size_t extent(int d) const { return m_extent[d]; }
  std::size_t stride(int d) const { return static_cast<std::size_t>(m_stride[d]); }
  std::size_t size() const { return m_extent[0] * m_extent[1] * m_extent[2]; }

  template <class... Index>
  value_type& operator()(Index... index) const {
    static_assert(sizeof...(Index) == rank);
    std::ptrdiff_t offset = 0;
    int d = 0;
    ((offset += static_cast<std::ptrdiff_t>(index) * m_stride[d++]), ...);
    return m_data[offset];
  }

 private:
  struct Nobody {};

  template <class... Extents>
  void set_extents(Extents... extents) {
    static_assert(sizeof...(Extents) == rank);
    int d = 0;
    ((m_extent[d++] = static_cast<std::size_t>(extents)), ...);
    constexpr bool is_left = std::is_same_v<array_layout, LayoutLeft>;
    std::ptrdiff_t step = 1;
    for (std::size_t k = 0; k < rank; ++k) {
      std::size_t const fastest = is_left ? k : rank - 1 - k;
      m_stride[fastest] = step;
      step *= static_cast<std::ptrdiff_t>(m_extent[fastest]);
    }
  }

  void allocate(bool is_initialized) {
    static_assert(std::is_trivially_destructible_v<value_type>);
    std::size_t bytes = sizeof(value_type);
    for (std::size_t const extent : m_extent)
      if (__builtin_mul_overflow(bytes, extent, &bytes)) throw std::bad_array_new_length();
    if (bytes > std::size_t(-1) / 2) throw std::bad_array_new_length();
    m_owner = SharedMemory(bytes);
    m_data = static_cast<value_type*>(m_owner.data());
    if (is_initialized) std::uninitialized_value_construct_n(m_data, size());
  }

  value_type* m_data = nullptr;
  std::size_t m_extent[3] = {rank > 0 ? std::size_t{0} : 1, rank > 1 ? std::size_t{0} : 1,
                             rank > 2 ? std::size_t{0} : 1};
  std::ptrdiff_t m_stride[3] = {0, 0, 0};
  [[no_unique_address]] std::conditional_t<is_managed, SharedMemory, Nobody> m_owner;
};

template <class V>
struct is_view : std::false_type {};
template <class Data, class... Properties>
struct is_view<View<Data, Properties...>> : std::true_type {};

/// A column of a matrix, an entry of a vector.
template <class T, class... Properties>
auto subview(View<T**, Properties...> const& view, ALL_t, std::size_t column) {
  return View<T*, LayoutStride, HostSpace, MemoryUnmanaged>(&view(0, column),
                                                            LayoutStride(view.extent(0), view.stride(0)));
}
template <class T, class... Properties>
auto subview(View<T*, Properties...> const& view, std::size_t entry) {
  return View<T, HostSpace, MemoryUnmanaged>(&view(entry));
}

template <class V>
V create_mirror_view(V const& view) {
  return view;
}

/// A number into all entries, or the entries of a view into those of another. A mirror is the same memory here.
template <class V, class Source>
void deep_copy(Serial const&, V const& to, Source const& from) {
  if constexpr (!is_view<Source>::value) {
    for (std::size_t i = 0; i < to.extent(0); ++i) to(i) = from;
  } else if constexpr (V::rank == 0) {
    to() = from();
  } else if (to.data() != from.data()) {
    for (std::size_t i = 0; i < to.extent(0); ++i) to(i) = from(i);
  }
}

}  // namespace Kokkos

#endif
