# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/KokkosMMA_test_library.cmake")

# Provides GTest::gtest to the calling folder and those below.
function(kokkosmma_provide_googletest)
  kokkosmma_provide_test_library(
    PACKAGE GTest TARGET GTest::gtest VERSION 1.14.0 URL https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
    SHA256 8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7 SETTINGS INSTALL_GTEST=OFF BUILD_GMOCK=OFF
    DISTRIBUTION_PACKAGES libgtest-dev)
endfunction()
