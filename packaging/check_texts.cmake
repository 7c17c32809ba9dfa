# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DROOT=<source tree> -DVERSION=<number> -P check_texts.cmake
#
# What is written in several places is the same: the version and its date, and the commands on a bare machine.

cmake_minimum_required(VERSION 3.25)

set(failed "")
# has(<file> <text>)
function(has file text)
  file(READ "${ROOT}/${file}" content)
  string(FIND "${content}" "${text}" position)
  if(position EQUAL -1)
    set(failed "${failed}\n  ${file} does not have '${text}'" PARENT_SCOPE)
  endif()
endfunction()

file(READ "${ROOT}/CHANGELOG.md" text)
if(NOT text MATCHES "\n## ([0-9.]+) \\(([0-9-]+|unreleased)\\)\n" OR NOT CMAKE_MATCH_1 STREQUAL VERSION)
  set(failed "\n  the first version of CHANGELOG.md is not '## ${VERSION} (DATE)'")
else()
  has(CITATION.cff "\nversion: ${VERSION}\n")
  if(NOT CMAKE_MATCH_2 STREQUAL "unreleased")
    has(CITATION.cff "\ndate-released: ${CMAKE_MATCH_2}\n")
  endif()
endif()

set(install "apt-get install --yes --no-install-recommends g++ make cmake")
has(.ci/bare_root "${install}\n")
foreach(file IN ITEMS README.md .ci/run)
  has(${file} "cmake --workflow --preset demo")
endforeach()
has(README.md "apt-get install g++ make cmake")
has(.github/ISSUE_TEMPLATE/problem.yml "KokkosMMA::print_configuration")

if(failed)
  message(FATAL_ERROR "check_texts:${failed}")
endif()
