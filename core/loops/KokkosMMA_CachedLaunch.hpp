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
/// Cache of a call's chosen launch.

namespace KokkosMMA::Impl {

struct LoopShape;

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

  // Defined in KokkosMMA_CachedShape.hpp.
  std::optional<LoopShape> find(Loop const& loop) const;
  void keep(Loop const& loop, LoopShape const& shape);

  /// Whether the call's kernel was found to follow others closely on a device
  /// (KernelFacts::may_follow).
  bool may_follow(int device_id) const;
  void follows(int device_id);

 private:
  std::atomic<std::uint64_t> m_word{0};
  std::atomic<std::uint64_t> m_following{0};  ///< a bit per device
  CallTypes m_types;
};

}  // namespace KokkosMMA::Impl

#endif
