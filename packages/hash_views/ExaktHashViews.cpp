// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief A library for Kokkos Tools: after each kernel a line for each View that it has changed, with a hash of its bytes.
/// Two runs are compared with diff; the first line that differs names the first kernel whose output does.
///
///     KOKKOS_TOOLS_LIBS=libexakt_hash_views.so EXAKT_HASH_VIEWS=one.txt program
///
/// Nothing of Kokkos is included or linked: the functions are found by their names, their arguments are those of Kokkos
/// Tools. Views of host memory alone are looked at.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <regex>
#include <string>
#include <vector>

namespace {

struct SpaceHandle {
  char name[64];
};

struct Allocation {
  std::string label, name;
  unsigned char const* data;
  std::uint64_t size, hash;
  bool is_new;
};

/// Of the bytes, in their order: a multiplication spreads each word over all higher bits, a shift brings those down.
std::uint64_t hash_of(unsigned char const* data, std::uint64_t size) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = size * odd;
  for (std::uint64_t k = 0; k < size; k += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + k, size - k < 8 ? size - k : 8);
    hash = (hash ^ word) * odd;
    hash ^= hash >> 29;
  }
  return hash;
}

/// Kernels may be launched by several threads.
class Recorder {
 public:
  /// One file for each rank, where a launcher has told which this is.
  void open() {
    std::lock_guard const lock(m_mutex);
    char const* const given = std::getenv("EXAKT_HASH_VIEWS");
    std::string name = given != nullptr ? given : "hash_views.txt";
    for (char const* const variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
      if (char const* const rank = std::getenv(variable); rank != nullptr) {
        name += std::string(".") + rank;
        break;
      }
    }
    m_file = std::fopen(name.c_str(), "w");
    if (m_file == nullptr) std::fprintf(stderr, "exakt_hash_views: %s cannot be written\n", name.c_str());
    char const* const labels = std::getenv("EXAKT_HASH_VIEWS_LABELS");
    try {
      if (labels != nullptr) m_labels = std::regex(labels);
    } catch (std::regex_error const&) {
      std::fprintf(stderr, "exakt_hash_views: EXAKT_HASH_VIEWS_LABELS is no regular expression: %s\n", labels);
    }
  }
  void close() {
    look("the end of the program");
    std::lock_guard const lock(m_mutex);
    if (m_file != nullptr) std::fclose(m_file);
    m_file = nullptr;
  }

  void allocated(SpaceHandle const& space, char const* label, void const* memory, std::uint64_t size) {
    if (std::strncmp(space.name, "Host", sizeof(space.name)) != 0) return;
    // Scratch memory of the libraries depends on the number of threads.
    std::string const of(label);
    if (of == "[unlabeled]" || begins_with(of, "Kokkos::") || begins_with(of, "Exakt::")) return;
    if (!std::regex_search(of, m_labels)) return;
    std::lock_guard const lock(m_mutex);
    // Views of one label are told apart by the order in which they were made.
    m_allocations[memory] = {
        of, of + "#" + std::to_string(++m_made[of]), static_cast<unsigned char const*>(memory), size, 0, true};
  }
  void deallocated(void const* memory) {
    std::lock_guard const lock(m_mutex);
    m_allocations.erase(memory);
  }

  /// What has been written since the last look is said to be by `writer`; zeros by nobody, for some memory is zero before.
  void look(std::string const& writer) {
    std::lock_guard const lock(m_mutex);
    if (m_file == nullptr) return;
    std::map<std::string, std::uint64_t> changed;  // by name: addresses differ from run to run
    for (auto& [memory, allocation] : m_allocations) {
      if (allocation.is_new) skip_header(allocation);
      std::uint64_t const hash = hash_of(allocation.data, allocation.size);
      if (hash != allocation.hash && !allocation.is_new && !begins_with(writer, initialization))
        changed[allocation.name] = hash;
      allocation.hash = hash;
      allocation.is_new = false;
    }
    ++m_looks;
    for (auto const& [name, hash] : changed)
      std::fprintf(m_file, "%llu %s%s: %s %016llx\n", static_cast<unsigned long long>(m_looks), m_regions.c_str(),
                   writer.c_str(), name.c_str(), static_cast<unsigned long long>(hash));
    std::fflush(m_file);
  }

  void begin(char const* kernel, std::uint64_t* id) {
    look(std::string("before ") + kernel);
    std::lock_guard const lock(m_mutex);
    m_running[*id = ++m_kernels] = kernel;
  }
  void end(std::uint64_t id) {
    std::string kernel;
    {
      std::lock_guard const lock(m_mutex);
      kernel = m_running[id];
      m_running.erase(id);
    }
    look(kernel);
  }

