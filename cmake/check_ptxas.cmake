# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DKERNELS=<bool>|none -DFOLDED=<variable> -DSYMBOLS=<number> -DNAME=<for messages> -DCUDA=<version> -P check_ptxas.cmake -- nvcc ... -Xptxas -v ...
#
# Runs the compiler. With KERNELS, there must be kernels of KokkosMMA in what it compiles, and ptxas must report for each of them no
# stack frame (local memory), no spill stores and no spill loads. With KERNELS=none, there must be no kernel of KokkosMMA. With FOLDED, the
# last argument is a file of PTX in which that variable is defined and which never loads it: the compiler knew its value everywhere. With
# SYMBOLS, the last argument is an object, which may define that many symbols of KokkosMMA.

cmake_minimum_required(VERSION 3.25)

set(command "")
set(after OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(index RANGE ${last})
  if(after)
    list(APPEND command "${CMAKE_ARGV${index}}")
  elseif(CMAKE_ARGV${index} STREQUAL "--")
    set(after ON)
  endif()
endforeach()
execute_process(COMMAND ${command} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(REGEX REPLACE "ptxas info[^\n]*\n([ \t]+[0-9]+ bytes[^\n]*\n)?" "" messages "${output}")
string(STRIP "${messages}" messages)
if(messages)
  message("${messages}")
endif()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${NAME}: the compiler failed (${result})")
endif()
# An application may make this warning an error.
if(messages MATCHES "minnctapersm")
  message(FATAL_ERROR "${NAME}: launch bounds with more threads than a multiprocessor has. See backends/cuda/kernels/block/KokkosMMA_TuningType.hpp")
endif()
if(FOLDED)
  list(GET command -1 product)
  file(STRINGS "${product}" definitions REGEX "[.]const .*${FOLDED}")
  file(STRINGS "${product}" loads REGEX "ld[.]const.*${FOLDED}")
  list(LENGTH loads count)
  if(NOT definitions)
    message(FATAL_ERROR "${NAME}: no ${FOLDED} in ${product}; the check needs a source with team kernels and PTX as the product")
  elseif(count)
    message(FATAL_ERROR "${NAME}: ${count} loads of ${FOLDED} are left, so these kernels have the code and the registers of both forms. "
                        "See state_nested_loops in adapters/drop_in/KokkosMMA_InterceptNested.hpp")
  endif()
  message("${NAME}: the compiler knew ${FOLDED} in every kernel")
endif()
if(NOT "${SYMBOLS}" STREQUAL "")
  list(GET command -1 product)
  execute_process(COMMAND nm --defined-only "${product}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]*KokkosMMA[^\n]*" symbols "${symbols}")
  list(LENGTH symbols count)
  if(count EQUAL 0)
    message(FATAL_ERROR "${NAME}: ${product} has no symbol of KokkosMMA; the check needs a source with the drop-in")
  elseif(count GREATER SYMBOLS)
    list(JOIN symbols "\n  " symbols)
    message(FATAL_ERROR "${NAME}: ${count} symbols of KokkosMMA in a source without a call, ${SYMBOLS} are allowed:\n  ${symbols}")
  endif()
  message("${NAME}: ${count} symbols of KokkosMMA, ${SYMBOLS} allowed")
  # CMake's checks of the compiler link such sources without the library.
  execute_process(COMMAND nm --undefined-only "${product}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]*KokkosMMA[^\n]*" symbols "${symbols}")
  if(symbols)
    list(JOIN symbols "\n  " symbols)
    message(FATAL_ERROR "${NAME}: a source without a call needs libkokkosmma:\n  ${symbols}")
  endif()
endif()
if(NOT KERNELS AND NOT KERNELS STREQUAL "none")
  return()
endif()

# "Function properties for NAME" and the line after it. Names are mangled: 9KokkosMMA is this library's namespace; a kernel of Kokkos with a type
# of this library begins with _ZN6Kokkos.
string(REGEX MATCHALL "Function properties for [^\n]*\n[^\n]*bytes stack frame, [0-9]+ bytes spill stores, [0-9]+ bytes spill loads" functions
       "${output}")
set(count 0)
set(bad "")
foreach(function IN LISTS functions)
  string(REGEX MATCH "for ([^ \n]+)\n[ \t]*([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, ([0-9]+)" numbers "${function}")
  set(kernel "${CMAKE_MATCH_1}")
  set(stack "${CMAKE_MATCH_2}")
  set(numbers "${CMAKE_MATCH_2} bytes stack frame, ${CMAKE_MATCH_3} bytes spill stores, ${CMAKE_MATCH_4} bytes spill loads")
  if(NOT kernel MATCHES "9KokkosMMA" OR kernel MATCHES "^_ZN6Kokkos")
    continue()
  endif()
  math(EXPR count "${count} + 1")
  if(KERNELS STREQUAL "none")
    message(FATAL_ERROR "${NAME}: compiles a kernel that libkokkosmma_kernels has: ${kernel}")
  endif()
  # Functors decide what a streamed_scan needs. Of the tile scans the inclusive one of doubles keeps two registers in local memory, and is as
  # fast as the exclusive one, which does not: 3717 and 3720 GB/s (H200, CUDA 13.0, 2026-11-21).
  if((kernel MATCHES "13streamed_scan" AND stack LESS_EQUAL 128) OR (kernel MATCHES "9tile_scan" AND stack LESS_EQUAL 16))
    continue()
  endif()
  # Separable sums of bytes of radius 9 to 16 want more than the 255 registers that there are, only on sm_80 (CUDA 13.0). "auto" gives bytes to
  # the tensor cores.
  if(NAME MATCHES "sm_80" AND kernel MATCHES "10FactorSumsIiLi4ELi16ELi16ELi8EEEhL.*13StencilTargetIhLi2E" AND stack LESS_EQUAL 48)
    continue()
  endif()
  # Stars of three dimensions and radius 4 and unaligned rows, only on sm_80: one register (CUDA 13.0).
  if(NAME MATCHES "sm_80" AND kernel MATCHES "13sweep_stencilIfLi3Ef.*ELi4ELb1ELb1E" AND stack LESS_EQUAL 8)
    continue()
  endif()
  # CUDA 12.4 keeps a few registers of some stencils in local memory, 13.0 does not. 12.4.131, sm_90, 2026-11-25: 8 to 120 bytes in 7 of 49
  # kernels of band stencils and 7 of 119 separable ones; their speed under 12.4 has not been measured.
  if("${CUDA}" MATCHES "^12\\." AND stack GREATER 0
     AND ((kernel MATCHES "12band_stencil" AND stack LESS_EQUAL 64) OR (kernel MATCHES "17separable_stencil" AND stack LESS_EQUAL 128)))
    message("${NAME}: ${numbers}, as listed for CUDA ${CUDA}: ${kernel}")
    continue()
  endif()
  if(NOT numbers STREQUAL "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads")
    execute_process(COMMAND c++filt "${kernel}" OUTPUT_VARIABLE readable OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(APPEND bad "\n  ${numbers}: ${readable} (${kernel})")
  endif()
endforeach()
if(KERNELS STREQUAL "none")
  if(NOT functions)
    message(FATAL_ERROR "${NAME}: ptxas reports nothing; the check needs -Xptxas -v, and Kokkos' own kernels in the source")
  endif()
  message("${NAME}: no kernel of KokkosMMA")
  return()
endif()
if(count EQUAL 0)
  message(FATAL_ERROR "${NAME}: ptxas reports no kernel of KokkosMMA; the check needs -Xptxas -v and a source that launches one")
endif()
if(bad)
  message(FATAL_ERROR "${NAME}: kernels with spills or local memory:${bad}")
endif()
message("${NAME}: ${count} kernels of KokkosMMA, no spills, no local memory")
