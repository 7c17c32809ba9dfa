// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions and scans of columns for the preset cuda-compile-only. Nothing
// here runs.

#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_ColumnReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_ColumnScan.hpp>

#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

template <class Value>
struct StoreTo {
  Value* result;
  KOKKOS_FUNCTION void operator()(std::uint64_t column, Value value) const {
    result[column] = value;
  }
};

template <Operation Op, Scalar Input, class Value>
void reduce(void const* x, Value* result) {
  Cuda::launch_column_reduce<Op, Input, Value>(Kokkos::Cuda(), x, 1000, 10, 10,
                                               StoreTo<Value>{result});
}

template <Operation Op, Scalar Input, class Value, bool Inclusive, class Output>
void scan(void const* x, Output* y) {
  Cuda::launch_column_scan<Op, Input, Value, Inclusive>(Kokkos::Cuda(), x, 1000,
                                                        10, 10, y, 10);
}

}  // namespace

void kernels_columns(void const* x, void* result) {
  auto* const floats   = static_cast<float*>(result);
  auto* const doubles  = static_cast<double*>(result);
  auto* const integers = static_cast<std::int32_t*>(result);
  auto* const longs    = static_cast<std::int64_t*>(result);
  auto* const halves   = static_cast<Kokkos::Experimental::half_t*>(result);
  constexpr auto sum   = Operation::sum;
  reduce<sum, Scalar::half>(x, floats);
  reduce<sum, Scalar::bhalf>(x, floats);
  reduce<sum, Scalar::float32>(x, floats);
  reduce<sum, Scalar::float32>(x, doubles);
  reduce<sum, Scalar::float64>(x, doubles);
  reduce<sum, Scalar::int8>(x, integers);
  reduce<sum, Scalar::boolean>(x, longs);
  reduce<sum, Scalar::int32>(x, integers);
  reduce<sum, Scalar::int64>(x, longs);
  reduce<Operation::min, Scalar::half>(x, floats);
  reduce<Operation::max, Scalar::float64>(x, doubles);
  reduce<Operation::prod, Scalar::int8>(x, integers);

  scan<sum, Scalar::half, float, true>(x, halves);
  scan<sum, Scalar::bhalf, float, false>(x, floats);
  scan<sum, Scalar::float32, float, true>(x, floats);
  scan<sum, Scalar::float32, double, false>(x, doubles);
  scan<sum, Scalar::float64, double, true>(x, doubles);
  scan<sum, Scalar::int8, std::int32_t, true>(x, integers);
  scan<sum, Scalar::int64, std::int64_t, false>(x, longs);
  scan<Operation::min, Scalar::half, float, false>(x, halves);
  scan<Operation::max, Scalar::int8, std::int32_t, true>(
      x, static_cast<std::int8_t*>(result));
  scan<Operation::prod, Scalar::float64, double, true>(x, doubles);
}
