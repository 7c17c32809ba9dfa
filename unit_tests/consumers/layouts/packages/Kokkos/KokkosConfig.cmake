# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# As much of an installed Kokkos as CMake sees. Nothing is compiled with it.
set(Kokkos_VERSION 4.6.1)
if(OTHER_KOKKOS_VERSION)
  set(Kokkos_VERSION ${OTHER_KOKKOS_VERSION})
endif()
if(NOT TARGET Kokkos::kokkoscore)
  # With CUDA, as far as the drop-in sees.
  add_library(Kokkos::CUDA INTERFACE IMPORTED)
  add_library(Kokkos::kokkoscore INTERFACE IMPORTED)
  set_property(TARGET Kokkos::kokkoscore PROPERTY INTERFACE_LINK_LIBRARIES Kokkos::CUDA)
  add_library(Kokkos::kokkos INTERFACE IMPORTED)
  set_property(TARGET Kokkos::kokkos PROPERTY INTERFACE_LINK_LIBRARIES Kokkos::kokkoscore)
endif()
