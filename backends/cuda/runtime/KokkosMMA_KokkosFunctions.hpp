// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_KOKKOS_FUNCTIONS_HPP
#define KOKKOSMMA_KOKKOS_FUNCTIONS_HPP

#include <core/base/KokkosMMA_Version.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

struct Kokkos_Tools_ToolSettings;

/// \file
/// What libkokkosmma calls of Kokkos. It includes no header of Kokkos, so that
/// one library serves every version. Each source with a call registers the
/// functions before main (adapters/kokkos/KokkosMMA_RegisterKokkos.hpp).

namespace KokkosMMA::Impl {

/// Callbacks of Kokkos Tools. The patterns are parallel_for, parallel_reduce
/// and parallel_scan.
struct ToolCallbacks {
  using Begin    = void (*)(char const*, std::uint32_t, std::uint64_t*);
  using End      = void (*)(std::uint64_t);
  using Settings = void (*)(std::uint32_t, Kokkos_Tools_ToolSettings*);

  Begin begin[3];             ///< by pattern
  End end[3];                 ///< by pattern
  Settings request_settings;  ///< called by Kokkos::initialize
  bool has_regions;           ///< of pushRegion or popRegion; not written
};

/// Facts of the default instance's device, which Kokkos::initialize queried.
struct KnownDevice {
  int id                   = -1;  ///< -1: none
  char const* name         = nullptr;
  std::size_t memory_bytes = 0;
};

/// Each default is right for a program in which Kokkos was not registered.
struct [[gnu::visibility("default")]] KokkosFunctions {
  void (*abort)(char const* text) = [](char const* text) {
    std::fprintf(stderr, "%s\n", text);
    std::abort();
  };
  /// cudaStream_t of the default instance of Kokkos::Cuda.
  void* (*default_stream)()       = []() -> void* { return nullptr; };
  KnownDevice (*default_device)() = [] { return KnownDevice(); };
  int version                     = 0;  ///< KOKKOS_VERSION

  // The members below are null if Kokkos was not registered.

  void (*read_callbacks)(ToolCallbacks&)        = nullptr;
  void (*write_callbacks)(ToolCallbacks const&) = nullptr;
  bool (*tool_is_loaded)()                      = nullptr;
  /// Whether a number that a callback receives is that of a Cuda device.
  bool (*is_cuda)(std::uint32_t device) = nullptr;
  /// The member requires_global_fencing.
  bool& (*requires_fences)(Kokkos_Tools_ToolSettings&) = nullptr;

  static KokkosFunctions& all() {
    static constinit KokkosFunctions functions{};
    return functions;
  }
};

/// Number of the interface between headers and library: changed with any type
/// or function of backends/cuda/runtime.
using LibraryInterface =
    std::integral_constant<int, KOKKOSMMA_VERSION * 100 + 12>;
/// True. Each source with a call refers to it, so that headers and library of
/// different versions do not link.
bool library_has(LibraryInterface);

}  // namespace KokkosMMA::Impl

#endif
