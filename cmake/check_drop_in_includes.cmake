# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DROOT=<source tree> -DCOMPILER=<g++ or clang++> -DFOLDER=<for files> -DCUDA=<0 or 1> -DALLOWED=<lines> -P check_drop_in_includes.cmake
#
# Every source of an application compiles what the drop-in header includes. It may include what is intercepted, and no more than ALLOWED
# lines of kokkos-mma. The compiler lists the headers for a stand-in of Kokkos, with or without Cuda; what else is missing it takes as given.

cmake_minimum_required(VERSION 3.25)

file(WRITE "${FOLDER}/kokkos/Kokkos_Core.hpp" "")
set(macros "#define KOKKOS_VERSION 50200\n")
if(CUDA)
  string(APPEND macros "#define KOKKOS_ENABLE_CUDA\n")
endif()
file(WRITE "${FOLDER}/kokkos/Kokkos_Macros.hpp" "${macros}")
file(WRITE "${FOLDER}/source.cpp" "")
execute_process(
  COMMAND "${COMPILER}" -std=c++20 -M -MG "-I${FOLDER}/kokkos" "-I${ROOT}" "-I${ROOT}/include" -include "${ROOT}/include/KokkosMMA_DropIn.hpp"
          "${FOLDER}/source.cpp" OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[ \\\n]+" ";" headers "${headers}")

set(wrong "")
set(slow "")
set(lines 0)
foreach(header IN LISTS headers)
  string(FIND "${header}" "${ROOT}/" at)
  string(FIND "${header}" "${FOLDER}/" stand_in)
  # A build folder may lie within the source tree: the stand-ins of Kokkos do not count there either.
  if(stand_in EQUAL 0)
    continue()
  elseif(at EQUAL 0)
    if(header MATCHES "/adapters/(algorithms|mpi)/|/KokkosMMA(_Mpi)?\\.hpp$|(Segment|Stencil|Automaton|Band|Boundary|Column|Ragged|TeamCollectives|TeamDispatch|Paper|Mma(Reduce|Shape)?\\.|WarpSum|TileScan|TuningTable|Route(Decision|Reduce|Scan|Team)|LaunchShape|TileWidths)[^/]*$")
      list(APPEND wrong "${header}")
    endif()
    file(STRINGS "${header}" text)
    list(LENGTH text count)
    math(EXPR lines "${lines} + ${count}")
  # Kokkos_Core.hpp has none of these, and they take long to parse.
  elseif(header MATCHES "/(filesystem|fstream|numeric|random|regex)$|/Kokkos_(StdAlgorithms|Sort|Random)[^/]*$")
    list(APPEND slow "${header}")
  endif()
endforeach()
message(STATUS "KokkosMMA_DropIn.hpp, CUDA=${CUDA}: ${lines} lines of kokkos-mma")
if(wrong)
  message(FATAL_ERROR "KokkosMMA_DropIn.hpp includes what no application without calls by name needs: ${wrong}")
elseif(slow)
  message(FATAL_ERROR "KokkosMMA_DropIn.hpp includes what is slow to parse and that Kokkos_Core.hpp does not have: ${slow}")
elseif(lines EQUAL 0 OR lines GREATER ALLOWED)
  message(FATAL_ERROR "KokkosMMA_DropIn.hpp includes ${lines} lines of kokkos-mma, and more than none and at most ${ALLOWED} are allowed. "
                      "Move what the intercepted calls do not need to headers that they do not include.")
endif()
