// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values of the application's own types, of every size: added with their own
// operators, or by the init() and join() of a functor.

#include <KokkosMMA_TestSupport.hpp>

namespace {

using KokkosMMA::Testing::ExecutionSpaces;
using KokkosMMA::Testing::poison;
using KokkosMMA::Testing::poisoned_view;
using KokkosMMA::Testing::RouteProbe;
using KokkosMMA::Testing::same_bits;
using KokkosMMA::Testing::value_of;

template <class Exec>
class ValueTypes : public ::testing::Test {};
TYPED_TEST_SUITE(ValueTypes, ExecutionSpaces);

/// Word number k of the contribution of index i; wraps in any unsigned type.
template <class Word>
KOKKOS_FUNCTION Word contribution(std::int64_t i, int k) {
  return static_cast<Word>((2 * i + 1) * (i + 3 * k + 1));
}

/// A value of Words unsigned words with the operator that Kokkos' default sum
/// calls.
template <class Word, int Words>
struct Vector {
  Word word[Words];
  KOKKOS_FUNCTION Vector() {
    for (auto& w : word) w = 0;
  }
  KOKKOS_FUNCTION Vector& operator+=(Vector const& other) {
    for (int k = 0; k < Words; ++k)
      word[k] = static_cast<Word>(word[k] + other.word[k]);
    return *this;
  }
};

template <class Word, int Words>
struct AddVectors {
  KOKKOS_FUNCTION void operator()(int i, Vector<Word, Words>& update) const {
    for (int k = 0; k < Words; ++k)
      update.word[k] =
          static_cast<Word>(update.word[k] + contribution<Word>(i, k));
  }
};

constexpr std::size_t largest_routed = 64;

template <class Exec, class Functor, class Value>
void check_value(Functor const& functor, Value const& expected, int begin,
                 int end) {
  SCOPED_TRACE("value of " + std::to_string(sizeof(Value)) + " bytes");
  Kokkos::RangePolicy<Exec> const policy(begin, end);
  Value scalar = poison<Value>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce("value", policy, functor, scalar);
  EXPECT_TRUE(sizeof(Value) <= largest_routed ? probe.streamed()
                                              : probe.went_to_kokkos());
  EXPECT_TRUE(same_bits(expected, scalar));

  auto const view = poisoned_view<Value, Exec>();
  Kokkos::parallel_reduce(policy, functor, view);
  EXPECT_TRUE(same_bits(expected, value_of(view)));
}

template <class Exec, class Word, int Words>
void check_operators() {
  static_assert(sizeof(Vector<Word, Words>) == sizeof(Word) * Words);
  for (int n : {1, 100, 30011}) {
    AddVectors<Word, Words> const functor;
    Vector<Word, Words> expected;
    for (int i = 5; i < 5 + n; ++i) functor(i, expected);
    check_value<Exec>(functor, expected, 5, 5 + n);
  }
}
TYPED_TEST(ValueTypes, OperatorsOf1To8Bytes) {
  check_operators<TypeParam, std::uint8_t, 1>();
  check_operators<TypeParam, std::uint8_t, 2>();
  check_operators<TypeParam, std::uint8_t, 3>();
  check_operators<TypeParam, std::uint16_t, 2>();
  check_operators<TypeParam, std::uint32_t, 2>();
}
TYPED_TEST(ValueTypes, OperatorsOf12To64Bytes) {
  check_operators<TypeParam, std::uint32_t, 3>();
  check_operators<TypeParam, std::uint64_t, 2>();
  check_operators<TypeParam, std::uint64_t, 3>();
  check_operators<TypeParam, std::uint32_t, 8>();
  check_operators<TypeParam, std::uint64_t, 5>();
  check_operators<TypeParam, std::uint64_t, 8>();
}
TYPED_TEST(ValueTypes, OperatorsBeyond64BytesGoToKokkos) {
  check_operators<TypeParam, std::uint64_t, 9>();
  check_operators<TypeParam, std::uint64_t, 32>();
}

/// A value without operators and without a default constructor that would set
/// it: the smallest contribution seen, word by word, in whatever init() says is
/// the neutral value.
template <class Word, int Words>
struct Plain {
  Word word[Words];
};

template <class Word, int Words>
struct MinimumOfWords {
  using value_type = Plain<Word, Words>;
  KOKKOS_FUNCTION void operator()(int i, value_type& update) const {
    for (int k = 0; k < Words; ++k) {
      Word const value = contribution<Word>(i, k);
      if (value < update.word[k]) update.word[k] = value;
    }
  }
  KOKKOS_FUNCTION void init(value_type& update) const {
    for (auto& w : update.word) w = static_cast<Word>(~Word(0));
  }
  KOKKOS_FUNCTION void join(value_type& update, value_type const& other) const {
    for (int k = 0; k < Words; ++k)
      if (other.word[k] < update.word[k]) update.word[k] = other.word[k];
  }
};

template <class Exec, class Word, int Words>
void check_init_and_join() {
  MinimumOfWords<Word, Words> const functor;
  for (int n : {0, 1, 3001}) {
    Plain<Word, Words> expected;
    functor.init(expected);
    for (int i = 1000; i < 1000 + n; ++i) functor(i, expected);
    if (n > 0)
      check_value<Exec>(functor, expected, 1000, 1000 + n);
    else {
      Plain<Word, Words> result = poison<Plain<Word, Words>>();
      Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec>(7, 7), functor, result);
      EXPECT_TRUE(same_bits(expected, result));
    }
  }
}
TYPED_TEST(ValueTypes, InitAndJoin) {
  check_init_and_join<TypeParam, std::uint8_t, 3>();
  check_init_and_join<TypeParam, std::uint16_t, 6>();
  check_init_and_join<TypeParam, std::uint64_t, 3>();
  check_init_and_join<TypeParam, std::uint64_t, 8>();
}
TYPED_TEST(ValueTypes, InitAndJoinBeyond64BytesGoToKokkos) {
  check_init_and_join<TypeParam, std::uint64_t, 12>();
}

