// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_REPLACE_FILE_HPP
#define KOKKOSMMA_REPLACE_FILE_HPP

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

namespace KokkosMMA::Impl {

/// Writes a file, or replaces it by renaming a new one: other processes read
/// the old text or the new one, and of several that write at the same time the
/// last one's text stays, whole.
/// \param number suffix of the new file's name. It is increased until no file
/// has that name: processes on other machines may have the same number
inline bool replace_file(std::filesystem::path const& file,
                         std::string const& text, int number) {
  constexpr int attempts = 1000;
  std::filesystem::path temporary;
  std::FILE* stream = nullptr;
  for (int n = 0; stream == nullptr && n < attempts; ++n) {
    temporary = file;
    temporary += '.' + std::to_string(number + n);
    stream = std::fopen(temporary.string().c_str(), "wx");
    if (stream == nullptr && errno != EEXIST) return false;
  }
  if (stream == nullptr) return false;
  bool const written =
      std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  std::error_code error;
  if (std::fclose(stream) == 0 && written) {
    std::filesystem::rename(temporary, file, error);
    if (!error) return true;
  }
  std::filesystem::remove(temporary, error);
  return false;
}

}  // namespace KokkosMMA::Impl

#endif
