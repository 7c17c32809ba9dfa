# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The drop-in for an application whose own files stay as they are:
#
#   cmake -S application -B build -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=/path/to/KokkosMMA_drop_in.cmake ...
#
# (CMAKE_PROJECT_INCLUDE with CMake 3.20 to 3.23.)
# Whatever links Kokkos::kokkos then has KokkosMMA_DropIn.hpp put before each of its C++ sources, wherever the application gets Kokkos:
# find_package in any folder (imported targets are known only in the folder that asked for them, so each call is followed), add_subdirectory
# or FetchContent (ordinary targets, amended once all folders are read). Kokkos' own libraries are compiled as ever. A target stays out
# with set_target_properties(<target> PROPERTIES KOKKOSMMA_DROP_IN_OFF ON). -DKokkosMMA_DROP_IN_CXX_STANDARD=20 raises the standard of what
# the application's own CMake files compile below C++20, as linking KokkosMMA::drop_in does.

include_guard(GLOBAL)

if(CMAKE_VERSION VERSION_LESS 3.20)
  message(FATAL_ERROR "KokkosMMA_drop_in.cmake needs CMake 3.20 or newer and this is ${CMAKE_VERSION}. Add the header by a compiler flag "
                      "instead: -DCMAKE_CXX_FLAGS=\"-isystem <prefix>/include/kokkosmma -include <prefix>/include/kokkosmma/KokkosMMA_DropIn.hpp\"")
endif()

# For the functions below. What CMake includes by this variable has no policy scope of its own, and the application's stay as they are.
cmake_policy(PUSH)
cmake_policy(VERSION 3.20)

set(KokkosMMA_DROP_IN_CXX_STANDARD "" CACHE STRING "Standard that sources which use Kokkos are raised to; the drop-in needs 20")
mark_as_advanced(KokkosMMA_DROP_IN_CXX_STANDARD)

# Beside this file in the source tree, some folders up when installed: the library folder may have a name of its own between them.
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
      cmake_path(GET candidate PARENT_PATH folder)
      if(NOT EXISTS "${folder}/core/base/KokkosMMA_Version.hpp")
        message(FATAL_ERROR "KokkosMMA_drop_in.cmake: ${folder}/core does not exist; in a source tree it is a symbolic link to ../core")
      endif()
      set_property(GLOBAL PROPERTY KokkosMMA_drop_in_header "${candidate}")
      set_property(GLOBAL PROPERTY KokkosMMA_drop_in_folder "${folder}")
      return()
    endif()
  endforeach()
  list(JOIN candidates "\n  " candidates)
  message(FATAL_ERROR "KokkosMMA_drop_in.cmake finds no KokkosMMA_DropIn.hpp. Looked for:\n  ${candidates}")
endfunction()
kokkosmma_drop_in_find_header()
include("${CMAKE_CURRENT_LIST_DIR}/KokkosMMA_known_kokkos.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KokkosMMA_library.cmake")

