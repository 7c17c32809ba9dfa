// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// KokkosMMA::reduce and the named functors on every type that the tensor cores
// take, for the preset cuda-compile-only. Nothing here runs.

#include <KokkosMMA.hpp>

#include <backends/cuda/kernels/papers/KokkosMMA_PaperReduce.hpp>

#include <cstdint>

namespace {

template <class T, class Result>
void reduce_views(Kokkos::Cuda const& exec, Kokkos::View<T*, Kokkos::Cuda> x,
                  Kokkos::View<T*, Kokkos::LayoutStride, Kokkos::Cuda> strided,
                  Result& result) {
  KokkosMMA::reduce(exec, x, result);
  KokkosMMA::reduce(exec, strided, result);
  Kokkos::View<Result, Kokkos::Cuda> on_device("result");
  KokkosMMA::reduce(exec, x, on_device);
}

template <class T, class Result>
void named_functors(Kokkos::Cuda const& exec, Kokkos::View<T*, Kokkos::Cuda> x,
                    Result& result) {
  Kokkos::RangePolicy<Kokkos::Cuda> const all(exec, 0, x.extent(0));
  Kokkos::parallel_reduce("load", all, KokkosMMA::load(x),
                          KokkosMMA::Sum<Result>(result));
  Kokkos::parallel_reduce("dot", all, KokkosMMA::dot(x, x),
                          KokkosMMA::Sum<Result>(result));
  Kokkos::parallel_reduce("squares", all, KokkosMMA::squares(x),
                          KokkosMMA::Sum<Result>(result));
  KokkosMMA::reduce(exec, KokkosMMA::dot(x, x), result);
}

template <class T, class Result = T>
void of_type() {
  Kokkos::Cuda const exec;
  Kokkos::View<T*, Kokkos::Cuda> const x("x", 100);
  Result result;
  reduce_views<T>(exec, x, x, result);
  named_functors<T>(exec, x, result);
}

}  // namespace

void kernels_reduce() {
  of_type<Kokkos::Experimental::half_t>();
  of_type<Kokkos::Experimental::bhalf_t>();
  of_type<float>();
  of_type<double>();
  of_type<std::int8_t>();
  of_type<std::int8_t, std::int32_t>();
  of_type<std::uint8_t>();
  of_type<std::uint8_t, std::int64_t>();
  of_type<std::int32_t>();
  of_type<std::int64_t>();

  Kokkos::Cuda const exec;
  Kokkos::View<Kokkos::Experimental::half_t*, Kokkos::Cuda> const x("x", 100);
  float wider;
  KokkosMMA::reduce(exec, x, wider);
  KokkosMMA::Impl::Cuda::launch_paper_reduce(
      exec, KokkosMMA::Impl::Cuda::StreamScratch(exec),
      KokkosMMA::Impl::vector_range(x.data(), x.size(), sizeof(*x.data())), {},
      &wider, false);
}
