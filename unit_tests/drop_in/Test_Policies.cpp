// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a RangePolicy can say: where the range lies, the type of its index, work
// tags, launch bounds, schedule and chunk size; and what it may carry: functors
// of any size.

#include <KokkosMMA_TestSupport.hpp>

#include "PolicyCases.hpp"

#include <type_traits>

namespace {

using KokkosMMA::Testing::ElementSum;
using KokkosMMA::Testing::ExecutionSpaces;
using KokkosMMA::Testing::make_view;
using KokkosMMA::Testing::on_cuda;
using KokkosMMA::Testing::poison;
using KokkosMMA::Testing::poisoned_view;
using KokkosMMA::Testing::Random;
using KokkosMMA::Testing::RouteProbe;
using KokkosMMA::Testing::same_bits;
using KokkosMMA::Testing::value_of;

template <class Exec>
class Policies : public ::testing::Test {};
TYPED_TEST_SUITE(Policies, ExecutionSpaces);

/// How many indices were seen, and the sums of their values and of their cubes
/// modulo 2^64: an index left out, taken twice or computed wrongly shows in one
/// of them.
struct IndexSums {
  std::uint64_t count = 0;
  std::uint64_t first = 0;
  std::uint64_t cubes = 0;
  KOKKOS_FUNCTION IndexSums& operator+=(IndexSums const& other) {
    count += other.count;
    first += other.first;
    cubes += other.cubes;
    return *this;
  }
};

/// The same for all integers in [0, n), n <= 2^62, in closed form.
IndexSums sums_below(std::uint64_t n) {
  if (n == 0) return {};
  auto const triangle = static_cast<std::uint64_t>(
      static_cast<unsigned __int128>(n) * (n - 1) / 2);
  return {n, triangle, triangle * triangle};
}

/// The same for all integers in [begin, end).
IndexSums sums_between(std::int64_t begin, std::int64_t end) {
  IndexSums result;
  if (end > 0) {
    IndexSums const upper = sums_below(end);
    IndexSums const lower = sums_below(begin > 0 ? begin : 0);
    result = {upper.count - lower.count, upper.first - lower.first,
              upper.cubes - lower.cubes};
  }
  if (begin < 0) {
    // the negative ones mirrored: [1 - end, 1 - begin)
    IndexSums const upper = sums_below(1 - begin);
    IndexSums const lower = sums_below(end < 0 ? 1 - end : 0);
    result +=
        {0, 0 - (upper.first - lower.first), 0 - (upper.cubes - lower.cubes)};
    result.count += (end < 0 ? end : 0) - begin;
  }
  return result;
}

struct SumIndices {
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i, IndexSums& update) const {
    auto const value = static_cast<std::uint64_t>(static_cast<std::int64_t>(i));
    update += {1, value, value * value * value};
  }
};

constexpr auto check_policy = [](auto const& policy) {
  using Exec = typename std::decay_t<decltype(policy)>::execution_space;
  SCOPED_TRACE("range [" + std::to_string(policy.begin()) + ", " +
               std::to_string(policy.end()) + ")");
  IndexSums result = poison<IndexSums>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce("range", policy, SumIndices(), result);
  EXPECT_TRUE(probe.streamed());
  IndexSums const expected = sums_between(policy.begin(), policy.end());
  EXPECT_EQ(expected.count, result.count);
  EXPECT_EQ(expected.first, result.first);
  EXPECT_EQ(expected.cubes, result.cubes);
};
KOKKOSMMA_TEST_POLICIES(Policies, check_policy)

/// Ranges that are themselves longer than 2^31 and 2^32: only a device does
/// them in a moment.
TYPED_TEST(Policies, RangesLongerThan32Bits) {
  if constexpr (on_cuda<TypeParam>) {
    using Policy =
        Kokkos::RangePolicy<TypeParam, Kokkos::IndexType<std::int64_t>>;
    std::int64_t const two_to_31 = std::int64_t(1) << 31;
    check_policy(Policy(0, two_to_31 + 12345));
    check_policy(Policy(-7, 2 * two_to_31 + 54321));
  }
}

struct Twice {};
struct Negated {};
template <class Exec>
struct Tagged {
  using value_type = std::int64_t;
  Kokkos::View<std::int64_t const*, Exec> x;
  KOKKOS_FUNCTION void operator()(Twice, int i, std::int64_t& update) const {
    update += 2 * x(i);
  }
  KOKKOS_FUNCTION void operator()(Negated const&, long i,
                                  std::int64_t& update) const {
    update -= x(i);
  }
};

template <class Exec>
void check_work_tags() {
  Random random;
  SCOPED_TRACE(random.note());
  std::int64_t sum = 0;
  int const n      = 5003;
  auto const x     = make_view<std::int64_t, Exec>(n, [&](std::size_t i) {
    std::int64_t const value = random.integer(-1000, 1000);
    sum += i >= 11 ? value : 0;
    return value;
  });
  Tagged<Exec> const functor{x};

  std::int64_t result = poison<std::int64_t>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce("twice", Kokkos::RangePolicy<Exec, Twice>(11, n),
                          functor, result);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(2 * sum, result);

  auto const view = poisoned_view<std::int64_t, Exec>();
  probe.reset();
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<long>, Negated>(11, n),
      functor, Kokkos::Sum<std::int64_t, Exec>(view));
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(-sum, value_of(view));
}
TYPED_TEST(Policies, WorkTags) { check_work_tags<TypeParam>(); }

