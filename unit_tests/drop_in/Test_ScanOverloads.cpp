// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every way to call Kokkos::parallel_scan: with and without a label, a policy
// or a count, a total of every kind; what a RangePolicy can say.

#include <KokkosMMA_ScanSupport.hpp>

#include "PolicyCases.hpp"
#include "ScanData.hpp"

#include <type_traits>
#include <vector>

namespace {

using KokkosMMA::Route;
using KokkosMMA::ScopedSettings;
using KokkosMMA::Settings;
using KokkosMMA::Testing::count;
using KokkosMMA::Testing::elements;
using KokkosMMA::Testing::ExclusiveSum;
using KokkosMMA::Testing::ExecutionSpaces;
using KokkosMMA::Testing::holds;
using KokkosMMA::Testing::Longs;
using KokkosMMA::Testing::make_view;
using KokkosMMA::Testing::Numbers;
using KokkosMMA::Testing::on_cuda;
using KokkosMMA::Testing::poison;
using KokkosMMA::Testing::poisoned_array;
using KokkosMMA::Testing::poisoned_view;
using KokkosMMA::Testing::Random;
using KokkosMMA::Testing::RouteProbe;
using KokkosMMA::Testing::value_of;
template <class Exec>
using Data = KokkosMMA::Testing::ScanData<Exec>;

template <class Exec>
class ScanOverloads : public ::testing::Test {};
TYPED_TEST_SUITE(ScanOverloads, ExecutionSpaces);

template <class Exec>
void check_without_total() {
  Data<Exec> const data;
  SCOPED_TRACE(data.random.note());
  Kokkos::RangePolicy<Exec> const policy(0, count);
  for (int form = 0; form < 5; ++form) {
    SCOPED_TRACE("form " + std::to_string(form));
    auto const functor = data.functor();
    RouteProbe<Exec> probe;
    switch (form) {
      case 0: Kokkos::parallel_scan("label", policy, functor); break;
      case 1: Kokkos::parallel_scan(policy, functor); break;
      case 2: Kokkos::parallel_scan("label", count, functor); break;
      case 3: Kokkos::parallel_scan(count, functor); break;
      case 4:
        Kokkos::parallel_scan(std::string("label"), std::size_t(count),
                              functor);
        break;
    }
    EXPECT_TRUE(probe.streamed());
    EXPECT_TRUE(holds(functor.y, data.exclusive));
  }
}
TYPED_TEST(ScanOverloads, WithoutTotal) { check_without_total<TypeParam>(); }

/// Every form of a call with this total, a variable or a View.
template <class Exec, class MakeTotal, class ValueOf>
void check_total(MakeTotal const& make_total, ValueOf const& value) {
  Data<Exec> const data;
  SCOPED_TRACE(data.random.note());
  Kokkos::RangePolicy<Exec> const policy(0, count);
  for (int form = 0; form < 4; ++form) {
    SCOPED_TRACE("form " + std::to_string(form));
    auto const functor = data.functor();
    auto total         = make_total();
    RouteProbe<Exec> probe;
    switch (form) {
      case 0: Kokkos::parallel_scan("label", policy, functor, total); break;
      case 1: Kokkos::parallel_scan(policy, functor, total); break;
      case 2: Kokkos::parallel_scan("label", count, functor, total); break;
      case 3: Kokkos::parallel_scan(count, functor, total); break;
    }
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(data.sum, value(total));
    EXPECT_TRUE(holds(functor.y, data.exclusive));
  }
}
TYPED_TEST(ScanOverloads, ScalarTotal) {
  check_total<TypeParam>([] { return poison<std::int64_t>(); },
                         [](std::int64_t total) { return total; });
}

template <class Exec, class Space>
void check_view_total() {
  SCOPED_TRACE(std::string("total in ") + Space::name());
  check_total<Exec>([] { return poisoned_view<std::int64_t, Space>(); },
                    [](auto const& total) { return value_of(total); });
}
TYPED_TEST(ScanOverloads, TotalInViewOfTheExecutionSpace) {
  check_view_total<TypeParam, typename TypeParam::memory_space>();
}
TYPED_TEST(ScanOverloads, TotalInViewOfTheHost) {
  check_view_total<TypeParam, Kokkos::HostSpace>();
}
#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
TYPED_TEST(ScanOverloads, TotalInViewOfPinnedHostMemory) {
  check_view_total<TypeParam, Kokkos::SharedHostPinnedSpace>();
}
#endif
#ifdef KOKKOS_HAS_SHARED_SPACE
TYPED_TEST(ScanOverloads, TotalInViewOfSharedMemory) {
  // Kokkos' host spaces take no total in memory that moves between host and
  // device
  if constexpr (on_cuda<TypeParam>) {
    check_view_total<TypeParam, Kokkos::SharedSpace>();
  }
}
#endif

/// Totals that the application owns: an unmanaged View of a variable, and one
/// element of a larger View, whose neighbours must stay as they are.
template <class Exec>
void check_unmanaged_total() {
  Data<Exec> const data;
  SCOPED_TRACE(data.random.note());
  Kokkos::RangePolicy<Exec> const policy(0, count);

  std::int64_t variable = poison<std::int64_t>();
  Kokkos::View<std::int64_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>
      unmanaged(&variable);
  auto functor = data.functor();
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan(policy, functor, unmanaged);
  Exec().fence();
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(data.sum, variable);
  EXPECT_TRUE(holds(functor.y, data.exclusive));

  Longs<Exec> const several("several", 5);
  auto const element = Kokkos::subview(several, 3);
  functor            = data.functor();
  probe.reset();
  Kokkos::parallel_scan(policy, functor, element);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ((Numbers{0, 0, 0, data.sum, 0}), elements(several));
  EXPECT_TRUE(holds(functor.y, data.exclusive));
}
TYPED_TEST(ScanOverloads, UnmanagedTotalAndNeighbours) {
  check_unmanaged_total<TypeParam>();
}

/// A scan and its total in every arithmetic type; those of 8 and 16 bits wrap.
template <class Exec, class T>
void check_arithmetic() {
  SCOPED_TRACE("values of " + std::to_string(sizeof(T)) + " bytes");
  Random random;
  SCOPED_TRACE(random.note());
  std::vector<T> exclusive;
  T sum        = 0;
  auto const x = make_view<T, Exec>(count, [&](std::size_t) {
    T const value = static_cast<T>(random.integer(0, 1000));
    exclusive.push_back(sum);
    sum = static_cast<T>(sum + value);
    return value;
  });
  Kokkos::RangePolicy<Exec> const policy(0, count);
  T scalar  = poison<T>();
  auto view = poisoned_view<T, Exec>();
  for (int form = 0; form < 2; ++form) {
    ExclusiveSum<T, Exec> const functor{x, poisoned_array<T, Exec>(count + 9)};
    RouteProbe<Exec> probe;
    if (form == 0)
      Kokkos::parallel_scan(policy, functor, scalar);
    else
      Kokkos::parallel_scan(policy, functor, view);
    EXPECT_TRUE(probe.streamed());
    EXPECT_TRUE(holds(functor.y, exclusive));
  }
  EXPECT_EQ(sum, scalar);
  EXPECT_EQ(sum, value_of(view));
}
TYPED_TEST(ScanOverloads, SmallIntegers) {
  check_arithmetic<TypeParam, std::int8_t>();
  check_arithmetic<TypeParam, std::uint8_t>();
  check_arithmetic<TypeParam, std::int16_t>();
  check_arithmetic<TypeParam, std::uint16_t>();
}
TYPED_TEST(ScanOverloads, LargeIntegers) {
  check_arithmetic<TypeParam, int>();
  check_arithmetic<TypeParam, unsigned>();
  check_arithmetic<TypeParam, std::size_t>();
  check_arithmetic<TypeParam, long long>();
}
TYPED_TEST(ScanOverloads, FloatingPoint) {
  check_arithmetic<TypeParam, float>();
  check_arithmetic<TypeParam, double>();
}

/// Lambdas that read the running value before they add, and after.
template <class Exec>
void check_lambdas() {
  Data<Exec> const data;
  SCOPED_TRACE(data.random.note());
  auto const x      = data.x;
  auto const before = poisoned_array<std::int64_t, Exec>(count),
             after  = poisoned_array<std::int64_t, Exec>(count);
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan(
      "inclusive", Kokkos::RangePolicy<Exec>(Exec(), 0, count),
      KOKKOS_LAMBDA(int i, std::int64_t& update, bool last) {
        update += x(i);
        if (last) after(i) = update;
      });
  EXPECT_TRUE(probe.streamed());
  EXPECT_TRUE(holds(after, data.inclusive));

  probe.reset();
  Kokkos::parallel_scan(
      Kokkos::RangePolicy<Exec>(0, count),
      KOKKOS_LAMBDA(std::size_t const i, std::int64_t& update,
                    bool const last) {
        if (last) before(i) = update;
        update += x(i);
      });
  EXPECT_TRUE(probe.streamed());
  EXPECT_TRUE(holds(before, data.exclusive));
}
TYPED_TEST(ScanOverloads, Lambdas) { check_lambdas<TypeParam>(); }

template <class Exec>
void check_default_space() {
  if constexpr (std::is_same_v<Exec, Kokkos::DefaultExecutionSpace>) {
    Data<Exec> const data;
    SCOPED_TRACE(data.random.note());
    auto const x = data.x;
    auto const y = poisoned_array<std::int64_t, Exec>(count);
    RouteProbe<Exec> probe;
    Kokkos::parallel_scan(
        count, KOKKOS_LAMBDA(int i, std::int64_t& update, bool last) {
          update += x(i);
          if (last) y(i) = update;
        });
    EXPECT_TRUE(probe.streamed());
    EXPECT_TRUE(holds(y, data.inclusive));
  }
}
TYPED_TEST(ScanOverloads, LambdaOverACount) {
  check_default_space<TypeParam>();
}

/// The type of the total decides in which type a generic functor adds; here it
/// reads the running value both before and after.
template <class Exec>
struct AddQuarters {
  Kokkos::View<double*, Exec> before, after;
  template <class Value>
  KOKKOS_FUNCTION void operator()(int i, Value& update, bool last) const {
    if (last) before(i) = static_cast<double>(update);
    update += static_cast<Value>(0.25f * (i % 8));
    if (last) after(i) = static_cast<double>(update);
  }
};

template <class Exec, class Value, class Total>
void check_type_of_total(Total total, double of_eight) {
  std::vector<double> before, after;
  double sum = 0.;
  for (int i = 0; i < count; ++i) {
    before.push_back(sum);
    sum += static_cast<double>(static_cast<Value>(0.25f * (i % 8)));
    after.push_back(sum);
    if (i % 8 == 7) {
      EXPECT_EQ(of_eight * (i / 8 + 1), sum);
    }
  }
  AddQuarters<Exec> const functor{poisoned_array<double, Exec>(count),
                                  poisoned_array<double, Exec>(count)};
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan("quarters", Kokkos::RangePolicy<Exec>(0, count),
                        functor, total);
  EXPECT_TRUE(probe.streamed());
  if constexpr (Kokkos::is_view<Total>::value) {
    EXPECT_EQ(sum, value_of(total));
  } else {
    EXPECT_EQ(sum, total);
  }
  EXPECT_TRUE(holds(functor.before, before));
  EXPECT_TRUE(holds(functor.after, after));
}
TYPED_TEST(ScanOverloads, TypeOfTheTotal) {
  check_type_of_total<TypeParam, int>(poison<int>(), 4.);
  check_type_of_total<TypeParam, float>(poisoned_view<float, TypeParam>(), 7.);
}

/// A functor that knows its data by pointers alone, in place: what it reads
/// before it writes is its own.
struct InPlace {
  using value_type = std::int64_t;
  std::int64_t* x;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update,
                                  bool last) const {
    std::int64_t const value = x[i];
    if (last) x[i] = update;
    update += value;
  }
};

