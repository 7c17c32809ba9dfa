// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STEP_SUMS_HPP
#define KOKKOSMMA_CUDA_STEP_SUMS_HPP

#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_DirectSums.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <vector>

/// \file
/// Sums of a step, if several steps are in flight. Each form rounds like the
/// kernel of a single step: weights in their order, like SweepKernel and
/// GeneralKernel (direct), or along the rows and then down the columns, like
/// RadiusSums (separable).
///
/// An arriving row is added to all sums that it belongs to. The sums of 2
/// Radius rows are in flight, and those of one row become complete. A step
/// therefore needs only the neighbours in the newest row.

namespace KokkosMMA::Impl::Cuda {

/// For forms and steps that steps_of_sweep() does not allow.
[[noreturn]] inline void refuse_steps() {
  Kokkos::abort("KokkosMMA: no kernel for several steps of this stencil");
}

/// Neighbours of a lane's V elements along a row: `at(i)` for i from -Radius to
/// V + Radius - 1. The constructor is called by all lanes of the warp.
template <class A, int V, int Radius>
struct RowWindow {
  A value[V + 2 * Radius];

  __device__ __forceinline__ explicit RowWindow(A const (&row)[V]) {
#pragma unroll
    for (int i = 0; i < V; ++i) value[Radius + i] = row[i];
#pragma unroll
    for (int d = 1; d <= Radius; ++d) {
      int const lanes = (d + V - 1) / V;
      value[Radius - d] =
          __shfl_up_sync(0xffffffffu, row[lanes * V - d], unsigned(lanes));
      value[Radius + V - 1 + d] =
          __shfl_down_sync(0xffffffffu, row[(d - 1) % V], unsigned(lanes));
    }
  }
  __device__ __forceinline__ A const& at(int i) const {
    return value[Radius + i];
  }
};

/// Sums with weights in their order. Those of a star lie on the axes. If
/// `sparse`, any weight may be zero: bit n of `taps` is set if the n-th is not.
template <class A, int V, int Radius, StepForm Form>
struct OrderedSums {
  static constexpr int radius = Radius;
  static constexpr int width  = 2 * Radius + 1;
  static_assert(Form != StepForm::sparse || width * width <= 32);

  struct Weights {
    A weight[width * width];
    unsigned taps;

    explicit Weights(StencilWeights<2> const& weights) : taps(0) {
      for (int n = 0; n < width * width; ++n) {
        double const value = weights.values()[std::size_t(n)];
        weight[n]          = weight_as<A>(value);
        if (Form == StepForm::sparse) taps |= unsigned(value != 0) << n;
      }
    }
    __device__ __forceinline__ bool has(int n) const {
      if constexpr (Form == StepForm::star) {
        return n / width == Radius || n % width == Radius;
      } else {
        return Form != StepForm::sparse || (taps >> n & 1);
      }
    }
  };

  A sum[2 * Radius][V];

  __device__ __forceinline__ void push(A (&row)[V], Weights const& weights) {
    RowWindow<A, V, Radius> const window(row);
#pragma unroll
    for (int k = 2 * Radius; k >= 0; --k) {
#pragma unroll
      for (int x = 0; x < V; ++x) {
        A value = k > 0 ? sum[k > 0 ? k - 1 : 0][x] : A(0);
#pragma unroll
        for (int o = 0; o < width; ++o)
          if (weights.has(k * width + o))
            value = add_tap(value, weights.weight[k * width + o],
                            window.at(x + o - Radius));
        if (k < 2 * Radius)
          sum[k < 2 * Radius ? k : 0][x] = value;
        else
          row[x] = value;
      }
    }
  }
  template <class Value>
  __device__ __forceinline__ static A of(Value const& value,
                                         Weights const& weights) {
    A sum = A(0);
#pragma unroll
    for (int k = 0; k < width; ++k)
#pragma unroll
      for (int o = 0; o < width; ++o)
        if (weights.has(k * width + o))
          sum = add_tap(sum, weights.weight[k * width + o],
                        value(k - Radius, o - Radius));
    return sum;
  }
};

/// Sums with an outer product without zeros.
template <class A, int V, int Radius>
struct ProductSums {
  static constexpr int radius = Radius;
  static constexpr int width  = 2 * Radius + 1;

  struct Weights {
    SeparableFactors<A, Radius, true> along_row;
    A column[width];

    explicit Weights(std::array<std::vector<double>, 2> const& factors) {
      along_row.radius = Radius;
      for (int o = 0; o < width; ++o) {
        along_row.at[o] = weight_as<A>(factors[1][std::size_t(o)]);
        column[o]       = weight_as<A>(factors[0][std::size_t(o)]);
      }
    }
  };

  A sum[2 * Radius][V];

  __device__ __forceinline__ void push(A (&row)[V], Weights const& weights) {
    RowWindow<A, V, Radius> const window(row);
    Registers<A, V> const sums =
        row_sums<V, Radius>(weights.along_row, window.value);
#pragma unroll
    for (int k = 2 * Radius; k >= 0; --k) {
#pragma unroll
      for (int x = 0; x < V; ++x) {
        A const value = multiply_add(weights.column[k], sums[x],
                                     k > 0 ? sum[k > 0 ? k - 1 : 0][x] : A(0));
        if (k < 2 * Radius)
          sum[k < 2 * Radius ? k : 0][x] = value;
        else
          row[x] = value;
      }
    }
  }
  template <class Value>
  __device__ __forceinline__ static A of(Value const& value,
                                         Weights const& weights) {
    A sum = A(0);
#pragma unroll
    for (int k = 0; k < width; ++k) {
      A window[width];
#pragma unroll
      for (int o = 0; o < width; ++o) window[o] = value(k - Radius, o - Radius);
      sum =
          multiply_add(weights.column[k],
                       row_sums<1, Radius>(weights.along_row, window)[0], sum);
    }
    return sum;
  }
};

/// Stores those of a lane's columns that are within [begin, end).
template <int V, class Element, class A>
__device__ __forceinline__ void store_step(Element* to, int column, int begin,
                                           int end, bool vectors,
                                           A const (&row)[V]) {
  Element elements[V];
#pragma unroll
  for (int i = 0; i < V; ++i) elements[i] = static_cast<Element>(row[i]);
  if (vectors && begin <= column && column + V <= end) {
    store_elements<false>(to, elements);
  } else {
#pragma unroll
    for (int i = 0; i < V; ++i)
      if (begin <= column + i && column + i < end) to[i] = elements[i];
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
