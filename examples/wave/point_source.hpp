// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A pulse (Ricker wavelet) from one point: pictures of a slice, and the energy.

#ifndef WAVE_POINT_SOURCE_HPP
#define WAVE_POINT_SOURCE_HPP

#include "../common/picture.hpp"
#include "grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <string>

struct SourceOptions {
  std::int64_t points = 0;
  std::int64_t steps  = 0;
  std::string picture;
  std::string frames;
  std::int64_t every = 0;

  // Of the strongest frequency, in distances of the points.
  double wavelength() const {
    return std::max(8., static_cast<double>(points) / 10);
  }
  // The wavelet is below 10^-7 of its peak outside of three wavelengths.
  std::int64_t pulse_steps(double lambda) const {
    return static_cast<std::int64_t>(std::ceil(3 * wavelength() / lambda));
  }
  // Off the centre, so that the walls answer one after the other.
  std::array<std::int64_t, 3> place() const {
    return {points / 2, points / 3, 2 * points / 5};
  }

  void check(double lambda) {
    if (points == 0) {
      if (steps > 0 || !picture.empty() || !frames.empty() || every > 0) {
        throw InputError(
            "--steps, --picture, --frames and --every are for the waves of a "
            "point: give --source N too");
      }
      return;
    }
    if (every > 0 && frames.empty()) {
      throw InputError("--every is for --frames: give a folder with it");
    }
    if (every == 0) every = 5;
    if (steps == 0) {
      steps = std::max(pulse_steps(lambda) + 1,
                       std::int64_t(std::llround(
                           0.8 * static_cast<double>(points) / lambda)));
    }
    if (steps <= pulse_steps(lambda)) {
      throw InputError(
          "--steps " + std::to_string(steps) + ": the pulse lasts " +
          std::to_string(pulse_steps(lambda)) + " steps; give more");
    }
    if (!picture.empty()) check_picture_output("--picture", picture);
    if (!frames.empty()) check_picture_output("--frames", frame(0));
  }

  std::string frame(std::int64_t number) const {
    char name[32];
    std::snprintf(name, sizeof(name), "/frame_%05lld.png",
                  static_cast<long long>(number));
    return frames + name;
  }
};

// Red above 0, blue below, white at 0; square roots, so that weak waves show.
// Full colour is what reaches points/4 without walls.
inline Picture painted_slice(Points const& u, std::int64_t plane) {
  auto const n = static_cast<std::int64_t>(u.extent(0));
  Kokkos::View<double**, Kokkos::LayoutRight, Memory> const contiguous(
      "slice", static_cast<std::size_t>(n), static_cast<std::size_t>(n));
  Kokkos::deep_copy(contiguous,
                    Kokkos::subview(u, plane, Kokkos::ALL, Kokkos::ALL));
  auto const slice =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), contiguous);
  Picture picture{n, n, {}, 3};
  picture.points.reserve(static_cast<std::size_t>(3 * n * n));
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t k = 0; k < n; ++k) {
      double const value =
          slice(j, k) * std::numbers::pi * static_cast<double>(n);
      double const strength = std::sqrt(std::min(1., std::abs(value)));
      auto const fading =
          static_cast<std::uint8_t>(std::lround(255 * (1 - strength)));
      auto const own = static_cast<std::uint8_t>(
          std::lround(255 - 80 * strength * strength));
      auto const red  = value > 0 ? own : fading;
      auto const blue = value > 0 ? fading : own;
      for (std::uint8_t const byte : {red, fading, blue})
        picture.points.push_back(byte);
    }
  }
  return picture;
}

// Of two levels in time. Without a source the leapfrog scheme keeps it, between
// walls and periodic. The Laplacian is that of index tests.
inline double energy(Points const& u, Points const& previous, bool periodic,
                     double lambda) {
  auto const n = static_cast<std::int64_t>(u.extent(0));
  Derivative const derivative;
  double result = 0;
  Kokkos::parallel_reduce(
      "wave::energy", Grid3D({0, 0, 0}, {n, n, n}),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, std::int64_t k,
                    double& sum) {
        double const speed = u(i, j, k) - previous(i, j, k);
        sum +=
            speed * speed - lambda * lambda * previous(i, j, k) *
                                laplacian_at(u, periodic, derivative, i, j, k);
      },
      result);
  return result;
}

inline double ricker(double wavelengths) {
  double const a =
      std::numbers::pi * wavelengths * std::numbers::pi * wavelengths;
  return (1 - 2 * a) * std::exp(-a);
}

inline void add_at(Points const& u, std::array<std::int64_t, 3> const& place,
                   double value) {
  std::int64_t const i = place[0];
  std::int64_t const j = place[1];
  std::int64_t const k = place[2];
  Kokkos::parallel_for(
      "wave::source", Range(0, 1),
      KOKKOS_LAMBDA(std::int64_t) { u(i, j, k) += value; });
}

template <class Kernels>
void radiate(Kernels const& kernels, SourceOptions const& options,
             Boundary boundary, double lambda) {
  bool const periodic  = boundary == Boundary::periodic;
  std::int64_t const n = options.points;
  int const ghosts     = Kernels::ghosts;
  auto const side      = n + 2 * ghosts;
  Grid u               = allocated<Grid>("u", side, side, side);
  Grid previous        = allocated<Grid>("previous", side, side, side);
  Kokkos::deep_copy(u, 0);
  Kokkos::deep_copy(previous, 0);
  auto const points = [&](Grid const& grid) { return points_of(grid, ghosts); };
  std::int64_t const pulse = options.pulse_steps(lambda);
  std::int64_t frames      = 0;
  double sent              = 0;
  for (std::int64_t step = 1; step <= options.steps; ++step) {
    kernels.advance(u, previous, 1);
    if (step < pulse) {
      double const wavelengths =
          static_cast<double>(step) * lambda / options.wavelength() - 1.5;
      add_at(points(u), options.place(), lambda * lambda * ricker(wavelengths));
    } else if (step == pulse) {
      sent = energy(points(u), points(previous), periodic, lambda);
    }
    if (!options.frames.empty() && step % options.every == 0) {
      write_picture(options.frame(++frames),
                    painted_slice(points(u), options.place()[0]));
    }
  }
  double const left = energy(points(u), points(previous), periodic, lambda);
  double const lost = std::abs(left / sent - 1);
  if (!(sent > 0 && lost <= 1e-10)) {
    wrong("after the pulse the energy is " + std::to_string(sent) +
          ", at the end it differs by a part of " + std::to_string(lost));
  }
  if (!options.picture.empty()) {
    write_picture(options.picture,
                  painted_slice(points(u), options.place()[0]));
  }
  std::printf(
      "source_points %lld\nsource_steps %lld\npulse_steps %lld\n"
      "energy %.10g\nenergy_lost %.2g\nframes %lld\n",
      static_cast<long long>(n), static_cast<long long>(options.steps),
      static_cast<long long>(pulse), left, lost,
      static_cast<long long>(frames));
}

#endif
