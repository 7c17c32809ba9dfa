// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_MMA_HPP
#define KOKKOSMMA_EMULATED_DEVICE_MMA_HPP

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>

#include <cuda_runtime.h>

#include <algorithm>

namespace KokkosMMA::Impl::Cuda {

/// The arithmetic of backends/emulated, whose warp has all lanes.
template <class Shape>
struct EmulatedMma {
  template <class D, class A, class B>
  static void fma(D (&d)[Shape::c_registers], A const (&a)[Shape::a_registers],
                  B const (&b)[Shape::b_registers]) {
    struct Operand {
      D (&d)[Shape::c_registers];
      A const (&a)[Shape::a_registers];
      B const (&b)[Shape::b_registers];
    } own{d, a, b};
    Testing::EmulatedDevice::in_warp(
        0xffffffffu, "mma", &own, [](void* const(&operand)[32]) {
          using Warp = Emulated::Warp;
          Warp::Lanes<typename Shape::C> sums;
          Warp::Lanes<typename Shape::A> left;
          Warp::Lanes<typename Shape::B> right;
          for (int lane = 0; lane < 32; ++lane) {
            auto const& of = *static_cast<Operand const*>(operand[lane]);
            std::copy_n(of.d, Shape::c_registers, sums.lane[lane].value);
            std::copy_n(of.a, Shape::a_registers, left.lane[lane].value);
            std::copy_n(of.b, Shape::b_registers, right.lane[lane].value);
          }
          Warp::multiply<Shape>(sums, left, right);
          for (int lane = 0; lane < 32; ++lane)
            std::copy_n(sums.lane[lane].value, Shape::c_registers,
                        static_cast<Operand const*>(operand[lane])->d);
        });
  }
};

struct M16N8K16_F32F16F16F32 : EmulatedMma<MmaF16> {};
struct M16N8K16_F32BF16BF16F32 : EmulatedMma<MmaBF16> {};
struct M16N8K8_F32BF16BF16F32 : EmulatedMma<MmaBF16K8> {};
struct M16N8K32_S32S8S8S32 : EmulatedMma<MmaS8> {};
struct M16N8K32_S32U8U8S32 : EmulatedMma<MmaU8> {};
struct M16N8K16_S32S8S8S32 : EmulatedMma<MmaS8K16> {};
struct M16N8K32_S32S8U8S32 : EmulatedMma<MmaS8U8> {};
struct M16N8K16_S32S8U8S32 : EmulatedMma<MmaS8U8K16> {};
struct M8N8K4_F64F64F64F64 : EmulatedMma<MmaF64> {};
struct M16N8K8_F64F64F64F64 : EmulatedMma<MmaF64K8> {};

}  // namespace KokkosMMA::Impl::Cuda

#endif
