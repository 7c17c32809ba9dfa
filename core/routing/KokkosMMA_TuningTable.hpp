// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TUNING_TABLE_HPP
#define KOKKOSMMA_TUNING_TABLE_HPP

#include <core/base/KokkosMMA_Scalar.hpp>

#include <limits>

/// \file
/// Run-time constants of routes and kernels in which measured devices differ.
/// Constants compiled into kernels are in core/routing/KokkosMMA_Tuning.hpp.
/// Figures without other data: NVIDIA H200, CUDA 13.0, driver 580.159,
/// 2026-11-21, GB/s.
///
/// No table makes a result wrong. A route function first checks which routes
/// can run, then uses preferences to choose among them. A limit chooses among
/// kernels that support every value; properties that a kernel does not support
/// (a length, an alignment) are checked before the limit. For floating point a
/// table affects the order of additions, within the same error bound.

namespace KokkosMMA::Impl {

/// Limit that no value reaches.
inline constexpr int never = std::numeric_limits<int>::max();

/// Tuning values: those in which the tables of devices differ, and limits that
/// tests vary. The defaults are those of an H200. Flags are 0 or 1.
struct TuningTable {
  /// Whether `auto` uses MMA for elements of 8 bytes: in sums of Views, dot
  /// products, and dense stencils. Sums of 2^24 and 2^28 elements by MMA and by
  /// additions: double 3779 3553 and 4475 4327, int64 3778 3594 and 4489 4441
  /// (2026-11-30), double 2981 and 2996 (H100).
  int mma_8_bytes = 1;

  /// Segments between offsets, of elements of one and two bytes, are summed one
  /// per thread up to this longest size (tiny_csr_limit()). 2^28 elements, a
  /// thread per segment in plain Kokkos and the kernel for uneven lengths: int8
  /// up to 8 and 32 elements 1782, 1726 and 822, 1304; half up to 8 2108 and
  /// 1755. Longer segments lose: half up to 32 2170 and 2793.
  int tiny_csr_bytes = 32;

  /// Whether all values are the same.
  friend constexpr bool operator==(TuningTable const&,
                                   TuningTable const&) = default;
};

/// Defaults, those of the H200. Other devices:
/// core/routing/KokkosMMA_BuiltInTunings.hpp.
inline constexpr TuningTable builtin_tuning{};

/// Whether a sum or dot product is faster by MMA, so that `auto` uses MMA if
/// both routes can run.
constexpr bool mma_reduce_pays(Scalar input,
                               TuningTable const& table = builtin_tuning) {
  return size_of(input) < 8 || table.mma_8_bytes != 0;
}

}  // namespace KokkosMMA::Impl

#endif
