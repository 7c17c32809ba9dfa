// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/runtime/KokkosMMA_KeptErrors.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_TimedCall.hpp>
#include <backends/cuda/runtime/KokkosMMA_VerboseLines.hpp>
#include <core/base/KokkosMMA_AtFinalize.hpp>
#include <core/base/KokkosMMA_ReplaceFile.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/routing/KokkosMMA_CallTables.hpp>
#include <core/routing/KokkosMMA_EnvironmentChoice.hpp>
#include <core/routing/KokkosMMA_Reproducibility.hpp>
#include <core/routing/KokkosMMA_Route.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#include <cuda_runtime.h>

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>

namespace KokkosMMA::Impl {

/// As write_json(), but ranks of an MPI program may have the same file.
inline bool write_report(std::string const& text) {
  std::string const& name = requested_report();
  if (!name.ends_with(".json")) return false;
  std::error_code error;
  // Renaming would replace a symbolic link, not its file.
  std::filesystem::path const target = std::filesystem::canonical(name, error);
  bool const is_new                  = bool(error);
  if (is_new ? !std::filesystem::is_symlink(name, error)
             : std::filesystem::is_regular_file(target, error)) {
    if (replace_file(is_new ? std::filesystem::path(name) : target, text,
                     getpid()))
      return true;
  }
  return write_json(text.c_str());
}

/// Whether any call was recorded.
inline std::atomic<bool> any_call_recorded{false};

/// Note on the calls that the tables do not contain.
inline std::string note_on_unseen_calls() {
  return "KokkosMMA: calls that are not intercepted are not in the table "
         "(policies of kokkos-mma, calls inside kernels, graph nodes, captured "
         "streams, types that fall back to Kokkos at compile time); " +
         std::to_string(VerboseLines::unseen()) + " of them ran on Cuda\n";
}

/// Prints a message instead of empty tables of KOKKOSMMA_REPORT and
/// KOKKOSMMA_COMPARE.
void explain_missing_tables() {
  if (any_call_recorded) return;
  std::string const text =
      "KokkosMMA: no call was intercepted\n" + note_on_unseen_calls();
  std::fputs(text.c_str(), stderr);
  write_report(json_report(CallKinds(), VerboseLines::unseen()));
}

bool announce_drop_in(int version, char const* spaces) {
  environment_route();
  environment_level();
  VerboseLines::listen(true);
  if (measures_calls()) AtFinalize::add(&explain_missing_tables);
  if (environment_verbose())
    std::fprintf(stderr,
                 "KokkosMMA: drop-in active, Kokkos %d.%d.%d, execution "
                 "spaces%s\n",
                 version / 10000, version / 100 % 100, version % 100, spaces);
  return true;
}

/// Two events of one device.
struct CallTimer {
  enum class State : unsigned char { free, recording, pending };
  State state       = State::free;
  bool is_first     = false;
  int device        = -1;  ///< -1: no events
  cudaEvent_t start = nullptr;
  cudaEvent_t stop  = nullptr;
  CallKind* kind    = nullptr;
  Route route       = Route::generic;
  double bytes      = 0;
};

/// Records of all calls so far, and events of those with unknown times.
class CallRecords {
 public:
  static CallRecords& instance() { return until_finalize<CallRecords>(); }
  CallRecords() { any_call_recorded = true; }

  /// Result of begin(): the kind of the call, whether Kokkos runs it, and a
  /// timer of the current device, null if too many are in use.
  struct Begun {
    CallKind* kind;
    bool is_native;
    CallTimer* timer;
  };
  Begun begin(CallKey const& key, bool runs_both_ways, int device) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    CallKind& kind       = kind_of(m_kinds, key);
    bool const is_native = runs_both_ways && environment_compare() &&
                           is_native_call(kind.compared++);
    return {&kind, is_native, take_timer(device)};
  }

