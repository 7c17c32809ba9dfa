// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_CUDA_RUNTIME_H
#define KOKKOSMMA_EMULATED_CUDA_RUNTIME_H

#include "../KokkosMMA_EmulatedDevice.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

/// \file
/// As much of CUDA as the kernels of backends/cuda and their launches name, in
/// place of the toolkit's header: every name means what the CUDA C++
/// Programming Guide and the Runtime API (13.0) say of it.

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
// One block runs at a time.
#define __shared__ static

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
      : x(x_), y(y_), z(z_) {}
};

inline uint3 threadIdx{};
inline uint3 blockIdx{};
inline dim3 blockDim;
inline dim3 gridDim;

using std::max;
using std::min;

namespace KokkosMMA::Testing {

/// A value of each lane of `mask` becomes f(values by lane, lane): those of
/// lanes that are not there are the value itself.
template <class T, class F>
T exchange(unsigned mask, char const* name, T const& value, F const& f) {
  struct Operand {
    T value;
    T result;
  } own{value, value};
  EmulatedDevice::in_warp(mask, name, &own, [&](void* const(&operand)[32]) {
    auto const at = [&](int lane) {
      return static_cast<Operand*>(operand[lane]);
    };
    for (int lane = 0; lane < 32; ++lane)
      if (at(lane)) {
        int const from    = f(lane);
        auto* const given = from >= 0 && from < 32 ? at(from) : nullptr;
        at(lane)->result  = given ? given->value : at(lane)->value;
      }
  });
  return own.result;
}

}  // namespace KokkosMMA::Testing

inline void __syncthreads() {
  KokkosMMA::Testing::EmulatedDevice::barrier(0, 0);
}
inline int __syncthreads_or(int value) {
  return KokkosMMA::Testing::EmulatedDevice::barrier_or(value != 0);
}
inline void __syncwarp(unsigned mask = 0xffffffffu) {
  KokkosMMA::Testing::EmulatedDevice::in_warp(mask, "__syncwarp", &mask,
                                              [](void* const(&)[32]) {});
}
inline unsigned __ballot_sync(unsigned mask, int value) {
  struct Operand {
    bool value;
    unsigned result;
  } own{value != 0, 0};
  KokkosMMA::Testing::EmulatedDevice::in_warp(
      mask, "__ballot_sync", &own, [](void* const(&operand)[32]) {
        unsigned bits = 0;
        for (int lane = 0; lane < 32; ++lane)
          if (operand[lane])
            bits |= unsigned(static_cast<Operand*>(operand[lane])->value)
                    << lane;
        for (void* const each : operand)
          if (each) static_cast<Operand*>(each)->result = bits;
      });
  return own.result;
}
inline int __any_sync(unsigned mask, int value) {
  return __ballot_sync(mask, value) != 0;
}
template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  int const lane = int((threadIdx.x + blockDim.x * threadIdx.y) % 32);
  int const own  = lane / width * width + (from % width + width) % width;
  // Each lane says where its value comes from.
  struct Operand {
    T value;
    T result;
    int from;
  } operand{value, value, own};
  KokkosMMA::Testing::EmulatedDevice::in_warp(
      mask, "__shfl_sync", &operand, [](void* const(&all)[32]) {
        for (void* const each : all)
          if (each) {
            auto* const to = static_cast<Operand*>(each);
            if (void* const given = all[to->from])
              to->result = static_cast<Operand*>(given)->value;
          }
      });
  return operand.result;
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned offset, int width = 32) {
  return KokkosMMA::Testing::exchange(
      mask, "__shfl_up_sync", value, [&](int lane) {
        int const from = lane - int(offset);
        return from < lane / width * width ? lane : from;
      });
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned offset, int width = 32) {
  return KokkosMMA::Testing::exchange(
      mask, "__shfl_down_sync", value, [&](int lane) {
        int const from = lane + int(offset);
        return from >= (lane / width + 1) * width ? lane : from;
      });
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
  return KokkosMMA::Testing::exchange(
      mask, "__shfl_xor_sync", value, [&](int lane) {
        int const from = lane ^ lanes;
        return from >= (lane / width + 1) * width ? lane : from;
      });
}

