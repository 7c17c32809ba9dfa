// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LOOP_BOX_HPP
#define KOKKOSMMA_LOOP_BOX_HPP

#include <core/base/KokkosMMA_ReciprocalDivisor.hpp>

#include <cstdint>

/// \file
/// Arguments of the kernels of loops. Shapes are run-time values: a loop has
/// one compiled kernel for all of them.

namespace KokkosMMA::Impl {

/// Largest rank of a Kokkos::MDRangePolicy.
inline constexpr int max_loop_rank = 6;

/// Dimension of the consecutive invocations of a thread: the usual one, or the
/// first if lanes lie along the usual one. All other indices stay the same in a
/// thread's loop, which the compiler knows.
constexpr int looped_dimension(int rank, int fast) {
  int const usual = rank > 2 ? 2 : 1;
  return fast == usual ? 0 : usual;
}
/// The usual one as a constant, which kernels may use.
template <int Rank>
inline constexpr int usual_looped_dimension = looped_dimension(Rank, 0);

/// Kernel argument of ranges: consecutive blocks of `tile` indices. `begin` is
/// modulo 2^64.
struct LoopRange {
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t tile;
};

/// Kernel argument of boxes, of the same layout for all ranks. The order of the
/// dimensions is a value: every dimension has its own divisors for the number
/// of a block, and bits in the number of a thread.
struct LoopBox {
  struct Dimension {
    std::int64_t begin;
    /// Blocks until the next index of this dimension, and until its first index
    /// comes again.
    Reciprocal before, period;
    unsigned tile;         ///< indices per block
    unsigned back;         ///< minus the indices of all its blocks, modulo 2^32
    unsigned shift, mask;  ///< of the offset in a thread's number
    unsigned extent;
  };
  Dimension dimension[max_loop_rank];
  /// Between a thread's invocations, and to their end: in the first dimension
  /// and in usual_looped_dimension. One of the steps is 0.
  unsigned step[2], span[2];
};

}  // namespace KokkosMMA::Impl

#endif
