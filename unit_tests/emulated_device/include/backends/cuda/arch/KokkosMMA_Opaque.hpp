// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_OPAQUE_HPP
#define KOKKOSMMA_EMULATED_DEVICE_OPAQUE_HPP

namespace KokkosMMA::Impl::Cuda {

struct Opaque {
  template <class Value>
  static void hide(Value&) {}
  static void memory() {}
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
