// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a RangePolicy can say to a reduction, a scan and a loop: where the range
// lies, the type of its index, launch bounds, schedule and chunk size; policies
// of other libraries; and what calls may carry: functors of any size.

#include <KokkosMMA_LoopSupport.hpp>
#include <KokkosMMA_ScanSupport.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Policies);

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

struct SumIndices {
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i, IndexSums& update) const {
    auto const value = static_cast<std::uint64_t>(static_cast<std::int64_t>(i));
    update += {1, value, value * value * value};
  }
};

/// A value that depends on the index, in any type of it.
KOKKOS_INLINE_FUNCTION std::uint64_t value_at(std::int64_t i) {
  return static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u + 0x7f4a7c15u;
}

template <class Exec, class Index>
struct SumOfIndices {
  using value_type = std::uint64_t;
  Index begin;
  Kokkos::View<std::uint64_t*, Exec> y;
  KOKKOS_FUNCTION void operator()(Index i, std::uint64_t& update,
                                  bool last) const {
    if (last) y(std::int64_t(i) - std::int64_t(begin)) = update;
    update += value_at(std::int64_t(i));
  }
  KOKKOS_FUNCTION void operator()(Index i) const {
    y(std::int64_t(i) - std::int64_t(begin)) = value_at(std::int64_t(i));
  }
};

constexpr auto check_policy = [](auto const& policy) {
  using Policy = std::decay_t<decltype(policy)>;
  using Exec   = typename Policy::execution_space;
  using Index  = typename Policy::index_type;
  SCOPED_TRACE("range [" + std::to_string(policy.begin()) + ", " +
               std::to_string(policy.end()) + ")");
  std::vector<std::uint64_t> expected, values;
  std::uint64_t sum = 0;
  IndexSums sums;
  for (auto i = std::int64_t(policy.begin()); i < std::int64_t(policy.end());
       ++i) {
    expected.push_back(sum);
    values.push_back(value_at(i));
    sum += values.back();
    SumIndices()(i, sums);
  }
  expect_reduced(sums, policy, SumIndices());
  SumOfIndices<Exec, Index> const functor{
      policy.begin(), poisoned_array<std::uint64_t, Exec>(expected.size() + 5)};
  std::uint64_t total = poison<std::uint64_t>();
  RouteProbe<Exec> const probe;
  Kokkos::parallel_scan("range", policy, functor, total);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(sum, total);
  EXPECT_TRUE(holds(functor.y, expected));
  // The threads of Kokkos' own loops go beyond the end, where narrow types
  // wrap.
  if (sizeof(Index) < 8) return;
  for (Route const route : {Route::generic, Route::streamed}) {
    ScopedSettings const scope(Settings{route});
    SumOfIndices<Exec, Index> const loop{
        policy.begin(), poisoned_array<std::uint64_t, Exec>(values.size() + 5)};
    Kokkos::parallel_for("range", policy, loop);
    EXPECT_TRUE(holds(loop.y, values)) << to_string(route);
  }
};

/// Ranges up to the ends of types, and past powers of two where narrower
/// indices would break. Kokkos' own scans on a host compute beyond the end of
/// the range and are kept away from it.
TYPED_TEST(Policies, IndexTypes) {
  using Exec  = TypeParam;
  using Short = Kokkos::RangePolicy<Exec, Kokkos::IndexType<short>>;
  using Int   = Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>;
  using Word  = Kokkos::RangePolicy<Exec, Kokkos::IndexType<unsigned>>;
  using Long  = Kokkos::RangePolicy<Exec, Kokkos::IndexType<long>>;
  using Size  = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  std::int64_t const two_to_31 = std::int64_t(1) << 31;
  std::int64_t const two_to_40 = std::int64_t(1) << 40;
  int const most               = std::numeric_limits<int>::max();
  int const margin             = on_cuda<Exec> ? 0 : 17000;
  check_policy(Short(0, 1));
  check_policy(Short(-32768, -25767));
  check_policy(Short(short(25766 - margin), short(32767 - margin)));
  check_policy(Int(-most - 1, -most + 70000));
  check_policy(Int(most - margin - 70001, most - margin));
  check_policy(Word(unsigned(two_to_31 - 4000), unsigned(two_to_31 + 4001)));
  check_policy(Word(~0u - unsigned(margin) - 70001, ~0u - unsigned(margin)));
  check_policy(Long(-two_to_31 - 4001, -two_to_31 + 4000));
  check_policy(Long(2 * two_to_31 - 4000, 2 * two_to_31 + 4001));
  check_policy(Long(-two_to_40 - 65555, -two_to_40));
  check_policy(Size(17, 20011));
  check_policy(Size(two_to_40 + 17, two_to_40 + 20011));
}