/// An empty range writes the identity, for whatever kind of result.
template <class Exec>
void check_empty() {
  auto const x = make_view<double, Exec>(4, [](std::size_t) { return 1.; });
  ElementSum<double, Exec> const functor{x};
  for (int begin : {0, 3}) {
    Kokkos::RangePolicy<Exec> const empty(begin, begin);
    double scalar = poison<double>();
    Kokkos::parallel_reduce("empty", empty, functor, scalar);
    EXPECT_TRUE(same_bits(0., scalar));

    auto const view = poisoned_view<double, Exec>();
    Kokkos::parallel_reduce("empty", empty, functor, view);
    EXPECT_TRUE(same_bits(0., value_of(view)));

    scalar = poison<double>();
    Kokkos::parallel_reduce("empty", empty, functor,
                            Kokkos::Prod<double>(scalar));
    EXPECT_EQ(1., scalar);

    auto const minimum = poisoned_view<double, Exec>();
    Kokkos::parallel_reduce("empty", empty, functor,
                            Kokkos::Min<double, Exec>(minimum));
    EXPECT_EQ(Kokkos::reduction_identity<double>::min(), value_of(minimum));
  }
  // an empty range given by its count, and a count of one next to it
  double scalar = poison<double>();
  Kokkos::parallel_reduce("empty", 0, functor, scalar);
  EXPECT_TRUE(same_bits(0., scalar));
  Kokkos::parallel_reduce("one", 1, functor, scalar);
  EXPECT_EQ(1., scalar);
}
TYPED_TEST(Policies, EmptyRangeWritesTheIdentity) { check_empty<TypeParam>(); }

/// The functor is called once for each index of the range and for no other.
template <class Exec>
void check_called_once() {
  std::size_t const margin = 64;
  for (std::size_t n : {1, 33, 1000, 4097, 262145}) {
    SCOPED_TRACE("n = " + std::to_string(n));
    Kokkos::View<int*, Exec> const calls("calls", n + 2 * margin);
    std::int64_t result = poison<std::int64_t>();
    RouteProbe<Exec> probe;
    Kokkos::parallel_reduce(
        "calls", Kokkos::RangePolicy<Exec>(margin, margin + n),
        KOKKOS_LAMBDA(std::size_t i, std::int64_t & update) {
          Kokkos::atomic_inc(&calls(i));
          ++update;
        },
        result);
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(std::int64_t(n), result);
    auto const host =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), calls);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < host.extent(0); ++i)
      wrong += host(i) != (i >= margin && i < margin + n ? 1 : 0);
    EXPECT_EQ(0u, wrong) << "indices not called exactly once";
  }
}
TYPED_TEST(Policies, FunctorIsCalledOncePerIndex) {
  check_called_once<TypeParam>();
}

/// Functors may synchronise among themselves as in Kokkos' own kernels: atomics
/// on types for which there are only locks.
template <class Exec>
void check_atomics() {
  using Complex = Kokkos::complex<double>;
  int const n   = 20011;
  Kokkos::View<Complex[7], Exec> const bins("bins");
  std::int64_t result = poison<std::int64_t>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce(
      "atomics", Kokkos::RangePolicy<Exec>(0, n),
      KOKKOS_LAMBDA(int i, std::int64_t& update) {
        Kokkos::atomic_add(&bins(i % 7), Complex(1., i));
        update += i;
      },
      result);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(std::int64_t(n) * (n - 1) / 2, result);
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bins);
  for (int bin = 0; bin < 7; ++bin) {
    double count = 0., sum = 0.;
    for (int i = bin; i < n; i += 7) {
      count += 1.;
      sum += i;
    }
    EXPECT_EQ(count, host(bin).real());
    EXPECT_EQ(sum, host(bin).imag());
  }
}
TYPED_TEST(Policies, FunctorUsesAtomics) { check_atomics<TypeParam>(); }

/// Captured data of any size arrives whole; very large functors may go to
/// Kokkos' own code.
template <int Bytes>
struct Captured final {
  std::uint64_t data[Bytes / 8];
  KOKKOS_FUNCTION void operator()(int i, std::uint64_t& update) const {
    update += data[i % (Bytes / 8)] * (i + 1);
  }
};

template <class Exec, int Bytes>
void check_captured() {
  Random random;
  SCOPED_TRACE(random.note() + ", functor of " + std::to_string(Bytes) +
               " bytes");
  int const n = 3 * Bytes;
  Captured<Bytes> functor;
  for (auto& word : functor.data) word = random.bits();
  std::uint64_t expected = 0;
  for (int i = 0; i < n; ++i) functor(i, expected);
  std::uint64_t result = poison<std::uint64_t>();
  RouteProbe<Exec> const probe;
  Kokkos::parallel_reduce("captured", Kokkos::RangePolicy<Exec>(0, n), functor,
                          result);
  // Kokkos' reducer of a default sum has a second copy.
  if (2 * Bytes < 32000) {
    EXPECT_TRUE(probe.streamed());
  }
  EXPECT_EQ(expected, result);
}
TYPED_TEST(Policies, LargeFunctors) {
  check_captured<TypeParam, 512>();
  check_captured<TypeParam, 3584>();
  check_captured<TypeParam, 4056>();
  check_captured<TypeParam, 8192>();
  check_captured<TypeParam, 15992>();
  check_captured<TypeParam, 49152>();
}

}  // namespace
