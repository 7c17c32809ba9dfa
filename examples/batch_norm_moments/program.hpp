// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the two programs have in common: arguments, data, checks, times. A
// program brings the kernels, as `Kernels<Element>` with
//   Kernels(Shape const&)
//   void nchw(Array<Element>, Moments), void nhwc(Rows<Element>, Moments)
//   void print_routes(Rows<Element>)

#ifndef BATCH_NORM_MOMENTS_PROGRAM_HPP
#define BATCH_NORM_MOMENTS_PROGRAM_HPP

#include <Kokkos_Core.hpp>

#include "../common/command_line.hpp"
#include "../common/measure.hpp"
#include "../common/memory.hpp"
#include "activations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

// NHWC: a row of channels for every sample and place.
template <class Element>
using Rows = Kokkos::View<Element**, Kokkos::LayoutRight, Memory>;

struct Moments {
  Array<double> mean;
  Array<double> variance;
};

struct Options {
  std::string file;
  std::string write;
  Shape shape;
  bool half       = true;
  bool generated  = false;
  int repeat      = 0;
  bool list       = false;
  bool help       = false;
  bool given_type = false;
};

inline std::string help_text(std::string const& program) {
  return "usage: " + program + R"( [options] FILE.npy
       )" +
         program +
         R"( [options] --shape NxCxHxW

Mean and variance of every channel of a tensor of activations, in the orders NCHW and NHWC,
each checked against compensated sums in fp64. FILE is a NumPy array of four dimensions
(samples, channels, height, width) of float16 or float32.

  --shape NxCxHxW  in place of a file: generated activations
  --type T         of those: half or float (default: half)
  --write FILE     also write them as a NumPy file
  --list           print the moments of every channel
  --repeat K       also time both orders K times, and print the rate at which the tensor is read
                   and the fraction of the copy ceiling that is measured in the same process
  --help           print this text

Options that start with --kokkos- go to Kokkos. Exit code: 0, 2 for wrong input, 1 for a
wrong result.
)";
}

inline Options parse_options(int& argc, char** argv) {
  Options options;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--shape") {
      options.shape     = parse_shape(word, arguments.value());
      options.generated = true;
    } else if (word == "--type") {
      std::string const type = arguments.value();
      if (type != "half" && type != "float") {
        throw InputError("--type " + in_quotes(type) +
                         ": allowed are half and float");
      }
      options.half       = type == "half";
      options.given_type = true;
    } else if (word == "--write") {
      options.write = arguments.value();
    } else if (word == "--list") {
      options.list = true;
    } else if (word == "--repeat") {
      options.repeat = static_cast<int>(arguments.integer(1, 1000000));
    } else if (word == "--help") {
      options.help = true;
    } else {
      arguments.refuse();
    }
  }
  if (options.help) return options;
  options.file = arguments.operand("files");
  if (options.file.empty() != options.generated) {
    throw InputError(options.generated
                         ? "both a file, " + in_quotes(options.file) +
                               ", and --shape; give one of them"
                         : "no activations; give a file, or --shape NxCxHxW");
  }
  if (!options.generated && (options.given_type || !options.write.empty())) {
    throw InputError(std::string(options.given_type ? "--type" : "--write") +
                     " goes with --shape, not with a file");
  }
  return options;
}

// Both orders of the same tensor.
template <class Element>
struct Tensors {
  Array<Element> nchw;
  Rows<Element> nhwc;
};

template <class Element>
Tensors<Element> to_device(Activations const& tensor) {
  Shape const& shape = tensor.shape;
  Tensors<Element> const result{
      uninitialized<Element>("nchw", shape.size()),
      allocated<Rows<Element>>("nhwc", shape.per_channel(), shape.channels)};
  auto const host = Kokkos::create_mirror_view(result.nchw);
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    host(i) = static_cast<Element>(tensor.values[static_cast<std::size_t>(i)]);
  }
  Kokkos::deep_copy(result.nchw, host);
  auto const from     = result.nchw;
  auto const to       = result.nhwc;
  auto const plane    = shape.plane();
  auto const channels = shape.channels;
  Kokkos::parallel_for(
      "batch_norm_moments::transpose", Range(0, shape.size()),
      KOKKOS_LAMBDA(std::int64_t i) {
        std::int64_t const place = i / channels;
        std::int64_t const c     = i % channels;
        to(place, c) =
            from((place / plane * channels + c) * plane + place % plane);
      });
  return result;
}

struct Errors {
  double mean     = 0;  // largest, relative to the root of the mean square
  double variance = 0;  // largest, relative; of constant channels absolute
};

// What a program may keep in fp32 is the sum of the samples at one place; with
// a truncated addition, as tensor cores make them, each costs 2^-23. A variance
// taken about a mean that is wrong by d is too large by d^2. What cancels does
// not stay within this: the mean of squares minus the square of the mean loses
// all digits where a centre is 1024 widths from zero.
inline Errors check(std::string const& order, Shape const& shape,
                    std::vector<ReferenceMoments> const& expected,
                    Moments const& moments) {
  auto const mean =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), moments.mean);
  auto const variance = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(),
                                                            moments.variance);
  double const allowed =
      (static_cast<double>(shape.samples) + 3) * std::ldexp(1., -23);
  Errors largest;
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    ReferenceMoments const& truth = expected[static_cast<std::size_t>(c)];
    double const mean_bound       = allowed * truth.magnitude;
    double const variance_bound =
        allowed * truth.variance + mean_bound * mean_bound;
    double const mean_error     = std::abs(mean(c) - truth.mean);
    double const variance_error = std::abs(variance(c) - truth.variance);
    auto const require = [&](bool holds, char const* what, double value,
                             double right, double bound) {
      if (holds) return;
      char text[200];
      std::snprintf(text, sizeof(text),
                    "wrong result: %s, channel %lld: the %s is %.9g, not %.9g "
                    "within %.3g",
                    order.c_str(), static_cast<long long>(c), what, value,
                    right, bound);
      throw std::runtime_error(text);
    };
    require(mean_error <= mean_bound, "mean", mean(c), truth.mean, mean_bound);
    require(variance(c) >= 0 && variance_error <= variance_bound, "variance",
            variance(c), truth.variance, variance_bound);
    double const size = std::sqrt(truth.mean * truth.mean + truth.variance);
    largest.mean     = std::max(largest.mean, size > 0 ? mean_error / size : 0);
    largest.variance = std::max(
        largest.variance,
        truth.variance > 0 ? variance_error / truth.variance : variance_error);
  }
  return largest;
}

