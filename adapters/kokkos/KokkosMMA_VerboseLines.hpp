// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VERBOSE_LINES_HPP
#define KOKKOSMMA_VERBOSE_LINES_HPP

/// \file
/// The lines that KOKKOSMMA_VERBOSE asks for on a Kokkos with Cuda: one per
/// kind of call, with its label; and labels for the tables of KOKKOSMMA_REPORT
/// and KOKKOSMMA_COMPARE. Kokkos tells the label to Kokkos Tools and to
/// nobody else, so callbacks of this library listen there, before those of a
/// tool, which are called as ever. A call that ends without having been seen by
/// a kernel of ours was refused at compile time, and its line says so.
///
/// Nothing here runs without one of the three variables, and nothing touches
/// CUDA before the first call does.

#include <core/base/KokkosMMA_Errors.hpp>
#include <core/loops/KokkosMMA_LaunchChooser.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace KokkosMMA::Impl {

class VerboseLines {
 public:
  /// Begins to listen. `with_drop_in`: calls that no kernel of ours sees are
  /// reported too.
  [[gnu::cold]] static bool listen(bool with_drop_in) {
    if (!environment_verbose() && !measures_calls) return false;
    if (with_drop_in) reports_refused() = true;
    static std::once_flag once;
    std::call_once(once, [] { install(); });
    return true;
  }

  /// Why the type of the call that begins next on this thread is refused, if it
  /// is of this pattern: a type may tell neither whether it is a loop's or a
  /// scan's.
  static void announce_refusal(std::string_view pattern,
                               Refusal const& refusal) {
    if (environment_verbose()) of_this_thread().announced = {pattern, refusal};
  }

  /// The present call is seen. Returns its label, or nothing where nobody said
  /// it: a tool was loaded and this is the first call, or a program took the
  /// callbacks away.
  [[gnu::cold]] static std::string label() {
    // A tool that Kokkos::initialize loads puts its callbacks over ours.
    static std::once_flag once;
    std::call_once(once, [] { install(); });
    auto& open = of_this_thread().open;
    if (open.empty()) return {};
    open.back().seen = true;
    return open.back().label;
  }
  /// That label in quotes.
  [[gnu::cold]] static std::string seen() {
    std::string const label = VerboseLines::label();
    return label.empty() ? label : quoted(label);
  }

  /// Calls on Cuda that ended without having been seen.
  static std::atomic<std::uint64_t>& unseen() {
    static std::atomic<std::uint64_t> calls{0};
    return calls;
  }

