// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WITH_SCRATCH_HPP
#define KOKKOSMMA_WITH_SCRATCH_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

/// \file
/// Launches that use the scratch of their stream.

namespace KokkosMMA::Impl {

/// Number of blocks of a scan; they fetch tiles until none is left.
inline unsigned scan_blocks(Cuda::Stream const& stream, unsigned tiles,
                            int resident_blocks) {
  int const processors = Cuda::device(stream.device).multiprocessors;
  return std::min(tiles, unsigned(processors) * unsigned(resident_blocks));
}

/// Calls launch(target, scan) with `words` of scratch and delivers the total.
/// The last tile's total may arrive before the final invocations of other
/// tiles. So a call with a total on the host waits for the kernel, also if the
/// total is a View, for which Kokkos itself does not wait.
template <class Launch>
void deliver_total(Cuda::StreamScratch const& scratch, std::uint64_t words,
                   void* result, std::size_t bytes, bool on_device,
                   Launch const& launch) {
  Cuda::ScanScratch const scan = scratch->scan(words);
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
