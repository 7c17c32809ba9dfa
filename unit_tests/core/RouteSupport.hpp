// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CORE_ROUTESUPPORT_HPP
#define CORE_ROUTESUPPORT_HPP

#include <core/base/KokkosMMA_Capability.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <type_traits>

/// \file
/// What the tests of route functions share. A route is a constant expression:
/// most of them are checked by compiling them.

namespace KokkosMMA::Testing {

constexpr Capability h200{true, 90, 132};
constexpr Capability a100{true, 80, 108};
constexpr Capability v100{true, 70, 80};
constexpr Capability host{};

/// A problem with other values of some members:
/// with(problem, &P::sum, false, &P::size, 7).
template <class P>
constexpr P with(P problem) {
  return problem;
}
template <class P, class M, class... More>
constexpr P with(P problem, M P::*member, std::type_identity_t<M> value,
                 More... more) {
  problem.*member = value;
  return with(problem, more...);
}

/// Whether a refusal has a reason with these words; without words, whether
/// there is no refusal.
constexpr bool says(Impl::Refusal const& refusal, std::string_view part) {
  return part.empty() ? !refusal
                      : refusal.reason.find(part) != std::string_view::npos;
}

/// Types of elements, accumulator and results.
struct Types {
  Scalar input, accumulator, output = accumulator;
};
constexpr bool all(std::initializer_list<Types> types, auto const& holds) {
  return std::all_of(types.begin(), types.end(), holds);
}
constexpr bool none(std::initializer_list<Types> types, auto const& holds) {
  return std::none_of(types.begin(), types.end(), holds);
}

}  // namespace KokkosMMA::Testing

#endif
