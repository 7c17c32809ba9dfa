// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every way to call Kokkos::parallel_reduce over a range: with and without a
// label, a policy or a count, and every kind of result.

#include <KokkosMMA_TestSupport.hpp>

namespace {

using KokkosMMA::Testing::ElementSum;
using KokkosMMA::Testing::ExecutionSpaces;
using KokkosMMA::Testing::make_view;
using KokkosMMA::Testing::on_cuda;
using KokkosMMA::Testing::poison;
using KokkosMMA::Testing::poisoned_view;
using KokkosMMA::Testing::Random;
using KokkosMMA::Testing::RouteProbe;
using KokkosMMA::Testing::value_of;

template <class Exec>
class Overloads : public ::testing::Test {};
TYPED_TEST_SUITE(Overloads, ExecutionSpaces);

constexpr int count = 10007;

/// Integers, so that every order of summation gives the same bits.
template <class Exec>
struct Data {
  Random random;
  std::int64_t sum = 0;
  Kokkos::View<std::int64_t const*, Exec> x =
      make_view<std::int64_t, Exec>(count, [this](std::size_t) {
        std::int64_t const value = random.integer(-1000000, 1000000);
        sum += value;
        return value;
      });
};

/// A call that gives its result at once: poisoned before, right after, and on
/// the streamed route.
#define EXPECT_RESULT(expected, result, call)          \
  do {                                                 \
    result = poison<std::int64_t>();                   \
    probe.reset();                                     \
    call;                                              \
    EXPECT_EQ(expected, result) << data.random.note(); \
    EXPECT_TRUE(probe.streamed());                     \
  } while (false)

template <class Exec>
void check_scalar() {
  Data<Exec> data;
  RouteProbe<Exec> probe;
  ElementSum<std::int64_t, Exec> const functor{data.x};
  Kokkos::RangePolicy<Exec> const policy(0, count);
  std::int64_t result;

  EXPECT_RESULT(data.sum, result,
                Kokkos::parallel_reduce("label", policy, functor, result));
  EXPECT_RESULT(data.sum, result,
                Kokkos::parallel_reduce(policy, functor, result));
  EXPECT_RESULT(data.sum, result,
                Kokkos::parallel_reduce("label", count, functor, result));
  EXPECT_RESULT(data.sum, result,
                Kokkos::parallel_reduce(count, functor, result));
  EXPECT_RESULT(data.sum, result,
                Kokkos::parallel_reduce(std::string("label"),
                                        std::size_t(count), functor, result));
}
TYPED_TEST(Overloads, Scalar) { check_scalar<TypeParam>(); }

template <class Exec>
void check_lambda() {
  Data<Exec> data;
  RouteProbe<Exec> probe;
  auto const x = data.x;
  std::int64_t result;

  probe.reset();
  result = poison<std::int64_t>();
  Kokkos::parallel_reduce(
      "lambda", Kokkos::RangePolicy<Exec>(Exec(), 0, count),
      KOKKOS_LAMBDA(int i, std::int64_t& update) { update += 3 * x(i); },
      result);
  EXPECT_EQ(3 * data.sum, result) << data.random.note();
  EXPECT_TRUE(probe.streamed());

  if constexpr (std::is_same_v<Exec, Kokkos::DefaultExecutionSpace>) {
    probe.reset();
    result = poison<std::int64_t>();
    Kokkos::parallel_reduce(
        count, KOKKOS_LAMBDA(int i, std::int64_t& update) { update -= x(i); },
        result);
    EXPECT_EQ(-data.sum, result) << data.random.note();
    EXPECT_TRUE(probe.streamed());
  }
}
TYPED_TEST(Overloads, Lambda) { check_lambda<TypeParam>(); }

template <class Exec>
void check_reducer() {
  Data<Exec> data;
  RouteProbe<Exec> probe;
  ElementSum<std::int64_t, Exec> const functor{data.x};
  Kokkos::RangePolicy<Exec> const policy(0, count);
  using Sum = Kokkos::Sum<std::int64_t>;
  std::int64_t result;

  EXPECT_RESULT(data.sum, result,
                Kokkos::parallel_reduce("label", policy, functor, Sum(result)));
  EXPECT_RESULT(data.sum, result,
                Kokkos::parallel_reduce(policy, functor, Sum(result)));
  EXPECT_RESULT(data.sum, result,
                Kokkos::parallel_reduce("label", count, functor, Sum(result)));
  EXPECT_RESULT(data.sum, result,
                Kokkos::parallel_reduce(count, functor, Sum(result)));

  // a named reducer and one over a View of the host
  Sum const named(result);
  EXPECT_RESULT(data.sum, result,
                Kokkos::parallel_reduce(policy, functor, named));
  Kokkos::View<std::int64_t, Kokkos::HostSpace> host("host");
  probe.reset();
  host() = poison<std::int64_t>();
  Kokkos::parallel_reduce(policy, functor,
                          Kokkos::Sum<std::int64_t, Kokkos::HostSpace>(host));
  Exec().fence();
  EXPECT_EQ(data.sum, host()) << data.random.note();
  EXPECT_TRUE(probe.streamed());
}
TYPED_TEST(Overloads, Reducer) { check_reducer<TypeParam>(); }

/// The View forms for one memory space.
template <class Exec, class Space>
void check_view_in() {
  Data<Exec> data;
  ElementSum<std::int64_t, Exec> const functor{data.x};
  Kokkos::RangePolicy<Exec> const policy(0, count);
  using Result  = Kokkos::View<std::int64_t, Space>;
  using Reducer = Kokkos::Sum<std::int64_t, typename Result::memory_space>;

  for (int form = 0; form < 8; ++form) {
    SCOPED_TRACE("form " + std::to_string(form) + " with a result in " +
                 Space::name());
    Result const result = poisoned_view<std::int64_t, Space>();
    RouteProbe<Exec> probe;
    switch (form) {
      case 0: Kokkos::parallel_reduce("label", policy, functor, result); break;
      case 1: Kokkos::parallel_reduce(policy, functor, result); break;
      case 2: Kokkos::parallel_reduce("label", count, functor, result); break;
      case 3: Kokkos::parallel_reduce(count, functor, result); break;
      case 4:
        Kokkos::parallel_reduce("label", policy, functor, Reducer(result));
        break;
      case 5: Kokkos::parallel_reduce(policy, functor, Reducer(result)); break;
      case 6:
        Kokkos::parallel_reduce("label", count, functor, Reducer(result));
        break;
      case 7: Kokkos::parallel_reduce(count, functor, Reducer(result)); break;
    }
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(data.sum, value_of(result)) << data.random.note();
  }
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

/// Results that the application owns: unmanaged Views of plain variables and of
/// single elements of a larger View, whose neighbours must stay as they are.
template <class Exec>
void check_unmanaged() {
  Data<Exec> data;
  RouteProbe<Exec> probe;
  ElementSum<std::int64_t, Exec> const functor{data.x};
  Kokkos::RangePolicy<Exec> const policy(0, count);

  std::int64_t variable = poison<std::int64_t>();
  Kokkos::parallel_reduce(
      policy, functor,
      Kokkos::View<std::int64_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
          &variable));
  Exec().fence();
  EXPECT_EQ(data.sum, variable) << data.random.note();
  EXPECT_TRUE(probe.streamed());

  auto const several = make_view<std::int64_t, Exec>(
      5, [](std::size_t i) { return -1 - std::int64_t(i); });
  probe.reset();
  Kokkos::parallel_reduce(policy, functor, Kokkos::subview(several, 3));
  EXPECT_TRUE(probe.streamed());
  Exec().fence();
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), several);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(i == 3 ? data.sum : -1 - i, host(i)) << data.random.note();
}
TYPED_TEST(Overloads, UnmanagedResultAndNeighbours) {
  check_unmanaged<TypeParam>();
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

template <class Exec>
void check_type_of_result() {
  int const n = 8000;
  Kokkos::RangePolicy<Exec> const policy(0, n);
  AddQuarters<Exec> const functor;
  RouteProbe<Exec> probe;
  int whole = poison<int>();
  Kokkos::parallel_reduce(policy, functor, whole);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(4 * n / 8, whole);

  auto const single = poisoned_view<float, Exec>();
  probe.reset();
  Kokkos::parallel_reduce(policy, functor, single);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(7.f * n / 8, value_of(single));

  using Device = Kokkos::Device<Exec, typename Exec::memory_space>;
  Kokkos::View<double**, Kokkos::LayoutRight, Device> const table("table", 2,
                                                                  3);
  probe.reset();
  Kokkos::parallel_reduce(policy, functor, Kokkos::subview(table, 1, 1));
  EXPECT_TRUE(probe.streamed());
  Exec().fence();
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), table);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_EQ(i == 1 && j == 1 ? 7. * n / 8 : 0., host(i, j));
}
TYPED_TEST(Overloads, TypeOfTheResult) { check_type_of_result<TypeParam>(); }

