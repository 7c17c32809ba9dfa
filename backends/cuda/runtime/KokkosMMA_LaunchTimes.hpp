// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_LAUNCH_TIMES_HPP
#define KOKKOSMMA_CUDA_LAUNCH_TIMES_HPP

#include <backends/cuda/runtime/KokkosMMA_KeptErrors.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/base/KokkosMMA_AtFinalize.hpp>
#include <core/loops/KokkosMMA_LaunchChooser.hpp>

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

/// \file
/// Device times of launches, by events before and after them. A later call
/// reads the events that have completed by then. Nothing waits, except for the
/// parts of a large loop's first call, and that not long.

namespace KokkosMMA::Impl::Cuda {

/// Launch times of all loops.
class LaunchTimes {
 public:
  /// Loop with one choice of its own: a compiled kernel on a device, for a
  /// class of similar sizes.
  struct Loop {
    int device_id;
    void const* kernel;
    unsigned size_class;
    bool forced;  ///< Kokkos' own launch is not a candidate

    KernelKey key() const {
      return {device_id, kernel, 2 * size_class + unsigned(forced)};
    }
  };

  /// Candidate that a call runs, between begin() and end().
  struct Trial {
    int candidate     = 0;
    bool has_loop     = false;    ///< which begin() found or made
    cudaEvent_t start = nullptr;  ///< null: not measured
    cudaEvent_t stop  = nullptr;
    /// Copy of a chooser that has decided since the previous call.
    std::optional<LaunchChooser> decided;
    bool is_final = false;  ///< whether the choice is final
    float parts   = 0;  ///< ratio of the loop to the launched part; 0: whole
    bool is_large = false;  ///< of the part
  };

  /// Limit of the memory: further loops run their first candidate.
  static constexpr std::size_t max_loops = 4096;
  /// Pairs in flight; a call that finds none free is not measured.
  static constexpr int max_pairs = 256;

  static LaunchTimes& instance() { return until_finalize<LaunchTimes>(); }

  /// Returns the candidate for a call that is about to launch on this stream of
  /// the current device. The first `unmeasured` calls of a loop run candidate
  /// `first`; so do others until candidate 0 is measured or one clearly leads;
  /// \p watched, \p required and \p kind as in LaunchChooser.
  /// Captured streams are not measured: their launches have not run when the
  /// events are queried.
  Trial begin(Loop const& loop, int candidates, cudaStream_t stream,
              int unmeasured = 0, int first = 0, bool watched = false,
              LaunchChooser::Candidates const* required = nullptr,
              FirstCandidate kind = FirstCandidate::usual) {
    std::unique_lock<std::mutex> lock(m_mutex);
    auto found = m_loops.find(loop.key());
    if (found == m_loops.end()) {
      if (m_released || m_loops.size() == max_loops) return {};
      State const fresh{
          LaunchChooser(candidates, first, watched, required, kind),
          unmeasured};
      found = m_loops.emplace(loop.key(), fresh).first;
    }
    State& state = found->second;
    Trial trial;
    trial.has_loop = true;
    if (state.unmeasured > 0)
      --state.unmeasured;
    else if (!state.is_final)
      measure(state, loop.device_id, stream, trial);
    trial.is_final = state.is_final;
    record_start(lock, loop, stream, trial);
    if (trial.start == nullptr) trial.candidate = state.chooser.choice();
    return trial;
  }

  /// Longest wait for the parts of a loop. A loop of 2^28 floats has small
  /// parts of 1 ms together. On a stream with earlier work, or if the functor
  /// waits for the host, the results come later.
  static constexpr std::chrono::milliseconds longest_wait{5};

