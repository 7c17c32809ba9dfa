# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/KokkosMMA_test_library.cmake")

# Provides benchmark::benchmark to the calling folder and those below.
function(kokkosmma_provide_benchmark)
  kokkosmma_provide_test_library(
    PACKAGE benchmark TARGET benchmark::benchmark VERSION 1.8.3 URL https://github.com/google/benchmark/archive/refs/tags/v1.8.3.tar.gz
    SHA256 6bc180a57d23d4d9515519f92b0c83d61b05b5bab188961f36ac7b06b0d9e9ce
    SETTINGS BENCHMARK_ENABLE_TESTING=OFF BENCHMARK_ENABLE_INSTALL=OFF BENCHMARK_ENABLE_WERROR=OFF
    DISTRIBUTION_PACKAGES libbenchmark-dev "libbenchmark1*")
endfunction()
