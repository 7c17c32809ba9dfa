// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Starts programs as processes of their own and reads what they print, lines of
// "key value". Plain C++20 and POSIX.

#ifndef EXAMPLES_COMMON_SIDE_BY_SIDE_HPP
#define EXAMPLES_COMMON_SIDE_BY_SIDE_HPP

#include "command_line.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <sys/wait.h>

struct FinishedProgram {
  std::string name;
  int exit_code = 0;
  std::string out;  // and what it wrote to standard error
  std::map<std::string, std::string> values;

  std::string const& text(std::string const& key) const {
    auto const found = values.find(key);
    if (found == values.end()) {
      throw std::runtime_error(name + " printed no " + key);
    }
    return found->second;
  }
  // std::stod refuses subnormal numbers.
  double number(std::string const& key) const {
    return std::strtod(text(key).c_str(), nullptr);
  }

  // 2 is wrong input, 127 a program that is not there.
  void require_success() const {
    if (exit_code == 0) return;
    std::string const what = name + " ended with exit code " +
                             std::to_string(exit_code) + ":\n" + out;
    if (exit_code == 2 || exit_code == 127) throw InputError(what);
    throw std::runtime_error(what);
  }
};

inline std::string for_shell(std::string const& word) {
  std::string result = "'";
  for (char const c : word) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

inline FinishedProgram start_and_wait(std::filesystem::path const& program,
                                      std::vector<std::string> const& arguments,
                                      std::string const& environment = "") {
  std::string command = environment + " " + for_shell(program.string());
  for (auto const& argument : arguments) command += " " + for_shell(argument);
  std::fflush(stdout);
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start: " + command);
  FinishedProgram run;
  run.name = program.filename().string();
  char chunk[4096];
  while (std::fgets(chunk, sizeof(chunk), pipe) != nullptr) run.out += chunk;
  int const status = pclose(pipe);
  run.exit_code    = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    if (auto const blank = line.find(' '); blank != line.npos) {
      run.values[line.substr(0, blank)] = line.substr(blank + 1);
    }
  }
  return run;
}

// Where this program is, and with it those that were built with it.
inline std::filesystem::path own_folder(char const* program) {
  std::error_code error;
  auto const path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::absolute(program).parent_path()
               : path.parent_path();
}

#endif