# Adds the header to what the consumers of this target compile. Calling it again changes nothing. <without_cuda>: this Kokkos has no CUDA.
function(kokkosmma_drop_in_amend target origin without_cuda)
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
  get_property(folder GLOBAL PROPERTY KokkosMMA_drop_in_folder)
  # As a system folder: the application's warning flags are not about this header. A Kokkos that the application installs has none of this.
  set_property(TARGET ${target} APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:${folder}>")
  set_property(TARGET ${target} APPEND PROPERTY INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:${folder}>")
  set(wanted "$<COMPILE_LANGUAGE:CXX,CUDA>,$<NOT:$<BOOL:$<TARGET_PROPERTY:KOKKOSMMA_DROP_IN_OFF>>>")
  kokkosmma_links_cuda(with_library ${target})
  if(with_library)
    # Programs of try_compile (check_cxx_source_compiles) that link this Kokkos are a project of their own, which has no such library.
    string(PREPEND wanted "$<TARGET_EXISTS:KokkosMMA_drop_in_library>,")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY INTERFACE_COMPILE_OPTIONS "$<BUILD_INTERFACE:$<$<AND:${wanted}>:SHELL:-include \"${header}\">>")
  set_target_properties(${target} PROPERTIES KOKKOSMMA_DROP_IN_AMENDED ON)
  if(with_library)
    kokkosmma_add_library(KokkosMMA_drop_in_library "${folder}" EXCLUDE_FROM_ALL)
    get_target_property(linked ${target} INTERFACE_LINK_LIBRARIES)
    # Before the CUDA runtime, which it needs. Also for a target that stays out: the libraries that it links may not.
    # Kokkos exports its targets for other build trees, where there is no such target.
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "$<BUILD_INTERFACE:$<TARGET_NAME_IF_EXISTS:KokkosMMA_drop_in_library>>;${linked}")
  endif()

  # Kokkos 5 asks for C++20 itself.
  get_target_property(features ${target} INTERFACE_COMPILE_FEATURES)
  set(wanted "$<NOT:$<BOOL:$<TARGET_PROPERTY:KOKKOSMMA_DROP_IN_OFF>>>")
  if(KokkosMMA_DROP_IN_CXX_STANDARD)
    foreach(language IN ITEMS cxx cuda)
      if(language STREQUAL "cxx" OR features MATCHES "cuda_std_")
        set_property(TARGET ${target} APPEND PROPERTY INTERFACE_COMPILE_FEATURES
                                                      "$<${wanted}:${language}_std_${KokkosMMA_DROP_IN_CXX_STANDARD}>")
      endif()
    endforeach()
  endif()
  if(features MATCHES "(cxx|cuda)_std_2[0-9]")
    set_property(GLOBAL PROPERTY KokkosMMA_drop_in_standard_is_known ON)
  endif()
  get_property(origins GLOBAL PROPERTY KokkosMMA_drop_in_origins)
  if(NOT origin IN_LIST origins)
    set_property(GLOBAL APPEND PROPERTY KokkosMMA_drop_in_origins "${origin}")
    message(STATUS "kokkos-mma: drop-in enabled for targets that use ${origin}; it force-includes ${header}")
    if(without_cuda)
      message(WARNING "kokkos-mma: this Kokkos has no CUDA, so the drop-in changes nothing: Kokkos' own code runs.")
    endif()
  endif()
endfunction()

# CMake's own find_package runs as it would without this file, with the policies of its caller, and with the dependency provider of a package
# manager. It sets Kokkos_FOUND last, in the folder that knows the imported targets. kokkoscore is what every other target of Kokkos stands
# on, so it reaches an application that links only a part of Kokkos too.
function(kokkosmma_drop_in_found variable access)
  if(access STREQUAL "MODIFIED_ACCESS" AND TARGET Kokkos::kokkoscore)
    get_target_property(imported Kokkos::kokkoscore IMPORTED)
    if(imported)
      set(without_cuda OFF)
      if(Kokkos_DEVICES AND NOT "CUDA" IN_LIST Kokkos_DEVICES)
        set(without_cuda ON)
      endif()
      kokkosmma_drop_in_amend(Kokkos::kokkoscore "Kokkos ${Kokkos_VERSION} (${Kokkos_DIR})" ${without_cuda})
      get_property(folder GLOBAL PROPERTY KokkosMMA_drop_in_folder)
      kokkosmma_check_kokkos("${folder}" "${Kokkos_VERSION}")
    endif()
  endif()
endfunction()
variable_watch(Kokkos_FOUND kokkosmma_drop_in_found)

# Languages are of a folder, and none can be enabled at the end of the top folder. Where that has no C++, and Kokkos is built below, libkokkosmma
# is added to Kokkos' folder, at its end.
function(kokkosmma_drop_in_add_library_below)
  get_directory_property(at_top DIRECTORY "${CMAKE_SOURCE_DIR}" DEFINITION CMAKE_CXX_COMPILER_LOADED)
  if(NOT at_top AND TARGET kokkoscore)
    kokkosmma_links_cuda(with_library kokkoscore)
    if(with_library)
      get_property(folder GLOBAL PROPERTY KokkosMMA_drop_in_folder)
      kokkosmma_add_library(KokkosMMA_drop_in_library "${folder}" EXCLUDE_FROM_ALL)
    endif()
  endif()
endfunction()
# Kokkos' own CMakeLists.txt sets it; find_package does, too, and then there is no such target.
function(kokkosmma_drop_in_kokkos_begins variable access)
  if(access STREQUAL "MODIFIED_ACCESS")
    cmake_language(DEFER CALL kokkosmma_drop_in_add_library_below)
  endif()
