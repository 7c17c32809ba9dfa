// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SEGMENTEDSUPPORT_HPP
#define SEGMENTEDSUPPORT_HPP

#include "ScanSupport.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace KokkosMMA::Testing {

using Segment  = std::pair<std::size_t, std::size_t>;  // [first, second)
using Segments = std::vector<Segment>;

inline Segments equal_segments(std::size_t size, std::size_t length) {
  Segments segments;
  for (std::size_t begin = 0; begin < size; begin += length)
    segments.push_back({begin, std::min(size, begin + length)});
  return segments;
}

inline Segments segments_between(std::vector<std::int64_t> const& offsets) {
  Segments segments;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    segments.push_back({std::size_t(offsets[s]), std::size_t(offsets[s + 1])});
  return segments;
}

inline std::vector<std::int64_t> offsets_of(
    std::vector<std::int64_t> const& lengths, std::int64_t first = 0) {
  std::vector<std::int64_t> offsets{first};
  for (std::int64_t const length : lengths)
    offsets.push_back(offsets.back() + length);
  return offsets;
}

template <Impl::Operation Op, class T = void>
using operation_t = std::conditional_t<
    Op == Impl::Operation::sum, Plus<T>,
    std::conditional_t<Op == Impl::Operation::prod, Multiplies<T>,
                       std::conditional_t<Op == Impl::Operation::min,
                                          Minimum<T>, Maximum<T>>>>;

template <Impl::Operation Op, class A, class X, class Y>
Impl::SegmentedProblem equal_problem(X const& x, Y const& y, bool scan,
                                     Impl::EqualSegments const& segments) {
  return Impl::describe_call<Op, A>(x, segments, y, scan).problem;
}
template <Impl::Operation Op, class A, class X, class Offsets, class Y>
Impl::SegmentedProblem csr_problem(X const& x, Offsets const& offsets,
                                   Y const& y, bool scan) {
  return Impl::describe_call<Op, A>(x, Impl::CsrSegments<Offsets>{offsets}, y,
                                    scan)
      .problem;
}

template <Impl::Operation Op, class A, class X, class Y>
Impl::SegmentedProblem matrix_problem(X const& x, Axis axis, Y const& y) {
  return Impl::describe_call<Op, A>(x, Impl::segments_of("test", x, axis), y,
                                    Y::rank() == 2)
      .problem;
}

template <class Exec>
std::vector<Route> segmented_routes(Impl::SegmentedProblem const& problem) {
  std::vector<Route> routes{Route::automatic, Route::generic};
  Capability const machine = capability(Exec());
  if (!Impl::route_segmented(problem, machine, Settings{Route::streamed})
           .streamed)
    routes.push_back(Route::streamed);
  if (!Impl::route_segmented(problem, machine, Settings{Route::mma}).mma)
    routes.push_back(Route::mma);
  return routes;
}

/// Checks that the last call took the requested route, and the automatic one a
/// route of this library where one can run.
template <class Exec>
::testing::AssertionResult took_route(Route asked,
                                      std::vector<Route> const& routes) {
  Route const seen = last_route();
  bool const right = asked != Route::automatic
                         ? seen == asked
                         : (seen == Route::generic) == (routes.size() == 2);
  if (right) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "route " << to_string(asked) << " became " << to_string(seen);
}

/// Values of which every route gives the exact sum, minimum or product.
template <Impl::Operation Op, class Input>
std::int64_t segment_value(Random& random, bool many) {
  if constexpr (std::is_same_v<Input, bool>) {
    return random.integer(0, Op == Impl::Operation::prod ? 7 : 1) != 0;
  } else if constexpr (Op == Impl::Operation::prod) {
    // Signs, and few powers of two: no product leaves a float.
    if (random.integer(0, many ? 100000 : 63) == 0) return 2;
    return std::is_unsigned_v<Input> || random.integer(0, 1) ? 1 : -1;
  } else {
    int const most = Op == Impl::Operation::sum && many ? 1 : 4;
    return random.integer(std::is_unsigned_v<Input> ? 0 : -most, most);
  }
}

