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
/// before the first call.

#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/loops/KokkosMMA_LaunchChooser.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace KokkosMMA::Impl {

class VerboseLines {
 public:
  static bool listens() { return measures_calls() || environment_verbose(); }
  /// Installs the callbacks. `with_drop_in`: calls that do not reach this
  /// library's route decision are reported, too.
  [[gnu::cold]] static bool listen(bool with_drop_in) {
    if (!listens()) return false;
    if (with_drop_in) reports_refused() = true;
    static std::once_flag once;
    std::call_once(once, [] { install<1>(); });
    return true;
  }

  /// Records why Kokkos' own code runs the next call of this thread. It applies
  /// only to a call of this pattern: a loop and a scan may have the same types.
  static void announce_refusal(std::string_view pattern,
                               Refusal const& refusal) {
    if (environment_verbose()) of_this_thread().announced = {pattern, refusal};
  }

  /// Marks the current call as seen and returns its label. Empty if no callback
  /// of this library ran: a tool was loaded before the first call, or a program
  /// removed the callbacks.
  [[gnu::cold]] static std::string label() {
    auto& open = of_this_thread().open;
    if (open.empty()) {
      // A tool that Kokkos::initialize loads replaces all callbacks. Paused
      // tools resume with the callbacks they had.
      static std::once_flag once;
      if (Kokkos::Tools::profileLibraryLoaded())
        std::call_once(once, [] { install<2>(); });
      return {};
    }
    open.back().seen = true;
    return open.back().label;
  }
  /// label(), in quotes.
  [[gnu::cold]] static std::string seen() {
    std::string const label = VerboseLines::label();
    return label.empty() ? label : quoted(label);
  }

  /// Number of calls on Cuda that ended without being seen.
  static std::atomic<std::uint64_t>& unseen() {
    static std::atomic<std::uint64_t> calls{0};
    return calls;
  }

  /// Skips Kokkos' fence of all devices before the next callback of this
  /// thread, if all callbacks are this library's. That callback must follow at
  /// once: a program may set callbacks at any other time. With the fences the
  /// time of a small kernel would include its launch, and a kernel that waits
  /// for the host would never end.
  [[gnu::cold]] static void skip_fence() {
    Kokkos_Tools_ToolSettings* const settings = settings_of_kokkos();
    if (settings && nobody_else_listens())
      requires_fences(settings).store(false, std::memory_order_relaxed);
  }
  /// skip_fence() for the callback at the end of the current call.
  [[gnu::cold]] static void skip_fence_at_end() {
    // A closure that a program executes itself has no callback at its end.
    auto const& open = of_this_thread().open;
    if (!open.empty() && open.back().seen && std::uncaught_exceptions() == 0)
      skip_fence();
  }

 private:
  using Events = Kokkos::Tools::Experimental::EventSet;
  using Begin  = Kokkos::Tools::beginFunction Events::*;
  using End    = Kokkos::Tools::endFunction Events::*;
  static constexpr std::string_view patterns[3] = {
      "parallel_for", "parallel_reduce", "parallel_scan"};
  static constexpr Begin begins[3] = {&Events::begin_parallel_for,
                                      &Events::begin_parallel_reduce,
                                      &Events::begin_parallel_scan};
  static constexpr End ends[3]     = {&Events::end_parallel_for,
                                      &Events::end_parallel_reduce,
                                      &Events::end_parallel_scan};
  /// Maximum number of open calls per thread. Exceptions, and callbacks that do
  /// not come in pairs, leave calls open.
  static constexpr std::size_t max_open = 256;

  struct Call {
    std::string_view pattern;
    std::string label;
    std::uint64_t id;
    bool on_cuda;
    bool seen;
    Refusal refusal;
  };
  struct Announced {
    std::string_view pattern;
    Refusal refusal;
  };
  struct OfThread {
    std::vector<Call> open;
    Announced announced;
    /// Set while a callback of the second installation runs the one that it
    /// replaced, which may run the one of the first installation.
    bool begins_forwarded[3];
    bool ends_forwarded[3];
  };
  class Forwarded {
   public:
    explicit Forwarded(bool& flag)
        : m_flag(flag), m_before(std::exchange(flag, true)) {}
    ~Forwarded() { m_flag = m_before; }
    Forwarded(Forwarded const&)            = delete;
    Forwarded& operator=(Forwarded const&) = delete;

