// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_OPERATION_HPP
#define KOKKOSMMA_OPERATION_HPP

#include <string_view>

namespace KokkosMMA::Impl {

/// Operation that combines the elements.
enum class Operation : unsigned char { sum, min, max, prod };

/// Name of an operation.
constexpr std::string_view to_string(Operation operation) {
  constexpr std::string_view names[] = {"sum", "min", "max", "prod"};
  return names[static_cast<int>(operation)];
}

}  // namespace KokkosMMA::Impl

#endif
