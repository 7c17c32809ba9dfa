// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kokkos::parallel_for over segments: the functor gets every segment once, with
// its value, on every space and by every route; what Kokkos Tools see of it;
// and what is refused before anything runs.

#include "SegmentedSupport.hpp"

#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_Recorder.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using KokkosMMA::Route;
using KokkosMMA::ScopedSettings;
using KokkosMMA::Settings;
using KokkosMMA::Impl::Operation;
using namespace KokkosMMA::Testing;

template <class Exec>
class SegmentPolicies : public ::testing::Test {};
TYPED_TEST_SUITE(SegmentPolicies, ExecutionSpaces);

/// Integers whose sums are exact in every type of value.
int pattern(std::size_t i) { return int((i * 2654435761u >> 7) % 5) - 1; }

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
    Kokkos::fence();
    auto const value =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
    auto const call =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), calls);
    int wrong = 0;
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

template <Operation Op>
double join(double a, double b) {
  switch (Op) {
    case Operation::min: return std::min(a, b);
    case Operation::max: return std::max(a, b);
    default: return a + b;
  }
}
template <Operation Op, class Value>
double identity_of() {
  switch (Op) {
    case Operation::min:
      return std::is_floating_point_v<Value>
                 ? std::numeric_limits<Value>::infinity()
                 : double(std::numeric_limits<Value>::max());
    case Operation::max:
      return std::is_floating_point_v<Value>
                 ? -std::numeric_limits<Value>::infinity()
                 : double(std::numeric_limits<Value>::lowest());
    default: return 0;
  }
}

/// Offset of the first element within a line of memory.
constexpr int shift = 3;

template <class T, class Exec>
auto test_data(std::size_t size) {
  auto const all = make_view<T, Exec>(size + shift, [](std::size_t i) {
    return static_cast<T>(float(pattern(i - shift)));
  });
  return Kokkos::subview(all, std::make_pair(std::size_t(shift), size + shift));
}
/// What test_data(i) holds.
template <class T>
double element(std::size_t i) {
  return double(float(static_cast<T>(float(pattern(i)))));
}

template <Operation Op, class T, class Value, class Exec>
void equal_segments() {
  std::size_t const size = 40007;
  Exec const exec;
  auto const x = test_data<T, Exec>(size);
  for (std::size_t const length :
       {std::size_t(1), std::size_t(2), std::size_t(3), std::size_t(16),
        std::size_t(31), std::size_t(33), std::size_t(256), std::size_t(1000),
        std::size_t(20003), std::size_t(50000)}) {
    std::size_t const segments = (size + length - 1) / length;
    auto const expected        = [&](std::size_t s) {
      double value = identity_of<Op, Value>();
      for (std::size_t i = s * length; i < std::min(size, (s + 1) * length);
           ++i)
        value = join<Op>(value, element<T>(i));
      return value;
    };
    for (Route const route : {Route::automatic, Route::generic}) {
      SCOPED_TRACE("length " + std::to_string(length) + ", route " +
                   std::string(to_string(route)));
      Keep<Value, Exec> const keep(segments);
      Kokkos::parallel_for(
          "test",
          KokkosMMA::SegmentPolicy(exec, x, length, operation_t<Op, Value>(),
                                   Settings{route}),
          keep);
      if (route == Route::generic || !on_cuda<Exec>)
        EXPECT_EQ("generic", to_string(KokkosMMA::last_route()));
      else
        EXPECT_NE("generic", to_string(KokkosMMA::last_route()));
      keep.check(expected);
    }
  }
}
TYPED_TEST(SegmentPolicies, EqualSegmentsOfFloats) {
  equal_segments<Operation::sum, float, float, TypeParam>();
  equal_segments<Operation::sum, half_t, float, TypeParam>();
}
TYPED_TEST(SegmentPolicies, EqualSegmentsOfIntegers) {
  equal_segments<Operation::sum, std::int8_t, std::int64_t, TypeParam>();
  equal_segments<Operation::sum, int, int, TypeParam>();
}
TYPED_TEST(SegmentPolicies, OtherOperations) {
  equal_segments<Operation::min, double, double, TypeParam>();
  equal_segments<Operation::max, int, int, TypeParam>();
}

/// The type of the value when none is named: fp32 for 16-bit floats, 4 bytes at
/// least.
template <class Exec>
void default_values() {
  Exec const exec;
  auto const value_type = [&]<class T>(T) {
    Kokkos::View<T*, Exec> const x("x", 4);
    return
        typename decltype(KokkosMMA::SegmentPolicy(exec, x, 2))::value_type{};
  };
  static_assert(std::is_same_v<float, decltype(value_type(half_t()))>);
  static_assert(std::is_same_v<float, decltype(value_type(float()))>);
  static_assert(std::is_same_v<double, decltype(value_type(double()))>);
  static_assert(std::is_same_v<int, decltype(value_type(std::int8_t()))>);
  static_assert(
      std::is_same_v<std::int64_t, decltype(value_type(std::int64_t()))>);
  EXPECT_EQ(0, value_type(float()));
}
TYPED_TEST(SegmentPolicies, ValuesAreAsWideAsTheirElements) {
  default_values<TypeParam>();
}

