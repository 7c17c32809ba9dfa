// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Blurs a PNG image: every point becomes the mean of the square around it, in
// integers and so exactly. The functor of a StencilPolicy divides the sums.

#include <KokkosMMA.hpp>

#include "../common/command_line.hpp"
#include "../common/measure.hpp"
#include "../common/picture.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// One channel, plane(y, x).
using Plane     = Kokkos::View<std::uint8_t**, Kokkos::LayoutRight, Memory>;
using HostPlane = std::vector<std::uint8_t>;

struct Options {
  std::string in;
  std::string out;
  int radius                   = 4;
  KokkosMMA::Boundary boundary = KokkosMMA::Boundary::nearest;
  int value                    = 0;
  std::int64_t chart           = 0;
  bool check                   = false;
  bool help                    = false;
};

char const* const help = R"(usage: blur [options] IN.png OUT.png
       blur --chart N OUT.png

Replaces every point of an image by the mean of the (2 R + 1)^2 points around it, each channel by
itself, rounded to nearest.

  --radius R      1 to 16 (default: 4)
  --boundary B    beyond the edges: constant, periodic, reflect, mirror or nearest (default: nearest)
  --value V       of constant, 0 to 255 (default: 0, black)
  --check         also on one thread of the host, and compare every point
  --chart N       write a test image of N by N points
  --help          print this text

The result is always compared with that of the generic route. Options that start with --kokkos- go
to Kokkos. Exit code: 0, 2 for wrong input, 1 for a wrong result.
)";

KokkosMMA::Boundary parse_boundary(std::string const& text) {
  using KokkosMMA::Boundary;
  for (Boundary const kind :
       {Boundary::constant, Boundary::periodic, Boundary::reflect,
        Boundary::mirror, Boundary::nearest}) {
    if (text == to_string(kind)) return kind;
  }
  throw InputError("--boundary " + in_quotes(text) +
                   ": allowed are constant, periodic, reflect, mirror and "
                   "nearest");
}

Options parse_options(int& argc, char** argv) {
  Options options;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--radius") {
      options.radius = static_cast<int>(arguments.integer(1, 16));
    } else if (word == "--boundary") {
      options.boundary = parse_boundary(arguments.value());
    } else if (word == "--value") {
      options.value = static_cast<int>(arguments.integer(0, 255));
    } else if (word == "--chart") {
      options.chart = arguments.integer(1, 16384);
    } else if (word == "--check") {
      options.check = true;
    } else if (word == "--help") {
      options.help = true;
    } else {
      arguments.refuse();
    }
  }
  if (options.help) return options;
  auto const& files        = arguments.operands();
  std::size_t const wanted = options.chart > 0 ? 1 : 2;
  if (files.size() != wanted) {
    throw InputError(std::to_string(files.size()) + " files; give " +
                     (wanted == 1 ? "one, for the chart"
                                  : "two, the image and where the result is "
                                    "to be written"));
  }
  if (wanted == 2) options.in = files[0];
  options.out = files.back();
  check_picture_output("OUT.png", options.out);
  return options;
}

// A wedge, stripes that grow narrower, noise: one per channel.
Picture test_chart(std::int64_t n) {
  Picture chart{n, n, HostPlane(static_cast<std::size_t>(3 * n * n)), 3};
  for (std::int64_t y = 0; y < n; ++y) {
    for (std::int64_t x = 0; x < n; ++x) {
      auto* const point =
          &chart.points[static_cast<std::size_t>(3 * (y * n + x))];
      point[0] =
          static_cast<std::uint8_t>(255 * x / std::max<std::int64_t>(n - 1, 1));
      point[1] = 8 * (x + 1) * (y + 1) / (n + 1) % 2 == 0 ? 255 : 0;
      point[2] = static_cast<std::uint8_t>(
          scrambled(static_cast<std::uint64_t>(y * n + x)) >> 56);
    }
  }
  return chart;
}

KOKKOS_INLINE_FUNCTION std::uint8_t mean(std::int64_t sum, std::int64_t count) {
  return static_cast<std::uint8_t>((2 * sum + count) / (2 * count));
}

void blur(Plane const& from, Plane const& to, Options const& options,
          KokkosMMA::Settings const& settings) {
  int const width          = 2 * options.radius + 1;
  std::int64_t const count = width * width;
  auto const policy        = KokkosMMA::StencilPolicy(
             Space(), from, KokkosMMA::StencilWeights<2>::box(options.radius),
             KokkosMMA::Boundaries<2>::all(options.boundary, options.value), settings);
  Kokkos::parallel_for(
      "blur", policy,
      KOKKOS_LAMBDA(std::int64_t y, std::int64_t x, std::int32_t sum) {
        to(y, x) = mean(sum, count);
      });
}