template <class T>
T __ldg(T const* from) {
  return *from;
}
template <class T>
T __ldcs(T const* from) {
  return *from;
}
template <class T>
T __ldcg(T const* from) {
  return *from;
}
template <class T>
void __stcs(T* to, T value) {
  *to = value;
}

inline int __ffs(int bits) {
  return bits == 0 ? 0 : std::countr_zero(unsigned(bits)) + 1;
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned((std::uint64_t(high) << 32 | low) >> shift % 32);
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  std::uint64_t const bytes = std::uint64_t(high) << 32 | low;
  unsigned result           = 0;
  for (int i = 0; i < 4; ++i)
    result |= unsigned(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}
inline int __dp4a(int a, int b, int sum) {
  for (int i = 0; i < 4; ++i)
    sum += std::int8_t(a >> 8 * i) * std::int8_t(b >> 8 * i);
  return sum;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int i = 0; i < 4; ++i) sum += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
  return sum;
}
inline std::uint64_t __umul64hi(std::uint64_t a, std::uint64_t b) {
  __extension__ typedef unsigned __int128 Wide;
  return std::uint64_t(Wide(a) * b >> 64);
}
inline float __uint_as_float(unsigned bits) {
  return std::bit_cast<float>(bits);
}
inline void __threadfence() {}
// Blocks and threads take turns: nothing comes between.
template <class T>
T atomicAdd(T* at, T value) {
  T const before = *at;
  *at            = before + value;
  return before;
}
inline unsigned atomicOr(unsigned* at, unsigned value) {
  unsigned const before = *at;
  *at                   = before | value;
  return before;
}
inline unsigned atomicInc(unsigned* at, unsigned last) {
  unsigned const before = *at;
  *at                   = before >= last ? 0 : before + 1;
  return before;
}

/// Addresses of shared memory, all of which is static here.
inline std::size_t __cvta_generic_to_shared(void const* pointer) {
  return std::size_t(static_cast<unsigned char const*>(pointer) -
                     KokkosMMA::Testing::EmulatedDevice::shared_memory());
}

enum cudaError_t {
  cudaSuccess,
  cudaErrorMemoryAllocation,
  cudaErrorNotReady,
  cudaErrorIllegalAddress,
  cudaErrorAssert,
  cudaErrorHardwareStackError,
  cudaErrorIllegalInstruction,
  cudaErrorMisalignedAddress,
  cudaErrorInvalidAddressSpace,
  cudaErrorInvalidPc,
  cudaErrorLaunchFailure,
};
using cudaStream_t  = void*;
using cudaEvent_t   = void*;
using cudaMemPool_t = void*;
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrComputeCapabilityMinor,
  cudaDevAttrMemoryPoolsSupported,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
struct cudaFuncAttributes {
  std::size_t localSizeBytes;
  std::size_t sharedSizeBytes;
  int maxThreadsPerBlock;
  int ptxVersion;
};
struct cudaDeviceProp {
  char name[256];
  std::size_t totalGlobalMem;
};
enum cudaMemAllocationType { cudaMemAllocationTypePinned };
enum cudaMemLocationType { cudaMemLocationTypeDevice };
struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  struct {
    cudaMemLocationType type;
    int id;
  } location;
};
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold };
enum cudaStreamCaptureMode { cudaStreamCaptureModeRelaxed };
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive
};
inline constexpr unsigned cudaStreamNonBlocking  = 1;
inline constexpr unsigned cudaEventDisableTiming = 2;
inline constexpr unsigned cudaHostAllocMapped    = 2;

