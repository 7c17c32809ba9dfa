// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SEGMENTEDSCANCASES_HPP
#define SEGMENTEDSCANCASES_HPP

#include "SegmentedReduceCases.hpp"

namespace KokkosMMA::Testing {

template <Impl::Operation Op, class Accumulator, bool Inclusive, class Exec,
          class X, class Cuts, class Y>
void run_segmented_scan(X const& x, Cuts const& cuts, Y const& y,
                        Settings const& settings) {
  if constexpr (Inclusive) {
    segmented_inclusive_scan(Exec(), x, cuts, y, operation_t<Op, Accumulator>(),
                             settings);
  } else {
    segmented_exclusive_scan(Exec(), x, cuts, y, operation_t<Op, Accumulator>(),
                             settings);
  }
}

/// One cut of one row of values by every route; `cuts` is a length or offsets.
template <Impl::Operation Op, class Input, class Output, bool Inclusive,
          class Exec, class Accumulator, class Cuts>
void expect_scan(std::vector<std::int64_t> const& values,
                 Segments const& segments, Cuts const& cuts,
                 Impl::SegmentedProblem const& problem, Random& random) {
  using A =
      Impl::segment_accumulator_t<operation_t<Op, Accumulator>,
                                  Kokkos::View<Input*>, Kokkos::View<Output*>>;
  auto const shift_x = std::size_t(random.integer(0, 17));
  // The same alignment as x in one case of two.
  auto const shift_y =
      random.integer(0, 1) ? shift_x : std::size_t(random.integer(0, 17));
  auto const routes = segmented_routes<Exec>(problem);
  for (Route const route : routes) {
    SCOPED_TRACE(segment_trace(Op, scalar_v<Input>, scalar_v<Output>, route) +
                 (Inclusive ? ", inclusive" : ", exclusive") + ", size " +
                 std::to_string(values.size()) + ", " +
                 std::to_string(segments.size()) + " segments, shifts " +
                 std::to_string(shift_x) + ", " + std::to_string(shift_y));
    auto const x = guarded_values<Input, Exec>(values, shift_x);
    Guarded<Output, Exec> const y(values.size(), shift_y);
    run_segmented_scan<Op, Accumulator, Inclusive, Exec>(
        x.view(), cuts, y.view(), Settings{route});
    EXPECT_TRUE(took_route<Exec>(route, routes));
    ASSERT_TRUE(y.holds(scanned<Op, A, Output, Inclusive>(
        values, segments, [](std::size_t) { return poison<Output>(); })));
    if constexpr (std::is_same_v<Input, Output>) {
      run_segmented_scan<Op, Accumulator, Inclusive, Exec>(
          x.view(), cuts, x.view(), Settings{route});
      ASSERT_TRUE(x.holds(scanned<Op, A, Output, Inclusive>(
          values, segments,
          [&](std::size_t i) { return static_cast<Output>(values[i]); })))
          << "in place";
    }
  }
}

template <Impl::Operation Op, class Input, class Output, bool Inclusive,
          class Exec, class Accumulator>
void expect_equal_scan(std::size_t size, std::size_t length, Random& random) {
  using A =
      Impl::segment_accumulator_t<operation_t<Op, Accumulator>,
                                  Kokkos::View<Input*>, Kokkos::View<Output*>>;
  std::vector<std::int64_t> values(size);
  for (std::int64_t& value : values)
    value = segment_value<Op, Input>(random, length > 4000);
  expect_scan<Op, Input, Output, Inclusive, Exec, Accumulator>(
      values, equal_segments(size, length), length,
      equal_problem<Op, A>(Kokkos::View<Input*, Exec>(),
                           Kokkos::View<Output*, Exec>(), true,
                           Impl::EqualSegments{size, length}),
      random);
}

/// Both scans at these lengths.
template <Impl::Operation Op, class Input, class Output, class Exec,
          class Accumulator = void>
void expect_scans(std::vector<std::size_t> const& lengths) {
  Random random;
  SCOPED_TRACE(random.note());
  for (std::size_t const length : lengths) {
    std::size_t const whole = length * (6000 / length);
    std::size_t const size  = whole + std::size_t(random.integer(1, length));
    expect_equal_scan<Op, Input, Output, true, Exec, Accumulator>(size, length,
                                                                  random);
    expect_equal_scan<Op, Input, Output, false, Exec, Accumulator>(size, length,
                                                                   random);
  }
}

template <Impl::Operation Op, class Input, class Output, class Offset,
          class Exec>
void expect_ragged_scans() {
  using A = Impl::segment_accumulator_t<operation_t<Op>, Kokkos::View<Input*>,
                                        Kokkos::View<Output*>>;
  Random random;
  SCOPED_TRACE(random.note());
  for (auto const& offsets : kinds_of_offsets(random)) {
    auto const size = std::size_t(offsets.back() + random.integer(0, 20));
    std::vector<std::int64_t> values(size);
    for (std::int64_t& value : values)
      value = segment_value<Op, Input>(random, size > 4000);
    auto const cuts = offsets_view<Offset, Exec>(offsets);
    auto const problem =
        csr_problem<Op, A>(Kokkos::View<Input*, Exec>(), cuts,
                           Kokkos::View<Output*, Exec>(), true);
    auto const segments = segments_between(offsets);
    expect_scan<Op, Input, Output, true, Exec, void>(values, segments, cuts,
                                                     problem, random);
    expect_scan<Op, Input, Output, false, Exec, void>(values, segments, cuts,
                                                      problem, random);
  }
}

}  // namespace KokkosMMA::Testing

#endif
