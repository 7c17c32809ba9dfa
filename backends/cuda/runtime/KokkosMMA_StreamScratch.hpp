// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STREAM_SCRATCH_HPP
#define KOKKOSMMA_CUDA_STREAM_SCRATCH_HPP

#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_RelaxedCapture.hpp>
#include <backends/cuda/runtime/KokkosMMA_ResultTarget.hpp>
#include <core/base/KokkosMMA_AtFinalize.hpp>

#include <Kokkos_Core.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

/// \file
/// Memory for partial results of kernels, and the transfer of a result to the
/// host.

namespace KokkosMMA::Impl::Cuda {

/// Scratch that the launches of one stream use one after the other. The order
/// of the stream protects partial results and the aggregates of scans. A mutex
/// protects the words in pinned memory for a result for which the host waits.
/// Scratch grows by doubling, and smaller memory stays until the end: kernels
/// in flight or in a graph may use it. Later calls neither allocate nor
/// synchronise. Throws std::bad_alloc if there is no memory.
class Scratch {
 public:
  static constexpr int max_words = 16;  ///< of a scalar: 64 bytes, 4 per word

  [[gnu::cold]] explicit Scratch(int device_id) : m_device(device_id) {
    constexpr std::size_t counters = 128;
    auto* const memory             = static_cast<char*>(zeroed(counters));
    m_ticket                       = reinterpret_cast<unsigned*>(memory);
    m_scan.control = reinterpret_cast<ScanControl*>(memory + counters / 2);
    try {
      grow_words(max_words);
    } catch (std::bad_alloc const&) {
      release();
      throw;
    }
  }
  ~Scratch() { release(); }
  Scratch(Scratch const&)            = delete;
  Scratch& operator=(Scratch const&) = delete;

  int device_id() const { return m_device; }

  /// Memory for the partial results of `blocks` blocks.
  GridScratch grid(std::size_t blocks, std::size_t bytes_of_each) {
    return {m_partials.of(*this, blocks * bytes_of_each), m_ticket};
  }

  /// Words for the look-back of a scan.
  ScanScratch scan(std::uint64_t words) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    if (words > m_scan.capacity) {
      std::uint64_t const capacity = std::bit_ceil(words);
      m_scan.words =
          static_cast<std::uint64_t*>(zeroed(capacity * sizeof(std::uint64_t)));
      m_scan.capacity = capacity;
    }
    return m_scan;
  }

  /// Memory for values that blocks of a segmented operation exchange.
  void* segments(std::size_t bytes) { return m_segments.of(*this, bytes); }

  /// Counters that every launch finds at zero and leaves at zero.
  unsigned* counters(std::size_t count) {
    return static_cast<unsigned*>(
        m_counters.of(*this, count * sizeof(unsigned)));
  }

  /// Tens of milliseconds: the query only has to detect a kernel that failed.
  static constexpr unsigned spins_per_query = 1u << 24;

  /// Clears the words for a value of `bytes` bytes. One call at a time has the
  /// words, while it holds the lock.
  std::unique_lock<std::mutex> take_words(std::size_t bytes) {
    std::unique_lock<std::mutex> lock(m_words_mutex);
    std::size_t const count = (bytes + 3) / 4;
    if (count > m_word_capacity) grow_words(std::bit_ceil(count));
    for (std::size_t i = 0; i < count; ++i) m_words[i] = 0;
    return lock;
  }
  volatile unsigned long long* words() const { return m_words; }

  /// Waits for the value that a kernel stores in the words. The kernel itself
  /// may still run. No template: it is compiled once per source, not for each
  /// reduction.
  void receive(void* result, std::size_t bytes, cudaStream_t stream) {
    auto* to = static_cast<unsigned char*>(result);
    for (std::size_t i = 0; 4 * i < bytes; ++i) {
      std::atomic_ref<unsigned long long> const word(m_words[i]);
      unsigned long long seen = word.load(std::memory_order_acquire);
      for (unsigned spins = 1; !(seen & result_mark); ++spins) {
        if (spins % spins_per_query == 0) {
          RelaxedCapture const capture;
          OwnErrors const errors;
          cudaError_t const state = cudaStreamQuery(stream);
          if (state != cudaErrorNotReady) check(state, "kernel of a result");
        }
        seen = word.load(std::memory_order_acquire);
      }
      auto const bits = static_cast<std::uint32_t>(seen);
      std::memcpy(to + 4 * i, &bits, std::min<std::size_t>(4, bytes - 4 * i));
    }
  }

 private:
  struct Growing {
    void* memory         = nullptr;
    std::size_t capacity = 0;

    void* of(Scratch& scratch, std::size_t bytes) {
      std::lock_guard<std::mutex> const lock(scratch.m_mutex);
      if (bytes > capacity) {
        std::size_t const wanted = std::bit_ceil(bytes);
        memory                   = scratch.zeroed(wanted);
        capacity                 = wanted;
      }
      return memory;
    }
  };

