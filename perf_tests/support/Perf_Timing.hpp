// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_TIMING_HPP
#define KOKKOSMMA_PERF_TIMING_HPP

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
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

/// What is measured. call(k) only submits the k-th of many calls.
struct Timed {
  std::function<void(std::size_t)> call = {};
  /// Before each sample, outside of its time: fresh data, another table.
  std::function<void()> prepare = [] {};
  std::size_t most_calls        = 256;  ///< in a sample (four at least)
  /// The call returns with its result: the host's clock around single calls,
  /// of which a sample is the median of eleven.
  bool waits = false;
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

  /// The one way in which times are taken: \p count samples of each, in rounds
  /// whose order alternates (A B, B A, ...), so that a clock that rises or
  /// falls meets all alike. Where there are several, a call that is not timed
  /// takes what the one before left in the caches. Three rounds at least, and
  /// no more than fit into \p budget seconds.
  std::vector<Samples> sample_in_turn(
      int count, std::vector<Timed> const& all,
      double budget = std::numeric_limits<double>::infinity()) {
    std::vector<Samples> samples(all.size());
    std::vector<std::size_t> calls(all.size());
    std::size_t k = 0;
    double round  = 0;
    for (std::size_t w = 0; w < all.size(); ++w) {
      auto const probe = [&](std::size_t n) {
        all[w].prepare();
        return seconds(n, k, all[w].call) / static_cast<double>(n);
      };
      probe(1);  // loads the kernels, sizes scratch memory
      double each = probe(1);
      if (each < slow) each = probe(4);
      calls[w] = calls_of_sample(each, all[w].most_calls);
      round += each * static_cast<double>(calls[w]);
    }
    if (round * count > budget)
      count = std::clamp(static_cast<int>(budget / round), std::min(3, count),
                         count);
    for (int s = 0; s < count; ++s)
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::size_t const w = s % 2 == 0 ? i : all.size() - 1 - i;
        Timed const& timed  = all[w];
        timed.prepare();
        if (all.size() > 1) seconds(1, k, timed.call);
        samples[w].seconds.push_back(timed.waits
                                         ? sample_host(11, timed.call).median()
                                         : seconds(calls[w], k, timed.call) /
                                               static_cast<double>(calls[w]));
      }
    return samples;
  }
  /// Of a single one.
  Samples sample(int count, Timed const& timed) {
    return sample_in_turn(count, {timed}).front();
  }
  // No braces at the calls: nvcc 13.0 drops them in generic lambdas.
  Samples sample(int count, std::function<void(std::size_t)> const& call) {
    Timed timed;
    timed.call = call;
    return sample(count, timed);
  }
  /// The same in about a tenth of a second.
  Samples sample_briefly(int count, Call const& call) {
    Timed timed;
    timed.call = [&](std::size_t) { call(); };
    return sample_in_turn(count, {timed}, 0.1).front();
  }

 private:
  /// Seconds of a call beside which a gap of microseconds does not count.
  static constexpr double slow = 5e-3;

  /// Calls of a sample, of which each takes so many seconds: 200 us, as the
  /// resolution of an event is about 0.5 us, and four, as an event on an idle
  /// stream is recorded before the host has submitted the kernel after it, and
  /// the gap of a few microseconds would count as device time.
  static std::size_t calls_of_sample(double seconds, std::size_t most) {
    if (seconds >= slow) return 1;
    double const calls = std::ceil(200e-6 / std::max(seconds, 1e-7));
    return static_cast<std::size_t>(
        std::clamp(calls, 4., std::max(static_cast<double>(most), 4.)));
  }

  Exec m_exec;
#ifdef KOKKOS_ENABLE_CUDA
  cudaEvent_t m_begin = nullptr;
  cudaEvent_t m_end   = nullptr;
#endif
};

}  // namespace perf

#endif
