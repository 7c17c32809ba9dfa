// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/kernels/papers/KokkosMMA_PaperScan.hpp>

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/scan/KokkosMMA_TileScan.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/papers/KokkosMMA_WarpScanMma.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>
#include <type_traits>

// Why `auto` uses shuffles: a scan writes what it reads, so there are two bytes
// or more of traffic per byte of input to hide shuffles, and the exact split of
// row sums costs more instructions than five shuffles per 128 elements. GB/s
// read plus written, 2^28 elements (copy 4225), shuffles and MMA: float 3755
// 3625, half 3566 3451, int8 3460 3412, double 3754 3223, int32 3730 3487,
// int64 3755 2741 (H200, 2026-11-21).

namespace KokkosMMA::Impl::Cuda {
namespace {

/// The kernels spill under the cap of 72 registers of the shuffles' blocks, so
/// they may have 96. 64-bit integers spill under 96 too; 16 warps per
/// multiprocessor allow 128. MMA with 256 x 2 and 4 tiles of half: 3222 with
/// 128 registers, 3376 with 96.
constexpr TileScanTuning paper_scan_tuning(bool eight_columns) {
  return {.threads = eight_columns ? 224 : 256, .min_blocks = 2, .tiles = 4};
}

template <Scalar Input, class Value, class Output>
Refusal launch(Stream const& stream, PaperScan const& scan) {
  using Encoding = ScanEncoding<Input, Value>;
  using Tuning =
      tuning_type<paper_scan_tuning(std::is_same_v<Value, std::uint64_t>)>;
  Value init;
  std::memcpy(&init, scan.init, sizeof(init));
  auto const with = [&](auto inclusive, StreamScratch const& scratch) {
    launch_tile_scan<WarpScanMma<Warp, Encoding, decltype(inclusive)::value>,
                     Output, Value, Tuning>(
        stream, scratch, scan.x, static_cast<Output*>(scan.y), scan.size, init,
        static_cast<Value*>(scan.total), scan.total_on_device);
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
  using enum Scalar;
  bool const wider = scan.output != scan.input;
  switch (scan.input) {
    case half:
      return wider ? launch<half, float, float>(stream, scan)
                   : launch<half, float, __half>(stream, scan);
    case bhalf:
      return wider ? launch<bhalf, float, float>(stream, scan)
                   : launch<bhalf, float, __nv_bfloat16>(stream, scan);
    case float32: return launch<float32, float, float>(stream, scan);
    case float64: return launch<float64, double, double>(stream, scan);
    case int8: return launch<int8, std::uint32_t, std::uint32_t>(stream, scan);
    case uint8:
    case boolean:
      return launch<uint8, std::uint32_t, std::uint32_t>(stream, scan);
    case int32:
    case uint32:
      return launch<uint32, std::uint32_t, std::uint32_t>(stream, scan);
    case int64:
    case uint64:
      return launch<uint64, std::uint64_t, std::uint64_t>(stream, scan);
    case opaque: break;
  }
  return no_encoding;
}

}  // namespace KokkosMMA::Impl::Cuda
