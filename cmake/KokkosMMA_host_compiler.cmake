# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include_guard(GLOBAL)

# kokkosmma_host_compiler(<result>)
#
# A compiler that knows g++'s options, for tests that run it themselves: the one of this build or, where that is nvcc_wrapper, which gives
# options like -M and -fsyntax-only to nvcc, the one that the wrapper compiles host code with. Empty if there is none.
function(kokkosmma_host_compiler result)
  set(${result} "" PARENT_SCOPE)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    cmake_path(GET CMAKE_CXX_COMPILER FILENAME name)
    if(NOT name MATCHES "nvcc")
      set(${result} "${CMAKE_CXX_COMPILER}" PARENT_SCOPE)
      return()
    endif()
    find_program(KokkosMMA_HOST_COMPILER NAMES "$ENV{NVCC_WRAPPER_DEFAULT_COMPILER}" g++ clang++)
    mark_as_advanced(KokkosMMA_HOST_COMPILER)
    if(KokkosMMA_HOST_COMPILER)
      set(${result} "${KokkosMMA_HOST_COMPILER}" PARENT_SCOPE)
    endif()
  endif()
endfunction()