/// Traits that tune a launch must not change what is computed.
TYPED_TEST(Policies, TraitsOfTheLaunch) {
  using Exec = TypeParam;
  using Kokkos::IndexType;
  using Kokkos::LaunchBounds;
  using Kokkos::RangePolicy;
  using Kokkos::Schedule;
  check_policy(RangePolicy<Exec, LaunchBounds<128, 2>>(3, 50021));
  check_policy(RangePolicy<Exec, LaunchBounds<>>(3, 50021));
  check_policy(
      RangePolicy<Exec, Schedule<Kokkos::Dynamic>, IndexType<int>>(3, 50021));
  std::vector<int> chunks = {1, 64, 4096, 1 << 20};
  // Kokkos' own scan loses indices with a size that is no power of two
  if (on_cuda<Exec>) chunks.push_back(7);
  for (int chunk : chunks) {
    SCOPED_TRACE("chunk size " + std::to_string(chunk));
    check_policy(RangePolicy<Exec>(Exec(), 3, 50021, Kokkos::ChunkSize(chunk)));
  }
  check_policy(Kokkos::Experimental::require(
      RangePolicy<Exec>(3, 50021),
      Kokkos::Experimental::WorkItemProperty::HintLightWeight));
}

/// Empty ranges write the identity, of a policy (random_calls, sum_*, reducer_*
/// and scan_*) and of a count.
TYPED_TEST(Policies, CountsOfNoneAndOne) {
  using Exec   = TypeParam;
  auto const x = make_view<double, Exec>(4, [](std::size_t) { return 1.; });
  for (int const count : {0, 1}) {
    double sum = poison<double>();
    Kokkos::parallel_reduce("count", count, ElementSum<double, Exec>{x}, sum);
    EXPECT_TRUE(same_bits(double(count), sum));
  }
}

/// Functors may synchronise among themselves as in Kokkos' own kernels: atomics
/// on types for which there are only locks. Those of a scan are effects of only
/// the last call.
template <class Exec>
void check_atomics() {
  using Complex = Kokkos::complex<double>;
  int const n   = 20011;
  Kokkos::View<Complex[7], Exec> const bins("bins"), of_scan("bins");
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
  probe.reset();
  Kokkos::parallel_scan(
      "effects", Kokkos::RangePolicy<Exec>(0, n),
      KOKKOS_LAMBDA(int i, int& update, bool last) {
        if (last) Kokkos::atomic_add(&of_scan(update % 7), Complex(1., i));
        ++update;
      });
  EXPECT_TRUE(probe.streamed());
  std::vector<Complex> expected(7);
  for (int i = 0; i < n; ++i) expected[i % 7] += Complex(1., i);
  EXPECT_TRUE(holds(bins, expected));
  EXPECT_TRUE(holds(of_scan, expected));
}
TYPED_TEST(Policies, FunctorsUseAtomics) { check_atomics<TypeParam>(); }

/// Captured data of any size arrive whole; very large functors go to Kokkos'
/// own code. Of 300 to 5000 bytes: random_calls.
template <int Bytes>
struct Captured {
  std::uint64_t data[Bytes / 8];
  KOKKOS_FUNCTION void operator()(int i, std::uint64_t& update) const {
    update += data[i % (Bytes / 8)] * (i + 1);
  }
};
template <class Exec, int Bytes>
struct CapturedByScan final {
  Kokkos::View<std::uint64_t*, Exec> y;
  Captured<Bytes> captured;
  KOKKOS_FUNCTION void operator()(int i, std::uint64_t& update,
                                  bool last) const {
    captured(i, update);
    if (last) y(i) = update;
  }
  KOKKOS_FUNCTION void operator()(int i) const {
    std::uint64_t value = 0;
    captured(i, value);
    y(i) = value;
  }
};

