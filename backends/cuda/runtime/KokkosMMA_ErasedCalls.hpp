// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ERASED_CALLS_HPP
#define KOKKOSMMA_ERASED_CALLS_HPP

#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>
#include <backends/cuda/runtime/KokkosMMA_Stream.hpp>
#include <core/routing/KokkosMMA_Problem.hpp>
#include <core/routing/KokkosMMA_Route.hpp>
#include <core/routing/KokkosMMA_StreamedTuning.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

/// \file
/// Intercepted reductions and scans without the types of functor and value.
/// Their code, from the choice of the route to the launch, is compiled once, in
/// libkokkosmma.

namespace KokkosMMA::Impl {

struct CallPlan;
namespace Cuda {
class StreamScratch;
}

/// Common part of reductions and scans.
struct ErasedCall {
  Cuda::Stream stream;
  void const* closure;  ///< argument of the pointers to functions
  /// Runs Kokkos' own code.
  void (*run_native)(void const* closure);
  void const* kernel;  ///< for an opaque functor
  /// Functor, reducer and first index: the kernel's first arguments.
  void const* arguments[3];
  void* result;  ///< null: not requested
  bool result_on_device;
  std::size_t value_bytes;
  /// Functors may use atomics with locks, whose state is per translation unit.
  void (*ensure_locks)();
  std::atomic_flag& reported;  ///< shared by all calls of this type
  /// What a call by name has decided; null: the launch decides.
  CallPlan const* plan = nullptr;
  bool must_wait = false;  ///< for the result (KokkosMMA_InterceptReduce.hpp)
  bool result_on_host = false;  ///< of a reduction: the host can write it
};

struct ErasedReduce : ErasedCall {
  ReduceProblem problem;
  StreamedTuning tuning;
  std::size_t running_bytes;  ///< size of a block's partial result
  /// Reduces visible data on the tensor cores; null if no kernel exists.
  void (*use_mma)(void const* closure, Cuda::StreamScratch const&);
  /// Sums the contributions exactly; null if no kernel is compiled.
  void (*use_exact)(void const* closure, Cuda::StreamScratch const&) = nullptr;
  /// Elements that the kernel iterates over: indices of a range, or all
  /// elements of the tiles of a box, those outside it included.
  std::uint64_t places = 0;
};

struct ErasedScan : ErasedCall {
  ScanProblem problem;
  StreamedScanTuning tuning;
  std::size_t shared_bytes;
  Cuda::LookBackSize look_back;
  /// Scans visible data in tiles; returns false if it cannot. Null if no kernel
  /// exists.
  bool (*scan_tiles)(void const* closure, Cuda::StreamScratch const&);
  /// KokkosMMA:: calls need their route; others run Kokkos' own code where a
  /// launch would lose an error that the application has not queried yet.
  bool may_lose_errors = false;
};

/// Reduction to an array whose length is known at run time, or to a value of
/// more than 64 bytes.
struct ErasedArrays : ErasedCall {
  ReduceProblem problem;
  ArrayTuning tuning;
  unsigned count;
  std::size_t alignment;
  /// Kernel for arrays of few values; null if none is compiled.
  void const* kernel_in_registers;
};

/// Runs a call by this library's kernel, or Kokkos' own code. Returns the route
/// that ran.
Route run_reduce(ErasedReduce& call);
Route run_arrays(ErasedArrays& call);
Route run_scan(ErasedScan& call);

/// Records for KOKKOSMMA_VERBOSE why a reduction of these types is not
/// intercepted, before Kokkos runs it.
void announce_refused(ReduceProblem const& types);

/// Adds the node of a reduction to a CUDA graph.
/// \return whether it is this library's; if not, the caller adds Kokkos' own
bool add_reduce_node(ErasedReduce& call, Cuda::GraphPlace const& place);

}  // namespace KokkosMMA::Impl

#endif
