// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the four programs have in common: the size that the user gives, the
// start of Kokkos, and what is said at the end. The steps are in the programs.

#ifndef FIRST_STEPS_HPP
#define FIRST_STEPS_HPP

#include <Kokkos_Core.hpp>

#include "../common/command_line.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

struct Step {
  char const* name;
  char const* does;
  char const* size;
  int default_size;
  int largest;
  // Number of elements that differ from those of a loop on the host.
  std::int64_t (*wrong_elements)(int size);
};

inline int run_step(Step const& step, int argc, char** argv) {
  try {
    Arguments arguments(argc, argv);
    for (std::string word; arguments.next(word);) {
      if (word == "--help") {
        std::printf(
            "usage: %s [N]\n\n%s\nN: %s, from 1 to %d (default: %d).\n\n"
            "Options that start with --kokkos- go to Kokkos. Exit code: 0, 1 "
            "for a wrong result, 2 for\nwrong input.\n",
            step.name, step.does, step.size, step.largest, step.default_size);
        return 0;
      }
      arguments.refuse();
    }
    std::string const given = arguments.operand("sizes");
    int const size =
        given.empty()
            ? step.default_size
            : static_cast<int>(integer_option("N", given, 1, step.largest));

    // Starts Kokkos, and ends it when the function returns: after the last
    // View.
    Kokkos::ScopeGuard const kokkos(argc, argv);
    std::int64_t const wrong = step.wrong_elements(size);
    std::printf("%s: N %d on %s, %lld wrong elements\n", step.name, size,
                Kokkos::DefaultExecutionSpace::name(),
                static_cast<long long>(wrong));
    return wrong == 0 ? 0 : 1;
  } catch (InputError const& error) {
    std::fprintf(stderr, "%s: %s\n", step.name, error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", step.name, error.what());
    return 1;
  }
}

#endif
