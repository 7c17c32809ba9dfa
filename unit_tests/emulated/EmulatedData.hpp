// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDDATA_HPP
#define EMULATEDDATA_HPP

#include <backends/emulated/arch/KokkosMMA_Mma.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

#include <KokkosMMA_Random.hpp>
#include <KokkosMMA_SmallFloats.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace KokkosMMA::Testing {

/// A floating-point element as the emulated warp reads it: bits, and the number
/// they stand for.
template <Scalar Input>
struct Format;
template <>
struct Format<Scalar::half> {
  using Bits = std::uint16_t;
  using Sum  = float;
  static Bits encode(double x) { return encode_half(x); }
  static double decode(Bits bits) { return Impl::Emulated::decode_half(bits); }
};
template <>
struct Format<Scalar::bhalf> {
  using Bits = std::uint16_t;
  using Sum  = float;
  static Bits encode(double x) { return encode_bhalf(x); }
  static double decode(Bits bits) { return Impl::Emulated::decode_bhalf(bits); }
};
template <>
struct Format<Scalar::float32> {
  using Bits = std::uint32_t;
  using Sum  = float;
  static Bits encode(double x) { return std::bit_cast<Bits>(float(x)); }
  static double decode(Bits bits) { return std::bit_cast<float>(bits); }
};
template <>
struct Format<Scalar::float64> {
  using Bits = std::uint64_t;
  using Sum  = double;
  static Bits encode(double x) { return std::bit_cast<Bits>(x); }
  static double decode(Bits bits) { return std::bit_cast<double>(bits); }
};

/// Elements at a chosen place of a 16-byte line. Around them lie bits that
/// would be seen in a result: NaN as floats, -1 as integers.
template <class Bits>
class Elements {
 public:
  Elements(std::size_t size, int offset)
      : m_lines((offset + size) * sizeof(Bits) / 16 + 4),
        m_offset(offset),
        m_size(size) {
    std::memset(static_cast<void*>(m_lines.data()), 0xff,
                m_lines.size() * sizeof(Line));
  }
  Bits* data() {
    return reinterpret_cast<Bits*>(m_lines.data() + 1) + m_offset;
  }
  Bits& operator[](std::size_t i) { return data()[i]; }
  std::size_t size() const { return m_size; }

 private:
  struct alignas(16) Line {
    unsigned char bytes[16];
  };
  std::vector<Line> m_lines;
  int m_offset;
  std::size_t m_size;
};

/// Sizes that meet the edges of a vector, a warp's worth and a step of two.
inline std::vector<std::size_t> interesting_sizes(int per_vector) {
  std::vector<std::size_t> sizes;
  std::size_t const warp = 32 * std::size_t(per_vector);
  for (std::size_t const n :
       {std::size_t(0), std::size_t(1), std::size_t(2), std::size_t(15),
        std::size_t(16), std::size_t(17), warp - 1, warp, warp + 1,
        2 * warp - 1, 2 * warp, 2 * warp + 1, std::size_t(4999)})
    sizes.push_back(n);
  return sizes;
}

inline constexpr int chain_lengths[] = {1, 2, 8, 32};

}  // namespace KokkosMMA::Testing

#endif
