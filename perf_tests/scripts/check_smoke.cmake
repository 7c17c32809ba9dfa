# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

cmake_minimum_required(VERSION 3.25)

# cmake -DPROGRAM=perf_reduce -DJSON=FILE -P check_smoke.cmake
# Runs the benchmark on small data and looks for what readers of its JSON rely on.
file(REMOVE "${JSON}")
execute_process(
  COMMAND "${PROGRAM}" --mma-max-n=20000 --mma-samples=3 "--benchmark_out=${JSON}" --benchmark_out_format=json
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "perf_reduce ended with ${status}:\n${output}")
endif()

file(READ "${JSON}" text)
foreach(key IN ITEMS device kokkos_version kokkosmma_version git_revision execution_space peers)
  string(JSON value GET "${text}" context ${key}) # an absent key ends the script with an error that names it
endforeach()

string(JSON count LENGTH "${text}" benchmarks)
math(EXPR last "${count} - 1")
set(seen "")
foreach(i RANGE ${last})
  string(JSON case GET "${text}" benchmarks ${i})
  string(JSON name GET "${case}" name)
  string(JSON failed ERROR_VARIABLE absent GET "${case}" error_occurred)
  if(failed STREQUAL "ON")
    message(FATAL_ERROR "${name} failed")
  endif()
  if(name MATCHES "^reduce/([a-z_]+)/([a-z0-9]+)/([a-z_]+)/n:[0-9]+/")
    list(APPEND seen "${CMAKE_MATCH_1}:${CMAKE_MATCH_2}:${CMAKE_MATCH_3}")
    foreach(counter IN ITEMS bytes_per_second elements_per_second fraction_of_ceiling)
      string(JSON value GET "${case}" ${counter})
      if(NOT value GREATER 0)
        message(FATAL_ERROR "${name}: ${counter} is '${value}', expected a positive number")
      endif()
    endforeach()
    string(JSON route GET "${case}" label)
    if(NOT route MATCHES "^(generic|streamed|mma|cub)$")
      message(FATAL_ERROR "${name}: label '${route}' is not a route")
    endif()
  endif()
endforeach()
foreach(contender IN ITEMS kokkos drop_in mma)
  foreach(type IN ITEMS float double int8 int32 int64)
    foreach(result IN ITEMS view view_warm scalar)
      if(NOT "${contender}:${type}:${result}" IN_LIST seen)
        message(FATAL_ERROR "No case reduce/${contender}/${type}/${result} in ${JSON}")
      endif()
    endforeach()
  endforeach()
endforeach()