template <class Exec>
void check_in_place() {
  Data<Exec> const data;
  SCOPED_TRACE(data.random.note());
  Longs<Exec> const x("x", count);
  Kokkos::deep_copy(x, data.x);
  auto total = poisoned_view<std::int64_t, Exec>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan("in place", Kokkos::RangePolicy<Exec>(0, count),
                        InPlace{x.data()}, total);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(data.sum, value_of(total));
  EXPECT_TRUE(holds(x, data.exclusive));
}
TYPED_TEST(ScanOverloads, InPlaceThroughPointers) {
  check_in_place<TypeParam>();
}

/// How often a functor is called: with last == true once per index of the range
/// and for no other, then with the exact prefix.
template <class Exec>
struct CountCalls {
  using value_type = std::int64_t;
  Kokkos::View<int*, Exec> finals, wrong;
  std::size_t begin;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::int64_t& update,
                                  bool last) const {
    if (last) {
      Kokkos::atomic_inc(&finals(i));
      std::int64_t const k = i - begin;
      if (update != k * (k - 1) / 2) Kokkos::atomic_inc(&wrong(i));
    }
    update += i - begin;
  }
};

template <class Exec>
void check_calls() {
  std::size_t const margin = 64;
  for (std::size_t n : {1, 33, 1000, 4097, 262145}) {
    SCOPED_TRACE("n = " + std::to_string(n));
    using Counters = Kokkos::View<int*, Exec>;
    CountCalls<Exec> const functor{Counters("finals", n + 2 * margin),
                                   Counters("wrong", n + 2 * margin), margin};
    RouteProbe<Exec> probe;
    Kokkos::parallel_scan(
        "calls", Kokkos::RangePolicy<Exec>(margin, margin + n), functor);
    EXPECT_TRUE(probe.streamed());
    auto const finals    = elements(functor.finals);
    auto const wrong     = elements(functor.wrong);
    std::size_t not_once = 0;
    for (std::size_t i = 0; i < finals.size(); ++i)
      not_once += finals[i] != (i >= margin && i < margin + n ? 1 : 0);
    EXPECT_EQ(0u, not_once) << "indices without exactly one final call";
    EXPECT_EQ(0, std::accumulate(wrong.begin(), wrong.end(), 0))
        << "final calls with another prefix";
  }
}
TYPED_TEST(ScanOverloads, OneFinalCallPerIndex) { check_calls<TypeParam>(); }

