// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ERRORS_HPP
#define KOKKOSMMA_ERRORS_HPP

#include <sstream>
#include <stdexcept>
#include <string>

namespace KokkosMMA::Impl {

template <class... Parts>
std::string concatenate(Parts const&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// Throws before anything is launched or written. `who` is the public name of
/// the call; the parts state the error, the values, the allowed values and the
/// remedy.
template <class... Parts>
[[noreturn]] void invalid_argument(char const* who, Parts const&... parts) {
  throw std::invalid_argument(concatenate(who, ": ", parts...));
}

}  // namespace KokkosMMA::Impl

#endif
