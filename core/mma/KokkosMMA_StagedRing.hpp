// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STAGED_RING_HPP
#define KOKKOSMMA_STAGED_RING_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_VectorRange.hpp>

#include <cstdint>

/// \file
/// Ring buffer for a range of data in memory that a warp's lanes share.

namespace KokkosMMA::Impl {

/// Ring with the last `Bytes` bytes of a range; byte b is at place(b). Each
/// line of 128 bytes is permuted in its own way, so that lanes one line apart
/// access different banks.
template <int Bytes>
struct StagedRing {
  static_assert(Bytes >= 1024 && (Bytes & (Bytes - 1)) == 0);
  static constexpr int bytes = Bytes;

  unsigned char* memory;  ///< `bytes` bytes, aligned to 128

  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr unsigned place(
      unsigned byte) {
    unsigned const in_ring = byte & (Bytes - 1);
    return in_ring ^ (in_ring >> 3 & 0x70);
  }
  /// The 16 bytes from byte 16 * v of the range on.
  KOKKOSMMA_FORCEINLINE_FUNCTION Vector16 vector(unsigned v) const {
    return vector_at(memory + place(16 * v));
  }
};

}  // namespace KokkosMMA::Impl

#endif
