// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What Kokkos Tools see of a call: one reduction with the label of the user,
// and nothing of ours.

#include <KokkosMMA_Recorder.hpp>
#include <KokkosMMA_TestSupport.hpp>

#include <string>
#include <vector>

namespace {

using KokkosMMA::Route;
using KokkosMMA::ScopedSettings;
using KokkosMMA::Settings;
using KokkosMMA::Testing::ElementSum;
using KokkosMMA::Testing::ExecutionSpaces;
using KokkosMMA::Testing::make_view;
using KokkosMMA::Testing::on_cuda;
using KokkosMMA::Testing::poisoned_view;
using KokkosMMA::Testing::Recorder;
using KokkosMMA::Testing::RouteProbe;
using KokkosMMA::Testing::value_of;

using Events = std::vector<std::string>;

template <class Exec>
class Tools : public ::testing::Test {};
TYPED_TEST_SUITE(Tools, ExecutionSpaces);

template <class Exec>
void check_events() {
  auto const x = make_view<std::int64_t, Exec>(
      1000, [](std::size_t i) { return std::int64_t(i); });
  ElementSum<std::int64_t, Exec> const functor{x};
  Kokkos::RangePolicy<Exec> const policy(0, 1000);
  std::int64_t scalar = 0;
  auto const view     = poisoned_view<std::int64_t, Exec>();
  // first calls may allocate scratch
  Kokkos::parallel_reduce("before", policy, functor, scalar);
  Kokkos::parallel_reduce("before", policy, functor, view);
  Kokkos::fence();

  Events const expected = {"begin reduce the user's label", "end"};
  RouteProbe<Exec> probe;
  Events scalar_events, view_events;
  int scalar_fences, view_fences;
  {
    Recorder recorder;
    Kokkos::parallel_reduce("the user's label", policy, functor, scalar);
    scalar_events = recorder.events;
    scalar_fences = recorder.fences;
  }
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(expected, scalar_events);
  EXPECT_EQ(499500, scalar);
  probe.reset();
  {
    Recorder recorder;
    Kokkos::parallel_reduce("the user's label", policy, functor, view);
    view_events = recorder.events;
    view_fences = recorder.fences;
  }
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(expected, view_events);
  EXPECT_EQ(499500, value_of(view));

  // nothing waits more often than in Kokkos' own code, and a result in a View
  // on the device never
  int scalar_fences_of_kokkos, view_fences_of_kokkos;
  {
    ScopedSettings const scope(Settings{Route::generic});
    Kokkos::parallel_reduce("before", policy, functor, scalar);
    Kokkos::parallel_reduce("before", policy, functor, view);
    {
      Recorder recorder;
      Kokkos::parallel_reduce("the user's label", policy, functor, scalar);
      EXPECT_EQ(expected, recorder.events);
      scalar_fences_of_kokkos = recorder.fences;
    }
    Recorder recorder;
    Kokkos::parallel_reduce("the user's label", policy, functor, view);
    EXPECT_EQ(expected, recorder.events);
    view_fences_of_kokkos = recorder.fences;
  }
  EXPECT_GE(scalar_fences, 1);
  EXPECT_LE(scalar_fences, scalar_fences_of_kokkos);
  EXPECT_LE(view_fences, view_fences_of_kokkos);
}
TYPED_TEST(Tools, OneReductionWithTheLabelOfTheUser) {
  check_events<TypeParam>();
}

struct Plain {};
template <class Exec>
struct NamedByItsType {
  Kokkos::View<std::int64_t const*, Exec> x;
  KOKKOS_FUNCTION void operator()(Plain, int i, std::int64_t& update) const {
    update += x(i);
  }
};

/// Without a label the name is made of the types of the functor and the work
/// tag, never of ours.
template <class Exec>
void check_unlabelled() {
  auto const x = make_view<std::int64_t, Exec>(
      1000, [](std::size_t i) { return std::int64_t(i); });
  Kokkos::RangePolicy<Exec, Plain> const policy(0, 1000);
  NamedByItsType<Exec> const functor{x};
  std::int64_t scalar = 0;
  Kokkos::parallel_reduce(policy, functor, scalar);
  Events ours, theirs;
  {
    Recorder recorder;
    Kokkos::parallel_reduce(policy, functor, scalar);
    ours = recorder.events;
  }
  {
    ScopedSettings const scope(Settings{Route::generic});
    Recorder recorder;
    Kokkos::parallel_reduce(policy, functor, scalar);
    theirs = recorder.events;
  }
  EXPECT_EQ(theirs, ours);
  ASSERT_EQ(2u, ours.size());
  EXPECT_NE(std::string::npos, ours[0].find("NamedByItsType")) << ours[0];
  EXPECT_EQ(std::string::npos, ours[0].find("KokkosMMA::Impl")) << ours[0];
}
TYPED_TEST(Tools, NameWithoutALabel) { check_unlabelled<TypeParam>(); }

/// The same for multidimensional ranges and for several results.
template <class Exec>
void check_other_forms() {
  Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>> const policy({0, 0}, {40, 50});
  Events const expected = {"begin reduce two", "end"};
  std::int64_t sum = 0, peak = 0;
  for (int call = 0; call < 2; ++call) {
    Recorder recorder;
    Kokkos::parallel_reduce(
        "two", policy,
        KOKKOS_LAMBDA(int i, int j, std::int64_t& s, std::int64_t& p) {
          s += i * j;
          if (i * j > p) p = i * j;
        },
        sum, Kokkos::Max<std::int64_t>(peak));
    Events kernels;
    for (auto const& event : recorder.events)
      if (event.rfind("begin", 0) == 0 || event.rfind("end", 0) == 0)
        kernels.push_back(event);
    EXPECT_EQ(expected, kernels);
  }
  EXPECT_EQ(780 * 1225, sum);
  EXPECT_EQ(39 * 49, peak);
}
TYPED_TEST(Tools, MultidimensionalWithTwoResults) {
  check_other_forms<TypeParam>();
}

}  // namespace
