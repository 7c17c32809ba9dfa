# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The target KokkosMMA::mpi, where there is an MPI: the operations over ranks (docs/mpi.md). Headers, as everything else.

include_guard(DIRECTORY)

set(KokkosMMA_ENABLE_MPI AUTO CACHE STRING "The target KokkosMMA::mpi: AUTO (where an MPI is found), ON (it must be found) or OFF")
set_property(CACHE KokkosMMA_ENABLE_MPI PROPERTY STRINGS AUTO ON OFF)

set(KokkosMMA_HAS_MPI OFF)
if(KokkosMMA_ENABLE_MPI)
  # Only the C interface: the C++ bindings of MPI-2 are gone from the standard, and nvcc does not like their headers.
  set(MPI_CXX_SKIP_MPICXX ON CACHE BOOL "If true, the MPI-2 C++ bindings are disabled using definitions.")
  find_package(MPI QUIET COMPONENTS CXX GLOBAL)
  # Not "TARGET MPI::MPI_CXX": FindMPI makes that target wherever the compiler is not an MPI's own, also when it found none (CMake 3.25).
  if(MPI_CXX_FOUND)
    set(KokkosMMA_HAS_MPI ON)
  elseif(NOT KokkosMMA_ENABLE_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "KokkosMMA: KokkosMMA_ENABLE_MPI is '${KokkosMMA_ENABLE_MPI}' and no MPI for C++ was found. Pass "
                        "-DMPI_CXX_COMPILER=<path of mpicxx> or -DMPI_HOME=<prefix>, install one (Debian: libopenmpi-dev), or "
                        "leave the option at AUTO.")
  endif()
endif()

if(KokkosMMA_HAS_MPI)
  add_library(KokkosMMA_mpi INTERFACE)
  add_library(KokkosMMA::mpi ALIAS KokkosMMA_mpi)
  set_target_properties(KokkosMMA_mpi PROPERTIES EXPORT_NAME mpi)
  target_link_libraries(KokkosMMA_mpi INTERFACE KokkosMMA MPI::MPI_CXX)
  message(STATUS "KokkosMMA: MPI ${MPI_CXX_VERSION} from ${MPI_CXX_COMPILER}")
else()
  message(STATUS "KokkosMMA: no MPI (KokkosMMA_ENABLE_MPI is '${KokkosMMA_ENABLE_MPI}'), so no KokkosMMA::mpi")
endif()
