// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of segments of one length for the preset cuda-compile-only.
// Nothing here runs.

#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedReduce.hpp>

#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

template <class Value>
struct StoreTo {
  Value* result;
  KOKKOS_FUNCTION void operator()(std::uint64_t segment, Value value) const {
    result[segment] = value;
  }
};

template <Operation Op, Scalar Input, class Value>
void equal(void const* x, Value* result) {
  Cuda::launch_segmented_reduce<Op, Input, Value>(
      Kokkos::Cuda(), x, EqualSegments{1000, 10}, StoreTo<Value>{result});
}

}  // namespace

void kernels_equal_segments(void const* x, void* result) {
  auto* const floats   = static_cast<float*>(result);
  auto* const doubles  = static_cast<double*>(result);
  auto* const integers = static_cast<std::int32_t*>(result);
  auto* const longs    = static_cast<std::int64_t*>(result);
  constexpr auto sum   = Operation::sum;
  equal<sum, Scalar::half>(x, floats);
  equal<sum, Scalar::bhalf>(x, floats);
  equal<sum, Scalar::float32>(x, floats);
  equal<sum, Scalar::float32>(x, doubles);
  equal<sum, Scalar::float64>(x, doubles);
  equal<sum, Scalar::int8>(x, integers);
  equal<sum, Scalar::boolean>(x, longs);
  equal<sum, Scalar::int32>(x, integers);
  equal<sum, Scalar::int64>(x, longs);
  equal<Operation::max, Scalar::half>(x, floats);
  equal<Operation::max, Scalar::float32>(x, floats);
  equal<Operation::max, Scalar::float64>(x, doubles);
  equal<Operation::max, Scalar::int8>(x, integers);
  equal<Operation::max, Scalar::int32>(x, integers);
  equal<Operation::max, Scalar::int64>(x, longs);
}
