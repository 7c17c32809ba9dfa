// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// drop_in_callbacks <case>: programs that set callbacks of Kokkos Tools while
// KOKKOSMMA_VERBOSE and KOKKOSMMA_REPORT listen. Each callback is invoked as
// often as without the library, and after a fence. Where Kokkos has no Cuda,
// functors on the host stand for the library's kernels. Fails with a line that
// says what is wrong.

#include <adapters/kokkos/KokkosMMA_RegisterKokkos.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace {

namespace Tools = Kokkos::Tools::Experimental;
using Lines     = KokkosMMA::Impl::VerboseLines;
using Host      = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;
using Events    = Tools::EventSet;

int failures = 0;
template <class Value>
void expect(Value const& expected, Value const& actual, char const* what) {
  if (expected == actual) return;
  ++failures;
  if constexpr (std::is_same_v<Value, std::string>)
    std::printf("failed: %s: \"%s\" instead of \"%s\"\n", what, actual.c_str(),
                expected.c_str());
  else
    std::printf("failed: %s: %d instead of %d\n", what, int(actual),
                int(expected));
}

/// A listener that counts, and calls what it found.
template <int Number>
struct Listener {
  static inline int begins = 0;
  static inline int ends   = 0;
  static inline int fenced = 0;  ///< of both
  static inline Events found{};
  static inline bool calls_found = true;
  static inline std::uint64_t id = 0;

  static inline int fences = 0;
  /// Kokkos fences each execution space: those of one are counted.
  static void begin_fence(char const* name, std::uint32_t device,
                          std::uint64_t*) {
    if (std::string_view(name).find("Profile Tool Fence") == name_not_found)
      return;
    static std::uint32_t const first = device;
    if (device == first) ++fences;
  }
  static constexpr auto name_not_found = std::string_view::npos;

  static void begin(char const* name, std::uint32_t device,
                    std::uint64_t* kernel) {
    ++begins;
    fenced += fences;
    fences = 0;
    // Numbers of its own, as a listener may hand on.
    *kernel = 1000 + std::uint64_t(begins);
    if (calls_found && found.begin_parallel_for)
      found.begin_parallel_for(name, device, &id);
  }
  static void end(std::uint64_t kernel) {
    ++ends;
    fenced += fences;
    fences = 0;
    expect(1000 + begins, int(kernel), "the number of a kernel");
    if (calls_found && found.end_parallel_for) found.end_parallel_for(id);
  }

  /// Above what is there.
  static void listen() {
    found                  = Tools::get_callbacks();
    Events now             = found;
    now.begin_parallel_for = &begin;
    now.end_parallel_for   = &end;
    now.begin_fence        = &begin_fence;
    Tools::set_callbacks(now);
  }
  static void expect_calls(int calls, char const* what) {
    expect(calls, begins, what);
    expect(calls, ends, what);
  }
};
using Program = Listener<1>;
using Tool    = Listener<2>;

/// Runs one loop that is intercepted, and returns the label that it gets.
std::string run(char const* label) {
  std::string seen;
  Kokkos::parallel_for(label, Host(0, 1), [&](int) { seen = Lines::label(); });
  return seen;
}

void saved_before_the_first_call() {
  Program::listen();
  expect(std::string("a"), run("a"), "the label");
  expect(std::string("b"), run("b"), "the label");
  Program::expect_calls(2, "calls of the program's callback");
  expect(4, Program::fenced, "its calls after a fence");
  Tools::set_callbacks(Program::found);
  expect(std::string("c"), run("c"), "the label");
  Program::expect_calls(2, "calls after the program took its callback away");
}

void saved_after_the_first_call() {
  run("a");
  Program::listen();
  expect(std::string("b"), run("b"), "the label");
  Program::expect_calls(1, "calls of the program's callback");
  expect(2, Program::fenced, "its calls after a fence");
}

void replaced_without_a_call() {
  Events const before  = Tools::get_callbacks();
  Program::calls_found = false;
  Program::listen();
  expect(std::string(), run("a"), "the label of the first call");
  expect(std::string("b"), run("b"), "the label");
  Program::expect_calls(2, "calls of the program's callback");
  expect(4, Program::fenced, "its calls after a fence");
  // Called from below what the second call has installed.
  Program::calls_found = true;
  expect(std::string("c"), run("c"), "the label");
  Program::expect_calls(3, "calls of the program's callback");
  Tools::set_callbacks(before);
  expect(std::string("d"), run("d"), "the label");
  Program::expect_calls(3, "calls after the program took its callback away");
}

void tool_loaded_by_initialize() {
  // Kokkos::initialize replaces all callbacks that a tool may have.
  Tools::set_callbacks(Events{});
  Tool::listen();
  run("a");
  Program::listen();
  expect(std::string("b"), run("b"), "the label");
  Tool::expect_calls(2, "calls of the tool");
  Program::expect_calls(1, "calls of the program's callback");
  expect(2, Program::fenced, "its calls after a fence");
  Tools::set_callbacks(Program::found);
  expect(std::string("c"), run("c"), "the label");
  Tool::expect_calls(3, "calls of the tool");
}

