// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/kernels/papers/KokkosMMA_PaperSegments.hpp>

#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedReduce.hpp>
#include <core/papers/KokkosMMA_WarpSegmentsMma.hpp>

#include <cstdint>

// Why `auto` adds: with four bytes per instruction and 7 exchanges for 8 rows
// of vectors, additions keep up with the loads. GB/s of additions and MMA, 2^28
// elements of half (H200, 2026-11-21):
//
// | segment   | 16   | 64   | 256  | 1024 | 16384 | 100  |
// |-----------|------|------|------|------|-------|------|
// | additions | 4240 | 4112 | 4418 | 4401 | 4378  | 3449 |
// | MMA       | 4153 | 4005 | 4316 | 4304 | 4175  | 1864 |
//
// Lengths other than powers of two of vectors need masked vectors in the rows
// of an operand.

namespace KokkosMMA::Impl::Cuda {
namespace {

struct PaperStore {
  float* results;
  std::ptrdiff_t stride;

  __device__ void operator()(std::uint64_t segment, float value) const {
    // A sum of negative zeros is 0, as in Kokkos, which starts from 0.
    results[std::ptrdiff_t(segment) * stride] = value + 0.f;
  }
};

}  // namespace

void launch_paper_segments(Stream const& stream, PaperSegments const& sums) {
  launch_segments<WarpSegmentsMma<Warp>, Scalar::half>(
      stream, sums.x, sums.segments, PaperStore{sums.results, sums.stride});
}

}  // namespace KokkosMMA::Impl::Cuda
