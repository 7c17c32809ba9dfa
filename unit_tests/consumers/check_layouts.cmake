# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DSOURCES=<folder> -DBINARY=<folder> -DDROP_IN=<file> -DGENERATOR=<name> -DMAKE_PROGRAM=<path> -DCOMPILER=<path> -P check_layouts.cmake
#
# Configures layouts/ once per row with the drop-in injected, and looks at the compile commands: CMake must find Kokkos as it does without
# the drop-in, and the header must be before with*.cpp, once, and not before without.cpp.

cmake_minimum_required(VERSION 3.25)

# The machine's own Kokkos is not found before the one that stands for it.
foreach(variable IN ITEMS Kokkos_ROOT Kokkos_DIR CMAKE_PREFIX_PATH)
  unset(ENV{${variable}})
endforeach()
set(packages "${SOURCES}/layouts/packages")
set(provider "${SOURCES}/layouts/provider.cmake")
cmake_path(GET DROP_IN PARENT_PATH library)
cmake_path(GET library PARENT_PATH library)
# Where Kokkos is found | under which policies | which variable tells where it is | other files that CMake includes: before and after that of the drop-in |
# the variable that injects, if not the one of CMake 3.24 | the standard that it raises to
set(rows
    "top|3.25|Kokkos_ROOT||||"
    "top|3.10|CMAKE_PREFIX_PATH||||"
    "top|CMP0074|Kokkos_ROOT||||"
    "folder|3.25|Kokkos_ROOT||||"
    "folder|3.25 in the folder|Kokkos_ROOT||||"
    "folder|3.10|Kokkos_DIR||||"
    "function|CMP0074|Kokkos_ROOT||||"
    "twice|3.25|Kokkos_ROOT||||"
    "twice|3.10|Kokkos_DIR||||"
    "build_folder|3.25|Kokkos_ROOT||||"
    "dependency|3.25|CMAKE_PREFIX_PATH||||"
    "dependency|3.10|CMAKE_PREFIX_PATH||||"
    "top|3.25|Kokkos_ROOT|${provider}|||"
    "folder|3.25|Kokkos_ROOT||${provider}||"
    "folder|CMP0074|Kokkos_ROOT|||CMAKE_PROJECT_INCLUDE|"
    "top|3.25|Kokkos_ROOT||||20"
    "folder|3.10|Kokkos_DIR||||20"
    "top_beside_library|3.25|Kokkos_ROOT||||"
    "top_with_check|3.25|Kokkos_ROOT||||"
    "in_tree|3.25|nothing||||"
    "in_tree|3.25|nothing||||20"
    "none|3.25|nothing||||")
set(failed 0)

function(fail text)
  message("FAILED ${row}: ${text}")
  math(EXPR failed "${failed} + 1")
  set(failed ${failed} PARENT_SCOPE)
endfunction()

