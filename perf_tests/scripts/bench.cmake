# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The target bench_run; kokkosmma-bench and kokkosmma-compare in an installation; their test.

set(programs perf_reduce perf_scan perf_segmented perf_stencil perf_loops perf_nested)
set(driver "${CMAKE_CURRENT_SOURCE_DIR}/scripts/kokkosmma_bench.py")
if(Python3_FOUND)
  add_custom_target(
    bench_run
    COMMAND ${Python3_EXECUTABLE} -B ${driver} run --programs $<TARGET_FILE_DIR:perf_reduce>
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
    DEPENDS ${programs}
    COMMENT "All benchmarks; results in ${CMAKE_BINARY_DIR}/bench_results"
    USES_TERMINAL VERBATIM)
else()
  add_custom_target(
    bench_run
    COMMAND ${CMAKE_COMMAND} -E echo "bench_run needs Python 3.8 or newer and found none: install it, or pass -DPython3_EXECUTABLE=FILE."
    COMMAND ${CMAKE_COMMAND} -E false
    VERBATIM)
endif()

# cmake --install BUILD --component bench: a component of its own, as who installs the headers has not always built the programs.
include(GNUInstallDirs)
set(modules_dir "${CMAKE_INSTALL_DATADIR}/kokkosmma/bench")
set(install_bench COMPONENT bench EXCLUDE_FROM_ALL)
# Shared libraries are found where the build found them.
set(library_dirs "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
foreach(library IN ITEMS Kokkos::kokkoscore benchmark::benchmark)
  if(TARGET ${library})
    list(APPEND library_dirs "$<TARGET_FILE_DIR:${library}>")
  endif()
endforeach()
set_target_properties(${programs} PROPERTIES INSTALL_RPATH "${library_dirs}" INSTALL_RPATH_USE_LINK_PATH TRUE)
install(TARGETS ${programs} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" ${install_bench})
install(
  FILES scripts/bench_results.py scripts/compare.py scripts/kokkosmma_bench.py scripts/markdown_table.py
        scripts/paper_tables.py scripts/plots.py
  DESTINATION "${modules_dir}" ${install_bench})
file(RELATIVE_PATH modules_from_bin "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix/${modules_dir}")
foreach(name_module_arguments IN ITEMS "bench|kokkosmma_bench|, programs=HERE" "compare|compare|")
  string(REGEX MATCH "(.*)\\|(.*)\\|(.*)" name_module_arguments "${name_module_arguments}")
  set(name "kokkosmma-${CMAKE_MATCH_1}")
  set(module "${CMAKE_MATCH_2}")
  set(arguments "${CMAKE_MATCH_3}")
  configure_file(scripts/kokkosmma-script.in "${CMAKE_CURRENT_BINARY_DIR}/${name}" @ONLY)
  install(PROGRAMS "${CMAKE_CURRENT_BINARY_DIR}/${name}" DESTINATION "${CMAKE_INSTALL_BINDIR}" ${install_bench})
endforeach()
if(Python3_FOUND)
  # The real programs on small data, through an installation.
  perf_test(kokkosmma_bench.installed ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -DPYTHON=${Python3_EXECUTABLE} -DBIN=${CMAKE_INSTALL_BINDIR}
            -DPREFIX=${CMAKE_CURRENT_BINARY_DIR}/bench_prefix -DCONFIG=$<CONFIG> -P ${scripts}/check_bench.cmake)
  set_tests_properties(kokkosmma_bench.installed PROPERTIES TIMEOUT 300)
endif()
