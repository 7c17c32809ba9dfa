// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_RELAXED_CAPTURE_HPP
#define KOKKOSMMA_CUDA_RELAXED_CAPTURE_HPP

#include <cuda_runtime.h>

namespace KokkosMMA::Impl::Cuda {

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

}  // namespace KokkosMMA::Impl::Cuda

#endif