  [[gnu::cold]] void* zeroed(std::size_t bytes) {
    RelaxedCapture const capture;
    OwnErrors const errors;
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) throw std::bad_alloc();
    // Not on the default stream, which waits for other streams. Creating a
    // stream may run out of memory, too.
    cudaStream_t stream = nullptr;
    cudaError_t error =
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error == cudaSuccess) {
      error = cudaMemsetAsync(memory, 0, bytes, stream);
      if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
      cudaStreamDestroy(stream);
    }
    if (error != cudaSuccess) {
      cudaFree(memory);
      if (error == cudaErrorMemoryAllocation) throw std::bad_alloc();
      check(error, "setting scratch to zero");
    }
    m_allocated.push_back(memory);
    return memory;
  }

  [[gnu::cold]] void grow_words(std::size_t count) {
    RelaxedCapture const capture;
    OwnErrors const errors;
    void* words = nullptr;
    if (cudaHostAlloc(&words, count * sizeof(unsigned long long),
                      cudaHostAllocMapped) != cudaSuccess)
      throw std::bad_alloc();
    m_pinned.push_back(words);
    m_words         = static_cast<unsigned long long*>(words);
    m_word_capacity = count;
  }

  [[gnu::cold]] void release() {
    int current = 0;
    cudaGetDevice(&current);
    cudaSetDevice(m_device);
    for (void* const memory : m_allocated) cudaFree(memory);
    for (void* const words : m_pinned) cudaFreeHost(words);
    cudaSetDevice(current);
  }

  int m_device;
  std::vector<void*> m_allocated;
  std::vector<void*> m_pinned;
  unsigned* m_ticket = nullptr;
  ScanScratch m_scan{};
  Growing m_partials;
  Growing m_segments;
  Growing m_counters;
  unsigned long long* m_words = nullptr;
  std::size_t m_word_capacity = 0;
  std::mutex m_mutex;
  std::mutex m_words_mutex;
};

/// Scratch of all streams. CUDA does not report the destruction of a stream, so
/// scratch moves to another stream once the work that used it is done: there
/// are no more scratches than streams were busy at a time. The scratch of the
/// default instance stays with it and needs no event. Captured streams have
/// separate scratch, because their graphs may be launched at any time.
class ScratchPool {
 public:
  struct Entry {
    Scratch scratch;
    cudaStream_t captured_from;  ///< null: not for a graph
    unsigned long long stream;   ///< unique number of the stream
    int users        = 0;        ///< calls that have not launched yet
    bool stays       = false;    ///< no other stream may use it
    cudaEvent_t last = nullptr;  ///< after the last launch that used it

    Entry(int device_id, cudaStream_t graph_of, unsigned long long number)
        : scratch(device_id), captured_from(graph_of), stream(number) {}
    ~Entry() {
      if (last != nullptr) cudaEventDestroy(last);
    }
  };

  /// Never destroyed: at exit of the process CUDA may be gone.
  static ScratchPool& instance() {
    static ScratchPool& pool = []() -> ScratchPool& {
      AtFinalize::add([] { instance().release(); });
      return *new ScratchPool;
    }();
    return pool;
  }

  /// Returns the scratch for one more call on a stream.
  Entry& take(int device_id, cudaStream_t stream, bool stays = false) {
    unsigned long long number = 0;
    check(cudaStreamGetId(stream, &number), "cudaStreamGetId");
    std::lock_guard<std::mutex> const lock(m_mutex);
    Entry& entry = find(device_id, number);
    entry.users += 1;
    entry.stays = entry.stays || stays;
    return entry;
  }

  /// Returns the scratch of the default instance's stream. Only the first call
  /// queries the number of the stream and takes a lock.
  Entry& of_default(int device_id, cudaStream_t stream) {
    if (Entry* const known = m_default.load(std::memory_order_acquire))
      return *known;
    Entry& entry = take(device_id, stream, true);
    m_default.store(&entry, std::memory_order_release);
    return entry;
  }

