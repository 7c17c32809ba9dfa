// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the reader of pictures makes of PNG files that write_picture does not
// write: 16 bits, other encodings, transparency. Leaves pictures for the tests
// of blur in the folder that it is given.

#include "../common/picture.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <png.h>

namespace {

// Of sRGB, as libpng counts it: 100000 times the exponent.
constexpr int no_gamma   = 0;
constexpr int srgb_gamma = 45455;
constexpr int linear     = 100000;

constexpr int side = 24;

struct Format {
  int bits;
  int type;
  int gamma       = no_gamma;
  bool srgb_chunk = false;
  int transparent = -1;  // this grey is
  int channels() const {
    return (type & PNG_COLOR_MASK_COLOR ? 3 : 1) +
           (type & PNG_COLOR_MASK_ALPHA ? 1 : 0);
  }
};

// Every point has these channels, in the bits of the format; or, without any,
// one of its own, of 8 bits, that is spread over the bits.
void write_png(std::string const& path, Format const& format,
               std::vector<int> const& point) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_set_IHDR(png, info, side, side, format.bits, format.type,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (format.gamma != no_gamma) png_set_gAMA_fixed(png, info, format.gamma);
  if (format.srgb_chunk) png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (format.transparent >= 0) {
    png_color_16 color{};
    color.gray = static_cast<png_uint_16>(format.transparent);
    png_set_tRNS(png, info, nullptr, 0, &color);
  }
  png_write_info(png, info);
  for (int y = 0; y < side; ++y) {
    std::vector<png_byte> row;
    for (int x = 0; x < side; ++x) {
      for (int c = 0; c < format.channels(); ++c) {
        int const value = point.empty() ? (7 * x + 13 * y + 50 * c) % 256 *
                                              (format.bits == 16 ? 257 : 1)
                                        : point[static_cast<std::size_t>(c)];
        if (format.bits == 16) row.push_back(static_cast<png_byte>(value >> 8));
        row.push_back(static_cast<png_byte>(value & 255));
      }
    }
    png_write_row(png, row.data());
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + path);
}

struct Case {
  char const* name;
  Format format;
  std::vector<int> point;
  std::vector<int> expected;
};

constexpr int grey       = PNG_COLOR_TYPE_GRAY;
constexpr int grey_alpha = PNG_COLOR_TYPE_GRAY_ALPHA;
constexpr int rgb        = PNG_COLOR_TYPE_RGB;
constexpr int rgba       = PNG_COLOR_TYPE_RGB_ALPHA;

// 257 times a byte is the same brightness in 16 bits. Other encodings become
// sRGB: of linear ones 255 (64 / 255)^(1 / 2.2) = 136. Half of 64 and half of
// white have as much light as 190.
std::vector<Case> const cases = {
    {"grey", {8, grey}, {64}, {64}},
    {"grey, gAMA of sRGB", {8, grey, srgb_gamma}, {64}, {64}},
    {"grey, sRGB chunk", {8, grey, no_gamma, true}, {64}, {64}},
    {"grey, linear", {8, grey, linear}, {64}, {136}},
    {"grey, opaque", {8, grey_alpha}, {64, 255}, {64}},
    {"grey, half transparent", {8, grey_alpha}, {64, 128}, {190}},
    {"grey, transparent", {8, grey_alpha}, {64, 0}, {255}},
    {"grey of 16 bits", {16, grey}, {64 * 257}, {64}},
    {"grey of 16 bits, black", {16, grey}, {0}, {0}},
    {"grey of 16 bits, white", {16, grey}, {65535}, {255}},
    {"grey of 16 bits, rounded down", {16, grey}, {64 * 257 + 128}, {64}},
    {"grey of 16 bits, rounded up", {16, grey}, {64 * 257 + 129}, {65}},
    {"grey of 16 bits, gAMA of sRGB", {16, grey, srgb_gamma}, {64 * 257}, {64}},
    {"grey of 16 bits, sRGB chunk",
     {16, grey, no_gamma, true},
     {64 * 257},
     {64}},
    {"grey of 16 bits, linear", {16, grey, linear}, {64 * 257}, {136}},
    {"grey of 16 bits, opaque", {16, grey_alpha}, {64 * 257, 65535}, {64}},
    {"grey of 16 bits, half transparent",
     {16, grey_alpha},
     {64 * 257, 128 * 257},
     {190}},
    {"grey of 16 bits, another grey is transparent",
     {16, grey, no_gamma, false, 5},
     {64 * 257},
     {64}},
    {"grey of 16 bits, this grey is transparent",
     {16, grey, no_gamma, false, 64 * 257},
     {64 * 257},
     {255}},
    {"colour", {8, rgb}, {64, 10, 200}, {64, 10, 200}},
    {"colour of 16 bits",
     {16, rgb},
     {64 * 257, 10 * 257, 200 * 257},
     {64, 10, 200}},
    {"colour of 16 bits, opaque",
     {16, rgba},
     {64 * 257, 10 * 257, 200 * 257, 65535},
     {64, 10, 200}},
    {"colour of 16 bits, transparent",
     {16, rgba},
     {64 * 257, 10 * 257, 200 * 257, 0},
     {255, 255, 255}}};

int wrong_points(Case const& test, std::string const& path) {
  write_png(path, test.format, test.point);
  Picture const picture = read_picture(path);
  if (picture.width != side || picture.height != side ||
      picture.channels != static_cast<int>(test.expected.size()) ||
      picture.points.size() != side * side * test.expected.size()) {
    std::fprintf(stderr, "%s: %lld x %lld points, %d channels\n", test.name,
                 static_cast<long long>(picture.width),
                 static_cast<long long>(picture.height), picture.channels);
    return 1;
  }
  for (std::size_t i = 0; i < picture.points.size(); ++i) {
    int const expected = test.expected[i % test.expected.size()];
    if (picture.points[i] == expected) continue;
    std::fprintf(stderr, "%s: byte %zu is %d, not %d\n", test.name, i,
                 picture.points[i], expected);
    return 1;
  }
  return 0;
}

int run(std::string const& folder) {
  int wrong = 0;
  for (Case const& test : cases) {
    wrong += wrong_points(test, folder + "/case.png");
  }
  write_png(folder + "/grey_8.png", {8, grey}, {});
  write_png(folder + "/grey_16.png", {16, grey}, {});
  write_png(folder + "/colour_8.png", {8, rgb}, {});
  write_png(folder + "/colour_16.png", {16, rgb}, {});
  std::string const bytes = read_bytes(folder + "/grey_8.png", "a PNG image");
  std::ofstream(folder + "/cut.png", std::ios::binary)
      << bytes.substr(0, bytes.size() / 2);
  std::ofstream(folder + "/cut_header.png", std::ios::binary)
      << bytes.substr(0, 12);
  std::printf("%zu kinds of pictures, %d wrong\n", cases.size(), wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: picture_test FOLDER");
    return run(argv[1]);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "picture_test: %s\n", error.what());
    return 1;
  }
}
