// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every way to call Kokkos::parallel_reduce and parallel_scan over a range:
// with and without a label, a policy or a count, and every kind of result.
// Without one: random_calls, fold_without_result. Lambdas: Test_Policies.cpp.

#include <KokkosMMA_ScanSupport.hpp>

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Overloads);

using Numbers = std::vector<std::int64_t>;

constexpr int count = 10007;

/// Integers, so that every association gives the same bits.
template <class Exec>
struct Data {
  Random random;
  Numbers exclusive;
  std::int64_t sum = 0;
  Kokkos::View<std::int64_t const*, Exec> x =
      make_view<std::int64_t, Exec>(count, [this](std::size_t) {
        std::int64_t const value = random.integer(-1000000, 1000000);
        exclusive.push_back(sum);
        sum += value;
        return value;
      });
  ElementSum<std::int64_t, Exec> functor() const { return {x}; }
  /// A scan whose output holds nothing yet.
  ExclusiveSum<std::int64_t, Exec> scan() const {
    return {x, poisoned_array<std::int64_t, Exec>(count + 3)};
  }
};

constexpr auto reduce = [](auto&&... arguments) {
  Kokkos::parallel_reduce(std::forward<decltype(arguments)>(arguments)...);
};
constexpr auto scan = [](auto&&... arguments) {
  Kokkos::parallel_scan(std::forward<decltype(arguments)>(arguments)...);
};

/// The call in one of its forms: with and without a label, of a policy and of a
/// count.
constexpr int forms = 5;
template <class Exec, class Pattern, class... Arguments>
void call_form(int form, Pattern const& pattern, Arguments&&... arguments) {
  Kokkos::RangePolicy<Exec> const policy(0, count);
  auto const call = [&](auto&&... range) {
    pattern(range..., std::forward<Arguments>(arguments)...);
  };
  switch (form) {
    case 0: return call("label", policy);
    case 1: return call(policy);
    case 2: return call("label", count);
    case 3: return call(count);
    default: return call(std::string("label"), std::size_t(count));
  }
}

/// Every form with a result from make(), a variable or a View, given as it is
/// and in a reducer; poisoned before, as it must be after.
template <class Exec, class Space, class Make, class ValueOf>
void check_results(Make const& make, ValueOf const& value) {
  Data<Exec> const data;
  for (int form = 0; form < forms; ++form) {
    SCOPED_TRACE("form " + std::to_string(form) + " with a result in " +
                 Space::name());
    auto result = make();
    RouteProbe<Exec> probe;
    if constexpr (Kokkos::is_view<decltype(result)>::value) {
      call_form<Exec>(form, reduce, data.functor(), std::as_const(result));
    } else {
      call_form<Exec>(form, reduce, data.functor(), result);
    }
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(data.sum, value(result));

    auto of_reducer = make();
    probe.reset();
    Kokkos::Sum<std::int64_t, Space> const reducer(of_reducer);
    call_form<Exec>(form, reduce, data.functor(), reducer);
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(data.sum, value(of_reducer));

    auto const functor = data.scan();
    auto total         = make();
    probe.reset();
    call_form<Exec>(form, scan, functor, total);
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(data.sum, value(total));
    EXPECT_TRUE(holds(functor.y, data.exclusive));
  }
}
TYPED_TEST(Overloads, Scalar) {
  check_results<TypeParam, Kokkos::HostSpace>(
      [] { return poison<std::int64_t>(); },
      [](std::int64_t result) { return result; });
}

template <class Exec, class Space>
void check_view_in() {
  check_results<Exec, typename Space::memory_space>(
      [] { return poisoned_view<std::int64_t, Space>(); },
      [](auto const& result) {
        Exec().fence();
        return value_of(result);
      });
}
TYPED_TEST(Overloads, ViewOfTheExecutionSpace) {
  check_view_in<TypeParam, typename TypeParam::memory_space>();
}
TYPED_TEST(Overloads, ViewOfTheHost) {
  check_view_in<TypeParam, Kokkos::HostSpace>();
}
#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
TYPED_TEST(Overloads, ViewOfPinnedHostMemory) {
  check_view_in<TypeParam, Kokkos::SharedHostPinnedSpace>();
}
#endif
#ifdef KOKKOS_HAS_SHARED_SPACE
TYPED_TEST(Overloads, ViewOfSharedMemory) {
  // Kokkos' host spaces take no result in memory that moves between host and
  // device
  if constexpr (on_cuda<TypeParam>) {
    check_view_in<TypeParam, Kokkos::SharedSpace>();
  }
}
#endif

TYPED_TEST(Overloads, ScanWithoutTotal) {
  using Exec = TypeParam;
  Data<Exec> const data;
  for (int form = 0; form < forms; ++form) {
    SCOPED_TRACE("form " + std::to_string(form));
    auto const functor = data.scan();
    RouteProbe<Exec> probe;
    call_form<Exec>(form, scan, functor);
    EXPECT_TRUE(probe.streamed());
    EXPECT_TRUE(holds(functor.y, data.exclusive));
  }
}

/// The type of the result decides in which type a generic functor adds,
/// wherever the result is and however its View is laid out.
template <class Exec>
struct AddQuarters {
  template <class Value>
  KOKKOS_FUNCTION void operator()(int i, Value& update) const {
    update += static_cast<Value>(0.25f * (i % 8));
  }
};

TYPED_TEST(Overloads, TypeOfTheResult) {
  using Exec  = TypeParam;
  int const n = 8000;
  Kokkos::RangePolicy<Exec> const policy(0, n);
  AddQuarters<Exec> const functor;
  expect_reduced(4 * n / 8, policy, functor);
  expect_reduced(7.f * n / 8, policy, functor);
  using Device = Kokkos::Device<Exec, typename Exec::memory_space>;
  Kokkos::View<double**, Kokkos::LayoutRight, Device> const table("table", 2,
                                                                  3);
  RouteProbe<Exec> const probe;
  Kokkos::parallel_reduce(policy, functor, Kokkos::subview(table, 1, 1));
  EXPECT_TRUE(probe.streamed());
  Exec().fence();
  auto const host = host_copy(table);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_EQ(i == 1 && j == 1 ? 7. * n / 8 : 0., host(i, j));
}

/// The type of the total decides in which type a generic functor adds; here it
/// reads the running value both before and after.
template <class Exec>
struct ScanQuarters {
  Kokkos::View<double*, Exec> before, after;
  template <class Value>
  KOKKOS_FUNCTION void operator()(int i, Value& update, bool last) const {
    if (last) before(i) = static_cast<double>(update);
    update += static_cast<Value>(0.25f * (i % 8));
    if (last) after(i) = static_cast<double>(update);
  }
};

template <class Exec, class Value, class Total>
void check_type_of_total(Total total) {
  std::vector<double> before, after;
  double sum = 0.;
  for (int i = 0; i < count; ++i) {
    before.push_back(sum);
    sum += static_cast<double>(static_cast<Value>(0.25f * (i % 8)));
    after.push_back(sum);
  }
  ScanQuarters<Exec> const functor{poisoned_array<double, Exec>(count),
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
TYPED_TEST(Overloads, TypeOfTheTotal) {
  check_type_of_total<TypeParam, int>(poison<int>());
  check_type_of_total<TypeParam, float>(poisoned_view<float, TypeParam>());
}

}  // namespace
