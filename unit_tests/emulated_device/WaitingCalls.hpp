// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDDEVICE_WAITINGCALLS_HPP
#define EMULATEDDEVICE_WAITINGCALLS_HPP

#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include <chrono>
#include <future>

namespace KokkosMMA::Testing {

/// Makes a call in which the host waits for the device once, perhaps for a
/// kernel of another host thread. That one does `other` meanwhile, and must not
/// wait for the call.
template <class Call>
void expect_goes_on(void (*other)(), Call const& call) {
  static void (*of_thread)();
  static std::future<void> thread;
  static bool went_on;
  of_thread     = other;
  went_on       = false;
  emulated_wait = [] {
    thread = std::async(std::launch::async, [] { of_thread(); });
    went_on =
        thread.wait_for(std::chrono::seconds(2)) == std::future_status::ready;
  };
  call();
  ASSERT_EQ(emulated_wait, nullptr);
  thread.wait();
  EXPECT_TRUE(went_on);
}

}  // namespace KokkosMMA::Testing

#endif