/// Offsets of segments of wildly different lengths, some empty, with elements
/// before the first and behind the last.
std::vector<std::int64_t> ragged_offsets(std::int64_t size) {
  std::vector<std::int64_t> offsets{7};
  for (int s = 0; offsets.back() < size - 20000; ++s) {
    std::int64_t const length = s % 5 == 0 ? 0 : s % 97 == 3 ? 5000 : s % 41;
    offsets.push_back(offsets.back() + length);
  }
  offsets.push_back(size - 11);
  offsets.push_back(size - 11);
  return offsets;
}

template <class T, class Value, class Offset, class Exec>
void ragged_segments() {
  std::size_t const size = 100000;
  Exec const exec;
  auto const x              = test_data<T, Exec>(size);
  auto const offsets        = ragged_offsets(size);
  auto const device_offsets = make_view<Offset, Exec>(
      offsets.size(), [&](std::size_t i) { return offsets[i]; });
  for (Route const route : {Route::automatic, Route::generic}) {
    SCOPED_TRACE(std::string(to_string(route)));
    Keep<Value, Exec> const keep(offsets.size() - 1);
    auto const policy =
        KokkosMMA::SegmentPolicy(exec, x, device_offsets, Settings{route});
    Kokkos::parallel_for("test", policy, keep);
    if (route == Route::generic || !on_cuda<Exec>)
      EXPECT_EQ("generic", to_string(KokkosMMA::last_route()));
    else
      EXPECT_NE("generic", to_string(KokkosMMA::last_route()));
    keep.check([&](std::size_t s) {
      double sum = 0;
      for (std::int64_t i = offsets[s]; i < offsets[s + 1]; ++i)
        sum += element<T>(std::size_t(i));
      return sum;
    });
  }
}
TYPED_TEST(SegmentPolicies, RaggedSegments) {
  ragged_segments<float, float, std::int32_t, TypeParam>();
  ragged_segments<half_t, float, std::int64_t, TypeParam>();
  ragged_segments<double, double, std::uint32_t, TypeParam>();
}

/// Strided elements and offsets take Kokkos' own code, by every route.
template <class Exec>
void strided() {
  Exec const exec;
  Kokkos::View<int**, Kokkos::LayoutRight, Exec> const matrix("matrix", 1000,
                                                              3);
  Kokkos::deep_copy(matrix, 100000);
  auto const x = Kokkos::subview(matrix, Kokkos::ALL(), 1);
  Kokkos::deep_copy(x, 2);
  Keep<int, Exec> const keep(143);
  Kokkos::parallel_for(KokkosMMA::SegmentPolicy(exec, x, 7), keep);
  keep.check([](std::size_t s) { return s == 142 ? 12 : 14; });
  EXPECT_EQ("generic", to_string(KokkosMMA::last_route()));
}
TYPED_TEST(SegmentPolicies, StridedElements) { strided<TypeParam>(); }

