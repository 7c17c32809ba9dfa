# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include_guard(GLOBAL)

# kokkosmma_cuda_headers(<folders-var> [HOST])
#
# Include folders of a Kokkos whose configuration has the Cuda and Serial spaces, with HOST only the Serial space, made from the Kokkos that
# was found: copies of the headers that Kokkos' build generates, with CUDA switched on, before the folders they came from. It is for compiling
# only; no library is behind it.
# The architecture is left to the compiler's command line (-DKOKKOS_ARCH_HOPPER -DKOKKOS_ARCH_HOPPER90).
function(kokkosmma_cuda_headers folders_var)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOST" "" "")
  set(overlay "${PROJECT_BINARY_DIR}/kokkos_with_cuda")
  set(found "")
  foreach(target IN ITEMS Kokkos::kokkoscore Kokkos::kokkos)
    get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
    foreach(folder IN LISTS folders)
      string(REGEX REPLACE "^\\$<BUILD_INTERFACE:(.*)>$" "\\1" folder "${folder}")
      if(IS_DIRECTORY "${folder}")
        list(APPEND found "${folder}")
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES found)

  # Serial before Cuda: memory spaces of the device name the host space, whose execution space must be complete by then.
  set(KokkosCore_Config_SetupBackend.hpp "#include <setup/Kokkos_Setup_Cuda.hpp>\n")
  set(KokkosCore_Config_FwdBackend.hpp "#include <fwd/Kokkos_Fwd_SERIAL.hpp>\n#include <fwd/Kokkos_Fwd_CUDA.hpp>\n")
  set(KokkosCore_Config_DeclareBackend.hpp "#include <decl/Kokkos_Declare_SERIAL.hpp>\n#include <decl/Kokkos_Declare_CUDA.hpp>\n")
  set(on KOKKOS_ENABLE_CUDA KOKKOS_ENABLE_SERIAL DESUL_ATOMICS_ENABLE_CUDA)
  set(off KOKKOS_ENABLE_OPENMP KOKKOS_ENABLE_THREADS KOKKOS_ENABLE_HPX KOKKOS_IMPL_BUILD_SHARED_LIBS DESUL_IMPL_BUILD_SHARED_LIBS
          DESUL_ATOMICS_ENABLE_OPENMP)
  if(arg_HOST)
    set(overlay "${PROJECT_BINARY_DIR}/kokkos_serial")
    set(KokkosCore_Config_SetupBackend.hpp "")
    set(KokkosCore_Config_FwdBackend.hpp "#include <fwd/Kokkos_Fwd_SERIAL.hpp>\n")
    set(KokkosCore_Config_DeclareBackend.hpp "#include <decl/Kokkos_Declare_SERIAL.hpp>\n")
    set(on KOKKOS_ENABLE_SERIAL)
    list(APPEND off KOKKOS_ENABLE_CUDA DESUL_ATOMICS_ENABLE_CUDA)
  endif()
  foreach(name IN ITEMS KokkosCore_Config_SetupBackend.hpp KokkosCore_Config_FwdBackend.hpp KokkosCore_Config_DeclareBackend.hpp)
    file(CONFIGURE OUTPUT "${overlay}/${name}" CONTENT "#pragma once\n@${name}@" @ONLY)
  endforeach()

  foreach(name IN ITEMS KokkosCore_config.h desul/atomics/Config.hpp)
    set(original "")
    foreach(folder IN LISTS found)
      if(NOT original AND EXISTS "${folder}/${name}")
        set(original "${folder}/${name}")
      endif()
    endforeach()
    if(NOT original)
      message(FATAL_ERROR "KokkosMMA: no ${name} in the include folders of Kokkos::kokkos (${found})")
    endif()
    file(READ "${original}" text)
    foreach(macro IN LISTS on)
      string(REPLACE "/* #undef ${macro} */" "#define ${macro}" text "${text}")
    endforeach()
    foreach(macro IN LISTS off)
      string(REGEX REPLACE "#define ${macro}\n" "/* #undef ${macro} */\n" text "${text}")
    endforeach()
    string(REGEX REPLACE "#define (KOKKOS_ARCH_[A-Z0-9_]+)\n" "/* #undef \\1 */\n" text "${text}")
    file(CONFIGURE OUTPUT "${overlay}/${name}" CONTENT "@text@" @ONLY)
  endforeach()
  set(${folders_var} "${overlay}" ${found} PARENT_SCOPE)
endfunction()
