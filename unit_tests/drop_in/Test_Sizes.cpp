// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans and reductions of every length: around each boundary that a kernel may
// have, beyond 2^31, and one after the other on memory that earlier ones have
// used.

#include <KokkosMMA_ScanSupport.hpp>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Sizes);

/// A value of three words.
struct Triple {
  std::uint64_t word[3];
  KOKKOS_FUNCTION Triple(std::uint64_t bits = 0)
      : word{bits, bits >> 9 | bits << 55, bits >> 40 | bits << 24} {}
  KOKKOS_FUNCTION Triple& operator+=(Triple const& other) {
    for (int k = 0; k < 3; ++k) word[k] += other.word[k];
    return *this;
  }
};

/// Random elements, and their sums below each index, which wrap; on the device
/// too, so that a test of many lengths compares there.
template <class T, class Exec>
struct Data {
  Random random;
  std::vector<T> sums;  // one more than elements
  Kokkos::View<T*, Exec> x;
  Kokkos::View<T const*, Exec> prefixes;

  explicit Data(std::size_t n) : sums{T(0)} {
    x = make_view<T, Exec>(n, [this](std::size_t) {
      T const value(random.bits());
      T sum = sums.back();
      sum += value;
      sums.push_back(sum);
      return value;
    });
    prefixes =
        make_view<T, Exec>(n + 1, [this](std::size_t i) { return sums[i]; });
  }
};

/// The sums up to n from some begins, to a scalar and to a View.
template <class T, class Exec>
void check_reductions(Data<T, Exec> const& data, std::int64_t n) {
  ElementSum<T, Exec> const functor{data.x};
  for (std::int64_t const begin : {0, 1, 6}) {
    if (begin >= n) continue;
    SCOPED_TRACE("sum from " + std::to_string(begin));
    expect_reduced(static_cast<T>(data.sums[n] - data.sums[begin]),
                   Kokkos::RangePolicy<Exec>(begin, n), functor);
  }
}

template <class T, class Exec>
void check_lengths(std::vector<std::int64_t> const& lengths) {
  std::int64_t longest = 0;
  for (std::int64_t const n : lengths) longest = std::max(longest, n);
  Data<T, Exec> const data(longest);
  auto const poisoned = poisoned_array<T, Exec>(longest + 64);
  Kokkos::View<T*, Exec> const output("output", longest + 64);
  for (std::int64_t const n : lengths) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", values of " +
                 std::to_string(sizeof(T)) + " bytes");
    auto const part                = Kokkos::make_pair(std::int64_t(0), n + 64);
    Kokkos::View<T*, Exec> const y = Kokkos::subview(output, part);
    Kokkos::deep_copy(y, Kokkos::subview(poisoned, part));
    ExclusiveSum<T, Exec> const functor{data.x, y};
    T total = poison<T>();
    RouteProbe<Exec> probe;
    Kokkos::parallel_scan(Kokkos::RangePolicy<Exec>(0, n), functor, total);
    ASSERT_TRUE(probe.streamed());
    ASSERT_TRUE(same_bits(data.sums[n], total));
    if constexpr (std::is_integral_v<T>) {
      check_reductions(data, n);
      if (::testing::Test::HasFailure()) return;
    }
    Comparison<T, Exec> const comparison;
    comparison.enqueue(Exec(), y, data.prefixes, n);
    if (comparison.wrong() != 0) {
      // says where
      ASSERT_TRUE(
          holds(y, std::vector<T>(data.sums.begin(), data.sums.begin() + n)));
    }
    ASSERT_EQ(0, comparison.wrong());
  }
}

