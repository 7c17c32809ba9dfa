// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/kernels/papers/KokkosMMA_PaperSegments.hpp>

#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedReduce.hpp>
#include <core/papers/KokkosMMA_WarpSegmentsMma.hpp>

#include <cstdint>
#include <type_traits>

// Why `auto` adds: with four bytes per instruction and 7 exchanges for 8 rows
// of vectors, additions keep up with the loads. GB/s of additions and MMA, 2^28
// elements (H200, 2026-11-21):
//
// | segment | half      | int8      | float     |
// |---------|-----------|-----------|-----------|
// | 16      | 4240 4153 | 3648 3777 | 4307 4243 |
// | 64      | 4112 4005 | 3869 3718 | 4377 4293 |
// | 256     | 4418 4316 | 3930 3865 | 4535 4438 |
// | 1024    | 4401 4304 | 4035 4056 | 4514 4425 |
// | 16384   | 4378 4175 | 4133 3922 | 4430 3378 |
// | 100     | 3449 1864 | 3338      | 3807 1854 |
//
// Lengths other than powers of two of vectors need masked vectors in the rows
// of an operand.

namespace KokkosMMA::Impl::Cuda {
namespace {

template <class Value>
struct PaperStore {
  Value* results;
  std::ptrdiff_t stride;

  __device__ void operator()(std::uint64_t segment, Value value) const {
    // A sum of negative zeros is 0, as in Kokkos, which starts from 0.
    if constexpr (std::is_floating_point_v<Value>) {
      value += Value(0);
    }
    results[std::ptrdiff_t(segment) * stride] = value;
  }
};

template <Scalar Input, class Value>
void launch(Stream const& stream, PaperSegments const& sums) {
  launch_segments<WarpSegmentsMma<Warp, Input, Value>, Input>(
      stream, sums.x, sums.segments,
      PaperStore<Value>{static_cast<Value*>(sums.results), sums.stride});
}

}  // namespace

void launch_paper_segments(Stream const& stream, PaperSegments const& sums) {
  using enum Scalar;
  switch (sums.input) {
    case half: return launch<half, float>(stream, sums);
    case bhalf: return launch<bhalf, float>(stream, sums);
    case float32: return launch<float32, float>(stream, sums);
    case float64: return launch<float64, double>(stream, sums);
    case int8: return launch<int8, std::uint32_t>(stream, sums);
    case uint8:
    case boolean: return launch<uint8, std::uint32_t>(stream, sums);
    case int32:
    case uint32: return launch<uint32, std::uint32_t>(stream, sums);
    case int64:
    case uint64: return launch<uint64, std::uint64_t>(stream, sums);
    case opaque: break;
  }
}

}  // namespace KokkosMMA::Impl::Cuda