  void push(char const* region) {
    std::lock_guard const lock(m_mutex);
    m_lengths.push_back(m_regions.size());
    m_regions += std::string(region) + "/";
  }
  void pop() {
    std::lock_guard const lock(m_mutex);
    if (m_lengths.empty()) return;
    m_regions.resize(m_lengths.back());
    m_lengths.pop_back();
  }

 private:
  static constexpr char const* initialization = "Kokkos::View::initialization";
  static bool begins_with(std::string const& text, char const* start) { return text.rfind(start, 0) == 0; }

  /// What Kokkos 3.4 to 5.2 has of each allocation, as far as it is read here.
  struct Record {
    void const* virtual_functions;
    void const* memory;
    std::uint64_t size;  // with the header
  };
  /// In front of the entries is a header, a pointer to the record and the label, written after Kokkos told of the allocation.
  /// For a View without entries it tells the size of that header.
  static void skip_header(Allocation& allocation) {
    constexpr std::size_t label_at = sizeof(Record*), compared_at_most = 100;
    // The pointer is followed only where the label stands behind it with the zero at its end.
    std::size_t const compared = std::min(allocation.label.size() + 1, compared_at_most);
    // Not beyond the first difference: memory that is no View's may end there.
    auto const* const label = reinterpret_cast<char const*>(allocation.data + label_at);
    if (std::strncmp(label, allocation.label.c_str(), compared) != 0) return;
    Record const* record = nullptr;
    std::memcpy(&record, allocation.data, sizeof(record));
    if (record == nullptr || record->memory != allocation.data) return;
    if (allocation.size == record->size) allocation.size = 0;
    allocation.data += record->size - allocation.size;
  }

  std::mutex m_mutex;
  std::FILE* m_file = nullptr;
  std::regex m_labels{""};
  std::map<void const*, Allocation> m_allocations;
  std::map<std::string, int> m_made;
  std::map<std::uint64_t, std::string> m_running;
  std::uint64_t m_kernels = 0, m_looks = 0;
  std::string m_regions;
  std::vector<std::size_t> m_lengths;
};

Recorder& recorder() {
  static auto* const one = new Recorder;  // outlives every static View
  return *one;
}

}  // namespace

#define EXAKT_KOKKOS_TOOL extern "C" __attribute__((visibility("default"))) void

EXAKT_KOKKOS_TOOL kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) { recorder().open(); }
EXAKT_KOKKOS_TOOL kokkosp_finalize_library() { recorder().close(); }
EXAKT_KOKKOS_TOOL kokkosp_begin_parallel_for(char const* name, std::uint32_t, std::uint64_t* id) {
  recorder().begin(name, id);
}
EXAKT_KOKKOS_TOOL kokkosp_end_parallel_for(std::uint64_t id) { recorder().end(id); }
EXAKT_KOKKOS_TOOL kokkosp_begin_parallel_reduce(char const* name, std::uint32_t, std::uint64_t* id) {
  recorder().begin(name, id);
}
EXAKT_KOKKOS_TOOL kokkosp_end_parallel_reduce(std::uint64_t id) { recorder().end(id); }
EXAKT_KOKKOS_TOOL kokkosp_begin_parallel_scan(char const* name, std::uint32_t, std::uint64_t* id) {
  recorder().begin(name, id);
}
EXAKT_KOKKOS_TOOL kokkosp_end_parallel_scan(std::uint64_t id) { recorder().end(id); }
EXAKT_KOKKOS_TOOL kokkosp_begin_deep_copy(SpaceHandle, char const* to, void const*, SpaceHandle, char const* from,
                                          void const*, std::uint64_t) {
  recorder().look(std::string("before deep_copy of ") + from + " to " + to);
}
EXAKT_KOKKOS_TOOL kokkosp_end_deep_copy() { recorder().look("deep_copy"); }
EXAKT_KOKKOS_TOOL kokkosp_allocate_data(SpaceHandle space, char const* label, void const* memory, std::uint64_t size) {
  recorder().allocated(space, label, memory, size);
}
EXAKT_KOKKOS_TOOL kokkosp_deallocate_data(SpaceHandle, char const*, void const* memory, std::uint64_t) {
  recorder().deallocated(memory);
}
EXAKT_KOKKOS_TOOL kokkosp_push_profile_region(char const* name) { recorder().push(name); }
EXAKT_KOKKOS_TOOL kokkosp_pop_profile_region() { recorder().pop(); }
