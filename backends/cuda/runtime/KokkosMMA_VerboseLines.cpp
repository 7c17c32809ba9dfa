// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/runtime/KokkosMMA_KokkosFunctions.hpp>
#include <backends/cuda/runtime/KokkosMMA_VerboseLines.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/routing/KokkosMMA_Reproducibility.hpp>
#include <core/routing/KokkosMMA_Route.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

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

/// What VerboseLines does. The members are inline: see described_device() in
/// backends/cuda/runtime/KokkosMMA_Launch.cpp.
class ToolLines {
 public:
  static void listen(bool with_drop_in) {
    if (with_drop_in) reports_refused() = true;
    if (KokkosFunctions::all().read_callbacks == nullptr) return;
    static std::once_flag once;
    std::call_once(once, [] { install<1>(); });
  }

  static void announce_refusal(std::string_view pattern,
                               Refusal const& refusal) {
    if (environment_verbose()) of_this_thread().announced = {pattern, refusal};
  }

  static std::string label() {
    auto& open = of_this_thread().open;
    if (open.empty()) {
      // A tool that Kokkos::initialize loads replaces all callbacks. Paused
      // tools resume with the callbacks they had.
      static std::once_flag once;
      KokkosFunctions const& kokkos = KokkosFunctions::all();
      if (kokkos.tool_is_loaded != nullptr && kokkos.tool_is_loaded())
        std::call_once(once, [] { install<2>(); });
      return {};
    }
    open.back().seen = true;
    return open.back().label;
  }
  static std::atomic<std::uint64_t>& unseen() {
    static std::atomic<std::uint64_t> calls{0};
    return calls;
  }

  static void skip_fence() {
    Kokkos_Tools_ToolSettings* const settings = settings_of_kokkos();
    if (settings && nobody_else_listens())
      requires_fences(settings).store(false, std::memory_order_relaxed);
  }
  static void skip_fence_at_end() {
    // A closure that a program executes itself has no callback at its end.
    auto const& open = of_this_thread().open;
    if (!open.empty() && open.back().seen && std::uncaught_exceptions() == 0)
      skip_fence();
  }

  static std::string quoted(std::string const& label) {
    return '"' + label + '"';
  }

 private:
  static constexpr std::string_view patterns[3] = {
      "parallel_for", "parallel_reduce", "parallel_scan"};
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

  /// A call may run after the destructors of thread-local objects, in one of a
  /// static object. It gets a new OfThread, which is not destroyed.
  static OfThread& of_this_thread() {
    thread_local OfThread* calls = nullptr;
    if (calls != nullptr) return *calls;
    calls = new OfThread();
    thread_local struct AtEnd {
      OfThread*& calls;
      ~AtEnd() {
        delete calls;
        calls = nullptr;
      }
    } const at_end{calls};
    return *calls;
  }
  static std::atomic<bool>& reports_refused() {
    static std::atomic<bool> reports{false};
    return reports;
  }
  static std::atomic_ref<bool> requires_fences(
      Kokkos_Tools_ToolSettings* settings) {
    return std::atomic_ref<bool>(
        KokkosFunctions::all().requires_fences(*settings));
  }
  /// Tool settings of Kokkos, with static storage in Kokkos 4.6 to 5.2. Null
  /// before Kokkos::initialize, and if a tool or program controls them.
  static Kokkos_Tools_ToolSettings*& settings_of_kokkos() {
    static Kokkos_Tools_ToolSettings* settings = nullptr;
    return settings;
  }
  /// Callbacks that an installation replaced and forwards to. Written once,
  /// before the installation, so that no callback calls itself.
  template <int Installation>
  static ToolCallbacks& replaced() {
    static ToolCallbacks callbacks{};
    return callbacks;
  }
  static ToolCallbacks current() {
    ToolCallbacks now{};
    KokkosFunctions::all().read_callbacks(now);
    return now;
  }

  /// Installs the callbacks; active ones of installation 1 stay.
  template <int Installation>
  static void install() {
    ToolCallbacks now     = current();
    ToolCallbacks& before = replaced<Installation>();
    auto const replace = [](auto& slot, auto& previous, auto own, auto first) {
      if (slot == first) return;
      previous = slot;
      slot     = own;
    };
    auto const replace_both = [&]<int P>(std::integral_constant<int, P>) {
      replace(now.begin[P], before.begin[P], &begin<Installation, P>,
              &begin<1, P>);
      replace(now.end[P], before.end[P], &end<Installation, P>, &end<1, P>);
    };
    replace_both(std::integral_constant<int, 0>());
    replace_both(std::integral_constant<int, 1>());
    replace_both(std::integral_constant<int, 2>());
    if (Installation == 1 && !now.request_settings)
      now.request_settings = &remember_settings;
    KokkosFunctions::all().write_callbacks(now);
  }

