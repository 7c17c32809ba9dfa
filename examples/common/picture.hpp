// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Grey PNG images through libpng. CMake defines EXAMPLES_HAVE_PNG where it is.

#ifndef EXAMPLES_COMMON_PICTURE_HPP
#define EXAMPLES_COMMON_PICTURE_HPP

#include "command_line.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#if defined(EXAMPLES_HAVE_PNG)
#include <png.h>
#endif

// One byte per point, row after row from the top, 0 is black.
struct Picture {
  std::int64_t width  = 0;
  std::int64_t height = 0;
  std::vector<std::uint8_t> points;
};

// To be asked before anything is computed: without libpng no picture can be
// written, nor into a folder that is not there.
inline void check_output(std::string const& option, std::string const& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  auto const folder = fs::absolute(file, error).parent_path();
  if (!fs::is_directory(folder, error)) {
    throw InputError(option + " " + in_quotes(file) + ": there is no folder " +
                     in_quotes(folder.string()) +
                     "; create it or give another path");
  }
  if (fs::is_directory(file, error)) {
    throw InputError(option + " " + in_quotes(file) +
                     ": this is a folder; give the path of a file");
  }
}

inline void check_picture_output(std::string const& option,
                                 std::string const& file) {
#if defined(EXAMPLES_HAVE_PNG)
  check_output(option, file);
#else
  throw InputError(
      option + " " + in_quotes(file) +
      ": this program was built without libpng; install it (Debian: "
      "libpng-dev), configure again, or leave the option out");
#endif
}

inline void write_picture(std::string const& file,
                          [[maybe_unused]] Picture const& picture) {
#if defined(EXAMPLES_HAVE_PNG)
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width   = static_cast<png_uint_32>(picture.width);
  image.height  = static_cast<png_uint_32>(picture.height);
  image.format  = PNG_FORMAT_GRAY;
  if (png_image_write_to_file(&image, file.c_str(), 0, picture.points.data(), 0,
                              nullptr) == 0) {
    throw InputError("cannot write " + in_quotes(file) + ": " + image.message +
                     "; give another path");
  }
#else
  check_picture_output("", file);
#endif
}

#endif
