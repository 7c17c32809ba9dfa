// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_KERNELS_HPP
#define KOKKOSMMA_SEGMENTED_KERNELS_HPP

#include <adapters/kokkos/KokkosMMA_SegmentedGeneric.hpp>
#include <core/KokkosMMA_Operation.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

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
    data[std::ptrdiff_t(s) * stride] = result_of<Op, R>(value);
  }
};

}  // namespace KokkosMMA::Impl

#endif
