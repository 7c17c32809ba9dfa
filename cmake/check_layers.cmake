# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DROOT=<source tree> -P check_layers.cmake
#
# The rules on layers, for every header:
#   a folder includes itself and the folders before it in the table below, and no backend includes another;
#   Kokkos::Impl is named in adapters/drop_in and in the files of policies only;
#   inline assembly is in backends/cuda/arch only; core includes no CUDA header;
#   core, and backends/cuda/runtime, which is libkokkosmma, include no header of Kokkos.
# And one for nvcc: the branches of if constexpr have braces. nvcc 13.0 silently drops the statement after some that have none.

cmake_minimum_required(VERSION 3.25)

# From the ground up. Folders that are not in it are errors.
set(folders
    core/base
    core/mma
    core/routing
    core/reduce
    core/scan
    core/segmented
    core/stencil
    core/automaton
    core/papers
    core/loops
    backends/generic
    backends/emulated/arch
    backends/emulated/atom
    backends/cuda/arch
    backends/cuda/atom
    backends/cuda/runtime
    backends/cuda/kernels/block
    backends/cuda/kernels/reduce
    backends/cuda/kernels/scan
    backends/cuda/kernels/segmented
    backends/cuda/kernels/stencil/sweep
    backends/cuda/kernels/stencil/separable
    backends/cuda/kernels/stencil/band
    backends/cuda/kernels/stencil/dense
    backends/cuda/kernels/stencil/steps
    backends/cuda/kernels/stencil/volumes
    backends/cuda/kernels/stencil
    backends/cuda/kernels/automaton
    backends/cuda/kernels/team
    backends/cuda/kernels/papers
    backends/cuda/kernels/loops
    adapters/kokkos
    adapters/drop_in
    adapters/algorithms/papers
    adapters/algorithms/reduce
    adapters/algorithms/scan
    adapters/algorithms/segmented
    adapters/algorithms/stencil
    adapters/algorithms/automaton
    adapters/algorithms/team
    adapters/mpi
    include)

# The folder that a file or an included path belongs to, or nothing for files of others.
function(folder_of path result)
  set(${result} "" PARENT_SCOPE)
  if(path MATCHES "^((core|backends|adapters)/.*)/[^/]*$")
    set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  elseif(path MATCHES "^(include/)?KokkosMMA[^/]*\\.hpp$")
    set(${result} "include" PARENT_SCOPE)
  endif()
endfunction()

set(places 0)
function(report file line text)
  message("${file}:${line}: ${text}")
  math(EXPR places "${places} + 1")
  set(places ${places} PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/include/*.hpp" "${ROOT}/core/*.hpp" "${ROOT}/backends/*.hpp" "${ROOT}/backends/*.cpp" "${ROOT}/adapters/*.hpp")
if(NOT files)
  message(FATAL_ERROR "check_layers: no headers under '${ROOT}'; pass -DROOT=<source tree>")
endif()
foreach(file IN LISTS files)
  folder_of("${file}" folder)
  list(FIND folders "${folder}" height)
  if(height EQUAL -1)
    report("${file}" 1 "the folder ${folder} has no place in the table of cmake/check_layers.cmake")
    continue()
  endif()
  string(REGEX MATCH "^backends/[a-z]+" backend "${folder}")
  file(READ "${ROOT}/${file}" text)
  # Up to the brace or the end of the statement.
  string(REPLACE ";" "@" plain "${text}")
  string(REGEX MATCHALL "if constexpr [^@{]*[@{]" branches "${plain}")
  foreach(branch IN LISTS branches)
    if(NOT branch MATCHES "(\\)[ \n\\]*|requires ){$" OR branch MATCHES "[ \n](if|for|while|do|switch|#pragma)[ \n]" OR branch MATCHES "[ \n]return ")
      string(FIND "${plain}" "${branch}" position)
      string(SUBSTRING "${plain}" 0 ${position} before)
      string(REGEX MATCHALL "\n" before "${before}")
      list(LENGTH before number)
      math(EXPR number "${number} + 1")
      string(REGEX REPLACE "[ \n]+" " " branch "${branch}")
      report("${file}" ${number} "a branch of if constexpr has braces, and this does not: ${branch}")
    endif()
  endforeach()
  # Brackets, semicolons and backslashes would split or join the list of lines.
  string(REGEX REPLACE "[][;\\]" " " text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(line MATCHES "^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"]")
      set(included "${CMAKE_MATCH_1}")
      if(folder MATCHES "^core/" AND included MATCHES "^(cuda|mma\\.h|cub/|thrust/|cooperative_groups)")
        report("${file}" ${number} "core includes no CUDA header, and this is <${included}>")
      endif()
      # A path beside or below the file itself is made relative to the top folder, like the others.
      if(included MATCHES "^\\.\\./")
        cmake_path(GET file PARENT_PATH included_path)
        cmake_path(APPEND included_path "${included}")
        cmake_path(NORMAL_PATH included_path)
        set(included "${included_path}")
      endif()
      if((folder STREQUAL "backends/cuda/runtime" OR folder MATCHES "^core(/|$)") AND included MATCHES "^Kokkos_|^impl/Kokkos")
        report("${file}" ${number} "core and libkokkosmma include no header of Kokkos, and this is <${included}>")
      endif()
      folder_of("${included}" target)
      if(target STREQUAL "")
        continue()
      endif()
      list(FIND folders "${target}" target_height)
      string(REGEX MATCH "^backends/[a-z]+" target_backend "${target}")
      if(target_height EQUAL -1 OR target_height GREATER height)
        report("${file}" ${number} "${folder} is below ${target} and does not include <${included}>")
      elseif(backend AND target_backend AND NOT backend STREQUAL target_backend)
        report("${file}" ${number} "a backend includes no other, and this is <${included}>")
      endif()
    endif()
    if(line MATCHES "Kokkos::Impl|namespace[ \t]+Impl[ \t]*=[ \t]*Kokkos" AND NOT file MATCHES "^adapters/drop_in/|Policy\\.hpp$")
      report("${file}" ${number} "Kokkos::Impl is named in adapters/drop_in and in policies only")
    endif()
    if(line MATCHES "(^|[^A-Za-z0-9_])(asm|__asm__)([ \t]+(volatile|__volatile__))?[ \t]*\\(" AND NOT file MATCHES "^backends/cuda/arch/")
      report("${file}" ${number} "inline assembly is in backends/cuda/arch only")
    endif()
  endforeach()
endforeach()
list(LENGTH files count)
if(places)
  message(FATAL_ERROR "check_layers: ${places} places in ${count} headers break the layers")
endif()
message(STATUS "check_layers: ${count} headers keep the layers")
