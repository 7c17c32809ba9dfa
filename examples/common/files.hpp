// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whole files in memory. Plain C++20.

#ifndef EXAMPLES_COMMON_FILES_HPP
#define EXAMPLES_COMMON_FILES_HPP

#include "command_line.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

// `what` the file should be: "a MatrixMarket file".
inline std::ifstream opened(std::string const& path, std::string const& what) {
  std::string const start  = "cannot read " + in_quotes(path) + ": ";
  std::string const remedy = "; give the path of " + what;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw InputError(start + "it is a directory" + remedy);
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(start + std::strerror(errno) + remedy);
  return stream;
}

// To be asked before minutes of work that end with these files.
inline void check_readable(std::vector<std::string> const& paths,
                           std::string const& what) {
  for (std::string const& path : paths) opened(path, what);
}

inline std::string read_bytes(std::string const& path,
                              std::string const& what) {
  std::ifstream stream = opened(path, what);
  std::string bytes;
  std::vector<char> chunk(1 << 20);
  while (
      stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) ||
      stream.gcount() > 0) {
    bytes.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) {
    throw InputError("cannot read " + in_quotes(path) + ": " +
                     std::strerror(errno) + "; give the path of " + what);
  }
  return bytes;
}

inline void write_bytes(std::string const& path, std::string const& bytes) {
  errno = 0;
  std::ofstream stream(path, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) {
    throw InputError("cannot write " + in_quotes(path) + ": " +
                     std::strerror(errno) +
                     "; give a path that this user can write");
  }
}

// Without the byte order mark that some editors put in front of a text.
inline std::string read_text(std::string const& path, std::string const& what) {
  std::string bytes = read_bytes(path, what);
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.erase(0, 3);
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    throw InputError("cannot read " + in_quotes(path) +
                     ": its text is in UTF-16; save it as UTF-8 or ASCII");
  }
  return bytes;
}

#endif
