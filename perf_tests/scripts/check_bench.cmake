# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

cmake_minimum_required(VERSION 3.25)

# cmake -DBUILD=FOLDER -DCONFIG=Release -DPREFIX=FOLDER -DBIN=bin -DPYTHON=FILE -P check_bench.cmake
# Installs the benchmarks, runs all of them quickly, and compares the result folder with itself.
function(run output)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command} ended with ${status}:\n${text}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${PREFIX}")
run(text "${CMAKE_COMMAND}" --install "${BUILD}" --config "${CONFIG}" --prefix "${PREFIX}" --component bench)
set(bench "${PYTHON}" "${PREFIX}/${BIN}/kokkosmma-bench")
set(results "${PREFIX}/results")
run(text ${bench} --quick --out "${results}")
foreach(program IN ITEMS reduce scan segmented stencil)
  if(NOT text MATCHES "perf_${program} +([0-9]+)/([0-9]+) cases" OR CMAKE_MATCH_2 LESS 4)
    message(FATAL_ERROR "No progress of perf_${program} in:\n${text}")
  endif()
  file(READ "${results}/perf_${program}.json" json)
  foreach(key IN ITEMS tuning_table route_setting git_revision kokkos_version)
    string(JSON value GET "${json}" context ${key}) # an absent key ends the script with an error that names it
  endforeach()
endforeach()
file(READ "${results}/report.md" report)
if(NOT report MATCHES "# Benchmarks" OR NOT report MATCHES "## Exclusive scan" OR NOT report MATCHES "## 2D, box of ones")
  message(FATAL_ERROR "Tables are missing in ${results}/report.md:\n${report}")
endif()
run(text ${bench} compare --fail-on-regression "${results}" "${results}")
if(NOT text MATCHES "no regression")
  message(FATAL_ERROR "A folder against itself:\n${text}")
endif()
