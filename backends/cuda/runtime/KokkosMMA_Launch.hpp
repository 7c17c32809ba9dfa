// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_LAUNCH_HPP
#define KOKKOSMMA_CUDA_LAUNCH_HPP

#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>
#include <backends/cuda/runtime/KokkosMMA_Stream.hpp>
#include <core/base/KokkosMMA_Capability.hpp>
#include <core/routing/KokkosMMA_Reproducibility.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

/// \file
/// Common parts of all launches: properties of the device, facts of the kernel,
/// and errors, which are handled as in Kokkos. Compiled once, in libkokkosmma.

namespace KokkosMMA::Impl {
struct LaunchLayout;
}  // namespace KokkosMMA::Impl

namespace KokkosMMA::Impl::Cuda {

/// Aborts or throws std::runtime_error, as Kokkos does for the same error.
[[noreturn, gnu::cold]] void raise(cudaError_t error, char const* call);
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

/// Scope in which this host thread may make calls that must not be captured,
/// such as allocations and queries of events, while another thread captures a
/// graph.
struct RelaxedCapture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;

  RelaxedCapture() { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(RelaxedCapture const&)            = delete;
  RelaxedCapture& operator=(RelaxedCapture const&) = delete;

 private:
  void exchange() { cudaThreadExchangeStreamCaptureMode(&mode); }
};

/// Of the launch of the kernel `name`.
[[noreturn, gnu::cold]] void raise_launch(cudaError_t error, char const* name);
inline void check_launch(cudaError_t error, char const* name) {
  if (error != cudaSuccess) raise_launch(error, name);
}

/// Launches a kernel on a stream of the current device; `name` is for the error
/// message.
template <class... Parameters>
void launch_kernel(Stream const& stream, char const* name,
                   void (*kernel)(Parameters...), KernelGrid const& grid,
                   std::type_identity_t<Parameters> const&... arguments) {
  check_launch(enqueue_kernel(stream.handle, kernel, grid, arguments...), name);
}

struct Device : Capability {
  int id                   = 0;
  std::size_t memory_bytes = 0;
  std::string name;
  TuningTable const* tuning = &builtin_tuning;
};

/// Properties of a device, which are queried once.
Device const& device(int id);
/// The same for code that replaces some of them.
Device& device_entry(int id);

/// Sets another table for a device, for tests. No other host thread may call
/// the library meanwhile, and the table must outlive its use.
inline void use_tuning(int id, TuningTable const& table) {
  device_entry(id).tuning = &table;
}

LaunchLayout launch_layout(Stream const& stream, Reproducibility level);
/// The same for the level of the enclosing ScopedSettings.
LaunchLayout launch_layout(Stream const& stream);

/// Key of tables of compiled kernels.
struct KernelKey {
  int device_id;
  void const* kernel;
  unsigned detail = 0;  ///< distinguishes entries of one kernel

  friend bool operator==(KernelKey const&, KernelKey const&) = default;
};

struct KernelHash {
  std::size_t operator()(KernelKey const& key) const {
    return (reinterpret_cast<std::uintptr_t>(key.kernel) ^
            (std::uint64_t(key.detail) << 32) ^ unsigned(key.device_id)) *
           0x9e3779b97f4a7c15;
  }
};

/// Properties of a kernel that the runtime reports.
struct KernelFacts {
  int local_bytes;
  int static_shared_bytes;
  int max_threads;      ///< per block; limited by its registers
  int resident_blocks;  ///< per multiprocessor; 0 if not queried
  /// Its code is for sm_90 or later: its calls of GridDependency::wait() wait,
  /// and the launch may set KernelGrid::follows.
  bool may_follow;
};

/// Shared memory that every kernel may use without permission.
inline constexpr int usual_shared_bytes = 48 * 1024;

/// Whether facts_of_kernel() preserves an error that the application has not
/// queried yet. Raising a kernel's limit of shared memory clears the error in
/// some processes, but not in others (CUDA 13.0, H100 and H200).
bool asking_keeps_errors(int device_id, void const* address,
                         std::size_t shared_bytes);

/// Queries a kernel and raises its limit of shared memory, once for each device
/// and kernel. Never store the result in a static of a function that launches:
/// from CUDA 13 on every translation unit has a kernel of its own, and where
/// the function is inlined, one is queried and another launched.
/// \param threads per block, the same in all calls for a kernel; 0: resident
/// blocks are not queried
KernelFacts facts_of_kernel(int device_id, void const* address, int threads,
                            std::size_t shared_bytes);

/// Largest block that a kernel's registers and a bound allow; 0 if the kernel
/// cannot be loaded, for example without device memory for its code.
/// \param bound of the threads of a block; 0: none
int max_threads_of_kernel(int device_id, void const* address, int bound);

/// Loads a kernel that a later call may launch, once for each device and
/// kernel. CUDA loads a kernel at its first use, and may wait for all running
/// kernels first. One of these may wait for the host, which would then wait for
/// it. Failure is ignored. Returns whether no call has begun to load
/// it before.
bool load_kernel(int device_id, void const* address);

/// Shared memory that a launch of a kernel of an application's functor may
/// request: all that a block can have. The limit is raised once for each device
/// and kernel, but not while the host thread has an error that the application
/// has not queried: this would clear it (asking_keeps_errors()).
int shared_bytes_of_kernel(int device_id, void const* address);

template <class... Parameters>
KernelFacts kernel_facts(int device_id, void (*kernel)(Parameters...),
                         int threads, std::size_t shared_bytes = 0) {
  return facts_of_kernel(device_id, reinterpret_cast<void const*>(kernel),
                         threads, shared_bytes);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
