# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DVERSION=<number> -DFOLDER=<folder> -DMAKE=<command> -DOPTIONS=<of CMake> -P check_release_archive.cmake
#
# Makes the archive of a release, compares its checksum, unpacks it, and configures and installs what is in it.

cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command} ended with ${status}:\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
set(name "kokkos-mma-${VERSION}")
run(${MAKE})
file(SHA256 "${FOLDER}/${name}.tar.gz" hash)
file(READ "${FOLDER}/${name}.tar.gz.sha256" text)
if(NOT text STREQUAL "${hash}  ${name}.tar.gz\n")
  message(FATAL_ERROR "${name}.tar.gz.sha256 has '${text}' and the file's SHA-256 is ${hash}")
endif()
file(RENAME "${FOLDER}/${name}.tar.gz" "${FOLDER}/first.tar.gz")
run(${MAKE})
file(SHA256 "${FOLDER}/${name}.tar.gz" again)
if(NOT again STREQUAL hash)
  message(FATAL_ERROR "Two archives of one commit differ: ${hash}, ${again}")
endif()

run("${CMAKE_COMMAND}" -E tar xzf "${name}.tar.gz")
if(NOT IS_SYMLINK "${FOLDER}/${name}/include/core")
  message(FATAL_ERROR "${name}/include/core is no symbolic link in the archive")
endif()
file(READ "${FOLDER}/${name}/packaging/revision.txt" revision)
if(NOT revision MATCHES "^[0-9a-f]+\n$")
  message(FATAL_ERROR "${name}/packaging/revision.txt has '${revision}' and no commit")
endif()
run("${CMAKE_COMMAND}" -S "${name}" -B build ${OPTIONS} -DKokkosMMA_ENABLE_TESTS=OFF -DKokkosMMA_ENABLE_PERF_TESTS=OFF
    -DKokkosMMA_ENABLE_EXAMPLES=OFF)
run("${CMAKE_COMMAND}" --install build --prefix prefix)
if(NOT EXISTS "${FOLDER}/prefix/include/kokkosmma/core/base/KokkosMMA_Version.hpp")
  message(FATAL_ERROR "An installation of the archive has no include/kokkosmma/core/base/KokkosMMA_Version.hpp")
endif()