template <class Exec>
void nothing_to_do() {
  Exec const exec;
  Kokkos::View<float*, Exec> const none("none", 0);
  auto const one_offset =
      make_view<int, Exec>(1, [](std::size_t) { return 0; });
  auto const empty = make_view<int, Exec>(4, [](std::size_t) { return 0; });
  Keep<float, Exec> const keep(3);
  Kokkos::parallel_for(KokkosMMA::SegmentPolicy(exec, none, 5), keep);
  Kokkos::parallel_for(KokkosMMA::SegmentPolicy(exec, none, one_offset), keep);
  // Empty segments are segments.
  Kokkos::parallel_for(KokkosMMA::SegmentPolicy(exec, none, empty), keep);
  keep.check([](std::size_t) { return 0.; });
}
TYPED_TEST(SegmentPolicies, NoSegmentsAndEmptySegments) {
  nothing_to_do<TypeParam>();
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

template <class Exec>
void tools() {
  using Events = std::vector<std::string>;
  Exec const exec;
  auto const x = test_data<float, Exec>(5000);
  auto const offsets =
      make_view<int, Exec>(3, [](std::size_t i) { return int(i) * 2000; });
  Keep<float, Exec> const keep(500);
  auto const equal  = KokkosMMA::SegmentPolicy(exec, x, 10);
  auto const ragged = KokkosMMA::SegmentPolicy(exec, x, offsets);
  for (Route const route : {Route::automatic, Route::generic}) {
    ScopedSettings const scope(Settings{route});
    // First calls may allocate scratch.
    Kokkos::parallel_for("before", equal, keep);
    Kokkos::parallel_for("before", ragged, keep);
    Kokkos::fence();
    Events const expected = {"begin for the user's label", "end"};
    {
      Recorder recorder;
      Kokkos::parallel_for("the user's label", equal, keep);
      EXPECT_EQ(expected, without_team_scratch(recorder.events));
    }
    int fences, fences_of_kokkos;
    {
      Recorder recorder;
      Kokkos::parallel_for("the user's label", ragged, keep);
      EXPECT_EQ(expected, without_team_scratch(recorder.events));
      fences = recorder.fences;
    }
    {
      // A tool that says nothing else makes Kokkos fence around every kernel.
      Recorder recorder;
      Kokkos::parallel_for("plain", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                           CallWithIndex<Exec>{keep});
      fences_of_kokkos = recorder.fences;
    }
    EXPECT_EQ(fences_of_kokkos, fences);
    Recorder recorder;
    Kokkos::parallel_for(equal, keep);
    Events const unlabelled = without_team_scratch(recorder.events);
    ASSERT_EQ(2u, unlabelled.size());
    EXPECT_NE(std::string::npos, unlabelled[0].find("Keep")) << unlabelled[0];
    EXPECT_EQ(std::string::npos, unlabelled[0].find("Segmented"))
        << unlabelled[0];
  }
}
TYPED_TEST(SegmentPolicies, ToolsSeeOneCallWithTheLabelOfTheUser) {
  tools<TypeParam>();
}

#ifdef KOKKOS_ENABLE_CUDA
/// The call comes back while the stream is held, and runs in its order.
TEST(SegmentPolicy, ComesBackAtOnce) {
  auto const instances     = make_instances<Kokkos::Cuda>(2);
  Kokkos::Cuda const& exec = instances.back();
  Gate const gate;
  auto const x = make_view<std::int64_t, Kokkos::Cuda>(
      1000, [](std::size_t) { return 1; });
  Keep<std::int64_t, Kokkos::Cuda> const keep(100);
  auto const policy = KokkosMMA::SegmentPolicy(exec, x, 10);
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

template <class Exec>
void refusals() {
  Exec const exec;
  auto const x            = test_data<float, Exec>(1000);
  auto const make_offsets = [](std::vector<int> const& values) {
    return make_view<int, Exec>(values.size(),
                                [&](std::size_t i) { return values[i]; });
  };
  auto const with_offsets = [&](std::vector<int> const& values) {
    auto const offsets = make_offsets(values);
    return error_of([&] { KokkosMMA::SegmentPolicy(exec, x, offsets); });
  };
  std::string const who = "KokkosMMA::SegmentPolicy";
  EXPECT_TRUE(has_parts(error_of([&] { KokkosMMA::SegmentPolicy(exec, x, 0); }),
                        {who, "segment_length is 0"}));
  EXPECT_TRUE(
      has_parts(error_of([&] { KokkosMMA::SegmentPolicy(exec, x, -5); }),
                {who, "segment_length is -5"}));
  EXPECT_TRUE(
      has_parts(with_offsets({0, 10, 9, 20}), {who, "offsets(2) = 9", "10"}));
  EXPECT_TRUE(has_parts(with_offsets({0, 10, 1001}),
                        {who, "offsets(2) = 1001", "1000"}));
  EXPECT_TRUE(has_parts(with_offsets({-1, 10}), {who, "offsets(0) = -1"}));
  EXPECT_TRUE(has_parts(with_offsets({}), {who, "empty"}));
  EXPECT_EQ("", with_offsets({0, 1000}));
  // The caller vouches for them.
  auto const wrong = make_offsets({0, 10, 9});
  Settings trusting;
  trusting.check_offsets = false;
  EXPECT_EQ("", error_of([&] {
              KokkosMMA::SegmentPolicy(exec, x, wrong, trusting);
            }));
  EXPECT_TRUE(has_parts(error_of([&] {
                          KokkosMMA::SegmentPolicy(
                              exec, Kokkos::View<float*, Exec>(nullptr, 10), 5);
                        }),
                        {who, "no memory"}));
  if (!on_cuda<Exec>) {
    EXPECT_TRUE(has_parts(error_of([&] {
                            KokkosMMA::SegmentPolicy(exec, x, 5,
                                                     Settings{Route::mma});
                          }),
                          {who, "not Cuda"}));
  }
}
TYPED_TEST(SegmentPolicies, WrongArgumentsAreRefused) { refusals<TypeParam>(); }

}  // namespace
