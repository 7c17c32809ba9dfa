// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef ALGORITHMSUPPORT_HPP
#define ALGORITHMSUPPORT_HPP

#include <KokkosMMA_TestSupport.hpp>
#include <KokkosMMA_ErrorOf.hpp>
#include <KokkosMMA_SampledTypes.hpp>

#include <core/base/KokkosMMA_Errors.hpp>

#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace KokkosMMA::Testing {

/// The parts one after another; routes, types and boundaries by their names.
template <class... Parts>
std::string joined(Parts const&... parts) {
  auto const shown = []<class T>(T const& part) {
    if constexpr (std::is_enum_v<T>) {
      return to_string(part);
    } else {
      return part;
    }
  };
  return Impl::concatenate(shown(parts)...);
}

/// What lies around data: a poison, or true, as a bool has no other values.
template <class T>
T surrounding() {
  if constexpr (std::is_same_v<T, bool>) {
    return true;
  } else {
    return poison<T>();
  }
}

template <class T, class Exec, class Value>
Kokkos::View<T*, Exec> filled(std::size_t size, Value const& value) {
  return make_view<T, Exec>(size, [&](std::size_t) { return value; });
}

using Kokkos::Experimental::bhalf_t;
using Kokkos::Experimental::half_t;

using Range = std::pair<std::size_t, std::size_t>;  // [first, second)
template <class T, class Exec>
using RowMajor = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
/// A View of memory that something else keeps, or of none.
template <class T, class Exec>
using Unmanaged =
    Kokkos::View<T, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The routes that can run a sum on this space; `visible` where the tensor
/// cores can take its data.
template <class Exec>
std::vector<Route> routes(bool visible = true) {
  if (!on_cuda<Exec>) return {Route::automatic, Route::generic};
  if (!visible) return {Route::automatic, Route::generic, Route::streamed};
  return {Route::automatic, Route::generic, Route::streamed, Route::mma};
}

/// The route that an automatic choice takes for a sum of a contiguous View.
template <class Exec>
constexpr Route best_route(bool visible = true) {
  if (!on_cuda<Exec>) return Route::generic;
  return visible ? Route::mma : Route::streamed;
}

/// Elements of 4 bytes have no kernel, results wider than the accumulators of
/// the tensor cores hide the data, and integers of 8 bytes would wrap there
/// before they become floating point.
template <class Element, class Value>
inline constexpr bool visible_to_mma =
    !Impl::refuse_sum_types(scalar_v<Element>, scalar_v<Value>);

/// reduce() into a scalar that was poisoned; checks that the route asked for
/// ran.
template <class Value, class Exec, class View>
Value sum_of(Exec const& exec, View const& x, Settings const& settings) {
  Value result = poison<Value>();
  reduce(exec, x, result, settings);
  if (settings.route != Route::automatic) {
    EXPECT_EQ(to_string(settings.route), to_string(last_route()));
  }
  return result;
}

template <class Value, class Space, class Exec, class View>
Value sum_in_view(Exec const& exec, View const& x, Settings const& settings) {
  auto const result = poisoned_view<Value, Space>();
  reduce(exec, x, result, settings);
  return value_of(result);
}

inline std::string trace(Route route, std::size_t size) {
  return joined("route ", route, ", size ", size);
}

template <class A, class B>
struct Pair {};

template <class Element, class Value>
std::string types() {
  return joined(", ", scalar_v<Element>, " into ", scalar_v<Value>);
}

template <class F>
void expect_error(
    std::vector<std::string> const& parts, F const& f,
    std::source_location const& at = std::source_location::current()) {
  ::testing::ScopedTrace const trace(at.file_name(), int(at.line()), "called");
  EXPECT_TRUE(has_parts(error_of(f), parts));
}

template <class F>
void expect_explained(
    std::vector<std::string> const& parts, F const& f,
    std::source_location const& at = std::source_location::current()) {
  ::testing::ScopedTrace const trace(at.file_name(), int(at.line()), "called");
  EXPECT_TRUE(has_parts(explain(f), parts));
}

}  // namespace KokkosMMA::Testing

#endif