/// A result is overwritten and never added to.
template <class Exec>
void check_repeated() {
  Data<Exec> data;
  ElementSum<std::int64_t, Exec> const functor{data.x};
  auto const view     = poisoned_view<std::int64_t, Exec>();
  std::int64_t scalar = poison<std::int64_t>();
  for (int repetition = 0; repetition < 3; ++repetition) {
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec>(0, count), functor, view);
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec>(0, count), functor,
                            scalar);
    EXPECT_EQ(data.sum, value_of(view)) << data.random.note();
    EXPECT_EQ(data.sum, scalar) << data.random.note();
  }
}
TYPED_TEST(Overloads, ResultIsOverwritten) { check_repeated<TypeParam>(); }

/// A functor whose final() stores the value itself.
template <class Exec>
struct StoreInFinal {
  using execution_space = Exec;
  using value_type      = std::int64_t;
  Kokkos::View<std::int64_t const*, Exec> x;
  Kokkos::View<std::int64_t, Exec> stored;
  Kokkos::View<int, Exec> finals;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update) const {
    update += x(i);
  }
  KOKKOS_FUNCTION void final(std::int64_t& update) const {
    update   = 2 * update + 1;
    stored() = update;
    Kokkos::atomic_inc(&finals());
  }
};

template <class Exec>
void check_final() {
  Data<Exec> data;
  Kokkos::RangePolicy<Exec> const policy(0, count);
  for (int form = 0; form < 6; ++form) {
    SCOPED_TRACE("form " + std::to_string(form));
    StoreInFinal<Exec> const functor{data.x,
                                     poisoned_view<std::int64_t, Exec>(),
                                     Kokkos::View<int, Exec>("finals")};
    std::int64_t scalar = poison<std::int64_t>();
    auto const view     = poisoned_view<std::int64_t, Exec>();
    RouteProbe<Exec> probe;
    switch (form) {
      case 0: Kokkos::parallel_reduce("label", policy, functor); break;
      case 1: Kokkos::parallel_reduce(policy, functor); break;
      case 2: Kokkos::parallel_reduce("label", count, functor); break;
      case 3: Kokkos::parallel_reduce(count, functor); break;
      case 4: Kokkos::parallel_reduce(policy, functor, scalar); break;
      case 5: Kokkos::parallel_reduce(policy, functor, view); break;
    }
    // without a result there is nothing to route to: Kokkos' own code or ours,
    // at the library's choice
    if (form >= 4) {
      EXPECT_TRUE(probe.streamed());
    }
    EXPECT_EQ(2 * data.sum + 1, value_of(functor.stored)) << data.random.note();
    EXPECT_EQ(1, value_of(functor.finals));
    if (form == 4) {
      EXPECT_EQ(2 * data.sum + 1, scalar) << data.random.note();
    }
    if (form == 5) {
      EXPECT_EQ(2 * data.sum + 1, value_of(view)) << data.random.note();
    }
  }
}
TYPED_TEST(Overloads, FinalWithAndWithoutResult) { check_final<TypeParam>(); }

