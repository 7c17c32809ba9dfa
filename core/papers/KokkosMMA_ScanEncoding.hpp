// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_ENCODING_HPP
#define KOKKOSMMA_SCAN_ENCODING_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/mma/KokkosMMA_Split.hpp>
#include <core/papers/KokkosMMA_PaperOperands.hpp>
#include <core/scan/KokkosMMA_WarpScan.hpp>

#include <cstdint>

/// \file
/// Constant matrices of a scan by MMA; encoding of elements and sums as
/// operands.
///
/// The shape determines the slots of k that a lane's values fill. The matrices
/// map slots to columns of the tile such that each lane's slots are neighbours
/// in the memory that it loads, and its results in the memory that it stores.

namespace KokkosMMA::Impl {

/// Lane of a quad that holds slot k of an operand; below, the slot's index
/// within that lane.
template <class Shape>
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int slot_quad(int k) {
  return k % (4 * Shape::packed) / Shape::packed;
}
template <class Shape>
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int slot_element(int k) {
  return k / (4 * Shape::packed) * Shape::packed + k % Shape::packed;
}

/// Matrix U: slot k holds column E * quad + element; product column n of part
/// `Half` is tile column E * (n / 2) + 2 * Half + n % 2. Slots beyond E
/// elements are empty.
template <class Shape, int E, bool Inclusive, int Half>
struct UpperColumns {
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr bool entry(int k, int n) {
    int const element = slot_element<Shape>(k);
    int const from    = E * slot_quad<Shape>(k) + element;
    int const to      = E * (n / 2) + 2 * Half + n % 2;
    return element < E && (Inclusive ? from <= to : from < to);
  }
};

/// Matrix L: slot k holds the sum of row 2 * quad + element % 2 + 8 * (element
/// / 2).
template <class Shape>
struct LowerRows {
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr bool entry(int row, int k) {
    int const element = slot_element<Shape>(k);
    return 2 * slot_quad<Shape>(k) + element % 2 + 8 * (element / 2) < row;
  }
};

/// Whether one of two packed 16-bit floats is infinite or NaN. `Unit` is the
/// lowest bit of the exponent.
template <std::uint32_t Unit>
KOKKOSMMA_FORCEINLINE_FUNCTION bool pair_not_finite(std::uint32_t word) {
  return ((word & 0x7fff7fffu) + (Unit << 16 | Unit)) & 0x80008000u;
}

// An operand defines how values are split into `fragments`, of which fragment p
// uses accumulator p % accumulators, and how accumulators become a value.
// split() returns whether the split is inexact.

/// Four floats as exact bfloat16 operands, the smallest first: the accumulator
/// is rounded three times, the last time against the largest operand.
struct OperandFloat {
  using Shape                       = MmaBF16;
  static constexpr int fragments    = 3;
  static constexpr int accumulators = 1;

  KOKKOSMMA_FORCEINLINE_FUNCTION static bool split(
      Registers<std::uint32_t, 4> const& bits, Shape::B (&fragment)[3]) {
    std::uint32_t lost = 0;
    for (int pair = 0; pair < 2; ++pair) {
      SplitFloat const x = split_float(bits[2 * pair]);
      SplitFloat const y = split_float(bits[2 * pair + 1]);
      fragment[0][pair]  = pack_upper_halves(x.low, y.low);
      fragment[1][pair]  = pack_upper_halves(x.middle, y.middle);
      fragment[2][pair]  = pack_upper_halves(x.high, y.high);
      lost |= x.lost | y.lost;
    }
    return lost != 0;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION static bool split(float const (&values)[4],
                                                   Shape::B (&fragment)[3]) {
    Registers<std::uint32_t, 4> bits;
    for (int e = 0; e < 4; ++e) bits[e] = bit_cast<std::uint32_t>(values[e]);
    return split(bits, fragment);
  }
  template <class Value>
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value value(float const (&part)[1]) {
    return part[0];
  }
};

/// Four 16-bit floats without conversion.
template <class Shape_, std::uint32_t ExponentUnit>
struct OperandPairs {
  using Shape                       = Shape_;
  static constexpr int fragments    = 1;
  static constexpr int accumulators = 1;

  KOKKOSMMA_FORCEINLINE_FUNCTION static bool split(
      Registers<std::uint32_t, 2> const& words,
      typename Shape::B (&fragment)[1]) {
    fragment[0] = {{words[0], words[1]}};
    return pair_not_finite<ExponentUnit>(words[0]) ||
           pair_not_finite<ExponentUnit>(words[1]);
  }
  template <class Value>
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value value(float const (&part)[1]) {
    return part[0];
  }
};

/// Four 8-bit integers without conversion.
template <class Shape_>
struct OperandBytes {
  using Shape                       = Shape_;
  static constexpr int fragments    = 1;
  static constexpr int accumulators = 1;

  KOKKOSMMA_FORCEINLINE_FUNCTION static bool split(
      Registers<std::uint32_t, 1> const& words,
      typename Shape::B (&fragment)[1]) {
    fragment[0] = {{words[0]}};
    return false;
  }
  template <class Value>
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value value(
      std::int32_t const (&part)[1]) {
    return Value(part[0]);
  }
};

/// Bytes of four integers with one accumulator per byte: exact modulo
/// 256^Bytes. With two bytes, `Signed` selects sign extension of the 16-bit
/// results, which are sums of fewer than 256 8-bit integers.
template <int Bytes, bool Signed = false>
struct OperandColumns {
  using Shape                       = MmaU8K16;
  static constexpr int fragments    = Bytes;
  static constexpr int accumulators = Bytes;