template <template <class> class Kernels, class Element>
void compute(Options const& options, Activations const& tensor,
             std::vector<ReferenceMoments> const& expected) {
  Shape const& shape   = tensor.shape;
  auto const tensors   = to_device<Element>(tensor);
  auto const new_place = [&] {
    Moments const result{uninitialized<double>("mean", shape.channels),
                         uninitialized<double>("variance", shape.channels)};
    Kokkos::deep_copy(result.mean, NAN);
    Kokkos::deep_copy(result.variance, NAN);
    return result;
  };
  Moments const nchw = new_place();
  Moments const nhwc = new_place();
  Kernels<Element> kernels(shape);
  kernels.nchw(tensors.nchw, nchw);
  kernels.nhwc(tensors.nhwc, nhwc);
  Errors const nchw_errors = check("NCHW", shape, expected, nchw);
  Errors const nhwc_errors = check("NHWC", shape, expected, nhwc);

  std::printf("activations %s\nexecution_space %s\nruns_on %s\n",
              options.file.empty() ? "generated" : options.file.c_str(),
              Space::name(), on_host ? "host" : "device");
  std::printf(
      "shape %lldx%lldx%lldx%lld\nelement %s\nelement_bytes %d\n",
      static_cast<long long>(shape.samples),
      static_cast<long long>(shape.channels),
      static_cast<long long>(shape.height), static_cast<long long>(shape.width),
      tensor.half ? "half" : "float", static_cast<int>(sizeof(Element)));
  if (options.list) {
    auto const mean =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), nchw.mean);
    auto const variance =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), nchw.variance);
    for (std::int64_t c = 0; c < shape.channels; ++c) {
      std::printf("channel %lld mean %.6g variance %.6g\n",
                  static_cast<long long>(c), mean(c), variance(c));
    }
  }
  double float_error = 0;
  for (auto const& truth : expected) {
    if (truth.variance > 0) {
      float_error = std::max(
          float_error,
          std::abs(truth.float_variance - truth.variance) / truth.variance);
    }
  }
  std::printf(
      "nchw_mean_error %.2g\nnchw_variance_error %.2g\n"
      "nhwc_mean_error %.2g\nnhwc_variance_error %.2g\n"
      "mean_of_squares_in_float_variance_error %.2g\n",
      nchw_errors.mean, nchw_errors.variance, nhwc_errors.mean,
      nhwc_errors.variance, float_error);
  kernels.print_routes(tensors.nhwc);
  std::printf("checked against compensated sums\n");

  if (options.repeat == 0) return;
  double const bytes =
      static_cast<double>(shape.size()) * static_cast<double>(sizeof(Element));
  double const copy = measure_copy(bytes, options.repeat);
  std::printf("repeat %d\ncopy_GBps %.4g\nbytes %.0f\n", options.repeat,
              copy / 1e9, bytes);
  auto const print = [&](char const* name, double seconds) {
    std::printf("%s_seconds %.6g\n%s_GBps %.4g\n%s_fraction_of_copy %.3f\n",
                name, seconds, name, bytes / seconds / 1e9, name,
                bytes / seconds / copy);
  };
  print("nchw", median_seconds(options.repeat,
                               [&] { kernels.nchw(tensors.nchw, nchw); }));
  print("nhwc", median_seconds(options.repeat,
                               [&] { kernels.nhwc(tensors.nhwc, nhwc); }));
}

template <template <class> class Kernels>
int program(char const* name, int argc, char** argv) {
  try {
    Options const options = parse_options(argc, argv);
    if (options.help) {
      std::fputs(help_text(name).c_str(), stdout);
      return 0;
    }
    // Before anything is started: wrong input costs nothing.
    if (options.generated) {
      // In fp32 as they are generated, then in both orders.
      using Half = Kokkos::Experimental::half_t;
      double const each =
          4 + (on_host ? 2 : 1) * (options.half ? 1. * sizeof(Half) : 4.);
      require_memory(
          each * static_cast<double>(options.shape.size()),
          "--shape of " + std::to_string(options.shape.size()) + " elements",
          "give a smaller shape");
    }
    Activations const tensor = options.generated
                                   ? generate(options.shape, options.half)
                                   : NumpyFile(options.file).read();
    if (!options.write.empty()) NumpyFile(options.write).write(tensor);
    Kokkos::ScopeGuard const kokkos(argc, argv);
    std::vector<ReferenceMoments> expected(
        static_cast<std::size_t>(tensor.shape.channels));
    Kokkos::parallel_for("batch_norm_moments::reference",
                         Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(
                             0, tensor.shape.channels),
                         [&](std::int64_t c) {
                           expected[static_cast<std::size_t>(c)] =
                               reference_moments(tensor, c);
                         });
    if (tensor.half) {
      compute<Kernels, Kokkos::Experimental::half_t>(options, tensor, expected);
    } else {
      compute<Kernels, float>(options, tensor, expected);
    }
    return 0;
  } catch (InputError const& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

#endif
