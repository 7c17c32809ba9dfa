// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_LOAD_MATRIX_HPP
#define KOKKOSMMA_EMULATED_DEVICE_LOAD_MATRIX_HPP

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

namespace KokkosMMA::Impl::Cuda {

struct LoadMatrix4 {
  static void load(std::uint32_t (&to)[4], void const* row) {
    struct Operand {
      unsigned char const* row;
      std::uint32_t (&to)[4];
    } own{static_cast<unsigned char const*>(row), to};
    Testing::EmulatedDevice::in_warp(
        0xffffffffu, "ldmatrix", &own, [](void* const(&operand)[32]) {
          auto const at = [&](int lane) -> Operand& {
            return *static_cast<Operand*>(operand[lane]);
          };
          for (int lane = 0; lane < 32; ++lane)
            for (int m = 0; m < 4; ++m)
              std::memcpy(&at(lane).to[m],
                          at(8 * m + lane / 4).row + 4 * (lane % 4), 4);
        });
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