void tool_below() {
  expect(std::string("a"), run("a"), "the label");
  Program::listen();
  expect(std::string("b"), run("b"), "the label");
  Tool::expect_calls(2, "calls of the tool");
  Program::expect_calls(1, "calls of the program's callback");
  Tools::set_callbacks(Program::found);
  run("c");
  Tool::expect_calls(3, "calls of the tool");
}
/// Before the library's own, where the environment names this case.
[[gnu::constructor(101)]] void listen_early() {
  if (std::getenv("DROP_IN_CALLBACKS_TOOL")) Tool::listen();
}

void paused() {
  Tools::pause_tools();
  expect(std::string(), run("a"), "the label while tools are paused");
  Tool::expect_calls(0, "calls of the tool while it is paused");
  Tools::resume_tools();
  expect(std::string("b"), run("b"), "the label");
  Tool::expect_calls(1, "calls of the tool");
}

std::string label_within;
void run_within(char const*, std::uint32_t, std::uint64_t*) {
  static bool within = false;
  if (std::exchange(within, true)) return;
  label_within = run("within");
  within       = false;
}
void callback_that_runs_a_kernel() {
  Tools::set_begin_parallel_for_callback(&run_within);
  run("a");
  expect(std::string("b"), run("b"), "the label");
  expect(std::string("within"), label_within, "the label within a callback");
}

void without_pairs() {
  Program::listen();
  Tools::set_end_parallel_for_callback(nullptr);
  for (int i = 0; i < 300; ++i) run("a");
  expect(300, Program::begins, "calls of the program's callback");
}

/// As a call of the drop-in that is timed.
void run_timed() {
  Lines::skip_fence();
  Kokkos::parallel_for("timed", Host(0, 1), [](int) {
    Lines::label();
    Lines::skip_fence_at_end();
  });
}
void fences() {
  Events now      = Tools::get_callbacks();
  now.begin_fence = &Program::begin_fence;
  Tools::set_callbacks(now);
  run_timed();
  expect(0, Program::fences, "fences where nobody else listens");
  Kokkos::parallel_for("not timed", Host(0, 1), [](int) {});
  expect(2, Program::fences, "fences around a call that is not timed");
  Program::fences = 0;
  Program::listen();
  run_timed();
  expect(2, Program::fenced, "fences of a callback above");
  Tools::set_callbacks(now);
  Tools::set_push_region_callback([](char const*) {});
  run_timed();
  expect(2, Program::fences, "fences where a region may begin");
  Tools::set_callbacks(now);
  Program::calls_found = false;
  Program::listen();
  Program::fences = Program::fenced = 0;
  run_timed();  // the library's callbacks come back above it
  run_timed();
  expect(4, Program::fenced, "fences of a callback below");
}

#if defined(KOKKOS_ENABLE_CUDA)
using Pinned       = Kokkos::View<int, Kokkos::CudaHostPinnedSpace>;
int* written       = nullptr;
int values_read[2] = {};
int reads          = 0;
void read_value(std::uint64_t) {
  if (reads < 2) values_read[reads++] = *static_cast<int volatile*>(written);
}
/// A callback reads what the kernel has written.
void reads_a_result() {
  Pinned const value("value");
  written         = value.data();
  auto const call = [&](int k) {
    Kokkos::parallel_for(
        "slow", Kokkos::RangePolicy<Kokkos::Cuda>(0, 1), KOKKOS_LAMBDA(int) {
          KOKKOS_IF_ON_DEVICE(
              (for (int i = 0; i < 1000; ++i) __nanosleep(100000);))
          value() = k;
        });
  };
  call(1);
  Kokkos::fence();
  Tools::set_end_parallel_for_callback(&read_value);
  call(2);
  Kokkos::fence();
  call(3);
  Kokkos::fence();
  expect(2, values_read[0], "the value that the callback reads");
  expect(3, values_read[1], "the value that the callback reads");
  Tools::set_end_parallel_for_callback(nullptr);
}
#endif

struct Case {
  char const* name;
  void (*run)();
};
constexpr Case cases[] = {
    {"saved_before_the_first_call", saved_before_the_first_call},
    {"saved_after_the_first_call", saved_after_the_first_call},
    {"replaced_without_a_call", replaced_without_a_call},
    {"tool_loaded_by_initialize", tool_loaded_by_initialize},
    {"tool_below", tool_below},
    {"paused", paused},
    {"callback_that_runs_a_kernel", callback_that_runs_a_kernel},
    {"without_pairs", without_pairs},
    {"fences", fences},
#if defined(KOKKOS_ENABLE_CUDA)
    {"reads_a_result", reads_a_result},
#endif
};

}  // namespace

int main(int argc, char** argv) {
  // A program without calls on Cuda does not install the callbacks otherwise.
  static_cast<void>(&KokkosMMA::Impl::kokkos_is_registered<void>);
  Kokkos::ScopeGuard const kokkos(argc, argv);
  for (Case const& c : cases)
    if (argc == 2 && std::string_view(argv[1]) == c.name) {
      c.run();
      return failures;
    }
  std::printf("failed: no such case\n");
  return 1;
}
