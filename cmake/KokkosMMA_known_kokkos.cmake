# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Which versions of Kokkos this version of kokkos-mma knows. The table is that of adapters/kokkos/KokkosMMA_KnownKokkos.hpp.

include_guard(GLOBAL)

# Sets <result> to the known minor versions, the oldest first. <headers> is the folder of KokkosMMA.hpp.
function(kokkosmma_known_kokkos headers result)
  set(header "${headers}/adapters/kokkos/KokkosMMA_KnownKokkos.hpp")
  file(STRINGS "${header}" lines REGEX "\\(minor\\) == ")
  string(REGEX MATCHALL "== [0-9]+" numbers "${lines}")
  set(known "")
  foreach(number IN LISTS numbers)
    string(REPLACE "== " "" number "${number}")
    math(EXPR major "${number} / 100")
    math(EXPR minor "${number} % 100")
    list(APPEND known "${major}.${minor}")
  endforeach()
  if(NOT known)
    message(FATAL_ERROR "KokkosMMA: ${header} has no table of the versions of Kokkos that are known")
  endif()
  set(${result} "${known}" PARENT_SCOPE)
endfunction()

# Warns, once for each version, where Kokkos <version> is not known. Where <version> is empty, it is that of a Kokkos in the source tree.
function(kokkosmma_check_kokkos headers version)
  if(NOT version AND TARGET kokkoscore)
    get_target_property(folder kokkoscore SOURCE_DIR)
    get_directory_property(version DIRECTORY "${folder}" DEFINITION Kokkos_VERSION)
  endif()
  get_property(checked GLOBAL PROPERTY KokkosMMA_checked_kokkos)
  if(NOT version OR version IN_LIST checked OR "${CMAKE_CXX_FLAGS} ${CMAKE_CUDA_FLAGS}" MATCHES "KOKKOSMMA_ENABLE_UNKNOWN_KOKKOS")
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY KokkosMMA_checked_kokkos "${version}")
  kokkosmma_known_kokkos("${headers}" known)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" minor "${version}")
  if(NOT minor IN_LIST known)
    list(JOIN known ", " known)
    message(WARNING "KokkosMMA: Kokkos ${version} is not known to this version of kokkos-mma, which knows ${known}. Kokkos' own code runs. "
                    "A newer kokkos-mma may know it; -DCMAKE_CXX_FLAGS=-DKOKKOSMMA_ENABLE_UNKNOWN_KOKKOS intercepts anyway.")
  endif()
endfunction()