endfunction()
variable_watch(Kokkos_VERSION kokkosmma_drop_in_kokkos_begins)

function(kokkosmma_drop_in_is_below_standard target result)
  set(${result} FALSE PARENT_SCOPE)
  get_target_property(type ${target} TYPE)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  get_target_property(stays_out ${target} KOKKOSMMA_DROP_IN_OFF)
  get_target_property(features ${target} COMPILE_FEATURES)
  # Flags can ask for a standard as well.
  if(stays_out
     OR NOT libraries MATCHES "Kokkos::kokkos|(^|;)kokkos(core)?(;|$)"
     OR NOT type MATCHES "EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY"
     OR features MATCHES "(cxx|cuda)_std_2[0-9]"
     OR "${CMAKE_CXX_FLAGS} ${CMAKE_CUDA_FLAGS}" MATCHES "-std=")
    return()
  endif()
  foreach(language IN ITEMS CXX CUDA)
    get_target_property(standard ${target} ${language}_STANDARD)
    if(NOT standard)
      set(standard "${CMAKE_${language}_STANDARD_DEFAULT}")
    endif()
    if(standard GREATER_EQUAL 20 AND standard LESS 98)
      return()
    endif()
  endforeach()
  set(${result} TRUE PARENT_SCOPE)
endfunction()

# Targets of the project that link Kokkos by name and are known to be compiled as C++17 or older.
function(kokkosmma_drop_in_below_standard result)
  set(found "")
  set(folders "${CMAKE_SOURCE_DIR}")
  set(visited "")
  while(folders)
    list(POP_FRONT folders folder)
    # A folder that is added as a source folder and is the build folder of another one stands for that one here: its path has two meanings.
    get_property(folder DIRECTORY "${folder}" PROPERTY SOURCE_DIR)
    if(folder IN_LIST visited)
      continue()
    endif()
    list(APPEND visited "${folder}")
    get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    list(APPEND folders ${below})
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      kokkosmma_drop_in_is_below_standard(${target} is_below)
      if(is_below)
        list(APPEND found ${target})
      endif()
    endforeach()
  endwhile()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

function(kokkosmma_drop_in_finish)
  foreach(target IN ITEMS kokkoscore kokkoscontainers kokkosalgorithms kokkossimd)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES KOKKOSMMA_DROP_IN_OFF ON)
    endif()
  endforeach()
  set(origin "the Kokkos that is built from ${Kokkos_SOURCE_DIR}")
  set(without_cuda OFF)
  if(DEFINED CACHE{Kokkos_ENABLE_CUDA} AND NOT Kokkos_ENABLE_CUDA)
    set(without_cuda ON)
  endif()
  kokkosmma_drop_in_amend(Kokkos::kokkoscore "${origin}" ${without_cuda})
  kokkosmma_drop_in_amend(kokkoscore "${origin}" ${without_cuda})
  get_property(folder GLOBAL PROPERTY KokkosMMA_drop_in_folder)
  kokkosmma_check_kokkos("${folder}" "")

  get_property(origins GLOBAL PROPERTY KokkosMMA_drop_in_origins)
  get_property(standard_is_known GLOBAL PROPERTY KokkosMMA_drop_in_standard_is_known)
  if(NOT origins)
    message(STATUS "kokkos-mma: the project found no Kokkos by CMake, so the drop-in changes nothing")
  elseif(NOT standard_is_known)
    kokkosmma_drop_in_below_standard(targets)
    if(targets)
      list(JOIN targets ", " targets)
    endif()
    if(targets AND KokkosMMA_DROP_IN_CXX_STANDARD GREATER_EQUAL 20)
      message(STATUS "kokkos-mma: compiled as C++${KokkosMMA_DROP_IN_CXX_STANDARD} for the drop-in: ${targets}")
    elseif(targets)
      message(WARNING "kokkos-mma: the drop-in needs C++20 and does nothing in targets of an older standard: ${targets}. Configure with "
                      "-DCMAKE_CXX_STANDARD=20, or with -DKokkosMMA_DROP_IN_CXX_STANDARD=20 where the project overrides that.")
    endif()
  endif()
endfunction()
cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL kokkosmma_drop_in_finish)

cmake_policy(POP)
