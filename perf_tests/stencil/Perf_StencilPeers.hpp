// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_STENCIL_PEERS_HPP
#define KOKKOSMMA_PERF_STENCIL_PEERS_HPP

#include <array>

#include "stencil/Perf_StencilCheck.hpp"

/// What an application writes for a stencil: MDRange lambdas that read every
/// neighbour, and a kernel of its own with two passes in shared memory.
namespace perf {

template <class T, int R>
struct GridPointer {
  using type = typename GridPointer<T, R - 1>::type*;
};
template <class T>
struct GridPointer<T, 0> {
  using type = T;
};
/// In the layout of the execution space.
template <class T, int R>
using GridOf = Kokkos::View<typename GridPointer<T, R>::type, Exec>;

template <class T, int R>
GridOf<T, R> grid_of(T* data, GridShape<R> const& shape) {
  Exec::array_layout layout;
  for (int d = 0; d < R; ++d)
    layout.dimension[d] = static_cast<std::size_t>(shape.extent[d]);
  return GridOf<T, R>(data, layout);
}

/// Fastest dimension first; empty: Kokkos' own choice.
using Tiling = std::vector<int>;

inline std::vector<Tiling> tilings(int rank) {
  if (!on_cuda) {
    if (rank == 2) return {{64, 1}, {64, 8}, {256, 4}, {1024, 1}};
    return {{64, 1, 1}, {64, 4, 4}, {256, 4, 1}};
  }
  if (rank == 2)
    return {{32, 4}, {32, 8},  {32, 16}, {64, 2},  {64, 4},
            {64, 8}, {128, 2}, {128, 4}, {256, 1}, {16, 16}};
  return {{32, 4, 1}, {32, 4, 2}, {32, 8, 1},  {32, 2, 4},
          {64, 2, 2}, {64, 4, 1}, {128, 2, 1}, {16, 4, 4}};
}
inline std::string text_of(Tiling const& tiling) {
  std::string text;
  for (int extent : tiling)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

/// Dimensions count as in the layout: Iterate::Left where the first one is the
/// fast one, Iterate::Right where it is the last, as a careful user writes it.
template <int R>
inline constexpr Kokkos::Iterate layout_order =
    first_is_fast ? Kokkos::Iterate::Left : Kokkos::Iterate::Right;

template <int R, class Functor>
void for_each_element(Exec const& exec, GridShape<R> const& shape,
                      Tiling const& tiling, Functor const& functor) {
  if constexpr (R == 1) {
    (void)tiling;
    Kokkos::parallel_for("perf_stencil",
                         Kokkos::RangePolicy<Exec>(exec, 0, shape.extent[0]),
                         functor);
  } else {
    using Policy = Kokkos::MDRangePolicy<
        Exec, Kokkos::Rank<R, layout_order<R>, layout_order<R>>>;
    typename Policy::point_type low{}, high{};
    typename Policy::tile_type tile{};
    for (int d = 0; d < R; ++d) high[d] = shape.extent[d];
    for (std::size_t k = 0; k < tiling.size(); ++k)
      tile[GridShape<R>::dimension(static_cast<int>(k))] = tiling[k];
    Kokkos::parallel_for("perf_stencil",
                         tiling.empty() ? Policy(exec, low, high)
                                        : Policy(exec, low, high, tile),
                         functor);
  }
}

/// What stands for element i of n; -1 where a constant does.
KOKKOS_INLINE_FUNCTION int neighbour(Conditions conditions, int i, int n) {
  if (i >= 0 && i < n) return i;
  switch (conditions) {
    case Conditions::periodic: return i < 0 ? i + n : i - n;
    case Conditions::reflect: return i < 0 ? -1 - i : 2 * n - 1 - i;
    case Conditions::mirror: return i < 0 ? -i : 2 * n - 2 - i;
    case Conditions::nearest: return i < 0 ? 0 : n - 1;
    default: return -1;
  }
}

/// Which neighbours are read, and whether they are weighted.
enum class Reads { box, star, weights };

/// Unsigned: integer sums wrap.
template <class T>
using plain_sum = std::conditional_t<
    std::is_integral_v<T>, std::uint32_t,
    std::conditional_t<std::is_same_v<T, double>, double, float>>;

#ifdef __CUDA_ARCH__
#define KOKKOSMMA_PERF_UNROLL _Pragma("unroll")
#else
#define KOKKOSMMA_PERF_UNROLL
#endif

/// The sum of all neighbours of an element: (2r+1)^R reads, 2rR+1 of a star.
/// Where `fixed` is not 0 it is the radius, and loops are unrolled as with a
/// number in the source.
template <class T, int R, Reads reads, int fixed>
struct PlainStencil {
  using Sum = plain_sum<T>;

  GridOf<T, R> in, out;
  Kokkos::View<Sum*, Exec> weight;  // the last dimension fastest
  int any_radius;
  Conditions conditions;
  int ghosts;  // cells of `in` beyond each boundary
  int extent[R];

  KOKKOS_FUNCTION int reach() const { return fixed > 0 ? fixed : any_radius; }
  KOKKOS_FUNCTION static Sum value(T const& element) {
    return static_cast<Sum>(element);
  }
  KOKKOS_FUNCTION bool inside(int i, int d) const {
    return ghosts > 0 || (i >= reach() && i < extent[d] - reach());
  }

  KOKKOS_FUNCTION void operator()(int i) const requires(R == 1) {
    int const radius = reach();
    Sum sum          = 0;
    auto const add   = [&](int a, int p) {
      if constexpr (reads == Reads::weights) {
        sum += weight(a + radius) * value(in(p));
      } else {
        sum += value(in(p));
      }
    };
    if (inside(i, 0)) {
      KOKKOSMMA_PERF_UNROLL
      for (int a = -radius; a <= radius; ++a) add(a, i + a + ghosts);
    } else {
      for (int a = -radius; a <= radius; ++a) {
        int const p = neighbour(conditions, i + a, extent[0]);
        if (p >= 0) add(a, p);
      }
    }
    out(i) = static_cast<T>(sum);
  }

  KOKKOS_FUNCTION void operator()(int i, int j) const requires(R == 2) {
    int const radius = reach();
    int const width  = 2 * radius + 1;
    Sum sum          = 0;
    auto const add   = [&](int a, int b, int p, int q) {
      if constexpr (reads == Reads::weights) {
        sum += weight((a + radius) * width + b + radius) * value(in(p, q));
      } else {
        sum += value(in(p, q));
      }
    };
    if (inside(i, 0) && inside(j, 1)) {
      int const p = i + ghosts, q = j + ghosts;
      if constexpr (reads == Reads::star) {
        sum = value(in(p, q));
        KOKKOSMMA_PERF_UNROLL
        for (int a = 1; a <= radius; ++a)
          sum += value(in(p - a, q)) + value(in(p + a, q)) +
                 value(in(p, q - a)) + value(in(p, q + a));
      } else {
        // The fast dimension in the inner loop.
        KOKKOSMMA_PERF_UNROLL
        for (int u = -radius; u <= radius; ++u) {
          KOKKOSMMA_PERF_UNROLL
          for (int f = -radius; f <= radius; ++f) {
            int const a = first_is_fast ? f : u, b = first_is_fast ? u : f;
            add(a, b, p + a, q + b);
          }
        }
      }
    } else {
      for (int a = -radius; a <= radius; ++a) {
        int const p = neighbour(conditions, i + a, extent[0]);
        for (int b = -radius; b <= radius; ++b) {
          if (reads == Reads::star && a != 0 && b != 0) continue;
          int const q = neighbour(conditions, j + b, extent[1]);
          if (p >= 0 && q >= 0) add(a, b, p, q);
        }
      }
    }
    out(i, j) = static_cast<T>(sum);
  }

  KOKKOS_FUNCTION void operator()(int i, int j, int k) const requires(R == 3) {
    int const radius = reach();
    int const width  = 2 * radius + 1;
    Sum sum          = 0;
    auto const add   = [&](int a, int b, int c, int p, int q, int s) {
      if constexpr (reads == Reads::weights) {
        sum +=
            weight(((a + radius) * width + b + radius) * width + c + radius) *
            value(in(p, q, s));
      } else {
        sum += value(in(p, q, s));
      }
    };
    if (inside(i, 0) && inside(j, 1) && inside(k, 2)) {
      int const p = i + ghosts, q = j + ghosts, s = k + ghosts;
      if constexpr (reads == Reads::star) {
        sum = value(in(p, q, s));
        KOKKOSMMA_PERF_UNROLL
        for (int a = 1; a <= radius; ++a)
          sum += value(in(p - a, q, s)) + value(in(p + a, q, s)) +
                 value(in(p, q - a, s)) + value(in(p, q + a, s)) +
                 value(in(p, q, s - a)) + value(in(p, q, s + a));
      } else {
        KOKKOSMMA_PERF_UNROLL
        for (int u = -radius; u <= radius; ++u) {
          KOKKOSMMA_PERF_UNROLL
          for (int b = -radius; b <= radius; ++b) {
            KOKKOSMMA_PERF_UNROLL
            for (int f = -radius; f <= radius; ++f) {
              int const a = first_is_fast ? f : u, c = first_is_fast ? u : f;
              add(a, b, c, p + a, q + b, s + c);
            }
          }
        }
      }
    } else {
      for (int a = -radius; a <= radius; ++a) {
        int const p = neighbour(conditions, i + a, extent[0]);
        for (int b = -radius; b <= radius; ++b) {
          int const q = neighbour(conditions, j + b, extent[1]);
          for (int c = -radius; c <= radius; ++c) {
            if (reads == Reads::star && (a != 0) + (b != 0) + (c != 0) > 1)
              continue;
            int const s = neighbour(conditions, k + c, extent[2]);
            if (p >= 0 && q >= 0 && s >= 0) add(a, b, c, p, q, s);
          }
        }
      }
    }
    out(i, j, k) = static_cast<T>(sum);
  }
};

template <Reads reads, int fixed, class T, int R>
PlainStencil<T, R, reads, fixed> plain_stencil(
    T* in, T* out, GridShape<R> const& shape, int radius, Conditions conditions,
    Kokkos::View<plain_sum<T>*, Exec> const& weight) {
  PlainStencil<T, R, reads, fixed> stencil;
  stencil.ghosts        = conditions == Conditions::halo ? radius : 0;
  GridShape<R> in_shape = shape;
  for (int d = 0; d < R; ++d) {
    in_shape.extent[d] += 2 * stencil.ghosts;
    stencil.extent[d] = static_cast<int>(shape.extent[d]);
  }
  stencil.in         = grid_of<T, R>(in, in_shape);
  stencil.out        = grid_of<T, R>(out, shape);
  stencil.weight     = weight;
  stencil.any_radius = radius;
  stencil.conditions = conditions;
  return stencil;
}

/// A generation of an automaton, each neighbour read. Where `fixed` is not 0 it
/// is the radius, and where `moore` the neighbourhood is known, too.
template <int fixed, bool moore>
struct PlainAutomaton {
  GridOf<std::uint8_t, 2> from, to;
  RangeRule rule;
  Conditions conditions;
  int extent[2];

  KOKKOS_FUNCTION void operator()(int i, int j) const {
    int const r = fixed > 0 ? fixed : rule.radius;
    int count   = 0;
    if (i >= r && i < extent[0] - r && j >= r && j < extent[1] - r) {
      KOKKOSMMA_PERF_UNROLL
      for (int s = -r; s <= r; ++s) {
        int const reach = moore || rule.moore ? r : r - (s < 0 ? -s : s);
        KOKKOSMMA_PERF_UNROLL
        for (int f = -reach; f <= reach; ++f)
          count +=
              (first_is_fast ? from(i + f, j + s) : from(i + s, j + f)) == 1;
      }
    } else {
      for (int s = -r; s <= r; ++s) {
        int const reach = rule.moore ? r : r - (s < 0 ? -s : s);
        for (int f = -reach; f <= reach; ++f) {
          int const p =
              neighbour(conditions, i + (first_is_fast ? f : s), extent[0]);
          int const q =
              neighbour(conditions, j + (first_is_fast ? s : f), extent[1]);
          count += p >= 0 && q >= 0 && from(p, q) == 1;
        }
      }
    }
    int const state = from(i, j);
    int next        = state == 0 ? 0 : state + 1;
    if (state == 0 && count >= rule.birth[0] && count <= rule.birth[1])
      next = 1;
    if (state == 1 && count >= rule.survive[0] && count <= rule.survive[1])
      next = 1;
    to(i, j) = static_cast<std::uint8_t>(next < rule.states ? next : 0);
  }
};

#ifdef KOKKOS_ENABLE_CUDA

inline constexpr int separable_side = 64;

/// Sums of two passes over a tile in shared memory, the elements as the sums'
/// type: along the rows into a second tile, then down its columns. Of either
/// pass a thread has a run of outputs and reads each neighbour once.
/// Dimensions are (slow, fast); beyond the boundaries are zeros.
template <class T, int r>
__global__ void __launch_bounds__(256)
    separable_2d(T const* __restrict__ in, T* __restrict__ out, int rows,
                 int columns, plain_sum<T> const* __restrict__ factor) {
  using Sum              = plain_sum<T>;
  constexpr int side     = separable_side;
  constexpr int tall     = side + 2 * r;
  constexpr int pitch    = tall | 1;  // odd: columns lie in different banks
  constexpr int mid      = side + 1;
  constexpr int run      = 8;
  constexpr int vertical = side * side / 256;
  extern __shared__ double separable_memory[];
  Sum* const tile = reinterpret_cast<Sum*>(separable_memory);
  Sum* const sums = tile + tall * pitch;
  int const row0 = blockIdx.y * side, column0 = blockIdx.x * side;
  int const thread = threadIdx.x;

  Sum w[2 * r + 1];
#pragma unroll
  for (int k = 0; k <= 2 * r; ++k) w[k] = factor[k];
  for (int at = thread / 32; at < tall; at += 8) {
    int const row = row0 + at - r;
    for (int c = thread % 32; c < tall; c += 32) {
      int const column = column0 + c - r;
      bool const inside =
          row >= 0 && row < rows && column >= 0 && column < columns;
      tile[at * pitch + c] =
          inside ? static_cast<Sum>(
                       in[static_cast<std::size_t>(row) * columns + column])
                 : Sum(0);
    }
  }
  __syncthreads();
  for (int job = thread; job < tall * (side / run); job += 256) {
    int const at = job / (side / run), c = job % (side / run) * run;
    Sum near[run + 2 * r];
#pragma unroll
    for (int k = 0; k < run + 2 * r; ++k) near[k] = tile[at * pitch + c + k];
#pragma unroll
    for (int k = 0; k < run; ++k) {
      Sum sum = 0;
#pragma unroll
      for (int o = 0; o <= 2 * r; ++o) sum += w[o] * near[k + o];
      sums[at * mid + c + k] = sum;
    }
  }
  __syncthreads();
  int const c = thread % side, first = thread / side * vertical;
  Sum near[vertical + 2 * r];
#pragma unroll
  for (int k = 0; k < vertical + 2 * r; ++k)
    near[k] = sums[(first + k) * mid + c];
#pragma unroll
  for (int k = 0; k < vertical; ++k) {
    Sum sum = 0;
#pragma unroll
    for (int o = 0; o <= 2 * r; ++o) sum += w[o] * near[k + o];
    int const row = row0 + first + k, column = column0 + c;
    if (row < rows && column < columns)
      out[static_cast<std::size_t>(row) * columns + column] =
          static_cast<T>(sum);
  }
}

/// Sums of one pass over a tile of a line in shared memory.
template <class T, int r>
__global__ void __launch_bounds__(256)
    separable_1d(T const* __restrict__ in, T* __restrict__ out, int n,
                 plain_sum<T> const* __restrict__ factor) {
  using Sum           = plain_sum<T>;
  constexpr int block = 2048;
  __shared__ Sum tile[block + 2 * r];
  int const begin = blockIdx.x * block;
  Sum w[2 * r + 1];
#pragma unroll
  for (int k = 0; k <= 2 * r; ++k) w[k] = factor[k];
  for (int k = threadIdx.x; k < block + 2 * r; k += 256) {
    int const i = begin + k - r;
    tile[k]     = i >= 0 && i < n ? static_cast<Sum>(in[i]) : Sum(0);
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < block / 256; ++k) {
    int const at = k * 256 + static_cast<int>(threadIdx.x);
    Sum sum      = 0;
#pragma unroll
    for (int o = 0; o <= 2 * r; ++o) sum += w[o] * tile[at + o];
    if (begin + at < n) out[begin + at] = static_cast<T>(sum);
  }
}

template <int r, class T, int R>
void launch_separable(Exec const& exec, T const* in, T* out,
                      GridShape<R> const& shape,
                      Kokkos::View<plain_sum<T>*, Exec> const& factor) {
  if constexpr (R == 1) {
    int const n = static_cast<int>(shape.extent[0]);
    separable_1d<T, r><<<(n + 2047) / 2048, 256, 0, exec.cuda_stream()>>>(
        in, out, n, factor.data());
  } else {
    constexpr int side = separable_side, tall = side + 2 * r;
    constexpr int bytes =
        tall * ((tall | 1) + side + 1) * static_cast<int>(sizeof(plain_sum<T>));
    auto const kernel = &separable_2d<T, r>;
    check_cuda(cudaFuncSetAttribute(
                   kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
               "cudaFuncSetAttribute");
    int const fast    = GridShape<2>::dimension(0);
    int const rows    = static_cast<int>(shape.extent[1 - fast]);
    int const columns = static_cast<int>(shape.extent[fast]);
    dim3 const grid((columns + side - 1) / side, (rows + side - 1) / side);
    kernel<<<grid, 256, bytes, exec.cuda_stream()>>>(in, out, rows, columns,
                                                     factor.data());
  }
  check_cuda(cudaGetLastError(), "separable");
}

template <class T, int R>
void separable(Exec const& exec, T const* in, T* out, GridShape<R> const& shape,
               int radius, Kokkos::View<plain_sum<T>*, Exec> const& factor) {
  switch (radius) {
    case 1: return launch_separable<1>(exec, in, out, shape, factor);
    case 2: return launch_separable<2>(exec, in, out, shape, factor);
    case 3: return launch_separable<3>(exec, in, out, shape, factor);
    case 5: return launch_separable<5>(exec, in, out, shape, factor);
    case 7: return launch_separable<7>(exec, in, out, shape, factor);
    case 11: return launch_separable<11>(exec, in, out, shape, factor);
    case 16: return launch_separable<16>(exec, in, out, shape, factor);
    default:
      throw std::logic_error("perf: separable has no radius " +
                             std::to_string(radius));
  }
}

#endif

}  // namespace perf

#endif