HostPlane on_one_thread(HostPlane const& plane, Picture const& picture,
                        Options const& options) {
  HostPlane result(plane.size());
  std::int64_t const r     = options.radius;
  std::int64_t const count = (2 * r + 1) * (2 * r + 1);
  for (std::int64_t y = 0; y < picture.height; ++y) {
    for (std::int64_t x = 0; x < picture.width; ++x) {
      std::int64_t sum = 0;
      for (std::int64_t dy = -r; dy <= r; ++dy) {
        for (std::int64_t dx = -r; dx <= r; ++dx) {
          auto const row = KokkosMMA::boundary_index(options.boundary, y + dy,
                                                     picture.height);
          auto const column = KokkosMMA::boundary_index(options.boundary,
                                                        x + dx, picture.width);
          sum += row < 0 || column < 0 ? options.value
                                       : plane[static_cast<std::size_t>(
                                             row * picture.width + column)];
        }
      }
      result[static_cast<std::size_t>(y * picture.width + x)] =
          mean(sum, count);
    }
  }
  return result;
}

void compare(HostPlane const& result, HostPlane const& expected, int channel,
             Picture const& picture, char const* with) {
  auto const [wrong, right] =
      std::mismatch(result.begin(), result.end(), expected.begin());
  if (wrong == result.end()) return;
  auto const at = wrong - result.begin();
  throw std::runtime_error(
      "channel " + std::to_string(channel) + " of the point in row " +
      std::to_string(at / picture.width) + ", column " +
      std::to_string(at % picture.width) + " is " + std::to_string(*wrong) +
      ", " + with + " " + std::to_string(*right));
}

auto wrapped(HostPlane& plane, Picture const& picture) {
  return Kokkos::View<std::uint8_t**, Kokkos::LayoutRight, Kokkos::HostSpace,
                      Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      plane.data(), picture.height, picture.width);
}

void run(Options const& options, Picture picture) {
  Plane const from = allocated<Plane>("from", picture.height, picture.width);
  Plane const to   = allocated<Plane>("to", picture.height, picture.width);
  Plane const generic =
      allocated<Plane>("generic", picture.height, picture.width);
  KokkosMMA::Settings reference;
  reference.route = KokkosMMA::Route::generic;

  HostPlane source(picture.points.size() / picture.channels);
  HostPlane result(source.size());
  HostPlane expected(source.size());
  double seconds = 0;
  for (int channel = 0; channel < picture.channels; ++channel) {
    auto const step = static_cast<std::size_t>(picture.channels);
    for (std::size_t i = 0; i < source.size(); ++i)
      source[i] = picture.points[i * step + channel];
    Kokkos::deep_copy(from, wrapped(source, picture));
    Kokkos::Timer const timer;
    blur(from, to, options, {});
    Kokkos::fence();
    seconds += timer.seconds();
    blur(from, generic, options, reference);
    Kokkos::deep_copy(wrapped(result, picture), to);
    Kokkos::deep_copy(wrapped(expected, picture), generic);
    compare(result, expected, channel, picture, "on the generic route");
    if (options.check) {
      compare(result, on_one_thread(source, picture, options), channel, picture,
              "on one thread of the host");
    }
    for (std::size_t i = 0; i < source.size(); ++i)
      picture.points[i * step + channel] = result[i];
  }
  write_picture(options.out, picture);
  std::printf(
      "image %s\nwidth %lld\nheight %lld\nchannels %d\nradius %d\n"
      "boundary %s\nexecution_space %s\nruns_on %s\nseconds %.4g\n"
      "same as the generic route\n",
      options.in.c_str(), static_cast<long long>(picture.width),
      static_cast<long long>(picture.height), picture.channels, options.radius,
      to_string(options.boundary), Space::name(), on_host ? "host" : "device",
      seconds);
  if (options.check) std::printf("checked against one thread of the host\n");
}

int main(int argc, char** argv) {
  try {
    Options const options = parse_options(argc, argv);
    if (options.help) {
      std::fputs(help, stdout);
    } else if (options.chart > 0) {
      // Of three channels, and compressed.
      require_memory(6. * static_cast<double>(options.chart * options.chart),
                     "--chart " + std::to_string(options.chart),
                     "give a smaller one");
      write_picture(options.out, test_chart(options.chart));
    } else {
      Picture picture = read_picture(options.in);
      if (options.radius > std::min(picture.width, picture.height)) {
        throw InputError("--radius " + std::to_string(options.radius) +
                         ": the image has " + std::to_string(picture.width) +
                         " x " + std::to_string(picture.height) +
                         " points; give a radius of at most the shorter side");
      }
      // Three planes of Views and three of vectors; the file.
      require_memory(((on_host ? 6. : 3.) + picture.channels) *
                         static_cast<double>(picture.width * picture.height),
                     "an image of " + std::to_string(picture.width) + " x " +
                         std::to_string(picture.height) + " points",
                     "give a smaller image");
      Kokkos::ScopeGuard const kokkos(argc, argv);
      run(options, std::move(picture));
    }
    return 0;
  } catch (InputError const& error) {
    std::fprintf(stderr, "blur: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "blur: %s\n", error.what());
    return 1;
  }
}