/// Both sides of every power of two, primes, whole waves of the 132
/// multiprocessors of an H200, and anything.
std::vector<std::int64_t> all_lengths() {
  Random random;
  std::vector<std::int64_t> lengths = {1,     2,      3,      61,     7919,
                                       65537, 100003, 524287, 999983, 1048573};
  for (int power = 4; power <= 20; ++power)
    for (int off = -1; off <= 1; ++off)
      lengths.push_back((std::int64_t(1) << power) + off);
  for (int block : {128, 256, 512, 1024})
    for (int off = -1; off <= 1; ++off) lengths.push_back(132 * block + off);
  // tiles of lengths that are no powers of two
  for (int tile : {1536, 2304, 3072, 3840, 5120, 6144, 7680})
    for (int tiles : {1, 2, 31, 32, 33})
      for (int off = -1; off <= 1; ++off) lengths.push_back(tile * tiles + off);
  for (int k = 0; k < 40; ++k) lengths.push_back(random.integer(1, 1 << 20));
  return lengths;
}
/// The same, thinned out for one more width.
std::vector<std::int64_t> some_lengths() {
  std::vector<std::int64_t> lengths = {1, 2, 31, 100003, (1 << 20) + 1};
  for (int power = 5; power <= 18; ++power)
    lengths.push_back((std::int64_t(1) << power) + power % 3 - 1);
  return lengths;
}
TYPED_TEST(Sizes, ExactAtEveryBoundary) {
  check_lengths<std::uint64_t, TypeParam>(all_lengths());
}
TYPED_TEST(Sizes, ExactAtEveryBoundaryOf32Bits) {
  check_lengths<std::uint32_t, TypeParam>(all_lengths());
}
TYPED_TEST(Sizes, OtherWidths) {
  check_lengths<std::uint8_t, TypeParam>(some_lengths());
  check_lengths<std::int16_t, TypeParam>(some_lengths());
  check_lengths<Triple, TypeParam>(some_lengths());
}
TYPED_TEST(Sizes, MillionsOfElements) {
  check_lengths<std::uint64_t, TypeParam>(
      on_cuda<TypeParam>
          ? std::vector<std::int64_t>{(1 << 22) - 1, (1 << 24) + 1, 19999999}
          : std::vector<std::int64_t>{(1 << 21) + 1});
}

/// Ranges around 2^31, and on a device longer than that: every third index
/// adds nothing, and few write.
template <class Exec>
struct ModuloThree {
  static constexpr std::int64_t step = 1000003;
  using value_type                   = std::uint64_t;
  std::int64_t begin, end;
  Kokkos::View<std::uint64_t*, Exec> y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& update,
                                  bool last) const {
    std::int64_t const k = i - begin;
    if (last) {
      if (k % step == 0) y(k / step) = update;
      if (i + 1 == end) y(y.extent(0) - 1) = update;
    }
    update += k % 3;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& update) const {
    update += (i - begin) % 3 + 1;
  }
};
constexpr std::uint64_t modulo_three_below(std::int64_t k) {
  return 3 * (k / 3) + (k % 3 == 2 ? 1 : 0);
}

template <class Exec>
void check_wide(std::int64_t begin, std::int64_t n) {
  SCOPED_TRACE(std::to_string(n) + " indices from " + std::to_string(begin));
  using Policy  = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using Functor = ModuloThree<Exec>;
  std::vector<std::uint64_t> expected;
  for (std::int64_t k = 0; k < n; k += Functor::step)
    expected.push_back(modulo_three_below(k));
  expected.push_back(modulo_three_below(n - 1));
  Functor const functor{begin, begin + n,
                        poisoned_array<std::uint64_t, Exec>(expected.size())};
  std::uint64_t total = poison<std::uint64_t>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan("wide", Policy(begin, begin + n), functor, total);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(modulo_three_below(n), total);
  EXPECT_TRUE(holds(functor.y, expected));
  probe.reset();
  Kokkos::parallel_reduce("wide", Policy(begin, begin + n), functor, total);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(modulo_three_below(n) + n, total);
}
TYPED_TEST(Sizes, Around32Bits) {
  std::int64_t const two_to_31 = std::int64_t(1) << 31;
  check_wide<TypeParam>(two_to_31 - 4000, 3000011);
  check_wide<TypeParam>(2 * two_to_31 - 1000000, 3000011);
  check_wide<TypeParam>(-two_to_31 - 1000000, 3000011);
  if constexpr (on_cuda<TypeParam>) {
    check_wide<TypeParam>(0, two_to_31 + 12345);
    check_wide<TypeParam>(-7, 2 * two_to_31 + 54321);
  }
}

