// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_KERNELS_HPP
#define KOKKOSMMA_SEGMENTED_KERNELS_HPP

#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <backends/generic/KokkosMMA_SegmentedGeneric.hpp>
#include <core/base/KokkosMMA_Operation.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <backends/cuda/kernels/segmented/KokkosMMA_ColumnReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_ColumnScan.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_CsrReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedScan.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

/// \file
/// The library's kernels for segments, behind one name for each backend.

namespace KokkosMMA::Impl {

/// Kernels of an execution space; it has none unless specialised.
template <class Exec>
struct SegmentKernels {
  static constexpr bool exist = false;
};

/// Where a kernel puts the value of segment s.
template <Operation Op, class R>
struct StridedStore {
  R* data;
  std::ptrdiff_t stride;

  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t s,
                                              Value value) const {
    // A kernel that starts from the first element sums negative zeros to one;
    // Kokkos starts from 0.
    if constexpr (Op == Operation::sum && std::is_floating_point_v<Value>) {
      value += Value(0);
    }
    data[std::ptrdiff_t(s) * stride] = result_of<Op, R>(value);
  }
};

#ifdef KOKKOS_ENABLE_CUDA
template <>
struct SegmentKernels<Kokkos::Cuda> {
  static constexpr bool exist = true;
  using Space                 = Kokkos::Cuda;

  template <Operation Op, class Element, class Value, class Store>
  static void reduce(std::string const& label, Space const& exec, void const* x,
                     EqualSegments const& segments, Store const& store,
                     bool use_mma) {
    AnnouncedKernel const announced(label, exec);
    Cuda::launch_segmented_reduce<Op, scalar_v<Element>, Value>(
        exec, x, segments, store, use_mma);
  }

  template <Operation Op, class Element, class Value, class Offset, class Store>
  static void reduce_csr(std::string const& label, Space const& exec,
                         void const* x, std::uint64_t size,
                         Offset const* offsets, std::uint64_t count,
                         std::uint64_t longest, Store const& store) {
    AnnouncedKernel const announced(label, exec);
    Cuda::launch_csr_reduce<Op, scalar_v<Element>, Value>(
        exec, x, OffsetSegments<Offset>{offsets, count}, store, size, longest);
  }

  template <Operation Op, class Element, class Value, class Store>
  static void reduce_columns(std::string const& label, Space const& exec,
                             void const* x, std::uint64_t rows,
                             std::uint64_t columns, std::uint64_t row_stride,
                             Store const& store, bool use_mma) {
    AnnouncedKernel const announced(label, exec);
    Cuda::launch_column_reduce<Op, scalar_v<Element>, Value>(
        exec, x, rows, columns, row_stride, store, use_mma);
  }

  template <Operation Op, class Element, class Value, bool Inclusive,
            class Output>
  static void scan(std::string const& label, Space const& exec, void const* x,
                   std::uint64_t size, EqualSegments const& segments,
                   Output* y) {
    AnnouncedKernel const announced(label, exec);
    Cuda::launch_segmented_scan<Op, scalar_v<Element>, Value, Inclusive>(
        exec, x, size, segments, y);
  }

  template <Operation Op, class Element, class Value, bool Inclusive,
            class Offset, class Output>
  static void scan_csr(std::string const& label, Space const& exec,
                       void const* x, std::uint64_t size, Offset const* offsets,
                       std::uint64_t count, Output* y) {
    AnnouncedKernel const announced(label, exec);
    Cuda::launch_segmented_scan<Op, scalar_v<Element>, Value, Inclusive>(
        exec, x, size, OffsetSegments<Offset>{offsets, count}, y);
  }

  template <Operation Op, class Element, class Value, bool Inclusive,
            class Output>
  static void scan_columns(std::string const& label, Space const& exec,
                           void const* x, std::uint64_t rows,
                           std::uint64_t columns, std::uint64_t row_stride,
                           Output* y, std::uint64_t y_row_stride) {
    AnnouncedKernel const announced(label, exec);
    Cuda::launch_column_scan<Op, scalar_v<Element>, Value, Inclusive>(
        exec, x, rows, columns, row_stride, y, y_row_stride, false);
  }

  /// Of offsets into `size` elements; waits for the stream.
  template <class Offset>
  static OffsetFindings findings_of_offsets(Space const& exec,
                                            Offset const* offsets,
                                            std::uint64_t count,
                                            std::uint64_t size) {
    AnnouncedKernel const announced("KokkosMMA::check_offsets", exec);
    return Cuda::findings_of_offsets(
        exec, OffsetSegments<Offset>{offsets, count}, size);
  }
};
#endif

}  // namespace KokkosMMA::Impl

#endif
