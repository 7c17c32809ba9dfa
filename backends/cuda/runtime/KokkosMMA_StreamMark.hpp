// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STREAM_MARK_HPP
#define KOKKOSMMA_CUDA_STREAM_MARK_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>

namespace KokkosMMA::Impl::Cuda {

/// A point in the work of an instance for which the host can wait while later
/// work of the instance runs; Kokkos' fences wait for all work.
class StreamMark {
 public:
  StreamMark()                             = default;
  StreamMark(StreamMark const&)            = delete;
  StreamMark& operator=(StreamMark const&) = delete;
  ~StreamMark() {
    if (m_event) cudaEventDestroy(m_event);
  }

  /// Called after a launch on the instance: events belong to the device.
  void set(Stream const& stream) {
    if (!m_event)
      check(cudaEventCreateWithFlags(&m_event, cudaEventDisableTiming),
            "cudaEventCreateWithFlags");
    check(cudaEventRecord(m_event, stream.handle), "cudaEventRecord");
  }
  void wait() {
    RelaxedCapture const capture;
    check(cudaEventSynchronize(m_event), "cudaEventSynchronize");
  }

 private:
  cudaEvent_t m_event = nullptr;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
