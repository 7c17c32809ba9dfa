// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_ADD_NEAREST_HPP
#define KOKKOSMMA_EMULATED_DEVICE_ADD_NEAREST_HPP

#include <cmath>

namespace KokkosMMA::Impl::Cuda {

struct AddNearest {
  template <class Real>
  static Real sum(Real a, Real b) {
    return a + b;
  }
  template <class Real>
  static Real difference(Real a, Real b) {
    return a - b;
  }
  static double widened(double a) { return a; }
  static double product(double a, double b) { return a * b; }
  static double product_sum(double a, double b, double c) {
    return std::fma(a, b, c);
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
