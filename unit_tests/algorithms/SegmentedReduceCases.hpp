// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SEGMENTEDREDUCECASES_HPP
#define SEGMENTEDREDUCECASES_HPP

#include "SegmentedSupport.hpp"

namespace KokkosMMA::Testing {

/// Equal segments by every route, from an address of every alignment.
template <Impl::Operation Op, class Input, class Output, class Exec,
          class Accumulator = void>
void expect_equal(std::size_t size, std::size_t length, Random& random) {
  using X = Kokkos::View<Input*, Exec>;
  using R = Kokkos::View<Output*, Exec>;
  using A = Impl::segment_accumulator_t<operation_t<Op, Accumulator>, X, R>;
  std::vector<std::int64_t> values(size);
  for (std::int64_t& value : values)
    value = segment_value<Op, Input>(random, length > 4000);
  auto const shift = std::size_t(random.integer(0, 17));
  auto const x     = guarded_values<Input, Exec>(values, shift);
  auto const expected =
      reduced<Op, A, Output>(values, equal_segments(size, length));
  auto const problem = equal_problem<Op, A>(X(x.all), R(), false,
                                            Impl::EqualSegments{size, length});
  auto const routes  = segmented_routes<Exec>(problem);
  for (Route const route : routes) {
    SCOPED_TRACE(segment_trace(Op, scalar_v<Input>, scalar_v<Output>, route) +
                 ", size " + std::to_string(size) + ", length " +
                 std::to_string(length) + ", shift " + std::to_string(shift));
    Guarded<Output, Exec> const result(expected.size());
    segmented_reduce(Exec(), x.view(), length, result.view(),
                     operation_t<Op, Accumulator>(), Settings{route});
    EXPECT_TRUE(took_route<Exec>(route, routes));
    ASSERT_TRUE(result.holds(expected));
  }
}

template <Impl::Operation Op, class Input, class Output, class Exec,
          class Accumulator = void>
void expect_ragged(std::vector<std::int64_t> const& offsets, std::size_t size,
                   Random& random, auto offset_type) {
  using Offset = decltype(offset_type);
  using X      = Kokkos::View<Input*, Exec>;
  using R      = Kokkos::View<Output*, Exec>;
  using A = Impl::segment_accumulator_t<operation_t<Op, Accumulator>, X, R>;
  std::vector<std::int64_t> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    bool const outside =
        std::int64_t(i) < offsets.front() || std::int64_t(i) >= offsets.back();
    // Nothing hides an element that should have taken no part.
    values[i] = outside ? 5 : segment_value<Op, Input>(random, size > 4000);
  }
  auto const shift = std::size_t(random.integer(0, 17));
  auto const x     = guarded_values<Input, Exec>(values, shift);
  auto const expected =
      reduced<Op, A, Output>(values, segments_between(offsets));
  auto const cuts    = offsets_view<Offset, Exec>(offsets);
  auto const problem = csr_problem<Op, A>(X(x.all), cuts, R(), false);
  auto const routes  = segmented_routes<Exec>(problem);
  for (Route const route : routes) {
    SCOPED_TRACE(segment_trace(Op, scalar_v<Input>, scalar_v<Output>, route) +
                 ", size " + std::to_string(size) + ", " +
                 std::to_string(expected.size()) + " segments, shift " +
                 std::to_string(shift));
    Guarded<Output, Exec> const result(expected.size());
    segmented_reduce(Exec(), x.view(), cuts, result.view(),
                     operation_t<Op, Accumulator>(), Settings{route});
    EXPECT_TRUE(took_route<Exec>(route, routes));
    ASSERT_TRUE(result.holds(expected));
  }
}

/// Kinds of offsets in which kernels go wrong, smaller and larger.
inline std::vector<std::vector<std::int64_t>> kinds_of_offsets(Random& random) {
  std::vector<std::vector<std::int64_t>> kinds;
  auto const add = [&](std::size_t segments, std::int64_t first,
                       auto const& length) {
    std::vector<std::int64_t> lengths;
    for (std::size_t s = 0; s < segments; ++s)
      lengths.push_back(length(std::int64_t(s)));
    kinds.push_back(offsets_of(lengths, first));
  };
  add(0, 4, [](std::int64_t) { return 0; });
  add(1, 0, [](std::int64_t) { return 0; });
  add(1, 7, [](std::int64_t) { return 1; });
  add(1, 3, [](std::int64_t) { return 100003; });
  add(500, 11, [](std::int64_t) { return 0; });
  add(3000, 0, [](std::int64_t) { return 1; });
  add(5000, 5, [&](std::int64_t) { return random.integer(0, 7); });
  add(700, 2, [&](std::int64_t) { return random.integer(0, 300); });
  add(50, 1, [&](std::int64_t) { return random.integer(0, 9000); });
  // one huge among many tiny, in front, in the middle and at the end
  for (std::int64_t const huge : {0, 2222, 3999})
    add(4000, 9, [&](std::int64_t s) {
      return s == huge ? 150001 : random.integer(0, 3);
    });
  // empty ones in long runs, and behind the last element
  add(6000, 0, [&](std::int64_t s) {
    return s % 1000 < 900 || s > 5000 ? 0 : random.integer(1, 70);
  });
  // powers of two and their neighbours
  add(60, 0,
      [](std::int64_t s) { return (std::int64_t(1) << s % 15) + s % 3 - 1; });
  return kinds;
}

template <Impl::Operation Op, class Input, class Output, class Exec,
          class Accumulator = void>
void expect_all_ragged(auto offset_type) {
  Random random;
  SCOPED_TRACE(random.note());
  for (auto const& offsets : kinds_of_offsets(random))
    expect_ragged<Op, Input, Output, Exec, Accumulator>(
        offsets, std::size_t(offsets.back() + random.integer(0, 20)), random,
        offset_type);
}

/// Every length at which a kernel may change its ways.
inline std::vector<std::size_t> all_lengths() {
  std::vector<std::size_t> lengths;
  for (std::size_t length = 1; length <= 40; ++length)
    lengths.push_back(length);
  for (std::size_t power = 64; power <= 65536; power *= 2)
    for (std::size_t const length : {power - 1, power, power + 1})
      lengths.push_back(length);
  return lengths;
}
inline std::vector<std::size_t> const few_lengths = {
    1, 2, 3, 7, 8, 16, 17, 31, 33, 64, 100, 256, 257, 1000, 4096, 5003};

template <Impl::Operation Op, class Input, class Output, class Exec,
          class Accumulator = void>
void expect_lengths(std::vector<std::size_t> const& lengths) {
  Random random;
  SCOPED_TRACE(random.note());
  for (std::size_t const length : lengths) {
    std::size_t const whole = length * (6000 / length);
    std::size_t const part  = std::size_t(random.integer(1, length));
    expect_equal<Op, Input, Output, Exec, Accumulator>(whole + part, length,
                                                       random);
  }
}

}  // namespace KokkosMMA::Testing

#endif
