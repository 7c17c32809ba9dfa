// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VERBOSE_LINES_HPP
#define KOKKOSMMA_VERBOSE_LINES_HPP

/// \file
/// Lines of KOKKOSMMA_VERBOSE for a Kokkos with Cuda, one per kind of call, and
/// labels for the tables of KOKKOSMMA_REPORT and KOKKOSMMA_COMPARE. Kokkos
/// passes labels to Kokkos Tools only, so this library installs callbacks
/// there. A call that ends without a route decision was excluded at compile
/// time. Nothing here runs without one of the three variables or uses CUDA
/// before the first call. Compiled once, in libkokkosmma.

#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/routing/KokkosMMA_Refusal.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace KokkosMMA::Impl {

class VerboseLines {
 public:
  /// Installs the callbacks. `with_drop_in`: calls that do not reach this
  /// library's route decision are reported, too.
  static bool listen(bool with_drop_in);

  /// Records why Kokkos' own code runs the next call of this thread. It applies
  /// only to a call of this pattern: a loop and a scan may have the same types.
  static void announce_refusal(std::string_view pattern,
                               Refusal const& refusal);

  /// Marks the current call as seen and returns its label. Empty if no callback
  /// of this library ran: a tool was loaded before the first call, or a program
  /// removed the callbacks.
  static std::string label();
  static std::string seen();  ///< label(), in quotes

  /// Number of calls on Cuda that ended without being seen, or not_recorded().
  static std::uint64_t unseen();
  static void not_recorded();

  /// Skips Kokkos' fence of all devices before the next callback of this
  /// thread, if all callbacks are this library's. That callback must follow at
  /// once: a program may set callbacks at any other time. With the fences the
  /// time of a small kernel would include its launch, and a kernel that waits
  /// for the host would never end.
  static void skip_fence();
  /// skip_fence() for the callback at the end of the current call.
  static void skip_fence_at_end();
};

/// Runs before main. Prints errors in environment variables and, with
/// KOKKOSMMA_VERBOSE, that the drop-in is in the program. Makes no CUDA call,
/// because the process may fork. At the end a message explains missing tables.
/// \param version KOKKOS_VERSION
bool announce_drop_in(int version, char const* spaces);

}  // namespace KokkosMMA::Impl

#endif
