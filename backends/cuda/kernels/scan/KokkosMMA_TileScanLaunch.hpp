// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_TILE_SCAN_LAUNCH_HPP
#define KOKKOSMMA_CUDA_TILE_SCAN_LAUNCH_HPP

#include <backends/cuda/kernels/scan/KokkosMMA_TileScan.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_WithScratch.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace KokkosMMA::Impl::Cuda {

/// Register type of a tile scan for an accumulator; integers are modulo 2^bits.
template <class Accumulator>
using tile_value_t = std::conditional_t<
    std::is_floating_point_v<Accumulator>, Accumulator,
    std::conditional_t<sizeof(Accumulator) == 8, std::uint64_t, std::uint32_t>>;

/// Scans `size` contiguous elements of x into y; `init` is added to every
/// output and not to the total. y may be x.
/// \tparam TileScan WarpScanShuffle or WarpScanMma
/// \param total null if not requested; StreamScratch::deliver() says when it is
/// available
template <template <class, class, bool> class TileScan, bool Inclusive,
          class TileTuning, class Input, class Output, class Accumulator,
          class T>
void launch_tile_scan(Stream const& stream, StreamScratch const& scratch,
                      Input const* x, Output* y, std::uint64_t size,
                      Accumulator init, T* total, bool total_on_device) {
  using Value                  = tile_value_t<Accumulator>;
  using Encoding               = ScanEncoding<scalar_v<Input>, Value>;
  using Scan                   = TileScan<Warp, Encoding, Inclusive>;
  constexpr std::size_t shared = sizeof(TileScanMemory<Scan, TileTuning>);
  constexpr unsigned threads   = TileTuning::value.threads;
  constexpr std::uint64_t per_tile =
      threads / 32 * TileTuning::value.tiles * 64 * Encoding::elements;
  KernelFacts const facts =
      kernel_facts(stream.device, &tile_scan<Scan, Output, T, TileTuning>,
                   threads + 32, shared);

  std::size_t const skip =
      reinterpret_cast<std::uintptr_t>(x) % Encoding::bytes / sizeof(Input);
  Output* const shifted = y - skip;
  TileScanOperands<Output, Value> const arguments{
      reinterpret_cast<unsigned char const*>(x - skip),
      shifted,
      skip,
      size,
      static_cast<Value>(init),
      reinterpret_cast<std::uintptr_t>(shifted) %
              (Encoding::elements * sizeof(Output)) ==
          0};
  auto const tiles = unsigned((skip + size + per_tile - 1) / per_tile);
  deliver_total(
      scratch, look_back_words<Value>(tiles), total, sizeof(T),
      total_on_device || !total,
      [&](ResultTarget<void> const& target, ScanScratch const& scan) {
        launch_kernel(
            stream, "tile_scan", tile_scan<Scan, Output, T, TileTuning>,
            {scan_blocks(stream, tiles, facts.resident_blocks), threads + 32,
             shared},
            arguments, tiles, scan,
            ResultTarget<T>{static_cast<T*>(target.memory), target.words});
      });
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
