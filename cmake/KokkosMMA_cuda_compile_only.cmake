# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The preset cuda-compile-only: what a machine with nvcc and without a GPU can say of the CUDA code. Each source becomes an object file per
# architecture; for the kernels of KokkosMMA ptxas must report no spills and no local memory. Only libkokkosmma is linked.

include("${CMAKE_CURRENT_LIST_DIR}/KokkosMMA_cuda_headers.cmake")

set(KokkosMMA_CUDA_SOURCES "" CACHE STRING "A regular expression: only the sources that match it")
# One by default: each costs CI its longest compilations again, band stencils alone 120 s of a core (CUDA 13.0, 2026-11-26).
set(KokkosMMA_CUDA_ARCHITECTURES 90 CACHE STRING "Architectures that Kernels_*.cpp are compiled for: 80;90")
set(KokkosMMA_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}" CACHE FILEPATH "The host compiler of nvcc")
mark_as_advanced(KokkosMMA_CUDA_SOURCES KokkosMMA_CUDA_ARCHITECTURES KokkosMMA_CUDA_HOST_COMPILER)

# KokkosMMA_NVCC is "none": host code through KokkosMMA_CUDA_HOST_COMPILER, whatever this build and its Kokkos are compiled with.
if(KokkosMMA_NVCC STREQUAL "none")
  kokkosmma_cuda_headers(include_folders HOST)
  list(TRANSFORM include_folders PREPEND "-isystem")
  set(source "${PROJECT_SOURCE_DIR}/unit_tests/toolchains/Reductions.cpp")
  set(object "${PROJECT_BINARY_DIR}/host_compile_only.o")
  add_custom_command(
    OUTPUT "${object}"
    COMMAND "${KokkosMMA_CUDA_HOST_COMPILER}" -std=c++20 -O2 -Wall -Wextra -Werror ${include_folders} "-I${PROJECT_SOURCE_DIR}/include" -include
            "${PROJECT_SOURCE_DIR}/include/KokkosMMA_DropIn.hpp" -MD -MF "${object}.d" -MT "${object}" -c "${source}" -o "${object}"
    DEPENDS "${source}"
    DEPFILE "${object}.d"
    VERBATIM)
  add_custom_target(cuda_compile_only ALL DEPENDS "${object}")
  return()
endif()

