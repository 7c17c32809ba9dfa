// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_LOOPS_HPP
#define KOKKOSMMA_PERF_LOOPS_HPP

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "support/Perf_Sides.hpp"

#if defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOSMMA_DROP_IN_HPP) && \
    __has_include(<cub/device/device_for.cuh>)
#include <cub/device/device_for.cuh>

#include "support/Perf_Timing.hpp"
#define KOKKOSMMA_PERF_HAS_DEVICE_FOR 1
#if __has_include(<cub/device/device_transform.cuh>)
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#define KOKKOSMMA_PERF_HAS_DEVICE_TRANSFORM 1
#endif
#else
#define KOKKOSMMA_PERF_HAS_DEVICE_FOR 0
#endif

namespace perf {

namespace kokkos {
Table stream_loops, other_loops, grid_loops, volume_loops;
}
namespace drop_in {
Table stream_loops, other_loops, grid_loops, volume_loops;
}

namespace KOKKOSMMA_PERF_SIDE {

/// A loop over 0..n-1.
template <class Policy = Kokkos::RangePolicy<Exec>, class Body>
Work range(Arena& arena, int n, double bytes_per_index, Body const& body) {
  return {[exec = arena.exec, n, body] {
            Kokkos::parallel_for("perf::range", Policy(exec, 0, n), body);
          },
          double(n), bytes_per_index * n};
}

// Bodies on two arrays x, y that are read and one, z, that is written, of any
// rank; `arrays` go through memory. Factors are powers of two: then it does not
// show in the bits where a compiler fuses a product and a sum.

using Kokkos::Iterate;
using Left            = Kokkos::LayoutLeft;
using Right           = Kokkos::LayoutRight;
constexpr auto along  = Iterate::Right;  // rows of LayoutRight
constexpr auto across = Iterate::Left;

struct Copy {
  static constexpr int arrays       = 2;
  static constexpr bool elementwise = true;
  static KOKKOS_FUNCTION void at(auto const& v, auto... i) {
    v.z(i...) = v.x(i...);
  }
};
struct Transpose {
  static constexpr int arrays = 2;
  static KOKKOS_FUNCTION void at(auto const& v, int i, int j, auto... k) {
    if constexpr (sizeof...(k) == 0)
      v.z(j, i) = v.x(i, j);
    else
      v.z(k..., j, i) = v.x(i, j, k...);
  }
};
/// a x + b y + c
template <int a, int b, int c = 0>
struct Combine {
  static constexpr int arrays       = 1 + (a != 0) + (b != 0);
  static constexpr bool elementwise = true;
  template <class Views>
  static KOKKOS_FUNCTION void at(Views const& v, auto... i) {
    using T = typename Views::value_type;
    T value = static_cast<T>(c);
    if constexpr (a != 0)
      value = static_cast<T>(value + static_cast<T>(a) * v.x(i...));
    if constexpr (b != 0)
      value = static_cast<T>(value + static_cast<T>(b) * v.y(i...));
    v.z(i...) = value;
  }
};
/// A neighbour in each direction, within the grid.
struct Star {
  static constexpr int arrays = 2, radius = 1;
  template <class Views>
  static KOKKOS_FUNCTION void at(Views const& v, int i) {
    using T = typename Views::value_type;
    v.z(i)  = static_cast<T>(v.x(i - 1) + v.x(i) + v.x(i + 1));
  }
  static KOKKOS_FUNCTION void at(auto const& v, int i, int j) {
    v.z(i, j) = v.x(i, j) + v.x(i - 1, j) + v.x(i + 1, j) + v.x(i, j - 1) +
                v.x(i, j + 1);
  }
  static KOKKOS_FUNCTION void at(auto const& v, int i, int j, int k) {
    v.z(i, j, k) = v.x(i, j, k) + v.x(i - 1, j, k) + v.x(i + 1, j, k) +
                   v.x(i, j - 1, k) + v.x(i, j + 1, k) + v.x(i, j, k - 1) +
                   v.x(i, j, k + 1);
  }
};
/// All neighbours.
template <int r>
struct Box {
  static constexpr int arrays = 2, radius = r;
  static KOKKOS_FUNCTION void at(auto const& v, int i, int j, auto... k) {
    auto sum = v.x(i, j, k...);
    sum      = 0;
    for (int p = -r; p <= r; ++p)
      for (int q = -r; q <= r; ++q)
        if constexpr (sizeof...(k) == 0)
          sum += v.x(i + p, j + q);
        else
          for (int s = -r; s <= r; ++s) sum += v.x(i + p, j + q, (k + s)...);
    v.z(i, j, k...) = sum;
  }
};
/// A polynomial of degree 128 in each element.
struct Polynomial {
  static constexpr int arrays       = 2;
  static constexpr bool elementwise = true;
  static KOKKOS_FUNCTION void at(auto const& v, auto... i) {
    auto const x = v.x(i...);
    auto value   = x;
    for (int k = 1; k < 128; ++k) value = Kokkos::fma(value, x, x);
    v.z(i...) = value;
  }
};

/// The functor of a body, called with as many indices as there are ranks.
template <class Body, class V, class Index, class Ranks>
struct Apply;
template <class Body, class V, class Index, std::size_t... ranks>
struct Apply<Body, V, Index, std::index_sequence<ranks...>> {
  using value_type = typename V::value_type;
  V x, y, z;
  KOKKOS_FUNCTION void operator()(decltype(Index(ranks))... i) const {
    Body::at(*this, i...);
  }
};

template <class T, int rank>
struct Stars : Stars<T*, rank - 1> {};
template <class T>
struct Stars<T, 0> {
  using type = T;
};

/// The extents of a loop: the largest equal ones, but for those `fixed`.
template <int rank>
struct Shape {
  std::array<int, rank> fixed = {}, more = {}, tile = {};
};

template <class Body>
constexpr int radius_of() {
  if constexpr (requires { Body::radius; }) return Body::radius;
  return 0;
}

template <class T, int rank, class Body>
constexpr bool has_cub() {
  return KOKKOSMMA_PERF_HAS_DEVICE_FOR && rank == 1 && radius_of<Body>() == 0 &&
         std::is_floating_point_v<T>;
}

/// Whether Kokkos' own loop is timed with indices of 64 bits as well.
template <class T, int rank, class Index>
constexpr bool has_int64() {
  return rank <= 2 && std::is_same_v<Index, int> && std::is_floating_point_v<T>;
}

#ifdef KOKKOSMMA_PERF_HAS_DEVICE_TRANSFORM
/// An elementwise body as a function of one element of each input.
template <class Body, class T>
struct OfElements {
  struct Element {
    mutable T value;
    KOKKOS_FUNCTION T& operator()(int) const { return value; }
  };
  struct Elements {
    using value_type = T;
    Element x, y, z;
  };
  KOKKOS_FUNCTION T operator()(T x = {}, T y = {}) const {
    Elements const v{{x}, {y}, {}};
    Body::at(v, 0);
    return v.z.value;
  }
};
#endif

#if KOKKOSMMA_PERF_HAS_DEVICE_FOR
/// The faster of CUB's loops of n calls of the functor: over indices, and over
/// the elements.
template <class Body, class Index, class Functor>
std::function<void()> cub_loop(Exec const& exec, Index n,
                               Functor const& functor) {
  std::function<void()> const loop = [=] {
    check_cuda(cub::DeviceFor::Bulk(n, functor, exec.cuda_stream()), "cub");
  };
#ifdef KOKKOSMMA_PERF_HAS_DEVICE_TRANSFORM
  if constexpr (requires { Body::elementwise; }) {
    using T = typename Functor::value_type;
    static_assert(Body::arrays <= 3);
    std::function<void()> const transform = [=] {
      auto const run = [&](auto... inputs) {
        check_cuda(cub::DeviceTransform::Transform(
                       ::cuda::std::make_tuple(inputs...), functor.z.data(), n,
                       OfElements<Body, T>{}, exec.cuda_stream()),
                   "cub");
      };
      T const *const x = functor.x.data(), *const y = functor.y.data();
      if constexpr (Body::arrays == 1)
        run();
      else if constexpr (Body::arrays == 2)
        run(x);
      else
        run(x, y);
    };
    DeviceTimer timer(exec);
    std::size_t k         = 0;
    auto const seconds_of = [&](std::function<void()> const& call) {
      auto const one = [&](std::size_t) { call(); };
      timer.seconds(2, k, one);
      return timer.seconds(20, k, one);
    };
    if (seconds_of(transform) < seconds_of(loop)) return transform;
  }
#endif
  return loop;
}
#endif

template <int rank>
using Corner = Kokkos::Array<std::int64_t, rank>;

template <int rank, Iterate order, class Index, class Functor>
std::function<void()> call_of(Exec const& exec, Corner<rank> const& from,
                              Corner<rank> const& to, Corner<rank> const& tile,
                              Functor const& functor) {
  return [=] {
    if constexpr (rank == 1) {
      using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
      Kokkos::parallel_for("perf::range", Policy(exec, from[0], to[0]),
                           functor);
    } else {
      using Rank   = Kokkos::Rank<rank, order, order>;
      using Policy = std::conditional_t<
          std::is_same_v<Index, int>,  // the default
          Kokkos::MDRangePolicy<Exec, Rank>,
          Kokkos::MDRangePolicy<Exec, Rank, Kokkos::IndexType<Index>>>;
      Kokkos::parallel_for("perf::grid", Policy(exec, from, to, tile), functor);
    }
  };
}

template <class T, int rank, class Body, class Layout, Iterate order,
          class Index>
Work work_of(Arena& arena, Shape<rank> const& shape) {
  using V     = Kokkos::View<typename Stars<T, rank>::type, Layout, Exec>;
  double most = arena.elements<T>();
  int free    = 0;
  for (int fixed : shape.fixed) fixed > 0 ? most /= fixed : ++free;
  // A little more than the root, which is rounded.
  int const side =
      static_cast<int>(std::pow(most, 1. / std::max(free, 1)) + 1e-6);
  Layout layout;
  double indices = 1;
  Corner<rank> from, to, tile;
  for (int r = 0; r < rank; ++r) {
    int const extent    = shape.fixed[r] > 0 ? arena.at_most(shape.fixed[r])
                                             : side + shape.more[r];
    layout.dimension[r] = extent;
    from[r]             = radius_of<Body>();
    to[r]               = extent - from[r];
    tile[r]             = shape.tile[r];
    indices *= static_cast<double>(to[r] - from[r]);
  }
  T* const in = arena.in<T>();
  V const x(in, layout), y(in + arena.elements<T>(), layout);
  V const z(arena.out<T>(x.size()), layout);
  using Ranks = std::make_index_sequence<rank>;
  Apply<Body, V, Index, Ranks> const body{x, y, z};
  Work work{{}, indices, indices * Body::arrays * sizeof(T)};
  work.call = call_of<rank, order, Index>(arena.exec, from, to, tile, body);
#if !defined(KOKKOSMMA_DROP_IN_HPP)
  if constexpr (has_int64<T, rank, Index>())
    work.int64 = call_of<rank, order, std::int64_t>(
        arena.exec, from, to, tile,
        Apply<Body, V, std::int64_t, Ranks>{x, y, z});
#endif
#if KOKKOSMMA_PERF_HAS_DEVICE_FOR
  if constexpr (has_cub<T, rank, Body>())
    work.cub = cub_loop<Body>(arena.exec, static_cast<Index>(to[0]), body);
#endif
  return work;
}

/// A line of the table.
template <class T, int rank, class Body, class Layout = Right,
          Iterate order = along, class Index = int>
Line loop(std::string const& name, Shape<rank> const& shape = {}) {
  return {type_name<T>(), "rank" + std::to_string(rank) + "/" + name,
          [shape](Arena& arena) {
            return work_of<T, rank, Body, Layout, order, Index>(arena, shape);
          },
          has_cub<T, rank, Body>(), has_int64<T, rank, Index>()};
}

}  // namespace KOKKOSMMA_PERF_SIDE
}  // namespace perf

#endif
