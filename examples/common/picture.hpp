// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// PNG images through libpng. CMake defines EXAMPLES_HAVE_PNG where it is.

#ifndef EXAMPLES_COMMON_PICTURE_HPP
#define EXAMPLES_COMMON_PICTURE_HPP

#include "command_line.hpp"
#include "files.hpp"
#include "memory.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#if defined(EXAMPLES_HAVE_PNG)
#include <png.h>
#endif

// Row after row from the top, 0 is black; per point one byte of grey, or three
// of red, green and blue.
struct Picture {
  std::int64_t width  = 0;
  std::int64_t height = 0;
  std::vector<std::uint8_t> points;
  int channels = 1;
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
  image.format  = picture.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  // Through memory: png_image_write_to_file removes what it cannot write, a
  // device too.
  std::string bytes;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  bytes.resize(size);
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0,
                                picture.points.data(), 0, nullptr) == 0) {
    throw InputError("cannot write " + in_quotes(file) + ": " + image.message +
                     "; give another picture");
  }
  bytes.resize(size);
  write_bytes(file, bytes);
#else
  check_picture_output("", file);
#endif
}

// In 8 bits per channel, sRGB encoded; what is transparent is put on white. A
// file that says nothing of its encoding is taken as sRGB, of 16 bits too.
inline Picture read_picture(std::string const& file) {
#if defined(EXAMPLES_HAVE_PNG)
  std::string const what   = "a PNG image";
  std::string const bytes  = read_bytes(file, what);
  std::string const start  = "cannot read " + in_quotes(file) + ": ";
  std::string const remedy = "; give the path of " + what;
  if (bytes.empty()) throw InputError(start + "the file is empty" + remedy);
  if (!bytes.starts_with("\x89PNG")) {
    throw InputError(start + "it is not a PNG file" + remedy);
  }
  png_image image{};
  image.version     = PNG_IMAGE_VERSION;
  auto const refuse = [&] {
    std::string const why = image.message;
    png_image_free(&image);
    throw InputError(start + "the image is damaged or cut off (" + why + ")" +
                     remedy);
  };
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) ==
      0) {
    refuse();
  }
  if (image.width > 32768 || image.height > 32768) {
    png_image_free(&image);
    throw InputError(in_quotes(file) + ": the image has " +
                     std::to_string(image.width) + " x " +
                     std::to_string(image.height) +
                     " points; allowed: up to 32768 x 32768");
  }
  // Otherwise libpng treats 16 bits as linear.
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  Picture picture;
  picture.width    = image.width;
  picture.height   = image.height;
  picture.channels = (image.format & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1;
  image.format     = picture.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  std::size_t const size = PNG_IMAGE_SIZE(image);
  if (static_cast<double>(size) > available_memory()) {
    png_image_free(&image);
    require_memory(static_cast<double>(size),
                   in_quotes(file) + ", an image of " +
                       std::to_string(picture.width) + " x " +
                       std::to_string(picture.height) + " points",
                   "give a smaller image");
  }
  picture.points.resize(size);
  png_color const white{255, 255, 255};
  if (png_image_finish_read(&image, &white, picture.points.data(), 0,
                            nullptr) == 0) {
    refuse();
  }
  return picture;
#else
  throw InputError("cannot read " + in_quotes(file) +
                   ": this program was built without libpng");
#endif
}

#endif
