// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Segmented operations for the preset cuda-compile-only. Nothing here runs.

#include <backends/cuda/kernels/segmented/KokkosMMA_CsrReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedScan.hpp>

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

template <Operation Op, Scalar Input, class Value, class Offset>
void ragged(void const* x, Offset const* offsets, Value* result) {
  Cuda::launch_csr_reduce<Op, Input, Value>(
      Kokkos::Cuda(), x, OffsetSegments<Offset>{offsets, 100},
      StoreTo<Value>{result}, 1000);
}

template <Operation Op, Scalar Input, class Value, class Output, class Offset>
void scans(void const* x, Offset const* offsets, Output* y) {
  Kokkos::Cuda const space;
  EqualSegments const equal{1000, 10};
  OffsetSegments<Offset> const ragged{offsets, 100};
  Cuda::launch_segmented_scan<Op, Input, Value, false>(space, x, 1000, equal,
                                                       y);
  Cuda::launch_segmented_scan<Op, Input, Value, true>(space, x, 1000, ragged,
                                                      y);
}

}  // namespace

void kernels_segmented(void const* x, void* result, std::int32_t const* offsets,
                       std::int64_t const* long_offsets) {
  auto* const floats   = static_cast<float*>(result);
  auto* const doubles  = static_cast<double*>(result);
  auto* const integers = static_cast<std::int32_t*>(result);
  auto* const longs    = static_cast<std::int64_t*>(result);
  constexpr auto sum   = Operation::sum;
  ragged<sum, Scalar::half>(x, offsets, floats);
  ragged<sum, Scalar::bhalf>(x, offsets, floats);
  ragged<sum, Scalar::float32>(x, offsets, floats);
  ragged<sum, Scalar::float32>(x, long_offsets, doubles);
  ragged<sum, Scalar::float64>(x, long_offsets, doubles);
  ragged<sum, Scalar::int8>(x, offsets, integers);
  ragged<sum, Scalar::boolean>(x, offsets, integers);
  ragged<sum, Scalar::int32>(x, offsets, integers);
  ragged<sum, Scalar::int64>(x, long_offsets, longs);
  ragged<Operation::min, Scalar::half>(x, offsets, floats);
  ragged<Operation::max, Scalar::float64>(x, offsets, doubles);
  ragged<Operation::prod, Scalar::int8>(x, offsets, longs);
  Cuda::findings_of_offsets(Kokkos::Cuda(),
                            OffsetSegments<std::int32_t>{offsets, 100}, 1000);
  Cuda::findings_of_offsets(
      Kokkos::Cuda(), OffsetSegments<std::int64_t>{long_offsets, 100}, 1000);

  using Half = Kokkos::Experimental::half_t;
  scans<sum, Scalar::half, float>(x, offsets, floats);
  scans<sum, Scalar::half, float>(x, offsets, static_cast<Half*>(result));
  scans<sum, Scalar::bhalf, float>(x, offsets, floats);
  scans<sum, Scalar::float32, float>(x, offsets, floats);
  scans<sum, Scalar::float64, double>(x, long_offsets, doubles);
  scans<sum, Scalar::int8, std::int32_t>(x, offsets, integers);
  scans<sum, Scalar::int32, std::int64_t>(x, long_offsets, longs);
  scans<sum, Scalar::int64, std::int64_t>(x, long_offsets, longs);
  scans<Operation::min, Scalar::half, float>(x, offsets, floats);
  scans<Operation::max, Scalar::float64, double>(x, offsets, doubles);
  scans<Operation::prod, Scalar::float32, float>(x, offsets, floats);
}
