// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_ERROR_OF_HPP
#define KOKKOSMMA_ERROR_OF_HPP

#include <stdexcept>
#include <string>

namespace KokkosMMA::Testing {

/// What() of the std::invalid_argument that f throws; empty when it throws
/// none.
template <class F>
std::string error_of(F const& f) {
  try {
    f();
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return {};
}

}  // namespace KokkosMMA::Testing

#endif
