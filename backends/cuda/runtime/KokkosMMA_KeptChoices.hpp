// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_KEPT_CHOICES_HPP
#define KOKKOSMMA_KEPT_CHOICES_HPP

#include <core/loops/KokkosMMA_CachedLaunch.hpp>

#include <compare>
#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

/// \file
/// Choices among launches that last longer than a process: the text file in
/// KOKKOSMMA_CHOICES, one line per choice. Compiled once, in libkokkosmma.

namespace KokkosMMA::Impl {

/// Loop with one kept choice. Types identify it, not its label: Kokkos passes
/// labels to callbacks of Kokkos Tools only, fences all devices before each,
/// and loops of different functors may share a label.
struct KeptLoop {
  std::string pattern;
  std::string device;  ///< name of the card
  unsigned size_class;
  std::size_t functor_bytes;
  std::string policy;
  std::string functor;

  friend auto operator<=>(KeptLoop const&, KeptLoop const&) = default;
};

class KeptChoices {
 public:
  /// First line of a file.
  static std::string title(std::string_view kokkos_version);

  /// Reads the file. Prints a warning if it exists but cannot be used.
  KeptChoices(std::filesystem::path const& file, std::string const& title);

  /// Choices of this process, written by Kokkos::finalize; null if the variable
  /// is not set. Inline: see described_device() in
  /// backends/cuda/runtime/KokkosMMA_Launch.cpp.
  static KeptChoices* of_environment() {
    static KeptChoices* const choices = open_environment();
    return choices;
  }
  /// The same for a call whose types have names, otherwise null: the file
  /// identifies a call by these names.
  static KeptChoices* of_call(CallTypes const& types) {
    return types.functor && types.policy ? of_environment() : nullptr;
  }

  /// Returns the candidate of this name that the file has for a loop. A
  /// negative number if there is none: types may have changed since, or the
  /// file was edited.
  int recall(KeptLoop const& loop, std::span<std::string const> names);
  void keep(KeptLoop const& loop, std::string const& name);

  /// Replaces the file if a choice is new. Of the ranks of an MPI program only
  /// the first does so.
  void write();

 private:
  static KeptChoices* open_environment();
  /// Returns why the file cannot be used; empty if it can.
  std::string read();

  std::mutex m_mutex;
  std::filesystem::path m_file;
  std::string m_title;
  std::map<KeptLoop, std::string> m_names;
  bool m_may_replace = true;  ///< the file is missing, empty or of this library
  bool m_has_new     = false;
};

/// Description of a call for the file.
KeptLoop kept_loop(char const* pattern, CallTypes const& types,
                   CachedLaunch::Loop const& loop);

}  // namespace KokkosMMA::Impl

#endif
