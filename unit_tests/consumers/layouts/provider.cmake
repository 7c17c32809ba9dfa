# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The dependency provider of a package manager, of which CMake knows one: it provides every package by CMake's own means.
macro(provide method package)
  find_package(${package} ${ARGN} BYPASS_PROVIDER)
endmacro()
cmake_language(SET_DEPENDENCY_PROVIDER provide SUPPORTED_METHODS FIND_PACKAGE)
