// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_TILE_STENCIL_LAUNCH_HPP
#define KOKKOSMMA_CUDA_DENSE_TILE_STENCIL_LAUNCH_HPP

#include <backends/cuda/kernels/block/KokkosMMA_RunKernel.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/stencil/dense/KokkosMMA_DenseTileStencil.hpp>
#include <core/stencil/KokkosMMA_RowAlignment.hpp>
#include <core/stencil/KokkosMMA_SplitWeights.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Launches the dense tile kernel, asynchronously. DenseBandStencil must
/// support the weights. Their radius is at most 8.
template <class Tuning = tuning_type<dense_tile_tuning>, class Element,
          class Epilogue>
void launch_dense_tile(Stream const& space, StencilGrid<Element, 2> const& grid,
                       StencilWeights<2> const& weights,
                       Epilogue const& epilogue) {
  using Kernel = DenseTileKernel<Element, Epilogue, Tuning>;
  using Format = weight_operand_t<is_band_half<Element>>;
  typename Kernel::Task task{};
  task.grid                   = grid;
  task.epilogue               = epilogue;
  SplitWeights const operands = split_weights<Format>(weights.values());
  task.operands               = operands.count;
  task.scale                  = float(std::ldexp(1., -operands.exponent));
  for (int d = 0; d < 2; ++d) {
    int const radius = task.radius[d] = weights.radius(d);
    task.low[d]                       = -grid.boundaries.ghosts_low(d, radius);
    task.high[d] = grid.extent[d] + grid.boundaries.ghosts_high(d, radius);
  }
  for (int a = 0; a <= 2 * task.radius[0]; ++a)
    for (int b = 0; b <= 2 * task.radius[1]; ++b) {
      double const weight =
          weights.weight({a - task.radius[0], b - task.radius[1]});
      task.weight[a][b] = float(weight);
      double rest       = std::ldexp(weight, operands.exponent);
      for (int p = 0; p < SplitWeights::most; ++p)
        task.operand[p][a][b] = take_operand<Format>(rest);
    }
  task.shift =
      int(reinterpret_cast<std::uintptr_t>(grid.data) / sizeof(Element) % 8);
  task.tiles[0] =
      int((grid.extent[0] + Kernel::Tile::rows - 1) / Kernel::Tile::rows);
  task.tiles[1]    = int((grid.extent[1] + task.shift + Kernel::columns - 1) /
                      Kernel::columns);
  task.is_aligned  = vectors_aligned<2>(epilogue, task.shift, 4);
  auto const facts = kernel_facts(space.device, run_kernel<Kernel>,
                                  Kernel::threads, Kernel::shared_bytes);
  std::int64_t const slots =
      std::int64_t(device(space.device).multiprocessors) *
      std::max(1, facts.resident_blocks);
  int const blocks =
      int(std::min(slots, std::int64_t(task.tiles[0]) * task.tiles[1]));
  task.step[0] = blocks / task.tiles[1];
  task.step[1] = blocks % task.tiles[1];
  launch_kernel(space, "dense_tile", run_kernel<Kernel>,
                {unsigned(blocks), Kernel::threads, Kernel::shared_bytes},
                task);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
