// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_LAUNCH_HPP
#define KOKKOSMMA_CUDA_LAUNCH_HPP

#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>
#include <core/routing/KokkosMMA_ActiveTuning.hpp>
#include <core/base/KokkosMMA_Capability.hpp>
#include <core/base/KokkosMMA_KernelTable.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>

#include <Kokkos_Core.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>

/// \file
/// Common parts of all launches: properties of the device, facts of the kernel,
/// and errors, which are handled as in Kokkos. Code that does not depend on the
/// types of a call is no template: an application has it once.

namespace KokkosMMA::Impl::Cuda {

/// Whether nothing on the device can succeed after this error. Kokkos aborts
/// for these errors and throws for all others.
inline bool is_fatal(cudaError_t error) {
  constexpr cudaError_t fatal[] = {
      cudaErrorIllegalAddress,     cudaErrorAssert,
      cudaErrorHardwareStackError, cudaErrorIllegalInstruction,
      cudaErrorMisalignedAddress,  cudaErrorInvalidAddressSpace,
      cudaErrorInvalidPc,          cudaErrorLaunchFailure};
  for (cudaError_t const each : fatal)
    if (error == each) return true;
  return false;
}

/// Aborts or throws std::runtime_error, as Kokkos does for the same error.
[[noreturn, gnu::cold]] inline void raise(cudaError_t error, char const* call) {
  std::string text = "KokkosMMA: ";
  for (char const* const part : {call, " failed: ", cudaGetErrorName(error),
                                 ": ", cudaGetErrorString(error)})
    text += part;
  if (is_fatal(error)) Kokkos::abort(text.c_str());
  throw std::runtime_error(text);
}
inline void check(cudaError_t error, char const* call) {
  if (error != cudaSuccess) raise(error, call);
}

/// Scope that clears the errors of runtime calls whose failure this library
/// handles. The runtime keeps the last error of a host thread until it is
/// queried, and an application may query it much later. An older error stays.
class OwnErrors {
 public:
  OwnErrors() : m_clear(cudaPeekAtLastError() == cudaSuccess) {}
  ~OwnErrors() {
    if (m_clear) cudaGetLastError();
  }
  OwnErrors(OwnErrors const&)            = delete;
  OwnErrors& operator=(OwnErrors const&) = delete;

 private:
  bool m_clear;
};

inline void check_launch(cudaError_t error, char const* name) {
  if (error != cudaSuccess)
    check(error, (std::string("launch of ") + name).c_str());
}

/// Launches a kernel on the stream of an instance whose device is the current
/// one; `name` is for the error message.
template <class... Parameters>
void launch_kernel(Kokkos::Cuda const& space, char const* name,
                   void (*kernel)(Parameters...), KernelGrid const& grid,
                   std::type_identity_t<Parameters> const&... arguments) {
  check_launch(enqueue_kernel(space.cuda_stream(), kernel, grid, arguments...),
               name);
}

struct Device {
  int id                   = 0;
  int multiprocessors      = 0;
  int compute_capability   = 0;
  int shared_bytes         = 0;  ///< per block, at most
  std::size_t memory_bytes = 0;
  std::string name;
  TuningTable const* tuning = &builtin_tuning;

  TunedDevice tuned() const {
    return {name, compute_capability, multiprocessors};
  }
};

[[gnu::cold]] inline void describe_device(Device& d, int id) {
  auto const attribute = [&](int& value, cudaDeviceAttr which) {
    check(cudaDeviceGetAttribute(&value, which, id), "cudaDeviceGetAttribute");
  };
  int major = 0;
  int minor = 0;
  d.id      = id;
  attribute(d.multiprocessors, cudaDevAttrMultiProcessorCount);
  attribute(major, cudaDevAttrComputeCapabilityMajor);
  attribute(minor, cudaDevAttrComputeCapabilityMinor);
  d.compute_capability = 10 * major + minor;
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, id), "cudaGetDeviceProperties");
  d.name         = properties.name;
  d.shared_bytes = int(properties.sharedMemPerBlockOptin);
  d.memory_bytes = properties.totalGlobalMem;
  d.tuning       = &tuning_of(d.tuned());
  if (environment_verbose())
    std::fprintf(stderr,
                 "KokkosMMA: device %d: %s, compute capability %d.%d, tuning "
                 "table %s\n",
                 id, d.name.c_str(), major, minor,
                 tuning_name(d.tuned()).c_str());
}

inline Device& device_entry(int id) {
  constexpr int max_devices = 64;
  static std::once_flag once[max_devices];
  static Device devices[max_devices];
  if (id < 0 || id >= max_devices)
    Kokkos::abort("KokkosMMA: more than 64 CUDA devices");
  std::call_once(once[id], [id] { describe_device(devices[id], id); });
  return devices[id];
}
inline Device const& device(int id) { return device_entry(id); }

