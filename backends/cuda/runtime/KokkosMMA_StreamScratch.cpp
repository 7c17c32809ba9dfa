// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/runtime/KokkosMMA_KeptErrors.hpp>
#include <backends/cuda/runtime/KokkosMMA_KokkosFunctions.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/base/KokkosMMA_AtFinalize.hpp>

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
#include <optional>
#include <utility>
#include <vector>

namespace KokkosMMA::Impl::Cuda {

/// Bytes of the counters before the words of scans. Each memory has its own:
/// when its tags run out, a launch clears its own words only, and a graph may
/// keep smaller memory.
static constexpr std::size_t scan_control = 128;

/// One allocation for what most programs need. Later ones may wait for kernels
/// that run.
Scratch::Scratch(int device_id, std::optional<cudaStream_t> stream)
    : m_device(device_id), m_stream(stream) {
  constexpr std::size_t words = 256, counters = 512,
                        scan = scan_control + 64 * 1024, partials = 128 * 1024;
  static_assert(words + max_words * sizeof(*m_words) <= counters);
  auto* const memory = static_cast<char*>(zeroed(counters + scan + partials));
  m_ticket           = reinterpret_cast<unsigned*>(memory);
  m_scan             = {memory + counters, scan};
  m_words_on_device  = reinterpret_cast<unsigned long long*>(memory + words);
  m_partials         = {memory + counters + scan, partials};
}

GridScratch Scratch::grid(std::size_t blocks, std::size_t bytes_of_each) {
  return {grown(m_partials, blocks * bytes_of_each).memory, m_ticket};
}

ScanScratch Scratch::scan(std::uint64_t words) {
  Growing const all =
      grown(m_scan, scan_control + words * sizeof(std::uint64_t));
  auto* const memory = static_cast<char*>(all.memory);
  return {reinterpret_cast<std::uint64_t*>(memory + scan_control),
          (all.capacity - scan_control) / sizeof(std::uint64_t),
          reinterpret_cast<ScanControl*>(memory)};
}

void* Scratch::segments(std::size_t bytes) {
  return grown(m_segments, bytes).memory;
}

unsigned* Scratch::counters(std::size_t count) {
  return static_cast<unsigned*>(
      grown(m_counters, count * sizeof(unsigned)).memory);
}

std::unique_lock<std::mutex> Scratch::take_words(std::size_t bytes) {
  std::unique_lock<std::mutex> lock(m_words_mutex);
  std::size_t const count = (bytes + 3) / 4;
  if (count <= max_words && m_copied_results < results_by_copy) {
    ++m_copied_results;
    m_words = m_words_on_device;
    return lock;
  }
  if (count > m_word_capacity)
    grow_words(lock, std::max<std::size_t>(max_words, std::bit_ceil(count)));
  m_words = m_words_on_host;
  for (std::size_t i = 0; i < count; ++i) m_words[i] = 0;
  return lock;
}

/// Tens of milliseconds: the query only has to detect a kernel that failed.
static constexpr unsigned spins_per_query = 1u << 24;

void Scratch::receive(void* result, std::size_t bytes, cudaStream_t stream) {
  auto* to = static_cast<unsigned char*>(result);
  if (m_words == m_words_on_device) {
    RelaxedCapture const capture;
    unsigned long long words[max_words];
    check(cudaMemcpyAsync(words, m_words, (bytes + 3) / 4 * sizeof(*words),
                          cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    for (std::size_t i = 0; 4 * i < bytes; ++i) {
      auto const bits = static_cast<std::uint32_t>(words[i]);
      std::memcpy(to + 4 * i, &bits, std::min<std::size_t>(4, bytes - 4 * i));
    }
    return;
  }
  for (std::size_t i = 0; 4 * i < bytes; ++i) {
    std::atomic_ref<unsigned long long> const word(m_words[i]);
    unsigned long long seen = word.load(std::memory_order_acquire);
    for (unsigned spins = 1; !(seen & result_mark); ++spins) {
      if (spins % spins_per_query == 0) {
        RelaxedCapture const capture;
        OwnErrors const errors;
        cudaError_t const state = queries_keep_errors()
                                      ? cudaStreamQuery(stream)
                                      : cudaStreamSynchronize(stream);
        if (state != cudaErrorNotReady) check(state, "kernel of a result");
      }
      seen = word.load(std::memory_order_acquire);
    }
    auto const bits = static_cast<std::uint32_t>(seen);
    std::memcpy(to + 4 * i, &bits, std::min<std::size_t>(4, bytes - 4 * i));
  }
}

/// Allocates without the lock: an allocation may wait for running kernels, and
/// these for a call of another host thread on the same stream.
Scratch::Growing Scratch::grown(Growing& memory, std::size_t bytes) {
  std::unique_lock<std::mutex> lock(m_mutex);
  if (bytes > memory.capacity) {
    std::size_t const wanted = std::bit_ceil(bytes);
    lock.unlock();
    void* const larger = zeroed(wanted);
    lock.lock();
    if (wanted > memory.capacity) memory = {larger, wanted};
  }
  return memory;
}

/// On a stream of its own: the default stream waits for other streams. Creating
/// a stream may run out of memory, too.
static cudaError_t zero_at_once(void* memory, std::size_t bytes) {
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error != cudaSuccess) return error;
  error = cudaMemsetAsync(memory, 0, bytes, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  return error;
}

void* zeroed_memory(std::size_t bytes, std::optional<cudaStream_t> stream) {
  RelaxedCapture const capture;
  OwnErrors const errors;
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) != cudaSuccess) throw std::bad_alloc();
  cudaError_t const error = stream ? cudaMemsetAsync(memory, 0, bytes, *stream)
                                   : zero_at_once(memory, bytes);
  if (error != cudaSuccess) {
    cudaFree(memory);
    if (error == cudaErrorMemoryAllocation) throw std::bad_alloc();
    check(error, "setting scratch to zero");
  }
  return memory;
}

void* Scratch::zeroed(std::size_t bytes) {
  void* const memory = zeroed_memory(bytes, m_stream);
  std::lock_guard<std::mutex> const lock(m_mutex);
  m_allocated.push_back(memory);
  return memory;
}

/// Without the lock, as grown().
void Scratch::grow_words(std::unique_lock<std::mutex>& lock,
                         std::size_t count) {
  RelaxedCapture const capture;
  OwnErrors const errors;
  void* words = nullptr;
  lock.unlock();
  if (cudaHostAlloc(&words, count * sizeof(unsigned long long),
                    cudaHostAllocMapped) != cudaSuccess)
    throw std::bad_alloc();
  lock.lock();
  m_pinned.push_back(words);
  if (count <= m_word_capacity) return;
  m_words_on_host = static_cast<unsigned long long*>(words);
  m_word_capacity = count;
}

void Scratch::release() {
  int current = 0;
  cudaGetDevice(&current);
  cudaSetDevice(m_device);
  for (void* const memory : m_allocated) cudaFree(memory);
  for (void* const words : m_pinned) cudaFreeHost(words);
  cudaSetDevice(current);
}

/// Scratch of one stream at a time.
struct ScratchEntry {
  Scratch scratch;
  bool for_graphs;
  cudaStream_t captured_from;   ///< if for_graphs
  unsigned long long stream;    ///< unique number of the stream, or 0
  std::uint64_t last_call = 0;  ///< its number among the calls of all streams
  int users               = 0;  ///< calls that have not launched yet
  bool stays              = false;    ///< no other stream may use it
  cudaEvent_t last        = nullptr;  ///< after the last launch that used it

