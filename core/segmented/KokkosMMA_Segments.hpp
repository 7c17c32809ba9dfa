// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTS_HPP
#define KOKKOSMMA_SEGMENTS_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>

#include <cstdint>

/// \file
/// Division of a row of elements into segments [begin(s), end(s)).

namespace KokkosMMA::Impl {

/// Segments of equal length; the last may be shorter.
struct EqualSegments {
  using Position = std::uint64_t;  ///< can hold the end of a segment

  std::uint64_t size   = 0;  ///< elements
  std::uint64_t length = 1;  ///< elements per segment

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint64_t count() const {
    return size / length + (size % length != 0);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint64_t begin(
      std::uint64_t s) const {
    return s * length;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint64_t end(
      std::uint64_t s) const {
    return size - s * length < length ? size : s * length + length;
  }
};

/// Segments between neighbouring offsets, as in compressed rows. Offsets do not
/// decrease. Segments may be empty; elements may precede the first segment and
/// follow the last.
template <class Offset>
struct OffsetSegments {
  using Position = Offset;  ///< can hold the end of a segment

  Offset const* offsets  = nullptr;  ///< count() + 1 offsets
  std::uint64_t segments = 0;

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint64_t count() const {
    return segments;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint64_t begin(std::uint64_t s) const {
    return static_cast<std::uint64_t>(offsets[s]);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint64_t end(std::uint64_t s) const {
    return static_cast<std::uint64_t>(offsets[s + 1]);
  }
};

struct OffsetFindings {
  static constexpr std::uint64_t unknown = ~std::uint64_t(0);

  std::uint64_t first_bad = unknown;  ///< index of a wrong offset, or `unknown`
  std::uint64_t longest   = unknown;  ///< elements of the longest segment
};

}  // namespace KokkosMMA::Impl

#endif
