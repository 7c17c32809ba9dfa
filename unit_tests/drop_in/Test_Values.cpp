// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans and reductions of values of few and many bytes, around those that go to
// Kokkos, and of one with padding. Others: random_calls, *_bytes, *_smallest
// and *_complex.

#include <KokkosMMA_ScanSupport.hpp>

#include <new>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Values);

constexpr std::size_t largest_of_scans = 64, largest_of_reductions = 512;

/// Runs a scan whose functor stores what it sees after y, and compares it with
/// the same calls one after the other.
template <class Exec, class Functor>
void check_scan(Functor functor, int begin, int n) {
  using Value = typename Functor::value_type;
  SCOPED_TRACE("value of " + std::to_string(sizeof(Value)) +
               " bytes, n = " + std::to_string(n));
  std::vector<Value> expected(n, poison<Value>());
  auto sequential = functor.with(expected.data());
  Value sum       = functor.neutral();
  for (int i = begin; i < begin + n; ++i) sequential(i, sum, true);

  auto const y        = poisoned_array<Value, Exec>(n + 7);
  auto const parallel = functor.with(y.data());
  auto total          = poisoned_view<Value, Exec>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan("value", Kokkos::RangePolicy<Exec>(begin, begin + n),
                        parallel, total);
  EXPECT_TRUE(sizeof(Value) <= largest_of_scans ? probe.streamed()
                                                : probe.went_to_kokkos());
  EXPECT_TRUE(same_bits(sum, value_of(total)));
  EXPECT_TRUE(holds(y, expected));
}

/// The reduction that a scan ends with.
template <class Scan>
struct AsReduction : Scan {
  using value_type = typename Scan::value_type;
  KOKKOS_FUNCTION void operator()(int i, value_type& update) const {
    Scan::operator()(i, update, false);
  }
};

/// Runs the calls of a scan as a reduction, for values whose joins commute.
template <class Exec, class Functor>
void check_reduction(Functor functor, int begin, int n) {
  using Value = typename Functor::value_type;
  SCOPED_TRACE("value of " + std::to_string(sizeof(Value)) +
               " bytes, n = " + std::to_string(n));
  AsReduction<Functor> const parallel{functor};
  Value expected = functor.neutral();
  for (int i = begin; i < begin + n; ++i) parallel(i, expected);

  expect_reduced(expected, Kokkos::RangePolicy<Exec>(begin, begin + n),
                 parallel,
                 sizeof(Value) <= largest_of_reductions ? Route::streamed
                                                        : Route::generic);
}

/// Word number k of the contribution of index i; wraps in any unsigned type.
template <class Word>
KOKKOS_FUNCTION Word contribution(std::int64_t i, int k) {
  return static_cast<Word>((2 * i + 1) * (i + 3 * k + 1));
}

/// A value of Words unsigned words with the operator that Kokkos' default join
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

constexpr int first_index = 5;

template <class Word, int Words>
struct AddVectors {
  using value_type = Vector<Word, Words>;
  value_type* y    = nullptr;

  AddVectors with(value_type* output) const { return {output}; }
  static value_type neutral() { return {}; }
  KOKKOS_FUNCTION void operator()(int i, value_type& update, bool last) const {
    if (last) y[i - first_index] = update;
    for (int k = 0; k < Words; ++k)
      update.word[k] =
          static_cast<Word>(update.word[k] + contribution<Word>(i, k));
  }
};

template <class Exec, class Word, int Words>
void check_operators() {
  static_assert(sizeof(Vector<Word, Words>) == sizeof(Word) * Words);
  for (int n : {1, 100, 30011}) {
    check_scan<Exec>(AddVectors<Word, Words>(), first_index, n);
    check_reduction<Exec>(AddVectors<Word, Words>(), first_index, n);
  }
}
TYPED_TEST(Values, OperatorsOf3And64And72Bytes) {
  check_operators<TypeParam, std::uint8_t, 3>();
  check_operators<TypeParam, std::uint64_t, 8>();
  check_operators<TypeParam, std::uint64_t, 9>();
}
// Scans of these are Kokkos' own, which moves words of 4 bytes, and take
// minutes to compile.
TYPED_TEST(Values, ReductionsOf103To520Bytes) {
  check_reduction<TypeParam>(AddVectors<std::uint8_t, 103>(), 5, 30011);
  check_reduction<TypeParam>(AddVectors<std::uint64_t, 64>(), 5, 30011);
  check_reduction<TypeParam>(AddVectors<std::uint64_t, 65>(), 5, 30011);
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
  KOKKOS_FUNCTION void operator()(int i, Tally& update, bool last) const {
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
    Kokkos::parallel_reduce("tally", Kokkos::RangePolicy<Exec>(0, n),
                            AsReduction<KeepTally>{functor}, result);
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(sum.largest, result.largest);
    EXPECT_EQ(sum.odd, result.odd);
    EXPECT_EQ(sum.number, result.number);
  }
}

}  // namespace
