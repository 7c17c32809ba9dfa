// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TIMED_CALL_HPP
#define KOKKOSMMA_TIMED_CALL_HPP

/// \file
/// Times the calls of an application for KOKKOSMMA_REPORT and KOKKOSMMA_COMPARE
/// and prints their tables in Kokkos::finalize. Two events of the call's stream
/// enclose what the call launches there. No call waits for an event: it is
/// queried before it is reused. Compiled once, in libkokkosmma.

#include <backends/cuda/runtime/KokkosMMA_Stream.hpp>
#include <backends/cuda/runtime/KokkosMMA_VerboseLines.hpp>
#include <core/routing/KokkosMMA_Route.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace KokkosMMA::Impl {

struct CallKind;
struct CallTimer;

/// Timing of one call: begin() runs before its launches, the destructor after
/// them. Without begin() the call is not timed.
class TimedCall {
 public:
  TimedCall() = default;
  ~TimedCall() {
    if (reports_calls()) end();
  }
  TimedCall(TimedCall const&)            = delete;
  TimedCall& operator=(TimedCall const&) = delete;

  /// Begins the timing if `measures_calls`, after the route is chosen. Calls on
  /// a captured stream are not timed.
  /// \param pattern string of static storage
  /// \param type any address that all calls of one type share
  /// \param bytes of the data; 0 if not known
  /// \param may_compare whether Kokkos may run the call instead
  /// \return whether Kokkos runs this call although this library's kernel could
  bool begin(Cuda::Stream const& stream, char const* pattern, void const* type,
             std::uint64_t size, double bytes, RouteDecision const& decision,
             bool may_compare = true);

  /// Records that another route ran than the decision's.
  /// \param reason why Kokkos' ran, or empty; of static storage
  void ran(Route route, std::string_view reason) {
    m_route  = route;
    m_reason = reason;
  }

  /// Ends the timing before the destructor does, so that work of the host after
  /// the launch does not count.
  void stop();

  /// Records which of several launches ran.
  void launched(std::string const& launch);

  /// This library's kernel cannot run: restarts the timing for Kokkos' code.
  void fall_back(Refusal const& refusal);

 private:
  void start();
  void end();

  CallKind* m_kind          = nullptr;
  CallTimer* m_timer        = nullptr;
  cudaStream_t m_stream     = nullptr;
  double m_bytes            = 0;
  int m_device              = 0;
  Route m_route             = Route::generic;
  std::string_view m_reason = {};
  bool m_timed              = false;
  bool m_running            = false;  ///< between start() and stop()
};

}  // namespace KokkosMMA::Impl

#endif
