# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Provides the target Kokkos::kokkos to the including scope. Kokkos is taken from the first of these that works:
#   1. a target Kokkos::kokkos that is already there;
#   2. sources that FETCHCONTENT_SOURCE_DIR_KOKKOS names;
#   3. an installed Kokkos (find_package, which honours Kokkos_ROOT and CMAKE_PREFIX_PATH);
#   4. the release tarball, by its published SHA-256, built along with this project;
#   5. the distribution's packages, unpacked under the build tree.
# What was tried is named when nothing works. A Kokkos that was asked for by name is never replaced by another.

include_guard(DIRECTORY)
include("${CMAKE_CURRENT_LIST_DIR}/KokkosMMA_download.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KokkosMMA_known_kokkos.cmake")

set(KokkosMMA_KOKKOS_HEADERS "${CMAKE_CURRENT_LIST_DIR}/../include")
kokkosmma_known_kokkos("${KokkosMMA_KOKKOS_HEADERS}" KokkosMMA_KOKKOS_KNOWN)
list(GET KokkosMMA_KOKKOS_KNOWN 0 KokkosMMA_KOKKOS_MINIMUM)
# An application that includes this project builds with the Kokkos that it has.
set(KokkosMMA_KOKKOS_ACCEPTED "")
if(PROJECT_IS_TOP_LEVEL)
  set(KokkosMMA_KOKKOS_ACCEPTED ${KokkosMMA_KOKKOS_MINIMUM})
endif()
set(KokkosMMA_KOKKOS_RELEASE 5.2.2)
# As published for kokkos-5.2.2.tar.gz of that release, and repeated by the package collections that build from it.
set(KokkosMMA_KOKKOS_RELEASE_SHA256 d6557aaef39302282a15f9c770433d1fcdf4e961dfd6d9ed726b9d0d0f546b9f)

set(KokkosMMA_KOKKOS_FROM "installed;release;distribution" CACHE STRING
    "Where Kokkos may come from, in this order: installed, release (tarball), distribution (packages)")
option(KokkosMMA_REQUIRE_CUDA "Reject a Kokkos without the Cuda execution space" OFF)
mark_as_advanced(KokkosMMA_KOKKOS_FROM)

set(KokkosMMA_KOKKOS_TRIED "")
set(KokkosMMA_KOKKOS_ORIGIN "")
set(KokkosMMA_KOKKOS_DIR "")

# Kokkos from sources, as a part of this build: every host space that the compiler offers, and Cuda where it is required.
macro(kokkosmma_build_kokkos origin)
  include(FetchContent)
  if(NOT CMAKE_CXX_STANDARD)
    set(CMAKE_CXX_STANDARD 20)
  endif()
  find_package(OpenMP QUIET COMPONENTS CXX)
  option(Kokkos_ENABLE_SERIAL "Kokkos' Serial execution space" ON)
  option(Kokkos_ENABLE_OPENMP "Kokkos' OpenMP execution space" ${OpenMP_CXX_FOUND})
  option(Kokkos_ENABLE_CUDA "Kokkos' Cuda execution space" ${KokkosMMA_REQUIRE_CUDA})
  FetchContent_Declare(Kokkos ${ARGN} DOWNLOAD_EXTRACT_TIMESTAMP OFF)
  FetchContent_MakeAvailable(Kokkos)
  # As headers of the system, like those of an installed Kokkos: our warning flags are not about them. (FetchContent's own SYSTEM ends up
  # as a part of URL_HASH with CMake 3.25.)
  foreach(target IN ITEMS kokkoscore kokkoscontainers kokkosalgorithms kokkossimd kokkos)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES SYSTEM ON)
    endif()
  endforeach()
  set(KokkosMMA_KOKKOS_ORIGIN "${origin}")
  # Kokkos writes a package file for its build tree there; separate projects built beside this one can use it.
  set(KokkosMMA_KOKKOS_DIR "${CMAKE_BINARY_DIR}/cmake_packages/Kokkos")
  file(STRINGS "${KokkosMMA_KOKKOS_DIR}/KokkosConfigVersion.cmake" Kokkos_VERSION REGEX "^set\\(PACKAGE_VERSION ")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" Kokkos_VERSION "${Kokkos_VERSION}")
  if(PROJECT_IS_TOP_LEVEL AND Kokkos_VERSION VERSION_LESS KokkosMMA_KOKKOS_MINIMUM)
    message(FATAL_ERROR "KokkosMMA: ${origin} is Kokkos ${Kokkos_VERSION}; kokkos-mma needs ${KokkosMMA_KOKKOS_MINIMUM} or newer.")
  endif()
endmacro()

