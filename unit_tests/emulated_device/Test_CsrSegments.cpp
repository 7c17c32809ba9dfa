// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of segments between offsets, and the check of offsets.

#include "../emulated/CsrCases.hpp"
#include "ReductionSuite.hpp"

#include <backends/cuda/kernels/segmented/KokkosMMA_CsrReduce.hpp>
#include <core/routing/KokkosMMA_BuiltInTunings.hpp>

#include <algorithm>
#include <atomic>

namespace KokkosMMA::Testing {
namespace {

/// The bits of element i, and how often they were asked for.
template <class Bits>
struct CountedElement {
  Bits const* x;
  std::atomic<int>* calls;

  Bits operator()(std::int64_t i) const {
    ++calls[i];
    return x[i];
  }
};

struct CsrSegment {
  using Case                           = CsrCase;
  static constexpr bool has_operations = true;

  static std::vector<Case> cases(int, Random& random) {
    return CsrCase::all(random);
  }
  static std::vector<Case> few_cases(int, Random&) { return CsrCase::few(); }
  template <Impl::Operation Op, class T, class Check>
  static void each_way(Case const& c, typename T::Bits const* x,
                       Check const& check) {
    using Value  = typename T::Value;
    using Offset = OffsetOf<T>;
    std::vector<Offset> const offsets(c.offsets.begin(), c.offsets.end());
    Impl::OffsetSegments<Offset> const segments{offsets.data(),
                                                offsets.size() - 1};
    constexpr std::uint64_t unknown = Impl::OffsetFindings::unknown;
    auto const reduce_from = [&](auto const& source, std::uint64_t size,
                                 std::uint64_t longest) {
      Results<Value> results(segments.count());
      Impl::Cuda::launch_csr_reduce<Op, Value>(Kokkos::Cuda(), source, segments,
                                               results.store(), size, longest);
      check(results.values(), false);
    };
    using Element     = CountedElement<typename T::Bits>;
    auto const reduce = [&](std::uint64_t size, std::uint64_t longest) {
      reduce_from(Impl::Cuda::LoadedElements<T::input>{x}, size, longest);
      std::vector<std::atomic<int>> calls(c.size());
      reduce_from(
          Impl::Cuda::CalledElements<T::input, Element>{{x, calls.data()}},
          size, longest);
      for (std::uint64_t i = 0; i < c.size(); ++i)
        ASSERT_EQ(i >= c.offsets.front() && i < c.offsets.back(), calls[i])
            << "calls of element " << i;
    };
    // What is known decides which kernel runs.
    if (Op == Impl::Operation::sum || c.size() % 3 == 0)
      reduce(unknown, unknown);
    if (Op == Impl::Operation::sum || c.size() % 3 == 1)
      reduce(c.size(), unknown);
    if (Op == Impl::Operation::sum || c.size() % 3 == 2)
      reduce(c.size(), c.longest());
  }
  static double bound(int, std::size_t) { return 0; }
};

template <class T>
using OfCsr = Reduced<CsrSegment, T>;
INSTANTIATE_TYPED_TEST_SUITE_P(CsrIntegers, Reductions, IntegerTypes<OfCsr>);
INSTANTIATE_TYPED_TEST_SUITE_P(CsrFloats, Reductions, FloatTypes<OfCsr>);
INSTANTIATE_TYPED_TEST_SUITE_P(Csr, FloatReductions, FloatTypes<OfCsr>);

/// Elements that are called, whatever their size, and small ones keep the lower
/// limit.
TEST(CsrReduce, LongestSegmentOfAThread) {
  using Impl::Cuda::tiny_csr_limit;
  Impl::TuningTable const& h100 =
      Impl::builtin_tuning_of("NVIDIA H100", 90).table;
  for (bool const called : {false, true})
    for (int const bytes : {1, 2, 4, 8})
      EXPECT_EQ(tiny_csr_limit(h100, bytes, called),
                bytes > 2 && !called ? 128 : 64)
          << bytes << " " << called;
}

/// Called elements are added as those of a View are that begins where 16
/// divides the address; segments of one length as if offsets gave it.
TEST(CalledElements, HaveTheBitsOfLoadedOnes) {
  Random random;
  SCOPED_TRACE(random.note());
  for (std::uint64_t const length : {1, 7, 33, 500, 4000}) {
    any_tuned_device(random);
    std::uint64_t const size = 9001 + random.integer(0, 9);
    Row<float> x(size, 0);
    for (std::uint64_t i = 0; i < size; ++i)
      x[i] = float(random.uniform(-1., 1.));
    ASSERT_EQ(0u, reinterpret_cast<std::uintptr_t>(x.data()) % 16);
    Impl::EqualSegments const equal{size, length};
    std::vector<std::int64_t> offsets;
    for (std::uint64_t s = 0; s <= equal.count(); ++s)
      offsets.push_back(std::int64_t(std::min(s * length, size)));
    Impl::OffsetSegments<std::int64_t> const between{offsets.data(),
                                                     equal.count()};
    auto const bits = [&](auto const& source, auto const& segments) {
      using namespace Impl::Cuda;
      constexpr auto sum = Impl::Operation::sum;
      Results<float> results(equal.count());
      Kokkos::Cuda const space;
      auto const& table = launch_layout(space).tuning;
      // Where a thread takes a segment of either source.
      if (4 * length <=
          std::uint64_t(std::min(tiny_csr_limit(table, 4, false),
                                 tiny_csr_limit(table, 4, true)))) {
        launch_csr_reduce<sum, float>(space, source, segments, results.store(),
                                      size, length);
      } else {
        // As many blocks for both sources, so the same ranges.
        launch_tuned_csr_reduce<sum, float,
                                tuning_type<csr_tuning(false, true)>>(
            space, source, segments, results.store(), size);
      }
      return results.values();
    };
    constexpr Scalar input = Scalar::float32;
    auto const element = [data = x.data()](std::int64_t i) { return data[i]; };
    Impl::Cuda::CalledElements<input, decltype(element)> const called{element};
    auto const loaded =
        bits(Impl::Cuda::LoadedElements<input>{x.data()}, between);
    EXPECT_EQ(loaded, bits(called, between)) << length;
    EXPECT_EQ(loaded, bits(called, equal)) << length;
  }
}

TEST(CsrOffsets, TheFirstBadOneAndTheLongestSegment) {
  Random random;
  SCOPED_TRACE(random.note());
  for (CsrCase const& c : CsrCase::all(random)) {
    any_tuned_device(random);
    std::vector<std::int32_t> offsets(c.offsets.begin(), c.offsets.end());
    for (int copies = 0; copies < 6; ++copies)
      offsets.insert(offsets.end(), offsets.size(), offsets.back());
    auto const findings = [&] {
      return Impl::Cuda::findings_of_offsets<std::int32_t>(
          Kokkos::Cuda(), {offsets.data(), offsets.size() - 1}, c.size());
    };
    EXPECT_EQ(Impl::OffsetFindings::unknown, findings().first_bad) << c.name;
    EXPECT_EQ(c.longest(), findings().longest) << c.name;
    // Too large, negative, smaller than the one before.
    auto const at  = std::size_t(random.integer(1, offsets.size() - 1));
    auto const was = offsets[at];
    for (std::int32_t const bad :
         {std::int32_t(c.size() + 1), -1, offsets[at - 1] - 1}) {
      offsets[at] = bad;
      EXPECT_EQ(at, findings().first_bad) << c.name << ", " << bad;
      offsets[at] = was;
    }
  }
}

}  // namespace
}  // namespace KokkosMMA::Testing
