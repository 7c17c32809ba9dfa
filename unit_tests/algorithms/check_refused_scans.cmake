# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DTREE=<build tree> -DTARGET=<target> -DCONFIG=<configuration> -P check_refused_scans.cmake
#
# The target must not compile, and the compiler must say why in the words of the library.

cmake_minimum_required(VERSION 3.25)

execute_process(
  COMMAND "${CMAKE_COMMAND}" --build "${TREE}" --target "${TARGET}" --config "${CONFIG}"
  RESULT_VARIABLE result
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
if(result EQUAL 0)
  message(FATAL_ERROR "${TARGET} compiles, and none of its calls can work")
endif()
# nvcc breaks the text into lines.
string(REGEX REPLACE "[ \t\r\n]+" " " output "${output}")
if("${TARGET}" STREQUAL "algorithms_refused_scan_functors")
  set(sentences
      "KokkosMMA::exclusive_scan_into: y is written, its elements must not be const"
      "KokkosMMA::inclusive_scan_into: the elements of x must be half_t, bhalf_t, float, double, bool or integers")
else()
  set(sentences
      "KokkosMMA::exclusive_scan: the accumulator cannot hold the elements of x"
      "KokkosMMA::inclusive_scan: the accumulator cannot hold the elements of x"
      "KokkosMMA::exclusive_scan: the initial value must be a number that the accumulator can hold"
      "KokkosMMA::inclusive_scan: the total must be a scalar variable or a View of rank 0")
endif()
foreach(sentence IN LISTS sentences)
  string(FIND "${output}" "${sentence}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "the compiler does not say \"${sentence}\":\n${output}")
  endif()
endforeach()
