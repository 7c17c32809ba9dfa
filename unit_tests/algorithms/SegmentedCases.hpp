// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SEGMENTEDCASES_HPP
#define SEGMENTEDCASES_HPP

#include "SegmentedSupport.hpp"

namespace KokkosMMA::Testing {

/// What is done, to elements of which type, into which, kept in which (void:
/// what the library takes).
template <Impl::Operation O, class I, class R, class A = void>
struct Case {
  static constexpr Impl::Operation operation = O;
  using Input                                = I;
  using Output                               = R;
  using Op                                   = operation_t<O, A>;
  using Accumulator =
      Impl::segment_accumulator_t<Op, Kokkos::View<I*>, Kokkos::View<R*>>;

  static Impl::SegmentedProblem problem(auto const& cuts, std::size_t size,
                                        bool scan, auto const& exec) {
    using Exec = std::remove_cvref_t<decltype(exec)>;
    Kokkos::View<I*, Exec> const x;
    Kokkos::View<R*, Exec> const y;
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(cuts)>>) {
      return equal_problem<O, Accumulator>(x, y, scan,
                                           Impl::EqualSegments{size, cuts});
    } else if constexpr (requires { cuts.keys; }) {
      return csr_problem<O, Accumulator>(x, Kokkos::View<int*, Exec>(), y,
                                         scan);
    } else {
      return csr_problem<O, Accumulator>(x, cuts, y, scan);
    }
  }
};

/// A case on these values, whose segments are said by `cuts`, a length or
/// offsets, by every route, from and to addresses of every alignment.
struct Reduce {
  template <class C, class Exec>
  static void run(std::vector<std::int64_t> const& values,
                  Segments const& segments, auto const& cuts, Random& random) {
    using Output     = typename C::Output;
    auto const shift = std::size_t(random.integer(0, 17));
    auto const x     = guarded_values<typename C::Input, Exec>(values, shift);
    auto const expected =
        reduced<C::operation, typename C::Accumulator, Output>(values,
                                                               segments);
    auto const routes =
        segmented_routes<Exec>(C::problem(cuts, values.size(), false, Exec()));
    for (Route const route : routes) {
      SCOPED_TRACE(joined(route, ", shift ", shift));
      Guarded<Output, Exec> const result(expected.size());
      segmented_reduce(Exec(), x.view(), cuts, result.view(), typename C::Op(),
                       Settings{route});
      EXPECT_TRUE(took_route<Exec>(route, routes));
      ASSERT_TRUE(result.holds(expected));
    }
  }
};
/// Both scans, in place, too, where the types allow it.
struct Scan {
  template <class C, class Exec>
  static void run(std::vector<std::int64_t> const& values,
                  Segments const& segments, auto const& cuts, Random& random) {
    using Input   = typename C::Input;
    using Output  = typename C::Output;
    auto const to = [&]<bool Inclusive>(std::bool_constant<Inclusive>) {
      auto const shift = std::size_t(random.integer(0, 17));
      // The same alignment as x in one case of two.
      auto const shift_y =
          random.integer(0, 1) ? shift : std::size_t(random.integer(0, 17));
      auto const scan = [&](auto const& x, auto const& y, Route route) {
        typename C::Op const op;
        if constexpr (Inclusive) {
          segmented_inclusive_scan(Exec(), x, cuts, y, op, Settings{route});
        } else {
          segmented_exclusive_scan(Exec(), x, cuts, y, op, Settings{route});
        }
      };
      auto const expected = [&](auto const& outside) {
        return scanned<C::operation, typename C::Accumulator, Output,
                       Inclusive>(values, segments, outside);
      };
      auto const routes =
          segmented_routes<Exec>(C::problem(cuts, values.size(), true, Exec()));
      for (Route const route : routes) {
        SCOPED_TRACE(joined(route, Inclusive ? ", inclusive" : ", exclusive",
                            ", shifts ", shift, ", ", shift_y));
        auto const x = guarded_values<Input, Exec>(values, shift);
        Guarded<Output, Exec> const y(values.size(), shift_y);
        scan(x.view(), y.view(), route);
        EXPECT_TRUE(took_route<Exec>(route, routes));
        ASSERT_TRUE(
            y.holds(expected([](std::size_t) { return poison<Output>(); })));
        if constexpr (std::is_same_v<Input, Output>) {
          scan(x.view(), x.view(), route);
          ASSERT_TRUE(x.holds(expected([&](std::size_t i) {
            return static_cast<Output>(values[i]);
          }))) << "in place";
        }
      }
    };
    to(std::true_type());
    to(std::false_type());
  }
};

/// Equal segments. Sums of integers leave the type and come back.
template <class What, class C, class Exec>
void expect_equal(std::size_t size, std::size_t length, Random& random) {
  SCOPED_TRACE(joined("size ", size, ", length ", length));
  using Input             = typename C::Input;
  constexpr bool any_bits = C::operation == Impl::Operation::sum &&
                            std::is_integral_v<Input> &&
                            std::is_integral_v<typename C::Output> &&
                            std::is_integral_v<typename C::Accumulator> &&
                            !std::is_same_v<Input, bool>;
  std::vector<std::int64_t> values(size);
  for (std::int64_t& value : values)
    value = any_bits
                ? std::int64_t(static_cast<Input>(random.bits()))
                : segment_value<C::operation, Input>(random, length > 4000);
  What::template run<C, Exec>(values, equal_segments(size, length), length,
                              random);
}

/// Every length at which a kernel may change its ways, and some of them.
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

template <class C>
std::string case_trace() {
  return joined(", ", C::operation,
                types<typename C::Input, typename C::Output>());
}

/// Cases one after the other, of segments of these lengths.
template <class What, class Exec, class... Cases>
void expect_lengths(std::vector<std::size_t> const& lengths) {
  auto const one = [&]<class C>(C) {
    Random random(case_trace<C>());
    for (std::size_t const length : lengths) {
      std::size_t const whole = length * (6000 / length);
      std::size_t const part  = std::size_t(random.integer(1, length));
      expect_equal<What, C, Exec>(whole + part, length, random);
    }
  };
  for_types<Cases...>(one);
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
  // empty ones in long runs, and after the last element
  add(6000, 0, [&](std::int64_t s) {
    return s % 1000 < 900 || s > 5000 ? 0 : random.integer(1, 70);
  });
  // powers of two and their neighbours
  add(60, 0,
      [](std::int64_t s) { return (std::int64_t(1) << s % 15) + s % 3 - 1; });
  return kinds;
}

template <class What, class C, class Offset, class Exec>
void expect_ragged() {
  Random random(case_trace<C>());
  for (auto const& offsets : kinds_of_offsets(random)) {
    auto const size = std::size_t(offsets.back() + random.integer(0, 20));
    SCOPED_TRACE(joined("size ", size, ", ", offsets.size() - 1, " segments"));
    std::vector<std::int64_t> values(size);
    for (std::size_t i = 0; i < size; ++i) {
      auto const at = std::int64_t(i);
      // Nothing hides an element that should have taken no part.
      values[i] = at < offsets.front() || at >= offsets.back()
                      ? 5
                      : segment_value<C::operation, typename C::Input>(
                            random, size > 4000);
    }
    What::template run<C, Exec>(values, segments_between(offsets),
                                offsets_view<Offset, Exec>(offsets), random);
  }
}

}  // namespace KokkosMMA::Testing

#endif
