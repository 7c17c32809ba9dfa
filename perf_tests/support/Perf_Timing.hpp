// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_TIMING_HPP
#define KOKKOSMMA_PERF_TIMING_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/Perf_Data.hpp"

namespace perf {

#ifdef KOKKOS_ENABLE_CUDA
inline constexpr bool on_cuda = true;

/// An error of the CUDA runtime ends the case that met it, by name.
inline void check_cuda(cudaError_t error, char const* what) {
  if (error != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " +
                             cudaGetErrorName(error) + ", " +
                             cudaGetErrorString(error));
  }
}
#else
inline constexpr bool on_cuda = false;
#endif

/// Enqueues the work of a contender; memory beside the operands exists before.
using Call = std::function<void()>;

/// Seconds per call of many samples.
struct Samples {
  std::vector<double> seconds;

  double median() const {
    std::vector<double> s = seconds;
    std::nth_element(s.begin(), s.begin() + s.size() / 2, s.end());
    return s[s.size() / 2];
  }
  double minimum() const {
    return *std::min_element(seconds.begin(), seconds.end());
  }

  /// Standard deviation over mean: what a difference between two contenders has
  /// to exceed to mean something.
  double variation() const {
    double mean = 0, square = 0;
    for (double s : seconds) mean += s / seconds.size();
    for (double s : seconds) square += (s - mean) * (s - mean) / seconds.size();
    return std::sqrt(square) / mean;
  }
};

/// Measures calls that only submit work. On Cuda the time between two events on
/// the instance's stream, elsewhere the host's clock around the calls and a
/// fence of the instance.
class DeviceTimer {
 public:
  explicit DeviceTimer(Exec const& exec) : m_exec(exec) {
#ifdef KOKKOS_ENABLE_CUDA
    check_cuda(cudaEventCreate(&m_begin), "cudaEventCreate");
    check_cuda(cudaEventCreate(&m_end), "cudaEventCreate");
#endif
  }
  DeviceTimer(DeviceTimer const&)            = delete;
  DeviceTimer& operator=(DeviceTimer const&) = delete;
  ~DeviceTimer() {
#ifdef KOKKOS_ENABLE_CUDA
    cudaEventDestroy(m_begin);
    cudaEventDestroy(m_end);
#endif
  }

  /// Seconds that \p calls calls take, back to back; call(k) gets the running
  /// number k of the call.
  template <class Call>
  double seconds(std::size_t calls, std::size_t& k, Call&& call) {
#ifdef KOKKOS_ENABLE_CUDA
    cudaStream_t const stream = m_exec.cuda_stream();
    check_cuda(cudaEventRecord(m_begin, stream), "cudaEventRecord");
    for (std::size_t c = 0; c < calls; ++c) call(k++);
    check_cuda(cudaEventRecord(m_end, stream), "cudaEventRecord");
    check_cuda(cudaEventSynchronize(m_end), "cudaEventSynchronize");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, m_begin, m_end),
               "cudaEventElapsedTime");
    return milliseconds * 1e-3;
#else
    auto const begin = std::chrono::steady_clock::now();
    for (std::size_t c = 0; c < calls; ++c) call(k++);
    m_exec.fence("perf::DeviceTimer");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin)
        .count();
#endif
  }

  /// Calls of a sample, of which each takes so many seconds: 200 us, as the
  /// resolution of an event is about 0.5 us, and four, as an event on an idle
  /// stream is recorded before the host has submitted the kernel behind it, and
  /// the gap of a few microseconds would count as device time.
  static std::size_t calls_of_sample(double seconds, std::size_t most = 256) {
    double const calls = std::ceil(200e-6 / std::max(seconds, 1e-7));
    return static_cast<std::size_t>(
        std::clamp(calls, 4., static_cast<double>(most)));
  }

  template <class Call>
  Samples sample(int count, Call&& call) {
    return sample(
        count, call, [] {}, 256);
  }

  /// The same for calls that use up their data: prepare() comes before each
  /// sample and outside of its time, and a sample has no more than \p most
  /// calls (four at least), however short that makes it.
  template <class Call, class Prepare>
  Samples sample(int count, Call&& call, Prepare&& prepare, std::size_t most) {
    std::size_t k = 0;
    prepare();
    seconds(2, k, call);  // loads the kernels, sizes scratch memory
    prepare();
    std::size_t const batch = calls_of_sample(seconds(4, k, call) / 4, most);
    Samples samples;
    for (int s = 0; s < count; ++s) {
      prepare();
      samples.seconds.push_back(seconds(batch, k, call) / batch);
    }
    return samples;
  }

 private:
  Exec m_exec;
#ifdef KOKKOS_ENABLE_CUDA
  cudaEvent_t m_begin = nullptr;
  cudaEvent_t m_end   = nullptr;
#endif
};

/// Times a case in about a tenth of a second: fewer samples of slow calls, and
/// of very slow ones single calls, in which the gap before the first kernel
/// does not count any more.
template <class Function>
Samples sample_briefly(DeviceTimer& timer, int count, Function&& call) {
  std::size_t k      = 0;
  double const probe = timer.seconds(1, k, call);
  auto const within  = [count](double seconds) {
    return std::clamp(static_cast<int>(0.1 / seconds), 3, std::max(count, 3));
  };
  if (probe < 5e-3)
    return timer.sample(std::min(count, within(std::max(4 * probe, 200e-6))),
                        call);
  Samples samples;
  for (int s = 0; s < std::min(count, within(probe)); ++s)
    samples.seconds.push_back(timer.seconds(1, k, call));
  return samples;
}

/// Measures calls that return with their result: the host's clock around each
/// single call.
template <class Call>
Samples sample_host(int count, Call&& call) {
  std::size_t k = 0;
  for (; k < 3;) call(k++);
  Samples samples;
  for (int s = 0; s < count; ++s) {
    auto const begin = std::chrono::steady_clock::now();
    call(k++);
    samples.seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  return samples;
}

}  // namespace perf

#endif
