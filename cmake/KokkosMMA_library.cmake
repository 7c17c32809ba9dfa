# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What is compiled once per application, for a Kokkos with CUDA.
#
# kokkosmma_add_library(<target> <folder of the headers> [EXCLUDE_FROM_ALL])
# libkokkosmma: what depends on no type of an application. It includes the CUDA runtime's headers and none of Kokkos, and the application's
# compiler compiles it: nothing depends on the version of Kokkos or on an architecture.
#
# kokkosmma_add_kernels(<target> <folder of the headers> <libkokkosmma>)
# libkokkosmma_kernels: the kernels of stencils from Views into Views of the same type, for the types of KokkosMMA_KERNEL_TYPES, and those of the
# papers that only Route::mma uses. Kokkos' compiler compiles them for Kokkos' architectures. Reductions, scans and segments by name stay in the sources that call them: each costs 7 to 12 s there,
# a stencil in two dimensions 90 s (CUDA 13.0, -O3, sm_90, 2026-11-29).

include_guard(GLOBAL)

# kokkosmma_links_cuda(<result> <target>): whether this target of Kokkos links CUDA, as in Kokkos 4.6 to 5.2. Variables of Kokkos are known in the
# folder only that found it.
function(kokkosmma_links_cuda result target)
  get_target_property(linked ${target} INTERFACE_LINK_LIBRARIES)
  if(linked MATCHES "Kokkos::CUDA")
    set(${result} ON PARENT_SCOPE)
  else()
    set(${result} OFF PARENT_SCOPE)
  endif()
endfunction()

function(kokkosmma_add_library target folder)
  if(TARGET ${target})
    return()
  endif()
  # Kokkos has looked for the toolkit, but maybe in another folder of the project.
  if(NOT CUDAToolkit_INCLUDE_DIRS)
    find_package(CUDAToolkit QUIET)
  endif()
  set(sources ErasedCalls ErasedFor ErasedNodes ErasedTeam KeptChoices Launch StreamScratch TimedCall VerboseLines)
  list(TRANSFORM sources REPLACE "(.+)" "${folder}/backends/cuda/runtime/KokkosMMA_\\1.cpp")
  add_library(${target} STATIC ${ARGN} ${sources})
  set_target_properties(
    ${target}
    PROPERTIES # Compiled as one source: 10 s of nvcc_wrapper with -O3, 40 s one by one (CUDA 13.0, 2026-11-28).
               UNITY_BUILD ON
               UNITY_BUILD_BATCH_SIZE 0
               POSITION_INDEPENDENT_CODE ON
               # State is shared by an executable and its shared libraries.
               CXX_VISIBILITY_PRESET default
               VISIBILITY_INLINES_HIDDEN OFF
               KOKKOSMMA_DROP_IN_OFF ON)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE "${folder}")
  target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  # An application may compile its own sources without them.
  target_compile_options(${target} PRIVATE -fexceptions)
  # "#pragma unroll" is nvcc's. In an application all warnings are off: it may make errors of them.
  if(PROJECT_NAME STREQUAL "KokkosMMA" AND PROJECT_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE -Wno-unknown-pragmas)
  else()
    target_compile_options(${target} PRIVATE -w)
  endif()
endfunction()

function(kokkosmma_add_kernels target folder library)
  set(types float double half bhalf)
  set(element_half Kokkos::Experimental::half_t)
  set(element_bhalf Kokkos::Experimental::bhalf_t)
  set(sum_double double)
  set(KokkosMMA_KERNEL_TYPES "float;double" CACHE STRING
      "Element types whose stencils are compiled once per application: some of ${types}. A source that calls others compiles their kernels itself")
  if(TARGET ${target} OR NOT KokkosMMA_KERNEL_TYPES)
    return()
  endif()
  set(sources "")
  foreach(type IN LISTS KokkosMMA_KERNEL_TYPES)
    if(NOT type IN_LIST types)
      message(FATAL_ERROR "KokkosMMA: KokkosMMA_KERNEL_TYPES contains '${type}'; choose from ${types}, or leave it empty")
    endif()
    set(element ${type})
    set(header backends/cuda/kernels/stencil/KokkosMMA_StencilLaunch.hpp)
    if(element_${type})
      set(element ${element_${type}})
      set(header adapters/algorithms/stencil/KokkosMMA_StencilKernels.hpp)
    endif()
    set(sum float)
    if(sum_${type})
      set(sum ${sum_${type}})
    endif()
    foreach(rank IN ITEMS 1 2 3)
      set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}/Stencil_${type}_${rank}.cpp")
      file(CONFIGURE OUTPUT "${source}" @ONLY
           CONTENT "#include <@header@>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_STENCILS_OF_RANK(, @element@, @sum@, @rank@)
}  // namespace KokkosMMA::Impl::Cuda
")
      list(APPEND sources "${source}")
    endforeach()
  endforeach()
  list(APPEND sources "${folder}/backends/cuda/kernels/papers/KokkosMMA_PaperScan.cpp" "${folder}/backends/cuda/kernels/papers/KokkosMMA_PaperSegments.cpp")
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${sources})
  list(TRANSFORM KokkosMMA_KERNEL_TYPES PREPEND KOKKOSMMA_COMPILED_ OUTPUT_VARIABLE definitions)
  target_compile_definitions(${target} INTERFACE ${definitions} KOKKOSMMA_PAPER_KERNELS)
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF
                                             KOKKOSMMA_DROP_IN_OFF ON)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE "${folder}")
  target_link_libraries(${target} PRIVATE ${library} Kokkos::kokkos)
  # As of libkokkosmma; nvcc itself does not know the option.
  target_compile_options(${target} PRIVATE "$<IF:$<COMPILE_LANGUAGE:CUDA>,-Xcompiler=-fexceptions,-fexceptions>")
  if(NOT PROJECT_NAME STREQUAL "KokkosMMA" OR NOT PROJECT_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE -w)
  endif()
  if("${Kokkos_COMPILE_LANGUAGE}" STREQUAL "CUDA" OR "${KOKKOS_COMPILE_LANGUAGE}" STREQUAL "CUDA")
    set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA)
    set_target_properties(${target} PROPERTIES CUDA_STANDARD 20)
  endif()
endfunction()