/// Sets another table for a device, for code that measures tables. No other
/// host thread may call the library meanwhile, and the table must outlive its
/// use.
inline void use_tuning(int id, TuningTable const& table) {
  device_entry(id).tuning = &table;
}
inline TuningTable const& tuning(Kokkos::Cuda const& space) {
  return *device(space.cuda_device()).tuning;
}

inline Capability capability(Kokkos::Cuda const& space) {
  Device const& d = device(space.cuda_device());
  return {true, d.compute_capability, d.multiprocessors, d.shared_bytes};
}

/// Properties of a kernel that the runtime reports.
struct KernelFacts {
  int local_bytes;
  int static_shared_bytes;
  int max_threads;      ///< per block; limited by its registers
  int resident_blocks;  ///< per multiprocessor
  /// Its code is for sm_90 or later: its calls of GridDependency::wait() wait,
  /// and the launch may set KernelGrid::follows.
  bool may_follow;
};

/// Shared memory that every kernel may use without permission.
inline constexpr int usual_shared_bytes = 48 * 1024;

/// Facts by device and kernel.
template <class Facts>
struct FactsTable {
  std::mutex mutex;
  KernelTable<Facts> all;

  static FactsTable& instance() {
    static FactsTable table;
    return table;
  }
};

/// Whether facts_of_kernel() preserves an error that the application has not
/// queried yet. Raising a kernel's limit of shared memory clears the error in
/// some processes, but not in others (CUDA 13.0, H100 and H200).
template <class Facts = KernelFacts>
bool asking_keeps_errors(int device_id, void const* address,
                         std::size_t shared_bytes) {
  if (shared_bytes <= usual_shared_bytes ||
      cudaPeekAtLastError() == cudaSuccess)
    return true;
  auto& table = FactsTable<Facts>::instance();
  std::lock_guard<std::mutex> const lock(table.mutex);
  return table.all.find({device_id, address}) != nullptr;
}

/// Queries a kernel and raises its limit of shared memory, once for each device
/// and kernel. Never store the result in a static of a function that launches:
/// from CUDA 13 on every translation unit has a kernel of its own, and where
/// the function is inlined, one is queried and another launched. A template, so
/// that a source without a launch does not instantiate the table.
template <class Facts = KernelFacts>
Facts facts_of_kernel(int device_id, void const* address, int threads,
                      std::size_t shared_bytes) {
  auto& [mutex, all] = FactsTable<Facts>::instance();
  std::lock_guard<std::mutex> const lock(mutex);
  KernelKey const key{device_id, address};
  if (Facts const* const known = all.find(key)) return *known;
  // The runtime answers for the current device.
  check(cudaSetDevice(device_id), "cudaSetDevice");
  // Stored when complete: if a query fails, the next call repeats it and does
  // not launch with zeros.
  Facts facts{};
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
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &facts.resident_blocks, address, threads, shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  all.insert(key, facts);
  return facts;
}

/// Loads a kernel that a later call may launch, once for each device and
/// kernel. CUDA loads a kernel at its first use, and may wait for all running
/// kernels first. One of these may wait for the host, which would then wait for
/// it. Failure is ignored.
template <class Known = bool>
void load_kernel(int device_id, void const* address) {
  static std::mutex mutex;
  static KernelTable<Known> loaded;
  std::lock_guard<std::mutex> const lock(mutex);
  KernelKey const key{device_id, address};
  if (loaded.find(key) != nullptr) return;
  OwnErrors const errors;
  cudaFuncAttributes attributes;
  if (cudaSetDevice(device_id) == cudaSuccess)
    cudaFuncGetAttributes(&attributes, address);
  loaded.insert(key, true);
}

/// Shared memory that a launch of a kernel of an application's functor may
/// request: all that a block can have. The limit is raised once for each device
/// and kernel, but not while the host thread has an error that the application
/// has not queried: this would clear it (asking_keeps_errors()).
template <class Known = bool>
int shared_bytes_of_kernel(int device_id, void const* address) {
  static std::mutex mutex;
  static KernelTable<Known> allowed;
  int const most = device(device_id).shared_bytes;
  if (most <= usual_shared_bytes) return most;
  std::lock_guard<std::mutex> const lock(mutex);
  KernelKey const key{device_id, address};
  if (allowed.find(key) != nullptr) return most;
  if (cudaPeekAtLastError() != cudaSuccess) return usual_shared_bytes;
  check(cudaSetDevice(device_id), "cudaSetDevice");
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, address), "cudaFuncGetAttributes");
  check(
      cudaFuncSetAttribute(address, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           most - int(attributes.sharedSizeBytes)),
      "cudaFuncSetAttribute");
  allowed.insert(key, true);
  return most;
}

template <class... Parameters>
KernelFacts kernel_facts(int device_id, void (*kernel)(Parameters...),
                         int threads, std::size_t shared_bytes = 0) {
  return facts_of_kernel(device_id, reinterpret_cast<void const*>(kernel),
                         threads, shared_bytes);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
