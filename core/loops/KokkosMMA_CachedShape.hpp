// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CACHED_SHAPE_HPP
#define KOKKOSMMA_CACHED_SHAPE_HPP

#include <core/loops/KokkosMMA_CachedLaunch.hpp>
#include <core/loops/KokkosMMA_LoopSpace.hpp>
#include <core/routing/KokkosMMA_Route.hpp>

#include <atomic>
#include <cstdint>
#include <optional>

/// \file
/// Access to a CachedLaunch, for libkokkosmma only.

namespace KokkosMMA::Impl {

inline constexpr int cached_shape_bits = 32;

/// Never zero, the value of an empty cache.
inline std::uint64_t key_of(CachedLaunch::Loop const& loop) {
  return std::uint64_t(loop.device_id & 63) << 26 |
         std::uint64_t(loop.size_class) << 2 | std::uint64_t(loop.forced) << 1 |
         1;
}

inline std::optional<LoopShape> CachedLaunch::find(Loop const& loop) const {
  std::uint64_t const word = m_word.load(std::memory_order_relaxed);
  if (word >> cached_shape_bits != key_of(loop)) return std::nullopt;
  auto const field = [&](int shift, int bits) {
    return int(word >> shift & ((std::uint64_t(1) << bits) - 1));
  };
  return LoopShape{field(0, 11), field(11, 11), field(22, 7), field(29, 3)};
}

inline void CachedLaunch::keep(Loop const& loop, LoopShape const& shape) {
  m_word.store(
      key_of(loop) << cached_shape_bits | std::uint64_t(shape.fast) << 29 |
          std::uint64_t(shape.calls) << 22 | std::uint64_t(shape.height) << 11 |
          std::uint64_t(shape.width),
      std::memory_order_relaxed);
}

inline bool CachedLaunch::may_follow(int device_id) const {
  return m_following.load(std::memory_order_relaxed) >> device_id & 1;
}
inline void CachedLaunch::follows(int device_id) {
  m_following.fetch_or(std::uint64_t(1) << device_id,
                       std::memory_order_relaxed);
}

}  // namespace KokkosMMA::Impl

#endif
