// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_LAUNCH_LAYOUT_HPP
#define KOKKOSMMA_CUDA_LAUNCH_LAYOUT_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <core/routing/KokkosMMA_Reproducibility.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Numbers on which the order of operations of a launch may depend besides data
/// and call: those of the device and its tuning table. For other levels than
/// run_to_run they are those of a reference device. Its grid runs on any
/// device: kernels loop over the work that a grid leaves, and blocks of a grid
/// that is too large wait.
struct LaunchLayout {
  int multiprocessors;
  TuningTable const& tuning;
  bool fixed;  ///< the same for all devices

  /// Shape of the launch of a reduction by an opaque functor.
  constexpr LaunchShape streamed_reduce(StreamedTuning const& tuned,
                                        std::uint64_t size, int resident,
                                        unsigned most_blocks) const {
    return fixed ? fixed_reduce_shape(tuned, size, most_blocks)
                 : streamed_reduce_shape(tuning, tuned, size, multiprocessors,
                                         resident, most_blocks);
  }
  /// Resident blocks per multiprocessor: as the runtime reports, or as the
  /// kernel's launch bounds guarantee.
  constexpr int blocks(int resident, int min_blocks) const {
    return fixed ? min_blocks : resident;
  }
};

LaunchLayout launch_layout(Stream const& stream, Reproducibility level);
/// The same for the level of the enclosing ScopedSettings.
LaunchLayout launch_layout(Stream const& stream);

}  // namespace KokkosMMA::Impl::Cuda

#endif