  static void remember_settings(std::uint32_t,
                                Kokkos_Tools_ToolSettings* settings) {
    // A program that calls this from its own callback controls the settings.
    if (current().request_settings == &remember_settings)
      settings_of_kokkos() = settings;
  }

  static bool nobody_else_listens() {
    ToolCallbacks const now = current();
    auto const only_ours    = [](auto slot, auto first, auto kept_by_first,
                              auto second, auto kept_by_second) {
      return (slot == first && !kept_by_first) ||
             (slot == second && !kept_by_second);
    };
    auto const both_ours = [&]<int P>(std::integral_constant<int, P>) {
      return only_ours(now.begin[P], &begin<1, P>, replaced<1>().begin[P],
                       &begin<2, P>, replaced<2>().begin[P]) &&
             only_ours(now.end[P], &end<1, P>, replaced<1>().end[P], &end<2, P>,
                       replaced<2>().end[P]);
    };
    return both_ours(std::integral_constant<int, 0>()) &&
           both_ours(std::integral_constant<int, 1>()) &&
           both_ours(std::integral_constant<int, 2>()) && !now.has_regions &&
           now.request_settings == &remember_settings;
  }
  static void end_skipped_fence() {
    if (auto* const settings = settings_of_kokkos())
      requires_fences(settings).store(true, std::memory_order_relaxed);
  }

  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> next{1};
    return next++;
  }

  template <int Installation, int P>
  static void begin(char const* name, std::uint32_t device, std::uint64_t* id) {
    end_skipped_fence();
    OfThread& thread          = of_this_thread();
    bool& forwarded           = thread.begins_forwarded[P];
    bool const seen           = Installation == 1 && forwarded;
    Announced const announced = std::exchange(thread.announced, {});
    if (auto const callback = replaced<Installation>().begin[P]) {
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
    if (thread.open.size() == max_open) thread.open.erase(thread.open.begin());
    thread.open.push_back(
        {patterns[P], name ? name : "", *id,
         KokkosFunctions::all().is_cuda(device), false,
         announced.pattern == patterns[P] ? announced.refusal : Refusal{}});
  }

  template <int Installation, int P>
  static void end(std::uint64_t id) {
    end_skipped_fence();
    OfThread& thread = of_this_thread();
    bool& forwarded  = thread.ends_forwarded[P];
    if (Installation == 2 || !forwarded) close(id);
    auto const callback = replaced<Installation>().end[P];
    if (!callback) return;
    if constexpr (Installation == 2) {
      Forwarded const forward(forwarded);
      callback(id);
    } else {
      callback(id);
    }
  }
  static void close(std::uint64_t id) {
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

  static void report(Call const& call) {
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
    // Never destroyed: a destructor at exit of the process may run a call.
    static auto& printed = *new std::vector<std::string>;
    std::lock_guard<std::mutex> const lock(mutex);
    for (std::string const& line : printed)
      if (line == text) return;
    std::fprintf(stderr, "%s\n", text.c_str());
    printed.push_back(std::move(text));
  }
};

bool library_has(LibraryInterface) { return true; }

bool VerboseLines::listen(bool with_drop_in) {
  if (!reports_calls()) return false;
  ToolLines::listen(with_drop_in);
  return true;
}
void VerboseLines::announce_refusal(std::string_view pattern,
                                    Refusal const& refusal) {
  ToolLines::announce_refusal(pattern, refusal);
}
std::string VerboseLines::label() { return ToolLines::label(); }
std::string VerboseLines::seen() {
  std::string const label = ToolLines::label();
  return label.empty() ? label : ToolLines::quoted(label);
}
std::uint64_t VerboseLines::unseen() { return ToolLines::unseen(); }
void VerboseLines::not_recorded() { ToolLines::unseen() += 1; }
void VerboseLines::skip_fence() { ToolLines::skip_fence(); }
void VerboseLines::skip_fence_at_end() { ToolLines::skip_fence_at_end(); }

}  // namespace KokkosMMA::Impl
