# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DGIT=<git> -DROOT=<source tree> -DVERSION=<number> -P release_archive.cmake
#
# Writes kokkos-mma-VERSION.tar.gz of the commit that is checked out, and kokkos-mma-VERSION.tar.gz.sha256, into the current folder. The same
# commit makes the same bytes with the same git.

cmake_minimum_required(VERSION 3.25)

set(name "kokkos-mma-${VERSION}")
function(git output)
  execute_process(COMMAND "${GIT}" -C "${ROOT}" ${ARGN} OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status
                  ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "release_archive: git ${ARGV1} ended with ${status}: ${errors}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

git(commit rev-parse HEAD)
git(changes status --porcelain --untracked-files=no)
if(changes)
  message("NOTE: the archive is of commit ${commit}; what is not committed is not in it:\n${changes}")
endif()
git(tags tag --points-at HEAD)
if(NOT "v${VERSION}" IN_LIST tags AND NOT tags MATCHES "(^|\n)v${VERSION}(\n|$)")
  message("NOTE: no tag v${VERSION} points at commit ${commit}")
endif()
set(file "${CMAKE_CURRENT_BINARY_DIR}/${name}.tar.gz")
git(nothing archive --format=tar.gz "--prefix=${name}/" "--output=${file}" HEAD)
# As sha256sum --check reads it.
file(SHA256 "${file}" hash)
file(WRITE "${file}.sha256" "${hash}  ${name}.tar.gz\n")
message("${file}: commit ${commit}\nSHA-256 ${hash}")