find_program(KokkosMMA_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
if(NOT KokkosMMA_NVCC)
  message(FATAL_ERROR "KokkosMMA: the preset cuda-compile-only needs nvcc, and there is none in PATH, CUDA_HOME or /usr/local/cuda. "
                      "Pass -DKokkosMMA_NVCC=<path>, or use the preset 'host'.")
endif()
kokkosmma_cuda_headers(cuda_include_folders)
execute_process(COMMAND "${KokkosMMA_NVCC}" --version OUTPUT_VARIABLE cuda_version COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE ".*release [0-9.]+, V([0-9.]+).*" "\\1" cuda_version "${cuda_version}")

set(cuda_flags -std=c++20 -O3 --extended-lambda -x cu -ccbin "${KokkosMMA_CUDA_HOST_COMPILER}" -Xptxas -v)
# Our headers must be silent in an application's own warnings, and compile where it compiles Kokkos without RTTI, as Kokkos' own unit tests do.
# Only where the host's compiler sees them.
set(cuda_flags_of_compile -Xcompiler -Wall,-Wextra,-Wshadow,-Werror,-fno-rtti)
foreach(folder IN LISTS cuda_include_folders)
  list(APPEND cuda_flags -isystem "${folder}")
endforeach()
list(APPEND cuda_flags "-I${PROJECT_SOURCE_DIR}/include" "-I${PROJECT_SOURCE_DIR}/unit_tests" "-I${PROJECT_SOURCE_DIR}/unit_tests/support"
     "-I${PROJECT_SOURCE_DIR}/perf_tests")
set(cuda_macros_80 -DKOKKOS_ARCH_AMPERE -DKOKKOS_ARCH_AMPERE80)
set(cuda_macros_86 -DKOKKOS_ARCH_AMPERE -DKOKKOS_ARCH_AMPERE86)
set(cuda_macros_90 -DKOKKOS_ARCH_HOPPER -DKOKKOS_ARCH_HOPPER90)

set(cuda_objects "")
# cuda_compile(<source> PRODUCT compile|cubin|ptx [DROP_IN] [KERNELS|NO_KERNELS] [FOLDED <variable>] [SYMBOLS <number>] ARCHITECTURES <number>...)
# PRODUCT: nvcc's name for what it makes. For "ptx" and "cubin" it reads and instantiates all that host and device would run, but the host's
# compiler does not see it: that is one to two thirds of the time of an object (CUDA 13.0, 2026-11-22). The examples are objects.
# KERNELS: there must be kernels of this library in it, and ptxas must be content with them. Not for "ptx".
# NO_KERNELS: there must be none. Not for "ptx".
# FOLDED: no kernel may load that constant. Only for "ptx".
# SYMBOLS: largest number of symbols of this library in the object. Only for "compile".
function(cuda_compile source)
  cmake_parse_arguments(PARSE_ARGV 1 arg "DROP_IN;KERNELS;NO_KERNELS" "PRODUCT;FOLDED;SYMBOLS" "ARCHITECTURES")
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE name)
  if(name MATCHES "^\\.\\.")
    cmake_path(GET source FILENAME name)
  endif()
  if(KokkosMMA_CUDA_SOURCES AND NOT name MATCHES "${KokkosMMA_CUDA_SOURCES}")
    return()
  endif()
  string(MAKE_C_IDENTIFIER "${name}" stem)
  if(arg_NO_KERNELS)
    set(arg_KERNELS none)
  endif()
  set(forced "")
  if(arg_DROP_IN)
    set(forced -include "${PROJECT_SOURCE_DIR}/include/KokkosMMA_DropIn.hpp")
  endif()
  foreach(architecture IN LISTS arg_ARCHITECTURES)
    set(object "${PROJECT_BINARY_DIR}/cuda_compile_only/${stem}.sm_${architecture}.${arg_PRODUCT}")
    add_custom_command(
      OUTPUT "${object}"
      COMMAND
        ${CMAKE_COMMAND} "-DKERNELS=${arg_KERNELS}" "-DFOLDED=${arg_FOLDED}" "-DSYMBOLS=${arg_SYMBOLS}" "-DNAME=${name}, sm_${architecture}" "-DCUDA=${cuda_version}" -P
        "${PROJECT_SOURCE_DIR}/cmake/check_ptxas.cmake" -- "${KokkosMMA_NVCC}" -arch=sm_${architecture} ${cuda_macros_${architecture}}
        ${cuda_flags} ${cuda_flags_of_${arg_PRODUCT}} ${forced} -MD -MF "${object}.d" -MT "${object}" --${arg_PRODUCT} "${source}" -o "${object}"
      DEPENDS "${source}" "${PROJECT_SOURCE_DIR}/cmake/check_ptxas.cmake"
      DEPFILE "${object}.d"
      COMMENT "nvcc ${name}, sm_${architecture}"
      VERBATIM)
    set_property(GLOBAL APPEND PROPERTY KokkosMMA_cuda_objects "${object}")
  endforeach()
endfunction()
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/cuda_compile_only")

