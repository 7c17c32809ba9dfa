// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MMA_SHAPE_HPP
#define KOKKOSMMA_MMA_SHAPE_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>

#include <cstdint>

/// \file
/// Shapes of the warp-wide products D = A * B + C, with the matrix entry in
/// each register of each lane: PTX ISA, "Matrix Fragments for mma" of each
/// shape. Backends execute them; this file defines their meaning.

namespace KokkosMMA::Impl {

template <class T, int N>
struct Registers {
  static constexpr int size = N;
  T value[N];

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr T& operator[](int i) {
    return value[i];
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr T const& operator[](int i) const {
    return value[i];
  }
};

/// 16 bytes of memory that one lane loads.
using Vector16 = Registers<std::uint32_t, 4>;

struct Coordinate {
  int row;
  int column;
  friend constexpr bool operator==(Coordinate, Coordinate) = default;
};

/// Fragment layout common to all shapes used here. A quad of lanes (lane % 4)
/// covers k or the columns of C, lane / 4 the other dimension; further
/// registers step by 8 rows or by half of k.
/// \tparam Packed values per register
template <class Value, class Accumulator, int M, int N, int K, int Packed>
struct MmaShape {
  static constexpr int m      = M;
  static constexpr int n      = N;
  static constexpr int k      = K;
  static constexpr int packed = Packed;

  static constexpr int a_registers = M * K / (32 * Packed);
  static constexpr int b_registers = K * N / (32 * Packed);
  static constexpr int c_registers = M * N / 32;

  using A = Registers<Value, a_registers>;
  using B = Registers<Value, b_registers>;
  using C = Registers<Accumulator, c_registers>;

  static constexpr int rows_of_8 = M / 8;

  /// (row, k) of A.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr Coordinate a(int lane,
                                                               int reg,
                                                               int element) {
    return {lane / 4 + 8 * (reg % rows_of_8),
            lane % 4 * Packed + element + 4 * Packed * (reg / rows_of_8)};
  }
  /// (k, column) of B.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr Coordinate b(int lane,
                                                               int reg,
                                                               int element) {
    return {lane % 4 * Packed + element + 4 * Packed * reg, lane / 4};
  }
  /// (row, column) of C and D.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr Coordinate c(int lane,
                                                               int reg) {
    return {lane / 4 + 8 * (reg / 2), lane % 4 * 2 + reg % 2};
  }
};

/// Operands of 16-bit floats; `one` is 1 in the operand type.
struct MmaF16 : MmaShape<std::uint32_t, float, 16, 8, 16, 2> {
  static constexpr std::uint32_t one = 0x3c00u;
};
struct MmaBF16 : MmaShape<std::uint32_t, float, 16, 8, 16, 2> {
  static constexpr std::uint32_t one = 0x3f80u;
};
struct MmaBF16K8 : MmaShape<std::uint32_t, float, 16, 8, 8, 2> {
  static constexpr std::uint32_t one = 0x3f80u;
};
/// Operands of bytes, K per row of A.
template <int K>
struct MmaBytes : MmaShape<std::uint32_t, std::int32_t, 16, 8, K, 4> {
  static constexpr std::uint32_t one = 1u;
};
struct MmaS8 : MmaBytes<32> {};
struct MmaU8 : MmaBytes<32> {};
struct MmaS8K16 : MmaBytes<16> {};
/// Signed bytes in A, unsigned bytes in B.
struct MmaS8U8 : MmaBytes<32> {};
struct MmaS8U8K16 : MmaBytes<16> {};
struct MmaF64 : MmaShape<double, double, 8, 8, 4, 1> {};
struct MmaF64K8 : MmaShape<double, double, 16, 8, 8, 1> {};

}  // namespace KokkosMMA::Impl

#endif
