// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_TUNECASES_HPP
#define KOKKOSMMA_PERF_TUNECASES_HPP

#include "tune/Perf_Tune.hpp"

/// What perf_tune measures, for one type at a time: only on Cuda.
namespace perf {

/// Sizes at which both sides are measured, in bytes: launches count in the
/// first, only memory in the others. A kernel hands out rounds of tiles to the
/// warps that its registers leave room for, and takes longer over the last
/// round where it is not full; so one size, and a power of two above all, may
/// favour one of two kernels by chance.
inline constexpr std::size_t tune_bytes[] = {
    std::size_t(1) << 25, std::size_t(11) << 25, std::size_t(1) << 29};
// Views as in perf_segmented, so the same kernels.
template <class T>
using TuneInput = Vector<T>;
template <class T>
using TuneOutput = Vector<T>;

template <class T>
struct SumOfResults {
  T const* results;
  KOKKOS_FUNCTION void operator()(std::size_t i, double& sum) const {
    sum += double(results[i]);
  }
};
template <class T>
std::function<double()> sum_of(Exec const& exec, T const* results,
                               std::size_t count) {
  return [=] {
    double sum = 0;
    Kokkos::parallel_reduce("perf::tune", IndexRange(exec, 0, count),
                            SumOfResults<T>{results}, sum);
    return sum;
  };
}

/// Slices of the data that repeated calls walk through, so that small ones too
/// meet data that no cache holds.
template <class T>
struct Slices {
  T* data;
  std::size_t n;
  std::size_t count;

  Slices(Session& session, std::size_t elements) : n(elements) {
    count =
        std::max<std::size_t>(session.rotation_bytes() / (n * sizeof(T)), 1);
    data = session.data<T>(count * n);
  }
  TuneInput<T> operator()(std::size_t k) const {
    return TuneInput<T>(data + k % count * n, n);
  }
};

inline std::string tune_size(std::size_t bytes) {
  return bytes >= std::size_t(1) << 20 ? std::to_string(bytes >> 20) + " MB"
                                       : std::to_string(bytes >> 10) + " KB";
}

/// Sums of Views and of products of two.
template <class T>
void tune_reduce(Tuner& tuner) {
  using Sum = sum_type<T>;
  std::vector<TuneCase> cases, dots;
  Sum* const result = tuner.session().template results<Sum>(1);
  Kokkos::View<Sum, Exec> const to(result);
  Exec const exec = tuner.exec();
  for (std::size_t const bytes : tune_bytes) {
    std::size_t const n = tuner.session().fitting(bytes / sizeof(T), sizeof(T));
    cases.push_back({tune_size(n * sizeof(T)), double(n * sizeof(T))});
    Slices<T> const slices(tuner.session(), n);
    cases.back().call = [exec, to, slices](std::size_t k) {
      KokkosMMA::reduce(exec, slices(k), to);
    };
    cases.back().sum = sum_of(exec, result, 1);
    dots.push_back(cases.back());
    // One View twice would be squares: read once.
    dots.back().call = [exec, to, slices, n](std::size_t k) {
      auto const x           = slices(k);
      std::size_t const half = n / 2 / 128 * 128;
      TuneInput<T> const a(x.data(), half), b(x.data() + half, half);
      Kokkos::parallel_reduce("perf::dot", IndexRange(exec, 0, half),
                              KokkosMMA::dot(a, b), KokkosMMA::Sum(to));
    };
  }
  if constexpr (std::is_same_v<T, double>) {
    tuner.choose_route(&TuningTable::reduce_mma_double, cases);
    tuner.choose_route(&TuningTable::dot_mma_double, dots);
  } else {
    tuner.choose_route(&TuningTable::reduce_mma_int64, cases);
  }
}

/// Segments between offsets, lengths uniform from none to a longest.
template <class T>
void tune_ragged(Tuner& tuner) {
  using Sum             = sum_type<T>;
  Exec const exec       = tuner.exec();
  std::size_t const n   = tuner.session().template segment_elements<T>() / 4;
  T* const in           = tuner.session().template data<T>(n);
  TuningTable others    = tuner.table();
  others.tiny_csr_bytes = others.tiny_csr_wide_bytes = 0;
  TuningTable threads                                = others;
  threads.tiny_csr_bytes = threads.tiny_csr_wide_bytes = 8192;
  for (int const bytes : {8, 16, 32, 64, 128, 256}) {
    int const longest = bytes / int(sizeof(T));
    if (longest < 2) continue;
    std::vector<int> lengths(1, 0);
    for (std::size_t end = 0; end < n;) {
      int const length = int(mix(lengths.size()) % std::uint64_t(longest + 1));
      if (end + std::size_t(length) > n) break;
      end += std::size_t(length);
      lengths.push_back(int(end));
    }
    Vector<int> const offsets("perf::offsets", lengths.size());
    Kokkos::deep_copy(offsets, Kokkos::View<int const*, Kokkos::HostSpace>(
                                   lengths.data(), lengths.size()));
    std::size_t const count = lengths.size() - 1;
    Sum* const y            = tuner.session().template results<Sum>(count);
    TuneOutput<Sum> const to(y, count);
    TuneCase c{type_name<T>() + (" up to " + std::to_string(longest)),
               double(n * sizeof(T) + count * (sizeof(Sum) + sizeof(int))),
               bytes};
    c.call = [exec, to, offsets, in, n](std::size_t) {
      KokkosMMA::segmented_reduce(exec, TuneInput<T>(in, n), offsets, to);
    };
    c.sum = sum_of(exec, y, count);
    tuner.add(sizeof(T) > 2 ? tuner.tiny_ragged_wide : tuner.tiny_ragged, c,
              {threads}, {others});
  }
}

/// Stencils of a plane, weights of full rank.
template <class T>
void tune_stencil(Tuner& tuner) {
  using Plane         = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  using Weights       = KokkosMMA::StencilWeights<2>;
  Exec const exec     = tuner.exec();
  constexpr int side  = 8192;
  std::size_t const n = std::size_t(side) * side;
  T* const in         = tuner.session().template data<T>(n);
  T* const y          = tuner.session().template results<T>(n);
  auto const case_of  = [&](Weights const& weights, int radius, int x) {
    TuneCase c{"radius " + std::to_string(radius), double(2 * n * sizeof(T)),
               x};
    c.call = [exec, weights, x = Plane(in, side, side),
              to = Plane(y, side, side)](std::size_t) {
      KokkosMMA::stencil(
           exec, x, to, weights,
           KokkosMMA::Boundaries<2>::all(KokkosMMA::Boundary::periodic));
    };
    c.sum = sum_of(exec, y, n);
    return c;
  };
  std::vector<TuneCase> dense;
  for (int const radius : {1, 2, 3, 4, 5, 7, 8}) {
    int const width = 2 * radius + 1;
    std::vector<double> full;
    for (int i = 0; i < width; ++i)
      for (int j = 0; j < width; ++j)
        full.push_back(1 + (i * i + 3 * i * j + 2 * j) % 5);
    dense.push_back(
        case_of(Weights::dense(radius, full), radius, width * width));
  }
  tuner.choose_route(&TuningTable::dense_taps_double, dense);
}

}  // namespace perf

#endif
