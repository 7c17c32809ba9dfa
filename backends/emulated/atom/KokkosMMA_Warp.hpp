// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EMULATED_ATOM_WARP_HPP
#define KOKKOSMMA_EMULATED_ATOM_WARP_HPP

#include <backends/emulated/arch/KokkosMMA_Mma.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>

namespace KokkosMMA::Impl::Emulated {

/// A warp of 32 lanes in one host thread (core/reduce/KokkosMMA_WarpSum.hpp
/// lists the operations of a warp).
struct Warp {
  static constexpr int size = 32;

  template <class T>
  struct Lanes {
    T lane[size];
  };

  template <class T>
  static T& at(Lanes<T>& values, int lane) {
    return values.lane[lane];
  }
  template <class T>
  static T const& at(Lanes<T> const& values, int lane) {
    return values.lane[lane];
  }
  template <class F>
  static void each(F const& f) {
    for (int lane = 0; lane < size; ++lane) f(lane);
  }
  static bool any(Lanes<bool> const& values) {
    for (bool const value : values.lane)
      if (value) return true;
    return false;
  }
  static std::uint32_t ballot(Lanes<bool> const& values) {
    std::uint32_t bits = 0;
    each([&](int lane) { bits |= std::uint32_t(values.lane[lane]) << lane; });
    return bits;
  }

  template <class T>
  static Lanes<T> shuffle_up(Lanes<T> const& values, int offset) {
    return gather(
        values, [&](int lane) { return lane - (lane < offset ? 0 : offset); });
  }
  template <class T>
  static Lanes<T> shuffle_xor(Lanes<T> const& values, int mask) {
    return gather(values, [&](int lane) { return lane ^ mask; });
  }
  template <class T>
  static Lanes<T> broadcast(Lanes<T> const& values, int from) {
    return gather(values, [&](int) { return from; });
  }
  template <class T, class Source>
  static Lanes<T> gather(Lanes<T> const& values, Source const& source) {
    Lanes<T> moved;
    each([&](int lane) { moved.lane[lane] = values.lane[source(lane)]; });
    return moved;
  }
  template <bool Signed>
  static std::uint32_t add_bytes(std::uint32_t sum, std::uint32_t word) {
    for (int byte = 0; byte < 4; ++byte) {
      std::uint8_t const bits = static_cast<std::uint8_t>(word >> 8 * byte);
      sum += Signed ? std::uint32_t(static_cast<std::int8_t>(bits)) : bits;
    }
    return sum;
  }
  template <int Table>
  static std::uint32_t logic(std::uint32_t a, std::uint32_t b,
                             std::uint32_t c) {
    std::uint32_t result = 0;
    for (int entry = 0; entry < 8; ++entry)
      if (Table >> entry & 1)
        result |=
            (entry & 4 ? a : ~a) & (entry & 2 ? b : ~b) & (entry & 1 ? c : ~c);
    return result;
  }
  static float half_value(std::uint16_t bits) {
    return static_cast<float>(decode_half(bits));
  }

  /// Gathers the fragments into matrices, computes each entry, scatters D.
  template <class Shape>
  static void multiply(Lanes<typename Shape::C>& d,
                       Lanes<typename Shape::A> const& a,
                       Lanes<typename Shape::B> const& b) {
    using Unit = Arithmetic<Shape>;
    typename Unit::Operand rows[Shape::m][Shape::k];     // A
    typename Unit::Operand columns[Shape::n][Shape::k];  // B, transposed
    each([&](int lane) {
      for (int element = 0; element < Shape::packed; ++element) {
        for (int reg = 0; reg < Shape::a_registers; ++reg) {
          Coordinate const to     = Shape::a(lane, reg, element);
          rows[to.row][to.column] = Unit::operand(at(a, lane)[reg], element);
        }
        for (int reg = 0; reg < Shape::b_registers; ++reg) {
          Coordinate const to = Shape::b(lane, reg, element);
          columns[to.column][to.row] =
              Unit::template operand<true>(at(b, lane)[reg], element);
        }
      }
    });
    each([&](int lane) {
      for (int reg = 0; reg < Shape::c_registers; ++reg) {
        Coordinate const from = Shape::c(lane, reg);
        auto& entry           = at(d, lane)[reg];
        entry = Unit::entry(rows[from.row], columns[from.column], entry);
      }
    });
  }
};

}  // namespace KokkosMMA::Impl::Emulated

#endif
