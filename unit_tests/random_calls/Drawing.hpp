// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RANDOM_CALLS_DRAWING_HPP
#define RANDOM_CALLS_DRAWING_HPP

#include "RandomCall.hpp"

#include <functional>
#include <random>
#include <string>

/// \file
/// Parameters at random, as text, and the smallest ones that still fail.

namespace random_calls {

/// \param instances, host_threads what there is
Parameters draw(Limits const& limits, std::mt19937_64& engine, int instances,
                int host_threads);

/// As `--with` reads them.
std::string to_text(Parameters const& p);
/// \throws std::invalid_argument for what is no parameter
Parameters from_text(Limits const& limits, std::string const& text);

/// Halves each parameter for as long as the call fails.
Parameters shrink(Limits const& limits, Parameters p,
                  std::function<bool(Parameters const&)> const& fails);

}  // namespace random_calls

#endif
