// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/runtime/KokkosMMA_KokkosFunctions.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <stdexcept>
#include <string>

namespace KokkosMMA::Impl::Cuda {

namespace {

/// Whether nothing on the device can succeed after this error. Kokkos aborts
/// for these errors and throws for all others.
bool is_fatal(cudaError_t error) {
  constexpr cudaError_t fatal[] = {
      cudaErrorIllegalAddress,     cudaErrorAssert,
      cudaErrorHardwareStackError, cudaErrorIllegalInstruction,
      cudaErrorMisalignedAddress,  cudaErrorInvalidAddressSpace,
      cudaErrorInvalidPc,          cudaErrorLaunchFailure};
  for (cudaError_t const each : fatal)
    if (error == each) return true;
  return false;
}

}  // namespace

void raise(cudaError_t error, char const* call) {
  std::string text = "KokkosMMA: ";
  for (char const* const part : {call, " failed: ", cudaGetErrorName(error),
                                 ": ", cudaGetErrorString(error)})
    text += part;
  if (is_fatal(error)) KokkosFunctions::all().abort(text.c_str());
  throw std::runtime_error(text);
}
void raise_launch(cudaError_t error, char const* name) {
  raise(error, (std::string("launch of ") + name).c_str());
}

namespace {

void describe_device(Device& d, int id) {
  auto const attribute = [&](int& value, cudaDeviceAttr which) {
    check(cudaDeviceGetAttribute(&value, which, id), "cudaDeviceGetAttribute");
  };
  int major = 0;
  int minor = 0;
  d.id      = id;
  d.cuda    = true;
  attribute(d.multiprocessors, cudaDevAttrMultiProcessorCount);
  attribute(major, cudaDevAttrComputeCapabilityMajor);
  attribute(minor, cudaDevAttrComputeCapabilityMinor);
  attribute(d.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  d.compute_capability = 10 * major + minor;
  // cudaGetDeviceProperties takes milliseconds in some drivers, and Kokkos has
  // called it.
  KnownDevice known = KokkosFunctions::all().default_device();
  cudaDeviceProp properties;
  if (known.id != id) {
    check(cudaGetDeviceProperties(&properties, id), "cudaGetDeviceProperties");
    known = {id, properties.name, properties.totalGlobalMem};
  }
  d.name                      = known.name;
  d.memory_bytes              = known.memory_bytes;
  BuiltInTuning const& tuning = builtin_tuning_of(d.name, d.compute_capability);
  d.tuning                    = &tuning.table;
  if (environment_verbose())
    std::fprintf(stderr,
                 "KokkosMMA: device %d: %s, compute capability %d.%d, tuning "
                 "table %.*s\n",
                 id, d.name.c_str(), major, minor, int(tuning.name.size()),
                 tuning.name.data());
}

}  // namespace

/// Inline, like all functions with state: the linker then keeps one of them for
/// an executable and its shared libraries, each of which has this library.
inline Device& described_device(int id) {
  constexpr int max_devices = 64;
  static std::once_flag once[max_devices];
  static Device* const devices = new Device[max_devices];
  if (id < 0 || id >= max_devices)
    KokkosFunctions::all().abort("KokkosMMA: more than 64 CUDA devices");
  std::call_once(once[id], [id] { describe_device(devices[id], id); });
  return devices[id];
}

Device const& device(int id) { return described_device(id); }
Device& device_entry(int id) { return described_device(id); }

LaunchLayout launch_layout(Stream const& stream, Reproducibility level) {
  if (level != Reproducibility::run_to_run)
    return {reference_multiprocessors, builtin_tuning, true};
  Device const& d = device(stream.device);
  return {d.multiprocessors, *d.tuning, false};
}
LaunchLayout launch_layout(Stream const& stream) {
  return launch_layout(stream, effective_settings().reproducibility);
}

/// What is known of kernels. Never destroyed, as the devices are not: a
/// destructor at exit of the process may run a call and then finalize Kokkos.
/// Kernels are queried without the mutex: this loads them, which may wait for
/// running kernels, and these for a call of another host thread.
struct KnownKernels {
  std::mutex mutex;
  std::unordered_map<KernelKey, KernelFacts, KernelHash> facts;
  std::unordered_set<KernelKey, KernelHash> loaded;
  std::unordered_set<KernelKey, KernelHash> with_all_memory;

