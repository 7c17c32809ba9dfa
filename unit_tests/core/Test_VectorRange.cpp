// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <core/mma/KokkosMMA_VectorRange.hpp>

#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace {

using namespace KokkosMMA::Impl;
using KokkosMMA::Testing::Random;

template <class Element>
class Vectors : public ::testing::Test {};
using Elements =
    ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Vectors, Elements);

/// Appends the 16 bytes of a vector that are not zero, in the order of memory.
void collect(Vector16 const& vector, std::vector<unsigned char>& bytes) {
  unsigned char raw[16];
  std::memcpy(raw, &vector, 16);
  for (unsigned char const byte : raw)
    if (byte) bytes.push_back(byte);
}

TYPED_TEST(Vectors, HoldEveryElementOnceAndNothingElse) {
  constexpr int bytes_each = sizeof(TypeParam);
  constexpr int per_vector = 16 / bytes_each;
  Random random;
  SCOPED_TRACE(random.note());
  // no byte is zero, so what is zero in a vector is padding
  alignas(16) unsigned char memory[1024];
  for (unsigned char& byte : memory)
    byte = static_cast<unsigned char>(random.integer(1, 255));

  for (int offset = 0; offset < per_vector; ++offset)
    for (int size = 0; size <= 70; ++size) {
      SCOPED_TRACE("offset " + std::to_string(offset) + ", size " +
                   std::to_string(size));
      unsigned char const* const data = memory + 64 + offset * bytes_each;

      VectorRange const range = vector_range(data, size, bytes_each);
      std::vector<unsigned char> seen;
      collect(edge_vector<bytes_each>(range, 0), seen);
      for (std::uint64_t v = range.begin; v < range.end; ++v) {
        ASSERT_LE(data, range.base + 16 * v);
        ASSERT_GE(data + size * bytes_each, range.base + 16 * (v + 1));
        Vector16 whole;
        std::memcpy(&whole, range.base + 16 * v, 16);
        collect(whole, seen);
      }
      collect(edge_vector<bytes_each>(range, 1), seen);

      std::vector<unsigned char> const expected(data, data + size * bytes_each);
      ASSERT_EQ(expected, seen);
      ASSERT_EQ(0u, reinterpret_cast<std::uintptr_t>(range.base) % 16);
      for (int lane = 2; lane < 32; ++lane) {
        Vector16 const vector = edge_vector<bytes_each>(range, lane);
        ASSERT_EQ(0u, vector[0] | vector[1] | vector[2] | vector[3]);
      }
      std::vector<unsigned char> edges;
      collect(edge_vector<bytes_each>(range, 0), edges);
      collect(edge_vector<bytes_each>(range, 1), edges);
      ASSERT_EQ(!edges.empty(), range.has_edges());
    }
}

TYPED_TEST(Vectors, ElementsStayInTheirPlace) {
  // before a head and after a tail are zeros: the places of a product's
  // two operands stay together
  constexpr int bytes_each = sizeof(TypeParam);
  alignas(16) unsigned char memory[48];
  std::memset(memory, 0x5a, sizeof(memory));
  for (int offset = 1; offset < 16 / bytes_each; ++offset) {
    VectorRange const range =
        vector_range(memory + offset * bytes_each, 1, bytes_each);
    Vector16 const head = edge_vector<bytes_each>(range, 0);
    unsigned char raw[16];
    std::memcpy(raw, &head, 16);
    for (int byte = 0; byte < 16; ++byte)
      EXPECT_EQ(byte / bytes_each == offset ? 0x5a : 0, int(raw[byte]));
  }
}

TEST(VectorRange, BeyondFourGigabytes) {
  // the address is never read
  alignas(16) static unsigned char memory[16];
  std::uint64_t const size = (std::uint64_t(1) << 33) + 5;
  VectorRange const range  = vector_range(memory + 3, size, 1);
  EXPECT_EQ(memory, range.base);
  EXPECT_EQ(3u, range.skip);
  EXPECT_EQ(1u, range.begin);
  EXPECT_EQ((size + 3) / 16, range.end);
  EXPECT_TRUE(range.has_head());
  EXPECT_TRUE(range.has_tail());
}

TEST(VectorRange, OfNothing) {
  VectorRange const range = vector_range(nullptr, 0, 4);
  EXPECT_EQ(range.begin, range.end);
  EXPECT_FALSE(range.has_edges());
}

}  // namespace