/// Effects that the last call alone has, of a kind that may take a lock in the
/// device's memory.
template <class Exec>
void check_effects() {
  using Complex = Kokkos::complex<double>;
  int const n   = 20011;
  Kokkos::View<Complex[7], Exec> const bins("bins");
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan(
      "effects", Kokkos::RangePolicy<Exec>(0, n),
      KOKKOS_LAMBDA(int i, int& update, bool last) {
        if (last) Kokkos::atomic_add(&bins(update % 7), Complex(1., i));
        ++update;
      });
  EXPECT_TRUE(probe.streamed());
  auto const found = elements(bins);
  for (int bin = 0; bin < 7; ++bin) {
    double calls = 0., sum = 0.;
    for (int i = bin; i < n; i += 7) {
      calls += 1.;
      sum += i;
    }
    EXPECT_EQ(calls, found[bin].real());
    EXPECT_EQ(sum, found[bin].imag());
  }
}
TYPED_TEST(ScanOverloads, EffectsOfTheFinalCall) { check_effects<TypeParam>(); }

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
};

constexpr auto check_policy = [](auto const& policy) {
  using Policy = std::decay_t<decltype(policy)>;
  using Exec   = typename Policy::execution_space;
  using Index  = typename Policy::index_type;
  SCOPED_TRACE("range [" + std::to_string(policy.begin()) + ", " +
               std::to_string(policy.end()) + ")");
  std::vector<std::uint64_t> expected;
  std::uint64_t sum = 0;
  for (auto i = std::int64_t(policy.begin()); i < std::int64_t(policy.end());
       ++i) {
    expected.push_back(sum);
    sum += value_at(i);
  }
  SumOfIndices<Exec, Index> const functor{
      policy.begin(), poisoned_array<std::uint64_t, Exec>(expected.size() + 5)};
  std::uint64_t total = poison<std::uint64_t>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan("range", policy, functor, total);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(sum, total);
  EXPECT_TRUE(holds(functor.y, expected));
};
KOKKOSMMA_TEST_POLICIES(ScanOverloads, check_policy)

