// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kokkos::parallel_for over segments: the functor gets every segment once, with
// its value, on every space and by every route; what Kokkos Tools see of it;
// and what is refused before anything runs.

#include "SegmentedCases.hpp"

#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_Recorder.hpp>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(SegmentPolicies);

template <class Value, class Exec>
struct Keep {
  Kokkos::View<Value*, Exec> values;
  Kokkos::View<int*, Exec> calls;

  explicit Keep(std::size_t segments)
      : values("values", segments), calls("calls", segments) {
    Kokkos::deep_copy(values, static_cast<Value>(77));
  }
  KOKKOS_FUNCTION void operator()(std::size_t s, Value value) const {
    values(s) = value;
    Kokkos::atomic_inc(&calls(s));
  }
  /// Whether segment s was called once, with expected(s).
  template <class Expected>
  void check(Expected const& expected) const {
    auto const value = host_copy(values);
    auto const call  = host_copy(calls);
    int wrong        = 0;
    for (std::size_t s = 0; s < values.extent(0); ++s) {
      bool const right =
          call(s) == 1 && same_bits(value(s), static_cast<Value>(expected(s)));
      if (!right && wrong++ == 0) {
        ADD_FAILURE() << "segment " << s << " was called " << call(s)
                      << " times, with " << double(value(s)) << " instead of "
                      << double(expected(s));
      }
    }
    EXPECT_EQ(0, wrong);
  }
};

/// A case by the routes of a policy: see Reduce in SegmentedCases.hpp.
struct IntoFunctor {
  template <class C, class Exec>
  static void run(std::vector<std::int64_t> const& values,
                  Segments const& segments, auto const& cuts, Random& random) {
    using Value  = typename C::Output;
    auto const x = guarded_values<typename C::Input, Exec>(
        values, std::size_t(random.integer(0, 17)));
    auto const expected =
        reduced<C::operation, typename C::Accumulator, Value>(values, segments);
    for (Route const route : {Route::automatic, Route::generic}) {
      SCOPED_TRACE(joined(route));
      Keep<Value, Exec> const keep(expected.size());
      auto const launch = [&](auto const&... more) {
        Kokkos::parallel_for(
            "test", SegmentPolicy(Exec(), x.view(), cuts, more...), keep);
      };
      // Sums need not be named.
      if constexpr (std::is_same_v<typename C::Op, Plus<>>) {
        launch(Settings{route});
      } else {
        launch(typename C::Op(), Settings{route});
      }
      if (!expected.empty() && !values.empty()) {
        EXPECT_EQ(route == Route::generic || !on_cuda<Exec>,
                  last_route() == Route::generic);
      }
      keep.check([&](std::size_t s) { return expected[s]; });
    }
  }
};

TYPED_TEST(SegmentPolicies, EqualSegments) {
  constexpr auto sum = Impl::Operation::sum, min = Impl::Operation::min;
  using Floats = Case<sum, float, float>;
  expect_lengths<IntoFunctor, TypeParam, Floats, Case<sum, half_t, float>,
                 Case<sum, std::int8_t, std::int64_t, std::int64_t>,
                 Case<sum, int, int>, Case<min, double, double>,
                 Case<Impl::Operation::max, int, int>>(few_lengths);
  Random random;
  for (std::size_t const length : {1, 33, 20003, 50000})
    expect_equal<IntoFunctor, Floats, TypeParam>(40007, length, random);
}

TYPED_TEST(SegmentPolicies, RaggedSegments) {
  using Exec         = TypeParam;
  constexpr auto sum = Impl::Operation::sum;
  expect_ragged<IntoFunctor, Case<sum, float, float>, std::int32_t, Exec>();
  expect_ragged<IntoFunctor, Case<sum, half_t, float>, std::int64_t, Exec>();
  expect_ragged<IntoFunctor, Case<sum, double, double>, std::uint32_t, Exec>();
}

/// The type of the value when none is named: fp32 for 16-bit floats, 4 bytes at
/// least.
TYPED_TEST(SegmentPolicies, ValuesAreAsWideAsTheirElements) {
  TypeParam const exec;
  auto const value_type = [&]<class T>(T) {
    Kokkos::View<T*, TypeParam> const x("x", 4);
    return typename decltype(SegmentPolicy(exec, x, 2))::value_type{};
  };
  static_assert(std::is_same_v<float, decltype(value_type(half_t()))>);
  static_assert(std::is_same_v<float, decltype(value_type(float()))>);
  static_assert(std::is_same_v<double, decltype(value_type(double()))>);
  static_assert(std::is_same_v<int, decltype(value_type(std::int8_t()))>);
  static_assert(
      std::is_same_v<std::int64_t, decltype(value_type(std::int64_t()))>);
  EXPECT_EQ(0, value_type(float()));
}

/// Strided elements and offsets take Kokkos' own code, by every route.
TYPED_TEST(SegmentPolicies, StridedElements) {
  TypeParam const exec;
  RowMajor<int, TypeParam> const matrix("matrix", 1000, 3);
  Kokkos::deep_copy(matrix, 100000);
  auto const x = Kokkos::subview(matrix, Kokkos::ALL(), 1);
  Kokkos::deep_copy(x, 2);
  Keep<int, TypeParam> const keep(143);
  Kokkos::parallel_for(SegmentPolicy(exec, x, 7), keep);
  keep.check([](std::size_t s) { return s == 142 ? 12 : 14; });
  EXPECT_EQ("generic", to_string(last_route()));
}

