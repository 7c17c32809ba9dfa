// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EXACT_SUM_HPP
#define KOKKOSMMA_EXACT_SUM_HPP

/// \file
/// Exact sums of Views: from what reduce() checked and decided to the kernel on
/// Cuda, and to Kokkos::parallel_reduce with a superaccumulator on hosts.

#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <backends/generic/KokkosMMA_ExactGeneric.hpp>
#include <backends/generic/KokkosMMA_HostSpace.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <adapters/drop_in/KokkosMMA_ErasedCalls.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactReduce.hpp>
#endif

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace KokkosMMA::Impl {

#if defined(KOKKOS_ENABLE_CUDA)
/// Runs on the stream of `exec`, or says why it cannot: then nothing was
/// launched.
template <Scalar Input, class X>
Refusal exact_sum_on_cuda(std::string const& label, Kokkos::Cuda const& exec,
                          X const& x, FloatFormat const& format, void* result,
                          bool result_on_device) {
  using Tuning = Cuda::tuning_type<Cuda::exact_tuning(Input)>;
  AnnouncedReduction const announced(label, exec);
  return with_scratch(
      exec, result_on_device, [&](Cuda::StreamScratch const& scratch) {
        auto const launch = [&](auto const& elements) {
          Cuda::launch_exact_reduce<std::decay_t<decltype(elements)>, Tuning>(
              exec, scratch, elements, x.extent(0) == 0, format, result,
              result_on_device);
        };
        if (x.stride(0) == 1 || x.extent(0) < 2)
          launch(Cuda::ExactVectors<Input>(
              vector_range(x.data(), x.extent(0), size_of(Input))));
        else
          launch(Cuda::ExactStrided<Input>{
              reinterpret_cast<Cuda::element_bits_t<Input> const*>(x.data()),
              std::int64_t(x.stride(0)), x.extent(0)});
      });
}
#endif

/// The exact sum of x into a variable of the host or a View of rank 0, or why
/// it cannot be had at this moment.
template <class Exec, class X, class Place>
Refusal exact_sum(std::string const& label, Exec const& exec, X const& x,
                  Place& place) {
  constexpr bool is_view  = Kokkos::is_view_v<std::remove_cv_t<Place>>;
  constexpr Scalar input  = scalar_v<typename X::non_const_value_type>;
  auto const sum_as_value = [&]<class Value>(Value* value, bool on_device) {
    constexpr FloatFormat format = float_format(scalar_v<Value>);
    if constexpr (is_host_space<Exec>) {
      std::uint64_t const bits =
          exact_sum_on_host<input>(label, exec, x, format);
      // The low bytes of a word, on the processors that Kokkos runs on.
      std::memcpy(static_cast<void*>(value), &bits, sizeof(Value));
      return Refusal{};
    } else {
#if defined(KOKKOS_ENABLE_CUDA)
      if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
        return exact_sum_on_cuda<input>(label, exec, x, format, value,
                                        on_device);
      }
#endif
      return Refusal{"exact sums are for Cuda and for host execution spaces",
                     "docs/reproducibility.md"};
    }
  };
  if constexpr (!is_view) {
    return sum_as_value(&place, false);
  } else if constexpr (is_host_space<Exec>) {
    using Value = typename Place::non_const_value_type;
    Value value;
    Refusal const refusal = sum_as_value(&value, false);
    // Not as a value, of which Kokkos makes +0 where it is -0 (5.2).
    Kokkos::deep_copy(
        exec, place,
        Kokkos::View<Value, Kokkos::HostSpace,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&value));
    exec.fence("KokkosMMA: fence due to the sum being copied");
    return refusal;
  } else {
    return sum_as_value(
        place.data(),
        Kokkos::SpaceAccessibility<Exec,
                                   typename Place::memory_space>::accessible);
  }
}

}  // namespace KokkosMMA::Impl

#endif