  void launched(CallKind& kind, std::string const& launch) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    kind.launch = launch;
  }

  /// Records a launched call; `timed`: both events are in the stream.
  void end(CallKind& kind, Route route, std::string_view reason, double bytes,
           CallTimer* timer, bool timed) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    if (!reason.empty()) kind.reason = reason;
    std::uint64_t const earlier = kind.on(route).calls++;
    if (timer == nullptr) return;
    timer->kind     = &kind;
    timer->route    = route;
    timer->bytes    = bytes;
    timer->is_first = earlier == 0;
    timer->state = timed ? CallTimer::State::pending : CallTimer::State::free;
  }
  /// Prints the tables.
  void release() {
    Cuda::OwnErrors const errors;
    std::lock_guard<std::mutex> const lock(m_mutex);
    for (CallTimer& timer : m_timers) {
      if (timer.state == CallTimer::State::pending)
        read(timer, cudaEventSynchronize);
      destroy_events(timer);
    }
    std::string text;
    bool const in_a_file =
        write_report(json_report(m_kinds, VerboseLines::unseen()));
    if (environment_compare()) text += comparison_table(m_kinds);
    if (environment_report() && !in_a_file) text += report_table(m_kinds);
    if (!text.empty()) text += note_on_unseen_calls();
    // One call of fputs, because other processes print, too.
    std::fputs(text.c_str(), stderr);
  }

 private:
  /// Maximum number of timed calls in flight. Calls of a stream end in order,
  /// so the next timer is the oldest.
  static constexpr std::size_t max_timers = 1024;

  CallTimer* take_timer(int device) {
    bool const may_query = Cuda::queries_keep_errors();
    // A long kernel on one stream must not stop the timing of others.
    for (int attempt = 0; attempt < 4; ++attempt) {
      CallTimer& timer = m_timers[m_next++ % max_timers];
      if (timer.state == CallTimer::State::pending && may_query)
        read(timer, cudaEventQuery);
      if (timer.state != CallTimer::State::free ||
          !provide_events(timer, device))
        continue;
      timer.state = CallTimer::State::recording;
      return &timer;
    }
    return nullptr;
  }

  static bool provide_events(CallTimer& timer, int device) {
    if (timer.device == device) return true;
    destroy_events(timer);
    if (cudaEventCreate(&timer.start) != cudaSuccess) return false;
    if (cudaEventCreate(&timer.stop) != cudaSuccess) {
      cudaEventDestroy(timer.start);
      return false;
    }
    timer.device = device;
    return true;
  }
  static void destroy_events(CallTimer& timer) {
    if (timer.device < 0) return;
    cudaEventDestroy(timer.start);
    cudaEventDestroy(timer.stop);
    timer.device = -1;
  }

  /// \param ask cudaEventQuery or cudaEventSynchronize
  static void read(CallTimer& timer, cudaError_t (*ask)(cudaEvent_t)) {
    cudaError_t const state = ask(timer.stop);
    if (state == cudaErrorNotReady) return;
    float milliseconds = 0;
    if (state == cudaSuccess &&
        cudaEventElapsedTime(&milliseconds, timer.start, timer.stop) ==
            cudaSuccess) {
      CallTimes& times = timer.kind->on(timer.route);
      (timer.is_first ? times.first : times.later)
          .add({1, 1e3 * double(milliseconds), timer.bytes});
    }
    timer.state = CallTimer::State::free;
  }

  std::mutex m_mutex;
  CallKinds m_kinds;
  CallTimer m_timers[max_timers];
  std::size_t m_next = 0;
};

namespace {

/// Scope of CUDA calls that an application does not notice.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    cudaGetDevice(&m_before);
    if (device != m_before) cudaSetDevice(device);
    m_device = device;
  }
  ~OnDevice() {
    if (m_device != m_before) cudaSetDevice(m_before);
  }
  OnDevice(OnDevice const&)            = delete;
  OnDevice& operator=(OnDevice const&) = delete;

 private:
  Cuda::OwnErrors m_errors;
  Cuda::RelaxedCapture m_relaxed;
  int m_before = 0;
  int m_device = 0;
};

std::string_view reason_of(RouteDecision const& decision) {
  if (decision.streamed) return decision.streamed.reason;
  if (decision.asked == Route::generic)
    return "the route generic was requested";
  return {};
}

}  // namespace

bool TimedCall::begin(Cuda::Stream const& stream, char const* pattern,
                      void const* type, std::uint64_t size, double bytes,
                      RouteDecision const& decision, bool may_compare) {
  std::string const label = VerboseLines::label();
  m_device                = stream.device;
  m_stream                = stream.handle;
  OnDevice const here(m_device);
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(m_stream, &capture) != cudaSuccess ||
      capture != cudaStreamCaptureStatusNone) {
    VerboseLines::not_recorded();
    return false;
  }
  bool const generic = decision.route == Route::generic;
  // A scope's route must run. So must a level: Kokkos does not provide it.
  bool const either =
      !generic && may_compare &&
      scoped_settings().route == environment_route().value &&
      scoped_settings().reproducibility == Reproducibility::run_to_run;
  auto const begun = CallRecords::instance().begin(
      {pattern, label, type, log2_size(size)}, either, m_device);
  m_kind   = begun.kind;
  m_timer  = begun.timer;
  m_bytes  = bytes;
  m_route  = begun.is_native ? Route::generic : decision.route;
  m_reason = generic ? reason_of(decision) : std::string_view();
  start();
  return begun.is_native;
}

void TimedCall::launched(std::string const& launch) {
  if (m_kind != nullptr) CallRecords::instance().launched(*m_kind, launch);
}

void TimedCall::fall_back(Refusal const& refusal) {
  if (m_kind == nullptr) return;
  OnDevice const here(m_device);
  ran(Route::generic, refusal.reason);
  start();
}

void TimedCall::start() {
  m_timed = m_timer != nullptr &&
            cudaEventRecord(m_timer->start, m_stream) == cudaSuccess;
  m_running = m_timed;
}

void TimedCall::stop() {
  if (!m_running) return;
  OnDevice const here(m_device);
  m_running = false;
  m_timed   = cudaEventRecord(m_timer->stop, m_stream) == cudaSuccess;
}

void TimedCall::end() {
  if (m_kind != nullptr) {
    stop();
    CallRecords::instance().end(*m_kind, m_route, m_reason, m_bytes, m_timer,
                                m_timed);
  }
  VerboseLines::skip_fence_at_end();
}

}  // namespace KokkosMMA::Impl