TYPED_TEST(SegmentPolicies, NoSegmentsAndEmptySegments) {
  TypeParam const exec;
  Kokkos::View<float*, TypeParam> const none("none", 0);
  auto const one_offset = filled<int, TypeParam>(1, 0);
  auto const empty      = filled<int, TypeParam>(4, 0);
  Keep<float, TypeParam> const keep(3);
  Kokkos::parallel_for(SegmentPolicy(exec, none, 5), keep);
  Kokkos::parallel_for(SegmentPolicy(exec, none, one_offset), keep);
  // Empty segments are segments.
  Kokkos::parallel_for(SegmentPolicy(exec, none, empty), keep);
  keep.check([](std::size_t) { return 0.; });
}

template <class Exec>
struct CallWithIndex {
  Keep<float, Exec> keep;
  KOKKOS_FUNCTION void operator()(int i) const { keep(std::size_t(i), 0); }
};

/// Kokkos' TeamPolicy on Cuda allocates scratch, of no bytes, in every call.
std::vector<std::string> without_team_scratch(std::vector<std::string> events) {
  std::erase(events, "allocate Kokkos::CudaSpace::TeamScratchMemory");
  return events;
}

TYPED_TEST(SegmentPolicies, ToolsSeeOneCallWithTheLabelOfTheUser) {
  using Events = std::vector<std::string>;
  TypeParam const exec;
  Kokkos::View<float*, TypeParam> const x("x", 5000);
  auto const offsets = offsets_view<int, TypeParam>({0, 2000, 4000});
  Keep<float, TypeParam> const keep(500);
  auto const equal  = SegmentPolicy(exec, x, 10);
  auto const ragged = SegmentPolicy(exec, x, offsets);
  for (Route const route : {Route::automatic, Route::generic}) {
    ScopedSettings const scope(Settings{route});
    // First calls may allocate scratch.
    Kokkos::parallel_for("before", equal, keep);
    Kokkos::parallel_for("before", ragged, keep);
    Kokkos::fence();
    auto const fences_of = [&](auto const& policy, auto const& body) {
      Recorder const recorder;
      Kokkos::parallel_for("the user's label", policy, body);
      EXPECT_EQ((Events{"begin for the user's label", "end"}),
                without_team_scratch(Recorder::events));
      return Recorder::fences;
    };
    fences_of(equal, keep);
    // A tool that says nothing else makes Kokkos fence around every kernel.
    EXPECT_EQ(fences_of(Kokkos::RangePolicy<TypeParam>(exec, 0, 1),
                        CallWithIndex<TypeParam>{keep}),
              fences_of(ragged, keep));
    Recorder recorder;
    Kokkos::parallel_for(equal, keep);
    Events const unlabelled = without_team_scratch(Recorder::events);
    ASSERT_EQ(2u, unlabelled.size());
    EXPECT_NE(std::string::npos, unlabelled[0].find("Keep")) << unlabelled[0];
    EXPECT_EQ(std::string::npos, unlabelled[0].find("Segmented"))
        << unlabelled[0];
  }
}

#ifdef KOKKOS_ENABLE_CUDA
/// The call comes back while the stream is held, and runs in its order.
TEST(SegmentPolicy, ComesBackAtOnce) {
  auto const instances     = make_instances<Kokkos::Cuda>(2);
  Kokkos::Cuda const& exec = instances.back();
  Gate const gate;
  auto const x = filled<std::int64_t, Kokkos::Cuda>(1000, 1);
  Keep<std::int64_t, Kokkos::Cuda> const keep(100);
  auto const policy = SegmentPolicy(exec, x, 10);
  Kokkos::parallel_for("first", policy, keep);
  Kokkos::fence();
  Kokkos::deep_copy(keep.calls, 0);
  gate.close(exec);
  Kokkos::deep_copy(exec, Kokkos::subview(x, 0), gate.value);
  Kokkos::parallel_for("second", policy, keep);
  gate.let_go();
  Kokkos::fence();
  EXPECT_EQ(1, gate.opened_by_host()) << "the call waited for its stream";
  keep.check([](std::size_t s) { return s == 0 ? 786. : 10.; });
}
#endif

TYPED_TEST(SegmentPolicies, WrongArgumentsAreRefused) {
  TypeParam const exec;
  Kokkos::View<float*, TypeParam> const x("x", 1000);
  auto const refused = [&](std::vector<std::string> parts, auto const&... x) {
    parts.push_back("KokkosMMA::SegmentPolicy");
    expect_error(parts, [&] { SegmentPolicy(exec, x...); });
  };
  auto const offsets = [](std::vector<std::int64_t> const& values) {
    return offsets_view<int, TypeParam>(values);
  };
  refused({"segment_length is 0"}, x, 0);
  refused({"segment_length is -5"}, x, -5);
  refused({"offsets(2) = 9", "10"}, x, offsets({0, 10, 9, 20}));
  refused({"offsets(2) = 1001", "1000"}, x, offsets({0, 10, 1001}));
  refused({"offsets(0) = -1"}, x, offsets({-1, 10}));
  refused({"empty"}, x, offsets({}));
  refused({"no memory"}, Kokkos::View<float*, TypeParam>(nullptr, 10), 5);
  EXPECT_NO_THROW(SegmentPolicy(exec, x, offsets({0, 1000})));
  // The caller vouches for them.
  auto const wrong = offsets({0, 10, 9});
  EXPECT_NO_THROW(SegmentPolicy(exec, x, wrong, {.check_offsets = false}));
}

}  // namespace
