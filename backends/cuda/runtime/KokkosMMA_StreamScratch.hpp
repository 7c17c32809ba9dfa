// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STREAM_SCRATCH_HPP
#define KOKKOSMMA_CUDA_STREAM_SCRATCH_HPP

#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_ResultTarget.hpp>
#include <core/routing/KokkosMMA_Refusal.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

/// \file
/// Memory for partial results of kernels, and the transfer of a result to the
/// host. Compiled once, in libkokkosmma.

namespace KokkosMMA::Impl::Cuda {

/// Returns memory of zeros on the current device. Throws std::bad_alloc if
/// there is none.
/// \param stream of the launches, which sets the memory to zero before them;
///        none: another stream does, and the host waits
void* zeroed_memory(std::size_t bytes, std::optional<cudaStream_t> stream);

/// Scratch that the launches of one stream use one after the other. The order
/// of the stream protects partial results and the aggregates of scans. A mutex
/// protects the words in pinned memory for a result for which the host waits.
/// Scratch grows by doubling, and smaller memory stays until the end: kernels
/// in flight or in a graph may use it. Later calls neither allocate nor
/// synchronise, except for the pinned memory of results on the host. Throws
/// std::bad_alloc if there is no memory.
class Scratch {
 public:
  static constexpr int max_words = 16;  ///< of a scalar: 64 bytes, 4 per word
  /// Scalars that are copied from device memory before pinned memory is
  /// allocated, which takes longer than several copies. The first sum to the
  /// host took 449 us with this allocation and with a stream for setting memory
  /// to zero, and takes 85 now; 50 to 58 in Kokkos (H200, Kokkos 5.0.2,
  /// 2026-11-29).
  static constexpr int results_by_copy = 16;

  /// \param stream as for zeroed_memory()
  Scratch(int device_id, std::optional<cudaStream_t> stream);
  ~Scratch() { release(); }
  Scratch(Scratch const&)            = delete;
  Scratch& operator=(Scratch const&) = delete;

  int device_id() const { return m_device; }

  /// Further launches are on this stream.
  void move_to(cudaStream_t stream) { m_stream = stream; }

  /// Memory for the partial results of `blocks` blocks.
  GridScratch grid(std::size_t blocks, std::size_t bytes_of_each);

  /// Words for the look-back of a scan.
  ScanScratch scan(std::uint64_t words);

  /// Memory for values that blocks of a segmented operation exchange.
  void* segments(std::size_t bytes);

  /// Counters that every launch finds at zero and leaves at zero.
  unsigned* counters(std::size_t count);

  /// Prepares the words for a value of `bytes` bytes. One call at a time has
  /// the words, while it holds the lock.
  std::unique_lock<std::mutex> take_words(std::size_t bytes);
  volatile unsigned long long* words() const { return m_words; }

  /// Waits for the value that a kernel stores in the words. The kernel itself
  /// may still run, unless the words are in device memory.
  void receive(void* result, std::size_t bytes, cudaStream_t stream);

 private:
  struct Growing {
    void* memory         = nullptr;
    std::size_t capacity = 0;
  };

  Growing grown(Growing& memory, std::size_t bytes);

  void* zeroed(std::size_t bytes);

  void grow_words(std::unique_lock<std::mutex>& lock, std::size_t count);

  void release();

  int m_device;
  std::optional<cudaStream_t> m_stream;
  std::vector<void*> m_allocated;
  std::vector<void*> m_pinned;
  unsigned* m_ticket = nullptr;
  Growing m_scan;
  Growing m_partials;
  Growing m_segments;
  Growing m_counters;
  unsigned long long* m_words           = nullptr;  ///< of the current value
  unsigned long long* m_words_on_host   = nullptr;
  unsigned long long* m_words_on_device = nullptr;
  std::size_t m_word_capacity           = 0;  ///< on the host
  int m_copied_results                  = 0;
  std::mutex m_mutex;
  std::mutex m_words_mutex;
};

struct ScratchEntry;

/// Scratch for the launches of one call on the stream of an instance. The
/// destructor gives it back, after the launches.
class StreamScratch {
 public:
  explicit StreamScratch(Stream const& stream);
  ~StreamScratch();
  StreamScratch(StreamScratch const&)            = delete;
  StreamScratch& operator=(StreamScratch const&) = delete;

  Scratch* operator->() const;
  cudaStream_t stream() const { return m_stream; }

  /// The launches become nodes of a graph, and the host cannot wait for them.
  bool captured() const { return m_captured; }

  /// Waits for all work of the stream. Kokkos Tools do not see this call, only
  /// fences of Kokkos; it replaces a part of one.
  void wait() const;

  /// Runs `launch(target)` so that a result of `bytes` bytes reaches the
  /// caller: directly, in stream order, if the device can write there;
  /// otherwise through pinned memory, with a wait for this value.
  template <class Launch>
  void deliver(void* result, std::size_t bytes, bool device_accessible,
               Launch const& launch) const {
    Scratch& scratch = *operator->();
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
  void mark() const;

  cudaStream_t m_stream;
  ScratchEntry* m_entry;
  bool m_captured          = false;
  bool m_gives_back        = false;
  mutable bool m_is_marked = false;  ///< after all launches so far
};

}  // namespace KokkosMMA::Impl::Cuda

namespace KokkosMMA::Impl {

/// Number of blocks of a scan; they fetch tiles until none is left.
inline unsigned scan_blocks(Cuda::Stream const& stream, unsigned tiles,
                            int resident_blocks) {
  int const processors = Cuda::device(stream.device).multiprocessors;
  return std::min(tiles, unsigned(processors) * unsigned(resident_blocks));
}

/// Calls launch(target, scan) with the words of the look-back and delivers the
/// total.
/// The last tile's total may arrive before the final invocations of other
/// tiles. So a call with a total on the host waits for the kernel, also if the
/// total is a View, for which Kokkos itself does not wait.
template <class Launch>
void deliver_total(Cuda::StreamScratch const& scratch,
                   Cuda::LookBackSize const& size, unsigned tiles, void* result,
                   std::size_t bytes, bool on_device, Launch const& launch) {
  Cuda::ScanScratch const scan = scratch->scan(size.words(tiles));
  scratch.deliver(
      result, bytes, on_device,
      [&](Cuda::ResultTarget<void> const& target) { launch(target, scan); });
  if (!on_device) scratch.wait();
}

/// Runs `launch(scratch)`, or returns why Kokkos' own code must handle the
/// call: the device has no memory for scratch, or the stream is captured and
/// the host would wait for the result.
template <class Launch>
Refusal with_scratch(Cuda::Stream const& stream, bool result_on_device,
                     Launch const& launch) {
  try {
    Cuda::StreamScratch const scratch(stream);
    if (scratch.captured() && !result_on_device)
      return {"the stream is captured and the result goes to the host",
              "a captured kernel has not run when the call returns"};
    launch(scratch);
    return {};
  } catch (std::bad_alloc const&) {
    return {"the device has no memory left for scratch"};
  }
}

}  // namespace KokkosMMA::Impl

#endif