   private:
    bool& m_flag;
    bool m_before;
  };

  static OfThread& of_this_thread() {
    thread_local OfThread calls;
    return calls;
  }
  static std::atomic<bool>& reports_refused() {
    static std::atomic<bool> reports{false};
    return reports;
  }
  static std::atomic_ref<bool> requires_fences(
      Kokkos_Tools_ToolSettings* settings) {
    return std::atomic_ref<bool>(settings->requires_global_fencing);
  }
  /// Tool settings of Kokkos, with static storage in Kokkos 4.6 to 5.2. Null
  /// before Kokkos::initialize, and if a tool or program controls them.
  static Kokkos_Tools_ToolSettings*& settings_of_kokkos() {
    static Kokkos_Tools_ToolSettings* settings = nullptr;
    return settings;
  }
  [[gnu::cold]] static std::string quoted(std::string const& label) {
    return '"' + label + '"';
  }

  /// Callbacks that an installation replaced and forwards to. Written once,
  /// before the installation, so that no callback calls itself.
  template <int Installation>
  static Events& replaced() {
    static Events events{};
    return events;
  }

  /// Installs the callbacks; active ones of installation 1 stay.
  template <int Installation>
  [[gnu::cold]] static void install() {
    namespace Tools    = Kokkos::Tools::Experimental;
    Events now         = Tools::get_callbacks();
    Events& before     = replaced<Installation>();
    auto const replace = [&](auto slot, auto ours, auto first) {
      if (now.*slot == first) return;
      before.*slot = now.*slot;
      now.*slot    = ours;
    };
    auto const replace_both = [&]<int P>(std::integral_constant<int, P>) {
      replace(begins[P], &begin<Installation, P>, &begin<1, P>);
      replace(ends[P], &end<Installation, P>, &end<1, P>);
    };
    replace_both(std::integral_constant<int, 0>());
    replace_both(std::integral_constant<int, 1>());
    replace_both(std::integral_constant<int, 2>());
    if (Installation == 1 && !now.request_tool_settings)
      now.request_tool_settings = &remember_settings;
    Tools::set_callbacks(now);
  }

  [[gnu::cold]] static void remember_settings(
      std::uint32_t const, Kokkos_Tools_ToolSettings* settings) {
    // A program that calls this from its own callback controls the settings.
    if (Kokkos::Tools::Experimental::get_callbacks().request_tool_settings ==
        &remember_settings)
      settings_of_kokkos() = settings;
  }