template <class Exec, int Bytes>
void check_captured() {
  Random random;
  SCOPED_TRACE("functor of " + std::to_string(Bytes) + " bytes");
  int const n = 3 * Bytes;
  Captured<Bytes> functor;
  for (auto& word : functor.data) word = random.bits();
  std::vector<std::uint64_t> expected, of_loop(n, 0);
  std::uint64_t sum = 0;
  for (int i = 0; i < n; ++i) {
    functor(i, of_loop[i]);
    functor(i, sum);
    expected.push_back(sum);
  }
  std::uint64_t result = poison<std::uint64_t>(), total = result;
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce("captured", Kokkos::RangePolicy<Exec>(0, n), functor,
                          result);
  // Kokkos' reducer of a default sum has a second copy.
  if (2 * Bytes < 32000) {
    EXPECT_TRUE(probe.streamed());
  }
  EXPECT_EQ(sum, result);

  CapturedByScan<Exec, Bytes> const scan{poisoned_array<std::uint64_t, Exec>(n),
                                         functor};
  probe.reset();
  Kokkos::parallel_scan("captured", Kokkos::RangePolicy<Exec>(0, n), scan,
                        total);
  EXPECT_TRUE(Bytes < 32000 ? probe.streamed() : probe.went_to_kokkos());
  EXPECT_EQ(sum, total);
  EXPECT_TRUE(holds(scan.y, expected));

  // Each launch has a functor of its own that is gone when it runs.
  auto const y = poisoned_array<std::uint64_t, Exec>(n);
  each_launch(
      [&] {
        Kokkos::parallel_for("captured", Kokkos::RangePolicy<Exec>(0, n),
                             CapturedByScan<Exec, Bytes>{y, functor});
      },
      [&] {
        EXPECT_TRUE(holds(y, of_loop));
        Kokkos::deep_copy(y, 0);
      });
}
TYPED_TEST(Policies, LargeFunctors) {
  check_captured<TypeParam, 3584>();
  check_captured<TypeParam, 4056>();
  check_captured<TypeParam, 15992>();
  check_captured<TypeParam, 31992>();
  check_captured<TypeParam, 49152>();
}

/// A policy of another library, which has its own code for calls with it.
struct ForeignPolicy {
  using execution_policy = ForeignPolicy;
  using execution_space  = Kokkos::DefaultExecutionSpace;
  using work_tag         = void;
  using index_type       = int;
  using member_type      = int;
  using reduction_type   = int;
  using schedule_type    = Kokkos::Schedule<Kokkos::Static>;
  using launch_bounds    = Kokkos::LaunchBounds<>;
  execution_space space() const { return {}; }
  static inline int loops = 0, reductions = 0;
};

}  // namespace

template <class Functor>
class Kokkos::Impl::ParallelFor<Functor, ForeignPolicy,
                                ForeignPolicy::execution_space> {
 public:
  ParallelFor(Functor const&, ForeignPolicy const&) {}
  void execute() { ++ForeignPolicy::loops; }
};
template <class Functor>
class Kokkos::Impl::ParallelReduce<Functor, ForeignPolicy,
                                   ForeignPolicy::execution_space> {
 public:
  template <class Result>
  ParallelReduce(Functor const&, ForeignPolicy const&, Result const&) {}
  void execute() { ++ForeignPolicy::reductions; }
};

namespace {

struct OfAnyPolicy {
  KOKKOS_FUNCTION void operator()(int) const {}
  KOKKOS_FUNCTION void operator()(int i, double& sum) const { sum += i; }
};
TEST(ForeignPolicies, KeepTheirOwnCode) {
  Kokkos::parallel_for("loop", ForeignPolicy(), OfAnyPolicy());
  EXPECT_EQ(1, ForeignPolicy::loops);
  double sum = 0;
  Kokkos::parallel_reduce("sum", ForeignPolicy(), OfAnyPolicy(), sum);
  EXPECT_EQ(1, ForeignPolicy::reductions);
}

}  // namespace
