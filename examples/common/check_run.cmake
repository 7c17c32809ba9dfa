# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Runs PROGRAM with ARGS and compares the exit code and, by regular expression, what it printed.

cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} ${ARGS} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
set(problems "")
if(NOT code STREQUAL EXIT)
  string(APPEND problems "exit code ${code}, expected ${EXIT}\n")
endif()
foreach(stream out err)
  set(pattern "${STDOUT}")
  if(stream STREQUAL "err")
    set(pattern "${STDERR}")
  endif()
  if(NOT pattern STREQUAL "" AND NOT ${stream} MATCHES "${pattern}")
    string(APPEND problems "std${stream} does not match: ${pattern}\n")
  endif()
endforeach()
# After wrong input nothing is computed. A test that expects output with another exit code says which.
if(NOT EXIT STREQUAL "0" AND STDOUT STREQUAL "" AND NOT out STREQUAL "")
  string(APPEND problems "stdout is not empty\n")
endif()
if(NOT problems STREQUAL "")
  message(FATAL_ERROR "${problems}stdout:\n${out}\nstderr:\n${err}")
endif()
