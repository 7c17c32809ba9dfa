# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DPROGRAM=<program> -DPAGE=<file> [-DUPDATE=ON] -P check_page.cmake
#
# Fails where PAGE is not what PROGRAM prints, naming the first line that differs; with UPDATE writes it.

cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "check_page: ${PROGRAM} ended with ${code}")
endif()
set(committed "")
if(EXISTS "${PAGE}")
  file(READ "${PAGE}" committed)
endif()
if(printed STREQUAL committed)
  return()
endif()
if(UPDATE)
  file(WRITE "${PAGE}" "${printed}")
  message(STATUS "check_page: wrote ${PAGE}")
  return()
endif()

# Brackets and semicolons would split or join the list of lines.
foreach(text IN ITEMS printed committed)
  string(REGEX REPLACE "[][;]" " " ${text} "${${text}}")
  string(REPLACE "\n" ";" ${text} "${${text}}")
endforeach()
set(number 0)
foreach(old new IN ZIP_LISTS committed printed)
  math(EXPR number "${number} + 1")
  if(NOT old STREQUAL new)
    message(FATAL_ERROR "${PAGE}:${number}: '${old}'; ${PROGRAM} prints '${new}'. If that is meant, build the target docs_update and commit.")
  endif()
endforeach()
message(FATAL_ERROR "${PAGE} is not what ${PROGRAM} prints. If that is meant, build the target docs_update and commit.")