# Kernels, each in the types that matter: these files are written for this check.
file(GLOB_RECURSE kernel_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/unit_tests/cuda_compile_only/*.cpp")
foreach(source IN LISTS kernel_sources)
  cuda_compile("${source}" PRODUCT cubin DROP_IN KERNELS ARCHITECTURES ${KokkosMMA_CUDA_ARCHITECTURES})
endforeach()

# A kernel of each kind, here for the architecture that the kernels above may have left out. .ci/toolchains compiles them with every pair of
# compilers.
set(architecture 80)
if(KokkosMMA_CUDA_SOURCES)
  set(architecture 90)
endif()
foreach(name IN ITEMS Reductions Stencils)
  cuda_compile("${PROJECT_SOURCE_DIR}/unit_tests/toolchains/${name}.cpp" PRODUCT compile DROP_IN KERNELS ARCHITECTURES ${architecture})
endforeach()
# Multiprocessors with 1536 threads.
cuda_compile("${PROJECT_SOURCE_DIR}/unit_tests/toolchains/Reductions.cpp" PRODUCT cubin DROP_IN ARCHITECTURES 86)
cuda_compile("${PROJECT_SOURCE_DIR}/unit_tests/toolchains/Library.cpp" PRODUCT compile ARCHITECTURES ${architecture})
if(NOT KokkosMMA_CUDA_SOURCES OR "unit_tests/toolchains/Reductions.cpp" MATCHES "${KokkosMMA_CUDA_SOURCES}")
  set(object "${PROJECT_BINARY_DIR}/cuda_compile_only/unit_tests_toolchains_Reductions_cpp.sm_${architecture}.compile")
  set(linked "${PROJECT_BINARY_DIR}/cuda_compile_only/linked_version")
  file(GLOB_RECURSE library_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/cuda/runtime/*")
  add_custom_command(
    OUTPUT "${linked}/linked_version"
    COMMAND
      ${CMAKE_COMMAND} "-DROOT=${PROJECT_SOURCE_DIR}" "-DNVCC=${KokkosMMA_NVCC}" "-DCOMPILER=${KokkosMMA_CUDA_HOST_COMPILER}"
      "-DOBJECT=${object}" "-DFOLDER=${linked}" -P "${PROJECT_SOURCE_DIR}/cmake/check_linked_version.cmake"
    DEPENDS "${object}" "${PROJECT_SOURCE_DIR}/unit_tests/toolchains/LinkedVersion.cpp" "${PROJECT_SOURCE_DIR}/cmake/check_linked_version.cmake"
            "${PROJECT_SOURCE_DIR}/core/base/KokkosMMA_Version.hpp" ${library_files}
    COMMENT "libkokkosmma and headers of another version"
    VERBATIM)
  set_property(GLOBAL APPEND PROPERTY KokkosMMA_cuda_objects "${linked}/linked_version")
endif()
cuda_compile("${PROJECT_SOURCE_DIR}/unit_tests/toolchains/StencilCalls.cpp" PRODUCT cubin NO_KERNELS ARCHITECTURES ${architecture})
cuda_compile("${PROJECT_SOURCE_DIR}/unit_tests/toolchains/Reductions.cpp" PRODUCT ptx DROP_IN FOLDED form_of_team_kernel
             ARCHITECTURES ${architecture})

# Most sources of an application have no call, and the drop-in compiles almost nothing there: only the entry for Kokkos::finalize and the form of
# team kernels.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/cuda_compile_only/without_a_call.cpp" CONTENT "#include <Kokkos_Core.hpp>\n" @ONLY)
cuda_compile("${PROJECT_BINARY_DIR}/cuda_compile_only/without_a_call.cpp" PRODUCT compile DROP_IN SYMBOLS 20 ARCHITECTURES ${architecture})

# The examples are functors of an application inside this library's kernels.
foreach(source IN ITEMS "${PROJECT_SOURCE_DIR}/examples/statistics/statistics.cpp"
                        "${PROJECT_SOURCE_DIR}/examples/compressed_rows/compressed_rows.cpp")
  if(EXISTS "${source}")
    cuda_compile("${source}" PRODUCT compile DROP_IN KERNELS ARCHITECTURES 90)
  endif()
endforeach()
# Or an application's kernels beside this library's, and functors that these invoke.
foreach(source IN ITEMS "${PROJECT_SOURCE_DIR}/examples/batch_norm_moments/batch_norm_moments_mma.cpp"
                        "${PROJECT_SOURCE_DIR}/examples/sparse_matvec/sparse_matvec_mma.cpp")
  if(EXISTS "${source}")
    cuda_compile("${source}" PRODUCT compile KERNELS ARCHITECTURES 90)
  endif()
endforeach()
# Stencils and automata, and the same in plain Kokkos.
foreach(source IN ITEMS "${PROJECT_SOURCE_DIR}/examples/heat/heat.cpp" "${PROJECT_SOURCE_DIR}/examples/heat/heat_plain.cpp"
                        "${PROJECT_SOURCE_DIR}/examples/life/life.cpp" "${PROJECT_SOURCE_DIR}/examples/life/life_plain.cpp"
                        "${PROJECT_SOURCE_DIR}/examples/wave/wave_plain.cpp")
  if(EXISTS "${source}")
    cuda_compile("${source}" PRODUCT compile ARCHITECTURES 90)
  endif()
endforeach()

# The papers' kernels that Route::mma uses, and those in nvcuda::wmma, which the benchmark has for comparison.
foreach(name IN ITEMS PaperScan PaperSegments)
  cuda_compile("${PROJECT_SOURCE_DIR}/include/backends/cuda/kernels/papers/KokkosMMA_${name}.cpp" PRODUCT cubin KERNELS
               ARCHITECTURES ${KokkosMMA_CUDA_ARCHITECTURES})
endforeach()
cuda_compile("${PROJECT_SOURCE_DIR}/perf_tests/papers/perf_paper_wmma.cpp" PRODUCT ptx ARCHITECTURES 90)

# The operations over ranks, where there is an MPI.
if(TARGET KokkosMMA::mpi)
  get_target_property(mpi_folders MPI::MPI_CXX INTERFACE_INCLUDE_DIRECTORIES)
  list(APPEND cuda_flags -DOMPI_SKIP_MPICXX=1 -DMPICH_SKIP_MPICXX=1)
  foreach(folder IN LISTS mpi_folders)
    if(IS_DIRECTORY "${folder}" AND NOT folder STREQUAL "/usr/include")
      list(APPEND cuda_flags -isystem "${folder}")
    endif()
  endforeach()
  cuda_compile("${PROJECT_SOURCE_DIR}/unit_tests/mpi/cuda_over_ranks.cpp" PRODUCT compile ARCHITECTURES 90)
  if(EXISTS "${PROJECT_SOURCE_DIR}/perf_tests/cluster/perf_mpi.cpp")
    cuda_compile("${PROJECT_SOURCE_DIR}/perf_tests/cluster/perf_mpi.cpp" PRODUCT ptx ARCHITECTURES 90)
  endif()
endif()

# Tests that run on a device are compiled, for one architecture: what they ask of registers is their own affair.
include("${CMAKE_CURRENT_LIST_DIR}/KokkosMMA_googletest.cmake")
kokkosmma_provide_googletest()
get_target_property(gtest_folders GTest::gtest INTERFACE_INCLUDE_DIRECTORIES)
foreach(folder IN LISTS gtest_folders)
  string(REGEX REPLACE "^\\$<BUILD_INTERFACE:(.*)>$" "\\1" folder "${folder}")
  # The system's own folder must not come before the compiler's.
  if(IS_DIRECTORY "${folder}" AND NOT folder STREQUAL "/usr/include")
    list(APPEND cuda_flags -isystem "${folder}")
  endif()
endforeach()
file(GLOB drop_in_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/unit_tests/drop_in/Test_*.cpp")
file(GLOB algorithm_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/unit_tests/algorithms/Test_*.cpp")
# Not those that compile kernels of many types, layouts and ranks, for minutes each: Kernels_*.cpp have what they have.
list(FILTER drop_in_sources EXCLUDE REGEX "/Test_(Std)?Scan[A-Za-z]*\\.cpp$")
list(FILTER algorithm_sources EXCLUDE REGEX "/Test_(ByKey|Calls|Scan|Segment|Team|Stencil|Automat)[A-Za-z]*\\.cpp$")
foreach(source IN LISTS drop_in_sources)
  cuda_compile("${source}" PRODUCT ptx DROP_IN ARCHITECTURES 90)
endforeach()
foreach(source IN LISTS algorithm_sources)
  cuda_compile("${source}" PRODUCT ptx ARCHITECTURES 90)
endforeach()

# The headers that the host build leaves out, those of a folder in one source, twice: a source for each would read Kokkos 96 times.
file(GLOB_RECURSE cuda_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/backends/cuda/*.hpp")
set(folders "")
foreach(header IN LISTS cuda_headers)
  cmake_path(GET header PARENT_PATH folder)
  list(APPEND folders "${folder}")
  string(APPEND includes_of_${folder} "#include <${header}>\n")
endforeach()
list(REMOVE_DUPLICATES folders)
foreach(folder IN LISTS folders)
  string(MAKE_C_IDENTIFIER "${folder}" source)
  set(source "${PROJECT_BINARY_DIR}/cuda_compile_only/${source}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "${includes_of_${folder}}${includes_of_${folder}}" @ONLY)
  cuda_compile("${source}" PRODUCT ptx ARCHITECTURES 90)
endforeach()

get_property(cuda_objects GLOBAL PROPERTY KokkosMMA_cuda_objects)
add_custom_target(cuda_compile_only ALL DEPENDS ${cuda_objects})