# Makes the unpacked package files usable where they lie: their CMake files name an absolute include directory, and two archives that hold
# no object file and that the package therefore leaves out. link_options is what a program needs to start with these libraries.
function(kokkosmma_mend_kokkos_package package_dir link_options)
  file(GLOB target_files "${package_dir}/KokkosTargets*.cmake")
  foreach(file IN LISTS target_files)
    file(READ "${file}" text)
    string(REPLACE "\"/usr/include/kokkos\"" "\"\${_IMPORT_PREFIX}/include/kokkos\"" text "${text}")
    file(WRITE "${file}" "${text}")
    string(REGEX MATCHALL "{_IMPORT_PREFIX}/[^\" ]*\\.a\"" archives "${text}")
    foreach(archive IN LISTS archives)
      string(REGEX REPLACE "^{_IMPORT_PREFIX}/(.*)\"$" "\\1" archive "${archive}")
      set(archive "${KokkosMMA_UNPACKED}/kokkos/usr/${archive}")
      if(NOT EXISTS "${archive}")
        file(WRITE "${archive}" "!<arch>\n")
      endif()
    endforeach()
  endforeach()
  if(link_options)
    file(
      APPEND "${package_dir}/KokkosConfig.cmake"
      "
# The C and C++ libraries that these binaries were built with are newer than this system's: programs start with the ones beside them.
if(TARGET Kokkos::kokkoscore)
  set_property(TARGET Kokkos::kokkoscore APPEND PROPERTY INTERFACE_LINK_OPTIONS \"${link_options}\")
endif()
")
  endif()
endfunction()

# Downloads, unpacks and mends the distribution's Kokkos. Leaves the reason in <error-var> when it cannot be used here.
function(kokkosmma_unpack_kokkos error_var)
  set(${error_var} "" PARENT_SCOPE)
  cmake_host_system_information(RESULT distribution QUERY DISTRIB_ID)
  # Debian's releases carry a Kokkos that is too old, its unstable suite the newest one.
  set(suite "running")
  if(distribution STREQUAL "debian")
    set(suite "unstable")
  endif()
  kokkosmma_download_packages(files error SUITE ${suite} PACKAGES libkokkos-dev DEPENDENCIES)
  if(error)
    set(${error_var} "${error}" PARENT_SCOPE)
    return()
  endif()

  file(REMOVE_RECURSE "${KokkosMMA_UNPACKED}")
  set(kokkos_files "${files}")
  list(FILTER kokkos_files INCLUDE REGEX "/libkokkos[^/]*$")
  list(FILTER files EXCLUDE REGEX "/libkokkos[^/]*$")
  kokkosmma_unpack_packages(error "${KokkosMMA_UNPACKED}/kokkos" ${kokkos_files})
  if(NOT error)
    kokkosmma_unpack_packages(error "${KokkosMMA_UNPACKED}/runtime" ${files})
  endif()
  file(GLOB package_dir "${KokkosMMA_UNPACKED}/kokkos/usr/lib/*/cmake/Kokkos")
  file(GLOB library "${KokkosMMA_UNPACKED}/kokkos/usr/lib/*/libkokkoscore.so")
  if(NOT error AND (NOT package_dir OR NOT library))
    set(error "libkokkos-dev has no CMake package or no shared library where they are expected")
  endif()
  if(error)
    set(${error_var} "${error}" PARENT_SCOPE)
    return()
  endif()

  # Does a program that needs this library start with the system's own C library? If not, with the loader and the C library that the
  # package set brings? Linking and running an empty one answers both.
  set(source "${CMAKE_BINARY_DIR}/_deps/kokkos-starts.cpp")
  file(WRITE "${source}" "int main() { return 0; }\n")
  cmake_path(GET library PARENT_PATH library_dir)
  set(own "LINKER:--no-as-needed" "LINKER:-rpath,${library_dir}")
  try_run(starts links "${CMAKE_BINARY_DIR}/_deps/kokkos-starts" "${source}" LINK_OPTIONS ${own} LINK_LIBRARIES "${library}")
  set(link_options "")
  if(NOT links OR NOT starts EQUAL 0)
    file(GLOB_RECURSE loader "${KokkosMMA_UNPACKED}/runtime/usr/ld-linux*.so.*" "${KokkosMMA_UNPACKED}/runtime/lib*/ld-linux*.so.*"
         "${KokkosMMA_UNPACKED}/runtime/usr/ld64.so.*")
    if(NOT loader)
      set(${error_var} "programs do not start with this system's C library, and the packages bring no loader" PARENT_SCOPE)
      return()
    endif()
    list(GET loader 0 loader)
    cmake_path(GET loader PARENT_PATH runtime_dir)
    # --disable-new-dtags: the path must also hold for what the libraries themselves need.
    set(link_options "LINKER:--disable-new-dtags" "LINKER:-rpath,${runtime_dir}" "LINKER:--allow-shlib-undefined"
                     "LINKER:--dynamic-linker,${loader}")
    unset(starts CACHE)
    unset(links CACHE)
    try_run(starts links "${CMAKE_BINARY_DIR}/_deps/kokkos-starts" "${source}" LINK_OPTIONS ${own} ${link_options}
            LINK_LIBRARIES "${library}" COMPILE_OUTPUT_VARIABLE link_output)
    if(NOT links OR NOT starts EQUAL 0)
      set(${error_var} "a program does not link or start with the unpacked C library: ${link_output}" PARENT_SCOPE)
      return()
    endif()
  endif()
  unset(starts CACHE)
  unset(links CACHE)

  kokkosmma_mend_kokkos_package("${package_dir}" "${link_options}")
  # Written last: an unpacking that was interrupted starts again.
  file(WRITE "${KokkosMMA_UNPACKED}/complete" "${package_dir}\n")
endfunction()

function(kokkosmma_kokkos_failed step reason)
  string(STRIP "${reason}" reason)
  string(REGEX REPLACE "[\n;]+[ ]*" " " reason "${reason}")
  message(STATUS "KokkosMMA: no Kokkos from ${step}: ${reason}")
  set(tried "${KokkosMMA_KOKKOS_TRIED}\n  * ${step}: ${reason}")
  set(KokkosMMA_KOKKOS_TRIED "${tried}" PARENT_SCOPE)
endfunction()

set(KokkosMMA_UNPACKED "${CMAKE_BINARY_DIR}/_deps/kokkos-distribution")

if(TARGET Kokkos::kokkos)
  set(KokkosMMA_KOKKOS_ORIGIN "the enclosing project")
elseif(FETCHCONTENT_SOURCE_DIR_KOKKOS)
  if(NOT EXISTS "${FETCHCONTENT_SOURCE_DIR_KOKKOS}/CMakeLists.txt")
    message(FATAL_ERROR "KokkosMMA: FETCHCONTENT_SOURCE_DIR_KOKKOS is '${FETCHCONTENT_SOURCE_DIR_KOKKOS}', which has no CMakeLists.txt. "
                        "It must name the top folder of Kokkos' sources, ${KokkosMMA_KOKKOS_MINIMUM} or newer.")
  endif()
  kokkosmma_build_kokkos("${FETCHCONTENT_SOURCE_DIR_KOKKOS}" SOURCE_DIR "${FETCHCONTENT_SOURCE_DIR_KOKKOS}")
endif()

if(NOT KokkosMMA_KOKKOS_ORIGIN AND "installed" IN_LIST KokkosMMA_KOKKOS_FROM)
  set(KokkosMMA_KOKKOS_NAMED "")
  foreach(hint IN ITEMS "${Kokkos_DIR}" "${Kokkos_ROOT}" "$ENV{Kokkos_ROOT}")
    if(hint AND NOT KokkosMMA_KOKKOS_NAMED)
      set(KokkosMMA_KOKKOS_NAMED "${hint}")
    endif()
  endforeach()
  find_package(Kokkos ${KokkosMMA_KOKKOS_ACCEPTED} QUIET)
  if(TARGET Kokkos::kokkos)
    set(KokkosMMA_KOKKOS_ORIGIN "${Kokkos_DIR}")
    set(KokkosMMA_KOKKOS_DIR "${Kokkos_DIR}")
  else()
    set(reason "find_package(Kokkos ${KokkosMMA_KOKKOS_ACCEPTED}) found none")
    if(Kokkos_CONSIDERED_CONFIGS)
      string(APPEND reason " that fits (considered: ${Kokkos_CONSIDERED_CONFIGS}, versions: ${Kokkos_CONSIDERED_VERSIONS})")
    endif()
    if(Kokkos_NOT_FOUND_MESSAGE)
      string(APPEND reason ": ${Kokkos_NOT_FOUND_MESSAGE}")
    endif()
    if(KokkosMMA_KOKKOS_NAMED)
      message(FATAL_ERROR "KokkosMMA: Kokkos was requested at '${KokkosMMA_KOKKOS_NAMED}', but ${reason}. Name the prefix that Kokkos "
                          "${KokkosMMA_KOKKOS_MINIMUM} or newer is installed in, or leave Kokkos_ROOT and Kokkos_DIR out.")
    endif()
    kokkosmma_kokkos_failed("an installation" "${reason}")
  endif()
endif()

# An earlier configure step may have unpacked the packages; then the network is not used.
if(NOT KokkosMMA_KOKKOS_ORIGIN
   AND "release" IN_LIST KokkosMMA_KOKKOS_FROM
   AND NOT EXISTS "${KokkosMMA_UNPACKED}/complete")
  kokkosmma_download_release(
    archive error URL
    https://github.com/kokkos/kokkos/releases/download/${KokkosMMA_KOKKOS_RELEASE}/kokkos-${KokkosMMA_KOKKOS_RELEASE}.tar.gz SHA256
    ${KokkosMMA_KOKKOS_RELEASE_SHA256})
  if(error)
    kokkosmma_kokkos_failed("the release tarball" "${error}")
  else()
    kokkosmma_build_kokkos("the release tarball of Kokkos ${KokkosMMA_KOKKOS_RELEASE}" URL "${archive}" URL_HASH
                           SHA256=${KokkosMMA_KOKKOS_RELEASE_SHA256})
  endif()
endif()

if(NOT KokkosMMA_KOKKOS_ORIGIN AND "distribution" IN_LIST KokkosMMA_KOKKOS_FROM)
  set(error "")
  if(KokkosMMA_REQUIRE_CUDA)
    set(error "not tried: its binaries have host spaces only, and KokkosMMA_REQUIRE_CUDA is on")
  elseif(NOT EXISTS "${KokkosMMA_UNPACKED}/complete")
    kokkosmma_unpack_kokkos(error)
  endif()
  if(NOT error)
    file(STRINGS "${KokkosMMA_UNPACKED}/complete" KokkosMMA_KOKKOS_DIR)
    find_package(Kokkos ${KokkosMMA_KOKKOS_MINIMUM} QUIET PATHS "${KokkosMMA_KOKKOS_DIR}" NO_DEFAULT_PATH)
    # Not remembered: an installation that appears later, or one that is named, comes first again.
    unset(Kokkos_DIR CACHE)
    if(TARGET Kokkos::kokkos)
      set(KokkosMMA_KOKKOS_ORIGIN "the distribution's packages in ${KokkosMMA_KOKKOS_DIR}")
    else()
      set(error "version ${Kokkos_CONSIDERED_VERSIONS} does not fit. ${Kokkos_NOT_FOUND_MESSAGE}")
    endif()
  endif()
  if(error)
    kokkosmma_kokkos_failed("the distribution's packages" "${error}")
  endif()
endif()

if(NOT KokkosMMA_KOKKOS_ORIGIN)
  message(
    FATAL_ERROR
      "KokkosMMA: no Kokkos ${KokkosMMA_KOKKOS_MINIMUM} or newer. Tried (KokkosMMA_KOKKOS_FROM is '${KokkosMMA_KOKKOS_FROM}'):"
      "${KokkosMMA_KOKKOS_TRIED}\n"
      "Pass one of:\n"
      "  -DKokkos_ROOT=<prefix>                        a Kokkos that is installed\n"
      "  -DFETCHCONTENT_SOURCE_DIR_KOKKOS=<folder>     Kokkos' sources, built along with this project")
endif()

# In a build that includes Kokkos' sources the enabled spaces are cache entries; a package sets plain variables. Both have these names.
set(KokkosMMA_KOKKOS_SPACES "")
foreach(space IN ITEMS SERIAL OPENMP THREADS HPX CUDA HIP SYCL OPENACC)
  if(Kokkos_ENABLE_${space})
    list(APPEND KokkosMMA_KOKKOS_SPACES ${space})
  endif()
endforeach()
# Projects beside this one, such as the consumer tests, find the same Kokkos there.
set(KokkosMMA_KOKKOS_DIR "${KokkosMMA_KOKKOS_DIR}" CACHE INTERNAL "Package folder of the Kokkos that was provided")
message(STATUS "KokkosMMA: Kokkos ${Kokkos_VERSION} (${KokkosMMA_KOKKOS_SPACES}) from ${KokkosMMA_KOKKOS_ORIGIN}")
kokkosmma_check_kokkos("${KokkosMMA_KOKKOS_HEADERS}" "${Kokkos_VERSION}")

if(KokkosMMA_REQUIRE_CUDA AND NOT Kokkos_ENABLE_CUDA)
  message(FATAL_ERROR "KokkosMMA: this Kokkos has the execution spaces '${KokkosMMA_KOKKOS_SPACES}' and not CUDA, which "
                      "KokkosMMA_REQUIRE_CUDA (preset 'cuda') requires. Pass -DKokkos_ROOT=<prefix of a Kokkos with Cuda>, or "
                      "-DFETCHCONTENT_SOURCE_DIR_KOKKOS=<Kokkos' sources>, or use the preset 'host'.")
endif()
