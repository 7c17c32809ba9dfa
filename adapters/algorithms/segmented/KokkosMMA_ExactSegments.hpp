// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EXACT_SEGMENTS_HPP
#define KOKKOSMMA_EXACT_SEGMENTS_HPP

/// \file
/// Exact sums of segments, after the checks and decision of segmented_reduce():
/// a kernel on Cuda, superaccumulators on hosts.

#include <adapters/algorithms/segmented/KokkosMMA_SegmentedKernels.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <backends/generic/KokkosMMA_ExactGeneric.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/kernels/segmented/KokkosMMA_ExactSegments.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#endif

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

namespace KokkosMMA::Impl {

#if KOKKOSMMA_IMPL_ON_CUDA()
/// Launches exact sums on the stream of `exec`. Returns the reason if that is
/// impossible; nothing is launched then.
template <class X, class Segments, class R>
Refusal exact_segments_on_cuda(std::string const& label,
                               Kokkos::Cuda const& exec, X const& x,
                               Segments const& segments, R const& result,
                               SegmentedCall const& call,
                               std::uint64_t longest) {
  constexpr Scalar input = scalar_v<typename X::non_const_value_type>;
  using Tuning =
      Cuda::tuning_type<Cuda::exact_segments_tuning(input, is_csr<Segments>)>;
  std::uint64_t const size = x.size();
  auto const shape         = Cuda::ExactSegmentsShape::of(
              Tuning::value, input, Cuda::device(exec.cuda_device()).multiprocessors,
              size);
  Cuda::ExactSegmentStore const store{
      result.data(), call.store_stride,
      float_format(scalar_v<typename R::non_const_value_type>)};
  auto const cut = [&] {
    if constexpr (is_csr<Segments>) {
      return offset_segments(segments);
    } else {
      return call.packed;
    }
  }();
  auto const launch = [&](unsigned* slots) {
    AnnouncedKernel const announced(label, exec);
    Cuda::launch_exact_segments<input, Tuning>(exec, x.data(), cut, size, shape,
                                               slots, store);
  };
  if constexpr (!is_csr<Segments>) {
    longest = call.packed.length;
  }
  if (std::min(longest, size) <= shape.whole) {
    launch(nullptr);
    return {};
  }
  return with_scratch(exec, true, [&](Cuda::StreamScratch const& scratch) {
    launch(scratch->counters(Cuda::ExactSlot<exact_limbs(input)>::counters *
                             shape.slots(size)));
  });
}
#endif

/// Stores the exact sum of each segment. Returns the reason if exact sums are
/// currently not available.
/// \param longest upper bound of the lengths of segments
template <class Exec, class X, class Segments, class R>
Refusal exact_segments(std::string const& label, Exec const& exec, X const& x,
                       Segments const& segments, R const& result,
                       SegmentedCall const& call,
                       [[maybe_unused]] std::uint64_t longest) {
  if constexpr (is_host_space<Exec>) {
    using Value = typename R::non_const_value_type;
    IntoResult<Operation::sum, R> const store{result};
    exact_segments_on_host(
        label, exec, segments, call.problem.segments, x,
        [&](std::uint64_t s, auto& sum) {
          store(s,
                value_of_bits<Value>(sum.round(float_format(scalar_v<Value>))));
        });
    return {};
  } else {
#if KOKKOSMMA_IMPL_ON_CUDA()
    if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
      return exact_segments_on_cuda(label, exec, x, segments, result, call,
                                    longest);
    }
#endif
    return no_exact_sum;
  }
}

}  // namespace KokkosMMA::Impl

#endif