  [[gnu::cold]] static bool nobody_else_listens() {
    Events const now     = Kokkos::Tools::Experimental::get_callbacks();
    auto const only_ours = [&](auto slot, auto first, auto second) {
      return (now.*slot == first && !(replaced<1>().*slot)) ||
             (now.*slot == second && !(replaced<2>().*slot));
    };
    auto const both_ours = [&]<int P>(std::integral_constant<int, P>) {
      return only_ours(begins[P], &begin<1, P>, &begin<2, P>) &&
             only_ours(ends[P], &end<1, P>, &end<2, P>);
    };
    return both_ours(std::integral_constant<int, 0>()) &&
           both_ours(std::integral_constant<int, 1>()) &&
           both_ours(std::integral_constant<int, 2>()) && !now.push_region &&
           !now.pop_region && now.request_tool_settings == &remember_settings;
  }
  [[gnu::cold]] static void end_skipped_fence() {
    if (auto* const settings = settings_of_kokkos())
      requires_fences(settings).store(true, std::memory_order_relaxed);
  }

  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> next{1};
    return next++;
  }

  template <int Installation, int P>
  [[gnu::cold]] static void begin(char const* name, std::uint32_t device,
                                  std::uint64_t* id) {
    end_skipped_fence();
    OfThread& thread          = of_this_thread();
    bool& forwarded           = thread.begins_forwarded[P];
    bool const seen           = Installation == 1 && forwarded;
    Announced const announced = std::exchange(thread.announced, {});
    if (auto const callback = replaced<Installation>().*begins[P]) {
      if constexpr (Installation == 2) {
        Forwarded const forward(forwarded);
        callback(name, device, id);
      } else {
        callback(name, device, id);
      }
    } else {
      *id = next_id();
    }
    if (seen) return;
    namespace Tools = Kokkos::Tools::Experimental;
    if (thread.open.size() == max_open) thread.open.erase(thread.open.begin());
    thread.open.push_back(
        {patterns[P], name ? name : "", *id,
         Tools::identifier_from_devid(device).type == Tools::DeviceType::Cuda,
         false,
         announced.pattern == patterns[P] ? announced.refusal : Refusal{}});
  }

  template <int Installation, int P>
  [[gnu::cold]] static void end(std::uint64_t id) {
    end_skipped_fence();
    OfThread& thread = of_this_thread();
    bool& forwarded  = thread.ends_forwarded[P];
    if (Installation == 2 || !forwarded) close(id);
    auto const callback = replaced<Installation>().*ends[P];
    if (!callback) return;
    if constexpr (Installation == 2) {
      Forwarded const forward(forwarded);
      callback(id);
    } else {
      callback(id);
    }
  }
  [[gnu::cold]] static void close(std::uint64_t id) {
    OfThread& thread = of_this_thread();
    for (std::size_t i = thread.open.size(); i-- > 0;)
      if (thread.open[i].id == id) {
        Call const call = std::move(thread.open[i]);
        thread.open.erase(thread.open.begin() + std::ptrdiff_t(i),
                          thread.open.end());
        if (call.on_cuda && !call.seen) {
          unseen() += 1;
          if (environment_verbose() && reports_refused()) report(call);
        }
        break;
      }
    thread.announced = {};
  }

  [[gnu::cold]] static void report(Call const& call) {
    // Loops over policies of this library end here, too, and are not reported.
    if (call.pattern == patterns[0] && !call.refusal) return;
    std::string text = concatenate(
        "KokkosMMA: ", call.pattern, " ", quoted(call.label),
        " route generic; not streamed: ",
        call.refusal
            ? to_string(call.refusal)
            : "excluded at compile time: the value has no fixed size or is "
              "larger than 64 bytes, the functor is not supported, or the "
              "source was compiled without the drop-in");
    static std::mutex mutex;
    static std::vector<std::string> printed;
    std::lock_guard<std::mutex> const lock(mutex);
    for (std::string const& line : printed)
      if (line == text) return;
    std::fprintf(stderr, "%s\n", text.c_str());
    printed.push_back(std::move(text));
  }
};

/// Installs the callbacks before main, because Kokkos::initialize requests the
/// tool settings. Only a source with a call compiles this (3 s of g++,
/// 2026-11-28): `Call` is void, as a type that depends on the caller's.
template <class Call>
inline bool const listens_before_main = VerboseLines::listen(false);

/// Prints the candidate that the first launches of a call selected, and the
/// time of each candidate.
/// \param noun text after a candidate's name: empty, or " invocations"
template <class Candidates>
[[gnu::cold]] void report_choice(char const* pattern, std::uint64_t size,
                                 char const* noun, Candidates const& candidates,
                                 LaunchChooser const& chooser) {
  std::string const label = VerboseLines::seen();
  std::string text =
      concatenate("KokkosMMA: ", pattern, " ", label, label.empty() ? "" : " ",
                  "n=", size, " uses ", to_string(candidates[chooser.choice()]),
                  noun, " from now on; milliseconds:");
  for (int c = 0; c < candidates.count; ++c)
    text += concatenate(c == 0 ? " " : ", ", to_string(candidates[c]), " ",
                        chooser.milliseconds(c));
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace KokkosMMA::Impl

#endif
