// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops over ranges.

#include "Kinds.hpp"
#include "LoopFunctors.hpp"

#include <limits>

namespace random_calls::RANDOM_CALLS_TWIN {
namespace {

/// Every index type. Below 32 bits Kokkos' own launch is wrong where the end
/// minus the begin exceeds the type (4.6.01 to 5.2).
template <class Index>
void add_index_type(Table& table, char const* name) {
  using Range = std::numeric_limits<Index>;
  Limits limits;
  if (sizeof(Index) < 4) {
    limits.chunks = false;
    limits.low    = std::int64_t(Range::min());
    limits.high   = std::int64_t(Range::max());
#if !defined(KOKKOS_ENABLE_CUDA)
    limits.most = limits.high;
#endif
  } else if (!Range::is_signed) {
    limits.low = 0;
  }
  if (sizeof(Index) == 8) limits.high = std::int64_t(1) << 40;
#if defined(RANDOM_CALLS_EMULATED)
  // Up to both ends of every type, of which Kokkos does not come near.
  using Signed = std::numeric_limits<std::int64_t>;
  limits.low   = std::int64_t(Range::min());
  limits.high  = sizeof(Index) < 8 ? std::int64_t(Range::max()) : Signed::max();
#endif
  add<sizeof(Index) < 4>(table, name, limits,
                         [](auto const& run, Call const& c) {
                           run.loop(Box<Index>(c), Mix<Index>(c));
                         });
}

template <class Element>
void add_copy(Table& table, char const* name, Limits limits) {
  limits.y_bytes = int(sizeof(Element));
  limits.float_y = true;
  add(table, name, limits, [](auto const& run, Call const& c) {
    run.loop(Box<std::int64_t>(c), CopyNumbers<Element>(c));
  });
}

/// A lambda that captures, as applications write them.
template <class Runner>
void loop_of_lambda(Runner const& run, Call const& c) {
  auto const* const x = c.x<double>();
  auto* const y       = c.y<std::uint64_t>();
  auto const begin    = c[Parameters::begin];
  run.loop(
      Box<int>(c), KOKKOS_LAMBDA(int i) {
        auto const at = i - begin;
        y[at]         = y[at] * 31 + std::uint64_t(std::int64_t(x[at]));
      });
}

}  // namespace

void add_loops(Table& table) {
  add_index_type<std::int8_t>(table, "loop_int8");
  add_index_type<std::uint8_t>(table, "loop_uint8");
  add_index_type<std::int16_t>(table, "loop_int16");
  add_index_type<std::uint16_t>(table, "loop_uint16");
  add_index_type<std::int32_t>(table, "loop_int32");
  add_index_type<std::uint32_t>(table, "loop_uint32");
  add_index_type<std::int64_t>(table, "loop_int64");
  add_index_type<std::uint64_t>(table, "loop_uint64");
  add(table, "loop_tag_a", {}, [](auto const& run, Call const& c) {
    run.loop(Box<int, 1, false, TagA>(c), Tagged(c));
  });
  add(table, "loop_tag_b", {}, [](auto const& run, Call const& c) {
    run.loop(Box<int, 1, false, TagB>(c), Tagged(c));
  });
  add_copy<double>(table, "loop_doubles", {});
  add_copy<float>(table, "loop_floats", {.element = Element::f32});
  add_copy<Half>(table, "loop_halves", {.element = Element::half});
#if KOKKOS_VERSION < 50000 || defined(RANDOM_CALLS_EMULATED)
  // From 5.0 on Kokkos passes functors as const __grid_constant__, where a
  // mutable member cannot be written.
  Limits const numbers{.numbers = Numbers::sums};
  add(table, "loop_mutable_cache", numbers, [](auto const& run, Call const& c) {
    run.loop(Box<int>(c), BlockCache(c));
  });
  add(table, "loop_mutable_scratch", {}, [](auto const& run, Call const& c) {
    run.loop(Box<int>(c), ScratchArray(c));
  });
  add(table, "loop_mutable_counter", {}, [](auto const& run, Call const& c) {
    run.loop(Box<std::int64_t>(c), MutableCounter(c));
  });
#endif
  add(table, "loop_references", {.numbers = Numbers::sums},
      [](auto const& run, Call const& c) {
        run.loop(Box<int>(c), References(c));
      });
  add(table, "loop_overloads", {}, [](auto const& run, Call const& c) {
    run.loop(Box<int>(c), Overloads(c));
  });
  add(table, "loop_const_overload", {}, [](auto const& run, Call const& c) {
    run.loop(Box<int>(c), ConstOverload(c));
  });
  add(table, "loop_any_index", {}, [](auto const& run, Call const& c) {
    run.loop(Box<std::int64_t>(c), AnyIndex(c));
  });
  add(table, "loop_explicit_copy", {}, [](auto const& run, Call const& c) {
    run.loop(Box<int>(c), ExplicitCopy(c));
  });
  add(table, "loop_700_bytes", {}, [](auto const& run, Call const& c) {
    run.loop(Box<int>(c), LargeTable<700>(c));
  });
  add(table, "loop_5000_bytes", {.most_repeats = 20},
      [](auto const& run, Call const& c) {
        run.loop(Box<int>(c), LargeTable<5000>(c));
      });
  add(table, "loop_strided_views",
      {.most = 1 << 17, .numbers = Numbers::sums, .strided = true},
      [](auto const& run, Call const& c) {
        run.loop(Box<int>(c), Strided(c));
      });
  add(table, "loop_histogram", {.most = 1 << 17},
      [](auto const& run, Call const& c) {
        run.loop(Box<int>(c), Histogram(c));
      });
  add(table, "loop_launch_bounds", {}, [](auto const& run, Call const& c) {
    run.loop(Box<int, 1, false, void, Kokkos::LaunchBounds<128, 4>>(c),
             Mix<int>(c));
  });
  add(table, "loop_dynamic_tagged", {}, [](auto const& run, Call const& c) {
    run.loop(Box<int, 1, false, TagA, Kokkos::Schedule<Kokkos::Dynamic>>(c),
             Tagged(c));
  });
  add(table, "loop_lambda", {.numbers = Numbers::sums},
      [](auto const& run, Call const& c) { loop_of_lambda(run, c); });
}

}  // namespace random_calls::RANDOM_CALLS_TWIN