/// A value with padding inside and members of several types, whose default
/// constructor does not make the neutral value; the functor's init() does.
struct Extent {
  double low;
  float weight;
  std::int16_t count;
  bool any;
  KOKKOS_FUNCTION Extent() : low(-7.), weight(9.f), count(-1), any(true) {}
  KOKKOS_FUNCTION Extent(double l, float w, std::int16_t c, bool a)
      : low(l), weight(w), count(c), any(a) {}
};

struct FindExtent {
  using value_type = Extent;
  KOKKOS_FUNCTION void operator()(int i, Extent& update) const {
    join(update, Extent((i * 37) % 1009, 0.25f, 1, i % 500 == 499));
  }
  KOKKOS_FUNCTION void init(Extent& update) const {
    update = Extent(1e300, 0.f, 0, false);
  }
  KOKKOS_FUNCTION void join(Extent& update, Extent const& other) const {
    update.low = other.low < update.low ? other.low : update.low;
    update.weight += other.weight;
    update.count = static_cast<std::int16_t>(update.count + other.count);
    update.any   = update.any || other.any;
  }
  KOKKOS_FUNCTION void final(Extent& update) const { update.low += 0.5; }
};

template <class Exec>
void check_extent() {
  for (int n : {1, 499, 30000}) {
    Extent result;
    RouteProbe<Exec> probe;
    Kokkos::parallel_reduce("extent", Kokkos::RangePolicy<Exec>(0, n),
                            FindExtent(), result);
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(0.5, result.low);
    EXPECT_EQ(0.25f * n, result.weight);
    EXPECT_EQ(n, result.count);
    EXPECT_EQ(n >= 500, result.any);
  }
}
TYPED_TEST(ValueTypes, NeutralValueIsNotTheDefaultValue) {
  check_extent<TypeParam>();
}

}  // namespace
