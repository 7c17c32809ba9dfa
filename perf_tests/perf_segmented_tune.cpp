// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Perf_Segmented.hpp"

#include <iostream>
#include <string>

#ifdef KOKKOS_ENABLE_CUDA
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedReduce.hpp>
#endif

/// --mma-tune: the launcher of the staged kernels with other block shapes than
/// the one of core/routing/KokkosMMA_Tuning.hpp. Lengths that these kernels do
/// not take are left out: the shape does not matter there.
namespace perf {

#ifdef KOKKOS_ENABLE_CUDA
namespace {

template <int warps, int stages, int tile_bytes>
struct Shaped {
  static constexpr KokkosMMA::Impl::SegmentedTuning value{
      .warps = warps, .stages = stages, .tile_bytes = tile_bytes};
};

template <class Sum>
struct Store {
  Sum* result;
  KOKKOS_FUNCTION void operator()(std::uint64_t s, Sum value) const {
    result[s] = value;
  }
};

template <class T>
inline constexpr KokkosMMA::Scalar scalar_of = KokkosMMA::scalar_v<T>;

template <class T, bool products, class Shape>
Call tuned_call(Work<T> const& w) {
  namespace Impl = KokkosMMA::Impl;
  using Sum      = sum_type<T>;
  using Segments = std::conditional_t<
      products, Impl::WarpSegmentsMma<Impl::Cuda::Warp, scalar_of<T>, Sum>,
      Impl::WarpSegmentsStreamed<Impl::Cuda::Warp, KokkosMMA::Operation::sum,
                                 scalar_of<T>, Sum>>;
  return [w] {
    Impl::Cuda::launch_segments<Segments, scalar_of<T>, Shape>(
        w.exec, w.x.data(), Impl::EqualSegments{w.cut.n, w.cut.length},
        Store<Sum>{w.y.data()});
  };
}

template <class T, int warps, int stages, int tile_bytes>
void register_shape(SegmentedTests& tests) {
  using Shape               = Shaped<warps, stages, tile_bytes>;
  std::string const variant = "-w" + std::to_string(warps) + "-s" +
                              std::to_string(stages) + "-b" +
                              std::to_string(tile_bytes);
  tests.register_tuning<T>(Contender::mma, variant,
                           &tuned_call<T, true, Shape>);
  tests.register_tuning<T>(Contender::streamed, variant,
                           &tuned_call<T, false, Shape>);
}

template <class T>
void register_shapes(SegmentedTests& tests) {
  register_shape<T, 4, 2, 4096>(tests);
  register_shape<T, 4, 4, 4096>(tests);
  register_shape<T, 8, 2, 2048>(tests);
  register_shape<T, 8, 4, 2048>(tests);
  register_shape<T, 8, 2, 4096>(tests);
  register_shape<T, 8, 3, 4096>(tests);
  register_shape<T, 4, 2, 8192>(tests);
  register_shape<T, 4, 3, 8192>(tests);
  register_shape<T, 8, 2, 8192>(tests);
  register_shape<T, 16, 2, 4096>(tests);
}

}  // namespace

void register_tunings(SegmentedTests& tests) {
  if constexpr (has_half) {
    register_shapes<half_type>(tests);
  }
  register_shapes<float>(tests);
}
#else
void register_tunings(SegmentedTests&) {
  std::cerr << "perf_segmented: --mma-tune is for Cuda: other execution spaces "
               "have no kernels of this library\n";
}
#endif

}  // namespace perf
