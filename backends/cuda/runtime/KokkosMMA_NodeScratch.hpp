// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_NODE_SCRATCH_HPP
#define KOKKOSMMA_CUDA_NODE_SCRATCH_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/base/KokkosMMA_AtFinalize.hpp>

#include <cuda_runtime.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

/// \file
/// Device memory that lives as long as the graph whose node uses it.

namespace KokkosMMA::Impl::Cuda {

/// Scratch of graph nodes. A graph and its instances hold the memory of their
/// nodes by a user object. After the last of them is destroyed and has run, the
/// memory is free for another node. CUDA reports this on a thread that must not
/// call CUDA, so the memory is freed by Kokkos::finalize.
class NodeScratch {
 public:
  static NodeScratch& instance() { return until_finalize<NodeScratch>(); }

  /// Returns scratch for the partial results of a node of the graph on the
  /// current device. Throws std::bad_alloc if there is no memory.
  GridScratch take(int device_id, cudaGraph_t graph, std::size_t bytes) {
    Block* const block = find(device_id, ticket_bytes + bytes);
    RelaxedCapture const capture;
    OwnErrors const errors;
    cudaUserObject_t object = nullptr;
    if (cudaUserObjectCreate(&object, block, &give_back, 1,
                             cudaUserObjectNoDestructorSync) != cudaSuccess) {
      give_back(block);
      throw std::bad_alloc();
    }
    if (cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove) !=
        cudaSuccess) {
      cudaUserObjectRelease(object, 1);
      throw std::bad_alloc();
    }
    return {block->memory + ticket_bytes,
            reinterpret_cast<unsigned*>(block->memory)};
  }

  /// Called by Kokkos::finalize. Remaining graphs hold their blocks and cannot
  /// run any more.
  void release() {
    std::lock_guard<std::mutex> const lock(m_mutex);
    int current = 0;
    cudaGetDevice(&current);
    for (auto const& block : m_all) {
      if (block->memory == nullptr) continue;
      cudaSetDevice(block->device_id);
      cudaFree(block->memory);
      block->memory = nullptr;
    }
    cudaSetDevice(current);
  }

 private:
  static constexpr std::size_t ticket_bytes = 256;

  struct Block {
    int device_id;
    std::size_t capacity;
    char* memory;
    /// Set with the mutex, cleared without it: release() holds the mutex while
    /// it waits for CUDA, whose thread clears this.
    std::atomic<bool> in_use;
  };

  static void give_back(void* block) {
    static_cast<Block*>(block)->in_use.store(false, std::memory_order_release);
  }

  Block* find(int device_id, std::size_t bytes) {
    std::size_t const capacity = std::bit_ceil(bytes);
    std::unique_lock<std::mutex> lock(m_mutex);
    for (auto const& block : m_all)
      if (!block->in_use.load(std::memory_order_acquire) &&
          block->memory != nullptr && block->device_id == device_id &&
          block->capacity == capacity) {
        block->in_use.store(true, std::memory_order_relaxed);
        return block.get();
      }
    // An allocation may wait for running kernels, and these for a call of
    // another host thread.
    lock.unlock();
    std::unique_ptr<Block> block(new Block{
        device_id, capacity,
        static_cast<char*>(zeroed_memory(capacity, std::nullopt)), true});
    lock.lock();
    m_all.push_back(std::move(block));
    return m_all.back().get();
  }

  std::mutex m_mutex;
  std::vector<std::unique_ptr<Block>> m_all;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
