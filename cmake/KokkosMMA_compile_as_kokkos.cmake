# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# With most CUDA builds of Kokkos the C++ compiler is nvcc_wrapper, or Kokkos puts its launcher before the compiler, and nothing is to be
# done here. A Kokkos built with CUDA as a CMake language says so in Kokkos_COMPILE_LANGUAGE; then the sources that use it are CUDA.

include_guard(DIRECTORY)

if("${Kokkos_COMPILE_LANGUAGE}" STREQUAL "CUDA" OR "${KOKKOS_COMPILE_LANGUAGE}" STREQUAL "CUDA")
  set(KokkosMMA_LANGUAGE_IS_CUDA ON)
  enable_language(CUDA)
endif()

# kokkosmma_compile_as_kokkos(<folder>...): the sources of all targets of these folders and of those below.
function(kokkosmma_compile_as_kokkos)
  if(NOT KokkosMMA_LANGUAGE_IS_CUDA)
    return()
  endif()
  foreach(folder IN LISTS ARGN)
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(sources ${target} SOURCES)
      if(sources)
        list(FILTER sources INCLUDE REGEX "\\.cpp$")
        set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE CUDA)
      endif()
      set_target_properties(${target} PROPERTIES CUDA_STANDARD 20)
    endforeach()
    get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    kokkosmma_compile_as_kokkos(${below})
  endforeach()
endfunction()
