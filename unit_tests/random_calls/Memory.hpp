// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RANDOM_CALLS_MEMORY_HPP
#define RANDOM_CALLS_MEMORY_HPP

#include "RandomCall.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// \file
/// The memory of a call: numbers, what is written, counts of invocations and
/// results, with a poisoned zone around each of them. Both twins begin with the
/// same bytes.

namespace random_calls {

/// Indices of a call.
std::int64_t indices_of(Limits const& limits, Parameters const& p);

/// A part of an arena.
struct Part {
  char const* name;
  std::size_t at, bytes;
};

/// What a call begins with, and what it left.
struct Image {
  std::vector<char> device, host;
};

/// Where the parts of a call lie.
class Plan {
 public:
  Plan(Limits const& limits, Parameters const& p);

  /// The bytes before the call.
  Image image() const;
  /// Runs a twin's kind. `on_host`: in loops on the host.
  void run(Kind const& kind, Exec const& space, Image& image,
           bool on_host) const;
  /// What differs between what the drop-in and its twin left; empty: nothing.
  std::string difference(Image const& before, Image const& drop_in,
                         Image const& twin) const;

 private:
  std::string compare(bool on_device, std::vector<char> const& before,
                      std::vector<char> const& ours,
                      std::vector<char> const& theirs) const;

  Limits m_limits;
  Parameters m_p;
  Part m_x, m_y, m_calls, m_result, m_host_result;
  std::size_t m_result_stride, m_device_bytes, m_host_bytes;
};

}  // namespace random_calls

#endif
