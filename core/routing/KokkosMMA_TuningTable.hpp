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
  /// Whether `auto` sums visible data by MMA. Sums of 2^30 elements by MMA and
  /// by additions: double 4506 and 4335, int64 4499 and 4457 (2026-11-29),
  /// double 2981 and 2996 (H100).
  int reduce_mma_double = 1;
  int reduce_mma_int64  = 1;
  /// Whether `auto` forms dot products of two Views on tensor cores.
  int dot_mma_double = 1;

  /// Segments between offsets are summed one per thread up to this longest
  /// size, which the check of the offsets finds. 2^28 elements, a thread per
  /// segment in plain Kokkos and the kernel for uneven lengths: int8 up to 8
  /// and 32 elements 1782, 1726 and 822, 1304; half up to 8 2108 and 1755;
  /// int32 up to 8 2899 and 2780. Longer segments lose: half up to 32 2170 and
  /// 2793, int32 3033 and 3466.
  int tiny_csr_bytes = 32;  ///< of elements of one and two bytes
  /// Microseconds with one segment per thread and without, 32-bit and 64-bit
  /// offsets, without their check: 2^27 doubles up to 16 elements 322, 374 and
  /// 333, 386; 2^28 floats up to 32 elements 362, 362 and 371, 380; doubles up
  /// to 32 lose, 353, 332 and 358, 338 (2026-11-30). H100: GB/s of floats up to
  /// 16 elements 2267, 1887; microseconds up to 32 with the check 515, 562.
  int tiny_csr_wide_bytes = 128;  ///< other elements

  /// Smallest number of nonzero weights for which stencils of doubles whose
  /// weights are not an outer product use MMA; measurements at
  /// mma_stencil_pays.
  int dense_taps_double = 200;

  /// Whether all values are the same.
  friend constexpr bool operator==(TuningTable const&,
                                   TuningTable const&) = default;
};

/// Defaults, those of the H200. Other devices:
/// core/routing/KokkosMMA_BuiltInTunings.hpp.
inline constexpr TuningTable builtin_tuning{};

/// Whether a sum (or a dot product, if `product`) is faster by MMA, so that
/// `auto` uses MMA if both routes can run.
constexpr bool mma_reduce_pays(Scalar input, bool product,
                               TuningTable const& table = builtin_tuning) {
  switch (input) {
    case Scalar::float64:
      return (product ? table.dot_mma_double : table.reduce_mma_double) != 0;
    case Scalar::int64:
    case Scalar::uint64: return product || table.reduce_mma_int64 != 0;
    default: return true;
  }
}

}  // namespace KokkosMMA::Impl

#endif
