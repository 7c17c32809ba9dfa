# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What this build takes from elsewhere, and only into the build tree: release archives by their published SHA-256, and packages of the
# distribution through its own apt. Both functions report a failure in a variable instead of ending the configure step, so that a caller
# can go on to its next source and name every attempt at the end.

include_guard(GLOBAL)

# kokkosmma_download_release(<archive-var> <error-var> URL <url> SHA256 <hash>)
#
# Leaves the path of the verified archive in <archive-var>, or the reason why there is none in <error-var>.
function(kokkosmma_download_release archive_var error_var)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "URL;SHA256" "")
  cmake_path(GET arg_URL FILENAME name)
  set(archive "${CMAKE_BINARY_DIR}/_deps/archives/${name}")
  set(${archive_var} "" PARENT_SCOPE)
  set(${error_var} "" PARENT_SCOPE)

  if(FETCHCONTENT_FULLY_DISCONNECTED)
    set(${error_var} "not tried: FETCHCONTENT_FULLY_DISCONNECTED is on" PARENT_SCOPE)
    return()
  endif()
  if(EXISTS "${archive}")
    file(SHA256 "${archive}" found)
    if(found STREQUAL arg_SHA256)
      set(${archive_var} "${archive}" PARENT_SCOPE)
      return()
    endif()
  endif()

  # The archives are 1 to 3 MB. A machine whose network drops packets instead of refusing them waits here, so the limit is short.
  file(DOWNLOAD "${arg_URL}" "${archive}" STATUS status TIMEOUT 60 INACTIVITY_TIMEOUT 10 TLS_VERIFY ON)
  list(POP_FRONT status code)
  if(code)
    file(REMOVE "${archive}")
    string(REGEX REPLACE "^\"|\"$" "" reason "${status}")
    set(${error_var} "${arg_URL}: ${reason}" PARENT_SCOPE)
    return()
  endif()
  file(SHA256 "${archive}" found)
  if(NOT found STREQUAL arg_SHA256)
    file(REMOVE "${archive}")
    set(${error_var} "${arg_URL}: SHA-256 is ${found}, published is ${arg_SHA256}; the file was deleted" PARENT_SCOPE)
    return()
  endif()
  set(${archive_var} "${archive}" PARENT_SCOPE)
endfunction()

