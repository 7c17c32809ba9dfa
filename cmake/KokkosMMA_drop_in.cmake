# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The drop-in for an application whose own files stay as they are (CMake 3.24 or newer):
#
#   cmake -S application -B build -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=/path/to/KokkosMMA_drop_in.cmake ...
#
# Whatever links Kokkos::kokkos then has KokkosMMA_DropIn.hpp put before each of its C++ sources, wherever the application gets Kokkos:
# find_package in any folder (imported targets are known only in the folder that asked for them, so each call is followed), add_subdirectory
# or FetchContent (ordinary targets, amended once all folders are read). Kokkos' own libraries are compiled as ever. A target stays out
# with set_target_properties(<target> PROPERTIES KOKKOSMMA_DROP_IN_OFF ON).
#
# CMake knows one dependency provider at a time: with a package manager that brings its own, list this file last; packages it would
# have provided must then be found in the ordinary way.

include_guard(GLOBAL)

if(CMAKE_VERSION VERSION_LESS 3.24)
  message(FATAL_ERROR "KokkosMMA_drop_in.cmake needs CMake 3.24 or newer and this is ${CMAKE_VERSION}. Add the header by a compiler flag "
                      "instead: -DCMAKE_CXX_FLAGS=\"-I<prefix>/include/kokkosmma -include <prefix>/include/kokkosmma/KokkosMMA_DropIn.hpp\"")
endif()

# Beside this file in the source tree, some folders up when installed: the library folder may have a name of its own between them.
# In the source tree the other headers are found from its top folder, installed from the folder of this one.
function(kokkosmma_drop_in_find_header)
  set(candidates "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include/KokkosMMA_DropIn.hpp")
  set(folder "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  foreach(level RANGE 5)
    list(APPEND candidates "${folder}/include/kokkosmma/KokkosMMA_DropIn.hpp")
    cmake_path(GET folder PARENT_PATH folder)
  endforeach()
  foreach(candidate IN LISTS candidates)
    if(EXISTS "${candidate}")
      cmake_path(NORMAL_PATH candidate)
      cmake_path(GET candidate PARENT_PATH folders)
      if(EXISTS "${folders}/../core" AND NOT EXISTS "${folders}/core")
        cmake_path(GET folders PARENT_PATH top)
        list(APPEND folders "${top}")
      endif()
      set_property(GLOBAL PROPERTY KokkosMMA_drop_in_header "${candidate}")
      set_property(GLOBAL PROPERTY KokkosMMA_drop_in_folders "${folders}")
      return()
    endif()
  endforeach()
  list(JOIN candidates "\n  " candidates)
  message(FATAL_ERROR "KokkosMMA_drop_in.cmake finds no KokkosMMA_DropIn.hpp. Looked for:\n  ${candidates}")
endfunction()
kokkosmma_drop_in_find_header()

# Adds the header to what the consumers of this target compile. Calling it again changes nothing.
function(kokkosmma_drop_in_amend target)
  if(NOT TARGET ${target})
    return()
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  get_target_property(amended ${target} KOKKOSMMA_DROP_IN_AMENDED)
  if(amended)
    return()
  endif()
  get_property(header GLOBAL PROPERTY KokkosMMA_drop_in_header)
  get_property(folders GLOBAL PROPERTY KokkosMMA_drop_in_folders)
  # As a system folder: the application's warning flags are not about this header.
  set_property(TARGET ${target} APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${folders}")
  set_property(TARGET ${target} APPEND PROPERTY INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${folders}")
  set(wanted "$<AND:$<COMPILE_LANGUAGE:CXX,CUDA>,$<NOT:$<BOOL:$<TARGET_PROPERTY:KOKKOSMMA_DROP_IN_OFF>>>>")
  set_property(TARGET ${target} APPEND PROPERTY INTERFACE_COMPILE_OPTIONS "$<${wanted}:SHELL:-include \"${header}\">")
  set_target_properties(${target} PROPERTIES KOKKOSMMA_DROP_IN_AMENDED ON)
endfunction()

# kokkoscore is what every other target of Kokkos stands on, so it reaches an application that links only a part of Kokkos too.
macro(kokkosmma_drop_in_provide method package)
  if("${package}" STREQUAL "Kokkos")
    find_package(${package} ${ARGN} BYPASS_PROVIDER)
    kokkosmma_drop_in_amend(Kokkos::kokkoscore)
  endif()
endmacro()
cmake_language(SET_DEPENDENCY_PROVIDER kokkosmma_drop_in_provide SUPPORTED_METHODS FIND_PACKAGE)

function(kokkosmma_drop_in_amend_built)
  foreach(target IN ITEMS kokkoscore kokkoscontainers kokkosalgorithms kokkossimd)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES KOKKOSMMA_DROP_IN_OFF ON)
    endif()
  endforeach()
  kokkosmma_drop_in_amend(Kokkos::kokkoscore)
  kokkosmma_drop_in_amend(kokkoscore)
endfunction()
cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL kokkosmma_drop_in_amend_built)
