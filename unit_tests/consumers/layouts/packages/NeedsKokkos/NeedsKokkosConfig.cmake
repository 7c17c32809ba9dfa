# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A library on top of Kokkos, as its package file finds it.
include(CMakeFindDependencyMacro)
find_dependency(Kokkos)
if(NOT TARGET NeedsKokkos::needs_kokkos)
  add_library(NeedsKokkos::needs_kokkos INTERFACE IMPORTED)
  set_property(TARGET NeedsKokkos::needs_kokkos PROPERTY INTERFACE_LINK_LIBRARIES Kokkos::kokkoscore)
endif()
