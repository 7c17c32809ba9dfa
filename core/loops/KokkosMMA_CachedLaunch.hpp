// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CACHED_LAUNCH_HPP
#define KOKKOSMMA_CACHED_LAUNCH_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <typeinfo>

/// \file
/// Shape of a loop's launch, and the cache of the launch chosen for a call.

namespace KokkosMMA::Impl {

/// Stands for a type in a typeid, without type_info of its base classes, which
/// are 24 KB for the policies of a source with 13 loops (Kokkos 5.0.2).
template <class T>
struct NameOf {};

/// Types of a call of the application, which identify it in another process.
/// Null in a source that is compiled with -fno-rtti.
struct CallTypes {
  std::type_info const* functor = nullptr;  ///< of a NameOf
  std::type_info const* policy  = nullptr;  ///< of a NameOf
  std::size_t functor_bytes     = 0;
};
template <class Functor, class Policy>
constexpr CallTypes call_types() {
#if defined(__cpp_rtti)
  return {&typeid(NameOf<Functor>), &typeid(NameOf<Policy>), sizeof(Functor)};
#else
  return {nullptr, nullptr, sizeof(Functor)};
#endif
}

/// Threads of a block along the dimension of a warp and the next one, and
/// invocations per thread. Those are one block apart in a range. In a box they
/// lie along looped_dimension(), never along the warp. calls == 0: Kokkos'
/// launch.
struct LoopShape {
  int width;
  int height;
  int calls;
  /// Dimension along which lanes lie. The policy's order of speed is a guess:
  /// a functor does not show which dimension of an array is contiguous.
  int fast = 0;

  friend constexpr bool operator==(LoopShape const&,
                                   LoopShape const&) = default;
};

inline constexpr LoopShape kokkos_shape{0, 0, 0};

/// Shape in which a call repeats its last loop once it is chosen. One word,
/// which host threads read and write without the lock of LaunchTimes. A loop of
/// 10000 indices then takes 3.7 to 4.0 us per call, in Kokkos 3.8 to 3.9 (H100,
/// two runs, 2026-11-26).
class CachedLaunch {
 public:
  /// Key of the cached choice.
  struct Loop {
    int device_id;
    unsigned size_class;  ///< of loop_class(), below 2^24
    bool forced;          ///< Kokkos' launch was no candidate
  };

  constexpr CachedLaunch(CallTypes const& types = {}) : m_types(types) {}

  CallTypes const& types() const { return m_types; }

  std::optional<LoopShape> find(Loop const& loop) const {
    std::uint64_t const word = m_word.load(std::memory_order_relaxed);
    if (word >> shape_bits != key_of(loop)) return std::nullopt;
    auto const field = [&](int shift, int bits) {
      return int(word >> shift & ((std::uint64_t(1) << bits) - 1));
    };
    return LoopShape{field(0, 11), field(11, 11), field(22, 7), field(29, 3)};
  }
  void keep(Loop const& loop, LoopShape const& shape) {
    m_word.store(key_of(loop) << shape_bits | std::uint64_t(shape.fast) << 29 |
                     std::uint64_t(shape.calls) << 22 |
                     std::uint64_t(shape.height) << 11 |
                     std::uint64_t(shape.width),
                 std::memory_order_relaxed);
  }

  /// Whether the call's kernel was found to follow others closely on a device
  /// (KernelFacts::may_follow).
  bool may_follow(int device_id) const {
    return m_following.load(std::memory_order_relaxed) >> device_id & 1;
  }
  void follows(int device_id) {
    m_following.fetch_or(std::uint64_t(1) << device_id,
                         std::memory_order_relaxed);
  }

 private:
  static constexpr int shape_bits = 32;

  /// Never zero, the value of an empty cache.
  static std::uint64_t key_of(Loop const& loop) {
    return std::uint64_t(loop.device_id & 63) << 26 |
           std::uint64_t(loop.size_class) << 2 |
           std::uint64_t(loop.forced) << 1 | 1;
  }

  std::atomic<std::uint64_t> m_word{0};
  std::atomic<std::uint64_t> m_following{0};  ///< a bit per device
  CallTypes m_types;
};

}  // namespace KokkosMMA::Impl

#endif
