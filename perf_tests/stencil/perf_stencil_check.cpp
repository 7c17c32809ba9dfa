// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stencil/Perf_StencilCheck.hpp"

#include <cstdlib>
#include <utility>

namespace perf {

std::vector<std::int32_t> beyond_boundaries(Conditions conditions,
                                            std::int64_t n, int radius) {
  std::vector<std::int32_t> place(2 * static_cast<std::size_t>(radius));
  auto const last = static_cast<std::int32_t>(n - 1);
  for (int const outwards : {-1, 1}) {
    std::int32_t at = outwards < 0 ? 0 : last;
    int direction   = outwards;
    for (int out = 0; out < radius; ++out) {
      bool const at_end = direction < 0 ? at == 0 : at == last;
      if (conditions == Conditions::constant) {
        at = -1;
      } else if (!at_end) {
        at += direction;
      } else if (conditions == Conditions::periodic) {
        at = direction < 0 ? last : 0;
      } else if (conditions != Conditions::nearest) {
        direction = -direction;
        if (conditions == Conditions::mirror && n > 1) at += direction;
      }
      place[static_cast<std::size_t>(outwards < 0 ? radius - 1 - out
                                                  : radius + out)] = at;
    }
  }
  return place;
}

namespace {

/// Where the element of an index is, from -reach on.
struct Place {
  std::int32_t const* beyond;  // 2 reach
  std::int64_t n;
  int reach;
  bool halo;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t index) const {
    if (halo) return index + reach;
    if (index < 0) return beyond[index + reach];
    return index < n ? index : beyond[index - n + reach];
  }
};

}  // namespace

template <int R>
std::vector<double> ExactWeights<R>::values() const {
  std::size_t const width = static_cast<std::size_t>(2 * radius + 1);
  double const unit       = std::ldexp(1., -shift);
  std::size_t count       = 1;
  for (int d = 0; d < R; ++d) count *= width;
  std::vector<double> result(count);
  if (factor.empty()) {
    for (ExactTap<R> const& tap : taps) {
      std::size_t at = 0;
      for (int d = 0; d < R; ++d)
        at = at * width + static_cast<std::size_t>(tap.offset[d] + radius);
      result[at] = static_cast<double>(tap.weight) * unit;
    }
  } else {
    for (std::size_t at = 0; at < count; ++at) {
      result[at] = unit;
      for (std::size_t d = 0, rest = at; d < R; ++d, rest /= width)
        result[at] *= static_cast<double>(factor[rest % width]);
    }
  }
  return result;
}

template struct ExactWeights<1>;
template struct ExactWeights<2>;
template struct ExactWeights<3>;

namespace {

template <class Exact, int R>
struct ExactSumOfTaps {
  Exact const* from;
  Exact* to;
  GridShape<R> in, out;
  Place place[R];
  ExactTap<R> const* taps;
  int count;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    std::int64_t at[R];
    out.coordinates(static_cast<std::int64_t>(i), at);
    Exact sum = 0;
    for (int k = 0; k < count; ++k) {
      ExactTap<R> const tap = taps[k];
      std::int64_t source[R];
      bool exists = true;
      for (int d = 0; d < R; ++d) {
        source[d] = place[d](at[d] + tap.offset[d]);
        exists    = exists && source[d] >= 0;
      }
      if (exists)
        sum += static_cast<Exact>(tap.weight) * from[in.index(source)];
    }
    to[i] = sum;
  }
};

template <class T>
Scratch<T> on_device(Exec const& exec, std::vector<T> const& host) {
  Scratch<T> const memory(exec, host.size());
  copy_bytes(exec, memory.data(), host.data(), host.size() * sizeof(T));
  exec.fence("perf::on_device");
  return memory;
}

/// One sweep of taps; dimensions in which no tap leaves its element are copied
/// as they are.
template <class Exact, int R>
void exact_sweep(Exec const& exec, Exact const* from, Exact* to,
                 GridShape<R> const& in, GridShape<R> const& out,
                 std::vector<ExactTap<R>> const& taps, Conditions conditions) {
  Scratch<ExactTap<R>> const device_taps = on_device(exec, taps);
  ExactSumOfTaps<Exact, R> sweep;
  sweep.from = from;
  sweep.to   = to;
  sweep.in   = in;
  sweep.out  = out;
  std::vector<Scratch<std::int32_t>> places;
  for (int d = 0; d < R; ++d) {
    int reach = 0;
    for (ExactTap<R> const& tap : taps)
      reach = std::max(reach, std::abs(tap.offset[d]));
    places.push_back(
        on_device(exec, beyond_boundaries(conditions, out.extent[d], reach)));
    sweep.place[d] = {places.back().data(), out.extent[d], reach,
                      conditions == Conditions::halo};
  }
  sweep.taps  = device_taps.data();
  sweep.count = static_cast<int>(taps.size());
  Kokkos::parallel_for(
      "perf::exact_sweep",
      IndexRange(exec, 0, static_cast<std::size_t>(out.size())), sweep);
  exec.fence("perf::exact_sweep");  // the tables go
}

}  // namespace

