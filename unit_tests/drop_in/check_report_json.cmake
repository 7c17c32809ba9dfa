# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DPROGRAM=<drop_in_callbacks> -DCUDA=<0 or 1> -DFOLDER=<for the file> -P check_report_json.cmake
#
# KOKKOSMMA_REPORT=<file>.json: the file is JSON and has the intercepted calls; a file that cannot be written is reported.

cmake_minimum_required(VERSION 3.25)

set(case saved_before_the_first_call)
if(CUDA)
  # It makes calls on the device.
  set(case reads_a_result)
endif()
function(run file result)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "KOKKOSMMA_REPORT=${file}" OMP_NUM_THREADS=1 "${PROGRAM}" ${case}
    OUTPUT_VARIABLE output ERROR_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

set(file "${FOLDER}/report.json")
file(REMOVE "${file}")
run("${file}" output)
file(READ "${file}" report)
string(JSON state GET "${report}" drop_in)
string(JSON count LENGTH "${report}" calls)
if(output MATCHES "KOKKOSMMA_REPORT")
  message(FATAL_ERROR "there is a table, too, or an error:\n${output}")
elseif(NOT CUDA AND NOT "${state} ${count}" STREQUAL "inactive 0")
  message(FATAL_ERROR "without CUDA nothing is intercepted:\n${report}")
elseif(CUDA AND NOT state STREQUAL "active")
  message(FATAL_ERROR "on CUDA the drop-in is active:\n${report}")
elseif(CUDA)
  if(count EQUAL 0)
    message(FATAL_ERROR "the program's calls are missing:\n${report}")
  endif()
  string(JSON pattern GET "${report}" calls 0 pattern)
  string(JSON calls GET "${report}" calls 0 calls)
  if(NOT pattern MATCHES "^parallel_" OR calls LESS 1)
    message(FATAL_ERROR "the first entry is not a call:\n${report}")
  endif()
endif()

run("${FOLDER}/no_such_folder/report.json" output)
if(NOT output MATCHES "KOKKOSMMA_REPORT: cannot write [^\n]*no_such_folder/report.json")
  message(FATAL_ERROR "nothing says that the file cannot be written:\n${output}")
endif()
