// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef ALGORITHMSUPPORT_HPP
#define ALGORITHMSUPPORT_HPP

#include <KokkosMMA_TestSupport.hpp>
#include <KokkosMMA_ErrorOf.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace KokkosMMA::Testing {

using Kokkos::Experimental::bhalf_t;
using Kokkos::Experimental::half_t;

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

/// Results wider than the accumulators of the tensor cores hide the data, and
/// integers of 8 bytes would wrap there before they become floating point.
template <class Element, class Value>
inline constexpr bool visible_to_mma =
    !Impl::refuse_sum_types(scalar_v<Element>, scalar_v<Value>, 0);

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

/// reduce() into a View of Space.
template <class Value, class Space, class Exec, class View>
Value sum_in_view(Exec const& exec, View const& x, Settings const& settings) {
  auto const result = poisoned_view<Value, Space>();
  reduce(exec, x, result, settings);
  return value_of(result);
}

inline std::string trace(Route route, std::size_t size) {
  return "route " + std::string(to_string(route)) + ", size " +
         std::to_string(size);
}

/// Whether `text` holds all parts, and which not.
inline ::testing::AssertionResult has_parts(
    std::string const& text, std::vector<std::string> const& parts) {
  for (std::string const& part : parts)
    if (text.find(part) == std::string::npos)
      return ::testing::AssertionFailure()
             << "\"" << part << "\" is not in \"" << text << "\"";
  return ::testing::AssertionSuccess();
}

}  // namespace KokkosMMA::Testing

#endif
