# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DSANITIZER=<compute-sanitizer> -DTOOL=<memcheck, racecheck, synccheck or initcheck> -DPROGRAM=<program> -DWHAT=<tests or arguments>
#       -P run_sanitizer.cmake
#
# Runs tests of a program of GoogleTest, patterns between colons, or a program with its arguments, which begin with --.

cmake_minimum_required(VERSION 3.25)

separate_arguments(arguments UNIX_COMMAND "${WHAT}")
if(NOT WHAT MATCHES "^--")
  set(arguments "--gtest_filter=${WHAT}" --gtest_brief=1)
  # A filter that matches nothing is no error of GoogleTest.
  string(REPLACE ":" ";" patterns "${WHAT}")
  foreach(pattern IN LISTS patterns)
    execute_process(COMMAND "${PROGRAM}" --gtest_list_tests "--gtest_filter=${pattern}" OUTPUT_VARIABLE tests RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${PROGRAM} --gtest_list_tests ended with '${status}'")
    elseif(NOT tests MATCHES "\n  ")
      message(FATAL_ERROR "${PROGRAM} has no test '${pattern}'; correct the table in unit_tests/sanitize/CMakeLists.txt")
    endif()
  endforeach()
endif()

# Kernels that a tool reports although they are right, or are not this library's (CUDA 13.0, Kokkos 5.2, H200, 2026-11-28).
set(exclude "")
if(TOOL STREQUAL "synccheck")
  # Warps with different tasks meet at a barrier of the whole block (KokkosMMA_ScanPipeline.hpp): "divergent threads in block". A named
  # barrier with the number of threads is reported as well.
  set(exclude --kernel-name-exclude kns=streamed_scan,kns=tile_scan,kns=scan_equal_segments,kns=scan_segments)
elseif(TOOL STREQUAL "racecheck" AND PROGRAM MATCHES "drop_in_values|algorithms_scan")
  # Kokkos' own scans, which tests run for comparison.
  set(exclude --kernel-name-exclude kns=cuda_parallel_launch)
elseif(TOOL STREQUAL "initcheck" AND PROGRAM MATCHES "algorithms_automaton")
  # advance_counts reads padding and rows ahead that it does not use (KokkosMMA_PackedCounts.hpp), advance_packed the word after a row
  # (KokkosMMA_PackedLife.hpp; emulated_device's LifeInBits fills it with random bits). The tool does not see what an excluded kernel writes,
  # so those that read its results are excluded, too.
  set(exclude --kernel-name-exclude kns=advance_counts,kns=advance_packed,kns=continue_cells,kns=clear_foreign_cells,kns=convert_cells)
elseif(TOOL STREQUAL "initcheck" AND PROGRAM MATCHES "algorithms_stencil_values")
  # Its vectors read the padding before a row of sums and do not use it (KokkosMMA_SeparableVolume.hpp).
  set(exclude --kernel-name-exclude kns=sum_planes)
endif()
execute_process(COMMAND "${SANITIZER}" --tool ${TOOL} ${exclude} --error-exitcode 9 --print-limit 5 "${PROGRAM}" ${arguments} RESULT_VARIABLE status)
if(status EQUAL 9)
  message(FATAL_ERROR "${TOOL} found errors, above")
elseif(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} under ${TOOL} ended with '${status}'")
endif()
