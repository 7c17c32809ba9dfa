// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/kernels/papers/KokkosMMA_PaperScan.hpp>

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/scan/KokkosMMA_TileScan.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/papers/KokkosMMA_WarpScanMma.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>

#include <cuda_fp16.h>

#include <type_traits>

// Why `auto` uses shuffles: a scan writes what it reads, so there are two bytes
// or more of traffic per byte of input to hide shuffles, and the exact split of
// row sums costs more instructions than five shuffles per 128 elements. GB/s
// read plus written, 2^28 elements of half (copy 4225), shuffles and MMA: 3566
// 3451 (H200, 2026-11-21).

namespace KokkosMMA::Impl::Cuda {
namespace {

/// The kernels spill under the cap of 72 registers of the shuffles' blocks, so
/// they may have 96. Blocks of 256 threads, 2 per multiprocessor and 4 tiles:
/// 3222 with 128 registers, 3376 with 96.
constexpr TileScanTuning paper_scan_tuning{
    .threads = 256, .min_blocks = 2, .tiles = 4};

template <class Output>
Refusal launch(Stream const& stream, PaperScan const& scan) {
  auto const with = [&](auto inclusive, StreamScratch const& scratch) {
    launch_tile_scan<WarpScanMma<Warp, decltype(inclusive)::value>, Output,
                     float, tuning_type<paper_scan_tuning>>(
        stream, scratch, scan.x, static_cast<Output*>(scan.y), scan.size,
        scan.init, scan.total, scan.total_on_device);
  };
  return with_scratch(stream, scan.total_on_device || !scan.total,
                      [&](StreamScratch const& scratch) {
                        if (scan.inclusive)
                          with(std::true_type{}, scratch);
                        else
                          with(std::false_type{}, scratch);
                      });
}

}  // namespace

Refusal launch_paper_scan(Stream const& stream, PaperScan const& scan) {
  return scan.output == Scalar::half ? launch<__half>(stream, scan)
                                     : launch<float>(stream, scan);
}

}  // namespace KokkosMMA::Impl::Cuda