template <class Exact, int R>
Exact* exact_stencil(Exec const& exec, Exact* from, Exact* other,
                     GridShape<R> const& in, GridShape<R> const& out,
                     ExactWeights<R> const& weights, Conditions conditions,
                     int steps) {
  auto const sweep = [&](GridShape<R> const& source, GridShape<R> const& target,
                         std::vector<ExactTap<R>> const& taps) {
    exact_sweep<Exact, R>(exec, from, other, source, target, taps, conditions);
    std::swap(from, other);
  };
  for (int step = 0; step < steps; ++step) {
    if (weights.factor.empty()) {
      sweep(in, out, weights.taps);
      continue;
    }
    GridShape<R> source = in;
    for (int d = 0; d < R; ++d) {
      GridShape<R> target = source;
      target.extent[d]    = out.extent[d];
      std::vector<ExactTap<R>> taps;
      for (int o = -weights.radius; o <= weights.radius; ++o) {
        ExactTap<R> tap{};
        tap.weight =
            weights.factor[static_cast<std::size_t>(o + weights.radius)];
        tap.offset[d] = o;
        taps.push_back(tap);
      }
      sweep(source, target, taps);
      source = target;
    }
  }
  return from;
}

#define KOKKOSMMA_PERF_EXACT_STENCIL(EXACT, R)                               \
  template EXACT* exact_stencil<EXACT, R>(                                   \
      Exec const&, EXACT*, EXACT*, GridShape<R> const&, GridShape<R> const&, \
      ExactWeights<R> const&, Conditions, int)
KOKKOSMMA_PERF_EXACT_STENCIL(std::uint64_t, 1);
KOKKOSMMA_PERF_EXACT_STENCIL(std::uint64_t, 2);
KOKKOSMMA_PERF_EXACT_STENCIL(std::uint64_t, 3);
KOKKOSMMA_PERF_EXACT_STENCIL(WideInteger, 1);
KOKKOSMMA_PERF_EXACT_STENCIL(WideInteger, 2);
KOKKOSMMA_PERF_EXACT_STENCIL(WideInteger, 3);
#undef KOKKOSMMA_PERF_EXACT_STENCIL

RangeRule scaled_rule(bool moore, int radius, int states) {
  int const width = 2 * radius + 1;
  double const cells =
      (moore ? width * width : 2 * radius * (radius + 1) + 1) / 121.;
  int const low    = static_cast<int>(std::ceil(34 * cells));
  auto const limit = [=](int n) {
    return std::max(static_cast<int>(std::floor(n * cells)), low);
  };
  return {moore, radius, states, {low, limit(45)}, {low, limit(58)}};
}

std::string RangeRule::text() const {
  auto const range = [](int const(&r)[2]) {
    return std::to_string(r[0]) + ".." + std::to_string(r[1]);
  };
  return "R" + std::to_string(radius) + ",C" +
         std::to_string(states == 2 ? 0 : states) + ",M1,S" + range(survive) +
         ",B" + range(birth) + (moore ? ",NM" : ",NN");
}

namespace {

struct ExactGeneration {
  std::uint8_t const* from;
  std::uint8_t* to;
  GridShape<2> shape;
  Place place[2];
  RangeRule rule;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    std::int64_t at[2];
    shape.coordinates(static_cast<std::int64_t>(i), at);
    int const r = rule.radius;
    int alive   = 0;
    for (int a = -r; a <= r; ++a) {
      int const reach = rule.moore ? r : a < 0 ? r + a : r - a;
      for (int b = -reach; b <= reach; ++b) {
        std::int64_t const source[2] = {place[0](at[0] + a),
                                        place[1](at[1] + b)};
        if (source[0] >= 0 && source[1] >= 0)
          alive += from[shape.index(source)] == 1 ? 1 : 0;
      }
    }
    auto const within = [alive](int const(&range)[2]) {
      return range[0] <= alive && alive <= range[1];
    };
    int const state = from[i];
    int next        = 0;
    if (state == 0)
      next = within(rule.birth) ? 1 : 0;
    else if (state == 1 && within(rule.survive))
      next = 1;
    else
      next = (state + 1) % rule.states;
    to[i] = static_cast<std::uint8_t>(next);
  }
};

}  // namespace

std::uint8_t* exact_automaton(Exec const& exec, std::uint8_t* from,
                              std::uint8_t* other, GridShape<2> const& shape,
                              RangeRule const& rule, Conditions conditions,
                              int steps) {
  ExactGeneration generation{nullptr, nullptr, shape, {}, rule};
  std::vector<Scratch<std::int32_t>> places;
  for (int d = 0; d < 2; ++d) {
    places.push_back(on_device(
        exec, beyond_boundaries(conditions, shape.extent[d], rule.radius)));
    generation.place[d] = {places.back().data(), shape.extent[d], rule.radius,
                           false};
  }
  for (int step = 0; step < steps; ++step) {
    generation.from = from;
    generation.to   = other;
    Kokkos::parallel_for(
        "perf::exact_automaton",
        IndexRange(exec, 0, static_cast<std::size_t>(shape.size())),
        generation);
    std::swap(from, other);
  }
  exec.fence("perf::exact_automaton");
  return from;
}

}  // namespace perf
