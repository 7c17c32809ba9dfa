# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DPROGRAM=<device_report> -P report_device.cmake, in the build folder, when ctest has run its tests
#
# How many tests there were (those that were skipped included, as ctest counts them), on which device and with which Kokkos. Tests say themselves whether they passed: nothing here is an error.

cmake_minimum_required(VERSION 3.25)

# The log has its last name when ctest ends.
set(log "Testing/Temporary/LastTest.log.tmp")
set(ended "")
if(EXISTS "${log}")
  file(STRINGS "${log}" ended REGEX "^\"[^\"]+\" end time: ")
endif()
list(LENGTH ended count)
if(count EQUAL 0)
  return()
endif()

execute_process(COMMAND "${PROGRAM}" TIMEOUT 60 RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE error)
if(NOT status EQUAL 0)
  message("KokkosMMA: ${count} tests; ${PROGRAM}, which names the device, ended with '${status}' ${error}")
  return()
endif()
string(REGEX MATCHALL "(KokkosMMA|Kokkos|CUDA runtime|device) [^\n]+" facts "${text}")
list(JOIN facts "; " facts)
message("KokkosMMA: ${count} tests; ${facts}")
