// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Perf_Paper.hpp"

// Hosts: what a warp of the device computes, in its own arithmetic, so the
// errors of the formulations on halves for as many elements as take no time.
#ifndef KOKKOS_ENABLE_CUDA

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/papers/KokkosMMA_WarpPapers.hpp>
#include <core/reduce/KokkosMMA_WarpSum.hpp>

#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace perf {
namespace {

struct Half {
  std::uint16_t bits;
  double value;
};

/// The nearest half of a number below 65504 in size.
Half nearest_half(double x) {
  double const size = std::abs(x);
  int exponent      = 0;
  std::frexp(size, &exponent);  // size < 2^exponent
  // Of the last bit: ten below the first one, at least 2^-24.
  int const last    = std::max(exponent - 11, -24);
  auto const digits = static_cast<unsigned>(
      std::nearbyint(std::ldexp(size, -last)));  // up to 2^11
  // Biased exponents count from 2^-14; a carry out of the digits is right.
  unsigned const bits = (static_cast<unsigned>(last + 24) << 10) + digits;
  double const value  = std::ldexp(static_cast<double>(digits), last);
  return {static_cast<std::uint16_t>(bits | (x < 0 ? 0x8000u : 0u)),
          x < 0 ? -value : value};
}

double unit(std::uint64_t i) {
  return static_cast<double>((mix(i) >> 11) + 1) * 0x1p-53;
}
double value_of(bool normal, std::uint64_t i) {
  if (!normal) return static_cast<double>(random_value<float>(i));
  return std::sqrt(-2 * std::log(unit(2 * i))) *
         std::cos(6.283185307179586 * unit(2 * i + 1));
}

using KokkosMMA::Impl::Emulated::Warp;
using Vectors = Warp::Lanes<KokkosMMA::Impl::Vector16>;

/// 256 half values, 8 per lane.
Vectors load(std::vector<std::uint16_t> const& bits, std::size_t first) {
  Vectors vectors;
  std::memcpy(vectors.lane, bits.data() + first, sizeof(vectors.lane));
  return vectors;
}
float sum_of_lanes(Warp::Lanes<float> values) {
  for (int offset = Warp::size / 2; offset > 0; offset /= 2)
    for (int lane = 0; lane < offset; ++lane)
      values.lane[lane] += values.lane[lane + offset];
  return values.lane[0];
}

/// One warp's walk over whole steps of `chain` times 256 values.
float chained(std::vector<std::uint16_t> const& bits, int chain) {
  using Sum = KokkosMMA::Impl::WarpSum<Warp, KokkosMMA::Scalar::half>;
  Sum sum(Warp{}, chain);
  for (std::size_t first = 0; first < bits.size(); first += 512)
    sum.add(load(bits, first), load(bits, first + 256));
  return static_cast<float>(sum_of_lanes(sum.finish()));
}
float single_pass(std::vector<std::uint16_t> const& bits, int chain) {
  float total = 0;
  for (std::size_t first = 0; first < bits.size();) {
    Warp::Lanes<KokkosMMA::Impl::MmaF16::C> column_sums{};  // (16,8)
    for (int r = 0; r < chain; ++r, first += 256)
      add_column_sums(Warp{}, column_sums, load(bits, first));
    total += sum_of_lanes(total_of_column_sums(Warp{}, column_sums));
  }
  return total;
}

void run(PaperTests& tests, benchmark::State& state, std::string const& name,
         bool normal, std::size_t n, int chain) {
  std::vector<std::uint16_t> bits(n);
  ReferenceSum exact, magnitudes;
  for (std::size_t i = 0; i < n; ++i) {
    Half const half = nearest_half(value_of(normal, i));
    bits[i]         = half.bits;
    exact.add(half.value);
    magnitudes.add(std::abs(half.value));
  }
  auto const begin = std::chrono::steady_clock::now();
  float const sum  = name == "emulated_chained" ? chained(bits, chain)
                                                : single_pass(bits, chain);
  std::chrono::duration<double> const time =
      std::chrono::steady_clock::now() - begin;
  for (auto _ : state) state.SetIterationTime(time.count());
  double const error  = static_cast<double>(std::abs(sum - exact.floating()));
  double const spread = error / magnitudes.high;
  if (!(spread <= 1e-2))
    throw std::runtime_error("wrong sum: " + std::to_string(sum) +
                             ", expected " + std::to_string(exact.high));
  state.counters["finite"]                = 1;
  state.counters["relative_error"]        = error / std::abs(exact.high);
  state.counters["error_over_magnitudes"] = spread;
  state.SetLabel("emulated");
  tests
      .table(std::string("Error over the sum, ") +
                 (normal ? "normal" : "uniform") + " half, emulated",
             "contender")
      .set(name, "2^" + std::to_string(std::lround(std::log2(n))),
           cell_text(error / std::abs(exact.high), "%.0e"));
}

}  // namespace

void register_emulated_sums(PaperTests& tests) {
  for (bool normal : {false, true})
    for (int power : {10, 12, 14})
      for (std::string const name :
           {"emulated_single_pass", "emulated_chained"}) {
        std::size_t const n = std::size_t(1) << power;
        if (n > tests.session.options.max_n) continue;
        int const chain = 4;
        tests.add("paper_error/" + name + "/half/" +
                      (normal ? "normal" : "uniform") +
                      "/n:" + std::to_string(n),
                  [=, &tests](benchmark::State& state) {
                    run(tests, state, name, normal, n, chain);
                  });
      }
}

}  // namespace perf

#endif
