# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DTREE=<build tree> -DTARGET=<target> -DCONFIG=<configuration> -P check_refused.cmake
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
set(sentences_of_scan_functors
    "KokkosMMA::exclusive_scan_into: y is written, its elements must not be const"
    "KokkosMMA::inclusive_scan_into: the elements of x must be half_t, bhalf_t, float, double, bool or integers"
    "KokkosMMA::exclusive_scan_into: a variable after y may be meant as the initial value or as the total")
set(sentences_of_scans
    "KokkosMMA::exclusive_scan: the accumulator cannot hold the elements of x"
    "KokkosMMA::inclusive_scan: the accumulator cannot hold the elements of x"
    "KokkosMMA::exclusive_scan: the initial value must be a number that the accumulator can hold"
    "KokkosMMA::inclusive_scan: the total must be a scalar variable or a View of rank 0")
set(sentences_of_totals
    "KokkosMMA::exclusive_scan: a variable after y may be meant as the initial value or as the total"
    "KokkosMMA::inclusive_scan: the total comes by its name, KokkosMMA::Total"
    "KokkosMMA::inclusive_scan: y cannot hold the values"
    "KokkosMMA::exclusive_scan: y cannot hold the values")
set(sentences_of_sums
    "KokkosMMA::reduce: an integer result cannot hold a sum of floating-point elements or of wider integers"
    "KokkosMMA::segmented_reduce: the result cannot hold the values"
    "KokkosMMA::segmented_inclusive_scan: y cannot hold the values")
set(sentences_of_sum_functors
    "KokkosMMA::load: the sum is an integer that cannot hold what is summed"
    "KokkosMMA::dot, squares: the sum is an integer that cannot hold what is summed"
    "KokkosMMA::transform: the sum is an integer that cannot hold what is summed")
set(sentences_of_policies
    "KokkosMMA::StencilPolicy: this kokkos-mma does not know this version of Kokkos"
    "KokkosMMA::SegmentPolicy: this kokkos-mma does not know this version of Kokkos")
string(REPLACE "algorithms_refused_" "" kind "${TARGET}")
set(sentences ${sentences_of_${kind}})
if(NOT sentences)
  message(FATAL_ERROR "nothing is known of ${TARGET}")
endif()
foreach(sentence IN LISTS sentences)
  string(FIND "${output}" "${sentence}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "the compiler does not say \"${sentence}\":\n${output}")
  endif()
endforeach()