  /// Splits four 32-bit integers, or two 64-bit ones.
  KOKKOSMMA_FORCEINLINE_FUNCTION static bool split(
      Registers<std::uint32_t, 4> const& words, Shape::B (&fragment)[Bytes]) {
    if constexpr (Bytes == 8) {  // two 64-bit integers
      for (int p = 0; p < Bytes; ++p)
        fragment[p] = {
            {byte_column(words[p / 4], words[2 + p / 4], 0, 0, p % 4)}};
    } else {
      for (int p = 0; p < Bytes; ++p)
        fragment[p] = {
            {byte_column(words[0], words[1], words[2], words[3], p)}};
    }
    return false;
  }
  template <class Value>
  KOKKOSMMA_FORCEINLINE_FUNCTION static bool split(
      Value const (&values)[4], Shape::B (&fragment)[Bytes]) {
    for (int p = 0; p < Bytes; ++p) {
      int const shift = 32 * (p / 4);
      fragment[p]     = {{byte_column(std::uint32_t(values[0] >> shift),
                                      std::uint32_t(values[1] >> shift),
                                      std::uint32_t(values[2] >> shift),
                                      std::uint32_t(values[3] >> shift), p % 4)}};
    }
    return false;
  }
  template <class Value>
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value value(
      std::int32_t const (&part)[Bytes]) {
    Value sum = 0;
    for (int p = 0; p < Bytes; ++p)
      sum += Value(std::uint32_t(part[p])) << 8 * p;
    if constexpr (Bytes == 2) {
      sum = Signed ? Value(std::int16_t(std::uint16_t(sum)))
                   : Value(std::uint16_t(sum));
    }
    return sum;
  }
};

/// Two doubles without conversion, or four sums. DMMA is a chain of IEEE fused
/// multiply-adds.
struct OperandDouble {
  using Shape                       = MmaF64K16;
  static constexpr int fragments    = 1;
  static constexpr int accumulators = 1;

  KOKKOSMMA_FORCEINLINE_FUNCTION static bool not_finite(double value) {
    return !(value - value == 0);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION static bool split(
      Registers<std::uint32_t, 4> const& words, Shape::B (&fragment)[1]) {
    double const first =
        bit_cast<double>(std::uint64_t(words[1]) << 32 | words[0]);
    double const second =
        bit_cast<double>(std::uint64_t(words[3]) << 32 | words[2]);
    fragment[0] = {{first, second, 0, 0}};
    return not_finite(first) || not_finite(second);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION static bool split(double const (&values)[4],
                                                   Shape::B (&fragment)[1]) {
    bool lost = false;
    for (int e = 0; e < 4; ++e) {
      fragment[0][e] = values[e];
      lost           = lost || not_finite(values[e]);
    }
    return lost;
  }
  template <class Value>
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value value(double const (&part)[1]) {
    return part[0];
  }
};

struct NoOperand;

/// Encoding of a scan of `Input` with sums of `Value` for MMA. Types without an
/// operand `Data` have no scan by MMA, only by additions.
template <Scalar Input, class Value>
struct ScanEncoding : ScanElements<Input, Value> {
  using Data = NoOperand;
  using Rows = NoOperand;
};
template <>
struct ScanEncoding<Scalar::half, float> : ScanElements<Scalar::half, float> {
  using Data = OperandPairs<MmaF16, 0x0400u>;
  using Rows = OperandFloat;
};
template <>
struct ScanEncoding<Scalar::bhalf, float> : ScanElements<Scalar::bhalf, float> {
  using Data = OperandPairs<MmaBF16, 0x0080u>;
  using Rows = OperandFloat;
};
template <>
struct ScanEncoding<Scalar::float32, float>
    : ScanElements<Scalar::float32, float> {
  using Data = OperandFloat;
  using Rows = OperandFloat;
};
template <>
struct ScanEncoding<Scalar::float64, double>
    : ScanElements<Scalar::float64, double> {
  using Data = OperandDouble;
  using Rows = OperandDouble;
};
template <>
struct ScanEncoding<Scalar::int8, std::uint32_t>
    : ScanElements<Scalar::int8, std::uint32_t> {
  using Data = OperandBytes<MmaS8K16>;
  using Rows = OperandColumns<2, true>;
};
template <>
struct ScanEncoding<Scalar::uint8, std::uint32_t>
    : ScanElements<Scalar::uint8, std::uint32_t> {
  using Data = OperandBytes<MmaU8K16>;
  using Rows = OperandColumns<2>;
};
template <>
struct ScanEncoding<Scalar::int32, std::uint32_t>
    : ScanElements<Scalar::int32, std::uint32_t> {
  using Data = OperandColumns<4>;
  using Rows = OperandColumns<4>;
};
template <>
struct ScanEncoding<Scalar::int64, std::uint64_t>
    : ScanElements<Scalar::int64, std::uint64_t> {
  using Data = OperandColumns<8>;
  using Rows = OperandColumns<8>;
};
// Identical modulo 2^bits; a bool is a byte that holds 0 or 1.
template <>
struct ScanEncoding<Scalar::boolean, std::uint32_t>
    : ScanEncoding<Scalar::uint8, std::uint32_t> {};
template <>
struct ScanEncoding<Scalar::uint32, std::uint32_t>
    : ScanEncoding<Scalar::int32, std::uint32_t> {};
template <>
struct ScanEncoding<Scalar::uint64, std::uint64_t>
    : ScanEncoding<Scalar::int64, std::uint64_t> {};

}  // namespace KokkosMMA::Impl

#endif
