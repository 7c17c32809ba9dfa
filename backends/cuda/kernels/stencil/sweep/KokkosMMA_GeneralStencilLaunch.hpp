// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_GENERAL_STENCIL_LAUNCH_HPP
#define KOKKOSMMA_CUDA_GENERAL_STENCIL_LAUNCH_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_DirectLaunch.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_GeneralStencil.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_StoreValues.hpp>
#include <core/stencil/KokkosMMA_DirectTaps.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace KokkosMMA::Impl::Cuda {

template <class A, int R, class Element, class Epilogue>
void launch_general_stencil(Stream const& space,
                            StencilGrid<Element, R> const& grid,
                            StencilWeights<R> const& weights,
                            Epilogue const& epilogue) {
  using Shape       = GeneralShape<A, R, Element>;
  auto const kernel = general_stencil<A, R, Element, Epilogue>;
  DirectTable<A> const table(weights, Shape::group);
  std::size_t const weight_words =
      (table.weights.size() * sizeof(A) + sizeof(std::uint64_t) - 1) /
      sizeof(std::uint64_t);
  std::vector<std::uint64_t> words(weight_words + table.masks.size());
  std::memcpy(words.data(), table.weights.data(),
              table.weights.size() * sizeof(A));
  std::copy(table.masks.begin(), table.masks.end(),
            words.begin() + std::ptrdiff_t(weight_words));
  StreamScratch const scratch(space);
  auto* const memory = static_cast<std::uint64_t*>(
      scratch->segments(words.size() * sizeof(std::uint64_t)));
  store_table(space, memory, words);

  StencilAlignment const alignment =
      stencil_alignment<Shape::group, A>(grid, epilogue);
  std::int64_t const columns = grid.extent[R - 1] - alignment.origin;
  std::int64_t const across  = (columns + Shape::tile_x - 1) / Shape::tile_x;
  std::int64_t tiles         = across;
  int radius_y               = 0;
  if constexpr (R > 1) {
    tiles *= (grid.extent[R - 2] + Shape::tile_y - 1) / Shape::tile_y;
    radius_y = weights.radius(R - 2);
  }
  GeneralArguments<A, R, Element, Epilogue, Shape> in{
      slab_source(grid, weights.radius(), alignment.loads),
      {epilogue, grid.extent[R - 1], alignment.stores},
      reinterpret_cast<A const*>(memory),
      memory + weight_words,
      alignment.origin,
      checked_blocks(across),
      checked_blocks(tiles),
      table.reach,
      table.groups,
      Shape::weights_at(weights.radius(R - 1), radius_y),
      0};
  int const shared =
      Shape::shared_bytes(weights.radius(R - 1), radius_y, table.groups);
  kernel_facts(space.device, kernel, Shape::threads, Shape::max_bytes);
  // A launch has at most most_blocks blocks; many small planes need more.
  std::int64_t const planes  = R > 2 ? grid.extent[0] : 1;
  std::int64_t const at_once = most_blocks / tiles;
  for (; in.first_plane < planes; in.first_plane += at_once)
    launch_kernel(space, "general_stencil", kernel,
                  {unsigned(tiles * std::min(at_once, planes - in.first_plane)),
                   Shape::threads, shared},
                  in);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
