// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Before everything else: the Kokkos of this build with the number of another
// version.

#include <Kokkos_Macros.hpp>

#undef KOKKOS_VERSION
#define KOKKOS_VERSION OTHER_KOKKOS_VERSION