/// A sum whose bits depend on the order of its additions, of elements side by
/// side or far from each other.
template <class Element, class Exec>
struct SumAtStride {
  Kokkos::View<Element const*, Exec> x;
  std::int64_t stride;
  template <class Sum>
  KOKKOS_FUNCTION void operator()(std::int64_t i, Sum& sum) const {
    sum += Sum(float(x(i * stride % std::int64_t(x.extent(0)))));
  }
};

/// The threads of long sums call neighbouring or strided indices, whatever was
/// faster. Calls enough that the choice is made, watched, and met by data for
/// which it is the wrong one.
template <class Element, class Sum, class Exec>
void check_bits_of_sums() {
  std::int64_t const n = on_cuda<Exec> ? (1 << 22) + 12345 : 1 << 12;
  Random random;
  Kokkos::View<Element const*, Exec> const x =
      make_view<Element, Exec>(n, [&](std::size_t i) {
        // So different in size that sums of doubles round, too.
        bool const tiny = std::is_same_v<Element, float> && i % 3 == 0;
        return Element(float(random.uniform(1, 100)) * (tiny ? 1e-6f : 1));
      });
  Kokkos::RangePolicy<Exec> const policy(7, n + 7);
  Sum expected[2];
  std::int64_t const strides[] = {1, 40009};
  auto const view              = poisoned_view<Sum, Exec>();
  for (int call = 0; call < 300; ++call) {
    bool const far = call % 7 == 3 || call >= 200;
    SumAtStride<Element, Exec> const functor{x, strides[far]};
    Sum total = poison<Sum>();
    RouteProbe<Exec> probe;
    if (call % 2 == 0) {
      Kokkos::parallel_reduce(policy, functor, total);
    } else {
      Kokkos::deep_copy(view, total);
      Kokkos::parallel_reduce(policy, functor, view);
      total = value_of(view);
    }
    ASSERT_TRUE(probe.streamed());
    if (call == 0 || call == 3) {
      double exact = 0;
      auto const h = host_copy(x);
      for (std::int64_t k = 7; k < n + 7; ++k)
        exact += double(float(h(k * strides[far] % n)));
      ASSERT_NEAR(exact, double(total), 1e-5 * exact);
      expected[far] = total;
    }
    ASSERT_TRUE(same_bits(expected[far], total)) << call;
  }
}
TYPED_TEST(Sizes, LongSumsKeepTheirBits) {
  check_bits_of_sums<Kokkos::Experimental::half_t, float, TypeParam>();
  check_bits_of_sums<std::int8_t, std::int32_t, TypeParam>();
  check_bits_of_sums<float, double, TypeParam>();
}

/// Many calls in a row: counters of calls may wrap, and do not show. Values of
/// several widths by turns: random_calls, scan_*.
TYPED_TEST(Sizes, ManyCallsInARow) {
  using Exec = TypeParam;
  Random random;
  Exec const exec;
  int const calls            = on_cuda<Exec> ? 1000000 : 500;
  std::int64_t const longest = 40000;
  Data<std::uint64_t, Exec> const data(longest);
  auto const y = poisoned_array<std::uint64_t, Exec>(longest);
  ExclusiveSum<std::uint64_t, Exec> const functor{data.x, y};
  auto const totals = poisoned_array<std::uint64_t, Exec>(calls);
  Comparison<std::uint64_t, Exec> const comparison;
  std::vector<std::uint64_t> expected(calls);
  for (int call = 0; call < calls; ++call) {
    std::int64_t const n =
        call % 3 == 0 ? random.integer(1, longest) : random.integer(1, 300);
    expected[call]   = data.sums[n];
    auto const total = Kokkos::subview(totals, call);
    Kokkos::parallel_scan(Kokkos::RangePolicy<Exec>(exec, 0, n), functor,
                          total);
    if (call % 100 == 0)
      comparison.enqueue(
          exec, Kokkos::subview(y, Kokkos::make_pair(std::int64_t(0), n)),
          data.prefixes, n);
  }
  EXPECT_EQ(0, comparison.wrong());
  EXPECT_TRUE(holds(totals, expected));
}

}  // namespace
