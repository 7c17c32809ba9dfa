// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RANDOM_CALLS_KINDS_HPP
#define RANDOM_CALLS_KINDS_HPP

#include "Runners.hpp"

#include <type_traits>

#if defined(RANDOM_CALLS_EMULATED) && defined(RANDOM_CALLS_INTERCEPTED)
#include "EmulatedRunner.hpp"
#endif

/// \file
/// What runs the kinds of this twin.

namespace random_calls::RANDOM_CALLS_TWIN {

/// \tparam HostReference whether the twin without the drop-in runs the kind in
/// loops on the host
template <bool HostReference>
using RunnerOfTwin =
#if defined(RANDOM_CALLS_INTERCEPTED) && defined(RANDOM_CALLS_EMULATED)
    EmulatedRunner;
#elif defined(RANDOM_CALLS_INTERCEPTED)
    KokkosRunner;
#elif defined(RANDOM_CALLS_EMULATED)
    HostRunner;
#else
    std::conditional_t<HostReference, HostRunner, KokkosRunner>;
#endif

/// Adds a kind whose body is a generic lambda of a runner and a call.
template <bool HostReference = false, class Body>
void add(Table& table, char const* name, Limits const& limits, Body const&) {
  table.push_back({name, limits, [](Call const& c) {
                     Body{}(RunnerOfTwin<HostReference>{c}, c);
                   }});
  table.back().limits.host_reference = HostReference;
}

}  // namespace random_calls::RANDOM_CALLS_TWIN

#endif
