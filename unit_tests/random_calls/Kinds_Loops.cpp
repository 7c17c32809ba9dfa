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

template <class FunctorType, class BoxType = Box<int>>
void add_loop(Table& table, char const* name, Limits const& limits = {}) {
  add(table, name, limits, [](auto const& run, Call const& c) {
    run.loop(BoxType(c), FunctorType(c));
  });
}

template <class Element>
void add_copy(Table& table, char const* name, Limits limits) {
  limits.y_bytes = int(sizeof(Element));
  limits.float_y = true;
  add_loop<CopyNumbers<Element>, Box<std::int64_t>>(table, name, limits);
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
  add_loop<Tagged<>, Box<int, 1, false, TagA>>(table, "loop_tag_a");
  add_loop<Tagged<>, Box<int, 1, false, TagB>>(table, "loop_tag_b");
  add_copy<double>(table, "loop_doubles", {});
  add_copy<float>(table, "loop_floats", {.element = Element::f32});
  add_copy<Half>(table, "loop_halves", {.element = Element::half});
  Limits const numbers{.numbers = Numbers::sums};
#if KOKKOS_VERSION < 50000 || defined(RANDOM_CALLS_EMULATED)
  // From 5.0 on Kokkos passes functors as const __grid_constant__, where a
  // mutable member cannot be written.
  add_loop<BlockCache>(table, "loop_mutable_cache", numbers);
  add_loop<ScratchArray>(table, "loop_mutable_scratch");
  add_loop<MutableCounter, Box<std::int64_t>>(table, "loop_mutable_counter");
#endif
  add_loop<References>(table, "loop_references", numbers);
  add_loop<Overloads>(table, "loop_overloads");
  add_loop<ConstOverload>(table, "loop_const_overload");
  add_loop<AnyIndex<>, Box<std::int64_t>>(table, "loop_any_index");
  add_loop<ExplicitCopy>(table, "loop_explicit_copy");
  add_loop<LargeTable<700>>(table, "loop_700_bytes");
  add_loop<LargeTable<5000>>(table, "loop_5000_bytes", {.most_repeats = 20});
  add_loop<Strided>(
      table, "loop_strided_views",
      {.most = 1 << 17, .numbers = Numbers::sums, .strided = true});
  add_loop<Histogram>(table, "loop_histogram", {.most = 1 << 17});
  add_loop<Mix<int>, Box<int, 1, false, void, Kokkos::LaunchBounds<128, 4>>>(
      table, "loop_launch_bounds");
  add_loop<Tagged<>,
           Box<int, 1, false, TagA, Kokkos::Schedule<Kokkos::Dynamic>>>(
      table, "loop_dynamic_tagged");
  add(table, "loop_lambda", numbers,
      [](auto const& run, Call const& c) { loop_of_lambda(run, c); });
}

}  // namespace random_calls::RANDOM_CALLS_TWIN