  /// Whether this is the first call of a loop and parts of it may be measured.
  /// Other parameters as in begin().
  bool opens(Loop const& loop, int candidates, cudaStream_t stream, int first,
             LaunchChooser::Candidates const* required, FirstCandidate kind) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    if (m_released || m_loops.size() == max_loops ||
        m_loops.contains(loop.key()) || !may_measure(stream))
      return false;
    m_loops.emplace(
        loop.key(),
        State{LaunchChooser(candidates, first, false, required, kind), 0});
    return true;
  }
  /// Begins the measurement of a candidate on a part of a loop that opens()
  /// announced; `factor`: the ratio of the loop to the part. `is_large` as in
  /// LaunchChooser::measured_part().
  Trial begin_part(Loop const& loop, int candidate, float factor, bool is_large,
                   cudaStream_t stream) {
    std::unique_lock<std::mutex> lock(m_mutex);
    Trial trial;
    trial.candidate = candidate;
    trial.parts     = factor;
    trial.is_large  = is_large;
    if (m_released) return trial;
    RelaxedCapture const capture;
    OwnErrors const errors;
    State& state   = m_loops.at(loop.key());
    trial.has_loop = true;
    Pair pair{loop.device_id, nullptr, nullptr};
    if (!take(pair)) return trial;
    state.chooser.begin_part();
    trial.start = pair.start;
    trial.stop  = pair.stop;
    record_start(lock, loop, stream, trial);
    return trial;
  }
  /// What the parts of a loop tell.
  struct OfParts {
    int choice;  ///< candidate for the rest of the call
    LaunchChooser::Candidates promising;
  };
  /// Waits for the parts of a loop, not beyond `end`.
  OfParts choice_by_parts(Loop const& loop,
                          std::chrono::steady_clock::time_point end) {
    for (;;) {
      {
        std::lock_guard<std::mutex> const lock(m_mutex);
        if (m_released) return {0, 0};
        RelaxedCapture const capture;
        OwnErrors const errors;
        read_pending();
        LaunchChooser const& chooser = m_loops.at(loop.key()).chooser;
        if (!chooser.awaits_parts() || std::chrono::steady_clock::now() >= end)
          return {chooser.choice(), chooser.promising()};
      }
      std::this_thread::yield();
    }
  }

