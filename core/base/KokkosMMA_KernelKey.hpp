// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_KERNEL_KEY_HPP
#define KOKKOSMMA_KERNEL_KEY_HPP

#include <cstddef>
#include <cstdint>

/// \file
/// Key of tables of compiled kernels.

namespace KokkosMMA::Impl {

struct KernelKey {
  int device_id;
  void const* kernel;
  unsigned detail = 0;  ///< distinguishes entries of one kernel

  friend bool operator==(KernelKey const&, KernelKey const&) = default;
};

struct KernelHash {
  std::size_t operator()(KernelKey const& key) const {
    return (reinterpret_cast<std::uintptr_t>(key.kernel) ^
            (std::uint64_t(key.detail) << 32) ^ unsigned(key.device_id)) *
           0x9e3779b97f4a7c15;
  }
};

}  // namespace KokkosMMA::Impl

#endif