  static KnownKernels& instance() {
    static KnownKernels& kernels = *new KnownKernels;
    return kernels;
  }
};

bool asking_keeps_errors(int device_id, void const* address,
                         std::size_t shared_bytes) {
  if (shared_bytes <= usual_shared_bytes ||
      cudaPeekAtLastError() == cudaSuccess)
    return true;
  auto& known = KnownKernels::instance();
  std::lock_guard<std::mutex> const lock(known.mutex);
  return known.facts.contains({device_id, address});
}

KernelFacts facts_of_kernel(int device_id, void const* address, int threads,
                            std::size_t shared_bytes) {
  auto& known = KnownKernels::instance();
  KernelKey const key{device_id, address};
  {
    std::lock_guard<std::mutex> const lock(known.mutex);
    auto const found = known.facts.find(key);
    if (found != known.facts.end()) return found->second;
  }
  // The runtime answers for the current device.
  check(cudaSetDevice(device_id), "cudaSetDevice");
  // Stored when complete: if a query fails, the next call repeats it and does
  // not launch with zeros.
  KernelFacts facts{};
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, address), "cudaFuncGetAttributes");
  facts.local_bytes         = int(attributes.localSizeBytes);
  facts.static_shared_bytes = int(attributes.sharedSizeBytes);
  facts.max_threads         = attributes.maxThreadsPerBlock;
  facts.may_follow          = attributes.ptxVersion >= 90;
  // The usual limit needs no permission.
  if (shared_bytes > usual_shared_bytes)
    check(cudaFuncSetAttribute(address,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               int(shared_bytes)),
          "cudaFuncSetAttribute");
  if (threads > 0)
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &facts.resident_blocks, address, threads, shared_bytes),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  std::lock_guard<std::mutex> const lock(known.mutex);
  known.facts.emplace(key, facts);
  return facts;
}

int max_threads_of_kernel(int device_id, void const* address, int bound) {
  OwnErrors const errors;
  try {
    check(cudaSetDevice(device_id), "cudaSetDevice");
    int const most = facts_of_kernel(device_id, address, 0, 0).max_threads;
    return bound > 0 ? std::min(bound, most) : most;
  } catch (std::runtime_error const&) {
    return 0;
  }
}

bool load_kernel(int device_id, void const* address) {
  auto& known = KnownKernels::instance();
  {
    std::lock_guard<std::mutex> const lock(known.mutex);
    if (!known.loaded.insert({device_id, address}).second) return false;
  }
  OwnErrors const errors;
  cudaFuncAttributes attributes;
  if (cudaSetDevice(device_id) == cudaSuccess)
    cudaFuncGetAttributes(&attributes, address);
  return true;
}

int shared_bytes_of_kernel(int device_id, void const* address) {
  int const most = device(device_id).shared_bytes;
  if (most <= usual_shared_bytes) return most;
  auto& known = KnownKernels::instance();
  KernelKey const key{device_id, address};
  {
    std::lock_guard<std::mutex> const lock(known.mutex);
    if (known.with_all_memory.contains(key)) return most;
  }
  if (cudaPeekAtLastError() != cudaSuccess) return usual_shared_bytes;
  check(cudaSetDevice(device_id), "cudaSetDevice");
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, address), "cudaFuncGetAttributes");
  check(
      cudaFuncSetAttribute(address, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           most - int(attributes.sharedSizeBytes)),
      "cudaFuncSetAttribute");
  std::lock_guard<std::mutex> const lock(known.mutex);
  known.with_all_memory.insert(key);
  return most;
}

}  // namespace KokkosMMA::Impl::Cuda