  /// Gives a loop without launches the choice of an earlier process. It is not
  /// measured.
  /// \param recall returns that choice, or a negative number
  template <class Recall>
  void recall(Loop const& loop, int candidates, Recall const& recall) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    if (m_released || m_loops.size() == max_loops ||
        m_loops.contains(loop.key()))
      return;
    int const choice = recall();
    if (choice < 0) return;
    m_loops.emplace(loop.key(),
                    State{LaunchChooser(candidates, choice), 0, true, true});
  }

  /// Returns the candidate that was chosen after all were measured, before that
  /// LaunchChooser::none.
  int decided(Loop const& loop) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    auto const found = m_loops.find(loop.key());
    if (found == m_loops.end()) return LaunchChooser::none;
    State const& state = found->second;
    return state.decided || state.chooser.decided() ? state.chooser.choice()
                                                    : LaunchChooser::none;
  }

  /// Ends the measurement. Called after the launch.
  void end(Loop const& loop, Trial const& trial, cudaStream_t stream) {
    if (trial.start == nullptr) return;
    RelaxedCapture const capture;
    OwnErrors const errors;
    bool const recorded = cudaEventRecord(trial.stop, stream) == cudaSuccess;
    std::lock_guard<std::mutex> const lock(m_mutex);
    if (m_released) return;
    if (recorded)
      m_pending[m_pendings++] = pending_of(loop, trial);
    else
      drop(pending_of(loop, trial));
  }

  /// Called instead of end() if the launch of the candidate failed.
  void cannot_run(Loop const& loop, Trial const& trial) {
    if (!trial.has_loop) return;
    std::lock_guard<std::mutex> const lock(m_mutex);
    if (m_released) return;
    m_loops.at(loop.key()).chooser.cannot_run(trial.candidate);
    if (trial.start != nullptr) drop(pending_of(loop, trial));
  }

  /// Ends the measurement of a launch that throws, as Kokkos does for too much
  /// scratch memory, and copy constructors of functors may.
  class OnException {
   public:
    OnException(LaunchTimes& times, Loop const& loop, Trial const& trial)
        : m_times(times), m_loop(loop), m_trial(trial) {}
    OnException(OnException const&)            = delete;
    OnException& operator=(OnException const&) = delete;
    ~OnException() {
      if (std::uncaught_exceptions() > m_before)
        m_times.abandon(m_loop, m_trial);
    }

   private:
    LaunchTimes& m_times;
    Loop const& m_loop;
    Trial const& m_trial;
    int m_before = std::uncaught_exceptions();
  };

  /// Called by Kokkos::finalize.
  void release() {
    std::lock_guard<std::mutex> const lock(m_mutex);
    for (int i = 0; i < m_pendings; ++i) destroy(m_pending[i].pair);
    for (int i = 0; i < m_frees; ++i) destroy(m_free[i]);
    m_pendings = 0;
    m_frees    = 0;
    m_loops.clear();
    m_pairs    = 0;
    m_released = true;
  }

 private:
  struct State {
    LaunchChooser chooser;
    int unmeasured;  ///< calls that still run unmeasured
    bool decided  = false;
    bool is_final = false;
  };
  struct Pair {
    int device_id;
    cudaEvent_t start, stop;
  };
  struct Pending {
    State* state;
    int candidate;
    Pair pair;
    float parts;    ///< as in Trial
    bool is_large;  ///< as in Trial
  };

  void abandon(Loop const& loop, Trial const& trial) {
    if (trial.start == nullptr) return;
    std::lock_guard<std::mutex> const lock(m_mutex);
    if (!m_released) drop(pending_of(loop, trial));
  }
  Pending pending_of(Loop const& loop, Trial const& trial) {
    return {&m_loops.at(loop.key()),
            trial.candidate,
            {loop.device_id, trial.start, trial.stop},
            trial.parts,
            trial.is_large};
  }

  static void destroy(Pair const& pair) {
    cudaEventDestroy(pair.start);
    cudaEventDestroy(pair.stop);
  }

  /// Whether a call on this stream may be measured.
  static bool may_measure(cudaStream_t stream) {
    if (!queries_keep_errors()) return false;
    RelaxedCapture const capture;
    OwnErrors const errors;
    auto status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
           status == cudaStreamCaptureStatusNone;
  }

  void measure(State& state, int device_id, cudaStream_t stream, Trial& trial) {
    if (!may_measure(stream)) return;
    RelaxedCapture const capture;
    OwnErrors const errors;
    read_pending();
    if (!state.decided && state.chooser.decided()) {
      state.decided = true;
      trial.decided = state.chooser;
    }
    if (state.chooser.is_final()) {
      state.is_final = true;
      return;
    }
    Pair pair{device_id, nullptr, nullptr};
    if (!take(pair)) return;
    int const candidate = state.chooser.next();
    if (candidate == LaunchChooser::none) {
      m_free[m_frees++] = pair;
    } else {
      trial.candidate = candidate;
      trial.start     = pair.start;
      trial.stop      = pair.stop;
    }
  }

  /// Records the start of a trial. Without the lock: if the stream has too many
  /// launches in flight, CUDA waits for one, which may wait for a call of
  /// another host thread.
  void record_start(std::unique_lock<std::mutex>& lock, Loop const& loop,
                    cudaStream_t stream, Trial& trial) {
    if (trial.start == nullptr) return;
    lock.unlock();
    RelaxedCapture const capture;
    OwnErrors const errors;
    bool const recorded = cudaEventRecord(trial.start, stream) == cudaSuccess;
    lock.lock();
    if (recorded || m_released) return;
    drop(pending_of(loop, trial));
    trial.start = trial.stop = nullptr;
  }

  /// Queries from the oldest on, until a few are not complete: there is no
  /// order between streams.
  void read_pending() {
    int waiting = 0;
    for (int i = 0; i < m_pendings && waiting < 4;) {
      Pending const pending   = m_pending[i];
      cudaError_t const state = cudaEventQuery(pending.pair.stop);
      if (state == cudaErrorNotReady) {
        ++waiting;
        ++i;
        continue;
      }
      --m_pendings;
      for (int k = i; k < m_pendings; ++k) m_pending[k] = m_pending[k + 1];
      float milliseconds = 0;
      if (state == cudaSuccess &&
          cudaEventElapsedTime(&milliseconds, pending.pair.start,
                               pending.pair.stop) == cudaSuccess) {
        LaunchChooser& chooser = pending.state->chooser;
        if (pending.parts > 0)
          chooser.measured_part(pending.candidate, pending.parts * milliseconds,
                                pending.is_large);
        else
          chooser.measured(pending.candidate, milliseconds);
        m_free[m_frees++] = pending.pair;
      } else {
        drop(pending);
      }
    }
  }

  void drop(Pending const& pending) {
    if (pending.parts > 0)
      pending.state->chooser.lost_part();
    else
      pending.state->chooser.lost(pending.candidate);
    m_free[m_frees++] = pending.pair;
  }

  /// Takes or creates a pair of events; events belong to a device. At the bound
  /// a free pair of another device makes room.
  bool take(Pair& pair) {
    for (int i = m_frees; i-- > 0;)
      if (m_free[i].device_id == pair.device_id) {
        pair      = m_free[i];
        m_free[i] = m_free[--m_frees];
        return true;
      }
    if (m_pairs == max_pairs) {
      if (m_frees == 0) return false;
      destroy(m_free[--m_frees]);
      --m_pairs;
    }
    if (cudaSetDevice(pair.device_id) != cudaSuccess) return false;
    if (cudaEventCreate(&pair.start) != cudaSuccess) return false;
    if (cudaEventCreate(&pair.stop) != cudaSuccess) {
      cudaEventDestroy(pair.start);
      return false;
    }
    ++m_pairs;
    return true;
  }

  std::mutex m_mutex;
  std::unordered_map<KernelKey, State, KernelHash> m_loops;
  Pending m_pending[max_pairs];  ///< the oldest first
  Pair m_free[max_pairs];
  int m_pendings  = 0;
  int m_frees     = 0;
  int m_pairs     = 0;  ///< in both arrays, and of launches in flight
  bool m_released = false;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
