// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CAPABILITY_HPP
#define KOKKOSMMA_CAPABILITY_HPP

#include <core/base/KokkosMMA_Scalar.hpp>

namespace KokkosMMA {

/// Features of the device of an execution space, from the Kokkos configuration
/// at compile time and from the device at run time.
struct Capability {
  bool cuda              = false;       ///< whether the space is Kokkos::Cuda
  int compute_capability = 0;           ///< major * 10 + minor; 90 on an H200
  int multiprocessors    = 0;           ///< SMs of the device
  int shared_bytes       = 227 * 1024;  ///< maximum shared memory per block

  /// Whether the device has the tensor-core instructions that the library uses.
  /// They exist from compute capability 8.0 on (PTX ISA, "mma" target notes).
  constexpr bool tensor_cores() const {
    return cuda && compute_capability >= 80;
  }

  /// Whether sums of this element type can run on tensor cores.
  constexpr bool sums_on_tensor_cores(Scalar scalar) const {
    return tensor_cores() && scalar != Scalar::opaque;
  }
};

}  // namespace KokkosMMA

#endif
