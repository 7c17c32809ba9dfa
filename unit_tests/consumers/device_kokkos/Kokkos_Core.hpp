// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A Kokkos for a device, under a compiler that is not the device's, or one with
// OpenMP, under a compiler that has not switched it on.
#error "this compiler cannot include Kokkos_Core.hpp"
