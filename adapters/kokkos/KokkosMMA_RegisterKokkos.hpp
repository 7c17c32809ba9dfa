// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_REGISTER_KOKKOS_HPP
#define KOKKOSMMA_REGISTER_KOKKOS_HPP

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <backends/cuda/runtime/KokkosMMA_KokkosFunctions.hpp>
#include <backends/cuda/runtime/KokkosMMA_VerboseLines.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Gives libkokkosmma the functions of this program's Kokkos.

namespace KokkosMMA::Impl {

[[gnu::cold]] inline void read_callbacks(ToolCallbacks& callbacks) {
  auto const now = Kokkos::Tools::Experimental::get_callbacks();
  callbacks      = {
           {now.begin_parallel_for, now.begin_parallel_reduce,
            now.begin_parallel_scan},
           {now.end_parallel_for, now.end_parallel_reduce, now.end_parallel_scan},
           now.request_tool_settings,
           now.push_region != nullptr || now.pop_region != nullptr};
}
[[gnu::cold]] inline void write_callbacks(ToolCallbacks const& callbacks) {
  auto now                  = Kokkos::Tools::Experimental::get_callbacks();
  now.begin_parallel_for    = callbacks.begin[0];
  now.begin_parallel_reduce = callbacks.begin[1];
  now.begin_parallel_scan   = callbacks.begin[2];
  now.end_parallel_for      = callbacks.end[0];
  now.end_parallel_reduce   = callbacks.end[1];
  now.end_parallel_scan     = callbacks.end[2];
  now.request_tool_settings = callbacks.request_settings;
  Kokkos::Tools::Experimental::set_callbacks(now);
}

/// Registers the functions, before main, because Kokkos::initialize requests
/// the tool settings.
[[gnu::cold]] inline bool register_kokkos() {
  KokkosFunctions& all = KokkosFunctions::all();
  all.abort            = [](char const* text) { Kokkos::abort(text); };
  all.version          = KOKKOS_VERSION;
#if KOKKOSMMA_IMPL_ON_CUDA()
  all.default_stream = []() -> void* { return Kokkos::Cuda().cuda_stream(); };
  all.default_device = [] {
    Kokkos::Cuda const cuda;
    cudaDeviceProp const& properties = cuda.cuda_device_prop();
    return KnownDevice{cuda.cuda_device(), properties.name,
                       properties.totalGlobalMem};
  };
#endif
  all.read_callbacks  = &read_callbacks;
  all.write_callbacks = &write_callbacks;
  all.tool_is_loaded  = [] { return Kokkos::Tools::profileLibraryLoaded(); };
  all.is_cuda         = [](std::uint32_t device) {
    namespace Tools = Kokkos::Tools::Experimental;
    return Tools::identifier_from_devid(device).type == Tools::DeviceType::Cuda;
  };
  all.requires_fences = [](Kokkos_Tools_ToolSettings& settings) -> bool& {
    return settings.requires_global_fencing;
  };
  VerboseLines::listen(false);
  return library_has(LibraryInterface());
}

/// Only a source with a call compiles this: `Call` is void, as a type that
/// depends on the caller's.
template <class Call>
inline bool const kokkos_is_registered = register_kokkos();

}  // namespace KokkosMMA::Impl

#endif
