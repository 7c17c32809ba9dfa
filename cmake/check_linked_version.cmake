# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DROOT=<source tree> -DNVCC=<path> -DCOMPILER=<g++ or clang++> -DOBJECT=<of a source with calls> -DFOLDER=<for files>
#       -P check_linked_version.cmake
#
# Headers link with libkokkosmma of their version, and of no other: the linker then names the version that is missing. Each source with calls
# refers to the version of its headers. Needs no library of CUDA: libkokkosmma is linked as a shared library, which may lack symbols. nvcc only
# knows where its headers are.

cmake_minimum_required(VERSION 3.25)

file(MAKE_DIRECTORY "${FOLDER}")
set(toolchains "${ROOT}/unit_tests/toolchains")
set(library "${FOLDER}/libkokkosmma_linked.so")
execute_process(COMMAND "${NVCC}" -ccbin "${COMPILER}" -std=c++20 -Xcompiler -w,-fPIC "-I${ROOT}/include" -c "${toolchains}/Library.cpp"
                        -o "${library}.o" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${COMPILER}" -shared "${library}.o" -o "${library}" COMMAND_ERROR_IS_FATAL ANY)

# link(<result> <output> <option>...)
function(link result output)
  execute_process(
    COMMAND "${COMPILER}" -std=c++20 -O0 ${ARGN} "-I${ROOT}/include" "${toolchains}/LinkedVersion.cpp" "${library}"
            -Wl,--unresolved-symbols=ignore-in-shared-libs -o "${FOLDER}/linked_version" RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} ${code} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

link(code text)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "Headers do not link with libkokkosmma of the same version:\n${text}")
endif()
link(code text -DOTHER_VERSION=98765)
if(code EQUAL 0)
  message(FATAL_ERROR "Headers of version 9.87.65 link with libkokkosmma of this version. See LibraryInterface in "
                      "backends/cuda/runtime/KokkosMMA_KokkosFunctions.hpp")
elseif(NOT text MATCHES "library_has[^\n]*98765")
  message(FATAL_ERROR "The linker does not name the version that is missing:\n${text}")
endif()

execute_process(COMMAND nm --undefined-only "${OBJECT}" OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND nm --defined-only --dynamic "${library}" OUTPUT_VARIABLE defined COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "[^ \n]*library_has[^ \n]*" symbol "${defined}")
string(FIND "${needed}" " ${symbol}\n" at)
if(symbol STREQUAL "" OR at EQUAL -1)
  message(FATAL_ERROR "${OBJECT} has calls and does not refer to the version of its headers ('${symbol}')")
endif()
message(STATUS "Headers of another version do not link with libkokkosmma; ${symbol} is that of this version")
