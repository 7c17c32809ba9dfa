// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether there is memory for what a few bytes of input request. Linux grants
// more than it has, and kills a process that uses all that it was granted.
// C++20 and POSIX.

#ifndef EXAMPLES_COMMON_MEMORY_HPP
#define EXAMPLES_COMMON_MEMORY_HPP

#include "command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

// Bytes that this process can still have; infinite where nothing is known.
inline double available_memory() {
  double least = std::numeric_limits<double>::infinity();
  std::ifstream machine("/proc/meminfo");
  for (std::string key, unit; machine >> key;) {
    double kibibytes = 0;
    if (key == "MemAvailable:" && machine >> kibibytes) {
      least = kibibytes * 1024;
    }
    std::getline(machine, unit);
  }
  // Of a container: "max", which is no number, or bytes.
  for (char const* const path :
       {"/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    double bytes = 0;
    if (std::ifstream(path) >> bytes) least = std::min(least, bytes);
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    double pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    least =
        std::min(least, static_cast<double>(limit.rlim_cur) -
                            pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
  }
  return std::max(least, 0.);
}

// `what` needs that many bytes; `remedy` is what the user can do.
inline void require_memory(double bytes, std::string const& what,
                           std::string const& remedy) {
  double const available = available_memory();
  if (bytes <= available) return;
  char text[96];
  std::snprintf(text, sizeof(text),
                ": it needs about %.3g GB, and %.3g GB are free; ", bytes / 1e9,
                available / 1e9);
  throw InputError("no memory for " + what + text + remedy);
}

#endif
