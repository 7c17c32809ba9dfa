// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans and reductions of values of few and many bytes, around those that go to
// Kokkos, and of one with padding. Others: random_calls, *_bytes, *_smallest
// and *_complex.

#include <KokkosMMA_ScanSupport.hpp>

#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Values);

constexpr std::size_t largest_of_scans = 64, largest_of_reductions = 512;

/// A value of Words unsigned words with the operator that Kokkos' default join
/// calls; they wrap.
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
template <class Value>
struct AddVectors {
  using value_type           = Value;
  static constexpr int begin = 5;
  Value* y                   = nullptr;
  KOKKOS_FUNCTION void operator()(int i, Value& update,
                                  bool last = false) const {
    int k = 0;
    for (auto& word : update.word)
      word = static_cast<std::decay_t<decltype(word)>>(
          word + (2 * std::int64_t(i) + 1) * (i + 3 * k++ + 1));
    if (last) y[i - begin] = update;
  }
};

template <class Exec, class Value>
void check_value(int n) {
  SCOPED_TRACE("value of " + std::to_string(sizeof(Value)) +
               " bytes, n = " + std::to_string(n));
  AddVectors<Value> const functor;
  Value expected, total = poison<Value>();
  std::vector<Value> prefixes;
  int const begin = functor.begin;
  for (int i = begin; i < begin + n; ++i) {
    functor(i, expected);
    prefixes.push_back(expected);
  }
  Kokkos::RangePolicy<Exec> const policy(begin, begin + n);
  expect_reduced(expected, policy, functor,
                 sizeof(Value) <= largest_of_reductions ? Route::streamed
                                                        : Route::generic);
  // Larger ones are Kokkos' own, which moves words of 4 bytes, and take minutes
  // to compile.
  if constexpr (sizeof(Value) <= 72) {
    auto const y = poisoned_array<Value, Exec>(n + 1);
    RouteProbe<Exec> const probe;
    Kokkos::parallel_scan("value", policy, AddVectors<Value>{y.data()}, total);
    EXPECT_TRUE(sizeof(Value) <= largest_of_scans ? probe.streamed()
                                                  : probe.went_to_kokkos());
    EXPECT_TRUE(same_bits(expected, total));
    EXPECT_TRUE(holds(y, prefixes));
  }
}
TYPED_TEST(Values, OperatorsOf3And64And72Bytes) {
  for (int const n : {1, 100, 30011}) {
    check_value<TypeParam, Vector<std::uint8_t, 3>>(n);
    check_value<TypeParam, Vector<std::uint64_t, 8>>(n);
    check_value<TypeParam, Vector<std::uint64_t, 9>>(n);
  }
}
TYPED_TEST(Values, ReductionsOf103To520Bytes) {
  check_value<TypeParam, Vector<std::uint8_t, 103>>(30011);
  check_value<TypeParam, Vector<std::uint64_t, 64>>(30011);
  check_value<TypeParam, Vector<std::uint64_t, 65>>(30011);
}

/// A value with padding, members of several types and an alignment of its own,
/// whose default constructor does not make the neutral value.
struct alignas(16) Tally {
  std::int16_t odd;
  double largest;
  std::int32_t number;
  KOKKOS_FUNCTION Tally() : Tally(-1000) {}
  KOKKOS_FUNCTION explicit Tally(int n) : odd(0), largest(-1e300), number(n) {}
};

struct KeepTally {
  using value_type = Tally;
  struct Seen {
    double largest;
    std::int32_t odd, number;
  };
  Seen* y;
  KOKKOS_FUNCTION void operator()(int i, Tally& update,
                                  bool last = false) const {
    update.odd = static_cast<std::int16_t>(update.odd + i % 2);
    // Exact: one rounding or two make no difference.
    double const value = (i * 37) % 1009 + 0x1p-7 * i;
    if (value > update.largest) update.largest = value;
    ++update.number;
    if (last) y[i] = {update.largest, update.odd, update.number};
  }
  KOKKOS_FUNCTION void init(Tally& update) const { new (&update) Tally(0); }
  KOKKOS_FUNCTION void join(Tally& update, Tally const& other) const {
    update.odd = static_cast<std::int16_t>(update.odd + other.odd);
    if (other.largest > update.largest) update.largest = other.largest;
    update.number += other.number;
  }
};

TYPED_TEST(Values, NeutralValueIsNotTheDefaultValue) {
  using Exec = TypeParam;
  for (int n : {1, 500, 30000}) {
    SCOPED_TRACE("n = " + std::to_string(n));
    std::vector<KeepTally::Seen> expected(n);
    KeepTally const sequential{expected.data()};
    Tally sum(0);
    for (int i = 0; i < n; ++i) sequential(i, sum, true);

    auto const y = poisoned_array<KeepTally::Seen, Exec>(n + 1);
    KeepTally const functor{y.data()};
    RouteProbe<Exec> probe;
    Kokkos::parallel_scan("tally", Kokkos::RangePolicy<Exec>(0, n), functor);
    EXPECT_TRUE(probe.streamed());
    EXPECT_TRUE(holds(y, expected));

    Tally result;
    probe.reset();
    Kokkos::parallel_reduce("tally", Kokkos::RangePolicy<Exec>(0, n), functor,
                            result);
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(sum.largest, result.largest);
    EXPECT_EQ(sum.odd, result.odd);
    EXPECT_EQ(sum.number, result.number);
  }
}

}  // namespace
