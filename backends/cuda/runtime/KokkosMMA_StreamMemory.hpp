// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STREAM_MEMORY_HPP
#define KOKKOSMMA_CUDA_STREAM_MEMORY_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/base/KokkosMMA_AtFinalize.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

/// \file
/// Device memory of a call, until its kernels have run.

namespace KokkosMMA::Impl::Cuda {

/// Memory pools of the devices. Between calls a pool keeps up to 1/32 of the
/// device's memory.
class MemoryPools {
 public:
  static MemoryPools& instance() { return until_finalize<MemoryPools>(); }

  /// Returns the pool of a device; null if pools are not supported.
  cudaMemPool_t of(int device_id) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    auto const [entry, is_new] = m_all.try_emplace(device_id, nullptr);
    cudaMemPool_t& pool        = entry->second;
    if (!is_new) return pool;
    int has_pools = 0;
    check(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported,
                                 device_id),
          "cudaDeviceGetAttribute");
    if (has_pools == 0) return pool;
    cudaMemPoolProps properties{};
    properties.allocType     = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id   = device_id;
    check(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
    std::uint64_t kept = device(device_id).memory_bytes / 32;
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept),
          "cudaMemPoolSetAttribute");
    return pool;
  }

  /// Called by Kokkos::finalize.
  void release() {
    std::lock_guard<std::mutex> const lock(m_mutex);
    for (auto const& [id, pool] : m_all)
      if (pool != nullptr) cudaMemPoolDestroy(pool);
    m_all.clear();
  }

 private:
  std::mutex m_mutex;
  std::map<int, cudaMemPool_t> m_all;
};

/// Memory that is allocated and freed in stream order, without a wait of the
/// host. cudaMalloc and cudaFree around the kernels of a call wait for the
/// device; a View of 1 GB of Kokkos 4.6 costs 0.7 ms (H200, CUDA 13.0,
/// 2026-11-22).
class StreamMemory {
 public:
  StreamMemory() = default;
  /// Without memory if the device has no pool or too little is left.
  StreamMemory(Stream const& stream, std::size_t bytes)
      : m_stream(stream.handle) {
    cudaMemPool_t const pool = MemoryPools::instance().of(stream.device);
    if (pool == nullptr || bytes == 0) return;
    OwnErrors const errors;
    cudaError_t const error =
        cudaMallocFromPoolAsync(&m_memory, bytes, pool, m_stream);
    if (error == cudaSuccess) return;
    m_memory = nullptr;
    if (error != cudaErrorMemoryAllocation)
      check(error, "cudaMallocFromPoolAsync");
  }
  StreamMemory(StreamMemory&& other) noexcept
      : m_stream(other.m_stream),
        m_memory(std::exchange(other.m_memory, nullptr)) {}
  StreamMemory& operator=(StreamMemory&& other) noexcept {
    std::swap(m_stream, other.m_stream);
    std::swap(m_memory, other.m_memory);
    return *this;
  }
  ~StreamMemory() {
    if (m_memory != nullptr) cudaFreeAsync(m_memory, m_stream);
  }

  void* data() const { return m_memory; }

 private:
  cudaStream_t m_stream = nullptr;
  void* m_memory        = nullptr;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
