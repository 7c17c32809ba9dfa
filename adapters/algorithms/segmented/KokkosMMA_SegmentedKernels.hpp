// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_KERNELS_HPP
#define KOKKOSMMA_SEGMENTED_KERNELS_HPP

#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_ViewChecks.hpp>
#include <backends/generic/KokkosMMA_ExactGeneric.hpp>
#include <backends/generic/KokkosMMA_SegmentedGeneric.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/segmented/KokkosMMA_RouteSegmented.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/kernels/segmented/KokkosMMA_ColumnReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_ColumnScan.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_CsrReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_ExactSegments.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedScan.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#if defined(KOKKOSMMA_PAPER_KERNELS)
#include <backends/cuda/kernels/papers/KokkosMMA_PaperSegments.hpp>
#endif
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

/// \file
/// Launches of the library's kernels for segmented calls, and exact sums.

namespace KokkosMMA::Impl {

template <class Segments>
inline constexpr bool is_csr = false;
template <class Offsets>
inline constexpr bool is_csr<CsrSegments<Offsets>> = true;

/// Whether this source reaches a kernel for sums of equal segments by MMA.
template <Operation Op, class A, class X, class R>
inline constexpr bool has_segments_by_mma =
#if KOKKOSMMA_IMPL_ON_CUDA() && defined(KOKKOSMMA_PAPER_KERNELS)
    Op == Operation::sum&& is_input_of_papers(
              scalar_v<typename X::non_const_value_type>, scalar_v<A>) &&
    scalar_v<typename R::non_const_value_type> == Scalar::float32;
#else
    false;
#endif

/// Description of a call for the route function and for the kernels.
struct SegmentedCall {
  SegmentedProblem problem;
  EqualSegments packed;             ///< all elements, if the layout is packed
  std::uint64_t columns       = 0;  ///< of a matrix
  std::uint64_t rows          = 0;  ///< of a matrix
  std::uint64_t stride        = 1;  ///< between the rows of x
  std::uint64_t y_stride      = 1;  ///< between the rows of y
  std::ptrdiff_t store_stride = 1;  ///< between the results of neighbours
};

/// Epilogue of kernels: stores the value of segment s, whose elements have type
/// Input.
template <Operation Op, class Input, class R>
struct StridedStore {
  R* data;
  std::ptrdiff_t stride;

  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t s,
                                              Value value) const {
    // A kernel that starts from the first element sums negative zeros to -0;
    // Kokkos starts from 0.
    if constexpr (Op == Operation::sum && std::is_floating_point_v<Value>) {
      value += Value(0);
    }
    data[std::ptrdiff_t(s) * stride] = result_of<Op, Input, R>(value);
  }
};

#if KOKKOSMMA_IMPL_ON_CUDA()

template <class Offsets>
auto offset_segments(CsrSegments<Offsets> const& segments) {
  auto const* const offsets = canonical_pointer(segments.offsets);
  using Offset              = std::remove_cvref_t<decltype(*offsets)>;
  return OffsetSegments<Offset>{offsets, segments.count()};
}

template <Operation Op, class A, class X, class Segments, class R>
void launch_segmented_reduce(std::string const& label, Kokkos::Cuda const& exec,
                             X const& x, Segments const& segments,
                             R const& result, SegmentedCall const& call,
                             std::uint64_t longest,
                             [[maybe_unused]] bool use_mma) {
  using Element          = typename X::non_const_value_type;
  using Result           = typename R::non_const_value_type;
  constexpr Scalar input = scalar_v<Element>;
  StridedStore<Op, Element, Result> const store{result.data(),
                                                call.store_stride};
  AnnouncedKernel const announced(label, exec);
  if constexpr (is_csr<Segments>) {
    Cuda::launch_csr_reduce<Op, input, A>(
        exec, x.data(), offset_segments(segments), store, x.extent(0), longest);
  } else {
    if constexpr (X::rank() == 2) {
      if (call.problem.layout != SegmentLayout::packed) {
        Cuda::launch_column_reduce<Op, input, A>(
            exec, x.data(), call.rows, call.columns, call.stride, store);
        return;
      }
    }
#if defined(KOKKOSMMA_PAPER_KERNELS)
    if constexpr (has_segments_by_mma<Op, A, X, R>) {
      if (use_mma) {
        Cuda::launch_paper_segments(
            exec, {x.data(), call.packed, result.data(), call.store_stride});
        return;
      }
    }
#endif
    Cuda::launch_segmented_reduce<Op, input, A>(exec, x.data(), call.packed,
                                                store);
  }
}

template <Operation Op, class A, bool Inclusive, class X, class Segments,
          class Y>
void launch_segmented_scan(std::string const& label, Kokkos::Cuda const& exec,
                           X const& x, Segments const& segments, Y const& y,
                           SegmentedCall const& call) {
  constexpr Scalar input = scalar_v<typename X::non_const_value_type>;
  auto* const to         = canonical_pointer(y);
  AnnouncedKernel const announced(label, exec);
  if constexpr (is_csr<Segments>) {
    Cuda::launch_segmented_scan<Op, input, A, Inclusive>(
        exec, x.data(), x.extent(0), offset_segments(segments), to);
  } else {
    if constexpr (X::rank() == 2) {
      if (call.problem.layout != SegmentLayout::packed) {
        Cuda::launch_column_scan<Op, input, A, Inclusive>(
            exec, x.data(), call.rows, call.columns, call.stride, to,
            call.y_stride);
        return;
      }
    }
    Cuda::launch_segmented_scan<Op, input, A, Inclusive>(
        exec, x.data(), call.packed.size, call.packed, to);
  }
}

/// Finds the first wrong offset into `size` elements, or the longest segment;
/// waits for the stream.
template <class Offsets>
OffsetFindings findings_of_offsets(Kokkos::Cuda const& exec,
                                   CsrSegments<Offsets> const& segments,
                                   std::uint64_t size) {
  AnnouncedKernel const announced("KokkosMMA::check_offsets", exec);
  return Cuda::findings_of_offsets(exec, offset_segments(segments), size);
}

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
    using Element = typename X::non_const_value_type;
    using Value   = typename R::non_const_value_type;
    IntoResult<Operation::sum, Element, R> const store{result};
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
