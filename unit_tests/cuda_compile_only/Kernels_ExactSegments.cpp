// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exact sums of segments for the preset cuda-compile-only. Nothing here runs.

#include <backends/cuda/kernels/segmented/KokkosMMA_ExactSegments.hpp>

#include <cstdint>
#include <type_traits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

template <Scalar Input, class Segments>
void sums(void const* x, Segments const& segments, void* result) {
  using Tuning = Cuda::tuning_type<Cuda::exact_segments_tuning(
      Input, !std::is_same_v<Segments, EqualSegments>)>;
  Cuda::launch_exact_segments<Input, Tuning>(
      Kokkos::Cuda(), x, segments, 1000,
      Cuda::ExactSegmentsShape::of(Tuning::value, Input, 132, 1000), nullptr,
      {result, 1, float_format(Input)});
}

}  // namespace

void kernels_exact_segments(void const* x, std::int64_t const* offsets,
                            void* result) {
  EqualSegments const equal{1000, 10};
  sums<Scalar::half>(x, equal, result);
  sums<Scalar::bhalf>(x, equal, result);
  sums<Scalar::float32>(x, equal, result);
  sums<Scalar::float64>(x, equal, result);
  OffsetSegments<std::int64_t> const between{offsets, 100};
  sums<Scalar::bhalf>(x, between, result);
  sums<Scalar::float32>(x, between, result);
  sums<Scalar::float64>(x, between, result);
}
