// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_RECORDER_HPP
#define KOKKOSMMA_RECORDER_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace KokkosMMA::Testing {

class Recorder {
 public:
  Recorder() : m_before(Kokkos::Tools::Experimental::get_callbacks()) {
    using namespace Kokkos::Tools::Experimental;
    events.clear();
    open.clear();
    next_kernel = 0;
    set_begin_parallel_reduce_callback(
        [](char const* name, std::uint32_t, std::uint64_t* id) {
          begin("reduce", name, id);
        });
    set_begin_parallel_for_callback(
        [](char const* name, std::uint32_t, std::uint64_t* id) {
          begin("for", name, id);
        });
    set_begin_parallel_scan_callback(
        [](char const* name, std::uint32_t, std::uint64_t* id) {
          begin("scan", name, id);
        });
    set_end_parallel_reduce_callback(end);
    set_end_parallel_for_callback(end);
    set_end_parallel_scan_callback(end);
    set_begin_fence_callback(
        [](char const*, std::uint32_t, std::uint64_t*) { ++fences; });
    set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle,
                                  char const* name, void const*,
                                  std::uint64_t) {
      events.push_back(std::string("allocate ") + name);
    });
    set_begin_deep_copy_callback(
        [](Kokkos_Profiling_SpaceHandle, char const* name, void const*,
           Kokkos_Profiling_SpaceHandle, char const*, void const*,
           std::uint64_t) { events.push_back(std::string("copy ") + name); });
    set_push_region_callback([](char const* name) {
      events.push_back(std::string("region ") + name);
    });
    fences = 0;
  }
  ~Recorder() { Kokkos::Tools::Experimental::set_callbacks(m_before); }
  Recorder(Recorder const&)            = delete;
  Recorder& operator=(Recorder const&) = delete;

  inline static std::vector<std::string> events;
  inline static int fences = 0;

 private:
  inline static std::vector<std::uint64_t> open;
  inline static std::uint64_t next_kernel = 0;

  static void begin(char const* pattern, char const* name, std::uint64_t* id) {
    *id = 1000 + next_kernel++;
    open.push_back(*id);
    events.push_back(std::string("begin ") + pattern + " " + name);
  }
  static void end(std::uint64_t id) {
    auto const found = std::find(open.begin(), open.end(), id);
    events.push_back(found == open.end() ? "end of something that never began"
                                         : "end");
    if (found != open.end()) open.erase(found);
  }

  Kokkos::Tools::Experimental::EventSet m_before;
};

}  // namespace KokkosMMA::Testing

#endif