/// What `segment` is reduced to, element by element, as Output; integers modulo
/// 2^64 on the way.
template <Impl::Operation Op, class A, class Output>
class Reference {
 public:
  void take(std::int64_t x) {
    if (Op == Impl::Operation::sum)
      m_value = std::int64_t(std::uint64_t(m_value) + std::uint64_t(x));
    else if (Op == Impl::Operation::prod)
      m_value = std::int64_t(std::uint64_t(m_value) * std::uint64_t(x));
    else if (m_empty ||
             (Op == Impl::Operation::min ? x < m_value : x > m_value))
      m_value = x;
    m_empty = false;
  }
  Output value() const {
    constexpr bool extreme =
        Op == Impl::Operation::min || Op == Impl::Operation::max;
    if (!extreme || !m_empty)
      return static_cast<Output>(static_cast<A>(m_value));
    if constexpr (std::is_integral_v<Output>) {
      return Op == Impl::Operation::min ? std::numeric_limits<Output>::max()
                                        : std::numeric_limits<Output>::lowest();
    } else if constexpr (std::is_floating_point_v<A>) {
      A const infinite = std::numeric_limits<A>::infinity();
      return static_cast<Output>(Op == Impl::Operation::min ? infinite
                                                            : -infinite);
    } else {
      // of 16-bit floats infinite or the largest number, by Kokkos' version
      return static_cast<Output>(Op == Impl::Operation::min
                                     ? Kokkos::reduction_identity<A>::min()
                                     : Kokkos::reduction_identity<A>::max());
    }
  }

 private:
  std::int64_t m_value = Op == Impl::Operation::prod ? 1 : 0;
  bool m_empty         = true;
};

template <Impl::Operation Op, class A, class Output>
std::vector<Output> reduced(std::vector<std::int64_t> const& values,
                            Segments const& segments) {
  std::vector<Output> expected;
  for (auto const& [begin, end] : segments) {
    Reference<Op, A, Output> sum;
    for (std::size_t i = begin; i < end; ++i) sum.take(values[i]);
    expected.push_back(sum.value());
  }
  return expected;
}

/// Prefixes within segments; what lies outside of all of them is `outside(i)`.
template <Impl::Operation Op, class A, class Output, bool Inclusive,
          class Outside>
std::vector<Output> scanned(std::vector<std::int64_t> const& values,
                            Segments const& segments, Outside const& outside) {
  std::vector<Output> expected;
  for (std::size_t i = 0; i < values.size(); ++i)
    expected.push_back(outside(i));
  for (auto const& [begin, end] : segments) {
    Reference<Op, A, Output> sum;
    for (std::size_t i = begin; i < end; ++i) {
      if (!Inclusive) expected[i] = sum.value();
      sum.take(values[i]);
      if (Inclusive) expected[i] = sum.value();
    }
  }
  return expected;
}

/// A contiguous View that starts `shift` elements into its allocation, with
/// poison around it.
template <class T, class Exec>
struct Guarded {
  static constexpr std::size_t behind = 5;
  Kokkos::View<T*, Exec> all;
  std::size_t shift;

  explicit Guarded(std::size_t size, std::size_t shift_ = 3)
      : all(filled<T, Exec>(shift_ + size + behind, surrounding<T>())),
        shift(shift_) {}

  using View = Unmanaged<T*, Exec>;
  View view() const {
    return View(all.data() + shift, all.extent(0) - shift - behind);
  }
  /// The elements have the bits of these, and what is around them is poison.
  ::testing::AssertionResult holds(std::vector<T> const& expected) const {
    auto const found = elements_of(all);
    for (std::size_t i = 0; i < found.size(); ++i) {
      bool const inside = i >= shift && i < found.size() - behind;
      T const wanted    = inside ? T(expected[i - shift]) : surrounding<T>();
      if (!same_bits(wanted, T(found[i])))
        return ::testing::AssertionFailure()
               << "element " << std::int64_t(i) - std::int64_t(shift) << " of "
               << expected.size() << " is " << double(found[i])
               << " instead of " << double(wanted);
    }
    return ::testing::AssertionSuccess();
  }
};

/// x(i) = values[i], `shift` elements into an allocation.
template <class T, class Exec>
Guarded<T, Exec> guarded_values(std::vector<std::int64_t> const& values,
                                std::size_t shift) {
  Guarded<T, Exec> x(values.size(), shift);
  std::size_t const size = values.size();
  fill(x.all, [&](std::size_t i) {
    return i < shift || i >= shift + size ? surrounding<T>()
                                          : static_cast<T>(values[i - shift]);
  });
  return x;
}

template <class Offset, class Exec>
Kokkos::View<Offset*, Exec> offsets_view(
    std::vector<std::int64_t> const& offsets) {
  return make_view<Offset, Exec>(offsets.size(),
                                 [&](std::size_t i) { return offsets[i]; });
}

inline std::string segment_trace(Impl::Operation operation, Scalar input,
                                 Scalar output, Route route) {
  return joined(operation, " of ", input, " into ", output, ", route ", route);
}

}  // namespace KokkosMMA::Testing

#endif
