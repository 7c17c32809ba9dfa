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
    "KokkosMMA::exclusive_scan_into: y is written, so its elements must not be const"
    "KokkosMMA::inclusive_scan_into: the elements of x must be half_t, bhalf_t, float, double, bool or integers"
    "KokkosMMA::exclusive_scan_into: a variable after y may be meant as the initial value or as the total")
set(sentences_of_scans
    "KokkosMMA::exclusive_scan: the accumulator cannot hold the elements of x"
    "KokkosMMA::inclusive_scan: the accumulator cannot hold the elements of x"
    "KokkosMMA::exclusive_scan: the initial value must be a number that the accumulator can hold"
    "KokkosMMA::inclusive_scan: the total must be a scalar variable or a View of rank 0")
set(sentences_of_totals
    "KokkosMMA::exclusive_scan: a variable after y may be meant as the initial value or as the total"
    "KokkosMMA::inclusive_scan: pass the total as KokkosMMA::Total"
    "KokkosMMA::inclusive_scan: y cannot hold the values"
    "KokkosMMA::exclusive_scan: y cannot hold the values")
set(sentences_of_sums
    "KokkosMMA::reduce: an integer result cannot hold a sum of floating-point elements or of wider integers"
    "KokkosMMA::segmented_reduce: the result cannot hold the values"
    "KokkosMMA::segmented_inclusive_scan: y cannot hold the values")
set(sentences_of_sum_functors
    "KokkosMMA::load: an integer sum cannot hold floating-point numbers or wider integers"
    "KokkosMMA::dot, squares: an integer sum cannot hold floating-point numbers or wider integers"
    "KokkosMMA::transform: an integer sum cannot hold floating-point numbers or wider integers")
set(sentences_of_arguments
    "x_must_have_rank_1_use_segmented_reduce_for_the_rows_of_a_matrix"
    "the_first_argument_must_be_an_instance_of_an_execution_space"
    "the_result_is_missing_pass_a_scalar_a_View_of_rank_0_or_a_reducer"
    "x_and_y_must_have_rank_1_use_segmented_scans_for_the_rows_of_a_matrix"
    "weights_and_boundaries_must_have_the_rank_of_the_Views")
set(sentences_of_results
    "KokkosMMA::reduce: the result must be a scalar, a View of rank 0 or a reducer"
    "KokkosMMA::reduce: exec must be an instance of a Kokkos execution space"
    "KokkosMMA::reduce: the result must be half_t, bhalf_t, float, double or an integer")
set(sentences_of_policies
    "KokkosMMA::StencilPolicy: this kokkos-mma does not know this version of Kokkos"
    "KokkosMMA::SegmentPolicy: this kokkos-mma does not know this version of Kokkos")
string(REPLACE "algorithms_refused_" "" kind "${TARGET}")
set(sentences ${sentences_of_${kind}})
if(NOT sentences)
  message(FATAL_ERROR "nothing is known of ${TARGET}")
endif()
# An error for each call, and nothing of the code below it. (nvcc counts its errors in the last line, and may say more.)
set(calls_of_arguments 6)
set(calls_of_results 3)
string(REGEX MATCHALL " error: " errors "${output}")
list(LENGTH errors count)
if(calls_of_${kind} AND NOT count EQUAL calls_of_${kind} AND NOT output MATCHES "detected in the compilation")
  message(FATAL_ERROR "${count} errors for ${calls_of_${kind}} calls:\n${output}")
endif()
foreach(sentence IN LISTS sentences)
  string(FIND "${output}" "${sentence}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "the compiler does not say \"${sentence}\":\n${output}")
  endif()
endforeach()
