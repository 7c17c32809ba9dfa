// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_TILE_TUNING_HPP
#define KOKKOSMMA_CUDA_DENSE_TILE_TUNING_HPP

namespace KokkosMMA::Impl::Cuda {

/// \tparam Tiles of 8 rows. Two rows of weights take, with 8, 336 cycles of
/// shared memory and 390 of the tensor cores, with 16, 592 and 780; 12 spill
/// where 128 registers are all (CUDA 13.0).
/// \tparam Resident blocks per multiprocessor
/// 4, 8, 4 reach 320 10^9 sums per second at radius 7, 8, 8, 2 306, 8, 16, 1
/// 287 (H200, 2026-11-22).
template <int Warps, int Tiles, int Resident>
struct DenseTileTuning {
  static constexpr int warps    = Warps;
  static constexpr int tiles    = Tiles;
  static constexpr int resident = Resident;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
