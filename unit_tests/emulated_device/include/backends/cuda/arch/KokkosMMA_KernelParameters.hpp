// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_KERNEL_PARAMETERS_HPP
#define KOKKOSMMA_EMULATED_DEVICE_KERNEL_PARAMETERS_HPP

#include <cuda_runtime.h>

#define KOKKOSMMA_GRID_CONSTANT
#define KOKKOSMMA_DYNAMIC_SHARED(Type, alignment, name) \
  Type* const name = reinterpret_cast<Type*>(           \
      KokkosMMA::Testing::EmulatedDevice::shared_memory())

#endif