# kokkosmma_download_packages(<files-var> <error-var> SUITE <suite> PACKAGES <name>... [COMPONENTS <name>...] [DEPENDENCIES])
#
# Downloads packages of the distribution from the mirror that this system is set up for, verified by apt with the system's keys. SUITE
# is a name such as "unstable", or "running" for the release that this system runs; COMPONENTS are parts of it beside the usual ones
# ("non-free"). DEPENDENCIES takes everything the packages need, down
# to the C library. apt works on lists, caches and an empty package status of its own under the build
# tree: it needs no root and leaves the system as it is.
function(kokkosmma_download_packages files_var error_var)
  cmake_parse_arguments(PARSE_ARGV 2 arg "DEPENDENCIES" "SUITE" "PACKAGES;COMPONENTS")
  set(${files_var} "" PARENT_SCOPE)
  set(${error_var} "" PARENT_SCOPE)

  foreach(tool IN ITEMS apt-get apt-config dpkg-deb)
    string(MAKE_C_IDENTIFIER "KokkosMMA_${tool}" variable)
    find_program(${variable} ${tool})
    mark_as_advanced(${variable})
    if(NOT ${variable})
      set(${error_var} "not tried: this system has no ${tool}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(FETCHCONTENT_FULLY_DISCONNECTED)
    set(${error_var} "not tried: FETCHCONTENT_FULLY_DISCONNECTED is on" PARENT_SCOPE)
    return()
  endif()

  cmake_host_system_information(RESULT codename QUERY DISTRIB_VERSION_CODENAME)
  cmake_host_system_information(RESULT distribution QUERY DISTRIB_ID)
  if(arg_SUITE STREQUAL "running")
    set(arg_SUITE "${codename}")
  endif()

  # One line per index that the system's own sources name; the first of the running release tells the mirror.
  execute_process(
    COMMAND "${KokkosMMA_apt_get}" indextargets --format "$(RELEASE)|$(COMPONENT)|$(REPO_URI)" "Created-By: Packages"
    OUTPUT_VARIABLE targets OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(mirror "")
  if("\n${targets}" MATCHES "\n${codename}\\|main\\|([^|\n]+)")
    set(mirror "${CMAKE_MATCH_1}")
  else()
    # That answers from lists that apt has fetched before, and images of containers come without. The addresses are known all the same.
    execute_process(COMMAND "${KokkosMMA_apt_get}" update --print-uris OUTPUT_VARIABLE targets ERROR_QUIET)
    if("\n${targets}" MATCHES "\n'([^\n']+/)dists/${codename}/InRelease'")
      set(mirror "${CMAKE_MATCH_1}")
    endif()
  endif()
  # The keys of the distribution where they lie by their usual name, otherwise those that apt trusts for everything.
  set(signed_by "/usr/share/keyrings/${distribution}-archive-keyring.gpg")
  if(EXISTS "${signed_by}")
    set(signed_by "[signed-by=${signed_by}]")
  else()
    set(signed_by "")
  endif()
  if(NOT mirror)
    set(${error_var} "apt on this system names no mirror for '${codename}' (apt-get update --print-uris)" PARENT_SCOPE)
    return()
  endif()
  set(components "main")
  if(distribution STREQUAL "ubuntu")
    string(APPEND components " universe")
  endif()
  list(JOIN arg_COMPONENTS " " more_components)
  string(APPEND components " ${more_components}")

  string(SHA256 key "${arg_SUITE} ${components} ${arg_PACKAGES} ${arg_DEPENDENCIES}")
  string(SUBSTRING "${key}" 0 12 key)
  set(apt "${CMAKE_BINARY_DIR}/_deps/apt-${key}")
  file(REMOVE_RECURSE "${apt}")
  file(MAKE_DIRECTORY "${apt}/lists/partial" "${apt}/cache/archives/partial" "${apt}/etc/apt.conf.d" "${apt}/etc/preferences.d"
       "${apt}/log" "${apt}/files")
  file(TOUCH "${apt}/status")
  file(WRITE "${apt}/etc/sources.list" "deb ${signed_by} ${mirror} ${arg_SUITE} ${components}\n")

  # How this system reaches its mirror (proxies, certificates) still holds; nothing else of its apt settings does.
  execute_process(COMMAND "${KokkosMMA_apt_config}" dump OUTPUT_VARIABLE system_settings ERROR_QUIET)
  string(REGEX MATCHALL "Acquire::https?::[^\n;]*" transport "${system_settings}")
  list(TRANSFORM transport APPEND "\;")
  list(JOIN transport "\n" transport)
  # A mirror that lags, or a wrong clock, lets the release file expire. Its signature is checked all the same.
  file(
    WRITE "${apt}/apt.conf"
    "${transport}
Dir::Etc \"${apt}/etc\";
Dir::Etc::sourcelist \"${apt}/etc/sources.list\";
Dir::Etc::sourceparts \"-\";
Dir::Etc::trusted \"/etc/apt/trusted.gpg\";
Dir::Etc::trustedparts \"/etc/apt/trusted.gpg.d\";
Dir::Etc::netrc \"/etc/apt/auth.conf\";
Dir::Etc::netrcparts \"/etc/apt/auth.conf.d\";
Dir::State \"${apt}\";
Dir::State::status \"${apt}/status\";
Dir::Cache \"${apt}/cache\";
Dir::Cache::pkgcache \"\";
Dir::Cache::srcpkgcache \"\";
Dir::Log \"${apt}/log\";
Debug::NoLocking \"true\";
APT::Sandbox::User \"root\";
APT::Install-Recommends \"false\";
Acquire::Check-Valid-Until \"false\";
Acquire::GzipIndexes \"true\";
Acquire::Languages \"none\";
Acquire::PDiffs \"false\";
Acquire::Retries \"2\";
Acquire::http::Timeout \"20\";
Acquire::https::Timeout \"20\";
")

  set(apt_get "${CMAKE_COMMAND}" -E env "APT_CONFIG=${apt}/apt.conf" LC_ALL=C "${KokkosMMA_apt_get}" -q)
  if(arg_DEPENDENCIES)
    set(fetch install --download-only --yes ${arg_PACKAGES})
  else()
    set(fetch download ${arg_PACKAGES})
  endif()
  foreach(step IN ITEMS update fetch)
    if(step STREQUAL "update")
      set(command ${apt_get} update -o APT::Update::Error-Mode=any)
    else()
      set(command ${apt_get} ${fetch})
    endif()
    execute_process(COMMAND ${command} WORKING_DIRECTORY "${apt}/files" TIMEOUT 300 RESULT_VARIABLE result OUTPUT_VARIABLE output
                    ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
      string(REGEX MATCHALL "(^|\n)E: [^\n]*" reasons "${output}")
      list(TRANSFORM reasons STRIP)
      list(JOIN reasons " " reasons)
      if(NOT reasons)
        set(reasons "apt-get ended with '${result}'")
      endif()
      set(${error_var} "${arg_SUITE} at ${mirror}: ${reasons}" PARENT_SCOPE)
      return()
    endif()
  endforeach()

  file(GLOB downloaded "${apt}/files/*" "${apt}/cache/archives/*.deb")
  file(REMOVE_RECURSE "${apt}/lists")
  set(${files_var} "${downloaded}" PARENT_SCOPE)
endfunction()

# kokkosmma_unpack_packages(<error-var> <directory> <file>...)
function(kokkosmma_unpack_packages error_var directory)
  set(${error_var} "" PARENT_SCOPE)
  file(MAKE_DIRECTORY "${directory}")
  foreach(file IN LISTS ARGN)
    execute_process(COMMAND "${KokkosMMA_dpkg_deb}" -x "${file}" "${directory}" RESULT_VARIABLE result ERROR_VARIABLE reason)
    if(NOT result EQUAL 0)
      set(${error_var} "dpkg-deb -x ${file}: ${reason}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
