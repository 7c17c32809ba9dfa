// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the tests run on, for the line that ctest ends with.

#include <KokkosMMA.hpp>

#include <Kokkos_Core.hpp>

#include <iostream>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  KokkosMMA::print_configuration(std::cout);
}
