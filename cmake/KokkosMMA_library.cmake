# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# kokkosmma_add_library(<target> <folder of the headers> [EXCLUDE_FROM_ALL])
#
# libkokkosmma: the part of the library that depends on no type of an application, for a Kokkos with CUDA. It includes the CUDA runtime's headers
# and none of Kokkos, and the application's compiler compiles it: nothing depends on the version of Kokkos or on an architecture.

include_guard(GLOBAL)

# kokkosmma_links_cuda(<result> <target>): whether this target of Kokkos links CUDA, as in Kokkos 4.6 to 5.2. Variables of Kokkos are known in the
# folder only that found it.
function(kokkosmma_links_cuda result target)
  get_target_property(linked ${target} INTERFACE_LINK_LIBRARIES)
  if(linked MATCHES "Kokkos::CUDA")
    set(${result} ON PARENT_SCOPE)
  else()
    set(${result} OFF PARENT_SCOPE)
  endif()
endfunction()

function(kokkosmma_add_library target folder)
  if(TARGET ${target})
    return()
  endif()
  # Kokkos has looked for the toolkit, but maybe in another folder of the project.
  if(NOT CUDAToolkit_INCLUDE_DIRS)
    find_package(CUDAToolkit QUIET)
  endif()
  set(sources ErasedCalls ErasedFor ErasedNodes ErasedTeam GraphNode Launch StreamScratch TimedCall VerboseLines)
  list(TRANSFORM sources REPLACE "(.+)" "${folder}/backends/cuda/runtime/KokkosMMA_\\1.cpp")
  add_library(${target} STATIC ${ARGN} ${sources})
  set_target_properties(
    ${target}
    PROPERTIES # Compiled as one source: 10 s of nvcc_wrapper with -O3, 40 s one by one (CUDA 13.0, 2026-11-28).
               UNITY_BUILD ON
               UNITY_BUILD_BATCH_SIZE 0
               POSITION_INDEPENDENT_CODE ON
               # State is shared by an executable and its shared libraries.
               CXX_VISIBILITY_PRESET default
               VISIBILITY_INLINES_HIDDEN OFF
               KOKKOSMMA_DROP_IN_OFF ON)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE "${folder}")
  target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  # "#pragma unroll" is nvcc's. In an application all warnings are off: it may make errors of them.
  if(PROJECT_NAME STREQUAL "KokkosMMA" AND PROJECT_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE -Wno-unknown-pragmas)
  else()
    target_compile_options(${target} PRIVATE -w)
  endif()
endfunction()
