// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What Kokkos Tools see of a call: one reduction or one scan with the label of
// the user, and nothing of this library.

#include <KokkosMMA_Recorder.hpp>
#include <KokkosMMA_ScanSupport.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Tools);

using Events = std::vector<std::string>;

/// What Kokkos Tools see of a call, and how often it waits.
std::pair<Events, int> events_of(std::function<void()> const& call) {
  // first calls may allocate
  call();
  Kokkos::fence();
  Recorder recorder;
  call();
  return {recorder.events, recorder.fences};
}

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

TYPED_TEST(Tools, OneKernelWithTheLabelOfTheUser) {
  using Exec   = TypeParam;
  int const n  = 1000;
  auto const x = make_view<std::int64_t, Exec>(
      n, [](std::size_t i) { return std::int64_t(i); });
  ElementSum<std::int64_t, Exec> const sum{x};
  ExclusiveSum<std::int64_t, Exec> const prefixes{
      x, poisoned_array<std::int64_t, Exec>(n)};
  Kokkos::RangePolicy<Exec> const policy(0, n);
  std::int64_t scalar     = 0;
  auto const view         = poisoned_view<std::int64_t, Exec>();
  std::string const label = "the user's label";
  struct Form {
    char const* pattern;
    bool host_waits;
    std::function<void()> call;
  };
  Form const forms[] = {
      {"reduce", true,
       [&] { Kokkos::parallel_reduce(label, policy, sum, scalar); }},
      {"reduce", false,
       [&] { Kokkos::parallel_reduce(label, policy, sum, view); }},
      {"scan", true,
       [&] { Kokkos::parallel_scan(label, policy, prefixes, scalar); }},
      {"scan", false,
       [&] { Kokkos::parallel_scan(label, policy, prefixes, view); }},
      {"scan", false, [&] { Kokkos::parallel_scan(label, policy, prefixes); }},
  };
  for (Form const& form : forms) {
    SCOPED_TRACE(std::string(form.pattern) +
                 (form.host_waits ? ", waits" : ""));
    Events const expected = {"begin " + (form.pattern + (" " + label)), "end"};
    scalar                = 0;
    Kokkos::deep_copy(view, 0);
    RouteProbe<Exec> probe;
    auto const [events, fences] = events_of(form.call);
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(expected, events);
    if (form.host_waits) {
      EXPECT_EQ(499500, scalar);
      EXPECT_GE(fences, 1);
    }
    // a scalar waits for its value, nothing else on a device does: the fences
    // that are left are those around every kernel that a tool hears of
    else if (on_cuda<Exec> && form.pattern == std::string("scan")) {
      auto const [events_of_for, fences_of_for] =
          events_of([&] { Kokkos::parallel_for("kernel", policy, Nothing{}); });
      EXPECT_EQ(fences_of_for, fences);
    }
    ScopedSettings const scope(Settings{Route::generic});
    auto const [events_of_kokkos, fences_of_kokkos] = events_of(form.call);
    EXPECT_EQ(expected, events_of_kokkos);
    EXPECT_LE(fences, fences_of_kokkos);
  }
  forms[1].call();
  EXPECT_EQ(499500, value_of(view));
  Kokkos::deep_copy(view, 0);
  forms[3].call();
  EXPECT_EQ(499500, value_of(view));
}

/// The launch of a loop is measured at its first calls; a tool sees and waits
/// for the same as ever.
TYPED_TEST(Tools, LoopsWhileTheyAreMeasured) {
  using Exec              = TypeParam;
  Events const expected   = {"begin for the user's label", "end"};
  auto const events_of_it = [](int n) {
    return events_of([n] {
      Kokkos::parallel_for("the user's label", Kokkos::RangePolicy<Exec>(0, n),
                           Nothing{});
    });
  };
  for (int const n : {1000, 300000}) {
    std::pair<Events, int> of_kokkos;
    {
      ScopedSettings const scope(Settings{Route::generic});
      of_kokkos = events_of_it(n);
    }
    EXPECT_EQ(expected, of_kokkos.first);
    for (int call = 0; call < 15; ++call)
      EXPECT_EQ(of_kokkos, events_of_it(n)) << call;
  }
}

struct Plain {};
template <class Exec>
struct NamedByItsType {
  KOKKOS_FUNCTION void operator()(Plain, int i, std::int64_t& update) const {
    update += i;
  }
};
template <class Exec>
struct ScanNamedByItsType {
  Kokkos::View<std::int64_t*, Exec> y;
  KOKKOS_FUNCTION void operator()(Plain, int i, std::int64_t& update,
                                  bool last) const {
    update += i;
    if (last) y(i) = update;
  }
};

/// Without a label the name is made of the types of the functor and the work
/// tag, never of this library's.
TYPED_TEST(Tools, NameWithoutALabel) {
  using Exec = TypeParam;
  Kokkos::RangePolicy<Exec, Plain> const policy(0, 1000);
  NamedByItsType<Exec> const sum;
  ScanNamedByItsType<Exec> const prefixes{
      Kokkos::View<std::int64_t*, Exec>("y", 1000)};
  std::int64_t scalar                 = 0;
  std::function<void()> const calls[] = {
      [&] { Kokkos::parallel_reduce(policy, sum, scalar); },
      [&] { Kokkos::parallel_scan(policy, prefixes); },
      [&] { Kokkos::parallel_scan(policy, prefixes, scalar); }};
  for (auto const& call : calls) {
    Events const ours = events_of(call).first;
    ScopedSettings const scope(Settings{Route::generic});
    EXPECT_EQ(events_of(call).first, ours);
    ASSERT_EQ(2u, ours.size());
    EXPECT_NE(std::string::npos, ours[0].find("NamedByItsType")) << ours[0];
    EXPECT_EQ(std::string::npos, ours[0].find("KokkosMMA::Impl")) << ours[0];
  }
}

/// Multidimensional ranges and several results are one kernel, too.
template <class Exec>
void check_other_forms() {
  Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>> const policy({0, 0}, {40, 50});
  Events const expected = {"begin reduce two", "end"};
  std::int64_t sum = 0, peak = 0;
  for (int call = 0; call < 2; ++call) {
    RouteProbe<Exec> const probe;
    Recorder recorder;
    Kokkos::parallel_reduce(
        "two", policy,
        KOKKOS_LAMBDA(int i, int j, std::int64_t& s, std::int64_t& p) {
          s += i * j;
          if (i * j > p) p = i * j;
        },
        sum, Kokkos::Max<std::int64_t>(peak));
    EXPECT_TRUE(probe.streamed());
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