 private:
  using Events = Kokkos::Tools::Experimental::EventSet;
  static constexpr std::string_view loop = "parallel_for";

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
  };

  static OfThread& of_this_thread() {
    thread_local OfThread calls;
    return calls;
  }
  static std::atomic<bool>& reports_refused() {
    static std::atomic<bool> reports{false};
    return reports;
  }
  static Events& of_the_tool() {
    static Events events{};
    return events;
  }
  [[gnu::cold]] static std::string quoted(std::string const& label) {
    return '"' + label + '"';
  }

  [[gnu::cold]] static void install() {
    namespace Tools      = Kokkos::Tools::Experimental;
    Events const present = Tools::get_callbacks();
    // A program may have taken some of ours away: the others call nothing that
    // would be themselves.
    auto const keep = [](auto& kept, auto now, auto ours) {
      if (now != ours) kept = now;
    };
    Events& tool = of_the_tool();
    keep(tool.begin_parallel_for, present.begin_parallel_for, &begin_for);
    keep(tool.end_parallel_for, present.end_parallel_for, &end_for);
    keep(tool.begin_parallel_reduce, present.begin_parallel_reduce,
         &begin_reduce);
    keep(tool.end_parallel_reduce, present.end_parallel_reduce, &end_reduce);
    keep(tool.begin_parallel_scan, present.begin_parallel_scan, &begin_scan);
    keep(tool.end_parallel_scan, present.end_parallel_scan, &end_scan);
    Tools::set_begin_parallel_for_callback(&begin_for);
    Tools::set_end_parallel_for_callback(&end_for);
    Tools::set_begin_parallel_reduce_callback(&begin_reduce);
    Tools::set_end_parallel_reduce_callback(&end_reduce);
    Tools::set_begin_parallel_scan_callback(&begin_scan);
    Tools::set_end_parallel_scan_callback(&end_scan);
    // Kokkos waits for all devices before it calls back, unless told that
    // nobody measures.
    if (!present.request_tool_settings)
      Tools::set_request_tool_settings_callback(
          [](std::uint32_t const, Kokkos_Tools_ToolSettings* settings) {
            settings->requires_global_fencing = false;
          });
  }

  [[gnu::cold]] static void begin_for(char const* name, std::uint32_t device,
                                      std::uint64_t* id) {
    begin(loop, of_the_tool().begin_parallel_for, name, device, id);
  }
  [[gnu::cold]] static void end_for(std::uint64_t id) {
    end(of_the_tool().end_parallel_for, id);
  }
  [[gnu::cold]] static void begin_reduce(char const* name, std::uint32_t device,
                                         std::uint64_t* id) {
    begin("parallel_reduce", of_the_tool().begin_parallel_reduce, name, device,
          id);
  }
  [[gnu::cold]] static void begin_scan(char const* name, std::uint32_t device,
                                       std::uint64_t* id) {
    begin("parallel_scan", of_the_tool().begin_parallel_scan, name, device, id);
  }
  [[gnu::cold]] static void end_reduce(std::uint64_t id) {
    end(of_the_tool().end_parallel_reduce, id);
  }
  [[gnu::cold]] static void end_scan(std::uint64_t id) {
    end(of_the_tool().end_parallel_scan, id);
  }

  template <class Callback>
  [[gnu::cold]] static void begin(std::string_view pattern, Callback tool,
                                  char const* name, std::uint32_t device,
                                  std::uint64_t* id) {
    static std::atomic<std::uint64_t> next{1};
    if (tool)
      tool(name, device, id);
    else
      *id = next++;
    namespace Tools           = Kokkos::Tools::Experimental;
    OfThread& thread          = of_this_thread();
    Announced const announced = std::exchange(thread.announced, {});
    thread.open.push_back(
        {pattern, name ? name : "", *id,
         Tools::identifier_from_devid(device).type == Tools::DeviceType::Cuda,
         false, announced.pattern == pattern ? announced.refusal : Refusal{}});
  }
  template <class Callback>
  [[gnu::cold]] static void end(Callback tool, std::uint64_t id) {
    // An exception leaves calls open.
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
    if (tool) tool(id);
  }

  [[gnu::cold]] static void report(Call const& call) {
    // Loops of policies of this library come here too.
    if (call.pattern == loop && !call.refusal) return;
    std::string text = "KokkosMMA: ";
    text += call.pattern;
    text += ' ' + quoted(call.label) + " route generic; not streamed: ";
    if (call.refusal) {
      text += call.refusal.reason;
      text += " (";
      text += call.refusal.source;
      text += ')';
    } else {
      text +=
          "refused at compile time: the value has no fixed size or more than "
          "64 bytes, the functor is not supported, or the source was compiled "
          "without the drop-in (docs/drop_in.md)";
    }
    static std::mutex mutex;
    static std::vector<std::string> printed;
    std::lock_guard<std::mutex> const lock(mutex);
    for (std::string const& line : printed)
      if (line == text) return;
    std::fprintf(stderr, "%s\n", text.c_str());
    printed.push_back(std::move(text));
  }
};

inline bool const verbose_lines_listen = VerboseLines::listen(false);

/// Says which candidate the first launches of a call have chosen, and how long
/// each took.
/// \param noun what follows a candidate's name: nothing, or " calls"
template <class Candidates>
[[gnu::cold]] void report_choice(char const* pattern, std::uint64_t size,
                                 char const* noun, Candidates const& candidates,
                                 LaunchChooser const& chooser) {
  std::string const label = VerboseLines::seen();
  std::string text        = concatenate(
             "KokkosMMA: ", pattern, " ", label, label.empty() ? "" : " ", "n=", size,
             " takes ", to_string(candidates[chooser.choice()]), noun,
             "; milliseconds");
  for (int c = 0; c < candidates.count; ++c)
    text += concatenate(c == 0 ? " " : ", ", to_string(candidates[c]), " ",
                        chooser.milliseconds(c));
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace KokkosMMA::Impl

#endif
