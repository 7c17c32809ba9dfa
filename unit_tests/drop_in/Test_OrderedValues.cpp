// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans of values of an application's for whose joins the order of the indices
// matters.

#include "ValueSupport.hpp"

#include <cstdint>

namespace {

using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(OrderedValues);

// Joins that do not commute are called as join(earlier, later). Kokkos' own
// code on Cuda keeps no order, so all of these must be routed there.

/// The maps x -> factor x + offset, one after the other, in three widths.
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

template <class Exec, class Functor>
void check_order() {
  for (int n : {1, 2, 33, 1000, 4097, 100003, 1 << 20})
    check_scan<Exec>(Functor(), 0, n);
}
TYPED_TEST(OrderedValues, CompositionOfMaps) {
  check_order<TypeParam, Composition<std::uint16_t>>();
  check_order<TypeParam, Composition<std::uint32_t>>();
  check_order<TypeParam, Composition<std::uint64_t>>();
}
TYPED_TEST(OrderedValues, LastThatSaidSomething) {
  check_order<TypeParam, LastSaid>();
}

}  // namespace