  /// Returns the scratch for one more call on a captured stream.
  [[gnu::cold]] Entry& take_for_graph(int device_id, cudaStream_t stream) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    Entry* found = nullptr;
    for (auto const& entry : m_all)
      if (entry->captured_from == stream &&
          entry->scratch.device_id() == device_id)
        found = entry.get();
    if (found == nullptr) {
      m_all.push_back(std::make_unique<Entry>(device_id, stream, 0));
      found        = m_all.back().get();
      found->stays = true;
    }
    return *found;
  }

  /// Records the end of a call's launches on this stream. After that, other
  /// streams may use its scratch, once it is given back.
  void mark(Entry& entry, cudaStream_t stream) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    if (entry.stays) return;
    OwnErrors const errors;
    if (entry.last == nullptr &&
        cudaEventCreateWithFlags(&entry.last, cudaEventDisableTiming) !=
            cudaSuccess)
      entry.last = nullptr;
    // Without an event it is unknown when the scratch is free.
    if (entry.last == nullptr ||
        cudaEventRecord(entry.last, stream) != cudaSuccess)
      entry.stays = true;
  }

  void give_back(Entry& entry) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    entry.users -= 1;
  }

  /// Called by Kokkos::finalize.
  [[gnu::cold]] void release() {
    std::lock_guard<std::mutex> const lock(m_mutex);
    m_default.store(nullptr, std::memory_order_relaxed);
    m_all.clear();
  }

 private:
  Entry& find(int device_id, unsigned long long stream) {
    auto const usable = [&](Entry const& entry) {
      return entry.captured_from == nullptr &&
             entry.scratch.device_id() == device_id;
    };
    for (auto const& entry : m_all)
      if (usable(*entry) && entry->stream == stream) return *entry;
    for (auto const& entry : m_all)
      if (usable(*entry) && is_free(*entry)) {
        entry->stream = stream;
        return *entry;
      }
    m_all.push_back(std::make_unique<Entry>(device_id, nullptr, stream));
    return *m_all.back();
  }

  static bool is_free(Entry const& entry) {
    if (entry.users > 0 || entry.stays || entry.last == nullptr) return false;
    RelaxedCapture const capture;
    OwnErrors const errors;
    return cudaEventQuery(entry.last) == cudaSuccess;
  }

  std::mutex m_mutex;
  std::vector<std::unique_ptr<Entry>> m_all;
  std::atomic<Entry*> m_default = nullptr;
};

/// Scratch for the launches of one call on the stream of an instance. The
/// destructor gives it back, after the launches.
class StreamScratch {
 public:
  explicit StreamScratch(Kokkos::Cuda const& space)
      : m_stream(space.cuda_stream()) {
    check(cudaSetDevice(space.cuda_device()), "cudaSetDevice");
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(m_stream, &status), "cudaStreamIsCapturing");
    m_captured = status != cudaStreamCaptureStatusNone;
    static cudaStream_t const default_stream = Kokkos::Cuda().cuda_stream();
    ScratchPool& pool                        = ScratchPool::instance();
    int const device_id                      = space.cuda_device();
    if (m_captured) {
      m_entry = &pool.take_for_graph(device_id, m_stream);
    } else if (m_stream == default_stream) {
      m_entry = &pool.of_default(device_id, m_stream);
    } else {
      m_entry      = &pool.take(device_id, m_stream);
      m_gives_back = true;
    }
  }
  ~StreamScratch() {
    mark();
    if (m_gives_back) ScratchPool::instance().give_back(*m_entry);
  }
  StreamScratch(StreamScratch const&)            = delete;
  StreamScratch& operator=(StreamScratch const&) = delete;

  Scratch* operator->() const {
    m_is_marked = false;
    return &m_entry->scratch;
  }
  cudaStream_t stream() const { return m_stream; }

  /// The launches become nodes of a graph, and the host cannot wait for them.
  bool captured() const { return m_captured; }

  /// Waits for all work of the stream. Kokkos Tools do not see this call, only
  /// fences of Kokkos; it replaces a part of one.
  void wait() const {
    RelaxedCapture const capture;
    check(cudaStreamSynchronize(m_stream), "cudaStreamSynchronize");
  }

  /// Runs `launch(target)` so that a result of `bytes` bytes reaches the
  /// caller: directly, in stream order, if the device can write there;
  /// otherwise through pinned memory, with a wait for this value.
  template <class Launch>
  void deliver(void* result, std::size_t bytes, bool device_accessible,
               Launch const& launch) const {
    Scratch& scratch = m_entry->scratch;
    std::unique_lock<std::mutex> lock;
    if (!device_accessible) lock = scratch.take_words(bytes);
    // One call: each copy of the launch would be compiled.
    launch(device_accessible ? ResultTarget<void>{result, nullptr}
                             : ResultTarget<void>{nullptr, scratch.words()});
    if (device_accessible) return;
    // Marked before the wait: a later fence would wait for a later mark.
    m_is_marked = false;
    mark();
    scratch.receive(result, bytes, m_stream);
  }
  template <class T, class Launch>
  void deliver(T* result, bool device_accessible, Launch const& launch) const {
    static_assert(Words<T>::size <= Scratch::max_words);
    deliver(
        result, sizeof(T), device_accessible,
        [&](ResultTarget<void> const& target) {
          launch(ResultTarget<T>{static_cast<T*>(target.memory), target.words});
        });
  }

 private:
  void mark() const {
    if (m_gives_back && !m_is_marked)
      ScratchPool::instance().mark(*m_entry, m_stream);
    m_is_marked = true;
  }

  cudaStream_t m_stream;
  ScratchPool::Entry* m_entry;
  bool m_captured          = false;
  bool m_gives_back        = false;
  mutable bool m_is_marked = false;  ///< after all launches so far
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
