// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ARRAY_LAYOUT_HPP
#define KOKKOSMMA_ARRAY_LAYOUT_HPP

namespace KokkosMMA::Impl {

/// Layout of a block's running arrays in shared memory.
struct ArrayLayout {
  unsigned count;    ///< values per array
  unsigned stride;   ///< bytes between the arrays of two threads
  unsigned callers;  ///< threads with an array
};

/// Longest array that a thread keeps in registers.
inline constexpr unsigned most_in_registers = 4;

}  // namespace KokkosMMA::Impl

#endif
