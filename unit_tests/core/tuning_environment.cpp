// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tuning_environment CASE FOLDER: what the library makes of KOKKOSMMA_TUNING,
// which a process reads once. Writes a file of the case into FOLDER, sets the
// variable, and fails with a line that says what was different.

#include <core/routing/KokkosMMA_ActiveTuning.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

int failures = 0;
void expect(bool holds, std::string const& what) {
  if (holds) return;
  std::fprintf(stdout, "failed: %s\n", what.c_str());
  ++failures;
}
bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != text.npos;
}

TunedDevice const here{"NVIDIA H200", 90, 132};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "tuning_environment CASE FOLDER\n");
    return 2;
  }
  std::string const which  = argv[1];
  std::string const folder = argv[2];
  std::string const path   = folder + "/tuning_environment_" + which + ".table";
  std::string const errors = path + ".errors";

  TuningFile file{{}, here, "2026-11-21"};
  file.table.tiny_csr_bytes = 96;
  std::string refused;
  if (which == "other_device") {
    file.device.name = "NVIDIA A100";
    refused =
        "measured on NVIDIA A100, compute capability 9.0, 132 "
        "multiprocessors, and this is NVIDIA H200";
  } else if (which == "other_size") {
    file.device.multiprocessors = 114;
    refused                     = "114 multiprocessors, and this is";
  } else if (which == "other_capability") {
    file.device.compute_capability = 100;
    refused                        = "compute capability 10.0, 132";
  }
  std::string text = write_tuning(file);
  if (which == "truncated") {
    text.resize(text.size() / 2);
    refused = "the table is damaged";
  }
  std::ofstream(path, std::ios::binary) << text;
  std::string value = path;
  if (which == "missing") {
    value   = folder + "/no_such.table";
    refused = "cannot be read";
  }
  bool const is_set = which != "unset" && which != "empty";
  if (which == "unset")
    unsetenv("KOKKOSMMA_TUNING");
  else
    setenv("KOKKOSMMA_TUNING", is_set ? value.c_str() : "", 1);

  if (!std::freopen(errors.c_str(), "w", stderr)) return 2;
  bool const is_used = is_set && refused.empty();
  for (int call = 0; call < 3; ++call) {
    TuningTable const& table = tuning_of(here);
    expect(table == (is_used ? file.table : builtin_tuning), "the table");
    expect(is_used || &table == &builtin_tuning_of(here).table,
           "a copy of the built-in table");
    expect(&table == &tuning_of(here), "another reference");
    // Read once: two calls in a row agree whatever happens in between.
    setenv("KOKKOSMMA_TUNING", "/another", 1);
  }
  std::fflush(stderr);
  std::stringstream said;
  said << std::ifstream(errors).rdbuf();
  std::string const name = tuning_name(here);
  if (is_used)
    expect(contains(tuning_name(TunedDevice{}),
                    "not used, because there is no CUDA device"),
           tuning_name(TunedDevice{}));
  if (refused.empty()) {
    expect(said.str().empty(), "printed: " + said.str());
    expect(name == (is_used ? path + " (2026-11-21)" : "built-in, H200"), name);
  } else {
    for (std::string const& part :
         {std::string("KokkosMMA: warning: KOKKOSMMA_TUNING: ") + value,
          refused, std::string("The built-in table is used.\n")})
      expect(contains(said.str(), part),
             "\"" + part + "\" is not in: " + said.str());
    expect(said.str().find("warning") == said.str().rfind("warning"),
           "warned more than once: " + said.str());
    expect(contains(name, "built-in, H200 (not used: " + value) &&
               contains(name, refused),
           name);
  }
  return failures ? 1 : 0;
}
