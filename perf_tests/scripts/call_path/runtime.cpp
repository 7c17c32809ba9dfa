// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In place of the CUDA runtime: one H100 on which launches do nothing. It
// records the functions that are entered from begin_path() to the first launch.
// What is not here returns cudaSuccess (call_path.py).

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {
bool recording = false;
// No container: its functions are recorded ones.
void* entered[1 << 20];
int count = 0;

cudaError_t allocate(void** memory, size_t bytes) {
  *memory = std::calloc(bytes + 1, 1);
  return cudaSuccess;
}
}  // namespace

extern "C" {

void __cyg_profile_func_enter(void* function, void*) {
  if (recording && count < 1 << 20) entered[count++] = function;
}
void __cyg_profile_func_exit(void*, void*) {}
void begin_path(char const* name) {
  std::printf("path %s\n", name);
  recording = true;
}
void end_path() {
  recording = false;
  for (int i = 0; i < count; ++i) std::printf("%p\n", entered[i]);
  count = 0;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t,
                               cudaStream_t) {
  recording = false;
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(void const*, dim3, dim3, void**, size_t,
                             cudaStream_t) {
  recording = false;
  return cudaSuccess;
}
cudaError_t cudaLaunchKernelExC(cudaLaunchConfig_t const*, void const*,
                                void**) {
  recording = false;
  return cudaSuccess;
}

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, struct CUstream_st*) {
  return 0;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* all, int) {
  std::memset(all, 0, sizeof(*all));
  std::strcpy(all->name, "NVIDIA H100 80GB HBM3");
  all->major                       = 9;
  all->totalGlobalMem              = size_t(80) << 30;
  all->sharedMemPerBlock           = 48 << 10;
  all->sharedMemPerBlockOptin      = 227 << 10;
  all->sharedMemPerMultiprocessor  = 228 << 10;
  all->regsPerBlock                = 65536;
  all->regsPerMultiprocessor       = 65536;
  all->warpSize                    = 32;
  all->maxThreadsPerBlock          = 1024;
  all->maxThreadsPerMultiProcessor = 2048;
  all->maxBlocksPerMultiProcessor  = 32;
  all->maxThreadsDim[0] = all->maxThreadsDim[1] = 1024;
  all->maxThreadsDim[2]                         = 64;
  all->maxGridSize[0]                           = 0x7fffffff;
  all->maxGridSize[1] = all->maxGridSize[2] = 65535;
  all->multiProcessorCount                  = 132;
  all->l2CacheSize                          = 50 << 20;
  all->managedMemory = all->concurrentManagedAccess = 1;
  all->unifiedAddressing                            = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  cudaDeviceProp all;
  cudaGetDeviceProperties(&all, 0);
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount: *value = 132; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = 227 << 10; break;
    case cudaDevAttrL2CacheSize: *value = 50 << 20; break;
    case cudaDevAttrMemoryPoolsSupported: *value = 1; break;
    default: *value = 0;
  }
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  return allocate(memory, bytes);
}
cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t) {
  return allocate(memory, bytes);
}
cudaError_t cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t,
                                    cudaStream_t) {
  return allocate(memory, bytes);
}
cudaError_t cudaMallocManaged(void** memory, size_t bytes, unsigned) {
  return allocate(memory, bytes);
}
cudaError_t cudaMallocHost(void** memory, size_t bytes) {
  return allocate(memory, bytes);
}
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  return allocate(memory, bytes);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, void const* from, size_t bytes,
                       cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  // Kokkos::initialize reads __CUDA_ARCH__ of a kernel, which has not run.
  static bool first = true;
  if (first && bytes == sizeof(int)) *static_cast<int*>(to) = 900;
  if (bytes == sizeof(int)) first = false;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* all, void const*) {
  *all      = {};
  all->type = cudaMemoryTypeDevice;
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* all, void const*) {
  *all                           = {};
  all->maxThreadsPerBlock        = 1024;
  all->numRegs                   = 32;
  all->ptxVersion                = 90;
  all->binaryVersion             = 90;
  all->maxDynamicSharedSizeBytes = 227 << 10;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                          void const*, int,
                                                          size_t) {
  *blocks = 4;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t,
                                  cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long* id) {
  *id = 7;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  static char handle;
  *event = reinterpret_cast<cudaEvent_t>(&handle);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t,
                                 cudaEvent_t) {
  // Each time is shorter, so that the last candidate of a loop is chosen.
  static float time = 1e6f;
  *milliseconds     = time *= 0.9f;
  return cudaSuccess;
}
char const* cudaGetErrorName(cudaError_t) { return "an error"; }
char const* cudaGetErrorString(cudaError_t) { return "an error"; }

}  // extern "C"