  ScratchEntry(int device_id, cudaStream_t handle, unsigned long long number)
      : scratch(device_id, handle),
        for_graphs(false),
        captured_from(nullptr),
        stream(number) {}
  struct ForGraphs {};
  ScratchEntry(ForGraphs, int device_id, cudaStream_t captured,
               unsigned long long number)
      : scratch(device_id, std::nullopt),
        for_graphs(true),
        captured_from(captured),
        stream(number),
        stays(true) {}
  ~ScratchEntry() {
    if (last != nullptr) cudaEventDestroy(last);
  }
};

/// Scratch of all streams. CUDA does not report the destruction of a stream, so
/// scratch moves to another stream once the work that used it is done and
/// `kept_calls` other calls came after it. So there are at most that many more
/// scratches than streams were busy at a time, and streams that take turns keep
/// theirs: if it moves with each call of a small reduction, each call queries
/// events. Reductions of 2^14 and 2^18 doubles on 8 instances: 61 and 63 us
/// together, 71 and 85 if it moves, 56 and 59 in Kokkos (H200, 2026-11-29). The
/// scratch of the default instance stays with it and needs no
/// event. Captured streams have separate scratch, because their graphs may be
/// launched at any time.
class ScratchPool {
 public:
  static ScratchPool& instance() { return until_finalize<ScratchPool>(); }

  /// Returns the scratch for one more call on a stream.
  ScratchEntry& take(int device_id, cudaStream_t stream, bool stays = false) {
    unsigned long long const number = number_of(stream);
    std::unique_lock<std::mutex> lock(m_mutex);
    ScratchEntry* const known = find(device_id, stream, number);
    ScratchEntry& entry = known ? *known : add(lock, device_id, stream, number);
    entry.last_call     = ++m_calls;
    entry.users += 1;
    entry.stays = entry.stays || stays;
    return entry;
  }

  /// Returns the scratch of the default instance's stream. Only the first call
  /// queries the number of the stream and takes a lock.
  ScratchEntry& of_default(int device_id, cudaStream_t stream) {
    if (ScratchEntry* const known = m_default.load(std::memory_order_acquire))
      return *known;
    ScratchEntry& entry = take(device_id, stream, true);
    m_default.store(&entry, std::memory_order_release);
    return entry;
  }

