// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong on purpose: headers.layers_are_checked wants each of these found.
#include <backends/cuda/arch/anything.hpp>
using Kokkos::Impl::anything;
inline void anything() { asm("nop"); }
#include "../emulated/arch/anything.hpp"
