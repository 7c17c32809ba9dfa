// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong on purpose: headers.layers_are_checked wants each of these found.
#include <adapters/kokkos/anything.hpp>
template <int N>
void branch(int& x) {
  if constexpr (N == 0) {
    x = 0;
  }
  if constexpr (N == 1)
    if (x > 0) x = 0;
}