/// Nothing to do: no call, and a total as Kokkos' own code on that space leaves
/// it.
template <class Exec>
void check_empty() {
  Kokkos::View<int, Exec> const calls("calls");
  auto const functor = KOKKOS_LAMBDA(int, std::int64_t& update, bool) {
    Kokkos::atomic_inc(&calls());
    ++update;
  };
  std::vector<Kokkos::RangePolicy<Exec>> policies;
  for (int begin : {0, 3})
    policies.push_back(Kokkos::RangePolicy<Exec>(begin, begin));
#if KOKKOS_VERSION < 50000 && defined(KOKKOS_ENABLE_DEPRECATED_CODE_4)
  policies.push_back(Kokkos::RangePolicy<Exec>(9, 3));
#endif
  for (auto const& policy : policies) {
    std::int64_t scalar = poison<std::int64_t>(), kokkos_scalar = scalar;
    auto view        = poisoned_view<std::int64_t, Exec>();
    auto kokkos_view = poisoned_view<std::int64_t, Exec>();
    Kokkos::parallel_scan("empty", policy, functor);
    Kokkos::parallel_scan("empty", policy, functor, scalar);
    Kokkos::parallel_scan("empty", policy, functor, view);
    {
      ScopedSettings const scope(Settings{Route::generic});
      Kokkos::parallel_scan("empty", policy, functor, kokkos_scalar);
      Kokkos::parallel_scan("empty", policy, functor, kokkos_view);
    }
    EXPECT_EQ(kokkos_scalar, scalar);
    EXPECT_EQ(value_of(kokkos_view), value_of(view));
    EXPECT_EQ(0, value_of(calls));
    if (!on_cuda<Exec>) {
      EXPECT_EQ(0, scalar);
    }
  }
}
TYPED_TEST(ScanOverloads, EmptyRanges) { check_empty<TypeParam>(); }

}  // namespace