  /// Returns the scratch for one more call on a captured stream. One handle
  /// stands for the streams of all host threads.
  ScratchEntry& take_for_graph(int device_id, cudaStream_t stream) {
    unsigned long long const number =
        stream == cudaStreamPerThread ? number_of(stream) : 0;
    std::unique_lock<std::mutex> lock(m_mutex);
    for (auto const& entry : m_all)
      if (entry->for_graphs && entry->captured_from == stream &&
          entry->stream == number && entry->scratch.device_id() == device_id)
        return *entry;
    return add(lock, ScratchEntry::ForGraphs(), device_id, stream, number);
  }

  /// Records the end of a call's launches on this stream. After that, other
  /// streams may use its scratch, once it is given back. Without the lock: if
  /// the stream has too many launches in flight, CUDA waits for one, which may
  /// wait for a call of another host thread.
  void mark(ScratchEntry& entry, cudaStream_t stream) {
    std::unique_lock<std::mutex> lock(m_mutex);
    if (entry.stays) return;
    OwnErrors const errors;
    if (entry.last == nullptr &&
        cudaEventCreateWithFlags(&entry.last, cudaEventDisableTiming) !=
            cudaSuccess)
      entry.last = nullptr;
    cudaEvent_t const last = entry.last;
    lock.unlock();
    if (last != nullptr && cudaEventRecord(last, stream) == cudaSuccess) return;
    // Without an event it is unknown when the scratch is free.
    lock.lock();
    entry.stays = true;
  }

  void give_back(ScratchEntry& entry) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    entry.users -= 1;
  }

  /// Called by Kokkos::finalize.
  void release() {
    std::lock_guard<std::mutex> const lock(m_mutex);
    m_default.store(nullptr, std::memory_order_relaxed);
    m_all.clear();
  }

 private:
  static constexpr std::uint64_t kept_calls = 16;
  /// Scratches from which on a query may replace an error of the application:
  /// one that never queries it would get memory with each new stream.
  static constexpr std::size_t kept_errors = 64;

  static unsigned long long number_of(cudaStream_t stream) {
    unsigned long long number = 0;
    check(cudaStreamGetId(stream, &number), "cudaStreamGetId");
    return number;
  }

  /// Adds scratch. Without the lock: an allocation may wait for running
  /// kernels, and these for a call of another host thread.
  template <class... Arguments>
  ScratchEntry& add(std::unique_lock<std::mutex>& lock,
                    Arguments const&... arguments) {
    lock.unlock();
    auto entry = std::make_unique<ScratchEntry>(arguments...);
    lock.lock();
    m_all.push_back(std::move(entry));
    return *m_all.back();
  }

  /// Returns the stream's scratch, or one that is free; null if there is none.
  ScratchEntry* find(int device_id, cudaStream_t stream,
                     unsigned long long number) {
    auto const usable = [&](ScratchEntry const& entry) {
      return !entry.for_graphs && entry.scratch.device_id() == device_id;
    };
    for (auto const& entry : m_all)
      if (usable(*entry) && entry->stream == number) return entry.get();
    if (m_all.size() < kept_errors && !queries_keep_errors()) return nullptr;
    for (auto const& entry : m_all)
      if (usable(*entry) && is_free(*entry)) {
        entry->stream = number;
        entry->scratch.move_to(stream);
        return entry.get();
      }
    return nullptr;
  }

  bool is_free(ScratchEntry const& entry) const {
    if (entry.users > 0 || entry.stays || entry.last == nullptr ||
        m_calls - entry.last_call < kept_calls)
      return false;
    RelaxedCapture const capture;
    OwnErrors const errors;
    return cudaEventQuery(entry.last) == cudaSuccess;
  }

  std::mutex m_mutex;
  std::vector<std::unique_ptr<ScratchEntry>> m_all;
  std::uint64_t m_calls                = 0;
  std::atomic<ScratchEntry*> m_default = nullptr;
};

StreamScratch::StreamScratch(Stream const& stream) : m_stream(stream.handle) {
  check(cudaSetDevice(stream.device), "cudaSetDevice");
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(m_stream, &status), "cudaStreamIsCapturing");
  m_captured = status != cudaStreamCaptureStatusNone;
  static auto const default_stream =
      static_cast<cudaStream_t>(KokkosFunctions::all().default_stream());
  ScratchPool& pool   = ScratchPool::instance();
  int const device_id = stream.device;
  if (m_captured) {
    m_entry = &pool.take_for_graph(device_id, m_stream);
  } else if (m_stream == default_stream) {
    m_entry = &pool.of_default(device_id, m_stream);
  } else {
    m_entry      = &pool.take(device_id, m_stream);
    m_gives_back = true;
  }
}

StreamScratch::~StreamScratch() {
  mark();
  if (m_gives_back) ScratchPool::instance().give_back(*m_entry);
}
Scratch* StreamScratch::operator->() const {
  m_is_marked = false;
  return &m_entry->scratch;
}

void StreamScratch::wait() const {
  RelaxedCapture const capture;
  check(cudaStreamSynchronize(m_stream), "cudaStreamSynchronize");
}

void StreamScratch::mark() const {
  if (m_gives_back && !m_is_marked)
    ScratchPool::instance().mark(*m_entry, m_stream);
  m_is_marked = true;
}

}  // namespace KokkosMMA::Impl::Cuda
