# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DPREFIX=<folder> -DVERSION=<number> -DDATA=share -DBIN=bin -DPKG_CONFIG=<program> -DTCLSH=<program> -DCOMPILER=<g++ or clang++>
#       -DSOURCE=<folder of this file> -DLIBRARY=<bool> -P check_installed.cmake
#
# What an installation has beside headers: the licence, the flags of the drop-in by pkg-config, the module file, the tools. Where pkg-config,
# tclsh or such a compiler is missing, what it would read is not looked at.

cmake_minimum_required(VERSION 3.25)

# run(<output> <command>...)
function(run output)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command} ended with ${status}:\n${text}${errors}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

file(READ "${PREFIX}/${DATA}/licenses/kokkos-mma/LICENSE" text)
if(NOT text MATCHES "Apache License.*LLVM Exceptions")
  message(FATAL_ERROR "${PREFIX}/${DATA}/licenses/kokkos-mma/LICENSE is no Apache License with LLVM Exceptions")
endif()
if(NOT EXISTS "${PREFIX}/${BIN}/kokkosmma-try")
  message(FATAL_ERROR "no ${PREFIX}/${BIN}/kokkosmma-try")
endif()

if(PKG_CONFIG)
  # Moved, as a package of a distribution is after it was built.
  set(moved "${PREFIX}_moved")
  file(REMOVE_RECURSE "${moved}")
  file(COPY "${PREFIX}/" DESTINATION "${moved}")
  set(ENV{PKG_CONFIG_PATH} "${moved}/${DATA}/pkgconfig")
  run(version "${PKG_CONFIG}" --modversion kokkosmma-drop-in)
  string(STRIP "${version}" version)
  if(NOT version STREQUAL VERSION)
    message(FATAL_ERROR "pkg-config says version '${version}', and this is ${VERSION}")
  endif()
  run(flags "${PKG_CONFIG}" --libs kokkosmma-drop-in)
  string(STRIP "${flags}" flags)
  string(REGEX REPLACE "^-L(.*) -lkokkosmma$" "\\1/libkokkosmma.a" library "${flags}")
  if(LIBRARY AND NOT EXISTS "${library}")
    message(FATAL_ERROR "pkg-config says '${flags}', and there is no ${library}")
  elseif(NOT LIBRARY AND flags)
    message(FATAL_ERROR "pkg-config says '${flags}', and without CUDA there is no library")
  endif()
  run(flags "${PKG_CONFIG}" --cflags kokkosmma-drop-in)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  if(COMPILER)
    # Both are there: with the header before it, a source that includes nothing has its macros, and finds other headers of ours.
    set(source "${PREFIX}/flags.cpp")
    file(WRITE "${source}" "#ifndef KOKKOSMMA_DROP_IN_HPP\n#error \"no header before this source\"\n#endif\n#include <core/base/KokkosMMA_Version.hpp>\n"
                           "static_assert(KOKKOSMMA_VERSION >= 100);\n")
    run(text "${COMPILER}" -std=c++20 ${flags} -fsyntax-only "${source}")
  endif()
  file(REMOVE_RECURSE "${moved}")
else()
  message(STATUS "no pkg-config here")
endif()

set(module_file "${PREFIX}/${DATA}/modulefiles/kokkos-mma/${VERSION}")
if(NOT EXISTS "${module_file}")
  message(FATAL_ERROR "no ${module_file}")
endif()
if(TCLSH)
  # Each folder or file that the module sets is there.
  run(text "${TCLSH}" "${SOURCE}/modules/print_module.tcl" "${module_file}")
  string(REGEX MATCHALL "[^\n]+" lines "${text}")
  list(LENGTH lines count)
  if(NOT count EQUAL 5)
    message(FATAL_ERROR "${module_file} sets ${count} variables, expected 5:\n${text}")
  endif()
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[^=]*=" "" path "${line}")
    if(NOT EXISTS "${path}" OR NOT path MATCHES "^/")
      message(FATAL_ERROR "${module_file}: '${line}' names nothing that is there")
    endif()
  endforeach()
else()
  message(STATUS "no tclsh here")
endif()
