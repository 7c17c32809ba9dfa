// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CORE_ROUTESUPPORT_HPP
#define CORE_ROUTESUPPORT_HPP

#include <KokkosMMA_ErrorOf.hpp>
#include <core/base/KokkosMMA_Capability.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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

/// Whether a refusal has a reason with these words.
constexpr bool says(Impl::Refusal const& refusal, std::string_view part) {
  return refusal.reason.find(part) != std::string_view::npos;
}

/// A forced route that cannot run is an error with these words.
inline void expect_error(char const* who, Impl::RouteDecision const& decision,
                         std::vector<std::string> const& parts) {
  std::string const error = error_of([&] { Impl::check_route(who, decision); });
  EXPECT_EQ(0u, error.find(std::string(who) + ": ")) << error;
  EXPECT_TRUE(has_parts(error, parts));
}

}  // namespace KokkosMMA::Testing

#endif