inline char const* cudaGetErrorName(cudaError_t) { return "cudaError"; }
inline char const* cudaGetErrorString(cudaError_t) { return "an error"; }
namespace KokkosMMA::Testing {
/// Last error of the host thread.
inline thread_local cudaError_t emulated_error = cudaSuccess;
/// Work of a stream that is done once the host has asked for it or waits.
inline void (*emulated_work)() = nullptr;
inline cudaError_t not_ready() { return emulated_error = cudaErrorNotReady; }
}  // namespace KokkosMMA::Testing
inline cudaError_t cudaGetLastError() {
  return std::exchange(KokkosMMA::Testing::emulated_error, cudaSuccess);
}
inline cudaError_t cudaPeekAtLastError() {
  return KokkosMMA::Testing::emulated_error;
}
inline cudaError_t cudaGetDevice(int* id) {
  *id = 0;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }

inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute,
                                          int) {
  *value = attribute == cudaDevAttrMultiProcessorCount      ? 132
           : attribute == cudaDevAttrComputeCapabilityMajor ? 9
           : attribute == cudaDevAttrMemoryPoolsSupported   ? 1
           : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin
               ? KokkosMMA::Testing::EmulatedDevice::max_shared_bytes
               : 0;
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {"emulated", std::size_t(1) << 30};
  return cudaSuccess;
}
namespace KokkosMMA::Testing {
inline int emulated_queries = 0;  ///< of a kernel's attributes
/// Threads per block for which kernels that are queried have registers.
inline int emulated_max_threads = 1024;
/// Kernels that were queried, which loads them.
inline std::set<void const*> emulated_loaded;
/// Called once, by the next function of CUDA that may wait for running kernels.
inline void (*emulated_wait)() = nullptr;
inline void emulate_wait() {
  if (auto* const wait = std::exchange(emulated_wait, nullptr)) wait();
}
}  // namespace KokkosMMA::Testing
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes,
                                         void const* kernel) {
  KokkosMMA::Testing::emulate_wait();
  ++KokkosMMA::Testing::emulated_queries;
  KokkosMMA::Testing::emulated_loaded.insert(kernel);
  *attributes                    = {};
  attributes->maxThreadsPerBlock = KokkosMMA::Testing::emulated_max_threads;
  attributes->ptxVersion         = 90;
  return cudaSuccess;
}
inline cudaError_t cudaFuncSetAttribute(void const*, cudaFuncAttribute, int) {
  return cudaSuccess;
}
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                                 void const*,
                                                                 int,
                                                                 std::size_t) {
  *blocks = 2;
  return cudaSuccess;
}
namespace KokkosMMA::Testing {
inline int emulated_allocations = 0;
inline int emulated_pinned      = 0;  ///< of these, in pinned host memory
}  // namespace KokkosMMA::Testing
inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  KokkosMMA::Testing::emulate_wait();
  ++KokkosMMA::Testing::emulated_allocations;
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
inline cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  ++KokkosMMA::Testing::emulated_pinned;
  return cudaMalloc(memory, bytes);
}
inline cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
inline cudaError_t cudaMallocAsync(void** memory, std::size_t bytes,
                                   cudaStream_t) {
  return cudaMalloc(memory, bytes);
}
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool,
                                     cudaMemPoolProps const*) {
  static int only_one;
  *pool = &only_one;
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr,
                                           void*) {
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
/// Not what the call before left there: NaNs.
inline cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes,
                                           cudaMemPool_t, cudaStream_t) {
  cudaError_t const error = cudaMalloc(memory, bytes);
  if (error == cudaSuccess) std::memset(*memory, 0xff, bytes);
  return error;
}
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t) {
  return cudaFree(memory);
}
inline cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes,
                                   cudaStream_t) {
  std::memset(to, byte, bytes);
  return cudaSuccess;
}
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
namespace KokkosMMA::Testing {
inline int emulated_copies_to_host = 0;
}
inline cudaError_t cudaMemcpyAsync(void* to, void const* from,
                                   std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t) {
  if (kind == cudaMemcpyDeviceToHost)
    ++KokkosMMA::Testing::emulated_copies_to_host;
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
namespace KokkosMMA::Testing {
inline std::atomic<int> emulated_synchronizations = 0;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  using KokkosMMA::Testing::emulated_work;
  ++KokkosMMA::Testing::emulated_synchronizations;
  if (auto* const work = std::exchange(emulated_work, nullptr)) work();
  return cudaSuccess;
}
inline cudaError_t cudaStreamQuery(cudaStream_t) {
  using KokkosMMA::Testing::emulated_work;
  auto* const work = std::exchange(emulated_work, nullptr);
  if (work == nullptr) return cudaSuccess;
  work();
  return KokkosMMA::Testing::not_ready();
}
/// One handle for a stream of each host thread.
inline auto const cudaStreamPerThread = reinterpret_cast<cudaStream_t>(2);
inline cudaError_t cudaStreamGetId(cudaStream_t stream,
                                   unsigned long long* number) {
  thread_local char of_this_thread;
  *number = reinterpret_cast<unsigned long long>(
      stream == cudaStreamPerThread ? &of_this_thread : stream);
  return cudaSuccess;
}
/// Events for times: a test moves the clock, and says whether events are done
/// that are recorded from now on.
namespace KokkosMMA::Testing {
inline float emulated_clock       = 0;
inline bool emulated_events_done  = true;
inline int emulated_events        = 0;
inline int emulated_event_queries = 0;
inline bool emulated_capture      = false;
struct EmulatedEvent {
  float time   = 0;
  bool is_done = true;
};
}  // namespace KokkosMMA::Testing
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  ++KokkosMMA::Testing::emulated_events;
  *event = new KokkosMMA::Testing::EmulatedEvent;
  return cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return cudaEventCreate(event);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  KokkosMMA::Testing::emulate_wait();
  using namespace KokkosMMA::Testing;
  if (event)
    *static_cast<EmulatedEvent*>(event) = {emulated_clock,
                                           emulated_events_done};
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventQuery(cudaEvent_t event) {
  using namespace KokkosMMA::Testing;
  ++emulated_event_queries;
  return emulated_events_done || static_cast<EmulatedEvent*>(event)->is_done
             ? cudaSuccess
             : not_ready();
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin,
                                        cudaEvent_t end) {
  using Event = KokkosMMA::Testing::EmulatedEvent;
  *milliseconds =
      static_cast<Event*>(end)->time - static_cast<Event*>(begin)->time;
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event) --KokkosMMA::Testing::emulated_events;
  delete static_cast<KokkosMMA::Testing::EmulatedEvent*>(event);
  return cudaSuccess;
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t,
                                         cudaStreamCaptureStatus* status) {
  *status = KokkosMMA::Testing::emulated_capture ? cudaStreamCaptureStatusActive
                                                 : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) {
  return cudaSuccess;
}