set(number 0)
foreach(row IN LISTS rows)
  math(EXPR number "${number} + 1")
  string(REPLACE "|" ";" fields "${row}")
  list(GET fields 0 place)
  list(GET fields 1 policies)
  list(GET fields 2 variable)
  list(GET fields 3 before)
  list(GET fields 4 after)
  list(GET fields 5 inject)
  list(GET fields 6 standard)
  if(NOT inject)
    set(inject CMAKE_PROJECT_TOP_LEVEL_INCLUDES)
  endif()
  set(where "${packages}")
  if(variable MATCHES "^Kokkos_")
    string(APPEND where "/Kokkos")
  endif()
  set(injected ${before} "${DROP_IN}" ${after})
  set(build "${BINARY}/${number}")
  file(REMOVE_RECURSE "${build}")
  execute_process(
    COMMAND
      "${CMAKE_COMMAND}" -S "${SOURCES}/layouts" -B "${build}" -G "${GENERATOR}" "-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}"
      "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCMAKE_CXX_FLAGS=-fno-exceptions -DCMAKE_CXX_COMPILER_WORKS=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "-D${variable}=${where}"
      "-DPLACE=${place}" "-DLIBRARY_SOURCES=${library}" "-DPOLICIES=${policies}" "-D${inject}=${injected}" "-DKokkosMMA_DROP_IN_CXX_STANDARD=${standard}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    fail("CMake ended with ${result}\n${output}")
    continue()
  endif()

  set(expected 1)
  if(place STREQUAL "none")
    set(expected 0)
    if(NOT output MATCHES "the project found no Kokkos by CMake")
      fail("nothing says that no Kokkos was found\n${output}")
    endif()
  else()
    # Once, however often it was found.
    set(origin "Kokkos 4.6.1 \\(${packages}/Kokkos\\)")
    if(place STREQUAL "in_tree")
      set(origin "the Kokkos that is built from ${SOURCES}/layouts/in_tree")
    endif()
    string(REPLACE ";" "," plain "${output}")
    string(REGEX MATCHALL "-- kokkos-mma: drop-in enabled for targets that use ${origin}, it force-includes [^\n]*KokkosMMA_DropIn.hpp"
           lines "${plain}")
    list(LENGTH lines count)
    if(NOT count EQUAL 1)
      fail("${count} lines say what is done, expected 1\n${output}")
    endif()
    string(REGEX REPLACE "[ \n]+" " " plain "${output}")
    if(standard AND NOT plain MATCHES "-- kokkos-mma: compiled as C\\+\\+20 for the drop-in: with -- ")
      fail("nothing says that the target 'with', and no other, is raised to C++20\n${output}")
    elseif(NOT standard AND NOT plain MATCHES "does nothing in targets of an older standard: with\\.")
      fail("nothing says that the target 'with', and no other, is compiled below C++20\n${output}")
    endif()
  endif()
  file(READ "${build}/compile_commands.json" commands)
  string(JSON length LENGTH "${commands}")
  math(EXPR last "${length} - 1")
  set(sources "")
  set(sources_of_library "")
  set(sources_of_kernels 0)
  foreach(index RANGE ${last})
    string(JSON file GET "${commands}" ${index} file)
    string(JSON command GET "${commands}" ${index} command)
    if(file MATCHES "/KokkosMMA_(drop_in_library|library|kernels)(\\.dir)?/|/backends/cuda/kernels/")
      if(file MATCHES "/KokkosMMA_drop_in_library.dir/Unity/")
        list(APPEND sources_of_library "${file}")
      endif()
      if(NOT command MATCHES "-fno-exceptions .*-fexceptions")
        fail("the library throws exceptions, as the application does not: ${command}")
      endif()
      if(file MATCHES "/kernels/papers/|KokkosMMA_kernels/")
        math(EXPR sources_of_kernels "${sources_of_kernels} + 1")
      endif()
      continue()
    endif()
    list(APPEND sources "${file}")
    string(REGEX MATCHALL "-include [^ ]*KokkosMMA_DropIn.hpp" headers "${command}")
    list(LENGTH headers count)
    if(file MATCHES "/without.cpp$")
      set(wanted 0)
    else()
      set(wanted ${expected})
    endif()
    if(file MATCHES "/with.cpp$" AND standard AND NOT command MATCHES "-std=[a-z]+\\+\\+20")
      fail("${file} is compiled below C++20: ${command}")
    elseif(file MATCHES "/without.cpp$" AND command MATCHES "-std=[a-z]+\\+\\+20")
      fail("${file} is raised to C++20: ${command}")
    endif()
    if(NOT count EQUAL wanted)
      fail("${file} has the header ${count} times, expected ${wanted}: ${command}")
    endif()
  endforeach()
  list(LENGTH sources count)
  if(NOT count EQUAL 4)
    fail("${count} compile commands of the project, expected 4")
  endif()
  if(place STREQUAL "top_beside_library" AND sources_of_kernels EQUAL 0)
    fail("libkokkosmma_kernels has no sources")
  endif()
  # libkokkosmma is compiled along, once.
  set(once "${sources_of_library}")
  list(REMOVE_DUPLICATES once)
  if(NOT once STREQUAL sources_of_library OR (expected AND NOT once) OR (once AND NOT expected))
    fail("libkokkosmma is compiled from '${sources_of_library}'")
  endif()
endforeach()

if(failed)
  message(FATAL_ERROR "${failed} failures in ${number} layouts")
endif()
message(STATUS "${number} layouts: Kokkos is found and the header arrives")