/// A reduction to an array whose length only the run knows: Kokkos' own code.
template <class Exec>
struct Columns {
  using execution_space = Exec;
  using value_type      = std::int64_t[];
  using size_type       = unsigned;
  unsigned value_count;
  Kokkos::View<std::int64_t const*, Exec> x;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t* update) const {
    for (unsigned k = 0; k < value_count; ++k)
      update[k] += std::int64_t(k + 1) * x(i);
  }
};

template <class Exec>
void check_array() {
  Data<Exec> data;
  RouteProbe<Exec> probe;
  Kokkos::RangePolicy<Exec> const policy(0, count);
  for (unsigned length : {1u, 3u, 8u}) {
    SCOPED_TRACE("array of " + std::to_string(length));
    Columns<Exec> const functor{length, data.x};
    // an array of the application
    std::int64_t array[8];
    for (auto& element : array) element = poison<std::int64_t>();
    probe.reset();
    Kokkos::parallel_reduce(
        "array", policy, functor,
        Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
            array, length));
    Exec().fence();
    EXPECT_TRUE(probe.went_to_kokkos());
    for (unsigned k = 0; k < 8; ++k)
      EXPECT_EQ(k < length ? (k + 1) * data.sum : poison<std::int64_t>(),
                array[k])
          << data.random.note();

    Kokkos::View<std::int64_t*, Exec> const view("array", length);
    probe.reset();
    Kokkos::parallel_reduce(policy, functor, view);
    Exec().fence();
    EXPECT_TRUE(probe.went_to_kokkos());
    auto const host =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    for (unsigned k = 0; k < length; ++k)
      EXPECT_EQ((k + 1) * data.sum, host(k)) << data.random.note();
  }
}
TYPED_TEST(Overloads, ArrayOfRuntimeLength) { check_array<TypeParam>(); }

}  // namespace
