// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Kokkos_Macros.hpp>

#ifdef KOKKOSMMA_VERSION
#error "Kokkos' own sources must be compiled without the drop-in"
#endif
