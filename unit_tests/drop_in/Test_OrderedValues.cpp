// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans of values of an application's for whose joins the order of the indices
// matters.

#include "ValueSupport.hpp"

#include <cstdint>

namespace {

using namespace KokkosMMA::Testing;

template <class Exec>
class OrderedValues : public ::testing::Test {};
TYPED_TEST_SUITE(OrderedValues, ExecutionSpaces);

// Joins that do not commute are called as join(earlier, later). Kokkos' own
// code on Cuda keeps no order, so all of these must be routed there.

/// Products of 2x2 matrices modulo 2^32.
struct Matrix {
  std::uint32_t a, b, c, d;
};
struct MatrixProducts {
  using value_type = Matrix;
  Matrix* y        = nullptr;
  MatrixProducts with(Matrix* output) const { return {output}; }
  static Matrix neutral() { return {1, 0, 0, 1}; }
  KOKKOS_FUNCTION void operator()(int i, Matrix& update, bool last) const {
    auto const k = static_cast<std::uint32_t>(i) * 2654435761u;
    // determinant -1: every product keeps one of 1 or -1
    join(update, Matrix{k >> 16, (k >> 16) * 5 + 1, 1, 5});
    if (last) y[i] = update;
  }
  KOKKOS_FUNCTION void init(Matrix& update) const { update = {1, 0, 0, 1}; }
  KOKKOS_FUNCTION void join(Matrix& update, Matrix const& later) const {
    update = {update.a * later.a + update.b * later.c,
              update.a * later.b + update.b * later.d,
              update.c * later.a + update.d * later.c,
              update.c * later.b + update.d * later.d};
  }
};

/// The maps x -> factor x + offset, one after the other, in two widths.
template <class Word>
struct Map {
  Word factor, offset;
};
template <class Word>
struct Composition {
  using value_type = Map<Word>;
  value_type* y    = nullptr;
  Composition with(value_type* output) const { return {output}; }
  static value_type neutral() { return {1, 0}; }
  KOKKOS_FUNCTION void operator()(int i, value_type& update, bool last) const {
    if (last) y[i] = update;
    join(update, value_type{static_cast<Word>(2 * i + 3),
                            static_cast<Word>(i * 2654435761ll + 1)});
  }
  KOKKOS_FUNCTION void init(value_type& update) const { update = {1, 0}; }
  KOKKOS_FUNCTION void join(value_type& update, value_type const& later) const {
    // 16-bit words would be multiplied as signed integers
    update.offset = static_cast<Word>(
        std::uint64_t(later.factor) * update.offset + later.offset);
    update.factor =
        static_cast<Word>(std::uint64_t(later.factor) * update.factor);
  }
};

/// The last index so far that had something to say.
struct LastSaid {
  using Word       = std::int16_t;
  using value_type = Word;
  Word* y          = nullptr;
  LastSaid with(Word* output) const { return {output}; }
  static Word neutral() { return -1; }
  KOKKOS_FUNCTION void operator()(int i, Word& update, bool last) const {
    // long stretches of silence, and dense talk
    bool const says = i % 8191 == 17 || (i / 30000 % 2 == 1 && i % 3 == 0);
    if (says) update = static_cast<Word>(i % 30011);
    if (last) y[i] = update;
  }
  KOKKOS_FUNCTION void init(Word& update) const { update = -1; }
  KOKKOS_FUNCTION void join(Word& update, Word const& later) const {
    if (later != -1) update = later;
  }
};

/// The hash of a text that is put together piece by piece.
struct Text {
  std::uint64_t hash, power, length;
};
struct Concatenation {
  using value_type = Text;
  Text* y          = nullptr;
  Concatenation with(Text* output) const { return {output}; }
  static Text neutral() { return {0, 1, 0}; }
  KOKKOS_FUNCTION void operator()(int i, Text& update, bool last) const {
    for (int letter = 0; letter < i % 4; ++letter)
      join(update, Text{static_cast<std::uint64_t>(i * 7 + letter + 1),
                        1099511628211u, 1});
    if (last) y[i] = update;
  }
  KOKKOS_FUNCTION void init(Text& update) const { update = {0, 1, 0}; }
  KOKKOS_FUNCTION void join(Text& update, Text const& later) const {
    update = {update.hash * later.power + later.hash,
              update.power * later.power, update.length + later.length};
  }
};

/// Sums that start again at every flag.
struct Flagged {
  float sum;
  std::uint32_t begun;
};
struct SegmentedSum {
  using value_type = Flagged;
  value_type* y    = nullptr;
  SegmentedSum with(value_type* output) const { return {output}; }
  static value_type neutral() { return {0, 0}; }
  KOKKOS_FUNCTION void operator()(int i, value_type& update, bool last) const {
    // segments of every length up to some tiles
    bool const begins = i % 100 == 0 ? i / 100 % 7 < 3 : i % 20011 < 40;
    if (begins) update = {0, 1};
    // sums of small integers are exact in float
    update.sum += static_cast<float>(i % 5 - 2);
    if (last) y[i] = update;
  }
  KOKKOS_FUNCTION void init(value_type& update) const { update = {0, 0}; }
  KOKKOS_FUNCTION void join(value_type& update, value_type const& later) const {
    if (later.begun)
      update = later;
    else
      update.sum += later.sum;
  }
};

template <class Exec, class Functor>
void check_order() {
  for (int n : {1, 2, 33, 1000, 4097, 100003, 1 << 20})
    check_scan<Exec>(Functor(), 0, n);
}
TYPED_TEST(OrderedValues, ProductsOfMatrices) {
  check_order<TypeParam, MatrixProducts>();
}
TYPED_TEST(OrderedValues, CompositionOfMaps) {
  check_order<TypeParam, Composition<std::uint16_t>>();
  check_order<TypeParam, Composition<std::uint32_t>>();
  check_order<TypeParam, Composition<std::uint64_t>>();
}
TYPED_TEST(OrderedValues, LastThatSaidSomething) {
  check_order<TypeParam, LastSaid>();
}
TYPED_TEST(OrderedValues, ConcatenationOfText) {
  check_order<TypeParam, Concatenation>();
}
TYPED_TEST(OrderedValues, SegmentedSums) {
  check_order<TypeParam, SegmentedSum>();
}

}  // namespace