/// The instance whose stream the launches use.
namespace Kokkos {
struct Cuda {
  cudaStream_t cuda_stream() const { return nullptr; }
  int cuda_device() const { return 0; }
};
}  // namespace Kokkos

/// A graph that holds user objects and no nodes.
struct cudaUserObject {
  void* pointer;
  void (*destroy)(void*);
};
using cudaUserObject_t = cudaUserObject*;
struct cudaGraph {
  std::vector<cudaUserObject_t> objects;
};
using cudaGraph_t                                        = cudaGraph*;
using cudaGraphNode_t                                    = void*;
inline constexpr unsigned cudaUserObjectNoDestructorSync = 1;
inline constexpr unsigned cudaGraphUserObjectMove        = 1;
inline cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer,
                                        void (*destroy)(void*), unsigned,
                                        unsigned) {
  *object = new cudaUserObject{pointer, destroy};
  return cudaSuccess;
}
inline cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned) {
  object->destroy(object->pointer);
  delete object;
  return cudaSuccess;
}
inline cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph,
                                             cudaUserObject_t object, unsigned,
                                             unsigned) {
  graph->objects.push_back(object);
  return cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  for (cudaUserObject_t const object : graph->objects)
    cudaUserObjectRelease(object, 1);
  graph->objects.clear();
  return cudaSuccess;
}

#endif
